from typing import Any

from calipers.kernels.scan.column import Column

def match_in_areas(
    order: Any,
    offsets: Any,
    truth: Any,
    overlap: Any,
    unwanted: Any,
    crowd: Any,
    excused: Any,
    thresholds: Any,
    areas: int,
) -> tuple[Column, Column, Column, Column]: ...
def rows_by_class(rows: Any, category: Any, classes: int) -> tuple[Column, Column]: ...
def accumulate_classes(
    ends: Any,
    hits: Any,
    ignored: Any,
    rank: Any,
    objects: Any,
    limits: Any,
    steps: Any,
    areas: int,
    thresholds: int,
) -> tuple[Column, Column]: ...
