"""Laws that every number of the detection suite keeps, whatever the images.

Ground truth as prediction is perfect; order and ids change nothing, nor does the process; and every object and every
detection is accounted for once.
"""

import copy
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers

from ..parity import coco_datasets
from ..profiles import examples

laws = settings(max_examples=examples(30), derandomize=True, deadline=None)
seeds = st.integers(0, 2**32)
iou_types = st.sampled_from(["bbox", "bbox", "bbox", "segm", "keypoints"])
SOURCE = Path(calipers.__file__).parents[1]
OF_TWO_OBJECTS = ("wrong_label", "misplaced", "wrong_label_and_place")
OF_PREDICTIONS = (*OF_TWO_OBJECTS, "duplicate", "spurious")
SHAPES = ("bbox", "segmentation", "keypoints")
CROWD = [0, 0, 90, 90]  # a corner that objects keep out of


def draw(seed, iou_type="bbox", **chosen):
    """A data set in which every object can be found: it has a size that counts, and people a labelled point."""
    dataset = coco_datasets.draw(seed, iou_type, vast=False, **chosen)
    rows = [row for row in dataset.truth["annotations"] if row.get("num_keypoints", 1)]
    return dataset._replace(truth=dataset.truth | {"annotations": rows})


def evaluate(truth, results, iou_type="bbox", **options):
    return calipers.coco(truth, results, iou_type=iou_type, **{"bootstrap": 50, **options})


def numbers(report):
    """The artifact without what tells of the files; warnings name the first place they are about."""
    tree = {name: value for name, value in report.tree.items() if name != "inputs"}
    return re.sub(r"\[\d+\]\)", "[…])", json.dumps(tree, ensure_ascii=False))


def shuffled(rng, rows):
    return [dict(rng.sample(list(row.items()), len(row))) for row in rng.sample(rows, len(rows))]


def without_ties(seed, iou_type):
    """No two scores alike, and hardly two overlaps."""
    return draw(seed, iou_type, whole=False, levels=0, left_out=False)


# ---------------------------------------------------------------- perfect is perfect


def scored(rng, rows):
    scores = rng.sample(range(1, 10 * len(rows) + 1), len(rows))
    return [
        {"image_id": row["image_id"], "category_id": row["category_id"], "score": score / (10 * len(rows) + 1)}
        | {name: row[name] for name in SHAPES if name in row}
        for row, score in zip(rows, scores, strict=True)
    ]


def apart(rows):
    """Objects that have a size, with a crowd in a corner of every image and class that has some."""
    objects = [
        row | {"iscrowd": 0, "bbox": [*(abs(x) + 100 for x in row["bbox"][:2]), *row["bbox"][2:]]} for row in rows
    ]
    objects = [row for row in objects if row["bbox"][2] > 0.01 < row["bbox"][3]]
    places = sorted({(row["image_id"], row["category_id"]) for row in objects})
    crowds = [
        {"id": 10**6 + k, "image_id": image, "category_id": kind, "bbox": CROWD, "area": 8100, "iscrowd": 1}
        for k, (image, kind) in enumerate(places)
    ]
    return objects + crowds


@laws
@given(seeds, st.booleans())
def test_ground_truth_as_prediction_is_perfect(seed, with_crowds):
    dataset, rng = draw(seed, left_out=False), random.Random(seed)
    rows = apart(dataset.truth["annotations"])
    rows = rows if with_crowds else [row for row in rows if not row["iscrowd"]]
    results = scored(rng, rows)
    if len(rows) == 0:
        return
    report = evaluate(dataset.truth | {"annotations": rows}, results)
    limited = {"AR_1", "AR_10"}  # these find no more than their number
    lines = [value for name, value in report["coco"].items() if name not in limited and value is not None]
    assert lines == [pytest.approx(1)] * len(lines)
    assert report["coco"]["AP"] is not None
    assert (report["map_50"], report["precision_at_recall"]) == (pytest.approx(1), pytest.approx(1))
    assert (report["sweep"]["mean_f1"], report["sweep"]["primary"]["f1"]) == (1, 1)
    crowds = sum(row["iscrowd"] for row in rows)
    right = {"matched": len(rows) - crowds, "in_crowd": crowds}
    assert report["errors"] == dict.fromkeys((*OF_PREDICTIONS, "missed"), 0) | right
    assert report["objects"]["in_crowd"] == report["objects"]["crowd"]
    assert {row["best_f1"] for row in report["per_class"]} - {None} == {1}
    confusion = report["confusion"]
    assert not any((*confusion["missed"].values(), *confusion["background"].values()))
    assert {
        kind for kind, row in confusion["matched"].items() for other in row if row[other] and other != kind
    } == set()


