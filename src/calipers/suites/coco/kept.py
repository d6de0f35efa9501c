"""What is kept of images that were measured: flags instead of shapes, from which every figure can be made.

Matching is local to an image, in all its forms. So of an object only remain its class, whether it has to be found in
each range of area, and what became of it; of a detection its class, its score, what became of it in each range of area
at each threshold, and its partner, as a place among the objects of its image. Images that were measured apart are put
together by putting their rows together; ranks are made at the end. No box, mask or keypoint is left, so rows of objects
and cases can not be had from what was kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.causes import MATCHED, WRONG_LABEL, Causes
from calipers.core.freed_memory import return_memory_of_many
from calipers.core.matching import Labels, Pairs
from calipers.core.slice_fields import SIZE
from calipers.core.versions import Engines
from calipers.suites.coco.columns import Categories, Codes, Detections, FewRows, Images, Instances
from calipers.suites.coco.config import Config
from calipers.suites.coco.curves import why_no_order, why_no_scores
from calipers.suites.coco.engine import usable, usable_scores
from calipers.suites.coco.matches import CocoMatches, fits_of, ranked_classes, rows_of, surest_first
from calipers.suites.coco.measure import MatchedImages, MeasuredImages, accumulated, all_equal
from calipers.suites.coco.sides import KIND, MatchedSides, SideRows
from calipers.suites.coco.tide import NOT_WRONG, TideErrors

FOUND, MISSED, CROWD, COUNTED_TRUTH = 16, 32, 64, 128  # flags of objects; the lower bits are ranges of area
KEPT, COUNTED, IN_CROWD, NOT_EXHAUSTIVE = 1, 2, 4, 8  # flags of detections
NOT_COUNTED, NOBODY = -1, -1  # an outcome, a place


class KeptSide(NamedTuple):
    """One side, image by image; further columns by name, each with a value for each row, or for few of them."""

    image: Codes
    category: Codes
    columns: dict[str, NDArray[Any]]
    few: dict[str, FewRows]

    def __len__(self) -> int:
        return len(self.image)


class KeptImages(NamedTuple):
    """Images that were measured, both sides, and what they came from."""

    images: Images
    categories: Categories
    truth: KeptSide  # flags, outcome, pair_at; area where slices by size are asked for
    pred: KeptSide  # score, place, hits, ignored, flags, outcome, cause; few: gets_at, match_at, match_score, overlap
    causes: NDArray[np.int64]  # (rows, images) see `calipers.core.worth.cause_rows`
    problems: dict[int, str]  # of detections
    last_place: int  # the largest of the detections in their list, -1 without any
    truth_digest: str  # of annotations, to tell whether ground truth in several files is the same
    engines: Engines
    inputs: list[Any]
    warnings: list[str]
    bad: list[Any]
    total: int
    format: str


def join_few(sides: Sequence[KeptSide]) -> dict[str, FewRows]:
    """Columns of few rows, of sides that follow each other."""
    firsts = list(accumulate((len(side) for side in sides), initial=0))[:-1]
    return {
        name: FewRows(
            np.concatenate([side.few[name].rows + np.int32(first) for side, first in zip(sides, firsts, strict=True)]),
            np.concatenate([side.few[name].values for side in sides]),
        )
        for name in sides[0].few
    }


def keep_images(measured: MatchedImages) -> KeptImages:
    """What is kept of images that were measured whole."""
    detections = measured.detections
    truth, pred = detections.truth, detections.pred
    return KeptImages(
        detections.images,
        detections.categories,
        KeptSide(truth.image, truth.category, _truth_columns(measured), {}),
        KeptSide(pred.image, pred.category, _pred_columns(measured), _partners(measured)),
        measured.cause_table(),
        pred.problems,
        int(pred.place.max()) if len(pred) else -1,
        _digest(detections),
        measured.engines,
        detections.inputs,
        detections.warnings,
        detections.bad,
        detections.total,
        detections.format,
    )


def _digest(detections: Detections) -> str:
    """A digest of annotations; none of a COCO file, whose own digest tells all there is of them."""
    if detections.format == "coco":
        return ""
    truth = detections.truth
    columns = (truth.image, truth.category, truth.ids, truth.box, truth.area, truth.crowd)
    return sha256(b"".join(np.ascontiguousarray(column).tobytes() for column in columns)).hexdigest()


def _truth_columns(measured: MatchedImages) -> dict[str, NDArray[Any]]:
    truth, pred = measured.detections.truth, measured.detections.pred
    matches, tide, sides = measured.by_score, measured.by_tide, measured.matched
    flags = np.packbits(matches.area_wanted, axis=1, bitorder="little").reshape(-1) if len(truth) else _none(np.uint8)
    flags = flags | np.uint8(CROWD) * truth.crowd
    if tide is not None:
        flags = flags | np.uint8(FOUND) * tide.found | np.uint8(MISSED) * tide.missed
    flags[sides.truth.rows] |= COUNTED_TRUTH
    outcome, pair_at = np.full(len(truth), NOT_COUNTED, np.int8), np.full(len(truth), NOBODY, np.int32)
    outcome[sides.truth.rows] = measured.causes.truth
    own, other = measured.causes.pairs_of(MATCHED, WRONG_LABEL)
    pair_at[sides.truth.rows[own]] = _within_image(pred, sides.pred.rows[other])
    columns: dict[str, NDArray[Any]] = {"flags": flags.astype(np.uint8), "outcome": outcome, "pair_at": pair_at}
    return columns | _area(truth, measured.config)


def _pred_columns(measured: MatchedImages) -> dict[str, NDArray[Any]]:
    pred, rows = measured.detections.pred, len(measured.detections.pred)
    matches, tide, sides = measured.by_score, measured.by_tide, measured.matched
    flags = KEPT * matches.kept + IN_CROWD * sides.ignored + NOT_EXHAUSTIVE * pred.crowd
    flags[sides.pred.rows] += COUNTED
    outcome = np.full(rows, NOT_COUNTED, np.int8)
    outcome[sides.pred.rows] = measured.causes.pred
    columns = {
        "score": pred.score,
        "place": np.where(_is_odd(pred.score), pred.place, 0),
        "hits": matches.area_hits,
        "ignored": matches.area_ignored,
        "flags": flags.astype(np.uint8),
        "outcome": outcome,
        "cause": np.full(rows, NOT_WRONG, np.int8) if tide is None else tide.cause,
    }
    if measured.uncut is not None:
        columns["uncut"] = np.stack([measured.uncut.hits, measured.uncut.ignored], axis=1)
    return columns | _area(pred, measured.config)


def _partners(measured: MatchedImages) -> dict[str, FewRows]:
    """Of detections with an object which that is, as a place among those of its image, and how close."""
    truth, matches, tide, sides = measured.detections.truth, measured.by_score, measured.by_tide, measured.matched
    own, other, closeness = (
        np.asarray(column) for column in (sides.matching.pred, sides.matching.truth, sides.matching.score)
    )
    by_row = np.argsort(own, kind="stable")  # each has one partner at most
    matched, partners = rows32(sides.pred.rows[own[by_row]]), sides.truth.rows[other[by_row]]
    right = rows32(np.flatnonzero(matches.hits & 1))
    aiming = rows32(np.flatnonzero(tide.gets >= 0)) if tide is not None else _none(np.int32)
    gets = tide.gets[aiming] if tide is not None else aiming
    return {
        "match_at": FewRows(matched, rows32(_within_image(truth, partners))),
        "match_score": FewRows(matched, closeness[by_row].astype(np.int64)),
        "gets_at": FewRows(aiming, rows32(_within_image(truth, gets))),
        "overlap": FewRows(right, fits_of(matches, right)),
    }


def rows32(rows: Any) -> Codes:
    """Rows or places, as they are kept."""
    return np.asarray(rows).astype(np.int32, copy=False)


def _is_odd(score: Any) -> NDArray[np.bool_]:
    """Scores that a reason may name by their places: missing, or no probabilities."""
    return np.asarray(~((score >= 0) & (score <= 1)))


def _none(kind: Any) -> NDArray[Any]:
    return np.empty(0, kind)


def _area(side: Instances, config: Config) -> dict[str, NDArray[Any]]:
    return {"area": side.area} if SIZE in config.slice_fields else {}


def _within_image(side: Instances, rows: Any) -> Any:
    """Rows as places among those of their image."""
    return rows - side.offsets[side.image[rows]]


# From what was kept to figures


class KeptSides(MatchedSides):
    """Both sides and their class-aware matching, of images that were kept."""

    def __init__(self, kept: KeptImages, detections: Detections, config: Config) -> None:
        self.keys = detections.images.names
        truth, pred = kept.truth.columns, kept.pred.columns
        self.truth = self._counted(detections.truth, truth["flags"] & COUNTED_TRUTH, config)
        self.pred = self._counted(detections.pred, pred["flags"] & COUNTED, config)
        self.ignored = pred["flags"] & IN_CROWD > 0
        self.labels = Labels(self.truth.category, self.pred.category)
        rows, places = kept.pred.few["match_at"]
        truths = detections.truth.offsets[detections.pred.image[rows]] + places
        self.matching = Pairs(
            np.searchsorted(self.truth.rows, rows32(truths)).astype(np.int32),
            np.searchsorted(self.pred.rows, rows).astype(np.int32),
            kept.pred.few["match_score"].values,
        )

    def _counted(self, side: Instances, flags: Any, config: Config) -> SideRows:
        return SideRows(rows_of(flags), side.image, side.category, len(self.keys), KIND[config.iou_type])


class KeptCauses(Causes):
    """The outcome of every counted object, of images that were kept."""

    def __init__(self, kept: KeptImages, detections: Detections, sides: KeptSides) -> None:
        truth = kept.truth.columns
        self.truth = truth["outcome"][sides.truth.rows].view(np.uint8)
        self.pred = kept.pred.columns["outcome"][sides.pred.rows].view(np.uint8)
        paired = np.flatnonzero(truth["pair_at"] >= 0)
        preds = detections.pred.offsets[detections.truth.image[paired]] + truth["pair_at"][paired]
        own, other = (
            np.searchsorted(side.rows, rows32(rows)) for side, rows in ((sides.truth, paired), (sides.pred, preds))
        )
        self.pairs = Pairs(own, other, np.zeros(len(own), np.int64))
        places = np.full(len(self.truth), NOBODY)
        places[own] = np.arange(len(own))
        self.places = [places, np.broadcast_to(np.array(NOBODY), len(self.pred))]


class KeptMeasured(MeasuredImages):
    """Images that were measured apart, as if they had been measured here; without shapes."""

    def __init__(self, kept: KeptImages, config: Config, *, use_up: bool = False) -> None:
        """`use_up` is whether columns may be taken from what was kept, of which then only figures can be made."""
        self.kept, self.config, self.detections, self._is_used_up = kept, config, _detections(kept), use_up
        self.by_score = self._matches()
        self.no_order = self._why_no_order()
        self.accumulated = None if self.no_order else accumulated(self.detections, self.by_score, config)
        if use_up:
            self._use_up_areas()
        sides = KeptSides(kept, self.detections, config)
        self.matched = sides
        self.causes = KeptCauses(kept, self.detections, sides)
        self.by_tide = self._tide() if config.iou_type != "keypoints" else None
        if use_up:
            self._use_up()
        self.matches = None if self.no_order else self.by_score
        self.tide = None if self.no_order else self.by_tide
        self.scored = None if self.no_probabilities else self.by_score

    def _use_up_areas(self) -> None:
        """Let go of what became of detections in ranges of area, which curves were made from, before more is made."""
        self.by_score = self.by_score.without_areas()
        for name in ("hits", "ignored", "uncut"):
            self.kept.pred.columns.pop(name, None)
        return_memory_of_many(len(self.kept.pred))

    def _use_up(self) -> None:
        """Let go of columns that figures were made from."""
        for side in (self.kept.truth, self.kept.pred):
            side.columns.clear()
            side.few.clear()
        return_memory_of_many(len(self.kept.pred))

    def let_go_of_causes(self) -> None:
        """Let go of causes in AP, if columns may be taken."""
        if self._is_used_up:
            self.tide = self.by_tide = None
            return_memory_of_many(len(self.kept.pred))

    @property
    def engines(self) -> Engines:
        """The version of hotcoco, where it compared masks."""
        return {} if self.accumulated is None or not len(self.accumulated.held) else self.kept.engines

    def cause_table(self) -> Any:
        """The rows of causes in each image."""
        return self.kept.causes

    def _matches(self) -> CocoMatches:
        truth, pred = self.kept.truth.columns, self.kept.pred.columns
        hits, ignored = pred["hits"], pred["ignored"]
        wanted = (truth["flags"][:, None] >> np.arange(hits.shape[1], dtype=np.uint8) & 1).astype(bool)
        order = surest_first(pred["score"])
        partner = np.broadcast_to(np.array(NOBODY, np.int32), len(order))  # which nobody asks for any more
        kept = pred["flags"] & KEPT > 0
        columns = (hits[:, 0], ignored[:, 0], kept, order, wanted[:, 0], partner, self.kept.pred.few["overlap"])
        return CocoMatches(*columns, hits, ignored, wanted)

    def _tide(self) -> TideErrors:
        truth, pred = self.kept.truth.columns, self.kept.pred.columns
        aiming, places = self.kept.pred.few["gets_at"]
        gets = np.full(len(self.kept.pred), NOBODY, np.int32)
        gets[aiming] = places + self.detections.truth.offsets[self.detections.pred.image[aiming]]
        return TideErrors(pred["cause"], gets, truth["flags"] & FOUND > 0, truth["flags"] & MISSED > 0)

    def _why_no_order(self) -> str | None:
        """Why scores do not rank the detections; where all scores are equal, limits on detections do not apply."""
        detections = self.detections
        scores, places = usable_scores(detections.pred)
        reason = why_no_scores(scores, places)
        if reason or len(scores) < 2 or not all_equal(scores):
            return reason
        uncut = self.kept.pred.columns["uncut"]
        good = usable(detections.pred)
        matches = self.by_score._replace(hits=uncut[:, 0], ignored=uncut[:, 1], kept=good)
        return why_no_order(
            scores, ranked_classes(detections.truth, detections.pred, matches, len(detections.categories))
        )


def _detections(kept: KeptImages) -> Detections:
    """What was kept under the names that it had when it was read; shapes and ids are gone."""
    truth = _instances(kept.truth, kept.truth.columns["flags"] & CROWD > 0, {}, len(kept.images))
    pred = _instances(kept.pred, kept.pred.columns["flags"] & NOT_EXHAUSTIVE > 0, kept.problems, len(kept.images))
    return Detections(
        kept.images, kept.categories, truth, pred, kept.inputs, kept.warnings, kept.bad, kept.total, kept.format
    )


def _instances(side: KeptSide, crowd: Any, problems: dict[int, str], images: int) -> Instances:
    rows, gone = len(side), np.array(np.nan)
    return Instances(
        image=side.image,
        category=side.category,
        box=np.broadcast_to(gone, (rows, 4)),
        area=side.columns.get("area", np.broadcast_to(gone, rows)),
        crowd=crowd,
        score=side.columns.get("score", np.broadcast_to(gone, rows)),
        ids=np.broadcast_to(np.array(0), rows),
        place=side.columns.get("place", np.broadcast_to(np.array(0), rows)),
        problems=problems,
        images=images,
    )
