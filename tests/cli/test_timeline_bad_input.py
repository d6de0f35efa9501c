"""Timelines that are wrong: malformed ground truth ends the run, a malformed prediction only its video.

`refuses_videos` checks that every file is as it was.
"""

import json
from pathlib import Path

import pytest

GOOD = {"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]}
FOUND = {"fps": 10, "states": {"outside": [[0, 11], [20, 29]], "inside": [[12, 19]]}}
FRAMES = "expected [first, last], whole frames with 0 <= first <= last <= 1000000000000"
INPUTS = ["--gt", "gt.json", "--pred", "pred.json"]

# as written, and as a message shows it
WRONG_INTERVALS = [
    ("[338, 229]", "[338, 229]"),
    ("[-1, 5]", "[-1, 5]"),
    ("[0, -1]", "[0, -1]"),
    ("[0, 1.5]", "[0, 1.5]"),
    ("[0, 150.0]", "[0, 150.0]"),
    ("[0.0, 5]", "[0.0, 5]"),
    ("[0, 1e2]", "[0, 100.0]"),
    ("[true, 5]", "[true, 5]"),
    ("[0, true]", "[0, true]"),
    ('["0", "9"]', '["0", "9"]'),
    ('"0-9"', '"0-9"'),
    ("[null, 5]", "[null, 5]"),
    ("[[0], [5]]", "[[0], [5]]"),
    ("[]", "[]"),
    ("[5]", "[5]"),
    ("[0, 5, 9]", "[0, 5, 9]"),
    ("5", "5"),
    ("null", "null"),
    ('{"start": 0, "end": 9}', '{"start": 0, "end": 9}'),
    ("[0, 1000000000001]", "[0, 1000000000001]"),
    ("[0, 10000000000000]", "[0, 10000000000000]"),
    (f"[0, {2**64 - 1}]", f"[0, {2**64 - 1}]"),
    (f"[0, {2**70}]", "[0, 1.1805916207174113e+21]"),
]


def write(name, content):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def truth(text, pred=FOUND):
    """Ground truth of three videos, the second of them as written; good predictions of all."""
    good = json.dumps(GOOD)
    write("gt.json", f'{{"a.mp4": {good}, "b.mp4": {text}, "c.mp4": {good}}}')
    write("pred.json", dict.fromkeys(("a.mp4", "b.mp4", "c.mp4"), pred))


def predicted(text):
    """Good ground truth of three videos; the prediction of the second as written."""
    good = json.dumps(FOUND)
    write("gt.json", dict.fromkeys(("a.mp4", "b.mp4", "c.mp4"), GOOD))
    write("pred.json", f'{{"a.mp4": {good}, "b.mp4": {text}, "c.mp4": {good}}}')


@pytest.fixture
def rejects(run):
    """Up to one bad video is allowed: the second is rejected, counted and listed, and the others are measured."""

    def check(problem):
        ended = run("timeline", *INPUTS, "--max-bad-records", 1, "--json")
        tree = ended.artifact()
        assert tree["records"] == {"read": 3, "evaluated": 2, "skipped": 0, "rejected": 1}
        [entry] = tree["rejected"]
        assert (entry["path"], entry["video"]) == ("gt.json", "b.mp4")
        assert problem in entry["problem"]
        assert tree["videos"]["b.mp4"] == {"error": f"invalid ground truth: {entry['problem']}"}
        assert [tree["videos"][name]["frame_accuracy"] for name in ("a.mp4", "c.mp4")] == [28 / 30, 28 / 30]
        assert (tree["summary"]["videos_evaluated"], tree["summary"]["videos_total"]) == (2, 3)
        assert ended.err == f"rejected: gt.json: b.mp4: {entry['problem']}\n"

    return check


@pytest.fixture
def spoils(run):
    """The second video has an entry that says what is wrong with its prediction, and the others are measured."""

    def check(error, args=INPUTS):
        tree = run("timeline", *args, "--json").artifact()
        assert tree["records"] == {"read": 3, "evaluated": 2, "skipped": 1, "rejected": 0}
        assert list(tree["videos"]["b.mp4"]) == ["error"]
        assert tree["videos"]["b.mp4"]["error"].startswith(error)
        assert [tree["videos"][name]["frame_accuracy"] for name in ("a.mp4", "c.mp4")] == [28 / 30, 28 / 30]
        return tree["videos"]["b.mp4"]["error"]

    return check


# ---------------------------------------------------------------- intervals


@pytest.mark.parametrize(("interval", "shown"), WRONG_INTERVALS)
def test_a_malformed_true_interval_ends_the_run_or_is_rejected(refuses_videos, rejects, interval, shown):
    truth(f'{{"outside": [[0, 9]], "inside": [[10, 19], {interval}]}}')
    problem = f"inside[1]: found {shown}, {FRAMES}"
    refuses_videos(f'error: gt.json: "b.mp4": {problem}\n', "--max-bad-records")
    rejects(problem)


@pytest.mark.parametrize(("interval", "shown"), WRONG_INTERVALS)
def test_a_malformed_predicted_interval_is_the_error_of_its_video(spoils, interval, shown):
    predicted(f'{{"states": {{"outside": [[0, 9]], "inside": [[10, 19], {interval}]}}}}')
    assert spoils("invalid prediction: ").endswith(f"states.inside[1]: found {shown}, {FRAMES}")


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" + "0" * 400, "NaN", "Infinity", "-Infinity"])
def test_a_true_frame_that_is_not_finite_ends_the_run(refuses_videos, number):
    truth(f'{{"inside": [[0, {number}]]}}')
    refuses_videos("error: gt.json: ")


def test_intervals_that_overlap_are_no_error_and_their_frames_are_counted(run):
    #   truth  inside 0..15 twice over 5..10, outside 3..20      pred  inside 0..20, exiting 4..6
    truth(
        '{"inside": [[0, 10], [5, 15]], "outside": [[3, 20]]}', {"states": {"inside": [[0, 20]], "exiting": [[4, 6]]}}
    )
    entry = run("timeline", *INPUTS, "--json").artifact()["videos"]["b.mp4"]
    assert (entry["overlapped_frames_gt"], entry["overlapped_frames_pred"]) == (13, 3)  # 3..15, 4..6
    assert entry["counts"]["gt_events"] == 2


# ---------------------------------------------------------------- states and videos


@pytest.mark.parametrize("value", ["5", "1.5", "true", '"0-9"', "{}", '{"0": 9}'])
def test_a_state_that_is_no_list_is_refused_or_spoils_its_video(refuses_videos, rejects, spoils, value):
    problem = f"inside: found {value}, expected a list of [first, last] frames"
    truth(f'{{"outside": [[0, 9]], "inside": {value}}}')
    refuses_videos(f'error: gt.json: "b.mp4": {problem}\n')
    rejects(problem)
    predicted(f'{{"states": {{"outside": [[0, 9]], "inside": {value}}}}}')
    spoils(f"invalid prediction: states.{problem}")


@pytest.mark.parametrize("value", ["null", "[]", "[[0, 9]]", "5", "true", '"inside"'])
def test_true_states_that_are_no_object_are_refused(refuses_videos, rejects, value):
    truth(value)
    refuses_videos('error: gt.json: "b.mp4": ', f"found {value}, expected {{state: intervals}}")
    rejects(f"found {value}, expected {{state: intervals}}")


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("null", "missing predictions or states"),
        ("{}", "missing predictions or states"),
        ('{"fps": 30}', "missing predictions or states"),
        ('{"states": null}', "missing predictions or states"),
        ('{"fps": 30, "states": null, "detections": null, "ocr": null}', "missing predictions or states"),
        ("[]", "invalid prediction: found [], expected an object with states"),
        ("[[0, 9]]", "invalid prediction: found [[0, 9]], expected an object with states"),
        ("5", "invalid prediction: found 5, expected an object with states"),
        ('"inside"', 'invalid prediction: found "inside", expected an object with states'),
        ('{"states": []}', "invalid prediction: states: found [], expected {state: intervals}"),
        ('{"states": "in"}', 'invalid prediction: states: found "in", expected {state: intervals}'),
        ('{"states": false}', "invalid prediction: states: found false, expected {state: intervals}"),
    ],
)
def test_a_prediction_without_states_is_told_from_one_that_is_malformed(spoils, value, error):
    predicted(value)
    assert spoils(error) == error


