"""Tables of a detection report: classes, confusion, curves, calibration. An undefined value is an empty cell."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from calipers.core.slice_views import has_slices, slices_table
from calipers.core.tables import (
    Named,
    Table,
    Tree,
    cause_table,
    confusion_table,
    label_cause_table,
    make_table,
    named,
    sweep_columns,
)
from calipers.show.tables import csv_table, csv_text
from calipers.suite import TableSpec

PER_CLASS = (
    "category_id",
    "name",
    "gt",
    "pred",
    "AP",
    "AP_50",
    "AR",
    "precision_at_recall",
    "precision_at_target",
    "best_score",
    "best_f1",
)
BINS = ("from", "to", "n", "score", "precision")
CURVES = ["class", "recall", "precision"]
POINTS = ("score", "precision", "recall", "f1", "false_positives_per_image")


def per_class_table(tree: Tree) -> Table:
    """One row per class, in the order of their ids."""
    return list(PER_CLASS), [{name: row.get(name) for name in PER_CLASS} for row in tree["per_class"]]


def curves_table(tree: Tree) -> Table:
    """Precision at IoU 0.50 for each step of recall, class after class; no rows where scores rank nothing."""
    return make_table(CURVES, (line for name, curve in tree["curves"].items() for line in _steps(name, curve)))


def _steps(name: str, curve: Tree) -> Iterator[tuple[str, float, float]]:
    return ((name, *step) for step in zip(curve["recall"], curve["precision"], strict=True))


def curves_csv(tree: Tree) -> bytes:
    """The table of curves as CSV: 101 lines a class, and thousands of rare classes have few different curves."""
    parts, known = [csv_table(CURVES, [])], dict[bytes, list[bytes]]()
    for name, curve in tree["curves"].items():
        key = orjson.dumps([curve["recall"], curve["precision"]])
        if key not in known:
            known[key] = [b"", *_lines("", curve)]
        parts += _lines(name, curve) if "\r" in name else [csv_text(name).join(known[key])]
    return b"".join(parts)


def _lines(name: str, curve: Tree) -> list[bytes]:
    """The lines of one class."""
    return csv_table(*make_table(CURVES, _steps(name, curve))).splitlines(keepends=True)[1:]


def calibration_table(tree: Tree) -> Table:
    """One row for each bin of scores; no rows where scores are no probabilities."""
    calibration = tree.get("calibration")
    return list(BINS), [{name: row[name] for name in BINS} for row in (calibration["bins"] if calibration else ())]


def operating_points_table(tree: Tree) -> Table:
    """One row for each score to cut at, all classes together; no rows where scores are no probabilities."""
    return list(POINTS), [{name: row[name] for name in POINTS} for row in tree.get("operating_points") or ()]


def ap_worth_table(tree: Tree) -> Table:
    """One row for each cause, all wrong detections and all misses: what AP_50 would gain; no rows where undefined."""
    gains = tree["worth"].get("ap_50") or {}
    rows = ((cause, entry["gain"], *(entry["interval"] or (None, None))) for cause, entry in gains.items())
    return make_table(["cause", "gain", "low", "high"], rows)


def thresholds_table(tree: Tree) -> Table:
    """One row for each threshold of the score-free sweep."""
    return sweep_columns("iou"), [dict(row) for row in tree["sweep"]["thresholds"]]


def slice_rows(tree: Tree) -> Table:
    """One row for each figure of each slice; `sure` and `worth` stand in the row of the figure they are about."""
    return slices_table(tree, "sweep.f1")


TABLES = {
    "classes": TableSpec(make=per_class_table, file="per_class.csv"),
    "thresholds": TableSpec(make=thresholds_table),
    "errors": TableSpec(make=cause_table, file="errors.csv"),
    "label_errors": TableSpec(make=label_cause_table, file="errors_by_label.csv"),
    "ap_worth": TableSpec(make=ap_worth_table, file="ap_worth.csv"),
    "confusion": TableSpec(make=confusion_table, file="confusion.csv"),
    "curves": TableSpec(make=curves_table, file="curves.csv", write_csv=curves_csv),
    "calibration": TableSpec(make=calibration_table, file="calibration.csv"),
    "operating_points": TableSpec(make=operating_points_table, file="operating_points.csv"),
    "slices": TableSpec(make=slice_rows, file="slices.csv", is_there=has_slices),
}


def flat(tree: Tree) -> Iterator[Named]:
    """Numbers without an interval: how counts compare, causes."""
    yield from named("counts", tree["counts"])
    yield from named("errors", tree["errors"])
