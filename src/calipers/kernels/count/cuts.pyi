from typing import Any

from calipers.kernels.scan.column import Column

CUT_REPLICATES: int

def best_cuts(
    weights: Any, ends: Any, image: Any, right: Any, stops: Any, object_ends: Any, object_image: Any
) -> Column: ...
