"""Every object of a batch as a row: who its partner is, and, for those without one, why.

Rows of objects: key, side, index, type, labels, what is wrong with it, the partner and overlap in each mode at the
primary threshold, and the cause (see `metrics.objects`). Cases: each record with a miss or a false positive in
category mode, with the fields it carries and its unmatched objects.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.kernels.assign import first_pairs
from calipers.matching import UNIT, Pairs
from calipers.metrics.objects import CAUSES, MATCHED, find_causes
from calipers.output import json_line
from calipers.readers.dense import carried, side_objects
from calipers.readers.problems import explain_object
from calipers.records import KINDS, Batch
from calipers.suites.dense import Config, Matched

Rows = list[dict[str, Any]]
SIDES = ("gt", "pred")


def match_columns(config: Config) -> list[str]:
    """The columns of `match_rows`, in order."""
    partners = [f"{mode}_{what}" for mode in config.modes for what in ("partner", "overlap")]
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
    causes = _causes(batch, matched, config)
    best = [
        np.asarray(first_pairs(matched.pairs.truth, len(batch.truth))),
        np.asarray(first_pairs(matched.pairs.pred, len(batch.pred))),
    ]
    lines = []
    for record, key in enumerate(batch.keys):
        unmatched = [_unmatched(batch, matched, config, record, side, causes[side], best[side]) for side in (0, 1)]
        if any(unmatched):
            row = {"key": key, "path": batch.path, "line": batch.lines[record]}
            row |= {"fields": carried(batch.raw[record])}
            lines.append(json_line(row | {"unmatched_gt": unmatched[0], "unmatched_pred": unmatched[1]}))
    return lines


def _unmatched(
    batch: Batch, matched: Matched, config: Config, record: int, side: int, causes: Any, best: Any
) -> list[dict[str, Any]]:
    objects = batch.pred if side else batch.truth
    begin, given = objects.offsets[record], list(side_objects(batch.raw[record], config.frame))[side]
    entries = []
    for at in range(begin, objects.offsets[record + 1]):
        if causes[at] != MATCHED:
            entry = {"index": at - begin, "object": given[at - begin], "cause": CAUSES[causes[at]]}
            if objects.reason[at]:
                entry["invalid"] = _reason(batch, record, side, at, config)
            entries.append(entry | {"best": _candidate(batch, matched, record, side, int(best[at]))})
    return entries


def _candidate(batch: Batch, matched: Matched, record: int, side: int, position: int) -> dict[str, Any] | None:
    if position < 0:
        return None
    pairs, other = matched.pairs, batch.truth if side else batch.pred
    partner = (pairs.truth if side else pairs.pred)[position]
    return {"index": partner - other.offsets[record], "overlap": pairs.score[position] / UNIT}


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
