"""IoU of boxes in space: cases worked out by hand, and what a caller may write."""

from math import pi, sin, sqrt

import numpy as np
import pytest

import calipers
from calipers.rulers.cuboid import cuboid_iou, near_centers

CUBE = [0, 0, 0, 1, 1, 1]  # from -0.5 to 0.5 on each axis
EIGHTH_TURN = pi / 4


def box(center, size, rotation=None) -> dict:
    return {"center": center, "size": size, "rotation": rotation}


def about(axis: str, angle: float) -> list[float]:
    """The quaternion of a turn about a world axis."""
    return [sin(angle / 2) * (axis == name) for name in "xyz"] + [sin(angle / 2 + pi / 2)]


# Side by side


@pytest.mark.parametrize(
    ("offset", "iou"),
    [
        ((0.5, 0, 0), 1 / 3),  # 0.5 of 1.5
        ((0, 0.5, 0.5), 1 / 7),  # 0.25 of 1.75
        ((0.5, -0.5, 0.5), 1 / 15),  # 0.125 of 1.875
        ((0, 0, 0.75), 1 / 7),  # 0.25 of 1.75
        ((0.2, 0, 0), 2 / 3),  # 0.8 of 1.2
    ],
)
def test_cubes_beside_each_other(offset, iou):
    assert cuboid_iou(CUBE, [*offset, 1, 1, 1]) == round(iou, 12)


@pytest.mark.parametrize("turn", [None, {"yaw": 0.3}, about("x", 0.7), [1, 2, 3, 4]], ids=str)
def test_a_box_in_a_box_is_the_ratio_of_their_volumes(turn):
    assert cuboid_iou(box([1, 2, 3], [4, 4, 4]), box([1.1, 2, 2.9], [1, 2, 1], turn)) == 0.03125  # 2 of 64


@pytest.mark.parametrize("turn", [None, {"yaw": 1.2}, about("y", 2.0), [1, -2, 3, 4]], ids=str)
def test_a_box_with_itself_is_exactly_1(turn):
    given = box([7, -3, 0.1], [0.3, 0.7, 5], turn)
    assert cuboid_iou(given, given) == 1.0


@pytest.mark.parametrize(
    "other",
    [
        [1, 0, 0, 1, 1, 1],  # a face
        [0, -1, 0, 1, 1, 1],
        [1, 1, 0, 1, 1, 1],  # an edge
        [1, 1, -1, 1, 1, 1],  # a corner
        [0.75, 0, 0, 0.5, 0.25, 0.25],  # part of a face
        [0.5 + sqrt(0.5), 0, 0, 1, 1, 1, EIGHTH_TURN],  # its edge on a face
        box([0.5 + sqrt(0.5), 0, 0], [1, 1, 1], about("y", EIGHTH_TURN)),
        box([0.5 + sqrt(0.75), 0, 0], [1, 1, 1], [0, -1, 1, sqrt(3) - 1]),  # its corner on a face
        [5, 0, 0, 1, 1, 1],  # far off
    ],
    ids=str,
)
def test_boxes_that_touch_or_are_apart_share_nothing(other):
    assert cuboid_iou(CUBE, other) == 0.0


def test_faces_that_touch_but_for_rounding_share_nothing():
    tenths = [[i / 10, 0.1, 1e4 + i / 10, 0.1, 0.1, 0.1] for i in range(-20, 20)]  # 0.1 + 0.2 is not quite 0.3
    assert np.count_nonzero(cuboid_iou(tenths, tenths)) == len(tenths)


# At angles


@pytest.mark.parametrize("axis", "xyz")
def test_a_cube_turned_by_an_eighth_about_an_axis(axis):
    # Seen along the axis, the square and the turned one share an octagon of area 2 * (sqrt(2) - 1) = 0.828427...
    shared = 2 * (sqrt(2) - 1)
    assert shared / (2 - shared) == pytest.approx(sqrt(0.5), abs=1e-15)
    assert cuboid_iou(CUBE, box([0, 0, 0], [1, 1, 1], about(axis, EIGHTH_TURN))) == round(sqrt(0.5), 12)


