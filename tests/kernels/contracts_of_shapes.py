"""The contracts of kernels that take shapes on a plane, and of those that take stretches of frames."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from calipers.kernels.count import object_sums, spans
from calipers.kernels.shape import plane, sizes

from .contracts import Contract, b, d, i, q


def f(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32)


def two_objects(kind: int = 0, **changes: Any) -> Any:
    """Two objects of one record: triangles (1) or lines (2)."""
    points = [0, 0, 10, 0, 10, 10] if kind == 1 else [0, 0, 10, 10]
    size = len(points)
    columns = {
        "offsets": q(0, 2),
        "kind": b(kind, kind),
        "reason": b(0, 0),
        "flags": b(2, 2),
        "starts": q(0, size, 2 * size),
        "points": d(*points * 2),
        "area": d(50, 50),
        "bounds": d(*[0, 0, 10, 10] * 2),
    }
    return SimpleNamespace(**columns | changes)


def torn(name: str, kind: int, *, derived: bool = True, paired: bool = False) -> dict[str, dict[str, Any]]:
    """What can be wrong with the columns of one side."""
    size = 6 if kind == 1 else 4
    changes: dict[str, dict[str, Any]] = {
        "few reasons": {"reason": b(0)},
        "starts beyond the last point": {"starts": q(0, size, 99)},
        "starts that fall": {"starts": q(0, 99, size)},
        "starts below 0": {"starts": q(-1, size, 2 * size)},
        "few starts": {"starts": q(0, size)},
    }
    if derived:
        changes["few bounds"] = {"bounds": d(0, 0, 10, 10)}
    if derived and not paired:
        changes["offsets beyond the last object"] = {"offsets": q(0, 3)}
        changes["offsets that fall"] = {"offsets": q(0, 9, 2)}
        changes["no offsets"] = {"offsets": q()}
        changes["other records"] = {"offsets": q(0, 1, 2)}
    return {f"{name}: {what}": {name: two_objects(kind, **change)} for what, change in changes.items()}


def both(kind: int, *, paired: bool = False) -> dict[str, dict[str, Any]]:
    return torn("truth", kind, paired=paired) | torn("pred", kind, paired=paired)


def one(kind: int) -> Any:
    """One object instead of two."""
    size = 6 if kind == 1 else 4
    full = two_objects(kind)
    cut = {"kind": 1, "reason": 1, "flags": 1, "area": 1, "bounds": 4, "points": size, "starts": 2}
    columns = {name: getattr(full, name)[:count] for name, count in cut.items()}
    return SimpleNamespace(offsets=q(0, 1), **columns)


def frames(**changes: Any) -> Any:
    columns = {"offsets": q(0, 1, 2), "start": q(0, 0), "end": q(4, 9), "state": i(0, 1)}
    return SimpleNamespace(**columns | changes)


TORN_FRAMES = {
    "offsets beyond the last interval": {"columns": frames(offsets=q(0, 1, 3))},
    "offsets that fall": {"columns": frames(offsets=q(0, 9, 2))},
    "no offsets": {"columns": frames(offsets=q())},
    "few ends": {"columns": frames(end=q(4))},
    "few states": {"columns": frames(state=i(0))},
    "a state without a rank": {"columns": frames(state=i(0, 2))},
    "a state below 0": {"columns": frames(state=i(0, -1))},
    "a frame below 0": {"columns": frames(start=q(-5, 0))},
    "an end before its start": {"columns": frames(start=q(5, 0))},
}
TRIANGLES = {"truth": two_objects(1), "pred": two_objects(1)}
LINES = {"truth": two_objects(2), "pred": two_objects(2)}
INDICES = {"truth_index": i(0), "pred_index": i(1)}

CONTRACTS: dict[str, Contract] = {
    "plane.Lines": Contract(plane.Lines, {"objects": two_objects(2)}, torn("objects", 2, paired=True)),
    "plane.coverage_of": Contract(
        plane.coverage_of,
        LINES | INDICES | {"tolerance": 8.0},
        both(2, paired=True)
        | {
            "a truth beyond the last": {"truth_index": i(2)},
            "a pred below 0": {"pred_index": i(-1)},
            "fewer preds": {"pred_index": i()},
            "no line": {"truth": two_objects(1)},
        },
    ),
    "plane.near_lines": Contract(plane.near_lines, LINES | {"reach": 8.0}, both(2)),
    "plane.Regions": Contract(plane.Regions, {"objects": two_objects(1)}, torn("objects", 1, paired=True)),
    "plane.RegionComparison": Contract(
        plane.RegionComparison, TRIANGLES | {"max_work": 9}, both(1, paired=True) | {"no work": {"max_work": 0}}
    ),
    "plane.RegionPairs": Contract(plane.RegionPairs, {}, {}),
    "plane.region_pairs": Contract(
        plane.region_pairs,
        TRIANGLES | {"min_overlap": 0.0},
        both(1)
        | {"few areas": {"truth": two_objects(1, area=d(5))}, "few flags": {"pred": two_objects(1, flags=b(2))}},
    ),
    "plane.region_paired": Contract(
        plane.region_paired, TRIANGLES, both(1, paired=True) | {"fewer preds": {"pred": one(1)}}
    ),
    "sizes.object_sizes": Contract(
        sizes.object_sizes,
        {"objects": two_objects(2), "line": 2},
        torn("objects", 2, derived=False)
        | {
            "few areas": {"objects": two_objects(2, area=d(1))},
            "few that are wanted": {"wanted": b()},
            "wider registers than any": {"register_bits": 1024},
        },
    ),
    "object_sums.mark_matched": Contract(
        object_sums.mark_matched,
        {"found": q(0, 0), "left": b(3, 3), "truth": i(1), "pred": i(0), "met": i(2), "times": 5, "bit": 1},
        {
            "a truth beyond the last": {"truth": i(2)},
            "a pred beyond the last": {"pred": i(2)},
            "a truth below 0": {"truth": i(-1)},
            "few preds": {"pred": i()},
            "few numbers": {"met": i()},
            "a kind that 16 bits do not hold": {"found": np.array([0, 9], np.int16), "times": 1 << 14},
            "times that 16 bits do not hold": {"found": np.array([0, 0], np.int16), "times": 1 << 16, "met": i(1)},
        },
    ),
    "object_sums.object_rows": Contract(
        object_sums.object_rows,
        {
            "found": q(4),
            "left": b(0, 3),
            "truth_sizes": f(1.0),
            "pred_sizes": f(2.0),
            "truth_offsets": q(0, 1),
            "pred_offsets": q(0, 2),
            "truths": 9,
        },
        {
            "truths that 16 bits do not hold": {"found": np.array([4], np.int16), "truths": 1 << 15},
            "few truth sizes": {"truth_sizes": f()},
            "few pred sizes": {"pred_sizes": f()},
            "a size of a pred that is not left": {"pred_sizes": f(1.0, 2.0)},
            "truths beyond the last": {"truth_offsets": q(0, 2)},
            "preds beyond the last": {"pred_offsets": q(0, 3)},
            "offsets that descend": {"pred_offsets": q(0, 3, 2), "truth_offsets": q(0, 0, 1)},
            "more records of preds": {"pred_offsets": q(0, 1, 2)},
            "no offsets": {"truth_offsets": q()},
        },
    ),
    "object_sums.order_statistics": Contract(
        object_sums.order_statistics,
        {"values": f(2.0, 1.0), "places": q(0, 1)},
        {
            "a place beyond the last": {"places": q(2)},
            "a place below 0": {"places": q(-1)},
            "a place in nothing": {"values": f(), "places": q(0)},
        },
    ),
    "object_sums.Kinds": Contract(
        object_sums.Kinds,
        {"kinds": np.array([1, 2], np.int16)},
        {"numbers of 32 bits": {"kinds": i(1)}, "no numbers": {"kinds": None}},
    ),
    "object_sums.most_objects": Contract(
        object_sums.most_objects,
        {"counts": np.array([[1], [1]], np.int32)},
        {"one side without records": {"counts": i(1)}, "long numbers": {"counts": np.array([[1], [1]])}},
    ),
    "object_sums.row_totals": Contract(
        object_sums.row_totals,
        {"values": np.ones((2, 3), np.uint16)},
        {"long numbers": {"values": np.ones((2, 3), int)}},
    ),
    "object_sums.Totals": Contract(
        object_sums.Totals,
        {"sums": np.zeros((6, 1), np.uint16)},
        {"numbers of 32 bits": {"sums": np.zeros((6, 1), np.int32)}, "one axis": {"sums": np.zeros(6, np.uint16)}},
    ),
    "object_sums.add_by_size": Contract(
        object_sums.add_by_size,
        {
            "rows": np.zeros((3, 1), np.int32),
            "sums": np.zeros((6, 1), np.int64),
            "first": 0,
            "counts": np.array([[1], [1]], np.int32),
            "sizes": f(1.0, np.nan),
            "kinds": i(0, 1),
            "table": np.ones((2, 8), np.int16),
            "columns": 2,
            "edges": f(2.0),
        },
        {
            "wider registers than any": {"register_bits": 1024},
            "more than 16 bits hold": {
                "sums": np.zeros((6, 1), np.uint16),
                "table": np.full((2, 8), [16_384, 1, 1, 0, 0, 0, 0, 0], np.int16),
            },
            "a kind beyond the last": {"kinds": i(0, 2)},
            "a kind below 0": {"kinds": i(-1, 0)},
            "few kinds": {"kinds": i(0)},
            "fewer objects than counts": {"counts": np.array([[1], [2]], np.int32)},
            "a count below 0": {"counts": np.array([[3], [-1]], np.int32)},
            "a table that is not filled up": {"table": np.ones((2, 7), np.int16)},
            "numbers below 0": {"table": -np.ones((2, 8), np.int16)},
            "more columns than the table": {"columns": 9},
            "no column to count by": {"columns": 8},
            "objects that do not count": {"table": 2 * np.ones((2, 8), np.int16)},
            "columns below 0": {"columns": -1},
            "more records than sums": {"first": 1},
            "records below 0": {"first": -1},
            "few groups": {"rows": np.zeros((2, 1), np.int32)},
            "few sums": {"sums": np.zeros((5, 1), np.int64)},
            "sums of fewer records": {"sums": np.zeros((6, 0), np.int64)},
        },
    ),
    "plane.Shapes": Contract(
        plane.Shapes,
        {"raw": two_objects(1, flags=b(0, 0))},
        torn("raw", 1, derived=False) | {"half a point": {"raw": two_objects(1, starts=q(0, 7, 12))}},
    ),
    "spans.Side": Contract(spans.Side, {"columns": frames(), "rank": i(0, 1)}, TORN_FRAMES),
    "spans.painted_runs": Contract(
        spans.painted_runs,
        {"columns": frames(), "rank": i(0, 1), "video": 1, "frames": 10, "idle": 0},
        TORN_FRAMES | {"a video beyond the last": {"video": 2}, "a video below 0": {"video": -1}},
    ),
    "spans.partners_in_order": Contract(
        spans.partners_in_order,
        {"truth": [(0, 4)], "pred": [(2, 6)], "min_frames": 1},
        {"three numbers": {"truth": [(0, 4, 5)]}, "a text": {"pred": ["ab"]}, "no list": {"truth": None}},
    ),
    "plane.Tubes": Contract(
        plane.Tubes,
        {"objects": two_objects(2), "stroke_width": 8},
        torn("objects", 2, paired=True)
        | {
            "a stroke below 0": {"stroke_width": -1},
            "a point outside the grid": {"objects": two_objects(2, points=d(*[-1e9] * 8))},
            "a point that is none": {"objects": two_objects(2, points=np.full(8, np.nan))},
        },
    ),
    "plane.TubeComparison": Contract(
        plane.TubeComparison,
        LINES | {"stroke_width": 8, "max_work": 9},
        both(2, paired=True) | {"no work": {"max_work": 0}},
    ),
    "plane.Candidates": Contract(plane.Candidates, {}, {}),
    "plane.EdgeSums": Contract(plane.EdgeSums, {}, {}),
    "plane.Outline": Contract(plane.Outline, {}, {}),
    "plane.Grid": Contract(plane.Grid, {}, {}),
    "plane.Sweep": Contract(plane.Sweep, {"n": 3}, {"too few": {"n": 2}, "below 0": {"n": -1}}),
    "plane.ring_crosses": Contract(
        plane.ring_crosses,
        {"points": d(0, 0, 1, 0, 1, 1), "sweep": True},
        {"too few": {"points": d(0, 0, 1, 0)}, "odd": {"points": d(0, 0, 1, 0, 1, 1, 2)}, "none": {"points": d()}},
    ),
    "plane.without_records": Contract(
        plane.without_records,
        {"objects": two_objects(1, desc=i(0, 0)), "records": [0]},
        {
            "starts beyond the last point": {"objects": two_objects(1, desc=i(0, 0), starts=q(0, 6, 99))},
            "offsets beyond the last object": {"objects": two_objects(1, desc=i(0, 0), offsets=q(0, 3))},
            "few descs": {"objects": two_objects(1, desc=i(0))},
            "few bounds": {"objects": two_objects(1, desc=i(0, 0), bounds=d(0, 0, 10, 10))},
            "few areas": {"objects": two_objects(1, desc=i(0, 0), area=d(1))},
            "few flags": {"objects": two_objects(1, desc=i(0, 0), flags=b(1))},
            "few reasons": {"objects": two_objects(1, desc=i(0, 0), reason=b(1))},
        },
    ),
    "plane.Work": Contract(plane.Work, {"max_work": 1}, {"none": {"max_work": 0}, "too much": {"max_work": 10**13}}),
    "plane.WorkLimitError": Contract(plane.WorkLimitError, {"records": [1], "max_work": 2}, {}),
    "plane.tube_pairs": Contract(plane.tube_pairs, LINES | {"stroke_width": 8}, both(2)),
    "plane.tube_paired": Contract(
        plane.tube_paired, LINES | {"stroke_width": 8}, both(2, paired=True) | {"fewer preds": {"pred": one(2)}}
    ),
}
