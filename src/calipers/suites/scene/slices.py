"""Slices of the scene suite: figures of each method for groups of scenes, or of boxes by their size.

Fields are those of the file of attributes; built in are `objects`, the ground truth of a scene, and `size`, the volume
of a box. The headline is f1. By size, a prediction that is matched goes with its truth, any other by its own size; one
that could not be read has no size and is `(missing)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.core.matching import UNIT as OVERLAP_UNIT
from calipers.core.slice_draws import Resampling
from calipers.core.slice_fields import OBJECTS, SIZE
from calipers.core.slice_figures import UNIT, RatioFigure, SliceFigures
from calipers.core.slice_table import SliceTable
from calipers.report import Report
from calipers.slicing import add_slices, slice_run
from calipers.suites.scene.config import Config
from calipers.suites.scene.measure import MeasuredMethods, MethodFigures

COLUMNS = ("gt", "pred", "tp", "strict", "relaxed", "iou")  # the last in units
FIGURES = SliceFigures(
    (
        RatioFigure("precision", {"tp": 1}, {"pred": 1}),
        RatioFigure("recall", {"tp": 1}, {"gt": 1}),
        RatioFigure("f1", {"tp": 2}, {"gt": 1, "pred": 1}),
        RatioFigure("mean_iou_3d", {"iou": 1}, {"tp": UNIT}, is_mean=True),
        RatioFigure("strict_accuracy", {"strict": 1}, {"tp": 1}),
        RatioFigure("relaxed_accuracy", {"relaxed": 1}, {"tp": 1}),
    ),
    headline="f1",
    share={"gt": 1, "pred": 1},
    objects={"gt": 1},
)


def slice_methods(report: Report, measured: MeasuredMethods, config: Config) -> None:
    """Add the slices that were asked for to the artifact of each method."""
    if config.slice and measured.methods:
        trees = report.tree["methods"]
        tables = {method.name: slice_table(method, measured.reading.names, config) for method in measured.methods}
        resampling = Resampling(config.seed, config.bootstrap)
        runs = {
            name: slice_run(table, config, FIGURES, resampling, object_figures=FIGURES)
            for name, table in tables.items()
        }
        add_slices(report, *((trees[name], run) for name, run in runs.items()))


def slice_table(method: MethodFigures, scenes: list[str], config: Config) -> SliceTable:
    """Every scene: its counts and the fields it is sliced by; every box where sizes are asked for."""
    fields = [name for name in config.slice_fields if name != SIZE]
    table = SliceTable(COLUMNS, fields, COLUMNS if SIZE in config.slice_fields else None)
    record, columns = _rows(method)
    sums = np.array([np.bincount(record, column, len(scenes)) for column in columns]).astype(np.int64)
    table.extend(scenes, sums.reshape(len(COLUMNS), -1), {OBJECTS: sums[0].tolist()})
    if table.objects:
        counted = np.flatnonzero(columns.any(axis=0))
        side_scene = record[counted] + len(scenes) * (counted >= len(method.truth.scene))  # truths before predictions
        rows = counted[np.argsort(side_scene, kind="stable")]
        counts = np.bincount(side_scene, minlength=2 * len(scenes))
        sizes = np.concatenate(method.volumes())
        table.objects.extend(len(scenes), counts, sizes[rows], np.arange(len(rows)), columns[:, rows].T)
    return table


def _rows(method: MethodFigures) -> tuple[Any, Any]:
    """The scene of every box, (boxes,), truths first, and what each adds, (columns, boxes); pairs go with truths."""
    truth, pred, matches = method.truth, method.pred, method.counts.matches
    truths = len(truth.scene)
    columns = np.zeros((len(COLUMNS), truths + len(pred.scene)), dtype=np.int64)
    columns[0, :truths] = 1
    columns[1, truths:] = pred.counted
    columns[1, truths + matches.pred] = 0
    iou = np.rint(matches.score / OVERLAP_UNIT * UNIT)
    for row, values in enumerate((1, 1, matches.strict, matches.relaxed, iou), 1):
        columns[row, matches.truth] = values
    return np.concatenate([truth.scene, pred.scene]), columns
