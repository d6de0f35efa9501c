"""What the timeline suite was ordered to do, sentence by sentence: inputs, frames, report, sweep, commands.

Metrics have a test each, drawn, in tests/suites/timeline/test_state*.py.
"""

import csv
import json

import pytest
from click.testing import CliRunner

import calipers
from calipers.cli.suite_command import make_command
from calipers.suite import suite_of

from ..suites.timeline.test_states import PRED_DRIVE, TRUTH_DRIVE, evaluate, intervals, measure, near

pytestmark = pytest.mark.usefixtures("blank_plots")

COMMAND = make_command(suite_of("timeline"))
TRUTH = {
    "video_snippet.mp4": {
        "outside": [[0, 150], [423, 900]],
        "approaching": [[151, 228]],
        "inside": [[229, 338]],
        "exiting": [[339, 422]],
    }
}
PRED = {
    "video_snippet.mp4": {
        "fps": 30,
        "states": {
            "outside": [[0, 149], [430, 900]],
            "approaching": [[150, 230]],
            "inside": [[231, 340]],
            "exiting": [[341, 429]],
        },
        "detections": None,
        "ocr": None,
    }
}


def run(truth, pred, **options):
    return calipers.timeline(truth, pred, **{"bootstrap": 0, **options})


def skipped(report):
    """Why videos were not evaluated."""
    return {name: entry["error"] for name, entry in report["videos"].items() if "error" in entry}


class TestTheExample:
    """901 frames; wrong are 150 (1), 229-230 (2), 339-340 (2) and 423-429 (7)."""

    @pytest.fixture
    def video(self):
        return run(TRUTH, PRED, transition_tolerance_frames=2)["videos"]["video_snippet.mp4"]

    def test_frames(self, video):
        assert (video["frame_accuracy"], video["time_in_error_frames"]) == (889 / 901, 12)
        assert video["time_in_error_sec"] == 0.4  # 12 / 30

    def test_transitions(self, video):
        # 151, 229, 339, 423 and 150, 231, 341, 430: distances 1, 2, 2, 7
        names = ("transition_recall", "transition_precision", "transition_accuracy")
        assert [video[name] for name in names] == [3 / 4] * 3

    def test_timing(self, video):
        assert (video["entry_timing_mae_frames"], video["advisory_start_error_frames"]) == (2, -1)
        assert video["lead_time_sec"] == 79 / 30  # 229 - 150

    def test_false_activation(self, video):
        # 151 + 478 idle frames, false at 150 and 423-429, two episodes in 901 / 30 / 60 minutes
        assert video["false_activation_rate"] == 8 / 629
        assert video["false_activations_per_minute"] == near(2 * 1800 / 901)
        assert video["mean_activation_persistence_frames"] == 280.0  # 150 to 429


