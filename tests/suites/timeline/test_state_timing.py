"""How early, how late, how long: times along a video. Cases are drawn as in test_states.py; 10 frames are a second."""

import pytest

from .test_states import PRED_DRIVE, TRUTH_DRIVE, intervals, measure


def pick(names, truth, pred, fps=10, **options):
    """Some metrics of one video."""
    found = measure(truth, pred, fps, **options)
    return [found[name] for name in names.split()]


# Entry into the focus state


@pytest.mark.parametrize(
    ("pred", "frames"),
    [
        ("OOOOOOIIII", 2),  # 6 - 4
        ("OOOOIIIIII", 0),
        ("OIIIIIIIII", 3),  # 1 - 4, without its sign
    ],
)
def test_entry_timing_is_how_far_the_first_focus_frames_are_apart(pred, frames):
    # truth  OOOOIIIIII   4
    names = "entry_timing_mae_frames entry_timing_mae_sec"
    assert pick(names, "OOOOIIIIII", pred) == [frames, frames / 10]
    assert pick(names, "OOOOIIIIII", pred, fps=None) == [frames, None]


@pytest.mark.parametrize(("truth", "pred"), [("OOII", "OOAA"), ("OOAA", "OOII"), ("OOOO", "OOOO")])
def test_entry_timing_is_undefined_unless_both_sides_enter(truth, pred):
    assert pick("entry_timing_mae_frames entry_timing_mae_sec", truth, pred) == [None, None]


def test_entry_timing_sees_what_is_painted():
    # truth inside       ..IIII
    #       approaching  ..AA       ends earlier: ..AAII is what can be seen, inside from 4 on
    # pred               OOIIII     inside from 2 on
    truth = {"inside": [[2, 5]], "approaching": [[2, 3]]}
    assert pick("entry_timing_mae_frames gt_inside_start_frame", truth, "OOIIII") == [2, 2]


# Start of the advisory

START = "advisory_start_error_frames advisory_start_error_sec advisory_timing_mae_frames advisory_timing_mae_sec"


@pytest.mark.parametrize(
    ("pred", "expected"),
    [
        ("OAAAIIIIOO", [-2, -0.2, 2, 0.2]),  # 1 - 3: early is negative
        ("OOOAIIIIOO", [0, 0.0, 0, 0.0]),
        ("OOOOOOIIOO", [3, 0.3, 3, 0.3]),  # 6 - 3: late is positive, whatever the state
    ],
)
def test_advisory_start_error_is_signed_and_timing_is_not(pred, expected):
    # truth  OOOAAIIIOO   3
    assert pick(START, "OOOAAIIIOO", pred) == expected
    assert pick(START, "OOOAAIIIOO", pred, fps=0) == [expected[0], None, expected[2], None]


@pytest.mark.parametrize(("truth", "pred"), [("OAAO", "OOOO"), ("OOOO", "OAAO"), ("OOOO", "OOOO")])
def test_advisory_start_error_is_undefined_unless_both_sides_activate(truth, pred):
    assert pick(START, truth, pred) == [None] * 4


@pytest.mark.parametrize(
    ("truth", "pred", "rate"),
    [
        ("OOAAAAOOOO", "OAAAAAOOOO", 0.0),  # early
        ("OOAAAAOOOO", "OOAAAAOOOO", 0.0),
        ("OOAAAAOOOO", "OOOAAAOOOO", 1 / 4),  # 3 - 2, of 4 active frames
        ("OOAAAAOOOO", "OOOOOAAAOO", 3 / 4),  # 5 - 2
        ("OOAAAAOOOO", "OOOOOOAAOO", 1.0),  # 6 - 2: all of it
        ("OAAOOOOOOO", "OOOOOOOAAO", 1.0),  # 7 - 1 is 3 times 2 active frames: never above 1
        ("OAAOOAAOOO", "OOOAAAAOOO", 2 / 4),  # 3 - 1, of 4 active frames in two runs
        ("OOAAAAOOOO", "OOOOOOOOOO", 1.0),  # never activates
        ("OOOOOOOOOO", "OOOAAAOOOO", None),  # nothing to be late for
        ("OOOOOOOOOO", "OOOOOOOOOO", None),
    ],
)
def test_late_advisory_rate_is_the_delay_in_lengths_of_the_advisory(truth, pred, rate):
    assert pick("late_advisory_rate", truth, pred) == [rate]


# Lead time


