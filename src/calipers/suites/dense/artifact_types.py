"""The artifact of the dense suite as types, for editors and type checkers.

Made from `schema.json` by tests/generated/regenerate.py; not to be changed by hand.
"""

from typing import Literal, NotRequired, TypedDict

from calipers.core.artifact_types import (
    ArtifactAnswers,
    ArtifactConfusion,
    ArtifactCounts,
    ArtifactInput,
    ArtifactLabelErrors,
    ArtifactRecords,
    ArtifactRejected,
    ArtifactSlice,
    ArtifactSliceSums,
    ArtifactSweep,
)


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


class DenseObjects(TypedDict):
    """`objects` of the artifact."""

    gt: int
    pred: int
    invalid_pred: int
    clamped: int
    repaired: int
    degenerate: int


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


class DenseBootstrap(TypedDict):
    """`bootstrap` of the artifact."""

    replicates: int
    seed: int
    sums: dict[str, list[int]]
    slices: NotRequired[list[ArtifactSliceSums]]


class DenseArtifact(TypedDict):
    """Artifact of the dense suite."""

    suite: Literal["dense"]
    protocol: Literal["dense/1"]
    calipers: str
    engines: NotRequired[dict[str, str]]
    inputs: list[ArtifactInput]
    params: DenseParams
    records: ArtifactRecords
    objects: DenseObjects
    answers: NotRequired[ArtifactAnswers]
    modes: dict[str, ArtifactSweep]
    counts: ArtifactCounts
    errors: DenseErrors
    errors_by_label: list[ArtifactLabelErrors]
    worth: DenseWorth
    confusion: ArtifactConfusion
    attributes: DenseAttributes
    coverage: DenseCoverage
    invalid_reasons: dict[str, int]
    unlabelled: DenseUnlabelled
    bootstrap: DenseBootstrap
    rejected: list[ArtifactRejected]
    slices: NotRequired[list[ArtifactSlice]]
