"""A few lines for a run whose headline is next to nothing: what overlaps, and which other reading would fit.

A dense headline that is poor, but not next to nothing, may come from one kind of shape that is read wrongly. There the
readings are tried on a few records, and one line names the reading that fits far better, if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from calipers.errors import InputError
from calipers.views.check_views import LOW, better_lines, hint_lines

if TYPE_CHECKING:
    from calipers.analysis.check_parts import SidesCheck

Report = Mapping[str, Any]
POOR = 0.5  # a headline below it may be due to a reading
FEW_RECORDS, FEW_OBJECTS = 200, 1500  # that readings of a poor result are tried on, so that they take a moment


def hints(suite: str, report: Report, *inputs: Any) -> list[str]:
    """Lines for every part of a report that is next to nothing, or one for a poor one that may be read otherwise."""
    makers: dict[str, Callable[..., Iterator[SidesCheck]]] = {
        "dense": _dense,
        "timeline": _timeline,
        "scene": _scene,
        "coco": _coco,
    }
    try:
        found = list(makers[suite](report, *inputs))
        better = list(_poor_dense(report, *inputs)) if suite == "dense" else []
    except InputError:  # what was read a moment ago is gone
        return []
    return [*(line for sides in found for line in hint_lines(sides.tree())), *better]


def _is_guess(objects: Mapping[str, int]) -> bool:
    """Whether anything was predicted that could match; nothing needs no explanation."""
    return objects["pred"] > objects["invalid_pred"]


def is_low(value: float | None) -> bool:
    """Whether a headline asks for an explanation; one that is undefined does not."""
    return value is not None and value < LOW


def _dense(report: Report, dumps: list[str]) -> Iterator[SidesCheck]:
    if not is_low(_localization(report)["mean_f1"]) or not _is_guess(report["objects"]) or "-" in dumps:
        return
    from calipers.analysis import check_dense

    config = _config(report)
    yield check_dense.compare_sides(dumps[0], check_dense.first_records(dumps, config.frame), config)


def _config(report: Report) -> Any:
    """How a dense result was measured."""
    from calipers.suites.dense import Config

    names = ("frame", "tube_tolerance", "primary_threshold")
    return Config(bootstrap=0, **{name: report["params"][name] for name in names})


def _localization(report: Report) -> Report:
    """The mode without labels, or the one that comes first where that was not asked for."""
    modes = report["modes"]
    found: Report = modes.get("localization") or next(iter(modes.values()))
    return found


def _poor_dense(report: Report, dumps: list[str]) -> Iterator[str]:
    """The reading that fits far better than a headline that is poor, but not next to nothing."""
    found = _localization(report)
    f1 = found["primary"]["f1"]
    if is_low(found["mean_f1"]) or f1 is None or f1 >= POOR or not _is_guess(report["objects"]) or "-" in dumps:
        return
    from calipers.analysis import check_dense
    from calipers.analysis.readings import fits_far_better

    config = _config(report)
    sample = check_dense.few_records(dumps, config.frame, FEW_RECORDS, FEW_OBJECTS)
    yield from better_lines(check_dense.compare_sides(dumps[0], sample, config, fits_far_better).tree())


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
