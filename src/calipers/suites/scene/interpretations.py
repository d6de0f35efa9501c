"""Other readings of predicted boxes in scenes: another unit, other axes, another place, another meaning of a number.

Changes of all boxes are tried one by one. Two at once are tried only where the files themselves suggest them: axes in
another unit if sizes are about as many times too large or too small, and a constant offset (see `scene_offset`) of the
boxes as they are, or of the axes and the unit under which most centres agree on one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from calipers.core.errors import InputError
from calipers.core.interpretations import Interpretation, Rule, Trial, fits
from calipers.core.matching import UNIT
from calipers.core.survey import is_number
from calipers.suites.scene import measure as suite
from calipers.suites.scene.config import Config
from calipers.suites.scene.formats.plain import matrix_from_angles
from calipers.suites.scene.offset import CenterVotes, Offset, typical_size
from calipers.suites.scene.read import read_scenes

Item = dict[str, Any]
Scenes = dict[str, list[Any]]  # objects in the plain form, by scene
Change = Callable[[Item], Item]
Named = tuple[str, str, Change]  # name, advice and change
METHOD = "pred"
MAX_PAIRS = 300_000
MIN_OVERLAP = 0.1  # on average, for boxes that are matched to be more than chance
MIN_MOVED_M = 0.005  # below it, an offset would be named as 0.00
SAME_UNIT = 1.6  # how many times as large sizes may be on average, for a unit to be believed
Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # y up becomes z up
Z_UP = Y_UP.T
Y_AND_Z = abs(Y_UP)


def scene_trial(truth: Scenes, pred: Scenes, config: Config) -> Trial:
    """F1 of the suite, and the mean over true boxes of the best IoU."""
    gt, guess = ({name: {"objects": items} for name, items in side.items()} for side in (truth, pred))
    reading = read_scenes(gt, {METHOD: guess}, label_source=config.label_source, max_bad=len(gt) + len(guess))
    try:
        [method] = suite.measure(reading, replace(config, max_pairs=MAX_PAIRS)).methods
    except InputError:  # too many boxes overlap each other to try several readings in a moment
        return Trial(None, None)
    best = np.zeros(len(reading.truth))
    np.maximum.at(best, np.asarray(method.pairs.truth), np.asarray(method.pairs.score) / UNIT)
    return Trial(method.rates()["f1"], float(best.mean()) if len(best) else None)


def overlapping(rule: Rule = fits) -> Rule:
    """A rule for readings, and boxes have to overlap too: a few that just touch count as found at small thresholds.

    >>> rule = overlapping()
    >>> rule(Trial(0.04, 0.02), Trial(0.22, 0.05)), rule(Trial(0.04, 0.02), Trial(0.22, 0.15))
    (False, True)
    """
    return lambda now, other: rule(now, other) and (other.overlap or 0.0) >= MIN_OVERLAP


def other_readings(truth: Scenes, pred: Scenes, config: Config) -> Iterator[Interpretation]:
    """Each change of all boxes that means something to some of them, and a few of two changes at once."""
    for name, advice, change in (*CHANGES, *_in_unit(truth, pred), *_moved(truth, pred)):
        changed = all_changed(pred, change)
        if changed != pred:
            yield Interpretation(name, advice, scene_trial(truth, changed, config))


def all_changed(pred: Scenes, change: Change) -> Scenes:
    """Every box that has a centre and a size, changed."""
    return {scene: [_changed(item, change) for item in items] for scene, items in pred.items()}


def _in_unit(truth: Scenes, pred: Scenes) -> Iterator[Named]:
    """Other axes, in the unit that sizes suggest if it is not that of the ground truth."""
    truth_size, pred_size = typical_size(truth), typical_size(pred)
    for name, advice, change in UNITS:
        factor = matrix_by(change)[0, 0]
        if truth_size and pred_size and 1 / SAME_UNIT < pred_size * factor / truth_size < SAME_UNIT:
            yield from ((f"{name}, {axes}", f"{advice}; {how}", both(change, turn)) for axes, how, turn in AXES)


def _moved(truth: Scenes, pred: Scenes) -> Iterator[Named]:
    """A constant offset: of the boxes as they are, and after the change under which most centres agree on one."""
    votes = CenterVotes(truth, pred)
    offset = votes.offset()
    if offset is not None and offset.length > MIN_MOVED_M:
        yield offset.name, offset.advice, moved(offset)
    most_votes = 0 if offset is None else offset.votes
    best = None
    for change in (*AXES, *UNITS, *_in_unit(truth, pred)):
        changed = votes.offset(matrix_by(change[2]))
        if changed is not None and changed.votes > most_votes:
            best, most_votes = (change, changed), changed.votes
    if best is not None and best[1].is_far:
        (name, advice, first), changed = best
        yield f"{name}, {changed.name}", f"{advice}; {changed.advice}", both(first, moved(changed))


def matrix_by(change: Change) -> Any:
    """The matrix that a change of axes or units multiplies centres by."""
    units = np.eye(3).tolist()
    return np.array([change({"center": unit, "size": [1.0, 1.0, 1.0]})["center"] for unit in units]).T


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


def both(first: Change, second: Change) -> Change:
    """A change that applies two changes one after the other."""

    def change(item: Item) -> Item:
        changed = first(item)
        return changed | second({**item, **changed})

    return change


def moved(offset: Offset) -> Change:
    """A change that moves boxes by an offset."""
    return lambda item: {"center": [a + b for a, b in zip(item["center"], offset.by, strict=True)]}


def turned(axes: Any) -> Change:
    """The box in a frame whose axes are others, also of the other hand."""
    mirrored = bool(np.linalg.det(axes) < 0)

    def change(item: Item) -> Item:
        rotation = matrix_of(item.get("rotation"))
        if rotation is None:
            return {}
        turned_rotation = axes @ rotation
        if mirrored != _is_mirrored(item.get("rotation")):
            turned_rotation[:, 2] *= -1  # an axis of a box the other way leaves the box what it is
        return {"center": _times(axes, item["center"]), "rotation": turned_rotation.tolist()}

    return change


def _times(axes: Any, vector: list[float]) -> list[float]:
    product: list[float] = (axes @ np.array(vector, dtype=np.float64)).tolist()
    return product


def _is_mirrored(rotation: Any) -> bool:
    """Whether a rotation is a matrix of the other hand, as one is of which only rows were swapped."""
    is_matrix = isinstance(rotation, (list, tuple)) and len(rotation) == 3
    return is_matrix and bool(np.linalg.det(np.array(rotation, dtype=np.float64)) < 0)


def turned_about_up(axes: Any) -> Change:
    """The box in such a frame if its rotation is that about the axis up, whichever that is, and so remains."""

    def change(item: Item) -> Item:
        if item.get("rotation") is None:
            return turned(axes)(item)
        return {"center": _times(axes, item["center"]), "size": _times(abs(axes), item["size"])}

    return change


def centers_turned(axes: Any) -> Change:
    """The centre in such a frame, if size and rotation are in the right one."""
    return lambda item: {"center": _times(axes, item["center"])}


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
    return {"rotation": matrix_from_angles(*map(math.radians, angles))} if _is_vector(angles, 3) else {}  # type: ignore[arg-type]


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


UNITS: list[Named] = [
    ("millimetres -> metres", "divide centres and sizes by 1000", scaled(0.001)),
    ("centimetres -> metres", "divide centres and sizes by 100", scaled(0.01)),
    ("metres -> millimetres", "is the ground truth in millimetres? bring both to metres", scaled(1000.0)),
    ("feet -> metres", "multiply centres and sizes by 0.3048", scaled(0.3048)),
]
UP: list[tuple[str, str, Any]] = [
    ("y up -> z up", "turn the scene: x, -z, y", Y_UP),
    ("z up -> y up", "is the ground truth y up? turn it: x, -z, y", Z_UP),
    ("y and z swapped (y up -> z up)", "swap y and z of centres and sizes", Y_AND_Z),
]
MIRRORED: list[tuple[str, str, Any]] = [
    ("x mirrored (a frame of the other hand)", "negate x", np.diag([-1.0, 1.0, 1.0])),
    ("y mirrored (a frame of the other hand)", "negate y", np.diag([1.0, -1.0, 1.0])),
    ("z mirrored (a frame of the other hand)", "negate z", np.diag([1.0, 1.0, -1.0])),
    ("x and y mirrored (a half turn about z)", "negate x and y", np.diag([-1.0, -1.0, 1.0])),
]
AXES: list[Named] = [(name, advice, turned(axes)) for name, advice, axes in (*UP, *MIRRORED)]
CHANGES: list[Named] = [
    *UNITS,
    ("quaternions as [w, x, y, z]", "write quaternions as [x, y, z, w]", _first_is_w),
    ("angles in degrees -> radians", "write angles in radians", _degrees),
    ("the least corner for the centre", "write the centre of the box", _corner),
    ("two corners for centre and size", "write the centre and the size of the box", _two_corners),
    ("half sizes for sizes", "write whole sizes", _half_sizes),
    *AXES,
    *(
        (f"{name}, rotations about up", f"{advice}; leave rotations", turned_about_up(axes))
        for name, advice, axes in UP
    ),
    *((f"{name}, centres alone", f"{advice}, of centres alone", centers_turned(axes)) for name, advice, axes in UP),
]
