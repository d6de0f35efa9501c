"""Records that went wrong, as lines of JSON.

A case is a record with a miss or a false positive in category mode: the fields it carries, its unmatched objects, its
pairs, what every object is called, and, always last, how many are unmatched: whoever looks for the worst need not read
the rest. Records whose lines are written as orjson would write them are copied from these by a kernel; all others are
parsed and written anew, to the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import orjson

from calipers.core.causes import MATCHED, OUTCOMES
from calipers.core.collecting import without_collection
from calipers.core.matching import UNIT
from calipers.core.shapes import Batch
from calipers.files.output import json_line
from calipers.kernels.count.assign import first_pairs, spread_pairs
from calipers.kernels.scan.caselines import CaseLines, CaseSide
from calipers.kernels.scan.weave import end_numbers
from calipers.suites.dense.case_labels import CaseLabel, coded_labels, written_label
from calipers.suites.dense.config import Config
from calipers.suites.dense.measure import MatchedBatch
from calipers.suites.dense.originals import LineTexts, Originals
from calipers.suites.dense.read import carried

Rows = list[dict[str, Any]]
LAST = b"unmatched"  # field of a case


class CaseTexts(NamedTuple):
    """Lines of cases: where each ends, and how many objects of it are without a partner."""

    text: bytes | memoryview
    ends: Any
    unmatched: Any


@without_collection()
def case_lines(batch: Batch, matched: MatchedBatch, config: Config, texts: LineTexts | None = None) -> CaseTexts:
    """Every record in which an object is without a partner in category mode, as a line of JSON."""
    sides = [_SideColumns(batch, matched, config, side) for side in (0, 1)]
    parsed = _ParsedCases(batch, matched, sides, Originals(batch, config, texts))
    if texts is None:
        text = b"".join(map(parsed.line, range(len(batch))))
        return CaseTexts(text, *end_numbers(text, LAST))
    codes, names = _label_codes(matched)
    truth, pred = (side.kernel(codes) for side in sides)
    lines = CaseLines(truth, pred, orjson.dumps(batch.path), names, _OUTCOMES, orjson.dumps)
    numbers, keys = list(batch.lines), list(batch.keys)
    for begin, end, run in texts.runs(numbers):
        place = (run.text, run.ends, run.first)
        lines.add_lines(begin, numbers[begin:end], keys[begin:end], *place, orjson.dumps, parsed.line)
    return CaseTexts(lines.text(), *lines.ends())


_OUTCOMES = [name.encode() for name in OUTCOMES]


def _label_codes(matched: MatchedBatch) -> tuple[Any, list[bytes]]:
    """(descriptions,) codes of what objects are called, and how each is written."""
    known: dict[CaseLabel, int] = {}
    codes = [known.setdefault(CaseLabel(desc.phase, desc.category), len(known)) for desc in matched.descs]
    return np.array(codes, dtype=np.int32), [json_line(written_label(label))[:-1] for label in known]


class _SideColumns:
    """One side of a batch in columns, as its cases show it."""

    def __init__(self, batch: Batch, matched: MatchedBatch, config: Config, side: int) -> None:
        pairs, matching = matched.pairs, matched.at_primary("category", config)
        self.objects = batch.pred if side else batch.truth
        self.outcomes = np.asarray(matched.causes.pred if side else matched.causes.truth, dtype=np.uint8)
        self.places = np.ascontiguousarray(matched.causes.places[side])  # (objects,) of its pair in an error of two
        own, self.theirs = (pairs.pred, pairs.truth) if side else (pairs.truth, pairs.pred)
        self.scores = pairs.score
        self.best = first_pairs(own, len(self.objects))  # (objects,) places of pairs
        mine, others = (matching.pred, matching.truth) if side else (matching.truth, matching.pred)
        self.partners, self.partner_scores = spread_pairs(mine, others, matching.score, len(self.objects))

    @property
    def columns(self) -> list[Any]:
        """All columns."""
        objects = [self.objects.offsets, self.objects.reason, self.objects.desc, self.outcomes, self.places, self.best]
        return [*objects, self.theirs, self.scores, self.partners, self.partner_scores]

    def kernel(self, codes: Any) -> CaseSide:
        """The columns as the kernel takes them, with the label of each description."""
        return CaseSide(
            offsets=self.objects.offsets,
            reasons=self.objects.reason,
            outcomes=self.outcomes,
            labels=codes.take(self.objects.desc),
            places=self.places,
            best=self.best,
            theirs=self.theirs,
            scores=self.scores,
            partners=self.partners,
            partner_scores=self.partner_scores,
        )


class _ParsedCases:
    """Cases of a batch, from their records as JSON trees."""

    def __init__(self, batch: Batch, matched: MatchedBatch, sides: list[_SideColumns], originals: Originals) -> None:
        self._batch, self._originals = batch, originals
        self._descs = matched.descs
        self._sides = [_ParsedSide(sides[0], sides[1], 0), _ParsedSide(sides[1], sides[0], 1)]

    def line(self, record: int) -> bytes:
        """The case of a record; nothing if all its objects have a partner."""
        objects = self._originals.objects(record)
        reason = partial(self._originals.reason, record)
        unmatched = [side.unmatched(record, own, reason) for side, own in zip(self._sides, objects, strict=True)]
        if not any(unmatched):
            return b""
        row = {"key": self._batch.keys[record], "path": self._batch.path, "line": self._batch.lines[record]}
        row |= {"fields": carried(self._originals[record])}
        row |= {"unmatched_gt": unmatched[0], "unmatched_pred": unmatched[1]}
        row["matched"] = self._matched_objects(record, objects)
        row["labels"] = coded_labels(*(map(self._label, side.descs(record)) for side in self._sides))
        return json_line(row | {"unmatched": len(unmatched[0]) + len(unmatched[1])})

    def _label(self, code: int) -> CaseLabel:
        desc = self._descs[code]
        return CaseLabel(desc.phase, desc.category)

    def _matched_objects(self, record: int, objects: list[list[Any]]) -> Rows:
        """The pairs of a record, so that it can be drawn whole."""
        return [
            {"gt": _drawn(truth, objects[0]), "pred": _drawn(pred, objects[1]), "overlap": overlap}
            for truth, pred, overlap in self._sides[0].pairs(record)
        ]


class _ParsedSide:
    """One side of a batch, as its cases show it, object by object."""

    def __init__(self, own: _SideColumns, other: _SideColumns, side: int) -> None:
        self._side = side
        views: Iterator[Any] = map(memoryview, own.columns)  # numbers by their places, without a list of them
        self._offsets, self._reasons, self._descs, self._causes, self._places, self._best = islice(views, 6)
        self._theirs, self._scores, self._partners, self._partner_scores = views
        self._other = memoryview(other.objects.offsets)

    def unmatched(self, record: int, objects: list[Any], reason: Callable[[int, int], str | None]) -> Rows:
        """The objects that are wrong: cause, partner in an error of two objects, and the closest of the other side."""
        begin = self._offsets[record]
        entries = []
        for at in range(begin, self._offsets[record + 1]):
            if self._causes[at] != MATCHED:
                entry = {"index": at - begin, "object": objects[at - begin], "cause": OUTCOMES[self._causes[at]]}
                if self._reasons[at]:
                    entry["invalid"] = reason(self._side, at)
                entry["partner"] = self._candidate(record, self._places[at])
                entries.append(entry | {"best": self._candidate(record, self._best[at])})
        return entries

    def _candidate(self, record: int, position: int) -> dict[str, Any] | None:
        if position < 0:
            return None
        partner = self._theirs[position] - self._other[record]
        return {"index": partner, "overlap": self._scores[position] / UNIT}

    def pairs(self, record: int) -> Iterator[tuple[int, int, float]]:
        """The objects of a record that have a partner: both by their places in it, and the overlap."""
        begin = self._offsets[record]
        for at in range(begin, self._offsets[record + 1]):
            if self._partners[at] >= 0:
                partner = self._partners[at] - self._other[record]
                yield at - begin, partner, self._partner_scores[at] / UNIT

    def descs(self, record: int) -> list[int]:
        """Codes of the descriptions of a record's objects."""
        codes: list[int] = self._descs[self._offsets[record] : self._offsets[record + 1]].tolist()
        return codes


def _drawn(index: int, objects: list[Any]) -> dict[str, Any]:
    obj = objects[index]
    return {"index": index, "type": obj["type"], "points": obj["points"]}
