"""The timeline suite in a loop: videos come in, a report comes out whenever it is asked for."""

from __future__ import annotations

from typing import Any

from calipers.core.config import make_config
from calipers.core.errors import ConfigError
from calipers.meter import Taken
from calipers.report import Report
from calipers.suites.timeline.config import Config, params
from calipers.suites.timeline.measure import Measured, join_measured, measure, summarize
from calipers.suites.timeline.read import read_timelines


class TimelineMeter:
    """Adds up videos as they come.

    >>> truth, pred = {"outside": [[0, 9]], "inside": [[10, 19]]}, {"states": {"inside": [[12, 19]]}}
    >>> meter, other = TimelineMeter(), TimelineMeter()
    >>> meter.update({"a.mp4": truth}, {"a.mp4": pred})
    >>> other.update({"b.mp4": truth}, {"b.mp4": {"states": truth}})
    >>> meter.merge(other)
    >>> meter.compute()["summary"]["frame_accuracy_mean"]
    0.95
    """

    def __init__(self, **options: Any) -> None:
        self.config = make_config(Config, options)
        self.reset()

    def reset(self) -> None:
        """Forget all videos."""
        self._taken: Taken[Measured] = Taken()
        self.update({}, {})

    def update(self, gt: Any, pred: Any) -> None:
        """Add videos, given as paths or as what the JSON would hold. If one is bad, none of them is added."""
        reading = read_timelines(gt, pred, spelling=self.config.known_states)
        part = measure(reading, self.config)
        self._add([part], {*reading.videos.names, *reading.errors, *(bad.video for bad in reading.bad)})

    def merge(self, other: TimelineMeter) -> None:
        """Add all videos of another meter with the same parameters."""
        if self._meaning() != other._meaning():
            raise ConfigError("merge: the two meters have different parameters")
        self._add(other._taken.parts, other._taken.names)

    def _add(self, parts: list[Measured], names: set[str]) -> None:
        self._taken.add(parts, names, "video", self.config.max_bad_records)

    def _meaning(self) -> dict[str, Any]:
        found = params(self.config)
        return {name: value for name, value in found.items() if name not in {"top", "max_bad_records"}}

    def compute(self) -> Report:
        """The report over all videos so far."""
        joined = join_measured(self._taken.parts)
        tree = summarize(joined, self.config)
        tree["inputs"] = [{"path": "<videos>", "sha256": None, "records": tree["records"]["read"]}]
        tree["rejected"] = [bad.entry() for bad in joined.bad]
        return Report(tree)
