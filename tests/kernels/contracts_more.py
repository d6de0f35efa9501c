"""The contracts of the other half of the kernels."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from calipers.kernels.count import (
    causes,
    cuts,
    detections,
    events,
    inference,
    optimal,
    replicates,
    sayings,
    sums,
    timelines,
)
from calipers.kernels.scan import column, intervals, jsonlines, jsontext, matchlines, statejson, weave
from calipers.kernels.scan.column import Column, long_column
from calipers.kernels.scan.flatten import ObjectColumns
from calipers.kernels.shape import cocoboxes, cuboids, rects

from .contracts import (
    LARGE,
    TOO_FEW_OBJECTS,
    TORN_PAIRS,
    Contract,
    b,
    cut_offsets,
    d,
    h,
    i,
    in_boxes,
    pairs,
    q,
    torn_boxes,
)


def interval_columns(count: int = 2) -> intervals.IntervalColumns:
    columns = intervals.IntervalColumns({"a": 0, "b": 1})
    for _ in range(count):
        columns.add_video({"a": [[0, 4]], "b": [[5, 9]]})
    return columns


def take_videos(source: Any, states: dict[str, int], places: Any, ends: list[int]) -> None:
    if source is not None:
        for k, end in enumerate(ends):
            memoryview(source.offsets)[k] = end
    statejson.take_videos(source, intervals.IntervalColumns(states), places)


def with_states(states: dict[str, int]) -> intervals.IntervalColumns:
    columns = intervals.IntervalColumns(states)
    columns.add_video({"a": [[0, 4]]})
    return columns


def raw_intervals(**changes: Any) -> Any:
    columns = {"offsets": q(0, 1), "start": q(0), "end": q(4), "state": i(0)}
    return SimpleNamespace(**columns | changes)


def measure(truth: Any, pred: Any, rank: Any, idle: int, named: Any, ignored: Any, own: int) -> Any:
    fixed: dict[str, Any] = {"focus": 1, "starts": i(0), "tolerances": q(1), "min_frames": 1, "union": False}
    fixed |= {"distance": lambda a, b: 0, "ignored": ignored}
    fixed |= {"own_tolerances": np.zeros((own, 2), np.int64)}
    return timelines.measure(truth, pred, rank, idle=idle, named=named, **fixed)


def nested(depth: int) -> list[Any]:
    tree: list[Any] = []
    for _ in range(depth):
        tree = [tree]
    return tree


class Longer(list):
    """Keys that become more while they are read."""

    def __len__(self) -> int:
        return 1


def record_lines(truth: Any, pred: Any, key_names: Any) -> Any:
    names: dict[str, Any] = {"truth_names": ["gt"], "pred_names": ["pred"], "unless": ("status", "failed")}
    return jsonlines.RecordLines(truth, pred, key_names=key_names, **names)


DESCS: dict[str, int] = {}
REPLICATED = {
    "weights": b(*[1] * 128),
    "ends": q(1, 2),
    "image": i(0, 1),
    "found": h(1, 1),
    "ignored": h(0, 0),
    "object_ends": q(1, 2),
    "object_image": i(0, 1),
    "thresholds": 1,
    "first_step": 0,
    "target": 0.9,
}
POISSON = {"seed": 0, "replicates": 4}
HASHES = np.array([1, 2], dtype=np.uint64)

LABELS = {"truth_labels": i(0, 1), "pred_labels": i(1, -1)}
OTHER_LABELS = {"fewer labels than truths": {"truth_labels": i(0)}, "labels of preds only": {"truth_labels": None}}
TOO_FEW = TOO_FEW_OBJECTS | {"fewer than no preds": {"pred_count": -1}, "too many preds": {"pred_count": LARGE}}


def checked_pairs(pairs: Any, truth_count: int, pred_count: int, truth_labels: Any, pred_labels: Any) -> Any:
    return causes.CheckedPairs(pairs, truth_count, pred_count, truth_labels, pred_labels)


def row_objects(**columns: Any) -> Any:
    """A box and a line of one record."""
    fine = {"offsets": q(0, 2), "kind": b(0, 2), "reason": b(0, 0), "desc": i(0, 0), "starts": q(0, 4, 8)}
    numbers = {"points": d(*range(8)), "bounds": d(*range(8))}
    return SimpleNamespace(**fine | numbers | columns)


ROW_SIDE = {
    "name": b"gt",
    "objects": row_objects(),
    "outcomes": b(0, 1),
    "partners": [i(0, -1)],
    "scores": [q(5, 0)],
    "invalid": {},
}
STATES: dict[str, int] = {}
CONTRACTS: dict[str, Contract] = {
    "causes.CheckedPairs": Contract(
        checked_pairs,
        {"pairs": pairs(), "truth_count": 2, "pred_count": 2} | LABELS,
        TORN_PAIRS | TOO_FEW | OTHER_LABELS,
    ),
    "causes.find_causes": Contract(
        causes.find_causes,
        {"pairs": pairs(), "truth_count": 2, "pred_count": 2, "min_overlap": 9, "faint": 1} | LABELS,
        TORN_PAIRS | TOO_FEW | OTHER_LABELS,
    ),
    "causes.count_outcomes": Contract(
        causes.count_outcomes,
        {"labels": i(0, -1), "outcomes": b(6, 0), "names": 1},
        {
            "a label beyond the last": {"labels": i(0, 1)},
            "a label below -1": {"labels": i(0, -2)},
            "an outcome beyond the last": {"outcomes": b(7, 0)},
            "fewer outcomes": {"outcomes": b(6)},
            "names below 0": {"names": -1},
            "more names than there can be": {"names": LARGE},
        },
    ),
    "causes.count_causes": Contract(
        causes.count_causes,
        {
            "pairs": pairs(pred=(0, 1)),
            "truth_offsets": q(0, 1, 2),
            "pred_offsets": q(0, 1, 2),
            "min_overlap": q(9),
            "faint": q(1),
        }
        | LABELS,
        TORN_PAIRS
        | OTHER_LABELS
        | {
            "pairs of two records": {"pairs": pairs()},
            "pairs of the second record first": {"pairs": pairs(truth=(1, 0), pred=(1, 0))},
            "a truth beyond the last": {"pairs": pairs(truth=(0, 2))},
            "a pred beyond the last": {"pairs": pairs(pred=(2, 0))},
            "no offsets": {"truth_offsets": q()},
            "other records": {"pred_offsets": q(0, 2)},
            "offsets that fall": {"truth_offsets": q(0, 3, 2)},
            "offsets from below 0": {"pred_offsets": q(-1, 1, 2)},
            "more truths than labels": {"truth_offsets": q(0, 1, 3)},
            "fewer faint overlaps than thresholds": {"faint": q()},
        },
    ),
    "events.most_pairs": Contract(
        events.most_pairs,
        {"truth": [(0, 9)], "pred": [(5, 12)], "min_frames": 1},
        {"an event without an end": {"truth": [(0,)]}, "an event of texts": {"pred": [("a", "b")]}},
    ),
    "intervals.IntervalColumns": Contract(intervals.IntervalColumns, {"states": {}}, {"none": {"states": None}}),
    "intervals.IntervalColumns.add_video": Contract(interval_columns().add_video, {"given": {}}, {}),
    "intervals.IntervalColumns.is_empty": Contract(
        lambda count: interval_columns(count).is_empty(), {"count": 1}, {"no video": {"count": 0}}
    ),
    "intervals.IntervalColumns.drop_video": Contract(
        lambda count, ends: cut_offsets(interval_columns(count), "drop_video", ends),
        {"count": 1, "ends": []},
        {"no video": {"count": 0}, "a torn offset": {"ends": [9, 2]}, "an offset below 0": {"ends": [-1, 2]}},
    ),
    "intervals.add_plain_videos": Contract(
        intervals.add_plain_videos,
        {
            "truth": interval_columns(),
            "pred": interval_columns(),
            "names": ["v"],
            "first": 1,
            "truths": {},
            "preds": {},
            "partners": {},
            "fps": [],
        },
        {
            "from below 0 on": {"first": -1},
            "from beyond the last on": {"first": 2},
            "no truth": {"truth": None},
            "no pred": {"pred": None},
            "no names": {"names": None},
            "no videos": {"truths": None},
        },
    ),
    "statejson.StateScan": Contract(
        statejson.StateScan,
        {"text": b"{}", "states": {}, "predicted": False},
        {"no text": {"text": None}, "no bytes": {"text": "{}"}, "no states": {"states": None}},
    ),
    "statejson.scan_states": Contract(
        statejson.scan_states,
        {"text": b"{}", "states": {}, "predicted": False},
        {"no text": {"text": None}, "no bytes": {"text": "{}"}, "no states": {"states": None}},
    ),
    "statejson.take_videos": Contract(
        take_videos,
        {"source": with_states(STATES), "states": STATES, "places": q(0, 0), "ends": [0, 1]},
        {
            "no columns": {"source": None},
            "other states": {"states": {}},
            "a place below 0": {"places": q(-1)},
            "a place beyond the last": {"places": q(1)},
            "numbers of 32 bits": {"places": i(0)},
            "no places": {"places": None},
            "offsets that begin below 0": {"ends": [-1, 1]},
            "offsets beyond the last interval": {"ends": [0, 2]},
        },
    ),
    "weave.Cells": Contract(
        weave.Cells,
        {"text": b"a,bc", "offsets": q(0, 2, 5), "gap": 1, "codes": i(1, -1, 0), "nothing": b"-"},
        {
            "no text": {"text": None},
            "no text for nothing": {"nothing": None},
            "no offsets": {"offsets": q()},
            "offsets that fall": {"offsets": q(0, 5, 2)},
            "offsets from below 0": {"offsets": q(-1, 2, 5)},
            "offsets beyond the text": {"offsets": q(0, 2, 6)},
            "a gap below 0": {"gap": -1},
            "a gap wider than a text": {"offsets": q(0, 0, 5)},
            "a gap of two": {"gap": 2},
            "a huge gap": {"gap": LARGE},
            "a code beyond the last text": {"codes": i(2)},
        },
    ),
    "weave.comma_offsets": Contract(
        weave.comma_offsets,
        {"text": b"1,2", "count": 2},
        {"no text": {"text": None}, "more numbers": {"count": 1}, "fewer numbers": {"count": 3}},
    ),
    "weave.weave": Contract(
        weave.weave,
        {"parts": [weave.Cells(b"ab", q(0, 1, 2)), b","], "count": 2},
        {
            "no parts": {"parts": None},
            "a part that is none": {"parts": [None]},
            "more rows": {"count": 3},
            "fewer rows": {"count": 1},
            "rows below 0": {"count": -1},
        },
    ),
    "jsontext.count_keys": Contract(
        jsontext.count_keys, {"tree": {"a": [{"b": 1}]}}, {"too deep": {"tree": nested(9999)}}
    ),
    "jsonlines.RecordLines": Contract(
        record_lines,
        {"truth": ObjectColumns(DESCS), "pred": ObjectColumns(DESCS), "key_names": ["id"]},
        {
            "other codes": {"truth": ObjectColumns({})},
            "too many names": {"key_names": ["id"] * 99},
            "no columns": {"pred": None},
        },
    ),
    "jsonlines.RecordLines.add": Contract(
        record_lines(ObjectColumns(DESCS), ObjectColumns(DESCS), []).add, {"line": b"{}"}, {"none": {"line": None}}
    ),
    "jsonlines.RecordLines.add_lines": Contract(
        record_lines(ObjectColumns(DESCS), ObjectColumns(DESCS), []).add_lines,
        {"block": b"{}\n", "begin": 0, "end": 3, "keys": []},
        {
            "from below 0 on": {"begin": -1},
            "from beyond the block on": {"begin": 4},
            "up to below 0": {"end": -1},
            "up to beyond the block": {"end": 4},
            "no block": {"block": None},
            "no keys": {"keys": None},
        },
    ),
    "column.reserve_in_file": Contract(
        column.reserve_in_file,
        {"handle": -1, "begin": 0, "size": 9},  # which is no file, and no error
        {"a handle that is no number": {"handle": "a"}, "a size that is no number": {"size": "a"}},
    ),
    "matchlines.Cells": Contract(
        matchlines.Cells, {"cells": [b"a", b""]}, {"a cell of text": {"cells": ["a"]}, "no list": {"cells": None}}
    ),
    "matchlines.RowSide": Contract(
        matchlines.RowSide,
        ROW_SIDE,
        {
            "fewer outcomes than objects": {"outcomes": b(0)},
            "fewer partners than objects": {"partners": [i(0)]},
            "fewer scores than objects": {"scores": [q(5)]},
            "partners without scores": {"scores": []},
            "more modes than there are": {"partners": [i(0, -1)] * 9, "scores": [q(5, 0)] * 9},
            "numbers beyond the last": {"objects": row_objects(starts=q(0, 4, 9))},
            "fewer bounds than objects": {"objects": row_objects(bounds=d(0, 0, 1, 1))},
            "fewer starts than objects": {"objects": row_objects(starts=q(0, 8))},
            "fewer descriptions than objects": {"objects": row_objects(desc=i(0))},
            "fewer reasons than objects": {"objects": row_objects(reason=b(0))},
            "records beyond the last object": {"objects": row_objects(offsets=q(0, 3))},
            "a name that is text": {"name": "gt"},
        },
    ),
    "matchlines.match_lines": Contract(
        matchlines.match_lines,
        {
            "keys": [b"k"],
            "labels": [b"a,a"],
            "kinds": [b"box", b"poly", b"line", b""],
            "outcomes": [b"matched", b"missed"],
            "truth": matchlines.RowSide(**ROW_SIDE),
            "pred": matchlines.RowSide(**ROW_SIDE),
        },
        {
            "other records": {"keys": [b"k", b"l"]},
            "a description without labels": {"labels": []},
            "a kind without a name": {"kinds": [b"box"]},
            "an outcome without a name": {"outcomes": [b"matched"]},
            "a key that is text": {"keys": ["k"]},
            "modes of one side only": {"pred": matchlines.RowSide(**ROW_SIDE | {"partners": [], "scores": []})},
            "nothing about what is wrong": {
                "truth": matchlines.RowSide(**ROW_SIDE | {"objects": row_objects(reason=b(0, 1))})
            },
        },
    ),
    "jsontext.Writer": Contract(jsontext.Writer, {"room": 0}, {"less than no room": {"room": -1}}),
    "jsontext.spread": Contract(
        jsontext.spread,
        {"compact": b'{"a":[1]}'},
        {
            "a string without an end": {"compact": b'{"a'},
            "a string that ends in a backslash": {"compact": b'["a\\'},
            "a bracket too many": {"compact": b"[]]"},
            "brackets only": {"compact": b"}}}}"},
            "too deep": {"compact": b"[" * 2000},
            "none": {"compact": None},
        },
    ),
    "jsontext.find_members": Contract(jsontext.find_members, {"text": b"{}"}, {"none": {"text": None}}),
    "jsontext.find_names": Contract(
        jsontext.find_names,
        {"text": b'{"a":1}', "begins": long_column([1])},
        {
            "beyond the text": {"begins": long_column([999])},
            "below 0": {"begins": long_column([-1])},
            "no name there": {"begins": long_column([5])},
            "numbers of another size": {"begins": Column("B", 3)},
            "none": {"begins": None},
        },
    ),
    "cuboids.Side": Contract(cuboids.Side, {"boxes": in_boxes()}, torn_boxes("boxes")),
    "cuboids.Neighbours": Contract(cuboids.Neighbours, {"most": 9}, {"no number": {"most": "9"}}),
    "cuboids.Neighbours.columns": Contract(cuboids.Neighbours(9).columns, {}, {}),
    "optimal.optimal": Contract(
        optimal.optimal,
        {"pairs": pairs(), "min_overlap": 0, "truth_labels": i(0, 0), "pred_labels": i(0, 0)},
        TORN_PAIRS
        | {
            "an unlabelled truth": {"pairs": pairs(truth=(0, 2))},
            "a truth below 0, all unlabelled": {
                "pairs": pairs(truth=(0, -1)),
                "truth_labels": None,
                "pred_labels": None,
            },
            "the largest index": {
                "pairs": pairs(pred=(0, 2**31 - 1)),
                "truth_labels": None,
                "pred_labels": None,
            },
        },
    ),
    "sums.Sums": Contract(
        sums.Sums,
        {"columns": 2, "replicates": 3},
        {"below 0": {"columns": -3}, "replicates below 0": {"replicates": -9}, "too many": {"columns": LARGE}},
    ),
    "sums.ByteSums": Contract(
        sums.ByteSums,
        {"columns": 2, "places": long_column([0, 1, 8]), "replicates": 3, "register_bits": 512},
        {
            "below 0": {"columns": -3},
            "replicates below 0": {"replicates": -9},
            "too many": {"columns": LARGE},
            "a byte of no column": {"places": long_column([0, 16])},
            "a byte below 0": {"places": long_column([-1])},
        },
    ),
    "sums.key_hashes": Contract(sums.key_hashes, {"keys": ["a"]}, {"more than are told": {"keys": Longer("abc")}}),
    "sums.weights": Contract(
        sums.weights, {"key": 1} | POISSON, {"below 0": {"replicates": -9}, "too many": {"replicates": LARGE}}
    ),
    "sums.weight_table": Contract(
        sums.weight_table,
        {"keys": HASHES} | POISSON,
        {
            "replicates below 0": {"replicates": -9},
            "too many replicates": {"replicates": LARGE},
            "an odd first": {"first": 1},
            "a first below 0": {"first": -2},
            "wider registers than any": {"register_bits": 1024},
            "narrower registers than any": {"register_bits": 64},
        },
    ),
    "sums.weighted_sums": Contract(
        sums.weighted_sums,
        {"keys": HASHES, "values": q(1, 2, 3, 4), "columns": 2} | POISSON,
        {
            "fewer values": {"values": q(1, 2, 3)},
            "more values": {"values": q(1, 2, 3, 4, 5)},
            "more columns": {"columns": 3},
            "columns below 0": {"columns": -1},
            "too many columns": {"columns": LARGE},
            "too many replicates": {"replicates": LARGE},
            "an odd first": {"first": 1},
            "sums beyond 64 bits": {"values": q(*[2**62] * 4), "replicates": 64},
            "the least of all numbers": {"values": q(*[-(2**63)] * 4), "replicates": 64},
            "wider registers than any": {"register_bits": 1024},
            "narrower registers than any": {"register_bits": 64},
        },
    ),
    "sums.small_weighted_sums": Contract(
        sums.small_weighted_sums,
        {"keys": HASHES, "values": np.array([1, 2, 3, 4], np.uint16), "columns": 2} | POISSON,
        {
            "fewer values": {"values": np.array([1, 2, 3], np.uint16)},
            "long values": {"values": q(1, 2, 3, 4)},
            "more columns": {"columns": 3},
            "columns below 0": {"columns": -1},
            "too many columns": {"columns": LARGE},
            "too many replicates": {"replicates": LARGE},
        },
    ),
    "sums.grouped_sums": Contract(
        sums.grouped_sums,
        {"keys": HASHES, "values": q(1, 2, 3, 4), "columns": 2, "ends": q(1, 2), "places": q(0, 2, 1, 2), "groups": 3}
        | POISSON,
        {
            "fewer values": {"values": q(1, 2, 3)},
            "more columns": {"columns": 3},
            "columns below 0": {"columns": -1},
            "too many groups": {"groups": LARGE},
            "too many replicates": {"replicates": LARGE},
            "ends beyond the records": {"ends": q(1, 3)},
            "ends before the records": {"ends": q(1, 1)},
            "ends that fall": {"ends": q(3, 2)},
            "no cells": {"ends": q()},
            "a group beyond all": {"places": q(0, 2, 1, 3)},
            "a group below 0": {"places": q(0, 2, 1, -1)},
            "fewer places": {"places": q(0, 2, 1)},
            "sums beyond 64 bits": {"values": q(*[2**62] * 4), "replicates": 64},
        },
    ),
    "inference.interval_ends": Contract(
        inference.interval_ends,
        {"values": d(1, 2, 3, 4, 5, 6), "columns": 3, "tail": 1},
        {
            "rows that are torn": {"columns": 4},
            "no columns": {"columns": 0},
            "columns below 0": {"columns": -3},
            "a tail below 0": {"tail": -1},
            "a tail beyond all": {"tail": 3},
            "NaN": {"values": d(1, 2, 3, 4, 5, float("nan"))},
        },
    ),
    "inference.beta_fractions": Contract(
        inference.beta_fractions,
        {"x": d(0.5, 0.25), "a": d(1, 2), "b": d(0.5, 0.5)},
        {"fewer a": {"a": d(1)}, "more b": {"b": d(1, 2, 3)}},
    ),
    "rects.plain_boxes": Contract(rects.plain_boxes, {"value": [[1, 2, 3, 4]]}, {}),
    "rects.rect_pairs": Contract(
        rects.rect_pairs,
        {"truth": [[0, 0, 1, 1]], "pred": [[0, 0, 1, 1]]},
        {
            "three numbers": {"truth": [[0, 0, 1]]},
            "corners out of order": {"pred": [[1, 0, 0, 1]]},
            "none": {"pred": None},
        },
    ),
    "cocoboxes.repeated": Contract(
        cocoboxes.repeated,
        {"offsets": q(0, 1), "category": i(3), "box": d(0, 0, 1, 1), "score": d(0.5)},
        {
            "offsets beyond the last row": {"offsets": q(0, 2)},
            "offsets that fall": {"offsets": q(0, 5, 1)},
            "no offsets": {"offsets": q()},
            "few numbers": {"box": d(0, 0)},
            "few scores": {"score": d()},
        },
    ),
    "cocoboxes.outside": Contract(
        cocoboxes.outside,
        {"image": i(0), "box": d(0, 0, 1, 1), "width": d(5), "height": d(5)},
        {
            "an image beyond the last": {"image": i(1)},
            "an image below 0": {"image": i(-1)},
            "few numbers": {"box": d(0, 0, 1)},
            "few heights": {"height": d()},
        },
    ),
    "replicates.mean_values": Contract(
        replicates.mean_values,
        REPLICATED,
        {
            "an image beyond the last": {"image": i(0, 2)},
            "an image below 0": {"image": i(-1, 0)},
            "an object of no image": {"object_image": i(0, 9)},
            "half a row of weights": {"weights": b(*[1] * 96)},
            "a weight that no byte holds nineteen times": {"weights": b(*[14] * 128)},
            "ends that fall": {"ends": q(5, 2)},
            "ends beyond the last": {"ends": q(1, 3)},
            "an end below 0": {"ends": q(-1, 2)},
            "ends of objects beyond the last": {"object_ends": q(1, 3)},
            "more classes on one side": {"object_ends": q(1, 2, 2)},
            "fewer flags": {"found": h(1)},
            "fewer ignored": {"ignored": h(1)},
            "no threshold": {"thresholds": 0},
            "seventeen thresholds": {"thresholds": 17},
            "a target beyond 1": {"target": 1.5},
            "a target that is no number": {"target": float("nan")},
            "a step beyond the last": {"first_step": 101},
            "a step below 0": {"first_step": -1},
        },
    ),
    "cuts.best_cuts": Contract(
        cuts.best_cuts,
        {name: REPLICATED[name] for name in ("weights", "ends", "image", "object_ends", "object_image")}
        | {"right": b(1, 0), "stops": b(1, 1)},
        {
            "an image beyond the last": {"image": i(0, 2)},
            "an image below 0": {"image": i(-1, 0)},
            "an object of no image": {"object_image": i(0, 9)},
            "half a row of weights": {"weights": b(*[1] * 96)},
            "a weight that no byte holds nineteen times": {"weights": b(*[14] * 128)},
            "ends that fall": {"ends": q(5, 2)},
            "ends beyond the last": {"ends": q(1, 3)},
            "ends of objects beyond the last": {"object_ends": q(1, 3)},
            "more classes on one side": {"object_ends": q(1, 2, 2)},
            "fewer that are right": {"right": b(1)},
            "fewer stops": {"stops": b(1)},
        },
    ),
    "detections.match_in_areas": Contract(
        detections.match_in_areas,
        {
            "order": i(1, 0),
            "offsets": q(0, 1, 2),
            "truth": i(0, 0),
            "overlap": d(0.9, 0.6),
            "unwanted": b(0),
            "crowd": b(0),
            "excused": b(0, 0),
            "thresholds": d(0.5, 0.75),
            "areas": 4,
        },
        {
            "a detection beyond the last": {"order": i(2)},
            "a detection below 0": {"order": i(-1)},
            "a truth beyond the last": {"truth": i(0, 1)},
            "no offsets": {"offsets": q()},
            "offsets beyond the last pair": {"offsets": q(0, 1, 3)},
            "offsets that fall": {"offsets": q(0, 3, 2)},
            "fewer overlaps": {"overlap": d(0.9)},
            "more crowds than truths": {"crowd": b(0, 0)},
            "fewer excused": {"excused": b(0)},
            "no threshold": {"thresholds": d()},
            "no area": {"areas": 0},
            "nine areas": {"areas": 9},
        },
    ),
    "detections.rows_by_class": Contract(
        detections.rows_by_class,
        {"rows": i(2, 0), "category": i(1, 0, 1), "classes": 2},
        {
            "a row beyond the last": {"rows": i(3)},
            "a row below 0": {"rows": i(-1)},
            "a class beyond the last": {"category": i(1, 2, 0)},
            "a class below 0": {"category": i(1, -1, 0)},
            "classes below 0": {"classes": -1},
            "rows and no class": {"classes": 0},
        },
    ),
    "detections.accumulate_classes": Contract(
        detections.accumulate_classes,
        {
            "ends": q(1, 2),
            "hits": h(1, 1),
            "ignored": h(0, 0),
            "rank": i(0, 0),
            "objects": q(1, 2),
            "limits": q(1, 100),
            "steps": d(*[k / 100 for k in range(101)]),
            "areas": 1,
            "thresholds": 1,
        },
        {
            "ends beyond the last": {"ends": q(1, 3)},
            "ends that fall": {"ends": q(2, 1)},
            "fewer hits": {"hits": h(1)},
            "fewer ignored": {"ignored": h(1)},
            "fewer ranks": {"rank": i(0)},
            "fewer objects": {"objects": q(1)},
            "no limit": {"limits": q()},
            "seventeen limits": {"limits": q(*range(17))},
            "fewer steps": {"steps": d(0.0, 1.0)},
            "no area": {"areas": 0},
            "seventeen thresholds": {"thresholds": 17},
        },
    ),
    "cocoboxes.measure_rle": Contract(cocoboxes.measure_rle, {"counts": [4], "height": LARGE, "width": LARGE}, {}),
    "jsontext.count_breaks": Contract(
        jsontext.count_breaks,
        {"block": b"a\nb", "begin": 0, "end": 3},
        {"beyond the end": {"end": 4}, "below 0": {"begin": -1}, "an end below 0": {"end": -5}},
    ),
    "jsontext.line_ends": Contract(
        jsontext.line_ends,
        {"block": b"a\nb", "begin": 0, "count": 2},
        {
            "beyond the end": {"begin": 4},
            "below 0": {"begin": -1},
            "fewer than none": {"count": -1},
            "more lines than bytes": {"count": 4},
            "no bytes": {"block": "a"},
        },
    ),
    "jsontext.find_room": Contract(jsontext.find_room, {"size": 1 << 20}, {"less than none": {"size": -1}}),
    "jsontext.count_colons": Contract(jsontext.count_colons, {"text": b"a:b"}, {"no bytes": {"text": "a:b"}}),
    "jsontext.count_written_keys": Contract(
        jsontext.count_written_keys, {"text": b'{"a":1}'}, {"no bytes": {"text": "a"}}
    ),
    "timelines.Meter": Contract(
        timelines.Meter,
        {
            "truth": interval_columns(),
            "pred": interval_columns(),
            "rank": i(0, 1),
            "idle": 0,
            "focus": 1,
            "min_frames": 1,
        },
        {"an idle beyond the last": {"idle": 2}, "other videos": {"pred": interval_columns(1)}},
    ),
    "timelines.measure": Contract(
        measure,
        {"truth": interval_columns(), "pred": interval_columns(), "rank": i(0, 1), "idle": 0, "named": i(0)}
        | {"ignored": b(0, 0), "own": 2},
        {
            "an idle beyond the last": {"idle": 2},
            "an idle below 0": {"idle": -1},
            "a rank beyond the last": {"rank": i(0, 2)},
            "a rank below 0": {"rank": i(0, -1)},
            "a name beyond the last": {"named": i(2)},
            "a flag too few": {"ignored": b(0)},
            "tolerances of too few videos": {"own": 1},
            "a name below 0": {"named": i(-1)},
            "fewer videos": {"pred": interval_columns(1)},
        },
    ),
    "intervals.rows_as_dicts": Contract(
        intervals.rows_as_dicts,
        {"names": ["a"], "columns": [[1, 2]], "count": 2},
        {
            "fewer rows": {"columns": [[1]]},
            "fewer columns": {"columns": []},
            "a tuple": {"columns": [(1, 2)]},
            "below 0": {"count": -1},
            "none": {"names": None},
        },
    ),
    "intervals.nested_counts": Contract(
        intervals.nested_counts,
        {"video": q(0), "truth": q(0), "pred": q(1), "frames": q(5), "states": ["a", "b"], "count": 1},
        {
            "a video beyond the last": {"video": q(1)},
            "a video below 0": {"video": q(-1)},
            "a state beyond the last": {"truth": q(2)},
            "a state below 0": {"pred": q(-1)},
            "fewer frames": {"frames": q()},
            "no states": {"states": None},
        },
    ),
    "sayings.count_met": Contract(
        sayings.count_met,
        {"first": i(0, 1), "second": i(1, 1), "times": q(1, 2), "codes": 2},
        {
            "a code beyond the last": {"first": i(0, 2)},
            "a code below 0": {"second": i(-1, 1)},
            "fewer on one side": {"second": i(1)},
            "fewer times": {"times": q(1)},
            "codes below 0": {"codes": -1},
            "more codes than there can be": {"codes": LARGE},
            "none": {"first": None},
        },
    ),
    "sayings.count_shared": Contract(
        sayings.count_shared,
        {
            "truth": i(0),
            "pred": i(1),
            "times": q(3),
            "starts": q(0, 2, 3),
            "entries": i(0, 1, 1),
            "keys": i(0, 0),
            "key_count": 1,
        },
        {
            "a description beyond the last": {"truth": i(2)},
            "a description below 0": {"pred": i(-1)},
            "fewer predictions": {"pred": i()},
            "fewer times": {"times": q()},
            "no starts": {"starts": q()},
            "starts that end early": {"starts": q(0, 2, 2)},
            "starts that descend": {"starts": q(0, 4, 3)},
            "an entry beyond the last": {"entries": i(0, 2, 1)},
            "an entry below 0": {"entries": i(-1, 1, 1)},
            "entries out of order": {"entries": i(1, 0, 1)},
            "an entry twice": {"entries": i(1, 1, 1)},
            "a key beyond the last": {"keys": i(0, 1)},
            "keys below 0": {"key_count": -1},
            "more keys than there can be": {"key_count": LARGE},
        },
    ),
}
