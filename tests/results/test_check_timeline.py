"""Timelines: what a check says of annotations and predictions, and the reading of predictions it finds."""

import json
from pathlib import Path

import pytest

import calipers
from calipers.results.check import check
from calipers.results.outcome import why_nothing_evaluated

DATA = Path(calipers.__file__).parent / "data" / "timeline"
TRUTH = json.loads((DATA / "annotations.json").read_text(encoding="utf-8"))
PRED = json.loads((DATA / "predictions.json").read_text(encoding="utf-8"))
BESIDE = ("fps", "detections", "ocr", "runtime")
PERFECT = {
    video: {"states": {state: spans for state, spans in entry.items() if state not in BESIDE}}
    for video, entry in TRUTH.items()
}
WORDS = {"outside": "OUT", "approaching": "Approach", "inside": "In", "exiting": "exit"}


def frames(change, pred=PRED):
    """Predictions with every frame of an interval changed; `change` sees the frame and its video's entry."""
    changed = {}
    for video, entry in pred.items():
        states = entry.get("states") or {}
        moved = {
            state: [[change(end, entry) for end in span] for span in spans or []] for state, spans in states.items()
        }
        changed[video] = {**entry, "states": moved} if "states" in entry else entry
    return changed


def renamed(words):
    return {
        video: {**entry, "states": {words.get(state, state): spans for state, spans in entry["states"].items()}}
        for video, entry in PRED.items()
        if entry.get("states") is not None
    }


