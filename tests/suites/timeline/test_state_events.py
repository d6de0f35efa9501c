"""What finds a partner along a video: transitions, events, segments. Cases are drawn as in test_states.py."""

import pytest

from .test_states import PRED_DRIVE, TRUTH_DRIVE, evaluate, measure


def transitions(truth, pred, tolerance=0):
    """Recall, precision, accuracy."""
    found = measure(truth, pred, transition_tolerance_frames=tolerance)
    return found["transition_recall"], found["transition_precision"], found["transition_accuracy"]


def partners(truth, pred, kind, **options):
    """(start in truth, start in prediction) of everything of a kind; None is without partner."""
    rows = evaluate(truth, pred, **options).matches()
    return [(row["gt_start"], row["pred_start"]) for row in rows if row["kind"] == kind]


# Transitions


@pytest.mark.parametrize(
    ("tolerance", "matched"),
    [(0, 0), (1, 2), (2, 4)],  # one frame less than a distance misses it, the distance itself meets it
)
def test_transitions_match_up_to_the_tolerance(tolerance, matched):
    # truth  OOOOAAAAIIIIIIEEOOOO   O→A 4, A→I 8, I→E 14, E→O 16
    # pred   OOAAAAAAAIIIIIIEEEOO   O→A 2, A→I 9, I→E 15, E→O 18    distances 2, 1, 1, 2
    assert transitions(TRUTH_DRIVE, PRED_DRIVE, tolerance) == (matched / 4, matched / 4, matched / 4)


def test_transitions_have_to_be_of_the_same_kind():
    # truth  OOOIII   O→I 3
    # pred   OOOAAA   O→A 3
    assert transitions("OOOIII", "OOOAAA", 100) == (0.0, 0.0, 0.0)
    # truth  IIIOOO   I→O 3: the way back is another kind
    assert transitions("OOOIII", "IIIOOO", 100) == (0.0, 0.0, 0.0)


def test_transition_accuracy_is_over_the_larger_of_both_counts():
    # truth  OOOOOIIIII   O→I 5
    # pred   OOOIIOIIII   O→I 3, I→O 5, O→I 6: one of three, and only one partner for 5
    assert transitions("OOOOOIIIII", "OOOIIOIIII", 2) == (1.0, 1 / 3, 1 / 3)
    assert transitions("OOOIIOIIII", "OOOOOIIIII", 2) == (1 / 3, 1.0, 1 / 3)


def test_without_predicted_transitions_precision_is_undefined():
    # truth  OOII   one
    # pred   OOOO   none
    assert transitions("OOII", "OOOO") == (0.0, None, 0.0)


def test_without_true_transitions_recall_is_undefined():
    assert transitions("OOOO", "OOII") == (None, 0.0, 0.0)


def test_without_transitions_on_either_side_all_three_are_undefined():
    assert transitions("OOOO", "IIII") == (None, None, None)


def test_the_first_frame_is_no_transition():
    # truth  IIOO   I→O 2 and nothing at 0
    assert transitions("IIOO", "IIOO") == (1.0, 1.0, 1.0)
    assert partners("IIOO", "IIOO", "transition") == [(2, 2)]


def test_frames_that_no_interval_covers_make_transitions_to_idle_and_back():
    # truth  II.II   I→O 2, O→I 3
    assert partners("II.II", "IIIII", "transition") == [(2, None), (3, None)]


def test_intervals_of_one_state_that_touch_make_no_transition():
    # inside  III
    # inside     III
    assert transitions({"inside": [[0, 2], [3, 5]]}, "IIIIII") == (None, None, None)


def test_most_transitions_find_a_partner_before_close_ones_do():
    # truth  OOIIOOIIIIII   O→I 2 and 6, I→O 4
    # pred   OOOOOIIOOIII   O→I 5 and 9, I→O 7
    # The closest are 6 and 5; with them 2 and 9 would stay alone. 2 with 5 and 6 with 9 are two pairs.
    assert transitions("OOIIOOIIIIII", "OOOOOIIOOIII", 3) == (1.0, 1.0, 1.0)
    options = {"transition_tolerance_frames": 3}
    assert partners("OOIIOOIIIIII", "OOOOOIIOOIII", "transition", **options) == [(2, 5), (4, 7), (6, 9)]
    # A tolerance of 2 leaves only 6 and 5.
    assert transitions("OOIIOOIIIIII", "OOOOOIIOOIII", 2) == (1 / 3, 1 / 3, 1 / 3)


