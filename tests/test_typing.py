"""What a type checker says of a user's script: right use passes, a misspelt option or a wrong source does not.

Scripts are checked by mypy in strict mode, all in one run. A line that has to be refused ends in `# refused: CODE`;
every other line has to pass.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import calipers
from calipers.suite import built_in

ROOT = Path(__file__).parents[1]
MARK = re.compile(r"# refused: ([a-z-]+)$")

SCRIPTS = {
    "dense": """
report = calipers.dense("dump.jsonl", primary_threshold=0.75, modes="category", mapping=Path("keys.json"))
calipers.dense(Path("dump.jsonl"), thresholds=(0.5, 0.75), resume=None, jobs=4)
calipers.dense(["a.jsonl", Path("b.jsonl")], thresholds=[0.5], engine="dask", address="tcp://host:1")
calipers.dense([{"id": "a", "gt_norm1000": [], "pred": []}], bootstrap=0)
calipers.dense({"id": "a", "gt_norm1000": [], "pred": []})
calipers.dense("dump.jsonl", primary_treshold=0.5)  # refused: call-arg
calipers.dense("dump.jsonl", min_score=0.5)  # refused: call-arg
calipers.dense("dump.jsonl", bootstrap="many")  # refused: arg-type
calipers.dense(42)  # refused: arg-type
calipers.dense([1, 2])  # refused: list-item
calipers.dense()  # refused: call-arg
""",
    "timeline": """
calipers.timeline("gt.json", Path("pred"), fps=30, transition_tolerance_frames=[0, 5], extent="gt")
calipers.timeline(gt={"a.mp4": {"inside": [[0, 9]]}}, pred={}, transition_tolerance_frames=5, ignore_states="a,b")
calipers.timeline("gt.json", "pred", toleranse=5)  # refused: call-arg
calipers.timeline("gt.json", "pred", fps="30")  # refused: arg-type
calipers.timeline("gt.json", 42)  # refused: arg-type
calipers.timeline("gt.json")  # refused: call-arg
""",
    "scene": """
seat = {"label": "seat", "center": [0, 0, 0.5], "size": [1, 1, 1]}
calipers.scene([seat], {"objects": [seat]}, iou_threshold=0.25, labels=["seat"], config=Path("eval_config.json"))
calipers.scene(gt="gt", pred=["ours=out/a", "out/b"], aliases={"stool": "seat"}, range_buckets=(2, 4), embed=True)
calipers.scene("gt", {"ours": "out/a"}, open_set=False)
calipers.scene("gt", "pred", iou_treshold=0.25)  # refused: call-arg
calipers.scene("gt", "pred", open_set="no")  # refused: arg-type
calipers.scene(42, "pred")  # refused: arg-type
calipers.scene("gt", [1.5])  # refused: list-item
""",
    "coco": """