class TestGroundTruth:
    def test_frames_are_inclusive_and_the_artifact_says_so(self):
        # 0 to 0 is one frame
        report = evaluate({"inside": [[0, 0]]}, {})
        assert report["videos"]["v"]["counts"]["frames"] == 1
        assert report["params"]["intervals"] == "frames, both ends included"

    def test_null_for_a_state_is_no_interval(self):
        assert measure({"inside": [[0, 3]], "exiting": None}, "IIII")["frame_accuracy"] == 1.0

    @pytest.mark.parametrize(
        "interval", [[5, 3], [-1, 3], [1.5, 3], [0, 3.0], ["0", 3], [True, 3], [3], [0, 1, 2], None]
    )
    def test_reversed_negative_or_other_than_whole_intervals_are_input_errors(self, interval):
        message = r'<gt>: "v": inside\[1\]: found .*, expected \[first, last\], whole frames'
        with pytest.raises(calipers.InputError, match=message) as raised:
            evaluate({"inside": [[0, 1], interval]}, {})
        assert raised.value.exit_code == 3

    def test_some_bad_videos_may_be_rejected_and_are_listed(self):
        truth = {"bad": {"inside": [[3, 2]]}, "good": {"inside": [[0, 3]]}}
        report = run(truth, {"good": {"states": {}}, "bad": {"states": {}}}, max_bad_records=1)
        assert report["records"] == {"read": 2, "evaluated": 1, "skipped": 0, "rejected": 1}
        assert [entry["video"] for entry in report["rejected"]] == ["bad"]
        assert skipped(report)["bad"].startswith("invalid ground truth: inside[0]: found [3, 2]")

    @pytest.mark.parametrize("states", [{}, {"inside": [], "outside": []}, {"inside": None}, {"fps": 30}])
    def test_ground_truth_without_any_interval_is_skipped(self, states):
        report = run({"v": states}, {"v": {"states": {"inside": [[0, 3]]}}})
        assert report["videos"] == {"v": {"error": "empty_ground_truth"}}

    def test_what_may_stand_beside_the_states_is_no_state(self):
        beside = {"fps": 30, "detections": [], "ocr": [], "runtime": None}
        assert measure({"inside": [[0, 3]], **beside}, "IIII")["confusion"] == {"inside": {"inside": 4}}


class TestPredictions:
    def test_a_missing_entry_or_missing_states_is_an_error_entry(self):
        truth = {name: {"inside": [[0, 3]]} for name in "abcd"}
        report = run(truth, {"b": {"fps": 30}, "c": {"states": None}, "d": {"states": {}}})
        assert skipped(report) == dict.fromkeys("abc", "missing predictions or states")

    def test_empty_states_are_a_prediction_of_nothing(self):
        # truth  .III
        # pred   ....   right at 0
        found = measure({"inside": [[1, 3]]}, {})
        assert (found["frame_accuracy"], found["event_recall"], found["event_precision"]) == (1 / 4, 0.0, None)

    def test_null_for_a_state_is_no_interval(self):
        assert measure("IIII", {"inside": [[0, 3]], "exiting": None})["frame_accuracy"] == 1.0

    @pytest.mark.parametrize("interval", [[5, 3], [-1, 3], [1.5, 3], [3], "0-3", None])
    def test_a_malformed_interval_is_that_videos_error_entry(self, interval):
        truth = {"a": {"inside": [[0, 3]]}, "b": {"inside": [[0, 3]]}}
        bad = {"fps": 30, "states": {"inside": [[0, 1], interval]}}
        report = run(truth, {"a": bad, "b": {"fps": 30, "states": {"inside": [[0, 3]]}}})
        assert skipped(report)["a"].startswith("invalid prediction: states.inside[1]: found ")
        assert report["videos"]["b"]["frame_accuracy"] == 1.0
        assert report["records"] == {"read": 2, "evaluated": 1, "skipped": 1, "rejected": 0}

    def test_predictions_without_ground_truth_are_listed(self):
        pred = {"b": {"states": {}}, "z": {"states": {}}, "a": {"states": {}}}
        report = run({"b": {"inside": [[0, 3]]}}, pred)
        assert report["videos_without_ground_truth"] == ["a", "z"]
        assert list(report["videos"]) == ["b"]

    @pytest.mark.parametrize(
        ("truth", "pred"), [("a.mp4", "a"), ("a", "a.mp4"), ("a.mp4", "a.mp4"), ("a.b.mp4", "a.b")]
    )
    def test_names_match_with_or_without_their_extension(self, truth, pred):
        report = run({truth: {"inside": [[0, 3]]}}, {pred: {"states": {"inside": [[0, 3]]}}})
        assert report["videos"][truth]["frame_accuracy"] == 1.0
        assert report["videos_without_ground_truth"] == []

    def test_two_predictions_of_one_video_are_an_error(self):
        with pytest.raises(calipers.InputError, match=r"'a\.avi' and 'a\.mp4' both are predictions of 'a'"):
            run({"a": {"inside": [[0, 3]]}}, {"a.mp4": {"states": {}}, "a.avi": {"states": {}}})


