from typing import Any

from calipers.kernels.scan.column import Column

def optimal(
    pairs: Any, min_overlap: int, truth_labels: Any = None, pred_labels: Any = None
) -> tuple[Column, Column, Column]: ...
