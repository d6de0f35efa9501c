"""The meter of detections: ground truth up front or with each update, the same bits as one evaluation of everything."""

import json

import numpy as np
import pytest

import calipers
from calipers.core.errors import ConfigError, InputError

from ...parity.coco_datasets import draw

CLASSES = [{"id": 7, "name": "cone"}, {"id": 8, "name": "sign"}]


def annotation(ident, image, x=0, category=7, **more):
    box = {"bbox": [x, 0, 10, 10], "area": 100, "iscrowd": 0}
    return {"id": ident, "image_id": image, "category_id": category, **box, **more}


def detection(image, x=0, score=0.5, category=7):
    return {"image_id": image, "category_id": category, "bbox": [x, 0, 10, 10], "score": score}


def dataset(*annotations, images=(), classes=CLASSES):
    numbers = sorted({*images, *(row["image_id"] for row in annotations)})
    return {"images": [{"id": k} for k in numbers], "categories": classes, "annotations": list(annotations)}


GT = dataset(annotation(1, 4), annotation(2, 5), annotation(3, 5, 40))
ROWS = [detection(4, 1, 0.9), detection(5, 2, 0.4), detection(5, 70, 0.8), detection(4, 60, 0.7)]


def test_ground_truth_up_front_and_detections_in_any_pieces():
    meter = calipers.CocoMeter(GT)
    meter.update(ROWS[0])
    meter.update(pred=ROWS[1:3])
    meter.update(row for row in ROWS[3:])
    assert meter.compute().to_json() == calipers.coco(GT, ROWS).to_json()


@pytest.mark.parametrize("iou_type", ["bbox", "segm", "keypoints"])
def test_ground_truth_with_each_update_gives_the_bits_of_everything(iou_type):
    whole = draw(3, iou_type, images=9)
    meter = calipers.CocoMeter(iou_type=iou_type, bootstrap=50)
    for image in whole.truth["images"]:
        rows, results = (
            [row for row in side if row["image_id"] == image["id"]]
            for side in (whole.truth["annotations"], whole.results)
        )
        meter.update(gt={**whole.truth, "images": [image], "annotations": rows}, pred=results)
    ordered = [row for image in whole.truth["images"] for row in whole.results if row["image_id"] == image["id"]]
    report = calipers.coco(whole.truth, ordered, iou_type=iou_type, bootstrap=50)
    assert meter.compute().to_json() == report.to_json()


def test_both_ways_in_one_meter():
    meter, further = calipers.CocoMeter(GT), dataset(annotation(11, 9))
    meter.update(ROWS[0])
    meter.update(further, [detection(9, 3, 0.6)])
    meter.update([detection(9, 50, 0.3), ROWS[1]])
    both = dataset(*GT["annotations"], *further["annotations"])
    rows = [ROWS[0], detection(9, 3, 0.6), detection(9, 50, 0.3), ROWS[1]]
    assert meter.compute().to_json() == calipers.coco(both, rows).to_json()
    meter.reset()
    assert meter.compute().to_json() == calipers.coco(GT, []).to_json()


@pytest.mark.parametrize(
    "call",
    [
        lambda meter, gt, pred: meter.update(gt, pred),
        lambda meter, gt, pred: meter.update(gt=gt, pred=pred),
        lambda meter, gt, pred: meter.update(gt, pred=pred),
        lambda meter, gt, pred: meter.update(pred, gt=gt),
    ],
    ids=["by place", "by name", "one of each", "the other one of each"],
)
def test_sides_by_place_and_by_name(call):
    meter = calipers.CocoMeter()
    call(meter, GT, ROWS)
    assert meter.compute().to_json() == calipers.coco(GT, ROWS).to_json()


@pytest.mark.parametrize(
    "call",
    [
        lambda meter: meter.update(),
        lambda meter: meter.update(GT, ROWS, ROWS),
        lambda meter: meter.update(GT, ROWS, pred=ROWS),
        lambda meter: meter.update(gt=GT),
    ],
)
def test_sides_that_cannot_be_told_apart_are_refused(call):
    with pytest.raises(InputError, match=r"update: expected update\(pred\), update\(gt, pred\), or update"):
        call(calipers.CocoMeter())