def test_a_video_that_was_not_predicted_is_missing_and_one_without_ground_truth_is_listed(run):
    write("gt.json", {"a.mp4": GOOD, "b.mp4": GOOD})
    write("pred.json", {"z.mp4": FOUND, "b.mp4": FOUND, "y.mp4": None})
    tree = run("timeline", *INPUTS, "--json").artifact()
    assert tree["videos"]["a.mp4"] == {"error": "missing predictions or states"}
    assert tree["videos_without_ground_truth"] == ["y.mp4", "z.mp4"]
    assert tree["records"] == {"read": 2, "evaluated": 1, "skipped": 1, "rejected": 0}
    assert b"ignored   2 predicted without ground truth: y.mp4, z.mp4" in run("timeline", *INPUTS).out


def test_states_without_any_are_a_prediction_of_nothing(run):
    predicted('{"states": {}}')
    entry = run("timeline", *INPUTS, "--json").artifact()["videos"]["b.mp4"]
    assert (entry["frame_accuracy"], entry["event_recall"], entry["event_precision"]) == (20 / 30, 0, None)


def test_empty_ground_truth_is_skipped(run):
    for text in ("{}", '{"inside": [], "outside": null}'):
        truth(text)
        tree = run("timeline", *INPUTS, "--json").artifact()
        assert tree["videos"]["b.mp4"] == {"error": "empty_ground_truth"}
        assert tree["records"] == {"read": 3, "evaluated": 2, "skipped": 1, "rejected": 0}


