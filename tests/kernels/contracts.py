"""What each kernel is called with when all is well, and what must not be: lengths, offsets and indices that do not fit.

A contract is a call, arguments it accepts, and for each thing that can be wrong the arguments that make it so.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from calipers.kernels.count import assign, inference
from calipers.kernels.scan import boxes, cocojson, column, csvrows, flatten
from calipers.kernels.shape import cocoboxes, cuboids

LARGE = 2**62


class Contract(NamedTuple):
    """A call that is fine, and what makes it wrong."""

    call: Callable[..., Any]
    fine: dict[str, Any]
    wrong: dict[str, dict[str, Any]]


def q(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)


def i(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.int32)


def d(*numbers: float) -> np.ndarray:
    return np.array(numbers, dtype=np.float64)


def b(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.uint8)


def h(*numbers: int) -> np.ndarray:
    return np.array(numbers, dtype=np.uint16)


def pairs(truth: tuple[int, ...] = (0, 1), pred: tuple[int, ...] = (1, 0), score: tuple[int, ...] = (9, 8)) -> Any:
    return SimpleNamespace(truth=i(*truth), pred=i(*pred), score=q(*score))


TORN_PAIRS = {
    "fewer preds than truths": {"pairs": pairs(pred=(1,))},
    "fewer scores than truths": {"pairs": pairs(score=(9,))},
    "a truth below 0": {"pairs": pairs(truth=(0, -1))},
    "a pred below 0": {"pairs": pairs(pred=(-1, 0))},
    "fewer labels than preds": {"pred_labels": i(0)},
    "labels of one side": {"pred_labels": None},
}
TOO_FEW_OBJECTS = {
    "a truth beyond the last": {"pairs": pairs(truth=(0, 2))},
    "a pred beyond the last": {"pairs": pairs(pred=(2, 0))},
    "fewer than no truths": {"truth_count": -1},
    "more truths than 32 bits can tell": {"truth_count": LARGE},
}


def sort_by_overlap(offsets: Any, truth: Any, pred: Any, score: Any, register_bits: int = 512) -> Any:
    return assign.sort_by_overlap(offsets, (truth, pred, score), register_bits=register_bits)


def in_boxes(size: int = 2, **changes: Any) -> Any:
    """Cubes in one scene."""
    axes = d(*([1, 0, 0, 0, 1, 0, 0, 0, 1] * size))
    columns = {"offsets": q(0, size), "reason": b(*[0] * size), "axes": axes, "bounds": d(*[0, 0, 0, 1, 1, 1] * size)}
    columns |= {"center": d(*[0.5] * 3 * size), "half": d(*[0.5] * 3 * size)}
    return SimpleNamespace(**columns | changes)


def torn_boxes(name: str) -> dict[str, dict[str, Any]]:
    return {
        f"{name}: offsets beyond the last box": {name: in_boxes(offsets=q(0, 3))},
        f"{name}: offsets that fall": {name: in_boxes(offsets=q(0, 3, 2))},
        f"{name}: offsets from below 0": {name: in_boxes(offsets=q(-1, 2))},
        f"{name}: no offsets": {name: in_boxes(offsets=q())},
        f"{name}: few centres": {name: in_boxes(center=d(1, 2, 3))},
        f"{name}: few sizes": {name: in_boxes(half=d(1, 2, 3))},
        f"{name}: few axes": {name: in_boxes(axes=d(1, 2, 3))},
        f"{name}: few bounds": {name: in_boxes(bounds=d(1, 2, 3))},
        f"{name}: NaN": {name: in_boxes(center=d(*[float("nan")] * 6))},
    }


BOTH_BOXES = {"truth": in_boxes(), "pred": in_boxes()}
TORN_BOXES = torn_boxes("truth") | torn_boxes("pred")
OTHER_SCENES = {"other scenes": {"pred": in_boxes(offsets=q(0, 1, 2))}}


def scanned(count: int, wanted: Any) -> Any:
    return csvrows.Scanner(b"1,2\n3,4\n", count, 1, wanted)


def objects(records: int) -> flatten.ObjectColumns:
    columns = flatten.ObjectColumns({})
    for _ in range(records):
        columns.add_record([{"type": "bbox_2d", "points": [1, 2, 3, 4], "desc": "a"}], True)
    return columns


def cut_offsets(made: Any, method: str, ends: list[int]) -> Any:
    """Call a method of columns whose last offsets are others."""
    view = memoryview(made.offsets)
    for k, end in enumerate(ends):
        view[len(view) - len(ends) + k] = end
    return getattr(made, method)()


def scenes(count: int) -> boxes.BoxColumns:
    columns = boxes.BoxColumns()
    for _ in range(count):
        columns.add_scene([{"center": [0, 0, 0], "size": [1, 1, 1]}], True)
    return columns


WANTED = [(0, csvrows.WHOLE), (1, csvrows.NAME)]

CONTRACTS: dict[str, Contract] = {
    "assign.sort_by_overlap": Contract(
        sort_by_overlap,
        {"offsets": q(0, 1, 2), "truth": i(0, 1), "pred": i(1, 0), "score": q(9, 8)},
        {
            "a truth beyond the last record": {"truth": i(0, 2)},
            "a truth below 0": {"truth": i(-1, 1)},
            "offsets that fall": {"offsets": q(0, 3, 2)},
            "no offsets": {"offsets": q()},
            "one offset, so no record": {"offsets": q(5)},
            "offsets that begin later": {"offsets": q(1, 2)},
            "a pred below 0": {"pred": i(1, -1)},
            "fewer preds than truths": {"pred": i(1)},
            "fewer scores than truths": {"score": q(9)},
            "numbers of another type": {"truth": q(0, 1)},
            "registers of no machine": {"register_bits": 1024},
        },
    ),
    "assign.PairSource": Contract(
        assign.PairSource,
        {"truth": i(0, 1), "pred": i(1, 0), "score": q(9, 8)},
        {"few preds": {"pred": i(1)}, "few scores": {"score": q(9)}},
    ),
    "assign.count_levels": Contract(
        assign.count_levels,
        {
            "pairs": pairs(),
            "truth_offsets": q(0, 1, 2),
            "truth_kind": b(0, 3),
            "pred_kind": b(1, 2),
            "units": q(8, 9),
            "swept": q(0, 1, 2),
            "primary": 0,
            "tight": 9,
        },
        {
            "fewer preds than truths": {"pairs": pairs(pred=(1,))},
            "fewer scores than truths": {"pairs": pairs(score=(9,))},
            "a truth beyond the last": {"pairs": pairs(truth=(0, 2))},
            "a truth below 0": {"pairs": pairs(truth=(0, -1))},
            "a pred beyond the last": {"pairs": pairs(pred=(2, 0))},
            "a pred below 0": {"pairs": pairs(pred=(-1, 0))},
            "no offsets": {"truth_offsets": q()},
            "offsets that end early": {"truth_offsets": q(0, 1)},
            "offsets that descend": {"truth_offsets": q(0, 3, 2)},
            "a kind beyond the last": {"truth_kind": b(0, 4)},
            "a kind of preds beyond the last": {"pred_kind": b(4, 0)},
            "units that descend": {"units": q(9, 8)},
            "fewer sums of the sweep": {"swept": q(0, 1)},
        },
    ),
    "assign.greedy": Contract(
        assign.greedy,
        {
            "pairs": pairs(),
            "truth_count": 2,
            "pred_count": 2,
            "min_overlap": 0,
            "truth_labels": i(0, 0),
            "pred_labels": i(0, 0),
        },
        TORN_PAIRS | TOO_FEW_OBJECTS | {"fewer than no preds": {"pred_count": -1}},
    ),
    "assign.in_order": Contract(
        assign.in_order,
        {
            "pairs": pairs(),
            "truth_count": 2,
            "order": i(1, 0),
            "min_overlap": 0,
            "truth_labels": i(0, 0),
            "pred_labels": i(0, 0),
        },
        TORN_PAIRS | TOO_FEW_OBJECTS | {"a turn of no pred": {"order": i(0, 2)}, "a turn below 0": {"order": i(0, -1)}},
    ),
    "assign.confidence_order": Contract(
        assign.confidence_order, {"confidence": d(0.5, 1)}, {"NaN": {"confidence": d(float("nan"), 1)}}
    ),
    "assign.first_pairs": Contract(
        assign.first_pairs,
        {"index": i(0, 1, 0), "count": 2},
        {
            "an object beyond the last": {"index": i(0, 2)},
            "an object below 0": {"index": i(-1)},
            "fewer than none": {"index": i(), "count": -1},
            "more than 32 bits can tell": {"count": LARGE},
        },
    ),
    "assign.spread_pairs": Contract(
        assign.spread_pairs,
        {"own": i(1), "others": i(0), "values": q(5), "count": 2},
        {
            "an object beyond the last": {"own": i(2)},
            "an object below 0": {"own": i(-1)},
            "fewer others than objects": {"others": i()},
            "fewer values than objects": {"values": q()},
            "fewer than none": {"own": i(), "others": i(), "values": q(), "count": -1},
            "more than 32 bits can tell": {"count": LARGE},
        },
    ),
    "column.take_rows": Contract(
        column.take_rows,
        {"column": i(1, 2), "positions": [1, 0]},
        {"beyond the last": {"positions": [2]}, "below 0": {"positions": [-1]}, "no number": {"positions": ["a"]}},
    ),
    "column.int_column": Contract(column.int_column, {"values": [1, 2]}, {"a text": {"values": ["a"]}}),
    "inference.column_means": Contract(
        inference.column_means, {"values": np.ones((2, 3))}, {"one dimension": {"values": d(1, 2)}}
    ),
    "cocoboxes.box_pairs": Contract(
        cocoboxes.box_pairs,
        {
            "truth": d(0, 0, 1, 1),
            "truth_offsets": q(0, 1),
            "crowd": b(0),
            "pred": d(0, 0, 1, 1),
            "pred_offsets": q(0, 1),
            "min_overlap": 0.5,
        },
        {
            "truth offsets beyond the last box": {"truth_offsets": q(0, 2)},
            "pred offsets beyond the last box": {"pred_offsets": q(0, 2)},
            "offsets that fall": {"pred_offsets": q(0, 2, 1), "truth_offsets": q(0, 1, 1)},
            "more images on one side": {"truth_offsets": q(0, 1, 1)},
            "half a box": {"pred": d(0, 0, 1, 1, 5, 5)},
            "few flags": {"crowd": b()},
        },
    ),
    "boxes.BoxRows": Contract(
        boxes.BoxRows,
        {"rows": np.ones((2, 7))},
        {"five numbers": {"rows": np.ones((2, 5))}, "eight": {"rows": np.ones((2, 8))}, "none": {"rows": None}},
    ),
    "boxes.BoxColumns": Contract(boxes.BoxColumns, {}, {}),
    "boxes.BoxColumns.add_scene": Contract(
        boxes.BoxColumns().add_scene, {"objects": [], "strict": True}, {"no list": {"objects": None}}
    ),
    "boxes.BoxColumns.last_wrong": Contract(
        lambda count, ends: cut_offsets(scenes(count), "last_wrong", ends),
        {"count": 2, "ends": []},
        {"no scene": {"count": 0}, "a torn offset": {"ends": [5]}, "offsets below 0": {"ends": [-9, 2]}},
    ),
    "boxes.BoxColumns.drop_scene": Contract(
        lambda count, ends: cut_offsets(scenes(count), "drop_scene", ends),
        {"count": 2, "ends": []},
        {"no scene": {"count": 0}, "a torn offset": {"ends": [5, 2]}, "offsets below 0": {"ends": [-9, 2]}},
    ),
    "boxes.all_plain": Contract(boxes.all_plain, {"objects": [{}]}, {"no list": {"objects": None}}),
    "cocojson.CocoScan": Contract(
        cocojson.CocoScan,
        {"data": b"[]", "truth": True, "shape": "segmentation"},
        {"no NUL at the end": {"data": bytearray(b"[]")}, "another shape": {"shape": "bbox"}, "none": {"shape": None}},
    ),
    "cocojson.scan_coco": Contract(
        cocojson.scan_coco,
        {"data": b"[]", "truth": True, "shape": ""},
        {
            "no NUL at the end": {"data": memoryview(b"[]")},
            "an empty buffer": {"data": bytearray()},
            "none": {"data": None},
        },
    ),
    "cocojson.scan_piece": Contract(
        cocojson.scan_piece,
        {"data": b"[{}]", "begin": 1, "truth": True},
        {
            "no NUL at the end": {"data": memoryview(b"{}]")},
            "before the text": {"begin": -1},
            "behind the text": {"begin": 5},
            "none": {"data": None},
        },
    ),
    "cocojson.value_end": Contract(
        cocojson.value_end,
        {"data": b"[1]", "begin": 0},
        {
            "before the text": {"begin": -1},
            "behind the text": {"begin": 4},
            "no bytes": {"data": bytearray(b"1")},
            "none": {"data": None},
        },
    ),
    "column.Column": Contract(
        column.Column,
        {"format": "d", "size": 3},
        {"fewer than none": {"size": -1}, "another format": {"format": "e"}, "no format": {"format": None}},
    ),
    "column.Column.tolist": Contract(column.Column("d", 2).tolist, {}, {}),
    "column._restored": Contract(
        column._restored,
        {"format": "d", "content": bytes(16)},
        {"a torn number": {"content": bytes(15)}, "another format": {"format": "e"}, "no bytes": {"content": None}},
    ),
    "column.long_column": Contract(column.long_column, {"values": [1]}, {"a text": {"values": ["a"]}}),
    "csvrows.RowError": Contract(csvrows.RowError, {"problem": "nul", "line": 1}, {}),
    "csvrows.Scanner": Contract(
        scanned,
        {"count": 0, "wanted": WANTED},
        {
            "nine columns": {"wanted": [(k, csvrows.TEXT) for k in range(9)]},
            "another kind": {"wanted": [(0, 5)]},
            "a place below 0": {"wanted": [(-1, 0)]},
            "none": {"wanted": None},
        },
    ),
    "csvrows.first_row": Contract(csvrows.first_row, {"data": b"a,b\n", "start": 99}, {"none": {"data": None}}),
    "csvrows.read_columns": Contract(
        csvrows.read_columns,
        {"data": b"1,a\n", "start": 0, "line": 1, "wanted": WANTED},
        {"nine columns": {"wanted": [(k, 3) for k in range(9)]}, "out of order": {"wanted": WANTED[::-1]}},
    ),
    "csvrows.count_steps": Contract(csvrows.count_steps, {"numbers": d(1, 2)}, {"other numbers": {"numbers": i(1)}}),
    "csvrows.find_changes": Contract(
        csvrows.find_changes,
        {"codes": i(0, 1), "labels": i(0, 0)},
        {"a code beyond the last": {"codes": i(0, 2)}, "a code below 0": {"codes": i(0, -1)}},
    ),
    "csvrows.median_rate": Contract(
        csvrows.median_rate, {"counts": d(1, 2), "times": d(1, 2)}, {"fewer times": {"times": d(1)}}
    ),
    "cuboids.cuboid_pairs": Contract(cuboids.cuboid_pairs, BOTH_BOXES | {"aabb": False}, TORN_BOXES | OTHER_SCENES),
    "cuboids.cuboid_paired": Contract(
        cuboids.cuboid_paired, BOTH_BOXES | {"aabb": False}, TORN_BOXES | {"fewer preds": {"pred": in_boxes(1)}}
    ),
    "cuboids.near_pairs": Contract(
        cuboids.near_pairs,
        BOTH_BOXES | {"limit": 1.0},
        TORN_BOXES | OTHER_SCENES | {"no limit": {"limit": 0.0}, "NaN": {"limit": float("nan")}},
    ),
    "cuboids.placements": Contract(
        cuboids.placements,
        BOTH_BOXES | {"pair_truth": i(0), "pair_pred": i(1), "oriented": True},
        TORN_BOXES
        | {
            "a truth beyond the last": {"pair_truth": i(2)},
            "a pred below 0": {"pair_pred": i(-1)},
            "fewer preds": {"pair_pred": i()},
        },
    ),
    "flatten.ObjectColumns": Contract(flatten.ObjectColumns, {"descs": {}}, {"none": {"descs": None}}),
    "flatten.ObjectColumns.add_record": Contract(
        objects(1).add_record, {"objects": [], "truth": True}, {"no list": {"objects": None}}
    ),
    "flatten.ObjectColumns.drop_record": Contract(
        lambda count, ends: cut_offsets(objects(count), "drop_record", ends),
        {"count": 2, "ends": []},
        {"no record": {"count": 0}, "a torn offset": {"ends": [5, 2]}, "an offset below 0": {"ends": [-1, 2]}},
    ),
    "flatten.ObjectColumns.join_records": Contract(objects(2).join_records, {}, {}),
    "assign.gather_codes": Contract(
        assign.gather_codes,
        {"codes": [5, 6], "index": i(1, 0)},
        {"beyond the last": {"index": i(2)}, "below 0": {"index": i(-1)}, "none": {"codes": None}},
    ),
}
