"""Laws of the IoU of boxes in space, for any boxes."""

from math import pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.rulers.cuboid import cuboid_iou

from ..profiles import examples

lawful = settings(derandomize=True, deadline=None, max_examples=examples(300))

# Round numbers often, so that faces lie in one plane and edges meet; any numbers otherwise.
places = st.one_of(st.integers(-8, 8).map(lambda n: n / 4), st.floats(-3, 3))
sizes = st.one_of(st.integers(1, 8).map(lambda n: n / 4), st.floats(0.01, 4), st.just(1e-3))
turns = st.one_of(
    st.none(),
    st.sampled_from([0.0, pi / 4, pi / 2, pi, 1e-9]).map(lambda yaw: {"yaw": yaw}),
    st.floats(-7, 7).map(lambda yaw: {"yaw": yaw}),
    st.lists(st.integers(-2, 2), min_size=4, max_size=4).filter(any),
    st.lists(st.floats(-1, 1), min_size=4, max_size=4).filter(lambda q: sum(part * part for part in q) > 1e-3),
)


def triples(of: st.SearchStrategy) -> st.SearchStrategy:
    return st.lists(of, min_size=3, max_size=3)


boxes = st.builds(lambda c, s, r: {"center": c, "size": s, "rotation": r}, triples(places), triples(sizes), turns)
unturned = st.builds(lambda c, s: {"center": c, "size": s, "rotation": None}, triples(places), triples(sizes))
modes = st.sampled_from(["obb", "aabb"])


def matrix(rotation) -> np.ndarray:
    """A rotation whose columns are the axes of the box."""
    if rotation is None:
        return np.eye(3)
    q = [0, 0, np.sin(rotation["yaw"] / 2), np.cos(rotation["yaw"] / 2)] if isinstance(rotation, dict) else rotation
    x, y, z, w = np.array(q) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def moved(box: dict, turn: np.ndarray, shift) -> dict:
    center = turn @ box["center"] + shift
    return {"center": center, "size": box["size"], "rotation": turn @ matrix(box["rotation"])}


def thinnest(*given: dict) -> float:
    return min(min(box["size"]) for box in given)


@lawful
@given(boxes, boxes, modes)
def test_values_lie_between_0_and_1_and_do_not_depend_on_the_side(a, b, mode):
    value = cuboid_iou(a, b, iou_mode=mode)
    assert 0.0 <= value <= 1.0
    assert value == cuboid_iou(b, a, iou_mode=mode)
    assert value == round(value, 12)


@lawful
@given(boxes, modes)
def test_a_box_with_itself_is_exactly_1(box, mode):
    assert cuboid_iou(box, box, iou_mode=mode) == 1.0


@lawful
@given(boxes, boxes)
def test_two_boxes_share_no_more_than_their_bounds_or_the_smaller_one(a, b):
    volumes = [np.prod(box["size"]) for box in (a, b)]
    value = cuboid_iou(a, b)
    assert value <= min(volumes) / max(volumes) + 1e-12
    assert value == 0 or cuboid_iou(a, b, iou_mode="aabb") > 0 or value < 1e-9


@lawful
@given(boxes, boxes, boxes)
def test_turning_and_moving_both_changes_nothing(a, b, motion):
    turn, shift = matrix(motion["rotation"]), 10 * np.array(motion["center"])
    value = cuboid_iou(moved(a, turn, shift), moved(b, turn, shift))
    assert value == pytest.approx(cuboid_iou(a, b), abs=1e-12 + 1e-13 / thinnest(a, b))


@lawful
@given(boxes, boxes, st.integers(-9, 9).map(lambda n: 2.0**n))
def test_the_unit_of_length_does_not_matter(a, b, scale):
    larger = [
        {**box, "center": scale * np.array(box["center"]), "size": scale * np.array(box["size"])} for box in (a, b)
    ]
    assert cuboid_iou(*larger) == pytest.approx(cuboid_iou(a, b), abs=1.01e-12)


@lawful
@given(boxes, boxes, st.sampled_from([1e3, 1e6, -1e7]))
def test_far_away_is_as_near(a, b, away):
    a, b = (
        {**box, "center": np.round(np.array(box["center"]) * 256) / 256} for box in (a, b)
    )  # moves without rounding
    far = [{**box, "center": box["center"] + away} for box in (a, b)]
    slack = 1e-15 * abs(away) / thinnest(a, b)  # below it, boxes count as touching
    assert cuboid_iou(*far) == pytest.approx(cuboid_iou(a, b), abs=1.01e-12 + slack)


@lawful
@given(unturned, unturned)
def test_boxes_that_are_not_turned_are_their_bounds(a, b):
    assert cuboid_iou(a, b) == pytest.approx(cuboid_iou(a, b, iou_mode="aabb"), abs=1.01e-12)


@lawful
@given(boxes, boxes, st.permutations([0, 1, 2]), st.tuples(*[st.sampled_from([1, -1])] * 3))
def test_a_box_with_its_axes_in_another_order_is_the_same_box(a, b, order, flips):
    axes = matrix(b["rotation"])[:, order] * flips
    axes[:, 0] *= np.sign(np.linalg.det(axes))
    same = {"center": b["center"], "size": np.array(b["size"])[order], "rotation": axes}
    assert cuboid_iou(b, same) == 1.0
    assert cuboid_iou(a, same) == pytest.approx(cuboid_iou(a, b), abs=1e-12 + 1e-14 / thinnest(a, b))


@lawful
@given(boxes, triples(st.floats(-0.5, 0.5)), turns, st.floats(0.05, 1))
def test_a_box_within_a_box_has_the_ratio_of_volumes_and_less_the_larger_that_is(inner, offset, turn, share):
    reach = np.linalg.norm(inner["size"])  # a ball around the inner box, which the outer one has within
    center = np.array(inner["center"]) + matrix(turn) @ (np.array(offset) * reach)
    values = []
    for size in (2.1 * reach, (2.1 + share) * reach):
        outer = {"center": center, "size": [size] * 3, "rotation": turn}
        values.append(cuboid_iou(inner, outer))
        assert values[-1] == pytest.approx(np.prod(inner["size"]) / size**3, rel=1e-12, abs=1e-12)
    assert values[1] <= values[0]


@lawful
@given(boxes, boxes, st.floats(0.05, 1))
def test_cutting_a_box_in_two_shares_what_the_whole_does(a, b, share):
    axes, size = matrix(b["rotation"]), np.array(b["size"])
    pieces = []
    for begin, end in ((0, share), (share, 1)):
        width = size * [1, 1, end - begin]
        if end - begin > 1e-3:
            pieces.append({"center": b["center"] + axes[:, 2] * size[2] * ((begin + end) / 2 - 0.5), "size": width})
            pieces[-1]["rotation"] = axes
    if len(pieces) == 2:
        assert sum(shared(a, piece) for piece in pieces) == pytest.approx(shared(a, b), abs=1e-10)


def shared(a: dict, b: dict) -> float:
    """The volume in common, from the IoU."""
    value = cuboid_iou(a, b)
    return value / (1 + value) * float(np.prod(a["size"]) + np.prod(b["size"]))
