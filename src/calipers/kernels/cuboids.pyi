from calipers.core.cuboids import Boxes
from calipers.kernels.box_rows import BoxRows
from calipers.kernels.column import Column

Side = Boxes | BoxRows

def cuboid_pairs(
    truth: Side, pred: Side, aabb: bool, most: int = 9223372036854775807
) -> tuple[Column, Column, Column]: ...
def cuboid_paired(truth: Side, pred: Side, aabb: bool) -> Column: ...
def near_pairs(
    truth: Side, pred: Side, limit: float, most: int = 9223372036854775807
) -> tuple[Column, Column, Column]: ...
def placements(
    truth: Side, pred: Side, pair_truth: Column, pair_pred: Column, oriented: bool
) -> tuple[Column, Column, Column]: ...
