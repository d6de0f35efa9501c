"""The files of the timeline suite: JSON by video; a file per video (timeline CSVs and others), or a folder of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.folders import few_files_below
from calipers.files.inputs import InputFile, OnProgress, find_doubled, folder_digest, parse_json, read_bytes
from calipers.files.json_checks import REPEATED_TOO_DEEP, RepeatedKeyDict
from calipers.files.places import is_remote
from calipers.files.problems import shown
from calipers.kernels.scan.intervals import BESIDE
from calipers.suites.timeline.formats.table import (
    FORMATS,
    PEEKED,
    format_of_file,
    format_of_tasks,
    looks_like_tasks,
    read_video,
    video_of_file,
)
from calipers.suites.timeline.video_names import video_key

GENERIC = "annotations.xml"  # what CVAT calls the file of every task
NO_FILES = (
    "no CSV files in this folder, expected *_timeline*.csv or *.csv, or files of annotation tools (calipers formats)"
)
SLOWEST, FASTEST = 0.001, 1_000_000  # frames a second


class Predictions(NamedTuple):
    """Entries by video (an error stands for one that cannot be read), and warnings."""

    entries: dict[str, Any]
    input: InputFile
    warnings: list[str]


def read_json(path: str) -> tuple[dict[str, Any], InputFile]:
    """A JSON object by video. A key given twice in a video makes an error of its entry."""
    return _videos_of(read_bytes(path), path)


def _videos_of(data: bytes, path: str) -> tuple[dict[str, Any], InputFile]:
    tree = parse_videos(data, path)
    return tree, InputFile(whole_text(path), sha256(data).hexdigest(), len(tree))


def parse_videos(data: bytes, path: str) -> dict[str, Any]:
    """The videos of a JSON file whose bytes were read already."""
    tree, _, has_doubles = parse_json(data, path, "{video: …}")  # NaN only spoils the video it is in
    if not isinstance(tree, dict):
        raise InputError(f"{path}: found {shown(tree)}, expected an object with a key for each video")
    return _without_doubles(tree, path) if has_doubles else tree


def read_predictions(
    path: str, spelling: Callable[[], Mapping[str, str]], progress: OnProgress | None = None, side: str = "pred"
) -> Predictions:
    """Videos from JSON, a file per video or a folder of them; these ask how states are spelled."""
    if not are_csvs(path):
        data = read_bytes(path)
        are_tasks = looks_like_tasks(data[:PEEKED]) and not is_remote(path)
        tasks = _read_tasks(data, path, spelling, side) if are_tasks else None
        return tasks or Predictions(*_videos_of(data, path), [])
    csvs = find_csvs(path)
    reader = CsvReader(spelling(), progress, sum(map(size_of, csvs.files)), side)
    for key, file in name_csvs(csvs.files).items():
        reader.add(key, file)
    return Predictions(reader.entries, csv_input(path, csvs, reader.digests), reader.warnings + csvs.warnings)


def _read_tasks(data: bytes, path: str, spelling: Callable[[], Mapping[str, str]], side: str) -> Predictions | None:
    """Videos of a list of tasks, as annotation tools export them; None if it is no such list."""
    tasks = parse_json(data, path, "a list of tasks").tree
    kind = format_of_tasks(tasks)
    if kind is None:
        return None
    entries, warnings = kind.module().read_tasks(tasks, path, spelling(), side)
    framed = {video: truth_form(entry) if side == "gt" else entry for video, entry in entries.items()}
    return Predictions(framed, InputFile(whole_text(path), sha256(data).hexdigest(), len(entries)), warnings)


def truth_form(entry: Any) -> Any:
    """An entry of predictions in frames as ground truth has it; an error where a state cannot be one."""
    if not isinstance(entry, dict):
        return entry
    if reserved := sorted(set(entry["states"]).intersection(BESIDE)):
        return InputError(f"label: found {reserved[0]!r}, expected a state: {', '.join(BESIDE)} are none")
    return {**entry["states"], **({} if entry["fps"] is None else {"fps": entry["fps"]})}


def read_truth(path: str, known: Iterable[str]) -> Predictions:
    """Ground truth by video, from JSON, a file per video or a folder of them; `known` are states that have a name."""
    if os.path.isdir(path) and not few_files_below(path, ".csv") and not _other_files(Path(path).rglob("*")):
        raise InputError(f"{path}: {NO_FILES}")
    return read_predictions(path, lambda: {state.lower(): state for state in known}, side="gt")


class Csvs(NamedTuple):
    """Files of one video each, and warnings about other files."""

    files: list[Path]
    warnings: list[str]


def are_csvs(path: str) -> bool:
    """Whether there is a file per video: a folder, or one that its name or its content tells."""
    if os.path.isdir(path) or path.lower().endswith(".csv"):
        return True
    is_json = path.lower().endswith(".json") or is_remote(path)
    return not is_json and (path.lower().endswith(".eaf") or format_of_file(path) is not None)


def is_json_file(path: str) -> bool:
    """Whether it is called so, and is a file on this machine, which can be read twice."""
    return path.lower().endswith(".json") and os.path.isfile(path)


def find_csvs(path: str) -> Csvs:
    """A single file, or those below a folder, sorted: CSVs that are named so, else all, else other formats' files.

    Files of other formats beside CSVs are not read, with a warning; one of the same video as a CSV is an error.
    """
    if is_remote(path):
        raise InputError(f"{path}: timeline CSVs are read from files and folders here, expected JSON from elsewhere")
    if not os.path.isdir(path):
        read_bytes(path)  # a file that was named and is not there is no matter of a single video
        return Csvs([Path(path)], [])
    below = list(Path(path).rglob("*"))
    everything = _in_order(file for file in below if file.suffix.lower() == ".csv" and not file.is_dir())
    files = [file for file in everything if "_timeline" in file.name.lower()] or everything
    of_tools = _other_files(below)
    if not files and of_tools:
        return Csvs(of_tools, [])
    if not files:
        raise InputError(f"{path}: {NO_FILES}")
    unread = len(everything) - len(files)
    warnings = [f"{path}: {unread} CSV files without _timeline in their names were not read"] if unread else []
    if of_tools:
        name_csvs([*files, *of_tools])
        warnings.append(f"{path}: {len(of_tools)} files beside CSVs were not read, first {of_tools[0].name}")
    return Csvs(files, warnings)


def _in_order(files: Iterable[Path]) -> list[Path]:
    """Files as paths sort, for which their parts are looked at once and not for each comparison."""
    return sorted(files, key=lambda file: os.path.normcase(file).split(os.sep))


def _other_files(below: Iterable[Path]) -> list[Path]:
    """Files that are no CSV, told by their endings and then by content, sorted."""
    endings = {ending for kind in FORMATS for ending in kind.file_endings if ending != ".csv"}
    named = _in_order(file for file in below if file.suffix.lower() in endings)
    kinds = (format_of_file(str(file)) for file in named)
    return [file for file, kind in zip(named, kinds, strict=True) if kind and file.suffix.lower() in kind.file_endings]


def name_csvs(files: Iterable[Path]) -> dict[str, Path]:
    """Files by their videos; two for one video are an error."""
    named: dict[str, Path] = {}
    for file in files:
        key = _key_of(file)
        if key in named:
            raise InputError(f"{named[key]} and {file}: two files for the video {key!r}, expected one")
        named[key] = file
    return named


def _key_of(file: Path) -> str:
    """The video of a file: the one that it names, else the one that it is called like, or its folder."""
    if named := video_of_file(str(file)):
        return whole_text(named)
    return video_key(file.parent.name if file.name.lower() == GENERIC and file.parent.name else file.name)


def csv_input(path: str, csvs: Csvs, digests: list[str]) -> InputFile:
    """The files as one input; digests in the order of files."""
    digest = digests[0]
    if os.path.isdir(path):
        beginning = os.path.join(Path(path), "") if Path(path) != Path() else ""  # of all paths in there
        names = (str(file).removeprefix(beginning) for file in csvs.files)
        digest = folder_digest(zip(names, digests, strict=True))
    return InputFile(whole_text(path), digest, len(csvs.files))


class CsvReader:
    """Takes one file after the other; one that cannot be read is an error in place of its video's entry."""

    def __init__(
        self, spelling: Mapping[str, str], progress: OnProgress | None = None, size: int = 0, side: str = "pred"
    ) -> None:
        self._side = side
        self._spelling, self._progress, self._size, self._done = spelling, progress, size, 0
        self.entries: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.digests: list[str] = []

    def add(self, key: str, file: Path) -> None:
        """Add the file of a video."""
        data = b""
        try:
            data = read_bytes(str(file))
            entry, warnings = read_video(data, file.name, self._spelling, self._side)
            self.entries[key] = entry = truth_form(entry) if self._side == "gt" else entry
            self.warnings += warnings
            if isinstance(entry, dict) and entry.get("fps") is not None and not SLOWEST <= entry["fps"] <= FASTEST:
                self.warnings.append(
                    f"{file.name}: time_sec makes {entry['fps']:g} frames a second, which is implausible and ignored"
                )
                entry["fps"] = None
        except InputError as error:
            self.entries[key] = error
        self.digests.append(sha256(data).hexdigest())
        self._done += len(data)
        if self._progress:
            self._progress(self._done, self._size)


def size_of(file: str | Path) -> int:
    """Bytes, 0 if it is not there."""
    return os.path.getsize(file) if os.path.exists(file) else 0


def _without_doubles(tree: Any, path: str) -> dict[str, Any]:
    """The tree with an error for each video that has a key twice."""
    if isinstance(tree, RepeatedKeyDict):
        raise InputError(f"{path}: {shown(tree.twice)} is there twice, expected each video once")
    try:
        for name, entry in tree.items():
            if (twice := find_doubled(entry)) is not None:
                tree[name] = InputError(f"the key {shown(twice[1])} is there twice, expected each once")
    except RecursionError as error:
        raise InputError(f"{path}: {REPEATED_TOO_DEEP}") from error
    return dict(tree)
