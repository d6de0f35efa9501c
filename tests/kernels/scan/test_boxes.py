"""Objects appended to columns as boxes: what is a box, what is wrong with one that is none, and how boxes stand."""

import math
from copy import deepcopy
from enum import StrEnum
from itertools import product

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.kernels.scan.boxes import LARGEST, REASONS, SMALLEST, BoxColumns, all_plain

from ...profiles import examples

COLUMNS = {"center": 3, "half": 3, "axes": 9, "bounds": 6, "upright": 1, "reason": 1, "scores": 1, "index": 1}
BOX = {"center": [0, 0, 0], "size": [1, 1, 1]}
LYING = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]  # a quarter turn about x: the second axis of the box points up
NAN, INF = math.nan, math.inf


def columns_of(*objects, strict=True) -> BoxColumns:
    columns = BoxColumns()
    assert columns.add_scene(list(objects), strict) == -1
    return columns


def box(rotation=None, center=(1, 2, 3), size=(2, 4, 6)) -> dict:
    return {"center": list(center), "size": list(size), "rotation": rotation}


def reason_of(item) -> str:
    """What is wrong with an object."""
    return REASONS[columns_of(item, strict=False).reason[0]]


def lengths(columns: BoxColumns) -> dict[str, int]:
    return {name: len(getattr(columns, name)) for name in [*COLUMNS, "labels", "ids", "similarity"]}


def corners(columns: BoxColumns, index: int = 0) -> np.ndarray:
    """The eight corners of a box, sorted."""
    center, half = (np.reshape(column, (-1, 3))[index] for column in (columns.center, columns.half))
    axes = np.reshape(columns.axes, (-1, 3, 3))[index]
    return in_order(center + (np.array(list(product((-1, 1), repeat=3))) * half) @ axes)


def in_order(points: np.ndarray) -> np.ndarray:
    return points[np.lexsort(np.round(points, 9).T)]


# How a box stands


def test_a_box_without_rotation_stands_along_the_axes_of_the_world():
    columns = columns_of({"center": [1, 2, 3], "size": [2, 4, 6]})
    assert columns.center.tolist() == [1, 2, 3]
    assert columns.half.tolist() == [1, 2, 3]
    assert columns.axes.tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert columns.bounds.tolist() == [0, 0, 0, 2, 4, 6]  # 1 -+ 1, 2 -+ 2, 3 -+ 3
    assert columns.upright.tolist() == [1]
    assert columns.reason.tolist() == [0]


@pytest.mark.parametrize("rotation", [None, [0, 0, 0, 1], [0.0, 0.0, 0.0, -7.5], {"yaw": 0}, np.eye(3)], ids=repr)
def test_no_rotation_can_be_written_in_several_ways(rotation):
    columns, plain = columns_of(box(rotation)), columns_of({"center": [1, 2, 3], "size": [2, 4, 6]})
    for name in COLUMNS.keys() - {"scores"}:
        assert getattr(columns, name).tolist() == getattr(plain, name).tolist(), name


def test_a_yaw_turns_counterclockwise_seen_from_above():
    columns = columns_of(box({"yaw": math.pi / 6}))
    half_root = math.sqrt(3) / 2  # cos 30°, and sin 30° = 1/2
    assert columns.axes.tolist() == pytest.approx([half_root, 0.5, 0, -0.5, half_root, 0, 0, 0, 1], abs=1e-15)
    # reach along x: 1 · cos + 2 · sin; along y: 1 · sin + 2 · cos; along z: 3
    x, y = half_root + 1, 0.5 + 2 * half_root
    assert columns.bounds.tolist() == pytest.approx([1 - x, 2 - y, 0, 1 + x, 2 + y, 6], abs=1e-14)


def test_the_columns_of_a_matrix_are_the_axes_of_the_box():
    c, s = math.cos(0.3), math.sin(0.3)
    about_x = [[1, 0, 0], [0, c, -s], [0, s, c]]  # takes (0, 1, 0) to (0, c, s) and (0, 0, 1) to (0, -s, c)
    columns = columns_of(box(about_x))
    assert columns.axes.tolist() == pytest.approx([1, 0, 0, 0, c, s, 0, -s, c], abs=1e-15)
    assert columns.upright.tolist() == [0]


def test_the_axis_nearest_to_the_vertical_becomes_the_third():
    columns = columns_of(box(LYING))
    # axes as given: (1, 0, 0), (0, 0, 1), (0, -1, 0); in a circle until the vertical one is last
    assert columns.axes.tolist() == [0, -1, 0, 1, 0, 0, 0, 0, 1]
    assert columns.half.tolist() == [3, 1, 2]  # of 1, 2, 3 by the same steps
    assert columns.bounds.tolist() == [0, -1, 1, 2, 5, 5]  # x: 1 -+ 1, y: 2 -+ 3, z: 3 -+ 2
    assert columns.upright.tolist() == [1]


