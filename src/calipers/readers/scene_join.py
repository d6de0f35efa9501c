"""Readings of scenes that came one after the other, as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from calipers.readers.files import Input
from calipers.readers.scene import SceneReading
from calipers.scenes import join_boxes


def join_readings(parts: Sequence[SceneReading]) -> SceneReading:
    """The scenes of all parts, in the order of their names; no name may be in two of them."""
    names = [name for part in parts for name in part.names]
    order = sorted(range(len(names)), key=names.__getitem__)
    joined = SceneReading.__new__(SceneReading)
    joined.names = [names[place] for place in order]
    joined.truth = join_boxes([part.truth for part in parts], order)
    methods = list(parts[0].preds)
    joined.preds = {method: join_boxes([part.preds[method] for part in parts], order) for method in methods}
    joined.invalid = {
        method: sorted((each for part in parts for each in part.invalid[method]), key=lambda each: each["scene"])
        for method in methods
    }
    joined.without_truth = {method: _sorted(part.without_truth[method] for part in parts) for method in methods}
    joined.without_pred = {method: _sorted(part.without_pred[method] for part in parts) for method in methods}
    joined.bad = sorted((bad for part in parts for bad in part.bad), key=lambda bad: bad.scene)
    joined.warnings = _sorted(part.warnings for part in parts)
    everything = Input("<scenes>", None, len(names) + len(joined.bad))
    joined.truth_input, joined.inputs = everything, dict.fromkeys(methods, everything)
    return joined


def _sorted(lists: Iterable[list[str]]) -> list[str]:
    return sorted(item for some in lists for item in some)
