"""Supervisely annotations of a point cloud to plain objects.

A figure is a box: its `geometry` holds `position`, `dimensions` and `rotation`, each {x, y, z}, and its `objectId` or
`objectKey` names the entry of `objects` whose `classTitle` is the label. Angles are radians about the axes of the
world: first x, then y, then z. Figures of another geometryType than cuboid_3d are no boxes and are left out.
"""

from __future__ import annotations

from typing import Any

from calipers.core.errors import InputError
from calipers.files.problems import shown
from calipers.kernels.scan.boxes import LARGEST
from calipers.suites.scene.formats.plain import ObjectWithoutBox, PlainScene, matrix_from_angles

NAMED_BY = {"objectId": "id", "objectKey": "key"}  # what a figure calls its object, and what the object calls itself
FIELDS = {"center": ".geometry.position", "size": ".geometry.dimensions", "rotation": ".geometry.rotation"}


def plain_objects(tree: dict[str, Any]) -> PlainScene:
    """The cuboids of an annotation, in the order of its figures.

    >>> box = {"position": {"x": 1, "y": 2, "z": 0.5}, "dimensions": {"x": 2, "y": 1, "z": 1}}
    >>> figure = {"id": 7, "objectId": 3, "geometryType": "cuboid_3d", "geometry": box}
    >>> scene = plain_objects({"objects": [{"id": 3, "classTitle": "table"}], "figures": [figure]})
    >>> scene.objects
    [{'id': 7, 'label': 'table', 'center': [1, 2, 0.5], 'size': [2, 1, 1], 'rotation': None}]
    >>> scene.where(0, "size"), scene.where(0, "label")
    ('figures[0].geometry.dimensions', 'objects[0].classTitle')
    """
    figures, owners = _listed(tree, "figures"), _Owners(_listed(tree, "objects"))
    places = [place for place, figure in enumerate(figures) if _is_cuboid(figure)]

    def where(index: int, field: str) -> str:
        return _where(figures[places[index]], f"figures[{places[index]}]", field, owners)

    return PlainScene([_plain_object(figures[place], owners) for place in places], where)


def left_out(tree: dict[str, Any]) -> str:
    """A note on figures of a geometry type that is no box."""
    skipped = sum(not _is_cuboid(figure) for figure in _listed(tree, "figures"))
    return f"figures that are no cuboids were left out ({skipped})" if skipped else ""


def _is_cuboid(figure: Any) -> bool:
    """Whether a figure is a cuboid; what is no figure at all counts as one, as the check of objects reports it."""
    return not isinstance(figure, dict) or figure.get("geometryType") in (None, "cuboid_3d")


def _plain_object(figure: Any, owners: _Owners) -> Any:
    if not isinstance(figure, dict):
        return figure
    fields: dict[str, Any] = {"id": figure.get(_id_name(figure))}
    try:
        fields["label"] = owners.find(figure)[1].get("classTitle")
        return fields | _box(figure.get("geometry"))
    except InputError as error:
        return ObjectWithoutBox(str(error), **fields)


def _where(figure: Any, place: str, field: str, owners: _Owners) -> str:
    """A field's place in the file."""
    if field == "id":
        return f"{place}.{_id_name(figure)}"
    if field != "label":
        return place + FIELDS.get(field, "")
    try:
        return f"objects[{owners.find(figure)[0]}].classTitle"
    except InputError:
        return place


def _id_name(figure: dict[str, Any]) -> str:
    return "id" if figure.get("id") is not None or "key" not in figure else "key"


class _Owners:
    """The objects that figures belong to, by id and by key."""

    def __init__(self, objects: list[Any]) -> None:
        self._objects = objects
        self._places: dict[tuple[str, int | str], list[int]] = {}  # (id or key, its value) -> where it is given
        for place, item in enumerate(objects):
            for name in NAMED_BY.values():
                value = item.get(name) if isinstance(item, dict) else None
                if isinstance(value, (int, str)):
                    self._places.setdefault((name, value), []).append(place)

    def find(self, figure: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Place and entry of a figure's object."""
        keys = {name: figure[name] for name in NAMED_BY if figure.get(name) is not None}
        if not keys:
            raise InputError("neither objectId nor objectKey, expected the id or key of one of the objects")
        places = {place for name, value in keys.items() for place in self._named(NAMED_BY[name], value)}
        if len(places) != 1:
            name, value = next(iter(keys.items()))
            count = f"{len(places)} objects" if places else "no object"
            raise InputError(f"{name}: found {shown(value)}, which names {count}, expected one")
        [place] = places
        return place, self._objects[place]

    def _named(self, name: str, value: Any) -> list[int]:
        return self._places.get((name, value), []) if isinstance(value, (int, str)) else []


def _box(geometry: Any) -> dict[str, Any]:
    if not isinstance(geometry, dict):
        raise InputError(f"geometry: found {shown(geometry)}, expected {{position, dimensions, rotation}}")
    center, size = _xyz(geometry, "position"), _xyz(geometry, "dimensions")
    angles = None if geometry.get("rotation") is None else _xyz(geometry, "rotation")
    return {"center": center, "size": size, "rotation": None if angles is None else _rotation(*angles)}


def _xyz(geometry: dict[str, Any], name: str) -> list[Any]:
    vector = geometry.get(name)
    if not isinstance(vector, dict) or not {"x", "y", "z"} <= vector.keys():
        raise InputError(f"geometry.{name}: found {shown(vector)}, expected {{x, y, z}}")
    return [vector["x"], vector["y"], vector["z"]]


def _rotation(x: Any, y: Any, z: Any) -> dict[str, Any] | list[list[float]]:
    """Rz · Ry · Rx, or the yaw alone: a box that stands upright has to stay exactly so."""
    if not all(map(_is_angle, (x, y, z))):
        raise InputError(f"geometry.rotation: found {shown([x, y, z])}, expected three angles in radians")
    if x == 0 and y == 0:
        return {"yaw": z}
    return matrix_from_angles(x, y, z)


def _is_angle(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and -LARGEST <= value <= LARGEST


def _listed(tree: dict[str, Any], name: str) -> list[Any]:
    value = tree.get(name)
    if not isinstance(value, (list, tuple)):
        raise InputError(f"{name}: found {shown(value)}, expected a list")
    return list(value)
