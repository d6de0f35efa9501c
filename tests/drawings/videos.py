"""Drawings of states along a video: transitions, events, wrong frames by kind, and sequences of runs."""

from __future__ import annotations

from typing import Any

import calipers

from .canvas import Canvas

Spans = dict[str, list[list[int]]]
LEFT, WIDE, TALL = 104, 536, 22  # of a strip
IDLE = "outside"
KINDS = {
    "insertion": "insertion",
    "overfill_start": "began early",
    "overfill_end": "ended late",
    "underfill_start": "began late",
    "underfill_end": "ended early",
    "fragmentation": "fragmentation",
    "merge": "merge",
    "deletion": "deletion",
    "substitution": "substitution",
}


class Strips:
    """A video: ground truth over prediction, and where a frame is."""

    def __init__(self, canvas: Canvas, frames: int, top: float) -> None:
        self.canvas, self.frames, self.top = canvas, frames, top

    def x(self, frame: float) -> float:
        """The left edge of a frame."""
        return LEFT + WIDE * frame / self.frames

    def draw(self, truth: Spans, pred: Spans) -> None:
        """Both sides, idle stretches as a thin line."""
        for row, (name, spans) in enumerate((("ground truth", truth), ("prediction", pred))):
            top = self.top + row * (TALL + 10)
            self.canvas.text(LEFT - 8, top + 15, name, "truth" if row == 0 else "pred", "end")
            self.canvas.line([(LEFT, top + TALL / 2), (LEFT + WIDE, top + TALL / 2)], "faint")
            runs = [(state, *span) for state, intervals in spans.items() for span in intervals if state != IDLE]
            for state, first, last in runs:
                self._run(top, state, first, last, "truth" if row == 0 else "pred")

    def _run(self, top: float, state: str, first: int, last: int, look: str) -> None:
        left, right = self.x(first), self.x(last + 1)
        self.canvas.box(left, top, right - left, TALL, look)
        if right - left > 7 * len(state):
            self.canvas.text((left + right) / 2, top + 15, state, "quiet", "middle")


def _video(truth: Spans, pred: Spans, **options: Any) -> Any:
    report = calipers.timeline({"a.mp4": truth}, {"a.mp4": {"fps": 10, "states": pred}}, bootstrap=0, **options)
    return report["videos"]["a.mp4"]


def transitions() -> Canvas:
    """Transitions within a tolerance."""
    truth: Spans = {"inside": [[20, 49], [80, 99]], "outside": [[100, 119]]}
    pred: Spans = {"inside": [[23, 57], [82, 101]]}
    video, loose = _video(truth, pred, transition_tolerance_frames=5), 5
    canvas = Canvas(660, 180, "Transitions within a tolerance")
    strips = Strips(canvas, 120, 46)
    for frame in (20, 50, 80, 100):
        left, right = strips.x(frame - loose), strips.x(frame + loose)
        canvas.box(left, 36, right - left, 76, "band")
    strips.draw(truth, pred)
    for frame, is_found in ((23, True), (58, False), (82, True), (102, True)):
        canvas.text(
            strips.x(frame), 126, "✓" if is_found else "✗", "both strong" if is_found else "wrong strong", "middle"
        )
    canvas.text(LEFT, 26, "± 5 frames around each true transition", "truth")
    words = f"tolerance 5: recall {video['transition_recall']:.2f}, precision {video['transition_precision']:.2f}"
    strict = _video(truth, pred, transition_tolerance_frames=0)["transition_recall"]
    canvas.text(LEFT, 156, f"{words} · tolerance 0: recall {strict:.2f}", "strong")
    return canvas


