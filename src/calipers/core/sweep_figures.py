"""The figures of a sweep over overlap thresholds: their declaration and their replicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from calipers.core.figures import FigureSpec, Floats, Tree, over

RATES = {
    "precision": ("precision", "matched / predicted objects at the primary threshold"),
    "recall": ("recall", "matched / true objects at the primary threshold"),
    "f1": ("F1", "2 · matched / (true + predicted objects) at the primary threshold"),
}
SHORT = {"precision": ("P",), "recall": ("R",)}  # in summaries
MEAN_F1 = "mean of F1 over the thresholds of the sweep"


def sweep_specs(
    prefix: str, place: str, each: Callable[[Tree], list[str]] | None, headline: tuple[str, ...]
) -> tuple[FigureSpec, ...]:
    """Precision, recall, F1 and mean F1 of a sweep that stands at a place of the artifact."""
    rates = [
        FigureSpec(
            name=f"{prefix}{name}",
            path=f"{place}.primary.{name}",
            interval=f"{place}.primary.interval.{name}",
            label=label,
            headline=name in headline,
            each=each,
            definition=definition,
            also=SHORT.get(name, ()),
        )
        for name, (label, definition) in RATES.items()
    ]
    mean = FigureSpec(
        name=f"{prefix}mean_f1",
        path=f"{place}.mean_f1",
        interval=f"{place}.mean_f1_interval",
        label="mean F1",
        headline="mean_f1" in headline,
        each=each,
        definition=MEAN_F1,
    )
    return (*rates, mean)


def sweep_replicates(tree: Mapping[str, Any], prefix: str, column: str) -> dict[str, Floats]:
    """The figures of a sweep in every replicate: ratios of sums that the artifact keeps."""
    sums = {name: np.array(values, dtype=np.float64) for name, values in tree["bootstrap"]["sums"].items()}
    if not sums["gt"].size:
        return {}
    gt, pred = sums["gt"], sums["pred"]
    matched, swept = sums[f"{column}matched"], sums[f"{column}matched_over_sweep"]
    return {
        f"{prefix}precision": over(matched, pred),
        f"{prefix}recall": over(matched, gt),
        f"{prefix}f1": over(2 * matched, gt + pred),
        f"{prefix}mean_f1": over(2 * swept, len(tree["params"]["thresholds"]) * (gt + pred)),
    }
