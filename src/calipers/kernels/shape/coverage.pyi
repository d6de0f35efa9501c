from typing import Any

from calipers.core.shapes import Objects
from calipers.kernels.scan.column import Column

class Lines:
    def __init__(self, objects: Objects) -> None: ...

def coverage_of(
    truth: Objects, pred: Objects, truth_index: Any, pred_index: Any, tolerance: float
) -> tuple[Column, Column, Column]: ...
def near_lines(truth: Objects, pred: Objects, reach: float, max_work: int = 1000) -> tuple[Column, Column]: ...
