"""Other readings of detections: another meaning of a box's four numbers, another scale, other ids.

Boxes as corners or by their centre; numbers as fractions, or in pixels of a resized or letterboxed image; ids of images
and categories one off, by place in the list, or by name. Geometry is judged by overlap alone, whatever the class; ids
of categories are then tried with the few that overlap most. Boxes of the ground truth are tried as corners too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from calipers.core.errors import InputError
from calipers.core.interpretations import Interpretation, Trial
from calipers.suites.coco import measure
from calipers.suites.coco.annotations.images import find_ids
from calipers.suites.coco.box_changes import (
    Sizes,
    as_written,
    both,
    centred,
    corners,
    fractions,
    letterboxed,
    same,
    shrunk,
    stretched,
    swapped,
    thousandths,
)
from calipers.suites.coco.columns import Categories, Codes, Detections, Floats, Images, Instances, Whole
from calipers.suites.coco.config import Config
from calipers.suites.coco.formats.image_names import ImageNames
from calipers.suites.coco.overlaps import overlaps
from calipers.suites.coco.sides import MatchedSides

SIDES = (320, 416, 512, 640, 768, 800, 1024, 1280, 1333, 1536)  # of images that detectors are given
MAX_CLASSES = 1000  # for which trials are scored by AP
MAX_OVERLAPS = 1_500_000  # pairs that share area in one reading of the sample: beyond it boxes are a heap
MAX_TRIED = 3  # geometries, with every way to understand categories


class Numbers(NamedTuple):
    """Classes of YOLO, which are numbers that count names."""

    written: Whole  # (rows,)
    places: Codes  # (numbers,) of the categories that the numbers from 0 on mean, -1 for none

    def moved(self, step: int) -> Codes:
        """(rows,) the categories, if every number was so much larger."""
        number = self.written + step
        inside = (number >= 0) & (number < len(self.places))
        return np.where(inside, np.append(self.places, -1)[np.where(inside, number, -1)], -1).astype(np.int32)


class DetectionRows(NamedTuple):
    """Detections as given: ids are looked up later, and names stand where ids were no numbers."""

    image: Whole
    category: Whole
    box: Floats  # (rows, 4)
    score: Floats
    image_names: dict[int, str]  # row -> text
    category_names: dict[int, str]
    numbers: Numbers | None = None  # where classes are numbers, from which the ids of categories were found

    def take(self, chosen: Any) -> DetectionRows:
        """The detections of some rows."""
        place = {int(row): at for at, row in enumerate(np.flatnonzero(chosen))}
        images, categories = (
            {place[row]: name for row, name in texts.items() if row in place}
            for texts in (self.image_names, self.category_names)
        )
        numbers = self.numbers and self.numbers._replace(written=self.numbers.written[chosen])
        columns = (column[chosen] for column in self[:4])
        return DetectionRows(*columns, images, categories, numbers)  # type: ignore[call-arg]


class Ids(NamedTuple):
    """How ids are looked up: (rows,) places among the images, and among the categories; -1 is not there."""

    image: Codes
    category: Codes


class TruthSide:
    """The ground truth that detections are compared with."""

    def __init__(self, detections: Detections, most: int, *, yolo: bool = False) -> None:
        self.layouts = YOLO_LAYOUTS if yolo else LAYOUTS  # other meanings of the four numbers of a box
        busy = np.flatnonzero(np.diff(detections.truth.offsets) > 0)[:most]
        self.sampled = np.zeros(len(detections.images), np.bool_)  # (images,) the first that have annotations
        self.sampled[busy] = True
        self.detections = detections._replace(truth=_on_images(detections.truth, self.sampled))

    def with_corners(self) -> TruthSide | None:
        """The side with boxes that were written as two corners; None if some cannot be."""
        truth = self.detections.truth
        box = corners(truth.box, self.sizes(truth.image))
        if not len(box) or not (box[:, 2:] >= 0).all():
            return None
        other = copy(self)
        other.detections = self.detections._replace(truth=_with_boxes(truth, box, len(self.images)))
        return other

    def ids(self, rows: DetectionRows) -> Ids:
        """Places by id."""
        return Ids(find_ids(self.images.ids, rows.image)[0], find_ids(self.categories.ids, rows.category)[0])

    @property
    def images(self) -> Images:
        """All images of the ground truth."""
        return self.detections.images

    @property
    def categories(self) -> Categories:
        """All classes of the ground truth."""
        return self.detections.categories

    def sizes(self, image: Codes) -> Sizes:
        """Width and height of the image of each row, NaN where not known."""
        return tuple(np.where(image < 0, np.nan, side[image]) for side in (self.images.width, self.images.height))  # type: ignore[return-value]

    def with_pred(self, rows: DetectionRows, ids: Ids, box: Floats) -> Detections:
        """The sample with these detections; those on no image of it or of no class are left out."""
        known = np.asarray((ids.image >= 0) & (ids.category >= 0) & self.sampled[ids.image])
        order = np.flatnonzero(known)[np.argsort(ids.image[known], kind="stable")]
        box = box[order]
        wrong = ~np.asarray(np.isfinite(box).all(axis=1) & (box[:, 2:] >= 0).all(axis=1))
        box = np.where(wrong[:, None], np.nan, box)
        pred = Instances(
            image=ids.image[order],
            category=ids.category[order],
            box=np.ascontiguousarray(box),
            area=box[:, 2] * box[:, 3],
            crowd=np.zeros(len(order), np.bool_),
            score=rows.score[order],
            ids=order + 1,
            place=order,
            problems=dict.fromkeys(np.flatnonzero(wrong).tolist(), "bbox"),
            images=len(self.images),
        )
        return self.detections._replace(pred=pred)


def _on_images(truth: Instances, images: Any) -> Instances:
    keep = images[truth.image]
    names = ("image", "category", "box", "area", "crowd", "score", "ids", "place")
    columns = {name: getattr(truth, name)[keep] for name in names}
    return Instances(**columns, problems={}, images=len(images))


def _with_boxes(truth: Instances, box: Floats, images: int) -> Instances:
    names = ("image", "category", "crowd", "score", "ids", "place")
    columns = {name: getattr(truth, name) for name in names}
    area = box[:, 2] * box[:, 3]
    return Instances(**columns, box=np.ascontiguousarray(box), area=area, problems={}, images=images)


def near_rows(ground: TruthSide, rows: DetectionRows) -> DetectionRows:
    """The detections that are on an image of the sample in any way to understand their ids."""
    near = np.zeros(len(rows.image), np.bool_)
    for way in _images(ground, rows):
        near |= (way.how >= 0) & ground.sampled[way.how]
    return rows.take(near)


def pairs_on_images(ground: TruthSide, rows: DetectionRows) -> int:
    """How many pairs of an object and a detection are on one image, in the way to understand images that has most."""
    count = len(ground.images)
    objects = np.bincount(ground.detections.truth.image, None, count)
    places = (way.how for way in _images(ground, rows))
    return max(int(objects @ np.bincount(image[image >= 0], None, count)) for image in places)


def crowding(ground: TruthSide, rows: DetectionRows, most_pairs: int) -> str:
    """Why there is too much on the images to compare anything, in words; empty if there is not."""
    if pairs_on_images(ground, rows) > most_pairs:
        return f"more than {most_pairs:,} pairs of annotations and detections on them"
    try:
        overlaps(ground.with_pred(rows, ground.ids(rows), rows.box), "bbox", min_overlap=0.0, most=MAX_OVERLAPS)
    except OverflowError:
        return f"more than {MAX_OVERLAPS:,} pairs of annotations and detections that overlap"
    return ""


def mean_best(detections: Detections) -> float | None:
    """The mean over objects, crowds apart, of the best overlap with a detection of any class; None of a heap."""
    try:
        rows, _, overlap = overlaps(detections, "bbox", min_overlap=0.0, most=MAX_OVERLAPS)
    except OverflowError:
        return None
    best = np.zeros(len(detections.truth))
    np.maximum.at(best, rows, overlap)
    counted = best[~detections.truth.crowd]
    return float(counted.mean()) if len(counted) else None


def has_order(score: Floats) -> bool:
    """Whether scores rank detections: every one has one, and they are not all the same."""
    return not np.isnan(score).any() and (len(score) < 2 or bool((score != score[0]).any()))


def has_ap(score: Floats, classes: int) -> bool:
    """Whether trials are scored by AP: where scores rank, and classes are not so many that a dozen trials take long."""
    return has_order(score) and classes <= MAX_CLASSES


def score_of(detections: Detections, config: Config) -> float | None:
    """AP at 0.50; without scores to rank by, or with very many classes, F1 there."""
    usable = [row for row in range(len(detections.pred)) if row not in detections.pred.problems]
    if has_ap(detections.pred.score[usable], len(detections.categories)):
        return measure.lines(detections, config)["AP_50"]
    close = overlaps(detections, "bbox", min_overlap=config.levels.min_overlap / 1e12)
    matched = MatchedSides(detections, close, config)
    objects = len(matched.truth) + len(matched.pred)
    return 2 * len(matched.at_primary(config)) / objects if objects else None


def coco_trial(ground: TruthSide, rows: DetectionRows, ids: Ids, box: Floats, config: Config) -> Trial:
    """What detections score."""
    detections = ground.with_pred(rows, ids, box)
    return Trial(score_of(detections, config), mean_best(detections))


class Alternative(NamedTuple):
    """One way to read a part of detections; the first of each kind is how they are read now."""

    name: str
    advice: str
    how: Any  # places (rows,) of images or categories, or a change of boxes


def other_readings(ground: TruthSide, rows: DetectionRows, config: Config) -> Iterator[Interpretation]:
    """Interpretations that overlap best, whatever the class, each with every alternative for categories."""
    kinds = _distinct(_categories(ground, rows))
    for image, geometry in _best(ground, rows):
        box = geometry.how(rows.box, ground.sizes(image.how))
        for kind in kinds:
            ways = [way for way in (geometry, image, kind) if way.name]
            if ways:
                trial = coco_trial(ground, rows, Ids(image.how, kind.how), box, config)
                yield Interpretation(", ".join(way.name for way in ways), "; ".join(way.advice for way in ways), trial)
    yield from _other_truth(ground, rows, config)


def _other_truth(ground: TruthSide, rows: DetectionRows, config: Config) -> Iterator[Interpretation]:
    """Detections as they are, with boxes of the ground truth as corners, if they can be."""
    if ground.detections.format == "coco" and (read := ground.with_corners()) is not None:
        trial = coco_trial(read, rows, read.ids(rows), rows.box, config)
        yield Interpretation("boxes of the ground truth as [x1, y1, x2, y2]", TRUTH_TO_SIZES, trial)


def _best(ground: TruthSide, rows: DetectionRows) -> list[tuple[Alternative, Alternative]]:
    """Images and geometry: as they are, and the few that overlap most; of equals the simpler, which come first."""
    tried: list[tuple[float | None, Alternative, Alternative]] = []
    for image in _distinct(_images(ground, rows)):
        ids = Ids(image.how, np.zeros(len(rows.image), np.int32))
        for geometry in _geometries(ground, rows, image.how):
            box = geometry.how(rows.box, ground.sizes(image.how))
            tried.append((mean_best(ground.with_pred(rows, ids, box)), image, geometry))
    first, *others = tried
    best = sorted((other for other in others if other[0] is not None), key=lambda other: -round(other[0] or 0.0, 3))
    best = best[:MAX_TRIED]
    return [(image, geometry) for _, image, geometry in [first, *best]]


def _distinct(ways: Iterator[Alternative]) -> list[Alternative]:
    """The alternatives without those that equal an earlier one."""
    distinct: list[Alternative] = []
    for way in ways:
        if not any(np.array_equal(way.how, other.how) for other in distinct):
            distinct.append(way)
    return distinct


# Geometry


def _geometries(ground: TruthSide, rows: DetectionRows, image: Codes) -> Iterator[Alternative]:
    yield AS_IS
    yield from ground.layouts
    width, height = ground.sizes(image)
    known = image >= 0
    if not known.any() or not np.isfinite(width[known]).all() or not np.isfinite(height[known]).all():
        return
    scales = [
        Alternative("fractions 0–1 -> pixels", "multiply by width and height", fractions),
        Alternative("norm1000 -> pixels", "multiply by width/1000 and height/1000", thousandths),
        *_resized(_reach(rows.box)),
    ]
    for scale in scales:
        yield scale
        for layout in ground.layouts:
            how = both(scale.how, layout.how)
            yield Alternative(f"{scale.name}, {layout.name}", f"{scale.advice}; {layout.advice}", how)


def _resized(reach: float) -> Iterator[Alternative]:
    """Pixels of an image that was resized, of the sizes that the numbers reach into."""
    for side in SIDES:
        if 0.5 * side <= reach <= 1.05 * side:
            for words, undo in (
                (f"letterboxed to {side}", letterboxed(side)),
                (f"resized to {side} on its longer side", shrunk(side)),
                (f"stretched to {side} by {side}", stretched(side)),
            ):
                yield Alternative(f"pixels of an image {words}", "undo the resizing", undo)


def _reach(box: Floats) -> float:
    """How far boxes reach, but for the farthest."""
    good = box[np.isfinite(box).all(axis=1)]
    return float(np.quantile(good.max(axis=1), 0.98)) if len(good) else 0.0


TO_SIZES = "write boxes as [x, y, width, height]"
TRUTH_TO_SIZES = "write boxes of the ground truth as [x, y, width, height]"
AS_IS = Alternative("", "", same)
LAYOUTS = (
    Alternative("boxes as [x1, y1, x2, y2]", TO_SIZES, corners),
    Alternative("boxes as [cx, cy, w, h]", TO_SIZES, centred),
    Alternative("x and y swapped", "write x before y", swapped),
)
YOLO_LAYOUTS = (  # of lines that were read as class cx cy w h
    Alternative(
        "lines as class x1 y1 x2 y2", "write class cx cy w h", lambda box, sizes: corners(as_written(box), sizes)
    ),
    Alternative("lines as class x y w h", "write class cx cy w h", lambda box, sizes: as_written(box)),
)


# Ids


def _images(ground: TruthSide, rows: DetectionRows) -> Iterator[Alternative]:
    places = ground.ids(rows).image
    yield Alternative("", "", places)
    if rows.image_names:
        named = _by_name(rows.image_names, _finder(ground.images.names), places)
        yield Alternative("images by file name", "write the ids of images", named)
    yield from _shifted("image", ground.images.ids, rows.image)
    yield from _by_place("images", len(ground.images), rows.image)


def _categories(ground: TruthSide, rows: DetectionRows) -> Iterator[Alternative]:
    places = ground.ids(rows).category
    yield Alternative("", "", places)
    if rows.category_names:
        names = {name.casefold(): at for at, name in enumerate(ground.categories.names)}
        named = _by_name(rows.category_names, lambda name: names.get(name.casefold()), places)
        yield Alternative("categories by name", "write the ids of categories", named)
    if rows.numbers is not None:
        yield Alternative("classes one too small", "add 1 to the class of every line", rows.numbers.moved(1))
        yield Alternative("classes one too large", "subtract 1 from the class of every line", rows.numbers.moved(-1))
        return
    yield from _shifted("category", ground.categories.ids, rows.category)
    yield from _by_place("categories", len(ground.categories), rows.category)


def _shifted(what: str, known: Whole, ids: Whole) -> Iterator[Alternative]:
    yield Alternative(f"{what} ids one too small", f"add 1 to {what}_id", find_ids(known, ids + 1)[0])
    yield Alternative(f"{what} ids one too large", f"subtract 1 from {what}_id", find_ids(known, ids - 1)[0])


def _by_place(what: str, count: int, ids: Whole) -> Iterator[Alternative]:
    for start in (0, 1):
        places = np.where((ids >= start) & (ids < count + start), ids - start, -1).astype(np.int32)
        yield Alternative(f"{what} by their place in the list, from {start}", f"write the ids of {what}", places)


def _finder(names: list[str]) -> Callable[[str], int | None]:
    """Images by name; a name that may mean several means none here."""
    known = ImageNames(names, "the ground truth")

    def find(name: str) -> int | None:
        try:
            return known.find(name)
        except InputError:
            return None

    return find


def _by_name(texts: dict[int, str], find: Callable[[str], int | None], places: Codes) -> Codes:
    resolved = places.copy()
    for row, text in texts.items():
        place = find(text)
        resolved[row] = -1 if place is None else place
    return resolved
