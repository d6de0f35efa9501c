"""Scene graphs, whose objects have a pose and either dimensions or a mesh, to plain objects.

`{"objects": [{"id", "label", "retrieved_object_label"?, "position", "orientation" xyzw, "dimensions" | "data_path",
"transform_odom_from_raw"?, "score"?, "similarity"?}]}`. Vectors are lists, or objects with x, y, z (and w).

With dimensions, the box has them at the object's pose. Else its mesh is read: its vertices are placed by
`transform_odom_from_raw`, a 4 x 4 matrix, or by the pose where there is none, and the box is the smallest around them
that has a face on a face of their convex hull.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.kernels.scan.boxes import LARGEST
from calipers.suites.scene.formats.plain import ObjectWithoutBox, PlainScene

PREFER_RETRIEVED = "prefer_retrieved_else_label"
UNREAD = "relations, embeddings and what else objects say beside box, label, score and similarity"
LAST_ROW = [0.0, 0.0, 0.0, 1.0]
Matrix = list[list[float]]


def plain_objects(tree: dict[str, Any], folder: Path, label_source: str) -> PlainScene:
    """The objects of a scene graph; meshes are found from `folder`, and each is read once.

    >>> chair = {"id": 4, "label": "seat", "position": [1, 2, 0.5], "dimensions": {"x": 0.5, "y": 0.5, "z": 1}}
    >>> scene = plain_objects({"objects": [chair]}, Path(), "label")
    >>> scene.objects
    [{'id': 4, 'label': 'seat', 'center': [1, 2, 0.5], 'size': [0.5, 0.5, 1], 'rotation': None}]
    >>> scene.where(0, "center")
    'objects[0].position'
    """
    items = tree.get("objects")
    if not isinstance(items, list):
        raise InputError(f"objects: found {shown(items)}, expected a list")
    meshes = _Meshes(folder)

    def where(index: int, field: str) -> str:
        return f"objects[{index}]" + _field(items[index], field, label_source)

    return PlainScene([_plain(item, meshes, label_source) for item in items], where)


def plain_object(item: dict[str, Any], folder: Path, label_source: str) -> dict[str, Any]:
    """One object of a scene graph; `ObjectWithoutBox` if its box cannot be had."""
    plain: dict[str, Any] = _plain(item, _Meshes(folder), label_source)
    return plain


def _plain(item: Any, meshes: _Meshes, label_source: str) -> Any:
    if not isinstance(item, dict):
        return item
    fields = {"id": item.get("id"), "label": item.get(_label_field(item, label_source))}
    fields |= {name: item[name] for name in ("score", "similarity") if name in item}
    try:
        return fields | _box(item, meshes)
    except InputError as error:
        return ObjectWithoutBox(str(error), **fields)


def _label_field(item: dict[str, Any], label_source: str) -> str:
    retrieved = item.get("retrieved_object_label")
    empty = retrieved is None or (isinstance(retrieved, str) and not retrieved.strip())
    return "label" if empty or label_source != PREFER_RETRIEVED else "retrieved_object_label"


def _field(item: Any, field: str, label_source: str) -> str:
    """What a field of the plain form is called here."""
    if not field or not isinstance(item, dict):
        return ""
    names = {"center": "position", "rotation": "orientation", "size": _size_field(item) or "data_path"}
    return "." + (_label_field(item, label_source) if field == "label" else names.get(field, field))


# Boxes


def _size_field(item: dict[str, Any]) -> str | None:
    """The field that holds the size of an object, unless its mesh does."""
    return next((name for name in ("dimensions", "obb_dimensions") if item.get(name) is not None), None)


def _box(item: dict[str, Any], meshes: _Meshes) -> dict[str, Any]:
    if item.get("orientation") is None and item.get("rotation") is not None:
        raise InputError("found rotation, expected it under orientation")
    if size := _size_field(item):
        rotation = item.get("orientation")
        return {
            "center": _parts(item, "position", "xyz"),
            "size": _parts(item, size, "xyz"),
            "rotation": None if rotation is None else _parts(item, "orientation", "xyzw"),
        }
    if item.get("data_path") is None:
        raise InputError("neither dimensions nor data_path, expected one of them")
    transform = item.get("transform_odom_from_raw")
    return meshes.box(item["data_path"], _pose(item) if transform is None else _transform(transform))


def _parts(item: dict[str, Any], name: str, parts: str) -> list[Any]:
    """A vector as a list; whether numbers are in it is not looked at."""
    vector: Any = item.get(name)
    if isinstance(vector, dict) and vector.keys() == set(parts):
        vector = [vector[part] for part in parts]
    elif hasattr(vector, "tolist"):  # an array
        vector = vector.tolist()
    if not isinstance(vector, (list, tuple)) or len(vector) != len(parts):
        raise InputError(f"{name}: found {shown(vector)}, expected [{', '.join(parts)}]")
    return list(vector)


def _pose(item: dict[str, Any]) -> Matrix:
    """Position and orientation as a matrix."""
    where = _numbers(_parts(item, "position", "xyz"), "position")
    if item.get("orientation") is None:
        turn = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    else:
        turn = _turn(_numbers(_parts(item, "orientation", "xyzw"), "orientation"))
    return [[*row, at] for row, at in zip(turn, where, strict=True)] + [LAST_ROW]


def _turn(quaternion: list[float]) -> Matrix:
    norm = math.hypot(*quaternion)
    if norm == 0:
        raise InputError(f"orientation: found {shown(quaternion)}, expected a quaternion that is not zero")
    x, y, z, w = (part / norm for part in quaternion)
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]


def _transform(rows: Any) -> Matrix:
    name = "transform_odom_from_raw"
    if not isinstance(rows, list) or [len(row) if isinstance(row, list) else 0 for row in rows] != [4, 4, 4, 4]:
        raise InputError(f"{name}: found {shown(rows)}, expected 4 rows of 4 numbers")
    matrix = [_numbers(row, name) for row in rows]
    if matrix[3] != LAST_ROW:
        raise InputError(f"{name}: found {shown(rows[3])} as the last row, expected [0, 0, 0, 1]")
    return matrix


def _numbers(values: list[Any], name: str) -> list[float]:
    for value in values:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not -LARGEST <= value <= LARGEST:
            raise InputError(f"{name}: found {shown(value)}, expected finite numbers")
    return [float(value) for value in values]


class _Meshes:
    """The meshes that a scene names, each read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._corners_by_path: dict[str, Any] = {}  # data_path -> corners of its hull, or why there are none

    def box(self, name: Any, matrix: Matrix) -> dict[str, Any]:
        """The box around a mesh that a matrix places."""
        from calipers.suites.scene.formats.meshes import box_around  # loads numpy

        if not isinstance(name, str):
            raise InputError(f"data_path: found {shown(name)}, expected the path of a mesh")
        try:
            return box_around(self._corners(name), matrix)
        except InputError as error:
            raise InputError(f"data_path {shown(name)}: {error}") from None

    def _corners(self, name: str) -> Any:
        from calipers.suites.scene.formats.meshes import read_corners

        if name not in self._corners_by_path:
            try:
                self._corners_by_path[name] = read_corners(self._folder, name)
            except InputError as error:
                self._corners_by_path[name] = error
        if isinstance(self._corners_by_path[name], InputError):
            raise self._corners_by_path[name]
        return self._corners_by_path[name]