def test_a_cube_turned_by_a_sixth_about_its_space_diagonal():
    # Both have the diagonal of length sqrt(3) in common. Across its middle both are the same hexagon, of area
    # 3 * sqrt(3) / 4, and to both ends of it they share a pyramid: 2 * 1 / 3 * 3 * sqrt(3) / 4 * sqrt(3) / 2 = 3 / 4.
    assert cuboid_iou(CUBE, box([0, 0, 0], [1, 1, 1], [1, 1, 1, 3])) == 0.6  # 0.75 of 1.25


def test_a_beam_on_its_edge_half_sunk_into_a_cube():
    # In (y, z) the beam is the square |y| + |z - 1| <= 1, of which the lower half, of area 1, is in the cube.
    beam = box([0, 0, 1], [sqrt(2), sqrt(2), sqrt(2)], about("x", EIGHTH_TURN))
    assert cuboid_iou([0, 0, 0, 2, 2, 2], beam) == round(sqrt(2) / (8 + 2 * sqrt(2) - sqrt(2)), 12)


@pytest.mark.parametrize("angle", [0.3, EIGHTH_TURN, pi / 2, 2.0])
@pytest.mark.parametrize("axis", "xyz")
def test_rods_that_cross(axis, angle):
    # Seen along the axis they share a rhombus with sides of 1 / sin(angle) and a height of 1, and they are 1 thick.
    size = [1 + 9 * (axis == name) for name in "yzx"]  # along y, z or x: across the axis of the turn
    shared = 1 / sin(angle)
    crossing = cuboid_iou(box([3, 4, 5], size), box([3, 4, 5], size, about(axis, angle)))
    assert crossing == pytest.approx(shared / (20 - shared), abs=1e-12)


def test_a_corner_cut_off_by_a_large_box():
    # The box of 10 lies beyond the plane x + y + z = 0.5 and cuts a corner off the cube: from (0.5, 0.5, 0.5) one edge
    # of the cube and two others reach that plane after 1.5 - 0.5 = 1, so the corner has 1 / 6 of the cube's volume.
    third = [1 / sqrt(3)] * 3
    first = [1 / sqrt(2), -1 / sqrt(2), 0]
    second = [1 / sqrt(6), 1 / sqrt(6), -2 / sqrt(6)]
    matrix = np.array([first, second, third]).T * [1, 1, 1]
    matrix[:, 0] *= np.sign(np.linalg.det(matrix))
    center = np.array(third) * (0.5 / sqrt(3) + 5)
    assert cuboid_iou(CUBE, box(center, [10, 10, 10], matrix)) == round((1 / 6) / (1001 - 1 / 6), 12)


# Thin, far, and both


@pytest.mark.parametrize("turn", [[0, 0, 0, 1], [1, 0, 0, 9], [1, 2, 3, 4], [-3, 1, 2, 7]], ids=str)
def test_plates_of_a_millimetre_half_on_each_other(turn):
    # Moved along their own normal by half their thickness.
    x, y, z, w = np.array(turn) / np.linalg.norm(turn)
    normal = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    plates = [box(center, [10, 8, 1e-3], turn) for center in (0 * normal, 5e-4 * normal, 1e-3 * normal)]
    values = cuboid_iou(plates, plates)
    assert np.abs(values - [[1, 1 / 3, 0], [1 / 3, 1, 1 / 3], [0, 1 / 3, 1]]).max() < 1e-11
    assert values[0, 2] == values[2, 0] == 0.0


@pytest.mark.parametrize("angle", [0.01, 0.001, 0.0003])
def test_plates_at_a_small_angle(angle):
    # Seen along the hinge they share a rhombus of thickness² / sin(angle).
    thick = 1e-3
    shared = 10 * thick**2 / sin(angle)
    plates = box([0, 0, 0], [10, 10, thick]), box([0, 0, 0], [10, 10, thick], about("x", angle))
    assert cuboid_iou(*plates) == pytest.approx(shared / (2 * 100 * thick - shared), abs=1e-11)


@pytest.mark.parametrize("away", [1e6, -1e7])
def test_far_from_the_origin_nothing_is_lost(away):
    cube = box([away] * 3, [1, 1, 1])
    assert cuboid_iou(cube, cube) == 1.0
    assert cuboid_iou(cube, box([away + 0.5, away, away], [1, 1, 1])) == round(1 / 3, 12)
    assert cuboid_iou(cube, box([away] * 3, [1, 1, 1], [1, 1, 1, 3])) == 0.6
    assert cuboid_iou(cube, box([away, away, away + 1], [1, 1, 1], {"yaw": 1})) == 0.0
    assert cuboid_iou(cube, box([away + 0.5, away, away], [1, 1, 1]), iou_mode="aabb") == round(1 / 3, 12)


