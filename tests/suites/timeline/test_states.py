"""States along a video, frame by frame and run by run; every case is drawn, one letter a frame.

O, A, I, E are outside, approaching, inside, exiting; P is parked, a state beyond the four. A dot is a frame that no
interval covers. Transitions and events are in test_state_events.py, times in test_state_timing.py.
"""

import re

import pytest

import calipers

STATES = {"O": "outside", "A": "approaching", "I": "inside", "E": "exiting", "P": "parked"}


def intervals(drawing):
    """{state: [[first, last], …]} of a drawing; what is no drawing stays as it is."""
    if not isinstance(drawing, str):
        return drawing
    found = {}
    for run in re.finditer(r"(\w)\1*", drawing):
        found.setdefault(STATES[run[1]], []).append([run.start(), run.end() - 1])
    return found


def evaluate(truth, pred, fps=10, **options):
    """The report of one video."""
    entry = {"fps": fps, "states": intervals(pred)}
    return calipers.timeline({"v": intervals(truth)}, {"v": entry}, **{"bootstrap": 0, **options})


def measure(truth, pred, fps=10, **options):
    """The metrics of one video."""
    return evaluate(truth, pred, fps, **options)["videos"]["v"]


def near(value):
    """A sum of fractions, but for the last bits."""
    return pytest.approx(value, rel=0, abs=1e-12)


# A drive past one work zone, 20 frames, for many of the cases
#
#      frame   0123456789012345678 9
TRUTH_DRIVE = "OOOOAAAAIIIIIIEEOOOO"
PRED_DRIVE = "OOAAAAAAAIIIIIIEEEOO"


def test_drawings_become_inclusive_intervals():
    assert intervals("OOA.IIO") == {"outside": [[0, 1], [6, 6]], "approaching": [[2, 2]], "inside": [[4, 5]]}


# Frames


def test_frame_accuracy_is_correct_frames_over_all():
    # truth  OOOOAAAAIIIIIIEEOOOO
    # pred   OOAAAAAAAIIIIIIEEEOO
    # wrong    xx    x     x xx       6 of 20
    assert measure(TRUTH_DRIVE, PRED_DRIVE)["frame_accuracy"] == 14 / 20


def test_time_in_error_is_the_wrong_frames_and_their_seconds():
    # 6 wrong frames, as above; 6 / 10 fps
    found = measure(TRUTH_DRIVE, PRED_DRIVE)
    assert (found["time_in_error_frames"], found["time_in_error_sec"]) == (6, 0.6)


def test_time_in_error_sec_is_undefined_without_fps():
    found = measure(TRUTH_DRIVE, PRED_DRIVE, fps=None)
    assert (found["time_in_error_frames"], found["time_in_error_sec"]) == (6, None)


def test_a_perfect_prediction_has_no_error():
    found = measure(TRUTH_DRIVE, TRUTH_DRIVE)
    assert (found["frame_accuracy"], found["time_in_error_frames"], found["time_in_error_sec"]) == (1.0, 0, 0.0)


def test_ends_of_intervals_are_inclusive():
    # truth  .....I     one frame, number 5, of six
    # pred   ....II     two frames: 4 is wrong
    found = measure({"inside": [[5, 5]]}, {"inside": [[4, 5]]})
    assert found["counts"]["frames"] == 6
    assert found["confusion"] == {"inside": {"inside": 1}, "outside": {"inside": 1, "outside": 4}}


def test_frames_that_no_interval_covers_are_idle():
    # truth  ..II..E     the same as OOIIOOE
    # pred   OOIIOOE
    found = measure("..II..E", "OOIIOOE")
    assert (found["frame_accuracy"], found["overlapped_frames_gt"]) == (1.0, 0)


def test_a_prediction_of_nothing_is_idle_throughout():
    # truth  OOAAIIIO
    # pred   ........     right at 0, 1 and 7
    found = measure("OOAAIIIO", {})
    assert found["frame_accuracy"] == 3 / 8
    assert found["confusion"] == {"approaching": {"outside": 2}, "inside": {"outside": 3}, "outside": {"outside": 3}}


# State by state


