"""The numbers of slices against each other and against those of the whole result."""

from __future__ import annotations

from calipers.core.arithmetic import CLOSE, Place, Tree, at_most, equal, expect
from calipers.core.json_schema import Mismatch


def check_slices(tree: Tree, evaluated: int, place: Place = ()) -> None:
    """Differences of every slice, and the replicates that it is compared by."""
    for at, part in enumerate(tree.get("slices", ())):
        here = (*place, "slices", at)
        at_most(part["records"], evaluated, (*here, "records"), "records that were evaluated")
        for name, figure in part["figures"].items():
            _check_difference(figure, (*here, "figures", name))
    for at, entry in enumerate(tree.get("bootstrap", {}).get("slices", ())):
        _check_sums(entry, tree["bootstrap"]["replicates"], (*place, "bootstrap", "slices", at))


def _check_difference(figure: Tree, place: Place) -> None:
    value, rest, difference = figure["value"], figure["rest"], figure["difference"]
    if value is None or rest is None:
        expect(difference is None, (*place, "difference"), difference, "null, as value or rest is")
    else:
        close = difference is not None and abs(difference - (value - rest)) <= CLOSE * max(1.0, abs(value), abs(rest))
        expect(close, (*place, "difference"), difference, "value - rest")


def _check_sums(entry: Tree, replicates: int, place: Place) -> None:
    needed = {name for figure in entry["figures"].values() for side in figure.values() for name in side}
    for at, row in enumerate(entry["values"]):
        for name in sorted(needed):
            if name not in row["sums"]:
                raise Mismatch("is missing", *map(str, (*place, "values", at, "sums")), missing=name)
            equal(len(row["sums"][name]), replicates, (*place, "values", at, "sums", name), "as many as replicates")
