"""Whatever a suite writes can be read again: every artifact fits its schema, and its numbers fit each other."""

import json
from pathlib import Path

import pytest

import calipers
from calipers.schemas import check_artifact

from .suites import SUITES, make_inputs

DATA = Path(calipers.__file__).parent / "data"
EXAMPLES = Path(__file__).parents[2] / "examples"
ARTIFACTS = sorted(path for path in EXAMPLES.glob("*/out/*.json") if b'"protocol": "' in path.read_bytes()[:200])
BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
OPTIONS = {
    "dense": [
        {"bootstrap": 0},
        {"modes": ["localization"], "thresholds": [0.5], "primary_threshold": 0.9},
        {"modes": ["phase", "category"], "top": 2**63 - 1, "bootstrap": 3, "tube_tolerance": 0},
    ],
    "timeline": [
        {"bootstrap": 0},
        {"transition_tolerance_frames": 7, "extent": "gt", "focus": "approaching", "idle": "exiting", "bootstrap": 5},
        {"transition_tolerance_frames": [0, 3], "fps": 25, "compliance_gain": 3, "top": 0},
    ],
    "scene": [
        {"bootstrap": 0, "open_set": True},
        {"require_label_match": True, "protocol": "clio", "open_set": True, "range_buckets": [], "bootstrap": 5},
        {"iou_mode": "aabb", "containment": "obb", "frame_normalization": "gt_global_yaw", "iou_threshold": 0.9},
    ],
    "coco": [
        {"bootstrap": 0},
        {"max_dets": [3], "min_score": 0.9, "recall_target": 0.1, "bootstrap": 5},
        {"iou_type": "bbox", "top": 0, "bootstrap": 5, "seed": 2**63 - 1},
    ],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_inputs(tmp_path_factory.mktemp("inputs"))


def fits(report):
    """The artifact as it would be read from a file."""
    tree = json.loads(report.to_json())
    check_artifact(tree["suite"], tree)
    for method in tree.get("methods", {}).values():
        check_artifact("scene", method)  # the artifact of one method alone


@pytest.mark.parametrize("suite", SUITES)
def test_what_a_suite_writes_fits_its_schema(suite, folder, monkeypatch):
    monkeypatch.chdir(folder)
    fits(SUITES[suite]())


@pytest.mark.parametrize(("suite", "options"), [(suite, each) for suite, some in OPTIONS.items() for each in some])
def test_with_any_options(suite, options):
    if suite == "dense":
        fits(calipers.dense(DATA / "dense.jsonl", **options))
    elif suite == "timeline":
        fits(calipers.timeline(DATA / "timeline/annotations.json", DATA / "timeline/predictions.json", **options))
    elif suite == "scene":
        fits(calipers.scene(DATA / "scene/gt", {"a": DATA / "scene/pipeline", "b": DATA / "scene/clio"}, **options))
    else:
        fits(calipers.coco(DATA / "coco/instances.json", DATA / "coco/results.json", **options))


def test_with_next_to_nothing():
    fits(calipers.dense([]))
    fits(calipers.dense([{"gt_norm1000": [BOX], "pred": []}]))
    fits(calipers.dense([{"gt_norm1000": [], "pred": [BOX, 7]}]))
    fits(calipers.timeline({"a": {}}, {}))
    fits(calipers.timeline({"a": {"inside": [[0, 9]]}}, {"a": {"states": {}}}))
    fits(calipers.timeline({"a": {"x_n": [[0, 9]]}}, {"a": {"fps": 1e-300, "states": {"_mean": [[3, 5]]}}}))
    fits(calipers.scene({"objects": []}, {"objects": []}))
    image, category = {"id": 1, "width": 9, "height": 9}, {"id": 3, "name": "x"}
    fits(calipers.coco({"images": [image], "annotations": [], "categories": [category]}, []))
    square = {"id": 1, "image_id": 1, "category_id": 3, "segmentation": [[0, 0, 5, 0, 5, 5, 0, 5]], "area": 25}
    pred = {"image_id": 1, "category_id": 3, "segmentation": [[0, 0, 5, 0, 5, 4, 0, 4]], "score": 0.5}
    data = {"images": [image], "annotations": [square | {"bbox": [0, 0, 5, 5]}], "categories": [category]}
    fits(calipers.coco(data, [pred | {"bbox": [0, 0, 5, 4]}], iou_type="segm"))


@pytest.mark.parametrize("path", ARTIFACTS, ids=lambda path: "/".join(path.parts[-3:]))
def test_the_examples_fit(path):
    tree = json.loads(path.read_bytes())
    check_artifact(tree["suite"], tree)
