"""What to say of a CSV whose header is of neither layout: what is missing from the one that it nearly is."""

from __future__ import annotations

from calipers.files.lines import BYTE_ORDER_MARK
from calipers.files.problems import shown
from calipers.suites.timeline.formats.seconds_csv import COLUMNS, FIELDS

FRAMES = "frame,state (a row per frame)"
SPANS = "start,end,label (a row per span, in seconds)"
SEPARATORS = (";", "\t", "|")


def header_problem(head: bytes, name: str, side: str) -> str:
    r"""What is wrong with the header, with its place; "" where it is for the reader of frames to say.

    >>> print(header_problem(b"start,label\n0,inside\n", "a.csv", "gt"))
    a.csv:1: found the columns ["start", "label"] without end, expected start,end,label (a row per span, in seconds)
    """
    layouts = SPANS if side == "gt" else f"{SPANS} or {FRAMES}"
    line, text = _first_line(head)
    place = f"{name}:{line}"
    if not text:
        return f"{place}: found an empty file, expected {layouts}"
    cells = [cell.strip().strip('"').strip() for cell in text.split(",")]
    separator = next((mark for mark in SEPARATORS if len(cells) == 1 and mark in text), "")
    if separator:
        return f"{place}: found {shown(text)}, separated by {shown(separator)}, expected commas: {layouts}"
    meant = [COLUMNS.get(cell.lower()) for cell in cells]
    if side == "gt" or "start" in meant or "end" in meant:
        missing = " and ".join(field for field in FIELDS if field not in meant)
        return f"{place}: found the columns {shown(cells)} without {missing}, expected {layouts}"
    return ""


def _first_line(head: bytes) -> tuple[int, str]:
    """The first line that holds something, and its number; the last one and nothing where none does."""
    lines = head.removeprefix(BYTE_ORDER_MARK).split(b"\n")
    for line, text in enumerate(lines, 1):
        if text.strip():
            return line, text.decode("utf-8", "replace").strip()
    return 1, ""