def test_iou_of_each_state():
    # truth  OOOOAAAAIIIIIIEEOOOO
    # pred   OOAAAAAAAIIIIIIEEEOO
    #              both  truth  pred   both / (truth + pred - both)
    # outside         4      8     4   4 / 8
    # approaching     4      4     7   4 / 7
    # inside          5      6     6   5 / 7
    # exiting         1      2     3   1 / 4
    found = measure(TRUTH_DRIVE, PRED_DRIVE)
    assert [found[f"iou_{state}"] for state in ("outside", "approaching", "inside", "exiting")] == [
        4 / 8,
        4 / 7,
        5 / 7,
        1 / 4,
    ]


def test_mean_iou_is_the_mean_over_states():
    # (1/2 + 4/7 + 5/7 + 1/4) / 4 = (14 + 16 + 20 + 7) / 28 / 4
    assert measure(TRUTH_DRIVE, PRED_DRIVE)["mean_iou"] == near(57 / 112)


def test_macro_precision_is_the_mean_of_frames_right_over_frames_predicted():
    # outside 4/4, approaching 4/7, inside 5/6, exiting 1/3: (42 + 24 + 35 + 14) / 42 / 4
    assert measure(TRUTH_DRIVE, PRED_DRIVE)["macro_precision"] == near(115 / 168)


def test_macro_recall_is_the_mean_of_frames_right_over_frames_in_truth():
    # outside 4/8, approaching 4/4, inside 5/6, exiting 1/2: (3 + 6 + 5 + 3) / 6 / 4
    assert measure(TRUTH_DRIVE, PRED_DRIVE)["macro_recall"] == near(17 / 24)


def test_macro_f1_is_the_mean_of_each_states_f1():
    # 2 * both / (truth + pred): outside 8/12, approaching 8/11, inside 10/12, exiting 2/5
    # (220 + 240 + 275 + 132) / 330 / 4
    assert measure(TRUTH_DRIVE, PRED_DRIVE)["macro_f1"] == near(867 / 1320)


def test_a_state_without_frames_on_either_side_has_no_iou_and_no_part_in_means():
    # truth  OOII
    # pred   OIII     outside 1/2, inside 2/3; mean 7/12
    found = measure("OOII", "OIII")
    assert (found["iou_approaching"], found["iou_exiting"]) == (None, None)
    assert found["mean_iou"] == near(7 / 12)
    assert found["macro_precision"] == near(5 / 6)  # 1/1, 2/3
    assert found["macro_recall"] == near(3 / 4)  # 1/2, 2/2
    assert found["macro_f1"] == near(11 / 15)  # 2/3, 4/5


def test_a_state_of_one_side_only_scores_0_and_stays_in_the_means():
    # truth  OOAA     outside right in 2 of 2; approaching never predicted, inside never true
    # pred   OOII
    found = measure("OOAA", "OOII")
    assert (found["iou_outside"], found["iou_approaching"], found["iou_inside"]) == (1.0, 0.0, 0.0)
    names = ("mean_iou", "macro_precision", "macro_recall", "macro_f1")
    assert [found[name] for name in names] == [1 / 3] * 4


def test_a_state_beyond_the_four_counts_like_them():
    # truth  OOPP     outside 2/3, parked 1/2; mean 7/12
    # pred   OOOP
    report = evaluate("OOPP", "OOOP")
    found, summary = report["videos"]["v"], report["summary"]
    assert (summary["iou_parked_mean"], summary["iou_parked_n"]) == (1 / 2, 1)
    assert (found["iou_parked"], found["mean_iou"]) == (1 / 2, near(7 / 12))
    assert found["confusion"] == {"outside": {"outside": 2}, "parked": {"outside": 1, "parked": 1}}
    assert "iou_parked" not in measure("OOII", "OOII")


def test_confusion_counts_frames_by_state_in_truth_and_in_prediction():
    # truth  OOOOAAAAIIIIIIEEOOOO
    # pred   OOAAAAAAAIIIIIIEEEOO
    assert measure(TRUTH_DRIVE, PRED_DRIVE)["confusion"] == {
        "approaching": {"approaching": 4},
        "exiting": {"exiting": 1, "inside": 1},
        "inside": {"approaching": 1, "inside": 5},
        "outside": {"approaching": 2, "exiting": 2, "outside": 4},
    }


# Intervals over each other


def painted(states, drawing):
    """Whether intervals look like a drawing, on either side; and how many frames were overlapped."""
    truth, pred = measure(states, drawing), measure(drawing, states)
    assert truth["overlapped_frames_gt"] == pred["overlapped_frames_pred"]
    assert truth["overlapped_frames_pred"] == pred["overlapped_frames_gt"] == 0
    assert truth["frame_accuracy"] == pred["frame_accuracy"] == 1.0
    return truth["overlapped_frames_gt"]