def test_the_third_axis_points_up():
    columns = columns_of(box([1, 0, 0, 0]))  # half a turn about x: the box is the same
    assert columns.axes.tolist() == [1, 0, 0, 0, 1, 0, 0, 0, 1]
    assert columns.half.tolist() == [1, 2, 3]
    assert columns.upright.tolist() == [1]


@pytest.mark.parametrize("angle", [0.1, 1.0, math.pi / 2, 3.0, -2.5, 100.0])
def test_a_turn_about_the_vertical_leaves_a_box_exactly_upright(angle):
    c, s = math.cos(angle), math.sin(angle)
    matrix = [[c, -s, 0], [s, c, 0], [0, 0, 1]]
    ways = [{"yaw": angle}, [0, 0, math.sin(angle / 2), math.cos(angle / 2)], matrix]
    columns = columns_of(*map(box, ways))
    assert columns.upright.tolist() == [1, 1, 1]
    axes = np.reshape(columns.axes, (3, 9))
    assert axes[:, [2, 5, 6, 7]].tolist() == [[0, 0, 0, 0]] * 3
    assert axes[:, 8].tolist() == [1, 1, 1]
    assert axes == pytest.approx(np.tile(axes[0], (3, 1)), abs=1e-14)


def test_a_lean_however_small_is_not_upright():
    assert columns_of(box([1e-9, 0, 0, 1])).upright.tolist() == [0]
    assert columns_of(box([[1, 0, 0], [0, 1, -1e-9], [0, 1e-9, 1]])).upright.tolist() == [0]


numbers = st.floats(-10, 10)
quaternions = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: math.hypot(*q) > 0.1)
sizes = st.tuples(*[st.floats(0.01, 10)] * 3)


@given(quaternions, st.tuples(numbers, numbers, numbers), sizes)
def test_rotated_boxes_are_those_of_scipy(quaternion, center, size):
    turn = scipy.spatial.transform.Rotation.from_quat(quaternion)
    columns = columns_of(box(list(quaternion), center, size), box(turn.as_matrix().tolist(), center, size))
    local = np.array(list(product((-1, 1), repeat=3))) * np.array(size) / 2
    expected = in_order(turn.apply(local) + np.array(center))
    for index in range(2):
        assert corners(columns, index) == pytest.approx(expected, abs=1e-8)
        bounds = np.reshape(columns.bounds, (2, 2, 3))[index]
        assert bounds == pytest.approx(np.array([expected.min(0), expected.max(0)]), abs=1e-12)


@given(quaternions, st.sampled_from([1e-11, 1e-3, 1.0, 7.0, 1e99]))
def test_axes_are_a_right_handed_frame_with_the_third_up(quaternion, length):
    columns = columns_of(box([part * length for part in quaternion]))
    axes = np.reshape(columns.axes, (3, 3))
    assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1)
    assert axes[2, 2] > 0
    assert axes[2, 2] >= abs(axes[:, 2]).max() - 1e-11
    same = columns_of(box([-part for part in quaternion]))
    assert corners(same) == pytest.approx(corners(columns), abs=1e-8)


@given(quaternions)
def test_a_matrix_written_with_six_decimals_becomes_the_nearest_rotation(quaternion):
    exact = scipy.spatial.transform.Rotation.from_quat(quaternion).as_matrix()
    columns = columns_of(box(np.round(exact, 6).tolist()))
    axes = np.reshape(columns.axes, (3, 3))
    assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-15)


# What is wrong


BAD_NUMBERS = [NAN, INF, -INF, 1e101, -1e101, 10**400, True, False, "1", b"1", None, [1], {}, 1j, np.bool_(True)]


@pytest.mark.parametrize("number", BAD_NUMBERS, ids=repr)
def test_what_is_no_number(number):
    assert reason_of(BOX | {"center": [0, number, 0]}) == "center"
    assert reason_of(BOX | {"size": [number, 1, 1]}) == "size"
    assert reason_of(BOX | {"rotation": [0, 0, 0, number]}) == "rotation"
    assert reason_of(BOX | {"rotation": {"yaw": number}}) == "rotation"
    assert reason_of(BOX | {"rotation": [[1, 0, 0], [0, 1, 0], [0, 0, number]]}) == "rotation"
    assert reason_of(BOX | {"similarity": {"seat": number}}) == "similarity"
    assert reason_of(BOX | {"score": number}) == ("" if number is None else "score")


