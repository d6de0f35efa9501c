"""The figures of an artifact by name: value, interval, and the value in every replicate of the bootstrap.

Names: `<mode>.precision`, `recall`, `f1` and `mean_f1` of the dense suite; `AP` and the other lines of COCO,
`precision_at_recall`, `precision_at_target` and `sweep.precision` … of the detection suite; the fields of `summary`
without `_mean` and `pooled.<name>` of the timeline suite; `<method>.<rate>` of the scene suite. A bare name means the
category mode (else the last one reported), the sweep, or the only method.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import ConfigError

Floats = NDArray[np.float64]
Tree = Mapping[str, Any]
LOWER = ("*_mae_*", "*_error_m*", "*time_in_error_*", "false_*", "*_false_*", "late_*", "flicker_*", "invalid_*")
NEITHER = (
    "fps_estimate",
    "gt_*",
    "pred_*",
    "*_start_error_*",
    "*_delay_*",
    "overlapped_*",
    "mean_activation_*",
    "tied_*",
)
MOST_NAMES = 24  # that an error lists


class Figure(NamedTuple):
    """A number of an artifact, with what is known about its spread."""

    name: str
    value: float | None
    interval: list[float] | None
    replicates: Floats | None  # NaN is undefined
    higher_is_better: bool | None  # a description, such as where a state begins, is neither good nor bad
    n: int  # records it rests on
    moved: bool = False  # replicates tell how far the number varies, not where it lies


def figures(tree: Tree, *, replicates: bool = True) -> dict[str, Figure]:
    """Every figure, in the order of the artifact. Without replicates they are `None`, which is faster for videos."""
    if tree["suite"] == "timeline":
        from calipers.suites.timeline.figures import video_figures

        found = video_figures(tree, replicates=replicates)
    else:
        found = {"dense": _dense, "coco": _coco, "scene": _scene}[tree["suite"]](tree)
    return {each.name: each if replicates else each._replace(replicates=None) for each in found}


def is_higher_better(name: str) -> bool | None:
    """Which direction is good, by the last part of a name.

    >>> is_higher_better("recall"), is_higher_better("entry_timing_mae_sec"), is_higher_better("fps_estimate")
    (True, False, None)
    """
    if name.startswith(("iou_", "event_lead_")):
        return True
    if any(fnmatchcase(name, pattern) for pattern in NEITHER):
        return None
    return not any(fnmatchcase(name, pattern) for pattern in LOWER)


def _dense(tree: Tree) -> Iterator[Figure]:
    for mode, found in tree["modes"].items():
        yield from _sweep(f"{mode}.", found, tree, f"{mode}.", int(tree["records"]["evaluated"]))


def _coco(tree: Tree) -> Iterator[Figure]:
    n, values = int(tree["images"]["evaluated"]), tree["bootstrap"]["values"]
    high = {name: tree[name] for name in ("precision_at_recall", "precision_at_target") if name in tree}
    for name, value in (tree["coco"] | high).items():
        draws = np.array(values[name], dtype=np.float64) if values.get(name) else None
        yield Figure(name, value, tree["intervals"].get(name), draws, True, n, moved=True)
    yield from _sweep("sweep.", tree["sweep"], tree, "", n)


def _sweep(prefix: str, found: Tree, tree: Tree, column: str, n: int) -> Iterator[Figure]:
    """The figures that dense matching gives: ratios of sums that are kept for every replicate."""
    primary, draws = found["primary"], _ratios(tree, column)
    for name in ("precision", "recall", "f1"):
        yield Figure(prefix + name, primary[name], primary["interval"][name], draws.get(name), True, n)
    yield Figure(f"{prefix}mean_f1", found["mean_f1"], found["mean_f1_interval"], draws.get("mean_f1"), True, n)


def _ratios(tree: Tree, column: str) -> dict[str, Floats]:
    sums = {name: np.array(values, dtype=np.float64) for name, values in tree["bootstrap"]["sums"].items()}
    if not sums["gt"].size:
        return {}
    gt, pred = sums["gt"], sums["pred"]
    matched, swept = sums[f"{column}matched"], sums[f"{column}matched_over_sweep"]
    return {
        "precision": over(matched, pred),
        "recall": over(matched, gt),
        "f1": over(2 * matched, gt + pred),
        "mean_f1": over(2 * swept, len(tree["params"]["thresholds"]) * (gt + pred)),
    }


def over(part: Floats, whole: Floats) -> Floats:
    """part / whole, undefined (NaN) without a whole.

    >>> over(np.array([1.0, 0.0]), np.array([4.0, 0.0])).tolist()
    [0.25, nan]
    """
    out: Floats = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out


def scene_methods(tree: Tree) -> dict[str, Any]:
    """The methods of a scene artifact, also of one that holds a single method."""
    return dict(tree["methods"]) if "methods" in tree else {tree["method"]: tree}


def shared_methods(old: Tree, new: Tree) -> dict[str, str]:
    """Methods that both have, new name to old name; two that are alone are the same one, whatever they are called."""
    before, after = (list(scene_methods(tree)) for tree in (old, new))
    if len(before) == len(after) == 1:
        return {after[0]: before[0]}
    return {name: name for name in after if name in before}


def _scene(tree: Tree) -> Iterator[Figure]:
    for method, found in scene_methods(tree).items():
        numbers = found["benchmark_compat"] | found["detection_metrics"] | found["geometry_metrics"]
        values = found["bootstrap"]["values"]
        for name in (name for name in found["benchmark_compat"] if not name.endswith("_interval")):
            draws = np.array(values[name], dtype=np.float64) if values.get(name) else None
            spread = numbers.get(f"{name}_interval")
            n = int(found["records"]["evaluated"])
            yield Figure(f"{method}.{name}", numbers[name], spread, draws, is_higher_better(name), n)


def full_name(name: str, found: Mapping[str, Figure], tree: Tree) -> str:
    """What a bare name means; a name that is nobody's is an error that says the nearest."""
    prefix = _prefix(tree)
    for each in (name, f"{prefix}{name}"):
        if each in found:
            return each
    short = [each.removeprefix(prefix) for each in found]
    near = [each for each in found if each.endswith(f".{name}")]
    near = near or get_close_matches(name, [*found, *short], n=1, cutoff=0.5)
    hint = f", did you mean {near[0]!r}?" if near else ""
    listed = f" (known: {', '.join(found)})" if len(found) <= MOST_NAMES else ""
    raise ConfigError(f"{name!r:.80} is not a metric of the {tree['suite']} suite{hint}{listed}")


def _prefix(tree: Tree) -> str:
    if tree["suite"] == "dense":
        modes = list(tree["modes"])
        return "category." if "category" in modes or not modes else f"{modes[-1]}."
    if tree["suite"] == "scene":
        methods = list(scene_methods(tree))
        return f"{methods[0]}." if len(methods) == 1 else ""
    return "sweep." if tree["suite"] == "coco" else ""
