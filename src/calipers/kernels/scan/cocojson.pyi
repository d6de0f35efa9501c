from typing import Any

from calipers.kernels.scan.column import Column

FIELDS: dict[str, int]

class CocoScan:
    has: Column
    image: Column
    category: Column
    box: Column
    score: Column
    ids: Column
    area: Column
    crowd: Column
    visible: Column
    shapes: Column
    odd: Column
    parts: dict[str, tuple[int, int]]
    is_list: bool
    def __init__(self, data: Any, truth: bool, shape: str) -> None: ...
    def __len__(self) -> int: ...

def scan_coco(data: Any, *, truth: bool, shape: str = "") -> CocoScan | None: ...
