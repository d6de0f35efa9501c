"""What the detection suite says, worked out by hand.

Boxes are 10 high unless they say otherwise, so that an overlap is a ratio of widths: [0, 0, 10, 10] and [0, 0, 6, 10]
overlap by 0.6. Classes are 1 "cone" and 2 "sign".
"""

import pytest

import calipers

from ..parity.coco_datasets import annotation, coco_json, detection

BOX, FAR = [0, 0, 10, 10], [300, 0, 10, 10]
AREAS = {"small": [0, 0, 10, 10], "medium": [0, 100, 50, 50], "large": [200, 100, 100, 100]}


def near(value):
    return pytest.approx(value, abs=1e-12, rel=0)


def measured(truth, results, **options):
    return calipers.coco(truth, results, **{"bootstrap": 0, **options})


def at(x, width=10):
    return [x, 0, width, 10]


# ---------------------------------------------------------------- the twelve, and what stands beside them


def test_a_perfect_detector():
    truth = coco_json(*(annotation(box) for box in AREAS.values()))
    report = measured(truth, [detection(box, 0.9 - k / 10) for k, box in enumerate(AREAS.values())])
    # one detection an image finds one of three
    assert report["coco"] == dict.fromkeys(
        ["AP", "AP_50", "AP_75", "AP_small", "AP_medium", "AP_large", "AR_10", "AR_100", *(f"AR_{a}" for a in AREAS)],
        near(1),
    ) | {"AR_1": near(1 / 3)}
    assert (report["map_50"], report["precision_at_recall"], report["tie_mass"]) == (near(1), near(1), 0)


def hit_and_miss():
    """Three objects; found, invented, found: right at 0.9 and 0.7, wrong at 0.8."""
    truth = coco_json(annotation(at(0)), annotation(at(50)), annotation(at(100)))
    return truth, [detection(at(0), 0.9), detection(at(200), 0.8), detection(at(50), 0.7)]


def test_ap_curve_and_best_cut_by_hand():
    report = measured(*hit_and_miss())
    cone, sign = report["per_class"]
    # recall 1/3 at precision 1 covers steps 0 … 33, recall 2/3 at precision 2/3 steps 34 … 66
    assert cone["AP_50"] == near((34 + 33 * 2 / 3) / 101)
    assert [cone["AP"], report["coco"]["AP"], report["map_50"]] == [near(56 / 101)] * 3
    assert report["curves"]["cone"]["precision"] == near([1.0] * 34 + [2 / 3] * 33 + [0.0] * 34)
    assert report["curves"]["cone"]["recall"] == near([step / 100 for step in range(101)])
    assert list(report["curves"]) == ["cone"]
    # F1 at 0.9 is 2 / (3 + 1), at 0.8 it is 2 / (3 + 2), at 0.7 it is 4 / (3 + 3)
    assert (cone["best_score"], cone["best_f1"]) == (0.7, near(2 / 3))
    assert (cone["gt"], cone["pred"], sign["gt"], sign["pred"]) == (3, 3, 0, 0)
    assert [sign[name] for name in ("AP", "AP_50", "precision_at_recall", "best_score", "best_f1")] == [None] * 5


@pytest.mark.parametrize(("target", "expected"), [(0.9, 0), (0.5, 17 * 2 / 3 / 51), (0.67, 0), (0.0, 56 / 101)])
def test_precision_at_recall_by_hand(target, expected):
    # recall steps 0.50 … 0.66 have precision 2/3, those from 0.67 on have none; 51 steps from 0.5 on
    report = measured(*hit_and_miss(), recall_target=target)
    assert report["precision_at_recall"] == near(expected)
    assert report["per_class"][0]["precision_at_recall"] == near(expected)


def test_of_equally_good_cuts_the_higher_score_is_told():
    truth = coco_json(annotation(at(0)), annotation(at(50)))
    # F1 at 0.9: 2 / (2 + 1); at 0.8 and 0.7: 2 / 4 and 2 / 5; at 0.6: 4 / (2 + 4)
    results = [detection(at(0), 0.9), detection(at(200), 0.8), detection(at(300), 0.7), detection(at(50), 0.6)]
    cone = measured(truth, results)["per_class"][0]
    assert (cone["best_score"], cone["best_f1"]) == (0.9, near(2 / 3))


