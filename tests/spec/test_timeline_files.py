"""Predictions as timeline CSV files: rows to states, fps, names of videos, folders. All through `calipers.timeline`."""

import json

import pytest

import calipers

TRUTH = {"a.mp4": {"outside": [[0, 3]], "inside": [[4, 9]]}}


def write(path, *lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def run(path, truth=None, **options):
    return calipers.timeline(truth or TRUTH, str(path), bootstrap=0, **options)


def read(tmp_path, *lines):
    """The runs of a file with these lines, (state, first frame, last frame)."""
    report = run(write(tmp_path / "a.csv", *lines), {"a.mp4": {"outside": [[0, 0]]}})
    return report.cases_of(["a.mp4"])["a.mp4"]["pred"]


def skipped(report):
    return {name: entry["error"] for name, entry in report["videos"].items() if "error" in entry}


class TestRows:
    def test_states_by_frame_become_intervals(self, tmp_path):
        found = read(tmp_path, "frame,state", "0,outside", "1,outside", "2,inside", "3,inside", "4,exiting")
        assert found == [("outside", 0, 1), ("inside", 2, 3), ("exiting", 4, 4)]

    def test_the_header_may_be_in_any_case_and_order_and_hold_other_columns(self, tmp_path):
        assert read(tmp_path, "Score,STATE,Frame,note", "0.5,inside,0,x", "0.7,exiting,1,y") == [
            ("inside", 0, 0),
            ("exiting", 1, 1),
        ]

    @pytest.mark.parametrize(
        ("written", "state"),
        [
            ("OUTSIDE", "outside"),
            ("Inside", "inside"),
            ("out", "outside"),
            ("APPROACH", "approaching"),
            ("In", "inside"),
            ("exit", "exiting"),
            ("parked", "parked"),  # beyond the four: a state of its own
        ],
    )
    def test_states_may_be_in_any_case_and_short(self, tmp_path, written, state):
        assert read(tmp_path, "frame,state", f"0,{written}") == [(state, 0, 0)]

    def test_strided_frames_are_filled_forward(self, tmp_path):
        # rows 0 o, 5 i, 10 i, 15 o
        found = read(tmp_path, "frame,state", "0,out", "5,in", "10,in", "15,out")
        assert found == [("outside", 0, 4), ("inside", 5, 14), ("outside", 15, 15)]

    def test_frames_before_the_first_row_take_its_state(self, tmp_path):
        assert read(tmp_path, "frame,state", "3,in", "5,out") == [("inside", 0, 4), ("outside", 5, 5)]

    def test_a_repeated_frame_takes_the_last_row(self, tmp_path):
        found = read(tmp_path, "frame,state", "0,out", "1,in", "1,exit", "2,exit")
        assert found == [("outside", 0, 0), ("exiting", 1, 2)]

    def test_other_states_are_spelled_as_in_the_ground_truth(self, tmp_path):
        file = write(tmp_path / "a.csv", "frame,state", "0,LANE closed", "3,lane CLOSED")
        assert run(file, {"a.mp4": {"Lane Closed": [[0, 3]]}})["videos"]["a.mp4"]["frame_accuracy"] == 1.0


class TestFps:
    def fps(self, tmp_path, *rows):
        return run(write(tmp_path / "a.csv", "frame,state,time_sec", *rows))["videos"]["a.mp4"]["fps_estimate"]

    def test_it_is_the_median_of_frames_over_time(self, tmp_path):
        # 1 / 0.125 = 8, 2 / 0.25 = 8, 1 / 0.5 = 2
        assert self.fps(tmp_path, "0,out,0", "1,out,0.125", "3,out,0.375", "4,in,0.875") == 8.0

    def test_rows_count_where_both_grow(self, tmp_path):
        # time stands still, then frame does; what is left is 1 / 0.25
        assert self.fps(tmp_path, "0,out,1", "1,out,1", "1,out,2", "2,in,2.25") == 4.0

    def test_there_is_none_without_times(self, tmp_path):
        assert self.fps(tmp_path, "0,out,", "1,in,") is None
        report = run(write(tmp_path / "a.csv", "frame,state", "0,out", "9,in"), fps=5)
        assert report["videos"]["a.mp4"]["fps_estimate"] is None
        assert report["videos"]["a.mp4"]["time_in_error_sec"] == 1.0  # 4 to 8 are wrong: 5 frames at 5 fps

    def test_it_is_used_for_seconds(self, tmp_path):
        # truth  OOOOIIIIII
        # pred   OOOOOOIIII   4 and 5 are wrong: 2 frames at 4 fps
        file = write(tmp_path / "a.csv", "frame,state,time_sec", "0,out,0", "6,in,1.5", "9,in,2.25")
        assert run(file)["videos"]["a.mp4"]["time_in_error_sec"] == 0.5

    def test_times_that_run_backwards_are_told(self, tmp_path):
        file = write(tmp_path / "a.csv", "frame,state,time_sec", "0,out,0", "1,out,0.5", "2,in,0.25", "3,in,0.75")
        report = run(file)
        assert report["videos"]["a.mp4"]["fps_estimate"] == 2.0  # 1 / 0.5 twice
        assert [warning.split(";")[0] for warning in report["warnings"]] == [
            "a.csv:4: time_sec runs backwards, from 0.5 to 0.25 (in this row only)"
        ]


class TestProducers:
    def test_the_one_with_times(self, tmp_path):
        rows = ["frame,time_sec,state,confidence,ocr_text,runtime_ms", "0,0.0,OUT,0.9,,40", "4,0.5,IN,0.8,SLOW,40"]
        write(tmp_path / "a_timeline_fusion.csv", *rows, "9,1.125,IN,0.9,SLOW,40")
        found = run(tmp_path)["videos"]["a.mp4"]
        assert (found["frame_accuracy"], found["fps_estimate"], found["runtime_fps"]) == (1.0, 8.0, 25.0)

    def test_the_one_without(self, tmp_path):
        write(tmp_path / "sota_a.csv", "Frame,State,Score", *(f"{k},{'out' if k < 4 else 'in'},0.5" for k in range(10)))
        found = run(tmp_path)["videos"]["a.mp4"]
        assert (found["frame_accuracy"], found["fps_estimate"], found["time_in_error_sec"]) == (1.0, None, None)

    def test_signs_of_a_file_are_compared_with_those_of_the_truth(self, tmp_path):
        file = write(tmp_path / "a.csv", "frame,state,ocr_text", "0,out,", "4,in,SLOW", "5,in,SLOW", "9,in,")
        truth = {"a.mp4": {**TRUTH["a.mp4"], "ocr": [{"frame": 6, "text": "SLOW"}]}}
        assert run(file, truth)["videos"]["a.mp4"]["ocr_exact_accuracy"] == 1.0


class TestNames:
    @pytest.mark.parametrize(
        "name",
        [
            "a.csv",
            "sota_a.csv",
            "a_timeline.csv",
            "a_timeline_fusion.csv",
            "a_calibrated.csv",
            "sota_a_timeline_fusion.csv",
            "sota_a_calibrated.csv",
        ],
    )
    @pytest.mark.parametrize("video", ["a.mp4", "a", "a.avi"])
    def test_the_video_of_a_file(self, tmp_path, name, video):
        file = write(tmp_path / name, "frame,state", "0,in", "9,in")
        for path in (file, tmp_path):
            report = run(path, {video: {"inside": [[0, 9]]}})
            assert report["videos"][video]["frame_accuracy"] == 1.0

    def test_one_ending_goes_and_no_more(self, tmp_path):
        write(tmp_path / "a_calibrated_timeline.csv", "frame,state", "0,in")
        report = run(tmp_path)
        assert report["videos_without_ground_truth"] == ["a_calibrated.mp4"]
        assert skipped(report) == {"a.mp4": "missing predictions or states"}


class TestFolder:
    def test_every_timeline_below_it_is_read(self, tmp_path):
        write(tmp_path / "a_timeline_fusion.csv", "frame,state", "0,in", "9,in")
        write(tmp_path / "day" / "two" / "b_timeline.csv", "frame,state", "0,in", "9,in")
        write(tmp_path / "log.csv", "this is,something else")
        report = run(tmp_path, {"a.mp4": {"inside": [[0, 9]]}, "b.mp4": {"inside": [[0, 9]]}})
        assert [entry["frame_accuracy"] for entry in report["videos"].values()] == [1.0, 1.0]
        assert report["videos_without_ground_truth"] == []
        assert [entry["records"] for entry in report["inputs"]] == [2, 2]

    def test_without_a_timeline_every_csv_is_read(self, tmp_path):
        write(tmp_path / "sota_a.csv", "Frame,State,Score", "0,in,1", "9,in,1")
        write(tmp_path / "day" / "sota_b.csv", "Frame,State,Score", "0,in,1", "9,in,1")
        report = run(tmp_path, {"a.mp4": {"inside": [[0, 9]]}, "b.mp4": {"inside": [[0, 9]]}})
        assert [entry["frame_accuracy"] for entry in report["videos"].values()] == [1.0, 1.0]

    def test_a_folder_without_csv_is_an_error(self, tmp_path):
        with pytest.raises(calipers.InputError, match="no CSV files in this folder"):
            run(tmp_path)

    def test_two_files_for_one_video_are_an_error_that_names_both(self, tmp_path):
        write(tmp_path / "a_timeline.csv", "frame,state", "0,in")
        write(tmp_path / "later" / "a_timeline_fusion.csv", "frame,state", "0,in")
        message = r"a_timeline\.csv and .*later.a_timeline_fusion\.csv: two files for the video 'a\.mp4', expected one"
        with pytest.raises(calipers.InputError, match=message):
            run(tmp_path)

    @pytest.mark.parametrize(
        ("lines", "problem"),
        [
            ([], "found an empty file"),
            (["frame,state"], "found a header and nothing below it"),
            (["frame,time_sec", "0,1"], 'found the columns ["frame", "time_sec"], expected also state'),
            (["frame,state", "zero,in"], 'frame: found "zero"'),
            (["frame,state", "-1,in"], 'frame: found "-1"'),
            (["frame,state", "0,"], "state: found"),
        ],
    )
    def test_an_unreadable_file_is_the_error_of_its_video(self, tmp_path, lines, problem):
        write(tmp_path / "a.csv", *lines)
        write(tmp_path / "b.csv", "frame,state", "0,in", "9,in")
        report = run(tmp_path, {"a.mp4": {"inside": [[0, 9]]}, "b.mp4": {"inside": [[0, 9]]}})
        assert skipped(report)["a.mp4"].startswith("invalid prediction: a.csv:")
        assert problem in skipped(report)["a.mp4"]
        assert report["videos"]["b.mp4"]["frame_accuracy"] == 1.0


class TestJson:
    def test_both_inputs_may_be_files(self, tmp_path):
        gt = write(tmp_path / "gt.json", json.dumps(TRUTH))
        pred = write(tmp_path / "pred.json", json.dumps({"a.mp4": {"fps": 8, "states": TRUTH["a.mp4"]}}))
        report = run(pred, str(gt))
        assert report["videos"]["a.mp4"]["frame_accuracy"] == 1.0
        assert [entry["path"] for entry in report["inputs"]] == [str(gt), str(pred)]
        assert all(len(entry["sha256"]) == 64 for entry in report["inputs"])

    @pytest.mark.parametrize("text", ["", "[]", "{", "{'a': 1}"])
    def test_what_is_no_json_object_is_an_error(self, tmp_path, text):
        with pytest.raises(calipers.InputError, match=r"pred\.json"):
            run(write(tmp_path / "pred.json", text))

    def test_a_file_that_is_not_there_is_an_error(self, tmp_path):
        for name in ("none.json", "none.csv", "none"):
            with pytest.raises(calipers.InputError, match=f"{name}: cannot be read"):
                run(tmp_path / name)
