from collections.abc import Collection
from typing import Any

from calipers.kernels.scan.column import Column

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
def rows_as_dicts(names: list[str], columns: list[list[Any]], count: int) -> list[dict[str, Any]]: ...
def nested_counts(
    video: Any, truth: Any, pred: Any, frames: Any, states: list[str], count: int
) -> list[dict[str, dict[str, int]]]: ...