def test_undefined_is_null():
    report = measured(coco_json(annotation(BOX)), [detection(BOX, 0.9)])
    assert report["coco"]["AP_small"] == near(1)
    undefined = {name: report["coco"][name] for name in ("AP_medium", "AP_large", "AR_medium", "AR_large")}
    assert set(undefined.values()) == {None}
    lines = str(report).splitlines()
    [medium] = [line for line in lines if "Average Precision" in line and "area=medium" in line]
    assert medium.endswith("] = -1.000")


def test_tie_mass_is_the_share_of_detections_with_a_rival_of_the_same_score_in_their_class():
    truth = coco_json(annotation(at(0)), annotation(at(50), kind=2))
    results = [detection(at(x), score) for x, score in ((0, 0.5), (20, 0.5), (40, 0.4))]
    report = measured(truth, [*results, detection(at(50), 0.5, kind=2), detection(at(90), 0.4, kind=2)])
    assert report["tie_mass"] == near(2 / 5)  # a sign of 0.5 is no rival of a cone


# ---------------------------------------------------------------- nothing to rank


def test_no_detections_at_all():
    report = measured(coco_json(annotation(BOX)), [])
    assert report["ap_undefined_reason"] is None
    names = ("AP", "AP_50", "AP_75", "AP_small", "AR_1", "AR_10", "AR_100", "AR_small")
    assert [report["coco"][name] for name in names] == [0] * 8
    assert (report["map_50"], report["precision_at_recall"], report["per_class"][0]["AP"]) == (0, 0, 0)
    assert report["coco"]["AP_large"] is None
    assert report["errors"]["missed"] == 1
    assert report["sweep"]["primary"]["recall"] == 0
    assert report["sweep"]["primary"]["precision"] is None


def test_no_ground_truth_at_all():
    report = measured(coco_json(), [detection(BOX, 0.9), detection(FAR, 0.8)])
    assert set(report["coco"].values()) == {None}
    assert report["map_50"] is None
    assert report["objects"]["absent_class_pred"] == 2
    assert report["errors"]["spurious"] == 2
    assert report["sweep"]["primary"]["precision"] == 0


def test_neither():
    report = measured(coco_json(images=2), [])
    assert set(report["coco"].values()) == {None}
    assert report["images"] == {"total": 2, "evaluated": 0, "skipped_empty": 2, "rejected": 0, "without_pred": 0}
    assert report["sweep"]["primary"]["f1"] is None
    assert str(report)


@pytest.mark.parametrize("scores", [(0.5, 0.5), (0.0, 0.0), (1, 1.0), (None, None)])
def test_without_an_order_there_is_no_ap(scores):
    truth = coco_json(annotation(at(0)), annotation(at(50), kind=2))
    found = [detection(at(0), scores[0]), detection(at(50), scores[1], kind=2), detection(at(90), scores[0])]
    report = measured(truth, found)
    assert {value for name, value in report["coco"].items() if name.startswith("AP")} == {None}
    assert (report["map_50"], report["precision_at_recall"]) == (None, None)
    assert "score" in report["ap_undefined_reason"]
    assert not report.get("curves")
    assert [row["AP"] for row in report["per_class"]] == [None, None]
    assert set(report["intervals"].values()) == {None}
    # what needs no order is there
    assert report["sweep"]["primary"]["f1"] == near(4 / 5)
    assert report["errors"] == dict.fromkeys(report["errors"], 0) | {"matched": 2, "spurious": 1}
    assert report["ap_undefined_reason"] in str(report)


@pytest.mark.parametrize(
    ("boxes", "ap"),
    [
        ([at(0)], 51 / 101),  # one of two
        ([at(0), at(50)], 1),  # all right
        ([at(200), at(300)], 0),  # all wrong
        ([at(200)], 0),
    ],
)
def test_equal_scores_have_an_ap_where_order_cannot_matter(boxes, ap):
    report = measured(coco_json(annotation(at(0)), annotation(at(50))), [detection(box, 0.5) for box in boxes])
    assert report["coco"]["AP"] == calipers.coco_numbers(*given(report, boxes))["AP"] == near(ap)
    assert report["ap_undefined_reason"] is None


