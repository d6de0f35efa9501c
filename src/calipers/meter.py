"""The suites in a loop: records, videos, scenes or detections come in, a report comes out whenever it is asked for."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import count
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from calipers.core.config import make_config
from calipers.core.errors import ConfigError, InputError
from calipers.evaluate import coco
from calipers.files.problems import BadRecord
from calipers.report import Report
from calipers.suites.dense.measure import Config, params
from calipers.suites.dense.plan import DensePart, measure_reading, report_of
from calipers.suites.dense.read import read_records

if TYPE_CHECKING:
    from calipers.report import CocoReport, SceneReport
    from calipers.suites.scene.read import SceneReading
    from calipers.suites.scene.scene_files import Source
    from calipers.suites.timeline.measure import Measured


Part = TypeVar("Part", "Measured", "SceneReading")


class _Taken(Generic[Part]):
    """What a meter took so far: parts, the names in them, and what could not be read."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.names: set[str] = set()
        self._bad: list[Any] = []

    def add(self, parts: list[Part], names: set[str], what: str, most_bad: int) -> None:
        """Take further parts, all or none: no name may come twice, and no more than so many be bad."""
        if twice := sorted(self.names & names):
            raise InputError(f"the {what} {twice[0]!r} was added before, expected each {what} once")
        bad = [*self._bad, *(each for part in parts for each in part.bad)]
        if len(bad) > most_bad:
            raise bad[most_bad].error()
        self.parts.extend(parts)
        self.names |= names
        self._bad = bad


class Dense:
    """Adds up records as they come.

    >>> box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    >>> meter, other = Dense(), Dense()
    >>> meter.update([{"id": "a", "gt_norm1000": [box], "pred": [box]}])
    >>> other.update({"id": "b", "gt_norm1000": [box], "pred": []})
    >>> meter.merge(other)
    >>> meter.compute()["modes"]["category"]["primary"]["recall"]
    0.5
    """

    def __init__(self, **options: Any) -> None:
        self.config = make_config(Config, options)
        self.reset()

    def reset(self) -> None:
        """Forget all records."""
        self._total = DensePart()
        self.update([])

    def update(self, records: Any) -> None:
        """Add one record or several. If one is bad, none of them is added."""
        given = [records] if isinstance(records, dict) else list(records)
        reading = read_records(given, frame=self.config.frame, first=self._read + 1, max_text=self.config.max_text)
        self._check(reading.bad)
        self._total.add(measure_reading(reading, self.config))

    def merge(self, other: Dense) -> None:
        """Add all records of another meter with the same parameters."""
        if self._meaning() != other._meaning():
            raise ConfigError("merge: the two meters have different parameters")
        self._check(other._total.bad)
        self._total.add(other._total)

    def _meaning(self) -> dict[str, Any]:
        """The parameters that can change a number."""
        return {name: value for name, value in params(self.config).items() if name not in {"top", "max_bad_records"}}

    @property
    def _read(self) -> int:
        return self._total.read.get(0, 0)

    def _check(self, bad: list[BadRecord]) -> None:
        """No more records may be bad than were allowed."""
        everything, most = self._total.bad + bad, self.config.max_bad_records
        if len(everything) > most:
            raise everything[most].error()

    def compute(self) -> Report:
        """The report over all records so far."""
        self._total.inputs = [{"path": "<records>", "sha256": None, "records": self._read}]
        return report_of(self._total, self.config)


class Timeline:
    """Adds up videos as they come.

    >>> truth, pred = {"outside": [[0, 9]], "inside": [[10, 19]]}, {"states": {"inside": [[12, 19]]}}
    >>> meter, other = Timeline(), Timeline()
    >>> meter.update({"a.mp4": truth}, {"a.mp4": pred})
    >>> other.update({"b.mp4": truth}, {"b.mp4": {"states": truth}})
    >>> meter.merge(other)
    >>> meter.compute()["summary"]["frame_accuracy_mean"]
    0.95
    """

    def __init__(self, **options: Any) -> None:
        from calipers.suites.timeline.config import Config as TimelineConfig

        self.config = make_config(TimelineConfig, options)
        self.reset()

    def reset(self) -> None:
        """Forget all videos."""
        self._taken: _Taken[Measured] = _Taken()
        self.update({}, {})

    def update(self, gt: Any, pred: Any) -> None:
        """Add videos, given as paths or as what the JSON would hold. If one is bad, none of them is added."""
        from calipers.suites.timeline.measure import measure
        from calipers.suites.timeline.read import read_timelines

        reading = read_timelines(gt, pred, spelling=self.config.known_states)
        part = measure(reading, self.config)
        self._add([part], {*reading.videos.names, *reading.errors, *(bad.video for bad in reading.bad)})

    def merge(self, other: Timeline) -> None:
        """Add all videos of another meter with the same parameters."""
        if self._meaning() != other._meaning():
            raise ConfigError("merge: the two meters have different parameters")
        self._add(other._taken.parts, other._taken.names)

    def _add(self, parts: list[Measured], names: set[str]) -> None:
        self._taken.add(parts, names, "video", self.config.max_bad_records)

    def _meaning(self) -> dict[str, Any]:
        from calipers.suites.timeline.config import params as timeline_params

        found = timeline_params(self.config)
        return {name: value for name, value in found.items() if name not in {"top", "max_bad_records"}}

    def compute(self) -> Report:
        """The report over all videos so far."""
        from calipers.suites.timeline.measure import join_measured, summarize

        joined = join_measured(self._taken.parts)
        tree = summarize(joined, self.config)
        tree["inputs"] = [{"path": "<videos>", "sha256": None, "records": tree["records"]["read"]}]
        tree["rejected"] = [bad.entry() for bad in joined.bad]
        return Report(tree)


