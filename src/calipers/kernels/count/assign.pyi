from typing import Any

from calipers.kernels.scan.column import Column

class PairSource:
    def __init__(self, truth: Any, pred: Any, score: Any) -> None: ...

def sort_by_overlap(offsets: Column, *parts: tuple[Column, Column, Column]) -> tuple[Column, Column, Column]: ...
def greedy(
    pairs: Any, truth_count: int, pred_count: int, min_overlap: int, truth_labels: Any = None, pred_labels: Any = None
) -> tuple[Column, Column, Column]: ...
def confidence_order(confidence: Any) -> Column: ...
def in_order(
    pairs: Any,
    truth_count: int,
    order: Any,
    min_overlap: int,
    truth_labels: Any = None,
    pred_labels: Any = None,
    last: bool = False,
) -> tuple[Column, Column, Column]: ...
def first_pairs(index: Column, count: int) -> Column: ...
def count_levels(
    pairs: Any, truth_offsets: Any, truth_kind: Any, pred_kind: Any, units: Any, swept: Any, primary: int, tight: int
) -> tuple[Column, Column, Column, Column, Column, Column]: ...
