"""The detection suite against pycocotools, against plain loops, and against the dense suite on the same boxes.

A part of the data sets is compared in every run, all of them in a full one.
"""

from fractions import Fraction

import hotcoco
import numpy as np
import pytest

import calipers
from calipers.suites.coco.config import Config
from calipers.suites.coco.measure import NO_OBJECTS, MeasuredImages
from calipers.suites.coco.read import read_detections

from ..profiles import seeds, share
from . import coco_reference as reference
from .coco_datasets import Dataset, annotation, coco_json, detection, draw, ties_only_between_images

LIVE = {"bbox": 70, "segm": 25, "keypoints": 25}
ALL = {"bbox": 500, "segm": 200, "keypoints": 200}
RANGES = {"bbox": ("small", "medium", "large"), "segm": ("small", "medium", "large"), "keypoints": ("medium", "large")}
live = [(iou_type, seed) for iou_type, count in LIVE.items() for seed in seeds(count)]
every_data_set = pytest.mark.skipif(share() < 1, reason="only in a full run")


def exact(value):
    return value if value is None else pytest.approx(value, abs=1e-12, rel=0)


def measured(dataset, **options):
    chosen = {"iou_type": dataset.iou_type, "bootstrap": 0, **options}
    return calipers.coco(dataset.truth, dataset.results, **chosen)


def plain(seed, iou_type="bbox", **chosen):
    """A data set in which every object has a size that counts."""
    return draw(seed, iou_type, vast=False, **chosen)


def names_of(iou_type, max_dets):
    """The names of the twelve or ten numbers, in pycocotools' order."""
    sizes = RANGES[iou_type]
    if iou_type == "keypoints":
        return [*(f"{kind}{part}" for kind in ("AP", "AR") for part in ("", "_50", "_75", *(f"_{s}" for s in sizes)))]
    ap = ["AP", "AP_50", "AP_75", *(f"AP_{size}" for size in sizes)]
    return [*ap, *(f"AR_{most}" for most in max_dets), *(f"AR_{size}" for size in sizes)]


def check_against_pycocotools(dataset, max_dets=None):
    """All that pycocotools gives, number by number."""
    report = measured(dataset, **({"max_dets": max_dets} if max_dets else {}))
    found = reference.evaluated(dataset, max_dets)
    if reference.all_equal(dataset) and reference.order_matters(found):
        check_undefined(report)
        return
    has_objects = reference.stats(found)[0] is not None
    assert report["ap_undefined_reason"] == (None if has_objects else NO_OBJECTS)
    names = names_of(dataset.iou_type, found.params.maxDets)
    assert report["coco"] == {name: exact(value) for name, value in zip(names, reference.stats(found), strict=True)}
    assert list(report["coco"]) == names
    assert report["map_50"] == exact(reference.stats(found)[1])
    assert report["precision_at_target"] == exact(reference.precision_at_target(found, 0.9))
    check_classes(report, dataset, found)


def check_classes(report, dataset, found):
    names = {each["id"]: each["name"] for each in dataset.truth["categories"]}
    assert [(row["category_id"], row["name"]) for row in report["per_class"]] == sorted(names.items())
    precision = found.eval["precision"][..., reference.ALL, -1]  # (thresholds, recall steps, classes)
    for kind, row in enumerate(report["per_class"]):
        assert row["AP"] == exact(reference.mean_of(precision[:, :, kind]))
        assert row["AP_50"] == exact(reference.mean_of(precision[0, :, kind]))
        assert row["pred"] == sum(each["category_id"] == row["category_id"] for each in dataset.results)
        if precision[0, 0, kind] < 0:
            assert row["name"] not in report["curves"]
            continue
        curve = report["curves"][row["name"]]
        assert curve["recall"] == exact([step / 100 for step in range(101)])
        assert curve["precision"] == exact(precision[0, :, kind].tolist())


