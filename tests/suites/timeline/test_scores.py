"""Calibration and operating points of detections on frames: by hand, over shards, and laws."""

import copy
import random

import pytest

import calipers
from calipers.core.json_schema import Mismatch
from calipers.core.ranking import Ranked
from calipers.suites.timeline.arithmetic import check_timeline
from calipers.suites.timeline.extras import BoxCounts, Counted
from calipers.suites.timeline.page import page_data
from calipers.suites.timeline.part import _pack_extras, _unpack_extras
from calipers.suites.timeline.tables import calibration_table, operating_points_table

from .test_extras import FAR, MINUTE, SQUARE, box, evaluate

HALF = [0, 0, 10, 5]


def measured(*videos, **options):
    """The report of videos, each its true and predicted boxes; a video has one minute."""
    named = {f"video {k}": ({"detections": a}, {"detections": b}) for k, (a, b) in enumerate(videos)}
    return evaluate(named, **options)


TRUTH = [box(0), box(1)]
PRED = [box(0, score=0.95), box(1, corners=HALF, score=0.55), box(0, corners=FAR, score=0.45)]
OTHER = ([], [box(5, "sign", score=0.85)])


def test_bins_and_points_by_hand():
    # right: 0.95, and 0.55 with an overlap of exactly 1 / 2; wrong: 0.45, and 0.85 of a label without objects
    report = measured((TRUTH, PRED), OTHER)
    calibration = report["calibration"]
    bins = {row["from"]: (row["n"], row["score"], row["precision"]) for row in calibration["bins"] if row["n"]}
    assert bins == {0.4: (1, 0.45, 0.0), 0.5: (1, 0.55, 1.0), 0.8: (1, 0.85, 0.0), 0.9: (1, 0.95, 1.0)}
    # (0.45 + 0.45 + 0.85 + 0.05) / 4
    assert calibration["ece"] == pytest.approx(0.45)
    assert calibration["mce"] == pytest.approx(0.85)
    assert calibration["brier"] == pytest.approx((0.45**2 + 0.45**2 + 0.85**2 + 0.05**2) / 4)
    assert calibration["per_class"]["cone"] == {
        "ece": pytest.approx((0.05 + 0.45 + 0.45) / 3),
        "n": 3,
        "best_f1": 1.0,
        "best_score": 0.55,
        "best_score_interval": None,
        "optimal_lrp": 0.5,  # one fits exactly, one is not found: (0 + 1) / 2; from 0.55 on it is (0 + 1) / 2, too
        "lrp_optimal_score": 0.95,
    }
    assert calibration["per_class"]["sign"]["best_score"] is None
    assert calibration["per_class"]["sign"]["optimal_lrp"] is None  # it has no objects
    points = {point["score"]: point for point in report["operating_points"]}
    assert points[0.9] == {
        "score": 0.9,
        "precision": 1.0,
        "recall": 0.5,
        "f1": pytest.approx(2 / 3),
        "false_positives_per_minute": 0.0,
    }
    assert points[0.05]["false_positives_per_minute"] == 1.0  # two in two minutes


def test_the_score_of_the_best_localisation_recall_precision_by_hand():
    # overlaps of 0.8 and 0.6; from 0.9: (0.4 + 0 + 1) / 2; from 0.7: (0.4 + 1 + 1) / 3; from 0.5: (0.4 + 0.8 + 1) / 3
    eighty, sixty = [0, 0, 10, 8], [0, 0, 10, 6]
    pred = [box(0, corners=eighty, score=0.9), box(0, corners=FAR, score=0.7), box(1, corners=sixty, score=0.5)]
    entry = measured((TRUTH, pred))["calibration"]["per_class"]["cone"]
    assert (entry["lrp_optimal_score"], entry["optimal_lrp"]) == (0.9, pytest.approx(0.7))
    assert entry["best_score"] == 0.5  # F1 does not ask how well a box fits


def test_boxes_that_cannot_be_read_and_those_without_a_score_beside_others_are_left_out():
    broken, bare = {"frame": 0, "label": "cone", "box": [5, 5], "score": 0.3}, box(0)
    report = measured((TRUTH, [*PRED, broken, bare]), OTHER)
    plain = measured((TRUTH, PRED), OTHER)
    assert report["calibration"] == plain["calibration"]
    assert report["pooled"]["invalid_detections"] == 2


