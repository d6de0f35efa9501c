"""Objects that artifacts of several suites hold, as types, for editors and type checkers.

Made from their schemas by tests/generated/regenerate.py; not to be changed by hand.
"""

from typing import NotRequired, TypedDict, final


class ArtifactInput(TypedDict):
    """A file or folder that was read."""

    path: str
    sha256: str | None
    records: int | None


class ArtifactRecords(TypedDict):
    """read = evaluated + skipped + rejected."""

    read: int
    evaluated: int
    rejected: int
    skipped: NotRequired[int]
    skipped_empty: NotRequired[int]


class ArtifactAnswers(TypedDict):
    """Answers of models that predictions were read from, by what they were taken for and by status; absent if there is
    none."""

    families: dict[str, int]
    ok: int
    repaired: int
    truncated: int
    failed: int
    missing: NotRequired[int]


class ArtifactMatched(TypedDict):
    """Matched objects at a threshold: matched <= gt and pred, precision = matched / pred, recall = matched / gt, f1 = 2
    matched / (gt + pred)."""

    iou: float
    gt: int
    pred: int
    matched: int
    precision: float | None
    recall: float | None
    f1: float | None


class ArtifactPrimaryInterval(TypedDict):
    """`primary_interval` of the artifact."""

    precision: list[float] | None
    recall: list[float] | None
    f1: list[float] | None


class ArtifactPrimary(TypedDict):
    """Matches and rates at the primary threshold, with intervals."""

    iou: float
    gt: int
    pred: int
    matched: int
    precision: float | None
    recall: float | None
    f1: float | None
    interval: ArtifactPrimaryInterval


class ArtifactMatchedByType(TypedDict):
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


class ArtifactSweepByType(TypedDict):
    """`sweep_by_type` of the artifact."""

    thresholds: list[ArtifactMatchedByType]
    primary: ArtifactMatchedByType
    mean_f1: float | None


class ArtifactSweepByLabel(TypedDict):
    """`sweep_by_label` of the artifact."""

    label: str
    gt: int
    pred: int
    matched: int
    precision: float | None
    recall: float | None
    f1: float | None


class ArtifactSweep(TypedDict):
    """One-to-one matching over the thresholds of the sweep."""

    thresholds: list[ArtifactMatched]
    primary: ArtifactPrimary
    mean_f1: float | None
    mean_f1_interval: list[float] | None
    mean_overlap_matched: float | None
    by_type: dict[str, ArtifactSweepByType]
    by_label: list[ArtifactSweepByLabel]


class ArtifactCounts(TypedDict):
    """Numbers of objects in a record, predicted against true."""

    mae: float | None
    over_rate: float | None
    under_rate: float | None
    equal_rate: float | None


class ArtifactLabelErrors(TypedDict):
    """`label_errors` of the artifact."""

    label: str | None
    wrong_label: int
    misplaced: int
    wrong_label_and_place: int
    duplicate: int
    spurious: int
    missed: int


class ArtifactConfusion(TypedDict):
    """`confusion` of the artifact."""

    matched: dict[str, dict[str, int]]
    missed: dict[str, int]
    background: dict[str, int]


class ArtifactSliceSumsFigures(TypedDict):
    """`slice_sums_figures` of the artifact."""

    above: dict[str, int]
    below: dict[str, int]


class ArtifactSliceSumsValues(TypedDict):
    """`slice_sums_values` of the artifact."""

    value: str
    sums: dict[str, list[int]]


class ArtifactSliceSums(TypedDict):
    """The replicates of all slices by one field."""

    field: str
    figures: dict[str, ArtifactSliceSumsFigures]
    values: list[ArtifactSliceSumsValues]


class ArtifactRejected(TypedDict):
    """A record that could not be read."""

    path: str
    problem: str


class ArtifactSliceFigure(TypedDict):
    """A figure of a slice against that of all other records: difference = value - rest."""

    value: float | None
    interval: list[float] | None
    rest: float | None
    difference: float | None
    difference_interval: list[float] | None
    p: float | None


class ArtifactSlice(TypedDict):
    """Figures of a group of records."""

    field: str
    value: str
    records: int
    objects: int | None
    figures: dict[str, ArtifactSliceFigure]
    sure: bool
    worth: float | None


ArtifactCalibrationBins = TypedDict(
    "ArtifactCalibrationBins",
    {
        "from": float,
        "to": float,
        "n": int,
        "score": float | None,
        "precision": float | None,
    },
)
"""`calibration_bins` of the artifact."""


class ArtifactCalibrationPerClass(TypedDict):
    """`calibration_per_class` of the artifact."""

    ece: float | None
    n: int
    best_f1: float | None
    best_score: float | None
    best_score_interval: list[float] | None
    optimal_lrp: float | None
    lrp_optimal_score: float | None


@final
class ArtifactCalibration(TypedDict):
    """`calibration` of the artifact."""

    ece: float | None
    ece_equal_mass: float | None
    mce: float | None
    brier: float | None
    bins: list[ArtifactCalibrationBins]
    per_class: dict[str, ArtifactCalibrationPerClass]
