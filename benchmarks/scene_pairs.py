"""Pairs of boxes for the benchmark of the scene suite, and their IoU the scipy way."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import orjson

from calipers.core.cuboids import Boxes
from calipers.kernels.scan.boxes import BoxColumns


def overlapping_pairs(count: int, *, upright: bool, seed: int = 5) -> tuple[Boxes, Boxes]:
    """Boxes of which each overlaps its partner in bounds."""
    random, sides = Random(seed), (BoxColumns(), BoxColumns())
    found: tuple[list[Any], list[Any]] = ([], [])
    while len(found[0]) < count:
        a, b = (make_box(random, upright) for _ in range(2))
        if apart(a, b) < 1.0:
            found[0].append(a)
            found[1].append(b)
    for side, boxes in zip(sides, found, strict=True):
        side.add_scene(boxes, True)
    return Boxes(sides[0]), Boxes(sides[1])


def make_box(random: Random, upright: bool) -> dict[str, Any]:
    rotation: Any = {"yaw": random.uniform(-3, 3)} if upright else [random.gauss(0, 1) for _ in range(4)]
    size = [random.uniform(0.4, 1.6) for _ in range(3)]
    return {"center": [random.uniform(-0.7, 0.7) for _ in range(3)], "size": size, "rotation": rotation}


def apart(a: dict[str, Any], b: dict[str, Any]) -> float:
    """Distance of centres against half the smaller sizes together: below 1 the boxes surely overlap."""
    distance = sum((x - y) ** 2 for x, y in zip(a["center"], b["center"], strict=True)) ** 0.5
    return float(2 * distance / (min(a["size"]) + min(b["size"])))


def candidates(folder: str) -> tuple[Boxes, Boxes]:
    """Every pair of one scene with overlapping bounds, as two sides of equal length."""
    rows: tuple[list[Any], list[Any]] = ([], [])
    for path in sorted(Path(folder, "gt").iterdir()):
        truth, pred = (orjson.loads(Path(folder, side, path.name).read_bytes())["objects"] for side in ("gt", "pred"))
        low, high = zip(*(bounds_of(objects) for objects in (truth, pred)), strict=True)
        meet = np.logical_and(low[0][:, None] < high[1][None], low[1][None] < high[0][:, None]).all(axis=2)
        for i, j in np.argwhere(meet).tolist():
            rows[0].append({**truth[i], "id": None})
            rows[1].append({**pred[j], "id": None})
    sides = BoxColumns(), BoxColumns()
    for side, boxes in zip(sides, rows, strict=True):
        side.add_scene(boxes, True)
    return Boxes(sides[0]), Boxes(sides[1])


def bounds_of(objects: list[Any]) -> tuple[Any, Any]:
    side = BoxColumns()
    side.add_scene([{**each, "id": None} for each in objects], True)
    bounds = np.asarray(side.bounds).reshape(-1, 6)
    return bounds[:, :3], bounds[:, 3:]


def scipy_iou(a: Boxes, b: Boxes, k: int, *, point: str) -> float:
    """By the half-spaces of both boxes, an interior point, and the hull of the vertices they have in common."""
    from scipy.spatial import ConvexHull, HalfspaceIntersection

    spaces = np.vstack([half_spaces(side, k) for side in (a, b)])
    inside = by_linprog(spaces) if point == "linprog" else between(a, b, k)
    if inside is None:
        return 0.0
    shared = ConvexHull(HalfspaceIntersection(spaces, inside).intersections).volume
    volumes = [8 * float(np.prod(np.asarray(side.half)[3 * k : 3 * k + 3])) for side in (a, b)]
    return float(shared / (volumes[0] + volumes[1] - shared))


def half_spaces(side: Boxes, k: int) -> Any:
    center, half = (np.asarray(column)[3 * k : 3 * k + 3] for column in (side.center, side.half))
    axes = np.asarray(side.axes)[9 * k : 9 * k + 9].reshape(3, 3)
    along = axes @ center
    return np.vstack([np.c_[axes, -along - half], np.c_[-axes, along - half]])


def by_linprog(spaces: Any) -> Any:
    from scipy.optimize import linprog

    norms = np.ones((len(spaces), 1))
    found = linprog([0, 0, 0, -1], A_ub=np.c_[spaces[:, :3], norms], b_ub=-spaces[:, 3], bounds=[(None, None)] * 4)
    return found.x[:3] if found.success and found.x[3] > 1e-9 else None


def between(a: Boxes, b: Boxes, k: int) -> Any:
    """A point in both: centres of boxes that overlap for certain, weighted by how far each reaches."""
    centers = [np.asarray(side.center)[3 * k : 3 * k + 3] for side in (a, b)]
    reach = [float(np.asarray(side.half)[3 * k : 3 * k + 3].min()) for side in (a, b)]
    return (centers[0] * reach[1] + centers[1] * reach[0]) / (reach[0] + reach[1])
