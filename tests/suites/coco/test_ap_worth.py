"""What causes are worth in AP_50: worked out by hand, and laws."""

import copy

import pytest

import calipers
from calipers.core.json_schema import Mismatch
from calipers.suites.coco.page import page_data
from calipers.suites.coco.score_arithmetic import check_scores
from calipers.suites.coco.tables import ap_worth_table

from ...parity.coco_datasets import annotation, coco_json, detection, draw

A, B, FAR = [0, 0, 10, 10], [100, 0, 10, 10], [300, 300, 10, 10]
HALF_STEPS = 51  # of 101 steps of recall, those up to 0.5


def gains(truth, results, **options):
    worth = calipers.coco(truth, results, bootstrap=0, **options)["worth"]["ap_50"]
    return {name: pytest.approx(entry["gain"], abs=1e-12) for name, entry in worth.items()}


NOTHING = dict.fromkeys(
    (
        "wrong_label",
        "misplaced",
        "wrong_label_and_place",
        "duplicate",
        "spurious",
        "missed",
        "false_positives",
        "misses",
    ),
    0.0,
)


def test_a_misplaced_detection_is_worth_the_object_that_it_is_on():
    # overlap 25 / 100: precision 1 up to recall 0.5, then 0
    results = [detection(A, 0.9), detection([100, 0, 10, 2.5], 0.8)]
    expected = {"misplaced": 50 / 101, "misses": 50 / 101}
    assert gains(coco_json(annotation(A), annotation(B)), results) == NOTHING | expected


def test_a_wrong_label_is_right_in_the_class_of_its_object():
    # cone: 51 / 101; sign has no detection but a wrong one of cone on its object. AP_50 = (51 / 101 + 0) / 2
    truth = coco_json(annotation(A), annotation(B), annotation(FAR, kind=2))
    results = [detection(A, 0.9), detection(FAR, 0.95)]
    # mended: cone has one right of two objects, sign 1; now the wrong one stands first: precision 1 / 2 up to 0.5
    now = (HALF_STEPS / 101 * 0.5 + 0) / 2
    expected = {
        "wrong_label": (HALF_STEPS / 101 + 1) / 2 - now,
        "missed": (0.5 + 0) / 2 - now,  # one cone is missed; the sign is not, as a detection aims at it
        "false_positives": HALF_STEPS / 101 / 2 - now,
        "misses": 0.5 - now,  # sign has neither objects nor detections then, and is left out of the mean
    }
    assert gains(truth, results) == NOTHING | expected


def test_of_two_that_aim_at_an_object_the_surest_gets_it_whatever_its_cause():
    # both signs and cones aim at B: the sign at 0.8 gets it, so that mending what is misplaced only takes away
    truth = coco_json(annotation(A), annotation(B), annotation(FAR, kind=2))
    results = [
        detection(A, 0.9),
        detection(FAR, 0.9, kind=2),
        detection(B, 0.8, kind=2),
        detection([100, 0, 10, 2.5], 0.7),
    ]
    expected = {"wrong_label": 50 / 101 / 2, "misses": 50 / 101 / 2}  # the last of the cones is behind all right ones
    assert gains(truth, results) == NOTHING | expected
    # with the misplaced one in front, mending the wrong label only takes away, which gains nothing either
    results[3]["score"] = 0.85
    assert gains(truth, results) == NOTHING | {"misplaced": 50 / 101 / 2, "misses": 50 / 101 / 2}


def test_what_is_wrong_costs_only_where_something_right_is_less_sure():
    truth = coco_json(annotation(A), annotation(B))
    right, again, nowhere = detection(A, 0.9), detection(A, 0.8), detection(FAR, 0.7)
    last = detection(B, 0.6)
    # right, duplicate, spurious, right: 51 steps of 1, then 2 / 4
    now = (HALF_STEPS + 50 * 0.5) / 101
    two_of_three = (HALF_STEPS + 50 * 2 / 3) / 101
    expected = {"duplicate": two_of_three - now, "spurious": two_of_three - now, "false_positives": 1 - now}
    assert gains(truth, [right, again, nowhere, last]) == NOTHING | expected
    for one in (again, nowhere):
        one["score"] = 0.1
    assert gains(truth, [right, again, nowhere, last]) == NOTHING


def test_borders_are_those_of_tide():
    truth = coco_json(annotation(A), annotation(B, kind=2))
    # the object is taken, and half of it is covered: misplaced, not duplicate; a tenth of another class: spurious
    half, tenth = detection([0, 0, 10, 5], 0.9), detection([100, 0, 10, 1], 0.95)
    results = [detection(A, 0.99), half, tenth, detection(B, 0.5, kind=2), detection(A, 0.7)]
    report = calipers.coco(truth, results, bootstrap=0)
    assert report.measured.tide.cause.tolist() == [-1, 1, 4, -1, 3]


