"""Artifacts of the dense suite from counts of made-up records: as the suite would write them, in a millisecond."""

from typing import Any

import numpy as np

from calipers.core.bootstrap import interval, middle, resample
from calipers.core.causes import CAUSES, OUTCOMES

THRESHOLDS = [0.5, 0.75]
OBJECTS = ("gt", "pred", "invalid_pred", "clamped", "repaired", "degenerate")


def artifact(keys: list[str], gt: Any, pred: Any, matched: Any, *, replicates: int = 1000, seed: int = 0) -> dict:
    """The tree of records with so many objects, predictions and pairs (at 0.5, and as many at 0.75)."""
    sums = resample(keys, np.stack([gt, pred, matched, 2 * matched]), seed=seed, replicates=replicates)
    drawn = dict(zip(("gt", "pred", "category.matched", "category.matched_over_sweep"), sums.tolist(), strict=True))
    n, totals = len(keys), [int(np.sum(column)) for column in (gt, pred, matched)]
    ends = {
        "precision": interval(sums[2], sums[1], records=n),
        "recall": interval(sums[2], sums[0], records=n),
        "f1": interval(2 * sums[2], sums[0] + sums[1], records=n),
    }
    counted = {"iou": 0.5, **dict(zip(("gt", "pred", "matched"), totals, strict=True))}
    f1 = 2 * totals[2] / (totals[0] + totals[1])
    counted |= {"precision": totals[2] / totals[1], "recall": totals[2] / totals[0], "f1": f1}
    sweep = {
        "thresholds": [counted | {"iou": iou} for iou in THRESHOLDS],
        "primary": counted | {"interval": ends},
        "mean_f1": f1,
        "mean_f1_interval": ends["f1"],
        "mean_overlap_matched": None,
        "by_type": {},
        "by_label": [],
    }
    missed, spurious = totals[0] - totals[2], totals[1] - totals[2]
    errors = dict.fromkeys(OUTCOMES, 0) | {"matched": totals[2], "spurious": spurious, "missed": missed}
    return _head(replicates, seed) | {
        "records": {"read": n, "evaluated": n, "skipped_empty": 0, "rejected": 0},
        "objects": dict.fromkeys(OBJECTS, 0) | {"gt": totals[0], "pred": totals[1]},
        "modes": {"category": sweep},
        "errors": errors,
        "errors_by_label": [{"label": "a", **{cause: errors[cause] for cause in CAUSES}}],
        "worth": {"f1": _gains(sums[:3], totals, n), "mean_f1": _gains(sums[:3], totals, n)},
        "confusion": {"matched": {"a": {"a": totals[2]}}, "missed": {"a": missed}, "background": {"a": spurious}},
        "bootstrap": {"replicates": replicates, "seed": seed, "sums": drawn},
    }


def _gains(sums: Any, totals: list[int], records: int) -> dict:
    """What is gained without what is spurious, and with what is missed; all other causes are never there."""
    gains = {}
    for cause in CAUSES:
        values = [_gain(cause, *np.asarray(each, dtype=float)) for each in (totals, sums)]
        gains[cause] = {"gain": float(values[0]), "interval": middle(values[1], records=records)}
    return gains


def _gain(cause: str, gt: Any, pred: Any, matched: Any) -> Any:
    f1 = 2 * matched / (gt + pred)
    found = {"spurious": 2 * matched / (gt + matched), "missed": 2 * gt / (gt + pred + gt - matched)}
    return found.get(cause, f1) - f1


def _head(replicates: int, seed: int) -> dict:
    """What is the same whatever the counts are."""
    rates = dict.fromkeys(("precision", "recall", "f1"))
    params = {"tube_tolerance": 8.0, "primary_threshold": 0.5, "thresholds": THRESHOLDS, "modes": ["category"]}
    params |= {"label_key": "类别", "frame": "norm1000", "top": 25, "bootstrap": replicates, "seed": seed}
    return {
        "suite": "dense",
        "protocol": "dense/1",
        "calipers": "0.1.0",
        "inputs": [],
        "params": params,
        "counts": dict.fromkeys(("mae", "over_rate", "under_rate", "equal_rate")),
        "attributes": {"pairs": 0, **rates, "by_key": {}, "text": {}, "distance": {"n": 0, "exact": None, "mae": None}},
        "coverage": {"matched": {"n": 0, **rates}, "best": {"n": 0, **rates}},
        "invalid_reasons": {},
        "unlabelled": {"gt": 0, "pred": 0},
        "rejected": [],
    }


def pair(
    rng: np.random.Generator, records: int, *, drop: float = 0.0, alike: float = 0.5, replicates: int = 1000
) -> tuple[dict, dict]:
    """Two models over the same records, the second with a recall that is truly lower by `drop`.

    Records differ in how hard they are. A share `alike` of the objects is found or missed by both, the rest by each on
    its own.
    """
    name = rng.integers(1 << 60)
    keys = [f"{name:x}-{k}" for k in range(records)]
    gt = 1 + rng.poisson(5, records)
    chance = np.clip(rng.beta(6, 3, records), max(drop, 0.01), 1)
    shared = rng.binomial(gt, alike)
    both = rng.binomial(shared, chance)
    first = both + rng.binomial(gt - shared, chance)
    kept = (chance - drop) / chance  # of what both find
    second = rng.binomial(both, kept) + rng.binomial(gt - shared, chance - drop)
    extra = rng.poisson(1, (2, records))
    old, new = ((matched + more, matched) for matched, more in zip((first, second), extra, strict=True))
    return artifact(keys, gt, *old, replicates=replicates), artifact(keys, gt, *new, replicates=replicates)
