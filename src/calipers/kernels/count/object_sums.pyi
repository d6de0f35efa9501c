from typing import Any

from calipers.kernels.scan.column import Column

def mark_matched(found: Any, left: Any, truth: Any, pred: Any, met: Any, times: int, bit: int) -> None: ...
def object_rows(
    found: Any, left: Any, truth_sizes: Any, pred_sizes: Any, truth_offsets: Any, pred_offsets: Any, truths: int
) -> tuple[Column, Column, Column]: ...
def order_statistics(values: Any, places: Any) -> Column: ...
def most_objects(counts: Any) -> int: ...
def add_by_size(
    rows: Any,
    sums: Any,
    first: int,
    counts: Any,
    sizes: Any,
    kinds: Any,
    table: Any,
    columns: int,
    edges: Any,
    register_bits: int = 512,
) -> None: ...
def row_totals(values: Any) -> Column: ...

class Totals:
    def __init__(self, sums: Any) -> None: ...

class Kinds:
    def __init__(self, kinds: Any) -> None: ...
