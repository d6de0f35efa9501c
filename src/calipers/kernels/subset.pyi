from collections.abc import Iterable

from calipers.core.shapes import Objects
from calipers.kernels.column import Column

def without_records(objects: Objects, records: Iterable[int]) -> tuple[Column, ...]: ...
