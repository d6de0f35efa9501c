"""What `-o` writes: one artifact, or a folder with everything. Files appear whole, at the end, or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from calipers.core.errors import ConfigError, OutputError
from calipers.core.stopping import Deferred
from calipers.files.output import atomic_files, check_folder, make_folder, remove_empty
from calipers.report import Report, Rows
from calipers.show.page.build import page_of
from calipers.show.page.cases import WorstCases
from calipers.show.report_tables import write_table
from calipers.show.tables import CsvTable, ParquetTable, import_pyarrow, open_table
from calipers.suites.dense import plots as dense_plots

Columns = list[str]
TABLES = ("thresholds", "types", "labels")
PLOTS = ("thresholds", "errors", "labels")


class Folder:
    """Takes rows as they come and the report at the end."""

    def __init__(self, path: str, open_file: Callable[[str], IO[bytes]], matches: CsvTable | ParquetTable) -> None:
        self._path, self._open, self._matches, self._cases = path, open_file, matches, open_file("cases.jsonl")
        self._worst = WorstCases()

    def add_rows(self, matches: Rows, cases: list[bytes]) -> None:
        """Append rows of objects and lines of cases."""
        self._matches.add(matches)
        self._cases.writelines(cases)
        self._worst.add(cases)

    def finish(self, report: Report) -> list[str]:
        """Write the artifact, the tables, the page and plots; returns what has to be said of plots."""
        contents = {"result.json": report.to_json(), "report.html": page_of(report.tree, self._worst)}
        contents |= {f"{name}.csv": write_table(report, name, "csv") for name in TABLES}
        pictures, missing = drawn(dense_plots.pictures, report.tree)
        for name, content in (contents | pictures).items():
            self._open(name).write(content)
        return missing + left_behind(self._path, plot_names(PLOTS), pictures)


def drawn(draw: Callable[[Any], dict[str, bytes]], tree: Any) -> tuple[dict[str, bytes], list[str]]:
    """The plots of a result; without matplotlib there are none, and that is said."""
    try:
        return draw(tree), []
    except ConfigError as error:  # the library is missing; everything else can be had without it
        return {}, [f"no plots were drawn: {error}"]


def plot_names(stems: Iterable[str]) -> list[str]:
    """The files that plots can be in."""
    return [f"{stem}.{kind}" for stem in stems for kind in ("png", "svg")]


def left_behind(path: str, names: Iterable[str], written: Container[str]) -> list[str]:
    """Says which of these files lie in a folder and are not of this result."""
    left = [name for name in names if name not in written and Path(path, name).exists()]
    return [f"{path}: of an earlier run, and left alone: {', '.join(left)}"] if left else []


def check_output(path: str, tables: str, inputs: list[str]) -> None:
    """Find out before the work begins what can only go wrong at its end."""
    target = Path(path)
    if tables == "parquet":
        import_pyarrow()
    if is_artifact(path):
        if target.is_dir():
            raise OutputError(f"{path}: is a folder, expected a file to write the artifact to")
        if target.exists() and any(os.path.exists(each) and os.path.samefile(path, each) for each in inputs):
            raise OutputError(f"{path}: is an input, expected another file to write the artifact to")
    check_folder(path, target.parent if is_artifact(path) else target)


def is_artifact(path: str) -> bool:
    """Whether `-o` names the artifact itself."""
    return path.endswith(".json")


@contextmanager
def open_folder(path: str, columns: Columns, tables: str) -> Iterator[Folder]:
    """The folder's files, open until the report is there."""
    with (
        new_folder(path) as folder,
        atomic_files() as files,
        open_table(files.open(folder / f"matches.{tables}"), columns, tables) as matches,
    ):
        yield Folder(path, lambda name: files.open(folder / name), matches)


@contextmanager
def new_folder(path: str, *inside: str) -> Iterator[Path]:
    """A folder, with some inside it, that goes away again if nothing gets written into it."""
    folder = Path(path)
    made: list[Path] = []
    try:
        with Deferred():
            made += [created for name in ("", *inside) for created in make_folder(folder / name)]
        yield folder
    except BaseException:
        remove_empty(made)
        raise
