"""The timeline suite against others: a loop over frames, scikit-learn, mir_eval, scipy and rapidfuzz.

The loop is `benchmarks/straightforward_timeline.py`, which computes every metric of a video. The libraries each know a
part of them, on labels painted frame by frame.
"""

import random
from math import isclose
from warnings import catch_warnings

import numpy as np
import pytest
import scipy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import calipers

from ..profiles import examples
from . import timelines
from .timelines import SEED_STATES, changes_of, evaluate, last_frame, metrics_of, painted, runs_of

deterministic = settings(derandomize=True, deadline=None, max_examples=examples(150))
oracle = timelines.load_oracle()

BESIDE = {  # fields of a video that do not come from its states, and the counts
    "map_50",
    "precision_at_recall",
    "precision_at_target",
    "detection_false_positives_per_minute",
    "ocr_exact_accuracy",
    "ocr_similarity",
    "runtime_fps",
    "counts",
}
# Two truths and three predictions in a row, where two ways to pair them share equally many frames
EVEN = {"inside": [[4, 9], [12, 17]]}, {"inside": [[0, 4], [7, 14], [17, 20]]}
# The first prediction is as close to one truth (5 of 20 frames) as to the other (6 of 24), which the second needs
CLOSE = {"inside": [[0, 4], [14, 23]]}, {"inside": [[0, 19], [21, 23]]}


# Every metric, frame by frame


@st.composite
def run_options(draw) -> dict:
    state = st.sampled_from((*SEED_STATES, "paused", "nowhere"))
    return {
        "idle": draw(st.one_of(st.just("outside"), state)),
        "focus": draw(st.one_of(st.just("inside"), state)),
        "extent": draw(st.sampled_from(("union", "gt"))),
        "min_event_overlap_frames": draw(st.sampled_from((1, 1, 2, 3, 7))),
        "compliance_gain": draw(st.sampled_from((0.4, 0, 1.5, -0.3))),
    }


tolerances = st.lists(st.sampled_from((0, 1, 2, 3, 5, 30)), min_size=1, max_size=3, unique=True)
rates = st.sampled_from((None, 0, -5, 25, 29.97, 30, 0.001))
filled_in = st.sampled_from((None, None, 12.5, 30))


def differences(found: dict, expected: dict) -> dict:
    """Fields with another value: whole numbers, nulls and tables are equal, fractions are as close as floats are."""
    return {
        name: (found.get(name, "not there"), value)
        for name, value in expected.items()
        if name not in found or not same(found[name], value)
    }


def same(a, b) -> bool:
    if isinstance(a, float) and isinstance(b, (int, float)):
        return isclose(a, b, rel_tol=1e-12, abs_tol=1e-12)
    return type(a) is type(b) and a == b


@settings(deterministic, max_examples=examples(400))
@given(st.lists(timelines.pairs(), min_size=1, max_size=4), run_options(), tolerances, rates, filled_in)
@example([EVEN, CLOSE], {}, [0], 10, None)
def test_every_metric_is_that_of_a_loop_over_frames(sides, options, tolerances, read, filled):
    report = evaluate(*sides, read_fps=read, fps=filled, transition_tolerance_frames=tolerances, **options)
    known = read if read is not None and read > 0 else None
    sweeps = []
    for truth, pred in sides:
        sweep = oracle.evaluate_video(truth, pred, fps=known or filled, tolerances=tolerances, **options)
        sweeps.append([metrics | {"fps_estimate": known} for metrics in sweep])
    for number, sweep in enumerate(sweeps):
        found = report["videos"][str(number)]
        assert differences(found, sweep[0]) == {}
        assert set(found) - set(sweep[0]) == BESIDE
    for place, tolerance in enumerate(tolerances):
        summary = report["sweep"][str(tolerance)] if len(tolerances) > 1 else report["summary"]
        means = oracle.means([sweep[place] for sweep in sweeps])
        assert differences(summary, means) == {}


@deterministic
@given(timelines.pairs(most=14), run_options())
def test_counts_are_those_of_painted_frames(side, options):
    truth, pred = side
    idle = options["idle"]
    report = evaluate(side, **options)
    frames = 1 + (last_frame(truth) if options["extent"] == "gt" else last_frame(truth, pred))
    labels = painted(truth, frames, idle), painted(pred, frames, idle)
    counts = report["videos"]["0"]["counts"]
    assert counts["frames"] == frames
    assert [counts["gt_runs"], counts["pred_runs"]] == [len(runs_of(each)) for each in labels]
    active = [runs_of([label != idle for label in each]) for each in labels]
    expected = [sum(is_active for is_active, _, _ in runs) for runs in active]
    assert [counts["gt_advisory_events"], counts["pred_advisory_events"]] == expected
    given_focus = [[a for a, _ in each.get(options["focus"], []) if a < frames] for each in side]
    assert [counts["gt_events"], counts["pred_events"]] == [len(each) for each in given_focus]
    false = runs_of([a == idle != b for a, b in zip(*labels, strict=True)])
    assert counts["false_episodes"] == sum(is_false for is_false, _, _ in false)
    case = report.cases_of(["0"])["0"]
    assert [case["gt"], case["pred"]] == [runs_of(each) for each in labels]


