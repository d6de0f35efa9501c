"""IoU of boxes in space against half-spaces in scipy, shapes of shapely, and exact fractions."""

from fractions import Fraction
from itertools import combinations, pairwise
from math import cos, sin

import numpy as np
import pytest
import scipy
import shapely

from calipers.rulers.cuboid import cuboid_iou

from ..profiles import examples


def box(center, size, rotation) -> dict:
    return {"center": list(center), "size": list(size), "rotation": list(rotation)}


def axes_of(rotation) -> np.ndarray:
    """The axes of a box, one a row, by the textbook."""
    x, y, z, w = np.array(rotation) / np.linalg.norm(rotation)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
            [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
            [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def as_iou(shared: float, a: dict, b: dict) -> float:
    return shared / (np.prod(a["size"]) + np.prod(b["size"]) - shared)


# scipy: the half-spaces of both boxes, a point within all of them, the hull of their common vertices


def half_spaces(given: dict) -> np.ndarray:
    axes = axes_of(given["rotation"])
    along, half = axes @ given["center"], np.array(given["size"]) / 2
    return np.vstack([np.c_[axes, -along - half], np.c_[-axes, along - half]])


def deepest_point(spaces: np.ndarray) -> tuple[np.ndarray, float]:
    """A point that is as far as possible from all planes, and how far; negative if there is none within."""
    inner = np.c_[spaces[:, :3], np.ones(len(spaces))]
    found = scipy.optimize.linprog([0, 0, 0, -1], A_ub=inner, b_ub=-spaces[:, 3], bounds=[(None, None)] * 4)
    return found.x[:3], found.x[3]


def scipy_iou(a: dict, b: dict) -> float:
    spaces = np.vstack([half_spaces(a), half_spaces(b)])
    point, depth = deepest_point(spaces)
    if depth < 1e-7:  # the hull needs some room; nothing of more than 1e-7 * surface is left out
        return 0.0
    corners = scipy.spatial.HalfspaceIntersection(spaces, point).intersections
    return as_iou(scipy.spatial.ConvexHull(corners).volume, a, b)


def random_boxes(rng: np.random.Generator, count: int, spread: float, sizes: tuple) -> list[dict]:
    return [box(rng.uniform(-spread, spread, 3), rng.uniform(*sizes, 3), rng.normal(size=4)) for _ in range(count)]


@pytest.mark.parametrize(
    ("count", "spread", "sizes"),
    [(1000, 0.4, (0.5, 2)), (500, 1.0, (0.2, 3)), (300, 0.3, (0.05, 1.5)), (200, 2.0, (1, 9))],
    ids=str,
)
def test_boxes_at_any_angle_agree_with_scipy(count, spread, sizes):
    rng = np.random.default_rng(count)
    count = examples(count)
    a, b = (random_boxes(rng, count, spread, sizes) for _ in range(2))
    found = cuboid_iou(a, b, paired=True)
    expected = np.array([scipy_iou(p, q) for p, q in zip(a, b, strict=True)])
    assert np.abs(found - expected)[expected > 0].max() < 1e-9
    assert found[expected == 0].max(initial=0) < 1e-6
    assert np.count_nonzero(expected) > count / 2


def test_boxes_that_hardly_differ_agree_with_scipy():
    rng = np.random.default_rng(7)
    a = random_boxes(rng, 150, 0.3, (0.5, 2))
    b = [
        box(
            p["center"] + rng.normal(size=3) * by,
            p["size"] * (1 + rng.normal(size=3) * by),
            p["rotation"] + rng.normal(size=4) * by,
        )
        for p, by in zip(a, np.repeat([1e-2, 1e-4, 1e-6], 50), strict=True)
    ]
    expected = [scipy_iou(p, q) for p, q in zip(a, b, strict=True)]
    assert np.abs(cuboid_iou(a, b, paired=True) - expected).max() < 1e-9


# shapely: boxes that stand on the ground share an area, times a height


def footprint(row) -> shapely.Polygon:
    x, y, _, dx, dy, _, yaw = row
    turn = np.array([[cos(yaw), -sin(yaw)], [sin(yaw), cos(yaw)]])
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [dx / 2, dy / 2]
    return shapely.Polygon(corners @ turn.T + [x, y])


def upright_iou(p, q) -> float:
    height = max(0.0, min(p[2] + p[5] / 2, q[2] + q[5] / 2) - max(p[2] - p[5] / 2, q[2] - q[5] / 2))
    shared = footprint(p).intersection(footprint(q)).area * height
    return shared / (np.prod(p[3:6]) + np.prod(q[3:6]) - shared)


def test_upright_boxes_agree_with_shapely():
    rng = np.random.default_rng(8)
    a, b = (
        np.c_[rng.uniform(-0.8, 0.8, (3000, 3)), rng.uniform(0.1, 3, (3000, 3)), rng.uniform(-9, 9, 3000)]
        for _ in range(2)
    )
    found = cuboid_iou(a, b, paired=True)
    expected = np.array([upright_iou(p, q) for p, q in zip(a, b, strict=True)])
    assert np.abs(found - expected).max() < 1e-11
    assert np.count_nonzero(expected) > 1500


def test_yaw_and_the_quaternion_of_it_are_the_same_box():
    rng = np.random.default_rng(9)
    rows = np.c_[rng.uniform(-1, 1, (200, 3)), rng.uniform(0.1, 3, (200, 3)), rng.uniform(-9, 9, 200)]
    turned = [box(row[:3], row[3:6], [0, 0, sin(row[6] / 2), cos(row[6] / 2)]) for row in rows]
    assert cuboid_iou(rows, turned, paired=True).tolist() == [1.0] * 200


# Exact fractions: integer quaternions turn by rational matrices

Plane = tuple[tuple[Fraction, ...], Fraction]  # normal and offset: normal . p <= offset
Point = tuple[Fraction, ...]


def dot(a, b) -> Fraction:
    return sum((s * t for s, t in zip(a, b, strict=True)), Fraction())


def minus(a, b) -> Point:
    return tuple(s - t for s, t in zip(a, b, strict=True))


def cross(a, b) -> Point:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def planes_of(given: dict) -> list[Plane]:
    x, y, z, w = (Fraction(part) for part in given["rotation"])
    norm = x * x + y * y + z * z + w * w
    columns = [  # the axes of the box, times the norm of the quaternion squared
        (w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)),
        (2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)),
        (2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z),
    ]
    center = [Fraction(part) for part in given["center"]]
    planes = []
    for axis, size in zip(columns, given["size"], strict=True):
        axis = tuple(part / norm for part in axis)
        for normal in (axis, tuple(-part for part in axis)):
            planes.append((normal, dot(normal, center) + Fraction(size) / 2))
    return planes


