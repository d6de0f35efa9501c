"""Pairs a second on one core: regions and tubes, against shapely and Pillow in the same run.

Processor time is counted, not wall time, so that threads would not flatter. Two sets of shapes: `scattered` over the
frame as in a dump, where most pairs are far apart, and `crowded` around the middle, where all bounds overlap.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import shapely

import straightforward
from measure import Claim, in_turn
from shapes import Points, shape

REGIONS = 400  # a side: 160,000 pairs a call
LINES = 20  # a side, as in a record: 400 pairs a call, each line's spans built in that call
LINE_CALLS = 50
Lines = list[np.ndarray]  # each (points, 2)
Regions = list[np.ndarray]  # each (4,) a box, or (4, 2) a quad


def calipers_regions(a: Any, b: Any) -> np.ndarray:
    """IoU of every pair, (len(a), len(b)). The only place that says how the suite's region ruler is called."""
    import calipers

    return np.asarray(calipers.region_iou(a, b))


def calipers_tubes(a: Lines, b: Lines) -> np.ndarray:
    """IoU of every pair, (len(a), len(b)), spans built in the call. The only place that says how it is called."""
    import calipers

    return np.asarray(calipers.tube_iou(a, b, tolerance=8))


def shapely_regions(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The same by shapely's vectorised functions."""
    shared = shapely.area(shapely.intersection(a[:, None], b[None, :]))
    return np.asarray(shared / (shapely.area(a)[:, None] + shapely.area(b)[None, :] - shared))


def pillow_tubes(a: Lines, b: Lines) -> np.ndarray:
    """About the same by Pillow masks, pair by pair (strokes of an image library, so not the same cells)."""
    flat_a, flat_b = ([[tuple(point) for point in line.astype(int).tolist()] for line in lines] for lines in (a, b))
    return np.array([[straightforward.tube_iou(one, other) for other in flat_b] for one in flat_a])


def region_claims(floor: float) -> list[Claim]:
    claims = []
    for name, crowded in (("scattered", False), ("crowded", True)):
        for types, mix in ((("bbox_2d", "poly"), "boxes x quads"), (("poly", "poly"), "quads x quads")):
            a, b = (regions(Random(seed), kind, crowded) for seed, kind in enumerate(types))
            claims += region_rates(f"region pairs a second, {mix}, {name}", a, b, floor)
    return claims


def region_rates(text: str, a: np.ndarray, b: np.ndarray, floor: float) -> list[Claim]:
    polygons_a, polygons_b = as_polygons(a), as_polygons(b)
    off = np.abs(calipers_regions(a, b) - shapely_regions(polygons_a, polygons_b)).max()
    assert off < 1e-9, f"{text}: differs from shapely by {off}"
    best = in_turn(
        {
            "calipers": lambda: processor_sec(lambda: calipers_regions(a, b)),
            "shapely": lambda: processor_sec(lambda: shapely_regions(polygons_a, polygons_b)),
        }
    )
    pairs = len(a) * len(b)
    return [
        Claim(text, pairs / best["calipers"], at_least=floor),
        Claim("  … times shapely vectorised", best["shapely"] / best["calipers"], "x"),
    ]


def tube_claims(floor: float) -> list[Claim]:
    return [claim for name in ("scattered", "crowded") for claim in tube_rates(name, floor)]


def tube_rates(name: str, floor: float) -> list[Claim]:
    rng = Random(2)
    calls = [(lines(rng, name == "crowded"), lines(rng, name == "crowded")) for _ in range(LINE_CALLS)]
    off = np.abs(calipers_tubes(*calls[0]) - pillow_tubes(*calls[0])).mean()
    assert off < 0.02, f"tubes, {name}: differ from Pillow's strokes by {off}"
    best = in_turn(
        {
            "calipers": lambda: processor_sec(lambda: [calipers_tubes(a, b) for a, b in calls]) / LINE_CALLS,
            "pillow": lambda: processor_sec(lambda: pillow_tubes(*calls[0])),
        }
    )
    return [
        Claim(f"tube pairs a second, spans included, {name}", LINES * LINES / best["calipers"], at_least=floor),
        Claim("  … times Pillow masks", best["pillow"] / best["calipers"], "x"),
    ]


def processor_sec(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def regions(rng: Random, kind: str, crowded: bool) -> np.ndarray:
    """Boxes (n, 4) or quads (n, 4, 2) with sides of 20 to 300 units."""
    found = np.array([placed(rng, kind, (20, 300), crowded) for _ in range(REGIONS)], dtype=float)
    return found if kind == "bbox_2d" else found.reshape(REGIONS, 4, 2)


def lines(rng: Random, crowded: bool) -> Lines:
    """Lines of 100 to 600 units (500 where they have to stay around the middle) with two to eight points."""
    size = (100, 500 if crowded else 600)
    return [np.array(placed(rng, "line", size, crowded), dtype=float).reshape(-1, 2) for _ in range(LINES)]


def placed(rng: Random, kind: str, size: tuple[int, int], crowded: bool) -> Points:
    """A shape where it fell, or moved so that it covers the middle of the frame."""
    points = shape(rng, kind, size)
    if not crowded:
        return points
    dx, dy = (500 - round(rng.uniform(min(values), max(values))) for values in (points[0::2], points[1::2]))
    return [value + (dx, dy)[axis % 2] for axis, value in enumerate(points)]


def as_polygons(found: np.ndarray) -> np.ndarray:
    return np.asarray(shapely.box(*found.T) if found.ndim == 2 else shapely.polygons(found))
