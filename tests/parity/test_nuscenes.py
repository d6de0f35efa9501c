"""AP by distance on the ground against the definitions of the nuScenes detection benchmark, written as plain loops.

Of all predictions of a class by confidence (of equal ones the later first), each is matched with the nearest object of
its class in its scene that is still free, if the centres are less than the threshold apart on the ground. Precision is
interpolated linearly at 101 recalls; those up to 0.1 are left out, and 0.1 is taken off the precision, no lower than 0.
"""

from math import hypot, inf

import numpy as np
import pytest

import calipers

from ..profiles import seeds

THRESHOLDS = {"distance_0.5": 0.5, "distance_1.0": 1.0, "distance_2.0": 2.0, "distance_4.0": 4.0}


def nuscenes_ap(truths, preds, name, threshold):
    """`truths` and `preds` are {scene: [{center, label, score}]}."""
    positives = sum(each["label"] == name for some in truths.values() for each in some)
    if not positives:
        return None
    boxes = [(scene, each) for scene, some in sorted(preds.items()) for each in some if each["label"] == name]
    order = [place for _, place in sorted((each["score"], place) for place, (_, each) in enumerate(boxes))][::-1]
    taken, right = set(), []
    for place in order:
        scene, box = boxes[place]
        nearest, least = None, inf
        for index, each in enumerate(truths[scene]):
            if each["label"] == name and (scene, index) not in taken:
                away = hypot(each["center"][0] - box["center"][0], each["center"][1] - box["center"][1])
                if away < least:
                    nearest, least = index, away
        right.append(least < threshold)
        if right[-1]:
            taken.add((scene, nearest))
    if not any(right):
        return 0.0
    hits = np.cumsum(right).astype(float)
    precision = np.interp(np.linspace(0, 1, 101), hits / positives, hits / np.arange(1, len(hits) + 1), right=0)
    above = precision[round(100 * 0.1) + 1 :] - 0.1
    above[above < 0] = 0
    return float(np.mean(above)) / (1.0 - 0.1)


def draw(seed):
    rng = np.random.default_rng(seed)
    sides = {}, {}
    for scene in "abc":
        spots = rng.uniform(-8, 8, (rng.integers(0, 9), 3))
        labels = rng.choice(["car", "bus"], len(spots)).tolist()
        sides[0][scene] = [thing(spot, label) for spot, label in zip(spots.tolist(), labels, strict=True)]
        moved = [*(spots + rng.normal(0, 0.8, spots.shape) + [0, 0, 5]), *rng.uniform(-8, 8, (2, 3))]
        sides[1][scene] = [
            thing(np.asarray(spot).tolist(), str(rng.choice(["car", "bus"])), round(float(rng.random()), 1))
            for spot in moved
        ]
    return sides


def thing(center, label="car", score=None):
    return {"center": center, "size": [1, 1, 1], "label": label} | ({} if score is None else {"score": score})


def measured(truths, preds, **options):
    truth, pred = ({name: {"objects": some} for name, some in side.items()} for side in (truths, preds))
    return calipers.scene(truth, pred, labels=["car", "bus"], bootstrap=0, **options)["ap"]


@pytest.mark.parametrize("seed", seeds(30))
def test_the_numbers_are_those_of_the_benchmark(seed):
    truths, preds = draw(seed)
    ap = measured(truths, preds, ap_distance="ground_plane")
    for ruler, threshold in THRESHOLDS.items():
        expected = {name: nuscenes_ap(truths, preds, name, threshold) for name in ("car", "bus")}
        assert ap["by_class"][ruler] == {
            name: value and pytest.approx(value, abs=1e-12) for name, value in expected.items()
        }
    in_space = measured(truths, preds)
    assert [name for name in in_space if name.startswith("distance")] == list(THRESHOLDS)[:3]
    assert in_space["iou_0.25"] == ap["iou_0.25"]


def test_exactly_the_threshold_is_not_near_enough():
    truths, preds = {"a": [thing([0, 0, 0])]}, {"a": [thing([0, 2, 9], score=0.5)]}
    ap = measured(truths, preds, ap_distance="ground_plane")
    assert (ap["distance_2.0"], ap["distance_4.0"]) == (0.0, 1.0)
    assert measured(truths, preds)["distance_2.0"] == 0.0  # nine metres up
    preds["a"][0]["center"][2] = 0
    assert measured(truths, preds)["distance_2.0"] == 1.0  # in space, up to the limit


def test_recall_and_precision_up_to_a_tenth_earn_nothing():
    """One right in ten gives a precision of 0.1 at recall 1, which is all taken off; without clipping AP is 0.1."""
    right, wrong = thing([0, 0, 0], score=0.1), [thing([90, k, 0], score=0.2 + k / 100) for k in range(9)]
    truths, preds = {"a": [thing([0, 0, 0])]}, {"a": [right, *wrong]}
    assert measured(truths, preds, ap_distance="ground_plane")["distance_0.5"] == pytest.approx(0, abs=1e-12)
    assert measured(truths, preds)["distance_0.5"] == pytest.approx(0.1)


def test_only_two_variants_are_known():
    with pytest.raises(calipers.ConfigError, match="ap_distance: found 'bev', expected 3d or ground_plane"):
        measured({"a": []}, {"a": []}, ap_distance="bev")


# What has an AP


def test_nothing_found_is_zero_where_there_is_something():
    truths = {"a": [thing([0, 0, 0])]}
    ap = measured(truths, {"a": []})
    assert {ap[name] for name in ap if name.startswith(("iou", "distance"))} == {0.0}
    assert ap["by_class"]["iou_0.25"] == {"car": 0.0, "bus": None}
    assert measured({"a": []}, {"a": []}) is None


@pytest.mark.parametrize(
    ("spots", "expected"),
    [
        ([[0, 0, 0]], 0.5),  # one of two
        ([[0, 0, 0], [9, 0, 0]], 1.0),  # all right
        ([[50, 0, 0], [60, 0, 0]], 0.0),  # all wrong
        ([[0, 0, 0], [50, 0, 0]], None),  # which comes first matters
    ],
)
def test_equal_scores_have_an_ap_where_order_cannot_matter(spots, expected):
    truths, preds = {"a": [thing([0, 0, 0]), thing([9, 0, 0])]}, {"a": [thing(spot, score=0.5) for spot in spots]}
    ap = measured(truths, preds)
    assert (ap and ap["iou_0.25"]) == (expected and pytest.approx(expected, abs=0.01))


def test_predictions_without_a_score_beside_others_are_left_out_of_ap_and_counted():
    truths = {"a": {"objects": [thing([0, 0, 0])]}}
    preds = {"a": {"objects": [thing([0, 0, 0], score=0.5), thing([50, 0, 0]), thing([60, 0, 0], score=0.1)]}}
    report = calipers.scene(truths, preds, bootstrap=0)
    assert report["ap"]["iou_0.25"] == 1.0
    assert report["counts"]["fp"] == 2
    assert "pred: 1 of 3 predictions have no score and are left out of AP" in report["warnings"]
