from typing import Any

class Cells:
    def __init__(self, cells: list[bytes]) -> None: ...

class RowSide:
    def __init__(
        self,
        name: bytes,
        objects: Any,
        outcomes: Any,
        partners: list[Any],
        scores: list[Any],
        invalid: dict[int, bytes],
    ) -> None: ...

def match_lines(
    keys: list[bytes], labels: list[bytes], kinds: list[bytes], outcomes: list[bytes], truth: RowSide, pred: RowSide
) -> memoryview: ...