def given(report, boxes):
    return coco_json(annotation(at(0)), annotation(at(50))), [detection(box, 0.5) for box in boxes]


def test_one_detection_without_a_score_is_one_invalid_detection():
    truth = coco_json(annotation(at(0)), annotation(at(50)))
    found = [detection(at(0), 0.9), detection(at(50), None), detection(at(200), 0.8)]
    report = measured(truth, found)
    assert report["coco"]["AP"] == near(51 / 101)
    assert report["invalid_reasons"] == {"score: missing": 1}
    assert report["sweep"]["primary"]["matched"] == 1  # it matches nothing, as other invalid ones
    assert report["objects"]["pred"] == 3


def test_precision_at_the_target_is_that_of_a_detector_at_that_recall():
    """9 of 10 found, without a false one: precision 1 at recall 0.9, of 11 steps from there on one is reached."""
    truth = coco_json(*(annotation(at(50 * k)) for k in range(10)))
    report = measured(truth, [detection(at(50 * k), 0.99 - k / 100) for k in range(9)], bootstrap=60)
    assert report["precision_at_target"] == report["per_class"][0]["precision_at_target"] == 1.0
    assert report["precision_at_recall"] == near(1 / 11)
    assert "1.000 at recall 0.9" in str(report)
    assert set(report["bootstrap"]["values"]["precision_at_target"]) <= {1.0, None}
    assert measured(truth, [detection(at(0), 0.5)])["precision_at_target"] == 0.0


@pytest.mark.parametrize("truth", [[], [annotation(BOX, iscrowd=1)]], ids=["nothing", "a crowd"])
def test_without_objects_to_find_ap_is_undefined_and_says_why(truth):
    report = measured(coco_json(*truth), [detection(at(200), 0.3), detection(at(50), 0.6)])
    assert set(report["coco"].values()) == {None}
    assert report["ap_undefined_reason"] == "the ground truth has no object that has to be found"
    assert (report["worth"]["ap_50"], report["worth_ap_50_undefined_reason"]) == (None, report["ap_undefined_reason"])
    assert "AP and AR are undefined: the ground truth has no object that has to be found." in str(report)
    assert "needs no scores" not in str(report)


def test_one_detection_needs_no_order():
    report = measured(coco_json(annotation(BOX)), [detection(BOX, 0.3)])
    assert (report["ap_undefined_reason"], report["coco"]["AP"]) == (None, near(1))


# ---------------------------------------------------------------- what went wrong


def errors_of(truth, *results):
    report = measured(coco_json(*truth), list(results))
    return {name: count for name, count in report["errors"].items() if count and name != "matched"}


@pytest.mark.parametrize(
    ("width", "kind", "expected"),
    [
        (10, 1, {}),
        (5, 1, {}),  # an overlap of exactly a half is enough
        (4.9, 1, {"misplaced": 1}),
        (1, 1, {"misplaced": 1}),  # exactly 0.1
        (0.9, 1, {"spurious": 1, "missed": 1}),
        (10, 2, {"wrong_label": 1}),
        (5, 2, {"wrong_label": 1}),
        (4.9, 2, {"wrong_label_and_place": 1}),
        (1, 2, {"wrong_label_and_place": 1}),
        (0.9, 2, {"spurious": 1, "missed": 1}),
        (0, 1, {"spurious": 1, "missed": 1}),
    ],
)
def test_errors_by_overlap_and_class(width, kind, expected):
    assert errors_of([annotation(BOX)], detection(at(0, width), 0.9, kind=kind)) == expected


@pytest.mark.parametrize(("height", "expected"), [(9.6, {"misplaced": 1}), (9.5, {"spurious": 1, "missed": 1})])
def test_an_overlap_of_0_1_counts_as_such_though_floats_miss_it_by_a_bit(height, expected):
    assert 96 * height / (96 * 96) < 0.1  # 9.6 of 96 is a tenth
    assert errors_of([annotation([70, 180, 96, 96])], detection([70, 180, 96, height], 0.9)) == expected