# Frames, against scikit-learn


@settings(deterministic, max_examples=examples(120))
@given(timelines.pairs(most=14), st.sampled_from(("outside", "inside", "nowhere")))
def test_frames_are_classified_as_scikit_learn_has_it(side, idle):
    from sklearn import metrics as sk

    found = metrics_of(*side, idle=idle)
    frames = 1 + last_frame(*side)
    truth, pred = (painted(each, frames, idle) for each in side)
    states = sorted({*truth, *pred})
    absent = [state for state in SEED_STATES if state not in states]
    precision, recall, f1, _ = sk.precision_recall_fscore_support(
        truth, pred, labels=states, average="macro", zero_division=0
    )
    ious = sk.jaccard_score(truth, pred, labels=states, average=None).tolist()
    assert found["frame_accuracy"] == sk.accuracy_score(truth, pred)
    assert found["macro_precision"] == pytest.approx(precision, rel=1e-12)
    assert found["macro_recall"] == pytest.approx(recall, rel=1e-12)
    assert found["macro_f1"] == pytest.approx(f1, rel=1e-12)
    assert found["mean_iou"] == pytest.approx(sk.jaccard_score(truth, pred, average="macro"), rel=1e-12)
    assert [found[f"iou_{state}"] for state in states] == ious
    assert [found[f"iou_{state}"] for state in absent] == [None] * len(absent)
    with catch_warnings(action="ignore"):  # a single label is fine here
        matrix = sk.confusion_matrix(truth, pred, labels=states).tolist()
    assert [[found["confusion"].get(a, {}).get(b, 0) for b in states] for a in states] == matrix


# Transitions, against mir_eval


flickering = timelines.tilings(1, 30, states=st.sampled_from(("outside", "inside", "exiting")))


@deterministic
@given(flickering, flickering, st.integers(0, 12))
def test_transitions_of_one_kind_match_like_the_events_of_mir_eval(truth, pred, tolerance):
    import mir_eval

    # half a frame more than the tolerance: no two frames are that far apart, so rounding decides nothing
    report = evaluate((truth, pred), transition_tolerance_frames=[tolerance, tolerance + 9, 0][: 2 + (tolerance > 0)])
    frames = 1 + last_frame(truth, pred)
    ours, theirs = (changes_of(painted(each, frames)) for each in (truth, pred))
    rows = [row for row in report.matches() if row["kind"] == "transition"]
    for kind in {*ours, *theirs}:
        events = [np.array(side.get(kind, []), dtype=float) for side in (ours, theirs)]
        expected = len(mir_eval.util.match_events(*events, window=tolerance + 0.5))
        assert sum(row["state"] == " → ".join(kind) and is_matched(row) for row in rows) == expected
        if all(len(each) for each in events):
            _, precision, recall = mir_eval.onset.f_measure(*events, window=tolerance + 0.5)
            assert (precision, recall) == (expected / len(events[1]), expected / len(events[0]))
    check_transitions(report, rows)


def check_transitions(report, rows):
    found = report["videos"]["0"]
    truth, pred = (found["counts"][f"{side}_runs"] - 1 for side in ("gt", "pred"))
    matched = sum(map(is_matched, rows))
    assert sum(row["gt_start"] is not None for row in rows) == truth
    assert sum(row["pred_start"] is not None for row in rows) == pred
    assert found["transition_recall"] == (matched / truth if truth else None)
    assert found["transition_precision"] == (matched / pred if pred else None)
    assert found["transition_accuracy"] == (matched / max(truth, pred) if max(truth, pred) else None)


def is_matched(row: dict) -> bool:
    return row["gt_start"] is not None and row["pred_start"] is not None


# Events, against scipy


def best_pairs(truth: list, pred: list, least: int) -> tuple[int, int]:
    """How many pairs of (first, last) share enough frames, at most, and how many frames those share, at most."""
    shared = np.array([[min(b, d) - max(a, c) + 1 for c, d in pred] for a, b in truth]).reshape(len(truth), len(pred))
    allowed = shared >= least
    a_pair = int(abs(shared).sum()) + 1  # worth more than all frames together
    chosen = scipy.optimize.linear_sum_assignment(np.where(allowed, shared + a_pair, 0), maximize=True)
    kept = allowed[chosen]
    return int(kept.sum()), int(shared[chosen][kept].sum())


