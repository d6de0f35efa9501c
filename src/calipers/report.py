"""Report: parameters and metrics in one plain tree. Everything a user sees is a view of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from calipers.core.errors import CalipersError, InputError
from calipers.files.output import DEEPEST, to_json, write_file
from calipers.schemas import SUITES, Mismatch, check_artifact

if TYPE_CHECKING:
    from calipers.suites.coco.measure import Measured as MeasuredDetections
    from calipers.suites.scene.measure import Measured

Rows = list[dict[str, Any]]
Runs = list[tuple[str, int, int]]
TakeCases = Callable[[Iterable[bytes]], None]

PROTOCOLS = tuple(f"{suite}/1" for suite in SUITES)
ARTIFACT = "result.json"  # what it is called in the folder of `-o`
PART = b"calipers parts "  # how a file of parts begins
LARGEST_ARTIFACT, PIECE = 1 << 30, 1 << 20  # bytes


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
        self.first_invalid = ""  # the first prediction that cannot be read, where the artifact has no place for it
        self.kept: list[str] = []  # what there is to say of files that were kept beside it (`resume`, `tally`)
        self._matches, self._timelines, self._cases = matches, timelines, cases

    def __getitem__(self, key: str) -> Any:
        return self.tree[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tree)

    def __len__(self) -> int:
        return len(self.tree)

    def __str__(self) -> str:
        from calipers.show.console import summary

        return summary(with_methods(self.tree))

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
        from calipers.show.page.build import check_page_name, report_page, result_page

        check_page_name(path)
        if self.home is not None:
            write_file(path, result_page(self.home, cases=cases, images=images))
        else:
            write_file(path, report_page(self, cases=cases, images=images))

    # Numbers for others: trackers, tables, dataframes, notebooks

    def flat(self, prefix: str = "") -> dict[str, float]:
        """Every headline number by a path, `{"val/category/mean_f1": 0.56, …}`; what is undefined is left out."""
        from calipers.show.flat import flat

        return flat(self.tree, prefix)

    def tables(self) -> list[str]:
        """The names of the tables of this result."""
        from calipers.show.report_tables import table_names

        return table_names(self.tree)

    def table(self, name: str | None = None) -> Rows:
        """A table as rows, which `pandas.DataFrame` takes as they are; without a name the summary."""
        from calipers.show.report_tables import table

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
        from calipers.show.report_tables import write_table

        return write_table(self.tree, table, format).decode()

    def to_pandas(self, table: str | None = None) -> Any:
        """A table as a DataFrame of pandas, which has to be installed."""
        from calipers.show.frames import pandas_frame
        from calipers.show.report_tables import table as find

        return pandas_frame(*find(self.tree, table))

    def to_polars(self, table: str | None = None) -> Any:
        """A table as a DataFrame of polars, which has to be installed."""
        from calipers.show.frames import polars_frame
        from calipers.show.report_tables import table as find

        return polars_frame(*find(self.tree, table))

    def _repr_html_(self) -> str:
        from calipers.show.notebook import notebook_html

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

    @property
    def has_timelines(self) -> bool:
        """Whether `timelines` can be asked for: a loaded or merged report has counts alone."""
        return self._timelines is not None

    def timelines(self, videos: Iterable[str]) -> dict[str, tuple[Runs, Runs]]:
        """Of some videos of the timeline suite the runs (state, first frame, last frame), true and predicted."""
        if self._timelines is None:
            raise CalipersError("timelines: this report kept none; evaluate videos from files or dicts")
        return self._timelines(videos)


def with_methods(tree: dict[str, Any]) -> dict[str, Any]:
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
        from calipers.suites.scene.rows import match_rows

        return match_rows(self.measured)


class CocoReport(Report):
    """A result of the detection suite: `report["coco"]["AP"]`."""

    def __init__(self, tree: dict[str, Any], measured: MeasuredDetections) -> None:
        super().__init__(tree)
        self.measured = measured

    def matches(self) -> Rows:
        """A row for every annotation and every detection with its partner."""
        from calipers.suites.coco.rows import match_rows

        return match_rows(self.measured)

    def pass_cases(self, take: TakeCases) -> None:
        """Give the images that went wrong to someone."""
        take(self.cases())

    def cases(self) -> Iterator[bytes]:
        """The images with a miss or a false positive, a line of JSON each."""
        from calipers.suites.coco.rows import case_lines

        return case_lines(self.measured)


# Results that were kept


def load(path: str | os.PathLike[str]) -> Report:
    """The report of an artifact (`result.json`), or of a folder of an earlier `-o`.

    It has the numbers and all that is made of them. Matches, which come from the inputs, it has not.
    """
    report = Report(read_artifact(path))
    report.home = os.fspath(path)
    return report


def read_artifact(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What an artifact holds, or that of a folder; anything else is an input error that says what was found."""
    file = Path(path, ARTIFACT) if os.path.isdir(path) else Path(path)
    try:
        content = _content(file)
        if content.startswith(PART):
            raise InputError(f"{file}: is a part of a result, expected an artifact: calipers merge makes one of parts")
        tree = orjson.loads(content)
    except FileNotFoundError:
        inside = ", expected a folder that a suite wrote (-o DIR)" if os.path.isdir(path) else ""
        raise InputError(f"{file}: is not there{inside}") from None
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"{file}: is not JSON: {error}; expected an artifact ({ARTIFACT})") from error
    return check_tree(str(file), tree)


def _content(file: Path) -> bytearray:
    """All of a file, also of one whose size only shows at its end."""
    content = bytearray()
    with open(file, "rb") as stream:
        while piece := stream.read(PIECE):
            content += piece
            if max(len(content), os.fstat(stream.fileno()).st_size) > LARGEST_ARTIFACT:
                raise InputError(f"{file}: is larger than 1 GiB, expected an artifact ({ARTIFACT})")
    return content


def check_tree(name: str, tree: Any, check: Callable[[str, Any], None] = check_artifact) -> dict[str, Any]:
    """The same tree, if it is an artifact of a suite: of its schema, and with numbers that fit each other."""
    if _is_deeper(tree, DEEPEST):
        raise InputError(f"{name}: is nested more than {DEEPEST} deep, expected an artifact ({ARTIFACT})")
    protocol = tree.get("protocol") if isinstance(tree, dict) else None
    if protocol not in PROTOCOLS:
        found = "no field protocol" if protocol is None else f"protocol {protocol!r:.100}"
        raise InputError(f"{name}: {found}, expected an artifact of one of {', '.join(PROTOCOLS)}")
    suite = protocol.partition("/")[0]
    if tree.get("suite") != suite:
        raise InputError(f"{name}: suite: found {tree.get('suite')!r:.100}, expected {suite!r}")
    try:
        check(suite, tree)
    except Mismatch as problem:
        whole = f"is not a whole artifact of {protocol}: " if problem.missing else ""
        raise InputError(f"{name}: {whole}{problem}") from None
    return tree  # type: ignore[no-any-return]  # a dict, as its schema says


def _is_deeper(tree: Any, most: int) -> bool:
    """Whether something is nested more than so many levels deep."""
    level = [tree] if isinstance(tree, (dict, list)) else []
    for _ in range(most):
        parts = (part for each in level for part in (each.values() if isinstance(each, dict) else each))
        level = [part for part in parts if isinstance(part, (dict, list))]
    return bool(level)
