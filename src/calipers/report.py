"""Report: parameters and metrics in one plain tree. Everything a user sees is a view of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from calipers.errors import CalipersError, InputError
from calipers.output import to_json, write_file

if TYPE_CHECKING:
    from calipers.suites.coco import Measured as MeasuredDetections
    from calipers.suites.scene import Measured

Rows = list[dict[str, Any]]
Runs = list[tuple[str, int, int]]
TakeCases = Callable[[Iterable[bytes]], None]

NUMBERS = {  # what an artifact has to hold for anything to be said of it
    "dense": ("params", "records", "objects", "modes", "errors", "bootstrap"),
    "timeline": ("params", "records", "videos", "summary", "pooled"),
    "scene": ("params", "records"),
    "coco": ("params", "images", "objects", "coco", "per_class", "sweep", "bootstrap"),
}
PROTOCOLS = tuple(f"{suite}/1" for suite in NUMBERS)
LARGEST_ARTIFACT = 1 << 30  # bytes


class Report(Mapping[str, Any]):
    """A result: `report["modes"]["category"]["mean_f1"]`. `str(report)` is the console summary."""

    def __init__(
        self,
        tree: dict[str, Any],
        matches: Callable[[], Rows] | None = None,
        timelines: Callable[[Iterable[str]], dict[str, tuple[Runs, Runs]]] | None = None,
        cases: Callable[[TakeCases], None] | None = None,
    ) -> None:
        self.tree = tree
        self.home: str | None = None  # the artifact or folder it was read from
        self._matches, self._timelines, self._cases = matches, timelines, cases

    def __getitem__(self, key: str) -> Any:
        return self.tree[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tree)

    def __len__(self) -> int:
        return len(self.tree)

    def __str__(self) -> str:
        from calipers.views.console import summary

        return summary(_with_methods(self.tree))

    def __repr__(self) -> str:
        return f"<Report {self.tree['protocol']}>"

    def to_json(self) -> bytes:
        """The artifact: canonical JSON, the same bytes for the same input and parameters."""
        return to_json(self.tree)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the artifact, whole or not at all."""
        write_file(path, self.to_json())

    def to_html(
        self, path: str | os.PathLike[str], *, cases: int | None = None, images: str | os.PathLike[str] | None = None
    ) -> None:
        """Write one self-contained page, with at most `cases` failures drawn, over the `images` of a folder."""
        from calipers.views.page.build import report_page, result_page

        if self.home is not None:
            write_file(path, result_page(self.home, cases=cases, images=images))
        else:
            write_file(path, report_page(self, cases=cases, images=images))

    # Numbers for others: trackers, tables, dataframes, notebooks

    def flat(self, prefix: str = "") -> dict[str, float]:
        """Every headline number by a path, `{"val/category/mean_f1": 0.56, …}`; what is undefined is left out."""
        from calipers.views.flat import flat

        return flat(self.tree, prefix)

    def tables(self) -> list[str]:
        """The names of the tables of this result."""
        from calipers.views.report_tables import table_names

        return table_names(self.tree)

    def table(self, name: str | None = None) -> Rows:
        """A table as rows, which `pandas.DataFrame` takes as they are; without a name the summary."""
        from calipers.views.report_tables import table

        return table(self.tree, name)[1]

    def to_csv(self, table: str | None = None) -> str:
        """A table as CSV, in which no cell is taken for a formula."""
        return self._written(table, "csv")

    def to_markdown(self, table: str | None = None) -> str:
        """A table as Markdown."""
        return self._written(table, "md")

    def to_latex(self, table: str | None = None) -> str:
        """A table as LaTeX, for `booktabs`."""
        return self._written(table, "tex")

    def _written(self, table: str | None, format: str) -> str:  # noqa: A002
        from calipers.views.report_tables import write_table

        return write_table(self.tree, table, format).decode()

    def to_pandas(self, table: str | None = None) -> Any:
        """A table as a DataFrame of pandas, which has to be installed."""
        from calipers.views.frames import pandas_frame
        from calipers.views.report_tables import table as find

        return pandas_frame(*find(self.tree, table))

    def to_polars(self, table: str | None = None) -> Any:
        """A table as a DataFrame of polars, which has to be installed."""
        from calipers.views.frames import polars_frame
        from calipers.views.report_tables import table as find

        return polars_frame(*find(self.tree, table))

    def _repr_html_(self) -> str:
        from calipers.views.notebook import notebook_html

        return notebook_html(self.tree)

    # Objects

    def matches(self) -> Rows:
        """A row for every object with its partner; the inputs are read once more for it."""
        if self._matches is None:
            raise CalipersError(
                "matches: the records of this report were not kept; evaluate a file or a list of records"
            )
        return self._matches()

    def pass_cases(self, take: TakeCases) -> None:
        """Give the records that went wrong to someone, some lines of JSON at a time; the inputs are read once more."""
        if self._cases is None:
            raise CalipersError("cases: the records of this report were not kept; evaluate a file or a list of records")
        self._cases(take)

    def timelines(self, videos: Iterable[str]) -> dict[str, tuple[Runs, Runs]]:
        """Of some videos of the timeline suite the runs (state, first frame, last frame), true and predicted."""
        if self._timelines is None:
            raise CalipersError("timelines: this report kept none; evaluate videos from files or dicts")
        return self._timelines(videos)


def _with_methods(tree: dict[str, Any]) -> dict[str, Any]:
    """The artifact of one method on scenes as a result that has no other; anything else as it is."""
    if tree["suite"] != "scene" or "methods" in tree:
        return tree
    return {**tree, "methods": {tree["method"]: tree}, "comparison": [], "warnings": []}


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

    def pass_cases(self, take: TakeCases) -> None:
        """Give the images that went wrong to someone."""
        take(self.cases())

    def cases(self) -> Iterator[bytes]:
        """The images with a miss or a false positive, a line of JSON each."""
        from calipers.suites.coco_rows import case_lines

        return case_lines(self.measured)


# Results that were kept


def load(path: str | os.PathLike[str]) -> Report:
    """The report of an artifact (`result.json`), or of a folder of an earlier `-o`.

    It has the numbers and all that is made of them. Matches, which come from the inputs, it has not.
    """
    file = Path(path, "result.json") if os.path.isdir(path) else Path(path)
    try:
        if file.stat().st_size > LARGEST_ARTIFACT:
            raise InputError(f"{file}: is larger than 1 GiB, expected an artifact")
        tree = orjson.loads(file.read_bytes())
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{file}: is not JSON: {error}, expected an artifact") from error
    _check_artifact(file, tree)
    report = Report(tree)
    report.home = os.fspath(path)
    return report


def _check_artifact(file: Path, tree: Any) -> None:
    protocol = tree.get("protocol") if isinstance(tree, dict) else None
    if protocol not in PROTOCOLS:
        found = "no protocol" if protocol is None else f"protocol {protocol!r:.100}"
        raise InputError(f"{file}: found {found}, expected an artifact of {', '.join(PROTOCOLS)}")
    suite = protocol.partition("/")[0]
    if tree.get("suite") != suite:
        raise InputError(f"{file}: suite: found {tree.get('suite')!r:.100}, expected {suite!r}")
    missing = [name for name in NUMBERS[suite] if not isinstance(tree.get(name), (dict, list))]
    if suite == "scene" and not isinstance(tree.get("methods"), dict) and "method" not in tree:
        missing.append("methods")
    if missing:
        raise InputError(f"{file}: is not a whole artifact of {protocol}: {missing[0]} is missing")
