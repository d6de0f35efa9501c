"""Other readings of predicted boxes in scenes: another unit, another axis up, another meaning of place or turn."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from calipers.analysis.check_parts import is_number
from calipers.analysis.readings import Reading, Trial
from calipers.errors import InputError
from calipers.matching import UNIT
from calipers.readers.scene import read_scenes
from calipers.suites import scene as suite
from calipers.suites.scene_config import Config

Item = dict[str, Any]
Scenes = dict[str, list[Any]]  # objects in the plain form, by scene
Change = Callable[[Item], Item]
METHOD = "pred"
MOST_PAIRS = 300_000
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # y up becomes z up
Z_UP = Y_UP.T


def scene_trial(truth: Scenes, pred: Scenes, config: Config) -> Trial:
    """F1 of the suite, and the mean over true boxes of the best IoU."""
    gt, guess = ({name: {"objects": items} for name, items in side.items()} for side in (truth, pred))
    reading = read_scenes(gt, {METHOD: guess}, label_source=config.label_source, max_bad=len(gt) + len(guess))
    try:
        [method] = suite.measure(reading, replace(config, max_pairs=MOST_PAIRS)).methods
    except InputError:  # too many boxes overlap each other to try several readings in a moment
        return Trial(None, None)
    best = np.zeros(len(reading.truth))
    np.maximum.at(best, np.asarray(method.pairs.truth), np.asarray(method.pairs.score) / UNIT)
    return Trial(method.rates()["f1"], float(best.mean()) if len(best) else None)


def other_readings(truth: Scenes, pred: Scenes, config: Config) -> Iterator[Reading]:
    """Each change of all boxes that means something to some of them; y up also in other units."""
    for name, advice, change in CHANGES:
        changed = {scene: [_changed(item, change) for item in items] for scene, items in pred.items()}
        if changed != pred:
            yield Reading(name, advice, scene_trial(truth, changed, config))


def _changed(item: Any, change: Change) -> Any:
    if not isinstance(item, dict) or not _is_vector(item.get("center"), 3) or not _is_vector(item.get("size"), 3):
        return item
    return {**item, **change(item)}


def _is_vector(value: Any, length: int) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == length and all(map(is_number, value))


# Changes


def scaled(factor: float) -> Change:
    """Centre and size in another unit."""
    return lambda item: {name: [value * factor for value in item[name]] for name in ("center", "size")}


def turned(axes: Any) -> Change:
    """The box in a frame whose axes are others."""

    def change(item: Item) -> Item:
        rotation = matrix_of(item.get("rotation"))
        if rotation is None:
            return {}
        return {"center": (axes @ np.array(item["center"])).tolist(), "rotation": (axes @ rotation).tolist()}

    return change


def matrix_of(rotation: Any) -> Any:
    """A rotation as a matrix whose columns are the axes of the box; None if it is none.

    >>> matrix_of([0, 0, 1, 0]).tolist(), matrix_of("north")
    ([[-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]], None)
    """
    if rotation is None:
        return np.eye(3)
    if isinstance(rotation, dict) and is_number(rotation.get("yaw")):
        cos, sin = math.cos(rotation["yaw"]), math.sin(rotation["yaw"])
        return np.array([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    if _is_vector(rotation, 4) and any(rotation):
        return _from_quaternion(rotation)
    if isinstance(rotation, (list, tuple)) and len(rotation) == 3 and all(_is_vector(row, 3) for row in rotation):
        return np.array(rotation, dtype=np.float64)
    return None


def _from_quaternion(quaternion: list[float]) -> Any:
    x, y, z, w = np.array(quaternion, dtype=np.float64) / math.hypot(*quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def _first_is_w(item: Item) -> Item:
    rotation = item.get("rotation")
    return {"rotation": [*rotation[1:], rotation[0]]} if _is_vector(rotation, 4) else {}  # type: ignore[index]


def _degrees(item: Item) -> Item:
    """A yaw in degrees; of a scene that gives all three angles the reader has already made a matrix of them."""
    rotation = item.get("rotation")
    if isinstance(rotation, dict) and is_number(rotation.get("yaw")):
        return {"rotation": {"yaw": math.radians(rotation["yaw"])}}
    angles = item.get("angles")
    return {"rotation": _from_angles(*map(math.radians, angles))} if _is_vector(angles, 3) else {}  # type: ignore[arg-type]


def _from_angles(x: float, y: float, z: float) -> list[list[float]]:
    """About x, then y, then z of the world."""
    (cx, cy, cz), (sx, sy, sz) = map(math.cos, (x, y, z)), map(math.sin, (x, y, z))
    return [
        [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
        [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
        [-sy, cy * sx, cy * cx],
    ]


def _corner(item: Item) -> Item:
    """The centre of a box that is given by its least corner."""
    axes = matrix_of(item.get("rotation"))
    if axes is None:
        return {}
    return {"center": (np.array(item["center"]) + axes @ np.array(item["size"]) / 2).tolist()}


def _two_corners(item: Item) -> Item:
    """Centre and size of a box that is given by two corners."""
    pairs = list(zip(item["center"], item["size"], strict=True))
    size = [abs(b - a) for a, b in pairs]
    return {"center": [(a + b) / 2 for a, b in pairs], "size": size} if all(size) else {}


def _half_sizes(item: Item) -> Item:
    return {"size": [2 * value for value in item["size"]]}


def _mirrored(item: Item) -> Item:
    """Y to the other side, for frames of the other hand; a turn about z goes the other way too."""
    center, rotation = item["center"], matrix_of(item.get("rotation"))
    if rotation is None:
        return {}
    flip = np.diag([1.0, -1.0, 1.0])
    return {"center": (flip @ np.array(center)).tolist(), "rotation": (flip @ rotation @ flip).tolist()}


CHANGES: list[tuple[str, str, Change]] = [
    ("millimetres -> metres", "divide centres and sizes by 1000", scaled(0.001)),
    ("centimetres -> metres", "divide centres and sizes by 100", scaled(0.01)),
    ("metres -> millimetres", "is the ground truth in millimetres? bring both to metres", scaled(1000.0)),
    ("feet -> metres", "multiply centres and sizes by 0.3048", scaled(0.3048)),
    ("quaternions as [w, x, y, z]", "write quaternions as [x, y, z, w]", _first_is_w),
    ("angles in degrees -> radians", "write angles in radians", _degrees),
    ("y up -> z up", "turn the scene: x, -z, y", turned(Y_UP)),
    ("z up -> y up", "is the ground truth y up? turn it: x, -z, y", turned(Z_UP)),
    ("the least corner for the centre", "write the centre of the box", _corner),
    ("two corners for centre and size", "write the centre and the size of the box", _two_corners),
    ("half sizes for sizes", "write whole sizes", _half_sizes),
    ("y mirrored (a frame of the other hand)", "negate y", _mirrored),
]