def check_undefined(report):
    """All scores are equal: no order, no AP."""
    assert {value for name, value in report["coco"].items() if name.startswith("AP")} == {None}
    assert {row[name] for row in report["per_class"] for name in ("AP", "AP_50", "precision_at_recall")} == {None}
    assert (report["map_50"], report["precision_at_recall"]) == (None, None)
    assert "scores are" in report["ap_undefined_reason"]
    assert "curves" not in report or not report["curves"]


# ---------------------------------------------------------------- arrays, bit for bit


def arrays_of(dataset):
    """Precision and recall of the classes that have annotations, as they are kept."""
    detections = read_detections(dataset.truth, dataset.results, iou_type=dataset.iou_type)
    curves = MeasuredImages(detections, Config(iou_type=dataset.iou_type, bootstrap=0)).accumulated
    return curves and (written_out(curves.precision), curves.recall, curves.held)


def written_out(precision):
    """The array of pycocotools: (thresholds, steps, classes, areas, 1)."""
    return precision.distinct[precision.which].transpose(2, 3, 0, 1)[..., None]


def as_kept(values, held):
    """pycocotools' arrays with undefined as NaN, and what is within a hair of 1 as 1."""
    cells = np.where(values > 1 - 1e-12, 1.0, np.where(values < 0, np.nan, values))
    return cells[..., held, :, :]


def hotcoco_arrays(dataset):
    truth = hotcoco.COCO(dataset.truth)
    engine = hotcoco.COCOeval(truth, truth.load_res(dataset.results), dataset.iou_type)
    engine.evaluate()
    engine.accumulate()
    return engine.eval


@pytest.mark.parametrize("iou_type", LIVE)
def test_precision_and_recall_are_those_of_pycocotools_to_the_bit(iou_type):
    compared = 0
    for seed in range(7000, 7012):
        dataset = draw(seed, iou_type)
        if (found := arrays_of(dataset)) is None:
            continue
        precision, recall, held = found
        expected = reference.evaluated(dataset).eval
        assert np.array_equal(precision, as_kept(expected["precision"][..., -1:], held), equal_nan=True)
        assert np.array_equal(recall, as_kept(expected["recall"], held), equal_nan=True)
        compared += 1
    assert compared > 5


def test_precision_and_recall_are_those_of_hotcoco_to_the_bit():
    for seed in range(7100, 7106):
        dataset = plain(seed)
        if (found := arrays_of(dataset)) is None:
            continue
        expected = hotcoco_arrays(dataset)
        assert np.array_equal(found[0], as_kept(expected["precision"][..., -1:], found[2]), equal_nan=True)
        assert np.array_equal(found[1], as_kept(expected["recall"], found[2]), equal_nan=True)


# ---------------------------------------------------------------- the reference


def test_the_reference_by_hand():
    box, far, crowd = [0, 0, 10, 10], [50, 0, 10, 10], [0, 100, 90, 90]
    truth = coco_json(annotation(box), annotation(far), annotation(far, kind=2), annotation(crowd, iscrowd=1))
    found = (box, 0.9, 1), ([0, 0, 10, 9], 0.8, 1), ([5, 110, 9, 9], 0.7, 1), ([50, 0, 10, 3], 0.7, 2), (far, 0.5, 1)
    dataset = Dataset(truth, [detection(*each) for each in (*found, ([300, 0, 9, 9], 0.4, 2))])
    expected = reference.judged(reference.sides_of(dataset))
    assert (expected.partner, expected.in_crowd) == ({0: 0, 4: 1}, [2])
    # the low sign is 0.3 of the sign; the second cone lies on one that is found; the last detection is of nothing
    counts = {"wrong_label": 0, "misplaced": 1, "wrong_label_and_place": 0, "duplicate": 1, "spurious": 1, "missed": 0}
    assert expected.errors == {"matched": 2} | counts | {"in_crowd": 1}
    assert expected.confusion == {
        "matched": {"cone": {"cone": 2}},
        "missed": {"sign": 1},
        "background": {"cone": 1, "sign": 2},
    }
    assert expected.sweep == [2] * 10
    found = reference.evaluated(dataset)
    # cones: found, invented, (in the crowd), found: F1 is 2 / (2 + 1), 2 / (2 + 2), 4 / (2 + 3)
    assert reference.best_cut(found, 0) == (0.5, Fraction(4, 5))
    assert reference.best_cut(found, 1) == (0.7, 0)
    assert (reference.tie_mass(dataset), reference.cut_by(dataset, 2)) == (0, 2)


