"""Slices of the dense suite: figures of each label mode for groups of records, or of objects by their size.

Fields are those of the record and those of the file of attributes (which win). Built in are `objects`, the ground truth
of a record, and `size`: of a region the side of a square of the same area, of a line its length, in norm1000 units. The
headline is category.f1, or F1 of the last mode that is reported.

By size, a prediction that is matched in a mode (at the lowest threshold that counts) goes with its truth there, any
other by its own size; one that could not be read has no size and is `(missing)`.
"""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from calipers.core import sweep
from calipers.core.shapes import KINDS, Batch
from calipers.core.slice_draws import Resampling, Sums
from calipers.core.slice_fields import OBJECTS, SIZE
from calipers.core.slice_figures import RatioFigure, SliceFigures
from calipers.core.slice_objects import matched_rows
from calipers.core.slice_table import SliceTable
from calipers.kernels.shape.sizes import object_sizes
from calipers.slicing import SlicedRun, slice_run
from calipers.suites.dense.config import Config
from calipers.suites.dense.figures import main_group

LINE = KINDS.index("line")
PAIRS = ("matched", "matched_over_sweep")
Swept = dict[str, sweep.Swept]  # by mode


def slice_table(batch: Batch, swept: Swept, config: Config) -> SliceTable:
    """Every record of a batch: objects, matched pairs of each mode, and the fields it is sliced by."""
    table = empty_table(config)
    truth, pred = np.diff(batch.truth.offsets), np.diff(batch.pred.offsets)
    columns = [truth, pred]
    for mode in config.modes:
        columns += swept[mode].matched_by_record
    counted = {OBJECTS: truth.tolist()} if OBJECTS in table.fields else {}
    table.extend_hashed(batch.hashes, np.stack(columns), {**batch.fields, **counted})
    if table.objects:
        sizes = object_sizes(batch.truth, LINE), partial(object_sizes, batch.pred, LINE)
        table.objects.extend(*matched_rows([swept[mode] for mode in config.modes], config.levels, *sizes))
    return table


def empty_table(config: Config) -> SliceTable:
    """A table without records."""
    return SliceTable(*_table_names(config.modes, config.slice_fields))


@cache
def _table_names(modes: tuple[str, ...], fields: tuple[str, ...]) -> tuple[list[str], list[str], list[str] | None]:
    """The columns of records, the fields, and the columns of objects where they are asked for."""
    names = ["gt", "pred", *(f"{mode}.{name}" for mode in modes for name in PAIRS)]
    by_size = ["gt", *(f"{mode}.{name}" for mode in modes for name in ("pred", *PAIRS))]
    return names, [name for name in fields if name != SIZE], by_size if SIZE in fields else None


def figures_of(config: Config, *, by_size: bool = False) -> SliceFigures:
    """The figures of a slice, as `compare` names them; by size each mode has predictions of its own."""
    figures = []
    for mode in config.modes:
        pred = f"{mode}.pred" if by_size else "pred"
        matched, over_sweep = (f"{mode}.{name}" for name in PAIRS)
        sides, times = {"gt": 1, pred: 1}, len(config.thresholds)
        figures += [
            RatioFigure(f"{mode}.precision", {matched: 1}, {pred: 1}),
            RatioFigure(f"{mode}.recall", {matched: 1}, {"gt": 1}),
            RatioFigure(f"{mode}.f1", {matched: 2}, sides),
            RatioFigure(f"{mode}.mean_f1", {over_sweep: 2}, dict.fromkeys(sides, times)),
        ]
    main = main_group(list(config.modes))
    share = {"gt": 1, f"{main}.pred" if by_size else "pred": 1}
    return SliceFigures(tuple(figures), f"{main}.f1", share, {"gt": 1})


def slice_total(table: SliceTable, sums: Sums, config: Config) -> SlicedRun:
    """The slices of a run, once all records are in the table, and their sums in replicates are known."""
    resampling, by_size = Resampling(config.seed, config.bootstrap), figures_of(config, by_size=True)
    sums = {**sums, **{f"{mode}.pred": sums["pred"] for mode in config.modes}}
    return slice_run(table, config, figures_of(config), resampling, object_figures=by_size, sums=sums)
