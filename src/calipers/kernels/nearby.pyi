"""For other kernels only."""

from typing import Any

from calipers.kernels.column import Column

class Side:
    def __init__(self, boxes: Any) -> None: ...

class Neighbours:
    def __init__(self, most: int) -> None: ...
    def columns(self) -> tuple[Column, Column, Column]: ...
