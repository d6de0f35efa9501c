"""Laws of the dense suite, on generated records: whatever the data, these hold."""

from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import calipers

from ...profiles import examples
from .records import box, line, matched, measure, poly, record

MODES = ("localization", "phase", "category")
RATES = {"precision", "recall", "f1", "mean_f1", "mean_overlap_matched", "accuracy", "exact", "similarity"}
RATES |= {"over_rate", "under_rate", "equal_rate"}
UMBRELLA = "螺丝、光纤插头"
NAMED = (
    "类别=甲,品牌=华为,组=1",
    "类别=乙,品牌=中兴",
    "类别=标签,文本=4G-RRU3,光纤=2",
    "类别=标签,文本=NR,备注=模糊",
    "类别=站点距离,站点距离=98",
    f"{UMBRELLA}/BBU安装螺丝,显示完整",
    f"{UMBRELLA}/ODF端光纤插头",
    "甲/有遮挡",
    "甲/完整/有遮挡,新",
    "标签/4G-RRU3,光纤=2",
    "站点距离/98",
)
MALFORMED = (None, {}, {"type": "line"}, {"type": "bbox_2d", "points": [1, 2, 3], "desc": "类别=甲"})

laws = settings(max_examples=examples(80), derandomize=True, deadline=None)

# Few places, so that shapes meet, touch, coincide and degenerate often.
place = st.integers(0, 8).map(lambda step: 20 * step)
points = st.tuples(place, place)


def flat(pairs):
    return [number for pair in pairs for number in pair]


def objects(descs=(*NAMED, "", "品牌=华为")):
    named = st.sampled_from(descs)
    boxes = st.builds(box, place, place, place, place, named)
    polys = st.builds(
        lambda pairs, desc: poly(*flat(pairs), desc=desc), st.lists(points, min_size=3, max_size=5), named
    )
    lines = st.builds(
        lambda pairs, desc: line(*flat(pairs), desc=desc), st.lists(points, min_size=2, max_size=4), named
    )
    return st.one_of(boxes, boxes, polys, lines)


@st.composite
def sides(draw, each=None, malformed=True):
    """Ground truth, and predictions of which some are ground truth with another description or box."""
    each = objects() if each is None else each
    gt = draw(st.lists(each, max_size=4))
    choices = [each]
    if gt:
        choices += [st.sampled_from(gt), st.builds(lambda a, b: {**a, "desc": b["desc"]}, st.sampled_from(gt), each)]
    if malformed:
        choices.append(st.sampled_from(MALFORMED))
    return gt, draw(st.lists(st.one_of(choices), max_size=4))


def dumps(each=None, malformed=True, min_size=1):
    pairs = st.lists(sides(each, malformed), min_size=min_size, max_size=4)
    return pairs.map(lambda found: [record(*both, id=number) for number, both in enumerate(found)])


def walk(tree, name=""):
    """Every number of a report with the key it stands under."""
    items = tree.items() if isinstance(tree, dict) else [(name, item) for item in tree]
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from walk(value, key)
        else:
            yield key, value


def rewritten(records, change):
    """The records with every object changed."""
    sides = ("gt_norm1000", "pred")
    return [{**each, **{side: [change(item) for item in each[side]] for side in sides}} for each in records]


@laws
@given(dumps())
def test_every_rate_lies_between_0_and_1_or_is_undefined(records):
    for key, value in walk(measure(*records).tree):
        if key in RATES and value is not None:
            assert 0 <= value <= 1, key


@laws
@given(dumps())
def test_totals_add_up(records):
    report = measure(*records)
    errors, counted, read = report["errors"], report["objects"], report["records"]
    assert read["read"] == read["evaluated"] + read["skipped_empty"] + read["rejected"]
    assert sum(errors.values()) - errors["duplicate"] - errors["spurious"] == counted["gt"]
    assert sum(errors.values()) - errors["missed"] == counted["pred"]
    assert errors["matched"] == report["modes"]["category"]["primary"]["matched"]
    for mode in report["modes"].values():
        for at, row in enumerate(mode["thresholds"]):
            by_type = [tree["thresholds"][at] for tree in mode["by_type"].values()]
            assert sum(each["matched_gt"] for each in by_type) == row["matched"]
            assert sum(each["matched_pred"] for each in by_type) == row["matched"]
            assert sum(each["gt"] for each in by_type) == row["gt"] == counted["gt"]