class TestFps:
    @pytest.mark.parametrize("fps", [None, 0, -1])
    def test_the_option_fills_in_where_the_input_gives_no_positive_fps(self, fps):
        # 1 wrong frame, at 4 fps a quarter of a second
        truth, pred = {"v": intervals("OOII")}, {"v": {"fps": fps, "states": intervals("OOOI")}}
        without, filled = run(truth, pred)["videos"]["v"], run(truth, pred, fps=4)["videos"]["v"]
        assert (without["time_in_error_sec"], without["fps_estimate"]) == (None, None)
        assert (filled["time_in_error_sec"], filled["fps_estimate"]) == (0.25, None)

    def test_fps_of_the_input_comes_first(self):
        truth, pred = {"v": intervals("OOII")}, {"v": {"fps": 10, "states": intervals("OOOI")}}
        found = run(truth, pred, fps=4)["videos"]["v"]
        assert (found["time_in_error_sec"], found["fps_estimate"]) == (0.1, 10.0)

    def test_fps_of_the_ground_truth_comes_before_the_option_and_after_the_prediction(self):
        truth = {"v": {**intervals("OOII"), "fps": 8}}
        for fps, expected in ((None, 8.0), (10, 10.0)):
            found = run(truth, {"v": {"fps": fps, "states": intervals("OOOI")}}, fps=4)["videos"]["v"]
            assert (found["time_in_error_sec"], found["fps_estimate"]) == (1 / expected, expected)

    def test_the_mean_is_over_videos_that_give_fps(self):
        # 10 and 20; the third has none
        truth = {name: intervals("OOII") for name in "abc"}
        pred = {name: {"fps": fps, "states": {}} for name, fps in zip("abc", (10, 20, None), strict=True)}
        summary = run(truth, pred, fps=99)["summary"]
        assert (summary["fps_estimate_mean"], summary["fps_estimate_n"]) == (15.0, 2)


# cone  truth: a box at frame 0 and one at 1; predictions by score: found, beside, found
# drum  truth: a box at frame 1; found at once
SEEN = {
    **intervals("OOII"),
    "detections": [
        {"frame": 0, "label": "cone", "box": [0, 0, 10, 10]},
        {"frame": 1, "label": "cone", "box": [0, 0, 10, 10]},
        {"frame": 1, "label": "drum", "box": [50, 0, 60, 10]},
    ],
    "ocr": [{"frame": 0, "text": "ROAD WORK"}, {"frame": 3, "text": "SLOW"}],
}
FOUND = {
    "fps": 4,
    "states": intervals("OOII"),
    "detections": [
        {"frame": 0, "label": "cone", "box": [0, 0, 10, 5], "score": 0.9},  # IoU exactly 0.5
        {"frame": 0, "label": "cone", "box": [80, 0, 90, 10], "score": 0.8},
        {"frame": 1, "label": "cone", "box": [0, 0, 10, 10], "score": 0.7},
        {"frame": 1, "label": "drum", "box": [50, 0, 60, 10], "score": 0.6},
        {"frame": 2, "label": "drum", "box": [50, 0, 60, 10], "score": 0.4},  # false, and below 0.5
    ],
    "ocr": [{"frame": 1, "text": "ROAD WORK"}, {"frame": 2, "text": "SLOT"}],
    "runtime": {"frames": 50, "seconds": 2},
}


