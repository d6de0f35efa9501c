from typing import Any

from calipers.kernels.column import Column
from calipers.kernels.intervals import IntervalColumns

class Side:
    def __init__(self, columns: IntervalColumns, rank: Any) -> None: ...

def painted_runs(
    columns: IntervalColumns, rank: Column, video: int, frames: int, idle: int
) -> list[tuple[int, int, int]]: ...
