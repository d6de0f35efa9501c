"""What `calipers coco` prints and writes: the lines users know, the artifact as it is defined, text that stays text."""

import csv
import io
import json
import math
import os
import re
from pathlib import Path

import pytest

import calipers

from ..parity import coco_reference as reference
from ..parity.coco_datasets import Dataset, annotation, coco_json, detection, draw
from ..profiles import seeds

INPUTS = ["--gt", "gt.json", "--pred", "pred.json"]
BOX, FAR = [0, 0, 10, 10], [50, 0, 10, 10]
FILES = {
    "result.json",
    "matches.csv",
    "cases.jsonl",
    "per_class.csv",
    "report.html",
    "errors.csv",
    "errors_by_label.csv",
}
HOSTILE = "\x1b[2J\x1b]0;title\x07\u202e\u2066\u200b\x9b31m\x7f\x00\u2028"
FORMULAS = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "=cmd|' /C calc'!A0"]
ARTIFACT = [
    *(
        "suite",
        "protocol",
        "calipers",
        "inputs",
        "params",
        "images",
        "objects",
        "coco",
        "intervals",
        "map_50",
    ),
    *(
        "precision_at_recall",
        "precision_at_target",
        "tie_mass",
        "ap_undefined_reason",
        "per_class",
        "curves",
        *("calibration", "calibration_undefined_reason", "operating_points", "operating_points_undefined_reason"),
        "confusion",
        "errors",
        "errors_by_label",
        "worth",
        "worth_ap_50_undefined_reason",
        "sweep",
    ),
]
BESIDES = {"counts", "invalid_reasons", "absent_classes", "warnings", "rejected", "bootstrap"}
OBJECTS = ["gt", "crowd", "pred", "invalid_pred", "cut_by_max_dets", "absent_class_pred", "in_crowd", "unlabelled"]
PER_CLASS = [
    *(
        "category_id",
        "name",
        "gt",
        "pred",
        "AP",
        "AP_50",
        "AR",
        "precision_at_recall",
        "precision_at_target",
        "best_score",
        "best_f1",
    )
]
ERRORS = [
    *("matched", "wrong_label", "misplaced", "wrong_label_and_place", "duplicate", "spurious", "missed"),
    "in_crowd",
]


def write(name, content):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def write_both(dataset):
    write("gt.json", dataset.truth)
    write("pred.json", dataset.results)
    return ["coco", *INPUTS, "--iou-type", dataset.iou_type]


def plain():
    """Two classes on three images: found, missed, invented, taken for another, twice, in a crowd, broken."""
    truth = coco_json(
        *(annotation(BOX), annotation(FAR), annotation(BOX, image=2), annotation([0, 100, 99, 99], iscrowd=1)),
        *(annotation(FAR, kind=2, image=2), annotation([200, 0, 100, 100], kind=2, image=2)),
        images=4,
    )
    results = [
        *(detection(BOX, 0.9), detection([0, 0, 10, 9], 0.8), detection([5, 110, 9, 9], 0.7), detection(FAR, 0.6, 2)),
        *(detection(FAR, 0.5, 1, 2), detection([200, 0, 100, 30], 0.4, 2, 2), detection(BOX, 0.3, 1, 3)),
        detection([1, 2, -3, 4], 0.2),
    ]
    return Dataset(truth, results)


def table(path):
    return list(csv.DictReader(io.StringIO(Path(path).read_bytes().decode(), newline="")))


def cells(path):
    return [cell for row in csv.reader(io.StringIO(Path(path).read_bytes().decode(), newline="")) for cell in row]


def all_prints(text):
    return all(char.isprintable() for line in text.split("\n") for char in line)


# ---------------------------------------------------------------- the lines users know


def expected_lines(dataset):
    """What pycocotools prints, with -1.000 where there is no number."""
    return reference.printed(reference.evaluated(dataset))


def printed_lines(out):
    return [line for line in out.decode().splitlines() if line.startswith(" Average ")]


