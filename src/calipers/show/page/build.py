"""From a result to its page: a report in memory, an artifact, or the folder of an earlier `-o`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from calipers.artifact import ARTIFACT, read_artifact
from calipers.core.errors import CalipersError, ConfigError, InputError, OutputError
from calipers.report import Report
from calipers.show.page.cases import CASES, Case, Limit, WorstCases
from calipers.show.page.images import Pictures
from calipers.show.page.plain import plain_page
from calipers.show.page.sections import Part
from calipers.show.page.shell import page
from calipers.show.page.slices import add_slices
from calipers.suite import suite_of_tree, suites

Tree = dict[str, Any]
Folder = str | os.PathLike[str]
OTHER_FILES = {".json": "an artifact", ".jsonl": "a file of cases", ".csv": "a table", ".parquet": "a table"}


def page_of(tree: Tree, cases: WorstCases | None, images: Folder | None = None, why_not: str = "") -> bytes:
    """The page of a result whose failures are at hand."""
    suite = suite_of_tree(tree)
    if images and not suite.takes_images:
        known = ", ".join(candidate.name for candidate in suites() if candidate.takes_images)
        raise ConfigError(f"images: found a folder for a result of {suite.name}, expected one only for {known}")
    pictures = Pictures(images) if images else None
    data: Part = (suite.page or plain_page)(tree, cases, pictures, why_not)
    add_slices(data, tree, cases)
    return page(data, suite.summary(tree))


def check_page_name(path: str | os.PathLike[str]) -> None:
    """Refuse a place where no page belongs, before the work."""
    if os.path.isdir(path):
        raise OutputError(f"{path}: is a folder, expected a file to write the page to")
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending in OTHER_FILES:
        raise OutputError(
            f"{path}: has the name of {OTHER_FILES[ending]}, expected that of a page, such as report.html"
        )


# A report in memory


def report_page(report: Report, *, cases: int | None = None, images: Folder | None = None) -> bytes:
    """The page of a report; the inputs are read once more for its failures, where they were not kept."""
    tree = report.tree
    if not report.has_cases:
        return page_of(tree, None, images, _how_to_draw(tree))
    worst = WorstCases(Limit.of(cases), report.cases_of)
    worst.slices_of = report.slices_of
    try:
        report.pass_cases(worst.add)
    except CalipersError as error:  # not kept, or standard input; the numbers are there all the same
        return page_of(tree, None, images, f"The failures cannot be drawn: {error}")
    return page_of(tree, worst, images)


# A result on disk


def result_page(path: str, *, cases: int | None = None, images: Folder | None = None) -> bytes:
    """The page of an artifact, or of the folder of an earlier `-o`, whose failures it draws."""
    tree, kept = read_artifact(path), kept_cases(path)
    tree = dict(suite_of_tree(tree).in_usual_form(tree))
    if kept is None:
        return page_of(tree, None, images, _how_to_draw(tree))
    try:
        worst = WorstCases(Limit.of(cases), partial(_cases_in, kept))
        worst.add(_lines(kept))
        return page_of(tree, worst, images, _how_to_draw(tree))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        # The artifact was checked, the cases beside it are not: unless the page fails without them, too, they are wrong
        page_of(tree, None, images)
        problem = f"{type(error).__name__}: {error}"
        raise InputError(f"{kept}: is not as this version of calipers writes cases ({problem:.200})") from error


def kept_cases(path: str) -> Path | None:
    """The cases that were written into a folder together with its artifact."""
    place = Path(path)
    folder = place if place.is_dir() else place.parent
    there = (place.is_dir() or place.name == ARTIFACT) and (folder / CASES).exists()
    return folder / CASES if there else None


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with open(path, "rb") as file:
            yield from file
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _cases_in(path: Path, keys: Iterable[str]) -> dict[str, Case]:
    """The cases of some records in the file that keeps them."""
    wanted = set(keys)
    cases = (orjson.loads(line) for line in _lines(path))
    return {case["key"]: case for case in cases if case["key"] in wanted}


def _how_to_draw(tree: Tree) -> str:
    command = f"calipers {tree['suite']} … -o FOLDER"
    return f"An artifact holds numbers alone. To see the failures, run {command}: its page draws them."
