"""The timeline suite in a loop: videos come in, a report comes out whenever it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calipers.core.config import make_config
from calipers.meter import MeterInput, number_params, require_mergeable
from calipers.report import Report
from calipers.suites.timeline.config import Config, params
from calipers.suites.timeline.measure import MeasuredVideos, join_measured, measure
from calipers.suites.timeline.read import read_timelines
from calipers.suites.timeline.slices import slice_videos
from calipers.suites.timeline.summarize import summarize

if TYPE_CHECKING:
    from typing import Unpack

    from calipers.suites.timeline.artifact_types import TimelineArtifact
    from calipers.suites.timeline.option_types import TimelineOptions
    from calipers.suites.timeline.source_types import TimelineSource


class TimelineMeter:
    """The timeline suite in a loop: videos come in, a report comes out whenever it is asked for.

    Args:
        **options: Those of `calipers.timeline`, see `calipers.TimelineOptions`.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant.

    Examples:
        >>> truth, pred = {"outside": [[0, 9]], "inside": [[10, 19]]}, {"states": {"inside": [[12, 19]]}}
        >>> meter, other = TimelineMeter(), TimelineMeter()
        >>> meter.update({"a.mp4": truth}, {"a.mp4": pred})
        >>> other.update({"b.mp4": truth}, {"b.mp4": {"states": truth}})
        >>> meter.merge(other)
        >>> meter.compute()["summary"]["frame_accuracy_mean"]
        0.95
    """

    def __init__(self, **options: Unpack[TimelineOptions]) -> None:
        self.config = make_config(Config, options)
        self.reset()

    def __repr__(self) -> str:
        return f"<TimelineMeter: {len(self._taken.names):,} videos so far>"

    def reset(self) -> None:
        """Forget all videos."""
        self._taken: MeterInput[MeasuredVideos] = MeterInput()
        self.update({}, {})

    def update(self, gt: TimelineSource, pred: TimelineSource) -> None:
        """Add videos, each once. If one is bad, none of them is added.

        Args:
            gt: Annotations, as `calipers.timeline` takes them.
            pred: Predictions, as `calipers.timeline` takes them.

        Raises:
            InputError: A video was added before, or more than `max_bad_records` are malformed.
        """
        reading = read_timelines(gt, pred, spelling=self.config.known_states, fps=self.config.fps)
        part = measure(reading, self.config)
        self._add([part], {*reading.videos.names, *reading.errors, *(bad.video for bad in reading.bad)})

    def merge(self, other: TimelineMeter) -> None:
        """Add all videos of another meter.

        Args:
            other: A meter with the same parameters.

        Raises:
            ConfigError: It is no such meter, or has different parameters.
            InputError: Both were given the same video, or too many are malformed.
        """
        require_mergeable(self, other)
        self._add(other._taken.parts, other._taken.names)

    def _add(self, parts: list[MeasuredVideos], names: set[str]) -> None:
        self._taken.add(parts, names, "video", self.config.max_bad_records)

    def _number_params(self) -> dict[str, Any]:
        return number_params(params(self.config))

    def compute(self) -> Report[TimelineArtifact]:
        """Compute the report over all videos so far; more may follow.

        Returns:
            The report.
        """
        joined = join_measured(self._taken.parts)
        tree = summarize(joined, self.config)
        tree["inputs"] = [{"path": "<videos>", "sha256": None, "records": tree["records"]["read"]}]
        tree["rejected"] = [bad.entry() for bad in joined.bad]
        report: Report[TimelineArtifact] = Report(tree)
        if self.config.slice:
            slice_videos(report, joined, self.config)
        return report
