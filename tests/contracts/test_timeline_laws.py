"""Laws that every metric of the timeline suite keeps, whatever the videos.

Ground truth as prediction is perfect, rates lie between 0 and 1, and numbers depend neither on where in the video
something happens, nor on what states are called, nor on how many frames a second there are. That order does not matter
is with the tests of determinism.
"""

import json
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import calipers

from ..parity import timelines
from ..parity.timelines import SEED_STATES, evaluate, last_frame, metrics_of, painted, runs_of
from ..profiles import examples

laws = settings(max_examples=examples(80), derandomize=True, deadline=None)
SAMPLE = Path(calipers.__file__).parent / "data" / "timeline"

# What a perfect prediction has, wherever the metric is defined
BEST = {
    "frame_accuracy": 1.0,
    "time_in_error_frames": 0,
    "time_in_error_sec": 0.0,
    "transition_recall": 1.0,
    "transition_precision": 1.0,
    "transition_accuracy": 1.0,
    "event_recall": 1.0,
    "event_precision": 1.0,
    "advisory_event_recall": 1.0,
    "advisory_event_precision": 1.0,
    "entry_timing_mae_frames": 0,
    "entry_timing_mae_sec": 0.0,
    "false_activation_rate": 0.0,
    "false_activations_per_minute": 0.0,
    "false_positives_per_minute": 0.0,
    "iou_outside": 1.0,
    "iou_approaching": 1.0,
    "iou_inside": 1.0,
    "iou_exiting": 1.0,
    "mean_iou": 1.0,
    "macro_precision": 1.0,
    "macro_recall": 1.0,
    "macro_f1": 1.0,
    "advisory_start_error_frames": 0,
    "advisory_start_error_sec": 0.0,
    "advisory_timing_mae_frames": 0,
    "advisory_timing_mae_sec": 0.0,
    "false_advisory_rate": 0.0,
    "false_advisories_per_minute": 0.0,
    "late_advisory_rate": 0.0,
    "advisory_coverage_ratio": 1.0,
    "simulated_speed_violation_reduction": 0.4,
    "pred_minus_gt_inside_start_frame": 0,
    "pred_minus_gt_inside_start_matched_frame": 0,
    "pred_minus_gt_approaching_start_frame": 0,
    "pred_minus_gt_approaching_start_matched_frame": 0,
    "event_delay_frames_mean": 0.0,
    "edit_score": 1.0,
    "segmental_f1_10": 1.0,
    "segmental_f1_25": 1.0,
    "segmental_f1_50": 1.0,
    "map_50": 1.0,
    "precision_at_recall": 1.0,
    "precision_at_target": 1.0,
    "detection_false_positives_per_minute": 0.0,
    "ocr_exact_accuracy": 1.0,
    "ocr_similarity": 1.0,
}
# What tells of one side only, so that a perfect prediction has what the ground truth has
OF_ONE_SIDE = {
    "fps_estimate",
    "mean_activation_persistence_frames",
    "mean_activation_persistence_sec",
    "lead_time_sec",
    "gt_inside_start_frame",
    "pred_inside_start_frame",
    "pred_inside_start_matched_frame",
    "gt_approaching_start_frame",
    "pred_approaching_start_frame",
    "pred_approaching_start_matched_frame",
    "event_lead_time_sec_mean",
    "flicker_per_minute",
    "overlapped_frames_gt",
    "overlapped_frames_pred",
    "runtime_fps",
    "confusion",
    "frame_errors",
    "counts",
}
NOT_RATES = ("_frames", "_frame", "_sec", "_per_minute", "_mean")
RATES = {name for name in BEST if not name.endswith(NOT_RATES)}


# Ground truth as prediction


def undefined_parts(truth: timelines.States) -> tuple[str, ...]:
    """How the names begin of what is undefined even for a perfect prediction."""
    labels = painted(truth, 1 + last_frame(truth))
    found = [f"iou_{state}" for state in SEED_STATES if state not in labels]
    found += [f"pred_minus_gt_{state}" for state in ("inside", "approaching") if not truth.get(state)]
    found += ["event_recall", "event_precision"] if not truth.get("inside") else []
    found += ["entry_"] if "inside" not in labels else []
    found += ["transition_"] if len(set(labels)) == 1 else []
    found += ["false_activation_rate", "false_advisory_rate"] if "outside" not in labels else []
    if set(labels) == {"outside"}:
        found += ["advisory_", "late_advisory", "simulated_", "event_delay"]
    return tuple(found)


