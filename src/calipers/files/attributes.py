"""Further fields of records, from a file: CSV or JSON lines with a column `key`.

In CSV an empty cell is no value, and a column is of numbers if all its cells are. A key that is there twice is an
error.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from hashlib import sha256
from io import StringIO
from typing import Any, NamedTuple

import orjson

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.encodings import encoding_hint
from calipers.files.inputs import BOM, InputFile, read_bytes

NAMES = "the file name or id of an image, or the name of a video or a scene"  # what results call records
EXPECTED = f"CSV or JSON lines with a column 'key': {NAMES}"
LONGEST_KEY = 80


class OddCells(NamedTuple):
    """Cells that are no numbers, of a column in which at least as many are; and the first of them."""

    n: int
    cells: int
    first: str


class AttributeFile(NamedTuple):
    """The fields of records by their keys, and what they were read from."""

    path: str
    sha256: str
    rows: dict[str, dict[str, Any]]
    odd_cells: dict[str, OddCells]  # by columns of CSV that are nearly of numbers

    @property
    def names(self) -> set[str]:
        """The fields that are there."""
        return {name for row in self.rows.values() for name in row}

    def entry(self) -> dict[str, Any]:
        """The file as the artifact names it among the inputs."""
        return InputFile(whole_text(self.path), self.sha256, len(self.rows))._asdict()


def read_attributes(path: str) -> AttributeFile:
    """The fields of records by their keys."""
    content = read_bytes(path)
    try:
        text = content.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8{encoding_hint(content)}, expected {EXPECTED}") from error
    odd = dict[str, OddCells]()
    rows = _json_rows(path, text) if text.lstrip().startswith("{") else _csv_rows(path, text, odd)
    attributes: dict[str, dict[str, Any]] = {}
    for line, row in rows:
        key = row.pop("key", None)
        if isinstance(key, bool) or not isinstance(key, (str, int)) or key == "":
            raise InputError(f"{path}:{line}: key: found {key!r:.80}, expected that of a record: {NAMES}")
        if str(key) in attributes:
            raise InputError(f"{path}:{line}: key: {str(key)[:LONGEST_KEY]!r} is there twice, expected it once")
        attributes[str(key)] = row
    if not attributes:
        raise InputError(f"{path}: no rows, expected {EXPECTED}")
    return AttributeFile(path, sha256(content).hexdigest(), attributes, odd)


def _json_rows(path: str, text: str) -> Iterable[tuple[int, dict[str, Any]]]:
    for line, content in enumerate(text.split("\n"), 1):
        if content.strip():
            try:
                row = orjson.loads(content)
            except orjson.JSONDecodeError as error:
                raise InputError(f"{path}:{line}: is not JSON: {error}, expected {EXPECTED}") from error
            if not isinstance(row, dict):
                raise InputError(f"{path}:{line}: found {content:.80}, expected an object with a key")
            yield line, row


def _csv_rows(path: str, text: str, odd: dict[str, OddCells]) -> list[tuple[int, dict[str, Any]]]:
    """The rows with their lines; columns that are nearly of numbers are added to `odd`."""
    reader = csv.DictReader(StringIO(text), strict=True)
    try:
        names = _columns(path, reader)
        rows = [_cells(path, reader.line_num, row, len(names)) for row in reader]
    except csv.Error as error:
        raise InputError(f"{path}:{reader.reader.line_num}: is not CSV: {error}, expected {EXPECTED}") from error
    for name in (name for name in names if name != "key"):
        cells = [row[name] for _, row in rows if name in row]
        others = [cell for cell in cells if not _is_number(cell)]
        if others:
            odd |= {name: OddCells(len(others), len(cells), others[0])} if 2 * len(others) <= len(cells) else {}
            continue
        for _, row in rows:
            if name in row:
                row[name] = float(row[name])
    return rows


def _columns(path: str, reader: csv.DictReader[str]) -> list[str]:
    names = list(reader.fieldnames or [])
    if "key" not in names or len(set(names)) < len(names):
        raise InputError(f"{path}: found the columns {', '.join(names)[:200]!r}, expected {EXPECTED}, each column once")
    return names


def _cells(path: str, line: int, row: dict[str, Any], columns: int) -> tuple[int, dict[str, Any]]:
    """A row without its empty cells, and its line."""
    if None in row or None in row.values():
        raise InputError(f"{path}:{line}: found another number of cells than of columns, expected {columns}")
    return line, {name: cell for name, cell in row.items() if name == "key" or cell.strip()}


def _is_number(cell: str) -> bool:
    try:
        return float(cell) - float(cell) == 0  # neither NaN nor infinite
    except ValueError:
        return False
