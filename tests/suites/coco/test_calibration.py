"""Calibration and operating points: worked out by hand, against scikit-learn, and laws."""

import copy

import numpy as np
import pytest

import calipers
from calipers.core.calibration import (
    BINS,
    CUTS,
    ScoredHits,
    binned,
    brier_score,
    calibration_error,
    calibration_tree,
    equal_mass,
    equal_width,
    operating_points,
)
from calipers.core.json_schema import Mismatch
from calipers.suites.coco.score_arithmetic import check_scores
from calipers.suites.coco.summary import summary
from calipers.suites.coco.tables import calibration_table, operating_points_table

BOX, ELSEWHERE = [0, 0, 10, 10], [50, 50, 10, 10]


def test_without_categories_nothing_is_evaluated_and_nothing_fails():
    truth = {"images": [{"id": 1, "width": 9, "height": 9}], "categories": [], "annotations": []}
    for iou_type in ("bbox", "segm"):
        report = calipers.coco(truth, [], iou_type=iou_type, bootstrap=20)
        assert report["images"]["evaluated"] == 0
        assert report["calibration"]["per_class"] == {}
        assert report["coco"]["AP"] is None


def dataset(images=2, crowd=False):
    boxes = [
        {"id": k, "image_id": k, "category_id": 1, "bbox": BOX, "area": 100, "iscrowd": 0} for k in range(1, images + 1)
    ]
    if crowd:
        boxes.append({"id": 99, "image_id": 1, "category_id": 1, "bbox": [40, 40, 40, 40], "area": 1600, "iscrowd": 1})
    names = [{"id": 1, "name": "cone"}, {"id": 2, "name": "sign"}]
    return {"images": [{"id": k} for k in range(1, images + 1)], "categories": names, "annotations": boxes}


def detection(image, score, box=BOX, category=1):
    return {"image_id": image, "category_id": category, "bbox": box, "score": score}


FOUR = [detection(1, 0.95), detection(2, 0.55), detection(1, 0.45, ELSEWHERE), detection(2, 0.95, BOX, 2)]


def test_bins_errors_and_points_by_hand():
    # right: 0.95, 0.55; wrong: 0.45, and 0.95 of a class without ground truth
    report = calipers.coco(dataset(), FOUR, bootstrap=0)
    calibration, points = report["calibration"], report["operating_points"]
    bins = {row["from"]: (row["to"], row["n"], row["score"], row["precision"]) for row in calibration["bins"]}
    assert bins[0.9] == (1.0, 2, 0.95, 0.5)
    assert bins[0.5] == (0.6, 1, 0.55, 1.0)
    assert bins[0.4] == (0.5, 1, 0.45, 0.0)
    assert bins[0.0] == (0.1, 0, None, None)
    # (2 * 0.45 + 0.45 + 0.45) / 4
    assert calibration["ece"] == pytest.approx(0.45)
    assert calibration["mce"] == pytest.approx(0.45)
    # (0.05² + 0.45² + 0.45² + 0.95²) / 4
    assert calibration["brier"] == pytest.approx(1.31 / 4)
    assert calibration["per_class"]["cone"] == {
        "ece": pytest.approx((0.05 + 0.45 + 0.45) / 3),
        "n": 3,
        "best_f1": 1.0,
        "best_score": 0.55,
        "best_score_interval": None,
        "optimal_lrp": 0.0,  # both cones are found, and every box fits
        "lrp_optimal_score": 0.55,
    }
    assert calibration["per_class"]["sign"]["best_score"] is None
    assert [point["score"] for point in points] == list(CUTS)
    assert points[0] == {
        "score": 0.05,
        "precision": 0.5,
        "recall": 1.0,
        "f1": pytest.approx(2 / 3),
        "false_positives_per_image": 1.0,
    }
    assert points[-1]["recall"] == 0.5  # 0.95 >= 0.95 is kept
    assert (
        "calibration          ECE 0.450 · F1 0.800 at score 0.55, the best of 19 scores from 0.05 to 0.95"
        in summary(dict(report))
    )
    assert len(calibration_table(report)[1]) == BINS
    assert len(operating_points_table(report)[1]) == len(CUTS)


def test_crowd_and_invalid_detections_are_left_out():
    in_crowd, invalid = detection(1, 0.3, [50, 50, 9, 9]), detection(1, 0.2, [0, 0, -5, 5])
    one = calipers.coco(dataset(), FOUR, bootstrap=0)
    other = calipers.coco(dataset(crowd=True), [*FOUR[:2], FOUR[3], in_crowd, invalid], bootstrap=0)
    assert sum(row["n"] for row in one["calibration"]["bins"]) == 4
    assert sum(row["n"] for row in other["calibration"]["bins"]) == 3


