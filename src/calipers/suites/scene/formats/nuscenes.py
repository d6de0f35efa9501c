"""Boxes as nuScenes has them: results by sample, or a table of sample annotations.

Results are `{"meta": …, "results": {sample: [box, …]}}`, annotations a list of boxes, each with its `sample_token`.
Every sample is a scene, called by its token. A box has `translation` (its middle, z up), `size` (width, length,
height: the length is along its own x axis, so here it is length, width, height) and `rotation` (a quaternion w, x, y,
z, which is x, y, z, w here). Its label is `detection_name`, `tracking_name`, `category_name` or `category`;
annotations that have none of them have that of their instance, by `instance.json` and `category.json` beside the file.
Its score is `detection_score` or `tracking_score`; -1 is none. What else is said of a box stays with it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from calipers.core.errors import InputError
from calipers.files.inputs import parse_json, read_bytes
from calipers.files.problems import shown
from calipers.suites.scene.formats.plain import PlainScene

EXPECTED = 'nuScenes boxes, {"results": {sample: […]}} or a list with sample_token'
MARKS = (b'"translation"', b'"rotation"', b'"size"')
LABELS = ("detection_name", "tracking_name", "category_name", "category")
SCORES = ("detection_score", "tracking_score", "score")
NO_SCORE = -1.0
FIELDS = {"center": "translation", "id": "token"}
RENAMED = {*LABELS, *SCORES, "token", "translation", "sample_token", "id", "label", "center"}  # others stay as they are

Samples = dict[str, dict[str, Any]]  # by token: {"results": {token: boxes}, "rows": where they stand in a list}


def looks_like(head: bytes) -> bool:
    """Whether the first bytes name what every box has.

    >>> looks_like(b'[{"translation": [0, 0, 0], "size": [1, 1, 1], "rotation": [1, 0, 0, 0]}]'), looks_like(b"[]")
    (True, False)
    """
    return all(mark in head for mark in MARKS)


def fits(tree: Mapping[str, Any]) -> bool:
    """Whether an object holds results by sample."""
    results = tree.get("results")
    if not isinstance(results, Mapping) or not all(isinstance(boxes, (list, tuple)) for boxes in results.values()):
        return False
    first = next((box for boxes in results.values() for box in boxes), None)
    return first is None or (isinstance(first, Mapping) and is_box(first))


def is_box(item: Mapping[str, Any]) -> bool:
    """Whether an object is a box of nuScenes."""
    return "translation" in item and ("size" in item or "rotation" in item)


def read_samples(data: bytes, path: str) -> Samples:
    """The scenes of a file by token; "" is the token of boxes that name no sample."""
    tree, problem, _ = parse_json(data, path, EXPECTED)
    if problem:
        raise InputError(f"{path}: not JSON: {problem}; expected {EXPECTED}")
    return samples_of(tree, path)


def is_value(source: Any) -> bool:
    """Whether a value holds boxes of nuScenes: by sample, or in a list."""
    if isinstance(source, Mapping):
        return "results" in source and "rows" not in source and fits(source)
    first = source[0] if isinstance(source, (list, tuple)) and source else None
    return isinstance(first, Mapping) and is_box(first)


def samples_of(tree: Any, path: str) -> Samples:
    """The scenes of what a file holds, by token; `path` is where tables of names are looked for."""
    if isinstance(tree, Mapping) and fits(tree):
        return {token: {"results": {token: boxes}} for token, boxes in tree["results"].items()}
    if not isinstance(tree, (list, tuple)) or not all(isinstance(box, dict) for box in tree):
        raise InputError(f"{path}: found {shown(tree)}, expected {EXPECTED}")
    names = _instance_names(tree, path)
    samples: Samples = {}
    for row, box in enumerate(tree):
        token = box.get("sample_token", "")
        if not isinstance(token, str):
            raise InputError(f"{path}: [{row}].sample_token: found {shown(token)}, expected a text")
        sample = samples.setdefault(token, {"results": {token: []}, "rows": []})
        named = box if names is None else {**box, "category_name": _name_of(box, names, f"{path}: [{row}]")}
        sample["results"][token].append(named)
        sample["rows"].append(row)
    return samples


def plain_objects(tree: dict[str, Any]) -> PlainScene:
    """The boxes of one sample.

    >>> box = {"translation": [1, 2, 0.5], "size": [2, 4, 1], "rotation": [1, 0, 0, 0], "detection_name": "car"}
    >>> scene = plain_objects({"results": {"ca9a": [box]}})
    >>> scene.objects
    [{'label': 'car', 'center': [1, 2, 0.5], 'size': [4, 2, 1], 'rotation': [0, 0, 0, 1]}]
    >>> scene.where(0, "center")
    'results["ca9a"][0].translation'
    """
    if not fits(tree) or len(tree["results"]) != 1:
        count = len(tree["results"]) if isinstance(tree.get("results"), Mapping) else shown(tree.get("results"))
        raise InputError(f"results: found {count} samples, expected those of one, or the file by itself")
    [(token, boxes)] = tree["results"].items()
    rows = tree.get("rows")

    def where(index: int, field: str) -> str:
        place = f"[{rows[index]}]" if rows else f"results[{shown(token)}][{index}]"
        return f"{place}.{_field(boxes[index], field)}" if field else place

    return PlainScene([_object(box) for box in boxes], where)


def _field(box: Any, field: str) -> str:
    """What nuScenes calls a field."""
    names = {"label": LABELS, "score": SCORES}.get(field)
    if names and isinstance(box, dict):
        return next((name for name in names if name in box), names[0])
    return FIELDS.get(field, field)


def _object(box: Any) -> Any:
    if not isinstance(box, dict):
        return box
    fields = {"id": box["token"]} if box.get("token") is not None else {}
    fields |= {"label": next((box[name] for name in LABELS if box.get(name) is not None), None)}
    score = next((box[name] for name in SCORES if box.get(name) is not None), NO_SCORE)
    fields |= {} if score == NO_SCORE else {"score": score}
    shape = {"center": box.get("translation"), "size": _size(box.get("size")), "rotation": _rotation(box)}
    beside = {name: box[name] for name in box if name not in RENAMED and name not in shape and box[name] is not None}
    return fields | shape | beside


def _size(size: Any) -> Any:
    """Length, width and height; what cannot be meant stays as it was written."""
    good = isinstance(size, list) and len(size) == 3 and all(_is_number(side) and side > 0 for side in size)
    return [size[1], size[0], size[2]] if good else size


def _rotation(box: dict[str, Any]) -> Any:
    rotation = box.get("rotation")
    if isinstance(rotation, list) and len(rotation) == 4:
        return [*rotation[1:], rotation[0]]
    return rotation


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# Labels of the tables


def _instance_names(boxes: Sequence[dict[str, Any]], path: str) -> dict[Any, Any] | None:
    """Names of classes by instance, where boxes have none of their own."""
    if not boxes or "instance_token" not in boxes[0] or any(name in boxes[0] for name in LABELS):
        return None
    folder = os.path.dirname(path)
    instances, categories = (_table(os.path.join(folder, f"{name}.json")) for name in ("instance", "category"))
    names = {_token(row.get("token")): row.get("name") for row in categories}
    return {_token(row.get("token")): names.get(_token(row.get("category_token"))) for row in instances}


def _table(path: str) -> list[dict[str, Any]]:
    try:
        tree = parse_json(read_bytes(path), path, "a table of nuScenes").tree
    except InputError as error:
        raise InputError(f"{error} (boxes without category_name are named by it)") from None
    if not isinstance(tree, list) or not all(isinstance(row, dict) for row in tree):
        raise InputError(f"{path}: found {shown(tree)}, expected a list of rows with token")
    return tree


def _token(value: Any) -> Any:
    return value if isinstance(value, str) else None


def _name_of(box: dict[str, Any], names: dict[Any, Any], place: str) -> str:
    name = names.get(_token(box.get("instance_token")))
    if not isinstance(name, str):
        token = shown(box.get("instance_token"))
        raise InputError(f"{place}.instance_token: found {token}, expected one of instance.json, of a named category")
    return name
