"""The files of the timeline suite: JSON by video; timeline CSVs, one or a folder of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.inputs import Input, OnProgress, find_doubled, folder_digest, parse_json, read_bytes
from calipers.files.places import is_remote
from calipers.files.problems import shown
from calipers.files.repeated_keys import Doubled
from calipers.suites.timeline.formats.timeline_csv import read_timeline_csv
from calipers.suites.timeline.video_names import video_key

SLOWEST, FASTEST = 0.001, 1_000_000  # frames a second


class Predictions(NamedTuple):
    """Entries by video (an error stands for one that cannot be read), and what else has to be said."""

    entries: dict[str, Any]
    input: Input
    warnings: list[str]


def read_json(path: str) -> tuple[dict[str, Any], Input]:
    """A JSON object by video. A key given twice in a video makes an error of its entry."""
    data = read_bytes(path)
    tree = parse_videos(data, path)
    return tree, Input(whole_text(path), sha256(data).hexdigest(), len(tree))


def parse_videos(data: bytes, path: str) -> dict[str, Any]:
    """The same of bytes that were read from a path."""
    tree, _, has_doubles = parse_json(data, path, "{video: …}")  # NaN only spoils the video it is in
    if not isinstance(tree, dict):
        raise InputError(f"{path}: found {shown(tree)}, expected an object with a key for each video")
    return _without_doubles(tree, path) if has_doubles else tree


def read_predictions(path: str, spelling: Callable[[], Mapping[str, str]], progress: OnProgress | None) -> Predictions:
    """Predictions by video, from JSON, a timeline CSV or a folder of them; CSVs ask how states are spelled."""
    if not are_csvs(path):
        tree, source = read_json(path)
        return Predictions(tree, source, [])
    found = find_csvs(path)
    reader = CsvReader(spelling(), progress, sum(map(size_of, found.files)))
    for key, file in name_csvs(found.files).items():
        reader.add(key, file)
    return Predictions(reader.entries, csv_input(path, found, reader.digests), reader.warnings + found.warnings)


class Csvs(NamedTuple):
    """Timeline CSVs, and what has to be said of others."""

    files: list[Path]
    warnings: list[str]


def are_csvs(path: str) -> bool:
    """Whether predictions there are timeline CSVs, by the name: a folder or a single one."""
    return os.path.isdir(path) or path.lower().endswith(".csv")


def find_csvs(path: str) -> Csvs:
    """A single timeline CSV, or those below a folder, sorted: files that are named so, else all."""
    if is_remote(path):
        raise InputError(f"{path}: timeline CSVs are read from files and folders here, expected JSON from elsewhere")
    if not os.path.isdir(path):
        read_bytes(path)  # a file that was named and is not there is no matter of a single video
        return Csvs([Path(path)], [])
    everything = sorted(file for file in Path(path).rglob("*") if file.suffix.lower() == ".csv" and not file.is_dir())
    files = [file for file in everything if "_timeline" in file.name.lower()] or everything
    if not files:
        raise InputError(f"{path}: no CSV files in this folder, expected *_timeline*.csv or *.csv")
    others = len(everything) - len(files)
    warning = f"{path}: {others} CSV files without _timeline in their names were not read"
    return Csvs(files, [warning] if others else [])


def name_csvs(files: Iterable[Path]) -> dict[str, Path]:
    """Files by their videos; two for one video are an error."""
    found: dict[str, Path] = {}
    for file in files:
        key = video_key(file.name)
        if key in found:
            raise InputError(f"{found[key]} and {file}: two files for the video {key!r}, expected one")
        found[key] = file
    return found


def csv_input(path: str, csvs: Csvs, digests: list[str]) -> Input:
    """The files as one input; digests in the order of files."""
    digest = digests[0]
    if os.path.isdir(path):
        names = (os.path.relpath(file, path) for file in csvs.files)
        digest = folder_digest(zip(names, digests, strict=True))
    return Input(whole_text(path), digest, len(csvs.files))


class CsvReader:
    """Takes one file after the other; one that cannot be read is an error in place of its video's entry."""

    def __init__(self, spelling: Mapping[str, str], progress: OnProgress | None = None, size: int = 0) -> None:
        self._spelling, self._progress, self._size, self._done = spelling, progress, size, 0
        self.entries: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.digests: list[str] = []

    def add(self, key: str, file: Path) -> None:
        """The file of a video."""
        data = b""
        try:
            data = read_bytes(str(file))
            entry, warnings = read_timeline_csv(data, file.name, self._spelling)
            self.entries[key] = entry
            self.warnings += warnings
            if entry["fps"] is not None and not SLOWEST <= entry["fps"] <= FASTEST:
                self.warnings.append(
                    f"{file.name}: time_sec makes {entry['fps']:g} frames a second, which is not believed"
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
    if isinstance(tree, Doubled):
        raise InputError(f"{path}: {shown(tree.twice)} is there twice, expected each video once")
    try:
        for name, entry in tree.items():
            if (twice := find_doubled(entry)) is not None:
                tree[name] = InputError(f"the key {shown(twice[1])} is there twice, expected each once")
    except RecursionError as error:
        raise InputError(f"{path}: a key is there twice, and something is nested too deeply") from error
    return dict(tree)
