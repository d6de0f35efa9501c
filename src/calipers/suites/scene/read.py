"""Boxes in rooms: ground truth and the predictions of any number of methods to `Boxes`, scene by scene.

Scenes are joined by name. One file against one file is one scene, whatever they are called. A scene that one side does
not have is listed, and its objects stay: they count as missed or spurious.

Malformed ground truth, or a file that cannot be read, makes a scene bad: it is left out on all sides. A malformed
predicted object keeps its place and has a reason.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from calipers.core.cuboids import Boxes
from calipers.core.errors import InputError, RecordError
from calipers.core.text import whole_text
from calipers.files.inputs import InputFile, OnProgress, folder_digest, read_bytes
from calipers.files.problems import shown
from calipers.kernels.scan.boxes import BoxColumns
from calipers.suites.scene.formats.content import read_scene, read_value
from calipers.suites.scene.formats.plain import Scene, explain
from calipers.suites.scene.formats.table import EXPECTED
from calipers.suites.scene.scene_files import ScenesByName, find_scenes

TRUTH_LABEL = "prefer_retrieved_else_label"  # what is asked of predictions does not change the ground truth


class BadScene:
    """A scene that cannot be measured, and what is wrong with it."""

    __slots__ = ("path", "problem", "scene")

    def __init__(self, path: str, scene: str, problem: str) -> None:
        self.path, self.scene, self.problem = path, scene, problem

    def error(self) -> RecordError:
        """The error that a run ends with."""
        return RecordError(f"{self.path}: {self.problem}")

    def entry(self) -> dict[str, Any]:
        """The entry that the artifact lists it by."""
        return {"path": whole_text(self.path), "scene": self.scene, "problem": self.problem}


class SceneInputFile(NamedTuple):
    """A scene that one side has: the name and the SHA-256 of its file, and a warning about it."""

    file: str = ""
    sha256: str = ""
    warning: str = ""


class SideReading(NamedTuple):
    """What was read of the ground truth, or of the predictions of a method."""

    boxes: Boxes
    scenes: dict[str, SceneInputFile]  # by scene, also of those that are bad
    invalid: list[dict[str, Any]]  # scene, index and reason of each malformed object
    inputs: list[InputFile]


class SceneReading:
    """What was read from some sources: boxes of all sides, scene by scene, with faults and warnings."""

    names: list[str]  # (scenes,) sorted
    sides: list[SideReading]  # the ground truth, then each method
    truth: Boxes
    preds: dict[str, Boxes]  # by method
    without_truth: dict[str, list[str]]  # method -> scenes that only it has
    without_pred: dict[str, list[str]]  # method -> scenes of the ground truth that it does not have
    invalid: dict[str, list[dict[str, Any]]]  # method -> scene, index and reason of each malformed object
    bad: list[BadScene]
    truth_inputs: list[InputFile]
    inputs: dict[str, list[InputFile]]  # by method
    warnings: list[str]

    def __init__(self, names: list[str], methods: Iterable[str], sides: list[SideReading], bad: list[BadScene]) -> None:
        self.names, self.sides, self.bad = names, sides, bad
        truth, preds = sides[0], dict(zip(methods, sides[1:], strict=True))
        self.truth, self.truth_inputs = truth.boxes, truth.inputs
        self.inputs = {method: side.inputs for method, side in preds.items()}
        self.preds = {method: side.boxes for method, side in preds.items()}
        self.invalid = {method: side.invalid for method, side in preds.items()}
        self.without_truth, self.without_pred = {}, {}
        for method, side in preds.items():
            true_scenes, pred_scenes = truth.scenes, side.scenes
            self.without_truth[method] = [name for name in names if name in pred_scenes and name not in true_scenes]
            self.without_pred[method] = [name for name in names if name in true_scenes and name not in pred_scenes]
        self.warnings = [scene.warning for side in sides for scene in side.scenes.values() if scene.warning]

    @property
    def methods(self) -> list[str]:
        """The names of the methods."""
        return list(self.preds)

    def disjoint_methods(self) -> list[str]:
        """A warning for each method that has no scene in common with the ground truth."""
        strange = set[str]().union(*self.without_truth.values())
        truth = [name for name in self.names if name not in strange]
        return [
            f"{method}: no scene is on both sides: {shown(truth[0])} of the ground truth, "
            f"{shown(self.without_truth[method][0])} of the predictions"
            for method in self.preds
            if truth and self.without_truth[method] and self.without_pred[method] == truth
        ]


def read_scenes(
    gt: Any, preds: Mapping[str, Any], *, label_source: str, max_bad: int, progress: OnProgress | None = None
) -> SceneReading:
    """Ground truth and predictions by method, each a file, a folder or a value.

    Reading ends once more than `max_bad` scenes are bad: what was read is then of no use but to say so.
    """
    return read_sources(
        find_sources(gt, preds), list(preds), label_source=label_source, max_bad=max_bad, progress=progress
    )


def find_sources(gt: Any, preds: Mapping[str, Any]) -> list[ScenesByName]:
    """Where the scenes are, of the ground truth and of each method."""
    truth, *others = [find_scenes(gt, "gt"), *(find_scenes(pred, method) for method, pred in preds.items())]
    for source in others:
        if truth.single and source.single:
            source.rename(*truth.scenes)
    return [truth, *others]


def scene_names(sources: Iterable[ScenesByName]) -> list[str]:
    """The scenes of all sides, in their order."""
    return sorted(set[str]().union(*(source.scenes for source in sources)))


def read_sources(
    sources: Sequence[ScenesByName],
    methods: list[str],
    *,
    label_source: str,
    max_bad: int,
    progress: OnProgress | None = None,
) -> SceneReading:
    """The scenes of the ground truth, which is the first of the sources, and of the methods, which are the others."""
    watch = _Watch(progress)
    sides = [_SideReader(sources[0], watch, strict=True, label_source=TRUTH_LABEL)]
    sides += [_SideReader(source, watch, strict=False, label_source=label_source) for source in sources[1:]]
    names, bad = list[str](), list[BadScene]()
    watch.expect(sides)
    for name in scene_names(sources):
        problem = _add_everywhere(name, sides)
        if problem is None:
            names.append(name)
            continue
        bad.append(problem)
        if len(bad) > max_bad:
            break
    return SceneReading(names, methods, [side.reading() for side in sides], bad)


def _add_everywhere(name: str, sides: list[_SideReader]) -> BadScene | None:
    """Append a scene to all sides; or to none, if one cannot be read."""
    problems = [side.add(name) for side in sides]
    first = next((problem for problem in problems if problem is not None), None)
    for side, problem in zip(sides, problems, strict=True):
        if first is not None and problem is None:
            side.drop(name)
    return first


class _Watch:
    """Reports progress: how many of how many bytes were read."""

    def __init__(self, progress: OnProgress | None) -> None:
        self._progress, self._done, self._size = progress, 0, 0

    def expect(self, sides: Iterable[_SideReader]) -> None:
        """Set how many bytes there are to read."""
        if self._progress:
            self._size = sum(side.size() for side in sides)

    def add(self, size: int) -> None:
        """Add to the number of bytes read."""
        self._done += size
        if self._progress:
            self._progress(self._done, max(self._size, self._done))


class _SideReader:
    """Ground truth, or the predictions of a method: takes one scene after the other."""

    def __init__(self, source: ScenesByName, watch: _Watch, *, strict: bool, label_source: str) -> None:
        self.source, self._watch, self._strict, self._label_source = source, watch, strict, label_source
        self.columns = BoxColumns()
        self.scenes: dict[str, SceneInputFile] = {}
        self.invalid: list[dict[str, Any]] = []

    def add(self, name: str) -> BadScene | None:
        """Append a scene, empty if there is none of this name; or say why it cannot be."""
        if name not in self.source.scenes:
            self.columns.add_scene([], self._strict)
            return None
        try:
            self._append(self._read(name), name)
        except InputError as error:
            path = self.source.place(name)
            return BadScene(path, name, str(error).removeprefix(f"{path}: "))
        return None

    def drop(self, name: str) -> None:
        """Take the last scene back, because another side cannot be read."""
        self.columns.drop_scene()
        while self.invalid and self.invalid[-1]["scene"] == name:
            self.invalid.pop()

    def size(self) -> int:
        """How many bytes there are to read."""
        return sum(self.source.size(name) for name in self.source.scenes)

    def reading(self) -> SideReading:
        """The reading of all scenes added so far."""
        return SideReading(Boxes(self.columns), self.scenes, self.invalid, [input_of(self.source, self.scenes)])

    def _read(self, name: str) -> Scene:
        place_or_value = self.source.scenes[name]
        if not self.source.files:
            self.scenes[name] = SceneInputFile()
            return read_value(place_or_value, label_source=self._label_source)
        data = b""
        try:
            data = read_bytes(place_or_value)
        finally:
            self.scenes[name] = SceneInputFile(place_or_value.rpartition(os.sep)[2], sha256(data).hexdigest())
            self._watch.add(len(data))
        return read_scene(data, place_or_value, label_source=self._label_source)

    def _append(self, scene: Scene, name: str) -> None:
        """The objects of a scene; or an error, and nothing is appended."""
        wrong = self.columns.add_scene(scene.content.objects, self._strict)
        if wrong >= 0:
            raise InputError(explain(scene.content, wrong, self.columns.last_reason))
        if self._strict and scene.problem:
            self.columns.drop_scene()
            raise InputError(f"not JSON: {scene.problem}; expected {EXPECTED}")
        if scene.warning:
            place = whole_text(self.source.place(name))
            self.scenes[name] = self.scenes[name]._replace(warning=f"{place}: {scene.warning}")
        for index, reason in self.columns.last_wrong():
            self.invalid.append({"scene": name, "index": index, "reason": explain(scene.content, index, reason)})


def input_of(source: ScenesByName, scenes: Mapping[str, SceneInputFile]) -> InputFile:
    """A source as the artifact names it, once its scenes were read."""
    digest = source.sha256
    if source.files and source.single:
        digest = next((scene.sha256 for scene in scenes.values()), None)
    elif source.files:
        digest = folder_digest((scene.file, scene.sha256) for scene in scenes.values())
    return InputFile(whole_text(source.path), digest, len(source.scenes))