@pytest.mark.parametrize("iou_type", ["bbox", "segm", "keypoints"])
@pytest.mark.parametrize("seed", seeds(6))
def test_the_lines_are_those_of_pycocotools(run, iou_type, seed):
    dataset = draw(seed + 7000, iou_type, levels=0)
    ended = run(*write_both(dataset), "--bootstrap", 0)
    expected = expected_lines(dataset)
    assert len(expected) == (10 if iou_type == "keypoints" else 12)
    assert printed_lines(ended.out) == expected


def test_undefined_lines_are_those_of_pycocotools_and_explained_below(run):
    dataset = Dataset(coco_json(annotation(BOX)), [detection(BOX, 0.9)])
    out = run(*write_both(dataset)).out
    lines = printed_lines(out)
    assert lines == expected_lines(dataset)
    assert sum(line.endswith(" = -1.000") for line in lines) == 4
    everything = out.decode().splitlines()
    below = everything[everything.index(lines[-1]) + 1]
    assert below == " -1.000 is undefined (—): no such object has to be found."


def test_without_detections_the_lines_say_0(run):
    dataset = Dataset(coco_json(annotation(BOX)), [])
    lines = printed_lines(run(*write_both(dataset)).out)
    assert lines == expected_lines(dataset)
    assert sum(line.endswith(" = 0.000") for line in lines) == 8


def test_without_an_order_no_line_claims_an_ap(run):
    dataset = Dataset(coco_json(annotation(BOX)), [detection(BOX, 0.5), detection(FAR, 0.5)])
    out = run(*write_both(dataset)).out.decode()
    lines = [line for line in out.splitlines() if "Average Precision" in line]
    assert all(line.endswith(" = -1.000") for line in lines)
    assert "all 2 scores are 0.5" in out


def test_other_limits_are_printed_as_such(run):
    out = run(*write_both(plain()), "--max-dets", "1,5,300").out
    lines = printed_lines(out)
    assert len(lines) == 12
    assert [re.search(r"maxDets=\s*(\d+)", line)[1] for line in lines] == ["300"] * 6 + ["1", "5", "300"] + ["300"] * 3


# ---------------------------------------------------------------- the artifact


def test_the_artifact_is_as_defined(run):
    tree = run(*write_both(plain()), "--json").artifact()
    assert list(tree)[: len(ARTIFACT)] == ARTIFACT
    assert set(tree) - set(ARTIFACT) == BESIDES
    assert (tree["suite"], tree["protocol"], tree["calipers"]) == ("coco", "coco/1", calipers.__version__)
    assert [list(each) for each in tree["inputs"]] == [["path", "sha256", "records"]] * 2
    assert [each["path"] for each in tree["inputs"]] == ["gt.json", "pred.json"]
    assert list(tree["params"])[:3] == ["iou_type", "max_dets", "recall_target"]
    assert tree["images"] == {"total": 4, "evaluated": 3, "skipped_empty": 1, "rejected": 0, "without_pred": 0}
    assert list(tree["objects"]) == OBJECTS
    assert tree["objects"] == dict(zip(OBJECTS, (6, 1, 8, 1, 0, 0, 1, 0), strict=True))
    sizes = ("small", "medium", "large")
    ap = ["AP", "AP_50", "AP_75", *(f"AP_{size}" for size in sizes)]
    assert list(tree["coco"]) == [*ap, "AR_1", "AR_10", "AR_100", *(f"AR_{size}" for size in sizes)]
    assert list(tree["intervals"]) == ["AP", "AP_50", "AP_75", "AR_100", "precision_at_recall", "precision_at_target"]
    assert [list(row) for row in tree["per_class"]] == [PER_CLASS] * 2
    assert list(tree["curves"]) == ["cone", "sign"]
    assert all(list(curve) == ["recall", "precision"] for curve in tree["curves"].values())
    assert all(len(values) == 101 for curve in tree["curves"].values() for values in curve.values())
    assert list(tree["confusion"]) == ["matched", "missed", "background"]
    assert list(tree["errors"]) == ERRORS
    assert list(tree["counts"]) == ["mae", "over_rate", "under_rate", "equal_rate"]
    assert set(tree["bootstrap"]) >= {"replicates", "seed"}


