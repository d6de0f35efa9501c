"""Scenes: what is in the files, what the readers would refuse, and whether predicted boxes lie on the true ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from calipers.core.errors import InputError
from calipers.core.interpretations import Rule, fits, ranked, sample_of
from calipers.core.survey import (
    FileCheck,
    Kind,
    SidesCheck,
    compared_labels,
    counted,
    is_constant,
    is_number,
    nothing_evaluated,
    shown_first,
    twice,
)
from calipers.core.text import whole_text
from calipers.core.words import normalise
from calipers.files.inputs import parse_json, read_bytes
from calipers.show.text import UNDEFINED
from calipers.suites.scene import measure as suite
from calipers.suites.scene.config import Config
from calipers.suites.scene.formats.content import read_scene, read_value
from calipers.suites.scene.formats.table import EXPECTED
from calipers.suites.scene.interpretations import Item, Scenes, other_readings, overlapping, scene_trial
from calipers.suites.scene.read import SceneReading, read_scenes
from calipers.suites.scene.scene_files import ScenesByName, find_scenes

METRIC, OVERLAP = "F1", "mean best IoU"
SAMPLE, MAX_OBJECTS = 100, 3_000  # scenes, and objects of a side in all of them
ALL_OF_THEM = 1 << 62
LARGE_M, SMALL_M = 50.0, 0.02  # sizes of which most things in a room are not
UNIT_QUATERNION = 1e-3
FULL_TURN = 2 * math.pi


def examine(input_value: Any, kind: Kind, side: str) -> FileCheck:
    """A scene or a folder of them; side gt is read strictly, as ground truth."""
    source = find_scenes(input_value, side)
    file = FileCheck(source.path, kind.name, "scene", side)
    objects = _load(source)
    reading = _read(input_value, side)
    empty = sum(not items for items in objects.values())
    file.counts = {"contents": {"scenes": len(objects), "empty": empty, "objects": sum(map(len, objects.values()))}}
    _measure(file, objects)
    file.refuse(str(bad.error()) for bad in reading.bad)
    file.invalid = Counter(fault["reason"] for fault in _invalid(reading))
    file.doubled = [f"{scene}: {name}" for scene, items in objects.items() for name in twice(_ids(items))]
    file.warnings += [*reading.warnings, *_doubts(objects)]
    if side == "gt":
        file.itself = _self_check(input_value, reading)
    return file


def _read(source: Any, side: str) -> SceneReading:
    nothing: dict[str, Any] = {}
    gt, preds = (source, {}) if side == "gt" else (nothing, {"pred": source})
    return read_scenes(gt, preds, label_source=Config().label_source, max_bad=ALL_OF_THEM)


def _invalid(reading: SceneReading) -> Iterator[dict[str, Any]]:
    for faults in reading.invalid.values():
        yield from faults


def _load(source: ScenesByName, names: Iterable[str] | None = None) -> Scenes:
    """The objects of every scene that can be read, in the plain form; of all scenes, or of some."""
    scenes: Scenes = {}
    for name in source.scenes if names is None else names:
        try:
            scenes[name] = _objects(source.scenes[name], source.files)
        except InputError:  # said by the reading, with its place
            scenes[name] = []
    return scenes


def _objects(source: Any, is_file: bool) -> list[Any]:
    label_source = Config().label_source
    if not is_file:
        return list(read_value(source, label_source=label_source).content.objects)
    data = read_bytes(source)
    items = list(read_scene(data, source, label_source=label_source).content.objects)
    angles = _angles(data, source)
    if len(angles) != len(items):
        return items
    return [
        item | {"angles": angle} if isinstance(item, dict) else item for item, angle in zip(items, angles, strict=True)
    ]


def _angles(data: bytes, path: str) -> list[Any]:
    """The angles of the figures of a Supervisely annotation, as written."""
    if b'"figures"' not in data:
        return []
    tree = parse_json(data, path, EXPECTED).tree
    figures = tree.get("figures") if isinstance(tree, dict) else None
    return [_rotation(figure) for figure in figures if _is_cuboid(figure)] if isinstance(figures, list) else []


def _is_cuboid(figure: Any) -> bool:
    return not isinstance(figure, dict) or figure.get("geometryType") in (None, "cuboid_3d")


def _rotation(figure: Any) -> list[Any] | None:
    geometry = figure.get("geometry") if isinstance(figure, dict) else None
    rotation = geometry.get("rotation") if isinstance(geometry, dict) else None
    return [rotation.get(axis) for axis in "xyz"] if isinstance(rotation, dict) else None


def _ids(items: list[Any]) -> list[str]:
    return [str(item["id"]) for item in items if isinstance(item, dict) and item.get("id") is not None]


def _boxes(objects: Scenes) -> Iterator[Item]:
    """Objects that have a centre and a size."""
    for items in objects.values():
        for item in items:
            if isinstance(item, dict) and all(_is_triple(item.get(name)) for name in ("center", "size")):
                yield item


def _is_triple(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 3 and all(map(is_number, value))


def _measure(file: FileCheck, objects: Scenes) -> None:
    boxes = list(_boxes(objects))
    centers, sizes = (np.array([box[name] for box in boxes]).reshape(-1, 3) for name in ("center", "size"))
    for at, axis in enumerate("xyz"):
        file.measure(f"centre {axis}", centers[:, at])
    for at, axis in enumerate("xyz"):
        file.measure(f"size {axis}", sizes[:, at])
    file.measure("score", [box["score"] for box in boxes if is_number(box.get("score"))])
    file.counts["contents"]["labels"] = len(set(_labels(objects)))


# What looks wrong


def _doubts(objects: Scenes) -> Iterator[str]:
    boxes = list(_boxes(objects))
    sizes = np.array([box["size"] for box in boxes]).reshape(-1, 3)
    if len(sizes) and np.median(sizes) > LARGE_M:
        yield f"most sizes are above {LARGE_M:g} m (the middle one is {np.median(sizes):g}): are they in millimetres?"
    if len(sizes) and np.median(sizes) < SMALL_M:
        yield f"most sizes are below {SMALL_M:g} m (the middle one is {np.median(sizes):g}): are they in another unit?"
    if len(sizes) and all(is_constant(column) for column in sizes.T):
        yield f"every box has the same size, {' x '.join(f'{value:g}' for value in sizes[0])}"
    scores = [box["score"] for box in boxes if is_number(box.get("score"))]
    if is_constant(scores):
        yield f"all scores are {scores[0]:g}: AP would rank nothing"
    nameless = sum(not box.get("label") for box in boxes)
    if nameless:
        yield f"{counted(nameless, 'box', 'boxes')} without a label, of no class"
    yield from _rotation_doubts(boxes)


def _rotation_doubts(boxes: list[Item]) -> Iterator[str]:
    quaternions = [box["rotation"] for box in boxes if _is_quaternion(box.get("rotation"))]
    norms = np.array([math.hypot(*quaternion) for quaternion in quaternions])
    if off := int((abs(norms - 1) > UNIT_QUATERNION).sum()):
        yield f"{counted(off, 'quaternion')} not of length 1 (read as if they were)"
    if len(quaternions) >= 3 and all(_turns_about_x(quaternion) for quaternion in quaternions):
        yield "every quaternion turns about x: is w written first, [w, x, y, z]?"
    angles = [angle for box in boxes for angle in _given_angles(box)]
    if sum(abs(angle) > FULL_TURN for angle in angles) > len(angles) / 10:
        yield f"angles reach {max(map(abs, angles)):g}, more than a full turn: are they in degrees?"


def _is_quaternion(rotation: Any) -> bool:
    return isinstance(rotation, (list, tuple)) and len(rotation) == 4 and all(map(is_number, rotation))


def _turns_about_x(quaternion: list[float]) -> bool:
    """Whether a quaternion turns about x, as one about z does when w comes first: [w, 0, 0, z] for [0, 0, z, w]."""
    x, y, z, w = map(abs, quaternion)
    return max(y, z) < 0.1 * math.hypot(x, w) and x > 0.1


def _given_angles(box: Item) -> list[float]:
    rotation = box.get("rotation")
    angles: list[Any] = [rotation.get("yaw")] if isinstance(rotation, Mapping) else box.get("angles") or []
    return [angle for angle in angles if is_number(angle)]


# Ground truth against itself


def _self_check(source: Any, reading: SceneReading) -> dict[str, Any] | None:
    config = Config(bootstrap=0, open_set=False)
    good = _values(source, reading.names)
    self_reading = read_scenes(good, {"itself": good}, label_source=config.label_source, max_bad=ALL_OF_THEM)
    if not len(self_reading.truth):
        return None
    try:
        [method] = suite.measure(self_reading, config).methods
    except InputError:  # too many boxes overlap each other; the suite says so if they overlap predictions as well
        return None
    rates = method.rates()
    figures = {"F1": rates["f1"], "mean IoU": rates["mean_iou_3d"], "strict accuracy": rates["strict_accuracy"]}
    shown = {name: UNDEFINED if value is None else f"{value:g}" for name, value in figures.items()}
    wrong = [f"{name} is {shown[name]}" for name, value in figures.items() if value is None or abs(value - 1) > 1e-9]
    ignored = {"no label": sum(not label for label in self_reading.truth.labels)}
    return {"figures": figures, "perfect": not wrong, "apart": ignored, "imperfect": wrong}


def _values(source: Any, names: list[str]) -> dict[str, Any]:
    """Scenes that can be read, as values."""
    objects = _load(find_scenes(source, "gt"))
    return {name: {"objects": objects[name]} for name in names if name in objects}


# Both sides


def compare(gt: Any, pred: Any, config: Config | None = None) -> SidesCheck:
    """Predicted boxes against ground truth, as they are and read otherwise."""
    truth_scenes, pred_scenes = _joined(gt, pred)
    truth, guess = _load(truth_scenes), _load(pred_scenes)
    sample, chosen = _sample(truth, guess)
    sides = _tried(SidesCheck(truth_scenes.path, pred_scenes.path, METRIC, OVERLAP), sample, chosen, config)
    sides.sample = sample_of(len(sample), len(truth), "scenes")
    _describe_sides(sides, truth, guess)
    if not any((*truth.values(), *guess.values())):
        sides.nothing = nothing_evaluated("scene", len(truth.keys() | guess))
    return sides


def compare_few(gt: Any, pred: Any, config: Config, scenes: int, objects: int, rule: Rule) -> SidesCheck:
    """Compare the first few scenes that both sides have, with a limited number of objects per side."""
    truth_scenes, pred_scenes = _joined(gt, pred)
    truth: Scenes = {}
    guess: Scenes = {}
    for name in islice((name for name in truth_scenes.scenes if name in pred_scenes.scenes), scenes):
        true_objects, pred_objects = (_load(side, [name])[name] for side in (truth_scenes, pred_scenes))
        objects -= max(len(true_objects), len(pred_objects))
        if objects < 0:
            break
        truth[name], guess[name] = true_objects, pred_objects
    sides = _tried(SidesCheck(truth_scenes.path, pred_scenes.path, METRIC, OVERLAP), truth, guess, config, rule)
    sides.sample = sample_of(len(truth), None, "scenes")
    return sides


def _joined(gt: Any, pred: Any) -> tuple[ScenesByName, ScenesByName]:
    """The scenes of both sides; one against one is the same scene, whatever they are called."""
    truth_scenes, pred_scenes = find_scenes(gt, "gt"), find_scenes(pred, "pred")
    if truth_scenes.single and pred_scenes.single:
        pred_scenes.rename(*truth_scenes.scenes)
    return truth_scenes, pred_scenes


def _tried(sides: SidesCheck, truth: Scenes, pred: Scenes, config: Config | None, rule: Rule = fits) -> SidesCheck:
    """The boxes of a sample as they are and read otherwise."""
    config = config or Config(bootstrap=0, open_set=False)
    now = scene_trial(truth, pred, config)
    sides.score, sides.overlap = now
    sides.readings = ranked(now, other_readings(truth, pred, config), overlapping(rule))
    return sides


def _sample(truth: Scenes, guess: Scenes) -> tuple[Scenes, Scenes]:
    """The first scenes of both sides, and no more objects than a dozen readings can be tried on in a moment."""
    sample: Scenes = {}
    chosen: Scenes = {}
    room = MAX_OBJECTS
    for name in islice(truth, SAMPLE):
        sample[name] = truth[name][:room]
        if name in guess:
            chosen[name] = guess[name][:room]
        room -= max(len(sample[name]), len(chosen.get(name, ())))
        if room <= 0:
            break
    return sample, chosen


def _describe_sides(sides: SidesCheck, truth: Scenes, pred: Scenes) -> None:
    sides.labels = _compared(*(Counter(_labels(side)) for side in (truth, pred)))
    for words, names in (
        ("predicted without ground truth", [name for name in pred if name not in truth]),
        ("without a prediction", [name for name in truth if name not in pred]),
    ):
        if names:
            sides.warnings.append(f"{counted(len(names), 'scene')} {words}: {shown_first(names)}")
    scored = [any(is_number(box.get("score")) for box in _boxes(side)) for side in (truth, pred)]
    if scored == [True, False]:
        sides.warnings.append("the ground truth has scores and the predictions have none: are the two sides swapped?")


def _compared(truth: Counter[str], pred: Counter[str]) -> dict[str, Any]:
    """Labels of both sides, where those that differ in spelling alone are one, as they are to the suite."""
    truth_labels = {words: label for label, _ in reversed(truth.most_common()) if (words := normalise(label))}
    meant = {label: truth_labels.get(normalise(label), label) for label in (*truth, *pred)}
    joined = [Counter[str](), Counter[str]()]
    for side, counts in zip(joined, (truth, pred), strict=True):
        for label, n in counts.items():
            side[meant[label]] += n
    same = sorted((label for label in pred if meant[label] != label), key=lambda label: (-pred[label], label))
    rows = [{"label": whole_text(label), "n": pred[label], "nearest": whole_text(meant[label])} for label in same]
    return compared_labels(*joined) | {"same": rows}


def _labels(objects: Scenes) -> Iterator[str]:
    for box in _boxes(objects):
        if isinstance(label := box.get("label"), str) and label.strip():
            yield label
