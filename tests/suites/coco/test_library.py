"""The detection suite as a library: what `calipers.coco` takes, gives and refuses."""

import copy
import json
from pathlib import Path

import pytest

import calipers

from ...parity.coco_datasets import annotation, coco_json, detection, draw

BOX, FAR = [0, 0, 10, 10], [50, 0, 10, 10]


def sides():
    truth = coco_json(annotation(BOX), annotation(FAR, image=2), images=2)
    return truth, [detection(BOX, 0.9), detection(FAR, 0.8, image=2), detection(BOX, 0.7, image=2)]


@pytest.fixture
def files(tmp_path):
    for name, content in zip(("gt.json", "pred.json"), sides(), strict=True):
        (tmp_path / name).write_text(json.dumps(content))
    return tmp_path / "gt.json", tmp_path / "pred.json"


def without_inputs(report):
    return {name: value for name, value in report.tree.items() if name != "inputs"}


def test_paths_and_objects_give_the_same(files):
    reports = [calipers.coco(*each) for each in (sides(), files, map(str, files), (sides()[0], files[1]))]
    assert all(without_inputs(each) == without_inputs(reports[0]) for each in reports)
    assert reports[1]["inputs"] == reports[2]["inputs"]
    assert [Path(each["path"]).name for each in reports[1]["inputs"]] == ["gt.json", "pred.json"]


def test_a_report_is_a_tree_with_a_summary():
    report = calipers.coco(*sides())
    assert report["coco"]["AP"] == pytest.approx(1)
    assert repr(report).startswith("<Report coco/1: 2 images, AP 1.000, ") is True
    assert " Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 1.000" in str(report).splitlines()
    assert json.loads(report.to_json()) == report.tree


def test_the_library_prints_nothing_and_writes_nothing(capfd, files, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    calipers.coco(*files)
    calipers.coco(*sides())
    assert capfd.readouterr() == ("", "")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("iou_type", ["bbox", "segm", "keypoints"])
def test_the_data_of_the_caller_is_left_alone(iou_type):
    dataset = draw(1, iou_type, left_out=True)
    before = copy.deepcopy(dataset)
    calipers.coco(dataset.truth, dataset.results, iou_type=iou_type, bootstrap=10)
    assert dataset == before


def test_matches_tell_partners():
    rows = calipers.coco(*sides()).matches()
    assert len(rows) == 5
    assert {row["side"] for row in rows} == {"gt", "pred"}
    columns = {tuple(row) for row in rows}
    assert len(columns) == 1


def test_options_may_be_written_in_several_ways():
    reports = [calipers.coco(*sides(), max_dets=each) for each in ([1, 5], (1, 5), "1,5", "1, 5", [5, 1])]
    assert len({each.to_json() for each in reports}) == 1
    assert reports[0]["params"]["max_dets"] == [1, 5]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iou_typ": "bbox"}, "iou_typ.*iou_type"),
        ({"maxdets": [1]}, "maxdets.*max_dets"),
        ({"iou_type": "box"}, "iou_type.*'box'.*bbox or segm or keypoints"),
        ({"max_dets": []}, "max_dets"),
        ({"max_dets": [0]}, "max_dets"),
        ({"max_dets": [1.5]}, "max_dets"),
        ({"max_dets": [True]}, "max_dets"),
        ({"recall_target": 2}, "recall_target"),
        ({"recall_target": True}, "recall_target"),
        ({"min_score": float("nan")}, "min_score"),
        ({"bootstrap": -1}, "bootstrap"),
        ({"bootstrap": 1.5}, "bootstrap"),
        ({"gt_format": "pascal"}, "gt_format.*'pascal'"),
        ({"sigmas": [0.1]}, "sigmas"),
        ({"sigmas": [], "iou_type": "keypoints"}, "sigmas"),
        ({"seed": "x"}, "seed"),
    ],
)
def test_wrong_options_are_refused_by_name(options, message):
    with pytest.raises(calipers.ConfigError, match=message):
        calipers.coco(*sides(), **options)


@pytest.mark.parametrize("value", [None, 7, b"gt.json", 1.5, object()])
def test_sides_are_paths_or_what_json_would_hold(value):
    truth, results = sides()
    for given in ((value, results), (truth, value)):
        with pytest.raises(calipers.CalipersError) as raised:
            calipers.coco(*given)
        assert str(raised.value)


def test_tuples_are_lists():
    truth, results = sides()
    assert calipers.coco(truth, tuple(results)).to_json() == calipers.coco(truth, results).to_json()


def test_errors_name_the_place_also_in_objects():
    truth, results = sides()
    truth["annotations"][1]["bbox"] = [0, 0, -1, 5]
    with pytest.raises(calipers.InputError, match=r"annotations\[1\].*bbox"):
        calipers.coco(truth, results)
    with pytest.raises(calipers.InputError, match=r"\[0\].*image_id.*9"):
        calipers.coco(sides()[0], [detection(BOX, 0.5, image=9)])


def test_numpy_numbers_are_numbers():
    import numpy as np

    truth, results = sides()
    for row in results:
        row["score"], row["bbox"] = np.float32(row["score"]), [np.float64(value) for value in row["bbox"]]
        row["image_id"] = np.int64(row["image_id"])
    report = calipers.coco(truth, results)
    assert report["coco"]["AP"] == pytest.approx(1)
    assert report["objects"]["invalid_pred"] == 0


def test_a_least_score_that_leaves_nothing_is_told():
    gt, pred = sides()
    said = [text for text in calipers.coco(gt, pred, min_score=50, bootstrap=0)["warnings"] if "min_score" in text]
    assert said == [
        f"min_score 50: all {len(pred)} detections have a lower score, so that the score-free sweep has none"
    ]
    assert not any("min_score" in text for text in calipers.coco(gt, pred, min_score=0.4, bootstrap=0)["warnings"])


def test_the_seed_moves_intervals_and_nothing_else():
    dataset = draw(5, images=10, levels=0)
    one, other = (calipers.coco(dataset.truth, dataset.results, seed=seed, bootstrap=200) for seed in (0, 1))
    same = {name for name in one if one[name] == other[name]}
    assert {"coco", "per_class", "errors", "confusion", "objects", "curves"} <= same
    assert one["intervals"] != other["intervals"]


def test_without_replicates_there_are_no_intervals():
    report = calipers.coco(*sides(), bootstrap=0)
    assert set(report["intervals"].values()) == {None}
    assert report["sweep"]["mean_f1_interval"] is None
