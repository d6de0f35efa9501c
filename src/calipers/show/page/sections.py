"""The parts a page is made of, checked as they are made.

A page is one plain tree: title, facts, sections in reading order, cases to draw. Every function here makes one part of
it. Numbers must be finite, `None` is undefined and shows as a dash; texts are anything, the page shows them as text.
`goto` is a tag, or facets by name: what is clicked leads to the cases that carry it. `about` is a sentence under a
title.

Numbers are kept to seven digits, which is more than a page shows and half of what a float takes to write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Literal

from calipers.show.page.listing import with_error_table
from calipers.show.page.values import (
    Number,
    Run,
    all_finite,
    check_canvas,
    checked_row,
    checked_run,
    finite,
    interval_of,
    number,
    numbers,
    require,
)

Part = dict[str, Any]
Interval = tuple[float, float] | list[float]

Kind = Literal["rate", "number", "difference"]
ColumnKind = Literal["text", "number", "rate", "difference", "interval", "differences", "bar", "verdict"]
Tone = Literal["gt", "pred", "right", "wrong", "aside"]
Goto = str | Mapping[str, str] | None
Better = Literal["high", "low"] | None  # None: no direction is

IMAGES = tuple(f"data:image/{kind};base64," for kind in ("png", "jpeg", "webp", "gif", "avif"))
POINTS = {"box": 4, "poly": 6, "line": 4}  # the fewest numbers of a form


def page_data(
    title: str,
    suite: str,
    sections: Sequence[Part],
    *,
    subtitle: str = "",
    facts: Sequence[tuple[str, str]] = (),
    cases: Sequence[Part] = (),
    notes: Sequence[str] = (),
) -> Part:
    """The data of a page. Cases are sorted, worst first, and must have distinct keys."""
    keys = [case["key"] for case in cases]
    require(len(set(keys)) == len(keys), "cases", "two have the same key")
    ordered = sorted(cases, key=lambda case: -float(case["score"]))
    head: Part = {"title": title, "suite": suite, "subtitle": subtitle, "facts": [list(fact) for fact in facts]}
    named, errors = with_error_table(ordered)
    texts: list[str] = next((list(case["folded"].table) for case in ordered if "folded" in case), [])
    tables = {"errors": errors, "texts": texts}
    return head | {"sections": list(sections), **tables, "cases": named, "notes": list(notes)}


def text(title: str, lines: Sequence[str], *, about: str = "") -> Part:
    """Plain paragraphs."""
    return _section("text", title, about, lines=list(lines))


# Headline numbers


def better_end(higher_is_better: bool | None) -> Better:
    """Which values of a figure are better, as it is declared.

    >>> better_end(True), better_end(False), better_end(None)
    ('high', 'low', None)
    """
    return None if higher_is_better is None else "high" if higher_is_better else "low"


def card(
    name: str,
    value: Number | None,
    interval: Interval | None = None,
    *,
    kind: Kind = "rate",
    unit: str = "",
    note: str = "",
    better: Better = "high",
    goto: Goto = None,
) -> Part:
    """One number with its 95 % interval.

    >>> card("recall", 0.75, (0.7, 0.8), goto="missed")["goto"]
    {'tag': 'missed'}
    """
    fields = {
        "name": name,
        "value": number(value, name),
        "interval": interval_of(interval, name),
        "better": better,
    }
    return fields | _given(kind="" if kind == "rate" else kind, unit=unit, note=note, goto=_filter(goto))


def cards(title: str, items: Sequence[Part], *, about: str = "") -> Part:
    """Headline numbers, side by side."""
    return _section("cards", title, about, cards=list(items))


# Curves and bars


def series(
    name: str,
    x: Sequence[Number],
    y: Sequence[Number | None],
    *,
    low: Sequence[Number | None] | None = None,
    high: Sequence[Number | None] | None = None,
    bold: bool = False,
) -> Part:
    """One curve; undefined values are gaps. `low` and `high` are the edges of its band."""
    for other in (y, low, high):
        require(other is None or len(other) == len(x), name, "x, y, low and high differ in length")
    require((low is None) == (high is None), name, "a band needs low and high")
    fields: Part = {"name": name, "x": [finite(value, name) for value in x], "y": numbers(y, name)}
    band = {} if low is None or high is None else {"low": numbers(low, name), "high": numbers(high, name)}
    return fields | band | _given(bold=bold)


def mark(x: Number, label: str) -> Part:
    """A place on the x axis of a chart worth a line."""
    return {"x": finite(x, label), "label": label}


def curves(title: str, x: str, y: str, lines: Sequence[Part], *, marks: Sequence[Part] = (), about: str = "") -> Part:
    """Curves over one axis."""
    return _section("curves", title, about, x=x, y=y, series=list(lines), **_given(marks=list(marks)))


def bar(
    name: str,
    value: Number | None,
    *,
    kind: ColumnKind | None = None,
    interval: Sequence[Number] | None = None,
    note: str = "",
    tone: Tone | None = None,
    goto: Goto = None,
) -> Part:
    """One bar, in the colour of what it means, with its interval."""
    more = _given(kind=kind, interval=interval_of(interval, name), note=note, tone=tone, goto=_filter(goto))
    return {"name": name, "value": number(value, name)} | more


def bars(title: str, items: Sequence[Part], *, about: str = "") -> Part:
    """Bars under each other, in the order given."""
    return _section("bars", title, about, bars=list(items))


def dot(
    name: str,
    value: Number | None,
    interval: Interval | None = None,
    *,
    group: str | None = None,
    top: bool = False,
    note: str = "",
    mark: str = "",
    tone: Tone | None = None,
    goto: Goto = None,
) -> Part:
    """One row of a dot chart. `top` makes it stand out; `mark` is a word on a line above it, coloured by `tone`."""
    row = {
        "name": name,
        "value": number(value, name),
        "interval": interval_of(interval, name),
        "group": group,
    }
    return row | _given(top=top, note=note, mark=mark, tone=tone, goto=_filter(goto))


def dots(title: str, rows: Sequence[Part], *, about: str = "") -> Part:
    """A dot chart: values with their intervals under each other, in the order given."""
    return _section("dots", title, about, rows=list(rows))


# Tables


def column(name: str, kind: ColumnKind = "text", title: str = "") -> Part:
    """A column of a table; `title` says what it holds when the name is pointed at."""
    return {"name": name, "kind": kind} | _given(title=title)


def table(
    title: str,
    columns: Sequence[Part],
    rows: Sequence[Sequence[Any]],
    *,
    goto: Sequence[Goto] | None = None,
    cut: str = "",
    sort: tuple[int, Literal["up", "down"]] | None = None,
    about: str = "",
) -> Part:
    """Rows that can be sorted and filtered. `cut` says what was left out, `sort` how the rows lie already.

    >>> table("Labels", [column("label"), column("F1", "rate")], [["screw", 0.5], ["plug", None]])["rows"]
    [['screw', 0.5], ['plug', None]]
    """
    kinds = [column["kind"] for column in columns]
    lines = [checked_row(row, kinds, title) for row in rows]
    require(goto is None or len(goto) == len(rows), title, "goto needs one entry a row")
    require(sort is None or 0 <= sort[0] < len(kinds), title, "sort names no column")
    more = _given(cut=cut, sort=list(sort) if sort else None, goto=_filters(goto))
    return _section("table", title, about, columns=list(columns), rows=lines, **more)


def matrix(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[tuple[int, int, Number]],
    *,
    goto: Sequence[Goto] | None = None,
    about: str = "",
    row_title: str = "",
    column_title: str = "",
) -> Part:
    """A heat map of counts; `cells` are (row, column, count) of those that are not empty."""
    inside = all(0 <= row < len(rows) and 0 <= place < len(columns) for row, place, _ in cells)
    require(inside, title, "a cell lies outside")
    require(goto is None or len(goto) == len(cells), title, "goto needs one entry a cell")
    entries = [[row, place, finite(count, title)] for row, place, count in cells]
    more = _given(goto=_filters(goto), row_title=row_title, column_title=column_title)
    return _section("matrix", title, about, rows=list(rows), columns=list(columns), cells=entries, **more)


# Timelines


def video(
    name: str,
    frames: int,
    rows: Mapping[str, Sequence[Run]],
    *,
    note: str = "",
    fps: float | None = None,
    tags: Sequence[str] = (),
    marks: Sequence[Run] = (),
) -> Part:
    """One video: named rows of runs (state, first frame, last frame), usually ground truth and prediction.

    `marks` are runs of frames at which the rows differ, each with a name; without them the page finds these runs.
    """
    require(frames >= 0, name, "has fewer than no frames")
    lanes = [{"name": lane, "runs": [checked_run(run, frames, name) for run in runs]} for lane, runs in rows.items()]
    more = _given(fps=number(fps, name), tags=[*tags], marks=[checked_run(run, frames, name) for run in marks])
    return {"name": name, "frames": frames, "note": note, "rows": lanes} | more


def strips(
    title: str, videos: Sequence[Part], states: Sequence[str], *, idle: str = "outside", cut: str = "", about: str = ""
) -> Part:
    """Videos as strips of states, worst first; `states` in the order of the legend, `idle` is drawn in grey."""
    known = set(states)
    seen = {run[0] for video in videos for lane in video["rows"] for run in lane["runs"]}
    require(seen <= known, title, "a run has a state that is not in the legend")
    return _section("strips", title, about, videos=list(videos), states=list(states), idle=idle, **_given(cut=cut))


# Cases


def shape(
    side: Literal["gt", "pred"],
    form: Literal["box", "poly", "line"],
    points: Sequence[Number],
    label: str,
    cause: str = "",
    *,
    score: Number | None = None,
    partner: int | None = None,
    overlap: Number | None = None,
    note: str = "",
    state: Literal["right", "wrong", "aside"] | None = None,
    tags: Sequence[str] = (),
    under: str = "",
) -> Part:
    """One object: x and y in turn; a box is its two corners.

    It is right when it has a partner, wrong when it has none and a cause says why, else aside (not counted);
    `state` overrides. A filter by its cause, its label or one of its tags picks it out; `under` is the label that its
    error counts under, if not its own.
    """
    enough = len(points) == 4 if form == "box" else len(points) >= POINTS[form] and len(points) % 2 == 0
    if not enough:
        raise ValueError(f"{label}: {len(points)} numbers do not make a {form}")
    fields: Part = {"side": side, "form": form, "points": all_finite(points, label), "label": label}
    if score is not None:
        fields["score"] = finite(score, label)
    if partner is not None:
        fields["partner"] = partner
    if overlap is not None:
        fields["overlap"] = finite(overlap, label)
    if cause:
        fields["cause"] = cause
    if note:
        fields["note"] = note
    if state:
        fields["state"] = state
    if tags:
        fields["tags"] = [*tags]
    if under and under != label:
        fields["under"] = under
    return fields


def drawn_case(
    listed: Part,
    shapes: Sequence[Part],
    canvas: Sequence[Number],
    *,
    note: str = "",
    image: str | None = None,
    aspect: float | None = None,
    y_up: bool = False,
) -> Part:
    """The drawing of a case that is listed."""
    key, title, score = listed["key"], listed["title"], listed["score"]
    drawn = case(key, title, shapes, canvas, score=score, note=note, image=image, aspect=aspect, y_up=y_up)
    return listed | drawn


def case(
    key: str,
    title: str,
    shapes: Sequence[Part],
    canvas: Sequence[Number],
    *,
    tags: Sequence[str] = (),
    score: Number = 0.0,
    note: str = "",
    image: str | None = None,
    aspect: float | None = None,
    y_up: bool = False,
) -> Part:
    """One drawing. `canvas` is (width, height), or (x1, y1, x2, y2) in metres, which also draws a scale.

    `image` is a data URI, stretched over the canvas. `aspect` (width / height) is how the canvas is shown when that
    is not its own ratio: norm1000 coordinates of a wide photograph. A larger `score` comes first.
    """
    check_canvas(canvas, key)
    require(image is None or image.startswith(IMAGES), key, "the image is no base64 data URI of a picture")
    require(aspect is None or (isfinite(aspect) and aspect > 0), key, "an aspect is above 0")
    partners = [shape["partner"] for shape in shapes if "partner" in shape]
    fits = not partners or (min(partners) >= 0 and max(partners) < len(shapes))
    require(fits, key, "a partner is not among the shapes")
    fields: Part = {"key": key, "title": title, "tags": list(tags), "score": finite(score, key)}
    fields["canvas"] = [finite(value, key) for value in canvas]
    return fields | _given(note=note, image=image, aspect=aspect, y_up=y_up) | {"shapes": list(shapes)}


def cases(title: str, shown: int, total: int, *, about: str = "") -> Part:
    """Where the cases stand on the page, and how many there are in all; `shown` are drawn or listed."""
    require(0 <= shown <= total, title, "more are shown than there are")
    return _section("cases", title, about, shown=shown, total=total)


# Checks


def _section(kind: str, title: str, about: str, **content: Any) -> Part:
    return {"kind": kind, "title": title} | _given(about=about) | content


def _given(**fields: Any) -> Part:
    """The fields that are not empty; 0 is a value."""
    return {name: value for name, value in fields.items() if value or (value == 0 and value is not False)}


def _filter(goto: Goto) -> Part | None:
    return None if goto is None else {"tag": goto} if isinstance(goto, str) else dict(goto)


def _filters(tags: Sequence[Goto] | None) -> list[Part | None] | None:
    return None if tags is None else [_filter(tag) for tag in tags]
