"""How `check` tells scenes and looks at them, and what explains a low headline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.core.interpretations import fits_far_better, is_guess, is_low, is_poor
from calipers.core.survey import FileCheck, Kind, SidesCheck, Survey
from calipers.files.clues import Clue, direct_json
from calipers.files.folders import few_files_below

Report = Mapping[str, Any]
SUPERVISELY = Kind("scene, Supervisely annotation", "scene")
PLAIN = Kind("scene, plain objects", "scene")
GRAPH = Kind("scene, scene graph", "scene", usual_side="pred")
CLIO = Kind("scene, Clio GraphML", "scene", usual_side="pred")
FEW_SCENES, FEW_BOXES = 20, 300


def find_kind(clue: Clue) -> Kind | None:
    """A scene, scenes by name, or a folder of them."""
    if clue.is_folder:
        return _folder_kind(clue.path)
    if clue.is_xml:
        return None if b"<annotation" in clue.head else CLIO
    if clue.first is not None and ("center" in clue.first or "position" in clue.first):
        return _kind_of_objects(clue.list)
    return _kind_of_object(clue.object) if clue.object else None


def _folder_kind(path: str) -> Kind | None:
    files = few_files_below(path, ".graphml") or direct_json(path)
    kind = find_kind(Clue(files[0])) if files else None
    return kind and kind._replace(name=f"folder of scenes, {kind.name.partition(', ')[2]}")


def _kind_of_object(tree: Mapping[str, Any]) -> Kind | None:
    if "annotations" in tree or ("shapes" in tree and "imagePath" in tree):
        return None  # annotations of images
    if "figures" in tree:
        return SUPERVISELY
    if isinstance(tree.get("objects"), (list, tuple)):
        return _kind_of_objects(tree["objects"])
    scenes = [entry for entry in tree.values() if isinstance(entry, Mapping)]
    scenes = [entry for entry in scenes if isinstance(entry.get("objects"), (list, tuple))]
    if not scenes or len(scenes) != len(tree):  # scenes by name, as values
        return None
    return SUPERVISELY if "figures" in scenes[0] else _kind_of_objects(scenes[0]["objects"])


def _kind_of_objects(objects: Any) -> Kind:
    graph = any(isinstance(item, Mapping) and "center" not in item and "position" in item for item in objects)
    return GRAPH if graph else PLAIN


def examine(given: Any, kind: Kind, side: str, **options: Any) -> tuple[FileCheck, list[SidesCheck]]:
    """A scene or a folder of them."""
    from calipers.suites.scene.check import examine as examine_side

    return examine_side(given, kind, side), []


def compare(gt: Any, pred: Any, kind: Kind, file: FileCheck, **options: Any) -> SidesCheck:
    """Predicted boxes against ground truth, as they are and read otherwise."""
    from calipers.suites.scene.check import compare as compare_sides

    return compare_sides(gt, pred)


def explain_low(report: Report, gt: Any, methods: Mapping[str, Any]) -> Iterator[SidesCheck]:
    """What overlaps, and which other reading would fit, of every method that is next to nothing."""
    from calipers.suites.scene.check import compare as compare_sides

    for name, tree in report["methods"].items():
        if is_low(tree["detection_metrics"]["f1"]) and _can_match(tree):
            yield compare_sides(gt, methods[name], _config(report))


def explain_poor(report: Report, gt: Any, methods: Mapping[str, Any]) -> Iterator[tuple[SidesCheck, str]]:
    """Readings that would fit far better, of every method that is poor, tried on a few scenes."""
    from calipers.suites.scene.check import compare_few

    for name, tree in report["methods"].items():
        if is_poor(tree["detection_metrics"]["f1"]) and _can_match(tree):
            sides = compare_few(gt, methods[name], _config(report), FEW_SCENES, FEW_BOXES, fits_far_better)
            yield sides, name if len(report["methods"]) > 1 else ""


def _can_match(tree: Report) -> bool:
    """Whether a method predicts something in a scene that is on both sides."""
    alone = len(tree["scenes_without_predictions"]) + len(tree["scenes_without_ground_truth"])
    return is_guess(tree["counts"]) and len(tree["scenes"]) > alone


def _config(report: Report) -> Any:
    """How a result was measured."""
    from calipers.suites.scene.config import Config

    names = ("iou_mode", "iou_threshold", "label_source")
    return Config(bootstrap=0, open_set=False, **{name: report["params"][name] for name in names})


SURVEY = Survey((PLAIN, PLAIN), find_kind, examine, compare, explain_low, explain_poor, methods_together=True)
