"""Tables of a dense report: thresholds, types, labels, causes, attributes. An undefined value is None."""

from __future__ import annotations

from collections.abc import Iterator

from calipers.core.slice_views import has_slices, slices_table
from calipers.core.sweep_figures import RATES
from calipers.core.tables import (
    Named,
    Table,
    Tree,
    cause_table,
    confusion_table,
    label_cause_table,
    named,
    sweep_columns,
)
from calipers.suite import TableSpec
from calipers.suites.dense.figures import slice_headline


def thresholds_table(tree: Tree) -> Table:
    """One row for each threshold of each label mode."""
    modes = tree["modes"].items()
    return ["mode", *sweep_columns("iou")], [
        {"mode": mode} | row for mode, sweep in modes for row in sweep["thresholds"]
    ]


def types_table(tree: Tree) -> Table:
    """One row for each type of shape in each label mode."""
    columns = ["mode", "type", "iou", "gt", "pred", "matched_gt", "matched_pred", *RATES, "mean_f1"]
    rows = [
        {"mode": mode, "type": name} | of_type["primary"] | {"mean_f1": of_type["mean_f1"]}
        for mode, sweep in tree["modes"].items()
        for name, of_type in sweep["by_type"].items()
    ]
    return columns, rows


def labels_table(tree: Tree) -> Table:
    """One row for each label in each label mode."""
    modes = tree["modes"].items()
    return ["mode", *sweep_columns("label")], [
        {"mode": mode} | row for mode, sweep in modes for row in sweep["by_label"]
    ]


def attributes_table(tree: Tree) -> Table:
    """One row for each attribute."""
    columns = ["key", "gt", "pred", "matched", "accuracy"]
    return columns, [{"key": key} | row for key, row in tree["attributes"]["by_key"].items()]


def slice_rows(tree: Tree) -> Table:
    """One row for each figure of each slice; `sure` and `worth` stand in the row of the figure they are about."""
    return slices_table(tree, slice_headline(tree))


TABLES = {
    "thresholds": TableSpec(make=thresholds_table, file="thresholds.csv"),
    "types": TableSpec(make=types_table, file="types.csv"),
    "labels": TableSpec(make=labels_table, file="labels.csv"),
    "errors": TableSpec(make=cause_table, file="errors.csv"),
    "label_errors": TableSpec(make=label_cause_table, file="errors_by_label.csv"),
    "confusion": TableSpec(make=confusion_table, file="confusion.csv"),
    "attributes": TableSpec(make=attributes_table),
    "slices": TableSpec(make=slice_rows, file="slices.csv", is_there=has_slices),
}


def flat(tree: Tree) -> Iterator[Named]:
    """Numbers without an interval: attributes of matched pairs, how counts compare, causes."""
    yield from named("attributes", {rate: tree["attributes"][rate] for rate in RATES})
    yield from named("counts", tree["counts"])
    yield from named("errors", tree["errors"])
