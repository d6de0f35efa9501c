from typing import Any

from calipers.kernels.scan.column import Column

REASONS: tuple[str, ...]
ROTATIONS: tuple[str, ...]
LARGEST: float
SMALLEST: float
TOLERANCE: float

class BoxColumns:
    offsets: Column
    center: Column
    half: Column
    axes: Column
    bounds: Column
    upright: Column
    reason: Column
    scores: Column
    index: Column
    labels: list[str]
    ids: list[Any]
    similarity: dict[int, dict[str, float]]
    last_reason: int
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def add_scene(self, objects: list[Any], strict: bool) -> int: ...
    def last_wrong(self) -> list[tuple[int, int]]: ...
    def drop_scene(self) -> None: ...

def all_plain(objects: list[Any]) -> bool: ...

class BoxRows:
    offsets: Column
    center: Column
    half: Column
    axes: Column
    bounds: Column
    upright: Column
    reason: Column
    first_bad: int
    def __init__(self, rows: Any) -> None: ...
    def __len__(self) -> int: ...