def test_ground_truth_without_a_video_is_refused(refuses_videos):
    write("gt.json", {})
    write("pred.json", {"a.mp4": FOUND})
    refuses_videos("error: gt.json: no videos, expected {video: {state: intervals}}\n")


def test_trap_22_an_unknown_state_is_a_state_of_its_own(run):
    #   truth  parked 0..29       pred  outside 0..29: not a frame is right
    truth('{"parked": [[0, 29]]}', {"states": {"outside": [[0, 29]]}})
    entry = run("timeline", *INPUTS, "--json").artifact()["videos"]["b.mp4"]
    assert (entry["frame_accuracy"], entry["iou_parked"], entry["iou_outside"]) == (0, 0, 0)
    assert entry["confusion"] == {"parked": {"outside": 30}}
    assert entry["advisory_coverage_ratio"] == 0


def test_names_may_be_empty(run):
    write("gt.json", {"": {"": [[0, 9]]}})
    write("pred.json", {"": {"states": {"": [[0, 9]]}}})
    tree = run("timeline", *INPUTS, "--json", "-o", "out").artifact()
    assert tree["videos"][""]["confusion"] == {"": {"": 10}}
    assert run("timeline", *INPUTS).code == 0


# ---------------------------------------------------------------- fps and what else stands beside the states


@pytest.mark.parametrize("value", ['"30"', "true", "[]", "{}", "0.0009", "1e-320", "1000001", "1e+300"])
def test_fps_that_cannot_be_is_refused_or_spoils_its_video(refuses_videos, rejects, spoils, value):
    problem = f"fps: found {value}, expected a number from 0.001 to 1000000, or 0 where it is not known"
    truth(f'{{"inside": [[0, 9]], "fps": {value}}}')
    refuses_videos(f'error: gt.json: "b.mp4": {problem}\n')
    rejects(problem)
    predicted(f'{{"fps": {value}, "states": {{}}}}')
    spoils(f"invalid prediction: {problem}")


@pytest.mark.parametrize("value", ["0", "0.0", "-0", "-5", "-29.97", "null"])
def test_trap_24_fps_that_is_not_positive_is_not_known(run, value):
    predicted(f'{{"fps": {value}, "states": {{}}}}')
    tree = run("timeline", *INPUTS, "--json").artifact()
    entry = tree["videos"]["b.mp4"]
    assert (entry["fps_estimate"], entry["time_in_error_frames"], entry["time_in_error_sec"]) == (None, 10, None)
    assert (tree["summary"]["fps_estimate_mean"], tree["summary"]["fps_estimate_n"]) == (10, 2)


WRONG_BESIDE = [
    ('"detections": 5', "detections: found 5, expected a list"),
    ('"detections": {}', "detections: found {}, expected a list"),
    ('"detections": [5]', "detections[0]: found 5, expected an object"),
    ('"detections": [{"frame": 1, "label": "x", "box": [0, 0, 1, 1]}, null]', "detections[1]: found null, expected"),
    ('"detections": [{"label": "x", "box": [0, 0, 1, 1]}]', "detections[0].frame: found null, expected a whole"),
    ('"detections": [{"frame": -1, "label": "x", "box": [0, 0, 1, 1]}]', "detections[0].frame: found -1, expected"),
    ('"detections": [{"frame": 1.0, "label": "x", "box": [0, 0, 1, 1]}]', "detections[0].frame: found 1.0, expected"),
    ('"detections": [{"frame": 1, "label": 5, "box": [0, 0, 1, 1]}]', "detections[0].label: found 5, expected a text"),
    ('"ocr": "STOP"', 'ocr: found "STOP", expected a list'),
    ('"ocr": [["STOP"]]', 'ocr[0]: found ["STOP"], expected an object'),
    ('"ocr": [{"text": "STOP"}]', "ocr[0].frame: found null, expected a whole frame"),
    ('"ocr": [{"frame": true, "text": "STOP"}]', "ocr[0].frame: found true, expected a whole frame"),
    ('"ocr": [{"frame": 1}]', "ocr[0].text: found null, expected a text"),
    ('"ocr": [{"frame": 1, "text": 5}]', "ocr[0].text: found 5, expected a text"),
    ('"ocr": [{"frame": 1, "text": "", "box": [1]}]', "ocr[0].box: found [1], expected [x1, y1, x2, y2]"),
]