@pytest.mark.parametrize(
    "number", [1, 1.0, np.float64(1), np.float32(1), np.int64(1), np.uint8(1), np.array(1.0)], ids=repr
)
def test_what_is_a_number(number):
    item = {"center": [number] * 3, "size": (number,) * 3, "rotation": [0, 0, 0, number], "score": number}
    columns = columns_of(item | {"similarity": {"seat": number}})
    assert columns.center.tolist() == [1, 1, 1]
    assert columns.half.tolist() == [0.5, 0.5, 0.5]
    assert columns.scores.tolist() == [1]
    assert columns.similarity == {0: {"seat": 1.0}}


@pytest.mark.parametrize("several", [list, tuple, np.array])
def test_numbers_come_in_lists_tuples_and_arrays(several):
    turn = several([several([0.0, -1.0, 0.0]), several([1.0, 0.0, 0.0]), several([0.0, 0.0, 1.0])])
    columns = columns_of({"center": several([1, 2, 3]), "size": several([2, 4, 6]), "rotation": turn})
    assert columns.center.tolist() == [1, 2, 3]
    assert columns.axes.tolist() == [0, 1, 0, -1, 0, 0, 0, 0, 1]


@pytest.mark.parametrize("field", ["center", "size"])
@pytest.mark.parametrize("found", [[], [1, 1], [1, 1, 1, 1], "111", None, 1, {"x": 1, "y": 1, "z": 1}, {1, 2, 3}])
def test_center_and_size_are_three_numbers(field, found):
    assert reason_of(BOX | {field: found}) == field
    assert reason_of({name: value for name, value in BOX.items() if name != field}) == field


@pytest.mark.parametrize("number", [0, 0.0, -0.0, -1, -1e-300, SMALLEST / 2, 5e-324, NAN], ids=repr)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_size_is_positive_and_not_too_small_for_a_volume(number, place):
    size = [1, 1, 1]
    size[place] = number
    assert reason_of(BOX | {"size": size}) == "size"


def test_the_limits_themselves_leave_everything_finite():
    columns = columns_of(
        box([0.5, 0.5, 0.5, 0.5], [LARGEST] * 3, [LARGEST] * 3), box(None, [-LARGEST] * 3, [SMALLEST] * 3)
    )
    assert np.isfinite(columns.bounds).all()
    volumes = np.reshape(columns.half, (2, 3)).prod(axis=1) * 8
    assert volumes.tolist() == pytest.approx([1e300, 1e-300])


@pytest.mark.parametrize(
    "rotation",
    [
        [0, 0, 0, 0],
        [0.0, 1e-13, 0.0, 0.0],
        [0, 0, 1],
        [0, 0, 0, 1, 0],
        [],
        "none",
        0.5,
        {},
        {"yaw": 1, "pitch": 0},
        {"pitch": 1},
        [[1, 0, 0], [0, 1, 0], [0, 0, -1]],  # a reflection
        [[-1, 0, 0], [0, -1, 0], [0, 0, -1]],
        [[1, 1e-5, 0], [0, 1, 0], [0, 0, 1]],  # a shear
        [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]],
        [[1.00001, 0, 0], [0, 1.00001, 0], [0, 0, 1.00001]],  # larger
        [[2, 0, 0], [0, 2, 0], [0, 0, 2]],
        [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
        [[1e100, 0, 0], [0, 1e100, 0], [0, 0, 1e100]],
        [[1, 0, 0], [0, 1, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0]],
        [[1, 0, 0], [0, 1, 0], 1],
        [1, 0, 0, 0, 1, 0, 0, 0, 1],
    ],
    ids=repr,
)
def test_what_is_no_rotation(rotation):
    assert reason_of(BOX | {"rotation": rotation}) == "rotation"


def test_a_matrix_may_be_off_by_a_millionth():
    nearly = [[1, 4e-7, 0], [0, 1, 0], [0, 0, 1 + 9e-7]]
    columns = columns_of(box(nearly))
    assert columns.upright.tolist() == [1]
    assert columns.axes[8] == 1
    # a shear of 4e-7 is a turn of half of it, back
    assert columns.axes[1] == pytest.approx(-2e-7, rel=1e-3)


@pytest.mark.parametrize("item", [None, 5, "chair", [], ["center"], True], ids=repr)
def test_what_is_no_object(item):
    columns = columns_of(item, strict=False)
    assert REASONS[columns.reason[0]] == "not an object"
    assert (columns.labels, columns.ids, columns.similarity) == ([""], [None], {})


