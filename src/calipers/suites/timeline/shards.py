"""Videos in shards, some of them each, that can be read in any process.

With JSON on both sides a shard is some videos of the ground truth and their predictions, as byte ranges of the two
files. With a file per video it is some files, with which the ground truth of their videos travels: that is little, and
how states are spelled has to be known from all of it anyway. Shards are in the order of the names of videos, as
everything is told in that order; predictions of no video come last.

What is small, cannot be read twice, or is JSON of an unusual kind (a byte order mark, NaN, a video twice, very large
whole numbers, anything wrong) is one shard, read whole.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.inputs import InputFile, read_bytes
from calipers.files.ranges import groups_of_size
from calipers.kernels.scan.jsontext import find_members, find_names
from calipers.suites.timeline.read import (
    TimelineReading,
    add_plain_texts,
    add_videos,
    check_videos,
    read_timelines,
    spelling_of,
)
from calipers.suites.timeline.video_files import (
    CsvReader,
    Csvs,
    are_csvs,
    csv_input,
    find_csvs,
    name_csvs,
    parse_videos,
    read_truth,
    size_of,
)
from calipers.suites.timeline.video_names import match_names

ENTRY_BYTES = 64  # what a video without a prediction counts for
CSV_BYTES = 1 << 21  # of a shard at most, so that all cores have some of a folder, and soon
Range = tuple[int, int]
Sizes = NDArray[np.int64]


class WholeInputs(NamedTuple):
    """Both inputs, as they are."""

    truth: str
    pred: str
    size: int
    identity: str

    def __str__(self) -> str:
        return f"{self.truth} and {self.pred}"


class Ranges(NamedTuple):
    """Some videos in two JSON files."""

    truth: str
    pred: str
    truth_ranges: list[Range]
    pred_ranges: list[Range]
    first: str  # a video
    size: int
    identity: str

    def __str__(self) -> str:
        return f"{self.pred}: {self.first!r} and videos after it"


class CsvShard(NamedTuple):
    """Some timeline CSVs, each with its place among all, and the ground truth of some videos."""

    truth: str
    pred: str
    entries: dict[str, Any]
    files: list[tuple[int, str, str]]  # place, video, path
    spelling: Mapping[str, str]
    size: int
    identity: str

    def __str__(self) -> str:
        return f"{self.files[0][2]} and files after it" if self.files else f"{self.truth}: videos without a file"


Shard = WholeInputs | Ranges | CsvShard


class ShardCut(NamedTuple):
    """The shards of a run, and what is known of the inputs before they are read."""

    shards: list[Shard]
    inputs: list[InputFile]  # none if the shards name them
    csvs: Csvs | None  # whose digests come with the shards
    without_truth: list[str]

    @property
    def size(self) -> int:
        """Bytes of all shards."""
        return sum(shard.size for shard in self.shards)


class ShardReading(NamedTuple):
    """The videos of a shard; warnings and digests go by the places of files."""

    reading: TimelineReading
    warnings: list[tuple[int, str]]
    digests: dict[int, str]


def is_one_shard(truth: str, pred: str, most: int) -> bool:
    """Whether two inputs are surely read as a whole: JSON of at most so many bytes."""
    return not are_csvs(pred) and size_of(truth) + size_of(pred) <= most


def cut_videos(truth: str, pred: str, *, known: Iterable[str], most: int, identify: bool) -> ShardCut:
    """Two inputs in shards of about so many bytes; `known` are states that have a name by now."""
    if are_csvs(pred):
        return _cut_csvs(truth, pred, known, most, identify)
    size = size_of(truth) + size_of(pred)
    if size > most and os.path.isfile(truth) and os.path.isfile(pred):
        side = _find_side(truth)
        other = _find_side(pred) if side else None
        if side and other:
            return _cut_json(side, other, most, identify)
    identity = _stamps([truth, pred]) if identify else ""
    return ShardCut([WholeInputs(truth, pred, size, identity)], [], None, [])


def read_shard(
    shard: Shard, known: Iterable[str], only: frozenset[str] | None = None, fps: float | None = None
) -> ShardReading:
    """A shard as it was cut; of `only` some videos, if given. `fps` is for times in seconds."""
    if isinstance(shard, CsvShard):
        return _read_files(shard, only, fps)
    if isinstance(shard, Ranges):
        reading = _read_ranges(shard, only)
    else:
        reading = read_timelines(shard.truth, shard.pred, spelling=known, only=only, fps=fps)
    return ShardReading(reading, [(0, warning) for warning in reading.warnings], {})


def _stamps(paths: Iterable[str]) -> str:
    """Names, sizes and times of files; what is no file, such as a pipe, is different each time."""
    stamps: list[Any] = []
    for path in paths:
        state = os.stat(path) if os.path.exists(path) else None
        when = state.st_mtime_ns if os.path.isfile(path) and state else time.time_ns()
        stamps.append([whole_text(path), state.st_size if state else 0, when])
    return orjson.dumps(stamps).decode()


# JSON on both sides


class _VideoJson:
    """A JSON file by video, and where each of them lies in it."""

    def __init__(self, path: str, data: bytes, places: dict[str, int], begins: Any, ends: Any) -> None:
        self.path, self.data, self.places = path, data, places
        self._begins, self._ends = np.asarray(begins), np.asarray(ends)

    def sizes(self, places: Sizes) -> Sizes:
        """Bytes of some videos; -1 is none."""
        return np.where(places < 0, 0, (self._ends - self._begins)[places])

    def ranges(self, places: Sizes) -> list[Range]:
        """Where some videos lie, neighbours together; -1 is none."""
        places = np.sort(places[places >= 0], kind="stable")
        after_gap = np.diff(places, prepend=-2) != 1
        before_gap = np.roll(after_gap, -1)  # the first is after one, and the last before one
        begins, ends = self._begins[places[after_gap]], self._ends[places[before_gap]]
        return list(zip(begins.tolist(), ends.tolist(), strict=True))

    def input(self) -> InputFile:
        """As the artifact names it."""
        return InputFile(whole_text(self.path), sha256(self.data).hexdigest(), len(self.places))


def _find_side(path: str) -> _VideoJson | None:
    """The videos of a file, if nothing about it is unusual."""
    data = read_bytes(path)
    members = find_members(data)
    if members is None or not len(members[0]):
        return None
    names = orjson.loads(find_names(data, members[0]))
    places: dict[str, int] = dict(zip(names, range(len(names)), strict=True))
    return _VideoJson(path, data, places, *members) if len(places) == len(names) else None


def _cut_json(truth: _VideoJson, pred: _VideoJson, most: int, identify: bool) -> ShardCut:
    partners, strangers = match_names(truth.places, pred.places, whole_text(pred.path))
    names = sorted(truth.places)
    mine = np.array([truth.places[name] for name in names])
    theirs = np.array([pred.places[partners[name]] if name in partners else -1 for name in names])
    shards: list[Shard] = []
    for some, size in groups_of_size(truth.sizes(mine) + pred.sizes(theirs), most):
        ranges = truth.ranges(mine[some]), pred.ranges(theirs[some])
        identity = _identity(truth, pred, *ranges) if identify else ""
        shards.append(Ranges(truth.path, pred.path, *ranges, names[some.start], size, identity))
    return ShardCut(shards, [truth.input(), pred.input()], None, strangers)


def _identity(truth: _VideoJson, pred: _VideoJson, truth_ranges: list[Range], pred_ranges: list[Range]) -> str:
    digest = sha256(orjson.dumps([whole_text(truth.path), whole_text(pred.path)]))
    for side, ranges in ((truth, truth_ranges), (pred, pred_ranges)):
        for begin, end in ranges:
            digest.update(memoryview(side.data)[begin:end])
            digest.update(b",")
        digest.update(b"}")
    return digest.hexdigest()


def _read_ranges(shard: Ranges, only: frozenset[str] | None) -> TimelineReading:
    reading = TimelineReading()
    truth, pred = _text(shard.truth, shard.truth_ranges), _text(shard.pred, shard.pred_ranges)
    reading.inputs = [InputFile(whole_text(path), None, 0) for path in (shard.truth, shard.pred)]
    if only is not None or not add_plain_texts(reading, truth, pred, shard.pred):
        add_videos(reading, parse_videos(truth, shard.truth), parse_videos(pred, shard.pred), only)
    return reading


def _text(path: str, ranges: list[Range]) -> bytes:
    """The videos that lie in some ranges of a file, as the text of one object."""
    try:
        with open(path, "rb") as file:
            pieces = [_piece(file, begin, end) for begin, end in ranges]
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    return b"{" + b",".join(pieces) + b"}"


def _piece(file: Any, begin: int, end: int) -> bytes:
    file.seek(begin)
    return bytes(file.read(end - begin))


# Timeline CSVs


def _cut_csvs(truth: str, pred: str, known: Iterable[str], most: int, identify: bool) -> ShardCut:
    known = list(known)
    tree, source, warnings = read_truth(truth, known)
    csvs, spelling = find_csvs(pred), spelling_of(tree, known)
    csvs = csvs._replace(warnings=warnings + csvs.warnings)
    named = name_csvs(csvs.files)
    check_videos(tree, source)
    partners, strangers = match_names(tree, named, whole_text(pred))
    places = {key: place for place, key in enumerate(named)}
    weights = {key: size_of(file) for key, file in named.items()}

    def shard(names: list[str], keys: list[str], size: int) -> CsvShard:
        files = [(places[key], key, str(named[key])) for key in keys]
        identity = _files_identity(source, names, files) if identify else ""
        return CsvShard(truth, pred, {name: tree[name] for name in names}, files, spelling, size, identity)

    names = sorted(tree)
    sizes = np.array([ENTRY_BYTES + weights.get(partners.get(name, ""), 0) for name in names])
    shards: list[Shard] = []
    most = min(most, CSV_BYTES)
    for some, size in groups_of_size(sizes, most):
        shards.append(shard(names[some], [partners[name] for name in names[some] if name in partners], size))
    for some, size in groups_of_size(np.array([weights[key] for key in strangers]), most):
        shards.append(shard([], strangers[some], size))
    return ShardCut(shards, [source], csvs, strangers)


def _files_identity(truth: InputFile, names: list[str], files: list[tuple[int, str, str]]) -> str:
    """The ground truth as a whole, as it says how states are spelled, and which files in which state."""
    return orjson.dumps([list(truth), names, _stamps(path for _, _, path in files)]).decode()


def _read_files(shard: CsvShard, only: frozenset[str] | None, fps: float | None) -> ShardReading:
    reader = CsvReader(shard.spelling)
    warnings: list[tuple[int, str]] = []
    for place, key, path in shard.files:
        before = len(reader.warnings)
        reader.add(key, Path(path))
        warnings += [(place, warning) for warning in reader.warnings[before:]]
    reading = TimelineReading()
    reading.inputs = [InputFile(whole_text(path), None, 0) for path in (shard.truth, shard.pred)]
    add_videos(reading, shard.entries, reader.entries, only, fps)
    warnings += [(len(shard.files), warning) for warning in reading.warnings]
    places = [place for place, _, _ in shard.files]
    return ShardReading(reading, warnings, dict(zip(places, reader.digests, strict=True)))


def name_inputs(cut: ShardCut, pred: str, digests: Mapping[int, str]) -> list[InputFile]:
    """The inputs as the artifact names them, once everything was read."""
    if cut.csvs is None:
        return cut.inputs
    return [*cut.inputs, csv_input(pred, cut.csvs, [digests[place] for place in range(len(digests))])]
