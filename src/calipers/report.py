"""Report: parameters and metrics in one plain tree. Everything a user sees is a view of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from calipers.errors import CalipersError
from calipers.output import to_json, write_file

if TYPE_CHECKING:
    from calipers.suites.coco import Measured as MeasuredDetections
    from calipers.suites.scene import Measured

Rows = list[dict[str, Any]]
Runs = list[tuple[str, int, int]]


class Report(Mapping[str, Any]):
    """A result: `report["modes"]["category"]["mean_f1"]`. `str(report)` is the console summary."""

    def __init__(
        self,
        tree: dict[str, Any],
        matches: Callable[[], Rows] | None = None,
        timelines: Callable[[Iterable[str]], dict[str, tuple[Runs, Runs]]] | None = None,
    ) -> None:
        self.tree = tree
        self._matches, self._timelines = matches, timelines

    def __getitem__(self, key: str) -> Any:
        return self.tree[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tree)

    def __len__(self) -> int:
        return len(self.tree)

    def __str__(self) -> str:
        from calipers.views.console import summary

        return summary(self.tree)

    def __repr__(self) -> str:
        return f"<Report {self.tree['protocol']}>"

    def to_json(self) -> bytes:
        """The artifact: canonical JSON, the same bytes for the same input and parameters."""
        return to_json(self.tree)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the artifact, whole or not at all."""
        write_file(path, self.to_json())

    def matches(self) -> Rows:
        """A row for every object with its partner; the inputs are read once more for it."""
        if self._matches is None:
            raise CalipersError(
                "matches: the records of this report were not kept; evaluate a file or a list of records"
            )
        return self._matches()

    def timelines(self, videos: Iterable[str]) -> dict[str, tuple[Runs, Runs]]:
        """Of some videos of the timeline suite the runs (state, first frame, last frame), true and predicted."""
        if self._timelines is None:
            raise CalipersError("timelines: this report kept none; evaluate videos from files or dicts")
        return self._timelines(videos)


class SceneReport(Report):
    """A result of the scene suite: `report["methods"][name]["counts"]`, or with one method just `report["counts"]`."""

    def __init__(self, tree: dict[str, Any], measured: Measured) -> None:
        super().__init__(tree)
        self.measured = measured

    def __getitem__(self, key: str) -> Any:
        methods = self.tree["methods"]
        if key not in self.tree and len(methods) == 1:
            (only,) = methods.values()
            return only[key]
        if key not in self.tree and any(key in method for method in methods.values()):
            raise KeyError(f"{key}: there are several methods; ask for report['methods'][name][{key!r}]")
        return self.tree[key]

    def matches(self) -> Rows:
        """A row for every object of every method with its partner."""
        from calipers.suites.scene_rows import match_rows

        return match_rows(self.measured)


class CocoReport(Report):
    """A result of the detection suite: `report["coco"]["AP"]`."""

    def __init__(self, tree: dict[str, Any], measured: MeasuredDetections) -> None:
        super().__init__(tree)
        self.measured = measured

    def matches(self) -> Rows:
        """A row for every annotation and every detection with its partner."""
        from calipers.suites.coco_rows import match_rows

        return match_rows(self.measured)

    def cases(self) -> Iterator[bytes]:
        """The images with a miss or a false positive, a line of JSON each."""
        from calipers.suites.coco_rows import case_lines

        return case_lines(self.measured)