def test_labels_are_texts_or_nothing():
    class Label(StrEnum):
        SEAT = "seat"

    columns = columns_of(BOX, BOX | {"label": None}, BOX | {"label": ""}, BOX | {"label": Label.SEAT})
    assert columns.labels == ["", "", "", "seat"]
    assert [type(label) for label in columns.labels] == [str] * 4
    for label in (5, ["seat"], {"en": "seat"}, True, b"seat"):
        assert reason_of(BOX | {"label": label}) == "label"


def test_scores_are_numbers_or_nothing():
    columns = columns_of(BOX, BOX | {"score": None}, BOX | {"score": -3}, BOX | {"score": 0.5})
    assert columns.scores.tolist() == pytest.approx([NAN, NAN, -3, 0.5], nan_ok=True)


@pytest.mark.parametrize("similarity", [[], [["seat", 1]], "seat", 0.5, {1: 0.5}, {"seat": "0.5"}], ids=repr)
def test_similarity_is_numbers_by_task(similarity):
    assert reason_of(BOX | {"similarity": similarity}) == "similarity"
    columns = columns_of(BOX | {"similarity": None}, BOX | {"similarity": {"seat": 1, "sofa": 0.25}}, BOX)
    assert columns.similarity == {1: {"seat": 1.0, "sofa": 0.25}}


def test_an_id_belongs_to_the_first_object_of_a_scene_that_has_it():
    ids = [3, "3", 3, None, None, "a", "a", 3.0, True, 1, [1], [1], {"a": 1}, {"a": 1}, 2.5, (1, [2]), (1, [2])]
    columns = columns_of(*(BOX | {"id": given} for given in ids), strict=False)
    twice = [index for index, reason in enumerate(columns.reason.tolist()) if reason]
    assert twice == [2, 6, 7, 11, 13, 16]  # 3, "a", 3.0, [1], {"a": 1}, (1, [2])
    assert {REASONS[columns.reason[index]] for index in twice} == {"id"}
    assert columns.ids == ids
    assert columns.add_scene([BOX | {"id": 3}], True) == -1  # another scene, where it is the first


def test_an_id_too_deep_to_be_compared_is_refused():
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    assert reason_of(BOX | {"id": deep}) == "id"


def test_the_first_wrong_field_counts():
    wrong = {"center": 0, "size": 0, "rotation": 0, "label": 0, "score": "0", "similarity": 0}
    fields = ["center", "size", "rotation", "label", "score", "similarity"]
    assert list(REASONS) == ["", "not an object", *fields, "id"]
    right = BOX | {"rotation": None, "label": "seat", "score": 1, "similarity": {}}
    for count, field in enumerate(fields):
        item = right | {name: wrong[name] for name in fields[count:]}
        assert reason_of(item) == field
        scene = columns_of({"id": 1}, item | {"id": 1}, strict=False)  # a repeated id comes last
        assert REASONS[scene.reason[1]] == field


def test_a_wrong_object_keeps_what_is_right_and_has_no_place():
    item = {"id": 7, "label": "seat", "score": 0.5, "similarity": {"seat": 1}, "center": [1, 2, 3], "size": [1, 0, 1]}
    columns = columns_of(item, item | {"size": [1, 1, 1], "id": 8, "label": 5}, strict=False)
    assert columns.reason.tolist() == [REASONS.index("size"), REASONS.index("label")]
    assert columns.labels == ["seat", ""]
    assert columns.ids == [7, 8]
    assert columns.scores.tolist() == [0.5, 0.5]
    assert columns.similarity == {0: {"seat": 1.0}, 1: {"seat": 1.0}}
    for name in ("center", "half", "axes", "bounds", "upright"):
        assert set(getattr(columns, name).tolist()) == {0}, name
    assert columns.index.tolist() == [0, 1]


# Scenes


def test_scenes_follow_each_other():
    columns = BoxColumns()
    for objects in ([BOX, BOX], [], [BOX | {"label": "door", "similarity": {"door": 1}}]):
        assert columns.add_scene(objects, True) == -1
    assert len(columns) == 3
    assert columns.offsets.tolist() == [0, 2, 2, 3]
    assert columns.index.tolist() == [0, 1, 0]
    assert columns.labels == ["", "", "door"]
    assert columns.similarity == {2: {"door": 1.0}}
    assert lengths(columns) == {name: 3 * width for name, width in COLUMNS.items()} | {
        "labels": 3,
        "ids": 3,
        "similarity": 1,
    }


