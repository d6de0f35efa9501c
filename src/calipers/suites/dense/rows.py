"""Every object of a batch as a row: who its partner is, and, for those without one, why.

Rows of objects: key, side, index, type, labels, what is wrong with it, the partner and overlap in each mode at the
primary threshold, and the cause (see `metrics.objects`). Cases: each record with a miss or a false positive in
category mode, with the fields it carries, its unmatched objects, its pairs, what every object is called, and, always
last, how many are unmatched: whoever looks for the worst need not read the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calipers.core.causes import CAUSES, MATCHED, find_causes
from calipers.core.matching import UNIT, Pairs
from calipers.core.shapes import KINDS, Batch
from calipers.files.output import json_line
from calipers.files.problems import explain_object
from calipers.kernels.assign import first_pairs
from calipers.suites.dense.config import Config
from calipers.suites.dense.measure import Matched
from calipers.suites.dense.read import carried, side_objects

Rows = list[dict[str, Any]]
SIDES = ("gt", "pred")


def match_columns(params: Mapping[str, Any]) -> list[str]:
    """The columns of `match_rows`, in order."""
    partners = [f"{mode}_{what}" for mode in params["modes"] for what in ("partner", "overlap")]
    return ["key", "side", "index", "type", "phase", "category", "invalid", *partners, "cause"]


def match_rows(batch: Batch, matched: Matched, config: Config) -> Rows:
    """Every object of every record."""
    causes = _causes(batch, matched, config)
    partners = {mode: _partners(matched.at_primary(mode, config), batch) for mode in config.modes}
    rows: Rows = []
    for record, key in enumerate(batch.keys):
        for side, name in enumerate(SIDES):
            objects, other = (batch.truth, batch.pred) if side == 0 else (batch.pred, batch.truth)
            begin = objects.offsets[record]
            for at in range(begin, objects.offsets[record + 1]):
                desc = matched.descs[objects.desc[at]]
                row = {"key": key, "side": name, "index": at - begin, "type": _kind(objects.kind[at])}
                row |= {"phase": desc.phase, "category": desc.category}
                row["invalid"] = _reason(batch, record, side, at, config)
                for mode in config.modes:
                    partner, overlap = partners[mode][side].get(at, (None, None))
                    row[f"{mode}_partner"] = None if partner is None else partner - other.offsets[record]
                    row[f"{mode}_overlap"] = overlap
                rows.append(row | {"cause": CAUSES[causes[side][at]]})
    return rows


def case_lines(batch: Batch, matched: Matched, config: Config) -> list[bytes]:
    """Every record in which an object is without a partner in category mode, as a line of JSON."""
    sides = [_CaseSide(batch, matched, config, side) for side in (0, 1)]
    overlaps = _partners(matched.at_primary("category", config), batch)[0]
    lines = []
    for record, key in enumerate(batch.keys):
        given = list(side_objects(batch.raw[record], config.frame))
        unmatched = [side.unmatched(record, objects) for side, objects in zip(sides, given, strict=True)]
        if any(unmatched):
            row = {"key": key, "path": batch.path, "line": batch.lines[record]}
            row |= {"fields": carried(batch.raw[record])}
            row |= {"unmatched_gt": unmatched[0], "unmatched_pred": unmatched[1]}
            row["matched"] = _matched_objects(sides, record, given, overlaps)
            row["labels"] = {name: side.labels(record) for name, side in zip(SIDES, sides, strict=True)}
            lines.append(json_line(row | {"unmatched": len(unmatched[0]) + len(unmatched[1])}))
    return lines


class _CaseSide:
    """One side of a batch, as its cases show it."""

    def __init__(self, batch: Batch, matched: Matched, config: Config, side: int) -> None:
        self._batch, self._config, self._side = batch, config, side
        objects, pairs = (batch.pred, matched.pairs) if side else (batch.truth, matched.pairs)
        self.offsets, self._reasons = (np.asarray(column).tolist() for column in (objects.offsets, objects.reason))
        self.causes: list[int] = _causes(batch, matched, config)[side].tolist()
        self._best = np.asarray(first_pairs(pairs.pred if side else pairs.truth, len(objects))).tolist()
        self._theirs, self._score = (pairs.truth if side else pairs.pred), pairs.score
        self._other = batch.truth.offsets if side else batch.pred.offsets
        self._descs, self._desc = matched.descs, np.asarray(objects.desc).tolist()

    def unmatched(self, record: int, given: list[Any]) -> Rows:
        """The objects without a partner, with the reason and the closest object of the other side."""
        begin = self.offsets[record]
        entries = []
        for at in range(begin, self.offsets[record + 1]):
            if self.causes[at] != MATCHED:
                entry = {"index": at - begin, "object": given[at - begin], "cause": CAUSES[self.causes[at]]}
                if self._reasons[at]:
                    entry["invalid"] = _reason(self._batch, record, self._side, at, self._config)
                entries.append(entry | {"best": self._candidate(record, self._best[at])})
        return entries

    def _candidate(self, record: int, position: int) -> dict[str, Any] | None:
        if position < 0:
            return None
        partner = self._theirs[position] - self._other[record]
        return {"index": partner, "overlap": self._score[position] / UNIT}

    def labels(self, record: int) -> dict[str, list[str]]:
        """What every object of a record is called."""
        descs = [self._descs[code] for code in self._desc[self.offsets[record] : self.offsets[record + 1]]]
        return {"phase": [desc.phase for desc in descs], "category": [desc.category for desc in descs]}


def _matched_objects(
    sides: list[_CaseSide], record: int, given: list[list[Any]], partners: dict[int, tuple[int, float]]
) -> Rows:
    """The pairs of a record, so that it can be drawn whole."""
    truth, pred = (side.offsets[record] for side in sides)
    rows = []
    for at in range(truth, sides[0].offsets[record + 1]):
        if at in partners:
            partner, overlap = partners[at]
            pair = _drawn(at - truth, given[0]), _drawn(partner - pred, given[1])
            rows.append({"gt": pair[0], "pred": pair[1], "overlap": overlap})
    return rows


def _drawn(index: int, given: list[Any]) -> dict[str, Any]:
    each = given[index]
    return {"index": index, "type": each["type"], "points": each["points"], "desc": each.get("desc")}


def _causes(batch: Batch, matched: Matched, config: Config) -> tuple[Any, Any]:
    category = matched.at_primary("category", config)
    return find_causes(batch, matched.pairs, category, matched.labels["category"], config.levels.primary_unit)


def _partners(matching: Pairs, batch: Batch) -> tuple[dict[int, tuple[int, float]], dict[int, tuple[int, float]]]:
    truth, pred = (np.asarray(column).tolist() for column in (matching.truth, matching.pred))
    overlap = (np.asarray(matching.score) / UNIT).tolist()
    there = {a: (b, value) for a, b, value in zip(truth, pred, overlap, strict=True)}
    back = {b: (a, value) for a, b, value in zip(truth, pred, overlap, strict=True)}
    return there, back


def _kind(code: int) -> str | None:
    return KINDS[code] if code < len(KINDS) else None


def _reason(batch: Batch, record: int, side: int, at: int, config: Config) -> str | None:
    objects = batch.pred if side else batch.truth
    if not objects.reason[at]:
        return None
    given = list(side_objects(batch.raw[record], config.frame))[side]
    place, problem, _ = explain_object(given[at - objects.offsets[record]], objects.reason[at], config.frame, 0, 0)
    return f"{place.lstrip('.')}: {problem}" if place else problem
