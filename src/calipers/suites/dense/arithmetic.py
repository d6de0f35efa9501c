"""The numbers of a dense artifact against each other."""

from __future__ import annotations

from calipers.core.arithmetic import CLOSE, Place, Tree, at_most, check_share, equal, expect
from calipers.core.cause_arithmetic import check_causes, check_confusion
from calipers.core.json_schema import Mismatch
from calipers.core.record_arithmetic import check_records
from calipers.core.slice_arithmetic import check_slices
from calipers.core.sweep_arithmetic import check_drawn, check_matched, check_numbers_of_objects, check_sums, check_sweep
from calipers.files.answers.arithmetic import check_answers

RATES = ("recall", "precision", "f1")


def check_dense(tree: Tree) -> None:
    """Records, objects, every mode, causes, attributes, coverage and replicates of the dense suite."""
    check_records(tree["records"], ("records",), "read")
    objects, params = tree["objects"], tree["params"]
    expect(list(tree["modes"]) == params["modes"], ("params", "modes"), params["modes"], f"{list(tree['modes'])}")
    for mode, sweep in tree["modes"].items():
        check_sweep(sweep, ("modes", mode), params)
        for side in ("gt", "pred"):
            equal(sweep["primary"][side], objects[side], ("modes", mode, "primary", side), f"objects.{side}")
    _check_objects(tree)
    if "answers" in tree:
        check_answers(tree["answers"], tree["records"]["read"], "records.read")
    check_numbers_of_objects(tree["counts"], tree["records"]["evaluated"])
    _check_attributes(tree["attributes"])
    for name, row in tree["coverage"].items():
        _check_coverage(row, ("coverage", name))
    check_drawn(tree, ("bootstrap",))
    check_sums(tree["bootstrap"]["sums"], [f"{mode}." for mode in tree["modes"]], params)
    check_slices(tree, tree["records"]["evaluated"])


def check_replicates(tree: Tree) -> None:
    """The sums that the figures of each mode are ratios of are there."""
    for name in [f"{mode}.{column}" for mode in tree["modes"] for column in ("matched", "matched_over_sweep")]:
        if name not in tree["bootstrap"]["sums"]:
            raise Mismatch("is missing", "bootstrap", "sums", missing=name)


def _check_objects(tree: Tree) -> None:
    """Check that causes add up to the objects of both sides, and reasons to the invalid ones."""
    errors, objects = tree["errors"], tree["objects"]
    check_causes(tree, objects["gt"], objects["pred"], ())
    check_confusion(tree["confusion"], errors, objects, ("confusion",))
    if "category" in tree["modes"]:
        matched = tree["modes"]["category"]["primary"]["matched"]
        equal(errors["matched"], matched, ("errors", "matched"), "matched of modes.category.primary")
    reasons = sum(tree["invalid_reasons"].values())
    equal(objects["invalid_pred"], reasons, ("objects", "invalid_pred"), "the sum of invalid_reasons")
    for side in ("gt", "pred"):
        at_most(tree["unlabelled"][side], objects[side], ("unlabelled", side), f"objects.{side}")


def _check_attributes(attributes: Tree) -> None:
    """Rates of all keys from the counts of each."""
    rows = attributes["by_key"]
    for key, row in rows.items():
        check_matched(row, ("attributes", "by_key", key))
    totals = {name: sum(row[name] for row in rows.values()) for name in ("gt", "pred", "matched")}
    check_matched(totals | {name: attributes[name] for name in RATES}, ("attributes",))
    for key, row in attributes["text"].items():
        place = ("attributes", "text", key)
        check_share(row["exact"], row["n"], (*place, "exact"))
        if row["n"]:
            at_most(row["exact"], (row["similarity"] or 0) + CLOSE, (*place, "exact"), "similarity")
    distance = attributes["distance"]
    check_share(distance["exact"], distance["n"], ("attributes", "distance", "exact"))
    expect(
        (distance["mae"] is None) == (distance["n"] == 0), ("attributes", "distance", "mae"), distance["mae"], "a mean"
    )


def _check_coverage(row: Tree, place: Place) -> None:
    """Means over lines, null without any; no line has an F1 above the middle of its recall and its precision."""
    for name in RATES:
        expect((row[name] is None) == (row["n"] == 0), (*place, name), row[name], f"a mean of {row['n']} lines")
    if row["n"]:
        middle = (row["recall"] + row["precision"]) / 2
        at_most(row["f1"], middle + CLOSE, (*place, "f1"), "the middle of recall and precision")
