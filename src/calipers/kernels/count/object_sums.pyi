from typing import Any

from calipers.kernels.scan.column import Column

def mark_matched(found: Any, left: Any, truth: Any, pred: Any, met: Any, times: int, bit: int) -> None: ...
def sums_by_size(
    counts: Any, sizes: Any, kinds: Any, table: Any, columns: int, edges: Any, records: int
) -> tuple[Column, Column]: ...
