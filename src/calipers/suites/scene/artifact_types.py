"""The artifact of the scene suite as types, for editors and type checkers.

Made from `schema.json` by tests/generated/regenerate.py; not to be changed by hand.
"""

from typing import Literal, NotRequired, TypedDict

from calipers.core.artifact_types import (
    ArtifactCalibration,
    ArtifactInput,
    ArtifactLabelErrors,
    ArtifactRecords,
    ArtifactRejected,
    ArtifactSlice,
    ArtifactSliceSums,
)


class SceneParams(TypedDict):
    """Every parameter that can change a number."""

    iou_mode: str
    iou_threshold: float
    require_label_match: bool
    containment: str
    top: int
    bootstrap: int
    seed: int


class SceneMethodParams(TypedDict):
    """Every parameter that can change a number."""

    iou_mode: str
    iou_threshold: float
    require_label_match: bool
    containment: str
    top: int
    bootstrap: int
    seed: int


class SceneMethodCounts(TypedDict):
    """gt = tp + fn, pred = tp + fp."""

    gt: int
    pred: int
    tp: int
    fp: int
    fn: int
    invalid_pred: int
    ignored: int


class SceneMethodDetectionMetrics(TypedDict):
    """`method_detection_metrics` of the artifact."""

    precision: float | None
    recall: float | None
    f1: float | None
    precision_interval: list[float] | None
    recall_interval: list[float] | None
    f1_interval: list[float] | None


class SceneMethodGeometryMetrics(TypedDict):
    """`method_geometry_metrics` of the artifact."""

    mean_iou_3d: float | None
    mean_centroid_error_m: float | None
    strict_accuracy: float | None
    relaxed_accuracy: float | None
    strict_precision: float | None
    relaxed_precision: float | None
    f1_relaxed: float | None
    mean_iou_3d_interval: list[float] | None
    mean_centroid_error_m_interval: list[float] | None
    strict_accuracy_interval: list[float] | None
    relaxed_accuracy_interval: list[float] | None
    strict_precision_interval: list[float] | None
    relaxed_precision_interval: list[float] | None
    f1_relaxed_interval: list[float] | None


class SceneMethodPerClass(TypedDict):
    """`method_per_class` of the artifact."""

    tp: int
    fp: int
    fn: int
    precision: float | None
    recall: float | None
    f1: float | None
    mean_iou_3d: float | None
    mean_centroid_error_m: float | None
    strict_accuracy: float | None
    relaxed_accuracy: float | None


class SceneMethodErrors(TypedDict):
    """What became of each object: matched, wrong_label, misplaced, wrong_label_and_place and missed add up to gt; the
    first four with duplicate and spurious to pred."""

    matched: int
    wrong_label: int
    misplaced: int
    wrong_label_and_place: int
    duplicate: int
    spurious: int
    missed: int


class SceneGain(TypedDict):
    """What every error of the cause is worth: the figure if they were right, minus the figure."""

    gain: float | None
    interval: list[float] | None


class SceneGains(TypedDict):
    """`gains` of the artifact."""

    wrong_label: SceneGain
    misplaced: SceneGain
    wrong_label_and_place: SceneGain
    duplicate: SceneGain
    spurious: SceneGain
    missed: SceneGain


class SceneMethodWorth(TypedDict):
    """`method_worth` of the artifact."""

    f1: SceneGains


class SceneMethodRange(TypedDict):
    """`method_range` of the artifact."""

    from_m: float
    to_m: float | None
    gt: int
    pred: int
    tp: int
    fp: int
    fn: int
    precision: float | None
    recall: float | None
    f1: float | None


class SceneMethodAp(TypedDict):
    """`method_ap` of the artifact."""

    by_class: dict[str, dict[str, float | None]]
    tied_score_share: float | None


class SceneMethodOperatingPoints(TypedDict):
    """`method_operating_points` of the artifact."""

    score: float
    precision: float | None
    recall: float | None
    f1: float | None
    false_positives_per_scene: float | None


class SceneMethodBenchmarkCompat(TypedDict):
    """`method_benchmark_compat` of the artifact."""

    precision: float | None
    recall: float | None
    f1: float | None
    mean_iou_3d: float | None
    mean_centroid_error_m: float | None
    strict_accuracy: float | None
    relaxed_accuracy: float | None
    strict_precision: float | None
    relaxed_precision: float | None
    f1_relaxed: float | None
    mean_strict_accuracy_per_class: float | None
    mean_relaxed_accuracy_per_class: float | None
    mean_iou_3d_per_class: float | None
    mean_centroid_error_m_per_class: float | None
    osR_strict: NotRequired[float | None]
    osR_relaxed: NotRequired[float | None]
    osP_strict: NotRequired[float | None]
    osP_relaxed: NotRequired[float | None]
    F1_os: NotRequired[float | None]
    mean_strict_accuracy_per_class_interval: list[float] | None
    mean_relaxed_accuracy_per_class_interval: list[float] | None
    mean_iou_3d_per_class_interval: list[float] | None
    mean_centroid_error_m_per_class_interval: list[float] | None


