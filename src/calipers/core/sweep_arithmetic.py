"""Checks of sweeps over thresholds, and of the sums of their replicates, in artifacts of the dense and coco suites."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum
from operator import ge, le

from calipers.core.arithmetic import (
    Place,
    Tree,
    at_most,
    check_close,
    check_interval,
    check_intervals,
    check_mean,
    check_ratio,
    check_share,
    equal,
    expect,
    harmonic,
)

TIGHT = 0.5  # pairs of at least this overlap are in the mean of overlaps
COUNT_RATES = ("over_rate", "under_rate", "equal_rate")


def check_sweep(sweep: Tree, place: Place, params: Tree) -> None:
    """Every threshold of a sweep, the primary one, types and labels."""
    primary, rows = sweep["primary"], sweep["thresholds"]
    ious = [row["iou"] for row in rows]
    expect(ious == params["thresholds"], (*place, "thresholds"), ious, f"params.thresholds, {params['thresholds']}")
    equal(primary["iou"], params["primary_threshold"], (*place, "primary", "iou"), "params.primary_threshold")
    check_matched(primary, (*place, "primary"))
    check_intervals(primary["interval"], (*place, "primary", "interval"))
    check_interval(sweep["mean_f1_interval"], (*place, "mean_f1_interval"))
    for number, row in enumerate(rows):
        check_matched(row, (*place, "thresholds", number))
        for side in ("gt", "pred"):
            equal(row[side], primary[side], (*place, "thresholds", number, side), f"{side} of primary")
    check_mean(sweep["mean_f1"], [row["f1"] for row in rows], (*place, "mean_f1"))
    overlap = sweep["mean_overlap_matched"]
    expect(overlap is None or overlap >= TIGHT, (*place, "mean_overlap_matched"), overlap, f"at least {TIGHT}")
    tight = [row["matched"] for row in (*rows, primary) if row["iou"] == TIGHT]
    expect(
        not tight or (overlap is None) == (tight[0] == 0), (*place, "mean_overlap_matched"), overlap, "a mean of pairs"
    )
    _check_types(sweep["by_type"], (*place, "by_type"), primary)
    _check_labels(sweep["by_label"], (*place, "by_label"), primary)


def _check_types(types: Tree, place: Place, primary: Tree) -> None:
    for name, kind in types.items():
        for number, row in enumerate(kind["thresholds"]):
            _check_type(row, (*place, name, "thresholds", number))
        _check_type(kind["primary"], (*place, name, "primary"))
        check_mean(kind["mean_f1"], [row["f1"] for row in kind["thresholds"]], (*place, name, "mean_f1"))
    for part, whole in (("gt", "gt"), ("matched_gt", "matched")):
        total = sum(kind["primary"][part] for kind in types.values())
        equal(total, primary[whole], place, f"{whole} of primary", f"{part} of all types")
    at_most(sum(kind["primary"]["pred"] for kind in types.values()), primary["pred"], place, "pred of primary")


def _check_type(row: Tree, place: Place) -> None:
    for side, rate in (("gt", "recall"), ("pred", "precision")):
        at_most(row[f"matched_{side}"], row[side], (*place, f"matched_{side}"), side)
        check_ratio(row[rate], row[f"matched_{side}"], row[side], (*place, rate))
    both = harmonic(row["precision"], row["recall"])
    one_sided = both is None and (row["gt"] or row["pred"])
    check_close(row["f1"], 0.0 if one_sided else both, (*place, "f1"), "the harmonic mean of precision and recall")


def _check_labels(rows: list[Tree], place: Place, primary: Tree) -> None:
    for number, row in enumerate(rows):
        check_matched(row, (*place, number))
    for name in ("gt", "pred", "matched"):
        at_most(sum(row[name] for row in rows), primary[name], place, f"{name} of primary")


def check_matched(row: Tree, place: Place) -> None:
    """Matched objects, of those on both sides, and the rates they make."""
    gt, pred, matched = row["gt"], row["pred"], row["matched"]
    at_most(matched, min(gt, pred), (*place, "matched"), "gt and pred")
    for name, part, whole in (("precision", matched, pred), ("recall", matched, gt), ("f1", 2 * matched, gt + pred)):
        if name in row:
            check_ratio(row[name], part, whole, (*place, name))
    if "accuracy" in row:
        check_ratio(row["accuracy"], matched, gt, (*place, "accuracy"))


def check_numbers_of_objects(counts: Tree, evaluated: int) -> None:
    """Records with more, fewer and as many predictions are all records."""
    for name in COUNT_RATES:
        check_share(counts[name], evaluated, ("counts", name))
    if evaluated:
        check_close(fsum(counts[name] for name in COUNT_RATES), 1.0, ("counts",), "rates that add up to")
    expect((counts["mae"] is None) == (evaluated == 0), ("counts", "mae"), counts["mae"], "a mean of evaluated records")


def check_drawn(tree: Tree, place: Place) -> None:
    """The replicates are those of the parameters."""
    bootstrap, params = tree["bootstrap"], tree["params"]
    equal(bootstrap["replicates"], params["bootstrap"], (*place, "replicates"), "params.bootstrap")
    equal(bootstrap["seed"], params["seed"], (*place, "seed"), "params.seed")


def check_sums(sums: Tree, prefixes: Iterable[str], params: Tree) -> None:
    """In each replicate no more is matched than there is, and over the sweep no more and no less than thresholds tell.

    What is matched at a threshold is matched at every lower one: above the primary threshold no more than at it, below
    it no less.
    """
    lower = sum(threshold <= params["primary_threshold"] for threshold in params["thresholds"])
    higher = len(params["thresholds"]) - lower
    for prefix in prefixes:
        matched, swept = sums[f"{prefix}matched"], sums[f"{prefix}matched_over_sweep"]
        for side in ("gt", "pred"):
            place = ("bootstrap", "sums", f"{prefix}matched")
            expect(all(map(le, matched, sums[side])), place, matched, f"in no replicate more than {side}")
            counted = zip(sums[side], matched, strict=True)
            upper_bounds = [lower * count + higher * some for count, some in counted]
            place = ("bootstrap", "sums", f"{prefix}matched_over_sweep")
            expect(
                all(map(le, swept, upper_bounds)), place, swept, f"in no replicate more than {side} at all thresholds"
            )
        lower_bounds = [lower * some for some in matched]
        expect(
            all(map(ge, swept, lower_bounds)),
            place,
            swept,
            "in no replicate less than what is matched at lower thresholds",
        )
