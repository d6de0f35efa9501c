"""`calipers demo coco`: the bundled detections, start to end."""

import json
from pathlib import Path

import calipers

DATA = Path(calipers.__file__).parent / "data" / "coco"


def test_the_sample_has_something_of_everything(run):
    tree = run("demo", "coco", "--json").artifact()
    assert all(tree["errors"].values())
    assert (tree["images"]["total"], tree["images"]["skipped_empty"]) == (100, 1)
    assert all(value for name, value in tree["objects"].items() if name not in ("cut_by_max_dets", "unlabelled"))
    assert [row["name"] for row in tree["absent_classes"]] == ["message board"]
    assert None not in tree["coco"].values()
    assert 0 < tree["tie_mass"] < 0.1
    assert tree["warnings"] == []


def test_the_sample_has_an_annotation_and_a_detection_a_line():
    for name, key in (("instances.json", "annotations"), ("results.json", None)):
        text = (DATA / name).read_text(encoding="utf-8")
        rows = json.loads(text)[key] if key else json.loads(text)
        lines = text.splitlines()
        assert [json.loads(line.rstrip(",")) for line in lines if '"bbox"' in line] == rows
        assert len(text) < 200_000
