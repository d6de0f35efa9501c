"""Results that were kept: a file, a folder that a suite wrote, a report, or the tree of one.

What is read is checked against the schema of its suite: anything else than an artifact is an input error that says
what was found.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

import orjson

from calipers.artifact import ARTIFACT, check_tree, read_artifact
from calipers.core.errors import InputError
from calipers.core.figures import Figure
from calipers.files.output import to_json
from calipers.report import Report
from calipers.results.slice_changes import SlicedResult
from calipers.schemas import check_shape
from calipers.show.figures import figures
from calipers.show.tables import import_pyarrow

Cells = tuple[Any, ...]


class Result:
    """An artifact with its name, its figures and, where they were kept, its rows of objects."""

    def __init__(self, name: str, tree: dict[str, Any], table: Path | None = None) -> None:
        self.name, self.tree, self._table = name, tree, table

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """All figures of the artifact, by name."""
        return figures(self.tree)

    @cached_property
    def sliced(self) -> SlicedResult:
        """Every slice, with its figures."""
        return SlicedResult(self.tree)

    def rows(self, *columns: str, may_skip: str = "") -> Iterable[Cells] | None:
        """Columns of the table of every object; None where there is an artifact without its folder.

        Rows whose last cell is `may_skip` are not needed, and left out where that saves time.
        """
        return None if self._table is None else _rows(self._table, columns, may_skip)


def read_result(source: Any, name: str) -> Result:
    """A result from a path, a report or a tree; the last two are called by the name given."""
    if isinstance(source, (str, os.PathLike)):
        return Result(os.fspath(source), read_artifact(source), _matches_file(Path(source)))
    if not isinstance(source, Mapping):
        kind = type(source).__name__
        raise InputError(f"{name}: found {kind}, expected a path, a report or what an artifact holds")
    if isinstance(source, Report):
        return Result(name, orjson.loads(source.to_json()))
    return Result(name, check_tree(name, orjson.loads(to_json(dict(source))), check_shape))


def files_of(path: str) -> list[str]:
    """The files that a result is read from."""
    if not Path(path).is_dir():
        return [path]
    return [str(file) for file in (Path(path, ARTIFACT), _matches_file(Path(path))) if file]


def _matches_file(folder: Path) -> Path | None:
    return next((file for kind in ("csv", "parquet") if (file := folder / f"matches.{kind}").is_file()), None)


def _rows(path: Path, columns: Sequence[str], may_skip: str) -> Iterator[Cells]:
    """Columns of a table that a suite wrote."""
    try:
        if path.suffix == ".parquet":
            yield from _parquet(path, columns)
            return
        with open(path, "rb") as file:
            lines = csv.reader(_lines(file, f",{may_skip}\n".encode() if may_skip else b""))
            head = next(lines, [])
            if missing := [name for name in columns if name not in head]:
                raise InputError(f"{path}: has no column {missing[0]!r}, expected the table of a suite")
            yield from map(itemgetter(*(head.index(name) for name in columns)), lines)
    except (OSError, UnicodeDecodeError, csv.Error, IndexError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error


def _lines(file: IO[bytes], skipped: bytes) -> Iterator[str]:
    """Lines of CSV without those that end in `skipped`: most objects are matched, and parsing takes most of the time.

    A line that begins inside quotes is part of a row, so it stays whatever its end.
    """
    inside = False
    for line in file:
        if b'"' in line:
            inside ^= line.count(b'"') % 2 == 1
        elif skipped and not inside and line.endswith(skipped):
            continue
        yield line.decode("utf-8")


def _parquet(path: Path, columns: Sequence[str]) -> Iterator[Cells]:
    import_pyarrow()
    from pyarrow import ArrowException, parquet

    try:
        for batch in parquet.ParquetFile(path).iter_batches(columns=list(columns)):
            yield from zip(*(batch[name].to_pylist() for name in columns), strict=True)
    except (ArrowException, KeyError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