@pytest.mark.parametrize("iou_type", LIVE)
def test_the_reference_sums_up_as_pycocotools_does(iou_type):
    for seed in range(6000, 6010):
        found = reference.evaluated(draw(seed, iou_type))
        reference.printed(found)
        assert [-1 if value is None else value for value in reference.stats(found)] == exact(list(found.stats))


@pytest.mark.parametrize("seed", range(6100, 6104))
def test_images_drawn_once_each_change_nothing(seed):
    found = reference.evaluated(draw(seed, images=5))
    again = reference._repeated(found, (1,) * 5)
    for name in ("precision", "recall"):
        assert np.array_equal(again.eval[name][..., 0, 0], found.eval[name][..., reference.ALL, -1])


# ---------------------------------------------------------------- pycocotools


@pytest.mark.parametrize(("iou_type", "seed"), live)
def test_every_number_is_that_of_pycocotools(iou_type, seed):
    check_against_pycocotools(draw(seed, iou_type))


@pytest.mark.parametrize("max_dets", [[1, 5, 300], [1, 2, 3], [10, 20, 50]])
@pytest.mark.parametrize("seed", [1000, 1001, 1002])
def test_other_numbers_of_detections(seed, max_dets):
    check_against_pycocotools(draw(seed, many=True), max_dets)


@pytest.mark.parametrize("most", [1, 5, 300])
def test_other_numbers_of_people(most):
    check_against_pycocotools(draw(1003, "keypoints", many=True), [most])


@pytest.mark.parametrize("iou_type", LIVE)
def test_annotation_ids_may_start_at_0(iou_type):
    check_against_pycocotools(draw(1004, iou_type, first_id=0))


def without(rows, field):
    return [{name: value for name, value in row.items() if name != field} for row in rows]


@pytest.mark.parametrize("seed", [1100 + seed for seed in seeds(20)])
def test_boxes_of_masks(seed):
    dataset = draw(seed, "segm", left_out=False)
    check_against_pycocotools(dataset._replace(results=without(dataset.results, "bbox"), iou_type="bbox"))


@pytest.mark.parametrize("seed", [1100 + seed for seed in seeds(20)])
def test_masks_of_boxes(seed):
    dataset = draw(seed, "segm", boxed=True)
    check_against_pycocotools(dataset._replace(results=without(dataset.results, "segmentation")))


@every_data_set
@pytest.mark.parametrize("iou_type", ALL)
def test_all_data_sets(iou_type):
    for seed in range(LIVE[iou_type], ALL[iou_type]):
        check_against_pycocotools(draw(seed, iou_type, first_id=seed % 2))
        if iou_type != "keypoints":
            check_against_pycocotools(draw(seed, iou_type), [1, 5, 300])


# ---------------------------------------------------------------- what pycocotools knows and does not say


@pytest.mark.parametrize("target", [0.5, 0.9, 0.95, 1.0])
@pytest.mark.parametrize("seed", [2000, 2001, 2002])
def test_precision_at_recall(seed, target):
    dataset = draw(seed, levels=0, images=6)
    report, found = measured(dataset, recall_target=target), reference.evaluated(dataset)
    assert report["precision_at_recall"] == exact(reference.precision_at_recall(found, target))
    for kind, row in enumerate(report["per_class"]):
        assert row["precision_at_recall"] == exact(reference.precision_at_recall(found, target, kind))
        assert row["AR"] == exact(reference.mean_of(found.eval["recall"][:, kind, reference.ALL, -1]))


