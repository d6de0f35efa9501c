from collections.abc import Sequence
from typing import Any

from calipers.kernels.column import Column

def sort_by_overlap(offsets: Column, *parts: tuple[Column, Column, Column]) -> tuple[Column, Column, Column]: ...
def greedy(
    pairs: Any, truth_count: int, pred_count: int, least: int, truth_labels: Any = None, pred_labels: Any = None
) -> tuple[Column, Column, Column]: ...
def by_confidence(
    pairs: Any,
    truth_count: int,
    confidence: Any,
    least: int,
    truth_labels: Any = None,
    pred_labels: Any = None,
    last: bool = False,
) -> tuple[Column, Column, Column]: ...
def first_pairs(index: Column, count: int) -> Column: ...
def take_rows(column: Any, positions: Sequence[int]) -> Column: ...
def int_column(values: Sequence[int]) -> Column: ...
