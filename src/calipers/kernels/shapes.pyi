from typing import Any

from calipers.kernels.column import Column

FLAGS: dict[str, int]

class Shapes:
    starts: Column
    points: Column
    area: Column
    bounds: Column
    flags: Column
    def __init__(self, raw: Any) -> None: ...
