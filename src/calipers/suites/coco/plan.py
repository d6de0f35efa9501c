"""Detections in shards: files of YOLO, Pascal VOC and LabelMe, some at a time.

COCO ranks the detections of a class over all images, so there is nothing to be counted in a shard: a part is the data
itself. Workers read files, this process puts together what they hold, and measures it. COCO's own files are read here,
whole: that takes a small part of the time, and to send the columns would take as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from calipers import __version__
from calipers.core.config import artifact_options
from calipers.core.parts import Packed
from calipers.engines import Engine
from calipers.files.inputs import OnProgress
from calipers.files.only import read_only
from calipers.files.part_files import Made
from calipers.files.problems import BadAnnotation
from calipers.report import Report
from calipers.suites.coco import measure as suite
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.config import Config, params
from calipers.suites.coco.formats.pieces import FileShard, Piece
from calipers.suites.coco.joining import join_detections
from calipers.suites.coco.only import only_images
from calipers.suites.coco.packing import pack_detections, unpack_detections
from calipers.suites.coco.read import Reading, read_shard
from calipers.suites.coco.rows import case_lines, match_rows


class CocoPart:
    """What some files hold; once everything was read, the detections."""

    __slots__ = ("bad", "found", "inputs", "pieces")

    def __init__(self, pieces: Iterable[Piece] = (), found: Iterable[Detections] = ()) -> None:
        self.pieces: list[Piece] = list(pieces)
        self.found: list[Detections] = []
        self.inputs: list[dict[str, Any]] = []
        self.bad: list[BadAnnotation] = []
        for read in found:
            self._add_found(read)

    def _add_found(self, read: Detections) -> None:
        """Detections, and what is wrong with their ground truth unless that is known."""
        if all(read.inputs[0].sha256 != other.inputs[0].sha256 for other in self.found):
            self.bad += read.bad
        self.inputs += [each._asdict() for each in read.inputs]
        self.found.append(read)

    def add(self, later: CocoPart) -> None:
        """Take in what comes after it."""
        self.pieces += later.pieces
        for read in later.found:
            self._add_found(read)

    def whole(self) -> Detections:
        """The detections of all parts."""
        self.found = [join_detections(self.found)]
        return self.found[0]

    def pack(self) -> Packed:
        """Everything it holds."""
        if self.found:
            packed = pack_detections(self.whole())
            return Packed({"found": packed.plain}, packed.arrays)
        packs = [piece.pack() for piece in self.pieces]
        arrays = {f"{k}.{name}": array for k, pack in enumerate(packs) for name, array in pack.arrays.items()}
        return Packed({"pieces": [pack.plain for pack in packs]}, arrays)

    @classmethod
    def unpack(cls, packed: Packed) -> CocoPart:
        """The part again."""
        plain, arrays = packed
        if "found" in plain:
            return cls(found=[unpack_detections(Packed(plain["found"], arrays))])
        return cls(Piece.unpack(Packed(each, _under(f"{k}.", arrays))) for k, each in enumerate(plain["pieces"]))


def _under(prefix: str, arrays: dict[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


class CocoPlan:
    """Both sides, each a path."""

    def __init__(self, gt: Any, pred: Any, config: Config, *, progress: OnProgress | None = None) -> None:
        self.config, self._progress = config, progress
        self.most_bad = config.max_bad_records
        formats = config.gt_format, config.pred_format
        self._reading = Reading(
            gt, pred, config.iou_type, formats, config.images, federated=not config.ignore_federated
        )
        self.measure: Callable[[Any], CocoPart] = measure_shard
        self._done = self._bytes = 0

    def made(self) -> Made:
        """What parts are made by."""
        return made_by(self.config)

    def shards(self, engine: Engine) -> Iterator[FileShard]:
        """Files that are not COCO's."""
        shards = self._reading.shards(self.config.chunk_bytes)
        self._bytes = sum(shard.bytes for shard in shards)
        if shards:
            self._reading.wait()  # for threads, which processes must not be forked beside
        yield from shards

    def identify(self, shard: FileShard) -> str:
        """The files, and when they changed."""
        return shard.identity()

    def done(self, shard: FileShard) -> tuple[int, int]:
        """Bytes of files."""
        self._done += shard.bytes
        return self._done, self._bytes

    def empty(self) -> CocoPart:
        """What no files hold."""
        return CocoPart()

    def unpack(self, packed: Packed) -> CocoPart:
        """A part that was packed."""
        return unpack(packed)

    def finish(self, total: CocoPart) -> None:
        """Put together what was read, and read the rest."""
        pieces, total.pieces = total.pieces, []
        found = self._reading.detections(pieces, None if self._bytes else self._progress)
        keys = read_only(self.config.only)
        total.add(CocoPart(found=[found if keys is None else only_images(found, keys)]))

    def report(self, total: CocoPart) -> Report:
        """Detections to the report."""
        return report_of(total, self.config)


def made_by(config: Config) -> Made:
    """What parts are made by."""
    return Made("coco", "coco/1", __version__, params(config), artifact_options(config))


def unpack(packed: Packed) -> CocoPart:
    """A part that was packed."""
    return CocoPart.unpack(packed)


def measure_shard(shard: FileShard) -> CocoPart:
    """Some files to what they hold."""
    return CocoPart([read_shard(shard)])


def report_of(total: CocoPart, config: Config) -> Report:
    """Detections to the report."""
    found = total.whole()
    check_detections(found, config)
    measured = suite.measure(found, config)
    tree = suite.summarize(measured)
    tree["inputs"] = total.inputs
    tree["rejected"] = [bad.entry() for bad in found.bad]
    return Report(
        tree,
        matches=lambda: match_rows(measured),
        cases=lambda take: take(case_lines(measured)),
        measured=measured,
    )


def check_detections(found: Detections, config: Config) -> None:
    """No more annotations may be bad than were allowed."""
    if len(found.bad) > config.max_bad_records:
        raise found.bad[config.max_bad_records].error()
