"""Rows to files: `matches.csv` (or `.parquet`) and `cases.jsonl`, written as they come.

A text cell that a spreadsheet would take for a formula begins with an apostrophe.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import orjson

from calipers.errors import ConfigError
from calipers.report import Rows

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
DEEPEST = 100


def safe_cell(value: Any) -> Any:
    """Text that a spreadsheet leaves alone.

    >>> safe_cell("=1+1"), safe_cell(-0.5), safe_cell(None)
    ("'=1+1", -0.5, '')
    """
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


class CsvTable:
    """Rows as CSV; the first rows name the columns."""

    def __init__(self, file: IO[bytes], columns: list[str]) -> None:
        self._file, self._columns = file, columns
        self._write([columns])

    def add(self, rows: Rows) -> None:
        """Append rows."""
        self._write([[safe_cell(row[name]) for name in self._columns] for row in rows])

    def _write(self, lines: list[list[Any]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(lines)
        self._file.write(text.getvalue().encode("utf-8"))


class ParquetTable:
    """Rows as Parquet (extra `parquet`)."""

    def __init__(self, file: IO[bytes], columns: list[str]) -> None:
        pa = import_pyarrow()
        from pyarrow import parquet

        kinds = {"index": pa.int64()} | {name: pa.int64() for name in columns if name.endswith("_partner")}
        kinds |= {name: pa.float64() for name in columns if name.endswith("_overlap")}
        self._schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
        self._writer, self._pa = parquet.ParquetWriter(file, self._schema), pa

    def add(self, rows: Rows) -> None:
        """Append rows."""
        self._writer.write_table(self._pa.Table.from_pylist(rows, self._schema))

    def close(self) -> None:
        """Write the end of the file."""
        self._writer.close()


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
    if kind == "csv":
        yield CsvTable(file, columns)
        return
    table = ParquetTable(file, columns)
    yield table
    table.close()


def json_line(row: dict[str, Any]) -> bytes:
    """One row as a line of JSON; what JSON has no word for becomes null or text."""
    try:
        return orjson.dumps(row) + b"\n"
    except TypeError:
        return orjson.dumps(_plain(row, 0)) + b"\n"


def _plain(value: Any, depth: int) -> Any:
    """Nesting cut off where it gets deep, and whole numbers beyond 64 bits as floats."""
    if depth > DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {_plain(str(key), depth): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value if value is None or isinstance(value, (int, float, bool)) else str(value)