@pytest.mark.parametrize("size", [1e-100, 1e-30, 1e30, 1e100])
def test_very_small_and_very_large_boxes(size):
    one, turned = box([0, 0, 0], [size] * 3), box([0, 0, 0], [size] * 3, [1, 1, 1, 3])
    assert cuboid_iou(one, one) == 1.0
    assert cuboid_iou(one, turned) == pytest.approx(0.6, abs=1e-6)
    assert cuboid_iou(one, box([size / 2, 0, 0], [size] * 3)) == round(1 / 3, 12)


# Axis-aligned bounds


def test_aabb_compares_bounds():
    # Turned by an eighth, a square of 1 has bounds of sqrt(2): 1 of 2.
    assert cuboid_iou(CUBE, [0, 0, 0, 1, 1, 1, EIGHTH_TURN], iou_mode="aabb") == 0.5
    # At (0.9, 0.9) its nearest face is 0.9 * sqrt(2) - 0.5 = 0.773 from the origin, the corner of the cube 0.707.
    assert cuboid_iou(CUBE, [0.9, 0.9, 0, 1, 1, 1, EIGHTH_TURN]) == 0.0
    shared = (0.5 - (0.9 - sqrt(0.5))) ** 2
    assert cuboid_iou(CUBE, [0.9, 0.9, 0, 1, 1, 1, EIGHTH_TURN], iou_mode="aabb") == round(shared / (3 - shared), 12)


def test_an_unknown_mode_is_an_error():
    with pytest.raises(calipers.ConfigError, match="iou_mode: found 'AABB', expected obb or aabb"):
        cuboid_iou(CUBE, CUBE, iou_mode="AABB")


# What a caller may write

SAME = [
    [1, 2, 3, 4, 5, 6],
    (1, 2, 3, 4, 5, 6, 0),
    np.array([1, 2, 3, 4, 5, 6]),
    np.array([1, 2, 3, 4, 5, 6, 0], dtype=np.float32),
    box([1, 2, 3], [4, 5, 6]),
    box((1, 2, 3), np.array([4, 5, 6])),
    box([1, 2, 3], [4, 5, 6], {"yaw": 0}),
    box([1, 2, 3], [4, 5, 6], [0, 0, 0, 2]),
    box([1, 2, 3], [4, 5, 6], np.eye(3)),
    {"center": [1, 2, 3], "size": [4, 5, 6], "id": 7, "label": "chair", "score": 0.5},
]


@pytest.mark.parametrize("given", SAME, ids=str)
def test_ways_to_write_a_box(given):
    assert cuboid_iou(given, [1, 2, 3, 4, 5, 6]) == 1.0
    assert cuboid_iou([given], [[1, 2, 3, 4, 5, 6]]).tolist() == [[1.0]]


def test_one_box_each_gives_a_float_and_lists_give_arrays():
    boxes = [CUBE, [0.5, 0, 0, 1, 1, 1], [9, 0, 0, 1, 1, 1]]
    third = round(1 / 3, 12)
    assert isinstance(cuboid_iou(boxes[0], boxes[1]), float)
    assert cuboid_iou(boxes, boxes[:2]).tolist() == [[1, third], [third, 1], [0, 0]]
    assert cuboid_iou(boxes, CUBE).tolist() == [[1], [third], [0]]
    assert cuboid_iou(boxes, boxes[::-1], paired=True).tolist() == [0, 1, 0]
    assert cuboid_iou(np.array(boxes), np.array(boxes)).tolist() == cuboid_iou(boxes, boxes).tolist()
    assert cuboid_iou([], boxes).shape == (0, 3)
    assert cuboid_iou([], [], paired=True).shape == (0,)


