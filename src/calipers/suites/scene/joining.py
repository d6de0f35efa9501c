"""Readings of some scenes each, as one.

A scene may be in several of them, where predictions were read in pieces: then it has the ground truth of one and the
predictions of another. No method may have it twice, and its ground truth has to be the same wherever it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from calipers.core.cuboids import Boxes, join_boxes
from calipers.core.errors import InputError
from calipers.files.inputs import Input
from calipers.files.problems import shown
from calipers.suites.scene.read import BadScene, Found, SceneReading, SideReading

Names = list[list[str]]  # the scenes of each part


def join_readings(parts: Sequence[SceneReading], inputs: list[list[Input]]) -> SceneReading:
    """The scenes of all parts, in the order of their names. The inputs of each side are given."""
    bad = join_bad(bad for part in parts for bad in part.bad)
    given = [part.names for part in parts]
    names = sorted(set[str]().union(*given).difference(each.scene for each in bad))
    sides = [
        _join_sides([part.sides[place] for part in parts], given, names, is_truth=place == 0)._replace(inputs=each)
        for place, each in enumerate(inputs)
    ]
    return SceneReading(names, parts[0].methods, sides, bad)


def join_bad(found: Iterable[BadScene]) -> list[BadScene]:
    """Bad scenes, each once, in the order of their names."""
    first: dict[str, BadScene] = {}
    for bad in found:
        first.setdefault(bad.scene, bad)
    return [first[scene] for scene in sorted(first)]


def _join_sides(sides: list[SideReading], given: Names, names: list[str], *, is_truth: bool) -> SideReading:
    found: dict[str, Found] = {}
    for side in sides:
        for scene in sorted(found.keys() & side.found.keys()):
            _check_same(scene, found[scene], side.found[scene], is_truth=is_truth)
        found |= side.found
    boxes = _join_boxes(sides, given, names)
    invalid = sorted((each for side in sides for each in side.invalid), key=lambda each: str(each["scene"]))
    return SideReading(boxes, {scene: found[scene] for scene in sorted(found)}, invalid, [])


def _check_same(scene: str, one: Found, other: Found, *, is_truth: bool) -> None:
    """Only ground truth may be there twice, if it is the same."""
    if not is_truth:
        raise InputError(f"the scene {shown(scene)}: its predictions are in two parts, expected them in one")
    if one.sha256 != other.sha256:
        raise InputError(f"the scene {shown(scene)}: two parts have different ground truth, expected the same")


def _join_boxes(sides: list[SideReading], given: Names, names: list[str]) -> Boxes:
    if len(sides) == 1 and names == given[0]:
        return sides[0].boxes
    return join_boxes([side.boxes for side in sides], _order(sides, given, names))


def _order(sides: list[SideReading], given: Names, names: list[str]) -> list[int] | None:
    """Where each scene is among those of all parts, in one that has it if any does. None is one after the other."""
    everything = [scene for some in given for scene in some]
    if len(everything) == len(names) and all(a < b for a, b in pairwise(everything)):
        return None
    owners = [side for side, some in zip(sides, given, strict=True) for _ in some]
    place: dict[str, int] = {}
    for at, (scene, side) in enumerate(zip(everything, owners, strict=True)):
        if scene not in place or scene in side.found:
            place[scene] = at
    return [place[scene] for scene in names]
