"""Rulers of what is not a straight box, and of boxes with scores: by hand and against other implementations."""

from contextlib import redirect_stdout
from io import StringIO
from math import cos, pi, radians, sin, sqrt

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import calipers

from ..profiles import examples
from .verdicts import is_error, judged

L_SHAPE = [[0, 0], [9, 0], [9, 3], [3, 3], [3, 9], [0, 9]]  # 27 + 18
EIGHT = [[0, 0], [5, 5], [10, 10], [10, 0], [5, 5], [0, 10]]  # crosses itself at a vertex
CUBE = {"center": [0, 0, 0], "size": [1, 1, 1]}


def score(ruler, answer, reference, **options):
    return judged(ruler, answer, reference, **options)["score"]


def test_the_centre_of_a_polygon_is_that_of_what_it_encloses():
    """Triangles of 16 around (4/3, 4) and of 144 around (12, 4): x is (16 * 4 / 3 + 144 * 12) / 160 = 164 / 15."""
    uneven = [[0, 0], [4, 4], [16, 16], [16, -8], [4, 4], [0, 8]]
    verdict = judged("point", {"polygon": uneven}, {"polygon": [[0, 0], [8, 0], [8, 8], [0, 8]]})
    assert verdict["details"]["distance"] == pytest.approx(164 / 15 - 4, abs=1e-12)
    bow_tie = [[0, 0], [10, 10], [10, 0], [0, 10]]  # repaired: the square
    assert judged("point", {"polygon": bow_tie}, {"polygon": [[5, 5], [5, 5], [5, 5]]})["details"]["distance"] == 0.0


# One shape each: the score is IoU, and it passes at the threshold

ONE = {
    # ruler: [(answer, reference, IoU), …]
    "polygon": [
        ([0, 0, 10, 0, 10, 10, 0, 10], [0, 0, 10, 0, 10, 5, 0, 5], 1 / 2),
        ([[0, 0], [10, 0], [0, 10]], [[0, 0], [10, 0], [10, 10], [0, 10]], 1 / 2),  # half of the square
        ([[0, 0], [10, 0], [0, 10]], [[10, 10], [10, 0], [0, 10]], 0),  # the other half
        (L_SHAPE, [[0, 0], [9, 0], [9, 9], [0, 9]], 45 / 81),
        (L_SHAPE, L_SHAPE[::-1], 1),  # trap 14: concave, and from its other end
        (EIGHT, EIGHT[2:] + EIGHT[:2], 1),  # loops either way round
        (EIGHT, [[0, 0], [10, 0], [10, 10], [0, 10]], 1 / 2),  # 25 + 25 of 100
        ([0, 0, 10, 0, 10, 10, 0, 10] * 2, [0, 0, 10, 0, 10, 5, 0, 5], 1 / 2),  # gone around twice
    ],
    "rotated": [
        ([5, 5, 4, 2, 0], [5, 5, 4, 2, 180], 1),
        ([5, 5, 4, 2, 30], [5, 5, 2, 4, 120], 1),  # its sides change places
        ([5, 5, 4, 2, 0], [5, 5, 4, 2, 90], 1 / 3),  # a cross: 4 of 12
        ([5, 5, 2, 2, 0], [5, 5, 2, 2, 45], sqrt(0.5)),  # an octagon: 8 (√2 - 1) of 8 - that
        ([5, 5, 4, 2, 45], [5 + sqrt(2), 5 + sqrt(2), 4, 2, 45], 1 / 3),  # shifted by half of its length: 4 of 12
        ([5, 5, 4, 2, 10], [25, 5, 4, 2, 10], 0),
    ],
    "line": [
        ([0, 0, 100, 0], [[0, 0], [100, 0]], 1),
        ([[0, 0], [100, 50], [200, 0]], [[200, 0], [100, 50], [0, 0]], 1),  # trap 12: from its other end
        ([0, 0, 100, 0], [0, 500, 100, 500], 0),
    ],
    "box3d": [
        (CUBE, [0, 0, 0, 1, 1, 1], 1),
        (CUBE, [0.5, 0, 0, 1, 1, 1], 1 / 3),  # 0.5 of 1.5
        (CUBE, [0.5, 0.5, 0.5, 1, 1, 1], 1 / 15),  # 0.125 of 1.875
        (CUBE, [0, 0, 0, 1, 1, 1, pi / 4], sqrt(0.5)),  # the octagon again
        (CUBE, {"center": [0, 0, 0], "size": [2, 1, 1], "rotation": {"yaw": pi}}, 1 / 2),
        ([0, 0, 0, 2, 1, 1], {"center": [0, 0, 0], "size": [1, 2, 1], "rotation": [0, 0, sqrt(0.5), sqrt(0.5)]}, 1),
        (CUBE, [1, 0, 0, 1, 1, 1], 0),  # a face
    ],
}
KEYS = {"polygon": "polygon", "rotated": "rotated", "line": "line", "box3d": "cuboid"}
CASES = [(ruler, *row) for ruler, rows in ONE.items() for row in rows]


