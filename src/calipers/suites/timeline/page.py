"""The page of the timeline suite: means over videos with intervals, the tolerance sweep, the videos as strips, worst
first, a table of them, and which states are taken for which."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from calipers.core.figures import spec_named
from calipers.show.page import sections as part
from calipers.show.page.calibration import calibration_parts
from calipers.show.page.cases import WorstCases
from calipers.show.page.heads import MAX_ROWS, Tree, facts_of, more_rows, problems, rules, title_of
from calipers.show.page.images import Pictures
from calipers.show.page.sections import Part
from calipers.suites.timeline.figures import FIGURES
from calipers.suites.timeline.frame_error_views import WORDS, error_tags, fix_first_bars
from calipers.suites.timeline.summary import (
    ALARMS_NAME,
    FOUND_NAME,
    LEAD_NAME,
    MEANS,
    MISSED,
    missed_zones,
    videos_measured,
)

Runs = Sequence[Any]  # (state, first frame, last frame) each

MAX_STATES = 40  # in the confusion matrix
MAX_RUNS = 4000  # of a video; more cannot be told apart, and would make the page large
HEADLINE = ("frame_accuracy", "event_recall", "event_precision")
TIMING = (  # cards with a unit
    ("first entry, off", "entry_timing_mae_frames", "frames"),
    ("first entry, off", "entry_timing_mae_sec", "s"),
    ("first warning, late", "advisory_start_error_frames", "frames"),
    ("first warning, late", "advisory_start_error_sec", "s"),
    ("found events, late", "event_delay_frames_mean", "frames"),
    ("warned before the zone", "event_lead_time_sec_mean", "s"),
    ("time in error", "time_in_error_sec", "s"),
    ("false activations", "false_activations_per_minute", "a minute"),
    ("state changes predicted", "flicker_per_minute", "a minute"),
)
BESIDE = (
    ("mAP at 0.50", "map_50"),
    ("precision at recall", "precision_at_target"),
    ("signs read exactly", "ocr_exact_accuracy"),
    ("similarity of signs", "ocr_similarity"),
)
BESIDE_UNITS = (
    ("false boxes", "detection_false_positives_per_minute", "a minute"),
    ("runtime", "runtime_fps", "frames a second"),
)
COLUMNS = (  # of the table of videos
    ("frame accuracy", "frame_accuracy", "bar"),
    ("mean IoU", "mean_iou", "rate"),
    ("macro F1", "macro_f1", "rate"),
    ("event R", "event_recall", "rate"),
    ("event P", "event_precision", "rate"),
    ("transition R", "transition_recall", "rate"),
    ("transition P", "transition_precision", "rate"),
    ("edit", "edit_score", "rate"),
    ("segmental F1 50", "segmental_f1_50", "rate"),
    ("late advisory", "late_advisory_rate", "rate"),
    ("false activation", "false_activation_rate", "rate"),
    ("entry off, frames", "entry_timing_mae_frames", "number"),
    ("lead, s", "lead_time_sec", "number"),
    ("error, frames", "time_in_error_frames", "number"),
)


def page_data(tree: Tree, cases: WorstCases | None, pictures: Pictures | None = None, why_not: str = "") -> Part:
    """The data of all sections of the page. Without cases it says why no video is drawn."""
    table = tree["videos"]
    videos: Tree = table.as_dict() if hasattr(table, "as_dict") else table
    evaluated = {name: entry for name, entry in videos.items() if "error" not in entry}
    worst = sorted(evaluated, key=lambda name: (evaluated[name]["frame_accuracy"], name))
    strips = _strips(tree, evaluated, worst, cases) if cases else [part.text("Videos drawn", [why_not])]
    records = tree["records"]
    first = [*fix_first_bars(tree), _headline(tree), *_sweep(tree), *_confusion(tree)]
    first += [_by_video(evaluated, worst), *strips]
    rest = [
        _means(tree),
        _timing(tree),
        *_beside(tree),
        *calibration_parts(tree),
        *_not_evaluated(tree),
        *problems(tree),
        *rules(tree),
    ]
    return part.page_data(
        title_of(tree),
        "timeline",
        [*first, *rest],
        subtitle=f"{records['evaluated']:,} of {records['read']:,} videos evaluated",
        facts=facts_of(tree, "transition_tolerance_frames", "idle", "focus", "extent"),
        notes=[*tree["warnings"], *_strangers(tree)],
    )


def _headline(tree: Tree) -> Part:
    spoken = {name: label for label, name in MEANS}
    tolerance = tree["params"]["transition_tolerance_frames"]
    first = tolerance[0] if isinstance(tolerance, list) else tolerance
    cards = [*_warnings(tree), *(_mean(tree, spoken[name], name) for name in HEADLINE)]
    cards += _transitions(tree, f"±{first} frames")
    cards += [_mean(tree, "edit score", "edit_score"), _mean(tree, "late advisories", "late_advisory_rate")]
    about = "Lead time, false alarms and missed zones come first, as of a system that warns. "
    about += "Means over videos with 95 % intervals; transitions within the tolerance asked for, 0.5 s and 1 s."
    return part.cards("Headline", cards, about=about)


def _warnings(tree: Tree) -> list[Part]:
    """The cards of a system that warns: how early it does, how often for nothing, and what it misses."""
    summary, pooled = tree["summary"], tree["pooled"]
    missed, interval = missed_zones(summary)
    as_one = pooled[FOUND_NAME]
    note = f"{summary[f'{FOUND_NAME}_n']:,} videos" + (
        "" if as_one is None else f" · all videos as one {1 - as_one:.3f}"
    )
    return [
        _mean(tree, "lead time", LEAD_NAME, unit="s"),
        _mean(tree, "false alarms", ALARMS_NAME, unit="a minute"),
        part.card(MISSED, missed, interval, note=note, better="low"),
    ]


def _transitions(tree: Tree, asked: str) -> list[Part]:
    """Recall and precision of transitions at the tolerance asked for, and within some seconds."""
    within = {f"{seconds} s": means for seconds, means in tree.get("transitions_within_sec", {}).items()}
    spoken = {asked: tree["summary"]} | within
    return [
        part.card(
            f"transition {what}, {tolerance}",
            means[f"transition_{what}_mean"],
            means[f"transition_{what}_interval"],
            note=f"{videos_measured(means, f'transition_{what}'):,} videos",
        )
        for what in ("recall", "precision")
        for tolerance, means in spoken.items()
        if videos_measured(means, f"transition_{what}") or tolerance == asked
    ]


def _mean(tree: Tree, label: str, name: str, *, unit: str = "") -> Part:
    summary, pooled = tree["summary"], tree["pooled"]
    value = pooled.get(name)
    as_one = f" · all videos as one {value:.3f}" if isinstance(value, float) and not unit else ""
    return part.card(
        label,
        summary.get(f"{name}_mean"),
        summary.get(f"{name}_interval"),
        kind="number" if unit else "rate",
        unit=unit,
        note=f"{videos_measured(summary, name):,} videos{as_one}",
        better=part.better_end(_higher_is_better(name)),
    )


def _higher_is_better(name: str) -> bool | None:
    """The direction that a metric is declared with; None where neither is better."""
    spec = spec_named(FIGURES, name)
    return None if spec is None else spec.higher_is_better


def _means(tree: Tree) -> Part:
    """Every mean of the summary with what it rests on."""
    summary, pooled = tree["summary"], tree["pooled"]
    rows = []
    for label, name in MEANS:
        if n := videos_measured(summary, name):
            interval = summary.get(f"{name}_interval")
            rows.append([label, summary[f"{name}_mean"], interval, n, pooled.get(name)])
    columns = [part.column("metric"), part.column("mean over videos", "bar"), part.column("95 % interval", "interval")]
    columns += [part.column("videos", "number"), part.column("all videos as one", "rate")]
    return part.table("Means", columns, rows)


def _sweep(tree: Tree) -> list[Part]:
    if "sweep" not in tree:
        return []
    rows = sorted((int(tolerance), summary) for tolerance, summary in tree["sweep"].items())
    at = [tolerance for tolerance, _ in rows]
    sections = []
    for what in ("precision", "recall", "accuracy"):
        values = [summary[f"transition_{what}_mean"] for _, summary in rows]
        spans = [summary.get(f"transition_{what}_interval") for _, summary in rows]
        low, high = ([span[end] if span else None for span in spans] for end in (0, 1))
        sections.append(part.series(what, at, values, low=low, high=high, bold=what == "recall"))
    title = "Transitions over the tolerance"
    about = f"n {sum('error' not in entry for entry in tree['videos'].values()):,} videos."
    return [part.curves(title, "tolerance in frames", "mean over videos", sections, about=about)]


def _timing(tree: Tree) -> Part:
    summary = tree["summary"]
    cards = [_mean(tree, label, name, unit=unit) for label, name, unit in TIMING if videos_measured(summary, name)]
    return part.cards("Timing and alarms", cards)


def _by_video(videos: Tree, worst: list[str]) -> Part:
    columns = [part.column("video"), *(part.column(title, kind, name) for title, name, kind in COLUMNS)]  # type: ignore[arg-type]
    rows = [[name, *(videos[name].get(heading) for _, heading, _ in COLUMNS)] for name in worst[:MAX_ROWS]]
    cut = more_rows(len(worst))
    return part.table("By video", columns, rows, goto=worst[:MAX_ROWS], cut=cut, sort=(1, "up"))


def _confusion(tree: Tree) -> list[Part]:
    confusion = tree["pooled"]["confusion"]
    totals: dict[str, int] = {}
    for truth, row in confusion.items():
        for pred, count in row.items():
            for state in {truth, pred}:
                totals[state] = totals.get(state, 0) + count
    most = sorted(totals, key=lambda state: (-totals[state], state))[:MAX_STATES]
    states = sorted(most, key=partial(_natural_place, tree["params"]["idle"]))
    at = {state: place for place, state in enumerate(states)}
    cells = [(at[a], at[b], n) for a, row in confusion.items() for b, n in row.items() if a in at and b in at]
    about = "Frames by true and predicted state, all videos together."
    titles = {"row_title": "ground truth", "column_title": "predicted"}
    return [part.matrix("Confusion of states", states, states, cells, about=about, **titles)] if cells else []


def _natural_place(idle: str, state: str) -> tuple[int, str]:
    """Where a state stands among others: idle first, then as a drive passes a work zone, then by name.

    >>> sorted(["inside", "paused", "exiting", "outside", "approaching"], key=partial(_natural_place, "outside"))
    ['outside', 'approaching', 'inside', 'exiting', 'paused']
    """
    known = (idle, "approaching", "inside", "exiting")
    return (known.index(state) if state in known else len(known), state)


def _strips(tree: Tree, videos: Tree, worst: list[str], cases: WorstCases) -> list[Part]:
    limit = cases.limit
    chosen = worst[: limit.cases]
    drawn = cases.of(chosen)
    strips: list[Part] = []
    states, size = dict.fromkeys([tree["params"]["idle"]]), 0
    for name in chosen:
        if name not in drawn:
            continue
        strip = _strip(tree, name, videos[name], drawn[name])
        size += 24 * (sum(len(lane["runs"]) for lane in strip["rows"]) + len(strip.get("marks", ())))
        if limit.bytes is not None and size > limit.bytes and strips:
            break
        states |= dict.fromkeys(run[0] for lane in strip["rows"] for run in lane["runs"])
        strips.append(strip)
    idle = tree["params"]["idle"]
    cut = f"{len(strips):,} of {len(worst):,} videos are drawn here, the worst ones" if len(strips) < len(worst) else ""
    legend = sorted(states, key=partial(_natural_place, idle))
    return [part.strips("Videos drawn, worst first", strips, legend, idle=idle, cut=cut)] if strips else []


def _strip(tree: Tree, name: str, entry: Tree, case: Tree) -> Part:
    lanes = {"ground truth": case["gt"], "prediction": case["pred"]}
    frames = max((run[2] + 1 for side in lanes.values() for run in side), default=0)
    shown = {lane: _bearable(side) for lane, side in lanes.items()}
    figures = f"frame accuracy {entry['frame_accuracy']:.3f} · {entry['time_in_error_frames']:,} frames in error"
    fps = entry["fps_estimate"] or tree["params"]["fps"]
    marks = [(WORDS[kind], first, last) for kind, first, last in _bearable(case["frame_errors"])]
    return part.video(name, frames, shown, note=figures, fps=fps, tags=[name, *error_tags(entry)], marks=marks)


def _bearable(runs: Runs) -> Runs:
    """Of very many runs the longest."""
    if len(runs) <= MAX_RUNS:
        return runs
    longest = sorted(runs, key=lambda run: (run[1] - run[2], run[1]))[:MAX_RUNS]
    return sorted(longest, key=lambda run: run[1])


def _beside(tree: Tree) -> list[Part]:
    """Detections, signs and runtime, where videos have them."""
    pooled, summary = tree["pooled"], tree["summary"]
    cards = [_mean(tree, label, name) for label, name in BESIDE if summary.get(f"{name}_n")]
    cards += [_mean(tree, label, name, unit=unit) for label, name, unit in BESIDE_UNITS if summary.get(f"{name}_n")]
    if not cards:
        return []
    by_class = pooled.get("map_50_by_class") or {}
    columns = [part.column("class"), part.column("AP at 0.50", "bar"), part.column("precision at recall", "rate")]
    other = pooled.get("precision_at_target_by_class") or {}
    rows = [[name, value, other.get(name)] for name, value in by_class.items()]
    table = part.table("Detections by class", columns, rows[:MAX_ROWS], cut=more_rows(len(rows)))
    return [part.cards("Detections, signs and runtime", cards), *([table] if rows else [])]


def _not_evaluated(tree: Tree) -> list[Part]:
    rows = [[name, why] for name, why in tree["not_evaluated"].items()]
    columns = [part.column("video"), part.column("why")]
    cut = more_rows(len(rows))
    return [part.table("Not evaluated", columns, rows[:MAX_ROWS], cut=cut)] if rows else []


def _strangers(tree: Tree) -> list[str]:
    strangers = tree["videos_without_ground_truth"]
    return [f"{len(strangers):,} videos were predicted without ground truth and are left out."] if strangers else []