def as_prediction(truth: timelines.States) -> tuple[dict, dict]:
    """The same video twice: annotated, and predicted to the frame."""
    boxes = [{"frame": 0, "label": label, "box": [k, 0, k + 5, 9]} for k, label in ((0, "cone"), (8, "sign"))]
    scored = [{**box, "score": 0.9 - 0.1 * k} for k, box in enumerate(boxes)]
    signs = [{"frame": 0, "text": "ROAD WORK"}]
    pred = {"fps": 10, "states": truth, "detections": scored, "ocr": signs, "runtime": {"frames": 9, "seconds": 3}}
    return {"v": {**truth, "detections": boxes, "ocr": signs}}, {"v": pred}


@laws
@given(timelines.truths(most=14), st.sampled_from(("union", "gt")), st.sampled_from((0, 7)))
def test_ground_truth_as_prediction_is_perfect_on_every_metric(truth, extent, tolerance):
    report = calipers.timeline(*as_prediction(truth), bootstrap=0, extent=extent, transition_tolerance_frames=tolerance)
    found = report["videos"]["v"]
    further = {f"iou_{state}": 1.0 for state in {*painted(truth, 1 + last_frame(truth))} - {*SEED_STATES}}
    assert set(found) == set(BEST) | OF_ONE_SIDE | set(further)
    undefined = undefined_parts(truth)
    expected = {name: None if name.startswith(undefined) else best for name, best in (BEST | further).items()}
    assert {name: found[name] for name in expected} == expected
    assert {(each["frames"], each["stretches"]) for each in found["frame_errors"].values()} == {(0, 0)}


@laws
@given(timelines.truths(most=14))
def test_what_tells_of_one_side_is_that_of_the_ground_truth(truth):
    found = calipers.timeline(*as_prediction(truth), bootstrap=0)["videos"]["v"]
    labels = painted(truth, 1 + last_frame(truth))
    active = [(a, b) for is_active, a, b in runs_of([label != "outside" for label in labels]) if is_active]
    leads = [labels.index("inside", a) - a for a, b in active if "inside" in labels[a : b + 1]]
    starts = {state: min((a for a, _ in truth.get(state, [])), default=None) for state in ("inside", "approaching")}
    persistence = sum(b - a + 1 for a, b in active) / len(active) if active else None
    expected = {
        "fps_estimate": 10.0,
        "mean_activation_persistence_frames": persistence,
        "mean_activation_persistence_sec": None if persistence is None else persistence / 10,
        "lead_time_sec": (labels.index("inside") - active[0][0]) / 10 if "inside" in labels else None,
        "event_lead_time_sec_mean": sum(leads) / len(leads) / 10 if leads else None,
        "flicker_per_minute": (len(runs_of(labels)) - 1) / (len(labels) / 10 / 60),
        "runtime_fps": 3.0,
        "confusion": {label: {label: labels.count(label)} for label in sorted(set(labels))},
    }
    for state, start in starts.items():
        parts = (f"gt_{state}_start", f"pred_{state}_start", f"pred_{state}_start_matched")
        expected |= {f"{part}_frame": start for part in parts}
    assert {name: found[name] for name in expected} == expected
    assert found["overlapped_frames_gt"] == found["overlapped_frames_pred"]
    counts = found["counts"]
    assert counts["false_episodes"] == 0
    assert counts["gt_runs"] == counts["pred_runs"]
    for kind in ("events", "advisory_events"):
        assert len({counts[f"{side}_{kind}"] for side in ("gt", "pred", "matched")}) == 1


def test_the_sample_as_its_own_prediction_is_perfect_in_the_summary_too():
    truth = json.loads((SAMPLE / "annotations.json").read_text())
    beside = ("fps", "detections", "ocr", "runtime")
    states = {video: {k: v for k, v in entry.items() if k not in beside} for video, entry in truth.items()}
    report = calipers.timeline(states, {video: {"fps": 30, "states": entry} for video, entry in states.items()})
    assert report["records"] == {"read": 22, "evaluated": 21, "skipped": 1, "rejected": 0}
    summary, pooled = report["summary"], report["pooled"]
    measured = {name: best for name, best in BEST.items() if summary[f"{name}_mean"] is not None}
    assert set(BEST) - set(measured) == {
        "map_50",
        "precision_at_recall",
        "precision_at_target",
        "detection_false_positives_per_minute",
        "ocr_exact_accuracy",
        "ocr_similarity",
    }
    for name, best in measured.items():
        assert summary[f"{name}_mean"] == pytest.approx(best, rel=1e-15)
        assert summary[f"{name}_interval"] == pytest.approx([best, best], rel=1e-10)  # values are cut to 36 bits
        assert summary.get(f"{name}_std", 0.0) == 0.0
    assert {name: pooled[name] for name in measured if name in pooled} == {
        n: measured[n] for n in measured if n in pooled
    }
    assert all(set(row) == {state} for state, row in pooled["confusion"].items())