@pytest.mark.parametrize(("iou_type", "seed"), [("bbox", seed) for seed in seeds(20)] + [("segm", 3), ("keypoints", 3)])
def test_the_best_cut_of_every_class(iou_type, seed):
    dataset = draw(seed + 2100, iou_type)
    report, found = measured(dataset), reference.evaluated(dataset)
    for kind, row in enumerate(report["per_class"]):
        best = reference.best_cut(found, kind)
        if best.f1:  # some cut finds something
            assert (row["best_score"], row["best_f1"]) == (best.score, exact(float(best.f1)))
        elif best.f1 is None:
            assert row["best_score"] is None


@pytest.mark.parametrize("seed", seeds(12))
def test_counts(seed):
    dataset = plain(seed + 2200, many=seed % 2 == 0)
    report = measured(dataset)
    mass = reference.tie_mass(dataset)
    assert report["tie_mass"] == (None if mass is None else exact(float(mass)))
    objects, annotations = report["objects"], dataset.truth["annotations"]
    assert (objects["gt"], objects["pred"]) == (len(annotations), len(dataset.results))
    assert objects["crowd"] == sum(row.get("iscrowd", 0) for row in annotations)
    assert objects["cut_by_max_dets"] == reference.cut_by(dataset, 100)
    assert objects["absent_class_pred"] == reference.of_absent_classes(dataset)
    assert objects["invalid_pred"] == 0
    images = {row["image_id"] for row in (*annotations, *dataset.results)}
    total = len(dataset.truth["images"])
    silent = {row["image_id"] for row in annotations} - {row["image_id"] for row in dataset.results}
    assert report["images"] == {
        "total": total,
        "evaluated": len(images),
        "skipped_empty": total - len(images),
        "rejected": 0,
        "without_pred": len(silent),
    }


# ---------------------------------------------------------------- by overlap alone


def check_by_overlap(dataset, broken=(), **options):
    """Sweep, errors, confusion and crowds against plain loops."""
    report = measured(dataset, **options)
    sides = reference.sides_of(dataset, options.get("min_score", 0.0), broken)
    expected = reference.judged(sides)
    assert report["objects"]["in_crowd"] == len(expected.in_crowd)
    assert report["errors"] == expected.errors
    assert {name: filled(table) for name, table in report["confusion"].items()} == {
        name: filled(table) for name, table in expected.confusion.items()
    }
    check_sweep(report["sweep"], len(sides.truth), len(sides.pred) - len(expected.in_crowd), expected)


def filled(table):
    """A table of counts without the cells that say 0."""
    if not isinstance(table, dict):
        return table
    return {name: inner for name, given in table.items() if (inner := filled(given))}


def check_sweep(sweep, gt, pred, expected):
    rows = [(row["gt"], row["pred"], row["matched"]) for row in sweep["thresholds"]]
    assert rows == [(gt, pred, matched) for matched in expected.sweep]
    assert sweep["mean_f1"] == (exact(2 * sum(expected.sweep) / 10 / (gt + pred)) if gt + pred else None)
    labels = {row["label"]: (row["gt"], row["pred"], row["matched"]) for row in sweep["by_label"]}
    assert labels == {name: row for name, row in expected.by_label.items() if any(row)}


@pytest.mark.parametrize("seed", seeds(40))
def test_what_goes_by_overlap_of_boxes(seed):
    check_by_overlap(plain(seed + 3000))


@pytest.mark.parametrize("seed", seeds(12))
def test_what_goes_by_overlap_of_masks(seed):
    check_by_overlap(plain(seed + 3100, "segm"))


@pytest.mark.parametrize("seed", seeds(8))
def test_what_goes_by_similarity_of_keypoints(seed):
    dataset = plain(seed + 3200, "keypoints", crowd=0, whole=False)
    marked = [row for row in dataset.truth["annotations"] if row["num_keypoints"]]
    check_by_overlap(dataset._replace(truth=dataset.truth | {"annotations": marked}))


