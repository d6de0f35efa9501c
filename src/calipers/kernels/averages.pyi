from typing import Any

from calipers.kernels.column import Column

def column_means(values: Any) -> tuple[Column, Column, Column]: ...
