"""Traps that evaluators of states along videos fell into, one test each, under its number: here they are shut."""

import json

import pytest

import calipers

from ..suites.timeline.test_states import evaluate, intervals, measure, near


def test_trap_21_a_class_never_found_leaves_the_macro_mean():
    # truth  OOOOAA
    # pred   OOOOOO
    #              precision  recall  IoU   F1
    # outside      4/6        4/4     4/6   8/10
    # approaching  0          0       0     0        never predicted: it stays, with 0
    found = measure("OOOOAA", "OOOOOO")
    assert found["macro_precision"] == found["mean_iou"] == near(1 / 3)  # and not 2 / 3
    assert (found["macro_recall"], found["macro_f1"]) == (1 / 2, 2 / 5)
    assert found["iou_approaching"] == 0.0


def test_trap_21_nor_does_a_class_that_is_never_true():
    # truth  OOOO     outside: precision 1, recall 3/4
    # pred   OOOI     inside: 0 in all
    found = measure("OOOO", "OOOI")
    assert (found["macro_precision"], found["macro_recall"], found["mean_iou"]) == (1 / 2, 3 / 8, 3 / 8)


def test_trap_22_an_unknown_state_is_read_as_outside():
    # truth  OOOOOO
    # pred   OOPPPO     parked is not outside: 3 of 6 are wrong, and active
    found = measure("OOOOOO", "OOPPPO")
    assert (found["frame_accuracy"], found["false_activation_rate"]) == (1 / 2, 1 / 2)
    assert found["confusion"] == {"outside": {"outside": 3, "parked": 3}}
    assert found["iou_parked"] == 0.0
    # Nor in truth: OOPPPO against OOOOOO misses an advisory.
    found = measure("OOPPPO", "OOOOOO")
    assert (found["frame_accuracy"], found["advisory_event_recall"], found["late_advisory_rate"]) == (1 / 2, 0.0, 1.0)


