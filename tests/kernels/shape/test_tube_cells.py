"""Tubes hold the cells that exact distances say, however many rows a piece has and wherever the grid ends."""

import random
from itertools import pairwise

import numpy as np
import pytest

from calipers.core.shapes import Objects
from calipers.kernels.scan.flatten import ObjectColumns
from calipers.kernels.shape.plane import tube_paired

Line = list[tuple[int, int]]
CELLS, UNIT = 1000, 1e12
WINDOW = 200  # cells on a side in which all tubes lie, in a corner of the grid


def some_line(rng: random.Random, reach: int) -> Line:
    """Steep, flat and winding lines; the longest piece is as long as `reach`."""
    return [(rng.randint(0, reach), rng.randint(0, reach)) for _ in range(rng.randint(2, 8))]


def exact_cells(line: Line, stroke: int) -> np.ndarray:
    """(WINDOW, WINDOW) whether a centre lies at most half a stroke from the line; all numbers are doubled."""
    y, x = np.meshgrid(2 * np.arange(WINDOW) + 1, 2 * np.arange(WINDOW) + 1, indexing="ij")
    cells = np.zeros((WINDOW, WINDOW), bool)
    for px, py in line:
        cells |= (x - 2 * px) ** 2 + (y - 2 * py) ** 2 <= stroke**2
    for (px, py), (qx, qy) in pairwise(line):
        dx, dy = 2 * (qx - px), 2 * (qy - py)
        along, across = (x - 2 * px) * dx + (y - 2 * py) * dy, (x - 2 * px) * dy - (y - 2 * py) * dx
        length2 = dx * dx + dy * dy
        cells |= (length2 > 0) & (along >= 0) & (along <= length2) & (across**2 <= stroke**2 * length2)
    return cells


def side_of(lines: list[Line], *, far: bool) -> Objects:
    """Lines where they are, or in the opposite corner of the grid."""
    columns = ObjectColumns({})
    for line in lines:
        points = [CELLS - number if far else number for point in line for number in point]
        columns.add_record([{"type": "line", "points": points}], False)
    return Objects(columns)


@pytest.mark.parametrize("far", [False, True])
@pytest.mark.parametrize("stroke", [1, 2, 5, 15, 16, 17, 40])
def test_tubes_hold_the_cells_of_exact_distances(stroke: int, far: bool) -> None:
    rng = random.Random(stroke)
    pairs = [(some_line(rng, reach), some_line(rng, reach)) for reach in (1, 3, 8, 15, 16, 17, 31, 33, 60, 150)]
    truth, pred = (side_of([pair[side] for pair in pairs], far=far) for side in (0, 1))
    scores = tube_paired(truth, pred, stroke).tolist()
    for (one, other), score in zip(pairs, scores, strict=True):
        a, b = exact_cells(one, stroke), exact_cells(other, stroke)
        shared = int((a & b).sum())
        assert score == int(shared / int((a | b).sum() or 1) * UNIT + 0.5), (one, other)
