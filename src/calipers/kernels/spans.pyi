from collections.abc import Sequence
from typing import Any

from calipers.kernels.column import Column
from calipers.kernels.intervals import IntervalColumns

class Side:
    def __init__(self, columns: IntervalColumns, rank: Any) -> None: ...

def partners_in_order(
    truth: Sequence[tuple[int, int]], pred: Sequence[tuple[int, int]], least: int
) -> list[tuple[int, int]] | None: ...
def painted_runs(
    columns: IntervalColumns, rank: Column, video: int, frames: int, idle: int
) -> list[tuple[int, int, int]]: ...
