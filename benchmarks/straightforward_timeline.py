"""The evaluator a team would write first for states along videos: json, one label a frame, loops over frames.

    python benchmarks/straightforward_timeline.py GT.json PREDICTIONS.json

The yardstick for the suite's speed, and the independent opinion its tests are held against. It is not slowed down on
purpose: labels are painted once per video, and all that no tolerance touches is computed once. Intervals are
inclusive and taken to be valid.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from scipy.optimize import linear_sum_assignment

STATES = ("outside", "approaching", "inside", "exiting")
INSERTED = ("insertion", "overfill_start", "overfill_end", "merge")  # by neighbours: none, right, left, both
DELETED = ("deletion", "underfill_start", "underfill_end", "fragmentation")
NOT_STATES = ("detections", "ocr", "runtime")  # may stand beside the states of a ground-truth video

States = Mapping[str, Sequence[Sequence[int]] | None]
Metrics = dict[str, Any]


class Span(NamedTuple):
    start: int
    end: int  # inclusive
    label: Any  # a state, or whether something holds


class Side(NamedTuple):
    spans: list[Span]  # intervals as given, in order of time
    labels: list[str]  # one a frame
    active: list[bool]  # one a frame
    runs: list[Span]  # of labels


def evaluate(
    gt_path: str | Path, pred_path: str | Path, tolerances: Sequence[int] = (0, 5, 15, 30)
) -> dict[str, dict[Any, Metrics]]:
    """Metrics of every video at the first tolerance, and their means at each tolerance."""
    truth, pred = (json.loads(Path(path).read_text(encoding="utf-8")) for path in (gt_path, pred_path))
    videos: dict[Any, Metrics] = {}
    evaluated = []
    for name, entry in truth.items():
        states = {state: given for state, given in entry.items() if state not in NOT_STATES}
        found = pred.get(name) or {}
        if not any(states.values()):
            videos[name] = {"error": "empty_ground_truth"}
        elif found.get("states") is None:
            videos[name] = {"error": "missing predictions or states"}
        else:
            sweep = evaluate_video(states, found["states"], fps=found.get("fps"), tolerances=tolerances)
            videos[name] = sweep[0]
            evaluated.append(sweep)
    summary = {tolerance: means([sweep[i] for sweep in evaluated]) for i, tolerance in enumerate(tolerances)}
    return {"videos": videos, "summary": summary}


def means(videos: list[Metrics]) -> Metrics:
    """Mean of every metric over the videos where it is defined; None where that is none of them."""
    names = {name: None for video in videos for name in video if name not in ("confusion", "frame_errors")}
    return {f"{name}_mean": mean([v[name] for v in videos if v.get(name) is not None]) for name in names}


def mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def ratio(part: float | None, whole: float | None) -> float | None:
    """None where either is undefined, or the whole is nothing."""
    return None if part is None or not whole else part / whole


def evaluate_video(
    truth_states: States,
    pred_states: States,
    *,
    fps: float | None,
    tolerances: Sequence[int] = (0,),
    min_event_overlap_frames: int = 1,
    compliance_gain: float = 0.4,
    idle: str = "outside",
    focus: str = "inside",
    extent: str = "union",
) -> list[Metrics]:
    """All metrics of one video, once for each tolerance; only transition_* differ between them."""
    fps = fps if fps is not None and fps > 0 else None
    counted = (truth_states,) if extent == "gt" else (truth_states, pred_states)
    frames = 1 + max((end for side in counted for given in side.values() for _, end in given or ()), default=-1)
    minutes = None if fps is None else frames / fps / 60
    truth, pred = paint(truth_states, frames, idle), paint(pred_states, frames, idle)
    metrics = {
        "fps_estimate": fps,
        "overlapped_frames_gt": overlapped_frames(truth.spans),
        "overlapped_frames_pred": overlapped_frames(pred.spans),
        **frame_metrics(truth.labels, pred.labels, fps),
        "frame_errors": frame_errors(truth, pred),
        **start_metrics(truth, pred, focus, fps),
        **activation_metrics(truth.active, pred.active, fps, minutes, compliance_gain),
        **focus_metrics(labelled(truth.spans, focus), labelled(pred.spans, focus), min_event_overlap_frames),
        **advisory_metrics(truth, pred, focus, fps, min_event_overlap_frames),
        **segment_metrics(truth.runs, pred.runs),
        "flicker_per_minute": ratio(len(pred.runs) - 1, minutes),
    }
    for state in dict.fromkeys(("inside", "approaching", focus)):
        metrics |= start_diagnostics(truth.spans, pred.spans, state, min_event_overlap_frames)
    return [metrics | transition_metrics(truth.runs, pred.runs, tolerance) for tolerance in tolerances]


def paint(states: States, frames: int, idle: str) -> Side:
    """What lies beyond the last frame is cut off; the later start wins, then the earlier end, then the first name."""
    spans = [Span(start, end, state) for state, given in states.items() for start, end in given or ()]
    spans = [Span(start, min(end, frames - 1), state) for start, end, state in sorted(spans) if start < frames]
    labels = [idle] * frames
    by_name = sorted(spans, key=lambda span: span.label, reverse=True)
    for start, end, state in sorted(by_name, key=lambda span: (span.start, -span.end)):
        labels[start : end + 1] = [state] * (end + 1 - start)
    return Side(spans, labels, [label != idle for label in labels], runs(labels))


def runs(labels: Sequence[Any]) -> list[Span]:
    found = []
    start = 0
    for label, group in groupby(labels):
        end = start + len(list(group))
        found.append(Span(start, end - 1, label))
        start = end
    return found


def labelled(spans: list[Span], label: Any) -> list[Span]:
    return [span for span in spans if span.label == label]


def overlap(a: Span, b: Span) -> int:
    """Frames in both; zero or less where they are apart."""
    return min(a.end, b.end) - max(a.start, b.start) + 1


def overlapped_frames(spans: list[Span]) -> int:
    """Frames that intervals of two or more different states cover."""
    seen: set[int] = set()
    shared: set[int] = set()
    for state in {span.label for span in spans}:
        covered = set().union(*(range(span.start, span.end + 1) for span in labelled(spans, state)))
        shared |= seen & covered
        seen |= covered
    return len(shared)


def frame_metrics(truth: list[str], pred: list[str], fps: float | None) -> Metrics:
    """Frames by state; means are over the states that occur on either side."""
    pairs = Counter(zip(truth, pred, strict=True))
    in_truth, in_pred = Counter(truth), Counter(pred)
    states = sorted(in_truth | in_pred)
    both = {state: pairs[state, state] for state in states}
    ious = {state: both[state] / (in_truth[state] + in_pred[state] - both[state]) for state in states}
    wrong = len(truth) - sum(both.values())
    confusion: dict[str, dict[str, int]] = {}
    for (a, b), count in sorted(pairs.items()):
        confusion.setdefault(a, {})[b] = count
    return {
        "frame_accuracy": ratio(sum(both.values()), len(truth)),
        "time_in_error_frames": wrong,
        "time_in_error_sec": ratio(wrong, fps),
        **{f"iou_{state}": ious.get(state) for state in (*STATES, *states)},
        "mean_iou": mean([ious[state] for state in states]),
        "macro_precision": mean([ratio(both[state], in_pred[state]) or 0.0 for state in states]),
        "macro_recall": mean([ratio(both[state], in_truth[state]) or 0.0 for state in states]),
        "macro_f1": mean([2 * both[state] / (in_truth[state] + in_pred[state]) for state in states]),
        "confusion": confusion,
    }


def frame_errors(truth: Side, pred: Side) -> dict[str, dict[str, int]]:
    """Wrong frames by how activations differ: frames of each kind, and the stretches they make."""
    kinds = {kind: {"frames": 0, "stretches": 0} for kind in (*INSERTED, *DELETED, "substitution")}
    stretches = runs(list(zip(truth.active, pred.active, strict=True)))
    both = [False, *(stretch.label == (True, True) for stretch in stretches), False]
    wrong = []
    for place, (start, end, (in_truth, in_pred)) in enumerate(stretches):
        if in_truth != in_pred:
            wrong.append(((INSERTED if in_pred else DELETED)[2 * both[place] + both[place + 2]], start, end))
    for start, end, (a, b) in runs(list(zip(truth.labels, pred.labels, strict=True))):
        if a != b and truth.active[start] and pred.active[start]:
            wrong.append(("substitution", start, end))
    for kind, start, end in wrong:
        kinds[kind]["frames"] += end + 1 - start
        kinds[kind]["stretches"] += 1
    return kinds


def transition_metrics(truth: list[Span], pred: list[Span], tolerance: int) -> Metrics:
    ours, theirs = changes(truth), changes(pred)
    n, m = (sum(len(frames) for frames in side.values()) for side in (ours, theirs))
    matched = 0
    for kind, frames in ours.items():
        matched += most_pairs([[abs(a - b) <= tolerance for b in theirs[kind]] for a in frames])
    return {
        "transition_recall": ratio(matched, n),
        "transition_precision": ratio(matched, m),
        "transition_accuracy": ratio(matched, max(n, m)),
    }


def changes(found: list[Span]) -> dict[tuple[str, str], list[int]]:
    """First frames after a change, by its kind (from, to)."""
    frames = defaultdict(list)
    for before, after in pairwise(found):
        frames[before.label, after.label].append(after.start)
    return frames


def most_pairs(allowed: list[list[bool]]) -> int:
    """The size of the largest one-to-one matching; how close its pairs are shows in no metric."""
    if not any(any(row) for row in allowed):
        return 0
    rows, columns = linear_sum_assignment(allowed, maximize=True)
    return sum(allowed[i][j] for i, j in zip(rows, columns, strict=True))


def focus_metrics(truth: list[Span], pred: list[Span], least: int) -> Metrics:
    matched = most_pairs([[overlap(a, b) >= least for b in pred] for a in truth])
    return {"event_recall": ratio(matched, len(truth)), "event_precision": ratio(matched, len(pred))}


def advisory_metrics(truth: Side, pred: Side, focus: str, fps: float | None, least: int) -> Metrics:
    """Events of all states but idle together: runs of active frames."""
    ours, theirs = labelled(runs(truth.active), True), labelled(runs(pred.active), True)
    matched = pair_runs(ours, theirs, least)
    inside = [(a, b) for a, b in matched if focus in truth.labels[a.start : a.end + 1]]
    lead_frames = sum(truth.labels.index(focus, a.start) - b.start for a, b in inside)
    return {
        "advisory_event_recall": ratio(len(matched), len(ours)),
        "advisory_event_precision": ratio(len(matched), len(theirs)),
        "event_delay_frames_mean": ratio(sum(b.start - a.start for a, b in matched), len(matched)),
        "event_lead_time_sec_mean": ratio(ratio(lead_frames, len(inside)), fps),
    }


def pair_runs(truth: list[Span], pred: list[Span], least: int) -> list[tuple[Span, Span]]:
    """Most pairs, then the largest total overlap, then the earlier pairs.

    Runs of one side share no frame, so pairs never cross, and those that share a run with a pair come right after it.
    The best from a pair on is to take it and go on behind those, or to leave it.
    """
    pairs = [(a, b) for a in truth for b in pred if overlap(a, b) >= least]
    best: list[Any] = [(0, 0, [])] * (len(pairs) + 1)  # number of pairs, total overlap, the pair and what follows it
    for i in reversed(range(len(pairs))):
        a, b = pairs[i]
        behind = i + 1
        while behind < len(pairs) and (pairs[behind][0] is a or pairs[behind][1] is b):
            behind += 1
        count, total, _ = best[behind]
        taken = (count + 1, total + overlap(a, b), [pairs[i], best[behind]])
        best[i] = taken if taken[:2] >= best[i + 1][:2] else best[i + 1]
    chosen = []
    chain = best[0][2]
    while chain:
        chosen.append(chain[0])
        chain = chain[1][2]
    return chosen


def start_metrics(truth: Side, pred: Side, focus: str, fps: float | None) -> Metrics:
    truth_focus, pred_focus = first(truth.labels, focus), first(pred.labels, focus)
    truth_start, pred_start = first(truth.active, True), first(pred.active, True)
    entry, error = minus(pred_focus, truth_focus), minus(pred_start, truth_start)
    late = None if truth_start is None else 1.0
    if error is not None:
        late = min(1.0, max(0, error) / sum(truth.active))
    metrics = {
        "entry_timing_mae": None if entry is None else abs(entry),
        "advisory_start_error": error,
        "advisory_timing_mae": None if error is None else abs(error),
    }
    return {
        **{f"{name}_frames": value for name, value in metrics.items()},
        **{f"{name}_sec": ratio(value, fps) for name, value in metrics.items()},
        "lead_time_sec": ratio(minus(truth_focus, pred_start), fps),
        "late_advisory_rate": late,
    }


def first(labels: list[Any], label: Any) -> int | None:
    return labels.index(label) if label in labels else None


def minus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a - b


def activation_metrics(
    truth: list[bool], pred: list[bool], fps: float | None, minutes: float | None, gain: float
) -> Metrics:
    false = [b and not a for a, b in zip(truth, pred, strict=True)]
    rate = ratio(sum(false), truth.count(False))
    per_minute = ratio(len(labelled(runs(false), True)), minutes)
    persistence = ratio(sum(pred), len(labelled(runs(pred), True)))
    coverage = ratio(sum(a and b for a, b in zip(truth, pred, strict=True)), sum(truth))
    return {
        "false_activation_rate": rate,
        "false_advisory_rate": rate,
        "false_activations_per_minute": per_minute,
        "false_positives_per_minute": per_minute,
        "false_advisories_per_minute": per_minute,
        "mean_activation_persistence_frames": persistence,
        "mean_activation_persistence_sec": ratio(persistence, fps),
        "advisory_coverage_ratio": coverage,
        "simulated_speed_violation_reduction": None if coverage is None else coverage * gain,
    }


def start_diagnostics(truth: list[Span], pred: list[Span], state: str, least: int) -> Metrics:
    """First starts of a state on both sides, and of the first prediction that overlaps the truth enough."""
    ours, theirs = labelled(truth, state), labelled(pred, state)
    truth_start, pred_start = (side[0].start if side else None for side in (ours, theirs))
    met = next(((a.start, b.start) for b in theirs for a in ours if overlap(a, b) >= least), (None, None))
    return {
        f"gt_{state}_start_frame": truth_start,
        f"pred_{state}_start_frame": pred_start,
        f"pred_minus_gt_{state}_start_frame": minus(pred_start, truth_start),
        f"pred_{state}_start_matched_frame": met[1],
        f"pred_minus_gt_{state}_start_matched_frame": minus(met[1], met[0]),
    }


def segment_metrics(truth: list[Span], pred: list[Span]) -> Metrics:
    """Edit score and F1 of runs, idle ones included."""
    longest = max(len(truth), len(pred))
    edits = levenshtein([run.label for run in truth], [run.label for run in pred])
    closest = [closest_run(run, truth) for run in pred]
    metrics: Metrics = {"edit_score": ratio(longest - edits, longest)}
    for percent in (10, 25, 50):
        taken = {i for i, shared, union in closest if 100 * shared >= percent * union}
        metrics[f"segmental_f1_{percent}"] = ratio(2 * len(taken), len(truth) + len(pred))
    return metrics


def closest_run(run: Span, others: list[Span]) -> tuple[int, int, int]:
    """Index, shared frames and union of the run with the same label and the highest IoU, the first of equals."""
    best = (-1, 0, 1)
    for i, other in enumerate(others):
        shared = overlap(run, other)
        if other.label == run.label and shared > 0:
            union = max(run.end, other.end) + 1 - min(run.start, other.start)
            if shared * best[2] > best[1] * union:
                best = (i, shared, union)
    return best


def levenshtein(a: Sequence[str], b: Sequence[str]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)))
    return row[-1]


def main() -> None:
    events = ("event_precision", "event_recall")
    changes = ("transition_precision", "transition_recall", "transition_accuracy")
    print("tolerance  frame acc  event prec/rec   transition prec/rec/acc")
    for tolerance, summary in evaluate(sys.argv[1], sys.argv[2])["summary"].items():
        cells = [
            " / ".join("—" if (value := summary.get(f"{name}_mean")) is None else f"{value:.4f}" for name in names)
            for names in (("frame_accuracy",), events, changes)
        ]
        print(f"{tolerance:9}  {cells[0]:>9}  {cells[1]:15}  {cells[2]}")


if __name__ == "__main__":
    main()
