"""The detection suite in a loop: detections come in, a report comes out whenever it is asked for."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from calipers.core.errors import ConfigError, InputError
from calipers.report import Report
from calipers.suites.coco.evaluate import coco


class CocoMeter:
    """Collects detections on the images of one data set as they come.

    >>> truth = {"id": 1, "image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0}
    >>> gt = {"images": [{"id": 4}], "categories": [{"id": 7, "name": "cone"}], "annotations": [truth]}
    >>> meter = CocoMeter(gt)
    >>> meter.update([{"image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 9], "score": 0.8}])
    >>> meter.update([{"image_id": 4, "category_id": 7, "bbox": [50, 0, 10, 9], "score": 0.9}])
    >>> meter.compute()["coco"]["AP_50"]
    0.5
    """

    def __init__(self, gt: Any, **options: Any) -> None:
        self.gt, self.options = gt, options
        self.reset()

    def reset(self) -> None:
        """Forget all detections."""
        self._results: list[Any] = []
        found = coco(self.gt, [], **(self.options | {"bootstrap": 0})).measured.found  # what is wrong is found out now
        self._images, self._categories = set(found.images.ids.tolist()), set(found.categories.ids.tolist())

    def update(self, results: Any) -> None:
        """Add one detection or several, in COCO's form. If one names no image or class of the data, none is added."""
        given = [results] if isinstance(results, dict) else list(results)
        for row in given:
            self._check(row)
        self._results += given

    def _check(self, row: Any) -> None:
        if not isinstance(row, dict):
            raise InputError(f"update: found {row!r:.80}, expected detections: {{image_id, category_id, bbox, score}}")
        for name, known in (("image_id", self._images), ("category_id", self._categories)):
            value = row.get(name)
            if not isinstance(value, Hashable) or value not in known:
                raise InputError(f"update: {name}: found {value!r:.80}, expected one of the ground truth")

    def merge(self, other: CocoMeter) -> None:
        """Add all detections of another meter with the same ground truth and options."""
        if self.gt != other.gt or self.options != other.options:
            raise ConfigError("merge: the two meters have different ground truth or options")
        self._results += other._results

    def compute(self) -> Report:
        """The report over all detections so far."""
        return coco(self.gt, self._results, **self.options)