# Ranges


@laws
@given(timelines.pairs(most=14), st.sampled_from((1, 3)), st.sampled_from(("outside", "inside")))
def test_rates_lie_between_0_and_1_and_times_are_not_negative(side, least, idle):
    found = metrics_of(*side, read_fps=10, min_event_overlap_frames=least, idle=idle, transition_tolerance_frames=2)
    for name in RATES:
        assert found[name] is None or 0 <= found[name] <= 1, name
    for name in ("time_in_error", "entry_timing_mae", "advisory_timing_mae", "mean_activation_persistence"):
        for unit in ("frames", "sec"):
            assert found[f"{name}_{unit}"] is None or found[f"{name}_{unit}"] >= 0
    frames = found["counts"]["frames"]
    assert sum(sum(row.values()) for row in found["confusion"].values()) == frames
    assert found["time_in_error_frames"] == frames - sum(row.get(s, 0) for s, row in found["confusion"].items())
    assert 0 <= found["overlapped_frames_gt"] <= frames
    assert 0 <= found["overlapped_frames_pred"] <= frames


@laws
@given(timelines.pairs(most=14))
def test_swapping_the_sides_swaps_precision_and_recall_and_turns_errors_around(side):
    options = {"read_fps": 10, "transition_tolerance_frames": 2}
    assume(any(side[1].values()))
    there, back = metrics_of(*side, **options), metrics_of(*side[::-1], **options)
    for name in ("transition", "event", "advisory_event", "macro"):
        assert there[f"{name}_precision"] == back[f"{name}_recall"]
        assert there[f"{name}_recall"] == back[f"{name}_precision"]
    for name in ("frame_accuracy", "mean_iou", "macro_f1", "edit_score", "transition_accuracy", "entry_timing_mae_sec"):
        assert there[name] == back[name]
    error = there["advisory_start_error_frames"]
    assert back["advisory_start_error_frames"] == (None if error is None else -error)


@laws
@given(timelines.pairs(most=14), st.lists(st.integers(0, 40), min_size=2, max_size=5, unique=True))
def test_a_larger_tolerance_never_costs_a_matched_transition(side, tolerances):
    report = evaluate(side, transition_tolerance_frames=tolerances)
    recalls = [report["sweep"][str(tolerance)]["transition_recall_mean"] for tolerance in sorted(tolerances)]
    assert recalls == sorted(recalls, key=lambda recall: -1 if recall is None else recall)
    for tolerance in tolerances:
        alone = evaluate(side, transition_tolerance_frames=tolerance)
        assert report["sweep"][str(tolerance)] == alone["summary"]
    first = evaluate(side, transition_tolerance_frames=tolerances[0])
    assert (report["videos"], report["summary"]) == (first["videos"], first["summary"])


# Time


UNMOVED = (
    *("event_recall", "event_precision", "advisory_event_recall", "advisory_event_precision"),
    *("transition_recall", "transition_precision", "transition_accuracy", "edit_score"),
    *("time_in_error_frames", "entry_timing_mae_frames", "advisory_start_error_frames", "advisory_timing_mae_sec"),
    *("lead_time_sec", "late_advisory_rate", "advisory_coverage_ratio", "mean_activation_persistence_sec"),
    *("pred_minus_gt_inside_start_frame", "pred_minus_gt_inside_start_matched_frame"),
    *("pred_minus_gt_approaching_start_frame", "pred_minus_gt_approaching_start_matched_frame"),
    *("event_lead_time_sec_mean", "event_delay_frames_mean", "overlapped_frames_gt", "overlapped_frames_pred"),
    *("iou_approaching", "iou_inside", "iou_exiting"),
)


def moved(states: timelines.States, frames: int) -> timelines.States:
    return {state: [[a + frames, b + frames] for a, b in given] for state, given in states.items()}


