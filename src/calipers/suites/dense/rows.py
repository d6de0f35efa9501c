"""Every object of a batch as a row: who its partner is, and, for those without one, why.

Rows of objects: key, side, index, type, labels, points, what is wrong with it, the partner and overlap in each mode at
the primary threshold, and the cause (see `core.causes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from calipers.core.causes import OUTCOMES
from calipers.core.matching import UNIT, Pairs
from calipers.core.shapes import KINDS, Batch, Objects
from calipers.kernels.count.assign import spread_pairs
from calipers.kernels.scan.matchlines import RowSide, match_lines
from calipers.show.tables import csv_text, csv_texts
from calipers.suites.dense.config import Config
from calipers.suites.dense.measure import MatchedBatch
from calipers.suites.dense.originals import LineTexts, Originals

Rows = list[dict[str, Any]]
SIDES = ("gt", "pred")
BOX = KINDS.index("bbox_2d")
NOBODY = (None, None)


def match_columns(params: Mapping[str, Any]) -> list[str]:
    """The columns of `match_rows`, in order."""
    partners = [f"{mode}_{what}" for mode in params["modes"] for what in ("partner", "overlap")]
    return ["key", "side", "index", "type", "phase", "category", "points", "invalid", *partners, "cause"]


def match_rows(batch: Batch, matched: MatchedBatch, config: Config, texts: LineTexts | None = None) -> Rows:
    """Every object of every record."""
    matchings = {mode: matched.at_primary(mode, config) for mode in config.modes}
    partners = {mode: (_partners(there), _partners(_reversed(there))) for mode, there in matchings.items()}
    sides = [_RowSide(batch, matched, partners, side) for side in (0, 1)]
    originals = Originals(batch, config, texts)
    rows: Rows = []
    for record, key in enumerate(batch.keys):
        for side, other in ((sides[0], sides[1]), (sides[1], sides[0])):
            for at in range(side.offsets[record], side.offsets[record + 1]):
                invalid = originals.reason(record, side.side, at) if side.reasons[at] else None
                rows.append(side.row(key, record, at, invalid, other.offsets[record]))
    return rows


def _reversed(pairs: Pairs) -> Pairs:
    return Pairs(pairs.pred, pairs.truth, pairs.score)


def match_csv(batch: Batch, matched: MatchedBatch, config: Config, texts: LineTexts | None = None) -> memoryview | None:
    """Every object as a line of CSV; None where a text has a carriage return, which not every reader takes alike."""
    names = list({name: None for desc in matched.descs for name in (desc.phase, desc.category)})
    if "\r" in "".join(batch.keys) or "\r" in "".join(names):
        return None
    matchings = [matched.at_primary(mode, config) for mode in config.modes]
    originals, sides = Originals(batch, config, texts), []
    for side, (objects, causes) in enumerate(((batch.truth, matched.causes.truth), (batch.pred, matched.causes.pred))):
        own = [_reversed(pairs) if side else pairs for pairs in matchings]
        columns = [spread_pairs(pairs.truth, pairs.pred, pairs.score, len(objects)) for pairs in own]
        partners, scores = [other for other, _ in columns], [score for _, score in columns]
        invalid = _invalid_cells(objects, side, originals)
        if any(b"\r" in cell for cell in invalid.values()):
            return None
        sides.append(RowSide(SIDES[side].encode(), objects, causes.astype(np.uint8), partners, scores, invalid))
    known = dict(zip(names, csv_texts(names), strict=True))
    labels = [known[desc.phase] + b"," + known[desc.category] for desc in matched.descs]
    kinds = [name.encode() for name in (*KINDS, "")]
    return match_lines(csv_texts(batch.keys), labels, kinds, [name.encode() for name in OUTCOMES], *sides)


def _invalid_cells(objects: Objects, side: int, originals: Originals) -> dict[int, bytes]:
    """What is wrong with the objects that could not be read, as cells of CSV by their place."""
    wrong = np.flatnonzero(objects.reason)
    records = np.searchsorted(objects.offsets, wrong, side="right") - 1
    both = zip(records.tolist(), wrong.tolist(), strict=True)
    return {at: csv_text(originals.reason(record, side, at) or "") for record, at in both}


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


def _partners(matching: Pairs) -> dict[int, tuple[int, float]]:
    """Of each truth that is matched, the prediction and their overlap."""
    truth, pred = (np.asarray(column).tolist() for column in (matching.truth, matching.pred))
    overlap = (np.asarray(matching.score) / UNIT).tolist()
    return {a: (b, value) for a, b, value in zip(truth, pred, overlap, strict=True)}


def _kind(code: int) -> str | None:
    return KINDS[code] if code < len(KINDS) else None
