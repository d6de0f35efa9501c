"""Detections in shards: images of COCO's own files, or some files of YOLO, Pascal VOC and LabelMe at a time.

Workers measure the images of COCO's files, which they read in ranges (`calipers.suites.coco.ranges`), where files are
large or others take part; small ones are read here, whole. Of other formats workers read files, and this process puts
together what they hold, and measures it. COCO ranks the detections of a class over all images, so a total holds no
counts: it has flags of every detection (`calipers.suites.coco.kept`), from which ranks are made at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from calipers import __version__
from calipers.core.config import artifact_options
from calipers.core.parts import Packed
from calipers.core.versions import Engines, join_engines
from calipers.engines import Engine
from calipers.files.inputs import OnProgress
from calipers.files.only import read_only
from calipers.files.part_files import Provenance
from calipers.files.places import is_file, is_remote, size_of
from calipers.files.problems import BadAnnotation
from calipers.report import Report
from calipers.suite import later
from calipers.suites.coco import measure as suite
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.config import PROTOCOL, Config, params
from calipers.suites.coco.formats.pieces import FileShard, Piece
from calipers.suites.coco.formats.row_index import IndexedFile, RowIndex, index_rows
from calipers.suites.coco.formats.table import read_shard
from calipers.suites.coco.joining import join_kept
from calipers.suites.coco.kept import KeptImages, KeptMeasured, keep_images
from calipers.suites.coco.only import only_images
from calipers.suites.coco.packing import pack_kept, unpack_kept
from calipers.suites.coco.ranges import (
    MeasuredRange,
    RangeCut,
    RangeShard,
    TooManyPairsError,
    cut_images,
    measure_range,
)
from calipers.suites.coco.read import SidesReader
from calipers.suites.coco.slices import image_fields, slice_images
from calipers.suites.coco.summarize import summarize

if TYPE_CHECKING:
    from calipers.suites.coco.row_stream import OnRows

ObjectTable = later("calipers.suites.coco.rows", "ObjectTable")
case_lines = later("calipers.suites.coco.cases", "case_lines")
passing_rows = later("calipers.suites.coco.row_stream", "passing_rows")

LARGE_CHUNKS = 32  # COCO files of more chunks are cut even where one process reads them, so that they fit into memory


class CocoPart:
    """The contents of some files; once all were read the detections, and once these were measured what is kept. Or
    what was measured of some ranges of images, and once that was put together what is kept."""

    __slots__ = ("bad", "detections", "engines", "inputs", "kept", "pieces", "ranges")

    def __init__(
        self,
        pieces: Iterable[Piece] = (),
        detections: Detections | None = None,
        kept: Iterable[KeptImages] = (),
        ranges: Iterable[MeasuredRange] = (),
    ) -> None:
        self.pieces: list[Piece] = list(pieces)
        self.ranges: list[MeasuredRange] = list(ranges)
        self.detections = detections
        self.kept: list[KeptImages] = []
        self.inputs: list[dict[str, Any]] = []
        self.bad: list[BadAnnotation] = []
        self.engines: Engines = {}
        if detections is not None:
            self.bad, self.inputs = detections.bad, [entry._asdict() for entry in detections.inputs]
        for images in kept:
            self._add_kept(images)

    def _add_kept(self, images: KeptImages) -> None:
        """Images that were measured, and what is wrong with their ground truth unless that is known."""
        if all(images.inputs[0].sha256 != other.inputs[0].sha256 for other in self.kept):
            self.bad += images.bad
        self.inputs += [entry._asdict() for entry in images.inputs]
        self.engines = join_engines(self.engines, images.engines)
        self.kept.append(images)

    def add(self, later: CocoPart) -> None:
        """Add the part that follows this one."""
        self.pieces += later.pieces
        self.ranges += later.ranges
        if later.detections is not None:
            self.detections, self.bad, self.inputs = later.detections, later.bad, later.inputs
        for images in later.kept:
            self._add_kept(images)

    def pack(self) -> Packed:
        """The part as plain values and arrays: the contents of files, or what is kept of detections."""
        if self.kept:
            packed = pack_kept(join_kept(self.kept))
            return Packed({"kept": packed.plain}, packed.arrays)
        name = "ranges" if self.ranges else "pieces"
        packs = [part.pack() for part in (self.ranges or self.pieces)]
        arrays = {f"{k}.{name}": array for k, pack in enumerate(packs) for name, array in pack.arrays.items()}
        return Packed({name: [pack.plain for pack in packs]}, arrays)

    @classmethod
    def unpack(cls, packed: Packed) -> CocoPart:
        """The part that was packed."""
        plain, arrays = packed
        if "kept" in plain:
            return cls(kept=[unpack_kept(Packed(plain["kept"], arrays))])
        if "ranges" in plain:
            packs = (Packed(part, _under(f"{k}.", arrays)) for k, part in enumerate(plain["ranges"]))
            return cls(ranges=map(MeasuredRange.unpack, packs))
        return cls(Piece.unpack(Packed(piece, _under(f"{k}.", arrays))) for k, piece in enumerate(plain["pieces"]))


def _under(prefix: str, arrays: dict[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


class CocoPlan:
    """Both sides, each a path."""

    parts_grow = True

    def __init__(
        self,
        gt: Any,
        pred: Any,
        config: Config,
        *,
        progress: OnProgress | None = None,
        on_rows: OnRows | None = None,
    ) -> None:
        self.config, self._progress, self._on_rows = config, progress, on_rows
        self.max_bad = config.max_bad_records
        formats = config.gt_format, config.pred_format
        self._reading = SidesReader(
            gt,
            pred,
            config.iou_type,
            formats,
            config.images,
            federated=not config.ignore_federated,
            fields=image_fields(config) if config.slice else (),
        )
        self.measure: Callable[[Any], CocoPart] = partial(measure_shard, config=config)
        self._done = self._bytes = 0
        self._cut: RangeCut | None = None

    @property
    def usual_jobs(self) -> int | None:
        """One process where only files of COCO are to be read, or lines of YOLO beside workers that have to be started
        afresh: these take as long to be sent; else all cores."""
        formats = {source.format for source in self._reading.sources}
        if formats <= {"coco"}:
            return None if self._is_cut(remote=False) else 1
        from calipers.engines.forked import may_fork  # which one process does without

        return 1 if formats <= {"coco", "yolo"} and not may_fork() else None

    def provenance(self) -> Provenance:
        """Suite, protocol, version and parameters that a part is measured with."""
        return provenance_of(self.config)

    def _is_cut(self, *, remote: bool) -> bool:
        """Whether COCO files are cut: those that are large, and all but small ones where others take part."""
        paths, config = [source.path or "" for source in self._reading.sources], self.config
        if config.iou_type != "bbox" or config.only or any(source.file is None for source in self._reading.sources):
            return False
        shared = remote or config.resume is not None or config.jobs not in (None, 1)
        if not shared and any(map(is_remote, paths)):  # whose sizes take requests
            return False
        least = config.chunk_bytes if shared else LARGE_CHUNKS * config.chunk_bytes
        return all(map(is_file, paths)) and sum(map(size_of, paths)) > least

    def _find_cut(self, engine: Engine) -> RangeCut | None:
        """The images of COCO files in shards, if they are cut, and can be."""
        if not self._is_cut(remote=engine.remote):
            return None
        gt, pred = (source.path or "" for source in self._reading.sources)
        files = [IndexedFile(gt, truth=True), IndexedFile(pred, truth=False)]
        indexes: list[RowIndex | None] = list(
            engine.in_order(index_rows, files) if engine.remote else map(index_rows, files)
        )
        truth, guesses = indexes
        return None if truth is None or guesses is None else cut_images((gt, pred), (truth, guesses), self.config)

    def shards(self, engine: Engine) -> Iterator[FileShard | RangeShard]:
        """Images of COCO files, or files that are not COCO's."""
        self._cut = self._find_cut(engine)
        if self._cut is not None:
            self._bytes = sum(shard.bytes for shard in self._cut.shards)
            yield from self._cut.shards
            return
        self._reading.start()
        shards = self._reading.shards(self.config.chunk_bytes)
        self._bytes = sum(shard.bytes for shard in shards)
        if shards:
            self._reading.wait()  # for threads, which processes must not be forked beside
        yield from shards

    def identify(self, shard: FileShard | RangeShard) -> str:
        """The files and when they changed; of ranges what the files hold, and which images."""
        return shard.identity()

    def bytes_done(self, shard: FileShard | RangeShard) -> tuple[int, int]:
        """Progress in bytes of files."""
        self._done += shard.bytes
        return self._done, self._bytes

    def empty(self) -> CocoPart:
        """An empty part."""
        return CocoPart()

    def unpack(self, packed: Packed) -> CocoPart:
        """A part that was packed."""
        return unpack(packed)

    def add_inputs(self, total: CocoPart) -> None:
        """Put together what was read or measured, and read the rest."""
        if self._cut is not None:
            try:
                warnings = self._reading.sources[0].warnings
                total.add(CocoPart(kept=[self._cut.kept_images(total.ranges, self.config, warnings)]))
                return
            except TooManyPairsError:  # the whole tells where
                total.ranges = []
        pieces, total.pieces = total.pieces, []
        total.add(CocoPart(detections=self._detections(pieces)))

    def _detections(self, pieces: list[Piece]) -> Detections:
        """All detections of the run, from the pieces that were read and from files that are read here."""
        detections = self._reading.detections(pieces, None if self._bytes else self._progress)
        only = self.config.only
        return only_images(detections, read_only(only)) if only else detections

    def report(self, total: CocoPart) -> Report:
        """Detections to the report; what a file of the total needs is kept of them."""
        if self._cut is None or total.detections is not None:
            return report_of(total, self.config, self._on_rows)
        [kept] = total.kept
        whole = cache(lambda: suite.measure(self._detections([]), self.config))
        measured = KeptMeasured(kept, self.config, use_up=self.config.tally is None)
        return _report(measured, total, **object_views(whole))


