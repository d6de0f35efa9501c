"""How runs end that evaluated nothing, and those whose predictions are all worthless."""

import json
from pathlib import Path

import pytest

BOX = {"type": "bbox_2d", "points": [1, 1, 20, 20], "desc": "类别=标签"}
SEAT = {"label": "seat", "center": [0, 0, 0], "size": [1, 1, 1]}
DATA_SET = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "cone"}]}
CONE = {"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 5, 5], "area": 25, "iscrowd": 0}

INPUTS = {
    "dense": ("d.jsonl",),
    "timeline": ("--gt", "gt.json", "--pred", "pred.json"),
    "scene": ("--gt", "gt.json", "--pred", "pred.json"),
    "coco": ("--gt", "gt.json", "--pred", "pred.json"),
}
NOTHING = {
    "dense": {"d.jsonl": {"gt_norm1000": [], "pred": []}},
    "timeline": {"gt.json": {"a.mp4": {"inside": [[0, 9]]}}, "pred.json": {}},
    "scene": {"gt.json": {"objects": []}, "pred.json": {"objects": []}},
    "coco": {"gt.json": DATA_SET | {"annotations": []}, "pred.json": []},
}
FLOORS = {"dense": "mean_f1", "timeline": "frame_accuracy", "scene": "f1", "coco": "AP"}
SILENT = {
    "dense": {"d.jsonl": {"gt_norm1000": [BOX], "pred": []}},
    "scene": {"gt.json": {"objects": [SEAT]}, "pred.json": {"objects": []}},
    "coco": {"gt.json": DATA_SET | {"annotations": [CONE]}, "pred.json": []},
}
IDLE = [{}, {"inside": []}, {"outside": [[0, 9]]}]
RUBBISH = {
    "dense": {"d.jsonl": {"gt_norm1000": [BOX], "pred": [BOX | {"points": [1, 1]}, 5, 6]}},
    "scene": {"gt.json": {"objects": [SEAT]}, "pred.json": {"objects": [SEAT | {"center": [0, 0]}]}},
    "coco": {"gt.json": DATA_SET | {"annotations": [CONE]}, "pred.json": [CONE | {"bbox": [0], "score": 1}]},
}
PROBLEMS = {
    "dense": "all 3 predictions are invalid and match nothing: d.jsonl:1: pred[0]: a bbox_2d without exactly 4 numbers",
    "scene": "pred: all 1 predictions are invalid and match nothing: gt: objects[0].center: found [0, 0]",
    "coco": "pred.json: all detections are invalid and match nothing: bbox: not 4 numbers (first [0] of 1",
}


def write(files):
    for name, tree in files.items():
        Path(name).write_text(json.dumps(tree))


@pytest.mark.parametrize("suite", NOTHING)
def test_nothing_evaluated_is_a_result_with_a_warning_that_no_gate_passes_on(run, suite):
    write(NOTHING[suite])
    ended = run(suite, *INPUTS[suite], "-o", "r.json", "--tally", "r.cal", "--json")
    [told] = [line for line in ended.err.splitlines() if line.startswith("warning: nothing was evaluated: 0 of 1 ")]
    assert (ended.code, told.endswith(" (calipers check tells more)")) == (0, True)
    assert Path("r.json").read_bytes() == ended.out
    merged = run("merge", "r.cal")
    assert (merged.code, told in merged.err) == (0, True)
    assert run("gate", "r.json", "--floor", f"{FLOORS[suite]}=0").code == 4


def test_the_first_reason_is_named(run):
    write(NOTHING["timeline"])
    err = run("timeline", *INPUTS["timeline"]).err
    assert "warning: nothing was evaluated: 0 of 1 video: a.mp4: missing predictions or states (calipers" in err
    Path("d.jsonl").write_text("[]\n5\n")
    ended = run("dense", "d.jsonl", "--max-bad-records", 2)
    assert ended.code == 0
    assert "warning: nothing was evaluated: 0 of 2 records: d.jsonl:1: not a JSON object" in ended.err


@pytest.mark.parametrize("suite", SILENT)
def test_no_prediction_at_all_is_a_result_with_a_warning(run, suite):
    write(SILENT[suite])
    ended = run(suite, *INPUTS[suite], "--tally", "r.cal", "--json")
    assert ended.code == 0
    assert "nothing was predicted at all, so that every object was missed (calipers check tells more)\n" in ended.err
    merged = run("merge", "r.cal")
    assert (merged.code, "nothing was predicted at all" in merged.err) == (0, True)


@pytest.mark.parametrize("suite", RUBBISH)
def test_only_invalid_predictions_are_a_result_with_a_warning_that_names_a_problem(run, suite):
    write(RUBBISH[suite])
    ended = run(suite, *INPUTS[suite], "--tally", "r.cal", "--json")
    assert ended.code == 0
    assert f"warning: {PROBLEMS[suite]}" in ended.err
    assert ended.err.count("are invalid") == ended.err.count("calipers check tells more)") == 1
    assert f"warning: {PROBLEMS[suite]}" in run("merge", "r.cal").err


@pytest.mark.parametrize("suite", RUBBISH)
def test_one_good_prediction_ends_the_warning(run, suite):
    write(RUBBISH[suite])
    good = {"dense": BOX, "scene": SEAT, "coco": CONE | {"score": 0.5}}[suite]
    file = Path("d.jsonl" if suite == "dense" else "pred.json")
    tree = json.loads(file.read_text())
    rows = tree["pred"] if suite == "dense" else tree["objects"] if suite == "scene" else tree
    rows.append(good)
    file.write_text(json.dumps(tree))
    assert "calipers check tells more" not in run(suite, *INPUTS[suite]).err


def test_a_file_given_twice_is_told(run):
    write({"d.jsonl": {"gt_norm1000": [BOX], "pred": [BOX]}, "e.jsonl": {"gt_norm1000": [BOX], "pred": [BOX]}})
    told = "warning: d.jsonl and e.jsonl are the same file, and every record of it counts twice\n"
    assert told in run("dense", "d.jsonl", "e.jsonl").err
    assert "the same file" not in run("dense", "d.jsonl").err


@pytest.mark.parametrize("states", IDLE)
def test_videos_without_a_predicted_state_are_a_result_with_a_warning(run, states):
    write({"gt.json": {"a": {"inside": [[0, 9]]}, "b": {"inside": [[3, 9]]}}})
    write({"pred.json": {name: {"states": states} for name in "ab"}})
    ended = run("timeline", *INPUTS["timeline"], "--tally", "r.cal", "--json")
    told = "warning: no state but outside is predicted in 2 videos, first a (calipers check tells more)\n"
    assert (ended.code, told in ended.err) == (0, True)
    assert told in run("merge", "r.cal").err


def test_a_video_that_was_not_evaluated_is_named_beside_those_without_a_state(run):
    write({"gt.json": {"a": {"inside": [[0, 9]]}, "b": {"inside": [[3, 9]]}}, "pred.json": {"b": {"states": {}}}})
    told = "in 1 video, first b; a: missing predictions or states (calipers check tells more)\n"
    assert told in run("timeline", *INPUTS["timeline"]).err


def test_one_predicted_state_or_a_ground_truth_without_any_ends_the_warning(run):
    write({"gt.json": {"a": {"inside": [[0, 9]]}}, "pred.json": {"a": {"states": {"inside": [[9, 9]]}}}})
    assert "calipers check tells more" not in run("timeline", *INPUTS["timeline"]).err
    write({"gt.json": {"a": {"outside": [[0, 9]]}}, "pred.json": {"a": {"states": {}}}})
    assert "calipers check tells more" not in run("timeline", *INPUTS["timeline"]).err


def test_the_first_of_invalid_predictions_is_named_whoever_read_it(run):
    good, bad = {"gt_norm1000": [BOX], "pred": []}, {"gt_norm1000": [BOX], "pred": [5]}
    lines = [json.dumps(record) for record in (*[good] * 40, bad, *[bad] * 40)]
    Path("d.jsonl").write_text("\n".join(lines))
    for jobs in (1, 2):
        ended = run("dense", "d.jsonl", "--jobs", jobs, "--chunk-bytes", 1000, "--bootstrap", 0)
        assert "all 41 predictions are invalid and match nothing: d.jsonl:41: pred[0]: not an object" in ended.err


SAME = {
    "scene": ({"gt.json": {"objects": [SEAT]}}, ("--pred", "a=gt.json"), "gt.json is given twice"),
    "coco": (
        {"gt.json": DATA_SET | {"annotations": [CONE | {"score": 1}]}},
        ("--pred", "gt.json"),
        "gt.json is given twice",
    ),
    "timeline": (
        {"gt.json": {"a": {"inside": []}}, "pred.json": {"a": {"inside": []}}},
        ("--pred", "pred.json"),
        "gt.json and pred.json are the same file",
    ),
}


@pytest.mark.parametrize("suite", SAME)
def test_both_sides_from_one_file_are_told(run, suite):
    files, pred, told = SAME[suite]
    write(files)
    assert f"warning: {told}: is one of them meant to be another?\n" in run(suite, "--gt", "gt.json", *pred).err


def test_two_methods_from_one_file_are_told(run):
    write({"gt.json": {"objects": [SEAT]}, "a.json": {"objects": [SEAT | {"id": "1"}]}})
    err = run("scene", "--gt", "gt.json", "--pred", "a=a.json", "--pred", "b=a.json").err
    assert err.count("warning: a.json is given twice: is one of them meant to be another?\n") == 1


@pytest.mark.parametrize(
    ("gt", "pred", "side"),
    [
        ("cone", "", "1 objects of the predictions"),
        ("brand=x", "cone", "1 objects of the ground truth"),
        ("", "", None),
    ],
)
def test_a_side_without_any_label_is_named_with_where_a_label_stands(run, gt, pred, side):
    sides = {"gt_norm1000": [BOX | {"desc": gt}], "pred": [BOX | {"desc": pred}]}
    write({"d.jsonl": sides})
    err = run("dense", "d.jsonl").err
    if side is None:
        assert err.count("has a label, expected one in desc: a word, or 类别=…, where --label-key KEY") == 2
    else:
        assert f"warning: none of the {side} has a label, expected one in desc: a word, or 类别=…, where" in err


def test_boxes_of_a_scene_without_labels_are_counted(run):
    bare = {name: value for name, value in SEAT.items() if name != "label"}
    write({"gt.json": {"objects": [SEAT]}, "pred.json": {"objects": [bare]}})
    err = run("scene", *INPUTS["scene"]).err
    assert (
        err
        == "warning: pred: 1 of 2 boxes of both sides have no label, and are of no class (calipers check tells more)\n"
    )


def test_frames_in_two_states_are_counted(run):
    # inside       0 to 49
    # approaching       40 to 99, so that 10 frames of 100 are in both; 1 frame is what an end not meant included gives
    write({"gt.json": {"a": {"inside": [[0, 49]], "approaching": [[40, 99]]}}, "pred.json": {"a": {"states": IDLE[2]}}})
    err = run("timeline", *INPUTS["timeline"]).err
    assert (
        "10 frames of the ground truth in two states or more (1 video, first a); there the interval that starts later"
        in err
    )


def test_predictions_without_states_are_told_with_the_fields_they_have(run):
    names = ("a", "b", "c")
    pred = {name: {"fps": 30, "intervals": {"inside": [[0, 9]]}} for name in names}
    write({"gt.json": {name: {"inside": [[0, 9]]} for name in names}, "pred.json": pred})
    ended = run("timeline", *INPUTS["timeline"])
    expected = 'expected {"states": {state: intervals}} (2 more like it)'
    assert ended.code == 0
    assert f'warning: "a": found fields fps, intervals in its prediction, {expected}\n' in ended.err


def test_annotations_in_the_place_of_detections_are_doubted(run):
    """The folder of a YOLO data set instead of that of the predictions had F1 1 and no word about it."""

    def said(n, **more):
        cones = [CONE | {"id": k + 1, "bbox": [10 * k, 0, 5, 5]} for k in range(n)]
        write({"gt.json": DATA_SET | {"annotations": cones}, "pred.json": [cone | more for cone in cones]})
        return run("coco", *INPUTS["coco"]).err

    doubt = "warning: every detection is an annotation, and not all of them have a score: is it the ground truth?\n"
    assert said(5) == doubt
    assert said(4) == ""  # so few may all be found exactly
    assert doubt not in said(5, score=0.5)
    assert doubt not in said(5, bbox=[0, 0, 5, 4])
