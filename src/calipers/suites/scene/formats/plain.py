"""The plain form of a scene's objects, to which every format is converted, and what is wrong with one, in words.

`{"id", "label", "center": [x, y, z], "size": [dx, dy, dz], "rotation", "score", "similarity": {task: number}}`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from calipers.files.answers.missing_field import listed_fields
from calipers.files.problems import shown
from calipers.kernels.scan.boxes import LARGEST, REASONS, ROTATIONS, SMALLEST, TOLERANCE

EXPECTED = {
    "not an object": "an object with center and size",
    "center": "three numbers",
    "size": "three positive numbers",
    "rotation": 'a quaternion [x, y, z, w], {"yaw": radians} or a 3 x 3 matrix',
    "label": "a text",
    "score": "a number",
    "similarity": "{task: number}",
    "id": "an id that no other object has",
}
LIMITED = ("center", "size", "score")
MATRIX = f"a rotation matrix: orthonormal and of determinant +1, to {TOLERANCE:g}"


class PlainScene:
    """The objects of one scene in the plain form, and where each of their fields stands in the file."""

    __slots__ = ("_owners", "objects", "where")

    def __init__(self, objects: list[Any], where: Callable[[int, str], str]) -> None:
        self.objects = objects
        self.where = where  # (index, field; "" is the object) -> place, in the file's own words
        self._owners: dict[str, int] | None = None

    @property
    def owners(self) -> dict[str, int]:
        """The first object of each id."""
        if self._owners is None:
            self._owners = {}
            for index, item in enumerate(self.objects):
                if isinstance(item, dict):
                    self._owners.setdefault(_id_text(item.get("id")), index)
        return self._owners


class Scene(NamedTuple):
    """What a file holds."""

    content: PlainScene
    warning: str = ""
    problem: str = ""  # why the text is not strictly JSON, which the objects need not show


class ObjectWithoutBox(dict[str, Any]):
    """An object whose box cannot be had: what else is known of it, without a center, and what the problem is.

    >>> chair = ObjectWithoutBox("no mesh at chair.ply", id=3, label="chair")
    >>> chair["label"], "center" in chair, chair.problem
    ('chair', False, 'no mesh at chair.ply')
    """

    problem: str

    def __init__(self, problem: str, **fields: Any) -> None:
        super().__init__(fields)
        self.problem = problem


def plain_place(index: int, field: str) -> str:
    """Where a field of a plain object stands.

    >>> plain_place(3, "size"), plain_place(3, "")
    ('objects[3].size', 'objects[3]')
    """
    return f"objects[{index}].{field}" if field else f"objects[{index}]"


def explain(scene: PlainScene, index: int, reason: int) -> str:
    """What is wrong with an object, for a reason of the kernel: where, what was found, what was expected.

    >>> scene = PlainScene([{"center": [0, 0, 1], "size": [1, 0, 2]}], plain_place)
    >>> explain(scene, 0, REASONS.index("size"))
    'objects[0].size: found [1, 0, 2], expected three positive numbers'
    """
    item, field = scene.objects[index], REASONS[reason]
    if field == "not an object":
        return f"{scene.where(index, '')}: found {shown(item)}, expected {EXPECTED[field]}"
    if field == "center" and isinstance(item, ObjectWithoutBox):
        return f"{scene.where(index, '')}: {item.problem}"
    if item.get(field) is None:
        other_name = next((name for name in ROTATIONS if field == "rotation" and item.get(name) is not None), "")
        missing = f"found {other_name}" if other_name else "found null" if field in item else "missing"
        others = [str(name) for name in item if name not in EXPECTED and name not in ROTATIONS]
        fields = f"; {listed_fields(others)}" if others and missing == "missing" and scene.where is plain_place else ""
        return f"{scene.where(index, field)}: {missing}, expected {EXPECTED[field]}{fields}"
    return f"{scene.where(index, field)}: found {shown(item[field])}, {_expected(scene, index, field)}"


def _expected(scene: PlainScene, index: int, field: str) -> str:
    value, expected = scene.objects[index][field], EXPECTED[field]
    if field == "rotation":
        return f"expected {_expected_rotation(value)}"
    if field == "id" and (owner := _owner(scene, index)):
        return f"which {owner} has too, expected {expected}"
    return f"expected {expected}{_limits(value) if field in LIMITED else ''}"


def _expected_rotation(value: Any) -> str:
    """For something meant as a quaternion, as a yaw or as a matrix."""
    if isinstance(value, dict):
        return '{"yaw": radians} and nothing else'
    if isinstance(value, (list, tuple)) and len(value) == 4 and all(map(_is_number, value)):
        return "a quaternion [x, y, z, w] that is finite and not zero"
    is_matrix = isinstance(value, (list, tuple)) and len(value) == 3 and all(map(_is_row, value))
    return MATRIX if is_matrix else EXPECTED["rotation"]


def _owner(scene: PlainScene, index: int) -> str:
    """The first object with this id, or none: an id may also be nested too deeply to be compared."""
    first = scene.owners.get(_id_text(scene.objects[index]["id"]), index)
    return scene.where(first, "") if first < index else ""


def _id_text(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return shown(int(value) if isinstance(value, float) and value.is_integer() else value)


def _limits(value: Any) -> str:
    """What to add when the limits of size are the problem."""
    numbers = [abs(item) for item in (value if isinstance(value, (list, tuple)) else [value]) if _is_number(item)]
    if any(LARGEST < number < float("inf") for number in numbers):
        return f" of at most {LARGEST:g}"
    return f" of at least {SMALLEST:g}" if any(0 < number < SMALLEST for number in numbers) else ""


def _is_row(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 3 and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def matrix_from_angles(x: float, y: float, z: float) -> list[list[float]]:
    """The matrix Rz · Ry · Rx: a rotation in radians about x, then y, then z of the world."""
    (cx, cy, cz), (sx, sy, sz) = map(math.cos, (x, y, z)), map(math.sin, (x, y, z))
    return [
        [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
        [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
        [-sy, cy * sx, cy * cx],
    ]
