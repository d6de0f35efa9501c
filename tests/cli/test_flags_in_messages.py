"""What the library says of its options is shown as flags: in errors, warnings, summaries; not in the artifact."""

import json
from pathlib import Path

IMAGES = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "cone"}]}
CONE = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0}
POINTS = {"image_id": 1, "category_id": 1, "keypoints": [1, 1, 2], "score": 0.5}


def test_an_error_and_how_to_go_on_without_the_record(run):
    Path("d.jsonl").write_text(json.dumps({"gt": [], "pred": []}))
    assert run("dense", "d.jsonl").err == (
        "error: d.jsonl:1: only gt in pixels, expected gt_norm1000"
        " (--frame pixel reads gt and pred as pixels of width and height)\n"
        "       (--max-bad-records N rejects such records and counts them)\n"
    )


def test_a_record_that_was_rejected(run):
    Path("d.jsonl").write_text(json.dumps({"coord_mode": "pixel"}))
    ended = run("dense", "d.jsonl", "--max-bad-records", 1, "-o", "r.json")
    told = "expected norm1000 coordinates (--frame pixel reads gt and pred as pixels)\n"
    assert f'rejected: d.jsonl:1: coord_mode: found "pixel", {told}' in ended.err
    assert json.loads(Path("r.json").read_text())["rejected"][0]["problem"].endswith(
        '(`frame="pixel"` reads gt and pred as pixels)'
    )


def test_a_warning_that_the_artifact_keeps(run):
    Path("gt.json").write_text(json.dumps(IMAGES | {"annotations": [CONE]}))
    Path("pred.json").write_text(json.dumps([POINTS]))
    ended = run("coco", "--gt", "gt.json", "--pred", "pred.json", "--json")
    assert "; keypoints are measured by --iou-type keypoints\n" in ended.err
    assert any('`iou_type="keypoints"`' in each for each in ended.artifact()["warnings"])


def test_a_line_of_the_summary(run):
    Path("gt.json").write_text(json.dumps({"a": {"inside": [[0, 9]]}}))
    Path("pred.json").write_text(json.dumps({"a": {"states": {"inside": [[0, 9]]}}}))
    ended = run("timeline", "--gt", "gt.json", "--pred", "pred.json")
    assert "no fps is known, so nothing by second or minute; --fps gives one)" in ended.out.decode()
