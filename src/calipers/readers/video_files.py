"""The files of the timeline suite: JSON by video; timeline CSVs, one or a folder of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from calipers.errors import InputError
from calipers.readers.files import (
    Doubled,
    Input,
    OnProgress,
    find_doubled,
    folder_digest,
    parse_json,
    read_bytes,
)
from calipers.readers.problems import shown
from calipers.readers.timeline_csv import read_timeline_csv
from calipers.readers.video_names import video_key
from calipers.text import whole_text

SLOWEST, FASTEST = 0.001, 1_000_000  # frames a second


class Predictions(NamedTuple):
    """Entries by video (an error stands for one that cannot be read), and what else has to be said."""

    entries: dict[str, Any]
    input: Input
    warnings: list[str]


def read_json(path: str) -> tuple[dict[str, Any], Input]:
    """A JSON object by video. A key given twice in a video makes an error of its entry."""
    data = read_bytes(path)
    tree, _, has_doubles = parse_json(data, path, "{video: …}")  # NaN only spoils the video it is in
    if not isinstance(tree, dict):
        raise InputError(f"{path}: found {shown(tree)}, expected an object with a key for each video")
    if has_doubles:
        tree = _without_doubles(tree, path)
    return tree, Input(whole_text(path), sha256(data).hexdigest(), len(tree))


def read_predictions(path: str, spelling: Callable[[], Mapping[str, str]], progress: OnProgress | None) -> Predictions:
    """Predictions by video, from JSON, a timeline CSV or a folder of them; CSVs ask how states are spelled."""
    if os.path.isdir(path):
        files = find_csvs(path)
    elif path.lower().endswith(".csv"):
        read_bytes(path)  # a file that was named and is not there is no matter of a single video
        files = [Path(path)]
    else:
        tree, source = read_json(path)
        return Predictions(tree, source, [])
    reader = _CsvReader(spelling(), progress, sum(_size(file) for file in files))
    for file in files:
        reader.add(file)
    if os.path.isdir(path) and (others := len(_csvs_below(path)) - len(files)):
        reader.warnings.append(f"{path}: {others} CSV files without _timeline in their names were not read")
    digest = reader.digests[0][1]
    if os.path.isdir(path):
        digest = folder_digest((os.path.relpath(file, path), digest) for file, digest in reader.digests)
    return Predictions(reader.entries, Input(whole_text(path), digest, len(files)), reader.warnings)


def find_csvs(folder: str) -> list[Path]:
    """Timeline CSVs below a folder, sorted: those named so, else all."""
    everything = _csvs_below(folder)
    files = [file for file in everything if "_timeline" in file.name.lower()] or everything
    if not files:
        raise InputError(f"{folder}: no CSV files in this folder, expected *_timeline*.csv or *.csv")
    return files


def _csvs_below(folder: str) -> list[Path]:
    return sorted(file for file in Path(folder).rglob("*") if file.suffix.lower() == ".csv" and not file.is_dir())


class _CsvReader:
    """Takes one file after the other; two for one video are an error, one that cannot be read is that video's."""

    def __init__(self, spelling: Mapping[str, str], progress: OnProgress | None, size: int) -> None:
        self._spelling, self._progress, self._size, self._done = spelling, progress, size, 0
        self._files: dict[str, Path] = {}
        self.entries: dict[str, Any] = {}
        self.warnings: list[str] = []
        self.digests: list[tuple[Path, str]] = []

    def add(self, file: Path) -> None:
        """One file."""
        key = video_key(file.name)
        if key in self._files:
            raise InputError(f"{self._files[key]} and {file}: two files for the video {key!r}, expected one")
        self._files[key] = file
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
        self.digests.append((file, sha256(data).hexdigest()))
        self._done += len(data)
        if self._progress:
            self._progress(self._done, self._size)


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


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
