"""The artifact of the timeline suite as types, for editors and type checkers.

Made from `schema.json` by tests/generated/regenerate.py; not to be changed by hand.
"""

from typing import Literal, NotRequired, TypedDict, final

from calipers.core.artifact_types import (
    ArtifactCalibration,
    ArtifactInput,
    ArtifactRecords,
    ArtifactRejected,
    ArtifactSlice,
    ArtifactSliceSums,
)


class TimelineParams(TypedDict):
    """Every parameter that can change a number."""

    transition_tolerance_frames: int | list[int]
    idle: str
    focus: str
    fps: float | None
    recall_target: float
    min_event_overlap_frames: int
    top: int
    bootstrap: int
    seed: int


@final
class TimelineVideoError(TypedDict):
    """`video_error` of the artifact."""

    error: str


class TimelineFramesOfKind(TypedDict):
    """`frames_of_kind` of the artifact."""

    frames: int
    stretches: int


class TimelineFrameErrors(TypedDict):
    """Wrong frames by kind: the frames of all kinds add up to all wrong frames."""

    insertion: TimelineFramesOfKind
    merge: TimelineFramesOfKind
    overfill_start: TimelineFramesOfKind
    overfill_end: TimelineFramesOfKind
    deletion: TimelineFramesOfKind
    fragmentation: TimelineFramesOfKind
    underfill_start: TimelineFramesOfKind
    underfill_end: TimelineFramesOfKind
    substitution: TimelineFramesOfKind


class TimelineVideoCounts(TypedDict):
    """`video_counts` of the artifact."""

    frames: int
    gt_runs: int
    pred_runs: int
    gt_segments: NotRequired[int]
    pred_segments: NotRequired[int]
    gt_events: int
    pred_events: int
    matched_events: int
    gt_advisory_events: int
    pred_advisory_events: int
    matched_advisory_events: int
    false_episodes: int


@final
class TimelineVideo(TypedDict):
    """`video` of the artifact."""

    frame_accuracy: float | None
    transition_recall: float | None
    transition_precision: float | None
    transition_accuracy: float | None
    event_recall: float | None
    event_precision: float | None
    advisory_event_recall: float | None
    advisory_event_precision: float | None
    false_activation_rate: float | None
    mean_iou: float | None
    macro_precision: float | None
    macro_recall: float | None
    macro_f1: float | None
    false_advisory_rate: float | None
    late_advisory_rate: float | None
    advisory_coverage_ratio: float | None
    edit_score: float | None
    segmental_f1_10: float | None
    segmental_f1_25: float | None
    segmental_f1_50: float | None
    map_50: float | None
    precision_at_recall: float | None
    precision_at_target: float | None
    ocr_exact_accuracy: float | None
    ocr_similarity: float | None
    time_in_error_frames: int
    confusion: dict[str, dict[str, int]]
    frame_errors: TimelineFrameErrors
    counts: TimelineVideoCounts
    event_delay_frames_mean: float | None


class TimelineSummary(TypedDict):
    """Of each figure the mean over videos, its interval, the standard deviation of some, and how many videos define
    it."""

    videos_evaluated: int
    videos_total: int
    frame_accuracy_mean: float | None
    frame_accuracy_interval: list[float] | None
    transition_recall_mean: float | None
    transition_recall_interval: list[float] | None
    transition_precision_mean: float | None
    transition_precision_interval: list[float] | None
    transition_accuracy_mean: float | None
    transition_accuracy_interval: list[float] | None
    event_recall_mean: float | None
    event_recall_interval: list[float] | None
    event_precision_mean: float | None
    event_precision_interval: list[float] | None
    advisory_event_recall_mean: float | None
    advisory_event_recall_interval: list[float] | None
    advisory_event_precision_mean: float | None
    advisory_event_precision_interval: list[float] | None
    false_activation_rate_mean: float | None
    false_activation_rate_interval: list[float] | None
    mean_iou_mean: float | None
    mean_iou_interval: list[float] | None
    macro_precision_mean: float | None
    macro_precision_interval: list[float] | None
    macro_recall_mean: float | None
    macro_recall_interval: list[float] | None
    macro_f1_mean: float | None
    macro_f1_interval: list[float] | None
    false_advisory_rate_mean: float | None
    false_advisory_rate_interval: list[float] | None
    late_advisory_rate_mean: float | None
    late_advisory_rate_interval: list[float] | None
    advisory_coverage_ratio_mean: float | None
    advisory_coverage_ratio_interval: list[float] | None
    edit_score_mean: float | None
    edit_score_interval: list[float] | None
    segmental_f1_10_mean: float | None
    segmental_f1_10_interval: list[float] | None
    segmental_f1_25_mean: float | None
    segmental_f1_25_interval: list[float] | None
    segmental_f1_50_mean: float | None
    segmental_f1_50_interval: list[float] | None
    map_50_mean: float | None
    map_50_interval: list[float] | None
    precision_at_recall_mean: float | None
    precision_at_recall_interval: list[float] | None
    precision_at_target_mean: float | None
    precision_at_target_interval: list[float] | None
    ocr_exact_accuracy_mean: float | None
    ocr_exact_accuracy_interval: list[float] | None
    ocr_similarity_mean: float | None
    ocr_similarity_interval: list[float] | None


