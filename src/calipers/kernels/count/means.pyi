from typing import Any

from calipers.kernels.scan.column import Column

def column_means(values: Any) -> tuple[Column, Column, Column]: ...
