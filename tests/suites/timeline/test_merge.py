"""Totals of runs over parts of the videos, added up by hand: the report of one run over all of them."""

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import calipers
from calipers.core.errors import InputError, RecordError
from calipers.core.parts import Packed
from calipers.files.output import to_json
from calipers.files.part_files import read_tally, write_tally
from calipers.results.merging import merge

TRUTH = {"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]}
PRED = {"fps": 10, "states": {"inside": [[12, 19]]}}
WRONG = {"states": {"inside": [[5, 2]]}}
BAD = {"inside": [[3, 1]]}
BACKWARDS = "frame,time_sec,state\n0,0,out\n10,1,in\n5,2,out\n"
BOXES = {
    "detections": [{"frame": 3, "label": "cone", "box": [0, 0, 4, 4], "score": 0.5}],
    "ocr": [{"frame": 9, "text": "Work Zone"}],
    "runtime": {"frames": 30, "seconds": 1.5},
}


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name, content):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return name


def numbers(report) -> bytes:
    """An artifact without the names of its inputs."""
    return to_json({name: value for name, value in report.items() if name != "inputs"})


def tally(name, gt, pred, **options):
    """A run over a part, with shards of a video each; returns the file of its counts."""
    calipers.timeline(gt, pred, tally=name, jobs=1, chunk_bytes=1, **options)
    return name


def pieces(truths, preds, **options):
    """Runs over predictions in pieces, all with the whole ground truth."""
    gt = truths if isinstance(truths, str) else write("gt.json", truths)
    return [
        tally(f"{k}.cal", gt, write(f"pred_{k}.json", each) if isinstance(each, dict) else each, **options)
        for k, each in enumerate(preds)
    ]


def test_predictions_in_pieces_give_the_numbers_of_the_whole_in_any_order():
    truths = {"a": TRUTH, "b.mp4": TRUTH | BOXES, "c": {}, "d": TRUTH, "e": TRUTH, "f": {"paused": [[0, 9]]}}
    some = {"a": PRED, "stranger": PRED, "f": {"states": {"Paused": [[0, 9]]}}}
    others = {"b": PRED | BOXES, "d": WRONG, "another": PRED}
    parts = pieces(truths, [some, others], transition_tolerance_frames=(0, 5))
    whole = calipers.timeline("gt.json", write("all.json", some | others), transition_tolerance_frames=(0, 5))
    for order in permutations(parts):
        merged = merge(order)
        assert numbers(merged) == numbers(whole)
        assert [entry["path"] for entry in merged["inputs"]] == ["gt.json", "pred_0.json", "pred_1.json"]
    assert whole["not_evaluated"] == {
        "c": "empty_ground_truth",
        "d": whole["not_evaluated"]["d"],
        "e": "missing predictions or states",
    }
    assert whole["pooled"]["runtime_fps"] == 20.0


def test_one_part_gives_the_report_of_its_run_byte_for_byte():
    write("gt.json", {"a": TRUTH, "b": TRUTH, "c": TRUTH})
    write("csv/a.csv", BACKWARDS)
    write("csv/x.csv", BACKWARDS)
    for pred in (write("pred.json", {"a": PRED, "b.mp4": WRONG, "x": PRED}), "csv"):
        part = tally("part.cal", "gt.json", pred)
        assert merge([part]).to_json() == calipers.timeline("gt.json", pred).to_json()


def test_ground_truth_in_pieces_knows_the_predictions_of_the_others_by_any_of_their_names():
    preds = write("pred.json", {"a": PRED, "b": PRED, "c.avi": PRED, "d": PRED})
    first = tally("1.cal", write("gt_1.json", {"a.mp4": TRUTH, "c": TRUTH}), preds)
    second = tally("2.cal", write("gt_2.json", {"b.mp4": TRUTH}), preds)
    whole = calipers.timeline(write("gt.json", {"a.mp4": TRUTH, "b.mp4": TRUTH, "c": TRUTH}), preds)
    assert numbers(merge([second, first])) == numbers(whole)
    assert whole["videos_without_ground_truth"] == ["d"]