def test_its_numbers_by_hand(run):
    tree = run(*write_both(plain()), "--json").artifact()
    # found: the first cone. A cone is taken for a sign and a sign for a cone, a sign is found too small, a cone missed
    assert tree["errors"] == dict(zip(ERRORS, (1, 2, 1, 0, 1, 2, 1, 1), strict=True))
    primary = tree["sweep"]["primary"]
    assert (primary["gt"], primary["pred"], primary["matched"]) == (5, 7, 1)
    table = {(a, b): n for a, row in tree["confusion"]["matched"].items() for b, n in row.items() if n}
    assert table == {("cone", "cone"): 1, ("cone", "sign"): 1, ("sign", "cone"): 1}


def test_the_sweep_has_the_shape_of_a_mode_of_the_dense_suite(run):
    tree = run(*write_both(plain()), "--json").artifact()
    box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=cone"}
    mode = calipers.dense([{"gt_norm1000": [box], "pred": [box]}])["modes"]["category"]
    assert shape(tree["sweep"]) == shape(mode)


def shape(value):
    """Names all the way down, and of lists the first."""
    if isinstance(value, dict):
        return [(name, shape(inner)) for name, inner in value.items() if "interval" not in name]
    return [shape(value[0])] if isinstance(value, list) and value else None


@pytest.mark.parametrize("iou_type", ["bbox", "segm", "keypoints"])
def test_nan_is_never_in_the_artifact(run, iou_type):
    for seed in range(4):
        ended = run(*write_both(draw(seed + 7100, iou_type)), "--bootstrap", 50, "--json")
        assert ended.code == 0, ended.err
        assert not re.search(rb"\b(NaN|-?Infinity|nan|inf)\b", ended.out)
        assert no_nan(json.loads(ended.out, parse_constant=lambda text: pytest.fail(text)))
        assert b"-1.0" not in ended.out


def no_nan(value):
    if isinstance(value, dict):
        return all(map(no_nan, value.values()))
    if isinstance(value, list):
        return all(map(no_nan, value))
    return not isinstance(value, float) or math.isfinite(value)


def test_inputs_carry_their_digests_and_counts(run):
    from hashlib import sha256

    tree = run(*write_both(plain()), "--json").artifact()
    for each in tree["inputs"]:
        assert each["sha256"] == sha256(Path(each["path"]).read_bytes()).hexdigest()
    assert [each["records"] for each in tree["inputs"]] == [4, 8]  # images, detections


# ---------------------------------------------------------------- files


def test_a_folder_receives_the_tables(run):
    ended = run(*write_both(plain()), "-o", "deep/out")
    assert (ended.code, ended.err) == (0, "")
    assert set(os.listdir("deep/out")) >= FILES
    assert "deep/out" in ended.out.decode()


def test_the_table_of_classes_says_what_the_artifact_says(run):
    tree = run(*write_both(plain()), "--json", "-o", "out").artifact()
    rows = table("out/per_class.csv")
    assert [row["name"] for row in rows] == [row["name"] for row in tree["per_class"]]
    for row, expected in zip(rows, tree["per_class"], strict=True):
        for name in PER_CLASS:
            assert row[name] == ("" if expected[name] is None else str(expected[name]))


def test_the_table_of_matches_has_every_object_and_detection(run):
    run(*write_both(plain()), "-o", "out")
    rows = table("out/matches.csv")
    causes = {side: [row["cause"] for row in rows if row["side"] == side] for side in ("gt", "pred")}
    assert causes["gt"] == ["matched", "wrong_label", "crowd", "missed", "wrong_label", "misplaced"]
    first = ["matched", "duplicate", "in_crowd", "wrong_label", "spurious"]  # of the first image, the broken one last
    assert causes["pred"] == [*first, "wrong_label", "misplaced", "spurious"]
    assert len(rows) == len(calipers.coco("gt.json", "pred.json").matches())