def common_vertices(planes: list[Plane]) -> set[Point]:
    """Points on three planes and beyond none."""
    found = set()
    for (a, s), (b, t), (c, u) in combinations(planes, 3):
        volume = dot(a, cross(b, c))
        if volume:
            parts = zip(cross(b, c), cross(c, a), cross(a, b), strict=True)
            point = tuple((s * p + t * q + u * r) / volume for p, q, r in parts)
            if all(dot(normal, point) <= offset for normal, offset in planes):
                found.add(point)
    return found


def around(points: list[Point], normal: Point) -> list[Point]:
    """The corners of a face in order, gift by gift: each next one has all others to its left."""
    ring = [points[0]]
    while True:
        best = next(point for point in points if point != ring[-1])
        for point in points:
            if dot(normal, cross(minus(best, ring[-1]), minus(point, ring[-1]))) < 0:
                best = point
        if best == ring[0]:
            return ring
        ring.append(best)


def exact_iou(a: dict, b: dict) -> Fraction:
    """By cones from one vertex of the common body over its faces."""
    planes = planes_of(a) + planes_of(b)
    vertices = common_vertices(planes)
    faces = {frozenset(p for p in vertices if dot(normal, p) == offset): normal for normal, offset in planes}
    shared = Fraction()
    for face, normal in faces.items():
        if len(face) > 2:
            top, (first, *ring) = min(vertices), around(sorted(face), normal)
            for p, q in pairwise(ring):
                shared += dot(minus(first, top), cross(minus(p, top), minus(q, top))) / 6
    volumes = [Fraction(np.prod([Fraction(part) for part in each["size"]])) for each in (a, b)]
    return shared / (sum(volumes) - shared)


def lattice_box(rng: np.random.Generator) -> dict:
    """Few numbers, so that faces often lie in one plane and edges in a face."""
    turn = [0, 0, 0, 0]
    while not any(turn):
        turn = rng.integers(-1, 2, 4).tolist()
    return box((rng.integers(-2, 3, 3) / 2).tolist(), rng.integers(1, 5, 3).tolist(), turn)


def test_fractions_know_a_case_by_heart():
    cube, turned = box([0, 0, 0], [1, 1, 1], [0, 0, 0, 1]), box([0, 0, 0], [1, 1, 1], [1, 1, 1, 3])
    assert exact_iou(cube, turned) == Fraction(3, 5)


def test_boxes_on_a_lattice_are_exact():
    rng, count = np.random.default_rng(10), max(25, examples(100))  # fewer hold no two that are apart
    a, b = ([lattice_box(rng) for _ in range(count)] for _ in range(2))
    exact = [exact_iou(p, q) for p, q in zip(a, b, strict=True)]
    off = [abs(Fraction(value) - each) for value, each in zip(cuboid_iou(a, b, paired=True), exact, strict=True)]
    assert max(off) <= Fraction(6, 10**13)  # the last of 12 decimals is right, or the true one is next to a half
    assert sum(0 < each < 1 for each in exact) > 0.45 * count
    assert sum(each == 0 for each in exact) > 0.05 * count


def test_boxes_by_integer_quaternions_are_exact():
    rng, count = np.random.default_rng(11), examples(40)
    a, b = (
        [box(c, s, q) for c, s, q in zip(*(rng.integers(*each).tolist() for each in parts), strict=True)]
        for parts in [((-3, 4, (count, 3)), (1, 9, (count, 3)), (1, 9, (count, 4)))] * 2
    )
    off = [
        abs(Fraction(value) - exact_iou(p, q)) for value, p, q in zip(cuboid_iou(a, b, paired=True), a, b, strict=True)
    ]
    assert max(off) <= Fraction(6, 10**13)
