"""The options of the timeline suite, brought to one form and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calipers.core.config import option
from calipers.core.errors import require
from calipers.core.option_values import keys, number, whole, wholes, word
from calipers.core.slice_options import SliceOptions, artifact_params
from calipers.suites.timeline.states import SEED_STATES

PROTOCOL = "timeline/1"  # name and version of the definitions
EXTENTS = ("union", "gt")


@dataclass(frozen=True, kw_only=True)
class Config(SliceOptions):
    """Every option of the timeline suite."""

    transition_tolerance_frames: tuple[int, ...] = option(
        (0,), "frames that matching transitions may be apart; several make a sweep", metavar="N,N,…"
    )
    min_event_overlap_frames: int = option(1, "frames that two events share at least to match", metavar="N")
    fps: float | None = option(None, "frames a second, where neither file says", metavar="F")
    compliance_gain: float = option(
        0.4,
        "share of speed violations that an advisory prevents, for simulated_speed_violation_reduction",
        alias="simulated_compliance_gain",
    )
    idle: str = option("outside", "the state without an advisory, also of frames without any state", metavar="STATE")
    focus: str = option("inside", "the state whose intervals are the events", metavar="STATE")
    extent: str = option(
        "union", "evaluate up to the last frame of either side, or of the ground truth", metavar="union|gt"
    )
    ignore_states: tuple[str, ...] = option(
        (), "states whose runs are left out of edit_score and segmental_f1_*", metavar="A,B,…"
    )
    detection_score: float = option(0.5, "score from which a detection may be a false positive")
    recall_target: float = option(0.9, "recall at which and beyond which precision of detections is reported")
    ocr_window_frames: int = option(15, "frames that a text may be read away from its sign", metavar="N")
    top: int = option(5, "how many of the worst videos the summary shows; the artifact has all")
    max_bad_records: int = option(0, "reject and count up to N videos with malformed ground truth", metavar="N")
    bootstrap: int = option(1000, "replicates for the intervals; 0 is none")
    seed: int = option(0, "seed of the replicates")

    def __post_init__(self) -> None:
        super().__post_init__()
        fps = (
            None
            if self.fps is None
            else number("fps", self.fps, minimum=0.001, maximum=1_000_000, expected="a number from 0.001 to 1000000")
        )
        checked = {
            "transition_tolerance_frames": wholes("transition_tolerance_frames", self.transition_tolerance_frames),
            "min_event_overlap_frames": whole("min_event_overlap_frames", self.min_event_overlap_frames, 1),
            "fps": fps,
            "compliance_gain": number("compliance_gain", self.compliance_gain),
            "idle": word("idle", self.idle),
            "focus": word("focus", self.focus),
            "extent": word("extent", self.extent, EXTENTS),
            "ignore_states": keys("ignore_states", self.ignore_states),
            "detection_score": number("detection_score", self.detection_score),
            "recall_target": number(
                "recall_target", self.recall_target, minimum=0, maximum=1, expected="a number from 0 to 1"
            ),
            "ocr_window_frames": whole("ocr_window_frames", self.ocr_window_frames, 0),
            "top": whole("top", self.top, 0),
            "max_bad_records": whole("max_bad_records", self.max_bad_records, 0),
            "bootstrap": whole("bootstrap", self.bootstrap, 0, 1_000_000),
            "seed": whole("seed", self.seed, 0),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def start_states(self) -> tuple[str, ...]:
        """States whose starts are told."""
        return tuple(dict.fromkeys(("inside", "approaching", self.focus)))

    @property
    def known_states(self) -> tuple[str, ...]:
        """States that have a name before anything is read."""
        return tuple(dict.fromkeys((*SEED_STATES, self.idle, self.focus, *self.ignore_states)))


def params(config: Config) -> dict[str, Any]:
    """Every parameter, given or default, that can change a number."""
    plain = artifact_params(config)
    tolerances = list(config.transition_tolerance_frames)
    plain["ignore_states"] = list(config.ignore_states)
    plain["transition_tolerance_frames"] = tolerances if len(tolerances) > 1 else tolerances[0]
    return {
        **plain,
        "intervals": "frames, both ends included",
        "rulers": {"event": "shared frames", "transition": "frames apart", "detection": "exact-area"},
        "matching": {
            "events": "optimal: most pairs, then most shared frames, then the earlier pairs",
            "transitions": "optimal: most pairs of one kind, then the smallest total distance",
            "detections": "by confidence, ties by frame; each to the closest free object, the last of equals",
            "signs": "greedy: closest pair first, then fewer frames apart, then more alike texts",
        },
    }


@dataclass(frozen=True, kw_only=True)
class TimelineOutputOptions:
    """Options that change only what a folder of `-o` holds."""

    plot_videos: int = option(0, "draw the N worst videos into the folder", metavar="N")

    def __post_init__(self) -> None:
        object.__setattr__(self, "plot_videos", whole("plot_videos", self.plot_videos, 0))

    def check_folder(self, has_folder: bool) -> None:
        """Refuse options that have no effect without a folder; a missing library is found out now."""
        require(not self.plot_videos or has_folder, "plot_videos", self.plot_videos, "a folder to draw into (-o)")
        if self.plot_videos:
            from calipers.show.charts.sheet import drawing

            with drawing("png"):
                pass
