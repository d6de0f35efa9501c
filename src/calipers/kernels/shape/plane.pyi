from collections.abc import Iterable
from typing import Any

from calipers.core.shapes import Objects
from calipers.kernels.scan.column import Column

MAX_WORK: int
SMALL: int
LARGE: int

class WorkLimitError(Exception):
    records: list[int]
    max_work: int
    def __init__(self, records: list[int], max_work: int) -> None: ...

class Work:
    records: list[int]
    def __init__(self, max_work: int) -> None: ...

class Candidates:
    def __init__(self) -> None: ...

class Sweep:
    def __init__(self, n: int) -> None: ...

def ring_crosses(points: Any, sweep: bool) -> tuple[bool, int]: ...

class Outline:
    def __init__(self) -> None: ...

FLAGS: dict[str, int]

class Shapes:
    starts: Column
    points: Column
    area: Column
    bounds: Column
    flags: Column
    def __init__(self, raw: Any) -> None: ...

def without_records(objects: Objects, records: Iterable[int]) -> tuple[Column, ...]: ...

class EdgeSums:
    def __init__(self) -> None: ...

class Regions:
    def __init__(self, objects: Objects) -> None: ...

class RegionComparison:
    def __init__(self, truth: Objects, pred: Objects, max_work: int) -> None: ...

class RegionPairs:
    def __init__(self) -> None: ...

def region_pairs(
    truth: Objects, pred: Objects, min_overlap: float, max_work: int = 1000
) -> tuple[Column, Column, Column]: ...
def region_paired(truth: Objects, pred: Objects, max_work: int = 1000) -> Column: ...

class Grid:
    def __init__(self) -> None: ...

class Tubes:
    def __init__(self, objects: Objects, stroke_width: int) -> None: ...

class TubeComparison:
    def __init__(self, truth: Objects, pred: Objects, stroke_width: int, max_work: int) -> None: ...

def tube_pairs(
    truth: Objects, pred: Objects, stroke_width: int, max_work: int = 1000
) -> tuple[Column, Column, Column]: ...
def tube_paired(truth: Objects, pred: Objects, stroke_width: int, max_work: int = 1000) -> Column: ...

class Lines:
    def __init__(self, objects: Objects) -> None: ...

def coverage_of(
    truth: Objects, pred: Objects, truth_index: Any, pred_index: Any, tolerance: float
) -> tuple[Column, Column, Column]: ...
def near_lines(truth: Objects, pred: Objects, reach: float, max_work: int = 1000) -> tuple[Column, Column]: ...
