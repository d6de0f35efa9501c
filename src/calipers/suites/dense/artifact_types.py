"""The artifact of the dense suite as types, for editors and type checkers.

Made from `schema.json` by tests/generated/regenerate.py; not to be changed by hand.
"""

from typing import Literal, NotRequired, TypedDict


class DenseInput(TypedDict):
    """A file or folder that was read."""

    path: str
    sha256: str | None
    records: int | None


class DenseParams(TypedDict):
    """Every parameter that can change a number."""

    tube_tolerance: float
    primary_threshold: float
    thresholds: list[float]
    modes: list[str]
    label_key: str
    frame: str
    top: int
    bootstrap: int
    seed: int


class DenseRecords(TypedDict):
    """read = evaluated + skipped + rejected."""

    read: int
    evaluated: int
    rejected: int
    skipped: NotRequired[int]
    skipped_empty: NotRequired[int]


class DenseObjects(TypedDict):
    """`objects` of the artifact."""

    gt: int
    pred: int
    invalid_pred: int
    clamped: int
    repaired: int
    degenerate: int


class DenseAnswers(TypedDict):
    """Answers of models that predictions were read from, by what they were taken for and by status; absent if there is
    none."""

    families: dict[str, int]
    ok: int
    repaired: int
    truncated: int
    failed: int
    missing: NotRequired[int]


class DenseMatched(TypedDict):
    """Matched objects at a threshold: matched <= gt and pred, precision = matched / pred, recall = matched / gt, f1 = 2
    matched / (gt + pred)."""

    iou: float
    gt: int
    pred: int
    matched: int
    precision: float | None
    recall: float | None
    f1: float | None


class DensePrimaryInterval(TypedDict):
    """`primary_interval` of the artifact."""

    precision: list[float] | None
    recall: list[float] | None
    f1: list[float] | None


class DensePrimary(TypedDict):
    """Matches and rates at the primary threshold, with intervals."""

    iou: float
    gt: int
    pred: int
    matched: int
    precision: float | None
    recall: float | None
    f1: float | None
    interval: DensePrimaryInterval


class DenseMatchedByType(TypedDict):
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


class DenseSweepByType(TypedDict):
    """`sweep_by_type` of the artifact."""

    thresholds: list[DenseMatchedByType]
    primary: DenseMatchedByType
    mean_f1: float | None


class DenseSweepByLabel(TypedDict):
    """`sweep_by_label` of the artifact."""

    label: str
    gt: int
    pred: int
    matched: int
    precision: float | None
    recall: float | None
    f1: float | None


class DenseSweep(TypedDict):
    """One-to-one matching over the thresholds of the sweep."""

    thresholds: list[DenseMatched]
    primary: DensePrimary
    mean_f1: float | None
    mean_f1_interval: list[float] | None
    mean_overlap_matched: float | None
    by_type: dict[str, DenseSweepByType]
    by_label: list[DenseSweepByLabel]


class DenseCounts(TypedDict):
    """Numbers of objects in a record, predicted against true."""

    mae: float | None
    over_rate: float | None
    under_rate: float | None
    equal_rate: float | None


class DenseErrors(TypedDict):
    """What became of each object: matched, wrong_label, misplaced, wrong_label_and_place and missed add up to gt; the
    first four with duplicate and spurious to pred."""

    matched: int
    wrong_label: int
    misplaced: int
    wrong_label_and_place: int
    duplicate: int
    spurious: int
    missed: int


class DenseLabelErrors(TypedDict):
    """`label_errors` of the artifact."""

    label: str | None
    wrong_label: int
    misplaced: int
    wrong_label_and_place: int
    duplicate: int
    spurious: int
    missed: int


class DenseGain(TypedDict):
    """What every error of the cause is worth: the figure if they were right, minus the figure."""

    gain: float | None
    interval: list[float] | None


