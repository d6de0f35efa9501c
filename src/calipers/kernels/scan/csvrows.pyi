from typing import Any

from calipers.kernels.scan.column import Column

LARGEST_WHOLE: int
WHOLE: int
NUMBER: int
AMOUNT: int
TEXT: int
NAME: int

class RowError(ValueError):
    problem: str
    line: int
    column: int
    found: Any
    def __init__(self, problem: str, line: int, column: int = -1, found: Any = b"") -> None: ...

class Scanner:
    def __init__(self, data: bytes, start: int, line: int, wanted: list[tuple[int, int]]) -> None: ...

def first_row(data: bytes, start: int = 0) -> tuple[list[bytes], int, int, int]: ...
def read_columns(
    data: bytes, start: int, line: int, wanted: list[tuple[int, int]]
) -> tuple[list[Column], list[list[str]], Column]: ...
def count_steps(numbers: Column) -> tuple[int, int, int]: ...
def find_changes(codes: Column, labels: Column) -> list[int]: ...
def median_rate(counts: Column, times: Column) -> float | None: ...
