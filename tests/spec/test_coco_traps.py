"""Traps that evaluators of detections fell into, one test each, under its number: here they are shut."""

import gzip
import json
import math
import time

import pytest

import calipers

from ..parity import coco_reference as reference
from ..parity.coco_datasets import Dataset, annotation, coco_json, detection

MOST_CPU_SEC = 20  # far more than it takes, far less than reading on would
BOX = [0, 0, 10, 10]
SWEEP = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
DEPTHS = [100, 1000, 1020, 1100, 100_000]
HOSTILE = "\x1b[2J\x1b]0;title\x07\u202e\u2066\u200b\x9b31m\x7f\x00\u2028"


def near(value):
    return pytest.approx(value, abs=1e-12, rel=0)


def measured(truth, results, **options):
    return calipers.coco(truth, results, **{"bootstrap": 0, **options})


def at(k, size=8):
    """The k-th of many boxes that do not touch."""
    return [10 * (k % 50), 10 * (k // 50), size, size]


# ---------------------------------------------------------------- 1 - 5: what goes unseen


@pytest.mark.parametrize("number", [0, -1, 2**53 + 1])
def test_trap_01_annotation_id_0_is_an_id(number):
    truth = coco_json(annotation(BOX, id=number), annotation(at(7), id=5))
    report = measured(truth, [detection(BOX, 0.9), detection(at(7), 0.8)])
    assert (report["coco"]["AP"], report["sweep"]["mean_f1"]) == (near(1), 1)


def test_trap_01_a_lone_object_of_id_0_is_found():
    assert measured(coco_json(annotation(BOX, id=0)), [detection(BOX, 0.9)])["coco"]["AP"] == near(1)


def test_trap_02_max_dets_cuts_in_silence():
    truth = coco_json(*(annotation(at(k)) for k in range(150)))
    results = [detection(at(k), 1 - k / 1000) for k in range(150)]
    report, theirs = measured(truth, results), reference.evaluated(Dataset(truth, results))
    assert report["coco"]["AP"] == near(reference.stats(theirs)[0]) == near(67 / 101)  # recall 100/150: steps 0 … 66
    assert report["objects"]["cut_by_max_dets"] == 50
    assert "50" in next(line for line in str(report).splitlines() if "max" in line.lower() and "cut" in line.lower())
    assert report["sweep"]["mean_f1"] == 1  # which knows no limit
    all_of_them = measured(truth, results, max_dets=[1, 10, 150])
    assert (all_of_them["coco"]["AP"], all_of_them["objects"]["cut_by_max_dets"]) == (near(1), 0)
    assert "cut" not in str(all_of_them)


def test_trap_02_the_cut_is_per_image_and_class():
    rows = [(k, kind, image) for image in (1, 2) for kind in (1, 2) for k in range(60)]
    truth = coco_json(*(annotation(at(k), kind, image) for k, kind, image in rows), images=2)
    results = [detection(at(k), 0.9 - k / 1000, kind, image) for k, kind, image in rows]
    assert measured(truth, results)["objects"]["cut_by_max_dets"] == 0
    assert measured(truth, results, max_dets=[50])["objects"]["cut_by_max_dets"] == 4 * 10


@pytest.mark.parametrize("max_dets", [[5], [1, 5], [5, 1, 10], [1, 10, 300], [1, 2, 3, 4], "1, 10, 300"])
def test_trap_03_changing_max_dets_leaves_ap_defined(max_dets):
    report = measured(coco_json(annotation(BOX)), [detection(BOX, 0.9)], max_dets=max_dets)
    assert [report["coco"][name] for name in ("AP", "AP_50", "AP_75", "AP_small")] == [near(1)] * 4
    limits = sorted(report["params"]["max_dets"])
    assert [name for name in report["coco"] if name[3:].isdigit() and name.startswith("AR")] == [
        f"AR_{n}" for n in limits
    ]
    assert [report["coco"][f"AR_{most}"] for most in limits] == [near(1)] * len(limits)


def test_trap_04_hallucinated_classes_are_invisible_to_ap():
    false = [detection(at(k), 0.9 - k / 100, kind=2) for k in range(20)]
    report = measured(coco_json(annotation(BOX)), [detection(BOX, 0.5), *false])
    assert report["coco"]["AP"] == near(1)
    assert report["objects"]["absent_class_pred"] == 20
    assert report["absent_classes"] == [{"category_id": 2, "name": "sign", "pred": 20}]
    assert "20" in next(line for line in str(report).splitlines() if "absent" in line or "sign" in line)
    primary = report["sweep"]["primary"]
    assert (primary["pred"], primary["matched"]) == (21, 1)


def test_trap_05_equal_scores_make_ap_depend_on_the_order():
    truth = coco_json(*(annotation(at(k), image=k) for k in range(1, 5)), images=4)
    results = [detection(at(k if k % 2 else k + 9), 0.5, image=k) for k in (1, 2, 3, 4)]
    reports = [measured(truth, order) for order in (results, results[::-1])]
    for report in reports:
        assert report["coco"]["AP"] is None
        assert "score" in report["ap_undefined_reason"]
        assert report["tie_mass"] == 1
        assert (report["sweep"]["primary"]["matched"], report["sweep"]["primary"]["f1"]) == (2, 0.5)
    assert reports[0].to_json() == reports[1].to_json()


def test_trap_05_some_ties_are_told():
    truth = coco_json(annotation(at(0)), annotation(at(1)))
    report = measured(
        truth, [detection(at(0), 0.5), detection(at(1), 0.5), detection(at(2), 0.4), detection(at(3), 0.3)]
    )
    assert report["ap_undefined_reason"] is None
    assert report["tie_mass"] == 0.5


# ---------------------------------------------------------------- 7 - 11: borders and bad values


@pytest.mark.parametrize("met", range(10))
def test_trap_07_an_overlap_exactly_on_the_threshold_meets_it(met):
    width = round(100 * SWEEP[met])
    truth = coco_json(annotation([0, 0, 100, 10]))
    report = measured(truth, [detection([0, 0, width, 10], 0.9)])
    assert [row["matched"] for row in report["sweep"]["thresholds"]] == [1] * (met + 1) + [0] * (9 - met)
    assert [row["iou"] for row in report["sweep"]["thresholds"]] == list(SWEEP)
    assert report["coco"]["AP"] == near((met + 1) / 10)


@pytest.mark.parametrize("met", range(10))
def test_trap_07_also_when_floats_miss_it_by_a_bit(met):
    # tenths and thirds: the overlap is off by rounding in floats
    truth = coco_json(annotation([0.1, 0.3, 0.7, 1 / 3]))
    report = measured(truth, [detection([0.1, 0.3, 0.7 * SWEEP[met], 1 / 3], 0.9)])
    assert [row["matched"] for row in report["sweep"]["thresholds"]] == [1] * (met + 1) + [0] * (9 - met)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", range(4))
def test_trap_08_a_nan_box_scores_1(bad, place):
    box = [*BOX[:place], bad, *BOX[place + 1 :]]
    truth = coco_json(annotation(BOX))
    report = measured(truth, [detection(box, 0.9)])
    assert report["coco"]["AP"] == 0
    assert (report["objects"]["pred"], report["objects"]["invalid_pred"]) == (1, 1)
    assert (report["errors"]["spurious"], report["errors"]["missed"]) == (1, 1)
    assert sum(report["invalid_reasons"].values()) == 1
    both = measured(truth, [detection(box, 0.9), detection(BOX, 0.5)])
    assert both["coco"]["AP"] == near(1)  # the engine cannot place it
    assert both["sweep"]["primary"]["precision"] == 0.5  # here it counts
    with pytest.raises(calipers.InputError, match=r"annotations\[0\]"):
        measured(coco_json(annotation(box, area=100)), [])


@pytest.mark.parametrize("box", [[10, 10, -10, -10], [0, 0, -10, 10], [0, 0, 10, -0.001]])
def test_trap_09_negative_sizes_score_0_in_silence(box):
    report = measured(coco_json(annotation(BOX)), [detection(box, 0.9), detection(BOX, 0.8)])
    assert report["objects"]["invalid_pred"] == 1
    assert report["errors"]["spurious"] == 1
    [words] = report["invalid_reasons"]
    assert "negative" in words
    with pytest.raises(calipers.InputError, match=r"annotations\[0\].* 1\b.*bbox"):
        measured(coco_json(annotation(box, area=100)), [])


def test_trap_10_missing_area_is_derived_and_said():
    for side, size in ((10, "small"), (50, "medium"), (100, "large")):
        row = annotation([0, 0, side, side])
        del row["area"]
        report = measured(coco_json(row), [detection([0, 0, side, side], 0.9)])
        assert report["coco"][f"AP_{size}"] == near(1)
        [warning] = report["warnings"]
        assert "area" in warning


def test_trap_10_the_area_of_a_mask_is_its_own():
    # a triangle in a box of 100 x 100: less than 9216
    row = annotation([0, 0, 100, 100], segmentation=[[0, 0, 100, 0, 0, 100]])
    del row["area"]
    result = {"image_id": 1, "category_id": 1, "segmentation": [[0, 0, 100, 0, 0, 100]], "score": 0.9}
    report = measured(coco_json(row), [result], iou_type="segm")
    assert (report["coco"]["AP_medium"], report["coco"]["AP_large"]) == (near(1), None)


def test_trap_11_duplicate_annotation_ids_are_refused():
    truth = coco_json(annotation(BOX, id=7), annotation(at(3), id=8), annotation(at(5), id=7))
    with pytest.raises(calipers.InputError, match=r"annotations\[0\].*\[2\].*\b7\b"):
        measured(truth, [detection(BOX, 0.9)])


# ---------------------------------------------------------------- 40, 41: untrusted text (38: see its tables), limits


def hostile_files(folder, name):
    truth = coco_json(annotation(BOX), annotation(at(5)), names=(name, f"{name} 2"))
    truth["images"][0]["file_name"] = name
    (folder / "gt.json").write_text(json.dumps(truth))
    (folder / "pred.json").write_text(json.dumps([detection(BOX, 0.9), detection(at(9), 0.8, kind=2)]))
    return str(folder / "gt.json"), str(folder / "pred.json")


def test_trap_40_escape_sequences_in_labels_reach_the_terminal(tmp_path):
    report = calipers.coco(*hostile_files(tmp_path, HOSTILE))
    assert all(char.isprintable() for line in str(report).split("\n") for char in line), ascii(str(report))
    assert report["per_class"][0]["name"] == HOSTILE  # the artifact keeps it


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("side", ["gt", "pred"])
def test_trap_41_deep_json_ends_in_a_clear_error(tmp_path, side, depth):
    deep = "[" * depth + "]" * depth
    texts = [deep, f'{{"annotations": {deep}}}']
    texts += [f'{{"images": {deep}, "annotations": [], "categories": []}}'] if side == "gt" else []
    good = coco_json(annotation(BOX)), [detection(BOX, 0.9)]
    for text in texts:
        path = tmp_path / "deep.json"
        path.write_text(text)
        sides = (str(path), good[1]) if side == "gt" else (good[0], str(path))
        with pytest.raises(calipers.InputError, match=r"deep\.json: "):
            measured(*sides)


@pytest.mark.parametrize("depth", DEPTHS)
def test_trap_41_a_deep_value_spoils_no_more_than_its_detection(tmp_path, depth):
    deep = "[" * depth + "]" * depth
    path = tmp_path / "deep.json"
    path.write_text(f'[{{"image_id": 1, "category_id": 1, "bbox": {deep}, "score": 0.5}}]')
    truth = coco_json(annotation(BOX))
    if depth <= 1020:
        assert measured(truth, str(path))["objects"]["invalid_pred"] == 1
    else:
        with pytest.raises(calipers.InputError, match=r"deep\.json: "):
            measured(truth, str(path))


@pytest.mark.parametrize("garbage", [b"[" * 20_000_000, b"\x00" * 20_000_000, b'"' + b"a" * 20_000_000])
def test_trap_41_twenty_megabytes_of_garbage_are_refused_early(tmp_path, garbage):
    path = tmp_path / "huge.json"
    path.write_bytes(garbage)
    began = time.process_time()
    with pytest.raises(calipers.InputError, match=r"huge\.json: ") as raised:
        measured(str(path), [])
    assert time.process_time() - began < MOST_CPU_SEC
    assert len(str(raised.value)) < 2000


def test_trap_41_a_mask_cannot_ask_for_more_memory_than_its_image():
    mask = {"size": [10**9, 10**9], "counts": [0, 10**18]}
    result = {"image_id": 1, "category_id": 1, "segmentation": mask, "score": 0.9}
    row = annotation(BOX, segmentation=[[0, 0, 0, 10, 10, 10]])
    began = time.process_time()
    report = measured(coco_json(row), [result], iou_type="segm")
    assert report["objects"]["invalid_pred"] == 1
    assert time.process_time() - began < MOST_CPU_SEC


def test_trap_41_compressed_garbage_is_no_json(tmp_path):
    path = tmp_path / "gt.json.gz"
    path.write_bytes(gzip.compress(b"[" * 1_000_000))
    with pytest.raises(calipers.InputError, match=r"gt\.json\.gz: "):
        measured(str(path), [])
