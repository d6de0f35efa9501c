"""Masks and keypoints: how close they are, against pycocotools."""

import numpy as np
import pytest

from calipers.suites.coco.columns import Categories, Detections, Images, Instances
from calipers.suites.coco.overlaps import SIGMAS, overlaps

KIND = {"image": np.int32, "category": np.int32, "area": np.float64, "crowd": bool, "score": np.float64}


def side(count, **columns):
    given = {"image": 0, "category": 0, "area": 1.0, "crowd": False, "score": 0.5} | columns
    filled = {name: np.broadcast_to(given.pop(name), count).astype(kind) for name, kind in KIND.items()}
    box = given.pop("box", np.zeros((count, 4)))
    numbers = np.arange(count, dtype=np.int64)
    return Instances(
        **filled, box=box, ids=numbers, place=numbers, problems=given.pop("problems", {}), images=1, **given
    )


def both(truth, pred):
    size = np.array([20.0])
    names = Categories(np.array([1]), ["person"])
    return Detections(Images(np.array([1]), ["a"], size, size), names, truth, pred, [], [], [])


def matrix(found, kind, **more):
    rows, columns, overlap = overlaps(found, kind, min_overlap=0.0, **more)
    filled = np.zeros((len(found.truth), len(found.pred)))
    filled[rows, columns] = overlap
    return filled


def test_masks_by_cells():
    square, half = [[0, 0, 10, 0, 10, 10, 0, 10]], [[0, 0, 10, 0, 10, 5, 0, 5]]
    found = both(side(1, masks=[square]), side(2, masks=[half, square]))
    assert matrix(found, "segm").tolist() == [[0.5, 1.0]]


def test_masks_in_any_form_as_pycocotools():
    mask = pytest.importorskip("pycocotools.mask")
    rng = np.random.default_rng(1)
    grids = [np.asfortranarray(rng.random((20, 20)) < 0.4).astype(np.uint8) for _ in range(6)]
    packed = [mask.encode(grid) for grid in grids]
    texts = [{"size": each["size"], "counts": each["counts"].decode()} for each in packed]
    runs = [{"size": [20, 20], "counts": run_lengths(grid)} for grid in grids]
    crowd = np.array([False, True, False])
    found = both(side(3, masks=texts[:3], crowd=crowd), side(3, masks=runs[3:]))
    assert (matrix(found, "segm") == mask.iou(packed[3:], packed[:3], crowd.tolist()).T).all()


def run_lengths(grid):
    """Cells column by column, zeros first."""
    cells, counts, last = grid.reshape(-1, order="F").tolist(), [0], 0
    for cell in cells:
        if cell != last:
            counts.append(0)
            last = cell
        counts[-1] += 1
    return counts


def test_one_point_off_by_its_own_scale():
    # d² = 2 area (2 sigma)² makes exp(-1); the other sixteen points are right: (16 + 1/e) / 17
    points = np.zeros((1, 17, 3))
    points[..., 2] = 2
    moved = points.copy()
    moved[0, 0, 0] = (2 * 100 * (2 * SIGMAS[0]) ** 2) ** 0.5
    found = both(side(1, keypoints=points, area=100.0, visible=np.array([17])), side(1, keypoints=moved))
    assert matrix(found, "keypoints")[0, 0] == pytest.approx((16 + np.exp(-1)) / 17, abs=1e-12)


def test_points_that_are_not_labelled_do_not_count():
    points = np.zeros((1, 17, 3))
    points[0, 3] = [5, 5, 1]
    far = np.full((1, 17, 3), 1000.0)
    far[0, 3] = [5, 5, 1]
    found = both(side(1, keypoints=points, area=9.0, visible=np.array([1])), side(1, keypoints=far))
    assert matrix(found, "keypoints").tolist() == [[1.0]]


def test_sigmas_of_other_skeletons():
    points = np.ones((1, 2, 3))
    moved = np.array([[[2.0, 1, 1], [1, 1, 1]]])
    found = both(side(1, keypoints=points, area=1.0, visible=np.array([2])), side(1, keypoints=moved))
    # d² / (2 area (2 * 0.5)²) = 0.5 for one point, 0 for the other
    expected = (np.exp(-0.5) + 1) / 2
    assert matrix(found, "keypoints", sigmas=(0.5, 0.5))[0, 0] == pytest.approx(expected, abs=1e-15)


def test_what_could_not_be_read_overlaps_nothing():
    square = [[0, 0, 10, 0, 10, 10, 0, 10]]
    found = both(side(1, masks=[square]), side(2, masks=[None, square], problems={0: "segmentation: malformed"}))
    assert matrix(found, "segm").tolist() == [[0.0, 1.0]]