def test_a_meter_is_made_and_reset_without_an_evaluation(monkeypatch):
    def evaluated(*given, **options):
        raise AssertionError("measured")

    monkeypatch.setattr("calipers.suites.coco.measure.MeasuredImages", evaluated)
    meter = calipers.CocoMeter(GT)
    meter.update(ROWS)
    meter.reset()
    meter.update(dataset(annotation(11, 9)), [detection(9)])
    with pytest.raises(AssertionError, match="measured"):
        meter.compute()


# Merging


def test_meters_over_the_same_ground_truth_share_it():
    meter, other = calipers.CocoMeter(GT), calipers.CocoMeter(json.loads(json.dumps(GT)))
    meter.update(ROWS[:2])
    other.update(ROWS[2:])
    meter.merge(other)
    assert meter.compute().to_json() == calipers.coco(GT, ROWS).to_json()


def test_meters_over_other_images_are_one():
    further = dataset(annotation(11, 9), annotation(12, 2, category=8))
    meter, other = calipers.CocoMeter(GT), calipers.CocoMeter(further)
    meter.update(ROWS)
    other.update(detection(2, category=8))
    meter.merge(other)
    meter.update(detection(9, 1))
    both = dataset(*GT["annotations"], *further["annotations"])
    rows = [*ROWS, detection(2, category=8), detection(9, 1)]
    assert meter.compute().to_json() == calipers.coco(both, rows).to_json()
    assert other.compute().to_json() == calipers.coco(further, rows[4:5]).to_json()


def test_a_path_up_front_is_named_and_shared(tmp_path):
    path = tmp_path / "gt.json"
    path.write_text(json.dumps(GT))
    meter, other = calipers.CocoMeter(str(path)), calipers.CocoMeter(str(path))
    meter.update(ROWS[:1])
    other.update(ROWS[1:])
    meter.merge(other)
    assert meter.compute().to_json() == calipers.coco(str(path), ROWS).to_json()
    with pytest.raises(InputError, match=r"gt\.json: is a file beside other ground truth, expected what the JSON"):
        meter.update(dataset(annotation(11, 9)), [])


def test_merging_is_all_or_nothing():
    meter, other = calipers.CocoMeter(), calipers.CocoMeter()
    meter.update(GT, ROWS)
    other.update(dataset(annotation(11, 9)), [detection(9)])
    other.update(dataset(images=[4]), [])
    with pytest.raises(InputError, match="the image '4' was added before, expected each image once"):
        meter.merge(other)
    assert meter.compute().to_json() == calipers.coco(GT, ROWS).to_json()


def test_options_that_change_no_number_may_differ():
    meter, other = calipers.CocoMeter(GT, top=3), calipers.CocoMeter(GT, top=5, max_bad_records=2)
    other.update(ROWS)
    meter.merge(other)
    assert meter.compute().to_json() == calipers.coco(GT, ROWS, top=3).to_json()
    with pytest.raises(ConfigError, match="different parameters"):
        meter.merge(calipers.CocoMeter(GT, recall_target=0.5))


# Refusals


@pytest.mark.parametrize(
    ("gt", "message"),
    [
        (dataset(annotation(11, 4)), "the image '4' was added before"),
        (dataset(annotation(1, 9)), "gt: the annotation 1 was added before, expected each id once, or no ids"),
        (dataset(annotation(11, 9), classes=[{"id": 7, "name": "car"}]), 'the category 7 is "car", expected "cone"'),
        ({"images": [{"id": 9}]}, "no annotations and no categories"),
        (dataset(annotation(11, 9, bbox=[0, 0, -1, 1])), "bbox"),
        ("gt.json", r"update: gt: found .gt\.json., expected what the JSON of a data set would hold"),
        ([annotation(1, 9)], "update: gt: found"),
    ],
)
def test_ground_truth_that_does_not_fit_is_refused_whole(gt, message):
    meter = calipers.CocoMeter()
    meter.update(GT, ROWS)
    with pytest.raises(InputError, match=message):
        meter.update(gt, [])
    assert meter.compute().to_json() == calipers.coco(GT, ROWS).to_json()


