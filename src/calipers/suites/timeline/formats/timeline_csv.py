"""Timeline CSV files, one row per frame, to the plain form that predictions of states have in JSON.

The columns `frame` and `state` are needed; `time_sec`, `ocr_text` and `runtime_ms` are read if they are there, others
are ignored. Columns and states may be written in any case and with blanks around them; `out`, `approach`, `in` and
`exit` are short for outside, approaching, inside and exiting.

Rows are taken in order of frame, and of several rows of one frame the last. A state lasts until the frame before the
next row; the first row's also covers the frames before it, and the last row's no frame but its own. fps is the median
of Δframe / Δtime_sec over neighbouring rows of the file where both grow.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.encodings import encoding_hint
from calipers.files.lines import BYTE_ORDER_MARK
from calipers.files.problems import LONGEST_SHOWN, shown
from calipers.kernels.scan.column import Column, int_column, take_rows
from calipers.kernels.scan.csvrows import (
    AMOUNT,
    LARGEST_WHOLE,
    NAME,
    NUMBER,
    TEXT,
    WHOLE,
    RowError,
    count_steps,
    find_changes,
    first_row,
    median_rate,
    read_columns,
)

KINDS = {"frame": WHOLE, "state": NAME, "time_sec": NUMBER, "ocr_text": TEXT, "runtime_ms": AMOUNT}
NEEDED = ("frame", "state")
EXPECTED = {
    "frame": f"a whole number from 0 to {LARGEST_WHOLE}",
    "state": "the name of a state",
    "time_sec": "a number, or nothing",
    "runtime_ms": "a number that is not negative, or nothing",
}
SHORT = {"out": "outside", "approach": "approaching", "in": "inside", "exit": "exiting"}


def looks_like(head: bytes) -> bool:
    r"""Whether the header has a column `frame`.

    >>> looks_like(b"time_sec,Frame,State\n"), looks_like(b"start,end,label\n")
    (True, False)
    """
    first = head.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b"\n")[0]
    return b"frame" in [cell.strip().strip(b'"').strip().lower() for cell in first.split(b",")]


def read_timeline_csv(data: bytes, name: str, spelling: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    r"""One file as an entry of predictions, and warnings. `spelling` holds names of states by their lower-cased form.

    >>> read_timeline_csv(b"Frame,State\n2,OUT\n4,in\n5,In\n", "a.csv", {"outside": "Outside"})
    ({'fps': None, 'states': {'Outside': [[0, 3]], 'inside': [[4, 5]]}}, [])
    """
    name = whole_text(name)
    columns, texts, lines = _read_table(data, name)
    frames, times = columns["frame"], columns.get("time_sec")
    warnings = _fall(name, lines, frames, "frame", "rows are taken in order of frame")
    if times is not None:
        warnings += _fall(name, lines, times, "time_sec", "fps is measured where it grows")
    rows = _rows_by_frame(frames)
    states = [_spelled(text, spelling) for text in texts["state"]]
    runs = _runs(columns["state"], states, frames, rows)
    last = int(frames[rows[-1] if rows else -1])
    entry: dict[str, Any] = {"fps": _fps(frames, times), "states": _intervals(runs, last)}
    if "ocr_text" in columns:
        runs = _runs(columns["ocr_text"], texts["ocr_text"], frames, rows)
        entry["ocr"] = [{"frame": frame, "text": text} for frame, text in runs if text]
    runtimes = [value for value in columns.get("runtime_ms", ()) if not math.isnan(value)]
    if runtimes:
        entry["runtime"] = {"frames": len(runtimes), "seconds": math.fsum(runtimes) / 1000}
    return entry, warnings


# From rows to an entry


def _fps(frames: Column, times: Column | None) -> float | None:
    rate = None if times is None else median_rate(frames, times)
    return rate if rate is not None and math.isfinite(rate) else None  # times too close for a float


def _rows_by_frame(frames: Column) -> list[int] | None:
    """The rows in order of frame, of equal frames only the last; None if that is how they stand."""
    falls, _, repeats = count_steps(frames)
    if not falls and not repeats:
        return None
    last = {frame: row for row, frame in enumerate(frames)}
    return [last[frame] for frame in sorted(last)]


def _runs(codes: Column, names: list[str], frames: Column, rows: list[int] | None) -> list[tuple[int, str]]:
    """(first frame, name) of every run of rows with the same name; `names` holds a name for each code."""
    ids: dict[str, int] = {}
    labels = int_column([ids.setdefault(name, len(ids)) for name in names])
    if rows is None:
        firsts = find_changes(codes, labels)
    else:
        firsts = [rows[place] for place in find_changes(take_rows(codes, rows), labels)]
    frame, code = memoryview(frames), memoryview(codes)
    return [(int(frame[row]), names[code[row]]) for row in firsts]


def _intervals(runs: list[tuple[int, str]], last: int) -> dict[str, list[list[int]]]:
    """Inclusive intervals of every state, without gaps from frame 0 to the last."""
    starts = [0, *(frame for frame, _ in runs[1:])]
    ends = [*(start - 1 for start in starts[1:]), last]
    states: dict[str, list[list[int]]] = {}
    for (_, state), start, end in zip(runs, starts, ends, strict=True):
        states.setdefault(state, []).append([start, end])
    return states


def _spelled(text: str, spelling: Mapping[str, str]) -> str:
    lower = text.lower()
    state = SHORT.get(lower, lower)
    return spelling.get(state, state)


def _fall(name: str, lines: Column, column: Column, field: str, therefore: str) -> list[str]:
    """A warning if the numbers of a column run backwards."""
    falls, row, _ = count_steps(column)
    if not falls:
        return []
    rows = "in this row only" if falls == 1 else f"in {falls} rows, this is the first"
    step = f"from {column[row - 1]:.15g} to {column[row]:.15g}"
    return [f"{name}:{lines[row]}: {field} runs backwards, {step} ({rows}); {therefore}"]


# From bytes to columns


class _Table(NamedTuple):
    columns: dict[str, Column]  # numbers, or codes of texts
    texts: dict[str, list[str]]  # by code
    lines: Column  # where each row begins


def _read_table(data: bytes, name: str) -> _Table:
    positions: dict[str, int] = {}
    try:
        header, line, start, next_line = first_row(data, len(BYTE_ORDER_MARK) * data.startswith(BYTE_ORDER_MARK))
        positions = _find_columns(header, f"{name}:{line}")
        wanted = [(position, KINDS[field]) for field, position in positions.items()]
        columns, texts, lines = read_columns(data, start, next_line, wanted)
    except RowError as bad:
        hint = encoding_hint(data) if bad.problem == "nul" else ""
        raise InputError(f"{name}:{bad.line}: {_problem(bad, list(positions))}{hint}") from None
    if not len(lines):
        raise InputError(f"{name}:{line}: found a header and nothing below it, expected at least one row")
    return _Table(dict(zip(positions, columns, strict=True)), dict(zip(positions, texts, strict=True)), lines)


def _find_columns(header: list[bytes], place: str) -> dict[str, int]:
    """The positions of the columns that are read, rising."""
    if not header:
        raise InputError(f"{place}: found an empty file, expected a header with frame and state")
    for cell in header:
        if problem := _utf8_problem(cell):
            raise InputError(f"{place}: header: {problem}")
    titles = [cell.decode("utf-8").strip() for cell in header]
    names = [title.lower() for title in titles]
    positions = {name: position for position, name in enumerate(names) if name in KINDS}
    if missing := [name for name in NEEDED if name not in positions]:
        spans = ", or start,end,label for spans" if len(missing) == len(NEEDED) else ""
        raise InputError(f"{place}: found the columns {shown(titles)}, expected also {' and '.join(missing)}{spans}")
    if twice := [name for name in positions if names.count(name) > 1]:
        raise InputError(f"{place}: found the columns {shown(titles)}, expected {' and '.join(twice)} only once")
    return positions


def _problem(bad: RowError, fields: list[str]) -> str:
    """What is wrong with a row, in words."""
    if bad.problem == "nul":
        return "found a NUL byte, expected text in UTF-8"
    if bad.problem == "quote":
        return f"found a quote that is never closed, expected its end after {_shown_cell(bad.found)}"
    field = fields[bad.column]
    if bad.problem == "cells":
        return f"{field}: found no such cell in a row of {bad.found}, expected one for each of {', '.join(fields)}"
    return f"{field}: {_utf8_problem(bad.found) or f'found {_shown_cell(bad.found)}, expected {EXPECTED[field]}'}"


def _utf8_problem(cell: bytes) -> str:
    try:
        cell.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"found byte 0x{cell[error.start]:02x} at position {error.start}, expected text in UTF-8"
    return ""


def _shown_cell(cell: bytes) -> str:
    return shown(cell[: 4 * LONGEST_SHOWN + 4].decode("utf-8", "replace"))
