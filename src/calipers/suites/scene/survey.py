"""How `check` tells scenes and looks at them, and what explains a low headline."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from calipers.core.interpretations import fits_far_better, is_guess, is_low, is_poor
from calipers.core.survey import FileCheck, Kind, SidesCheck, Survey
from calipers.files.clues import Clue, direct_json
from calipers.files.folders import few_files_below
from calipers.suites.scene.formats.nuscenes import is_box
from calipers.suites.scene.formats.table import FORMATS, TEXTS, format_of_bytes, format_of_tree
from calipers.suites.scene.scene_files import inner_place, peek

Report = Mapping[str, Any]
PLAIN = Kind("scene, plain objects", "scene")
GRAPH = Kind("scene, scene graph", "scene", usual_side="pred")
KINDS = {own.name: Kind(f"scene, {own.title}", "scene", usual_side=own.usual_side) for own in FORMATS}
PEEKED_FILES = 100
FEW_SCENES, FEW_BOXES = 20, 300


def find_kind(clue: Clue) -> Kind | None:
    """A scene, scenes by name, or a folder of them."""
    if clue.is_folder:
        return _folder_kind(clue.path)
    if own := format_of_bytes(clue.head):
        return None if b"<annotation" in clue.head else KINDS[own.name]
    if clue.first is not None and is_box(clue.first):
        return KINDS["nuscenes"]
    if clue.first is not None and ("center" in clue.first or "position" in clue.first):
        return _kind_of_objects(clue.list)
    return _kind_of_object(clue.object) if clue.object else None


def _folder_kind(path: str) -> Kind | None:
    place = inner_place(path)
    if place != path and not os.path.isdir(place):
        return find_kind(Clue(place))
    files = few_files_below(place, ".graphml") or direct_json(place) or _texts(place)
    kind = find_kind(Clue(files[0])) if files else None
    return kind and kind._replace(name=f"folder of scenes, {kind.name.partition(', ')[2]}")


def _texts(folder: str) -> list[str]:
    """The first text of a folder that holds labels."""
    files = sorted(name for name in os.listdir(folder) if name.lower().endswith(TEXTS) and not name.startswith("."))
    paths = (os.path.join(folder, name) for name in files[:PEEKED_FILES])
    return list(islice((path for path in paths if format_of_bytes(peek(path).strip())), 1))


def _kind_of_object(tree: Mapping[str, Any]) -> Kind | None:
    if "annotations" in tree or ("shapes" in tree and "imagePath" in tree):
        return None  # annotations of images
    if own := format_of_tree(tree):
        return KINDS[own.name]
    if isinstance(tree.get("size"), Mapping):
        return None  # annotations of an image
    if isinstance(tree.get("objects"), (list, tuple)):
        return _kind_of_objects(tree["objects"])
    scenes = [entry for entry in tree.values() if isinstance(entry, Mapping)]
    scenes = [entry for entry in scenes if isinstance(entry.get("objects"), (list, tuple))]
    if not scenes or len(scenes) != len(tree):  # scenes by name, as values
        return None
    own = format_of_tree(scenes[0])
    return KINDS[own.name] if own else _kind_of_objects(scenes[0]["objects"])


def _kind_of_objects(objects: Any) -> Kind:
    graph = any(isinstance(item, Mapping) and "center" not in item and "position" in item for item in objects)
    return GRAPH if graph else PLAIN


def examine(source: Any, kind: Kind, side: str, **options: Any) -> tuple[FileCheck, list[SidesCheck]]:
    """A scene or a folder of them."""
    from calipers.suites.scene.check import examine as examine_side

    return examine_side(source, kind, side), []


def compare(gt: Any, pred: Any, kind: Kind, file: FileCheck, **options: Any) -> SidesCheck:
    """Predicted boxes against ground truth, as they are and read otherwise."""
    from calipers.suites.scene.check import compare as compare_sides

    return compare_sides(gt, pred)


def explain_low(report: Report, gt: Any, methods: Mapping[str, Any]) -> Iterator[SidesCheck]:
    """What overlaps, and which other reading would fit, of every method that is next to nothing."""
    for name, tree in report["methods"].items():
        if is_low(tree["detection_metrics"]["f1"]) and _can_match(tree):
            from calipers.suites.scene.check import compare as compare_sides

            yield compare_sides(gt, methods[name], _config(report))


def explain_poor(report: Report, gt: Any, methods: Mapping[str, Any]) -> Iterator[tuple[SidesCheck, str]]:
    """Readings that would fit far better, of every method that is poor, tried on a few scenes."""
    for name, tree in report["methods"].items():
        if is_poor(tree["detection_metrics"]["f1"]) and _can_match(tree):
            from calipers.suites.scene.check import compare_few

            sides = compare_few(gt, methods[name], _config(report), FEW_SCENES, FEW_BOXES, fits_far_better)
            yield sides, name if len(report["methods"]) > 1 else ""


def _can_match(tree: Report) -> bool:
    """Whether a method predicts something in a scene that is on both sides."""
    one_sided = len(tree["scenes_without_predictions"]) + len(tree["scenes_without_ground_truth"])
    return is_guess(tree["counts"]) and len(tree["scenes"]) > one_sided


def _config(report: Report) -> Any:
    """How a result was measured."""
    from calipers.suites.scene.config import Config

    names = ("iou_mode", "iou_threshold", "label_source")
    return Config(bootstrap=0, open_set=False, **{name: report["params"][name] for name in names})


SURVEY = Survey((PLAIN, PLAIN), find_kind, examine, compare, explain_low, explain_poor, methods_together=True)
