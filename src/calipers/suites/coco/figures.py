"""The figures of the detection suite: the lines of COCO, precision at the target recall, and the score-free sweep."""

from __future__ import annotations

from calipers.core.figures import FigureSpec, Floats, Tree
from calipers.core.sweep_figures import sweep_replicates, sweep_specs

AREAS = {"small": "small objects", "medium": "medium objects", "large": "large objects"}
OTHER_NAMES = {  # the lines that COCO prints, and what others call figures
    "AP": ("Average Precision", "mAP"),
    "AP_50": ("mAP 50",),
    "AP_75": ("mAP 75",),
    "AR": ("Average Recall",),
}


def _line(name: str, label: str, definition: str, *, headline: bool = False, at: str = "coco.") -> FigureSpec:
    return FigureSpec(
        name=name,
        path=f"{at}{name}",
        interval=f"intervals.{name}",
        replicates=f"bootstrap.values.{name}",
        label=label,
        biased=True,
        headline=headline,
        definition=definition,
        also=OTHER_NAMES.get(name, ()),
    )


def max_dets(tree: Tree) -> list[str]:
    """The numbers of detections that recall is reported at; keypoints have none of their own."""
    return [] if tree["params"]["iou_type"] == "keypoints" else [str(most) for most in tree["params"]["max_dets"]]


FIGURES = (
    _line("AP", "AP", "mean over IoU thresholds 0.50:0.95 and classes of average precision", headline=True),
    _line("AP_50", "AP at IoU 0.50", "mean over classes of average precision at IoU 0.50", headline=True),
    _line("AP_75", "AP at IoU 0.75", "mean over classes of average precision at IoU 0.75", headline=True),
    *(_line(f"AP_{area}", f"AP of {label}", f"AP of {label} alone", headline=True) for area, label in AREAS.items()),
    _line("AR", "AR", "mean over OKS thresholds 0.50:0.95 and classes of recall; of keypoints"),
    _line("AR_50", "AR at 0.50", "mean over classes of recall at OKS 0.50; of keypoints"),
    _line("AR_75", "AR at 0.75", "mean over classes of recall at OKS 0.75; of keypoints"),
    FigureSpec(
        name="AR_{}",
        path="coco.AR_{}",
        interval="intervals.AR_{}",
        replicates="bootstrap.values.AR_{}",
        label="AR with {} detections",
        biased=True,
        each=max_dets,
        definition="mean over IoU thresholds and classes of recall with at most so many detections per class and image",
    ),
    *(_line(f"AR_{area}", f"AR of {label}", f"AR of {label} alone") for area, label in AREAS.items()),
    _line(
        "precision_at_recall",
        "precision beyond the target recall",
        "mean over classes of the mean precision at recalls ≥ the target, at IoU 0.50",
        at="",
    ),
    _line(
        "precision_at_target",
        "precision at the target recall",
        "mean over classes of the best precision at the target recall or beyond, at IoU 0.50",
        headline=True,
        at="",
    ),
    *sweep_specs("sweep.", "sweep", None, headline=("f1", "mean_f1")),
)


def replicates(tree: Tree) -> dict[str, Floats]:
    """The figures of the sweep in every replicate; those of COCO's lines are in the artifact."""
    return sweep_replicates(tree, "sweep.", "")


def main_group(names: list[str]) -> str:
    """What a bare name such as `f1` means: the sweep."""
    return "sweep"
