"""Sizes of objects: by hand, and the same in registers of all widths."""

from types import SimpleNamespace

import numpy as np
import pytest

from calipers.kernels.shape.sizes import object_sizes

BOX, LINE = 0, 2


def objects(kinds, points, areas, reasons=None):
    starts = np.cumsum([0, *map(len, points)])
    columns = {"kind": np.array(kinds, np.uint8), "reason": np.array(reasons or [0] * len(kinds), np.uint8)}
    columns |= {"starts": starts, "points": np.concatenate([[], *points]), "area": np.array(areas, np.float64)}
    return SimpleNamespace(**columns)


@pytest.mark.parametrize("bits", [128, 512])
def test_sizes_by_hand(bits):
    corner = [0.0, 0, 3, 4, 3, 10]  # 5 and 6 long
    some = objects(
        [BOX, LINE, LINE, LINE, BOX], [[1.0] * 8, corner, corner[:2], [], []], [16, 0, 0, 0, 0], [0, 0, 0, 7, 7]
    )
    assert object_sizes(some, LINE, None, bits).tolist()[:3] == [4, 11, 0]
    assert np.isnan(object_sizes(some, LINE, None, bits)[3:]).all()
    assert object_sizes(some, LINE, np.array([0, 9, 0, 0, 0], np.uint8), bits).tolist() == [11]


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 15, 16, 17, 33, 200])
def test_sizes_are_the_same_in_registers_of_all_widths(count, bits):
    rng = np.random.default_rng(count)
    kinds = rng.integers(0, 3, count)
    points = [rng.normal(0, 300, 2 * int(rng.integers(1, 13))) for _ in range(count)]  # 9 points fill a register
    areas, reasons = rng.random(count) * 9e4, (rng.random(count) < 0.1).astype(np.uint8).tolist()
    some, wanted = objects(kinds, points, areas, reasons), (rng.random(count) < 0.6).astype(np.uint8) * 3
    expected = np.array([size(*one) for one in zip(kinds, points, areas, reasons, strict=True)], np.float32)
    assert np.array_equal(object_sizes(some, LINE, None, bits), expected, equal_nan=True)
    assert np.array_equal(object_sizes(some, LINE, wanted, bits), expected[wanted != 0], equal_nan=True)


def size(kind, points, area, reason):
    """To the bit: pieces of a line are added in their order."""
    if reason:
        return np.nan
    if kind != LINE:
        return np.sqrt(area)
    total = 0.0
    for x, y in np.diff(points.reshape(-1, 2), axis=0):
        total += np.sqrt(x * x + y * y)
    return total
