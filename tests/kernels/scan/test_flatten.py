"""Objects as they come out of JSON, or from a caller's own arrays, to columns."""

import json
from decimal import Decimal
from enum import IntEnum, StrEnum
from fractions import Fraction

import numpy as np
import pytest

from calipers.kernels.count.assign import gather_codes
from calipers.kernels.scan.flatten import KINDS, REASONS, ObjectColumns
from calipers.kernels.shape.plane import FLAGS


def read(item, *, truth: bool = False, **size) -> tuple[str, list[float], bool]:
    """(what is wrong, numbers, whether any was clamped) of one object."""
    columns = ObjectColumns({})
    wrong = columns.add_record([item], truth, **size)
    if wrong == 0:
        return REASONS[columns.last_reason], [], False
    return REASONS[columns.reason[0]], columns.points.tolist(), bool(columns.flags[0] & FLAGS["clamped"])


def shape(kind: str, points, desc="a") -> dict:
    return {"type": kind, "points": points, "desc": desc}


def numbers_of(points, kind: str = "bbox_2d") -> list[float] | str:
    """The numbers of a prediction, or what is wrong with it."""
    reason, numbers, _ = read(shape(kind, points))
    return reason or numbers


class Level(IntEnum):
    LOW = 3


class Name(StrEnum):
    BOX = "bbox_2d"
    DESC = "类别=标签"


def name_without_address(value):
    """A test's name, the same in every process."""
    return "object()" if type(value) is object else repr(value)


# Numbers


