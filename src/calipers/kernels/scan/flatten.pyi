from typing import Any

from calipers.kernels.scan.column import Column

REASONS: tuple[str, ...]
KINDS: tuple[str, ...]

class ObjectColumns:
    offsets: Column
    kind: Column
    reason: Column
    flags: Column
    starts: Column
    points: Column
    desc: Column
    descs: dict[str, int]
    last_reason: int
    def __init__(self, descs: dict[str, int], framed: bool = True) -> None: ...
    def add_record(self, objects: list[Any], truth: bool, width: float = 1000.0, height: float = 1000.0) -> int: ...
    def drop_record(self) -> None: ...
    def join_records(self) -> None: ...
