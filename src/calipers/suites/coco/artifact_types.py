"""The artifact of the coco suite as types, for editors and type checkers.

Made from `schema.json` by tests/generated/regenerate.py; not to be changed by hand.
"""

from typing import Literal, NotRequired, TypedDict, final


class CocoInput(TypedDict):
    """A file or folder that was read."""

    path: str
    sha256: str | None
    records: int | None


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


class CocoAnswers(TypedDict):
    """Answers of models that predictions were read from, by what they were taken for and by status; absent if there is
    none."""

    families: dict[str, int]
    ok: int
    repaired: int
    truncated: int
    failed: int
    missing: NotRequired[int]


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


CocoCalibrationBins = TypedDict(
    "CocoCalibrationBins",
    {
        "from": float,
        "to": float,
        "n": int,
        "score": float | None,
        "precision": float | None,
    },
)
"""`calibration_bins` of the artifact."""


class CocoCalibrationPerClass(TypedDict):
    """`calibration_per_class` of the artifact."""

    ece: float | None
    n: int
    best_f1: float | None
    best_score: float | None
    best_score_interval: list[float] | None
    optimal_lrp: float | None
    lrp_optimal_score: float | None


@final
class CocoCalibration(TypedDict):
    """`calibration` of the artifact."""

    ece: float | None
    ece_equal_mass: float | None
    mce: float | None
    brier: float | None
    bins: list[CocoCalibrationBins]
    per_class: dict[str, CocoCalibrationPerClass]


class CocoOperatingPoints(TypedDict):
    """`operating_points` of the artifact."""

    score: float
    precision: float | None
    recall: float | None
    f1: float | None
    false_positives_per_image: float | None


class CocoConfusion(TypedDict):
    """`confusion` of the artifact."""

    matched: dict[str, dict[str, int]]
    missed: dict[str, int]
    background: dict[str, int]


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


class CocoLabelErrors(TypedDict):
    """`label_errors` of the artifact."""

    label: str | None
    wrong_label: int
    misplaced: int
    wrong_label_and_place: int
    duplicate: int
    spurious: int
    missed: int


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


class CocoMatched(TypedDict):
    """Matched objects at a threshold: matched <= gt and pred, precision = matched / pred, recall = matched / gt, f1 = 2
    matched / (gt + pred)."""

    iou: float
    gt: int
    pred: int
    matched: int
    precision: float | None
    recall: float | None
    f1: float | None


class CocoPrimaryInterval(TypedDict):
    """`primary_interval` of the artifact."""

    precision: list[float] | None
    recall: list[float] | None
    f1: list[float] | None


class CocoPrimary(TypedDict):
    """Matches and rates at the primary threshold, with intervals."""

    iou: float
    gt: int
    pred: int
    matched: int
    precision: float | None
    recall: float | None
    f1: float | None
    interval: CocoPrimaryInterval


class CocoMatchedByType(TypedDict):
    """Objects of one type, which may be matched with another: precision = matched_pred / pred, recall = matched_gt /
    gt, f1 their harmonic mean."""

    iou: float
    gt: int
    pred: int
    matched_gt: int
    matched_pred: int
    precision: float | None
    recall: float | None
    f1: float | None


class CocoSweepByType(TypedDict):
    """`sweep_by_type` of the artifact."""

    thresholds: list[CocoMatchedByType]
    primary: CocoMatchedByType
    mean_f1: float | None


class CocoSweepByLabel(TypedDict):
    """`sweep_by_label` of the artifact."""

    label: str
    gt: int
    pred: int
    matched: int
    precision: float | None
    recall: float | None
    f1: float | None


class CocoSweep(TypedDict):
    """One-to-one matching over the thresholds of the sweep."""

    thresholds: list[CocoMatched]
    primary: CocoPrimary
    mean_f1: float | None
    mean_f1_interval: list[float] | None
    mean_overlap_matched: float | None
    by_type: dict[str, CocoSweepByType]
    by_label: list[CocoSweepByLabel]


class CocoCounts(TypedDict):
    """Numbers of objects in a record, predicted against true."""

    mae: float | None
    over_rate: float | None
    under_rate: float | None
    equal_rate: float | None


class CocoAbsentClasses(TypedDict):
    """`absent_classes` of the artifact."""

    category_id: int
    name: str
    pred: int


class CocoSliceSumsFigures(TypedDict):
    """`slice_sums_figures` of the artifact."""

    above: dict[str, int]
    below: dict[str, int]


class CocoSliceSumsValues(TypedDict):
    """`slice_sums_values` of the artifact."""

    value: str
    sums: dict[str, list[int]]


class CocoSliceSums(TypedDict):
    """The replicates of all slices by one field."""

    field: str
    figures: dict[str, CocoSliceSumsFigures]
    values: list[CocoSliceSumsValues]


class CocoBootstrap(TypedDict):
    """`bootstrap` of the artifact."""

    replicates: int
    seed: int
    values: dict[str, list[float | None]]
    bias: NotRequired[dict[str, float]]
    sums: dict[str, list[int]]
    slices: NotRequired[list[CocoSliceSums]]


class CocoRejected(TypedDict):
    """A record that could not be read."""

    path: str
    problem: str


class CocoSliceFigure(TypedDict):
    """A figure of a slice against that of all other records: difference = value - rest."""

    value: float | None
    interval: list[float] | None
    rest: float | None
    difference: float | None
    difference_interval: list[float] | None
    p: float | None


class CocoSlice(TypedDict):
    """Figures of a group of records."""

    field: str
    value: str
    records: int
    objects: int | None
    figures: dict[str, CocoSliceFigure]
    sure: bool
    worth: float | None


class CocoArtifact(TypedDict):
    """Artifact of the coco suite."""

    suite: Literal["coco"]
    protocol: Literal["coco/1"]
    calipers: str
    engines: NotRequired[dict[str, str]]
    inputs: list[CocoInput]
    params: CocoParams
    images: CocoImages
    answers: NotRequired[CocoAnswers]
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
    calibration: CocoCalibration | None
    calibration_undefined_reason: str | None
    operating_points: list[CocoOperatingPoints] | None
    operating_points_undefined_reason: str | None
    confusion: CocoConfusion
    errors: CocoErrors
    errors_by_label: list[CocoLabelErrors]
    worth: CocoWorth
    worth_ap_50_undefined_reason: str | None
    sweep: CocoSweep
    counts: CocoCounts
    invalid_reasons: dict[str, int]
    absent_classes: list[CocoAbsentClasses]
    warnings: list[str]
    bootstrap: CocoBootstrap
    rejected: list[CocoRejected]
    slices: NotRequired[list[CocoSlice]]
