"""The scene suite in a loop: scenes come in, a report comes out whenever it is asked for."""

from __future__ import annotations

from itertools import count
from typing import Any

from calipers.core.errors import ConfigError, InputError
from calipers.files.inputs import Input
from calipers.meter import Taken
from calipers.report import Report
from calipers.suites.scene.config import params
from calipers.suites.scene.joining import join_readings
from calipers.suites.scene.options import scene_options
from calipers.suites.scene.plan import report_scenes
from calipers.suites.scene.read import SceneReading, read_scenes
from calipers.suites.scene.scene_files import Source, find_scenes


class SceneMeter:
    """Adds up scenes as they come.

    >>> seat = {"label": "seat", "center": [1, 1, 0.5], "size": [1, 1, 1]}
    >>> meter, other = SceneMeter(), SceneMeter()
    >>> meter.update([seat], [seat], scene="hall")
    >>> other.update([seat], [], scene="kitchen")
    >>> meter.merge(other)
    >>> meter.compute().method()["detection_metrics"]["recall"]
    0.5
    """

    def __init__(self, *, config: str | None = None, **options: Any) -> None:

        self._chosen = scene_options(config, options)
        self.config = self._chosen.config
        self.reset()

    def reset(self) -> None:
        """Forget all scenes."""
        self._taken: Taken[SceneReading] = Taken()
        self._add([self._read({}, {})])

    def update(self, gt: Any, pred: Any, scene: str | None = None) -> None:
        """Add scenes, given as for `calipers.scene`; a single one may be named. If one is bad, none is added."""
        truth, found = find_scenes(gt, "gt"), find_scenes(pred, "pred")
        if scene is None and truth.single and not truth.files:
            scene = next(
                name for k in count(len(self._taken.names) + 1) if (name := f"scene {k}") not in self._taken.names
            )
        if scene is not None:
            for source in (truth, found):
                _call(source, scene)
        self._add([self._read(truth, found)])

    def _read(self, gt: Any, pred: Any) -> SceneReading:

        config = self.config
        return read_scenes(gt, {"pred": pred}, label_source=config.label_source, max_bad=config.max_bad_records)

    def merge(self, other: SceneMeter) -> None:
        """Add all scenes of another meter with the same parameters."""
        if self._meaning() != other._meaning():
            raise ConfigError("merge: the two meters have different parameters")
        self._add(other._taken.parts)

    def _add(self, parts: list[SceneReading]) -> None:
        names = {name for part in parts for name in (*part.names, *(bad.scene for bad in part.bad))}
        self._taken.add(parts, names, "scene", self.config.max_bad_records)

    def _meaning(self) -> dict[str, Any]:

        found = params(self.config, []) | {"labels": self.config.labels}
        return {name: value for name, value in found.items() if name not in {"top", "max_bad_records"}}

    def compute(self) -> Report:
        """The report over all scenes so far."""
        everything = Input("<scenes>", None, len(self._taken.names))
        reading = join_readings(self._taken.parts, [[everything], [everything]])
        return report_scenes(reading, self.config, self._chosen.warnings, self._chosen.files)


def _call(source: Source, scene: str) -> None:
    """Give the only scene of a source this name; one that has none stays so."""
    if source.single:
        source.rename(scene)
    elif source.scenes:
        many = len(source.scenes)
        raise InputError(f"{source.path}: found {many} scenes by name, expected one to be called {scene!r}")