def test_the_interval_that_starts_later_wins():
    # approaching  AAAAAAAA
    # inside          III
    assert painted({"approaching": [[0, 7]], "inside": [[3, 5]]}, "AAAIIIAA") == 3
    # inside       IIIIII
    # approaching     AAAAA
    assert painted({"inside": [[0, 5]], "approaching": [[3, 7]]}, "IIIAAAAA") == 3


def test_of_two_that_start_together_the_one_that_ends_earlier_wins():
    # approaching  AAAAAAAA
    # inside       III
    assert painted({"approaching": [[0, 7]], "inside": [[0, 2]]}, "IIIAAAAA") == 3
    # approaching  AAA
    # inside       IIIIIIII
    assert painted({"approaching": [[0, 2]], "inside": [[0, 7]]}, "AAAIIIII") == 3


def test_of_two_alike_the_name_that_sorts_first_wins():
    # inside       ..IIII
    # exiting      ..EEEE      approaching < exiting < inside
    # approaching  ..AAAA
    assert painted({"inside": [[2, 5]], "exiting": [[2, 5]]}, "..EEEE") == 4
    assert painted({"inside": [[2, 5]], "exiting": [[2, 5]], "approaching": [[2, 5]]}, "..AAAA") == 4


def test_idle_intervals_win_by_the_same_rule():
    # inside   IIIIIIII
    # outside     OO
    assert painted({"inside": [[0, 7]], "outside": [[3, 4]]}, "IIIOOIII") == 2


def test_the_order_in_which_states_are_given_does_not_matter():
    assert painted({"inside": [[3, 5]], "approaching": [[0, 7]]}, "AAAIIIAA") == 3


def test_frames_under_three_states_are_overlapped_once():
    # approaching  AAAAAAAAAA
    # inside         IIIII
    # exiting           EEE
    # overlapped     xxxxxx       2 to 7
    assert painted({"approaching": [[0, 9]], "inside": [[2, 6]], "exiting": [[5, 7]]}, "AAIIIEEEAA") == 6


def test_intervals_that_share_their_end_frame_overlap_by_one():
    # approaching  AAAA
    # inside          III
    assert painted({"approaching": [[0, 3]], "inside": [[3, 5]]}, "AAAIII") == 1
    assert painted({"approaching": [[0, 2]], "inside": [[3, 5]]}, "AAAIII") == 0


def test_intervals_of_one_state_do_not_count_as_overlapped():
    # inside  IIIII
    # inside     IIII
    assert painted({"inside": [[0, 4], [3, 6]]}, "IIIIIII") == 0


# Which frames


def test_frames_run_to_the_last_end_of_either_side():
    # truth  OOIIOO        6 right
    # pred   OOIIOOIIII    4 more, idle in truth
    found = measure("OOIIOO", "OOIIOOIIII")
    assert (found["counts"]["frames"], found["frame_accuracy"]) == (10, 6 / 10)
    assert (found["event_precision"], found["false_activation_rate"]) == (1 / 2, 4 / 8)


def test_with_extent_gt_what_lies_beyond_the_truth_is_cut_off():
    # truth  OOIIOO
    # pred   OOIIOO|IIII
    found = measure("OOIIOO", "OOIIOOIIII", extent="gt")
    assert (found["counts"]["frames"], found["frame_accuracy"]) == (6, 1.0)
    assert (found["event_precision"], found["false_activation_rate"]) == (1.0, 0.0)


def test_with_extent_gt_an_interval_across_the_end_is_shortened():
    # truth  OOIIII
    # pred   OOOIII|IIII    of 7 active frames 3 are left
    assert measure("OOIIII", "OOOIIIIIII")["mean_activation_persistence_frames"] == 7.0
    found = measure("OOIIII", "OOOIIIIIII", extent="gt")
    assert found["mean_activation_persistence_frames"] == 3.0
    assert found["iou_inside"] == 3 / 4


def test_with_extent_gt_a_state_that_begins_beyond_was_never_predicted():
    # truth  AAAA
    # pred   AAAA|II
    union, cut = measure("AAAA", "AAAAII"), measure("AAAA", "AAAAII", extent="gt")
    names = ("pred_inside_start_frame", "event_precision", "iou_inside")
    assert [union[name] for name in names] == [4, 0.0, 0.0]
    assert [cut[name] for name in names] == [None, None, None]


