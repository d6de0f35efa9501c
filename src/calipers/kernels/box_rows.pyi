from typing import Any

from calipers.kernels.column import Column

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
