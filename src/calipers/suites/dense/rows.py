"""Every object of a batch as a row: who its partner is, and, for those without one, why.

Rows of objects: key, side, index, type, labels, points, what is wrong with it, the partner and overlap in each mode at
the primary threshold, and the cause (see `core.causes`). Cases: each record with a miss or a false positive in
category mode, with the fields it carries, its unmatched objects, its pairs, what every object is called, and, always
last, how many are unmatched: whoever looks for the worst need not read the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calipers.core.causes import MATCHED, OUTCOMES
from calipers.core.collecting import without_collection
from calipers.core.matching import UNIT, Pairs
from calipers.core.shapes import KINDS, Batch, Objects
from calipers.files.output import json_line
from calipers.files.problems import explain_object
from calipers.kernels.count.assign import first_pairs
from calipers.kernels.scan.matchlines import RowSide, match_lines
from calipers.show.tables import csv_text
from calipers.suites.dense.case_labels import CaseLabel, coded_labels
from calipers.suites.dense.config import Config
from calipers.suites.dense.measure import MatchedBatch
from calipers.suites.dense.read import carried, side_objects

Rows = list[dict[str, Any]]
SIDES = ("gt", "pred")
BOX = KINDS.index("bbox_2d")
NOBODY = (None, None)


def match_columns(params: Mapping[str, Any]) -> list[str]:
    """The columns of `match_rows`, in order."""
    partners = [f"{mode}_{what}" for mode in params["modes"] for what in ("partner", "overlap")]
    return ["key", "side", "index", "type", "phase", "category", "points", "invalid", *partners, "cause"]


def match_rows(batch: Batch, matched: MatchedBatch, config: Config) -> Rows:
    """Every object of every record."""
    partners = {mode: _partners(matched.at_primary(mode, config), batch) for mode in config.modes}
    sides = [_RowSide(batch, matched, partners, side) for side in (0, 1)]
    rows: Rows = []
    for record, key in enumerate(batch.keys):
        for side, other in ((sides[0], sides[1]), (sides[1], sides[0])):
            for at in range(side.offsets[record], side.offsets[record + 1]):
                invalid = _reason(batch, record, side.side, at, config) if side.reasons[at] else None
                rows.append(side.row(key, record, at, invalid, other.offsets[record]))
    return rows


def match_csv(batch: Batch, matched: MatchedBatch, config: Config) -> bytes | None:
    """Every object as a line of CSV; None where a text has a carriage return, which not every reader takes alike."""
    texts = [*batch.keys, *(text for desc in matched.descs for text in (desc.phase, desc.category))]
    if any("\r" in text for text in texts):
        return None
    matchings = [matched.at_primary(mode, config) for mode in config.modes]
    sides = []
    for side, (objects, causes) in enumerate(((batch.truth, matched.causes.truth), (batch.pred, matched.causes.pred))):
        own = [(pairs.pred, pairs.truth) if side else (pairs.truth, pairs.pred) for pairs in matchings]
        partners = [_spread(mine, theirs, len(objects), np.int32) for mine, theirs in own]
        scores = [
            _spread(mine, pairs.score, len(objects), np.int64) for (mine, _), pairs in zip(own, matchings, strict=True)
        ]
        invalid = _invalid_cells(batch, objects, side, config)
        if any(b"\r" in cell for cell in invalid.values()):
            return None
        sides.append(RowSide(SIDES[side].encode(), objects, causes.astype(np.uint8), partners, scores, invalid))
    labels = [csv_text(desc.phase) + b"," + csv_text(desc.category) for desc in matched.descs]
    kinds = [name.encode() for name in (*KINDS, "")]
    return match_lines(list(map(csv_text, batch.keys)), labels, kinds, [name.encode() for name in OUTCOMES], *sides)


def _spread(places: Any, values: Any, count: int, kind: Any) -> Any:
    """A column of so many entries that holds the values at their places, and -1 elsewhere."""
    column = np.full(count, -1, dtype=kind)
    column[np.asarray(places)] = values
    return column


def _invalid_cells(batch: Batch, objects: Objects, side: int, config: Config) -> dict[int, bytes]:
    """What is wrong with the objects that could not be read, as cells of CSV by their place."""
    records = np.repeat(np.arange(len(batch)), np.diff(objects.offsets))
    wrong = np.flatnonzero(objects.reason).tolist()
    return {at: csv_text(_reason(batch, int(records[at]), side, at, config) or "") for at in wrong}


class _RowSide:
    """One side of a batch, as its rows show it."""

    def __init__(self, batch: Batch, matched: MatchedBatch, partners: dict[str, Any], side: int) -> None:
        objects = batch.pred if side else batch.truth
        self.side, self._name = side, SIDES[side]
        self.offsets, self.reasons, self._kinds, self._desc = (
            column.tolist() for column in (objects.offsets, objects.reason, objects.kind, objects.desc)
        )
        self._descs, self._points = matched.descs, _point_texts(objects)
        self._causes: list[int] = (matched.causes.pred if side else matched.causes.truth).tolist()
        self._partners = [
            (f"{mode}_partner", f"{mode}_overlap", both[side]) for mode, both in partners.items()
        ]  # in each mode: names of columns, and by object its partner and overlap

    def row(self, key: str, record: int, at: int, invalid: str | None, their_begin: int) -> dict[str, Any]:
        """One object."""
        desc = self._descs[self._desc[at]]
        row = {
            "key": key,
            "side": self._name,
            "index": at - self.offsets[record],
            "type": _kind(self._kinds[at]),
            "phase": desc.phase,
            "category": desc.category,
            "points": self._points[at],
            "invalid": invalid,
        }
        for partner_name, overlap_name, known in self._partners:
            partner, overlap = known.get(at, NOBODY)
            row[partner_name] = None if partner is None else partner - their_begin
            row[overlap_name] = overlap
        row["cause"] = OUTCOMES[self._causes[at]]
        return row


class _NumberTexts(dict[float, str]):
    """Numbers as they are written; whole ones of the frame are known."""

    def __missing__(self, value: float) -> str:
        return f"{value!r}".removesuffix(".0")


NUMBER_TEXTS = _NumberTexts((float(value), str(value)) for value in range(1001))


def _point_texts(objects: Objects) -> list[str | None]:
    """The numbers of every object as it is measured, in the frame of 1000; of a box its two corners."""
    starts, kinds, reasons, points, bounds = (
        column.tolist() for column in (objects.starts, objects.kind, objects.reason, objects.points, objects.bounds)
    )
    write, texts = NUMBER_TEXTS.__getitem__, []
    for at, (kind, reason) in enumerate(zip(kinds, reasons, strict=True)):
        own = bounds[4 * at : 4 * at + 4] if kind == BOX else points[starts[at] : starts[at + 1]]
        texts.append(None if reason else " ".join(map(write, own)))
    return texts


@without_collection()
def case_lines(batch: Batch, matched: MatchedBatch, config: Config) -> list[bytes]:
    """Every record in which an object is without a partner in category mode, as a line of JSON."""
    sides = [_CaseSide(batch, matched, config, side) for side in (0, 1)]
    overlaps = _partners(matched.at_primary("category", config), batch)[0]
    lines = []
    for record, key in enumerate(batch.keys):
        both_sides = list(side_objects(batch.raw[record], config.frame))
        unmatched = [side.unmatched(record, objects) for side, objects in zip(sides, both_sides, strict=True)]
        if any(unmatched):
            row = {"key": key, "path": batch.path, "line": batch.lines[record]}
            row |= {"fields": carried(batch.raw[record])}
            row |= {"unmatched_gt": unmatched[0], "unmatched_pred": unmatched[1]}
            row["matched"] = _matched_objects(sides, record, both_sides, overlaps)
            row["labels"] = coded_labels(*(side.labels(record) for side in sides))
            lines.append(json_line(row | {"unmatched": len(unmatched[0]) + len(unmatched[1])}))
    return lines


class _CaseSide:
    """One side of a batch, as its cases show it."""

    def __init__(self, batch: Batch, matched: MatchedBatch, config: Config, side: int) -> None:
        self._batch, self._config, self._side = batch, config, side
        objects, pairs = (batch.pred, matched.pairs) if side else (batch.truth, matched.pairs)
        self.offsets, self._reasons = (np.asarray(column).tolist() for column in (objects.offsets, objects.reason))
        self.causes: list[int] = (matched.causes.truth, matched.causes.pred)[side].tolist()
        self._pair: list[int] = matched.causes.places[side].tolist()
        self._best = np.asarray(first_pairs(pairs.pred if side else pairs.truth, len(objects))).tolist()
        self._theirs, self._score = (
            np.asarray(column).tolist() for column in (pairs.truth if side else pairs.pred, pairs.score)
        )
        self._other = (batch.truth if side else batch.pred).offsets.tolist()
        self._labels = [CaseLabel(desc.phase, desc.category) for desc in matched.descs]
        self._desc = np.asarray(objects.desc).tolist()

    def unmatched(self, record: int, objects: list[Any]) -> Rows:
        """The objects that are wrong: cause, partner in an error of two objects, and the closest of the other side."""
        begin = self.offsets[record]
        entries = []
        for at in range(begin, self.offsets[record + 1]):
            if self.causes[at] != MATCHED:
                entry = {"index": at - begin, "object": objects[at - begin], "cause": OUTCOMES[self.causes[at]]}
                if self._reasons[at]:
                    entry["invalid"] = _reason(self._batch, record, self._side, at, self._config)
                entry["partner"] = self._candidate(record, self._pair[at])
                entries.append(entry | {"best": self._candidate(record, self._best[at])})
        return entries

    def _candidate(self, record: int, position: int) -> dict[str, Any] | None:
        if position < 0:
            return None
        partner = self._theirs[position] - self._other[record]
        return {"index": partner, "overlap": self._score[position] / UNIT}

    def labels(self, record: int) -> list[CaseLabel]:
        """What every object of a record is called."""
        return [self._labels[code] for code in self._desc[self.offsets[record] : self.offsets[record + 1]]]


def _matched_objects(
    sides: list[_CaseSide], record: int, objects: list[list[Any]], partners: dict[int, tuple[int, float]]
) -> Rows:
    """The pairs of a record, so that it can be drawn whole."""
    truth, pred = (side.offsets[record] for side in sides)
    rows = []
    for at in range(truth, sides[0].offsets[record + 1]):
        if at in partners:
            partner, overlap = partners[at]
            pair = _drawn(at - truth, objects[0]), _drawn(partner - pred, objects[1])
            rows.append({"gt": pair[0], "pred": pair[1], "overlap": overlap})
    return rows


def _drawn(index: int, objects: list[Any]) -> dict[str, Any]:
    obj = objects[index]
    return {"index": index, "type": obj["type"], "points": obj["points"]}


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
    listed = list(side_objects(batch.raw[record], config.frame))[side]
    place, problem, _ = explain_object(listed[at - objects.offsets[record]], objects.reason[at], config.frame, 0, 0)
    return f"{place.lstrip('.')}: {problem}" if place else problem