def test_cases_are_lines_of_json(run):
    run(*write_both(plain()), "-o", "out")
    lines = Path("out/cases.jsonl").read_text().splitlines()
    assert [json.loads(line)["key"] for line in lines] == ["1.jpg", "2.jpg", "3.jpg"]


def test_what_was_derived_is_said_on_standard_error(run):
    truth = coco_json(annotation(BOX))
    del truth["annotations"][0]["area"]
    ended = run(*write_both(Dataset(truth, [detection(BOX, 0.9)])), "--json")
    assert ended.err.count("warning: ") == 1
    assert "area" in ended.err


def test_the_summary_says_what_ap_does_not_see(run):
    truth = coco_json(*(annotation([20 * k, 0, 10, 10]) for k in range(3)))
    results = [detection([20 * k, 0, 10, 10], 0.9 - k / 100) for k in range(3)]
    results += [detection([20 * k, 50, 10, 10], 0.5, kind=2) for k in range(7)]
    out = run(*write_both(Dataset(truth, results)), "--max-dets", "1,2").out.decode()
    tree = json.loads(run(*write_both(Dataset(truth, results)), "--max-dets", "1,2", "--json").out)
    assert (tree["objects"]["cut_by_max_dets"], tree["objects"]["absent_class_pred"]) == (1 + 5, 7)
    assert any("6" in line and "cut" in line for line in out.splitlines())
    assert any("7" in line and ("absent" in line or "sign" in line) for line in out.splitlines())


# ---------------------------------------------------------------- untrusted text


def hostile(name):
    truth = coco_json(annotation(BOX), annotation(FAR), names=(name, f"{name} 2"))
    truth["images"][0]["file_name"] = name
    return Dataset(truth, [detection(BOX, 0.9), detection([200, 0, 9, 9], 0.8, kind=2), detection([1, 2, 3], 0.7)])


@pytest.mark.parametrize("name", FORMULAS)
def test_trap_38_no_cell_begins_like_a_formula(run, name):
    assert run(*write_both(hostile(name)), "-o", "out").code == 0
    for path in Path("out").glob("*.csv"):
        for cell in cells(path):
            if cell.startswith(tuple("=+-@\t\r")):
                assert math.isfinite(float(cell)), path  # a number, which a spreadsheet may read
    assert f"'{name}" in cells("out/per_class.csv")
    assert f"'{name}" in cells("out/matches.csv")


def test_trap_40_no_escape_sequence_reaches_the_terminal(answer):
    dataset = hostile(HOSTILE)
    gt, pred = "gt\x1b[31m\u202e.json", "pred\x1b[31m\u202e.json"
    write(gt, dataset.truth)
    write(pred, dataset.results)
    write("bad.json", dataset.truth | {"annotations": [annotation(BOX, id=1) | {"bbox": [HOSTILE]}]})
    write("odd.json", [detection(BOX, 0.9, image_id=HOSTILE)])
    for args in ([gt, pred], [gt, pred, "-o", "out\x1b[2J"], ["bad.json", pred], [gt, "odd.json"], [gt, "no\x1b[2J"]):
        ended = answer("coco", "--gt", args[0], "--pred", args[1], *args[2:])
        assert all_prints(ended.out.decode()), ascii(ended.out)
        assert all_prints(ended.err), ascii(ended.err)


def test_names_come_out_of_the_artifact_as_they_went_in(run):
    tree = run(*write_both(hostile(HOSTILE)), "--json").artifact()
    assert tree["per_class"][0]["name"] == HOSTILE


def test_trap_39_no_file_name_comes_from_the_data(run, listing):
    for name in ("../../escaped", "/tmp/escaped", "a/b", "result.json", "x" * 300):
        assert run(*write_both(hostile(name)), "-o", "out").code == 0
        assert not [path for path in listing(".") if "escaped" in path or "xxx" in path]
        assert not Path("../../escaped").exists()
