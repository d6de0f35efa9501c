"""Boxes of scenes in pairs: all of a scene as each alone, centres within a distance, centres within boxes."""

import numpy as np
import pytest

from calipers.core.cuboids import Boxes
from calipers.kernels.scan.boxes import BoxColumns
from calipers.kernels.scan.column import int_column
from calipers.kernels.shape.cuboids import cuboid_paired, cuboid_pairs, near_pairs, placements

UNIT = 10**12
NO_BOX = {"center": [0, 0, 0], "size": [1, 0, 1]}  # covers the origin, if its size were taken for one


class Raw:
    """Boxes as plain arrays, which need not follow the order of axes that `Boxes` keeps."""

    def __init__(self, center, half, axes, *, reason=None):
        self.center, self.half, self.axes = (np.array(part, dtype=float) for part in (center, half, axes))
        reach = (np.abs(self.axes) * self.half[:, :, None]).sum(1)
        self.bounds = np.hstack([self.center - reach, self.center + reach])
        self.offsets, self.upright = np.array([0, len(reach)]), np.zeros(len(reach), np.uint8)
        self.reason = np.zeros(len(reach), np.uint8) if reason is None else np.array(reason, np.uint8)
        for name in ("center", "half", "axes", "bounds"):
            setattr(self, name, getattr(self, name).ravel())


def sides(scenes: list[tuple[list, list]]) -> tuple[Boxes, Boxes]:
    columns = BoxColumns(), BoxColumns()
    for scene in scenes:
        for raw, objects in zip(columns, scene, strict=True):
            raw.add_scene(objects, False)
    return Boxes(columns[0]), Boxes(columns[1])


def side(*boxes: dict) -> Boxes:
    return sides([(list(boxes), [])])[0]


def box(center, size=(1, 1, 1), rotation=None) -> dict:
    return {"center": list(center), "size": list(size), "rotation": rotation}


def room(rng: np.random.Generator, count: int, width: float, upright: bool) -> list[dict]:
    """Boxes of 0.2 to 3 in a room, an eighth of them unreadable, and one as large as the room."""
    found = []
    for _ in range(count):
        turn = [0, 0, *rng.normal(size=2)] if upright else list(rng.normal(size=4))
        found.append(box(rng.uniform(-width, width, 3), rng.uniform(0.2, 3, 3), turn))
    found[1:2] = [box([0, 0, 0], [2 * width, 2 * width, 0.1])]
    return [NO_BOX if rng.random() < 0.125 else given for given in found]


SCENES = {
    "few": [(n, m, 2.0) for n in range(4) for m in range(4)],
    "some": [(30, 40, 4.0), (0, 10, 1.0), (25, 1, 1.0), (60, 50, 3.0)],
    "many": [(300, 250, 10.0)],
}


def random_sides(name: str, upright: bool) -> tuple[Boxes, Boxes]:
    rng = np.random.default_rng(len(name) + upright)
    return sides([(room(rng, n, width, upright), room(rng, m, width, upright)) for n, m, width in SCENES[name]])


def all_couples(truth: Boxes, pred: Boxes) -> tuple[np.ndarray, np.ndarray]:
    """Indices of all pairs of one scene, valid or not."""
    grids = [
        np.meshgrid(*(np.arange(*each.offsets.tolist()[scene : scene + 2]) for each in (truth, pred)), indexing="ij")
        for scene in range(len(truth.offsets) - 1)
    ]
    return tuple(np.concatenate([grid[axis].ravel() for grid in grids]) for axis in (0, 1))


def picked(boxes: Boxes, index: np.ndarray) -> Raw:
    """Some boxes, with repetitions, as a side."""
    center, half, axes, reason = (np.asarray(part) for part in (boxes.center, boxes.half, boxes.axes, boxes.reason))
    raw = Raw(center.reshape(-1, 3)[index], half.reshape(-1, 3)[index], axes.reshape(-1, 3, 3)[index])
    raw.reason = reason[index]
    return raw


def table(columns) -> dict:
    truth, pred, score = (column.tolist() for column in columns)
    found = {(i, j): value for i, j, value in zip(truth, pred, score, strict=True)}
    assert len(found) == len(truth)  # no pair twice
    return found