class TestPending:
    """Boxes, signs and runtime: what the requirements left open until there would be data."""

    @pytest.fixture
    def video(self):
        return run({"v": SEEN}, {"v": FOUND})["videos"]["v"]

    def test_average_precision(self, video):
        # cone: precision 1 up to recall 0.5, then 2/3: 51 and 50 of 101 recall steps. drum: 1.
        cone = (51 + 50 * 2 / 3) / 101
        assert video["map_50"] == near((cone + 1) / 2)
        assert run({"v": SEEN}, {"v": FOUND})["pooled"]["map_50_by_class"] == {"cone": near(cone), "drum": 1.0}

    def test_precision_at_high_recall(self, video):
        # from recall 0.9 on: cone 2/3, drum 1
        assert video["precision_at_recall"] == near(5 / 6)

    def test_false_positives_a_minute(self, video):
        # one with a score of at least 0.5, in 4 frames at 4 fps
        assert video["detection_false_positives_per_minute"] == 60.0
        found = run({"v": SEEN}, {"v": FOUND}, detection_score=0.4)
        assert found["videos"]["v"]["detection_false_positives_per_minute"] == 120.0

    def test_signs(self, video):
        # one of two read as it is; SLOT has 3 of 4 letters of SLOW
        assert video["ocr_exact_accuracy"] == 1 / 2
        assert video["ocr_similarity"] == near((1 + 3 / 4) / 2)

    def test_runtime_is_not_the_fps_of_the_video(self, video):
        assert (video["runtime_fps"], video["fps_estimate"]) == (25.0, 4.0)

    def test_without_data_all_of_them_are_undefined(self):
        found = measure("OOII", "OOII")
        names = ("map_50", "precision_at_recall", "detection_false_positives_per_minute", "ocr_exact_accuracy")
        assert [found[name] for name in (*names, "ocr_similarity", "runtime_fps")] == [None] * 6


