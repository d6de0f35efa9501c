"""Slices of the detection suite: the score-free sweep and AP at IoU 0.50 for groups of images, or the sweep by size.

Fields are those of `images[]` and those of the file of attributes, by file name or id of an image (which win). Built in
are `objects`, the ground truth of an image that has to be found, and `size`, the area of an object as COCO has it. The
headline is sweep.f1. Images with nothing on either side are in no slice.

AP_50 of a slice is that of its images alone. Each replicate ranks the detections anew, those of the slice and those of
all other images. Replicates say how far AP varies and not where it lies, so intervals are moved to the values, less the
bias of AP, as in a run over these images. By size it has no value: COCO's AP_small and its like are that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core import sweep
from calipers.core.bootstrap import around, moved, ragged_bias
from calipers.core.slice_draws import Resampling
from calipers.core.slice_fields import OBJECTS, SIZE
from calipers.core.slice_figures import RatioFigure, SliceFigures, deviate
from calipers.core.slice_objects import matched_rows
from calipers.core.slice_table import SliceTable
from calipers.core.slices import MANY_SLICES, Slice
from calipers.report import Report
from calipers.slicing import add_slices, slice_run
from calipers.suites.coco.columns import Instances
from calipers.suites.coco.config import Config
from calipers.suites.coco.engine import usable
from calipers.suites.coco.measure import MeasuredImages
from calipers.suites.coco.replicates import excess, replicate_values, value_of_images, values_of_classes

COLUMNS = ("gt", "pred", "matched", "matched_over_sweep")
AP = "AP_50"
FIRST = np.uint16(1)  # the bit of the first threshold
NO_FIGURE = dict.fromkeys(("value", "interval", "rest", "difference", "difference_interval", "p"))


def image_fields(config: Config) -> list[str]:
    """The fields that are read from images."""
    return [name for name in config.slice_fields if name not in (OBJECTS, SIZE)]


def slice_images(report: Report, measured: MeasuredImages) -> None:
    """Add the slices that were asked for to the artifact."""
    config, images = measured.config, measured.detections.images
    busy = _busy(measured)
    names = {str(ident): name for ident, name in zip(images.ids.tolist(), images.names, strict=True)}
    figures = figures_of(config)
    table, resampling = slice_table(measured, busy), Resampling(config.seed, config.bootstrap)
    run = slice_run(table, config, figures, resampling, object_figures=figures, same_keys=names)
    precision = SlicePrecision(measured, busy, len(run.slices))
    slices = [part._replace(further={AP: precision.figure(part)}) for part in run.slices]
    add_slices(report, (report.tree, run._replace(slices=slices)))


def _busy(measured: MeasuredImages) -> NDArray[np.intp]:
    """The images that have something on a side."""
    sides = measured.detections.truth, measured.detections.pred
    return np.flatnonzero(np.diff(sides[0].offsets) + np.diff(sides[1].offsets))


def slice_table(measured: MeasuredImages, busy: NDArray[np.intp]) -> SliceTable:
    """Every image with something on it: its counts, and the fields it is sliced by."""
    sides, config, images = measured.matched, measured.config, measured.detections.images
    swept = sweep.Swept(sides.matching, sides, config.levels)
    columns = np.stack([np.diff(sides.truth.offsets), np.diff(sides.pred.offsets), *swept.matched_by_record])
    fields = [name for name in config.slice_fields if name != SIZE]
    table = SliceTable(COLUMNS, fields, COLUMNS if SIZE in config.slice_fields else None)
    table.known = set(images.known)
    values = {name: [column[place] for place in busy.tolist()] for name, column in images.fields.items()}
    names = [images.names[place] for place in busy.tolist()]
    table.extend(names, columns[:, busy], {**values, OBJECTS: columns[0, busy].tolist()})
    if table.objects:
        table.objects.extend(*_object_rows(measured, swept, busy))
    return table


def _object_rows(measured: MeasuredImages, swept: sweep.Swept, busy: NDArray[np.intp]) -> tuple[Any, ...]:
    """The objects of the images that have some; pairs go with their truths."""
    detections, sides = measured.detections, measured.matched
    pairs = (detections.truth, sides.truth), (detections.pred, sides.pred)
    truth_areas, pred_areas = (_areas(instances)[side.rows] for instances, side in pairs)
    rows = matched_rows([swept], measured.config.levels, truth_areas, lambda left: pred_areas[left != 0])
    images, counts, sizes, kinds, table = rows
    return len(busy), counts.reshape(-1, images)[:, busy].reshape(-1), sizes, kinds, table


def _areas(instances: Instances) -> Any:
    """Areas of objects; NaN for what could not be read."""
    return np.where(usable(instances), instances.area, np.nan)


def figures_of(config: Config) -> SliceFigures:
    """The figures of a slice, as `compare` names them, but for AP."""
    sides, times = {"gt": 1, "pred": 1}, len(config.levels.thresholds)
    figures = (
        RatioFigure("sweep.precision", {"matched": 1}, {"pred": 1}),
        RatioFigure("sweep.recall", {"matched": 1}, {"gt": 1}),
        RatioFigure("sweep.f1", {"matched": 2}, sides),
        RatioFigure("sweep.mean_f1", {"matched_over_sweep": 2}, dict.fromkeys(sides, times)),
    )
    return SliceFigures(figures, "sweep.f1", sides, {"gt": 1})


class SlicePrecision:
    """AP at IoU 0.50 of some images and of all others, each with the values of its replicates, computed once."""

    def __init__(self, measured: MeasuredImages, busy: NDArray[np.intp], slices: int) -> None:
        self._measured, self._busy, self._slices = measured, busy, slices
        ranked = measured.ranked_columns
        self._ranked = ranked._replace(hits=ranked.hits & FIRST, ignored=ranked.ignored & FIRST)
        self._drawn: dict[bytes, tuple[Any, float]] = {}  # by the images

    def figure(self, part: Slice) -> dict[str, Any]:
        """The figure of a slice, as the artifact has it."""
        if self._measured.matches is None or SIZE in part.field.split("×"):
            return NO_FIGURE
        inside = np.zeros(len(self._measured.detections.images.names), dtype=bool)
        inside[self._busy[part.members]] = True
        value, rest = (value_of_images(self._ranked, images) for images in (inside, ~inside))
        records, (draws, bias) = part.own.records, self._replicates(inside)
        ends = around(value, draws, records=records, bias=bias)
        figure = NO_FIGURE | {"value": value, "interval": ends, "rest": rest}
        if value is None or rest is None:
            return figure
        difference = value - rest
        if self._slices > MANY_SLICES:
            return figure | {"difference": difference}
        apart = draws - self._replicates(~inside)[0]
        records = min(records, part.rest.records)
        ends = moved(difference, apart, records=records)
        p = deviate(difference, apart, records)  # until its chance is known
        return figure | {"difference": difference, "difference_interval": ends, "p": p}

    def _replicates(self, images: NDArray[np.bool_]) -> tuple[Any, float]:
        """Values in replicates, and by how much AP is too high; with two slices, the rest of one is the other."""
        key = images.tobytes()
        if key not in self._drawn:
            config, ranked = self._measured.config, self._ranked.within(images)
            values = replicate_values(
                self._measured.detections.images.names,
                ranked,
                thresholds=1,
                recall_target=config.recall_target,
                seed=config.seed,
                replicates=config.bootstrap,
            )
            draws = values.mean_average[0]
            self._drawn[key] = draws, ragged_bias(excess(draws, values_of_classes(ranked), values.present))
        return self._drawn[key]
