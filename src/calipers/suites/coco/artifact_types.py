"""The artifact of the coco suite as types, for editors and type checkers.

Made from `schema.json` by tests/generated/regenerate.py; not to be changed by hand.
"""

from typing import Literal, NotRequired, TypedDict, final

from calipers.core.artifact_types import (
    ArtifactAnswers,
    ArtifactCalibration,
    ArtifactConfusion,
    ArtifactCounts,
    ArtifactInput,
    ArtifactLabelErrors,
    ArtifactRejected,
    ArtifactSlice,
    ArtifactSliceSums,
    ArtifactSweep,
)


class CocoParams(TypedDict):
    """Every parameter that can change a number."""

    iou_type: str
    max_dets: list[int]
    recall_target: float
    thresholds: list[float]
    primary_threshold: float
    top: int
    bootstrap: int
    seed: int


class CocoImages(TypedDict):
    """total = evaluated + skipped_empty + rejected."""

    total: int
    evaluated: int
    skipped_empty: int
    rejected: int
    without_pred: int


class CocoObjects(TypedDict):
    """`objects` of the artifact."""

    gt: int
    crowd: int
    pred: int
    invalid_pred: int
    cut_by_max_dets: int
    absent_class_pred: int
    in_crowd: int
    unlabelled: int


class CocoPerClass(TypedDict):
    """`per_class` of the artifact."""

    category_id: int
    name: str
    gt: int
    pred: int
    AP: float | None
    AP_50: float | None
    AR: NotRequired[float | None]
    precision_at_recall: float | None
    precision_at_target: float | None
    best_score: float | None
    best_f1: float | None


class CocoCurves(TypedDict):
    """`curves` of the artifact."""

    recall: list[float | None]
    precision: list[float | None]


class CocoOperatingPoints(TypedDict):
    """`operating_points` of the artifact."""

    score: float
    precision: float | None
    recall: float | None
    f1: float | None
    false_positives_per_image: float | None


class CocoErrors(TypedDict):
    """What became of each object: matched, wrong_label, misplaced, wrong_label_and_place and missed add up to gt; the
    first four with duplicate and spurious to pred."""

    matched: int
    wrong_label: int
    misplaced: int
    wrong_label_and_place: int
    duplicate: int
    spurious: int
    missed: int
    in_crowd: int


class CocoGain(TypedDict):
    """What every error of the cause is worth: the figure if they were right, minus the figure."""

    gain: float | None
    interval: list[float] | None


class CocoGains(TypedDict):
    """`gains` of the artifact."""

    wrong_label: CocoGain
    misplaced: CocoGain
    wrong_label_and_place: CocoGain
    duplicate: CocoGain
    spurious: CocoGain
    missed: CocoGain


@final
class CocoApGains(TypedDict):
    """`ap_gains` of the artifact."""

    wrong_label: CocoGain
    misplaced: CocoGain
    wrong_label_and_place: CocoGain
    duplicate: CocoGain
    spurious: CocoGain
    missed: CocoGain
    false_positives: CocoGain
    misses: CocoGain


class CocoWorth(TypedDict):
    """`worth` of the artifact."""

    f1: CocoGains
    mean_f1: CocoGains
    ap_50: CocoApGains | None


class CocoAbsentClasses(TypedDict):
    """`absent_classes` of the artifact."""

    category_id: int
    name: str
    pred: int


class CocoBootstrap(TypedDict):
    """`bootstrap` of the artifact."""

    replicates: int
    seed: int
    values: dict[str, list[float | None]]
    bias: NotRequired[dict[str, float]]
    sums: dict[str, list[int]]
    slices: NotRequired[list[ArtifactSliceSums]]


class CocoArtifact(TypedDict):
    """Artifact of the coco suite."""

    suite: Literal["coco"]
    protocol: Literal["coco/1"]
    calipers: str
    engines: NotRequired[dict[str, str]]
    inputs: list[ArtifactInput]
    params: CocoParams
    images: CocoImages
    answers: NotRequired[ArtifactAnswers]
    objects: CocoObjects
    coco: dict[str, float | None]
    intervals: dict[str, list[float] | None]
    map_50: float | None
    precision_at_recall: float | None
    precision_at_target: float | None
    tie_mass: float | None
    ap_undefined_reason: str | None
    per_class: list[CocoPerClass]
    curves: dict[str, CocoCurves]
    calibration: ArtifactCalibration | None
    calibration_undefined_reason: str | None
    operating_points: list[CocoOperatingPoints] | None
    operating_points_undefined_reason: str | None
    confusion: ArtifactConfusion
    errors: CocoErrors
    errors_by_label: list[ArtifactLabelErrors]
    worth: CocoWorth
    worth_ap_50_undefined_reason: str | None
    sweep: ArtifactSweep
    counts: ArtifactCounts
    invalid_reasons: dict[str, int]
    absent_classes: list[CocoAbsentClasses]
    warnings: list[str]
    bootstrap: CocoBootstrap
    rejected: list[ArtifactRejected]
    slices: NotRequired[list[ArtifactSlice]]
