"""Rows of objects to a file: `matches.csv` or `matches.parquet`, written as they come.

A text cell of CSV that a spreadsheet would take for a formula begins with an apostrophe. So does one that begins with a
control character or a byte order mark, which programs drop before they look at the rest, and one with a full-width
sign, which some take for the plain one. Nothing else changes: a CSV is for programs, and has the names of the data.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any

from calipers.core.errors import ConfigError
from calipers.core.text import FORMULA_STARTS, whole_text
from calipers.files.output import send_to_disk, write_in_steps

Rows = list[dict[str, Any]]
ROWS_AT_ONCE = 10_000  # rows whose cells are in memory at once
GROUP_ROWS = 100_000  # of Parquet
PLAIN_TEXT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_ ./:-]*")  # that is a cell as it is
PLAIN_LINES = re.compile(rf"(?:{PLAIN_TEXT.pattern}\n)*")
PLAIN = frozenset({int, float, bool, type(None)})  # cells that are written as they are, None as nothing


def safe_cell(value: Any) -> Any:
    """Text that a spreadsheet leaves alone.

    >>> safe_cell("=1+1"), safe_cell(-0.5), safe_cell(None)
    ("'=1+1", -0.5, '')
    """
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value[:1] in FORMULA_STARTS else value


class CsvTable:
    """Rows as CSV under a line of column names."""

    def __init__(self, file: IO[bytes], columns: list[str]) -> None:
        self.file, self._columns = file, columns
        self._write([columns])

    def add(self, rows: Rows) -> None:
        """Append rows."""
        for first in range(0, len(rows), ROWS_AT_ONCE):
            cells = ([row[name] for name in self._columns] for row in rows[first : first + ROWS_AT_ONCE])
            self._write([[value if value.__class__ in PLAIN else safe_cell(value) for value in row] for row in cells])

    def add_lines(self, lines: Iterable[bytes | memoryview]) -> None:
        """Append rows that are lines of CSV already, some to a text, their cells as `csv_text` gives them."""
        begin = self.file.tell()
        write_in_steps(self.file, lines)
        send_to_disk(self.file, begin)

    def _write(self, lines: list[list[Any]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(lines)
        if "\r" in text.getvalue():  # a lone carriage return is left unquoted
            text = io.StringIO(newline="")
            plain, quoted = csv.writer(text, lineterminator="\n"), csv.writer(text, "unix")
            for line in lines:
                (quoted if any("\r" in cell for cell in line if isinstance(cell, str)) else plain).writerow(line)
        self.file.write(whole_text(text.getvalue()).encode("utf-8"))

    def close(self) -> None:
        """Nothing is left to write."""


def csv_table(columns: list[str], rows: Rows) -> bytes:
    r"""A whole table as CSV.

    >>> csv_table(["a", "b"], [{"a": 1, "b": None}])
    b'a,b\n1,\n'
    """
    file = io.BytesIO()
    CsvTable(file, columns).add(rows)
    return file.getvalue()


def csv_text(value: str) -> bytes:
    """A text without carriage returns as a cell of CSV.

    >>> csv_text("a, b"), csv_text("=1+1"), csv_text("")
    (b'"a, b"', b"'=1+1", b'')
    """
    if PLAIN_TEXT.fullmatch(value):
        return value.encode()
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerow([safe_cell(value), ""])
    return whole_text(text.getvalue()[:-2]).encode("utf-8")


def csv_texts(values: Sequence[str]) -> list[bytes]:
    """Each of some texts without carriage returns as a cell of CSV.

    >>> csv_texts(["a.jpg", "b.jpg"]), csv_texts(["a, b", "c"])
    ([b'a.jpg', b'b.jpg'], [b'"a, b"', b'c'])
    """
    lines = "\n".join([*values, ""])
    cells = lines.encode().split(b"\n")[:-1] if PLAIN_LINES.fullmatch(lines) else []
    return cells if len(cells) == len(values) else [csv_text(value) for value in values]  # else one has a line break


class ParquetTable:
    """Rows as Parquet (extra `parquet`), in groups of as many rows however many come at a time."""

    def __init__(self, file: IO[bytes], columns: list[str]) -> None:
        pa = import_pyarrow()
        from pyarrow import parquet

        kinds = {"index": pa.int64()} | {name: pa.int64() for name in columns if name.endswith("_partner")}
        kinds |= {name: pa.float64() for name in columns if name.endswith("_overlap")}
        self._schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
        self._writer, self._pa = parquet.ParquetWriter(file, self._schema), pa
        self._waiting: list[Any] = []  # tables of rows that are no whole group yet
        self._count = 0  # of these rows

    def add(self, rows: Rows) -> None:
        """Append rows."""
        whole = [{k: whole_text(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]
        self._waiting.append(self._pa.Table.from_pylist(whole, self._schema))
        self._count += len(rows)
        if self._count >= GROUP_ROWS:
            self._write(self._count - self._count % GROUP_ROWS)

    def close(self) -> None:
        """Write the last group and the end of the file."""
        if self._count:
            self._write(self._count)
        self._writer.close()

    def _write(self, count: int) -> None:
        """Write the first rows that wait, in groups."""
        rows = self._pa.concat_tables(self._waiting)
        for first in range(0, count, GROUP_ROWS):
            group = rows.slice(first, min(GROUP_ROWS, count - first))
            self._writer.write_table(group.combine_chunks(), GROUP_ROWS)
        self._waiting, self._count = [rows.slice(count)], self._count - count


def import_pyarrow() -> Any:
    """pyarrow, or an error that says how to get it."""
    try:
        import pyarrow
    except ImportError:
        raise ConfigError("tables: parquet needs pyarrow: pip install 'calipers[parquet]'") from None
    return pyarrow


@contextmanager
def open_table(file: IO[bytes], columns: list[str], kind: str) -> Iterator[CsvTable | ParquetTable]:
    """A table of rows in the file."""
    table = CsvTable(file, columns) if kind == "csv" else ParquetTable(file, columns)
    try:
        yield table
    except BaseException:
        with suppress(OSError, ValueError):  # the file will not be kept
            table.close()
        raise
    table.close()
