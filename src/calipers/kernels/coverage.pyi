from calipers.kernels.column import Column
from calipers.records import Objects

def coverage(truth: Objects, pred: Objects, i: int, j: int, tolerance: float) -> tuple[float, float, float]: ...
def coverage_pairs(
    truth: Objects, pred: Objects, tolerance: float
) -> tuple[Column, Column, Column, Column, Column]: ...