class TestReport:
    def test_layout(self):
        report = run({"b": intervals("OOII"), "a": intervals("OOII")}, {"a": {"states": {}}})
        wanted = {"suite", "protocol", "params", "videos", "summary", "pooled", "videos_without_ground_truth"}
        assert wanted <= set(report)
        assert (report["suite"], report["protocol"]) == ("timeline", "timeline/1")
        assert list(report["videos"]) == ["a", "b"]
        assert "sweep" not in report

    def test_params_hold_every_parameter_given_or_default(self):
        given = {
            "transition_tolerance_frames": 5,
            "min_event_overlap_frames": 2,
            "fps": 25.0,
            "compliance_gain": 0.5,
            "idle": "parked",
            "focus": "exiting",
            "extent": "gt",
        }
        default = {
            "transition_tolerance_frames": 0,
            "min_event_overlap_frames": 1,
            "fps": None,
            "compliance_gain": 0.4,
            "idle": "outside",
            "focus": "inside",
            "extent": "union",
        }
        for options in (given, default):
            params = run({}, {}, **options)["params"]
            assert {name: params[name] for name in options} == options
        assert {name: run({}, {})["params"][name] for name in default} == default

    def test_videos_evaluated_and_total(self):
        truth = {"a": intervals("OOII"), "b": {}, "c": intervals("OOII"), "d": intervals("OOII")}
        report = run(truth, {"a": {"states": {}}, "d": {"states": {}}})
        assert (report["summary"]["videos_evaluated"], report["summary"]["videos_total"]) == (2, 4)
        assert skipped(report) == {"b": "empty_ground_truth", "c": "missing predictions or states"}

    def test_every_metric_of_a_video_has_a_mean(self):
        report = evaluate(TRUTH_DRIVE, PRED_DRIVE)
        numbers = [name for name in report["videos"]["v"] if name not in ("confusion", "frame_errors", "counts")]
        for name in numbers:
            assert report["summary"][f"{name}_mean"] == report["videos"]["v"][name], name
            assert f"{name}_interval" in report["summary"]

    def test_times_and_starts_have_a_std(self):
        timed = {
            *(f"{name}_{unit}" for name in ("entry_timing_mae", "advisory_timing_mae") for unit in ("frames", "sec")),
            "advisory_start_error_frames",
            "advisory_start_error_sec",
            "lead_time_sec",
            *(f"{side}_{state}_start_frame" for side in ("gt", "pred") for state in ("inside", "approaching")),
            *(f"pred_minus_gt_{state}_start_frame" for state in ("inside", "approaching")),
            *(f"pred_{state}_start_matched_frame" for state in ("inside", "approaching")),
            *(f"pred_minus_gt_{state}_start_matched_frame" for state in ("inside", "approaching")),
        }
        summary = evaluate(TRUTH_DRIVE, PRED_DRIVE)["summary"]
        assert {name.removesuffix("_std") for name in summary if name.endswith("_std")} == timed

    def test_std_is_that_of_these_videos(self):
        # a  truth OOOAAAAAAA 3   pred OAAAAAAAAA 1    -2
        # b  truth OAAAAAAAAA 1   pred OOOOOAAAAA 5    +4     mean 1, both 3 away from it
        # c  truth OOOO           pred OAAO            undefined
        drawings = {"a": ("OOOAAAAAAA", "OAAAAAAAAA"), "b": ("OAAAAAAAAA", "OOOOOAAAAA"), "c": ("OOOO", "OAAO")}
        truth = {name: intervals(drawing) for name, (drawing, _) in drawings.items()}
        pred = {name: {"fps": 10, "states": intervals(drawing)} for name, (_, drawing) in drawings.items()}
        summary = run(truth, pred)["summary"]
        names = ("advisory_start_error_frames_mean", "advisory_start_error_frames_std", "advisory_start_error_frames_n")
        assert [summary[name] for name in names] == [1.0, 3.0, 2]
        assert summary["advisory_timing_mae_frames_mean"] == 3.0  # 2 and 4
        assert summary["advisory_timing_mae_frames_std"] == 1.0
        assert summary["advisory_start_error_sec_std"] == near(0.3)

    def test_metrics_that_can_be_undefined_have_a_count(self):
        report = evaluate(TRUTH_DRIVE, PRED_DRIVE)
        numbers = {name for name in report["videos"]["v"] if name not in ("confusion", "frame_errors", "counts")}
        always = {name for name in numbers if f"{name}_n" not in report["summary"]}
        assert always == {
            *("frame_accuracy", "time_in_error_frames", "mean_iou", "macro_precision", "macro_recall", "macro_f1"),
            *("edit_score", "segmental_f1_10", "segmental_f1_25", "segmental_f1_50"),
            *("overlapped_frames_gt", "overlapped_frames_pred"),
        }

    def test_what_no_video_defines_is_null_and_rests_on_0(self):
        summary = evaluate("OOOO", "OOOO", fps=None)["summary"]
        names = [name.removesuffix("_n") for name in summary if name.endswith("_n") and summary[name] == 0]
        assert {"event_recall", "transition_precision", "lead_time_sec", "fps_estimate"} <= set(names)
        assert {summary[f"{name}_mean"] for name in names} == {None}

    def test_intervals_stand_beside_the_means(self):
        # Every video has 3 of 4 frames right: whatever is drawn, the mean is 3/4.
        truth = {name: intervals("OOII") for name in "abcd"}
        pred = {name: {"states": intervals("OOOI")} for name in "abcd"}
        report = calipers.timeline(truth, pred)
        assert report["summary"]["frame_accuracy_interval"] == [0.75, 0.75]
        assert report["summary"]["lead_time_sec_interval"] is None
        pred["a"]["states"] = truth["a"]
        low, high = calipers.timeline(truth, pred)["summary"]["frame_accuracy_interval"]
        assert 0.75 <= low < 13 / 16 < high <= 1.0

    def test_the_artifact_is_the_same_whatever_order_videos_come_in(self):
        truth = {name: intervals("OOII") for name in "abc"}
        pred = {name: {"states": intervals("OOOI")} for name in "bca"}
        back = dict(reversed(truth.items())), dict(reversed(pred.items()))
        assert calipers.timeline(truth, pred).to_json() == calipers.timeline(*back).to_json()


