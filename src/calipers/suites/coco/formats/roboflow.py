"""Roboflow's exports: a folder for each split, with the images and one file of annotations in it.

The file is `_annotations.coco.json`, `_annotations.csv` or `_annotations.createml.json`; labels of YOLO stand in
folders of their own. Of a folder with several splits the one for validation is read, as of YOLO's.

The first category of its COCO files, id 0, is no class: it is the group that all others name as their supercategory.
No annotation is of it, and where classes are counted from 0 it would move all others by one, so it is left out.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from calipers.files.problems import shown
from calipers.suites.coco.formats.yolo_folders import SPLIT, choose_split

COCO_FILE = "_annotations.coco.json"


class ExportFile(NamedTuple):
    """Where the annotations of an export are, and what was not read."""

    path: str
    warnings: list[str]


def find_export(path: str, name: str) -> ExportFile | None:
    """The file of this name in a folder, or in one of its splits; None if there is none."""
    if not os.path.isdir(path):
        return None
    if os.path.isfile(file := os.path.join(path, name)):
        return ExportFile(file, [])
    named = sorted(own for own in os.listdir(path) if SPLIT.fullmatch(own))
    splits = [own for own in named if os.path.isfile(os.path.join(path, own, name))]
    if not splits:
        return None
    split, warnings = choose_split(splits, path)
    return ExportFile(os.path.join(path, split, name), warnings)


def find_group(tree: Mapping[str, Any]) -> int | None:
    """The place of the category that is the group of all others, None if there is none.

    >>> cars = {"id": 0, "name": "vehicles", "supercategory": "none"}
    >>> car = {"id": 1, "name": "car", "supercategory": "vehicles"}
    >>> find_group({"categories": [cars, car]}), find_group({"categories": [car]})
    (0, None)
    """
    entries = tree.get("categories")
    categories = entries if isinstance(entries, (list, tuple)) else []
    if len(categories) < 2 or not all(isinstance(entry, Mapping) for entry in categories):
        return None
    first = categories[0]
    if first.get("id") != 0 or first.get("supercategory") != "none" or not isinstance(first.get("name"), str):
        return None
    others = {shown(entry.get("supercategory")) for entry in categories[1:]}
    return 0 if others == {shown(first["name"])} else None


def without_group(categories: list[Any], used: Any) -> tuple[list[Any], list[str]]:
    """The classes, and a warning; `used` are the ids of categories that annotations have."""
    place = find_group({"categories": categories})
    if place is None or 0 in used:
        return categories, []
    name = shown(categories[place]["name"])
    warning = f"the category 0, {name}, is the group of the others, as Roboflow has it, and was left out"
    return [entry for at, entry in enumerate(categories) if at != place], [warning]