def test_trap_22_nor_is_one_in_a_csv(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("frame,state\n0,out\n2,parked\n5,out\n", encoding="utf-8")
    found = calipers.timeline({"v": intervals("OOOOOO")}, str(file), bootstrap=0)["videos"]["v"]
    assert found["confusion"] == {"outside": {"outside": 3, "parked": 3}}


def test_trap_22_nor_is_another_spelling_in_json():
    # Names in JSON are what they are: "Inside" is a state beyond the four.
    found = measure("OOII", {"Inside": [[2, 3]]})
    assert (found["frame_accuracy"], found["event_precision"], found["advisory_event_recall"]) == (1 / 2, None, 1.0)


def test_trap_23_an_unrelated_early_false_alarm_counts_as_lead_time():
    # truth  OOOOOOOOOOOOOOOOOOOOIIIIOO   inside at 20
    # pred   OAOOOOOOOOOOOOOOOOOOOOIIOO   an alarm at 1; the event's own comes at 22, two frames late
    truth, pred = "OOOOOOOOOOOOOOOOOOOOIIIIOO", "OAOOOOOOOOOOOOOOOOOOOOIIOO"
    found = measure(truth, pred)
    assert found["lead_time_sec"] == 1.9  # (20 - 1) / 10, by the old formula
    assert (found["event_lead_time_sec_mean"], found["event_delay_frames_mean"]) == (-0.2, 2.0)


def test_trap_23_nor_does_one_that_is_all_there_is():
    # truth  OOOOOOOOII
    # pred   OAAOOOOOOO
    found = measure("OOOOOOOOII", "OAAOOOOOOO")
    assert (found["lead_time_sec"], found["event_lead_time_sec_mean"]) == (0.7, None)


@pytest.mark.parametrize("fps", [0, 0.0, -30])
def test_trap_24_fps_0_enters_the_mean(fps):
    # a has 20 fps, b has none: the mean is 20, over one, and so are seconds
    truth = {"a": intervals("OOII"), "b": intervals("OOII")}
    pred = {"a": {"fps": 20, "states": {}}, "b": {"fps": fps, "states": {}}}
    report = calipers.timeline(truth, pred, bootstrap=0)
    summary = report["summary"]
    assert (summary["fps_estimate_mean"], summary["fps_estimate_n"]) == (20.0, 1)
    assert (summary["time_in_error_sec_mean"], summary["time_in_error_sec_n"]) == (0.1, 1)  # 2 / 20
    assert (report["videos"]["b"]["fps_estimate"], report["videos"]["b"]["time_in_error_sec"]) == (None, None)


def test_trap_24_times_that_stand_still_give_no_fps(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("frame,state,time_sec\n0,out,0\n1,out,0\n2,in,0\n3,in,0\n", encoding="utf-8")
    report = calipers.timeline({"v": intervals("OOII")}, str(file), bootstrap=0)
    assert report["videos"]["v"]["fps_estimate"] is None
    assert json.loads(report.to_json())["summary"]["fps_estimate_mean"] is None


def test_trap_25_one_bad_csv_ends_the_run(tmp_path):
    (tmp_path / "a.csv").write_text("frame,state\n0,out\nnot a frame,in\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("frame,state\n0,out\n2,in\n3,in\n", encoding="utf-8")
    (tmp_path / "c.csv").write_bytes(b"\x00\xff\xfe")
    truth = {name: intervals("OOII") for name in ("a.mp4", "b.mp4", "c.mp4")}
    report = calipers.timeline(truth, str(tmp_path), bootstrap=0)
    assert report["videos"]["a.mp4"]["error"].startswith("invalid prediction: a.csv:3: frame: found")
    assert report["videos"]["c.mp4"]["error"].startswith("invalid prediction: c.csv:1:")
    assert report["videos"]["b.mp4"]["frame_accuracy"] == 1.0
    assert report["records"] == {"read": 3, "evaluated": 1, "skipped": 2, "rejected": 0}


def test_trap_25_two_files_for_one_video_overwrite_each_other(tmp_path):
    for name in ("a.csv", "sota_a.csv"):
        (tmp_path / name).write_text("frame,state\n0,out\n", encoding="utf-8")
    with pytest.raises(calipers.InputError, match=r"a\.csv and .*sota_a\.csv: two files for the video 'a\.mp4'"):
        calipers.timeline({"a": intervals("OOII")}, str(tmp_path))


@pytest.mark.parametrize("fps", [10, 29.97, 30, 0.1])
@pytest.mark.parametrize("distance", range(1, 13))
def test_trap_34_pairs_exactly_at_the_tolerance_fail(distance, fps):
    # O→I at 100 and at 100 + distance. In seconds 0.1 * 3 > 0.3, in frames 3 is 3: it is met, and missed by one less.
    truth, pred = {"inside": [[100, 200]]}, {"inside": [[100 + distance, 200]]}
    for tolerance, recall in ((distance, 1.0), (distance - 1, 0.0)):
        found = measure(truth, pred, fps=fps, transition_tolerance_frames=tolerance)
        assert found["transition_recall"] == recall


def test_trap_42_unit_of_an_intervals_end():
    # truth  .III.   [1, 3] is three frames: 1, 2 and 3
    # pred   ...II   [3, 4] shares one of them, the last
    report = evaluate({"inside": [[1, 3]], "outside": [[4, 4]]}, {"inside": [[3, 4]]})
    found = report["videos"]["v"]
    assert found["confusion"]["inside"] == {"inside": 1, "outside": 2}
    assert (found["counts"]["frames"], found["event_recall"], found["iou_inside"]) == (5, 1.0, 1 / 4)
    assert report["params"]["intervals"] == "frames, both ends included"


def test_trap_42_neighbours_neither_overlap_nor_leave_a_gap():
    # truth  OOOOAAA   [0, 3] and [4, 6]
    found = measure({"outside": [[0, 3]], "approaching": [[4, 6]]}, "OOOOAAA")
    assert (found["overlapped_frames_gt"], found["counts"]["gt_runs"], found["frame_accuracy"]) == (0, 2, 1.0)
