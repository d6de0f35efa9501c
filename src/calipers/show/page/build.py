"""From a result to its page: a report in memory, an artifact, or the folder of an earlier `-o`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from calipers.core.errors import CalipersError, ConfigError, InputError, OutputError
from calipers.report import ARTIFACT, CocoReport, Report, SceneReport, read_artifact, with_methods
from calipers.show.page.cases import Limit, WorstCases
from calipers.show.page.images import Pictures
from calipers.show.page.sections import Part
from calipers.show.page.shell import page
from calipers.suites.coco import page as coco
from calipers.suites.dense import page as dense
from calipers.suites.scene import page as scene
from calipers.suites.scene.cases import scene_case_lines
from calipers.suites.timeline import page as timeline
from calipers.suites.timeline.page import Timelines

Tree = dict[str, Any]
Folder = str | os.PathLike[str]
SUITES = {"dense": dense, "coco": coco, "scene": scene}
CASES = "cases.jsonl"


def page_of(tree: Tree, cases: WorstCases | None, images: Folder | None = None, why_not: str = "") -> bytes:
    """The page of a result whose failures are at hand; of videos see `timeline_page_of`."""
    pictures = Pictures(images) if images else None
    data: Part = SUITES[tree["suite"]].page_data(tree, cases, pictures, why_not)
    return page(data)


def timeline_page_of(tree: Tree, timelines: Timelines | None, limit: Limit, why_not: str = "") -> bytes:
    """The page of a result over videos."""
    return page(timeline.page_data(tree, timelines, limit, why_not))


def check_page_name(path: str | os.PathLike[str]) -> None:
    """Refuse a place where no page belongs, before the work."""
    if os.path.isdir(path):
        raise OutputError(f"{path}: is a folder, expected a file to write the page to")
    if os.fspath(path).lower().endswith(".json"):
        raise OutputError(f"{path}: has the name of an artifact, expected that of a page, such as report.html")


# A report in memory


def report_page(report: Report, *, cases: int | None = None, images: Folder | None = None) -> bytes:
    """The page of a report; the inputs are read once more for its failures, where they were not kept."""
    limit, tree = Limit.of(cases), report.tree
    if tree["suite"] == "timeline":
        _refuse_images(images)
        kept = report.timelines if report.has_timelines else None
        return timeline_page_of(tree, kept, limit, _how_to_draw(tree))
    worst = WorstCases(limit)
    try:
        _pass_cases(report, worst)
    except CalipersError as error:  # not kept, or standard input; the numbers are there all the same
        return page_of(tree, None, images, f"The failures cannot be drawn: {error}")
    return page_of(tree, worst, images)


def _pass_cases(report: Report, worst: WorstCases) -> None:
    if isinstance(report, SceneReport):
        worst.add(scene_case_lines(report.measured))
    elif isinstance(report, CocoReport):
        worst.add(report.cases())
    else:
        report.pass_cases(worst.add)


# A result on disk


def result_page(path: str, *, cases: int | None = None, images: Folder | None = None) -> bytes:
    """The page of an artifact, or of the folder of an earlier `-o`, whose failures it draws."""
    tree, kept = with_methods(read_artifact(path)), _kept_cases(path)
    if tree["suite"] == "timeline":
        _refuse_images(images)
    if kept is None:
        return _kept_page(tree, None, Limit.of(cases), images)
    with _kept_as_written(kept):
        return _kept_page(tree, kept, Limit.of(cases), images)


def _kept_page(tree: dict[str, Any], kept: Path | None, limit: Limit, images: Folder | None) -> bytes:
    if tree["suite"] == "timeline":
        return timeline_page_of(tree, _timelines_in(kept) if kept else None, limit, _how_to_draw(tree))
    worst = WorstCases(limit) if kept else None
    if worst and kept:
        worst.add(_lines(kept))
    return page_of(tree, worst, images, _how_to_draw(tree))


@contextmanager
def _kept_as_written(kept: Path) -> Iterator[None]:
    """The artifact was checked, the cases beside it are not: a line of another shape is an error of that file."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise InputError(f"{kept}: is not as this version of calipers writes cases ({problem:.200})") from error


def _kept_cases(path: str) -> Path | None:
    """The cases that were written into a folder together with its artifact."""
    given = Path(path)
    folder = given if given.is_dir() else given.parent
    there = (given.is_dir() or given.name == ARTIFACT) and (folder / CASES).exists()
    return folder / CASES if there else None


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with open(path, "rb") as file:
            yield from file
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _timelines_in(path: Path) -> Timelines:
    """Reads the runs of some videos from the file that keeps them."""

    def read(names: Any) -> Any:
        wanted = set(names)
        found = {}
        for line in _lines(path):
            entry = orjson.loads(line)
            if entry["key"] in wanted:
                found[entry["key"]] = (entry["gt"], entry["pred"])
        return found

    return read


def _how_to_draw(tree: Tree) -> str:
    command = f"calipers {tree['suite']} … -o FOLDER"
    return f"An artifact holds numbers alone. To see the failures, run {command}: its page draws them."


def _refuse_images(images: Folder | None) -> None:
    if images:
        raise ConfigError("images: found a folder for states along videos, expected one only for dense and coco")
