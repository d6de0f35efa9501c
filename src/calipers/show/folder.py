"""What `-o` writes: one artifact, or a folder with all outputs. Files appear whole, at the end, or not at all.

A folder has the artifact, the page, the tables that the suite declares a file for, every object (`matches`) and every
case where the report knows them, plots, and what else the suite adds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple, cast

from calipers.artifact import ARTIFACT
from calipers.core.collecting import without_collection
from calipers.core.errors import ConfigError, OutputError
from calipers.core.stopping import Deferred
from calipers.files.output import (
    atomic_files,
    check_folder,
    make_folder,
    remove_empty,
    send_to_disk,
    write_in_steps,
)
from calipers.files.placed_texts import PlacedTexts, StoredLines, StoredText, reading_stored
from calipers.report import Report
from calipers.show.page.cases import CASES, Text, WorstCases
from calipers.show.plots_apart import PlotsApart
from calipers.show.report_tables import write_table
from calipers.show.tables import CsvTable, ParquetTable, Rows, import_pyarrow, open_table
from calipers.suite import Suite, suite_of_tree

OpenFile = Callable[[str], IO[bytes]]
PAGE = "report.html"
OBJECTS = ("matches.csv", "matches.parquet", CASES)  # which `report` and `compare` would take for this result's
AT_A_TIME = 10_000  # rows
NOTHING_KEPT: Mapping[str, str] = MappingProxyType({})


class RowTaker(NamedTuple):
    """Takes rows of objects, and lines of cases."""

    take: Callable[[Rows | list[Text], Iterable[Text]], None]
    takes_csv: bool  # rows may come as lines of CSV
    take_stored: Callable[[StoredText, StoredLines], None] | None = None  # of those that are in their files already
    places: int | None = None  # where workers may write both, a number of `files.placed_texts`

    def __call__(self, matches: Rows | list[Text], cases: Iterable[Text]) -> None:
        """Pass them on."""
        self.take(matches, cases)


class OutputFolder:
    """Takes rows as they come, where the suite streams them, and the report at the end."""

    def __init__(
        self,
        path: str,
        suite: Suite,
        matches: CsvTable | ParquetTable | None,
        files: OpenFile,
        plots: PlotsApart | None = None,
    ) -> None:
        self._path, self._suite, self._matches, self._open, self._plots = path, suite, matches, files, plots
        self._cases = files(CASES) if matches else None
        self._places: PlacedTexts | None = None
        self._has_rows, self._items = False, 0
        self._worst = WorstCases()

    def taker(self) -> RowTaker:
        """What a suite that streams its rows passes them to."""
        if not isinstance(self._matches, CsvTable) or self._cases is None:
            return RowTaker(self.add_rows, takes_csv=False)
        self._places = PlacedTexts([self._matches.file, self._cases])
        return RowTaker(self.add_rows, True, self.skip_stored, self._places.number)

    def add_rows(self, matches: Rows | list[Text], cases: Iterable[Text]) -> None:
        """Append rows of objects, in a table of CSV maybe as lines of it, and lines of cases, some to a text."""
        if self._matches is None or self._cases is None:
            raise TypeError("rows for a folder that was opened without them")
        self._has_rows = True
        for some, group in groupby(matches, key=type):
            if some in (bytes, memoryview) and isinstance(self._matches, CsvTable):
                self._matches.add_lines(cast("Iterable[Text]", group))
            else:
                self._matches.add(cast("Rows", list(group)))
        begin = self._cases.tell()
        self._worst.add(written(self._cases, cases), begin)
        send_to_disk(self._cases, begin)
        self._count_item()

    def skip_stored(self, matches: StoredText, cases: StoredLines) -> None:
        """Go on behind rows and lines of cases that a worker has written."""
        if not isinstance(self._matches, CsvTable) or self._cases is None:
            raise TypeError("stored rows for a folder without files for them")
        self._has_rows = True
        for file, stored in ((self._matches.file, matches), (self._cases, cases)):
            if file.tell() != stored.begin:
                raise ValueError(f"rows were stored from byte {stored.begin} on, expected {file.tell()}")
            file.seek(stored.size, os.SEEK_CUR)
        self._worst.add_stored(cases)
        self._count_item()

    def _count_item(self) -> None:
        """The rows of one more shard are in their files, or will be: let workers know where they end."""
        self._items += 1
        if self._places is not None and isinstance(self._matches, CsvTable) and self._cases is not None:
            self._places.note(self._items, [self._matches.file.tell(), self._cases.tell()])

    def finish(self, report: Report, options: Any = None) -> list[str]:
        """Write all files except rows that were streamed before; returns notes about plots."""
        self._write_artifact(report)
        self._write_rows(report)
        self._worst.lookup = report.cases_of if report.has_cases else None
        self._worst.slices_of = report.slices_of
        contents = {PAGE: self._page(report)}
        for name, spec in self._suite.tables.items():
            if spec.file and spec.is_there(report.tree):
                contents[spec.file] = write_table(report.tree, name, "csv")
        contents |= self._suite.folder_files(report, options) if self._suite.folder_files else {}
        pictures, missing = self._drawn(report)
        for name, content in (contents | pictures).items():
            self._open(name).write(content)
        tables = [spec.file for spec in self._suite.tables.values() if spec.file]
        return missing + left_behind(self._path, [*self._suite.picture_patterns, *tables], {*contents, *pictures})

    def _write_artifact(self, report: Report) -> None:
        """The artifact, from which plots may be drawn elsewhere while the rest is written."""
        file = self._open(ARTIFACT)
        write_in_steps(file, report.json_pieces())
        if self._plots is not None:
            file.flush()
            self._plots.draw(file.name)

    def _drawn(self, report: Report) -> tuple[dict[str, bytes], list[str]]:
        pictures = self._plots.pictures() if self._plots is not None else None
        return (pictures, []) if pictures is not None else drawn(self._suite, report.tree)

    def _write_rows(self, report: Report) -> None:
        """Every object and every case, where they were not streamed and the report knows them."""
        if self._matches is None or self._has_rows or not report.has_matches:
            return
        lines = report.match_lines() if report.match_lines and isinstance(self._matches, CsvTable) else None
        if lines is not None and isinstance(self._matches, CsvTable):
            self._has_rows = True
            self._matches.add_lines(lines)
            report.pass_cases(lambda lines: self.add_rows([], lines))
            return
        rows = report.matches()
        for start in range(0, len(rows), AT_A_TIME):
            self.add_rows(rows[start : start + AT_A_TIME], ())
        report.pass_cases(lambda lines: self.add_rows([], lines))

    def _page(self, report: Report) -> bytes:
        from calipers.show.page.build import page_of, report_page  # which most runs do without

        with without_collection():
            if self._matches is None or self._cases is None:
                return report_page(report)
            with reading_stored(self._cases) as self._worst.read:
                return page_of(report.tree, self._worst)


def written(file: IO[bytes], texts: Iterable[Text]) -> Iterator[Text]:
    """Texts that are written into a file one after the other, and passed on."""
    for text in texts:
        write_in_steps(file, [text])
        yield text


def write_folder(path: str, report: Report, options: Any = None, plots: PlotsApart | None = None) -> list[str]:
    """Write the folder of a finished report, with rows of objects if it has them; returns notes about the folder."""
    suite = suite_of_tree(report.tree)
    if not report.has_matches and (there := [name for name in OBJECTS if Path(path, name).exists()]):
        raise OutputError(f"{path}: holds {', '.join(there)} of another result, expected another folder")
    columns = suite.match_columns(report["params"]) if suite.match_columns and report.has_matches else None
    with open_folder(path, suite, columns, "csv", plots) as folder:
        return folder.finish(report, options if options or not suite.output_options else suite.output_options())


def drawn(suite: Suite, tree: Any) -> tuple[dict[str, bytes], list[str]]:
    """The plots of a result; without matplotlib there are none, and that is said."""
    try:
        return suite.pictures(tree), []
    except ConfigError as error:  # the library is missing; everything else can be had without it
        return {}, [f"no plots were drawn: {error}"]


def left_behind(path: str, patterns: Iterable[str], written: Container[str]) -> list[str]:
    """Name the files of a folder that are called like outputs of a suite and are not of this result."""
    names = dict.fromkeys(file.name for pattern in patterns for file in sorted(Path(path).glob(pattern)))
    left = [name for name in names if name not in written]
    return [f"{path}: of an earlier run, and left alone: {', '.join(left)}"] if left else []


def check_output(
    path: str, tables: str, inputs: Iterable[str], suite: Suite | None = None, kept: Mapping[str, str] = NOTHING_KEPT
) -> None:
    """Check before the run that its outputs can be written.

    Neither an input nor a file that the run keeps for another option (`kept`, by option) may be written over.
    """
    target = Path(path)
    if tables == "parquet":
        import_pyarrow()
    if is_artifact(path):
        if target.is_dir():
            raise OutputError(f"{path}: is a folder, expected a file to write the artifact to")
        if target.exists() and any(os.path.exists(entry) and os.path.samefile(path, entry) for entry in inputs):
            raise OutputError(f"{path}: is an input, expected another file to write the artifact to")
    folder, names = (target.parent, [target.name]) if is_artifact(path) else (target, _file_names(suite, tables))
    check_folder(path, folder)
    _check_objects(folder, names)
    for option, file in kept.items():
        if _is_among(file, folder, names):
            raise ConfigError(f"{option}: found {file!r}, where the result is written, expected a file of its own")
    for entry in inputs:
        if os.path.isfile(entry) and any(_is_among(file, folder, names) for file in (entry, os.path.realpath(entry))):
            raise OutputError(f"{entry}: is an input, and {path} gets a file of this name; expected another place")


def _check_objects(folder: Path, names: Container[str]) -> None:
    """Refuse to leave objects of an earlier result beside a new artifact, whose own they would be taken for."""
    left = [name for name in OBJECTS if name not in names and (folder / name).exists()] if ARTIFACT in names else []
    if left:
        raise OutputError(f"{folder}: holds {', '.join(left)} of another result, expected another folder")


def _file_names(suite: Suite | None, tables: str) -> list[str]:
    """Names, or patterns of names, of the files that a folder will have."""
    specs = suite.tables.values() if suite else ()
    pictures = suite.picture_patterns if suite else ()
    return [ARTIFACT, PAGE, CASES, f"matches.{tables}", *(spec.file for spec in specs if spec.file), *pictures]


def _is_among(file: str, folder: Path, names: Iterable[str]) -> bool:
    """Whether a file has one of these names, as patterns, in the folder."""
    place = Path(file).absolute()
    return place.parent.resolve() == folder.resolve() and any(fnmatchcase(place.name, name) for name in names)


def is_artifact(path: str) -> bool:
    """Whether `-o` names the artifact itself."""
    return path.endswith(".json")


@contextmanager
def open_folder(
    path: str, suite: Suite, columns: list[str] | None, tables: str, plots: PlotsApart | None = None
) -> Iterator[OutputFolder]:
    """The folder's files, open until the report is there; with columns there will be rows of objects."""
    with new_folder(path) as folder, atomic_files() as files:

        def open_file(name: str) -> IO[bytes]:
            return files.open(folder / name)

        if columns is None:
            yield OutputFolder(path, suite, None, open_file, plots)
            return
        with open_table(open_file(f"matches.{tables}"), columns, tables) as matches:
            yield OutputFolder(path, suite, matches, open_file, plots)


@contextmanager
def new_folder(path: str) -> Iterator[Path]:
    """A folder that goes away again if nothing gets written into it."""
    made: list[Path] = []
    folder = Path(path)
    try:
        with Deferred():
            made += make_folder(folder)
        yield folder
    finally:
        with Deferred():
            remove_empty(made)