@pytest.mark.parametrize(("ruler", "answer", "reference", "iou"), CASES)
def test_one_shape_each(ruler, answer, reference, iou):
    key = KEYS[ruler]
    for sides in ((answer, reference), (reference, answer)):
        verdict = judged(ruler, *({key: side} for side in sides))
        assert verdict["score"] == pytest.approx(iou, abs=1e-12)
        assert verdict["pass"] is (iou >= 0.5)
        assert verdict["details"]["pairs"] == ([{"gt": 0, "pred": 0, "iou": verdict["score"]}] if iou else [])


@pytest.mark.parametrize(("ruler", "answer", "reference", "iou"), [row for row in CASES if 0 < row[3] < 1])
def test_one_shape_passes_from_the_threshold_on(ruler, answer, reference, iou):
    sides = {KEYS[ruler]: answer}, {KEYS[ruler]: reference}
    assert judged(ruler, *sides, threshold=iou, pass_at=1)["pass"]
    assert not judged(ruler, *sides, threshold=iou + 1e-9, pass_at=0)["pass"]


# Several shapes are matched like boxes

SEVERAL = {
    # ruler: (key, a shape, something elsewhere)
    "polygon": ("polygons", [0, 0, 10, 0, 0, 10], [[50, 50], [60, 50], [60, 60]]),
    "rotated": ("rotated", [5, 5, 4, 2, 30], [50, 5, 4, 2, 30]),
    "line": ("lines", [[0, 0], [100, 0]], [[0, 500], [100, 500], [200, 600]]),
    "box3d": ("cuboids", [0, 0, 0, 1, 1, 1], CUBE | {"center": [9, 9, 9]}),
    "intervals": ("intervals", [0, 9], [50, 59]),
}


@pytest.mark.parametrize("ruler", SEVERAL)
@pytest.mark.parametrize("match", ["greedy", "optimal", "gt-order"])
def test_several_shapes_are_matched(ruler, match):
    key, here, there = SEVERAL[ruler]
    verdict = judged(ruler, {key: [there, here, here]}, {key: [here, here]}, match=match)
    assert (verdict["score"], verdict["pass"]) == (0.8, True)  # 2 of 3, 2 of 2: 4 / 5
    assert [(pair["gt"], pair["iou"]) for pair in verdict["details"]["pairs"]] == [(0, 1.0), (1, 1.0)]
    assert verdict["details"]["unmatched_pred"] == [0]
    assert score(ruler, {key: [there, here]}, {key: [here, there]}, match=match) == 1.0
    assert score(ruler, {key: [here]}, {key: [there, here]}, match=match) == 2 / 3
    assert score(ruler, {key: []}, {key: [here, there]}, match=match) == 0


@pytest.mark.parametrize("ruler", [ruler for ruler in SEVERAL if ruler != "intervals"])
def test_a_shape_too_many_where_one_is_expected_fails_instead_of_raising_the_score(ruler):
    key, here, there = SEVERAL[ruler]
    verdict = judged(ruler, {key: [here, there]}, {key: [here]})
    assert (verdict["score"], verdict["pass"]) == (0.0, False)
    assert "found 2 " in verdict["reason"]
    assert "in the answer, expected one" in verdict["reason"]


@pytest.mark.parametrize(
    ("ruler", "key", "bad"),
    [
        ("polygon", "polygons", [[0, 0], [1, 1]]),
        ("polygon", "polygons", [0, 0, 1, 1, 2]),
        ("polygon", "polygons", [[0, 0], ["1", 0], [0, 1]]),
        ("rotated", "rotated", [5, 5, 4, 2]),
        ("rotated", "rotated", [5, 5, -4, 2, 0]),
        ("line", "lines", [[0, 0]]),
        ("line", "lines", [[0, 0], [True, 0]]),
        ("box3d", "cuboids", [0, 0, 0, 1, 1]),
        ("box3d", "cuboids", [0, 0, 0, 1, 1, -1]),
        ("box3d", "cuboids", {"center": [0, 0], "size": [1, 1, 1]}),
        ("box3d", "cuboids", {"center": [0, 0, 0], "size": [1, 1, 1], "rotation": [0, 0, 0, 0]}),
        ("intervals", "intervals", [9, 0]),
        ("intervals", "intervals", [0]),
        ("intervals", "intervals", [0, "9"]),
    ],
)
def test_malformed_shapes(ruler, key, bad):
    _, here, there = SEVERAL[ruler]
    verdict = judged(ruler, {key: [here, bad, there]}, {key: [here, there]})
    assert verdict["score"] == 0.8  # 2 of 3, 2 of 2: 4 / 5
    assert [row["pred"] for row in verdict["details"]["malformed"]] == [1]
    assert is_error(judged(ruler, {key: [here]}, {key: [here, bad]}), "reference")


