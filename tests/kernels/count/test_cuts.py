"""The best cut of a class under weights, 64 replicates side by side: by hand, and against trying every cut.

Detections of a class are drawn from the surest to the last: `+` is right, `-` is not, a bar is where one may cut.
"""

import numpy as np
import pytest

from calipers.kernels.count.cuts import CUT_REPLICATES, best_cuts

from ...profiles import seeds


def table(rows):
    """Weights of images in a few replicates, 0 in all others."""
    weights = np.zeros((len(rows), CUT_REPLICATES), np.uint8)
    weights[:, : len(rows[0])] = rows
    return weights


def found(weights, classes):
    """The last detection that is kept, (classes, 64); a class is images, marks and images of objects."""
    images = [image for mine, _, _ in classes for image in mine]
    flags = [(int(mark[0] == "+"), int(mark.endswith("|"))) for _, marks, _ in classes for mark in marks]
    right, stops = np.array(flags, np.uint8).reshape(-1, 2).T.copy()
    places = best_cuts(
        weights.reshape(-1),
        np.cumsum([len(mine) for mine, _, _ in classes], dtype=np.int64),
        np.array(images, np.int32),
        right,
        stops,
        np.cumsum([len(objects) for _, _, objects in classes], dtype=np.int64),
        np.array([image for _, _, objects in classes for image in objects], np.int32),
    )
    return np.asarray(places).reshape(len(classes), CUT_REPLICATES)


def test_cuts_by_hand():
    # +| -+| with objects on a and b: 2 · 1 / (2 + 1) against 2 · 2 / (2 + 3); a alone; b alone; thrice a; none
    weights = table([[1, 1, 0, 3, 0], [1, 0, 1, 1, 0]])
    places = found(weights, [([0, 1, 1], ["+|", "-", "+|"], [0, 1])])
    # b alone: 0 at the first cut, 2 / (1 + 2) at the second. Thrice a: 6 / (4 + 3) against 8 / (4 + 5)
    assert places[0, :5].tolist() == [2, 0, 2, 2, -1]


def test_of_equal_cuts_the_first_and_places_count_over_all_classes():
    # 2 / (2 + 1) and 2 · 2 / (2 + 4): the first; the second class begins at place 4
    classes = [([0, 0, 0, 0], ["+|", "-", "-", "+|"], [0, 0]), ([], [], [0]), ([0], ["+|"], [0]), ([0], ["-|"], [])]
    assert found(table([[1]]), classes)[:, 0].tolist() == [0, -1, 4, -1]


@pytest.mark.parametrize("seed", seeds(20))
def test_the_best_is_that_of_trying_every_cut(seed):
    generator = np.random.default_rng(seed)
    weights = generator.poisson(1, (9, CUT_REPLICATES)).astype(np.uint8)
    classes = [drawn(generator, int(generator.choice([0, 1, 5, 40, 400]))) for _ in range(4)]
    places, first = found(weights, classes), 0
    for row, (images, marks, objects) in zip(places, classes, strict=True):
        best, place = np.zeros(CUT_REPLICATES), np.full(CUT_REPLICATES, -1)
        kept, right, total = (np.zeros(CUT_REPLICATES, int) for _ in range(3))
        for image in objects:
            total += weights[image]
        for at, (image, mark) in enumerate(zip(images, marks, strict=True)):
            kept, right = kept + weights[image], right + weights[image] * (mark[0] == "+")
            f1 = 2 * right / np.maximum(total + kept, 1)
            better = mark.endswith("|") & (f1 > best)
            best, place = np.where(better, f1, best), np.where(better, first + at, place)
        assert row.tolist() == place.tolist()
        first += len(images)


def drawn(generator, size):
    images, right = generator.integers(0, 9, size).tolist(), generator.random(size) < np.linspace(0.9, 0.1, size)
    marks = [("+" if hit else "-") + ("|" if generator.random() < 0.7 else "") for hit in right]
    return images, marks, generator.integers(0, 9, max(int(right.sum()), 1)).tolist()
