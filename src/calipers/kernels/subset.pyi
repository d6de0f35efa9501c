from collections.abc import Iterable

from calipers.kernels.column import Column
from calipers.records import Objects

def without_records(objects: Objects, records: Iterable[int]) -> tuple[Column, ...]: ...
