"""Slices of the timeline suite: means over groups of videos. Fields are those of the file of attributes.

The headline is frame_accuracy. Other figures are the headline shares of the suite, each over the videos of a slice in
which it is defined; `objects` are the events of the ground truth.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.core.figures import SHARE
from calipers.core.slice_draws import Resampling
from calipers.core.slice_figures import UNIT, SliceFigures, mean_figure
from calipers.core.slice_table import SliceTable
from calipers.report import Report
from calipers.slicing import add_slices, slice_run
from calipers.suites.timeline.config import Config
from calipers.suites.timeline.figures import MEANS
from calipers.suites.timeline.measure import MeasuredVideos
from calipers.suites.timeline.states import video_metrics
from calipers.suites.timeline.video_names import short_names

NAMES = tuple(spec.name for spec in MEANS if spec.headline and spec.unit == SHARE and spec.each is None)
HEADLINE = "frame_accuracy"


def slice_videos(report: Report, measured: MeasuredVideos, config: Config) -> None:
    """Add the slices that were asked for to the artifact."""
    means = tuple(mean_figure(name, f"{name}.n") for name in names(measured, config))
    figures = SliceFigures(means, HEADLINE, objects={"gt_events": 1})
    resampling = Resampling(config.seed, config.bootstrap)
    short = short_names(measured.counts.names)
    run = slice_run(slice_table(measured, config), config, figures, resampling, built_in=(), same_keys=short)
    add_slices(report, (report.tree, run))


def names(measured: MeasuredVideos, config: Config) -> list[str]:
    """The figures of a slice, as far as there are any of them."""
    columns = _columns(measured, config)
    return [name for name in NAMES if name in columns]


def _columns(measured: MeasuredVideos, config: Config) -> dict[str, Any]:
    return video_metrics(measured.counts, config.transition_tolerance_frames[0], gain=config.compliance_gain)


def slice_table(measured: MeasuredVideos, config: Config) -> SliceTable:
    """Every video: each figure in units, whether it is defined, and the events of the ground truth."""
    metrics, counts = _columns(measured, config), measured.counts
    told = names(measured, config)
    values = np.array([metrics[name] for name in told]).reshape(len(told), -1)  # NaN where undefined
    is_defined = ~np.isnan(values)
    units = np.rint(np.where(is_defined, values, 0.0) * UNIT).astype(np.int64)
    table = SliceTable([*told, *(f"{name}.n" for name in told), "gt_events"], config.slice_fields)
    table.extend(counts.names, np.concatenate([units, is_defined, counts.count("gt_events")[None]]), {})
    return table
