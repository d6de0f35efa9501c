from typing import Any

from calipers.kernels.scan.column import Column

class CheckedPairs:
    def __init__(self, pairs: Any, truths: int, preds: int, truth_labels: Any, pred_labels: Any) -> None: ...

def find_causes(
    pairs: Any,
    truth_count: int,
    pred_count: int,
    min_overlap: int,
    faint: int,
    truth_labels: Any,
    pred_labels: Any,
) -> tuple[Column, Column, Column]: ...
def count_outcomes(labels: Any, outcomes: Any, names: int) -> Column: ...
def count_causes(
    pairs: Any, truth_offsets: Any, pred_offsets: Any, min_overlap: Any, faint: Any, truth_labels: Any, pred_labels: Any
) -> Column: ...