@laws
@given(seeds, st.sampled_from(["segm", "keypoints"]))
def test_ground_truth_of_other_types_is_perfect_too(seed, iou_type):
    dataset, rng = draw(seed, iou_type, crowd=0, own_area=0, left_out=False), random.Random(seed)
    rows = [row for row in dataset.truth["annotations"] if row["area"] > 0]
    if not rows:
        return
    report = evaluate(dataset.truth | {"annotations": rows}, scored(rng, rows), iou_type)
    assert report["coco"]["AP"] == report["coco"]["AP_75"] == pytest.approx(1)
    assert report["sweep"]["mean_f1"] == 1
    matched = report["sweep"]["primary"]["gt"]
    assert report["errors"] == dict.fromkeys((*OF_PREDICTIONS, "missed", "in_crowd"), 0) | {"matched": matched}


# ---------------------------------------------------------------- order and ids


@laws
@given(seeds, iou_types)
def test_order_changes_no_byte(seed, iou_type):
    dataset, rng = without_ties(seed, iou_type), random.Random(seed)
    turned = {name: shuffled(rng, rows) for name, rows in dataset.truth.items()}
    turned = dict(rng.sample(list(turned.items()), len(turned)))
    one, other = (
        evaluate(truth, results, iou_type)
        for truth, results in ((dataset.truth, dataset.results), (turned, shuffled(rng, dataset.results)))
    )
    assert numbers(one) == numbers(other)
    assert str(one) == str(other)


@laws
@given(seeds)
def test_with_tied_scores_the_order_of_images_still_changes_nothing(seed):
    dataset, rng = draw(seed), random.Random(seed)
    truth = dataset.truth | {name: shuffled(rng, dataset.truth[name]) for name in ("images", "categories")}
    assert numbers(evaluate(dataset.truth, dataset.results)) == numbers(evaluate(truth, dataset.results))


def renumbered(dataset, rng):
    """Other ids in the same order, and other annotation ids in any order."""
    truth, results = copy.deepcopy(dataset.truth), copy.deepcopy(dataset.results)
    for table, field in (("images", "image_id"), ("categories", "category_id")):
        old = sorted(row["id"] for row in truth[table])
        new = dict(zip(old, sorted(rng.sample(range(-1000, 10**9), len(old))), strict=True))
        for row in truth[table]:
            row["id"] = new[row["id"]]
        for row in (*truth["annotations"], *results):
            row[field] = new[row[field]]
    ids = rng.sample(range(10**6), len(truth["annotations"]))
    for row, number in zip(truth["annotations"], ids, strict=True):
        row["id"] = number
    return truth, results


@laws
@given(seeds, iou_types)
def test_ids_change_nothing_but_themselves(seed, iou_type):
    dataset = draw(seed, iou_type)
    one = evaluate(dataset.truth, dataset.results, iou_type)
    other = evaluate(*renumbered(dataset, random.Random(seed)), iou_type)
    plain = [copy.deepcopy({k: v for k, v in each.tree.items() if k != "inputs"}) for each in (one, other)]
    for tree in plain:
        for row in (*tree["per_class"], *tree["absent_classes"]):
            del row["category_id"]
    assert json.dumps(plain[0]) == json.dumps(plain[1])


@laws
@given(seeds, iou_types)
def test_the_data_of_the_caller_is_left_alone(seed, iou_type):
    dataset = draw(seed, iou_type)
    before = copy.deepcopy(dataset)
    evaluate(dataset.truth, dataset.results, iou_type)
    assert dataset == before


# ---------------------------------------------------------------- nothing is lost


