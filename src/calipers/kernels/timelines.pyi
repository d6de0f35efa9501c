from collections.abc import Callable
from typing import Any

from calipers.kernels.column import Column
from calipers.kernels.intervals import IntervalColumns

COUNTS: tuple[str, ...]
RATES: tuple[str, ...]

def measure(
    truth: IntervalColumns,
    pred: IntervalColumns,
    rank: Any,
    *,
    idle: int,
    focus: int,
    starts: Any,
    named: Any,
    tolerances: Any,
    least: int,
    union: bool,
    distance: Callable[[list[int], list[int]], int],
) -> tuple[Column, Column, tuple[Column, Column, Column, Column]]: ...