def test_of_as_many_partners_the_closest_are_taken():
    # truth  OOOOIIIIII   O→I 4
    # pred   OOIIOIIIII   O→I 2 and 5, I→O 4
    found = partners("OOOOIIIIII", "OOIIOIIIII", "transition", transition_tolerance_frames=3)
    assert found == [(4, 5), (None, 2), (None, 4)]


def test_the_total_distance_is_what_counts_and_not_the_closest_pair():
    # truth  OOIIOOIIIIII   O→I 2 and 6, I→O 4
    # pred   OOOOOIIOOIII   O→I 5 and 9, I→O 7
    # Within 7 frames all may be partners: 6 with 5 and 2 with 9 are 1 + 7 apart, 2 with 5 and 6 with 9 are 3 + 3.
    found = partners("OOIIOOIIIIII", "OOOOOIIOOIII", "transition", transition_tolerance_frames=7)
    assert found == [(2, 5), (4, 7), (6, 9)]


# Events of the focus state


def events(truth, pred, **options):
    found = measure(truth, pred, **options)
    return found["event_recall"], found["event_precision"]


def test_events_match_when_they_overlap():
    # truth  OIIOOIIOOO   1-2, 5-6
    # pred   OOIIOOOOII   2-3 shares frame 2; 8-9 shares none
    assert events("OIIOOIIOOO", "OOIIOOOOII") == (1 / 2, 1 / 2)


@pytest.mark.parametrize(("least", "matched"), [(1, 1.0), (2, 1.0), (3, 0.0)])
def test_events_share_at_least_so_many_frames(least, matched):
    # truth  OOOIIIIOOO   3-6
    # pred   OOOOOIIIIO   5-8    frames 5 and 6
    assert events("OOOIIIIOOO", "OOOOOIIIIO", min_event_overlap_frames=least) == (matched, matched)


def test_events_that_only_touch_share_nothing():
    # truth  OIIOOO   1-2
    # pred   OOOIIO   3-4
    assert events("OIIOOO", "OOOIIO") == (0.0, 0.0)


def test_an_event_has_one_partner_at_most():
    # truth  OIIOIIO   two
    # pred   OIIIIIO   one over both
    assert events("OIIOIIO", "OIIIIIO") == (1 / 2, 1.0)
    assert events("OIIIIIO", "OIIOIIO") == (1.0, 1 / 2)


def test_without_predicted_events_precision_is_undefined():
    assert events("OIIO", "OAAO") == (0.0, None)


def test_without_true_events_recall_is_undefined():
    assert events("OAAO", "OIIO") == (None, 0.0)
    assert events("OAAO", "OAAO") == (None, None)


def test_most_events_find_a_partner_before_long_overlaps_do():
    # truth  OIIOIIIIIIIOO   1-2, 4-10
    # pred   OOIIIIIIIOIIO   2-8, 10-11
    # 4-10 and 2-8 share 5 frames, and would leave two alone; 1-2 with 2-8 and 4-10 with 10-11 share 1 each.
    truth, pred = "OIIOIIIIIIIOO", "OOIIIIIIIOIIO"
    assert events(truth, pred) == (1.0, 1.0)
    assert partners(truth, pred, "event") == [(1, 2), (4, 10)]
    assert partners(truth, pred, "advisory_event") == [(1, 2), (4, 10)]


def test_of_as_many_partners_those_with_the_largest_overlap_are_taken():
    # truth  OOIIIIIIOO   2-7
    # pred   OIIOIIIIOO   1-2 shares 1 frame, 4-7 shares 4
    assert partners("OOIIIIIIOO", "OIIOIIIIOO", "event") == [(2, 4), (None, 1)]
    assert partners("OOIIIIIIOO", "OIIOIIIIOO", "advisory_event") == [(2, 4), (None, 1)]


def test_events_are_the_intervals_as_given():
    # truth inside  ..III...
    #       inside  .....III      two events, though one run
    # pred          OOIIIIII      one event
    truth = {"inside": [[2, 4], [5, 7]]}
    assert events(truth, "OOIIIIII") == (1 / 2, 1.0)
    assert events(truth, truth) == (1.0, 1.0)


