from collections.abc import Sequence
from typing import Any

from calipers.kernels.scan.column import Column
from calipers.kernels.scan.intervals import IntervalColumns

class Side:
    def __init__(self, columns: IntervalColumns, rank: Any) -> None: ...

def partners_in_order(
    truth: Sequence[tuple[int, int]], pred: Sequence[tuple[int, int]], min_frames: int
) -> list[tuple[int, int]] | None: ...
def painted_runs(
    columns: IntervalColumns, rank: Column, video: int, frames: int, idle: int
) -> list[tuple[int, int, int]]: ...
