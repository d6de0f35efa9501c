"""Localisation recall precision (LRP) of a class, and the score that makes it best (Oksuz et al., ECCV 2018).

With detections of a score of s or more, matched by score within the class at IoU 0.50,

    LRP(s) = (sum over right ones of (1 - IoU) / (1 - 0.50) + wrong ones + objects not found)
             / (right ones + wrong ones + objects not found)

It is 0 for boxes that all fit exactly, and 1 where nothing is found. Other than F1 it also asks how well right boxes
fit. The optimal LRP is the smallest over all scores that one could cut at, of equally good ones the highest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

WORST_FIT = 1 - 0.5

Floats = NDArray[np.float64]


def lrp_entry(score: Floats, right: NDArray[np.bool_], fit: Floats, objects: int) -> dict[str, float | None]:
    """The optimal LRP of a class and its score, as the artifact has them; detections with the surest first.

    `fit` is the overlap of each right one with its object. There is no score where LRP is 1 at best, as it is without
    detections. Both are undefined without objects.

    >>> right, fit = np.array([True, False, True]), np.array([0.8, 0.0, 0.6])
    >>> lrp_entry(np.array([0.9, 0.7, 0.5]), right, fit, 2)  # (0.4 + 0 + 1) / (1 + 0 + 1)
    {'optimal_lrp': 0.7, 'lrp_optimal_score': 0.9}
    """
    best, lrp = optimal_cut(score, right, fit, objects) if objects else (None, None)
    return {"optimal_lrp": lrp, "lrp_optimal_score": best}


def optimal_cut(score: Floats, right: Any, fit: Floats, objects: int) -> tuple[float | None, float]:
    """The score at which a cut makes LRP smallest (None where LRP is 1 at best), and the LRP there."""
    ends = np.flatnonzero(np.append(score[1:] != score[:-1], True)[: len(score)])  # no cut between equal scores
    true_positives = np.cumsum(right)[ends]
    misfit = np.cumsum(np.where(right, (1 - np.minimum(fit, 1.0)) / WORST_FIT, 0.0))[ends]
    wrong, not_found = ends + 1 - true_positives, objects - true_positives
    lrp = (misfit + wrong + not_found) / (objects + wrong)
    if not len(ends) or lrp.min() >= 1:
        return None, 1.0
    best = int(np.argmin(lrp))
    return float(score[ends[best]]), float(lrp[best])