@pytest.mark.parametrize(("beside", "problem"), WRONG_BESIDE)
def test_malformed_detections_and_signs_are_refused_or_spoil_a_video(refuses_videos, rejects, spoils, beside, problem):
    truth(f'{{"inside": [[0, 9]], {beside}}}')
    refuses_videos(f'error: gt.json: "b.mp4": {problem}')
    rejects(problem)
    predicted(f'{{"states": {{}}, {beside}}}')
    spoils(f"invalid prediction: {problem}")


@pytest.mark.parametrize(
    "box", ["null", "5", "[]", "[0, 0, 1]", '["0", 0, 1, 1]', "[true, 0, 1, 1]", "[0, 0, 1, 1, 1]"]
)
def test_trap_20_a_predicted_box_that_cannot_be_read_counts_as_one_that_matches_nothing(refuses_videos, run, box):
    truth(f'{{"inside": [[0, 9]], "detections": [{{"frame": 1, "label": "x", "box": {box}}}]}}')
    refuses_videos(f'error: gt.json: "b.mp4": detections[0].box: found {box}, expected [x1, y1, x2, y2]')
    good = '{"frame": 1, "label": "x", "box": [0, 0, 1, 1]}'
    # 60 frames at one a second are a minute
    truth(f'{{"outside": [[0, 59]], "detections": [{good}]}}')
    write(
        "pred.json",
        f'{{"b": {{"fps": 1, "states": {{}}, "detections": [{good}, {good.replace("[0, 0, 1, 1]", box)}]}}}}',
    )
    entry = run("timeline", *INPUTS, "--json").artifact()["videos"]["b.mp4"]
    assert entry["detection_false_positives_per_minute"] == 1.0


@pytest.mark.parametrize(
    ("runtime", "problem"),
    [
        ("5", "runtime: found 5, expected {frames, seconds}"),
        ("[1, 2]", "runtime: found [1, 2], expected {frames, seconds}"),
        ("{}", "runtime.frames: found null, expected a number of at least 0"),
        ('{"frames": 5}', "runtime.seconds: found null, expected a number of at least 0"),
        ('{"frames": "5", "seconds": 1}', 'runtime.frames: found "5", expected a number'),
        ('{"frames": true, "seconds": 1}', "runtime.frames: found true, expected a number"),
        ('{"frames": 5, "seconds": -1}', "runtime.seconds: found -1, expected a number of at least 0"),
    ],
)
def test_a_malformed_runtime_spoils_its_video(spoils, runtime, problem):
    predicted(f'{{"states": {{}}, "runtime": {runtime}}}')
    spoils(f"invalid prediction: {problem}")


# ---------------------------------------------------------------- how many bad videos are too many


def test_one_bad_video_more_than_allowed_ends_the_run_and_is_named(refuses_videos, run):
    write("gt.json", {name: {"inside": [[5, 2]]} for name in "dcba"} | {"good": GOOD})
    write("pred.json", {"good": FOUND})
    for most, name in enumerate("abcd"):
        refuses_videos(f'error: gt.json: "{name}": inside[0]: found [5, 2]', args=[*INPUTS, "--max-bad-records", most])
    ended = run("timeline", *INPUTS, "--max-bad-records", 4, "--json")
    assert [entry["video"] for entry in ended.artifact()["rejected"]] == ["a", "b", "c", "d"]
    assert [line.split(": ")[2] for line in ended.err.splitlines()] == ["a", "b", "c", "d"]


# ---------------------------------------------------------------- names


def test_names_are_matched_with_and_without_extension(run):
    write("gt.json", {"a.mp4": GOOD, "b": GOOD, "c.avi": GOOD})
    write("pred.json", {"a": FOUND, "b.mp4": FOUND, "c.mp4": FOUND})
    tree = run("timeline", *INPUTS, "--json").artifact()
    assert {name: entry["frame_accuracy"] for name, entry in tree["videos"].items()} == dict.fromkeys(
        ("a.mp4", "b", "c.avi"), 28 / 30
    )
    assert tree["videos_without_ground_truth"] == []


def test_names_that_may_mean_two_videos_are_refused(refuses_videos):
    write("gt.json", {"a.mp4": GOOD, "a.avi": GOOD})
    write("pred.json", {"a": FOUND})
    refuses_videos("error: pred.json: 'a' may mean 'a.avi' or 'a.mp4' of the ground truth")
    write("gt.json", {"a.mp4": GOOD})
    write("pred.json", {"a": FOUND, "a.mp4": FOUND})
    refuses_videos("error: pred.json: 'a.mp4' and 'a' both are predictions of 'a.mp4'")
