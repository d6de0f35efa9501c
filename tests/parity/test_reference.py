"""The references agree with each other, with shapely, and with numbers worked out by hand."""

import random
from fractions import Fraction

import numpy as np
import pytest
import shapely

from . import reference, shapes


def shapely_iou(a, b):
    p, q = shapely.Polygon(a), shapely.Polygon(b)
    shared = p.intersection(q).area
    return shared / (p.area + q.area - shared)


def test_clipping_and_slabs_give_the_same_fraction_for_convex_quads():
    rng = random.Random(1)
    pairs = [[reference.by_angle(reference.outline(shapes.quad(rng, 0, 40))) for _ in range(2)] for _ in range(600)]
    convex = [(a, b) for a, b in pairs if reference.is_convex(a) and reference.is_convex(b)]
    assert len(convex) > 200
    for a, b in convex:
        assert reference.convex_overlap(a, b) == reference.simple_overlap(a, b)


@pytest.mark.parametrize("name", shapes.CONCAVE)
def test_named_shapes_are_simple_and_not_convex_and_have_at_most_50_vertices(name):
    polygon = shapes.CONCAVE[name]
    assert shapely.Polygon(polygon).is_valid
    assert not reference.is_convex(reference.outline(polygon))
    assert len(polygon) <= 50


@pytest.mark.parametrize("vertices", [5, 9, 20])
def test_slabs_agree_with_shapely_on_random_simple_polygons(vertices):
    rng = random.Random(vertices)
    for _ in range(5):
        a, b = shapes.lattice_polygon(rng, vertices), shapes.lattice_polygon(rng, vertices)
        assert shapely.Polygon(a).is_valid
        assert float(reference.region_iou(a, b)) == pytest.approx(shapely_iou(a, b), abs=1e-12)


def test_a_repaired_polygon_is_simple():
    rng = random.Random(2)
    for _ in range(200):
        polygon = shapes.crossing_polygon(rng, rng.randint(4, 8))
        assert not reference.crosses_itself(reference.repaired(polygon))


def test_exact_region_values():
    # A triangle of area 6 in a box of area 12; an L of 500 in its square of 900; boxes that touch.
    assert reference.region_iou([0, 0, 4, 0, 0, 3], [0, 0, 4, 3]) == Fraction(1, 2)
    assert reference.region_iou(shapes.ell(), [0, 0, 30, 30]) == Fraction(5, 9)
    assert reference.region_iou([0, 0, 2, 2], [2, 2, 4, 4]) == 0
    assert reference.region_iou([0, 0, 2, 2], [5, 5, 5, 9]) == 0


def test_integer_cells_agree_with_distances_on_the_whole_grid():
    line = [3, 997, 700, 500, 1000, 0]
    for tolerance in (0.5, 8, 40):
        away = reference.cell_distances(line) - reference.stroke_width(tolerance) / 2
        cells = reference.tube_cells(line, tolerance)
        assert np.array_equal(cells[np.abs(away) > 1e-9], away[np.abs(away) > 1e-9] <= 0)


def test_samples_and_distances_agree_with_shapely():
    rng = random.Random(3)
    for _ in range(20):
        truth, pred = ([rng.randint(0, 60) for _ in range(2 * rng.randint(2, 6))] for _ in range(2))
        p, q = (shapely.LineString(reference.points_of(line)) for line in (truth, pred))
        along = [p.interpolate(s) for s in range(int(p.length) + 1)]
        ends = [] if p.length == int(p.length) else [p.interpolate(p.length)]
        near = np.array([point.distance(q) for point in along + ends])
        places = reference.samples(truth)
        assert places == pytest.approx(np.array([(point.x, point.y) for point in along + ends]), abs=1e-9)
        assert reference.distances(*np.array(places).T, pred) == pytest.approx(near, abs=1e-9)
