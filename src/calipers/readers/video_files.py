"""The files of the timeline suite: JSON without a key given twice; timeline CSVs, one or a folder of them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from calipers.errors import InputError
from calipers.kernels.intervals import count_keys
from calipers.kernels.scan import count_written_keys
from calipers.readers.problems import shown
from calipers.readers.timeline_csv import read_timeline_csv
from calipers.readers.video_names import video_key
from calipers.text import whole_text

BOM = b"\xef\xbb\xbf"
SLOWEST, FASTEST = 0.001, 1_000_000  # frames a second
OnProgress = Callable[[int, int], None]


class Input(NamedTuple):
    """An input as the artifact names it."""

    path: str
    sha256: str | None
    records: int


class Predictions(NamedTuple):
    """Entries by video (an error stands for one that cannot be read), and what else has to be said."""

    entries: dict[str, Any]
    input: Input
    warnings: list[str]


def read_json(path: str) -> tuple[dict[str, Any], Input]:
    """A JSON object by video. A key given twice in a video makes an error of its entry."""
    data = _read(path)
    text = data.removeprefix(BOM)
    try:
        tree = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        tree = _slowly(text, path, str(error))  # NaN and numbers beyond floats only spoil the video they are in
    if not isinstance(tree, dict):
        raise InputError(f"{path}: found {shown(tree)}, expected an object with a key for each video")
    if count_written_keys(text) != count_keys(tree):
        tree = _without_doubles(_slowly(text, path, "a key is there twice, and something is nested too deeply"), path)
    return tree, Input(whole_text(path), sha256(data).hexdigest(), len(tree))


def read_predictions(path: str, spelling: Callable[[], Mapping[str, str]], progress: OnProgress | None) -> Predictions:
    """Predictions by video, from JSON, a timeline CSV or a folder of them; CSVs ask how states are spelled."""
    if os.path.isdir(path):
        files = find_csvs(path)
    elif path.lower().endswith(".csv"):
        _read(path)  # a file that was named and is not there is no matter of a single video
        files = [Path(path)]
    else:
        tree, source = read_json(path)
        return Predictions(tree, source, [])
    reader = _CsvReader(spelling(), progress, sum(_size(file) for file in files))
    for file in files:
        reader.add(file)
    if os.path.isdir(path) and (others := len(_csvs_below(path)) - len(files)):
        reader.warnings.append(f"{path}: {others} CSV files without _timeline in their names were not read")
    lines = sorted(f"{digest}  {whole_text(os.path.relpath(file, path))}\n" for file, digest in reader.digests)
    digest = sha256("".join(lines).encode()).hexdigest() if os.path.isdir(path) else reader.digests[0][1]
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
            data = _read(str(file))
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


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


class _Doubled(dict[str, Any]):
    """An object in which a key was given twice."""

    twice: str


def _slowly(text: bytes, path: str, problem: str) -> Any:
    """The tree by a parser that takes more and tells of keys given twice, or an error."""
    try:
        decoded = text.decode("utf-8")
        tree = json.loads(decoded, object_pairs_hook=_object)
        json.dumps(tree, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair is not text
    except UnicodeDecodeError as error:
        place = f"byte 0x{text[error.start]:02x} at position {error.start}"
        raise InputError(f"{path}: not UTF-8: {place}; expected {{video: …}}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {problem}; expected {{video: …}}") from error
    return tree


def _without_doubles(tree: Any, path: str) -> dict[str, Any]:
    """The tree with an error for each video that has a key twice."""
    if isinstance(tree, _Doubled):
        raise InputError(f"{path}: {shown(tree.twice)} is there twice, expected each video once")
    try:
        for name, entry in tree.items():
            if (twice := _find_doubled(entry)) is not None:
                tree[name] = InputError(f"the key {shown(twice)} is there twice, expected each once")
    except RecursionError as error:
        raise InputError(f"{path}: a key is there twice, and something is nested too deeply") from error
    return dict(tree)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    doubled, seen = _Doubled(found), set[str]()
    doubled.twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return doubled


def _find_doubled(value: Any) -> str | None:
    if isinstance(value, _Doubled):
        return value.twice
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for item in inside if (found := _find_doubled(item)) is not None), None)