def events() -> Canvas:
    """Found, missed and false warnings, and the lead time before a zone."""
    truth: Spans = {"approaching": [[30, 49]], "inside": [[50, 79], [130, 149]], "outside": [[150, 179]]}
    pred: Spans = {"approaching": [[34, 53]], "inside": [[54, 79], [165, 172]]}
    video = _video(truth, pred)
    canvas = Canvas(660, 200, "Events: found, missed, false, and the lead time")
    strips = Strips(canvas, 180, 56)
    strips.draw(truth, pred)
    canvas.line([(strips.x(34), 46), (strips.x(34), 118)], "dash")
    canvas.line([(strips.x(50), 46), (strips.x(50), 118)], "dash")
    canvas.arrow((strips.x(34), 42), (strips.x(50), 42))
    canvas.text(
        strips.x(34), 30, f"lead time {video['event_lead_time_sec_mean']:.1f} s: from the warning to the zone", "strong"
    )
    canvas.text(strips.x(55), 130, "found", "both strong", "middle")
    canvas.text(strips.x(140), 130, "missed", "wrong strong", "middle")
    canvas.text(strips.x(168), 130, "false alarm", "wrong strong", "middle")
    found, precise = video["event_recall"], video["event_precision"]
    false = video["false_activations_per_minute"]
    canvas.text(LEFT, 166, f"event recall {found:.2f} · event precision {precise:.2f}", "strong")
    canvas.text(LEFT, 186, f"false activations: 1 stretch in 18 s, {false:.1f} a minute", "")
    return canvas


def kinds() -> Canvas:
    """Wrong frames by kind, after Ward and others."""
    truth: Spans = {"inside": [[20, 49], [70, 79], [86, 99], [120, 134], [150, 159]], "outside": [[160, 169]]}
    pred: Spans = {"inside": [[4, 9], [14, 30], [36, 53], [74, 95], [126, 129]]}
    video = _video(truth, pred)
    stretches = calipers.timeline({"a.mp4": truth}, {"a.mp4": {"states": pred}}, bootstrap=0)
    marked = stretches.cases_of(["a.mp4"])["a.mp4"]["frame_errors"]
    canvas = Canvas(660, 220, "Wrong frames by kind")
    strips = Strips(canvas, 170, 30)
    strips.draw(truth, pred)
    for number, (kind, first, last) in enumerate(marked):
        left, right = strips.x(first), strips.x(last + 1)
        canvas.box(left, 96, right - left, 10, "wrong")
        level = 124 + 17 * (number % 4)
        canvas.line([((left + right) / 2, 106), ((left + right) / 2, level - 12)], "axis")
        canvas.text((left + right) / 2, level, KINDS[kind], "wrong", "middle")
    wrong = video["time_in_error_frames"]
    canvas.text(LEFT, 206, f"{wrong} of 170 frames are wrong; every one of them is of one kind", "strong")
    return canvas


def sequences() -> Canvas:
    """What the edit score and the segmental F1 see."""
    truth: Spans = {"A": [[0, 39]], "B": [[40, 79]], "C": [[80, 119]]}
    late: Spans = {"A": [[0, 51]], "B": [[52, 91]], "C": [[92, 119]]}
    flicker: Spans = {"A": [[0, 14], [18, 39]], "B": [[15, 17], [40, 79]], "C": [[80, 119]]}
    canvas = Canvas(660, 230, "Edit score and segmental F1")
    for row, (name, pred) in enumerate((("late", late), ("flickers", flicker))):
        video = _video(truth, pred)
        strips = Strips(canvas, 120, 24 + 100 * row)
        strips.draw(truth, pred)
        words = [f"{short} {video[figure]:.2f}" for short, figure in FIGURES.items()]
        canvas.text(LEFT, 24 + 100 * row + 76, f"{name}: " + " · ".join(words), "strong")
    canvas.text(LEFT, 222, "late changes cost frames, flicker costs order and segments", "quiet")
    return canvas


FIGURES = {"frame accuracy": "frame_accuracy", "edit score": "edit_score", "segmental F1@50": "segmental_f1_50"}
DRAWINGS = {
    "timeline_transitions": transitions,
    "timeline_events": events,
    "timeline_kinds": kinds,
    "timeline_sequences": sequences,
}