@pytest.mark.parametrize("seed", seeds(6))
def test_detections_below_the_least_score_take_no_part(seed):
    check_by_overlap(plain(seed + 3300), min_score=0.35)


@pytest.mark.parametrize("seed", seeds(6))
def test_broken_detections_match_nothing(seed):
    dataset = plain(seed + 3400, images=5)
    broken = tuple(range(0, len(dataset.results), 4))
    results = [row | {"bbox": [1, 2, -3, 4]} if p in broken else row for p, row in enumerate(dataset.results)]
    whole = [row for p, row in enumerate(dataset.results) if p not in broken]
    spoiled, without = dataset._replace(results=results), dataset._replace(results=whole)
    check_by_overlap(spoiled, broken)
    report = measured(spoiled)
    assert report["objects"]["invalid_pred"] == len(broken)
    if report["ap_undefined_reason"] is None:
        assert report["coco"] == measured(without)["coco"]


# ---------------------------------------------------------------- intervals


@pytest.mark.parametrize(("iou_type", "seed"), [*(("bbox", seed) for seed in seeds(8)), ("segm", 0), ("keypoints", 0)])
def test_replicates_are_those_of_images_repeated(iou_type, seed):
    dataset = ties_only_between_images(draw(seed + 4000, iou_type, images=8))
    report = measured(dataset, bootstrap=50, seed=seed)
    if report["ap_undefined_reason"]:
        assert set(report["intervals"].values()) == {None}
        return
    rows, numbers = reference.replicates(dataset, seed=seed, count=50), {**report["coco"], **report.tree}
    excess = reference.excesses(dataset, seed=seed, count=50)
    assert list(report["intervals"]) == list(report["bootstrap"]["values"]) == list(rows)
    for name, values in rows.items():
        found = [np.nan if value is None else value for value in report["bootstrap"]["values"][name]]
        assert found == pytest.approx(values, abs=1e-9, rel=0, nan_ok=True), name
        ends = reference.around(numbers[name], values, report["images"]["evaluated"], excess.get(name, 0.0))
        assert report["intervals"][name] == (ends if ends is None else pytest.approx(ends, abs=1e-9, rel=0)), name


# ---------------------------------------------------------------- the dense suite


def as_records(dataset):
    """The same boxes as records of the dense suite, with file names for keys."""
    names = {each["id"]: each["name"] for each in dataset.truth["categories"]}
    images = sorted(dataset.truth["images"], key=lambda image: image["id"])

    def objects(rows, image):
        return [as_object(row, names) for row in rows if row["image_id"] == image["id"]]

    return [
        {
            "image_path": image["file_name"],
            "gt_norm1000": objects(dataset.truth["annotations"], image),
            "pred": objects(dataset.results, image),
        }
        for image in images
    ]


def as_object(row, names):
    x, y, width, height = row["bbox"]
    return {"type": "bbox_2d", "points": [x, y, x + width, y + height], "desc": f"类别={names[row['category_id']]}"}


def inside(dataset):
    """Boxes on quarters within images of 1000 x 1000: their corners are exact."""
    images = [image | {"width": 1000, "height": 1000} for image in dataset.truth["images"]]
    annotations = [row | {"bbox": quartered(row["bbox"])} for row in dataset.truth["annotations"]]
    results = [row | {"bbox": quartered(row["bbox"])} for row in dataset.results]
    return Dataset(dataset.truth | {"images": images, "annotations": annotations}, results)


def quartered(box):
    x, y, width, height = (np.round(4 * np.abs(box)) / 4).tolist()
    return [min(x, 700), min(y, 700), min(width, 300), min(height, 300)]


@pytest.mark.parametrize("seed", seeds(30))
def test_the_sweep_is_that_of_the_dense_suite(seed):
    dataset = inside(plain(seed + 5000, crowd=0))
    sweep = measured(dataset, bootstrap=60, seed=seed)["sweep"]
    assert sweep == calipers.dense(as_records(dataset), bootstrap=60, seed=seed)["modes"]["category"]
