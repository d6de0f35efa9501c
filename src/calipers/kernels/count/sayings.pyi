from typing import Any

from calipers.kernels.scan.column import Column

def count_met(first: Any, second: Any, times: Any, codes: int) -> tuple[Column, Column, Column]: ...
def count_shared(
    truth: Any, pred: Any, times: Any, starts: Any, entries: Any, keys: Any, key_count: int
) -> Column: ...
