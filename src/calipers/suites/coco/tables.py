"""Tables of a detection report: `per_class.csv`, `confusion.csv`, `curves.csv`. An undefined value is an empty cell."""

from __future__ import annotations

from collections.abc import Iterator

from calipers.core.tables import Named, Table, Tree, cause_table, named, sweep_columns
from calipers.suite import TableSpec

PER_CLASS = (
    "category_id",
    "name",
    "gt",
    "pred",
    "AP",
    "AP_50",
    "precision_at_recall",
    "precision_at_target",
    "best_score",
    "best_f1",
)


def per_class_table(tree: Tree) -> Table:
    """One row a class, in the order of their ids."""
    return list(PER_CLASS), [{name: row.get(name) for name in PER_CLASS} for row in tree["per_class"]]


def confusion_table(tree: Tree) -> Table:
    """One row for each pair of classes that met; missed objects have no `pred`, detections of nothing no `gt`.

    >>> confusion = {"matched": {"car": {"car": 9, "bus": 2}}, "missed": {"car": 1}, "background": {"bus": 3}}
    >>> for row in confusion_table({"confusion": confusion})[1]:
    ...     print(*row.values())
    car car 9 matched
    car bus 2 confused
    car None 1 missed
    None bus 3 background
    """
    columns = ["gt", "pred", "n", "kind"]
    return columns, [dict(zip(columns, cells, strict=True)) for cells in _cells(tree["confusion"])]


def _cells(confusion: Tree) -> Iterator[tuple[str | None, str | None, int, str]]:
    for gt, row in confusion["matched"].items():
        for pred, n in row.items():
            yield gt, pred, n, "matched" if gt == pred else "confused"
    for gt, n in confusion["missed"].items():
        yield gt, None, n, "missed"
    for pred, n in confusion["background"].items():
        yield None, pred, n, "background"


def curves_table(tree: Tree) -> Table:
    """Precision at IoU 0.50 for each step of recall, class after class; no rows where scores rank nothing."""
    rows = [
        {"class": name, "recall": recall, "precision": precision}
        for name, curve in tree["curves"].items()
        for recall, precision in zip(curve["recall"], curve["precision"], strict=True)
    ]
    return ["class", "recall", "precision"], rows


def thresholds_table(tree: Tree) -> Table:
    """One row for each threshold of the score-free sweep."""
    return sweep_columns("iou"), [dict(row) for row in tree["sweep"]["thresholds"]]


TABLES = {
    "classes": TableSpec(make=per_class_table, file="per_class.csv"),
    "thresholds": TableSpec(make=thresholds_table),
    "errors": TableSpec(make=cause_table),
    "confusion": TableSpec(make=confusion_table, file="confusion.csv"),
    "curves": TableSpec(make=curves_table, file="curves.csv"),
}


def flat(tree: Tree) -> Iterator[Named]:
    """Numbers without an interval: how counts compare, causes."""
    yield from named("counts", tree["counts"])
    yield from named("errors", tree["errors"])