@laws
@given(seeds, iou_types, st.floats(0, 1))
def test_every_object_and_every_detection_is_accounted_for(seed, iou_type, share_of_broken):
    dataset, rng = draw(seed, iou_type), random.Random(seed)
    shape = {"bbox": "bbox", "segm": "segmentation", "keypoints": "keypoints"}[iou_type]
    results = [row | {shape: [1, 2, 3]} if rng.random() < share_of_broken else row for row in dataset.results]
    broken = sum(row[shape] == [1, 2, 3] for row in results)
    report = evaluate(dataset.truth, results, iou_type)
    objects, errors, primary = report["objects"], report["errors"], report["sweep"]["primary"]
    matched = primary["matched"]
    assert objects["invalid_pred"] == sum(report["invalid_reasons"].values()) == broken
    assert (
        matched + sum(errors[name] for name in OF_PREDICTIONS) + objects["in_crowd"] == objects["pred"] == len(results)
    )
    assert errors["spurious"] >= broken
    assert (errors["matched"], errors["in_crowd"]) == (matched, objects["in_crowd"])
    found = matched + sum(errors[name] for name in OF_TWO_OBJECTS)
    assert found + errors["missed"] == objects["gt"] - objects["crowd"] == primary["gt"]
    assert primary["pred"] == objects["pred"] - objects["in_crowd"]
    confusion = report["confusion"]
    pairs = sum(n for row in confusion["matched"].values() for n in row.values())
    assert pairs + sum(confusion["missed"].values()) == primary["gt"]
    assert pairs + sum(confusion["background"].values()) == primary["pred"]
    assert sum(row["pred"] for row in report["per_class"]) == objects["pred"]
    images = report["images"]
    assert images["total"] == images["evaluated"] + images["skipped_empty"] + images["rejected"]


@laws
@given(seeds, iou_types)
def test_the_table_of_matches_says_the_same(seed, iou_type):
    dataset = draw(seed, iou_type)
    report = evaluate(dataset.truth, dataset.results, iou_type)
    rows = report.matches()
    objects = report["objects"]
    sides = {side: [row for row in rows if row["side"] == side] for side in ("gt", "pred")}
    assert len(sides["pred"]) in (objects["pred"], objects["pred"] - objects["in_crowd"])
    assert len(sides["gt"]) in (objects["gt"], objects["gt"] - objects["crowd"])


# ---------------------------------------------------------------- more detections


@laws
@given(seeds)
def test_a_detection_below_all_others_takes_nothing_away(seed):
    """A wrong detection at the end of the ranking leaves AP as it is, and one less precise sweep."""
    dataset = draw(seed, levels=0, many=False, images=4)
    if len(dataset.results) < 2 or not dataset.truth["annotations"]:
        return
    row = dataset.truth["annotations"][0]
    wrong = {"image_id": row["image_id"], "category_id": row["category_id"], "bbox": [5000, 5000, 9, 9], "score": 0.0}
    one, other = (evaluate(dataset.truth, results) for results in (dataset.results, [*dataset.results, wrong]))
    assert other["coco"] == {name: value and pytest.approx(value, abs=1e-12) for name, value in one["coco"].items()}
    assert other["errors"]["spurious"] == one["errors"]["spurious"] + 1


@laws
@given(seeds, st.sampled_from([2.0, 0.5, 0.125]))
def test_only_the_order_of_scores_matters_to_ap(seed, factor):
    dataset = draw(seed)
    scaled = [row | {"score": row["score"] * factor} for row in dataset.results]
    one, other = (evaluate(dataset.truth, results) for results in (dataset.results, scaled))
    for name in ("coco", "intervals", "map_50", "precision_at_recall", "tie_mass", "curves", "sweep", "errors"):
        assert one.get(name) == other.get(name), name
    for mine, theirs in zip(one["per_class"], other["per_class"], strict=True):
        assert mine["best_f1"] == theirs["best_f1"]
        best = mine["best_score"]
        assert theirs["best_score"] == (None if best is None else best * factor)


# ---------------------------------------------------------------- processes


PROGRAM = """
import sys, calipers
report = calipers.coco("gt.json", "pred.json", iou_type=sys.argv[1], bootstrap=50)
sys.stdout.buffer.write(report.to_json() + str(report).encode())
"""


@pytest.mark.parametrize("iou_type", ["bbox", "segm", "keypoints"])
def test_the_process_changes_no_byte(tmp_path, iou_type):
    dataset = draw(11, iou_type, images=8)
    (tmp_path / "gt.json").write_text(json.dumps(dataset.truth))
    (tmp_path / "pred.json").write_text(json.dumps(dataset.results))
    outputs = set()
    for hash_seed, threads, zone in (("0", "1", "UTC"), ("99", "4", "America/New_York")):
        env = os.environ | {"PYTHONPATH": str(SOURCE), "PYTHONHASHSEED": hash_seed, "TZ": zone}
        env |= {"RAYON_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        command = [sys.executable, "-c", PROGRAM, iou_type]
        outputs.add(subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=True).stdout)
    [output] = outputs
    assert b"NaN" not in output