@laws
@given(timelines.pairs(most=14), st.sampled_from((1, 2, 59, 10**6)))
def test_when_both_sides_begin_idle_a_later_begin_changes_neither_counts_nor_errors(side, later):
    early, late = ([moved(each, 1 + frames) for each in side] for frames in (0, later))
    options = {"read_fps": 8, "transition_tolerance_frames": 2}
    before, after = metrics_of(*early, **options), metrics_of(*late, **options)
    assert {name: after[name] for name in UNMOVED} == {name: before[name] for name in UNMOVED}
    assert after["counts"] == before["counts"] | {"frames": before["counts"]["frames"] + later}
    for name in ("gt_inside", "pred_inside", "gt_approaching", "pred_approaching"):
        start = before[f"{name}_start_frame"]
        assert after[f"{name}_start_frame"] == (None if start is None else start + later)


IN_FRAMES = ("_frames", "_frame", "_frames_gt", "_frames_pred", "event_delay_frames_mean")


@laws
@given(timelines.pairs(most=14), st.sampled_from((2, 1000, 10**5, 4 * 10**9)), st.sampled_from(("union", "gt")))
def test_more_frames_a_second_change_no_rate_and_no_time_and_cost_nothing(side, times, extent):
    """The same video with every frame `times` over: up to a million million frames, so none is looked at alone."""
    options = {"extent": extent, "transition_tolerance_frames": 3, "min_event_overlap_frames": 2}
    fps, faster = (8, 8 * times) if times <= 10**5 else (None, None)
    slow = metrics_of(*side, read_fps=fps, **options)
    scaled = {name: times * value for name, value in options.items() if isinstance(value, int)}
    finer = [{s: [[times * a, times * (b + 1) - 1] for a, b in given] for s, given in each.items()} for each in side]
    fast = metrics_of(*finer, read_fps=faster, extent=extent, **scaled)
    for name, value in slow.items():
        if name == "confusion":
            value = {a: {b: times * frames for b, frames in row.items()} for a, row in value.items()}
        elif name == "frame_errors":
            value = {kind: each | {"frames": times * each["frames"]} for kind, each in value.items()}
        elif name == "counts":
            value = value | {"frames": times * value["frames"]}
        elif value is not None and (name == "fps_estimate" or name.endswith(IN_FRAMES)):
            value = times * value
        # a mean times a number is rounded twice
        assert fast[name] == (pytest.approx(value, rel=1e-15) if isinstance(value, float) else value), name


def test_frames_up_to_a_million_million_are_counted_exactly():
    # truth   outside …… inside [10**12 - 9, 10**12]     pred   inside [1, 10**12 - 1]
    last = 10**12
    found = metrics_of({"inside": [[last - 9, last]]}, {"inside": [[1, last - 1]]}, read_fps=1)
    assert found["counts"]["frames"] == last + 1
    assert found["confusion"] == {"inside": {"inside": 9, "outside": 1}, "outside": {"inside": last - 10, "outside": 1}}
    assert found["time_in_error_frames"] == last - 9
    assert found["advisory_start_error_frames"] == 10 - last
    assert found["advisory_timing_mae_sec"] == last - 10.0
    assert found["frame_accuracy"] == 10 / (last + 1)
    assert found["iou_inside"] == 9 / last
    assert found["event_recall"] == 1.0
    assert found["late_advisory_rate"] == 0.0


def test_one_frame_is_enough():
    found = metrics_of({"inside": [[0, 0]]}, {"inside": [[0, 0]]}, read_fps=25)
    assert found["frame_accuracy"] == found["event_recall"] == found["edit_score"] == 1.0
    assert found["transition_recall"] is None
    assert found["flicker_per_minute"] == 0.0


# Names


@laws
@given(timelines.pairs(most=14), st.sampled_from(("outside", "inside")), st.sampled_from(("inside", "exiting")))
def test_what_states_are_called_changes_no_number(side, idle, focus):
    """Names are changed in a way that keeps their order, which decides where intervals tie."""
    options = {"read_fps": 10, "transition_tolerance_frames": 2, "min_event_overlap_frames": 2}
    renamed = [{f"<{state}": given for state, given in each.items()} for each in side]
    before = metrics_of(*side, idle=idle, focus=focus, **options)
    after = metrics_of(*renamed, idle=f"<{idle}", focus=f"<{focus}", **options)
    for name, value in before.items():
        if name == "confusion":
            value = {f"<{a}": {f"<{b}": n for b, n in row.items()} for a, row in value.items()}
        if name.startswith("iou_"):
            assert after.get(f"iou_<{name[4:]}") == value
        elif "_start_" in name and name.startswith(("gt_", "pred_")):
            if f"_{focus}_start_" in name:
                assert after[name.replace(f"_{focus}_", f"_<{focus}_")] == value
        else:
            assert after[name] == value, name
