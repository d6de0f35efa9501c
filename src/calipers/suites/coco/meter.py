"""The detection suite in a loop: detections come in, a report comes out whenever it is asked for.

Detections of a class are ranked over all images, so there is nothing to be counted before all of them are there: a
meter holds data, that is ground truth and results as they were given. It is measured when the report is asked for, as
`calipers.coco` measures all of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, overload

from calipers.core.config import check_names, make_config
from calipers.core.errors import ConfigError, InputError, require
from calipers.files.problems import shown
from calipers.report import Report
from calipers.run import refuse_elsewhere
from calipers.suites.coco.config import Config, params
from calipers.suites.coco.evaluate import evaluate
from calipers.suites.coco.tensor_images import BatchReader, batch_sides, is_batch, new_ids, renumbered_rows
from calipers.suites.coco.truth_sets import IN_MEMORY, TruthSet, TruthSets, read_truth

if TYPE_CHECKING:
    from typing import Unpack

    from calipers.suites.coco.artifact_types import CocoArtifact
    from calipers.suites.coco.option_types import CocoOptions
    from calipers.suites.coco.source_types import CocoDetections, CocoTensors, CocoTruth

OWN_OPTIONS = ("box_format", "class_names")  # of a meter, for tensors
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
        **options: Unpack[CocoOptions],
    ) -> None:
        check_names(options, [*OWN_OPTIONS, *(item.name for item in fields(Config))])
        self.gt, self.config = gt, make_config(Config, options)
        self._batches = BatchReader(self.config.iou_type, box_format, class_names)
        refuse_elsewhere(self.config, "detections that are in memory")
        require(self.config.answers is None, "answers", self.config.answers, "detections: calipers.coco reads answers")
        self._first: list[TruthSet] = [] if gt is None else [read_truth(gt, [], self.config)]
        self.reset()

    def __repr__(self) -> str:
        return f"<CocoMeter: {len(self._results):,} detections so far, {len(self._truth.images):,} images>"

    def reset(self) -> None:
        """Forget all that was added. Ground truth that the meter was made with stays."""
        self._truth = TruthSets()
        self._results: list[Any] = []
        self._unnamed: set[int] = set()  # images that came as tensors, without an id
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
        gt, pred = _named(sides, gt, pred)
        results = _rows(pred)
        if gt is None:
            self._check(results)
            self._results += results
        elif isinstance(gt, Mapping):
            self._add([read_truth(gt, results, self.config)], results)
        else:
            raise InputError(f"update: gt: found {shown(gt)}, expected {IN_MEMORY}")

    def _update_batch(self, preds: Any, target: Any) -> None:
        """Add a batch of tensors, as COCO would have it."""
        if not preds and not target:
            return
        batch = self._batches.read(preds, target, self._truth.images, self._truth.categories)
        self._add([read_truth(batch.gt, batch.results, self.config)], batch.results)
        self._unnamed.update(batch.unnamed)

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
        if self._meaning() != other._meaning():
            raise ConfigError("merge: the two meters have different parameters")
        shared = self.gt is not None and (self.gt is other.gt or self.gt == other.gt)
        sets, results = other._truth.sets[1:] if shared else list(other._truth.sets), list(other._results)
        new = new_ids(other._unnamed, self._truth.images | other._truth.images)
        if self._truth.images.isdisjoint(other._unnamed):
            new = {ident: ident for ident in other._unnamed}
        else:
            sets, results = [part.renumbered(new) for part in sets], renumbered_rows(results, new)
        self._add(sets, results)
        self._unnamed.update(new.values())

    def _add(self, sets: list[TruthSet], results: list[Any]) -> None:
        self._truth.add(sets, self.config.max_bad_records)
        self._results += results

    def _meaning(self) -> dict[str, Any]:
        found = params(self.config)
        return {name: value for name, value in found.items() if name not in {"top", "max_bad_records"}}

    def compute(self) -> Report[CocoArtifact]:
        """Compute the report over all detections so far; more may follow.

        Returns:
            The report.
        """
        if not self._truth.sets:
            raise InputError("compute: no ground truth was added yet, expected CocoMeter(gt) or update(gt, pred)")
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