# All pairs of a scene


@pytest.mark.parametrize("aabb", [False, True], ids=["obb", "aabb"])
@pytest.mark.parametrize("upright", [False, True], ids=["turned", "upright"])
@pytest.mark.parametrize("name", SCENES)
def test_pairs_are_all_of_a_scene_that_share_volume_each_as_it_is_alone(name, upright, aabb):
    truth, pred = random_sides(name, upright)
    rows, columns = all_couples(truth, pred)
    alone = cuboid_paired(picked(truth, rows), picked(pred, columns), aabb).tolist()
    expected = {(i, j): score for i, j, score in zip(rows.tolist(), columns.tolist(), alone, strict=True) if score > 0}
    assert table(cuboid_pairs(truth, pred, aabb)) == expected
    assert len(expected) > 5


@pytest.mark.parametrize("name", SCENES)
def test_pairs_come_scene_by_scene(name):
    truth, pred = random_sides(name, False)
    for found in (cuboid_pairs(truth, pred, False), near_pairs(truth, pred, 1.5)):
        scene_of = [np.repeat(np.arange(len(each.offsets) - 1), np.diff(each.offsets)) for each in (truth, pred)]
        scenes = scene_of[0][np.asarray(found[0])]
        assert scenes.tolist() == sorted(scenes.tolist())
        assert scenes.tolist() == scene_of[1][np.asarray(found[1])].tolist()


def test_the_sides_can_be_exchanged_bit_for_bit():
    truth, pred = random_sides("some", False)
    there, back = table(cuboid_pairs(truth, pred, False)), table(cuboid_pairs(pred, truth, False))
    assert there == {(i, j): score for (j, i), score in back.items()}


def test_equal_boxes_on_both_sides_are_exactly_1():
    truth, _ = random_sides("some", False)
    found = table(cuboid_pairs(truth, truth, False))
    valid = [i for i, reason in enumerate(truth.reason) if not reason]
    assert [found[i, i] for i in valid] == [UNIT] * len(valid)


def test_boxes_that_only_touch_are_no_pair():
    cube, around = box([0, 0, 0]), [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1)]
    found = table(cuboid_pairs(*sides([([cube], [box(place) for place in around])]), False))
    assert found == {(0, around.index((0, 0, 0))): UNIT}


def test_boxes_that_could_not_be_read_take_part_in_nothing():
    truth, pred = sides([([NO_BOX, box([0, 0, 0])], [box([0, 0, 0]), NO_BOX])])
    assert table(cuboid_pairs(truth, pred, False)) == {(1, 0): UNIT}
    assert table(cuboid_pairs(truth, pred, True)) == {(1, 0): UNIT}
    assert table(near_pairs(truth, pred, 1.0)) == {(1, 0): UNIT}
    assert cuboid_paired(truth, pred, False).tolist() == [0, 0]


def test_no_scenes_and_empty_scenes():
    for scenes in ([], [([], [])], [([], [box([0, 0, 0])]), ([box([0, 0, 0])], [])]):
        for found in (cuboid_pairs(*sides(scenes), False), near_pairs(*sides(scenes), 1.0)):
            assert [column.tolist() for column in found] == [[], [], []]


# A box is the same in any order of its axes, and a shared third axis is only quicker


def turned(rng: np.random.Generator, count: int, about_z: bool) -> np.ndarray:
    """Rotations, one row an axis: (count, 3, 3)."""
    q = rng.normal(size=(count, 4)) * ([0, 0, 1, 1] if about_z else 1)
    x, y, z, w = (q / np.linalg.norm(q, axis=1)[:, None]).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.array(rows).transpose(2, 0, 1)


