"""Rows of COCO as columns: the same by the scan of their bytes, from memory, and field by field."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.suites.coco.formats.coco_json import Loading, read_coco
from calipers.suites.coco.formats.rows import FIELDS, Origin, rows_in_memory

HERE = Origin("a.json", "")


def in_memory(rows, *, truth=False, iou_type="bbox"):
    return rows_in_memory(rows, HERE, iou_type, truth=truth)


def one_by_one(rows, *, truth=False, iou_type="bbox"):
    """Every row field by field, as if any could hold a key twice."""
    return rows_in_memory(rows, HERE, iou_type, truth=truth, has_doubles=True)


def from_file(rows, path, style, *, truth=False, iou_type="bbox"):
    tree = {"images": [], "annotations": rows, "categories": []} if truth else rows
    path.write_text(json.dumps(tree, **style), encoding="utf-8")
    return read_coco(Loading(str(path)), iou_type, truth=truth).rows


def columns(rows, index):
    """What a row holds, by name; what is absent or wrong holds nothing."""
    found = {}
    for name, column in (
        ("image_id", rows.image),
        ("category_id", rows.category),
        ("id", rows.ids),
        ("bbox", rows.box),
        ("score", rows.score),
        ("area", rows.area),
        ("iscrowd", rows.crowd),
    ):
        if rows.has[index] & FIELDS[name]:
            found[name] = repr(column[index].tolist())
    return found, repr(rows.wrong.get(index))


# Single values


def test_an_annotation():
    row = {"id": 3, "image_id": 1, "category_id": 2, "bbox": (1, 2, 3, 4.5), "area": 7, "iscrowd": True}
    rows = in_memory([row], truth=True)
    assert rows.wrong == {}
    assert [rows.ids[0], rows.image[0], rows.category[0], rows.area[0]] == [3, 1, 2, 7]
    assert (rows.box.tolist(), rows.crowd.tolist()) == ([[1, 2, 3, 4.5]], [True])


def test_what_is_absent_is_nan_and_no_crowd():
    rows = in_memory([{}, {"bbox": None, "score": None}])
    assert np.isnan(rows.box).all()
    assert np.isnan(rows.score).all()
    assert rows.has.tolist() == [0, 0]
    assert in_memory([{}], truth=True).crowd.tolist() == [False]


@pytest.mark.parametrize("value", [7, 7.0, np.int64(7), np.float32(7), np.array(7)])
def test_whole_numbers_may_be_written_otherwise(value):
    rows = in_memory([{"image_id": value}])
    assert (rows.image[0], rows.wrong) == (7, {})


@pytest.mark.parametrize("value", ["7", 7.5, True, [7], 2**63, math.nan, math.inf, {}])
def test_other_values_are_no_ids(value):
    assert repr(in_memory([{"image_id": value}]).wrong) == repr({0: {"image_id": value}})


@pytest.mark.parametrize(
    "box", [[1, 2, 3, 4], (1, 2, 3, 4), np.array([1, 2, 3, 4], np.float32), [np.float64(1), 2, np.int32(3), 4.0]]
)
def test_boxes_of_any_sequence(box):
    assert in_memory([{"bbox": box}]).box.tolist() == [[1, 2, 3, 4]]


@pytest.mark.parametrize(
    "box", [[1, 2, 3], [1, 2, 3, 4, 5], [1, 2, 3, "4"], [1, 2, 3, None], "1234", 5, [1, 2, 3, True]]
)
def test_what_is_not_four_numbers_is_no_box(box):
    rows = in_memory([{"bbox": box}])
    assert rows.wrong == {0: {"bbox": box}}
    assert np.isnan(rows.box).all()


def test_numbers_of_32_bits_keep_their_value():
    assert in_memory([{"score": np.float32(0.1)}]).score[0] == float(np.float32(0.1)) != 0.1


def test_numbers_that_are_not_finite_are_kept_for_the_checks():
    rows = in_memory([{"bbox": [1, math.nan, math.inf, -math.inf], "score": math.nan}])
    assert repr(rows.box.tolist()) == "[[1.0, nan, inf, -inf]]"
    assert rows.has[0] == FIELDS["bbox"] | FIELDS["score"]


@pytest.mark.parametrize("value", [10**400, "0.5", True, [1]])
def test_other_values_are_no_scores(value):
    assert in_memory([{"score": value}]).wrong == {0: {"score": value}}


@pytest.mark.parametrize(("value", "crowd"), [(0, False), (1, True), (False, False), (True, True), (1.0, True)])
def test_crowds(value, crowd):
    assert in_memory([{"iscrowd": value}], truth=True).crowd.tolist() == [crowd]


@pytest.mark.parametrize("value", [2, -1, 0.5, "1", [0]])
def test_other_values_are_no_crowds(value):
    assert in_memory([{"iscrowd": value}], truth=True).wrong == {0: {"iscrowd": value}}


@pytest.mark.parametrize("row", [None, 5, "text", [1, 2]])
def test_a_row_that_is_no_object(row):
    assert in_memory([{"score": 1}, row]).wrong == {1: {"": row}}


def test_rows_that_json_has_no_words_for():
    deep = [0]
    for _ in range(400):
        deep = [deep]
    for odd in ({1: 2}, {"other": 2**70}, {"other": "\ud800"}, {"other": deep}, {"other": object()}):
        rows = in_memory([{"score": 0.5} | odd, {"score": 0.25}])
        assert rows.score.tolist() == [0.5, 0.25]


def test_what_was_given_is_left_alone():
    row = {"image_id": 7.0, "bbox": [1, 2, 3, math.nan]}
    before = repr(row)
    in_memory([row])
    assert repr(row) == before


# Keys given twice


def test_a_key_given_twice_is_wrong_in_the_row_it_is_in(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"score": 1, "image_id": 1}, {"score": 1, "score": 1, "image_id": 2}, {"a": 1, "a": 2}]')
    rows = read_coco(Loading(str(path)), "bbox", truth=False).rows
    assert {row: list(fields) for row, fields in rows.wrong.items()} == {1: ["score"]}
    assert rows.image[:2].tolist() == [1, 2]


# Laws

numbers = st.one_of(
    st.integers(-3, 3000),
    st.floats(-1e3, 1e3),
    st.floats(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(0, 1, width=32),
)
anything = st.one_of(numbers, st.booleans(), st.none(), st.text(max_size=4), st.lists(numbers, max_size=5))
rows_of_any_kind = st.one_of(
    st.dictionaries(st.sampled_from([*FIELDS, "other", "é\n"]), anything, max_size=9),
    st.fixed_dictionaries(
        {
            "image_id": st.integers(0, 9),
            "category_id": st.integers(0, 9),
            "bbox": st.lists(numbers, min_size=4, max_size=4),
        },
        optional={"score": numbers, "area": numbers, "iscrowd": st.sampled_from([0, 1, True, False, 2]), "id": numbers},
    ),
    anything,
)
styles = st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}, {"sort_keys": True}])


@given(st.lists(rows_of_any_kind, max_size=5), styles, st.booleans())
def test_all_ways_give_the_same_columns(tmp_path_factory, given_rows, style, truth):
    path = tmp_path_factory.getbasetemp() / "rows.json"
    ways = [
        from_file(given_rows, path, style, truth=truth),
        in_memory(given_rows, truth=truth),
        one_by_one(given_rows, truth=truth),
    ]
    for index in range(len(given_rows)):
        first, *others = [columns(rows, index) for rows in ways]
        assert all(other == first for other in others)


@given(st.lists(st.dictionaries(st.sampled_from(["segmentation", "area"]), anything, max_size=2), max_size=4))
def test_shapes_are_what_was_given(tmp_path_factory, given_rows):
    path = tmp_path_factory.getbasetemp() / "shapes.json"
    expected = repr([row.get("segmentation") for row in given_rows])
    for rows in (from_file(given_rows, path, {}, iou_type="segm"), in_memory(given_rows, iou_type="segm")):
        assert repr(rows.shapes) == expected
