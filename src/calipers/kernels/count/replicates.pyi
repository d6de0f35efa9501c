from typing import Any

from calipers.kernels.scan.column import Column

REPLICATES: int

def mean_values(
    weights: Any,
    ends: Any,
    image: Any,
    found: Any,
    ignored: Any,
    object_ends: Any,
    object_image: Any,
    thresholds: int,
    first_step: int,
    target: float | None,
) -> tuple[Column, Column]: ...