# Against others

number = st.integers(0, 60)
star = st.tuples(number, number, st.lists(st.integers(1, 40), min_size=3, max_size=9)).map(lambda row: around(*row))
rotated = st.tuples(number, number, st.integers(1, 40), st.integers(1, 40), st.integers(-360, 360)).map(list)


def corners(cx, cy, width, height, degrees):
    turn = radians(degrees)
    along, across = (cos(turn) * width / 2, sin(turn) * width / 2), (-sin(turn) * height / 2, cos(turn) * height / 2)
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return [(cx + a * along[0] + b * across[0], cy + a * along[1] + b * across[1]) for a, b in signs]


def around(x, y, radii):
    """A polygon around a point, concave as a rule: its corners lie at equal angles, near or far."""
    turns = [2 * pi * k / len(radii) for k in range(len(radii))]
    return [[x + radius * cos(turn), y + radius * sin(turn)] for radius, turn in zip(radii, turns, strict=True)]


def shapely_iou(a, b):
    a, b = shapely.Polygon(a), shapely.Polygon(b)
    return a.intersection(b).area / a.union(b).area


@settings(max_examples=examples(150), deadline=None)
@given(rotated, rotated)
def test_rotated_boxes_against_shapely(a, b):
    assert score("rotated", {"rotated": a}, {"rotated": b}) == pytest.approx(
        shapely_iou(corners(*a), corners(*b)), abs=1e-9
    )


@settings(max_examples=examples(150), deadline=None)
@given(star, star)
def test_polygons_against_shapely(a, b):
    assert score("polygon", {"polygon": a}, {"polygon": b}) == pytest.approx(shapely_iou(a, b), abs=1e-9)


@settings(max_examples=examples(50), deadline=None)
@given(
    *[st.lists(st.tuples(number, number).map(list), min_size=2, max_size=4, unique_by=tuple)] * 2, st.integers(0, 20)
)
def test_lines_against_the_ruler_of_tubes(a, b, tolerance):
    found = score("line", {"line": a}, {"line": b}, tolerance=tolerance)
    assert found == calipers.tube_iou(a, b, tolerance=tolerance)


def test_a_wider_tolerance_finds_more_of_a_line_beside():
    # 20 apart: tubes of 8 to each side do not touch, tubes of 16 do
    sides = {"line": [0, 100, 900, 100]}, {"line": [0, 120, 900, 120]}
    narrow, wide, wider = (score("line", *sides, tolerance=tolerance) for tolerance in (8, 16, 64))
    assert 0 == narrow < wide < wider < 1


cuboid = st.tuples(*[st.integers(-3, 3)] * 3, *[st.integers(1, 5)] * 3, st.floats(-3, 3)).map(list)


@settings(max_examples=examples(60), deadline=None)
@given(cuboid, cuboid)
def test_cuboids_against_the_ruler_of_cuboids(a, b):
    assert score("box3d", {"cuboid": a}, {"cuboid": b}) == calipers.cuboid_iou(b, a)


# Intervals of frames, both ends included


@pytest.mark.parametrize(
    ("answer", "reference", "threshold", "f1"),
    [
        ([[0, 9]], [[0, 9]], 1, 1),
        ([[0, 9]], [[0, 4]], 0.5, 1),  # 5 frames of 10
        ([[0, 9]], [[0, 4]], 0.51, 0),
        ([[0, 9]], [[5, 14]], 0.33, 1),  # 5 of 15
        ([[0, 9]], [[5, 14]], 0.34, 0),
        ([[0, 9]], [[9, 19]], 0.05, 1),  # frame 9: 1 of 20
        ([[0, 9]], [[10, 19]], 0.01, 0),  # one after the other
        ([[3, 3]], [[3, 3]], 1, 1),  # a single frame
        ([[0, 9], [20, 29], [40, 49]], [[21, 30], [0, 9]], 0.5, 0.8),  # 9 of 11; 2 of 3, 2 of 2: 4 / 5
    ],
)
def test_intervals(answer, reference, threshold, f1):
    assert score("intervals", {"intervals": answer}, {"intervals": reference}, threshold=threshold) == f1


# Boxes with scores

TRUTHS = [[100 * k, 0, 100 * k + 10, 10] for k in range(4)]
ELSEWHERE = [0, 500, 10, 510]


def precision(answer, reference, **options):
    boxes, scores = [box for _, box in answer], [sure for sure, _ in answer]
    return judged("map", {"boxes": boxes, "scores": scores}, {"boxes": reference}, **options)


