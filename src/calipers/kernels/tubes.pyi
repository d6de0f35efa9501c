from calipers.core.shapes import Objects
from calipers.kernels.column import Column

class Comparison:
    def __init__(self, truth: Objects, pred: Objects, stroke_width: int, max_work: int) -> None: ...

def tube_pairs(
    truth: Objects, pred: Objects, stroke_width: int, max_work: int = 1000
) -> tuple[Column, Column, Column]: ...
def tube_paired(truth: Objects, pred: Objects, stroke_width: int, max_work: int = 1000) -> Column: ...
