"""Laws that every ruler keeps. A new ruler, or a new kind of shape for one, joins RULERS and is held to all of them."""

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from math import cos, inf, nan, pi, sin

import numpy as np
import pytest

import calipers


@dataclass(frozen=True)
class Ruler:
    """A ruler, shapes to try it on (none without area), and what it takes for granted about them."""

    name: str
    iou: Callable
    shapes: list
    rewritten: Callable  # shape -> other ways to write down the same one
    apart: tuple  # two shapes that share nothing
    invalid: list  # shapes that are none
    moves: list  # translations that keep the shapes where the ruler can see them
    change: float = 0.0  # how much a translation may change a value
    options: dict = field(default_factory=dict)

    def __call__(self, a, b, **options):
        return self.iou(a, b, **self.options, **options)

    def __str__(self):
        return self.name


# Shapes: a box is four numbers, everything else points


def boxes(rng: random.Random, count: int) -> list:
    """Boxes by any two opposite corners; edges often coincide, as few numbers are in use."""
    tries = [[10 * rng.randint(0, 40) for _ in range(4)] for _ in range(2 * count)]
    return [[a, b, c, d] for a, b, c, d in tries if a != c and b != d][:count]


def quads(rng: random.Random, count: int) -> list:
    """Convex, concave and crossing quads, a quarter of them long and thin."""
    thin = [[[k, k], [400 - k, 300], [401 - k, 302], [k + 1, k + 2]] for k in range(0, 5 * (count // 4), 5)]
    wide = [[[rng.randint(0, 400) for _ in range(2)] for _ in range(4)] for _ in range(count - len(thin))]
    return thin + wide


def blobs(rng: random.Random, count: int) -> list:
    """Concave polygons of 5 to 24 vertices in eighths: rays of any length around a middle."""
    found = []
    for _ in range(count):
        rays, middle = rng.randint(5, 24), rng.randint(150, 250)
        lengths = [rng.uniform(20, 150) for _ in range(rays)]
        angles = [2 * pi * (i + rng.uniform(0, 0.8)) / rays for i in range(rays)]
        ends = [(middle + r * cos(t), middle + r * sin(t)) for r, t in zip(lengths, angles, strict=True)]
        found.append([[round(8 * x) / 8, round(8 * y) / 8] for x, y in ends])
    return found


def combs(rng: random.Random, count: int) -> list:
    """Combs of three teeth on a lattice: many edges lie on each other."""
    comb = [[0, 0], [50, 0], [50, 40], [40, 40], [40, 10], [30, 10], [30, 40], [20, 40], [20, 10], [10, 10], [10, 40]]
    steps = [[10 * rng.randint(0, 4), 5 * rng.randint(0, 4)] for _ in range(count)]
    return [[[x + dx, y + dy] for x, y in [*comb, [0, 40]]] for dx, dy in steps]


def tangles(rng: random.Random, count: int) -> list:
    """Polygons that mostly cross themselves, in tenths, which floats only come near to."""
    return [[[rng.randint(0, 100) / 10 for _ in range(2)] for _ in range(rng.randint(4, 6))] for _ in range(count)]


def loops(rng: random.Random, count: int) -> list:
    """Boxes at a corner of each other, either way round and some of them twice: edges touch, and none crosses."""
    found = []
    for _ in range(count):
        x, y, ring = rng.randint(20, 60), rng.randint(20, 60), []
        for dx, dy in rng.sample([(1, 1), (-1, 1), (-1, -1), (1, -1), (1, 1)], 3):
            w, h = dx * rng.randint(1, 40), dy * rng.randint(1, 40)
            box = [[x, y], [x + w, y], [x + w, y + h], [x, y + h]][:: rng.choice((1, -1))]
            at = box.index([x, y])
            ring += (box[at:] + box[:at]) * rng.choice((1, 1, 2))
        found.append(ring)
    return found


def in_thirds(shapes: list) -> list:
    return [[[x / 3, y / 3] for x, y in shape] for shape in shapes]


def mixed(rng: random.Random, count: int) -> list:
    return [shape for each in (boxes, quads, blobs, combs) for shape in each(rng, count // 4)]


def float_lines(rng: random.Random, count: int) -> list:
    """Polylines of 2 to 6 points in the middle of the grid, every second one a few units beside the one before."""
    found: list = []
    for i in range(count):
        points = [[rng.uniform(250, 650) for _ in range(2)] for _ in range(rng.randint(2, 6))]
        found.append([[x + rng.uniform(-6, 6), y + rng.uniform(-6, 6)] for x, y in found[-1]] if i % 2 else points)
    return found


def lines(rng: random.Random, count: int) -> list:
    return [[[round(x), round(y)] for x, y in line] for line in float_lines(rng, count)]


def lines_in_tenths(rng: random.Random, count: int) -> list:
    """Short lines with centres of cells on the rims of their tubes, or as near to them as tenths are to floats."""
    return [[[rng.randint(0, 300) / 10 for _ in range(2)] for _ in range(rng.randint(2, 3))] for _ in range(count)]


# Ways to say the same


def is_box(shape: list) -> bool:
    return isinstance(shape[0], int)


def flat(shape: list) -> list:
    return shape if is_box(shape) else [number for point in shape for number in point]


def moved(shape: list, dx: int, dy: int) -> list:
    if is_box(shape):
        return [shape[0] + dx, shape[1] + dy, shape[2] + dx, shape[3] + dy]
    return [[x + dx, y + dy] for x, y in shape]


def other_starts_and_directions(shape: list) -> list:
    """A box by its other corners; a polygon from each of its vertices, both ways round."""
    if is_box(shape):
        left, top, right, bottom = shape
        return [[right, bottom, left, top], [left, bottom, right, top], [right, top, left, bottom]]
    return [(shape[i:] + shape[:i])[::step] for i in range(len(shape)) for step in (1, -1)]


def other_direction(shape: list) -> list:
    return [shape[::-1]]


# The rulers

NO_NUMBERS = [[True, False, True, True], ["0", "0", "1", "1"], [None, 0, 1, 1]]
NO_REGIONS = [
    [1, 2],
    [1, 2, 3],
    [1, 2, 3, 4, 5],
    [1, 2, 3, 4, 5, 6, 7],
    [[1, 2], [3, 4]],
    [[0, 0], [1, 0], [1, nan]],
    [0, 0, 1, nan],
    [0, 0, 1, inf],
    [0, 0, 4, 0, 4, -inf],
    *NO_NUMBERS,
]
NO_LINES = [
    [1, 2],
    [1, 2, 3],
    [1, 2, 3, 4, 5],
    [[1, 2]],
    [[0, 0], [1, nan]],
    [0, 0, 1, nan],
    [0, 0, inf, 1],
    *NO_NUMBERS,
]


FAR = ((1, 0), (-3, 8), (1000, -700), (1000000, 3000000))
NEAR = ((1, 0), (-3, 8), (150, -120), (290, 290))


def region(name: str, shapes: list, *, moves: tuple = FAR) -> Ruler:
    return Ruler(
        name,
        calipers.region_iou,
        shapes,
        other_starts_and_directions,
        apart=([[0, 0], [9, 0], [9, 9]], [[9, 9], [20, 9], [20, 30]]),
        invalid=NO_REGIONS,
        moves=list(moves),
        change=1.01e-12,  # one in the last of 12 decimals
    )


def tube(name: str, shapes: list, *, moves: tuple = NEAR, **options) -> Ruler:
    return Ruler(
        name,
        calipers.tube_iou,
        shapes,
        other_direction,
        apart=([[10, 10], [90, 10]], [[10, 160], [90, 160]]),
        invalid=NO_LINES,
        moves=list(moves),
        options=options,
    )


# The second vertex lies on the edge from the fourth to the fifth; floats put it at either side, as they are combined.
TANGLE = [[0.8, 9.6], [1.9, 7.7], [8.8, 1.7], [0.5, 3.5], [2.3, 8.9], [7.8, 9.6]]
# Lines with a cell on the rim, seen from one end, and beyond it, seen from the other, when floats are trusted.
ON_THE_RIM = [[[10.9, 27.7], [19.1, 9.1]], [[2.3, 5.1], [27.9, 1.3]], [[17.5, 7.1], [3.9, 7.8]]]

RULERS = [
    region("region of boxes", boxes(random.Random(1), 20)),
    region("region of quads", quads(random.Random(2), 20)),
    region("region of blobs", blobs(random.Random(3), 12)),
    region("region of combs", combs(random.Random(4), 12)),
    region("region of tangles", [TANGLE, *tangles(random.Random(10), 24)], moves=()),
    region("region of loops", loops(random.Random(12), 15)),
    region("region of loops in thirds", in_thirds(loops(random.Random(13), 9)), moves=()),
    region("region of any shapes", mixed(random.Random(5), 16)),
    tube("tube of lines", lines(random.Random(6), 14)),
    tube("tube of float lines", float_lines(random.Random(7), 14), moves=()),
    tube("tube of lines in tenths", [*ON_THE_RIM, *lines_in_tenths(random.Random(11), 24)], moves=(), tolerance=1),
    tube("wide tube of lines", lines(random.Random(8), 8), tolerance=40),
    tube("thin tube of lines", lines(random.Random(9), 14), tolerance=0),
]


@pytest.fixture(params=RULERS, ids=str)
def ruler(request) -> Ruler:
    return request.param


def pair_by_pair(ruler: Ruler, a: list, b: list) -> list:
    return [[ruler(p, q) for q in b] for p in a]


# The laws


def test_values_lie_between_0_and_1_and_some_strictly(ruler):
    values = ruler(ruler.shapes, ruler.shapes)
    assert values.min() >= 0.0
    assert values.max() == 1.0
    assert np.any((values > 0) & (values < 1))


def test_values_have_12_decimals(ruler):
    values = ruler(ruler.shapes, ruler.shapes).ravel().tolist()
    assert values == [round(value, 12) for value in values]


def test_a_shape_against_itself_is_exactly_1(ruler):
    assert [ruler(shape, shape) for shape in ruler.shapes] == [1.0] * len(ruler.shapes)
    assert np.diagonal(ruler(ruler.shapes, ruler.shapes)).tolist() == [1.0] * len(ruler.shapes)


def test_shapes_that_share_nothing_are_exactly_0(ruler):
    first, second = ruler.apart
    assert ruler(first, second) == 0.0


def test_truth_and_prediction_can_be_exchanged_bit_for_bit(ruler):
    values = ruler(ruler.shapes, ruler.shapes)
    assert values.tolist() == values.T.tolist()


def test_an_integer_translation_of_both_changes_nothing(ruler):
    values = ruler(ruler.shapes, ruler.shapes)
    for dx, dy in ruler.moves:
        elsewhere = [moved(shape, dx, dy) for shape in ruler.shapes]
        assert np.abs(ruler(elsewhere, elsewhere) - values).max() <= ruler.change


def test_where_a_shape_starts_and_which_way_it_runs_changes_no_bit(ruler):
    values = ruler(ruler.shapes, ruler.shapes)
    for i, shape in enumerate(ruler.shapes):
        same = ruler.rewritten(shape)
        assert ruler(same, ruler.shapes).tolist() == [values[i].tolist()] * len(same)
        assert ruler(same, [shape]).tolist() == [[1.0]] * len(same)


def test_one_shape_each_gives_a_float(ruler):
    assert isinstance(ruler(ruler.shapes[0], ruler.shapes[1]), float)


def test_n_by_m_is_pair_by_pair_bit_for_bit(ruler):
    a, b = ruler.shapes[:5], ruler.shapes[2:]
    values = ruler(a, b)
    assert values.shape == (5, len(b))
    assert values.dtype == np.float64
    assert values.tolist() == pair_by_pair(ruler, a, b)


def test_paired_is_the_diagonal_of_n_by_m_bit_for_bit(ruler):
    a, b = ruler.shapes, ruler.shapes[1:] + ruler.shapes[:1]
    values = ruler(a, b, paired=True)
    assert values.shape == (len(a),)
    assert values.tolist() == np.diagonal(ruler(a, b)).tolist()


def test_lists_of_one_shape_give_arrays_of_one_value(ruler):
    a, b = ruler.shapes[:1], ruler.shapes[1:2]
    assert ruler(a, b).tolist() == [[ruler(*a, *b)]]
    assert ruler(a, b, paired=True).tolist() == [ruler(*a, *b)]


def test_numbers_in_a_row_equal_points(ruler):
    in_a_row = [flat(shape) for shape in ruler.shapes]
    assert ruler(in_a_row, ruler.shapes).tolist() == ruler(ruler.shapes, ruler.shapes).tolist()
    assert ruler(in_a_row[0], in_a_row[1]) == ruler(ruler.shapes[0], ruler.shapes[1])


def test_arrays_equal_lists(ruler):
    values = ruler(ruler.shapes, ruler.shapes).tolist()
    arrays = [np.array(shape) for shape in ruler.shapes]
    assert ruler(arrays, arrays).tolist() == values
    assert ruler(arrays[0], arrays[1]) == values[0][1]
    for size in {array.shape for array in arrays}:  # (4,) for boxes, (points, 2) for the rest
        alike = [i for i, array in enumerate(arrays) if array.shape == size]
        stacked = np.array([arrays[i] for i in alike])
        assert ruler(stacked, ruler.shapes).tolist() == [values[i] for i in alike]
        assert ruler(stacked.astype(float), ruler.shapes).tolist() == [values[i] for i in alike]
        assert ruler(stacked, stacked, paired=True).tolist() == [1.0] * len(alike)


def test_tuples_equal_lists(ruler):
    as_tuples = tuple(tuple(each if is_box(shape) else tuple(each) for each in shape) for shape in ruler.shapes)
    assert ruler(as_tuples, as_tuples).tolist() == ruler(ruler.shapes, ruler.shapes).tolist()


def test_no_shapes_give_no_values(ruler):
    shapes = ruler.shapes[:3]
    assert ruler([], shapes).shape == (0, 3)
    assert ruler(shapes, []).shape == (3, 0)
    assert ruler([], []).shape == (0, 0)
    assert ruler([], [], paired=True).shape == (0,)


def test_the_order_and_the_company_of_shapes_change_no_bit(ruler):
    values = ruler(ruler.shapes, ruler.shapes)
    order = random.Random(0).sample(range(len(ruler.shapes)), len(ruler.shapes) // 2)
    some = [ruler.shapes[i] for i in order]
    assert ruler(some, some).tolist() == values[np.ix_(order, order)].tolist()


def test_input_is_left_as_it_was(ruler):
    shapes, arrays = copy.deepcopy(ruler.shapes), [np.array(shape) for shape in ruler.shapes]
    ruler(shapes, shapes)
    ruler(arrays, arrays)
    assert shapes == ruler.shapes
    assert [array.tolist() for array in arrays] == ruler.shapes


def test_an_invalid_shape_is_an_input_error_on_either_side_alone_or_in_a_list(ruler):
    good = ruler.shapes[0]
    for bad in ruler.invalid:
        for a, b in [(bad, good), (good, bad), ([good, bad], [good]), ([good], [good, bad])]:
            with pytest.raises(calipers.InputError):
                ruler(a, b)


def test_pairs_need_as_many_shapes_on_both_sides(ruler):
    with pytest.raises(calipers.CalipersError):
        ruler(ruler.shapes[:2], ruler.shapes[:3], paired=True)


def test_errors_are_of_the_one_family():
    assert issubclass(calipers.InputError, calipers.CalipersError)