class DenseGains(TypedDict):
    """`gains` of the artifact."""

    wrong_label: DenseGain
    misplaced: DenseGain
    wrong_label_and_place: DenseGain
    duplicate: DenseGain
    spurious: DenseGain
    missed: DenseGain


class DenseWorth(TypedDict):
    """`worth` of the artifact."""

    f1: DenseGains
    mean_f1: DenseGains


class DenseConfusion(TypedDict):
    """`confusion` of the artifact."""

    matched: dict[str, dict[str, int]]
    missed: dict[str, int]
    background: dict[str, int]


class DenseAttributesByKey(TypedDict):
    """`attributes_by_key` of the artifact."""

    gt: int
    pred: int
    matched: int
    accuracy: float | None


class DenseAttributesText(TypedDict):
    """`attributes_text` of the artifact."""

    n: int
    exact: float | None
    similarity: float | None


class DenseAttributesDistance(TypedDict):
    """`attributes_distance` of the artifact."""

    n: int
    exact: float | None
    mae: float | None


class DenseAttributes(TypedDict):
    """`attributes` of the artifact."""

    pairs: int
    precision: float | None
    recall: float | None
    f1: float | None
    by_key: dict[str, DenseAttributesByKey]
    text: dict[str, DenseAttributesText]
    distance: DenseAttributesDistance


class DenseCoverageMatched(TypedDict):
    """`coverage_matched` of the artifact."""

    n: int
    recall: float | None
    precision: float | None
    f1: float | None


class DenseCoverageBest(TypedDict):
    """`coverage_best` of the artifact."""

    n: int
    recall: float | None
    precision: float | None
    f1: float | None


class DenseCoverage(TypedDict):
    """`coverage` of the artifact."""

    matched: DenseCoverageMatched
    best: DenseCoverageBest


class DenseUnlabelled(TypedDict):
    """`unlabelled` of the artifact."""

    gt: int
    pred: int


class DenseSliceSumsFigures(TypedDict):
    """`slice_sums_figures` of the artifact."""

    above: dict[str, int]
    below: dict[str, int]


class DenseSliceSumsValues(TypedDict):
    """`slice_sums_values` of the artifact."""

    value: str
    sums: dict[str, list[int]]


class DenseSliceSums(TypedDict):
    """The replicates of all slices by one field."""

    field: str
    figures: dict[str, DenseSliceSumsFigures]
    values: list[DenseSliceSumsValues]


class DenseBootstrap(TypedDict):
    """`bootstrap` of the artifact."""

    replicates: int
    seed: int
    sums: dict[str, list[int]]
    slices: NotRequired[list[DenseSliceSums]]


class DenseRejected(TypedDict):
    """A record that could not be read."""

    path: str
    problem: str


class DenseSliceFigure(TypedDict):
    """A figure of a slice against that of all other records: difference = value - rest."""

    value: float | None
    interval: list[float] | None
    rest: float | None
    difference: float | None
    difference_interval: list[float] | None
    p: float | None


class DenseSlice(TypedDict):
    """Figures of a group of records."""

    field: str
    value: str
    records: int
    objects: int | None
    figures: dict[str, DenseSliceFigure]
    sure: bool
    worth: float | None


class DenseArtifact(TypedDict):
    """Artifact of the dense suite."""

    suite: Literal["dense"]
    protocol: Literal["dense/1"]
    calipers: str
    engines: NotRequired[dict[str, str]]
    inputs: list[DenseInput]
    params: DenseParams
    records: DenseRecords
    objects: DenseObjects
    answers: NotRequired[DenseAnswers]
    modes: dict[str, DenseSweep]
    counts: DenseCounts
    errors: DenseErrors
    errors_by_label: list[DenseLabelErrors]
    worth: DenseWorth
    confusion: DenseConfusion
    attributes: DenseAttributes
    coverage: DenseCoverage
    invalid_reasons: dict[str, int]
    unlabelled: DenseUnlabelled
    bootstrap: DenseBootstrap
    rejected: list[DenseRejected]
    slices: NotRequired[list[DenseSlice]]
