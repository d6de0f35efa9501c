"""Images that went wrong, as lines of JSON: objects without a partner, pairs, and how many are unmatched.

The number always comes last: whoever looks for the worst need not read the rest. Lines are put together from texts of
whole columns; a dict for each of some hundred thousand detections would take several times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from calipers.core.causes import MATCHED, OUTCOMES
from calipers.core.cells import NULL, chosen, json_numbers, known_or
from calipers.core.matching import UNIT
from calipers.files.output import json_line
from calipers.suites.coco.columns import Instances
from calipers.suites.coco.measure import MeasuredImages

AT_A_TIME = 500  # images
HEAD = b'{"key":%s,"image_id":%s,"width":%s,"height":%s,"unmatched_gt":[%s],"unmatched_pred":[%s],"matched":[%s],'
TAIL = b'"unmatched":%d}\n'
OWN = b'"index":%s,"id":%s,"category":%s,"score":%s'
UNMATCHED = b"{" + OWN + b',"cause":%s,"invalid":%s,"bbox":[%s,%s,%s,%s],"partner":%s,"best":%s}'
OBJECT = b"{" + OWN + b',"bbox":[%s,%s,%s,%s]}'
PAIR = b'{"gt":%s,"pred":%s,"overlap":%s}'
CANDIDATE = b'{"index":%s,"category":%s,"overlap":%s}'


def case_lines(measured: MeasuredImages) -> Iterator[bytes]:
    """Every image on which an object is without a partner, as a line of JSON."""
    cases = _Cases(measured)
    for first in range(0, len(measured.detections.images), AT_A_TIME):
        yield from cases.lines(first, min(first + AT_A_TIME, len(measured.detections.images)))


def _text(value: str | None) -> bytes:
    return json_line(value)[:-1]


class _Cases:
    """A measured data set as texts, some images at a time."""

    def __init__(self, measured: MeasuredImages) -> None:
        detections, self.sides = measured.detections, measured.matched
        self.images, self.objects = detections.images, (detections.truth, detections.pred)
        self.categories = [_text(name) for name in detections.categories.names]
        self.causes = [_text(name) for name in OUTCOMES]
        self.counted = self.sides.truth, self.sides.pred
        self.outcomes = measured.causes.truth, measured.causes.pred
        self.pairs = measured.causes.places
        self.best = [self.sides.best_of(side) for side in (0, 1)]
        matching = self.sides.at_primary(measured.config)
        by_truth = np.argsort(np.asarray(matching.truth), kind="stable")
        columns = (matching.truth, matching.pred, matching.score)
        self.matching = tuple(np.asarray(column)[by_truth] for column in columns)

    def lines(self, first: int, last: int) -> Iterator[bytes]:
        """The lines of some images."""
        unmatched = [self._unmatched(side, first, last) for side in (0, 1)]
        matched = self._matched(first, last)
        size = (json_numbers(column[first:last]) for column in (self.images.width, self.images.height))
        heads = zip(self.images.names[first:last], json_numbers(self.images.ids[first:last]), *size, strict=True)
        for at, (name, *numbers) in enumerate(heads):
            truth, pred = (entries[at] for entries in unmatched)
            if truth or pred:
                lists = (b",".join(entries) for entries in (truth, pred, matched[at]))
                yield HEAD % (_text(name), *numbers, *lists) + TAIL % (len(truth) + len(pred))

    def _unmatched(self, side: int, first: int, last: int) -> list[list[bytes]]:
        """Of each image the objects without a partner."""
        offsets = self.counted[side].offsets
        at = np.arange(offsets[first], offsets[last])
        at = at[self.outcomes[side][at] != MATCHED]
        rows, objects = self.counted[side].rows[at], self.objects[side]
        problems = {row: _text(words) for row, words in objects.problems.items()}
        cells = zip(
            *self._own(side, rows),
            chosen(self.causes, self.outcomes[side][at]),
            [problems.get(row, NULL) for row in rows.tolist()] if problems else [NULL] * len(rows),
            *_boxes(objects, rows),
            self._candidates(side, self.pairs[side][at]),
            self._candidates(side, self.best[side][at]),
            strict=True,
        )
        return _split(list(map(UNMATCHED.__mod__, cells)), objects.image[rows], first, last)

    def _own(self, side: int, rows: Any) -> tuple[list[bytes], ...]:
        """Index, id, class and score."""
        objects = self.objects[side]
        nothing = [NULL] * len(rows)
        ids, score = (
            (nothing, json_numbers(objects.score[rows])) if side else (json_numbers(objects.ids[rows]), nothing)
        )
        return json_numbers(objects.place[rows]), ids, chosen(self.categories, objects.category[rows]), score

    def _matched(self, first: int, last: int) -> list[list[bytes]]:
        """Of each image its pairs, so that it can be drawn whole."""
        truth, pred, score = self.matching
        begin, end = np.searchsorted(truth, self.counted[0].offsets[[first, last]]).tolist()
        rows = self.counted[0].rows[truth[begin:end]], self.counted[1].rows[pred[begin:end]]
        texts = [
            list(map(OBJECT.__mod__, zip(*self._own(side, mine), *_boxes(self.objects[side], mine), strict=True)))
            for side, mine in enumerate(rows)
        ]
        cells = zip(*texts, json_numbers(score[begin:end] / UNIT), strict=True)
        return _split(list(map(PAIR.__mod__, cells)), self.objects[0].image[rows[0]], first, last)

    def _candidates(self, side: int, positions: Any) -> list[bytes]:
        """The closest objects of the other side, whatever their class, by their pairs."""
        pairs, there = self.sides.pairs, positions >= 0
        if not len(pairs.truth):
            return [NULL] * len(positions)
        at = np.where(there, positions, 0)
        rows = self.counted[1 - side].rows[np.asarray(pairs.truth if side else pairs.pred)[at]]
        other, overlap = self.objects[1 - side], np.asarray(pairs.score)[at] / UNIT
        categories = chosen(self.categories, other.category[rows])
        cells = zip(json_numbers(other.place[rows]), categories, json_numbers(overlap), strict=True)
        return known_or(NULL, list(map(CANDIDATE.__mod__, cells)), there.tolist())


def _boxes(objects: Instances, rows: Any) -> list[list[bytes]]:
    return [json_numbers(column) for column in objects.box[rows].T]


def _split(texts: list[bytes], image: Any, first: int, last: int) -> list[list[bytes]]:
    """Texts that stand image by image, for each image from the first to before the last."""
    ends = np.searchsorted(image, np.arange(first, last + 1)).tolist()
    return [texts[begin:end] for begin, end in pairwise(ends)]
