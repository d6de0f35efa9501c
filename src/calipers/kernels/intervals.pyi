from collections.abc import Collection
from typing import Any

from calipers.kernels.column import Column

LARGEST_FRAME: int

class IntervalColumns:
    offsets: Column
    state: Column
    start: Column
    end: Column
    states: dict[str, int]
    def __init__(self, states: dict[str, int]) -> None: ...
    def __len__(self) -> int: ...
    def add_video(self, given: Any, apart: Collection[str] = ...) -> tuple[Any, int | None] | None: ...
    def drop_video(self) -> None: ...

def count_keys(tree: Any) -> int: ...