def parts(rng: np.random.Generator, count: int, about_z: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    size = rng.uniform(0.2, 2, (count, 3)) * rng.choice([1, 1, 0.01], (count, 3))
    return rng.uniform(-0.5, 0.5, (count, 3)), size, turned(rng, count, about_z)


@pytest.mark.parametrize("about_z", [False, True], ids=["turned", "upright"])
@pytest.mark.parametrize("order", [(1, 2, 0), (2, 0, 1), (1, 0, 2)], ids=str)
def test_the_order_and_direction_of_axes_change_nothing(about_z, order):
    rng = np.random.default_rng(3)
    one, (center, half, axes) = Raw(*parts(rng, 3000, about_z)), parts(rng, 3000, about_z)
    flips = rng.choice([-1, 1], (3000, 3, 1))
    other = Raw(center, half[:, order], axes[:, order] * flips)
    expected = np.asarray(cuboid_paired(one, Raw(center, half, axes), False))
    assert np.abs(np.asarray(cuboid_paired(one, other, False)) - expected).max() <= 2
    assert np.abs(np.asarray(cuboid_paired(other, Raw(center, half, axes), False)) - UNIT).max() == 0
    assert np.count_nonzero(expected) > 1000


def test_boxes_that_stand_are_measured_as_boxes_that_hardly_lean():
    rng = np.random.default_rng(4)
    center, half, axes = parts(rng, 3000, True)
    half = np.maximum(half, 0.1)
    one, upright = Raw(*parts(rng, 3000, True)), Raw(center, half, axes)
    lean = 1e-14 * rng.choice([-1, 1], 3000)
    axes = axes.copy()
    axes[:, 2, :2] += lean[:, None] * axes[:, 0, :2]
    axes[:, 0, 2] -= lean
    leaning = Raw(center, half, axes)
    there = np.asarray(cuboid_paired(one, upright, False)) - np.asarray(cuboid_paired(one, leaning, False))
    assert np.abs(there).max() <= 3


def test_turning_the_room_changes_nothing():
    rng = np.random.default_rng(5)
    (c, h, x), (d, g, y), turn = parts(rng, 3000, True), parts(rng, 3000, True), turned(rng, 1, False)[0]
    before = cuboid_paired(Raw(c, h, x), Raw(d, g, y), False)
    after = cuboid_paired(Raw(c @ turn, h, x @ turn), Raw(d @ turn, g, y @ turn), False)
    assert np.abs(np.asarray(after) - np.asarray(before)).max() <= 3


# Centres within a distance


@pytest.mark.parametrize("limit", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("name", SCENES)
def test_near_pairs_are_all_of_a_scene_within_the_limit(name, limit):
    truth, pred = random_sides(name, False)
    rows, columns = all_couples(truth, pred)
    valid = (np.asarray(truth.reason)[rows] == 0) & (np.asarray(pred.reason)[columns] == 0)
    rows, columns = rows[valid], columns[valid]
    places = [np.asarray(each.center).reshape(-1, 3) for each in (truth, pred)]
    distance = np.linalg.norm(places[0][rows] - places[1][columns], axis=1)
    score = np.rint((1 - distance / (2 * limit)) * 1e12).astype(int)
    expected = dict(zip(zip(rows.tolist(), columns.tolist(), strict=True), score.tolist(), strict=True))
    found = table(near_pairs(truth, pred, limit))
    assert found.keys() == {pair for pair, far in zip(expected, distance, strict=True) if far <= limit}
    assert all(abs(score - expected[pair]) <= 1 for pair, score in found.items())


@pytest.mark.parametrize(
    ("place", "limit", "score"),
    [
        ((0, 0, 0), 0.5, UNIT),
        ((0.25, 0, 0), 0.5, UNIT * 3 // 4),  # 1 - 0.25 / 1
        ((0.3, 0.4, 0), 0.5, UNIT // 2),  # at the limit
        ((0, 0, -2), 2.0, UNIT // 2),
        ((0.1 + 0.2, 0, 0), 0.3, UNIT // 2),  # 0.30000000000000004
        ((0.3 + 1e-9, 0, 0), 0.3, None),
        ((0.4, 0.4, 0), 0.5, None),
    ],
)
def test_closeness(place, limit, score):
    truth, pred = sides([([box([0, 0, 0])], [box(place)])])
    assert table(near_pairs(truth, pred, limit)) == ({} if score is None else {(0, 0): score})


def test_far_from_the_origin_the_limit_still_belongs():
    truth, pred = sides([([box([1e6 + 0.1, 0, 0])], [box([1e6 + 0.6, 0, 0]), box([1e6 + 0.6001, 0, 0])])])
    assert table(near_pairs(truth, pred, 0.5)) == {(0, 0): UNIT // 2}


# Centres within boxes


def placed(truth: Boxes, pred: Boxes, oriented: bool) -> list:
    """Each truth with each pred of a single scene: (pred in truth, truth in pred, distance)."""
    pairs = [(i, j) for i in range(len(truth)) for j in range(len(pred))]
    columns = placements(truth, pred, *(int_column(side) for side in zip(*pairs, strict=True)), oriented)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("oriented", [False, True])
def test_which_centre_lies_in_which_box(oriented):
    # A table of 4 by 2 by 1 at the origin, small things around it, and a room around all.
    table_ = side(box([0, 0, 0], [4, 2, 1]))
    assert placed(table_, side(box([1.5, 0.5, 0.4])), oriented)[0][:2] == (1, 0)
    assert placed(table_, side(box([0.3, 0.3, 0.3])), oriented)[0][:2] == (1, 1)
    assert placed(table_, side(box([0, 0, 2], [9, 9, 9])), oriented)[0][:2] == (0, 1)
    assert placed(table_, side(box([3, 0, 0])), oriented) == [(0, 0, 3.0)]


@pytest.mark.parametrize("oriented", [False, True])
def test_a_centre_on_a_face_an_edge_or_a_corner_is_inside(oriented):
    tenth = box([0.1, 0.1, 0.1], [0.4, 0.4, 0.4])  # 0.1 + 0.2 is not quite 0.3
    for place in [(0.3, 0.1, 0.1), (0.3, -0.1, 0.1), (0.3, 0.3, 0.3), (0.1 + 0.2, 0.1, 0.1)]:
        assert placed(side(tenth), side(box(place)), oriented)[0][0] == 1
    assert placed(side(tenth), side(box([0.3 + 1e-9, 0.1, 0.1])), oriented)[0][0] == 0
    far = box([1e6 + 0.1, 0, 0], [0.4, 0.4, 0.4])
    assert placed(side(far), side(box([1e6 + 0.3, 0, 0])), oriented)[0][0] == 1
    assert placed(side(far), side(box([1e6 + 0.3001, 0, 0])), oriented)[0][0] == 0


def test_the_corner_of_the_bounds_of_a_turned_box_is_not_in_the_box():
    # A square of 2 turned by an eighth reaches to sqrt(2) along x and y, and to x + y = sqrt(2) between them.
    turned_box = side(box([0, 0, 0], [2, 2, 2], {"yaw": np.pi / 4}))
    places = side(box([0.8, 0.8, 0]), box([0.7, 0.7, 0]), box([1.4, 0, 0]), box([1.42, 0, 0]), box([0, 0, 1]))
    assert [row[0] for row in placed(turned_box, places, True)] == [0, 1, 1, 0, 1]
    assert [row[0] for row in placed(turned_box, places, False)] == [1, 1, 1, 0, 1]
    half = np.sqrt(0.5)
    assert placed(turned_box, side(box([half, half, -1])), True)[0][0] == 1  # on its edge


@pytest.mark.parametrize("oriented", [False, True])
def test_placements_of_random_boxes_are_those_of_the_definition(oriented):
    rng = np.random.default_rng(6)
    (c, h, x), (d, g, y) = parts(rng, 4000, False), parts(rng, 4000, False)
    pairs = int_column(range(4000))
    columns = placements(Raw(c, h, x), Raw(d, g, y), pairs, pairs, oriented)
    for found, (center, half, axes), place in [(columns[0], (c, h, x), d), (columns[1], (d, g, y), c)]:
        along = np.einsum("nkj,nj->nk", axes, place - center) if oriented else place - center
        reach = half if oriented else (np.abs(axes) * half[:, :, None]).sum(1)
        assert found.tolist() == (np.abs(along) <= reach).all(1).astype(int).tolist()
        assert 100 < sum(found.tolist()) < 3900
    assert np.asarray(columns[2]) == pytest.approx(np.linalg.norm(d - c, axis=1), rel=1e-15)
