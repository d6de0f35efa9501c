"""Checks that causes of errors in an artifact add up to its objects, and that gains follow from the causes."""

from __future__ import annotations

from calipers.core.arithmetic import Place, Tree, check_close, check_interval, equal
from calipers.core.causes import CAUSES, OF_TWO_OBJECTS

ALONE = {"gt": ("missed",), "pred": ("duplicate", "spurious")}


def check_causes(tree: Tree, gt: int, pred: int, place: Place) -> None:
    """Matches and errors of each side are all its objects, errors of all labels all errors; worth follows from them."""
    errors = tree["errors"]
    for side, objects in (("gt", gt), ("pred", pred)):
        total = sum(errors[name] for name in ("matched", *OF_TWO_OBJECTS, *ALONE[side]))
        equal(total, objects, (*place, "errors"), side, f"matched and what is wrong of {side}")
    for cause in CAUSES:
        labelled = sum(row[cause] for row in tree["errors_by_label"])
        equal(labelled, errors[cause], (*place, "errors_by_label"), f"errors.{cause}", f"{cause} of all labels")
    _check_worth(tree["worth"], errors, gt + pred, (*place, "worth"))


def _check_worth(worth: Tree, errors: Tree, objects: int, place: Place) -> None:
    for cause, entry in worth["f1"].items():
        gain = _gain(cause, errors[cause], errors["matched"], objects)
        check_close(entry["gain"], gain, (*place, "f1", cause, "gain"), "what follows from errors")
    for figure, entries in worth.items():
        for cause, entry in (entries or {}).items():
            check_interval(entry["interval"], (*place, figure, cause, "interval"))


def _gain(cause: str, errors: int, matched: int, objects: int) -> float | None:
    """What a cause is worth in F1: see `calipers.core.worth`."""
    right = matched + (0 if cause in ALONE["pred"] else errors)
    left = objects + {"missed": errors, "duplicate": -errors, "spurious": -errors}.get(cause, 0)
    return 2 * right / left - 2 * matched / objects if left and objects else None


def check_confusion(confusion: Tree, errors: Tree, objects: Tree, place: Place) -> None:
    """Pairs are matches and wrong labels; with what is left of either side they are all its objects."""
    pairs = sum(count for row in confusion["matched"].values() for count in row.values())
    equal(pairs, errors["matched"] + errors["wrong_label"], (*place, "matched"), "matched + wrong_label of errors")
    for name, side in (("missed", "gt"), ("background", "pred")):
        left = sum(confusion[name].values())
        equal(pairs + left, objects[side], (*place, name), f"objects.{side}", f"pairs and {name}")