data = {"images": [{"id": 4}], "categories": [{"id": 7, "name": "cone"}], "annotations": []}
found = [{"image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 8], "score": 0.9}]
calipers.coco(data, found, iou_type="bbox", max_dets=(1, 10, 100), min_score=0.5)
calipers.coco(gt=Path("instances.json"), pred="results.json", max_dets="1,10", images=Path("images"))
numbers: dict[str, float | None] = calipers.coco_numbers(data, found, recall_target=1)
calipers.coco(data, calipers.detect("model.onnx", "images", data, conf=0.25, class_names=Path("names.txt")))
calipers.coco(data, found, min_scor=0.5)  # refused: call-arg
calipers.coco(data, found, max_dets=0.5)  # refused: arg-type
calipers.coco(42, found)  # refused: arg-type
calipers.coco(data, 42)  # refused: arg-type
calipers.coco_numbers(data, found, min_scor=0.5)  # refused: call-arg
calipers.detect("model.onnx", "images", data, confidence=0.25)  # refused: call-arg
calipers.detect("model.onnx", "images", 42)  # refused: arg-type
""",
    "meters": """
dense = calipers.DenseMeter(modes=("category",), tube_tolerance=8)
dense.update({"id": "a", "gt_norm1000": [], "pred": []})
dense.update({"id": str(k), "gt_norm1000": [], "pred": []} for k in range(3))
dense.merge(calipers.DenseMeter())
timeline = calipers.TimelineMeter(focus="inside")
timeline.update({"a.mp4": {}}, {"a.mp4": {"states": {}}})
scene = calipers.SceneMeter(config=Path("eval_config.json"), iou_mode="aabb")
scene.update([], {"objects": []}, scene="hall")
coco = calipers.CocoMeter("instances.json", iou_type="segm")
coco.update({"image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 9], "score": 0.8})
reports: list[calipers.Report] = [dense.compute(), timeline.compute(), scene.compute(), coco.compute()]
calipers.DenseMeter(mode="category")  # refused: call-arg
calipers.DenseMeter("dump.jsonl")  # refused: call-arg
calipers.TimelineMeter(focuss="inside")  # refused: call-arg
calipers.SceneMeter(iou_mod="aabb")  # refused: call-arg
calipers.CocoMeter("instances.json", iou="segm")  # refused: call-arg
calipers.CocoMeter(42)  # refused: arg-type
dense.update(42)  # refused: arg-type
timeline.update({}, 42)  # refused: arg-type
scene.update([], 42)  # refused: arg-type
coco.update([42])  # refused: list-item
dense.merge(coco)  # refused: arg-type
""",
    "judge": """
from calipers.judge import asserting

payload = {"candidate_answer": {"bbox": [0, 0, 10, 10]}, "reference_answer": {"bbox": [0, 0, 10, 5]}}
passed: object = calipers.judge.iou(payload, threshold=0.4)["pass"]
calipers.judge.boxes('{"answer": "[]"}', match="optimal", pass_at=1)
calipers.judge.point(gt=[300, 200], pred="(303, 204)", metric="manhattan")
asserting.assert_boxes_match([[0, 0, 10, 10]], pred="[[0, 0, 10, 9]]", threshold=0.5, format="xyxy")
calipers.judge.iou(payload, treshold=0.4)  # refused: call-arg
calipers.judge.boxes(payload, pass_at="all")  # refused: arg-type
calipers.judge.map(42)  # refused: arg-type
calipers.judge.line(truth=[0, 0, 9, 9], pred=[0, 0, 9, 9])  # refused: call-arg
asserting.assert_boxes_match([[0, 0, 10, 10]], None, treshold=0.5)  # refused: call-arg
asserting.assert_boxes_match([[0, 0, 10, 10]])  # refused: call-arg
""",
    "results": """
old, new = calipers.load("old"), calipers.load(Path("new"))
comparison = calipers.compare(old, new, force=True)
calipers.compare("old/result.json", Path("new"))
state: str = calipers.gate(new, old, max_drop={"mean_f1": 0.01}, floor=["recall=0.75"], rules="rules.toml").state
calipers.gate(new, rules=[{"metric": "mean_f1", "floor": 0.5}])
calipers.check("dump.jsonl", suite="dense")
calipers.check(gt={"images": []}, pred=["a.json", "b.json"], images=Path("images"))
calipers.merge([Path("a.cal"), "b.cal"]).save("result.json")
calipers.compare(old, new, forced=True)  # refused: call-arg
calipers.compare(old, 42)  # refused: arg-type
calipers.gate(new, old, maxdrop={"mean_f1": 0.01})  # refused: call-arg
calipers.gate(new, floor={"recall": "high"})  # refused: dict-item
calipers.gate(42)  # refused: arg-type
calipers.check(42)  # refused: arg-type
calipers.merge(42)  # refused: arg-type
""",
    "rulers": """
overlaps = calipers.region_iou(gt=[[0, 0, 10, 10]], pred=[[0, 0, 10, 9]])
overlap: float = calipers.match(overlaps, how="by_score", scores=[0.9]).pairs[0].overlap
calipers.match([[0.5, 0.9]], "optimal", gt_labels=["a"], pred_labels=["a", "b"])
calipers.match([[0.5, 0.9]], "hungarian")  # refused: arg-type
calipers.match([[0.5, 0.9]], treshold=0.5)  # refused: call-arg
calipers.match("overlaps.csv", threshold="0.5")  # refused: arg-type
calipers.region_iou([0, 0, 1, 1])  # refused: call-arg
calipers.region_iou(1, 2)  # refused: arg-type
calipers.tube_iou([0, 0, 9, 9], [0, 0, 9, 9], tolerence=8)  # refused: call-arg
calipers.cuboid_iou([0, 0, 0, 1, 1, 1], {"center": [0, 0, 0], "size": [1, 1, 1]}, iou_mode="aabb")
calipers.containment(gt=[0, 0, 0, 2, 2, 2], pred=[0, 0, 0, 1, 1, 1, 0.5]).strict
recall, precision, f1 = calipers.line_coverage(pred=[0, 0, 9, 9], gt=[0, 0, 9, 9])
""",
    "artifacts": """
from typing import Unpack

from typing_extensions import assert_type

tree = calipers.dense("dump.jsonl").tree
assert_type(tree, calipers.DenseArtifact)
assert_type(tree["modes"]["category"]["primary"]["f1"], float | None)
assert_type(calipers.timeline("gt.json", "pred").tree["videos"]["a.mp4"].get("error"), object)
assert_type(calipers.scene("gt", "pred").tree["methods"]["pred"]["counts"]["tp"], int)
assert_type(calipers.CocoMeter("gt.json").compute().tree["coco"]["AP"], float | None)
tree["protocol"].upper()
calipers.load("result.json").tree["anything"]
tree["mode"]  # refused: typeddict-item
tree["errors"]["mised"]  # refused: typeddict-item
share: float = tree["counts"]["mae"]  # refused: assignment
for video in calipers.timeline("gt.json", "pred").tree["videos"].values():
    if "error" in video:
        print(video["error"].upper())
    else:
        print(video["counts"]["frames"] + 1)
        print(video["error"])  # refused: typeddict-item
def run(path: str, **options: Unpack[calipers.DenseOptions]) -> calipers.Report[calipers.DenseArtifact]:
    return calipers.dense(path, **options)
run("dump.jsonl", bootstrap=0)
run("dump.jsonl", bootstraps=0)  # refused: call-arg
""",
    "training": """
box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "cone"}
score: float = calipers.reward("[]", [box], metric="mean_f1")
score = calipers.reward(gt=[box], pred=[box]) + calipers.reward(pred=[box], gt="[]")
status: str = calipers.parse_objects("[]").status
calipers.reward([box], [box], metrics="f1")  # refused: call-arg
calipers.reward(42, [box])  # refused: arg-type
calipers.parse_objects(42)  # refused: arg-type
""",
}


@pytest.fixture(scope="module")
def refusals(tmp_path_factory) -> dict[str, dict[int, str]]:
    """For each script the lines that mypy refuses, with the code of the first error."""
    folder = tmp_path_factory.mktemp("scripts")
    for name, script in SCRIPTS.items():
        (folder / f"user_{name}.py").write_text(with_imports(script), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-pretty"]
    command += ["--cache-dir", str(ROOT / ".mypy_cache"), *map(str, sorted(folder.iterdir()))]
    ended = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"MYPYPATH": "src"}, capture_output=True, text=True, check=False
    )
    assert ended.returncode in (0, 1), ended.stdout + ended.stderr
    lines = re.findall(r"user_(\w+)\.py:(\d+): error: .*\[([a-z-]+)\]$", ended.stdout, flags=re.MULTILINE)
    assert len(lines) == ended.stdout.count(" error: "), ended.stdout  # none of them is in Calipers itself
    found: dict[str, dict[int, str]] = {name: {} for name in SCRIPTS}
    for name, line, code in lines:
        found[name].setdefault(int(line), code)
    return found


def with_imports(script: str) -> str:
    return "from pathlib import Path\n\nimport calipers\n\nHERE = Path()\n" + script


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_type_checker_refuses_exactly_the_wrong_lines(name, refusals):
    lines = with_imports(SCRIPTS[name]).splitlines()
    expected = {number: mark[1] for number, line in enumerate(lines, 1) if (mark := MARK.search(line))}
    assert {number: (code, lines[number - 1]) for number, code in refusals[name].items()} == {
        number: (code, lines[number - 1]) for number, code in expected.items()
    }
    assert len(expected) >= 3


def test_every_suite_and_meter_is_among_the_scripts():
    assert set(built_in()) <= set(SCRIPTS)
    assert all(f"calipers.{name}(" in SCRIPTS["meters"] for name in calipers.__all__ if name.endswith("Meter"))


def test_a_misspelt_option_is_an_error_that_names_the_nearest_at_run_time():
    for call in (calipers.dense, calipers.DenseMeter):
        with pytest.raises(calipers.ConfigError, match="did you mean 'primary_threshold'"):
            call(*[[]] * (call is calipers.dense), primary_treshold=0.5)