@laws
@given(dumps(objects(NAMED), malformed=False))
def test_ground_truth_as_prediction_is_perfect_on_every_metric(records):
    report = measure(*({**each, "pred": each["gt_norm1000"]} for each in records))
    assume(report["objects"]["degenerate"] == 0)
    for key, value in walk(report.tree):
        if key in RATES - {"over_rate", "under_rate"}:
            assert value in (1.0, None), key
    counts, errors = report["counts"], report["errors"]
    assert counts["mae"] in (0.0, None)
    assert (errors["matched"], sum(errors.values())) == (report["objects"]["gt"],) * 2
    assert report["attributes"]["distance"]["mae"] in (0.0, None)


@laws
@given(dumps(), st.randoms(use_true_random=False))
def test_the_order_of_records_changes_nothing(records, random):
    shuffled = random.sample(records, len(records))
    assert measure(*shuffled, bootstrap=50).to_json() == measure(*records, bootstrap=50).to_json()


@laws
@given(dumps(min_size=0), st.integers(0, 4))
def test_two_meters_merged_are_one_meter(records, cut):
    one, left, right = (calipers.DenseMeter(bootstrap=50) for _ in range(3))
    one.update(records)
    left.update(records[:cut])
    for each in records[cut:]:
        right.update(each)
    for meter, other in ((left, right), (right, left)):
        merged = calipers.DenseMeter(bootstrap=50)
        merged.merge(meter)
        merged.merge(other)
        assert merged.compute().to_json() == one.compute().to_json()
    assert one.compute().to_json() == calipers.dense(records, bootstrap=50).to_json()


@laws
@given(dumps(objects([f"类别={label},组=1" for label in "甲乙丙"])), st.permutations("甲乙丙"))
def test_other_names_for_labels_change_nothing_but_names(records, names):
    new = dict(zip("甲乙丙", names, strict=True))

    def renamed(item):
        named = isinstance(item, dict) and item.get("desc")
        return {**item, "desc": item["desc"].translate(str.maketrans(new))} if named else item

    before, after = measure(*records).tree, measure(*rewritten(records, renamed)).tree
    for mode in ("phase", "category"):
        rows = [{**row, "label": new[row["label"]]} for row in before["modes"][mode]["by_label"]]
        before["modes"][mode]["by_label"] = sorted(rows, key=lambda row: (-row["gt"], row["label"]))
    rows = [{**row, "label": new.get(row["label"])} for row in before["errors_by_label"]]
    before["errors_by_label"] = sorted(rows, key=lambda row: (row["label"] is None, -errors_of(row), row["label"]))
    confusion = before["confusion"]
    for name in ("missed", "background"):
        confusion[name] = {new.get(label, label): count for label, count in confusion[name].items()}
    confusion["matched"] = {
        new.get(truth, truth): {new.get(pred, pred): count for pred, count in row.items()}
        for truth, row in confusion["matched"].items()
    }
    assert before == after


def errors_of(row):
    return sum(count for name, count in row.items() if name != "label")


@laws
@given(dumps())
def test_matched_pairs_only_get_fewer_as_the_threshold_rises(records):
    report = measure(*records)
    for mode in MODES:
        assert all(low >= high for low, high in pairwise(matched(report, mode)))
        for tree in report["modes"][mode]["by_type"].values():
            for side in ("matched_gt", "matched_pred"):
                assert all(low[side] >= high[side] for low, high in pairwise(tree["thresholds"]))


@laws
@given(dumps())
def test_a_label_constraint_at_most_doubles_the_pairs(records):
    # Greedy without labels may take the partner of a pair that labels would keep apart, but never of more than two.
    report = measure(*records)
    for mode in ("phase", "category"):
        assert all(2 * a >= b for a, b in zip(matched(report), matched(report, mode), strict=True))


