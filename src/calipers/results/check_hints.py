"""A few lines for a run whose headline is next to nothing: what overlaps, and which other reading would fit.

Of a headline that is poor, but not next to nothing, see `poor_hints`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from calipers.core.errors import InputError
from calipers.results.check_text import LOW, hint_lines

if TYPE_CHECKING:
    from calipers.core.survey import SidesCheck

Report = Mapping[str, Any]


def hints(suite: str, report: Report, *inputs: Any) -> list[str]:
    """Lines for every part of a report that is next to nothing, or one for a poor one that may be read otherwise."""
    from calipers.results.poor_hints import poor_lines

    makers: dict[str, Callable[..., Iterator[SidesCheck]]] = {
        "dense": _dense,
        "timeline": _timeline,
        "scene": _scene,
        "coco": _coco,
    }
    try:
        found = list(makers[suite](report, *inputs))
        better = list(poor_lines(suite, report, *inputs))
    except InputError:  # what was read a moment ago is gone
        return []
    return [*(line for sides in found for line in hint_lines(sides.tree())), *better]


def is_guess(objects: Mapping[str, int]) -> bool:
    """Whether anything was predicted that could match; nothing needs no explanation."""
    return objects["pred"] > objects["invalid_pred"]


def is_low(value: float | None) -> bool:
    """Whether a headline asks for an explanation; one that is undefined does not."""
    return value is not None and value < LOW


def _dense(report: Report, dumps: list[str]) -> Iterator[SidesCheck]:
    if not is_low(localization(report)["mean_f1"]) or not is_guess(report["objects"]) or "-" in dumps:
        return
    from calipers.suites.dense import check as check_dense

    config = dense_config(report)
    yield check_dense.compare_sides(dumps[0], check_dense.first_records(dumps, config.frame), config)


def dense_config(report: Report) -> Any:
    """How a dense result was measured."""
    from calipers.suites.dense.measure import Config

    names = ("frame", "tube_tolerance", "primary_threshold")
    return Config(bootstrap=0, **{name: report["params"][name] for name in names})


def localization(report: Report) -> Report:
    """The mode without labels, or the one that comes first where that was not asked for."""
    modes = report["modes"]
    found: Report = modes.get("localization") or next(iter(modes.values()))
    return found


def _timeline(report: Report, gt: Any, pred: Any) -> Iterator[SidesCheck]:
    evaluated = report["records"]["evaluated"]
    if evaluated and not is_low(report["summary"]["frame_accuracy_mean"]):
        return
    from calipers.suites.timeline import check as check_timeline

    sides = check_timeline.compare(gt, pred, timeline_config(report))
    if evaluated or sides.readings:  # of videos that were not evaluated the artifact says why
        yield sides


def timeline_config(report: Report) -> Any:
    """How a result of videos was measured."""
    from calipers.suites.timeline.config import Config

    return Config(bootstrap=0, idle=report["params"]["idle"], focus=report["params"]["focus"])


def _scene(report: Report, gt: Any, methods: Mapping[str, Any]) -> Iterator[SidesCheck]:
    for name, tree in report["methods"].items():
        if is_low(tree["detection_metrics"]["f1"]) and is_guess(tree["counts"]) and has_common(tree):
            from calipers.suites.scene import check as check_scene

            yield check_scene.compare(gt, methods[name], scene_config(report))


def scene_config(report: Report) -> Any:
    """How a result of scenes was measured."""
    from calipers.suites.scene.config import Config

    names = ("iou_mode", "iou_threshold", "label_source")
    return Config(bootstrap=0, open_set=False, **{name: report["params"][name] for name in names})


def has_common(tree: Report) -> bool:
    """Whether a scene is on both sides."""
    return len(tree["scenes"]) > len(tree["scenes_without_predictions"]) + len(tree["scenes_without_ground_truth"])


def _coco(report: Report, gt: Any, pred: Any) -> Iterator[SidesCheck]:
    if not is_low(coco_headline(report)) or not is_guess(report["objects"]):
        return
    from calipers.results.check_kinds import find_kind
    from calipers.suites.coco import check as check_coco

    params = report["params"]
    names = ("iou_type", "gt_format", "pred_format", "images")
    yield check_coco.compare(gt, pred, find_kind(pred), **{name: params[name] for name in names})


def coco_headline(report: Report) -> float | None:
    """AP_50, or F1 at IoU 0.50 where scores rank nothing."""
    found, f1 = report["coco"]["AP_50"], report["sweep"]["primary"]["f1"]
    return f1 if found is None else found  # type: ignore[no-any-return]
