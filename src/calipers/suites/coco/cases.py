"""Images that went wrong, as lines of JSON: objects without a partner, pairs, and how many are unmatched.

The number always comes last: whoever looks for the worst need not read the rest. Lines are put together from texts of
whole columns; a dict for each of some hundred thousand detections would take several times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from calipers.core.causes import MATCHED, OUTCOMES
from calipers.core.cells import NULL, CellTexts, Part, RowTexts, json_numbers
from calipers.core.matching import UNIT
from calipers.files.output import json_line
from calipers.suites.coco.columns import Instances
from calipers.suites.coco.measure import MeasuredImages

AT_A_TIME = 500  # images
LINE = b'{"key":%s%s,"unmatched_gt":[%s],"unmatched_pred":[%s],"matched":[%s],"unmatched":%d}\n'


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
        self.categories = CellTexts([_text(name) for name in detections.categories.names])
        self.causes = CellTexts([_text(name) for name in OUTCOMES])
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
        truth, pred, matched = *(self._unmatched(side, first, last) for side in (0, 1)), self._matched(first, last)
        numbers = RowTexts(
            [
                *(b',"image_id":', json_numbers(self.images.ids[first:last])),
                *(b',"width":', json_numbers(self.images.width[first:last])),
                *(b',"height":', json_numbers(self.images.height[first:last])),
            ],
            last - first,
        )
        for at, name in enumerate(self.images.names[first:last]):
            count = truth.count(at) + pred.count(at)
            if count:
                lists = (texts.of(at) for texts in (truth, pred, matched))
                yield LINE % (_text(name), numbers.between(at, at + 1), *lists, count)

    def _unmatched(self, side: int, first: int, last: int) -> _ByImage:
        """Of each image the objects without a partner."""
        offsets = self.counted[side].offsets
        at = np.arange(offsets[first], offsets[last])
        at = at[self.outcomes[side][at] != MATCHED]
        rows, objects = self.counted[side].rows[at], self.objects[side]
        parts = [
            *self._own(side, rows),
            *(b',"cause":', self.causes.cells(self.outcomes[side][at])),
            *(b',"invalid":', self._problems(side, rows)),
            *_box(objects, rows),
            *(b',"partner":', self._candidates(side, self.pairs[side][at])),
            *(b',"best":', self._candidates(side, self.best[side][at])),
            b"},",
        ]
        return _ByImage(RowTexts(parts, len(rows)), objects.image[rows], first, last)

    def _own(self, side: int, rows: Any) -> list[Part]:
        """Index, id, class and score, as an object begins."""
        objects = self.objects[side]
        return [
            *(b'{"index":', json_numbers(objects.place[rows])),
            *(b',"id":', NULL if side else json_numbers(objects.ids[rows])),
            *(b',"category":', self.categories.cells(objects.category[rows])),
            *(b',"score":', json_numbers(objects.score[rows]) if side else NULL),
        ]

    def _problems(self, side: int, rows: Any) -> Part:
        """What is wrong with objects, or null."""
        problems = self.objects[side].problems
        if not problems:
            return NULL
        words = {row: _text(problems[row]) for row in rows.tolist() if row in problems}
        codes = {row: code for code, row in enumerate(words, 1)}
        return CellTexts([NULL, *words.values()]).cells([codes.get(row, 0) for row in rows.tolist()])

    def _matched(self, first: int, last: int) -> _ByImage:
        """Of each image its pairs, so that it can be drawn whole."""
        truth, pred, score = self.matching
        begin, end = np.searchsorted(truth, self.counted[0].offsets[[first, last]]).tolist()
        rows = self.counted[0].rows[truth[begin:end]], self.counted[1].rows[pred[begin:end]]
        objects = ([*self._own(side, mine), *_box(self.objects[side], mine)] for side, mine in enumerate(rows))
        gt, detected = objects
        overlap = json_numbers(score[begin:end] / UNIT)
        parts = [b'{"gt":', *gt, b'},"pred":', *detected, b'},"overlap":', overlap, b"},"]
        return _ByImage(RowTexts(parts, end - begin), self.objects[0].image[rows[0]], first, last)

    def _candidates(self, side: int, positions: Any) -> Part:
        """The closest objects of the other side, whatever their class, by their pairs."""
        pairs, there = self.sides.pairs, positions >= 0
        if not len(pairs.truth):
            return NULL
        at = np.where(there, positions, 0)
        rows = self.counted[1 - side].rows[np.asarray(pairs.truth if side else pairs.pred)[at]]
        other, overlap = self.objects[1 - side], np.asarray(pairs.score)[at] / UNIT
        parts: list[Part] = [
            *(b'{"index":', json_numbers(other.place[rows])),
            *(b',"category":', self.categories.cells(other.category[rows])),
            *(b',"overlap":', json_numbers(overlap), b"}"),
        ]
        return RowTexts(parts, len(rows)).cells(there, NULL)


class _ByImage:
    """Texts with commas behind them that stand image by image, for each image from the first to before the last."""

    def __init__(self, texts: RowTexts, image: Any, first: int, last: int) -> None:
        self._texts, self._ends = texts, np.searchsorted(image, np.arange(first, last + 1)).tolist()

    def count(self, at: int) -> int:
        """How many texts an image has."""
        return int(self._ends[at + 1] - self._ends[at])

    def of(self, at: int) -> bytes:
        """The texts of an image, with commas between them."""
        return self._texts.between(self._ends[at], self._ends[at + 1])[:-1]


def _box(objects: Instances, rows: Any) -> list[Part]:
    x, y, width, height = (json_numbers(column) for column in objects.box[rows].T)
    return [b',"bbox":[', x, b",", y, b",", width, b",", height, b"]"]
