"""Readings of some scenes each, as one.

A scene may be in several of them, where predictions were read in pieces: then it has the ground truth of one and the
predictions of another. No method may have it twice, and its ground truth has to be the same wherever it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from calipers.core.cuboids import Boxes, join_boxes
from calipers.core.errors import InputError
from calipers.files.inputs import InputFile
from calipers.files.problems import shown
from calipers.suites.scene.read import BadScene, SceneInputFile, SceneReading, SideReading

Names = list[list[str]]  # the scenes of each part


def join_readings(parts: Sequence[SceneReading], inputs: list[list[InputFile]]) -> SceneReading:
    """The scenes of all parts, in the order of their names. The inputs of each side are given."""
    bad = join_bad(bad for part in parts for bad in part.bad)
    scene_names = [part.names for part in parts]
    names = sorted(set[str]().union(*scene_names).difference(fault.scene for fault in bad))
    sides = [
        _join_sides([part.sides[place] for part in parts], scene_names, names, is_truth=place == 0)._replace(
            inputs=entry
        )
        for place, entry in enumerate(inputs)
    ]
    return SceneReading(names, parts[0].methods, sides, bad)


def join_bad(scenes: Iterable[BadScene]) -> list[BadScene]:
    """Bad scenes, each once, in the order of their names."""
    first: dict[str, BadScene] = {}
    for bad in scenes:
        first.setdefault(bad.scene, bad)
    return [first[scene] for scene in sorted(first)]


def _join_sides(sides: list[SideReading], scene_names: Names, names: list[str], *, is_truth: bool) -> SideReading:
    scenes: dict[str, SceneInputFile] = {}
    for side in sides:
        for scene in sorted(scenes.keys() & side.scenes.keys()):
            _check_same(scene, scenes[scene], side.scenes[scene], is_truth=is_truth)
        scenes |= side.scenes
    boxes = _join_boxes(sides, scene_names, names)
    invalid = sorted((fault for side in sides for fault in side.invalid), key=lambda fault: str(fault["scene"]))
    return SideReading(boxes, {scene: scenes[scene] for scene in sorted(scenes)}, invalid, [])


def _check_same(scene: str, first: SceneInputFile, second: SceneInputFile, *, is_truth: bool) -> None:
    """Raise an error if a scene is there twice, unless it is the same ground truth."""
    if not is_truth:
        raise InputError(f"the scene {shown(scene)}: its predictions are in two parts, expected them in one")
    if first.sha256 != second.sha256:
        raise InputError(f"the scene {shown(scene)}: two parts have different ground truth, expected the same")


def _join_boxes(sides: list[SideReading], scene_names: Names, names: list[str]) -> Boxes:
    if len(sides) == 1 and names == scene_names[0]:
        return sides[0].boxes
    return join_boxes([side.boxes for side in sides], _order(sides, scene_names, names))


def _order(sides: list[SideReading], scene_names: Names, names: list[str]) -> list[int] | None:
    """Where each scene is among those of all parts, in one that has it if any does. None is one after the other."""
    everything = [scene for part_names in scene_names for scene in part_names]
    if len(everything) == len(names) and all(a < b for a, b in pairwise(everything)):
        return None
    owners = [side for side, part_names in zip(sides, scene_names, strict=True) for _ in part_names]
    place: dict[str, int] = {}
    for at, (scene, side) in enumerate(zip(everything, owners, strict=True)):
        if scene not in place or scene in side.scenes:
            place[scene] = at
    return [place[scene] for scene in names]
