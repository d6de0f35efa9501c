from typing import Any

from calipers.kernels.column import Column

def box_pairs(
    truth: Any,
    truth_offsets: Any,
    crowd: Any,
    pred: Any,
    pred_offsets: Any,
    least: float,
    most: int = 9223372036854775807,
) -> tuple[Column, Column, Column]: ...
