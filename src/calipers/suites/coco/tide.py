"""What each cause of errors costs in AP at IoU 0.50, as TIDE has it (Bolya et al., ECCV 2020).

A detection that counts and found nothing has the first cause that holds, by its overlap with objects of its own class
(same) and of others (other), the closest of each, of equally close ones the first:

    misplaced              0.1 <= same <= 0.5
    wrong_label            other >= 0.5
    duplicate              same > 0.5, so that another detection has that object
    spurious               other <= 0.1
    wrong_label_and_place  any other

One that is misplaced or has a wrong label aims at that closest object, if nothing found it. Of all that aim at an
object, whatever their cause, the surest gets it. `missed` are objects that nothing found and nothing aims at.

An oracle mends one cause and leaves the others: a detection that gets its object becomes right, with its score and the
class of the object; every other of the cause is gone; what was missed is no object any more. `false_positives` takes
away all wrong detections, `misses` all objects that nothing found. Gain is AP_50 then, minus AP_50 now.

A class that an oracle leaves without objects has an AP of 0 while it has detections, and is left out of the mean if it
has none. Everything else is COCO's: matching, crowd regions, limits on detections, and classes that have an AP.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.causes import CAUSES
from calipers.suites.coco.columns import Detections
from calipers.suites.coco.engine import THRESHOLDS
from calipers.suites.coco.matches import CocoMatches, Overlaps, chosen, in_class_order, rows_of
from calipers.suites.coco.replicates import RankedColumns

BACKGROUND, FOREGROUND = 0.1, float(THRESHOLDS[0])
WRONG_LABEL, MISPLACED, WRONG_LABEL_AND_PLACE, DUPLICATE, SPURIOUS = range(5)  # places in CAUSES
MISSED, FALSE_POSITIVES, MISSES = CAUSES[-1], "false_positives", "misses"
ORACLES = (*CAUSES, FALSE_POSITIVES, MISSES)
NOT_WRONG, NOBODY = -1, -2  # no cause; the cause of no detection


class TideErrors(NamedTuple):
    """Causes of wrong detections and missed objects at IoU 0.50, and the object that each detection gets."""

    cause: NDArray[np.int8]  # (preds,) of CAUSES, NOT_WRONG for those that found something or do not count
    gets: NDArray[np.int32]  # (preds,) the object that it finds once it is mended, -1 for none
    found: NDArray[np.bool_]  # (truths,) by a detection
    missed: NDArray[np.bool_]  # (truths,) nothing found it, nothing aims at it


def tide_errors(detections: Detections, close: Overlaps, matches: CocoMatches) -> TideErrors:
    """The cause of each wrong detection; `close` holds all pairs of an image with an overlap of 0.1 or more."""
    truth, pred = detections.truth, detections.pred
    wrong = matches.kept & ((matches.hits | matches.ignored) & 1 == 0)
    rows, columns, overlap = close
    met = matches.wanted[rows] & wrong[columns] & (overlap >= BACKGROUND)
    rows, columns, overlap = rows[met], columns[met], overlap[met]
    own = truth.category[rows] == pred.category[columns]
    same, same_at = _closest((rows[own], columns[own], overlap[own]), len(pred))
    other, other_at = _closest((rows[~own], columns[~own], overlap[~own]), len(pred))
    cause = np.where(wrong, _cause(same, other), NOT_WRONG).astype(np.int8)
    is_found = np.zeros(len(truth), dtype=bool)
    is_found[matches.partner[matches.partner >= 0]] = True
    aim = np.where(cause == MISPLACED, same_at, np.where(cause == WRONG_LABEL, other_at, -1)).astype(np.int32)
    aims = np.flatnonzero(aim >= 0)
    aim[aims[is_found[aim[aims]]]] = -1
    gets, aimed = _surest(aim, matches.order, len(truth))
    return TideErrors(cause, gets, is_found, matches.wanted & ~is_found & ~aimed)


def _closest(pairs: Overlaps, preds: int) -> tuple[Any, Any]:
    """For each detection its largest overlap, and with which object: of equal ones the first; 0 and -1 without any."""
    rows, columns, overlap = pairs
    order = np.lexsort((rows, -overlap, columns))
    first = order[np.diff(columns[order], prepend=-1) != 0]
    largest, at = np.zeros(preds), np.full(preds, -1, dtype=np.int32)
    largest[columns[first]], at[columns[first]] = overlap[first], rows[first]
    return largest, at


def _cause(same: Any, other: Any) -> Any:
    """The cause by overlaps.

    >>> _cause(np.array([0.5, 0.0, 0.7, 0.0, 0.0]), np.array([0.9, 0.5, 0.3, 0.1, 0.2])).tolist()
    [1, 0, 3, 4, 2]
    """
    tests = [(same >= BACKGROUND) & (same <= FOREGROUND), other >= FOREGROUND, same > FOREGROUND, other <= BACKGROUND]
    return np.select(tests, [MISPLACED, WRONG_LABEL, DUPLICATE, SPURIOUS], WRONG_LABEL_AND_PLACE)


def _surest(aim: Any, order: Any, truths: int) -> tuple[Any, Any]:
    """The object each detection gets, if it is the surest that aims at it; and whether something aims at an object."""
    aiming = order[aim[order] >= 0]
    objects, first = np.unique(aim[aiming], return_index=True)
    gets, aimed = np.full(len(aim), -1, dtype=np.int32), np.zeros(truths, dtype=bool)
    gets[aiming[first]], aimed[objects] = objects, True
    return gets, aimed


class Oracles:
    """The detections of every class under an oracle, best first, and the objects that are left."""

    def __init__(self, detections: Detections, matches: CocoMatches, errors: TideErrors) -> None:
        self.detections, self.errors, self.wanted = detections, errors, matches.wanted
        counted = matches.kept & (matches.ignored & 1 == 0)
        self.counted = chosen(matches.order, counted)  # (counted,) detections, the surest first

    def now(self) -> RankedColumns:
        """Every class without an oracle."""
        return self._ranked(self.counted, NOBODY, self.wanted)

    def mended(self, oracle: str) -> RankedColumns:
        """Every class under an oracle."""
        if oracle in (MISSED, MISSES):
            return self._ranked(self.counted, NOBODY, self.errors.found if oracle == MISSES else self._not_missed())
        if oracle == FALSE_POSITIVES:
            return self._ranked(chosen(self.counted, self.errors.cause == NOT_WRONG), NOBODY, self.wanted)
        cause = CAUSES.index(oracle)
        stays = (self.errors.cause != cause) | (self.errors.gets >= 0)
        return self._ranked(chosen(self.counted, stays), cause, self.wanted)

    def _not_missed(self) -> Any:
        return self.wanted & ~self.errors.missed

    def _ranked(self, rows: Any, mended: int, objects: Any) -> RankedColumns:
        """Some detections by class; those of one cause are right, and of the class of the object that they get."""
        truth, pred, classes = self.detections.truth, self.detections.pred, len(self.detections.categories)
        ranked_rows, ends = in_class_order(rows, self._category(mended), classes)
        ranked_objects, object_ends = in_class_order(rows_of(objects), truth.category, classes)
        right = ((self.errors.cause == NOT_WRONG) | (self.errors.cause == mended))[ranked_rows].astype(np.uint16)
        none_ignored = np.broadcast_to(np.uint16(0), len(ranked_rows))
        return RankedColumns(
            ends, pred.image[ranked_rows], right, none_ignored, object_ends, truth.image[ranked_objects]
        )

    def _category(self, mended: int) -> Any:
        """(preds,) the class of each; of those of a cause that get an object the class of that."""
        moved = np.flatnonzero((self.errors.cause == mended) & (self.errors.gets >= 0))
        category = self.detections.pred.category
        if len(moved):
            category = category.copy()
            category[moved] = self.detections.truth.category[self.errors.gets[moved]]
        return category