def test_a_second_detection_of_an_object_is_a_duplicate():
    assert errors_of([annotation(BOX)], detection(BOX, 0.5), detection(at(0, 6), 0.9)) == {"duplicate": 1}


def test_a_detection_of_what_is_found_is_a_duplicate_though_it_overlaps_something_else_more():
    # the cone overlaps the sign, which is matched, by 10/12, and its own kind, which is matched too, by 8/14
    truth = [annotation(at(0)), annotation(at(4), kind=2)]
    assert errors_of(truth, detection(at(0), 0.5), detection(at(4), 0.4, kind=2), detection([3, 0, 11, 10], 0.3)) == {
        "duplicate": 1
    }


def test_partners_go_by_overlap_and_not_by_score():
    report = measured(coco_json(annotation(BOX)), [detection(at(0, 6), 0.9), detection(BOX, 0.1)])
    assert report["sweep"]["thresholds"][-1]["matched"] == 1  # the closer one, to 0.95
    assert report["errors"]["duplicate"] == 1


def test_boxes_so_far_out_that_floats_hold_no_whole_pixels():
    far = [1e16, 0, 1.0000001, 1]  # 1e16 + 1.0000001 is 1e16 + 2: more is shared than there is
    report = measured(coco_json(annotation(far)), [detection(far, 0.9)])
    assert (report["coco"]["AP"], report["sweep"]["mean_overlap_matched"]) == (near(1), 1)


def test_confusion_by_hand():
    # a cone seen as a cone, a cone seen as a sign, a sign missed, a sign out of nothing
    truth = [annotation(at(0)), annotation(at(50)), annotation(at(100), kind=2)]
    results = [detection(at(0), 0.9), detection(at(50), 0.8, kind=2), detection(at(200), 0.7, kind=2)]
    confusion = measured(coco_json(*truth), results)["confusion"]
    cells = {(gt, pred): n for gt, row in confusion["matched"].items() for pred, n in row.items() if n}
    assert cells == {("cone", "cone"): 1, ("cone", "sign"): 1}
    assert {name: n for name, n in confusion["missed"].items() if n} == {"sign": 1}
    assert {name: n for name, n in confusion["background"].items() if n} == {"sign": 1}


# ---------------------------------------------------------------- crowds


def test_a_detection_half_inside_a_crowd_of_its_class_is_left_out():
    truth = coco_json(annotation([0, 0, 100, 100], iscrowd=1), annotation(FAR))
    results = [
        detection(FAR, 0.9),
        detection(at(-5), 0.8),  # exactly half of it
        detection(at(20), 0.7),
        detection(at(-6), 0.6),  # less
        detection(at(40), 0.5, kind=2),  # of another class
    ]
    report = measured(truth, results)
    objects = report["objects"]
    assert (objects["gt"], objects["crowd"], objects["pred"], objects["in_crowd"]) == (2, 1, 5, 2)
    assert {name: n for name, n in report["errors"].items() if n} == {"matched": 1, "spurious": 2, "in_crowd": 2}
    primary = report["sweep"]["primary"]
    assert (primary["gt"], primary["pred"], primary["matched"]) == (1, 3, 1)
    assert sum(report["confusion"]["background"].values()) == 2


def test_half_of_a_detection_is_half_though_floats_miss_it_by_a_bit():
    # 0.1 of 0.2, from 0.3 on: 0.3 + 0.2 - 0.4 is a bit less than 0.1
    crowd = annotation([0.4, 0, 10, 10], iscrowd=1)
    assert 0.3 + 0.2 - 0.4 < 0.1
    assert measured(coco_json(crowd), [detection([0.3, 0, 0.2, 1], 0.9)])["objects"]["in_crowd"] == 1


def test_a_detection_with_a_partner_stays_though_it_lies_in_a_crowd():
    truth = coco_json(annotation([0, 0, 100, 100], iscrowd=1), annotation(at(20)))
    report = measured(truth, [detection(at(20), 0.9)])
    assert report["objects"]["in_crowd"] == 0
    assert report["sweep"]["primary"]["f1"] == 1


