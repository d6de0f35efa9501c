"""What an artifact of the scene suite is about: methods, scenes, and boxes that comparable results share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from calipers.report import Report
from calipers.show.doubts import CHECK, hopeless_lines
from calipers.show.text import printable
from calipers.suite import RecordCounts

Tree = Mapping[str, Any]


def usual_form(tree: dict[str, Any]) -> dict[str, Any]:
    """An artifact with one method in the form of one with several; any other tree is returned unchanged."""
    if "methods" in tree:
        return tree
    return {**tree, "methods": {tree["method"]: tree}, "comparison": [], "warnings": []}


def counts(tree: Tree) -> RecordCounts:
    """How many scenes were read and evaluated."""
    records = tree["records"]
    return RecordCounts(records["read"], records["evaluated"], records["rejected"])


def headlines(tree: Tree) -> list[float | None]:
    """F1 of every method."""
    return [method["detection_metrics"]["f1"] for method in tree["methods"].values()]


def truth_facts(tree: Tree) -> Iterator[tuple[str, Any]]:
    """What two results over the same scenes have in common, scene by scene and class by class."""
    first, *_ = usual_form(dict(tree))["methods"].values()
    yield from ((f"boxes in the scene {name}", row["gt"]) for name, row in first["scenes"].items())
    yield from ((f"boxes of the class {name}", row["tp"] + row["fn"]) for name, row in first["per_class"].items())


def is_empty(tree: Tree) -> bool:
    """Whether there is no box on any side of any scene."""
    sides = ("gt", "pred", "ignored")
    return not any(method["counts"][side] for method in tree["methods"].values() for side in sides)


def hopeless_predictions(report: Report) -> Iterator[str]:
    """A line for every method that predicted nothing that could match, with the first problem."""
    for name, method in report.tree["methods"].items():
        who, counts = f"{printable(name)}: ", method["counts"]
        yield from hopeless_lines(who, counts, partial(_first_problem, method))
        yield from _without_labels(who, counts, method.get("label_resolution", {}).get("unlabelled", 0))


def _without_labels(who: str, counts: Tree, unlabelled: int) -> Iterator[str]:
    """A note on so many boxes without a label as a whole side has; invalid ones may lack theirs for another reason."""
    sides = counts["gt"], counts["pred"] - counts["invalid_pred"]
    if min(sides) and unlabelled - counts["invalid_pred"] >= min(sides):
        boxes = f"{unlabelled:,} of {counts['gt'] + counts['pred']:,} boxes of both sides"
        yield f"{who}{boxes} have no label, and are of no class ({CHECK})"


def _first_problem(method: Tree) -> str:
    """The first prediction that could not be read, with the reason."""
    rows = (row for row in method["unmatched_pred"] if row.get("reason"))
    return next((f"{printable(row['scene'])}: {printable(row['reason'])}" for row in rows), "unknown")


def failed_keys(tree: Tree) -> list[str]:
    """The scenes that were rejected."""
    return [entry["scene"] for entry in tree.get("rejected", ())]
