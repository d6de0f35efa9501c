"""The detection suite in a loop: detections come in, a report comes out whenever it is asked for.

Detections of a class are ranked over all images, so there is nothing to be counted before all of them are there: a
meter holds data, that is ground truth and results as they were given. It is measured when the report is asked for, as
`calipers.coco` measures all of it. A meter that streams measures each update at once, and keeps flags instead.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, overload

from calipers.core.config import check_names, make_config
from calipers.core.errors import InputError, require
from calipers.files.problems import shown
from calipers.meter import number_params, require_mergeable
from calipers.report import Report
from calipers.run import refuse_elsewhere
from calipers.suites.coco.config import Config, params
from calipers.suites.coco.evaluate import evaluate
from calipers.suites.coco.plan import CocoPart, report_of
from calipers.suites.coco.streaming import StreamedPart, check_scores, join_parts, stream_part
from calipers.suites.coco.tensor_images import (
    BatchReader,
    TurnedBoxes,
    batch_sides,
    is_batch,
    new_ids,
    refuse_bare_batch,
    renumbered_rows,
)
from calipers.suites.coco.truth_sets import IN_MEMORY, TruthSet, TruthSets, read_truth, read_update

if TYPE_CHECKING:
    from typing import Unpack

    from calipers.suites.coco.artifact_types import CocoArtifact
    from calipers.suites.coco.option_types import CocoOptions
    from calipers.suites.coco.source_types import CocoDetections, CocoTensors, CocoTruth

OWN_OPTIONS = ("box_format", "class_names", "stream")  # of a meter
RESULTS = "detections: {image_id, category_id, bbox, score}"


class CocoMeter:
    """The detection suite in a loop: detections come in, with or without ground truth, and a report comes out.

    Args:
        gt: A data set, as `calipers.coco` takes it, whose images the detections are on. Ground truth may also come with
            each update.
        box_format: How boxes of tensors are written: `"xyxy"`, `"xywh"` or `"cxcywh"`. Those in COCO's form are x, y,
            width and height.
        class_names: What labels of tensors are called: by label, or in a list from label 0 on. A label without a name
            goes by its number.
        stream: Whether updates are measured at once, so that about 24 bytes of a detection stay and no box or mask.
            Each then brings images with their ground truth and all their detections; the report has no rows and cases.
        **options: Those of `calipers.coco`, see `calipers.CocoOptions`.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant.
        InputError: The data set cannot be read.

    Examples:
        >>> cone = {"id": 1, "image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0}
        >>> gt = {"images": [{"id": 4}], "categories": [{"id": 7, "name": "cone"}], "annotations": [cone]}
        >>> meter, other = CocoMeter(gt), CocoMeter()
        >>> meter.update([{"image_id": 4, "category_id": 7, "bbox": [50, 0, 10, 9], "score": 0.9}])
        >>> meter.update({"image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 9], "score": 0.8})
        >>> meter.compute()["coco"]["AP_50"]
        0.5
        >>> more = {**gt, "images": [{"id": 5}], "annotations": [{**cone, "id": 2, "image_id": 5}]}
        >>> other.update(more, [{"image_id": 5, "category_id": 7, "bbox": [0, 0, 10, 9], "score": 0.7}])
        >>> meter.merge(other)
        >>> meter.compute()["sweep"]["primary"]["recall"]
        1.0

        Batches as torchmetrics takes them, of tensors or arrays:

        >>> meter = CocoMeter()
        >>> preds = [{"boxes": [[0, 0, 10, 9]], "scores": [0.8], "labels": [3]}]
        >>> meter.update(preds, [{"boxes": [[0, 0, 10, 10]], "labels": [3]}])
        >>> meter.compute().flat(style="torchmetrics")["map"]
        0.9
    """

    def __init__(
        self,
        gt: CocoTruth | None = None,
        *,
        box_format: str = "xyxy",
        class_names: Mapping[int, str] | Sequence[str] = (),
        stream: bool = False,
        **options: Unpack[CocoOptions],
    ) -> None:
        check_names(options, [*OWN_OPTIONS, *(item.name for item in fields(Config))])
        self.gt, self.config = gt, make_config(Config, options)
        strict = not self.config.max_bad_records
        self._batches = BatchReader(self.config.iou_type, box_format, class_names, strict=strict)
        refuse_elsewhere(self.config, "detections that are in memory")
        require(self.config.answers is None, "answers", self.config.answers, "detections: calipers.coco reads answers")
        require(gt is None or not stream, "stream", stream, "False beside gt: ground truth comes with each update")
        self.stream = stream
        self._first: list[TruthSet] = [] if gt is None else [read_truth(gt, [], self.config)]
        self.reset()

    def __repr__(self) -> str:
        return f"<CocoMeter: {self._detections():,} detections so far, {len(self._truth.images):,} images>"

    def _detections(self) -> int:
        return len(self._results) + sum(part.results for part in self._parts)

    def reset(self) -> None:
        """Forget all that was added. Ground truth that the meter was made with stays."""
        self._truth = TruthSets(keep=not self.stream)
        self._results: list[Any] = []
        self._parts: list[StreamedPart] = []
        self._unnamed: set[int] = set()  # images that came as tensors, without an id
        self._boxes = TurnedBoxes()
        self._add(self._first, [])

    @overload
    def update(self, pred: CocoDetections, /) -> None: ...

    @overload
    def update(self, gt: CocoTruth, pred: CocoDetections) -> None: ...

    @overload
    def update(self, *, pred: CocoDetections) -> None: ...

    @overload
    def update(self, preds: CocoTensors, target: CocoTensors) -> None: ...

    @overload
    def update(self, preds: CocoTensors, *, targets: CocoTensors) -> None: ...

    def update(self, *sides: Any, gt: Any = None, pred: Any = None, **batch: Any) -> None:
        """Add detections in COCO's form, one or several: `update(pred)`, or `update(gt, pred)` with their ground truth.

        Or those of a batch as torchmetrics takes them, `update(preds, target)`: two lists with a dict for each image,
        `{boxes, scores, labels, masks}` and `{boxes, labels, masks, iscrowd, area, image_id}`, of tensors or arrays.

        Args:
            *sides: Detections, or ground truth and then its detections; or detections and then ground truth of a batch.
            gt: Ground truth with images of its own, in COCO's form.
            pred: A detection, or several, in COCO's form.
            **batch: Both sides of a batch by name: `preds`, and `target` or `targets`.

        Raises:
            InputError: Something is no detection, or names no image or class that is known; nothing is added then.
        """
        if batch or is_batch(*sides):
            self._update_batch(*batch_sides(sides, batch, gt, pred))
            return
        refuse_bare_batch(*sides, *(side for side in (gt, pred) if side is not None))
        gt, pred = _named(sides, gt, pred)
        results = _rows(pred)
        if gt is None and self.stream:
            raise InputError("update: found detections alone, expected update(gt, pred) of a meter that streams")
        if gt is None:
            self._check(results)
            self._results += results
        elif isinstance(gt, Mapping):
            self._add_update(gt, results)
        else:
            raise InputError(f"update: gt: found {shown(gt)}, expected {IN_MEMORY}")

    def _update_batch(self, preds: Any, target: Any) -> None:
        """Add a batch of tensors, as COCO would have it."""
        if not preds and not target:
            return
        batch = self._batches.read(preds, target, self._truth.images, self._truth.categories)
        self._add_update(batch.gt, batch.results, own_ids=True)
        self._unnamed.update(batch.unnamed)
        self._count_boxes(batch.boxes)

    def _count_boxes(self, boxes: TurnedBoxes) -> None:
        if self._batches.box_format == "xyxy":
            self._boxes = self._boxes.plus(boxes)

    def _add_update(self, gt: Mapping[str, Any], results: list[Any], *, own_ids: bool = False) -> None:
        """Add images with their detections: as they are, or what is kept of them. Of annotations that were numbered
        here (`own_ids`) no ids are kept."""
        truth, detections = read_update(gt, results, self.config)
        if not self.stream:
            self._add([truth], results)
            return
        truth = truth._replace(annotations=frozenset()) if own_ids else truth
        self._truth.check([truth])  # before it is measured
        self._add_parts(truth, [stream_part(gt, results, detections, self.config)])

    def _add_parts(self, gt: TruthSet, parts: list[StreamedPart]) -> None:
        check_scores([*self._parts, *parts])
        self._truth.add([gt], self.config.max_bad_records)
        self._parts += parts

    def _check(self, results: list[Any]) -> None:
        for row in results:
            if not isinstance(row, Mapping):
                raise InputError(f"update: found {row!r:.80}, expected {RESULTS}")
            for name, known in (("image_id", self._truth.images), ("category_id", self._truth.categories)):
                value = row.get(name)
                if not isinstance(value, Hashable) or value not in known:
                    raise InputError(f"update: {name}: found {value!r:.80}, expected one of the ground truth")

    def merge(self, other: CocoMeter) -> None:
        """Add all data of another meter with the same parameters. Ground truth that both were made with counts once."""
        require_mergeable(self, other)
        if self.stream:
            self._merge_parts(other)
        else:
            self._merge_data(other)
        self._count_boxes(other._boxes)

    def _merge_data(self, other: CocoMeter) -> None:
        """Add ground truth and results of another meter; its images without ids get others where these are taken."""
        shared = self.gt is not None and (self.gt is other.gt or self.gt == other.gt)
        sets, results = other._truth.sets[1:] if shared else list(other._truth.sets), list(other._results)
        new = new_ids(other._unnamed, self._truth.images | other._truth.images)
        if self._truth.images.isdisjoint(other._unnamed):
            new = {ident: ident for ident in other._unnamed}
        else:
            sets, results = [part.renumbered(new) for part in sets], renumbered_rows(results, new)
        self._add(sets, results)
        self._unnamed.update(new.values())

    def _merge_parts(self, other: CocoMeter) -> None:
        """Add what is kept of another meter's updates; its images without ids get others where these are taken."""
        truth, parts, new = other._truth.as_one(), list(other._parts), {ident: ident for ident in other._unnamed}
        if not self._truth.images.isdisjoint(other._unnamed):
            new = new_ids(other._unnamed, self._truth.images | other._truth.images)
            truth = truth._replace(images=frozenset(new.get(ident, ident) for ident in truth.images))
            parts = [part.renumbered(new) for part in parts]
        self._add_parts(truth, parts)
        self._unnamed.update(new.values())

    def _add(self, sets: list[TruthSet], results: list[Any]) -> None:
        self._truth.add(sets, self.config.max_bad_records)
        self._results += results

    def _number_params(self) -> dict[str, Any]:
        return {"stream": self.stream} | number_params(params(self.config))

    def compute(self) -> Report[CocoArtifact]:
        """Compute the report over all detections so far; more may follow.

        Returns:
            The report.
        """
        if not self._truth.sets:
            raise InputError("compute: no ground truth was added yet, expected CocoMeter(gt) or update(gt, pred)")
        report = self._measure()
        report.tree["warnings"] += self._boxes.doubts()
        return report

    def _measure(self) -> Report[CocoArtifact]:
        if self.stream:
            kept = join_parts(self._parts, self._truth.categories, self.config)
            return report_of(CocoPart(kept=[kept]), self.config)
        return evaluate(self._truth.union(), self._results, self.config)


def _rows(pred: Any) -> list[Any]:
    """Results, also a single one."""
    if isinstance(pred, Mapping):
        return [pred]
    if isinstance(pred, (str, bytes)) or not isinstance(pred, Iterable):
        raise InputError(f"update: found {shown(pred)}, expected {RESULTS}")
    return list(pred)


def _named(sides: tuple[Any, ...], gt: Any, pred: Any) -> tuple[Any, Any]:
    """Ground truth, if there is any, and predictions, by place or by name."""
    if len(sides) == 1 and pred is None:
        return gt, sides[0]
    if len(sides) == 1 and gt is None:
        return sides[0], pred
    if len(sides) == 2 and gt is None and pred is None:
        return sides[0], sides[1]
    if not sides and pred is not None:
        return gt, pred
    raise InputError("update: expected update(pred), update(gt, pred), or update(preds, target) of a batch")