def test_a_crowd_is_neither_found_nor_missed():
    truth = coco_json(annotation([0, 0, 100, 100], iscrowd=1))
    report = measured(truth, [])
    assert report["errors"]["missed"] == 0
    assert report["sweep"]["primary"]["gt"] == 0
    assert set(report["coco"].values()) == {None}


# ---------------------------------------------------------------- what was not given


def test_missing_area_and_iscrowd_are_derived_and_said_once():
    boxes = [[0, 0, 20, 20], [100, 0, 50, 50], [200, 100, 100, 100]]
    rows = [annotation(box) for box in boxes]
    bare = [{k: v for k, v in row.items() if k not in ("area", "iscrowd")} for row in rows]
    results = [detection(box, 0.9 - k / 10) for k, box in enumerate(boxes)]
    derived, given = measured(coco_json(*bare), results), measured(coco_json(*rows), results)
    assert given["warnings"] == []
    assert derived["coco"] == given["coco"]
    for name in ("area", "iscrowd"):
        [warning] = [each for each in derived["warnings"] if name in each]
        assert "3" in warning
    assert [derived["coco"][f"AP_{size}"] for size in AREAS] == [near(1)] * 3


def test_area_as_given_decides_the_size():
    report = measured(coco_json(annotation(BOX, area=9217)), [detection(BOX, 0.9)])
    assert (report["coco"]["AP_small"], report["coco"]["AP_large"]) == (None, near(1))


@pytest.mark.parametrize(
    ("area", "sizes"), [(1024, ["small", "medium"]), (9216, ["medium", "large"]), (1025, ["medium"])]
)
def test_the_borders_belong_to_both_sizes(area, sizes):
    report = measured(coco_json(annotation(BOX, area=area)), [detection(BOX, 0.9)])
    assert [size for size in AREAS if report["coco"][f"AP_{size}"] is not None] == sizes


# ---------------------------------------------------------------- options


def test_detections_below_the_least_score_are_only_left_out_where_scores_do_not_count():
    truth, results = hit_and_miss()
    report = measured(truth, results, min_score=0.75)
    assert report["coco"] == measured(truth, results)["coco"]
    primary = report["sweep"]["primary"]
    assert (primary["gt"], primary["pred"], primary["matched"]) == (3, 2, 1)
    assert (report["errors"]["spurious"], report["errors"]["missed"]) == (1, 2)


def test_a_score_may_be_just_the_least():
    truth, results = hit_and_miss()
    assert measured(truth, results, min_score=0.7)["sweep"]["primary"]["pred"] == 3


def test_params_tell_every_option():
    report = measured(*hit_and_miss(), max_dets="1,5,300", recall_target=0.8, min_score=0.1, seed=7)
    params = report["params"]
    assert (params["iou_type"], params["max_dets"], params["recall_target"]) == ("bbox", [1, 5, 300], 0.8)
    assert (params["min_score"], params["seed"], params["bootstrap"]) == (0.1, 7, 0)
    assert [name for name in report["coco"] if name[:4] in ("AR_1", "AR_5", "AR_3")] == ["AR_1", "AR_5", "AR_300"]
    assert list(report["intervals"]) == ["AP", "AP_50", "AP_75", "AR_300", "precision_at_recall", "precision_at_target"]


def test_counts_by_hand():
    truth = coco_json(annotation(at(0)), annotation(at(0), image=2), annotation(at(50), image=2), images=5)
    results = [detection(at(0), 0.9), detection(at(20), 0.8), detection(at(0), 0.7, image=3)]
    report = measured(truth, results)
    # predicted less true: image 1 +1, image 2 -2, image 3 +1; 4 and 5 are empty
    assert report["counts"] == {
        "mae": near(4 / 3),
        "over_rate": near(2 / 3),
        "under_rate": near(1 / 3),
        "equal_rate": 0,
    }
    assert report["images"] == {"total": 5, "evaluated": 3, "skipped_empty": 2, "rejected": 0, "without_pred": 1}