def test_lead_time_is_from_the_predicted_advisory_to_the_true_focus():
    # truth  OOOOAAAAIIIIIIEEOOOO   inside from 8 on
    # pred   OOAAAAAAAIIIIIIEEEOO   active from 2 on: 6 frames
    assert pick("lead_time_sec event_lead_time_sec_mean", TRUTH_DRIVE, PRED_DRIVE) == [0.6, 0.6]


def test_lead_time_is_negative_when_the_advisory_comes_after_the_focus():
    # truth  OAIIIO   2
    # pred   OOOOIO   4
    assert pick("lead_time_sec event_lead_time_sec_mean", "OAIIIO", "OOOOIO") == [-0.2, -0.2]


def test_lead_time_is_undefined_without_true_focus_or_predicted_advisory_or_fps():
    names = "lead_time_sec event_lead_time_sec_mean"
    assert pick(names, "OAAO", "OIIO") == [None, None]
    assert pick(names, "OIIO", "OOOO") == [None, None]
    assert pick(names, "OIIO", "OIIO", fps=None) == [None, None]


def test_a_false_alarm_gives_lead_time_but_no_event_lead_time():
    # truth  OOOOOOOOOOAAIIIIEEOO   one event from 10 on, inside from 12 on
    # pred   OAAOOOOOOOOAIIIIEEOO   an alarm at 1, and the event's partner from 11 on
    # from any alarm 12 - 1, from the partner 12 - 11
    found = pick(
        "lead_time_sec event_lead_time_sec_mean event_delay_frames_mean", "OOOOOOOOOOAAIIIIEEOO", "OAAOOOOOOOOAIIIIEEOO"
    )
    assert found == [1.1, 0.1, 1.0]


def test_without_a_matched_event_there_is_neither_event_lead_time_nor_delay():
    # truth  OOOOOIIO
    # pred   OAAOOOOO   5 - 1 for lead_time_sec, which asks for no match
    found = pick("lead_time_sec event_lead_time_sec_mean event_delay_frames_mean", "OOOOOIIO", "OAAOOOOO")
    assert found == [0.4, None, None]


def test_event_lead_time_is_to_the_focus_inside_the_event():
    # truth  OAAAOOOAAIIIO   1-3 without inside, 7-11 with inside from 9 on
    # pred   OAAAOOAAAIIIO   1-3, 6-11
    # lead 9 - 6 = 3 frames, over one event; delay (1 - 1) and (6 - 7), mean -1/2
    found = pick("event_lead_time_sec_mean event_delay_frames_mean", "OAAAOOOAAIIIO", "OAAAOOAAAIIIO")
    assert found == [0.3, -0.5]


def test_event_lead_time_and_delay_are_means_over_matched_events():
    # truth  OAAIIOOOAIIIOOAO   1-4, inside 3; 8-11, inside 9; 14
    # pred   AAAAAOOOOAAIOOOO   0-4;           9-11
    # lead (3 - 0) and (9 - 9): mean 1.5 frames; delay (0 - 1) and (9 - 8): mean 0
    found = pick("event_lead_time_sec_mean event_delay_frames_mean", "OAAIIOOOAIIIOOAO", "AAAAAOOOOAAIOOOO")
    assert found == [0.15, 0.0]


def test_event_delay_is_to_the_partner_with_the_largest_overlap():
    # truth  OOIIIIIIOO   2-7
    # pred   OIIOIIIIOO   1-2 shares 1 frame, 4-7 shares 4: 4 - 2
    found = pick("event_lead_time_sec_mean event_delay_frames_mean", "OOIIIIIIOO", "OIIOIIIIOO")
    assert found == [-0.2, 2.0]


def test_event_delay_needs_no_focus_and_no_fps():
    # truth  OOAAOO   2
    # pred   OOOAAO   3
    found = pick("event_lead_time_sec_mean event_delay_frames_mean", "OOAAOO", "OOOAAO", fps=None)
    assert found == [None, 1.0]


# Coverage


def test_coverage_is_the_share_of_advisory_frames_with_an_advisory():
    # truth  OAAIIEEOOO   1-6
    # pred   OOOAAOAAAO   3, 4, 6 in any active state: 3 of 6; times 0.4
    names = "advisory_coverage_ratio simulated_speed_violation_reduction"
    assert pick(names, "OAAIIEEOOO", "OOOAAOAAAO") == [0.5, 0.2]
    assert pick(names, "OAAIIEEOOO", "OOOAAOAAAO", compliance_gain=0.5) == [0.5, 0.25]
    assert pick(names, "OAAIIEEOOO", "OOOOOOOOOO") == [0.0, 0.0]
    assert pick(names, "OOOO", "OAAO") == [None, None]


