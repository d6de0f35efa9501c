"""A few lines for a run whose headline is next to nothing: what overlaps, and which other reading would fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from calipers.analysis.check import LOW
from calipers.errors import InputError
from calipers.views.check_views import hint_lines

if TYPE_CHECKING:
    from calipers.analysis.check_parts import SidesCheck

Report = Mapping[str, Any]


def hints(suite: str, report: Report, *inputs: Any) -> list[str]:
    """Lines for every part of a report that is next to nothing."""
    makers: dict[str, Callable[..., Iterator[SidesCheck]]] = {
        "dense": _dense,
        "timeline": _timeline,
        "scene": _scene,
        "coco": _coco,
    }
    try:
        found = list(makers[suite](report, *inputs))
    except InputError:  # what was read a moment ago is gone
        return []
    return [line for sides in found for line in hint_lines(sides.tree())]


def _is_guess(objects: Mapping[str, int]) -> bool:
    """Whether anything was predicted that could match; nothing needs no explanation."""
    return objects["pred"] > objects["invalid_pred"]


def is_low(value: float | None) -> bool:
    """Whether a headline asks for an explanation; one that is undefined does not."""
    return value is not None and value < LOW


def _dense(report: Report, dumps: list[str]) -> Iterator[SidesCheck]:
    if not is_low(_localization(report)) or not _is_guess(report["objects"]) or "-" in dumps:
        return
    from calipers.analysis import check_dense
    from calipers.suites.dense import Config

    params = report["params"]
    names = ("frame", "tube_tolerance", "primary_threshold")
    config = Config(bootstrap=0, **{name: params[name] for name in names})
    sample = check_dense.first_records(dumps, config.frame)
    yield check_dense.compare_sides(dumps[0], sample, config)


def _localization(report: Report) -> float | None:
    """Mean F1 whatever the labels, or of the mode that comes first where that was not asked for."""
    modes = report["modes"]
    value: float | None = (modes.get("localization") or next(iter(modes.values())))["mean_f1"]
    return value


def _timeline(report: Report, gt: Any, pred: Any) -> Iterator[SidesCheck]:
    evaluated = report["records"]["evaluated"]
    if evaluated and not is_low(report["summary"]["frame_accuracy_mean"]):
        return
    from calipers.analysis import check_timeline
    from calipers.suites.timeline_config import Config

    params = report["params"]
    sides = check_timeline.compare(gt, pred, Config(bootstrap=0, idle=params["idle"], focus=params["focus"]))
    if evaluated or sides.readings:  # of videos that were not evaluated the artifact says why
        yield sides


def _scene(report: Report, gt: Any, methods: Mapping[str, Any]) -> Iterator[SidesCheck]:
    from calipers.suites.scene_config import Config

    params = report["params"]
    names = ("iou_mode", "iou_threshold", "label_source")
    for name, tree in report["methods"].items():
        if is_low(tree["detection_metrics"]["f1"]) and _is_guess(tree["counts"]) and _has_common(tree):
            from calipers.analysis import check_scene

            config = Config(bootstrap=0, open_set=False, **{each: params[each] for each in names})
            yield check_scene.compare(gt, methods[name], config)


def _has_common(tree: Report) -> bool:
    """Whether a scene is on both sides."""
    return len(tree["scenes"]) > len(tree["scenes_without_predictions"]) + len(tree["scenes_without_ground_truth"])


def _coco(report: Report, gt: Any, pred: Any) -> Iterator[SidesCheck]:
    found = report["coco"]["AP_50"]
    score = report["sweep"]["primary"]["f1"] if found is None else found
    if not is_low(score) or not _is_guess(report["objects"]):
        return
    from calipers.analysis import check_coco
    from calipers.analysis.check_kinds import find_kind

    params = report["params"]
    names = ("iou_type", "gt_format", "pred_format", "images")
    yield check_coco.compare(gt, pred, find_kind(pred), **{name: params[name] for name in names})
