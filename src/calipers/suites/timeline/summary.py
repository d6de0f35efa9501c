"""The summary of a timeline report for a terminal: what was read, the means and how sure they are, the worst videos."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from calipers.core.errors import keyword
from calipers.show.slices import slices_lines
from calipers.show.text import SEPARATOR, UNDEFINED, named_line, printable, rate, short, width
from calipers.suites.timeline.frame_error_views import error_lines

Tree = dict[str, Any]
NAME_WIDTH = 34
LONGEST_NAME = 60
LEAD, ALARMS, MISSED = "lead time, s before the zone", "false alarms a minute", "missed zones"
LEAD_NAME, ALARMS_NAME, FOUND_NAME = "event_lead_time_sec_mean", "false_activations_per_minute", "event_recall"
MEANS = (  # shares from 0 to 1, as a row of the summary and a bar of the page
    ("frame accuracy", "frame_accuracy"),
    ("mean IoU of states", "mean_iou"),
    ("macro F1 of states", "macro_f1"),
    ("event recall", "event_recall"),
    ("event precision", "event_precision"),
    ("advisory event recall", "advisory_event_recall"),
    ("advisory event precision", "advisory_event_precision"),
    ("transition recall", "transition_recall"),
    ("transition precision", "transition_precision"),
    ("advisory coverage", "advisory_coverage_ratio"),
    ("late advisory rate", "late_advisory_rate"),
    ("false activation rate", "false_activation_rate"),
    ("edit score", "edit_score"),
    ("segmental F1 at 0.50", "segmental_f1_50"),
    ("detections, mAP at 0.50", "map_50"),
    ("detections, precision at recall", "precision_at_target"),
    ("signs read exactly", "ocr_exact_accuracy"),
)
TIMES = (  # metrics that are there as `_frames` and as `_sec`
    ("first entry, off", "entry_timing_mae"),
    ("first warning, late", "advisory_start_error"),
    ("time in error", "time_in_error"),
)


def summary(tree: Tree) -> str:
    """The whole summary, without a line break at the end."""
    parts = [list(_header(tree)), list(_means(tree)), list(_sweep(tree)), list(_details(tree))]
    return "\n\n".join("\n".join(part) for part in parts if part)


def _header(tree: Tree) -> Iterator[str]:
    params, records = tree["params"], tree["records"]
    names = SEPARATOR.join(printable(entry["path"]) for entry in tree["inputs"])
    tolerance = params["transition_tolerance_frames"]
    shown = ", ".join(map(str, tolerance)) if isinstance(tolerance, list) else tolerance
    states = f"idle {printable(params['idle'])} · focus {printable(params['focus'])}"
    yield f"{names}   transitions ±{shown} frames · {states}"
    problems = Counter(error.partition(":")[0] for error in tree["not_evaluated"].values())
    why = "".join(f" · {n:,} {printable(kind)}" for kind, n in sorted(problems.items()))
    yield f"videos    {records['read']:,} in the ground truth · {records['evaluated']:,} evaluated{why}"
    yield from _fps(tree["summary"])
    strangers = tree["videos_without_ground_truth"]
    if strangers:
        yield f"ignored   {len(strangers):,} predicted without ground truth: {_names(strangers)}"


def _fps(summary: Tree) -> Iterator[str]:
    known, videos, average = (
        summary[name] for name in ("time_in_error_sec_n", "videos_evaluated", "fps_estimate_mean")
    )
    if 0 < known < videos:
        others = f"{keyword('fps')} gives one to the others"
        yield f"fps       known for {known:,} of {videos:,} videos; times are of those ({others})"
    elif known and average is not None:
        yield f"fps       {short(average)} on average"


def _names(names: list[str], most: int = 3) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(_cut(name) for name in names[:most]) + more


def _cut(name: str) -> str:
    name = printable(name)
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _means(tree: Tree) -> Iterator[str]:
    summary, pooled = tree["summary"], tree["pooled"]
    if not summary["videos_evaluated"]:
        return
    yield " mean over videos".ljust(NAME_WIDTH) + "       95 % interval   videos   all videos as one"
    yield from _warnings(tree)
    for label, name in MEANS:
        if n := videos_measured(summary, name):
            interval = summary[f"{name}_interval"]
            spread = f"{interval[0]:.3f}–{interval[1]:.3f}" if interval else UNDEFINED
            one = rate(pooled[name]) if name in pooled else ""
            yield (
                f" {label}".ljust(NAME_WIDTH)
                + f"{rate(summary[f'{name}_mean'])}  {spread:^13}  {n:>7,}   {one}".rstrip()
            )


def videos_measured(summary: Tree, name: str) -> int:
    """How many videos the mean of a metric rests on: 0 in artifacts from before the metric was added.

    >>> videos_measured({"videos_evaluated": 3, "mean_iou_mean": 0.5}, "mean_iou")
    3
    >>> videos_measured({"videos_evaluated": 3}, "mean_iou")
    0
    """
    if f"{name}_mean" not in summary:
        return 0
    rests_on = f"{name}_n" if f"{name}_n" in summary else "videos_evaluated"
    return int(summary.get(rests_on, 0))


def _warnings(tree: Tree) -> Iterator[str]:
    """What matters first of a system that warns: how early it does, how often for nothing, and what it misses."""
    summary, pooled = tree["summary"], tree["pooled"]
    for label, name in ((LEAD, LEAD_NAME), (ALARMS, ALARMS_NAME)):
        yield _row(
            label, summary[f"{name}_mean"], summary[f"{name}_interval"], summary[f"{name}_n"], pooled.get(name), 2
        )
    missed, interval = missed_zones(summary)
    as_one = pooled[FOUND_NAME]
    yield _row(MISSED, missed, interval, summary[f"{FOUND_NAME}_n"], None if as_one is None else 1 - as_one, 3)


def _row(label: str, value: float | None, interval: Any, n: int, as_one: float | None, digits: int) -> str:
    spread = f"{interval[0]:.{digits}f}–{interval[1]:.{digits}f}" if interval else UNDEFINED
    mean, one = (UNDEFINED if number is None else f"{number:.{digits}f}" for number in (value, as_one))
    return (
        f" {label}".ljust(NAME_WIDTH)
        + f"{mean:>5}  {spread:^13}  {n:>7,}   {one if as_one is not None else ''}".rstrip()
    )


def missed_zones(summary: Tree) -> tuple[float | None, list[float] | None]:
    """The mean share of true events that nothing found, and its interval.

    >>> missed_zones({"event_recall_mean": 0.75, "event_recall_interval": [0.5, 1.0]})
    (0.25, [0.0, 0.5])
    """
    recall, interval = summary[f"{FOUND_NAME}_mean"], summary[f"{FOUND_NAME}_interval"]
    return None if recall is None else 1 - recall, [1 - end for end in reversed(interval)] if interval else None


def _sweep(tree: Tree) -> Iterator[str]:
    """One row per tolerance."""
    if "sweep" not in tree:
        return
    yield " Tolerance (frames)   Videos Evaluated   Frame Acc   Event Prec/Rec    Transition Prec/Rec/Acc"
    for tolerance, summary in tree["sweep"].items():
        videos = f"{summary['videos_evaluated']} / {summary['videos_total']}"
        event = _slashed(summary, "event_precision", "event_recall")
        transition = _slashed(summary, "transition_precision", "transition_recall", "transition_accuracy")
        accuracy = _four(summary["frame_accuracy_mean"])
        yield f" {tolerance:>18}   {videos:>16}   {accuracy:>9}   {event:<15}   {transition}"


def _slashed(summary: Tree, *names: str) -> str:
    return " / ".join(_four(summary[f"{name}_mean"]) for name in names)


def _four(value: float | None) -> str:
    return UNDEFINED if value is None else f"{value:.4f}"


def _transitions(tree: Tree) -> Iterator[str]:
    """Recall and precision of transitions at the tolerance asked for, and within some seconds."""
    summary, within = tree["summary"], tree.get("transitions_within_sec", {})
    all_videos = videos_measured(summary, "transition_accuracy")
    if not all_videos:
        return
    tolerance = tree["params"]["transition_tolerance_frames"]
    asked = f"±{tolerance[0] if isinstance(tolerance, list) else tolerance} frames"
    spoken = {asked: summary} | {f"{seconds} s": means for seconds, means in within.items()}
    known = [(name, means) for name, means in spoken.items() if videos_measured(means, "transition_accuracy")]
    rates = [f"{_recall_and_precision(means)} within {name}{_of_videos(means, all_videos)}" for name, means in known]
    yield named_line("transitions", SEPARATOR.join(rates))


def _of_videos(means: Tree, videos: int) -> str:
    n = videos_measured(means, "transition_accuracy")
    return "" if n == videos else f" ({n:,} of {videos:,} videos)"


def _recall_and_precision(means: Tree) -> str:
    recall, precision = (rate(means[f"transition_{name}_mean"]) for name in ("recall", "precision"))
    return f"recall {recall}, precision {precision}"


def _details(tree: Tree) -> Iterator[str]:
    summary = tree["summary"]
    yield from _transitions(tree)
    if summary["videos_evaluated"]:
        yield from (named_line(name, text) for name, text in error_lines(tree))
    if "slices" in tree:
        yield from slices_lines(tree["slices"], "frame_accuracy")
    for label, name in TIMES:
        if videos_measured(summary, f"{name}_frames"):
            yield named_line(label, _time(summary, name))
    if summary["event_delay_frames_mean_n"]:
        yield named_line("found events", _found(summary))
    rates = [
        f"{short(summary[f'{name}_mean'])} {label}"
        for label, name in (
            ("stretches of false activation", "false_activations_per_minute"),
            ("state changes predicted", "flicker_per_minute"),
        )
        if summary[f"{name}_n"]
    ]
    if rates:
        yield named_line("in a minute", SEPARATOR.join(rates))
    elif summary["videos_evaluated"]:
        yield named_line(
            "in a minute",
            f"{UNDEFINED} (no fps is known, so nothing by second or minute; {keyword('fps')} gives one)",
        )
    if beside := list(_detector(summary)):
        yield named_line("detector", SEPARATOR.join(beside))
    yield from _worst(tree)
    yield from _problems(tree)


def _detector(summary: Tree) -> Iterator[str]:
    """What is known of the detector: false boxes and runtime, each a mean over the videos that tell."""
    for label, name in (
        ("false boxes a minute", "detection_false_positives_per_minute"),
        ("frames a second of runtime", "runtime_fps"),
    ):
        if n := summary.get(f"{name}_n"):
            yield f"{short(summary[f'{name}_mean'])} {label} ({n:,} video{'s' if n > 1 else ''})"


def _time(summary: Tree, name: str) -> str:
    frames, seconds = summary[f"{name}_frames_mean"], summary.get(f"{name}_sec_mean")
    n, timed = (videos_measured(summary, f"{name}_{unit}") for unit in ("frames", "sec"))
    where = "" if timed == n else f" in {timed:,} of {n:,} videos"
    return f"{short(frames)} frames" + (f" ({short(seconds)} s{where})" if seconds is not None else "")


def _found(summary: Tree) -> str:
    delay, lead = summary["event_delay_frames_mean_mean"], summary["event_lead_time_sec_mean_mean"]
    parts = [f"warned of {short(abs(delay))} frames {'early' if delay < 0 else 'late'}"]
    if lead is not None:
        parts.append(
            f"{short(lead)} s before the zone itself" if lead >= 0 else f"{short(-lead)} s into the zone itself"
        )
    return SEPARATOR.join(parts)


def _worst(tree: Tree) -> Iterator[str]:
    for place, name in enumerate(tree["worst_videos"]):
        video = tree["videos"][name]
        accuracy, event, late = (rate(video[key]) for key in ("frame_accuracy", "event_recall", "late_advisory_rate"))
        text = f"{_cut(name)}  accuracy {accuracy}, event recall {event}, late {late}"
        yield named_line("" if place else "worst videos", text)


def _problems(tree: Tree) -> Iterator[str]:
    """Why videos were not evaluated."""
    left = list(tree["not_evaluated"].items())
    for place, (name, error) in enumerate(left[: tree["params"]["top"]]):
        text = printable(error)
        yield named_line(
            "" if place else "not evaluated", f"{_cut(name)}: {text if width(text) < 200 else text[:199] + '…'}"
        )
    if len(left) > tree["params"]["top"]:
        more = "more " if tree["params"]["top"] else ""
        yield named_line(
            "" if more else "not evaluated", f"{len(left) - tree['params']['top']:,} {more}in the artifact"
        )
