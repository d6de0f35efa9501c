from typing import Any

from calipers.kernels.scan.column import Column

def sums_by_size(
    counts: Any, sizes: Any, kinds: Any, table: Any, columns: int, edges: Any, records: int
) -> tuple[Column, Column]: ...