def test_with_extent_gt_overlapped_frames_beyond_are_not_counted():
    # truth        AAAA
    # approaching  AAAA|AA
    # inside         II|I      two of three overlapped frames are within
    states = {"approaching": [[0, 5]], "inside": [[2, 4]]}
    assert measure("AAAA", states)["overlapped_frames_pred"] == 3
    assert measure("AAAA", states, extent="gt")["overlapped_frames_pred"] == 2


def test_a_longer_truth_sets_the_frames_either_way():
    # truth  OOIIOO
    # pred   OOI       the rest is idle: 3 is wrong
    for extent in ("union", "gt"):
        assert measure("OOIIOO", "OOI", extent=extent)["frame_accuracy"] == 5 / 6


# Other states for idle and focus


def test_idle_names_the_state_without_advisory():
    # truth  PPPIIIOO     idle is parked; outside is active like any other
    # pred   PPIIIIO.     not covered is parked
    found = measure("PPPIIIOO", "PPIIIIO.", idle="parked")
    assert found["confusion"] == {
        "inside": {"inside": 3},
        "outside": {"outside": 1, "parked": 1},
        "parked": {"inside": 1, "parked": 2},
    }
    assert found["false_activation_rate"] == 1 / 3  # frame 2 of 0 to 2
    assert found["advisory_coverage_ratio"] == 4 / 5  # 3 to 6 of 3 to 7
    assert found["advisory_start_error_frames"] == -1  # 2 - 3
    assert (found["iou_outside"], found["iou_parked"]) == (1 / 2, 2 / 4)


def test_focus_names_the_state_of_events():
    # truth  OOAAIIEEOO     events are those of exiting: 6 to 7
    # pred   OOAAIEEEOO     5 to 7
    found = measure("OOAAIIEEOO", "OOAAIEEEOO", focus="exiting")
    assert (found["event_recall"], found["event_precision"], found["entry_timing_mae_frames"]) == (1.0, 1.0, 1)
    assert found["lead_time_sec"] == found["event_lead_time_sec_mean"] == 0.4  # (6 - 2) / 10
    assert measure("OOAAIIEEOO", "OOAAAAEEOO", focus="exiting")["event_recall"] == 1.0
    assert measure("OOAAIIEEOO", "OOAAAAEEOO")["event_recall"] == 0.0


# Several videos
#
#            truth        pred         wrong
# a, 10 fps  OOOOIIIIOO   OOOOOIIIOO   1 of 10
# b, 20 fps  OOII         OOOO         2 of 4
# c, no fps  OOOOOO       OAAAOO       3 of 6


def evaluate_three(**options):
    drawings = {"a": ("OOOOIIIIOO", "OOOOOIIIOO", 10), "b": ("OOII", "OOOO", 20), "c": ("OOOOOO", "OAAAOO", None)}
    truth = {name: intervals(drawing) for name, (drawing, _, _) in drawings.items()}
    pred = {name: {"fps": fps, "states": intervals(drawing)} for name, (_, drawing, fps) in drawings.items()}
    return calipers.timeline(truth, pred, **{"bootstrap": 0, **options})