class TestSweep:
    # truth  OOOOAAAAIIIIIIEEOOOO
    # pred   OOAAAAAAAIIIIIIEEEOO   distances 2, 1, 1, 2

    def test_one_summary_a_tolerance(self):
        sweep = evaluate(TRUTH_DRIVE, PRED_DRIVE, transition_tolerance_frames="0,1,2")["sweep"]
        assert {key: entry["transition_recall_mean"] for key, entry in sweep.items()} == {"0": 0.0, "1": 0.5, "2": 1.0}

    def test_the_top_level_is_that_of_the_first_tolerance_given(self):
        report = evaluate(TRUTH_DRIVE, PRED_DRIVE, transition_tolerance_frames=[1, 0, 2])
        single = evaluate(TRUTH_DRIVE, PRED_DRIVE, transition_tolerance_frames=1)
        assert list(report["sweep"]) == ["1", "0", "2"]
        assert report["summary"] == report["sweep"]["1"] == single["summary"]
        assert (report["videos"], report["pooled"]) == (single["videos"], single["pooled"])
        assert report["params"]["transition_tolerance_frames"] == [1, 0, 2]
        assert "sweep" not in single

    def test_only_transitions_depend_on_the_tolerance(self):
        sweep = evaluate(TRUTH_DRIVE, PRED_DRIVE, transition_tolerance_frames=(0, 30))["sweep"]
        changed = {name for name in sweep["0"] if sweep["0"][name] != sweep["30"][name]}
        assert changed == {f"transition_{name}_mean" for name in ("recall", "precision", "accuracy")}

    def test_the_console_shows_one_row_a_tolerance(self):
        lines = str(evaluate(TRUTH_DRIVE, PRED_DRIVE, transition_tolerance_frames=(0, 1, 30))).splitlines()
        rows = [line.split() for line in lines]
        assert [row[0] for row in rows if row and row[0] in ("0", "1", "30")] == ["0", "1", "30"]


class TestCommands:
    def test_json_predictions_to_an_artifact(self, tmp_path):
        gt, pred, out = (tmp_path / name for name in ("gt.json", "pred.json", "report.json"))
        gt.write_text(json.dumps(TRUTH), encoding="utf-8")
        pred.write_text(json.dumps(PRED), encoding="utf-8")
        result = CliRunner().invoke(
            make_command(suite_of("timeline")), ["--gt", str(gt), "--pred", str(pred), "-o", str(out)]
        )
        assert result.exit_code == 0, result.output
        artifact = json.loads(out.read_bytes())
        assert artifact["videos"] == json.loads(calipers.timeline(TRUTH, PRED).to_json())["videos"]
        assert [entry["records"] for entry in artifact["inputs"]] == [1, 1]

    def test_a_sweep_in_one_go_and_a_row_a_video(self, tmp_path):
        gt, pred, out = tmp_path / "gt.json", tmp_path / "pred.json", tmp_path / "out"
        gt.write_text(json.dumps(TRUTH | {"other.mp4": {"inside": [[0, 9]]}}), encoding="utf-8")
        pred.write_text(json.dumps(PRED), encoding="utf-8")
        flags = ["--transition-tolerance-frames", "0,5,15,30"]
        result = CliRunner().invoke(
            make_command(suite_of("timeline")), ["--gt", str(gt), "--pred", str(pred), *flags, "-o", str(out)]
        )
        assert result.exit_code == 0, result.output
        sweep = json.loads((out / "result.json").read_bytes())["sweep"]
        # distances 1, 2, 2, 7
        assert [sweep[key]["transition_recall_mean"] for key in ("0", "5", "15", "30")] == [0.0, 0.75, 1.0, 1.0]
        with open(out / "videos.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["video"] for row in rows] == ["other.mp4", "video_snippet.mp4"]
        assert rows[0]["error"] == "missing predictions or states"
        assert (rows[1]["error"], rows[1]["time_in_error_frames"]) == ("", "12")
