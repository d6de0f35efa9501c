"""What an artifact of the dense suite is about: records, and ground truth that comparable results share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from calipers.core.errors import keyword
from calipers.report import Report
from calipers.show.doubts import (
    hopeless_lines,
    most_common,
    never_true,
    no_label_at_all,
    no_shared_label,
    other_family,
)
from calipers.show.text import printable
from calipers.suite import RecordCounts

Tree = Mapping[str, Any]


def counts(tree: Tree) -> RecordCounts:
    """How many records were read and evaluated."""
    records = tree["records"]
    return RecordCounts(records["read"], records["evaluated"], records["rejected"])


def headlines(tree: Tree) -> list[float | None]:
    """Mean F1 and F1 without labels, or of the mode that comes first where that was not asked for."""
    located = tree["modes"].get("localization") or next(iter(tree["modes"].values()))
    return [located["mean_f1"], located["primary"]["f1"]]


def truth_facts(tree: Tree) -> Iterator[tuple[str, Any]]:
    """What two results over the same records have in common, by names that a message can say."""
    yield "records read", tree["records"]["read"]
    yield "records rejected", tree["records"]["rejected"]
    yield "objects", tree["objects"]["gt"]
    for mode, sweep in tree["modes"].items():
        yield from ((f"objects of the {mode} {row['label']}", row["gt"]) for row in sweep["by_label"] if row["gt"])


def doubts(tree: Tree, hints: list[str]) -> Iterator[str]:
    """Predictions that reach outside the frame, which may be another reading, and labels that are never true."""
    objects = tree["objects"]
    if objects["clamped"] > max(4, objects["pred"] // 20):
        more = "" if hints else " (calipers check tells what they may be)"
        yield f"{objects['clamped']:,} predictions reach outside the frame, and are cut to it{more}"
    rows = tree["modes"]["category"]["by_label"] if "category" in tree["modes"] else []
    yield from never_true({row["label"]: (row["gt"], row["pred"]) for row in rows})


def hopeless_predictions(report: Report) -> Iterator[str]:
    """A line where no prediction could match, with the first problem."""
    tree = report.tree
    yield from hopeless_lines("", tree["objects"], partial(_first_problem, report))
    yield from other_family(tree)
    rows = [row for mode in list(tree["modes"].values())[-1:] for row in mode["by_label"]]
    yield from no_shared_label(*([row["label"] for row in rows if row[side]] for side in ("gt", "pred")))
    objects, nameless = tree["objects"], tree["unlabelled"]
    key = printable(tree["params"]["label_key"])
    where = f"in desc: a word, or {key}=…, where {keyword('label_key', 'KEY')} names another key than {key}"
    yield from no_label_at_all(objects["gt"], nameless["gt"], "the ground truth", where)
    yield from no_label_at_all(objects["pred"] - objects["invalid_pred"], nameless["pred"], "the predictions", where)


def _first_problem(report: Report) -> str:
    return printable(report.first_invalid) or most_common(report["invalid_reasons"])