@deterministic
@given(timelines.pairs(most=14), run_options())
@example(EVEN, {"idle": "outside", "focus": "inside", "extent": "union", "min_event_overlap_frames": 1})
def test_events_have_as_many_partners_and_frames_in_common_as_scipy_finds(side, options):
    report = evaluate(side, **options)
    frames = 1 + (last_frame(side[0]) if options["extent"] == "gt" else last_frame(*side))
    focus, idle, least = options["focus"], options["idle"], options["min_event_overlap_frames"]
    intervals = [[(a, min(b, frames - 1)) for a, b in each.get(focus, []) if a < frames] for each in side]
    painted_sides = [runs_of([label != idle for label in painted(each, frames, idle)]) for each in side]
    active = [[(a, b) for is_active, a, b in runs if is_active] for runs in painted_sides]
    for kind, events in (("event", intervals), ("advisory_event", active)):
        rows = [row for row in report.matches() if row["kind"] == kind]
        matched = [row for row in rows if is_matched(row)]
        assert (len(matched), sum(row["shared_frames"] for row in matched)) == best_pairs(*events, least)
        assert all(row["shared_frames"] >= least for row in matched)
        for name, expected in zip(("gt", "pred"), events, strict=True):
            ends = [(row[f"{name}_start"], row[f"{name}_end"]) for row in rows if row[f"{name}_start"] is not None]
            assert sorted(ends) == sorted(expected)
        counts = report["videos"]["0"]["counts"]
        assert [counts[f"{name}_{kind}s"] for name in ("gt", "pred", "matched")] == [*map(len, events), len(matched)]


@deterministic
@given(flickering, flickering, st.integers(0, 12))
def test_transitions_have_as_many_partners_as_scipy_finds_and_are_as_close(truth, pred, tolerance):
    report = evaluate((truth, pred), transition_tolerance_frames=tolerance)
    frames = 1 + last_frame(truth, pred)
    ours, theirs = (changes_of(painted(each, frames)) for each in (truth, pred))
    rows = [row for row in report.matches() if row["kind"] == "transition" and is_matched(row)]
    for kind in {*ours, *theirs}:
        # a transition as wide as the tolerance: the frames two of them share grow as they come closer
        spans = [[(2 * frame, 2 * frame + 2 * tolerance) for frame in side.get(kind, [])] for side in (ours, theirs)]
        count, shared = best_pairs(*spans, 1)
        found = [abs(row["delay_frames"]) for row in rows if row["state"] == " → ".join(kind)]
        assert (len(found), sum(found)) == (count, (count * (2 * tolerance + 1) - shared) // 2)


# Sequences, against rapidfuzz


def sequence(rng: random.Random, runs: int, states: int) -> list[int]:
    """No two neighbours alike."""
    found = [rng.randrange(states)]
    while len(found) < runs:
        found.append((found[-1] + rng.randrange(1, states)) % states)
    return found


def video_of(rng: random.Random, states: list[int], last: int) -> timelines.States:
    """Runs of 1 to 3 frames; the last one goes on to the end."""
    video, at = {}, 0
    for state in states:
        video.setdefault(f"state {state}", []).append([at, at + rng.randint(0, 2)])
        at = video[f"state {state}"][-1][1] + 1
    video[f"state {states[-1]}"][-1][1] = last
    return video


@pytest.mark.parametrize("states", [2, 3, 9])
@pytest.mark.parametrize(
    ("truth_runs", "pred_runs"),
    [
        *[(1, 1), (512, 512), (256, 1024), (1, 1024), (1024, 1), (1023, 256), (3000, 87)],  # the table is small
        *[(513, 512), (257, 1024), (1, 1025), (40, 6553), (1025, 1025), (200, 1400), (3000, 88)],  # it is not
    ],
)
def test_the_edit_score_of_long_sequences_is_that_of_rapidfuzz(truth_runs, pred_runs, states):
    rng, last = random.Random(truth_runs + pred_runs + states), 3 * max(truth_runs, pred_runs)
    ours, theirs = sequence(rng, truth_runs, states), sequence(rng, pred_runs, states)
    found = metrics_of(video_of(rng, ours, last), video_of(rng, theirs, last), idle="nowhere")
    assert (found["counts"]["gt_runs"], found["counts"]["pred_runs"]) == (truth_runs, pred_runs)
    longest = max(truth_runs, pred_runs)
    assert found["edit_score"] == (longest - Levenshtein.distance(ours, theirs)) / longest


def test_a_few_edits_in_a_long_sequence_are_counted_one_by_one():
    # 1030 runs of three states in turn; one of them is left out, one has another name, and one comes in between
    ours = [k % 3 for k in range(1030)]
    theirs = [*ours[:300], *ours[301:700], 7, *ours[701:900], 8, *ours[900:]]
    assert Levenshtein.distance(ours, theirs) == 3
    rng = random.Random(1)
    found = metrics_of(video_of(rng, ours, 4000), video_of(rng, theirs, 4000), idle="nowhere")
    assert found["edit_score"] == 1027 / 1030


def test_delays_of_rows_are_those_of_the_metric():
    # shared frames: T0P0 1, T0P1 3, T1P1 3, T1P2 1; 1 + 3 ties with 3 + 1, "then the earlier pairs" is T0P0, T1P1
    truth, pred = {"inside": [[4, 9], [12, 17]]}, {"inside": [[0, 4], [7, 14], [17, 20]]}
    report = calipers.timeline({"v": truth}, {"v": {"states": pred}})
    rows = [row for row in report.matches() if row["kind"] == "advisory_event" and row["delay_frames"] is not None]
    assert [(row["gt_start"], row["pred_start"]) for row in rows] == [(4, 0), (12, 7)]
    assert (
        sum(row["delay_frames"] for row in rows) / len(rows) == report["videos"]["v"]["event_delay_frames_mean"] == -4.5
    )
