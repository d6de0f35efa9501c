"""What `-o` writes: one artifact, or a folder with everything. Files appear whole, at the end, or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from calipers.errors import OutputError
from calipers.output import atomic_files
from calipers.report import Report, Rows
from calipers.views.page.build import page_of
from calipers.views.page.cases import WorstCases
from calipers.views.tables import import_pyarrow, open_table

Columns = list[str]


class Folder:
    """Takes rows as they come and the report at the end."""

    def __init__(self, matches: Any, cases: Any, result: Any, page: Any) -> None:
        self._matches, self._cases, self._result, self._page = matches, cases, result, page
        self._worst = WorstCases()

    def add_rows(self, matches: Rows, cases: list[bytes]) -> None:
        """Append rows of objects and lines of cases."""
        self._matches.add(matches)
        self._cases.writelines(cases)
        self._worst.add(cases)

    def finish(self, report: Report) -> None:
        """Write the artifact and the page."""
        self._result.write(report.to_json())
        self._page.write(page_of(report.tree, self._worst))


def check_output(path: str, tables: str, inputs: list[str]) -> None:
    """Find out before the work begins what can only go wrong at its end."""
    target = Path(path)
    if tables == "parquet":
        import_pyarrow()
    if is_artifact(path):
        parent = target.parent
        if target.is_dir():
            raise OutputError(f"{path}: is a folder, expected a file to write the artifact to")
        if target.exists() and any(os.path.exists(each) and os.path.samefile(path, each) for each in inputs):
            raise OutputError(f"{path}: is an input, expected another file to write the artifact to")
    else:
        parent = next(folder for folder in (target, *target.parents) if folder.exists())
    if not parent.is_dir():
        raise OutputError(f"{path}: {parent} {'is not a folder' if parent.exists() else 'does not exist'}")
    if not os.access(parent, os.W_OK):
        raise OutputError(f"{path}: {parent} cannot be written to")


def is_artifact(path: str) -> bool:
    """Whether `-o` names the artifact itself."""
    return path.endswith(".json")


@contextmanager
def open_folder(path: str, columns: Columns, tables: str) -> Iterator[Folder]:
    """The folder's files, open until the report is there."""
    with new_folder(path) as folder, atomic_files() as files:
        result, cases = files.open(folder / "result.json"), files.open(folder / "cases.jsonl")
        page = files.open(folder / "report.html")
        with open_table(files.open(folder / f"matches.{tables}"), columns, tables) as matches:
            yield Folder(matches, cases, result, page)


@contextmanager
def new_folder(path: str, *inside: str) -> Iterator[Path]:
    """A folder, with some inside it, that goes away again if nothing gets written into it."""
    folder = Path(path)
    made = [created for name in ("", *inside) for created in _make(folder / name)]
    try:
        yield folder
    except BaseException:
        for created in reversed(made):
            _remove_if_empty(created)
        raise


def _make(folder: Path) -> list[Path]:
    """Create the folder and the ones above it; returns those that were not there."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()][::-1]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be created: {error.strerror or error}") from error
    return missing


def _remove_if_empty(folder: Path) -> None:
    if not any(folder.iterdir()):
        folder.rmdir()


def file_stem(name: str, taken: Iterable[str]) -> str:
    """What files about something are called by: its name if that is safe and free, else a slug with a hash.

    >>> file_stem("ours v2", []), file_stem("../ours", []), file_stem("Result", ["result"])
    ('ours v2', 'ours-06143992', 'Result-6e7d50e8')
    """
    used = {each.casefold() for each in taken}
    if re.fullmatch(r"\w(?:[\w. -]{0,62}\w)?", name) and name.casefold() not in used:
        return name
    return hashed_stem(name, used, "method")


def hashed_stem(name: str, taken: Iterable[str], otherwise: str) -> str:
    """What is readable of a name, with a hash; a name without anything readable is called otherwise.

    >>> hashed_stem("../城市/drive 01.mp4", [], "video")
    'drive-01-mp4-b86fc8ac'
    """
    used = {each.casefold() for each in taken}
    slug = re.sub(r"[^A-Za-z0-9_]+", "-", name)[:48].strip("-") or otherwise
    digests = (sha256((name + "+" * again).encode("utf-8", "surrogatepass")) for again in count())
    stems = (f"{slug}-{digest.hexdigest()[:8]}" for digest in digests)
    return next(stem for stem in stems if stem.casefold() not in used)
