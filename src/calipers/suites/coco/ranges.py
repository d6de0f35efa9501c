"""COCO files in shards: byte ranges of both files with all that is on some images, which are measured by themselves.

Each file is gone over once, for its digest and for where the rows of each image lie (`row_index`). Then images are
dealt out, neighbours by id together, and each shard reads its rows of both files wherever they are: a list in which the
detections of an image stand together gives few ranges, one in any order gives many. Of a shard remain flags of its
detections (`kept`), which are put together in the order of images. What a shard cannot know by itself is told to it
(whether there are scores) or found out at the end (limits, warnings about all rows).

A run for which that cannot be done reads both files whole: masks and keypoints, federated annotations, predictions with
images of their own, files that are compressed or hold anything that only the whole of them explains.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from calipers.core.errors import InputError, changed_during_run
from calipers.core.freed_memory import return_freed_memory
from calipers.core.limits import pairs_allowed
from calipers.core.parts import Packed
from calipers.core.text import whole_text
from calipers.files.inputs import InputFile, parse_json
from calipers.files.lines import reading
from calipers.files.places import open_place
from calipers.files.problems import BadAnnotation
from calipers.files.ranges import groups_of_size
from calipers.suites.coco.annotations.federated import ABSENT, PARTIAL
from calipers.suites.coco.annotations.images import Dataset, find_ids, read_dataset
from calipers.suites.coco.annotations.instances import kept_images, pred_instances, truth_instances
from calipers.suites.coco.annotations.pred import check_pred
from calipers.suites.coco.annotations.repeats import (
    Notice,
    absent_fields,
    all_invalid,
    first_problem,
    join_notices,
    pred_warnings,
    truth_warnings,
)
from calipers.suites.coco.annotations.truth import check_truth
from calipers.suites.coco.columns import Categories, Detections, Images, Whole
from calipers.suites.coco.config import Config
from calipers.suites.coco.formats.coco_json import piece_rows
from calipers.suites.coco.formats.roboflow import find_group
from calipers.suites.coco.formats.row_index import RowIndex
from calipers.suites.coco.formats.rows import Origin, RowColumns
from calipers.suites.coco.image_fields import add_fields
from calipers.suites.coco.joined_side import JoinedSide
from calipers.suites.coco.kept import KeptImages, KeptSide, keep_images
from calipers.suites.coco.measure import MatchedImages, close_pairs, count_compared
from calipers.suites.coco.packing import SIDES, pack_bad, pack_rows, unpack_rows

BBOX = "bbox"
BETWEEN = b", \n\r\t"  # rows of a list
JOINED_AT_ONCE = 16  # parts, after which memory is given back
IMAGE_BYTES = 64  # what an image counts for that has nothing on it


class ByteRanges(NamedTuple):
    """Some rows of a file: neighbours together."""

    begin: Whole  # (ranges,) bytes
    end: Whole
    row: Whole  # (ranges,) the first
    rows: Whole  # (ranges,) how many

    def numbers(self) -> Whole:
        """(rows,) which rows of the file they are."""
        before = np.cumsum(self.rows) - self.rows
        return np.repeat(self.row - before, self.rows) + np.arange(int(self.rows.sum()))


class RangeShard(NamedTuple):
    """The rows of some images in both files."""

    truth: str
    pred: str
    ranges: tuple[ByteRanges, ByteRanges]
    images: Images
    categories: Categories
    has_scores: bool  # some detection, of these or of others
    most_pairs: int
    bytes: int
    digests: tuple[str, str]  # of both files

    def __str__(self) -> str:
        return f"{self.pred}: image {self.images.names[0]!r} and images after it"

    def identity(self) -> str:
        """A text that is the same for the same images of the same files, cut in the same way."""
        ids = sha256(self.images.ids.tobytes()).hexdigest()
        return orjson.dumps([whole_text(self.truth), whole_text(self.pred), *self.digests, ids]).decode()


class MeasuredRange(NamedTuple):
    """What is kept of the images of a shard, and what is added up or told of all of them at the end."""

    rows: Packed
    kept: NDArray[np.bool_]  # (images,) that hold no bad annotation
    problems: list[tuple[int, str]]  # of detections
    notices: tuple[list[Notice], list[Notice]]  # about annotations, about detections
    bad: list[tuple[int, BadAnnotation]]  # by row
    first_problem: tuple[int, str] | None
    last_place: int
    pairs: int  # that are close, and of one class on an image
    compared: int

    def pack(self) -> Packed:
        """The result as plain values and arrays."""
        bad = [[row, pack_bad(fault)] for row, fault in self.bad]
        notices = [[list(notice) for notice in side] for side in self.notices]
        plain = [self.rows.plain, self.problems, notices, bad, *self[5:]]
        return Packed(plain, {**self.rows.arrays, "kept": self.kept})

    @classmethod
    def unpack(cls, packed: Packed) -> MeasuredRange:
        """The part that was packed."""
        arrays = dict(packed.arrays)
        kept = arrays.pop("kept")
        rows, problems, notices, bad, first, last_place, pairs, compared = packed.plain
        return cls(
            Packed(rows, arrays),
            kept,
            [(int(row), str(words)) for row, words in problems],
            tuple([Notice(*notice) for notice in side] for side in notices),  # type: ignore[arg-type]
            [(row, BadAnnotation(*fault)) for row, fault in bad],
            None if first is None else (int(first[0]), str(first[1])),
            int(last_place),
            int(pairs),
            int(compared),
        )


class TooManyPairsError(Exception):
    """All shards together compare more than a run may; reading the files whole tells where."""


class RangeCut:
    """Two files in shards, and what becomes of the parts."""

    def __init__(self, paths: tuple[str, str], indexes: tuple[RowIndex, RowIndex], data: Dataset, lists: Any) -> None:
        self.paths, self.data, self._lists = paths, data, lists
        self.inputs = [
            InputFile(whole_text(path), index.sha256, records)
            for path, index, records in zip(paths, indexes, (len(data.images), indexes[1].rows), strict=True)
        ]
        self.shards: list[RangeShard] = []

    def kept_images(self, parts: list[MeasuredRange], config: Config, warnings: list[str]) -> KeptImages:
        """All parts in their order as the images of one run; they are used up. `warnings` come first."""
        truth_path, pred_path = self.paths
        pairs, compared = sum(part.pairs for part in parts), sum(part.compared for part in parts)
        last_place = max((part.last_place for part in parts), default=-1)
        bad = [fault for _, fault in sorted((item for part in parts for item in part.bad), key=lambda item: item[0])]
        told = [join_notices(notice for part in parts for notice in part.notices[side]) for side in (0, 1)]
        firsts = [part.first_problem for part in parts if part.first_problem is not None]
        images = kept_images(self.data.images, np.concatenate([part.kept for part in parts]))
        add_fields_if_asked(images, self._lists, config)
        if pairs > self.shards[0].most_pairs:
            raise TooManyPairsError
        truth, pred, causes, problems = _join_rows(parts, len(self.data.categories))
        most = pairs_allowed(config.max_pairs, len(truth) + len(pred))
        if pairs > most or compared > most or len(np.unique(truth.category)) > config.max_classes:
            raise TooManyPairsError
        origins = Origin(truth_path, "annotations"), Origin(pred_path, "")
        invalid = [all_invalid(min(firsts), len(pred), origins[1])] if firsts and len(problems) == len(pred) else []
        texts = [[notice.text(origin) for notice in side] for side, origin in zip(told, origins, strict=True)]
        return KeptImages(
            images,
            self.data.categories,
            truth,
            pred,
            causes,
            problems,
            last_place,
            "",
            {},
            self.inputs,
            [*warnings, *self.data.warnings, *texts[0], *invalid, *texts[1]],
            bad,
            len(self.data.images),
            "coco",
        )


def add_fields_if_asked(images: Images, lists: Any, config: Config) -> None:
    """The fields of images that the run is sliced by."""
    from calipers.suites.coco.slices import image_fields

    if fields := image_fields(config):
        add_fields(images, lists["images"], fields)


def cut_images(paths: tuple[str, str], indexes: tuple[RowIndex, RowIndex], config: Config) -> RangeCut | None:
    """The images of two files in shards; None if both have to be read whole."""
    parsed = {name: parse_json(text, paths[0], "a list") for name, text in indexes[0].beside.items()}
    lists = {name: document.tree for name, document in parsed.items()}
    if any(document.has_doubles for document in parsed.values()) or find_group(lists) is not None:
        return None
    try:
        data = read_dataset(lists, paths[0])
    except InputError:  # which is told in the order of reading
        return None
    federated = not config.ignore_federated and any(ABSENT in image or PARTIAL in image for image in lists["images"])
    codes = [find_ids(data.images.ids, index.image) for index in indexes]
    known = codes[1][1].all() and find_ids(data.categories.ids, indexes[1].categories)[1].all()
    if federated or not known:
        return None
    cut = RangeCut(paths, indexes, data, lists if config.slice_fields else None)
    cut.shards = _shards(cut, indexes, [np.maximum(code, 0) for code, _ in codes], config)
    return cut


def _shards(
    cut: RangeCut, indexes: tuple[RowIndex, RowIndex], codes: list[NDArray[np.int32]], config: Config
) -> list[RangeShard]:
    """Shards of some images each; annotations of unknown images are in the first."""
    images = cut.data.images
    sizes = np.full(len(images), IMAGE_BYTES, np.int64)
    for index, code in zip(indexes, codes, strict=True):
        sizes += np.bincount(code, np.diff(index.begin), len(images)).astype(np.int64)
    groups = list(groups_of_size(sizes, config.chunk_bytes))
    ends = np.array([some.stop for some, _ in groups])
    sides = [
        _dealt(index, np.searchsorted(ends, code, side="right"), len(groups))
        for index, code in zip(indexes, codes, strict=True)
    ]
    most = pairs_allowed(config.max_pairs, indexes[0].rows + indexes[1].rows)
    return [
        RangeShard(
            *cut.paths,
            (truth, pred),
            Images(images.ids[some], images.names[some], images.width[some], images.height[some]),
            cut.data.categories,
            indexes[1].has_scores,
            most,
            size,
            (indexes[0].sha256, indexes[1].sha256),
        )
        for (some, size), truth, pred in zip(groups, *sides, strict=True)
    ]


def _dealt(index: RowIndex, shard: NDArray[Any], shards: int) -> list[ByteRanges]:
    """The runs of a file by shard, in the order of the file, and neighbours as one range."""
    order = np.argsort(shard, kind="stable")
    bounds = np.searchsorted(shard[order], np.arange(shards + 1))
    lasts = np.append(index.row[1:], index.rows)
    return [_ranges(index, lasts, order[begin:end]) for begin, end in pairwise(bounds.tolist())]


def _ranges(index: RowIndex, lasts: Whole, runs: NDArray[Any]) -> ByteRanges:
    after_gap = np.diff(runs, prepend=-2) != 1
    before_gap = np.append(after_gap[1:], True)[: len(runs)]
    first, last = runs[after_gap], runs[before_gap]
    return ByteRanges(index.begin[first], index.begin[last + 1], index.row[first], lasts[last] - index.row[first])


# On a worker


def measure_range(shard: RangeShard, config: Config) -> MeasuredRange:
    """Measure all that is on some images."""
    data = Dataset(shard.truth, shard.images, shard.categories, [], [])
    truth_rows = _read(shard.truth, shard.ranges[0], truth=True)
    pred_rows = _read(shard.pred, shard.ranges[1], truth=False)
    truth = check_truth(truth_rows, data, BBOX)
    guesses, problems = check_pred(pred_rows, data, BBOX, 0, has_scores=shard.has_scores)
    images = kept_images(data.images, truth.kept)
    objects = truth_instances(truth.checked, truth.kept)
    pred = pred_instances(guesses, problems, truth.kept)
    notices = (
        _counted(truth_rows, [*absent_fields(truth_rows, objects), *truth_warnings(objects, images, BBOX)]),
        _counted(pred_rows, pred_warnings(pred, images)),
    )
    pred.place = _numbers(pred_rows)[pred.place]
    detections = Detections(images, data.categories, objects, pred, [], [], [])
    bad_rows = _numbers(truth_rows)[truth.bad_rows].tolist()
    told = notices, list(zip(bad_rows, truth.bad, strict=True)), first_problem(pred) if pred.problems else None
    try:
        close = close_pairs(detections, config, shard.most_pairs)
    except OverflowError:  # as all of them will be found to be
        return MeasuredRange(Packed(None, {}), truth.kept, [], *told, -1, shard.most_pairs + 1, 0)
    kept = keep_images(MatchedImages(detections, config, close))
    sums = kept.last_place, len(close[0]), count_compared(detections, config)
    return MeasuredRange(pack_rows(kept), truth.kept, list(kept.problems.items()), *told, *sums)


def _numbers(rows: RowColumns) -> Whole:
    if rows.origin.numbers is None:
        raise AssertionError("rows of a range have numbers")
    return rows.origin.numbers


def _counted(rows: RowColumns, notices: Any) -> list[Notice]:
    """Notices about some rows of a file, by the numbers these have in it."""
    return [notice._replace(first=int(_numbers(rows)[notice.first])) for notice in notices]


def _read(path: str, ranges: ByteRanges, *, truth: bool) -> RowColumns:
    """The rows that lie in some ranges of a file."""
    numbers = ranges.numbers()
    with reading(path), open_place(path) as file:
        pieces = [_piece(file, *place) for place in zip(ranges.begin.tolist(), ranges.end.tolist(), strict=True)]
    origin = Origin(path, "annotations" if truth else "", None, numbers)
    rows = piece_rows(b"[" + b",".join(pieces) + b"]", origin, truth=truth)
    if rows is None or rows.count != len(numbers):
        raise changed_during_run(path)
    return rows


def _piece(file: Any, begin: int, end: int) -> bytes:
    file.seek(begin)
    pieces, left = [], end - begin
    while left and (piece := file.read(left)):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces).rstrip(BETWEEN)


# Parts put together


def _join_rows(
    parts: list[MeasuredRange], categories: int
) -> tuple[KeptSide, KeptSide, NDArray[np.int64], dict[int, str]]:
    """Both sides and the causes of all parts, image by image; parts are taken from their list."""
    sides = [JoinedSide(sum(len(part.rows.arrays[f"{name}.category"]) for part in parts)) for name in SIDES]
    causes, problems, images = [], dict[int, str](), 0
    parts.reverse()
    while parts:
        part = parts.pop()
        here = int(np.count_nonzero(part.kept))
        truth, pred, own = unpack_rows(part.rows, here, categories)
        problems |= {sides[1].filled + row: words for row, words in part.problems}
        for side, rows in zip(sides, (truth, pred), strict=True):
            side.add(rows, images)
        causes.append(own)
        images += here
        if len(parts) % JOINED_AT_ONCE == 0:
            del part, truth, pred, rows
            return_freed_memory()  # else what was joined and what it was made of would both be held
    return sides[0].side(), sides[1].side(), np.concatenate(causes, axis=1), problems