def test_an_event_under_another_state_is_still_an_event():
    # truth inside       ..III.
    #       approaching  ..AAA.     is what can be seen
    # pred               OOIIIO
    assert events({"inside": [[2, 4]], "approaching": [[2, 4]]}, "OOIIIO") == (1.0, 1.0)


def test_events_of_one_side_may_overlap_each_other():
    # truth inside  IIIIIIIIII      0-9 shares 2 frames with each prediction
    #       inside  ..II            2-3 shares 2 frames with the first only
    # pred inside   ..II....IIIII   2-3, 8-12
    truth, pred = {"inside": [[0, 9], [2, 3]]}, {"inside": [[2, 3], [8, 12]]}
    assert events(truth, pred) == (1.0, 1.0)
    assert partners(truth, pred, "event") == [(0, 8), (2, 2)]


def test_the_same_interval_twice_is_two_events():
    # truth inside  .II.
    # pred inside   .II. twice
    assert events(".II.", {"inside": [[1, 2], [1, 2]]}) == (1.0, 1 / 2)


# Advisory events


def advisories(truth, pred, **options):
    found = measure(truth, pred, **options)
    return found["advisory_event_recall"], found["advisory_event_precision"]


def test_advisory_events_are_runs_of_whatever_is_not_idle():
    # truth  OAAIIEEOOAO   1-6, 9
    # pred   OOIAAAOOOOO   2-5, in states that do not agree
    assert advisories("OAAIIEEOOAO", "OOIAAAOOOOO") == (1 / 2, 1.0)


def test_advisory_events_are_runs_and_not_intervals_as_given():
    # truth inside  .III...
    #       inside  ....II.     one run
    # pred          OIIIIIO
    assert advisories({"inside": [[1, 3], [4, 5]], "outside": [[6, 6]]}, "OIIIIIO") == (1.0, 1.0)


def test_an_idle_interval_within_an_active_one_makes_two_advisory_events():
    # truth inside   IIIIIII
    #       outside    OO        IIOOIII is what can be seen
    # pred           IIIIIII
    assert advisories({"inside": [[0, 6]], "outside": [[2, 3]]}, "IIIIIII") == (1 / 2, 1.0)


def test_a_state_beyond_the_four_is_advisory_active():
    # truth  OPPO
    # pred   OIIO
    assert advisories("OPPO", "OIIO") == (1.0, 1.0)


@pytest.mark.parametrize(("least", "matched"), [(3, 1.0), (4, 0.0)])
def test_advisory_events_share_at_least_so_many_frames(least, matched):
    # truth  OAAAIIOOOO   1-5
    # pred   OOOAAIEEOO   3-7    3, 4, 5
    assert advisories("OAAAIIOOOO", "OOOAAIEEOO", min_event_overlap_frames=least) == (matched, matched)


def test_advisory_events_are_undefined_where_there_are_none():
    assert advisories("OAAO", "OOOO") == (0.0, None)
    assert advisories("OOOO", "OAAO") == (None, 0.0)
    assert advisories("OOOO", "OOOO") == (None, None)


def test_counts_tell_what_the_rates_rest_on():
    # truth  OAAIIEEOOAO   runs O A I E O A O; advisory 1-6, 9; inside 3-4
    # pred   OOIAAAOOIIO   runs O I A O I O;   advisory 2-5, 8-9; inside 2 and 8-9, which meet no true inside
    # false  ........x..
    assert measure("OAAIIEEOOAO", "OOIAAAOOIIO")["counts"] == {
        "frames": 11,
        "gt_runs": 7,
        "pred_runs": 6,
        "gt_segments": 7,
        "pred_segments": 6,
        "gt_events": 1,
        "pred_events": 2,
        "matched_events": 0,
        "gt_advisory_events": 2,
        "pred_advisory_events": 2,
        "matched_advisory_events": 2,
        "false_episodes": 1,
    }


# Runs as segments


def test_edit_score_is_1_minus_the_edits_between_the_states_of_runs():
    # truth  OOAAIIEEOO   O A I E O
    # pred   OOIIIIOOOO   O I O        two to insert: 1 - 2/5
    assert measure("OOAAIIEEOO", "OOIIIIOOOO")["edit_score"] == 3 / 5
    # truth  OOAAOO       O A O
    # pred   OIIIIO       O I O        one to replace: 1 - 1/3
    assert measure("OOAAOO", "OIIIIO")["edit_score"] == 2 / 3