disjoint = st.lists(
    st.sampled_from([box(200 * i, 0, 200 * i + 100, 100, desc) for i in range(4) for desc in NAMED[:3]])
)
nearby = st.builds(
    lambda i, y, desc: box(200 * i, y, 200 * i + 100, 100, desc), st.integers(0, 3), place, st.sampled_from(NAMED)
)


@laws
@given(disjoint, st.lists(nearby, max_size=6))
def test_where_ground_truth_does_not_overlap_no_mode_has_more_pairs_than_localization(gt, pred):
    gt = list({each["points"][0]: each for each in gt}.values())
    report = measure(record(gt, pred))
    for mode in ("phase", "category"):
        assert all(a >= b for a, b in zip(matched(report), matched(report, mode), strict=True))


def test_where_ground_truth_overlaps_localization_may_have_fewer_pairs_than_category():
    # b takes A (0.9), which leaves B and a alone; with labels A-a (0.5) and B-b (0.8 / 0.9) are two pairs.
    gt = [box(0, 0, 100, 100, "类别=a"), box(0, 0, 100, 80, "类别=b")]
    pred = [box(0, 50, 100, 100, "类别=a"), box(0, 0, 100, 90, "类别=b")]
    report = measure(record(gt, pred))
    assert (matched(report)[0], matched(report, "category")[0]) == (1, 2)


@laws
@given(dumps(), st.integers(0, 4), st.sampled_from(MALFORMED))
def test_a_malformed_prediction_lowers_precision_and_nothing_else_of_the_matching(records, at, wrong):
    first = records[0]
    assume(first["gt_norm1000"] or first["pred"])  # a record without objects would come to count
    pred = [*first["pred"][:at], wrong, *first["pred"][at:]]
    before, after = measure(*records), measure({**first, "pred": pred}, *records[1:])
    assert after["objects"]["invalid_pred"] == before["objects"]["invalid_pred"] + 1
    for mode in MODES:
        for old, new in zip(before["modes"][mode]["thresholds"], after["modes"][mode]["thresholds"], strict=True):
            assert (new["matched"], new["gt"], new["recall"]) == (old["matched"], old["gt"], old["recall"])
            assert new["precision"] == old["matched"] / (old["pred"] + 1)
            assert new["precision"] <= (1.0 if old["precision"] is None else old["precision"])


def turned(item, start):
    """The same shape from another vertex on, or the other way round."""
    if not isinstance(item, dict) or item.get("type") not in ("poly", "line") or "points" not in item:
        return item
    pairs = list(zip(item["points"][::2], item["points"][1::2], strict=True))
    start %= len(pairs)
    other = pairs[::-1] if item["type"] == "line" else (pairs[start:] + pairs[:start])[:: -1 if start % 2 else 1]
    return {**item, "points": flat(other)}


@laws
@given(dumps(), st.integers(0, 5))
def test_where_a_shape_begins_and_which_way_it_runs_does_not_matter(records, start):
    before, after = measure(*records).tree, measure(*rewritten(records, lambda item: turned(item, start))).tree
    # Coverage samples each line from its first point on; only where lengths are whole are these the same points.
    assert {**before, "coverage": None} == {**after, "coverage": None}


@st.composite
def straight_lines(draw):
    x, y, length = draw(place), draw(place), draw(place)
    return line(x, y, x + length, y) if draw(st.booleans()) else line(x, y, x, y + length)


@laws
@given(dumps(straight_lines()))
def test_coverage_does_not_depend_on_direction_where_lengths_are_whole(records):
    assert measure(*records).tree == measure(*rewritten(records, lambda item: turned(item, 0))).tree


@pytest.mark.parametrize("mode", MODES)
@settings(laws, max_examples=examples(40))
@given(sides(), st.sampled_from([8, 2.5, 0]))
def test_the_reward_is_the_suites_figure_on_one_record(mode, both, tolerance):
    gt, pred = both
    assume(gt or pred)
    tree, options = measure(record(gt, pred), tube_tolerance=tolerance)["modes"][mode], {"tube_tolerance": tolerance}
    assert calipers.reward(pred, gt, mode=mode, **options) == tree["primary"]["f1"]
    assert calipers.reward(pred, gt, mode=mode, metric="mean_f1", **options) == tree["mean_f1"]
