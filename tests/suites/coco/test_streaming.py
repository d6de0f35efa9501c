"""A meter of detections that streams: updates are measured at once, with the bits of one evaluation of everything."""

import random
import tracemalloc

import numpy as np
import pytest
from tests.parity.coco_datasets import draw
from tests.suites.coco.test_plan import dataset

import calipers
from calipers.core.errors import ConfigError, InputError

FEW = {"bootstrap": 20}


def updates(gt, results, size=2, seed=0):
    """Both sides in pieces of so many images, in any order, and everything in the order of the pieces."""
    ids = [image["id"] for image in gt["images"]]
    random.Random(seed).shuffle(ids)
    pieces = []
    for start in range(0, len(ids), size):
        some = set(ids[start : start + size])
        rows, found = ([row for row in side if row["image_id"] in some] for side in (gt["annotations"], results))
        images = [image for image in gt["images"] if image["id"] in some]
        pieces.append(({**gt, "images": images, "annotations": rows}, found))
    whole = {
        "images": [image for piece, _ in pieces for image in piece["images"]],
        "categories": gt["categories"],
        "annotations": [row for piece, _ in pieces for row in piece["annotations"]],
    }
    return pieces, (whole, [row for _, found in pieces for row in found])


def streamed(pieces, **options):
    meter = calipers.CocoMeter(stream=True, **(FEW | options))
    for gt, pred in pieces:
        meter.update(gt, pred)
    return meter


@pytest.mark.parametrize("iou_type", ["bbox", "segm", "keypoints"])
@pytest.mark.parametrize("seed", range(3))
def test_updates_give_the_bits_of_everything(iou_type, seed):
    drawn = draw(seed, iou_type, images=11)
    pieces, whole = updates(drawn.truth, drawn.results, size=3, seed=seed)
    report = calipers.coco(*whole, iou_type=iou_type, **FEW)
    assert streamed(pieces, iou_type=iou_type).compute().to_json() == report.to_json()


@pytest.mark.parametrize("size", [1, 4, 100])
def test_warnings_and_faults_are_numbered_through_all_updates(size):
    gt, results = dataset(3)
    gt["annotations"][4]["bbox"] = [1, 2, -3, 4]
    gt["annotations"][9].pop("area")
    gt["annotations"][12].pop("iscrowd")
    results[7]["bbox"] = [1, 2]
    results += [results[-1], {**results[-2], "bbox": [900, 900, 4, 4]}]
    pieces, whole = updates(gt, results, size)
    report = calipers.coco(*whole, max_bad_records=1, **FEW)
    assert len(report["warnings"]) >= 4
    assert streamed(pieces, max_bad_records=1).compute().to_json() == report.to_json()


@pytest.mark.parametrize(
    "change",
    [
        lambda row, k: row.pop("score"),
        lambda row, k: row.update(score=0.5),
        lambda row, k: row.update(score=10 * row["score"]),
        lambda row, k: row.update(bbox=[1, 2, -3, 4]),
        lambda row, k: row.update(score=None) if k % 2 else None,
    ],
)
def test_reasons_about_all_detections_are_those_of_everything(change):
    gt, results = dataset(4, images=8)
    for k, row in enumerate(results):
        change(row, k)
    results = [row for row in results if row["image_id"] != 12]
    pieces, whole = updates(gt, results, size=4)
    assert streamed(pieces).compute().to_json() == calipers.coco(*whole, **FEW).to_json()


def test_classes_may_come_one_by_one():
    gt, results = dataset(5)
    pieces, whole = updates(gt, results, size=1)
    used = [
        ({**piece, "categories": [each for each in gt["categories"] if each["id"] in _classes(piece, found)]}, found)
        for piece, found in pieces
    ]
    assert len({len(piece["categories"]) for piece, _ in used}) > 1
    assert streamed(used).compute().to_json() == calipers.coco(*whole, **FEW).to_json()


def _classes(piece, found):
    return {row["category_id"] for row in [*piece["annotations"], *found]}


def test_names_of_images_and_slices_are_those_of_everything():
    gt, results = dataset(6)
    for image in gt["images"]:
        image["file_name"] = f"{image['id'] // 3}.jpg"  # some names that several have
        image["weather"] = "rain" if image["id"] % 2 else "sun"
    pieces, whole = updates(gt, results)
    options = {"slice": ["weather", "size"]}
    report = streamed(pieces, **options).compute()
    assert report.to_json() == calipers.coco(*whole, **FEW, **options).to_json()


