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
    begins: Column
    parts: dict[str, tuple[int, int]]
    is_list: bool
    is_closed: bool
    behind: int
    def __init__(self, data: Any, truth: bool, shape: str) -> None: ...
    def __len__(self) -> int: ...

def scan_coco(data: Any, *, truth: bool, shape: str = "") -> CocoScan | None: ...
def scan_piece(data: Any, begin: int, *, truth: bool) -> CocoScan: ...
def value_end(data: bytes, begin: int) -> int | None: ...
