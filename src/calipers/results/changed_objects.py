"""Objects that one result found and the other did not, by the places they have in the ground truth.

An object is fixed when only the new result has a partner for it, and broken when only the old one has. Predictions have
no identity across results, so false positives are counted by record: what a record has fewer of is gone, what it has
more of is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from calipers.core.changes import BadCellError, ChangedObjects, Failures, Place
from calipers.core.errors import InputError
from calipers.results.artifacts import Result
from calipers.results.comparable import shared_groups
from calipers.suite import suite_of_tree

MAX_LISTED = 200


def changed_objects(old: Result, new: Result) -> dict[str, Any] | None:
    """Counts of fixed and broken objects, and the first of each; None if a result has no rows of objects."""
    spec = suite_of_tree(new.tree).changed
    if spec is None:
        return None
    groups = shared_groups(old, new)
    before = _failures(spec, old, {before: after for after, before in groups.items()})
    after = _failures(spec, new, {name: name for name in groups})
    return None if before is None or after is None else _tree(spec, before, after)


def _failures(spec: ChangedObjects, result: Result, groups: Mapping[str, str]) -> Failures | None:
    try:
        return spec.failures(result.tree, result.rows, groups)
    except BadCellError as error:
        raise InputError(f"{result.name}: the table of matches: {error}") from None


def _tree(spec: ChangedObjects, before: Failures, after: Failures) -> dict[str, Any]:
    fixed, broken = before.missed - after.missed, after.missed - before.missed
    gone, more = before.false - after.false, after.false - before.false
    return {
        "fixed": fixed.total(),
        "broken": broken.total(),
        "false_positives_gone": gone.total(),
        "false_positives_new": more.total(),
        "fixed_objects": _listed(fixed, spec.fields),
        "broken_objects": _listed(broken, spec.fields),
        "false_positives_gone_records": _by_count(gone, spec.record_fields),
        "false_positives_new_records": _by_count(more, spec.record_fields),
    }


def _listed(places: Counter[Place], names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [dict(zip(names, place, strict=True)) for place in sorted(places.elements())[:MAX_LISTED]]


def _by_count(records: Counter[Place], names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Records with how many of their false positives came or went, most first."""
    ordered = sorted(records.items(), key=lambda item: (-item[1], item[0]))[:MAX_LISTED]
    return [dict(zip(names, place, strict=True)) | {"n": n} for place, n in ordered]