@pytest.mark.parametrize(
    ("answer", "truths", "ap"),
    [
        ([(0.9, TRUTHS[0]), (0.8, TRUTHS[1])], 2, 1),
        ([(0.9, TRUTHS[0]), (0.8, TRUTHS[1]), (0.7, ELSEWHERE)], 2, 1),  # a miss below all hits
        ([(0.9, TRUTHS[0])], 2, 51 / 101),  # recall 1/2: the steps 0 to 0.5
        ([(0.9, TRUTHS[0]), (0.8, ELSEWHERE), (0.7, TRUTHS[1])], 2, (51 + 50 * 2 / 3) / 101),  # precision 1, then 2/3
        ([(0.7, TRUTHS[0]), (0.8, TRUTHS[1]), (0.9, ELSEWHERE)], 2, 2 / 3),  # a miss above all hits
        ([(0.9, TRUTHS[0]), (0.8, TRUTHS[0]), (0.7, TRUTHS[1])], 2, (51 + 50 * 2 / 3) / 101),  # a duplicate is a miss
        ([(0.9, ELSEWHERE)], 1, 0),
        ([(0.5, TRUTHS[0])], 1, 1),  # one box needs no order
        ([(0.9, [0, 0, "10", 10]), (0.8, TRUTHS[0])], 1, 1 / 2),  # malformed: a miss above the hit
        ([], 2, 0),
        ([(0.9, TRUTHS[0])], 0, 0),
    ],
)
def test_average_precision_by_hand(answer, truths, ap):
    verdict = precision(answer, TRUTHS[:truths])
    assert verdict["score"] == pytest.approx(ap, abs=1e-12)
    assert verdict["pass"] is (verdict["score"] >= 0.5)


def test_scores_may_be_with_each_box():
    objects = [{"bbox": ELSEWHERE, "score": 0.9}, {"bbox": TRUTHS[0], "confidence": 0.4}]
    assert score("map", objects, {"boxes": TRUTHS[:1]}) == 0.5


@pytest.mark.parametrize("scores", [{}, {"scores": [0.9]}, {"scores": [0.5, 0.5]}, {"scores": [0.9, "0.8"]}], ids=str)
def test_trap_5_without_an_order_there_is_no_average_precision(scores):
    assert is_error(judged("map", {"boxes": [TRUTHS[0], ELSEWHERE]} | scores, {"boxes": TRUTHS[:2]}), "score")


def test_equal_scores_have_an_average_precision_where_order_cannot_matter():
    scores = {"scores": [0.5, 0.5]}
    assert judged("map", {"boxes": TRUTHS[:2]} | scores, {"boxes": TRUTHS[:2]})["score"] == 1.0  # both are right
    assert judged("map", {"boxes": [ELSEWHERE, ELSEWHERE]} | scores, {"boxes": TRUTHS[:2]})["score"] == 0.0


def test_average_precision_at_another_threshold():
    answer = [(0.9, [0, 0, 10, 6]), (0.8, TRUTHS[1])]  # 0.6, 1
    assert precision(answer, TRUTHS[:2])["score"] == 1
    assert precision(answer, TRUTHS[:2], threshold=0.7)["score"] == pytest.approx(51 / 101 / 2)  # a miss above the hit


def coco_ap(answer, reference):
    """AP at 0.5 as pycocotools has it: one image, one class."""
    truth = [{"id": place, "iscrowd": 0, **annotation(box)} for place, box in enumerate(reference, 1)]
    pred = [{"score": sure, **annotation(box)} for sure, box in answer]
    with redirect_stdout(StringIO()):
        side = COCO()
        side.dataset = {"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": truth}
        side.createIndex()
        found = COCOeval(side, side.loadRes(pred), "bbox")
        found.params.iouThrs, found.params.maxDets = found.params.iouThrs[:1], [1000]
        found.params.areaRng, found.params.areaRngLbl = [[0, 1e10]], ["all"]
        found.evaluate()
        found.accumulate()
    return found.eval["precision"].mean()


def annotation(box):
    x1, y1, x2, y2 = box
    return {"image_id": 1, "category_id": 1, "bbox": [x1, y1, x2 - x1, y2 - y1], "area": (x2 - x1) * (y2 - y1)}


small = st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(2, 6), st.integers(2, 4))
boxes = small.map(lambda row: [row[0], row[1], row[0] + row[2], row[1] + row[3]])


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(boxes, min_size=1, max_size=8), st.lists(boxes, min_size=1, max_size=6), st.randoms())
def test_average_precision_against_pycocotools(said, reference, rng):
    answer = list(zip(rng.sample(range(1, 100), len(said)), said, strict=True))
    answer = [(sure / 100, box) for sure, box in answer]
    assert precision(answer, reference)["score"] == pytest.approx(coco_ap(answer, reference), abs=1e-12)