def test_pooled_figures_divide_sums():
    #                     a        b      c
    # right frames        9/10     2/4    3/6    14/20
    # transitions         2, 2, 1  1, 0   0, 2   3 true, 4 predicted, 1 matched; the larger of both 2 + 1 + 2
    # inside events       1, 1, 1  1, 0   0, 0   2 true, 1 predicted, 1 matched
    # advisory events     1, 1, 1  1, 0   0, 1   2 true, 2 predicted, 1 matched
    # runs                3, 3     2, 1   1, 3   6 true, 7 predicted
    # IoU of runs         4/5 3/4  2/4    1/6    c: the second outside, 2/6, finds it taken at 10 % and free at 25 %
    #                     2/2             2/6    matched 3 + 1 + 1, 3 + 1 + 1, 3 + 1 + 0
    # wrong frames        4        2, 3   1-3    a begins late, b is not found, c is not there
    pooled = evaluate_three()["pooled"]
    kinds = ("merge", "overfill_start", "overfill_end", "fragmentation", "underfill_end", "substitution")
    none = {kind: {"frames": 0, "stretches": 0} for kind in kinds}
    assert {name: value for name, value in pooled.items() if value is not None} == {
        "frame_accuracy": 14 / 20,
        "transition_recall": 1 / 3,
        "transition_precision": 1 / 4,
        "transition_accuracy": 1 / 5,
        "event_recall": 1 / 2,
        "event_precision": 1 / 1,
        "advisory_event_recall": 1 / 2,
        "advisory_event_precision": 1 / 2,
        "event_lead_time_sec_mean": -0.1,  # a: (4 - 5) / 10
        "event_delay_frames_mean": 1.0,  # a: 5 - 4
        "segmental_f1_10": 10 / 13,
        "segmental_f1_25": 10 / 13,
        "segmental_f1_50": 8 / 13,
        "confusion": {"inside": {"inside": 3, "outside": 3}, "outside": {"approaching": 3, "outside": 11}},
        "frame_errors": none
        | {
            "underfill_start": {"frames": 1, "stretches": 1},
            "deletion": {"frames": 2, "stretches": 1},
            "insertion": {"frames": 3, "stretches": 1},
        },
    }


def test_pooled_lead_time_weighs_events_and_leaves_out_videos_without_fps():
    # a, 10 fps  truth OAIOAIO   pred OAIOAIO   2 - 1 and 5 - 4 frames: 0.1 s twice
    # b, 20 fps  truth OOAAII.   pred OOAAII.   4 - 2 frames: 0.1 s
    # c, no fps  truth OAAIIII   pred OAAIIII   not known
    # d, 10 fps  truth OOAIIIO   pred AAAIIIO   3 - 0 frames: 0.3 s; in all 0.6 s over 4 events
    drawings = {"a": "OAIOAIO", "b": "OOAAII.", "c": "OAAIIII", "d": "OOAIIIO"}
    truth = {name: intervals(drawing) for name, drawing in drawings.items()}
    fps = {"a": 10, "b": 20, "c": None, "d": 10}
    pred = {name: {"fps": fps[name], "states": states} for name, states in truth.items()}
    pred["d"]["states"] = intervals("AAAIIIO")
    report = calipers.timeline(truth, pred, bootstrap=0)
    assert report["pooled"]["event_lead_time_sec_mean"] == near(0.6 / 4)
    assert report["summary"]["event_lead_time_sec_mean_mean"] == near((0.1 + 0.1 + 0.3) / 3)
    assert report["pooled"]["event_delay_frames_mean"] == -2 / 5  # d: 0 - 2, of five events


def test_the_summary_has_means_over_the_videos_where_a_metric_is_defined():
    #                      a     b     c
    # frame_accuracy       9/10  1/2   1/2
    # transition_recall    1/2   0     -
    # transition_precision 1/2   -     0
    # event_precision      1     -     -
    # mean_iou             a: outside 6/7, inside 3/4; b: 2/4, 0; c: 3/6, 0
    # late_advisory_rate   1/4   1     -
    summary = evaluate_three()["summary"]
    assert summary["frame_accuracy_mean"] == near((0.9 + 0.5 + 0.5) / 3)
    assert summary["time_in_error_frames_mean"] == 2.0
    assert (summary["transition_recall_mean"], summary["transition_recall_n"]) == (0.25, 2)
    assert (summary["transition_precision_mean"], summary["transition_precision_n"]) == (0.25, 2)
    assert (summary["transition_accuracy_mean"], summary["transition_accuracy_n"]) == (near(0.5 / 3), 3)
    assert (summary["event_recall_mean"], summary["event_recall_n"]) == (0.5, 2)
    assert (summary["event_precision_mean"], summary["event_precision_n"]) == (1.0, 1)
    assert (summary["advisory_event_recall_mean"], summary["advisory_event_recall_n"]) == (0.5, 2)
    assert (summary["advisory_event_precision_mean"], summary["advisory_event_precision_n"]) == (0.5, 2)
    assert summary["mean_iou_mean"] == near((45 / 56 + 1 / 4 + 1 / 4) / 3)
    assert (summary["late_advisory_rate_mean"], summary["late_advisory_rate_n"]) == (5 / 8, 2)
    assert (summary["fps_estimate_mean"], summary["fps_estimate_n"]) == (15.0, 2)
    assert (summary["iou_exiting_mean"], summary["iou_exiting_n"]) == (None, 0)
