"""CSV with a row for each span: `start`, `end` and `label`, times in seconds.

The header may name the columns in any case and order; `start_sec`, `end_sec` and `state` are other names of them, and
further columns are not read. Without a header the first three columns are meant.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from calipers.core.errors import InputError
from calipers.files.encodings import decoded
from calipers.files.problems import shown
from calipers.suites.timeline.formats.spans import TimedStates, is_number, seconds_of

COLUMNS = {
    "start": "start",
    "start_sec": "start",
    "end": "end",
    "end_sec": "end",
    "label": "label",
    "state": "label",
}
FIELDS = ("start", "end", "label")
EXPECTED = "start, end and label"


def looks_like(head: bytes) -> bool:
    r"""Whether the header names start and end, or the first row begins with two numbers.

    >>> looks_like(b"Start,End,Label\n"), looks_like(b"0,1.5,inside\n"), looks_like(b"frame,state\n0,in\n")
    (True, True, False)
    """
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").partition(b"\n")[0].decode("utf-8", "replace")
    cells = [cell.strip().strip('"').strip() for cell in first.split(",")]
    names = {COLUMNS.get(cell.lower()) for cell in cells}
    return {"start", "end"} <= names or (len(cells) >= 3 and all(map(is_number, cells[:2])))


def read_seconds_csv(data: bytes, name: str, spelling: Mapping[str, str]) -> tuple[TimedStates, list[str]]:
    r"""One file as states in seconds, and warnings.

    >>> read_seconds_csv(b"start,end,label\n0,2.5,outside\n2.5,4,inside\n", "a.csv", {})[0].states
    {'outside': [(0.0, 2.5)], 'inside': [(2.5, 4.0)]}
    """
    timed, rows = TimedStates(name, spelling), _rows(decoded(data, name), name)
    line, first = next(rows, (1, []))
    if is_number(first[0]) if first else False:
        positions = dict(zip(FIELDS, range(3), strict=True))
        _add_row(timed, first, positions, f"{name}:{line}")
    else:
        positions = _positions(first, f"{name}:{line}")
    for line, row in rows:
        _add_row(timed, row, positions, f"{name}:{line}")
    return timed, []


def _rows(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that hold something, each with the line it ends in."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise InputError(f"{name}:{reader.line_num}: not CSV: {error}") from None


def _positions(header: list[str], place: str) -> dict[str, int]:
    meant = [COLUMNS.get(cell.lower(), "") for cell in header]
    wrong = [field for field in FIELDS if meant.count(field) != 1]
    if wrong:
        raise InputError(f"{place}: found the columns {shown(header)}, expected {EXPECTED}, each once")
    return {field: meant.index(field) for field in FIELDS}


def _add_row(timed: TimedStates, row: list[str], positions: Mapping[str, int], place: str) -> None:
    if len(row) <= max(positions.values()):
        raise InputError(f"{place}: found {shown(row)}, expected {EXPECTED}")
    start, end = (seconds_of(row[positions[name]], place, name) for name in ("start", "end"))
    timed.add(place, row[positions["label"]], start, end)