# False activation

FALSE_PER_MINUTE = "false_activations_per_minute false_positives_per_minute false_advisories_per_minute"


def test_false_activation_rate_is_over_the_idle_frames_of_truth():
    # truth  OOOOAAAAIIIIIIEEOOOO   8 idle
    # pred   OOAAAAAAAIIIIIIEEEOO
    # false  ..xx............xx..   4
    assert pick("false_activation_rate false_advisory_rate", TRUTH_DRIVE, PRED_DRIVE) == [0.5, 0.5]


def test_false_activation_rate_is_undefined_without_idle_truth():
    # There are no episodes either, but there are minutes.
    names = f"false_activation_rate false_advisory_rate {FALSE_PER_MINUTE}"
    assert pick(names, "AAII", "AAII") == [None, None, 0.0, 0.0, 0.0]


def test_false_activations_are_counted_by_episode():
    # truth  OOOAAOOO
    # pred   OAIIIIEO   one active run
    # false  .xx..xx.   two episodes; 8 frames at 8 fps are a second: 2 * 60 a minute
    names = f"false_activation_rate {FALSE_PER_MINUTE}"
    assert pick(names, "OOOAAOOO", "OAIIIIEO", fps=8) == [4 / 6, 120.0, 120.0, 120.0]


def test_a_change_of_state_does_not_end_an_episode():
    # truth  OOOOOOOO
    # pred   OAAIIOEO   1-4 and 6
    names = f"false_activation_rate {FALSE_PER_MINUTE}"
    assert pick(names, "OOOOOOOO", "OAAIIOEO", fps=8) == [5 / 8, 120.0, 120.0, 120.0]


def test_minutes_are_all_evaluated_frames():
    # truth  AAAAAAOO              two of eight are idle; one episode, at 6
    # pred   AAAAAAAO              8 frames at 4 fps are 2 s: 30 a minute
    assert pick("false_activations_per_minute", "AAAAAAOO", "AAAAAAAO", fps=4) == [30.0]
    # pred   AAAAAAAOOOOOOOOO      16 frames are 4 s: 15 a minute; cut to the truth's, 30 again
    assert pick("false_activations_per_minute", "AAAAAAOO", "AAAAAAAOOOOOOOOO", fps=4) == [15.0]
    assert pick("false_activations_per_minute", "AAAAAAOO", "AAAAAAAOOOOOOOOO", fps=4, extent="gt") == [30.0]


# Persistence and flicker


def test_persistence_is_the_mean_length_of_active_runs():
    # truth  OOOOOOOO
    # pred   OAAIIOEO   4 and 1: mean 2.5 frames, at 8 fps 0.3125 s
    names = "mean_activation_persistence_frames mean_activation_persistence_sec"
    assert pick(names, "OOOOOOOO", "OAAIIOEO", fps=8) == [2.5, 0.3125]
    assert pick(names, "OOOOOOOO", "OAAIIOEO", fps=None) == [2.5, None]


def test_persistence_is_undefined_without_activation():
    names = "mean_activation_persistence_frames mean_activation_persistence_sec"
    assert pick(names, "OAAO", "OOOO") == [None, None]


def test_flicker_is_predicted_changes_a_minute():
    # truth  OOOOIIII
    # pred   OOAOIIAI   changes at 2, 3, 4, 6, 7; 8 frames at 8 fps are a second: 5 * 60
    assert pick("flicker_per_minute", "OOOOIIII", "OOAOIIAI", fps=8) == [300.0]
    assert pick("flicker_per_minute", "OOOOIIII", "OOOOOOOO", fps=8) == [0.0]
    assert pick("flicker_per_minute", "OOOOIIII", "OOAOIIAI", fps=None) == [None]


@pytest.mark.parametrize("fps", [None, 0, -25, 0.0])
def test_without_a_positive_fps_all_seconds_and_minutes_are_undefined(fps):
    found = measure(TRUTH_DRIVE, PRED_DRIVE, fps=fps)
    timed = {name for name in found if "_sec" in name or "per_minute" in name}
    assert timed == {
        "time_in_error_sec",
        "entry_timing_mae_sec",
        "false_activations_per_minute",
        "false_positives_per_minute",
        "mean_activation_persistence_sec",
        "advisory_start_error_sec",
        "advisory_timing_mae_sec",
        "false_advisories_per_minute",
        "lead_time_sec",
        "event_lead_time_sec_mean",
        "flicker_per_minute",
        "detection_false_positives_per_minute",
    }
    assert {found[name] for name in timed} == {None}
    assert found["fps_estimate"] is None