def test_which_boxes_could_be_read_is_kept_in_parts():
    classes = {"cone": Ranked()}
    for score, hit, valid, fit in ((0.9, True, True, 0.7), (0.5, False, False, 0.0)):
        classes["cone"].add(score, hit, valid, fit)
    counted = Counted(BoxCounts(classes, 1, 1), None, None)
    again = _unpack_extras(*_pack_extras({"a": counted}))["a"].boxes.classes["cone"]
    assert (again.scores, again.hits, again.valid) == ([0.9, 0.5], [True, False], [True, False])
    assert again.fits == [0.7, 0.0]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({}, '1 of 1 detections have no score (the first is in "video 0")'),
        ({"score": 2.5}, '1 of 1 detections have a score outside 0 to 1 (the first is in "video 0", with 2.5)'),
    ],
)
def test_there_is_a_reason_where_scores_are_no_probabilities(scores, words):
    report = measured(([box()], [box(**scores)]))
    assert report["calibration"] is report["operating_points"] is None
    assert report["calibration_undefined_reason"] == report["operating_points_undefined_reason"] == words
    assert calibration_table(report)[1] == operating_points_table(report)[1] == []
    assert "Calibration" not in [section["title"] for section in page_data(dict(report), None)["sections"]]


def test_without_detections_on_both_sides_there_is_a_reason():
    report = calipers.timeline({"a": MINUTE}, {"a": {"fps": 10, "states": MINUTE}}, bootstrap=0)
    assert report["calibration"] is None
    assert report["calibration_undefined_reason"] == "no video has detections on both sides"


def test_without_minutes_there_are_no_false_positives_a_minute():
    truth = {"a": MINUTE | {"detections": TRUTH}}
    report = calipers.timeline(truth, {"a": {"states": MINUTE, "detections": PRED}}, bootstrap=0)
    assert {point["false_positives_per_minute"] for point in report["operating_points"]} == {None}


def drawn(seed, videos=6):
    rng = random.Random(seed)
    made = []
    for _ in range(videos):
        truth = [box(frame, rng.choice(["cone", "sign"])) for frame in range(rng.randrange(1, 9))]
        shapes = [SQUARE, SQUARE, HALF, FAR, [0, 0, 10, 4]]
        pred = [box(each["frame"], each["label"], rng.choice(shapes), score=rng.random()) for each in truth * 2]
        made.append((truth, pred))
    return made


def plainly_right(videos):
    """(score, right): the surest first, each to the only object of its label on its frame, if that is free."""
    hits = []
    for truth, pred in videos:
        free = {(each["frame"], each["label"]) for each in truth}
        for each in sorted(pred, key=lambda one: -one["score"]):
            place = each["frame"], each["label"]
            right = place in free and each["box"] in (SQUARE, HALF)
            free -= {place} if right else set()
            hits.append((each["score"], right))
    return hits


@pytest.mark.parametrize("seed", range(6))
def test_bins_are_those_of_plain_loops(seed):
    videos = drawn(seed)
    report, hits = measured(*videos), plainly_right(videos)
    for row in report["calibration"]["bins"]:
        mine = [(score, hit) for score, hit in hits if row["from"] <= score < row["to"]]
        assert row["n"] == len(mine)
        if mine:
            assert row["score"] == pytest.approx(sum(score for score, _ in mine) / len(mine))
            assert row["precision"] == pytest.approx(sum(hit for _, hit in mine) / len(mine))
    objects = sum(len(truth) for truth, _ in videos)
    for point in report["operating_points"]:
        kept = [hit for score, hit in hits if score >= point["score"]]
        assert point["recall"] == pytest.approx(sum(kept) / objects)
        assert point["false_positives_per_minute"] == pytest.approx((len(kept) - sum(kept)) / len(videos))


def test_the_best_score_varies_over_videos():
    named = {f"v{k}": sides for k, sides in enumerate(drawn(3, 30))}
    truth = {name: MINUTE | {"detections": sides[0]} for name, sides in named.items()}
    pred = {name: {"fps": 10, "states": MINUTE, "detections": sides[1]} for name, sides in named.items()}
    entry = calipers.timeline(truth, pred, bootstrap=200)["calibration"]["per_class"]["cone"]
    low, high = entry["best_score_interval"]
    assert low <= entry["best_score"] <= high


def test_the_page_has_a_diagram_and_there_are_tables():
    report = measured((TRUTH, PRED))
    titles = [section["title"] for section in page_data(dict(report), None)["sections"]]
    assert "Calibration" in titles
    assert "Cutting at a score" in titles
    assert len(calibration_table(report)[1]) == 10
    assert len(operating_points_table(report)[1]) == 19


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["calibration"].update(ece=0.1),
        lambda tree: tree["calibration"]["per_class"]["cone"].update(n=2),
        lambda tree: tree["calibration"]["per_class"]["cone"].update(lrp_optimal_score=None),
        lambda tree: tree["calibration"]["per_class"]["cone"].update(optimal_lrp=1.0),
        lambda tree: tree["operating_points"][4].update(recall=0.01),
        lambda tree: tree.update(calibration=None),
    ],
)
def test_numbers_that_do_not_fit_are_refused(change):
    tree = copy.deepcopy({**measured((TRUTH, PRED))})
    tree["videos"] = dict(tree["videos"])
    check_timeline(tree)
    change(tree)
    with pytest.raises(Mismatch):
        check_timeline(tree)