def test_a_crowd_region_is_nothing_that_a_detection_could_be_misplaced_on():
    crowd = annotation([200, 200, 100, 100], iscrowd=1)
    beside = detection([189, 200, 20, 20], 0.95)  # 9 / 20 of it lie in the region, too little to be left out
    report = calipers.coco(coco_json(annotation(A), crowd), [beside, detection(A, 0.5)], bootstrap=0)
    assert report["worth"]["ap_50"]["spurious"]["gain"] == pytest.approx(0.5)
    assert report["worth"]["ap_50"]["misplaced"]["gain"] == 0


def test_without_detections_nothing_is_left_once_what_was_missed_is_gone():
    truth = coco_json(annotation(A), annotation(B))
    worth = calipers.coco(truth, [], bootstrap=0)["worth"]["ap_50"]
    assert worth["missed"]["gain"] is worth["misses"]["gain"] is None
    assert worth["spurious"]["gain"] == 0


def test_without_an_order_there_is_a_reason():
    report = calipers.coco(coco_json(annotation(A)), [detection(A), detection(FAR)], bootstrap=0)
    assert report["worth"]["ap_50"] is None
    assert report["worth_ap_50_undefined_reason"] == report["ap_undefined_reason"]
    assert ap_worth_table(report)[1] == []


def test_keypoints_have_none():
    report = calipers.coco(*draw(3, "keypoints")[:2], iou_type="keypoints", bootstrap=0)
    assert report["worth"]["ap_50"] is None
    assert report["worth_ap_50_undefined_reason"] == "causes in AP are those of boxes and masks, not of keypoints"


@pytest.mark.parametrize("seed", range(6))
def test_intervals_hold_the_gain_and_all_is_worth_no_less_than_a_part(seed):
    dataset = draw(seed, images=12, levels=0)
    report = calipers.coco(dataset.truth, dataset.results, bootstrap=200)
    worth = report["worth"]["ap_50"]
    for entry in worth.values():
        assert entry["gain"] >= 0
        low, high = entry["interval"]
        assert 0 <= low <= entry["gain"] <= high <= 1
    check_scores(report)
    assert [row["cause"] for row in ap_worth_table(report)[1]] == list(NOTHING)


def test_intervals_are_of_ap_with_every_image_as_often_as_it_was_drawn():
    # both images alike: AP_50 is 51 / 101 in every replicate that has an image, and what is misplaced is worth the rest
    objects = [annotation(box, image=image) for image in (1, 2) for box in (A, B)]
    results = [detection(box, 0.9, image=image) for image in (1, 2) for box in (A, [100, 0, 10, 2.5])]
    results = [row | {"score": 0.9 if row["bbox"] == A else 0.8} for row in results]
    worth = calipers.coco(coco_json(*objects, images=2), results, bootstrap=200)["worth"]["ap_50"]
    assert worth["misplaced"]["interval"] == pytest.approx([50 / 101, 50 / 101])
    assert worth["spurious"]["interval"] == [0.0, 0.0]


def test_the_page_has_a_panel():
    truth, results = coco_json(annotation(A), annotation(B)), [detection(A, 0.9), detection([100, 0, 10, 2.5], 0.8)]
    sections = page_data(dict(calipers.coco(truth, results)), None)["sections"]
    panel = next(section for section in sections if section["title"] == "Fix first, in AP 50")
    assert [bar["name"] for bar in panel["bars"]] == ["misplaced", "misses"]
    assert panel["bars"][0]["goto"] == {"cause": "misplaced"}


@pytest.mark.parametrize(
    "change",
    [
        lambda tree: tree["worth"]["ap_50"]["misplaced"].update(gain=0.75),
        lambda tree: tree["worth"]["ap_50"]["spurious"].update(gain=0.25),
        lambda tree: tree["worth"]["ap_50"]["missed"].update(gain=-0.25),
        lambda tree: tree["worth"].update(ap_50=None),
    ],
)
def test_gains_that_do_not_fit_are_refused(change):
    report = calipers.coco(
        coco_json(annotation(A), annotation(B)), [detection(A, 0.9), detection(FAR, 0.1)], bootstrap=0
    )
    tree = copy.deepcopy(dict(report))
    check_scores(tree)
    change(tree)
    with pytest.raises(Mismatch):
        check_scores(tree)
