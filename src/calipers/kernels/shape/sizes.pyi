from typing import Any

from calipers.kernels.scan.column import Column

def object_sizes(objects: Any, line: int, wanted: Any = None, register_bits: int = 512) -> Column: ...
