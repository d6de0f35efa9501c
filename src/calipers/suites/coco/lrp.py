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

from calipers.suites.coco.engine import THRESHOLDS
from calipers.suites.coco.replicates import RankedClass

WORST_FIT = 1 - float(THRESHOLDS[0])


def optimal_lrp(ranked: RankedClass, scores: Any, overlap: Any) -> tuple[float | None, float | None]:
    """The score from which on a class has the smallest LRP, and that; `scores` and `overlap` are of its detections.

    There is no score where LRP is 1 at best, as it is without detections. Both are undefined without objects.

    >>> hits, nobody = np.array([1, 0, 1], np.uint16), np.zeros(3, np.uint16)
    >>> ranked = RankedClass(np.zeros(3, np.int32), hits, nobody, np.zeros(2, np.int32))
    >>> optimal_lrp(ranked, np.array([0.9, 0.7, 0.5]), np.array([0.8, 0.0, 0.6]))  # (0.4 + 0 + 1) / (1 + 0 + 1)
    (0.9, 0.7)
    """
    objects = len(ranked.objects)
    if not objects:
        return None, None
    counted = ranked.ignored & 1 == 0
    sure, hit, fit = scores[counted], (ranked.hits & 1)[counted] > 0, np.minimum(overlap[counted], 1.0)
    ends = np.flatnonzero(np.append(sure[1:] != sure[:-1], True)[: len(sure)])  # one cannot cut between equal scores
    right = np.cumsum(hit)[ends]
    misfit = np.cumsum(np.where(hit, (1 - fit) / WORST_FIT, 0.0))[ends]
    wrong, not_found = ends + 1 - right, objects - right
    lrp = (misfit + wrong + not_found) / (objects + wrong)
    if not len(ends) or lrp.min() >= 1:
        return None, 1.0
    best = int(np.argmin(lrp))
    return float(sure[ends[best]]), float(lrp[best])