SceneMethodResolvedByMeaning = TypedDict(
    "SceneMethodResolvedByMeaning",
    {
        "label": str,
        "class": str,
        "score": float,
        "gt": int,
        "pred": int,
    },
)
"""`method_resolved_by_meaning` of the artifact."""


class SceneMethodUnresolvedLabels(TypedDict):
    """`method_unresolved_labels` of the artifact."""

    label: str
    gt: int
    pred: int
    suggestions: list[str]


class SceneMethodScenes(TypedDict):
    """`method_scenes` of the artifact."""

    gt: int
    pred: int
    tp: int
    fp: int
    fn: int
    precision: float | None
    recall: float | None
    f1: float | None
    mean_iou_3d: float | None
    mean_centroid_error_m: float | None


class SceneMethodMatches(TypedDict):
    """`method_matches` of the artifact."""

    scene: str
    gt_index: int
    pred_index: int
    iou: float | None
    strict: bool
    relaxed: bool
    centroid_error_m: float


class SceneMethodUnmatchedGt(TypedDict):
    """`method_unmatched_gt` of the artifact."""

    scene: str
    index: int


class SceneMethodUnmatchedPred(TypedDict):
    """`method_unmatched_pred` of the artifact."""

    scene: str
    index: int
    cause: str


class SceneMethodBootstrap(TypedDict):
    """`method_bootstrap` of the artifact."""

    replicates: int
    seed: int
    values: dict[str, list[float | None]]
    slices: NotRequired[list[ArtifactSliceSums]]


class SceneMethod(TypedDict):
    """What one method gave."""

    suite: Literal["scene"]
    protocol: Literal["scene/1"]
    calipers: str
    engines: NotRequired[dict[str, str]]
    inputs: list[ArtifactInput]
    params: SceneMethodParams
    method: str
    records: ArtifactRecords
    counts: SceneMethodCounts
    detection_metrics: SceneMethodDetectionMetrics
    geometry_metrics: SceneMethodGeometryMetrics
    per_class: dict[str, SceneMethodPerClass]
    fp_breakdown: dict[str, int]
    errors: SceneMethodErrors
    errors_by_label: list[ArtifactLabelErrors]
    worth: SceneMethodWorth
    range: list[SceneMethodRange]
    ap: SceneMethodAp | None
    calibration: ArtifactCalibration | None
    calibration_undefined_reason: str | None
    operating_points: list[SceneMethodOperatingPoints] | None
    operating_points_undefined_reason: str | None
    benchmark_compat: SceneMethodBenchmarkCompat
    label_resolution: dict[str, int]
    resolved_by_meaning: NotRequired[list[SceneMethodResolvedByMeaning]]
    unresolved_labels: list[SceneMethodUnresolvedLabels]
    scenes_without_predictions: list[str]
    scenes_without_ground_truth: list[str]
    scenes: dict[str, SceneMethodScenes]
    matches: list[SceneMethodMatches]
    unmatched_gt: list[SceneMethodUnmatchedGt]
    unmatched_pred: list[SceneMethodUnmatchedPred]
    bootstrap: SceneMethodBootstrap
    slices: NotRequired[list[ArtifactSlice]]


class SceneDistanceDifference(TypedDict):
    """A figure of two methods, and the second minus the first."""

    a: float | None
    b: float | None
    difference: float | None
    interval: list[float] | None


class SceneRateDifference(TypedDict):
    """A figure of two methods, and the second minus the first."""

    a: float | None
    b: float | None
    difference: float | None
    interval: list[float] | None


class SceneComparison(TypedDict):
    """`comparison` of the artifact."""

    a: str
    b: str
    metrics: dict[str, SceneDistanceDifference | SceneRateDifference]


class SceneArtifact(TypedDict):
    """Artifact of the scene suite."""

    suite: Literal["scene"]
    protocol: Literal["scene/1"]
    calipers: str
    engines: NotRequired[dict[str, str]]
    inputs: list[ArtifactInput]
    params: SceneParams
    records: ArtifactRecords
    methods: dict[str, SceneMethod]
    comparison: list[SceneComparison]
    warnings: list[str]
    rejected: list[ArtifactRejected]