class Scene:
    """Adds up scenes as they come.

    >>> seat = {"label": "seat", "center": [1, 1, 0.5], "size": [1, 1, 1]}
    >>> meter, other = Scene(), Scene()
    >>> meter.update([seat], [seat], scene="hall")
    >>> other.update([seat], [], scene="kitchen")
    >>> meter.merge(other)
    >>> meter.compute()["detection_metrics"]["recall"]
    0.5
    """

    def __init__(self, *, config: str | None = None, **options: Any) -> None:
        from calipers.suites.scene.options import scene_options

        self._chosen = scene_options(config, options)
        self.config = self._chosen.config
        self.reset()

    def reset(self) -> None:
        """Forget all scenes."""
        self._taken: _Taken[SceneReading] = _Taken()
        self._add([self._read({}, {})])

    def update(self, gt: Any, pred: Any, scene: str | None = None) -> None:
        """Add scenes, given as for `calipers.scene`; a single one may be named. If one is bad, none is added."""
        from calipers.suites.scene.scene_files import find_scenes

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
        from calipers.suites.scene.read import read_scenes

        config = self.config
        return read_scenes(gt, {"pred": pred}, label_source=config.label_source, max_bad=config.max_bad_records)

    def merge(self, other: Scene) -> None:
        """Add all scenes of another meter with the same parameters."""
        if self._meaning() != other._meaning():
            raise ConfigError("merge: the two meters have different parameters")
        self._add(other._taken.parts)

    def _add(self, parts: list[SceneReading]) -> None:
        names = {name for part in parts for name in (*part.names, *(bad.scene for bad in part.bad))}
        self._taken.add(parts, names, "scene", self.config.max_bad_records)

    def _meaning(self) -> dict[str, Any]:
        from calipers.suites.scene.config import params as scene_params

        found = scene_params(self.config, []) | {"labels": self.config.labels}
        return {name: value for name, value in found.items() if name not in {"top", "max_bad_records"}}

    def compute(self) -> SceneReport:
        """The report over all scenes so far."""
        from calipers.files.inputs import Input
        from calipers.suites.scene.joining import join_readings
        from calipers.suites.scene.plan import report_scenes

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


class Coco:
    """Collects detections on the images of one data set as they come.

    >>> truth = {"id": 1, "image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0}
    >>> gt = {"images": [{"id": 4}], "categories": [{"id": 7, "name": "cone"}], "annotations": [truth]}
    >>> meter = Coco(gt)
    >>> meter.update([{"image_id": 4, "category_id": 7, "bbox": [0, 0, 10, 9], "score": 0.8}])
    >>> meter.update([{"image_id": 4, "category_id": 7, "bbox": [50, 0, 10, 9], "score": 0.9}])
    >>> meter.compute()["coco"]["AP_50"]
    0.5
    """

    def __init__(self, gt: Any, **options: Any) -> None:
        self.gt, self.options = gt, options
        self.reset()

    def reset(self) -> None:
        """Forget all detections."""
        self._results: list[Any] = []
        found = coco(self.gt, [], **(self.options | {"bootstrap": 0})).measured.found  # what is wrong is found out now
        self._images, self._categories = set(found.images.ids.tolist()), set(found.categories.ids.tolist())

    def update(self, results: Any) -> None:
        """Add one detection or several, in COCO's form. If one names no image or class of the data, none is added."""
        given = [results] if isinstance(results, dict) else list(results)
        for row in given:
            self._check(row)
        self._results += given

    def _check(self, row: Any) -> None:
        if not isinstance(row, dict):
            raise InputError(f"update: found {row!r:.80}, expected detections: {{image_id, category_id, bbox, score}}")
        for name, known in (("image_id", self._images), ("category_id", self._categories)):
            value = row.get(name)
            if not isinstance(value, Hashable) or value not in known:
                raise InputError(f"update: {name}: found {value!r:.80}, expected one of the ground truth")

    def merge(self, other: Coco) -> None:
        """Add all detections of another meter with the same ground truth and options."""
        if self.gt != other.gt or self.options != other.options:
            raise ConfigError("merge: the two meters have different ground truth or options")
        self._results += other._results

    def compute(self) -> CocoReport:
        """The report over all detections so far."""
        return coco(self.gt, self._results, **self.options)