def test_edit_score_does_not_ask_how_long_runs_are():
    assert measure(TRUTH_DRIVE, PRED_DRIVE)["edit_score"] == 1.0


def test_edit_score_falls_with_flicker():
    # truth  OOOIIIIOOO   O I O
    # pred   OOIOIIOIOO   O I O I O I O     four too many: 1 - 4/7
    assert measure("OOOIIIIOOO", "OOIOIIOIOO")["edit_score"] == 3 / 7


def test_edit_score_of_sequences_with_nothing_in_common_is_0():
    assert measure("AAAA", "OOOO")["edit_score"] == 0.0


def segmental(truth, pred):
    found = measure(truth, pred)
    return [found[f"segmental_f1_{percent}"] for percent in (10, 25, 50)]


def test_segmental_f1_of_the_drive():
    # truth  OOOOAAAAIIIIIIEEOOOO
    # pred   OOAAAAAAAIIIIIIEEEOO
    # IoU of runs: O 2/4, A 4/7, I 5/7, E 1/4, O 2/4. An IoU on the threshold meets it.
    # at 50 %: 4 of 5 and 5 runs, 2 * 4 / 10
    assert segmental(TRUTH_DRIVE, PRED_DRIVE) == [1.0, 1.0, 0.8]


@pytest.mark.parametrize(
    ("truth", "pred", "expected"),
    [
        ("IIIIIIIIII", "IAAAAAAAAA", [2 / 3, 0.0, 0.0]),  # 1/10; A is one too many: 2 * 1 / (1 + 2)
        ("IIIIIIIIIII", "IAAAAAAAAAA", [0.0, 0.0, 0.0]),  # 1/11
        ("IIII", "IAAA", [2 / 3, 2 / 3, 0.0]),  # 1/4
        ("IIIII", "IAAAA", [2 / 3, 0.0, 0.0]),  # 1/5
        ("IIIIIIIIIIIIII", "IIIIIIIAAAAAAA", [2 / 3, 2 / 3, 2 / 3]),  # 7/14
        ("IIIIIIIIIIIIIII", "IIIIIIIAAAAAAAA", [2 / 3, 2 / 3, 0.0]),  # 7/15
    ],
)
def test_segmental_f1_on_the_threshold_and_just_below(truth, pred, expected):
    assert segmental(truth, pred) == expected


def test_segmental_f1_lets_each_true_run_have_one_partner():
    # truth  IIIIIIIIII     one run
    # pred   IIIIAIIIII     IoU 4/10, none, 5/10
    # at 10 and 25 % the first has it and the second is too many; at 50 % the first is too poor, the second has it:
    # 2 * 1 / (1 + 3) each time
    assert segmental("IIIIIIIIII", "IIIIAIIIII") == [0.5, 0.5, 0.5]


def test_segmental_f1_takes_the_first_of_equally_good_runs():
    # truth  IIIIOIIIIIIIII     I 0-3, O, I 5-13
    # pred   OOIIIIIIOIIIII     I 2-7: 2/8 with the first, 3/12 with the second: it takes the first
    #                           I 9-13: 5/9 with the second, which is free
    # O finds nothing twice. 2 * 2 / (3 + 4); at 50 % only 5/9 is left
    assert segmental("IIIIOIIIIIIIII", "OOIIIIIIOIIIII") == [4 / 7, 4 / 7, 2 / 7]


def test_segmental_f1_goes_to_the_best_run_even_if_it_is_taken():
    # truth  IIIIIIIIOI     I 0-7, O, I 9
    # pred   IIIIOIIIII     I 0-3: 4/8. I 5-9: 3/10 with the first, 1/5 with the second: the first, which is taken
    # O: 8 against 4, none. 2 * 1 / (3 + 3)
    assert segmental("IIIIIIIIOI", "IIIIOIIIII") == [1 / 3, 1 / 3, 1 / 3]


def test_segmental_f1_counts_idle_runs_too():
    # truth  OOOO
    # pred   OOOI     O 3/4; I is one too many: 2 / 3
    assert segmental("OOOO", "OOOI") == [2 / 3, 2 / 3, 2 / 3]
