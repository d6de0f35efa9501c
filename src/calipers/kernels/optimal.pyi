from typing import Any

from calipers.kernels.column import Column

def optimal(
    pairs: Any, least: int, truth_labels: Any = None, pred_labels: Any = None
) -> tuple[Column, Column, Column]: ...
