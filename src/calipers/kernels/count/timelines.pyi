from collections.abc import Callable
from typing import Any

from calipers.kernels.scan.column import Column
from calipers.kernels.scan.intervals import IntervalColumns

FRAME_ERRORS: tuple[str, ...]
COUNTS: tuple[str, ...]
RATES: tuple[str, ...]

class Meter:
    counts: Column
    rates: Column
    cell_video: Column
    cell_truth: Column
    cell_pred: Column
    cell_frames: Column
    def __init__(
        self, truth: IntervalColumns, pred: IntervalColumns, rank: Any, idle: int, focus: int, min_frames: int
    ) -> None: ...

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
    min_frames: int,
    union: bool,
    distance: Callable[[list[int], list[int]], int],
    ignored: Any,
    own_tolerances: Any,
) -> tuple[Column, Column, tuple[Column, Column, Column, Column]]: ...