READINGS = {
    "seconds -> frames (× fps)": frames(lambda frame, entry: round(frame / entry["fps"], 4)),
    "milliseconds -> frames (× fps)": frames(lambda frame, entry: round(1000 * frame / entry["fps"])),
    "seconds -> frames (× 30)": frames(lambda frame, entry: round(frame / 30, 4), PERFECT),
    "frames counted at another rate (× 5)": frames(lambda frame, entry: frame // 5),
    "frames counted at another rate (× 0.5)": frames(lambda frame, entry: frame * 2),
    "every frame one frame earlier": frames(lambda frame, entry: frame + 1, PERFECT),
    "every frame one frame later": frames(lambda frame, entry: max(0, frame - 1), PERFECT),
    "states by other words: OUT -> outside, Approach -> approaching, In -> inside, exit -> exiting": renamed(WORDS),
    "videos by file name alone: clips/ALDER_CROSSING_0127.MP4 -> alder_crossing_0127.mp4": {
        f"clips/{video.upper()}": entry for video, entry in PRED.items()
    },
}


def likely(found):
    [sides] = found["comparisons"]
    return [reading["name"] for reading in sides["readings"] if reading["likely"]]


@pytest.mark.parametrize("name", READINGS)
def test_the_reading_is_found_and_would_score_as_the_right_data_do(name):
    found = check(gt=TRUTH, pred=READINGS[name])
    assert likely(found) == [name]
    reading = found["comparisons"][0]["readings"][0]
    assert reading["score"] > 0.87


@pytest.mark.parametrize(
    "pred", [PRED, PERFECT, DATA / "predictions.json", DATA / "csv" / "fusion", DATA / "csv" / "sota"]
)
def test_right_data_raise_no_alarm(pred):
    found = check(gt=DATA / "annotations.json", pred=pred)
    assert found["ok"]
    assert likely(found) == []


def test_csvs_spell_states_as_the_ground_truth_does(tmp_path):
    """The suite reads `inside` of a CSV as the `Inside` of the ground truth, so that is no other reading."""
    truth = {"a.mp4": {"Outside": [[0, 9]], "Inside": [[10, 19]]}}
    (tmp_path / "a_timeline.csv").write_text(
        "frame,state\n" + "".join(f"{k},{'in' if k > 9 else 'out'}\n" for k in range(20))
    )
    [sides] = check(gt=truth, pred=tmp_path)["comparisons"]
    assert (sides["score"], sides["readings"]) == (1.0, [])


# Files


def test_ground_truth_of_the_sample_is_perfect_against_itself():
    [file] = check(DATA / "annotations.json")["files"]
    assert file["itself"] == {
        "figures": {"frame accuracy": 1.0},
        "perfect": True,
        "apart": {"without intervals": 1},
        "imperfect": [],
    }
    assert file["counts"]["contents"] == {"videos": 22, "empty": 1, "intervals": 110, "states": 4, "detections": 70}


INSIDE, NOTHING = {"inside": [[0, 99]]}, {"inside": []}


@pytest.mark.parametrize(
    ("gt", "pred", "reason"),
    [
        ({}, {}, "0 of 0 videos: there is nothing to compare in them"),
        ({}, {"a": {"states": INSIDE}}, "0 of 0 videos: there is nothing to compare in them"),
        ({"a": NOTHING}, {"a": {"states": INSIDE}}, "0 of 1 video: a: empty_ground_truth"),
        ({"a": INSIDE, "b": INSIDE}, {"c": {"states": INSIDE}}, "0 of 2 videos: a: missing predictions or states"),
        ({"a": INSIDE}, {"a": {"fps": 30}}, "0 of 1 video: a: missing predictions or states"),
        ({"a": INSIDE}, {"a": {"states": NOTHING}}, ""),
        ({"a": INSIDE, "b": NOTHING}, {"a": {"states": INSIDE}}, ""),
    ],
)
def test_the_verdict_is_that_of_the_run(gt, pred, reason):
    found, report = check(gt=gt, pred=pred, suite="timeline"), calipers.timeline(gt, pred, bootstrap=0)
    if not reason:
        assert why_nothing_evaluated(report) is None
        assert found.exit_code == 0
        return
    assert why_nothing_evaluated(report) == f"nothing was evaluated: {reason} (calipers check tells more)"
    assert found.exit_code == 3
    refused = [text for file in found["files"] for text in file["refused"]["first"]]
    assert [text.removeprefix("<gt>: ") for text in refused] == [f"nothing was evaluated: {reason}"]


def test_no_intervals_are_never_perfect_against_themselves():
    found = check(gt={"a": NOTHING}, suite="timeline")
    assert found["files"][0]["itself"] is None
    assert "perfect" not in str(found)


def test_states_in_another_spelling_are_in_the_verdict():
    found = check(gt={"a": {"inside": [[0, 99]]}}, pred={"a": {"states": {"INSIDE": [[0, 99]]}}})
    assert str(found).splitlines()[-1].endswith("labels differ in spelling alone: INSIDE for inside")


def test_every_bad_video_of_the_ground_truth_is_told():
    truth = {
        "a": {"inside": [[5, 2]]},
        "b": {"inside": [[0, 9]]},
        "c": {"inside": [[0.5, 2]]},
        "d": {"fps": "fast", "inside": [[0, 1]]},
        "e": 7,
    }
    found = check(gt=truth)
    assert found.exit_code == 3
    refused = found["files"][0]["refused"]
    assert refused["n"] == 4
    assert [text.split(": ")[1] for text in refused["first"]] == ['"a"', '"c"', '"d"', '"e"']
    assert "found [5, 2], expected [first, last]" in refused["first"][0]


def test_a_prediction_that_cannot_be_read_is_an_entry_of_its_video_and_no_refusal():
    pred = {"a": {"states": {"inside": [[5, 2]]}}, "b": {"fps": 30}, "c": {"states": {"inside": [[0, 9]]}}}
    found = check(pred=pred)
    assert found["ok"]
    [file] = found["files"]
    assert file["invalid"]["n"] == 1
    assert "a: invalid prediction: states.inside[0]: found [5, 2]" in next(iter(file["invalid"]["reasons"]))
    assert file["counts"]["contents"]["without states"] == 1


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"fps": 0, "inside": [[0, 500]]}, "fps is 0 in 1 video, taken as not known: a"),
        ({"inside": [[0, 20]]}, "no video lasts longer than frame 20: are these seconds?"),
        ({"inside": [[7, 500]]}, "1 video not beginning at frame 0"),
        ({"inside": [[0, 300]], "outside": [[300, 500]]}, "1 video with intervals that share frames"),
    ],
)
def test_what_looks_wrong_is_said(entry, words):
    [file] = check(gt={"a": entry})["files"]
    assert any(words in warning for warning in file["warnings"]), file["warnings"]


def test_videos_of_one_side_and_far_too_long_ones_are_told():
    truth = {"a": {"inside": [[0, 99]]}, "b": {"inside": [[0, 99]]}}
    pred = {"a": {"states": {"inside": [[0, 999]]}}, "c": {"states": {"inside": [[0, 99]]}}}
    [sides] = check(gt=truth, pred=pred)["comparisons"]
    assert sides["warnings"] == [
        "1 video predicted without ground truth: c",
        "1 video without a prediction: b",
        "1 video predicted far beyond the ground truth: a",
    ]


def test_states_of_one_side_are_told_with_the_nearest_spelling():
    truth = {"a": {"approaching": [[0, 99]], "inside": [[100, 200]]}}
    pred = {"a": {"states": {"aproaching": [[0, 99]], "inside": [[100, 200]]}}}
    [sides] = check(gt=truth, pred=pred)["comparisons"]
    assert sides["labels"] == {
        "shared": 1,
        "gt_only": [{"label": "approaching", "n": 1, "nearest": "aproaching"}],
        "pred_only": [{"label": "aproaching", "n": 1, "nearest": "approaching"}],
    }
    assert sides["readings"][0]["name"] == "states by other words: aproaching -> approaching"


def test_the_caller_s_data_are_left_alone():
    before = json.dumps([TRUTH, PRED])
    check(gt=TRUTH, pred=PRED)
    assert json.dumps([TRUTH, PRED]) == before
