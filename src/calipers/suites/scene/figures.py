"""The figures of the scene suite, for each method: rates, localisation, means over classes, the open set."""

from __future__ import annotations

from typing import NamedTuple

from calipers.core.figures import SHARE, FigureSpec, Floats, Tree


class _Rate(NamedTuple):
    name: str
    label: str
    definition: str
    part: str = "geometry_metrics"  # of a method's artifact
    headline: bool = False
    also: tuple[str, ...] = ()  # what the summary calls it
    unit: str = SHARE
    higher_is_better: bool = True


DETECTION, COMPAT = "detection_metrics", "benchmark_compat"
METRES = "m"
STRICT = "matched pairs whose boxes contain each other's centres"
RELAXED = "matched pairs of which at least one box contains the other's centre"
FOUND_CLASSES = "the classes with a match"
TAKEN = "matches of the predictions that tasks took / true boxes with a class"
RELEVANT = "matches of relevant predictions / relevant predictions"
RATES = (
    _Rate("precision", "precision", "tp / (tp + fp)", DETECTION, headline=True),
    _Rate("recall", "recall", "tp / (tp + fn)", DETECTION, headline=True),
    _Rate("f1", "F1", "2 · tp / (2 · tp + fp + fn)", DETECTION, headline=True),
    _Rate("mean_iou_3d", "mean IoU", "mean over matches of the IoU of their volumes", headline=True),
    _Rate(
        "mean_centroid_error_m",
        "centroid error",
        "mean over matches of the distance of centres",
        headline=True,
        also=("error m", "centroid error, m"),
        unit=METRES,
        higher_is_better=False,
    ),
    _Rate("strict_accuracy", "strict accuracy", f"{STRICT} / matched pairs", also=("strict",)),
    _Rate("relaxed_accuracy", "relaxed accuracy", f"{RELAXED} / matched pairs", also=("relaxed",)),
    _Rate("strict_precision", "strict precision", f"{STRICT} / predicted boxes"),
    _Rate("relaxed_precision", "relaxed precision", f"{RELAXED} / predicted boxes"),
    _Rate(
        "f1_relaxed",
        "relaxed F1",
        "harmonic mean of relaxed accuracy and mean IoU",
        headline=True,
        also=("F1 relaxed",),
    ),
    _Rate(
        "mean_strict_accuracy_per_class",
        "strict accuracy by class",
        f"mean of strict accuracy over {FOUND_CLASSES}",
        COMPAT,
    ),
    _Rate(
        "mean_relaxed_accuracy_per_class",
        "relaxed accuracy by class",
        f"mean of relaxed accuracy over {FOUND_CLASSES}",
        COMPAT,
    ),
    _Rate("mean_iou_3d_per_class", "mean IoU by class", f"mean of the mean IoU over {FOUND_CLASSES}", COMPAT),
    _Rate(
        "mean_centroid_error_m_per_class",
        "centroid error by class",
        f"mean of the centroid error over {FOUND_CLASSES}",
        COMPAT,
        unit=METRES,
        higher_is_better=False,
    ),
    _Rate("osR_strict", "open-set recall, strict", f"strict {TAKEN}", COMPAT),
    _Rate("osR_relaxed", "open-set recall, relaxed", f"relaxed {TAKEN}", COMPAT, also=("osR",)),
    _Rate("osP_strict", "open-set precision, strict", f"strict {RELEVANT}", COMPAT),
    _Rate("osP_relaxed", "open-set precision, relaxed", f"relaxed {RELEVANT}", COMPAT, also=("osP",)),
    _Rate(
        "F1_os",
        "open-set F1",
        "harmonic mean of relaxed open-set recall and precision",
        COMPAT,
        headline=True,
        also=("F1 open set",),
    ),
)


def methods(tree: Tree) -> list[str]:
    """The methods of a result."""
    return list(tree["methods"])


def _spec(rate: _Rate) -> FigureSpec:
    return FigureSpec(
        name=f"{{}}.{rate.name}",
        path=f"methods.{{}}.{rate.part}.{rate.name}",
        interval=f"methods.{{}}.{rate.part}.{rate.name}_interval",
        replicates=f"methods.{{}}.bootstrap.values.{rate.name}",
        n="methods.{}.records.evaluated",
        label=rate.label,
        unit=rate.unit,
        higher_is_better=rate.higher_is_better,
        headline=rate.headline,
        each=methods,
        definition=rate.definition,
        also=rate.also,
    )


FIGURES = tuple(map(_spec, RATES))


def replicates(tree: Tree) -> dict[str, Floats]:
    """Nothing to compute: the artifact keeps every figure in every replicate."""
    return {}


def main_group(names: list[str]) -> str:
    """The method that a figure without one means, where there is only one."""
    return names[0] if len(names) == 1 else ""