class TimelinePooled(TypedDict):
    """All videos as one."""

    frame_accuracy: float | None
    transition_recall: float | None
    transition_precision: float | None
    transition_accuracy: float | None
    event_recall: float | None
    event_precision: float | None
    advisory_event_recall: float | None
    advisory_event_precision: float | None
    segmental_f1_10: float | None
    segmental_f1_25: float | None
    segmental_f1_50: float | None
    map_50: float | None
    precision_at_recall: float | None
    precision_at_target: float | None
    ocr_exact_accuracy: float | None
    ocr_similarity: float | None
    confusion: dict[str, dict[str, int]]
    frame_errors: TimelineFrameErrors
    map_50_by_class: NotRequired[dict[str, float | None]]
    precision_at_recall_by_class: NotRequired[dict[str, float | None]]
    precision_at_target_by_class: NotRequired[dict[str, float | None]]
    classes_without_ground_truth: NotRequired[dict[str, int]]
    tied_score_share: NotRequired[float | None]
    invalid_detections: NotRequired[int]


class TimelineTransitionsWithinSec(TypedDict):
    """`transitions_within_sec` of the artifact."""

    transition_recall_mean: float | None
    transition_recall_n: int
    transition_recall_interval: list[float] | None
    transition_precision_mean: float | None
    transition_precision_n: int
    transition_precision_interval: list[float] | None
    transition_accuracy_mean: float | None
    transition_accuracy_n: int
    transition_accuracy_interval: list[float] | None


class TimelineGain(TypedDict):
    """What a kind of wrong frames is worth: the mean over videos of its frames / frames compared."""

    gain: float | None
    interval: list[float] | None


class TimelineGains(TypedDict):
    """With the mean frame accuracy they add up to 1."""

    insertion: TimelineGain
    merge: TimelineGain
    overfill_start: TimelineGain
    overfill_end: TimelineGain
    deletion: TimelineGain
    fragmentation: TimelineGain
    underfill_start: TimelineGain
    underfill_end: TimelineGain
    substitution: TimelineGain


class TimelineWorth(TypedDict):
    """`worth` of the artifact."""

    frame_accuracy: TimelineGains


class TimelineOperatingPoints(TypedDict):
    """`operating_points` of the artifact."""

    score: float
    precision: float | None
    recall: float | None
    f1: float | None
    false_positives_per_minute: float | None


class TimelineBootstrap(TypedDict):
    """Absent without slices."""

    replicates: int
    seed: int
    slices: list[ArtifactSliceSums]


class TimelineArtifact(TypedDict):
    """Artifact of the timeline suite."""

    suite: Literal["timeline"]
    protocol: Literal["timeline/1"]
    calipers: str
    engines: NotRequired[dict[str, str]]
    inputs: list[ArtifactInput]
    params: TimelineParams
    records: ArtifactRecords
    videos: dict[str, TimelineVideoError | TimelineVideo]
    summary: TimelineSummary
    pooled: TimelinePooled
    transitions_within_sec: NotRequired[dict[str, TimelineTransitionsWithinSec]]
    worth: TimelineWorth
    calibration: ArtifactCalibration | None
    calibration_undefined_reason: str | None
    operating_points: list[TimelineOperatingPoints] | None
    operating_points_undefined_reason: str | None
    worst_videos: list[str]
    not_evaluated: dict[str, str]
    videos_without_ground_truth: list[str]
    warnings: list[str]
    rejected: list[ArtifactRejected]
    sweep: NotRequired[dict[str, TimelineSummary]]
    slices: NotRequired[list[ArtifactSlice]]
    bootstrap: NotRequired[TimelineBootstrap]