def provenance_of(config: Config) -> Provenance:
    """Suite, protocol, version and parameters that a part is measured with."""
    return Provenance("coco", PROTOCOL, __version__, params(config), artifact_options(config))


def unpack(packed: Packed) -> CocoPart:
    """A part that was packed."""
    return CocoPart.unpack(packed)


def measure_shard(shard: FileShard | RangeShard, *, config: Config) -> CocoPart:
    """Some images to what is kept of them, or some files to what they hold."""
    if isinstance(shard, RangeShard):
        return CocoPart(ranges=[measure_range(shard, config)])
    return CocoPart([read_shard(shard)])


def report_of(total: CocoPart, config: Config, on_rows: OnRows | None = None) -> Report:
    """Detections, or what was kept of them, to the report; `on_rows` receives rows of detections."""
    if total.detections is None:
        return _report(KeptMeasured(join_kept(total.kept), config, use_up=len(total.kept) > 1), total)
    check_detections(total.detections, config)
    measured = suite.measure(total.detections, config)
    if config.tally:
        total.kept = [keep_images(measured)]
    with passing_rows(measured, on_rows) if on_rows else nullcontext():
        return _report(measured, total, **object_views(lambda: measured), measured=measured)


def object_views(measured: Callable[[], suite.MeasuredImages]) -> dict[str, Any]:
    """Functions that give rows and cases of objects of images that were measured whole."""
    return {
        "matches": lambda: ObjectTable(measured()).rows(),
        "match_lines": lambda: ObjectTable(measured()).csv(),
        "cases": lambda take: take(case_lines(measured())),
    }


def _report(images: suite.MeasuredImages, total: CocoPart, **objects: Any) -> Report:
    """The report; `objects` are functions that give them, where they are at hand."""
    tree = summarize(images)
    images.accumulated = None  # 32 kB a class, of which the tree has all that is asked for
    tree["inputs"] = total.inputs
    tree["rejected"] = [bad.entry() for bad in images.detections.bad]
    tree["warnings"] += _all_below(tree)
    report = Report(tree, **objects)
    if images.config.slice:
        slice_images(report, images)
    return report


def _all_below(tree: dict[str, Any]) -> list[str]:
    """A warning where every detection has a score below the option that the sweep takes."""
    objects, kept = tree["objects"], tree["sweep"]["primary"]["pred"]
    below = objects["pred"] - objects["in_crowd"] - kept
    if kept or below <= 0:
        return []
    option = f"min_score {tree['params']['min_score']:g}"
    return [f"{option}: all {below:,} detections have a lower score, so that the score-free sweep has none"]


def check_detections(detections: Detections, config: Config) -> None:
    """Raise the error of a bad annotation if there are more than allowed."""
    if len(detections.bad) > config.max_bad_records:
        raise detections.bad[config.max_bad_records].error()