@pytest.mark.parametrize(
    ("pred", "message"),
    [
        ([ROWS[0], detection(77)], "update: image_id: found 77, expected one of the ground truth"),
        ([detection(4, category=9)], "update: category_id: found 9"),
        ([ROWS[0], 5], "update: found 5, expected detections"),
        ([{**ROWS[0], "image_id": []}], r"image_id: found \[\]"),
        ("results.json", r"update: found .results\.json., expected detections"),
        (7, "update: found 7, expected detections"),
    ],
)
def test_detections_that_do_not_fit_are_refused_whole(pred, message):
    meter = calipers.CocoMeter(GT)
    with pytest.raises(InputError, match=message):
        meter.update(pred)
    assert meter.compute().to_json() == calipers.coco(GT, []).to_json()


def test_detections_with_ground_truth_of_theirs_are_on_its_images():
    meter = calipers.CocoMeter(GT)
    with pytest.raises(InputError, match="image_id"):
        meter.update(dataset(annotation(11, 9)), [detection(4)])


def test_an_empty_meter_has_nothing_to_compute():
    with pytest.raises(InputError, match=r"no ground truth was added yet, expected CocoMeter\(gt\) or update"):
        calipers.CocoMeter().compute()
    with pytest.raises(InputError, match="expected one of the ground truth"):
        calipers.CocoMeter().update(ROWS)


def test_bad_annotations_are_counted_over_all_updates():
    meter = calipers.CocoMeter(max_bad_records=1)
    meter.update(dataset(annotation(1, 4, bbox=[0, 0, -1, 1])), [detection(4)])
    meter.update(dataset(annotation(2, 5)), [detection(5)])
    with pytest.raises(InputError, match="bbox"):
        meter.update(dataset(annotation(3, 6, bbox=[0, 0, -1, 1])), [detection(6)])
    assert meter.compute()["images"] == {
        "total": 2,
        "evaluated": 1,
        "skipped_empty": 0,
        "rejected": 1,
        "without_pred": 0,
    }


def test_detections_on_images_that_are_left_out_are_taken():
    gt = dataset(annotation(1, 4, bbox=[0, 0, -1, 1]), annotation(2, 5))
    meter = calipers.CocoMeter(gt, max_bad_records=1)
    meter.update([detection(4), detection(5)])
    assert meter.compute().to_json() == calipers.coco(gt, [detection(4), detection(5)], max_bad_records=1).to_json()


def test_ids_of_numpy_are_ids():
    meter = calipers.CocoMeter()
    meter.update(dataset(annotation(np.int64(1), np.int64(4))), [detection(np.int64(4))])
    with pytest.raises(InputError, match="the annotation 1 was added before"):
        meter.update(dataset(annotation(np.int32(1), 5)), [])
    meter.update(detection(np.int32(4), 50))
    assert meter.compute()["objects"]["pred"] == 2


def test_keypoints_are_as_many_everywhere():
    def people(image, ident, points):
        row = annotation(ident, image, keypoints=[1, 1, 2] * points, num_keypoints=points)
        return dataset(row, classes=[{"id": 7, "name": "person"}])

    meter = calipers.CocoMeter(iou_type="keypoints", sigmas=[0.1, 0.1])
    meter.update(people(4, 1, 2), [])
    with pytest.raises(ConfigError, match="sigmas: found 2, expected 3, one for each keypoint"):
        meter.update(people(5, 2, 3), [])


def test_options_of_runs_over_files_are_refused_at_once(tmp_path):
    with pytest.raises(ConfigError, match="tally"):
        calipers.CocoMeter(GT, tally=str(tmp_path / "x.cal"))


def test_an_option_that_is_misspelt_leads_to_those_of_a_meter():
    with pytest.raises(ConfigError, match=r"'box_fmt' is not an option, did you mean 'box_format'\? .*class_names"):
        calipers.CocoMeter(box_fmt="xyxy")
