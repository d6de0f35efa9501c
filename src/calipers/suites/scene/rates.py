"""Rates of boxes in scenes: from sums to every general, macro and open-set number, each defined once.

A sum is an array over draws: one draw for the whole set, or one for each replicate of the bootstrap. NaN is undefined.

- precision = tp / pred, recall = tp / gt, f1 = 2 tp / (gt + pred);
- strict_accuracy, relaxed_accuracy: the share of matched pairs where both centroids, or at least one, lie in the box of
  the other; strict_precision, relaxed_precision: the same pairs as a share of all predictions;
- mean_iou_3d, mean_centroid_error_m: means over matched pairs;
- f1_relaxed: the harmonic mean of relaxed_accuracy and mean_iou_3d;
- mean_…_per_class: the mean of a class's own value over the classes with a match, each class once;
- osR, osP: correct ones over objects of all tasks, and over relevant predictions;
- F1_os: the harmonic mean of the two relaxed ones.

A harmonic mean is 0 when its parts sum to 0, and undefined when one of them is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Sums = Mapping[str, Floats]  # name -> (draws,), or (classes, draws) under a name that begins with "class_"

DETECTION = ("precision", "recall", "f1")
GEOMETRY = (
    "mean_iou_3d",
    "mean_centroid_error_m",
    "strict_accuracy",
    "relaxed_accuracy",
    "strict_precision",
    "relaxed_precision",
    "f1_relaxed",
)
MACRO = (
    "mean_strict_accuracy_per_class",
    "mean_relaxed_accuracy_per_class",
    "mean_iou_3d_per_class",
    "mean_centroid_error_m_per_class",
)
MACRO_SUMS = ("strict", "relaxed", "iou", "error")  # what each of them is the mean of, over tp
OPEN_SET = ("osR_strict", "osR_relaxed", "osP_strict", "osP_relaxed", "F1_os")
CLASS_SUMS = ("tp", "strict", "relaxed", "iou", "error")
OPEN_SET_SUMS = (
    "os_gt",
    "os_found_strict",
    "os_found_relaxed",
    "os_relevant",
    "os_correct_strict",
    "os_correct_relaxed",
)


def scene_rates(sums: Sums) -> dict[str, Floats]:
    """Every rate, by its name; those over classes and open-set ones if their sums are there."""
    rates = _general(sums)
    if "class_tp" in sums:
        rates |= _macro(sums)
    if "os_gt" in sums:
        rates |= _open_set(sums)
    return rates


def _general(sums: Sums) -> dict[str, Floats]:
    gt, pred, tp = sums["gt"], sums["pred"], sums["tp"]
    relaxed, iou = over(sums["relaxed"], tp), over(sums["iou"], tp)
    return {
        "precision": over(tp, pred),
        "recall": over(tp, gt),
        "f1": over(2 * tp, gt + pred),
        "mean_iou_3d": iou,
        "mean_centroid_error_m": over(sums["error"], tp),
        "strict_accuracy": over(sums["strict"], tp),
        "relaxed_accuracy": relaxed,
        "strict_precision": over(sums["strict"], pred),
        "relaxed_precision": over(sums["relaxed"], pred),
        "f1_relaxed": harmonic(relaxed, iou),
    }


def _macro(sums: Sums) -> dict[str, Floats]:
    tp = sums["class_tp"]
    means = (_mean_of_defined(over(sums[f"class_{part}"], tp)) for part in MACRO_SUMS)
    return dict(zip(MACRO, means, strict=True))


class MacroRates:
    """The means over classes, of classes that come a few at a time in their order."""

    def __init__(self, draws: int) -> None:
        self._sums = dict.fromkeys(MACRO, np.zeros(draws))
        self._classes = np.zeros(draws, dtype=np.int64)

    def add(self, sums: Sums) -> None:
        """Add some classes, as sums of (classes, draws)."""
        tp = sums["class_tp"]
        self._classes = self._classes + (tp > 0).sum(axis=0)
        for name, part in zip(MACRO, MACRO_SUMS, strict=True):
            values = over(sums[f"class_{part}"], tp)
            self._sums[name] = np.vstack([self._sums[name], np.where(tp > 0, values, 0.0)]).sum(axis=0)

    def rates(self) -> dict[str, Floats]:
        """The mean of each rate over the classes that have one."""
        return {name: over(total, self._classes) for name, total in self._sums.items()}


def _open_set(sums: Sums) -> dict[str, Floats]:
    rates = {
        "osR_strict": over(sums["os_found_strict"], sums["os_gt"]),
        "osR_relaxed": over(sums["os_found_relaxed"], sums["os_gt"]),
        "osP_strict": over(sums["os_correct_strict"], sums["os_relevant"]),
        "osP_relaxed": over(sums["os_correct_relaxed"], sums["os_relevant"]),
    }
    return rates | {"F1_os": harmonic(rates["osR_relaxed"], rates["osP_relaxed"])}


def over(part: Any, whole: Any) -> Floats:
    """part / whole, undefined without a whole.

    >>> over(np.array([1.0, 0.0]), np.array([4.0, 0.0])).tolist()
    [0.25, nan]
    """
    whole = np.asarray(whole, dtype=np.float64)
    out: Floats = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out


def harmonic(a: Floats, b: Floats) -> Floats:
    """The harmonic mean of two rates.

    >>> harmonic(np.array([0.5, 0.0, np.nan]), np.array([1.0, 0.0, 1.0])).tolist()
    [0.6666666666666666, 0.0, nan]
    """
    total = a + b
    out: Floats = np.where(np.isnan(total), np.nan, 0.0)
    np.divide(2 * a * b, total, out=out, where=total > 0)
    return out


def _mean_of_defined(values: Floats) -> Floats:
    """The mean over classes where a value is defined; of (classes, draws), (draws,)."""
    defined = ~np.isnan(values)
    return over(np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0))


def plain(value: Any) -> float | None:
    """A number as the artifact has it.

    >>> plain(np.float64(0.5)), plain(np.nan)
    (0.5, None)
    """
    return None if np.isnan(value) else float(value)