def test_classes_absent_from_the_ground_truth_are_named():
    truth = coco_json(annotation(BOX), names=("cone", "sign", "dog"))
    report = measured(truth, [detection(BOX, 0.9), detection(FAR, 0.8, kind=3), detection(at(50), 0.7, kind=3)])
    assert report["absent_classes"] == [{"category_id": 3, "name": "dog", "pred": 2}]
    assert report["objects"]["absent_class_pred"] == 2


def test_two_classes_of_one_name_stay_two():
    truth = coco_json(annotation(BOX), annotation(FAR, kind=2), names=("cone", "cone"))
    report = measured(truth, [detection(BOX, 0.9), detection(FAR, 0.8, kind=2)])
    assert [row["name"] for row in report["per_class"]] == ["cone (id 1)", "cone (id 2)"]
    assert report["coco"]["AP"] == near(1)
    assert len(report["sweep"]["by_label"]) == 2


def test_intervals_need_two_images():
    truth = coco_json(annotation(BOX), annotation(BOX, image=2), images=2)
    results = [detection(BOX, 0.9), detection(BOX, 0.8, image=2)]
    both = measured(truth, results, bootstrap=100)
    assert both["intervals"] == {name: [near(1), near(1)] for name in both["intervals"]}
    alone = measured(coco_json(annotation(BOX)), results[:1], bootstrap=100)
    assert set(alone["intervals"].values()) == {None}


# ---------------------------------------------------------------- masks and keypoints


def test_masks_are_compared_by_pixels():
    # 10 x 10 pixels against the upper 6 rows of them
    truth = coco_json(annotation(BOX, segmentation=[[0, 0, 0, 10, 10, 10, 10, 0]]))
    mask = {"size": [480, 640], "counts": [0, *([6, 474] * 9), 6, 480 * 640 - 9 * 480 - 6]}
    report = measured(truth, [{"image_id": 1, "category_id": 1, "segmentation": mask, "score": 0.9}], iou_type="segm")
    assert [row["matched"] for row in report["sweep"]["thresholds"]] == [1, 1, 1] + [0] * 7  # 0.6
    assert report["coco"]["AP"] == near(3 / 10)


@pytest.mark.parametrize(("box", "size"), [(None, "small"), ([0, 0, 40, 40], "medium")])
def test_a_wrong_mask_is_as_large_as_itself_unless_it_comes_with_a_box(box, size):
    # a triangle of 800 in a box of 1600, above everything that is right: it spoils the AP of its size only
    masks = [[[0, 0, 40, 0, 0, 40]], *([[x, x, x + w, x, x + w, x + w, x, x + w]] for x, w in ((200, 40), (300, 20)))]
    boxes = [box, [200, 200, 40, 40], [300, 300, 20, 20]]
    truth = coco_json(*(annotation(*each) for each in zip(boxes[1:])))
    for row, mask in zip(truth["annotations"], masks[1:], strict=True):
        row["segmentation"] = mask
    results = [
        {"image_id": 1, "category_id": 1, "segmentation": mask, "score": 0.9 - k / 10}
        | ({"bbox": boxes[k]} if box else {})
        for k, mask in enumerate(masks)
    ]
    report = measured(truth, results, iou_type="segm")
    assert {name: report["coco"][f"AP_{name}"] for name in ("small", "medium")} == {
        "small": near(1 / 2 if size == "small" else 1),
        "medium": near(1 / 2 if size == "medium" else 1),
    }


def test_keypoints_have_ten_numbers():
    points = [value for k in range(17) for value in (10 + k, 20 + k, 2)]
    row = annotation([10, 20, 60, 60], keypoints=points, num_keypoints=17)
    found = {"image_id": 1, "category_id": 1, "keypoints": points, "score": 0.9}
    report = measured(coco_json(row, names=("person",)), [found], iou_type="keypoints")
    parts = ("", "_50", "_75", "_medium", "_large")
    assert list(report["coco"]) == [f"{kind}{part}" for kind in ("AP", "AR") for part in parts]
    ones = {name: value for name, value in report["coco"].items() if not name.endswith("_large")}
    assert ones == dict.fromkeys(ones, near(1))
    assert report["coco"]["AP_large"] is None
    assert report["params"]["max_dets"] == [20]