def test_meters_merge_by_what_they_keep():
    gt, results = dataset(7)
    pieces, whole = updates(gt, results)
    meter, other = streamed(pieces[:3]), streamed(pieces[3:])
    meter.merge(other)
    assert meter.compute().to_json() == calipers.coco(*whole, **FEW).to_json()
    assert repr(meter) == f"<CocoMeter: {len(results)} detections so far, 12 images>"
    with pytest.raises(InputError, match="was added before, expected each id once"):
        meter.merge(other)


def tensors(numbers, images=3):
    def boxes(count):
        corners = numbers.random((count, 2)) * 50
        return np.concatenate([corners, corners + 5 + numbers.random((count, 2)) * 20], axis=1)

    truths = [{"boxes": boxes(4), "labels": numbers.integers(0, 3, 4)} for _ in range(images)]
    preds = [
        {"boxes": truth["boxes"] + numbers.normal(0, 2, (4, 4)), "labels": truth["labels"], "scores": numbers.random(4)}
        for truth in truths
    ]
    return preds, truths


def test_batches_of_tensors_and_meters_of_several_processes():
    numbers = np.random.default_rng(1)
    batches = [tensors(numbers) for _ in range(6)]
    meters = [calipers.CocoMeter(stream=stream, **FEW) for stream in (True, False, True, False)]
    for k, batch in enumerate(batches):
        for meter in meters[:2] if k < 3 else meters[2:]:
            meter.update(*batch)
    meters[0].merge(meters[2])
    meters[1].merge(meters[3])
    assert meters[0].compute().to_json() == meters[1].compute().to_json()
    assert meters[0].compute().flat(style="torchmetrics") == meters[1].compute().flat(style="torchmetrics")
    meters[0].reset()
    meters[0].update(*batches[0])
    assert meters[0].compute()["images"]["total"] == 3


def test_a_detection_takes_about_what_it_takes_in_a_tally():
    numbers = np.random.default_rng(2)

    def batch():
        corners = numbers.random((2000, 2)) * 50_000
        boxes = np.concatenate([corners, corners + 10], axis=1)
        truth = {"boxes": boxes[:10], "labels": np.zeros(10, int)}
        return [{"boxes": boxes, "labels": np.zeros(2000, int), "scores": numbers.random(2000)}], [truth]

    meter = calipers.CocoMeter(stream=True, bootstrap=0)
    meter.update(*batch())
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(20):
        meter.update(*batch())
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert taken / (20 * 2000) < 30  # 24, and what images and updates take


# Refusals


def test_what_a_meter_that_streams_does_not_take():
    gt, results = dataset(8)
    with pytest.raises(ConfigError, match="stream: found True, expected False beside gt"):
        calipers.CocoMeter(gt, stream=True)
    meter = calipers.CocoMeter(stream=True, **FEW)
    with pytest.raises(InputError, match=r"no ground truth was added yet"):
        meter.compute()
    meter.update(gt, results)
    before = meter.compute().to_json()
    with pytest.raises(InputError, match=r"found detections alone, expected update\(gt, pred\)"):
        meter.update(results[:1])
    with pytest.raises(ConfigError, match="different parameters"):
        meter.merge(calipers.CocoMeter(**FEW))
    other, rows = dataset(9)
    for image in other["images"]:
        image["id"] += 100
    for row in [*other["annotations"], *rows]:
        row["image_id"] += 100
        row.pop("id", None)
    with pytest.raises(InputError, match="none of the detections has a score, expected scores as in other updates"):
        meter.update(other, [{name: row[name] for name in row if name != "score"} for row in rows])
    federated = {**other, "images": [{**image, "neg_category_ids": [1]} for image in other["images"]]}
    with pytest.raises(InputError, match="images have neg_category_ids, which a meter that streams does not take"):
        meter.update(federated, rows)
    assert meter.compute().to_json() == before
    meter.update(other, rows)
    assert meter.compute()["images"]["total"] == 24


def test_a_report_of_a_meter_that_streams_has_no_rows():
    gt, results = dataset(10)
    with pytest.raises(calipers.CalipersError):
        streamed([(gt, results)]).compute().matches()
