from collections.abc import Iterable
from typing import Any

from calipers.core.shapes import Objects
from calipers.kernels.scan.column import Column

FLAGS: dict[str, int]

class Shapes:
    starts: Column
    points: Column
    area: Column
    bounds: Column
    flags: Column
    def __init__(self, raw: Any) -> None: ...

def without_records(objects: Objects, records: Iterable[int]) -> tuple[Column, ...]: ...
