from typing import Any

from calipers.kernels.scan.column import Column

def box_pairs(
    truth: Any,
    truth_offsets: Any,
    crowd: Any,
    pred: Any,
    pred_offsets: Any,
    min_overlap: float,
    most: int = 9223372036854775807,
) -> tuple[Column, Column, Column]: ...
def repeated(offsets: Any, category: Any, box: Any, score: Any) -> Column: ...
def outside(image: Any, box: Any, width: Any, height: Any) -> Column: ...
def measure_rle(counts: Any, height: int, width: int) -> tuple[int, int, int, int, int] | None: ...
