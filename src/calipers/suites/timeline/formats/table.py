"""The formats of timelines besides JSON by video, one entry for each: a file per video, or a folder of them.

A format is one module beside this one, called like it, with two functions: `looks_like(head)`, whether the first bytes
of a file are of this format, and `read_<name>(data, name, spelling)`, the entry of a video and warnings. The entry is
that of a prediction in JSON, or `TimedStates` where the file has seconds. A module may also have `video_of(head)`, the
video that an XML file names. JSON of many videos (`many`) is read by `is_tasks(tree)` and `read_tasks` instead. A file
that begins like JSON is never one of a single video: that is the suite's own format.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.suites.timeline.formats.unknown_csv import header_problem

PEEKED = 1 << 16  # bytes; a description of labels may stand before what tells a format


class TimelineFormat(NamedTuple):
    """What the suite knows of a format without loading its module."""

    name: str
    title: str
    layout: str  # files and their main fields, on one line
    file_endings: tuple[str, ...]
    side: str = "gt and pred"
    many: bool = False  # whether a file is JSON of many videos, by `read_tasks` of its module
    unread: str = ""  # what its files may say beside states and their times, which a conversion loses

    def looks_like(self, head: bytes) -> bool:
        """Whether the first bytes of a file are of this format."""
        return bool(self.module().looks_like(head))

    def read(self, data: bytes, name: str, spelling: Mapping[str, str]) -> tuple[Any, list[str]]:
        """The entry of a video, and warnings; `spelling` holds names of states by their lower-cased form."""
        entry, warnings = getattr(self.module(), f"read_{self.name}")(data, name, spelling)
        return entry, warnings

    def module(self) -> Any:
        """The module that reads it."""
        return import_module(f"calipers.suites.timeline.formats.{self.name}")


TIMELINE_CSV = TimelineFormat(
    name="timeline_csv",
    title="timeline CSV",
    layout="a file per video, or a folder of them: frame, time and state columns, a row per frame",
    file_endings=(".csv",),
    side="pred",
    unread="further columns",
)
# A file is of the first format that its content speaks for; what else is called .csv is a timeline CSV
FORMATS = (
    TimelineFormat(
        name="elan",
        title="ELAN annotations",
        layout="an .eaf per video: TIER, ALIGNABLE_ANNOTATION, ANNOTATION_VALUE; milliseconds",
        file_endings=(".eaf",),
        unread="annotations that refer to others, comments and media",
    ),
    TimelineFormat(
        name="cvat_video",
        title="CVAT for video",
        layout="an .xml per video: track with label and shapes (frame, outside; attribute state), or tag; frames",
        file_endings=(".xml",),
        unread="places of shapes, and attributes but state",
    ),
    TimelineFormat(
        name="label_studio_video",
        title="Label Studio videos",
        layout="a .json of many tasks: timelinelabels with ranges of frames, or labels with start and end in seconds",
        file_endings=(".json",),
        many=True,
        unread="meta and scores",
    ),
    TimelineFormat(
        name="audacity",
        title="Audacity labels",
        layout="a .txt per video: start, end and label with tabs between; seconds",
        file_endings=(".txt",),
        unread="frequencies",
    ),
    TimelineFormat(
        name="seconds_csv",
        title="CSV of spans",
        layout="a .csv per video: start,end,label; seconds",
        file_endings=(".csv",),
        unread="further columns",
    ),
    TIMELINE_CSV,
)


def format_of_head(head: bytes) -> TimelineFormat | None:
    """The format of a file by its first bytes, None if it is none of the table's."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):  # JSON
        return None
    return next((kind for kind in FORMATS if not kind.many and kind.looks_like(head)), None)


def format_of_tasks(tree: Any) -> TimelineFormat | None:
    """The format of a list of JSON that holds many videos, None if it is none of the table's."""
    return next((kind for kind in FORMATS if kind.many and kind.module().is_tasks(tree)), None)


def looks_like_tasks(head: bytes) -> bool:
    """Whether the first bytes of a file speak for a list of many videos."""
    return any(kind.many and kind.looks_like(head) for kind in FORMATS)


def formats_of(path: str) -> Iterator[TimelineFormat]:
    """The formats of a file here that holds one video, or many."""
    if not os.path.isfile(path):
        return
    kind = format_of_file(path)
    head = _head(path)
    yield from [kind] if kind else (kind for kind in FORMATS if kind.many and kind.looks_like(head))


def video_of_file(path: str) -> str:
    """The video that a file names by its content, "" if it names none."""
    kind = format_of_file(path) if path.lower().endswith(".xml") else None
    if kind is None or not hasattr(kind.module(), "video_of"):
        return ""
    return str(kind.module().video_of(_head(path)))


def format_of_file(path: str) -> TimelineFormat | None:
    """The format of a file here, None if it is none of the table's. What can be read only once is left alone."""
    return format_of_head(_head(path)) if os.path.isfile(path) else None


def _head(path: str) -> bytes:
    """The first bytes of a file; an InputError where it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(PEEKED)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_video(data: bytes, name: str, spelling: Mapping[str, str], side: str) -> tuple[Any, list[str]]:
    """The entry of a video from its file, told by content, and warnings."""
    recognised = format_of_head(data[:PEEKED])
    if recognised is None and (problem := header_problem(data[:PEEKED], name, side)):
        raise InputError(problem)
    kind = recognised or TIMELINE_CSV
    if side not in kind.side:
        others = ", ".join(other.title for other in FORMATS if side in other.side)
        raise InputError(f"{name}: found a {kind.title}, which holds predictions, expected {others}, or JSON")
    return kind.read(data, name, spelling)
