from collections.abc import Collection
from typing import Any

from calipers.kernels.column import Column

BESIDE: tuple[str, ...]
LARGEST_FRAME: int

class IntervalColumns:
    offsets: Column
    state: Column
    start: Column
    end: Column
    states: dict[str, int]
    def __init__(self, states: dict[str, int]) -> None: ...
    def __len__(self) -> int: ...
    def add_video(self, given: Any, apart: Collection[str] | None = None) -> tuple[Any, int | None] | None: ...
    def is_empty(self) -> bool: ...
    def drop_video(self) -> None: ...

def add_plain_videos(
    truth: IntervalColumns,
    pred: IntervalColumns,
    names: list[str],
    first: int,
    truths: dict[str, Any],
    preds: dict[str, Any],
    partners: dict[str, str],
    fps: list[float | None],
) -> int: ...
def count_keys(tree: Any) -> int: ...