def test_a_strict_scene_that_is_wrong_leaves_nothing():
    columns = columns_of(BOX | {"similarity": {"seat": 1}})
    before = lengths(columns)
    bad = [BOX | {"similarity": {"seat": 1}}, BOX, BOX | {"size": [0, 0, 0]}, 5]
    assert columns.add_scene(bad, True) == 2
    assert REASONS[columns.last_reason] == "size"
    assert lengths(columns) == before
    assert columns.offsets.tolist() == [0, 1]
    assert columns.similarity == {0: {"seat": 1.0}}


def test_a_scene_can_be_taken_back():
    columns = columns_of(BOX)
    before = lengths(columns)
    columns.add_scene([BOX | {"similarity": {"seat": 1}}, 5], False)
    assert columns.last_wrong() == [(1, REASONS.index("not an object"))]
    columns.drop_scene()
    assert lengths(columns) == before
    assert columns.last_wrong() == []


def test_wrong_objects_of_the_last_scene_are_told():
    columns = columns_of(5, strict=False)
    columns.add_scene([BOX, {"center": [0, 0, 0]}, BOX, BOX | {"score": "high"}], False)
    assert columns.last_wrong() == [(1, REASONS.index("size")), (3, REASONS.index("score"))]


def test_only_lists_are_scenes():
    for objects in ((BOX,), None, {"objects": [BOX]}):
        with pytest.raises(TypeError):
            BoxColumns().add_scene(objects, True)


def test_the_objects_of_the_caller_are_left_alone():
    item = box([0, 0, 0, 2]) | {"id": [1], "similarity": {"seat": 1}, "label": "seat"}
    before = deepcopy(item)
    columns = columns_of(item)
    columns.similarity[0]["seat"] = 5.0
    assert item == before


# Fields are found wherever they stand

RIGHT = {"id": 4, "label": "seat", "center": [1, 2, 3], "size": [2, 4, 6], "rotation": {"yaw": 1}, "score": 0.5}
OTHERS = {f"other {k}": k for k in range(20)}


@settings(max_examples=examples(50))
@given(st.lists(st.permutations([*RIGHT, *OTHERS]), min_size=1, max_size=4))
def test_the_order_of_keys_does_not_matter(orders):
    everything = RIGHT | OTHERS
    objects = [{key: everything[key] for key in order} | {"id": index} for index, order in enumerate(orders)]
    columns, plain = columns_of(*objects), columns_of(RIGHT)
    for name in COLUMNS.keys() - {"index"}:
        assert getattr(columns, name).tolist() == getattr(plain, name).tolist() * len(orders)
    assert columns.labels == ["seat"] * len(orders)
    assert columns.ids == list(range(len(orders)))


def test_keys_need_not_be_plain_strings():
    class Key(StrEnum):
        CENTER = "center"
        SIZE = "size"

    columns = columns_of({Key.CENTER: [1, 2, 3], Key.SIZE: [2, 4, 6], 5: "five", None: None})
    assert columns.center.tolist() == [1, 2, 3]


def test_a_key_that_is_gone_is_not_taken_for_another():
    columns = BoxColumns()
    for count in range(300):
        names = [f"{'x' * (count % 7)}{name}" for name in ("center", "size")]  # new strings, often at old addresses
        wrong = columns.add_scene([{names[0]: [0, 0, 0], names[1]: [1, 1, 1]}], True)
        assert wrong == (-1 if count % 7 == 0 else 0)


def test_objects_of_a_scene_graph_are_told_apart():
    graph = [{"position": [0, 0, 0]}, {"dimensions": [1, 1, 1]}, {"data_path": "chair.ply"}]
    plain = [BOX, {}, {"center": None}, {"size": [1, 1, 1], "position": 1}, {"center": 1, "data_path": ""}, 5, None]
    assert all_plain(plain)
    assert all_plain([])
    assert not any(all_plain([*plain, item]) for item in graph)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.longdouble, np.int8, np.uint64])
def test_every_number_of_numpy_is_one(kind):
    columns = columns_of({"center": [kind(1), kind(2), kind(3)], "size": [kind(2), 1, 1], "score": kind(1)})
    assert np.asarray(columns.center).tolist() == [1, 2, 3]
    assert (columns.half[0], columns.scores[0]) == (1, 1)


@pytest.mark.parametrize("value", [np.clongdouble(1), np.complex64(1), np.bool_(True), np.str_("1"), np.array("1")])
def test_what_numpy_has_besides_numbers_is_none(value):
    columns = BoxColumns()
    assert columns.add_scene([{"center": [value, 0, 0], "size": [1, 1, 1]}], True) == 0
    assert REASONS[columns.last_reason] == "center"
