"""How far noise reaches: what a drop could be in truth, and the smallest one that a set can detect.

The standard deviation of a difference is that of its replicates, made a little larger for few records:
s = sd * sqrt(n / (n - 1)) over n records. Noise reaches t * s to both sides, where t is the quantile of Student's t at
0.975 for n - 1 degrees of freedom; with k figures that may not drop, at 1 - 0.025 / k, so that many rules raise no more
false alarms than one. A drop is sure when neither this reach nor the 95 % interval of the replicates goes back to 0:
of equal models, hardly more than 2.5 % have one. With the quantile u at 0.80 (0.842 for many records), a real drop of
(t + u) * s is found sure in 80 % of cases, since only 20 % of observed drops are more than u * s below the real one.
"""

from __future__ import annotations

from functools import reduce
from math import cos, pi, sin, sqrt, tan
from operator import add
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from calipers.results.compare import FigureChange

FALSE_ALARMS = 0.025
POWER = 0.80
FEW = 40  # degrees of freedom
HALVINGS = 52  # as many as a float has bits


class Noise(NamedTuple):
    """What noise makes of a change for the worse, which counts as positive."""

    drop: float
    low: float  # in truth it is at least this, …
    high: float  # … and at most this
    detectable: float  # the smallest real drop that is found in 80 % of cases


def noise_of(change: FigureChange, rules: int = 1) -> Noise | None:
    """The drop of a figure with its bounds; nothing without an interval or a good direction."""
    up = change.new.higher_is_better
    if change.difference is None or change.interval is None or change.draws is None or up is None:
        return None
    worse = -1.0 if up else 1.0
    drop, ends = worse * change.difference, sorted(worse * end for end in change.interval)
    spread = float(np.nanstd(change.draws)) * sqrt(change.n / (change.n - 1))
    reach = quantile(1 - FALSE_ALARMS / rules, change.n - 1) * spread
    detectable = reach + quantile(POWER, change.n - 1) * spread
    return Noise(drop, min(ends[0], drop - reach), max(ends[1], drop + reach), detectable)


def quantile(share: float, freedom: int) -> float:
    """Student's t at a share above one half: exact for few degrees of freedom, else by its expansion around the normal
    distribution, which is then as good.

    >>> [round(quantile(0.975, freedom), 2) for freedom in (1, 2, 3, 10, 100)]
    [12.71, 4.3, 3.18, 2.23, 1.98]
    """
    return _expanded(share, freedom) if freedom > FEW else _inverted(share, freedom)


def _inverted(share: float, freedom: int) -> float:
    """Student's t by bisection of the angle whose tangent is t / sqrt(freedom)."""
    low, high = 0.0, pi / 2
    for _ in range(HALVINGS):
        angle = (low + high) / 2
        low, high = (angle, high) if _within(angle, freedom) < 2 * share - 1 else (low, angle)
    return sqrt(freedom) * tan(low)


def _within(angle: float, freedom: int) -> float:
    """The probability that Student's t lies between -t and t: a finite sum of powers of the cosine."""
    odd, power = freedom % 2, cos(angle) if freedom % 2 else 1.0
    total, factor = 0.0, 1.0
    for k in range(freedom // 2):
        total += factor * power
        power *= cos(angle) ** 2
        factor *= (2 * k + 1 + odd) / (2 * k + 2 + odd)
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


def _expanded(share: float, freedom: int) -> float:
    return float(_student(NormalDist().inv_cdf(share), freedom))


def _student(z: Any, freedom: int) -> Any:
    """The value of Student's t with the tail probability of the normal deviate `z`, by expansion."""
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    added = (term / float(freedom) ** power for power, term in enumerate(terms, 1))
    return z + reduce(add, added)  # `sum` of floats differs from Python 3.12 on
