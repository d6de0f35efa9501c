"""Student's t: how likely a value at least this far from 0 is, and how to hold many such tests to one level."""

from __future__ import annotations

from collections.abc import Sequence
from math import lgamma
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.kernels.count.inference import beta_fractions

Floats = NDArray[np.float64]


def two_sided(deviates: Any, freedom: Any) -> Floats:
    """The chance of Student's t to lie at least as far from 0, on either side, as each of these.

    There may be one number of degrees of freedom, or one for each.

    >>> two_sided([0.0, 2.0, -2.0, np.inf], 10).round(6).tolist()
    [1.0, 0.073388, 0.073388, 0.0]
    """
    t = np.abs(np.asarray(deviates, dtype=np.float64))
    n = np.broadcast_to(np.asarray(freedom, dtype=np.float64), t.shape)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        ratio = t * t / n
        chance = _incomplete_beta(ratio, n / 2)
    return np.where(t == 0, 1.0, np.where(np.isinf(ratio), 0.0, chance))


def _incomplete_beta(ratio: Floats, a: Floats) -> Floats:
    """The regularised incomplete beta function of x = 1 / (1 + ratio) for a and 1 / 2, by its continued fraction."""
    x, rest = 1 / (1 + ratio), ratio / (1 + ratio)
    factors = {value: lgamma(value + 0.5) - lgamma(value) - lgamma(0.5) for value in np.unique(a).tolist()}
    front = np.exp(np.array([factors[value] for value in a.tolist()]) - a * np.log1p(ratio) + 0.5 * np.log(rest))
    half = np.full(a.shape, 0.5)
    is_small = x < (a + 1) / (a + 2.5)
    sides = np.where(is_small, (x, a, half), (rest, half, a))
    share = front * np.asarray(beta_fractions(*sides)) / sides[1]
    chance: Floats = np.where(is_small, share, 1 - share)
    return chance


def discoveries(values: Sequence[float | None], level: float = 0.05) -> list[bool]:
    """Which tests are sure with a false-discovery rate of `level`, by Benjamini and Hochberg; None is no test.

    >>> discoveries([0.01, 0.04, 0.03, 0.5, None])
    [True, False, False, False, False]
    >>> discoveries([0.01, 0.02, 0.03])
    [True, True, True]
    """
    known = sorted(value for value in values if value is not None)
    passed = [value for rank, value in enumerate(known, 1) if value <= level * rank / len(known)]
    largest = max(passed, default=-1.0)
    return [value is not None and value <= largest for value in values]
