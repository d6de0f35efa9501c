"""What a detector is run for: the images and the categories that a ground truth lists, in COCO's form."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.inputs import parse_json
from calipers.files.problems import shown
from calipers.suites.coco.formats.coco_json import decompressed, read_text, refuse_doubles
from calipers.suites.coco.formats.rows import LARGEST, plain

EXPECTED = '{"images": […], "categories": […]}'


class TruthImage(NamedTuple):
    """An image as the ground truth lists it."""

    id: int
    name: str  # of its file
    size: tuple[int, int] | None  # width, height


class Category(NamedTuple):
    """A category of the ground truth."""

    id: int
    name: str


class Targets(NamedTuple):
    """The images and categories of a ground truth, in its order."""

    pictures: list[TruthImage]
    categories: list[Category]


def read_targets(gt: Any) -> Targets:
    """The images and categories of a COCO file, or of what it would hold."""
    path = os.fspath(gt) if isinstance(gt, (str, os.PathLike)) else "<gt>"
    if os.path.isdir(path):
        raise InputError(f"{path}: found a folder, expected ground truth as COCO JSON: {EXPECTED}")
    tree = _parsed(path) if isinstance(gt, (str, os.PathLike)) else gt
    if not isinstance(tree, Mapping):
        raise InputError(f"{path}: found {shown(tree)}, expected {EXPECTED}")
    pictures = [_picture(item, f"{path}: images[{n}]") for n, item in enumerate(_rows(tree, "images", path))]
    categories = [_category(item, f"{path}: categories[{n}]") for n, item in enumerate(_rows(tree, "categories", path))]
    _check_ids([picture.id for picture in pictures], f"{path}: images")
    _check_ids([category.id for category in categories], f"{path}: categories")
    return Targets(pictures, categories)


def _parsed(path: str) -> Any:
    parsed = parse_json(bytes(decompressed(read_text(path), path)[:-1]), path, EXPECTED)
    if parsed.has_doubles and isinstance(parsed.tree, Mapping):
        refuse_doubles(parsed.tree, path)
    return parsed.tree


def _rows(tree: Mapping[str, Any], name: str, path: str) -> list[Any]:
    rows = tree.get(name)
    if not isinstance(rows, (list, tuple)) or not rows:
        content = shown(rows) if name in tree else "no such key"
        raise InputError(f"{path}: {name}: found {content}, expected a list with at least one entry")
    return list(rows)


def _picture(item: Any, where: str) -> TruthImage:
    number, name = _id(item, where), _text(item, "file_name", where)
    width, height = _side(item, "width", where), _side(item, "height", where)
    return TruthImage(number, name, (width, height) if width and height else None)


def _category(item: Any, where: str) -> Category:
    return Category(_id(item, where), whole_text(_text(item, "name", where)))


def _id(item: Any, where: str) -> int:
    number = plain(item.get("id")) if isinstance(item, Mapping) else None
    if not isinstance(number, (int, float)) or isinstance(number, bool) or number % 1 or not abs(number) < LARGEST:
        raise InputError(f"{where}: found {shown(item)}, expected an id that is a whole number")
    return int(number)


def _text(item: Mapping[str, Any], name: str, where: str) -> str:
    text = item.get(name)
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{where}: {name}: found {shown(text)}, expected a name")
    return text


def _side(item: Mapping[str, Any], name: str, where: str) -> int | None:
    side = plain(item.get(name))
    if side is None:
        return None
    if isinstance(side, bool) or not isinstance(side, (int, float)) or side != side // 1 or side < 1:
        raise InputError(f"{where}: {name}: found {shown(side)}, expected a whole number of pixels")
    return int(side)


def _check_ids(ids: list[int], where: str) -> None:
    seen: set[int] = set()
    for number in ids:
        if number in seen:
            raise InputError(f"{where}: the id {number} is there twice, expected each once")
        seen.add(number)