@pytest.mark.parametrize(
    "value",
    [
        *(3, 3.0, Level.LOW, Decimal(3), Fraction(6, 2), np.int8(3), np.int64(3), np.uint16(3)),
        *(np.float16(3), np.float32(3), np.float64(3), np.longdouble(3), np.array(3.0)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_that_is_a_number_is_one(value):
    assert numbers_of([1, 2, value, 4]) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "value",
    [
        *(True, False, np.True_, np.False_, "3", "", b"3", np.str_("3"), np.bytes_(b"3"), None),
        *([], [3], {}, 3j, np.array([3, 3]), np.datetime64(3, "s"), object()),
    ],
    ids=name_without_address,
)
def test_booleans_texts_and_whatever_else_are_not_numbers(value):
    assert numbers_of([1, 2, value, 4]) == "not a number"
    assert read(shape("bbox_2d", [1, 2, value, 4]), truth=True)[0] == "not a number"


@pytest.mark.parametrize(
    "value",
    [
        *(float("nan"), float("inf"), float("-inf"), Decimal("NaN"), Decimal("1e999"), Fraction(10**400)),
        *(10**400, -(10**400), np.float64("nan"), np.float32("inf"), np.longdouble("1e400")),
    ],
    ids=lambda value: f"{type(value).__name__} {value!s:.8}",
)
def test_what_no_float_can_hold_is_not_finite(value):
    assert numbers_of([1, 2, value, 4]) == "not finite"
    assert read(shape("bbox_2d", [1, 2, value, 4]), truth=True)[0] == "not finite"


@pytest.mark.parametrize("value", [10**30, 1e300, np.float64(1e300), 2**64, 1001, 1000.0000000001])
def test_large_predicted_numbers_are_clamped(value):
    assert read(shape("bbox_2d", [1, 2, value, 4])) == ("", [1, 2, 1000, 4], True)
    assert read(shape("bbox_2d", [1, 2, -value, 4])) == ("", [1, 2, 0, 4], True)


@pytest.mark.parametrize("value", [1000.0000000001, -0.0000001, 10**30])
def test_ground_truth_outside_the_frame_is_wrong(value):
    assert read(shape("bbox_2d", [1, 2, value, 4]), truth=True)[0] == "outside the frame"


@pytest.mark.parametrize("value", [0, -0.0, 1000, 1000.0, 0.5])
def test_the_frame_has_its_rim(value):
    for truth in (True, False):
        assert read(shape("bbox_2d", [1, 2, value, 4]), truth=truth) == ("", [1, 2, value, 4], False)


def test_minus_zero_becomes_zero():
    _, numbers, _ = read(shape("line", [-0.0, 0, np.float64(-0.0), -1e-300]))
    assert str(numbers) == "[0.0, 0.0, 0.0, 0.0]"


def test_without_a_frame_any_finite_number_is_kept():
    columns = ObjectColumns({}, framed=False)
    assert columns.add_record([shape("bbox_2d", [-1e99, -5, 10**30, 1001])], True) == -1
    assert columns.points.tolist() == [-1e99, -5, 1e30, 1001]
    assert columns.add_record([shape("bbox_2d", [0, 0, float("inf"), 1])], True) == 0


# Points


@pytest.mark.parametrize(
    "points",
    [
        [10, 20, 30, 40],
        (10, 20, 30, 40),
        [[10, 20], [30, 40]],
        [(10, 20), (30, 40)],
        ((10, 20), (30, 40)),
        [[10, 20], (30, 40)],
        np.array([10, 20, 30, 40]),
        np.array([10, 20, 30, 40], dtype=np.float32),
        np.array([[10, 20], [30, 40]], dtype=np.uint8),
        np.array([[10, 20], [30, 40]]).T.copy().T,
        np.array([10, 20, 30, 40], dtype=object),
        [[10, 20], np.array([30, 40])],
        [np.array([10, 20]), np.array([30, 40])],
        (np.array([10, 20]), [30, 40]),
    ],
    ids=lambda points: " of ".join([type(points).__name__, *dict.fromkeys(type(item).__name__ for item in points)]),
)
def test_points_are_flat_or_nested_lists_tuples_or_arrays(points):
    assert numbers_of(points, "bbox_2d") == numbers_of(points, "line") == [10, 20, 30, 40]


@pytest.mark.parametrize("points", [None, 5, "10, 20, 30, 40", {"x": 1}, {1, 2, 3, 4}, np.array(5), True], ids=repr)
def test_points_that_are_no_list_are_none(points):
    assert numbers_of(points) == "points"


@pytest.mark.parametrize(
    ("points", "problem"),
    [
        ([[1, 2], [3]], "odd count"),
        ([[1, 2], [3, 4, 5]], "odd count"),
        ([[], []], "odd count"),
        ([[1, 2, 3, 4]], "odd count"),
        ([[1, 2], 3, 4], "not a number"),
        ([1, 2, [3, 4]], "not a number"),
        ([[1, 2], "34"], "not a number"),
        ([[1, 2], None], "not a number"),
        ([[1, "2"], [3, 4]], "not a number"),
        ([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "not a number"),
        (np.zeros((2, 2, 2)), "not a number"),
        (np.zeros((2, 3)), "odd count"),
        (np.array(["1", "2", "3", "4"]), "not a number"),
        (np.array([True, False, True, True]), "not a number"),
    ],
    ids=repr,
)
def test_points_nested_in_any_other_way_are_wrong(points, problem):
    assert numbers_of(points, "line") == problem


@pytest.mark.parametrize(
    ("kind", "count", "problem"),
    [
        ("bbox_2d", 0, "bbox_2d count"),
        ("bbox_2d", 3, "bbox_2d count"),
        ("bbox_2d", 4, ""),
        ("bbox_2d", 5, "bbox_2d count"),
        ("bbox_2d", 8, "bbox_2d count"),
        ("poly", 0, "poly count"),
        ("poly", 4, "poly count"),
        ("poly", 5, "odd count"),
        ("poly", 6, ""),
        ("poly", 7, "odd count"),
        ("poly", 600, ""),
        ("line", 0, "line count"),
        ("line", 2, "line count"),
        ("line", 3, "odd count"),
        ("line", 4, ""),
        ("line", 601, "odd count"),
    ],
)
def test_each_type_needs_its_count_of_numbers(kind, count, problem):
    assert read(shape(kind, [7] * count))[0] == problem
    assert read(shape(kind, [7] * count), truth=True)[0] == problem


# Objects


@pytest.mark.parametrize("item", [None, 7, "bbox_2d", [0, 0, 9, 9], [], True, object()], ids=name_without_address)
def test_what_is_no_dict_is_no_object(item):
    columns = ObjectColumns({})
    columns.add_record([item], False)
    assert REASONS[columns.reason[0]] == "not an object"
    assert columns.kind[0] == len(KINDS)
    assert columns.descs == {"": 0}


@pytest.mark.parametrize("kind", [None, 0, "", "BBOX_2D", "bbox", "bbox_2d ", "polygon", ["poly"], b"poly", "ｌine"])
def test_a_type_that_is_none_of_the_three_is_wrong(kind):
    assert read(shape(kind, [0, 0, 9, 9]))[0] == "type"
    assert read({"points": [0, 0, 9, 9], "desc": ""})[0] == "type"


def test_a_type_is_known_even_where_the_points_are_wrong():
    columns = ObjectColumns({})
    columns.add_record([shape("poly", [1]), shape("line", None), shape("bbox_2d", ["x"] * 4)], False)
    assert [KINDS[kind] for kind in columns.kind] == ["poly", "line", "bbox_2d"]
    assert [REASONS[reason] for reason in columns.reason] == ["odd count", "points", "not a number"]
    assert columns.starts.tolist() == [0, 0, 0, 0]


def test_a_text_is_read_even_where_the_points_are_wrong():
    columns = ObjectColumns({})
    columns.add_record([shape("poly", [1], desc="x"), shape("circle", [], desc="y")], False)
    assert columns.descs == {"x": 0, "y": 1}


@pytest.mark.parametrize("desc", [None, 5, [], b"a", True])
def test_a_predicted_desc_that_is_no_text_is_empty_and_in_ground_truth_it_is_wrong(desc):
    columns = ObjectColumns({})
    columns.add_record([shape("line", [0, 0, 9, 9], desc=desc), {"type": "line", "points": [0, 0, 9, 9]}], False)
    assert columns.reason.tolist() == [0, 0]
    assert columns.descs == {"": 0}
    assert read(shape("line", [0, 0, 9, 9], desc=desc), truth=True)[0] == "desc"
    assert read({"type": "line", "points": [0, 0, 9, 9]}, truth=True)[0] == "desc"
    assert read(shape("line", [0, 0, 9, 9], desc=""), truth=True)[0] == ""


def test_wrong_points_come_before_a_wrong_desc():
    assert read({"type": "line", "points": [0]}, truth=True)[0] == "odd count"


@pytest.mark.parametrize("text", [np.str_("类别=标签"), Name.DESC], ids=["numpy", "enum"])
def test_a_text_of_a_kind_of_its_own_is_still_a_text(text):
    columns = ObjectColumns({})
    assert columns.add_record([shape("line", [0, 0, 9, 9], desc=text)], True) == -1
    assert list(columns.descs) == ["类别=标签"]


@pytest.mark.parametrize("kind", [np.str_("bbox_2d"), Name.BOX], ids=["numpy", "enum"])
def test_a_type_of_a_kind_of_its_own_is_still_a_type(kind):
    assert numbers_of([1, 2, 3, 4], kind) == [1, 2, 3, 4]


def test_any_dict_will_do_and_other_fields_do_not_matter():
    class Special(dict):
        pass

    item = Special(shape("line", [0, 0, 9, 9]), score=0.5, extra=[1])
    item[5] = item[None] = item["类型"] = "more"
    assert read(item) == ("", [0, 0, 9, 9], False)


def test_nothing_is_changed():
    item = shape("poly", [[-5, 2000], (1.5, 2), [3, 4]])
    before = json.dumps(item)
    read(item)
    read(item, width=50, height=50)
    assert json.dumps(item) == before


# Pixels


def test_pixels_are_brought_to_the_frame_by_width_and_height():
    assert read(shape("bbox_2d", [0, 0, 1920, 540]), width=1920, height=1080) == ("", [0, 0, 1000, 500], False)
    assert read(shape("line", [[960, 270], [480, 1080]]), width=1920, height=1080) == ("", [500, 250, 250, 1000], False)


@pytest.mark.parametrize("extent", [3, 7, 640, 1080, 1921, 4032, 0.1, 1e-320, 1e300])
def test_the_last_pixel_is_inside_whatever_the_size(extent):
    found = read(shape("line", [0, 0, extent, extent]), truth=True, width=extent, height=extent)
    assert found == ("", [0, 0, 1000, 1000], False)


def test_pixels_outside_are_clamped_in_predictions_and_wrong_in_ground_truth():
    wide = shape("bbox_2d", [-1, 0, 101, 40])
    assert read(wide, width=100, height=50) == ("", [0, 0, 1000, 800], True)
    assert read(wide, truth=True, width=100, height=50)[0] == "outside the frame"


# Records


def test_a_record_with_wrong_ground_truth_leaves_nothing_behind():
    columns = ObjectColumns({})
    columns.add_record([shape("line", [0, 0, 9, 9])], True)
    assert columns.add_record([shape("poly", [1] * 6), shape("line", [0, 0, 9]), None], True) == 1
    assert REASONS[columns.last_reason] == "odd count"
    assert columns.add_record([shape("bbox_2d", [1, 2, 3, 4])], True) == -1
    assert columns.offsets.tolist() == [0, 1, 2]
    assert columns.kind.tolist() == [2, 0]
    assert columns.points.tolist() == [0, 0, 9, 9, 1, 2, 3, 4]
    assert columns.starts.tolist() == [0, 4, 8]
    assert len(columns.reason) == len(columns.flags) == len(columns.desc) == 2


def test_wrong_predictions_keep_their_place():
    columns = ObjectColumns({})
    assert columns.add_record([None, shape("bbox_2d", [1, 2, 3, 4]), shape("poly", [1])], False) == -1
    assert columns.offsets.tolist() == [0, 3]
    assert [bool(reason) for reason in columns.reason] == [True, False, True]
    assert columns.starts.tolist() == [0, 0, 4, 4]


def test_a_record_can_be_taken_back():
    columns = ObjectColumns({})
    columns.add_record([shape("line", [0, 0, 9, 9])], True)
    columns.add_record([shape("bbox_2d", [1, 2, 3, 4])] * 3, True)
    columns.drop_record()
    columns.add_record([], True)
    columns.drop_record()
    assert columns.offsets.tolist() == [0, 1]
    assert columns.points.tolist() == [0, 0, 9, 9]


def test_records_can_be_joined_to_one():
    columns = ObjectColumns({})
    for _ in range(3):
        columns.add_record([shape("line", [0, 0, 9, 9])], True)
    columns.join_records()
    assert columns.offsets.tolist() == [0, 3]


def test_an_object_that_is_invalid_after_clamping_some_numbers_is_not_clamped():
    columns = ObjectColumns({})
    columns.add_record([shape("bbox_2d", [-1, 2, 3, "x"]), shape("bbox_2d", [-1, 2, 3])], False)
    assert columns.flags.tolist() == [0, 0]
    assert columns.points.tolist() == []


def test_texts_are_numbered_as_they_come_and_shared_by_sides_that_share_the_dict():
    descs: dict[str, int] = {}
    truth, pred = ObjectColumns(descs), ObjectColumns(descs)
    truth.add_record([shape("line", [0, 0, 9, 9], desc=text) for text in "aba"], True)
    pred.add_record([shape("line", [0, 0, 9, 9], desc=text) for text in "cb"], False)
    assert descs == {"a": 0, "b": 1, "c": 2}
    assert (truth.desc.tolist(), pred.desc.tolist()) == ([0, 1, 0], [2, 1])


def test_taking_gives_the_code_of_each_objects_text():
    columns = ObjectColumns({})
    columns.add_record([shape("line", [0, 0, 9, 9], desc=text) for text in "abcab"], True)
    assert gather_codes([7, -1, 2**31 - 1], columns.desc).tolist() == [7, -1, 2**31 - 1, 7, -1]
    assert gather_codes([], ObjectColumns({}).desc).tolist() == []