# Starts of states, as they were given


def starts(state, truth, pred, **options):
    """First in truth, first predicted, their difference; first predicted that meets a true one, that difference."""
    names = "gt_{0}_start_frame pred_{0}_start_frame pred_minus_gt_{0}_start_frame"
    matched = "pred_{0}_start_matched_frame pred_minus_gt_{0}_start_matched_frame"
    return pick(f"{names} {matched}".format(state), truth, pred, **options)


def test_starts_of_inside_and_approaching():
    # truth  OOOOAAAAIIIIIIEEOOOO
    # pred   OOAAAAAAAIIIIIIEEEOO
    assert starts("inside", TRUTH_DRIVE, PRED_DRIVE) == [8, 9, 1, 9, 1]
    assert starts("approaching", TRUTH_DRIVE, PRED_DRIVE) == [4, 2, -2, 2, -2]
    assert not [name for name in measure(TRUTH_DRIVE, PRED_DRIVE) if "exiting_start" in name]


def test_starts_of_another_focus_are_told_too():
    assert starts("exiting", TRUTH_DRIVE, PRED_DRIVE, focus="exiting") == [14, 15, 1, 15, 1]
    assert starts("inside", TRUTH_DRIVE, PRED_DRIVE, focus="exiting") == [8, 9, 1, 9, 1]


def test_the_matched_start_is_the_first_that_overlaps_truth():
    # truth  OOOOOIIIOOIIIO   5-7, 10-12
    # pred   OIIOOOOOOOOIIO   1-2 meets none; 11-12 meets 10-12: 11 - 10
    assert starts("inside", "OOOOOIIIOOIIIO", "OIIOOOOOOOOIIO") == [5, 1, -4, 11, 1]


def test_the_matched_start_is_told_against_the_first_interval_it_overlaps():
    # truth  OOOOOIIIOOIIIO   5-7, 10-12
    # pred   OOOOOOIIIIIIOO   6-11 meets both: 6 - 5
    assert starts("inside", "OOOOOIIIOOIIIO", "OOOOOOIIIIIIOO") == [5, 6, 1, 6, 1]


def test_the_matched_start_asks_for_enough_overlap():
    # truth  OOOOOIIIOOIIIO   5-7, 10-12
    # pred   OOOOOOOIIIIIIO   7-12 shares 1 frame with the first, 3 with the second
    truth, pred = "OOOOOIIIOOIIIO", "OOOOOOOIIIIIIO"
    assert starts("inside", truth, pred) == [5, 7, 2, 7, 2]
    assert starts("inside", truth, pred, min_event_overlap_frames=2) == [5, 7, 2, 7, -3]
    assert starts("inside", truth, pred, min_event_overlap_frames=3) == [5, 7, 2, 7, -3]
    assert starts("inside", truth, pred, min_event_overlap_frames=4) == [5, 7, 2, None, None]


@pytest.mark.parametrize(
    ("truth", "pred", "expected"),
    [
        ("OOII", "OOOO", [2, None, None, None, None]),
        ("OOOO", "OOII", [None, 2, None, None, None]),
        ("IIOO", "OOII", [0, 2, 2, None, None]),  # both, and never together
        ("OOOO", "OOOO", [None] * 5),
    ],
)
def test_starts_that_are_not_there_are_undefined(truth, pred, expected):
    assert starts("inside", truth, pred) == expected


def test_first_means_first_in_time_and_not_in_the_list():
    # truth  OOIIOOOII   2-3, 7-8
    # pred   OOOIOOOII   3, 7-8
    truth, pred = intervals("OOIIOOOII"), intervals("OOOIOOOII")
    truth["inside"].reverse()
    pred["inside"].reverse()
    assert starts("inside", truth, pred) == [2, 3, 1, 3, 1]


def test_starts_are_those_of_the_intervals_and_not_of_what_can_be_seen():
    # truth inside   ..IIII
    #       exiting  ..EEEE     is what can be seen
    # pred           OOOIII
    assert starts("inside", {"inside": [[2, 5]], "exiting": [[2, 5]]}, "OOOIII") == [2, 3, 1, 3, 1]


def test_starts_within_the_extent_stay_and_those_beyond_are_cut_off():
    # truth  OOII
    # pred   OOOI|II
    assert starts("inside", "OOII", "OOOIII", extent="gt") == [2, 3, 1, 3, 1]
    # truth  OAII
    # pred   OOII|AA
    assert starts("approaching", "OAII", "OOIIAA", extent="gt") == [1, None, None, None, None]
