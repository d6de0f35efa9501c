"""Running some records alone: `--only`, and `report --failed`, which prints the keys it takes."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

BOX = {"type": "bbox_2d", "points": [1, 1, 20, 20], "desc": "类别=标签"}
SEAT = {"label": "seat", "center": [0, 0, 0], "size": [1, 1, 1]}
EXAMPLE = Path(__file__).parents[2] / "examples" / "timeline"
NAMES = [f"r{number}" for number in range(6)]
CONE = {"category_id": 1, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0}


def write(name, tree):
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(json.dumps(tree))


def make(suite, names, folder):
    """The inputs of a suite with these records."""
    Path(folder).mkdir(exist_ok=True)
    if suite == "dense":
        lines = [json.dumps({"id": name, "gt_norm1000": [BOX], "pred": [BOX] * int(name[1:])}) for name in names]
        Path(folder, "d.jsonl").write_text("\n".join(lines) + "\n")
        return (f"{folder}/d.jsonl",)
    gt, pred = f"{folder}/gt.json", f"{folder}/pred.json"
    numbers = {name: int(name[1:]) for name in names}
    if suite == "timeline":
        write(gt, {name: {"inside": [[0, 9]], "outside": [[10, 19]]} for name in names})
        write(pred, {name: {"states": {"inside": [[0, n]], "outside": [[n + 1, 19]]}} for name, n in numbers.items()})
    elif suite == "coco":
        images = [{"id": n, "file_name": name} for name, n in numbers.items()]
        truth = [CONE | {"id": n, "image_id": n} for n in numbers.values()]
        write(gt, {"images": images, "categories": [{"id": 1, "name": "cone"}], "annotations": truth})
        write(pred, [CONE | {"image_id": n, "score": 1 / (n + 2), "bbox": [0, 0, 5, n + 1]} for n in numbers.values()])
    else:
        gt, pred = f"{folder}/gt", f"{folder}/pred"
        for name, n in numbers.items():
            write(f"{gt}/{name}.json", {"objects": [SEAT]})
            write(f"{pred}/{name}.json", {"objects": [SEAT | {"center": [n / 8, 0, 0]}]})
    return ("--gt", gt, "--pred", pred)


@pytest.mark.parametrize("jobs", [("--jobs", 1), ("--jobs", 2, "--chunk-bytes", 150)])
@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_the_result_is_that_of_inputs_with_these_records_alone(run, suite, jobs):
    Path("keys.txt").write_text("\ufeffr4\r\nr1\n\nr4\n")
    whole = make(suite, NAMES, "whole")
    some = run(suite, *whole, "--only", "keys.txt", "--json", *jobs).artifact()
    alone = run(suite, *make(suite, ["r1", "r4"], "alone"), "--json").artifact()
    digest = some["inputs"].pop()
    assert (digest["path"], digest["records"]) == ("keys.txt", 2)
    for tree in (some, alone):
        for part in (tree, *tree.get("methods", {}).values()):
            del part["inputs"]
    assert some == alone
    assert run(suite, *whole, "--json").artifact() != some


def test_images_are_named_by_id_too(run):
    Path("keys.txt").write_text("4\n")
    tree = run("coco", *make("coco", NAMES, "whole"), "--only", "keys.txt", "--json").artifact()
    assert (tree["images"]["total"], tree["objects"]["gt"], tree["objects"]["pred"]) == (1, 1, 1)
    assert np.isclose(tree["coco"]["AP_50"], 1.0)


@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_keys_of_no_record_are_told_and_none_at_all_is_an_error(run, suite):
    inputs = make(suite, NAMES, "whole")
    Path("keys.txt").write_text("r1\nr99\n")
    assert "warning: keys.txt: 1 of 2 keys are of no " in run(suite, *inputs, "--only", "keys.txt").err
    Path("keys.txt").write_text("r99\n")
    ended = run(suite, *inputs, "--only", "keys.txt")
    assert (ended.code, "keys.txt: none of 1 keys is that of a " in ended.err) == (3, True)
    Path("keys.txt").write_text("\n")
    run(suite, *inputs, "--only", "keys.txt").refused(3, "keys.txt: no keys, expected keys of records, one per line")
    run(suite, *inputs, "--only", "keys.txt", "--resume", "a").refused(2, "only: found 'keys.txt', expected it without")


def test_videos_without_a_prediction_are_run_again_and_merged(run):
    make("timeline", NAMES, "whole")
    preds = json.loads(Path("whole/pred.json").read_text())
    write("first.json", {name: preds[name] for name in NAMES[:4]})
    write("second.json", {name: preds[name] for name in NAMES[4:]})
    given = ("timeline", "--gt", "whole/gt.json", "--pred")
    run(*given, "first.json", "-o", "first", "--tally", "first.cal")
    failed = run("report", "first", "--failed")
    assert (failed.code, failed.out) == (0, b"r4\nr5\n")
    Path("failed.txt").write_bytes(failed.out)
    run(*given, "second.json", "--only", "failed.txt", "--tally", "second.cal")
    merged = json.loads(run("merge", "first.cal", "second.cal", "--json").out)
    whole = run(*given, "whole/pred.json", "--json").artifact()
    assert (merged["records"]["evaluated"], merged["summary"]) == (6, whole["summary"])


def test_the_round_trip_in_the_readme_of_the_timeline(run, tmp_path):
    for name in ("annotations.json", "predictions.json", "calipers.toml", "README.md"):
        shutil.copy(EXAMPLE / name, tmp_path)
    first = json.loads(Path("predictions.json").read_text(encoding="utf-8"))
    write("again.json", {"10-missing.mp4": first["01-perfect.mp4"]})
    [block] = [
        text for text in Path("README.md").read_text(encoding="utf-8").split("```") if "--failed > failed.txt" in text
    ]
    for line in block.strip().splitlines()[1:]:
        command, _, target = line.partition(" > ")
        ended = run(*command.split()[1:])
        assert ended.code == 0
        if target:
            Path(target).write_bytes(ended.out)
    assert Path("failed.txt").read_text() == "09-empty.mp4\n10-missing.mp4\n11-reversed.mp4\n"
    assert json.loads(Path("result.json").read_text(encoding="utf-8"))["records"]["evaluated"] == 9


def test_rejected_records_and_scenes_are_printed(run):
    Path("d.jsonl").write_text(json.dumps({"id": "a", "gt_norm1000": [BOX], "pred": []}) + "\n{\n")
    run("dense", "d.jsonl", "--max-bad-records", 1, "-o", "r.json")
    assert run("report", "r.json", "--failed").out == b"d.jsonl:2\n"
    Path("keys.txt").write_bytes(b"d.jsonl:2\n")
    Path("d.jsonl").write_text("\n" + json.dumps({"id": "b", "gt_norm1000": [BOX], "pred": [BOX]}) + "\n")
    assert run("dense", "d.jsonl", "--only", "keys.txt", "--json").artifact()["records"]["evaluated"] == 1
    inputs = make("scene", NAMES, "rooms")
    write("rooms/gt/r2.json", {"objects": [SEAT | {"size": [1]}]})
    run("scene", *inputs, "--max-bad-records", 1, "-o", "s.json")
    assert run("report", "s.json", "--failed").out == b"r2\n"


def test_images_of_rejected_annotations_are_printed_once_and_run_alone(run):
    inputs = make("coco", NAMES, "whole")
    tree = json.loads(Path("whole/gt.json").read_text())
    good = json.dumps(tree)
    first, *_, last = tree["annotations"]
    tree["annotations"] += [
        first | {"id": 91, "bbox": [1]},
        last | {"id": 92, "bbox": 3},
        first | {"id": 93, "area": -1},
    ]
    tree["annotations"].append(first | {"id": 94, "image_id": 999})
    write("whole/gt.json", tree)
    run("coco", *inputs, "--max-bad-records", 4, "-o", "r.json", "--tally", "r.cal")
    failed = run("report", "r.json", "--failed")
    names = {image["id"]: image["file_name"] for image in tree["images"]}
    assert failed.out.decode() == f"{names[first['image_id']]}\n{names[last['image_id']]}\n"
    assert run("merge", "r.cal", "--json").artifact()["rejected"][0]["image"] == names[first["image_id"]]
    Path("whole/gt.json").write_text(good)
    Path("keys.txt").write_bytes(failed.out)
    assert run("coco", *inputs, "--only", "keys.txt", "--json").artifact()["images"]["total"] == 2


def test_a_result_that_does_not_name_the_images_says_so(run):
    run("coco", *make("coco", NAMES, "whole"), "-o", "r.json")
    assert run("report", "r.json", "--failed").out == b""
    tree = json.loads(Path("r.json").read_text())
    tree["rejected"] = [{"path": "gt.json", "place": "annotations[0]", "id": 1, "problem": "bbox: missing"}]
    write("r.json", tree)
    run("report", "r.json", "--failed").refused(2, "this result does not name the images of rejected annotations")


def test_failed_takes_no_other_option(run):
    run("coco", *make("coco", NAMES, "whole"), "-o", "r.json")
    run("report", "r.json", "--failed", "--table", "summary").refused(2, "--failed prints keys")