def test_folders_of_csvs_in_pieces():
    for name in ("one/a", "one/c", "two/b", "two/x"):
        write(f"{name}.csv", BACKWARDS)
        write(f"both/{name}.csv", BACKWARDS)
    parts = pieces(dict.fromkeys("abcd", TRUTH), ["one", "two"])
    assert numbers(merge(parts[::-1])) == numbers(calipers.timeline("gt.json", "both"))


def test_what_is_wrong_with_the_ground_truth_is_told_once():
    preds = [{"a": PRED}, {"b": PRED, "c": PRED}]
    parts = pieces({"a": TRUTH, "b": BAD, "c": TRUTH, "d": {}}, preds, max_bad_records=1)
    merged = merge(parts)
    assert merged["records"] == {"read": 4, "evaluated": 2, "skipped": 1, "rejected": 1}
    assert [entry["video"] for entry in merged["rejected"]] == ["b"]


def test_too_many_bad_videos_in_all_parts_are_an_error():
    first = tally("1.cal", write("gt_1.json", {"a": BAD, "b": TRUTH}), write("1.json", {"b": PRED}), max_bad_records=1)
    second = tally("2.cal", write("gt_2.json", {"c": BAD, "d": TRUTH}), write("2.json", {"d": PRED}), max_bad_records=1)
    with pytest.raises(RecordError, match=r'gt_2.json: "c": inside\[0\]'):
        merge([second, first])


@pytest.mark.parametrize(
    ("one", "two"), [(PRED, PRED), (PRED, WRONG), (WRONG, PRED), (WRONG, WRONG)], ids=["mm", "mw", "wm", "ww"]
)
def test_a_video_with_two_predictions_is_an_error_that_names_it(one, two):
    parts = pieces({"a": TRUTH, "b": TRUTH, "c": TRUTH}, [{"a": PRED, "b": one}, {"b": two, "c": PRED}])
    with pytest.raises(InputError, match="the video 'b' has a prediction in two parts"):
        merge(parts)


def test_a_video_without_a_prediction_gives_way_whichever_comes_first():
    for preds in ([{"a": PRED}, {"b": PRED}], [{"b": PRED}, {"a": PRED}], [{"a": PRED}, {"b": {"fps": 3}}]):
        parts = pieces({"a": TRUTH, "b": TRUTH}, preds)
        both = {name: entry for some in preds for name, entry in some.items()}
        assert numbers(merge(parts)) == numbers(calipers.timeline("gt.json", write("both.json", both)))


def test_other_options_are_refused():
    first, second = pieces({"a": TRUTH, "b": TRUTH}, [{"a": PRED}, {"b": PRED}])
    tally(second, "gt.json", "pred_1.json", extent="gt")
    with pytest.raises(calipers.ConfigError, match="made with extent = 'gt', expected 'union'"):
        merge([first, second])


CELLS = ("video", "truth", "pred", "frames")


@pytest.mark.parametrize("name", [*(f"cells/{name}" for name in CELLS), "fps", "fps_estimate"])
@pytest.mark.parametrize("change", [lambda a: a[:1], lambda a: np.concatenate([a, a]), lambda a: a[:, None]])
def test_columns_that_do_not_fit_together_are_refused(name, change):
    """Kernels would read beyond the end of one that is too short."""
    truths = {f"{video}.mp4": TRUTH for video in range(9)}
    preds = dict.fromkeys(truths, PRED)
    calipers.timeline(write("gt.json", truths), write("pred.json", preds), tally="a.cal")
    made, packed = read_tally("a.cal")
    write_tally("odd.cal", made, Packed(packed.plain, packed.arrays | {name: change(packed.arrays[name])}))
    with pytest.raises(InputError, match=r"odd\.cal: holds a part that cannot be read"):
        merge(["odd.cal"])


@pytest.mark.parametrize(("name", "value"), [("video", 9), ("video", -1), ("truth", 99), ("pred", -1), ("frames", -1)])
def test_codes_of_nothing_are_refused(name, value):
    calipers.timeline(write("gt.json", {"a.mp4": TRUTH}), write("pred.json", {"a.mp4": PRED}), tally="a.cal")
    made, packed = read_tally("a.cal")
    column = packed.arrays[f"cells/{name}"].copy()
    column[-1] = value
    write_tally("odd.cal", made, Packed(packed.plain, packed.arrays | {f"cells/{name}": column}))
    with pytest.raises(InputError, match="columns of states that do not fit together"):
        merge(["odd.cal"])
