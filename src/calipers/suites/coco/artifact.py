"""What an artifact of the detection suite is about: images, and ground truth that comparable results share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from calipers.core.errors import ConfigError
from calipers.report import Report
from calipers.show.doubts import hopeless_lines, most_common, other_family
from calipers.suite import RecordCounts
from calipers.suites.coco.annotations.repeats import ALL_INVALID, IS_TRUTH
from calipers.suites.coco.columns import OTHER

Tree = Mapping[str, Any]
MANY = 5  # objects that are hardly all found exactly


def counts(tree: Tree) -> RecordCounts:
    """How many images there are and were evaluated."""
    images = tree["images"]
    return RecordCounts(images["total"], images["evaluated"], images["rejected"])


def headlines(tree: Tree) -> list[float | None]:
    """AP_50, or F1 at IoU 0.50 where scores rank nothing."""
    ap_50 = tree["coco"]["AP_50"]
    return [tree["sweep"]["primary"]["f1"] if ap_50 is None else ap_50]


def truth_facts(tree: Tree) -> Iterator[tuple[str, Any]]:
    """What two results over the same images have in common, by names that a message can say."""
    yield "images", tree["images"]["total"]
    yield "images rejected", tree["images"]["rejected"]
    yield "objects", tree["objects"]["gt"]
    yield from ((f"objects of the class {row['name']}", row["gt"]) for row in tree["per_class"] if row["name"] != OTHER)


def hopeless_predictions(report: Report) -> Iterator[str]:
    """A line where no detection could match, unless a warning of the reader has said so."""
    tree = report.tree
    if not any(ALL_INVALID in warning for warning in tree["warnings"]):
        yield from hopeless_lines("", tree["objects"], partial(most_common, tree["invalid_reasons"]))
    yield from other_family(tree)
    told = "answers" in tree or any(IS_TRUTH in warning for warning in tree["warnings"])
    if tree["coco"]["AP"] is None and tree["sweep"]["mean_f1"] == 1 and tree["objects"]["gt"] >= MANY and not told:
        yield f"every detection is an annotation, and not all of them have a score: {IS_TRUTH}"


def failed_keys(tree: Tree) -> list[str]:
    """The images whose annotations were rejected, each once; one that names no image leaves none out."""
    rejected = tree["rejected"]
    if any("image" not in entry for entry in rejected):
        raise ConfigError("failed: this result does not name the images of rejected annotations, expected a newer one")
    return list(dict.fromkeys(entry["image"] for entry in rejected if entry["image"] is not None))