@pytest.mark.parametrize(("score", "words"), [(87.5, "outside 0 to 1"), (-0.5, "outside 0 to 1")])
def test_scores_that_are_no_probabilities_have_a_reason_instead(score, words):
    report = calipers.coco(dataset(), [*FOUR, detection(1, score, ELSEWHERE)], bootstrap=0)
    assert report["calibration"] is report["operating_points"] is None
    assert words in report["calibration_undefined_reason"]
    assert words in report["operating_points_undefined_reason"]
    assert calibration_table(report)[1] == operating_points_table(report)[1] == []
    assert "undefined: 1 of 5 detections" in summary(dict(report))


def test_equal_scores_rank_nothing_but_are_probabilities():
    rows = [detection(1, 0.8), detection(2, 0.8), detection(1, 0.8, ELSEWHERE), detection(2, 0.8, ELSEWHERE)]
    report = calipers.coco(dataset(), rows, bootstrap=0)
    assert report["coco"]["AP"] is None
    assert report["calibration"]["ece"] == report["calibration"]["ece_equal_mass"] == pytest.approx(0.3)


def test_without_detections_numbers_are_undefined():
    report = calipers.coco(dataset(), [], bootstrap=0)
    calibration = report["calibration"]
    assert [calibration[name] for name in ("ece", "ece_equal_mass", "mce", "brier")] == [None] * 4
    assert report["operating_points"][0]["precision"] is None
    assert report["operating_points"][0]["recall"] == 0.0


def test_the_best_score_varies_over_images():
    rows = [detection(k, 0.5 + k / 100) for k in range(1, 31)]
    rows += [detection(k, 0.3 + k / 60, ELSEWHERE) for k in range(1, 31)]
    entry = calipers.coco(dataset(30), rows)["calibration"]["per_class"]["cone"]
    low, high = entry["best_score_interval"]
    assert low <= entry["best_score"] <= high
    assert low < high
    assert calipers.coco(dataset(1), rows[:1])["calibration"]["per_class"]["cone"]["best_score_interval"] is None


def drawn(seed, n=997):
    generator = np.random.default_rng(seed)
    score = generator.random(n)
    return ScoredHits(score, generator.random(n) < score**2)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("strategy", "codes_of"), [("uniform", equal_width), ("quantile", equal_mass)])
def test_bins_are_those_of_scikit_learn(seed, strategy, codes_of):
    curve = pytest.importorskip("sklearn.calibration").calibration_curve
    hits = drawn(seed)
    bins = binned(hits, codes_of(hits.score), BINS)
    precision, score = curve(hits.hit, hits.score, n_bins=BINS, strategy=strategy)
    assert [row.precision for row in bins] == pytest.approx(precision.tolist())
    assert [row.score for row in bins] == pytest.approx(score.tolist())
    ece = sum(row.n / len(hits.score) * abs(p - s) for row, p, s in zip(bins, precision, score, strict=True))
    assert calibration_error(bins) == pytest.approx(ece)
    brier = pytest.importorskip("sklearn.metrics").brier_score_loss
    assert brier_score(hits) == pytest.approx(brier(hits.hit, hits.score))


@pytest.mark.parametrize("seed", range(5))
def test_laws_of_bins_and_points(seed):
    hits = drawn(seed, 200)
    order = np.random.default_rng(seed).permutation(200)
    tree = calibration_tree(hits)
    assert tree == calibration_tree(ScoredHits(hits.score[order], hits.hit[order]))
    assert sum(row["n"] for row in tree["bins"]) == 200
    assert 0 <= tree["ece"] <= tree["mce"] <= 1
    points = operating_points(hits, objects=300, whole=7)
    for name in ("recall", "false_positives_per_image"):
        values = [point[name] for point in points]
        assert values == sorted(values, reverse=True)
    for point in points:
        kept = hits.hit[hits.score >= point["score"]]
        assert point["precision"] == pytest.approx(kept.mean())
        assert point["recall"] == pytest.approx(kept.sum() / 300)


def broken(tree, change):
    tree = copy.deepcopy(dict(tree))
    change(tree)
    return tree


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["calibration"]["bins"][4].update(n=2),
        lambda tree: tree["calibration"].update(ece=0.2),
        lambda tree: tree["calibration"]["per_class"].pop("sign"),
        lambda tree: tree["calibration"]["per_class"]["cone"].update(best_score=0.5),
        lambda tree: tree["calibration"]["per_class"]["cone"].update(lrp_optimal_score=None),
        lambda tree: tree["calibration"]["per_class"]["sign"].update(optimal_lrp=1.0),
        lambda tree: tree["calibration"]["per_class"]["cone"].update(best_f1=0.5, optimal_lrp=0.5),
        lambda tree: tree["operating_points"][3].update(recall=0.25),
        lambda tree: tree["operating_points"].pop(),
        lambda tree: tree.update(calibration=None),
    ],
)
def test_numbers_that_do_not_fit_are_refused(change):
    report = calipers.coco(dataset(), FOUR, bootstrap=0)
    check_scores(report)
    with pytest.raises(Mismatch):
        check_scores(broken(report, change))
