"""Other readings of the predictions of a dense dump: another scale, another meaning of a box's four numbers, or both.

Scales: pixels, of the image or of one whose longer side was brought to a usual size; fractions; percent; a grid of
1024. Where records do not tell the size of their image, one size for all is found from both sides. Boxes: [x, y, width,
height], [centre, size], and every point with x and y swapped. A grid of 999 is no reading of its own: it moves a point
by one unit at most, which no score can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from calipers.core.errors import keyword
from calipers.core.interpretations import Interpretation, Trial, value_of
from calipers.core.matching import UNIT
from calipers.core.shapes import KINDS
from calipers.suites.dense.config import Config
from calipers.suites.dense.measure import match_measurable
from calipers.suites.dense.pixel_scale import FittedSize, SampledObjects, fitted_size
from calipers.suites.dense.read import read_records, side_objects

Record = dict[str, Any]
Numbers = list[float]
Factors = Callable[[float, float], tuple[float, float]]
Change = Callable[[Any, Numbers, tuple[float, float]], Any]  # of an object with these numbers in an image of this size
SIDES = (448, 512, 640, 768, 896, 1024, 1280, 1536, 2048)  # that longer sides are brought to
FRAME = 1000.0
PIXEL = keyword("frame", "pixel")


class Scale(NamedTuple):
    """What x and y are multiplied by, for a record of some width and height."""

    name: str
    advice: str
    factors: Factors


MAX_OF_RECORD, MAX_SAMPLED = 5000, 20_000  # objects that other readings are tried on


class CoordinateOrder(NamedTuple):
    """What the numbers of a shape mean; `box` for a bbox_2d, `points` for anything else."""

    name: str
    advice: str
    box: Callable[[Numbers], Numbers]
    points: Callable[[Numbers], Numbers]


class Sampled:
    """Some records of one frame, their predictions as numbers.

    Each reading takes all objects once more, so there are not more than a hint needs: no more than MAX_OF_RECORD of
    either side of a record, and no record after those with MAX_SAMPLED together.
    """

    def __init__(self, records: Iterable[Record], frame: str) -> None:
        self.frame = frame
        self.truth: list[list[Any]] = []
        self.pred: list[list[Any]] = []
        self.sizes: list[tuple[float, float] | None] = []
        self.has_pixels = True  # whether ground truth in pixels is there too
        objects = 0
        for record in records:
            truth, pred = (side[:MAX_OF_RECORD] for side in side_objects(record, frame))
            self.truth.append(truth)
            self.pred.append(pred)
            self.sizes.append(_size(record))
            self.has_pixels &= isinstance(record.get("gt"), list)
            objects += len(truth) + len(pred)
            if objects >= MAX_SAMPLED:
                break

    @property
    def sized(self) -> bool:
        """Whether the size of every image is known."""
        return bool(self.sizes) and all(self.sizes)

    @cached_property
    def pred_numbers(self) -> list[list[Numbers | None]]:
        """The numbers of every predicted object, which each reading takes."""
        return [[numbers_of(item) for item in pred] for pred in self.pred]

    def reach(self) -> float:
        """The largest number of a prediction, of those that are not far off: the 99th percentile."""
        numbers = [value for record in self.pred_numbers for item in record for value in item or ()]
        return float(np.quantile(numbers, 0.99)) if numbers else 0.0

    def trial(self, config: Config, change: Change | None = None) -> Trial:
        """The score with predictions changed, or as they are."""
        names = ("gt", "pred") if self.frame == "pixel" else ("gt_norm1000", "pred_norm1000")
        records = []
        for at, (truth, pred, size) in enumerate(zip(self.truth, self.pred, self.sizes, strict=True)):
            width, height = size or (FRAME, FRAME)
            if change is not None:
                items = zip(pred, self.pred_numbers[at], strict=True)
                pred = [change(item, numbers, (width, height)) if numbers else item for item, numbers in items]
            records.append({names[0]: truth, names[1]: pred, "width": width, "height": height})
        return _trial(records, config)


def _trial(records: list[Record], config: Config) -> Trial:
    batch = read_records(records, frame=config.frame).batch
    matched, batch, _ = match_measurable(batch, config, all_pairs=True)
    objects, matches = len(batch.truth) + len(batch.pred), len(matched.at_primary("localization", config))
    best = np.zeros(len(batch.truth))
    np.maximum.at(best, np.asarray(matched.pairs.truth), np.asarray(matched.pairs.score) / UNIT)
    solid = np.asarray(batch.truth.area) > 0
    lines = np.asarray(batch.truth.kind) == 2
    counted = best[solid | lines]
    return Trial(2 * matches / objects if objects else None, float(counted.mean()) if len(counted) else None)


def other_readings(sample: Sampled, config: Config) -> Iterator[Interpretation]:
    """Every scale with every layout; resized images only with the usual layout; a fitted size if it is better."""
    best = 0.0
    for reading in _named_readings(sample, config):
        best = max(best, value_of(reading))
        yield reading
    for layout in LAYOUTS:
        scale = _of_one_size(sample, layout)
        if scale and value_of(reading := _reading(sample, config, scale, layout)) > best:
            best = value_of(reading)
            yield reading


def _named_readings(sample: Sampled, config: Config) -> Iterator[Interpretation]:
    for scale in _scales(sample):
        for layout in LAYOUTS:
            if scale is not AS_IS or layout is not CORNERS:
                yield _reading(sample, config, scale, layout)
    for scale in _resized(sample):
        yield _reading(sample, config, scale, CORNERS)


def _reading(sample: Sampled, config: Config, scale: Scale, layout: CoordinateOrder) -> Interpretation:
    """The interpretation by a scale and an order of coordinates, with its score."""
    name = ", ".join(part for part in (scale.name, layout.name) if part)
    advice = "; ".join(part for part in (scale.advice, layout.advice) if part)
    return Interpretation(name, advice, sample.trial(config, _change(scale, layout)))


def _change(scale: Scale, layout: CoordinateOrder) -> Change:
    def change(item: Any, numbers: Numbers, size: tuple[float, float]) -> Any:
        factors = scale.factors(*size)
        points = [value * factors[at % 2] for at, value in enumerate(_meant(item, numbers, layout))]
        return {**item, "points": points}

    return change


def numbers_of(item: Any) -> Numbers | None:
    """The numbers of an object's points, flat; None for one that cannot be read.

    >>> numbers_of({"points": [[1, 2], [3, 4]]}), numbers_of({"points": ["1"]}), numbers_of(3)
    ([1, 2, 3, 4], None, None)
    """
    points = item.get("points") if isinstance(item, Mapping) else None
    if not isinstance(points, (list, tuple)):
        return None
    flat = [number for point in points for number in (point if isinstance(point, (list, tuple)) else (point,))]
    good = all(
        isinstance(number, (int, float)) and not isinstance(number, bool) and abs(number) < 1e9 for number in flat
    )
    return flat if good and flat and len(flat) % 2 == 0 else None


def _shown(objects: list[Any], layout: CoordinateOrder) -> SampledObjects:
    """Types and bounds of the objects that can be read."""
    kinds, bounds = list[int](), list[list[float]]()
    for item in objects:
        numbers = numbers_of(item)
        kind = item.get("type") if numbers else None
        if numbers and isinstance(kind, str) and kind in KINDS and len(numbers) >= 4:
            meant = _meant(item, numbers, layout)
            kinds.append(KINDS.index(kind))
            bounds.append([low(meant[axis::2]) for low in (min, max) for axis in (0, 1)])
    return SampledObjects(np.array(kinds, np.int64), np.array(bounds, np.float64).reshape(-1, 4))


def _meant(item: Any, numbers: Numbers, layout: CoordinateOrder) -> Numbers:
    """The points of an object, if its numbers mean what a layout says; a point has no size that could be meant.

    >>> _meant({"type": "bbox_2d"}, [4, 4, 2, 2], LAYOUTS[3]), _meant({"type": "bbox_2d"}, [4, 2, 4, 2], LAYOUTS[3])
    ([3.0, 3.0, 5.0, 5.0], [4, 2, 4, 2])
    """
    is_box = item.get("type") == "bbox_2d" and len(numbers) == 4 and numbers[:2] != numbers[2:]
    return (layout.box if is_box else layout.points)(numbers)


def _size(record: Record) -> tuple[float, float] | None:
    sides = [record.get(name) for name in ("width", "height")]
    good = [side for side in sides if isinstance(side, (int, float)) and not isinstance(side, bool) and 0 < side < 1e9]
    return (float(good[0]), float(good[1])) if len(good) == 2 else None


# Scales


def _one(width: float, height: float) -> tuple[float, float]:
    return 1.0, 1.0


AS_IS = Scale("", "", _one)
TO_CORNERS = "write boxes as [x1, y1, x2, y2]"


def _scales(sample: Sampled) -> list[Scale]:
    return [AS_IS, *(_in_pixels(sample) if sample.frame == "pixel" else _in_norm1000(sample))]


def _in_norm1000(sample: Sampled) -> Iterator[Scale]:
    if sample.sized:
        yield Scale("pixels -> norm1000 by width/height", _pixel_advice(sample), lambda w, h: (FRAME / w, FRAME / h))
    for name, top in (("fractions 0–1", 1.0), ("percent 0–100", 100.0), ("a grid of 1024", 1024.0)):
        factor = FRAME / top
        yield Scale(f"{name} -> norm1000", f"multiply by {factor:g}", _times(factor))


def _pixel_advice(sample: Sampled) -> str:
    if sample.has_pixels:
        return f"rerun with {PIXEL}"
    return f"rerun with {PIXEL} (which needs gt in pixels too), or scale pred by 1000/width and 1000/height"


def _in_pixels(sample: Sampled) -> Iterator[Scale]:
    for name, top in (("norm1000", FRAME), ("fractions 0–1", 1.0), ("percent 0–100", 100.0), ("a grid of 1024", 1024)):
        advice = f"rerun without {PIXEL} if gt_norm1000 is there" if top == FRAME else "scale pred to pixels"
        yield Scale(f"{name} -> pixels by width/height", advice, _of_size(top))


def _resized(sample: Sampled) -> Iterator[Scale]:
    """Pixels of an image that was resized, of the sizes that the numbers reach into."""
    if not sample.sized:
        return
    reach, pixels = sample.reach(), sample.frame == "pixel"
    for side in SIDES:
        if 0.5 * side <= reach <= 1.02 * side:
            name = f"pixels of an image resized to {side} on its longer side"
            yield Scale(name, "undo the resizing", _undone(side, pixels))


def _of_one_size(sample: Sampled, layout: CoordinateOrder) -> Scale | None:
    """Pixels of images of one size, which is found from both sides where records do not tell it."""
    if sample.frame == "pixel" or sample.sized:
        return None
    sides = ((sample.truth, CORNERS), (sample.pred, layout))
    size = fitted_size(*([_shown(objects, order) for objects in side] for side, order in sides))
    return None if size is None else _from_size(size, sample.has_pixels)


def _from_size(size: FittedSize, has_pixels: bool) -> Scale:
    width, height = size
    rerun = f"write width {width} and height {height} into the records and rerun with {PIXEL}"
    if not has_pixels:
        rerun = f"scale pred by 1000/{width} and 1000/{height}, or {rerun} (which needs gt in pixels too)"
    name = f"pixels of images of {width} × {height} -> norm1000"
    return Scale(name, rerun, lambda _, __: (FRAME / width, FRAME / height))


def _undone(side: float, pixels: bool) -> Factors:
    def factors(width: float, height: float) -> tuple[float, float]:
        factor = max(width, height) / side
        return (factor, factor) if pixels else (factor * FRAME / width, factor * FRAME / height)

    return factors


def _times(factor: float) -> Factors:
    return lambda width, height: (factor, factor)


def _of_size(top: float) -> Factors:
    return lambda width, height: (width / top, height / top)


# Layouts


def _same(numbers: Numbers) -> Numbers:
    return numbers


def _from_sizes(numbers: Numbers) -> Numbers:
    x, y, width, height = numbers
    return [x, y, x + width, y + height]


def _from_centre(numbers: Numbers) -> Numbers:
    x, y, width, height = numbers
    return [x - width / 2, y - height / 2, x + width / 2, y + height / 2]


def _swapped(numbers: Numbers) -> Numbers:
    """Every x with its y.

    >>> _swapped([1, 2, 3, 4])
    [2, 1, 4, 3]
    """
    return [value for at in range(0, len(numbers), 2) for value in (numbers[at + 1], numbers[at])]


CORNERS = CoordinateOrder("", "", _same, _same)
LAYOUTS = (
    CORNERS,
    CoordinateOrder("x and y swapped", "write x before y", _swapped, _swapped),
    CoordinateOrder("boxes as [x, y, w, h]", TO_CORNERS, _from_sizes, _same),
    CoordinateOrder("boxes as [cx, cy, w, h]", TO_CORNERS, _from_centre, _same),
)
