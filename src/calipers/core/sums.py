"""Sums of floats that are the same on every Python.

From Python 3.12 on the built-in `sum` carries along what is lost in each addition, so its last bits differ from those
of earlier versions. It is used for whole numbers only; floats are added here, or exactly by `math.fsum`, which raises
where numbers are too large.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def add_in_order(values: Iterable[float]) -> float:
    """The sum of floats, each added to what was there; infinite where it is too large.

    >>> add_in_order([1e16, 1.0, -1e16]), add_in_order([1e308, 1e308]), add_in_order([])
    (0.0, inf, 0.0)
    """
    total = 0.0
    for value in values:
        total += value
    return total
