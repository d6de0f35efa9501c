"""Every annotation and detection as a row: who its partner is and, for those without one, why.

Rows: image, side, place in its file, id, class, score, box, what is wrong with it, the partner and overlap of the
class-aware matching at IoU 0.50, and the cause (see `calipers.core.causes`). What is not counted is said so: `crowd`,
`in_crowd`, `below_min_score`. They stand image by image, ground truth first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from calipers.core.causes import OUTCOMES
from calipers.core.cells import CellTexts, csv_numbers, joined
from calipers.core.matching import UNIT
from calipers.show.tables import csv_text
from calipers.suites.coco.columns import Instances
from calipers.suites.coco.measure import MeasuredImages

Rows = list[dict[str, Any]]
BOX = ("x", "y", "width", "height")
COLUMNS = (
    "image",
    "image_id",
    "side",
    "index",
    "id",
    "category_id",
    "category",
    "score",
    *BOX,
    "invalid",
    "partner",
    "overlap",
    "cause",
)
SIDES = ("gt", "pred")
CAUSE_WORDS = (*OUTCOMES, "below_min_score", "in_crowd", "crowd", "not_labelled")
BELOW, IN_CROWD, CROWD, NOT_LABELLED = range(len(OUTCOMES), len(CAUSE_WORDS))
AT_A_TIME = 20_000  # rows
SIDE_TEXTS, CAUSE_TEXTS = (CellTexts([word.encode() for word in words]) for words in (SIDES, CAUSE_WORDS))


class SideTable:
    """One side in columns: what it was read as, and what became of it."""

    def __init__(self, measured: MeasuredImages, side: int) -> None:
        detections, sides = measured.detections, measured.matched
        self.objects: Instances = detections.pred if side else detections.truth
        self.ids = np.full(len(self.objects), -1) if side else self.objects.ids  # (rows,) detections have none
        self.score = self.objects.score if side else np.full(len(self.objects), np.nan)
        self.partner = np.full(len(self.objects), -1)  # (rows,) its place in its file, -1 without one
        self.overlap = np.full(len(self.objects), np.nan)
        matching = sides.at_primary(measured.config)
        rows = sides.truth.rows[np.asarray(matching.truth)], sides.pred.rows[np.asarray(matching.pred)]
        other = detections.truth if side else detections.pred
        self.partner[rows[side]] = other.place[rows[1 - side]]
        self.overlap[rows[side]] = np.asarray(matching.score) / UNIT
        self.cause = _causes(measured, side)  # (rows,) of CAUSE_WORDS


def _causes(measured: MeasuredImages, side: int) -> Any:
    """For each row what became of it."""
    sides, objects = measured.matched, measured.detections.pred if side else measured.detections.truth
    codes = np.full(len(objects), BELOW if side else CROWD, dtype=np.int8)
    if side:
        codes[sides.ignored] = IN_CROWD
    elif objects.visible is not None:
        codes[~objects.crowd] = NOT_LABELLED
    counted = (sides.pred if side else sides.truth).rows
    codes[counted] = measured.causes.pred if side else measured.causes.truth
    return codes


class ObjectTable:
    """Both sides in one: every column has a value for each row."""

    def __init__(self, measured: MeasuredImages) -> None:
        detections = measured.detections
        tables = [SideTable(measured, side) for side in (0, 1)]
        objects = [table.objects for table in tables]
        image = np.concatenate([side.image for side in objects])
        order = np.argsort(image, kind="stable")
        self.image = image[order]
        self.side = np.repeat([0, 1], [len(side) for side in objects])[order]
        self.index, self.category, self.box = (
            np.concatenate([getattr(side, name) for side in objects])[order] for name in ("place", "category", "box")
        )
        self.ids, self.score, self.partner, self.overlap, self.cause = (
            np.concatenate([getattr(table, name) for table in tables])[order]
            for name in ("ids", "score", "partner", "overlap", "cause")
        )
        problems = {len(objects[0]) + row: words for row, words in objects[1].problems.items()}
        self.reasons = [None, *sorted(set(problems.values()))]
        codes, numbers = np.zeros(len(order), np.int64), {words: k for k, words in enumerate(self.reasons)}
        codes[list(problems)] = [numbers[words] for words in problems.values()]
        self.invalid = codes[order]  # (rows,) of reasons
        self.names, self.image_ids = detections.images.names, detections.images.ids
        self.categories, self.category_ids = detections.categories.names, detections.categories.ids

    def __len__(self) -> int:
        return len(self.image)

    def rows(self) -> Rows:
        """Every object as a dict."""
        columns = (
            _chosen(self.names, self.image),
            self.image_ids[self.image].tolist(),
            _chosen(SIDES, self.side),
            self.index.tolist(),
            _or_none(self.ids, self.side == 0),
            self.category_ids[self.category].tolist(),
            _chosen(self.categories, self.category),
            _or_none(self.score, ~np.isnan(self.score)),
            *(_or_none(column, ~np.isnan(column)) for column in self.box.T),
            _chosen(self.reasons, self.invalid),
            _or_none(self.partner, self.partner >= 0),
            _or_none(self.overlap, self.partner >= 0),
            _chosen(CAUSE_WORDS, self.cause),
        )
        return [dict(zip(COLUMNS, values, strict=True)) for values in zip(*columns, strict=True)]

    def csv(self) -> Iterator[bytes] | None:
        """Lines of CSV, some at a time; None where a text needs quotes around its whole line."""
        texts = [*self.names, *self.categories]
        if any("\r" in text for text in texts):
            return None
        ids, category_ids = self.image_ids.tolist(), self.category_ids.tolist()
        images = [b"%s,%d" % (csv_text(name), ident) for name, ident in zip(self.names, ids, strict=True)]
        names = zip(category_ids, self.categories, strict=True)
        categories = [b"%d,%s" % (ident, csv_text(name)) for ident, name in names]
        tables = CellTexts(images), CellTexts(categories), CellTexts([csv_text(words or "") for words in self.reasons])
        return (self._lines(slice(start, start + AT_A_TIME), *tables) for start in range(0, len(self), AT_A_TIME))

    def _lines(self, part: slice, images: CellTexts, categories: CellTexts, reasons: CellTexts) -> bytes:
        """Some rows; an image and a class have two columns each in one."""
        partner = self.partner[part]
        columns = (
            images.cells(self.image[part]),
            SIDE_TEXTS.cells(self.side[part]),
            csv_numbers(self.index[part]),
            csv_numbers(self.ids[part], self.side[part] == 0),
            categories.cells(self.category[part]),
            csv_numbers(self.score[part]),
            *(csv_numbers(column[part]) for column in self.box.T),
            reasons.cells(self.invalid[part]),
            csv_numbers(partner, partner >= 0),
            csv_numbers(self.overlap[part]),
            CAUSE_TEXTS.cells(self.cause[part]),
        )
        parts = [piece for column in columns for piece in (column, b",")]
        return joined([*parts[:-1], b"\n"], len(partner))


def _chosen(texts: Sequence[Any], codes: Any) -> list[Any]:
    """The texts that codes stand for."""
    return [texts[code] for code in codes.tolist()]


def _or_none(values: Any, known: Any) -> list[Any]:
    return [value if is_known else None for value, is_known in zip(values.tolist(), known.tolist(), strict=True)]


def match_columns(params: object) -> list[str]:
    """The columns of the table of every object."""
    return list(COLUMNS)
