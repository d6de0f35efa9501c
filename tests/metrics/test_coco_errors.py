"""Every way a detection can be wrong, one each, and the confusion they make."""

import pytest

from calipers.suites.coco import errors as coco_errors
from calipers.suites.coco.config import Config
from calipers.suites.coco.overlaps import overlaps
from calipers.suites.coco.sides import Matched

from .detection_columns import detections

BOX = [0, 0, 10, 10]


def sides_of(found, **options):
    config = Config(**options)
    return Matched(found, overlaps(found, "bbox", least=0.1), config), config


def errors(found):
    sides, config = sides_of(found)
    primary = config.levels.primary_unit
    return coco_errors.errors_tree(
        *coco_errors.causes(sides, sides.pairs, sides.at_primary(config), sides.labels, primary)
    )


@pytest.mark.parametrize(
    ("pred", "error"),
    [
        ((0, 0, [0, 0, 10, 4], 0.9), "localisation"),  # IoU 0.4, same class
        ((0, 1, [0, 0, 10, 4], 0.9), "both"),
        ((0, 1, [0, 0, 10, 9], 0.9), "class"),
        ((0, 0, [0, 0, 10, 0.9], 0.9), "background"),  # IoU 0.09
        ((0, 0, [50, 50, 10, 10], 0.9), "background"),
        ((0, 0, [0, 0, 10, 1], 0.9), "localisation"),  # IoU exactly 0.1
    ],
)
def test_one_wrong_detection(pred, error):
    found = errors(detections([(0, 0, BOX)], [pred]))
    assert {name: n for name, n in found.items() if n} == {error: 1, "missed": 1}


def test_an_overlap_of_exactly_a_half_is_enough():
    assert not any(errors(detections([(0, 0, BOX)], [(0, 0, [0, 0, 10, 5], 0.9)])).values())


def test_the_second_on_an_object_is_a_duplicate_whatever_its_score():
    found = errors(detections([(0, 0, BOX)], [(0, 0, [0, 0, 10, 8], 0.99), (0, 0, BOX, 0.1)]))
    assert {name: n for name, n in found.items() if n} == {"duplicate": 1}


def test_detections_in_a_crowd_are_neither_right_nor_wrong():
    truth = [(0, 0, BOX), (0, 0, [0, 0, 100, 100], "crowd")]
    pred = [(0, 0, BOX, 0.9), (0, 0, [40, 40, 9, 9], 0.8), (0, 1, [40, 40, 9, 9], 0.8), (0, 0, [95, 0, 11, 9], 0.7)]
    found = detections(truth, pred)
    sides, _ = sides_of(found)
    assert sides.aside.tolist() == [False, True, False, False]  # its class, and half of it: 5/11 is less
    assert sides.pred.rows.tolist() == [0, 2, 3]
    assert errors(found) == dict.fromkeys(coco_errors.ERRORS, 0) | {"background": 2}


def test_min_score_leaves_out_what_is_below_it():
    found = detections([(0, 0, BOX)], [(0, 0, BOX, 0.2), (0, 0, BOX, 0.3), (0, 0, BOX)])
    assert sides_of(found, min_score=0.3)[0].pred.rows.tolist() == [1, 2]  # without a score it stays


def test_confusion_has_matches_first_and_then_what_is_left():
    # two objects: the cone is found as a cone, and closer as a sign, which is then left over; the sign as a cone
    truth = [(0, 0, BOX), (0, 1, [50, 0, 10, 10])]
    pred = [(0, 0, [0, 0, 10, 8], 0.9), (0, 1, BOX, 0.8), (0, 0, [50, 0, 10, 10], 0.7)]
    sides, config = sides_of(detections(truth, pred))
    primary, names = config.levels.primary_unit, ["cone", "sign"]
    tree = coco_errors.confusion_tree(sides, sides.pairs, sides.at_primary(config), sides.labels, primary, names)
    assert tree == {
        "matched": {"cone": {"cone": 1}, "sign": {"cone": 1}},
        "missed": {},
        "background": {"sign": 1},
    }
