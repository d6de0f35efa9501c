"""The parts a page is made of, checked as they are made.

A page is one plain tree: title, facts, sections in reading order, cases to draw. Every function here makes one part of
it. Numbers must be finite, `None` is undefined and shows as a dash; texts are anything, the page shows them as text.
`goto` is a tag: what is clicked leads to the cases that carry it. `about` is a sentence under a title.

Numbers are kept to seven digits, which is more than a page shows and half of what a float takes to write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Literal

Part = dict[str, Any]
Number = int | float
Interval = tuple[float, float] | list[float]
Run = tuple[str, int, int] | list[Any]  # state, first frame, last frame

Kind = Literal["rate", "number", "difference"]
ColumnKind = Literal["text", "number", "rate", "difference", "interval", "differences", "bar", "verdict"]
Tone = Literal["gt", "pred", "right", "wrong", "aside"]

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
    """All that a page shows. Cases are sorted, worst first, and must differ in their keys."""
    keys = [each["key"] for each in cases]
    _require(len(set(keys)) == len(keys), "cases", "two have the same key")
    ordered = sorted(cases, key=lambda each: -float(each["score"]))
    head: Part = {"title": title, "suite": suite, "subtitle": subtitle, "facts": [list(fact) for fact in facts]}
    return head | {"sections": list(sections), "cases": ordered, "notes": list(notes)}


def text(title: str, lines: Sequence[str], *, about: str = "") -> Part:
    """Plain paragraphs."""
    return _section("text", title, about, lines=list(lines))


# Headline numbers


def card(
    name: str,
    value: Number | None,
    interval: Interval | None = None,
    *,
    kind: Kind = "rate",
    unit: str = "",
    note: str = "",
    better: Literal["high", "low"] = "high",
    goto: str | None = None,
) -> Part:
    """One number with its 95 % interval.

    >>> card("recall", 0.75, (0.7, 0.8), goto="missed")["goto"]
    {'tag': 'missed'}
    """
    found = {"name": name, "value": _number(value, name), "interval": _interval(interval, name), "better": better}
    return found | _given(kind="" if kind == "rate" else kind, unit=unit, note=note, goto=_filter(goto))


def cards(title: str, found: Sequence[Part], *, about: str = "") -> Part:
    """Headline numbers, side by side."""
    return _section("cards", title, about, cards=list(found))


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
        _require(other is None or len(other) == len(x), name, "x, y, low and high differ in length")
    _require((low is None) == (high is None), name, "a band needs low and high")
    found: Part = {"name": name, "x": [_known(value, name) for value in x], "y": _numbers(y, name)}
    band = {} if low is None or high is None else {"low": _numbers(low, name), "high": _numbers(high, name)}
    return found | band | _given(bold=bold)


def mark(x: Number, label: str) -> Part:
    """A place on the x axis of a chart worth a line."""
    return {"x": _known(x, label), "label": label}


def curves(title: str, x: str, y: str, found: Sequence[Part], *, marks: Sequence[Part] = (), about: str = "") -> Part:
    """Curves over one axis."""
    return _section("curves", title, about, x=x, y=y, series=list(found), **_given(marks=list(marks)))


def bar(name: str, value: Number | None, *, note: str = "", tone: Tone | None = None, goto: str | None = None) -> Part:
    """One bar, in the colour of what it means."""
    return {"name": name, "value": _number(value, name)} | _given(note=note, tone=tone, goto=_filter(goto))


def bars(title: str, found: Sequence[Part], *, about: str = "") -> Part:
    """Bars under each other, in the order given."""
    return _section("bars", title, about, bars=list(found))


# Tables


def column(name: str, kind: ColumnKind = "text", title: str = "") -> Part:
    """A column of a table; `title` says what it holds when the name is pointed at."""
    return {"name": name, "kind": kind} | _given(title=title)


def table(
    title: str,
    columns: Sequence[Part],
    rows: Sequence[Sequence[Any]],
    *,
    goto: Sequence[str | None] | None = None,
    cut: str = "",
    sort: tuple[int, Literal["up", "down"]] | None = None,
    about: str = "",
) -> Part:
    """Rows that can be sorted and filtered. `cut` says what was left out, `sort` how the rows lie already.

    >>> table("Labels", [column("label"), column("F1", "rate")], [["screw", 0.5], ["plug", None]])["rows"]
    [['screw', 0.5], ['plug', None]]
    """
    kinds = [each["kind"] for each in columns]
    found = [_row(row, kinds, title) for row in rows]
    _require(goto is None or len(goto) == len(rows), title, "goto needs one entry a row")
    _require(sort is None or 0 <= sort[0] < len(kinds), title, "sort names no column")
    more = _given(cut=cut, sort=list(sort) if sort else None, goto=_filters(goto))
    return _section("table", title, about, columns=list(columns), rows=found, **more)


def matrix(
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[tuple[int, int, Number]],
    *,
    goto: Sequence[str | None] | None = None,
    about: str = "",
    row_title: str = "",
    column_title: str = "",
) -> Part:
    """A heat map of counts; `cells` are (row, column, count) of those that are not empty."""
    inside = all(0 <= row < len(rows) and 0 <= place < len(columns) for row, place, _ in cells)
    _require(inside, title, "a cell lies outside")
    _require(goto is None or len(goto) == len(cells), title, "goto needs one entry a cell")
    found = [[row, place, _known(count, title)] for row, place, count in cells]
    more = _given(goto=_filters(goto), row_title=row_title, column_title=column_title)
    return _section("matrix", title, about, rows=list(rows), columns=list(columns), cells=found, **more)


# Timelines


def video(
    name: str,
    frames: int,
    rows: Mapping[str, Sequence[Run]],
    *,
    note: str = "",
    fps: float | None = None,
    tags: Sequence[str] = (),
) -> Part:
    """One video: named rows of runs (state, first frame, last frame), usually ground truth and prediction."""
    _require(frames >= 0, name, "has fewer than no frames")
    lanes = [{"name": lane, "runs": [_run(run, frames, name) for run in runs]} for lane, runs in rows.items()]
    return {"name": name, "frames": frames, "note": note, "rows": lanes} | _given(fps=_number(fps, name), tags=[*tags])


def strips(
    title: str, videos: Sequence[Part], states: Sequence[str], *, idle: str = "outside", cut: str = "", about: str = ""
) -> Part:
    """Videos as strips of states, worst first; `states` in the order of the legend, `idle` is drawn in grey."""
    known = set(states)
    seen = {run[0] for each in videos for lane in each["rows"] for run in lane["runs"]}
    _require(seen <= known, title, "a run has a state that is not in the legend")
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
) -> Part:
    """One object: x and y in turn; a box is its two corners.

    It is right when it has a partner, wrong when it has none and a cause says why, else aside (not counted);
    `state` overrides. A filter by its cause, its label or one of its tags picks it out.
    """
    enough = len(points) == 4 if form == "box" else len(points) >= POINTS[form] and len(points) % 2 == 0
    _require(enough, label, f"{len(points)} numbers do not make a {form}")
    found: Part = {"side": side, "form": form, "points": [_known(value, label) for value in points], "label": label}
    numbers = _given(score=_number(score, label), partner=partner, overlap=_number(overlap, label))
    return found | numbers | _given(cause=cause, note=note, state=state, tags=[*tags])


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
    _check_canvas(canvas, key)
    _require(image is None or image.startswith(IMAGES), key, "the image is no base64 data URI of a picture")
    _require(aspect is None or (isfinite(aspect) and aspect > 0), key, "an aspect is above 0")
    for each in shapes:
        partner = each.get("partner")
        _require(partner is None or 0 <= partner < len(shapes), key, "a partner is not among the shapes")
    found: Part = {"key": key, "title": title, "tags": list(tags), "score": _known(score, key)}
    found["canvas"] = [_known(value, key) for value in canvas]
    return found | _given(note=note, image=image, aspect=aspect, y_up=y_up) | {"shapes": list(shapes)}


def cases(title: str, shown: int, total: int, *, about: str = "") -> Part:
    """Where the cases stand on the page, and how many there are in all."""
    _require(0 <= shown <= total, title, "more are shown than there are")
    return _section("cases", title, about, shown=shown, total=total)


# Checks


def _section(kind: str, title: str, about: str, **found: Any) -> Part:
    return {"kind": kind, "title": title} | _given(about=about) | found


def _given(**fields: Any) -> Part:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value or (value == 0 and value is not False)}


def _require(holds: bool, where: str, problem: str) -> None:
    if not holds:
        raise ValueError(f"{where}: {problem}")


def _number(value: Any, where: str) -> Number | None:
    return None if value is None else _known(value, where)


def _known(value: Any, where: str) -> Number:
    _require(isinstance(value, (int, float)) and isfinite(value), where, f"{value!r}, expected a finite number")
    return int(value) if isinstance(value, int) else float(f"{value:.7g}")


def _numbers(values: Sequence[Any], where: str) -> list[Number | None]:
    return [_number(value, where) for value in values]


def _interval(value: Any, where: str) -> list[Number] | None:
    if value is None:
        return None
    _require(len(value) == 2, where, "an interval has two ends")
    low, high = (_known(end, where) for end in value)
    _require(low <= high, where, "an interval begins above its end")
    return [low, high]


def _words(value: Any, where: str) -> str | None:
    _require(value is None or isinstance(value, str), where, f"{value!r}, expected text")
    return value  # type: ignore[no-any-return]  # just checked


CELLS = {"text": _words, "verdict": _words, "interval": _interval, "differences": _interval}


def _row(row: Sequence[Any], kinds: Sequence[str], where: str) -> list[Any]:
    _require(len(row) == len(kinds), where, f"a row has {len(row)} cells, expected {len(kinds)}")
    return [CELLS.get(kind, _number)(cell, where) for kind, cell in zip(kinds, row, strict=True)]


def _run(run: Run, frames: int, where: str) -> list[Any]:
    state, first, last = run
    _require(0 <= first <= last < frames, where, f"a run from {first} to {last} of {frames} frames")
    return [state, int(first), int(last)]


def _check_canvas(canvas: Sequence[Number], where: str) -> None:
    _require(len(canvas) in (2, 4), where, "a canvas has 2 or 4 numbers")
    left, top, right, bottom = canvas if len(canvas) == 4 else (0, 0, *canvas)
    _require(left < right and top < bottom, where, "a canvas has an area")


def _filter(tag: str | None) -> Part | None:
    return None if tag is None else {"tag": tag}


def _filters(tags: Sequence[str | None] | None) -> list[Part | None] | None:
    return None if tags is None else [_filter(tag) for tag in tags]