@pytest.mark.parametrize("width", [6, 7])
@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "uint8"])
def test_rows_of_an_array_are_boxes_bit_for_bit(width, kind):
    rows = np.random.default_rng(width).uniform(1, 4, (40, 7)).astype(kind)[:, :width]
    values = cuboid_iou(rows.tolist(), rows.tolist())
    assert cuboid_iou(rows, rows).tolist() == values.tolist()
    assert cuboid_iou(rows, rows[::-1], paired=True).tolist() == np.diagonal(values[:, ::-1]).tolist()
    assert cuboid_iou(rows[:1], rows[1]).tolist() == [[values[0, 1]]]
    assert np.count_nonzero((values > 0) & (values < 1)) > 40


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([0, 0, 0, 1, 0, 1], r"box 2, size: found \[1.0, 0.0, 1.0\], expected three numbers from"),
        ([0, 0, 0, 1, 1, -1], r"box 2, size: found \[1.0, 1.0, -1.0\]"),
        ([0, 0, 1e101, 1, 1, 1], r"box 2, center: found \[0.0, 0.0, 1e\+101\]"),
        ([0, float("nan"), 0, 1, 1, 1], r"box 2, center: found \[0.0, nan, 0.0\]"),
    ],
    ids=str,
)
def test_a_row_of_an_array_that_is_no_box_is_named(row, message):
    with pytest.raises(calipers.InputError, match=message):
        cuboid_iou(np.array([CUBE, CUBE, row, row], dtype=float), CUBE)


@pytest.mark.parametrize(
    "rows", [np.ones((2, 6), dtype=bool), np.full((2, 6), "1"), np.ones((2, 5)), np.ones((2, 3, 2))]
)
def test_other_arrays_are_no_boxes(rows):
    with pytest.raises(calipers.InputError, match="box 0"):
        cuboid_iou(rows, CUBE)


def test_a_mixed_list_of_boxes_in_all_ways():
    assert cuboid_iou(SAME, SAME).tolist() == np.ones((len(SAME), len(SAME))).tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, 2, 3], r"box 0: found \[1, 2, 3\], expected {\"center\", \"size\", \"rotation\"}, 6 numbers"),
        (None, "box 0: found None, expected"),
        ("box", "box 0: found 'box', expected"),
        ([[1, 2, 3], [1, 1, 1]], r"box 0: found \[1, 2, 3\], expected"),
        ([CUBE, 5], "box 1: found 5, expected"),
        ([CUBE, [0, 0, 0, 1, 0, 1]], r"box 1, size: found \[1, 0, 1\], expected three numbers from 1e-100 to 1e100"),
        ([0, 0, 0, 1, -1, 1], r"box 0, size: found \[1, -1, 1\]"),
        ([0, 0, float("nan"), 1, 1, 1], r"box 0, center: found \[0, 0, nan\], expected three numbers up to 1e100"),
        ([0, 0, True, 1, 1, 1], r"box 0, center: found \[0, 0, True\]"),
        ([0, 0, 0, 1, 1, "1"], r"box 0, size: found \[1, 1, '1'\]"),
        ([0, 0, 0, 1, 1, 1, float("inf")], "box 0, rotation: found {'yaw': inf}, expected a quaternion"),
        (box([0, 0, 0], [1, 1, 1], [0, 0, 0, 0]), r"box 0, rotation: found \[0, 0, 0, 0\]"),
        (box([0, 0, 0], [1, 1, 1], np.diag([1, 1, -1])), "box 0, rotation: found array"),
        ({"center": [0, 0, 0]}, "box 0, size: found None"),
        ({"center": [0, 0, 0], "size": [1, 1, 1], "yaw": 1}, "box 0: found {.*'yaw': 1}, expected"),
    ],
    ids=str,
)
def test_what_is_no_box_is_refused(given, message):
    with pytest.raises(calipers.InputError, match=message):
        cuboid_iou(given, CUBE)
    with pytest.raises(calipers.InputError, match=message):
        cuboid_iou([CUBE], given)


def test_pairs_need_as_many_boxes_on_both_sides():
    with pytest.raises(calipers.InputError, match="paired: found 2 and 3 boxes"):
        cuboid_iou([CUBE] * 2, [CUBE] * 3, paired=True)


def test_input_is_left_as_it_was():
    array, given = np.array(CUBE), box([0, 0, 0], [1, 1, 1], [0, 0, 1, 1])
    cuboid_iou(array, given)
    assert array.tolist() == CUBE
    assert given == box([0, 0, 0], [1, 1, 1], [0, 0, 1, 1])


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf")])
def test_a_distance_that_is_none_is_refused(limit):
    with pytest.raises(calipers.ConfigError, match="limit: found"):
        near_centers(None, None, limit)  # type: ignore[arg-type]
