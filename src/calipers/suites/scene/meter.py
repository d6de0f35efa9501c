"""The scene suite in a loop: scenes come in, a report comes out whenever it is asked for."""

from __future__ import annotations

import os
from itertools import count
from typing import TYPE_CHECKING, Any

from calipers.core.errors import InputError
from calipers.files.inputs import InputFile
from calipers.meter import MeterInput, number_params, require_mergeable
from calipers.report import Report
from calipers.suites.scene.config import params
from calipers.suites.scene.joining import join_readings
from calipers.suites.scene.options import scene_options
from calipers.suites.scene.plan import report_scenes
from calipers.suites.scene.read import SceneReading, read_scenes
from calipers.suites.scene.scene_files import ScenesByName, find_scenes

if TYPE_CHECKING:
    from typing import Unpack

    from calipers.suites.scene.artifact_types import SceneArtifact
    from calipers.suites.scene.option_types import SceneOptions
    from calipers.suites.scene.source_types import SceneSource


class SceneMeter:
    """The scene suite in a loop: scenes of one method come in, a report comes out whenever it is asked for.

    Args:
        config: The path of an eval_config.json; keywords win over it.
        **options: Those of `calipers.scene`, see `calipers.SceneOptions`.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant.

    Examples:
        >>> seat = {"label": "seat", "center": [1, 1, 0.5], "size": [1, 1, 1]}
        >>> meter, other = SceneMeter(iou_threshold=0.25), SceneMeter(iou_threshold=0.25)
        >>> meter.update([seat], [seat], scene="hall")
        >>> other.update([seat], [], scene="kitchen")
        >>> meter.merge(other)
        >>> meter.compute()["detection_metrics"]["recall"]
        0.5
    """

    def __init__(self, *, config: str | os.PathLike[str] | None = None, **options: Unpack[SceneOptions]) -> None:

        self._chosen = scene_options(config, options)
        self.config = self._chosen.config
        self.reset()

    def __repr__(self) -> str:
        return f"<SceneMeter: {len(self._taken.names):,} scenes so far>"

    def reset(self) -> None:
        """Forget all scenes."""
        self._taken: MeterInput[SceneReading] = MeterInput()
        self._add([self._read({}, {})])

    def update(self, gt: SceneSource, pred: SceneSource, scene: str | None = None) -> None:
        """Add scenes, each once. If one is bad, none of them is added.

        Args:
            gt: Ground truth, as `calipers.scene` takes it.
            pred: Predictions of the method, in the same forms.
            scene: What to call a single scene.

        Raises:
            InputError: A scene was added before, more than `max_bad_records` are malformed, or several are to have one
                name.
        """
        truth, guess = find_scenes(gt, "gt"), find_scenes(pred, "pred")
        if scene is None and truth.single and not truth.files:
            scene = next(
                name for k in count(len(self._taken.names) + 1) if (name := f"scene {k}") not in self._taken.names
            )
        if scene is not None:
            for source in (truth, guess):
                _call(source, scene)
        self._add([self._read(truth, guess)])

    def _read(self, gt: Any, pred: Any) -> SceneReading:

        config = self.config
        return read_scenes(gt, {"pred": pred}, label_source=config.label_source, max_bad=config.max_bad_records)

    def merge(self, other: SceneMeter) -> None:
        """Add all scenes of another meter.

        Args:
            other: A meter with the same parameters.

        Raises:
            ConfigError: It is no such meter, or has different parameters.
            InputError: Both were given the same scene, or too many are malformed.
        """
        require_mergeable(self, other)
        self._add(other._taken.parts)

    def _add(self, parts: list[SceneReading]) -> None:
        names = {name for part in parts for name in (*part.names, *(bad.scene for bad in part.bad))}
        self._taken.add(parts, names, "scene", self.config.max_bad_records)

    def _number_params(self) -> dict[str, Any]:
        return number_params(params(self.config, []) | {"labels": self.config.labels})

    def compute(self) -> Report[SceneArtifact]:
        """Compute the report over all scenes so far; more may follow.

        Returns:
            The report.
        """
        everything = InputFile("<scenes>", None, len(self._taken.names))
        reading = join_readings(self._taken.parts, [[everything], [everything]])
        return report_scenes(reading, self.config, self._chosen.warnings, self._chosen.files)


def _call(source: ScenesByName, scene: str) -> None:
    """Give the only scene of a source this name; one that has none stays so."""
    if source.single:
        source.rename(scene)
    elif source.scenes:
        many = len(source.scenes)
        raise InputError(f"{source.path}: found {many} scenes by name, expected one to be called {scene!r}")
