"""Two results side by side: the table of the console, Markdown, and the page.

A difference is new minus old. Long tables are cut to the headline figures and those that changed; the artifact of the
comparison has all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import floor, log10
from typing import Any

from calipers.show.text import SEPARATOR, UNDEFINED, named_line, printable, width

Tree = Mapping[str, Any]
HEADLINE = {
    "dense": ("precision", "recall", "f1", "mean_f1"),
    "coco": ("AP", "AP_50", "AP_75", "AP_small", "AP_medium", "AP_large", "precision_at_target", "f1", "mean_f1"),
    "scene": ("precision", "recall", "f1", "mean_iou_3d", "mean_centroid_error_m", "f1_relaxed", "F1_os"),
    "timeline": (
        "frame_accuracy",
        "transition_accuracy",
        "event_recall",
        "event_precision",
        "entry_timing_mae_sec",
        "advisory_timing_mae_sec",
        "false_activation_rate",
        "lead_time_sec",
        "flicker_per_minute",
        "macro_f1",
        "edit_score",
        "segmental_f1_50",
    ),
}
RECORDS = {"dense": "record", "coco": "image", "scene": "scene", "timeline": "video"}
LONG_TABLE = 24  # rows
FEW = 10  # records, of which an interval says little
MOST_OBJECTS = 4
LONGEST_NAME = 44
MOST_DECIMALS = 9  # a difference of less is what floats lose
COLUMNS = ("metric", "old", "new", "Δ", "95 % of Δ", "verdict")
UNDECIDED = "cannot tell"
PLACES = {  # what an index counts
    "dense": "the place in the ground truth of the record, from 0",
    "coco": "the place in the whole ground truth, over all images, from 0",
    "scene": "the place among the boxes of the scene's file, from 0",
}
ESCAPES = {char: f"\\{char}" for char in "\\`*[]|"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}

MARKS = re.compile(r"[~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")  # an underscore within a word is none


def table(tree: Tree) -> str:
    """The whole comparison, without a line break at the end."""
    lines = [*aligned([COLUMNS, *map(cells, shown(tree))]), "", *(named_line(*each) for each in below(tree))]
    return "\n".join([_header(tree), "", *lines]).rstrip("\n")


def _header(tree: Tree) -> str:
    return f"{printable(tree['old']['name'])} → {printable(tree['new']['name'])}   {_facts(tree)}"


def _facts(tree: Tree) -> str:
    pairing = f"paired, {tree['replicates']:,} replicates" if tree["paired"] else "not paired"
    return SEPARATOR.join((tree["suite"], records_of(tree), pairing))


def records_of(tree: Tree) -> str:
    """How many records, by what the suite calls them."""
    return f"{tree['records']:,} {RECORDS[tree['suite']]}{'' if tree['records'] == 1 else 's'}"


def shown(tree: Tree) -> list[Tree]:
    """The rows of the table: what can be good or bad and may be told, of very many the headline and what changed."""
    rows = [row for row in tree["metrics"] if row["higher_is_better"] is not None]
    told = [row for row in rows if row["interval"] or _is_headline(row, tree)]
    if len(told) <= LONG_TABLE:
        return told
    return [row for row in told if _is_headline(row, tree) or row["verdict"] != UNDECIDED]


def main_rows(tree: Tree) -> list[Tree]:
    """The headline figures; of several label modes those of one, category if it is there, else the last."""
    rows = [row for row in shown(tree) if _is_headline(row, tree)]
    if tree["suite"] == "dense":
        modes = [row["metric"].rpartition(".")[0] for row in rows]
        chosen = "category" if "category" in modes else modes[-1]
        rows = [row for row, mode in zip(rows, modes, strict=True) if mode == chosen]
    return [row for row in rows if row["interval"]] or rows


def _is_headline(row: Tree, tree: Tree) -> bool:
    of, _, name = row["metric"].rpartition(".")
    return of != "pooled" and name in HEADLINE[tree["suite"]]


def cells(row: Tree) -> tuple[str, ...]:
    """A row of the table as texts."""
    digits = decimals(row["old"], row["new"], row["interval"])
    values = (number(row["old"], digits), number(row["new"], digits), signed(row["difference"], digits))
    down = "" if row["higher_is_better"] else " ↓"
    return (f"{spoken(row['metric'])}{down}", *values, span(row["interval"], digits), row["verdict"])


def spoken(metric: str) -> str:
    r"""A metric as it is said.

    >>> spoken("category.mean_f1"), spoken("AP_50"), spoken("my\x1bmethod.f1")
    ('category mean_f1', 'AP_50', 'my\\x1bmethod f1')
    """
    of, _, name = metric.rpartition(".")
    return cut(printable(f"{of} {name}" if of else name))


def cut(text: str) -> str:
    """A name that is not too long for a line."""
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"


def decimals(old: float | None, new: float | None, interval: list[float] | None = None) -> int:
    """Three for rates, fewer for large numbers, more where differences are that small.

    >>> decimals(0.55, 0.53, [-0.034, -0.010]), decimals(0.55, 0.55, [-0.0004, 0.0002]), decimals(120.0, 130.5)
    (3, 5, 1)
    """
    largest = max((abs(value) for value in (old, new) if value is not None), default=0.0)
    if largest >= 10:
        return 1 if largest >= 100 else 2
    half = (interval[1] - interval[0]) / 2 if interval else 0.0
    return 3 if half <= 0 or half >= 0.001 else min(1 - floor(log10(half)), 6)


def number(value: float | None, digits: int) -> str:
    """A number, or a dash when it is undefined. One that would look like 0 without being it has more digits.

    >>> number(0.5, 3), number(-0.0002, 3), number(-1e-17, 3), number(None, 3)
    ('0.500', '−0.0002', '0.000', '—')
    """
    return UNDEFINED if value is None else plain(value, digits).replace("-", "−")


def plain(value: float, digits: int) -> str:
    """The same with a hyphen for a minus."""
    enough = next((more for more in range(digits, MOST_DECIMALS + 1) if round(value, more)), None)
    return f"{0:.{digits}f}" if enough is None else f"{value:.{enough}f}"


def signed(value: float | None, digits: int) -> str:
    """A difference; only 0 has no sign.

    >>> signed(-0.0221, 3), signed(0.00004, 3), signed(0.0, 3), signed(None, 3)
    ('−0.022', '+0.00004', '0.000', '—')
    """
    return f"{'+' if value and round(value, MOST_DECIMALS) > 0 else ''}{number(value, digits)}"


def span(interval: list[float] | None, digits: int) -> str:
    """An interval of differences."""
    return UNDEFINED if interval is None else f"{signed(interval[0], digits)} … {signed(interval[1], digits)}"


def aligned(rows: list[tuple[str, ...]], left: tuple[int, ...] = (0, -1)) -> Iterator[str]:
    """Rows as lines; columns are set to the right, those named to the left."""
    lefts = {place % len(rows[0]) for place in left}
    widths = [max(width(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        parts = [_set(text, widths[k], left=k in lefts) for k, text in enumerate(row)]
        yield f" {'  '.join(parts)}".rstrip()


def _set(text: str, wide: int, *, left: bool) -> str:
    gap = " " * (wide - width(text))
    return text + gap if left else gap + text


def below(tree: Tree) -> Iterator[tuple[str, str]]:
    """What is said under the table: a word, and what it is about."""
    rows = shown(tree)
    if any(not row["higher_is_better"] for row in rows):
        yield "↓", "lower is better"
    if len(rows) < len(tree["metrics"]):
        yield "more", f"{len(tree['metrics']) - len(rows):,} further figures are in the JSON"
    if 1 < tree["records"] < FEW:
        yield "few", f"{records_of(tree)} are so few that intervals come out too narrow"
    yield from (("not the same", printable(each)) for each in tree["differs"])
    yield from (("left out", printable(each)) for each in tree["left_out"])
    if not tree["paired"]:
        yield "not paired", "intervals are of independent replicates: wider than those of pairs"
    if tree["objects"]:
        yield "objects", objects_line(tree["objects"])
        told = [name for name in ("fixed", "broken") if tree["objects"][name]]
        yield from ((name, places(tree["objects"], name)) for name in told)
        if told and tree["suite"] in PLACES:
            yield "#", PLACES[tree["suite"]]


def places(objects: Tree, name: str) -> str:
    """The first objects that were fixed or broken."""
    listed = objects[f"{name}_objects"][:MOST_OBJECTS]
    more = objects[name] - len(listed)
    return SEPARATOR.join([*map(place, listed), *([f"{more:,} more"] if more else [])])


def objects_line(objects: Tree) -> str:
    """How many objects changed."""
    return SEPARATOR.join(
        (
            f"{objects['fixed']:,} fixed",
            f"{objects['broken']:,} broken",
            f"{objects['false_positives_gone']:,} false positives gone",
            f"{objects['false_positives_new']:,} new ones",
        )
    )


def place(entry: Tree) -> str:
    """Where an object is, in a few words.

    >>> place({"record": "a.jpg", "index": 3, "type": "line", "label": "光纤"})
    'a.jpg #3 光纤'
    >>> place({"record": "a.mp4", "kind": "event", "state": "inside", "start": 15, "end": 24})
    'a.mp4 event inside 15–24'
    """
    if "kind" in entry:
        parts = [entry["record"], entry["kind"], entry["state"], f"{entry['start']}–{entry['end']}"]
    else:
        parts = [entry.get("method", ""), entry["record"], f"#{entry['index']}", entry.get("label", "")]
    return " ".join(cut(printable(part)) for part in parts if part)


# Markdown


def markdown(tree: Tree) -> str:
    """A heading, the table, and what became of objects."""
    head = f"### {escaped(tree['old']['name'])} → {escaped(tree['new']['name'])}"
    lines = [head, "", _facts(tree), "", *markdown_table(COLUMNS, [cells(row) for row in shown(tree)]), ""]
    return "\n".join([*lines, *(f"- {name}: {escaped(text)}" for name, text in below(tree))]).rstrip() + "\n"


def markdown_table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Cells that are numbers are set to the right."""
    yield f"| {' | '.join(columns)} |"
    yield f"| {' | '.join('---' if k in (0, len(columns) - 1) else '---:' for k in range(len(columns)))} |"
    yield from (f"| {' | '.join(map(escaped, row))} |" for row in rows)


def escaped(text: str) -> str:
    r"""Text that Markdown leaves alone: no markup, no link, nobody called by name.

    >>> escaped("<b>|@you https://x.y\x00")
    '&lt;b&gt;\\|&#64;you https:&#47;/x.y\\\\x00'
    """
    plain = MARKS.sub(r"\\\g<0>", "".join(ESCAPES.get(char, char) for char in printable(text)))
    return plain.replace("://", ":&#47;/").replace("www.", "www&#46;")


def page(tree: dict[str, Any]) -> bytes:
    """The page of a comparison."""
    from calipers.results.compare_page import comparison_page  # which takes its words from here

    return comparison_page(tree)
