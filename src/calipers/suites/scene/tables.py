"""Tables of methods on scenes: methods, classes, scenes, causes of errors, causes of false positives.

`methods` are the trees of the methods by name, in the order they were given. An undefined value is an empty cell.
Columns of the open set and of average precision are there when a method has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from calipers.core.slice_views import COLUMNS, has_slices, slices_table
from calipers.core.tables import Named, Table, Tree, cause_table, label_cause_table, make_table, named
from calipers.suite import TableSpec
from calipers.suites.scene.rates import MACRO, OPEN_SET

Methods = dict[str, Any]
Columns = list[str]

COUNTS = ("gt", "pred", "tp", "fp", "fn", "invalid_pred", "ignored")
GENERAL = (
    "precision",
    "recall",
    "f1",
    "strict_accuracy",
    "relaxed_accuracy",
    "strict_precision",
    "relaxed_precision",
    "f1_relaxed",
    "mean_iou_3d",
    "mean_centroid_error_m",
)
BINS = ("from", "to", "n", "score", "precision")
POINTS = ("score", "precision", "recall", "f1", "false_positives_per_scene")
PER_CLASS = (
    "tp",
    "fp",
    "fn",
    "precision",
    "recall",
    "f1",
    "mean_iou_3d",
    "strict_accuracy",
    "relaxed_accuracy",
    "mean_centroid_error_m",
)


def metric(tree: Any, name: str) -> float | None:
    """A number of a method by its name, wherever in the tree it stands; None is undefined."""
    if name.startswith("ap_"):
        value: float | None = (tree["ap"] or {}).get(name.removeprefix("ap_"))
        return value
    parts = (tree["detection_metrics"], tree["geometry_metrics"], tree["benchmark_compat"], tree["counts"])
    return next((part[name] for part in parts if name in part), None)


def extra_metrics(methods: Methods) -> tuple[Columns, Columns]:
    """The names of the open set and of average precision that any method has; those of the latter begin with `ap_`."""
    trees = methods.values()
    open_set = [name for name in OPEN_SET if any(name in tree["benchmark_compat"] for tree in trees)]
    rulers = dict.fromkeys(ruler for tree in trees for ruler in tree["ap"] or {})
    return open_set, [f"ap_{ruler}" for ruler in rulers if ruler.startswith(("iou_", "distance_"))]


def summary_table(methods: Methods) -> Table:
    """One row for each method: counts, then general, macro and open-set metrics, then average precision."""
    open_set, ap = extra_metrics(methods)
    metrics = [*GENERAL, *MACRO, *open_set, *ap]
    rows = [
        {"method": name}
        | {count: tree["counts"].get(count) for count in COUNTS}
        | {column: metric(tree, column) for column in metrics}
        for name, tree in methods.items()
    ]
    return ["method", *COUNTS, *metrics], rows


def per_class_table(methods: Methods) -> Table:
    """One row for each class of each method."""
    rows = [
        {"method": name, "label": label} | {column: entry.get(column) for column in PER_CLASS}
        for name, tree in methods.items()
        for label, entry in tree["per_class"].items()
    ]
    return ["method", "label", *PER_CLASS], rows


def scenes_table(tree: Tree) -> Table:
    """One row for each scene of each method."""
    methods = tree["methods"].items()
    rows = {(name, scene): row for name, method in methods for scene, row in method["scenes"].items()}
    keys = dict.fromkeys(key for row in rows.values() for key in row)
    lines = ((*place, *(row.get(key) for key in keys)) for place, row in rows.items())
    return make_table(["method", "scene", *keys], lines)


def false_positive_table(tree: Tree) -> Table:
    """One row for each cause of false positives of each method."""
    methods = tree["methods"].items()
    lines = ((name, *item) for name, method in methods for item in method["fp_breakdown"].items())
    return make_table(["method", "cause", "n"], lines)


def has_sliced_methods(tree: Tree) -> bool:
    """Whether a result was sliced."""
    return any(map(has_slices, tree["methods"].values() if "methods" in tree else [tree]))


def scene_slices_table(tree: Tree) -> Table:
    """One row for each figure of each slice of each method; `sure` and `worth` stand in the rows of F1."""
    rows = [{"method": name} | row for name, method in tree["methods"].items() for row in slices_table(method, "f1")[1]]
    return ["method", *COLUMNS], rows


def _by_method(make: Callable[[Tree], Table], tree: Tree) -> Table:
    """The rows of a table of each method, under each other."""
    tables = {name: make(method) for name, method in tree["methods"].items()}
    columns = max((columns for columns, _ in tables.values()), key=len, default=[])
    return ["method", *columns], [{"method": name} | row for name, (_, rows) in tables.items() for row in rows]


def _of_methods(make: Callable[[Methods], Table], tree: Tree) -> Table:
    """A table of all methods."""
    return make(tree["methods"])


def calibration_table(tree: Tree) -> Table:
    """One row for each bin of scores of each method that has them."""
    methods = tree["methods"].items()
    rows = ((name, row) for name, method in methods for row in (method.get("calibration") or {}).get("bins", ()))
    return make_table(["method", *BINS], ((name, *(row[key] for key in BINS)) for name, row in rows))


def operating_points_table(tree: Tree) -> Table:
    """One row for each score to cut at of each method that has them, all classes together."""
    methods = tree["methods"].items()
    rows = ((name, row) for name, method in methods for row in method.get("operating_points") or ())
    return make_table(["method", *POINTS], ((name, *(row[key] for key in POINTS)) for name, row in rows))


TABLES = {
    "methods": TableSpec(make=partial(_of_methods, summary_table), file="summary.csv"),
    "classes": TableSpec(make=partial(_of_methods, per_class_table), file="per_class.csv"),
    "scenes": TableSpec(make=scenes_table),
    "errors": TableSpec(make=partial(_by_method, cause_table), file="errors.csv"),
    "label_errors": TableSpec(make=partial(_by_method, label_cause_table), file="errors_by_label.csv"),
    "false_positives": TableSpec(make=false_positive_table),
    "slices": TableSpec(make=scene_slices_table, file="slices.csv", is_there=has_sliced_methods),
    "calibration": TableSpec(make=calibration_table),
    "operating_points": TableSpec(make=operating_points_table),
}


def flat(tree: Tree) -> Iterator[Named]:
    """Numbers without an interval: average precision, and causes of false positives."""
    for name, method in tree["methods"].items():
        yield from ((f"{name}/{ap}", metric(method, ap)) for ap in extra_metrics({name: method})[1])
        yield from named(f"{name}/fp", method["fp_breakdown"])
