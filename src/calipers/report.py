"""Report: parameters and metrics in one plain tree. Everything a user sees is a view of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, cast, overload

import orjson

from calipers.artifact import read_artifact
from calipers.core.errors import CalipersError, ConfigError
from calipers.files.output import json_pieces, to_json, write_file, write_pieces
from calipers.suite import Suite, suite_of_tree

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Artifact = TypeVar("Artifact", covariant=True, default=Any)  # a TypedDict; of a report of any suite, anything
else:
    from typing import TypeVar

    Artifact = TypeVar("Artifact", covariant=True)

Rows = list[dict[str, Any]]
TakeCases = Callable[[Iterable[bytes]], None]
MatchLines = Callable[[], Iterator[bytes] | None]
CasesOf = Callable[[Iterable[str]], dict[str, dict[str, Any]]]

FIRST_FIGURES = 4  # that a notebook or a log shows of a report


class Report(Mapping[str, Any], Generic[Artifact]):
    """A result: a mapping of its artifact, with everything that can be made of it.

    `report["modes"]["category"]["mean_f1"]` is a number, `str(report)` the summary of the console; a notebook shows a
    table. Reports come from suites, meters, `calipers.load` and `calipers.merge`.

    Examples:
        >>> import calipers
        >>> report = calipers.dense("examples/dense/gt_vs_pred.jsonl", bootstrap=0)
        >>> report["records"]["read"], report.flat("val/")["val/category/f1"]
        (8, 0.64)
        >>> [row["key"] for row in report.matches() if row["cause"] == "duplicate"]
        ['4-wrong-label-and-duplicate.jpg']
        >>> report.tables()
        ['summary', 'thresholds', 'types', 'labels', 'errors', 'label_errors', 'confusion', 'attributes']
        >>> [(row["cause"], row["n"]) for row in report.table("errors")][:2]
        [('matched', 8), ('wrong_label', 1)]
    """

    def __init__(
        self,
        tree: dict[str, Any],
        *,
        matches: Callable[[], Rows] | None = None,
        match_lines: MatchLines | None = None,
        cases: Callable[[TakeCases], None] | None = None,
        cases_of: CasesOf | None = None,
        measured: Any = None,
        first_invalid: str = "",
        home: str | None = None,
    ) -> None:
        """`cases` passes on the lines of all cases, `cases_of` finds the cases of some records without making all.

        `match_lines` has the rows of `matches` as lines of CSV, some at a time; it may return None.
        `measured` is what the suite measured, or a function that gives it.
        """
        self._tree, self._home, self._first_invalid = tree, home, first_invalid
        self._matches, self._cases, self._cases_of, self._measured = matches, cases, cases_of, measured
        self.match_lines = match_lines
        self._notes: list[str] = []
        # The slices of records, by keys, in each part of the artifact that has slices
        self.slices_of: Callable[[list[str]], list[dict[str, list[str]]]] | None = None

    @property
    def tree(self) -> Artifact:
        """All fields of the artifact, as plain dicts and lists; of a known suite, with the types of its schema."""
        return cast(Artifact, self._tree)

    @property
    def home(self) -> str | None:
        """The artifact or folder it was read from."""
        return self._home

    @property
    def notes(self) -> list[str]:
        """Notes about files that the run kept or used (`resume`, `tally`, `only`)."""
        return self._notes

    @property
    def first_invalid(self) -> str:
        """The first prediction that cannot be read, where the artifact has no place for it."""
        return self._first_invalid

    @property
    def measured(self) -> Any:
        """What the suite measured, where the report keeps it."""
        return self._measured() if callable(self._measured) else self._measured

    def __getitem__(self, key: str) -> Any:
        """A field of the artifact; where there is one method only, also one of its fields."""
        methods = {} if key in self._tree else self._tree.get("methods", {})
        owners = [method for method in methods.values() if key in method]
        if len(owners) == len(methods) == 1:
            return owners[0][key]
        if owners:
            raise KeyError(f"{key}: there are several methods; ask for report.method(name)[{key!r}]")
        return self._tree[key]

    def __contains__(self, key: object) -> bool:
        return key in self._tree  # whatever the number of methods

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree)

    def __len__(self) -> int:
        return len(self._tree)

    def __str__(self) -> str:
        return self._suite.summary(self._tree)

    def __repr__(self) -> str:
        from calipers.show.figures import main_headline

        counts = self._suite.counts(self._tree)
        records = f"{counts.evaluated:,} {self._suite.record}{'' if counts.evaluated == 1 else 's'}"
        figures = [figure for figure in main_headline(self._tree) if figure.value is not None]
        numbers = [f"{figure.name} {figure.value:.3f}" for figure in figures]
        return f"<Report {self._tree['protocol']}: {', '.join([records, *numbers[:FIRST_FIGURES]])}>"

    @property
    def _suite(self) -> Suite:
        return suite_of_tree(self._tree)

    def method(self, name: str | None = None) -> dict[str, Any]:
        """The numbers of one method, of a suite that measures several.

        Args:
            name: The method; without a name the only one.

        Raises:
            ConfigError: There is no such method, or there are several and none is named.
        """
        methods: dict[str, Any] = self._tree.get("methods", {})
        if name is None and len(methods) == 1:
            (only,) = methods.values()
            return dict(only)
        if name is None or name not in methods:
            known = ", ".join(map(repr, methods)) or "none: this suite has no methods"
            raise ConfigError(f"method: found {name!r:.80}, expected one of {known}")
        return dict(methods[name])

    def to_json(self) -> bytes:
        """The artifact: canonical JSON, the same bytes for the same input and parameters."""
        return to_json(self._tree)

    def json_pieces(self) -> Iterable[bytes]:
        """The artifact, piece by piece."""
        return json_pieces(self._tree)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the artifact to a file, whole or not at all; an OutputError where it cannot be written."""
        write_pieces(path, self.json_pieces())

    def to_html(
        self, path: str | os.PathLike[str], *, cases: int | None = None, images: str | os.PathLike[str] | None = None
    ) -> None:
        """Write one self-contained page; an OutputError where it cannot be written.

        Args:
            path: The file; a folder, or a name that ends in `.json`, is refused.
            cases: How many failures are drawn at most.
            images: A folder of images to draw them over.
        """
        from calipers.show.page.build import check_page_name, report_page, result_page

        check_page_name(path)
        if self.home is not None:
            write_file(path, result_page(self.home, cases=cases, images=images))
        else:
            write_file(path, report_page(self, cases=cases, images=images))

    # Numbers for others: trackers, tables, dataframes, notebooks

    @overload
    def flat(self, prefix: str = "", style: None = None) -> dict[str, float]: ...

    @overload
    def flat(self, prefix: str = "", *, style: str) -> dict[str, Any]: ...

    def flat(self, prefix: str = "", style: str | None = None) -> dict[str, Any]:
        """Every headline number by a path, for an experiment tracker; what is undefined is left out.

        Args:
            prefix: What every path begins with: `"val/"` gives `{"val/category/mean_f1": 0.56, …}`.
            style: The names of another library, in which undefined is None; of detections `"torchmetrics"`.
        """
        from calipers.show.flat import flat_numbers

        return flat_numbers(self._tree, prefix, style)

    def tables(self) -> list[str]:
        """The names of the tables of this result."""
        from calipers.show.report_tables import table_names

        return table_names(self._tree)

    def table(self, name: str | None = None) -> Rows:
        """A table as rows, which `pandas.DataFrame` takes as they are; a ConfigError where there is no such table.

        Args:
            name: One of `tables()`; without a name the summary.
        """
        from calipers.show.report_tables import table

        return table(self._tree, name)[1]

    def to_csv(self, table: str | None = None) -> str:
        """A table (see `table`) as CSV, in which no cell is taken for a formula."""
        return self._written(table, "csv")

    def to_markdown(self, table: str | None = None) -> str:
        """A table (see `table`) as Markdown."""
        return self._written(table, "md")

    def to_latex(self, table: str | None = None) -> str:
        """A table (see `table`) as LaTeX, for `booktabs`."""
        return self._written(table, "tex")

    def _written(self, table: str | None, format: str) -> str:  # noqa: A002
        from calipers.show.report_tables import write_table

        return write_table(self._tree, table, format).decode()

    def to_pandas(self, table: str | None = None) -> Any:
        """A table (see `table`) as a DataFrame of pandas; a ConfigError says so where that is not installed."""
        from calipers.show.frames import pandas_frame
        from calipers.show.report_tables import table as find

        return pandas_frame(*find(self._tree, table))

    def to_polars(self, table: str | None = None) -> Any:
        """A table (see `table`) as a DataFrame of polars; a ConfigError says so where that is not installed."""
        from calipers.show.frames import polars_frame
        from calipers.show.report_tables import table as find

        return polars_frame(*find(self._tree, table))

    def _repr_html_(self) -> str:
        from calipers.show.notebook import notebook_html

        return notebook_html(self._tree)

    def plots(self) -> list[str]:
        """The names of the plots of this result."""
        return list(self._suite.plots)

    def plot(self, name: str, ax: Any = None) -> Any:
        """A plot as a figure of matplotlib; a ConfigError where there is no such plot, or matplotlib is not installed.

        Args:
            name: One of `plots()`.
            ax: Axes of matplotlib to draw into.
        """
        from calipers.core.config import check_names

        check_names([name], self.plots(), "plot: ", "a plot of this result")
        return self._suite.plots[name](self._tree, ax=ax)

    # Objects

    @property
    def has_matches(self) -> bool:
        """Whether `matches` can be asked for: a loaded or merged report may have counts alone."""
        return self._matches is not None

    def matches(self) -> Rows:
        """A row for every object with its partner and cause; the inputs are read once more.

        CalipersError where the records were not kept, as in a loaded or merged report.
        """
        if self._matches is None:
            raise CalipersError(
                "matches: the records of this report were not kept; evaluate a file or a list of records"
            )
        return self._matches()

    @property
    def has_cases(self) -> bool:
        """Whether `cases` can be asked for."""
        return self._cases is not None

    def cases(self) -> Iterator[dict[str, Any]]:
        """The records that went wrong, as `cases.jsonl` has them; the inputs are read once more, as for `matches`."""
        lines: list[bytes] = []
        self.pass_cases(lines.extend)
        return map(orjson.loads, lines)

    def pass_cases(self, take: TakeCases) -> None:
        """Give the records that went wrong to `take`, some lines of JSON at a time; otherwise as `cases`."""
        if self._cases is None:
            raise CalipersError("cases: the records of this report were not kept; evaluate a file or a list of records")
        self._cases(take)

    def cases_of(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The cases of the records with these keys, by key; of videos the runs (state, first frame, last frame)."""
        if self._cases_of is not None:
            return self._cases_of(keys)
        wanted = set(keys)
        return {case["key"]: case for case in self.cases() if case["key"] in wanted}


# Results that were kept


def load(path: str | os.PathLike[str]) -> Report:
    """Load a result that was kept: its numbers, and all that is made of them.

    Matches and cases come from the inputs; a loaded report has none.

    Args:
        path: An artifact (`result.json`), or the folder of an earlier `-o`.

    Returns:
        The report.

    Raises:
        InputError: There is no artifact, it is damaged, or its numbers do not fit each other.

    Examples:
        >>> kept = load("examples/coco/out")
        >>> kept["suite"], kept.tables()[:2], kept.has_matches
        ('coco', ['summary', 'classes'], False)
    """
    tree = read_artifact(path)
    return Report(dict(suite_of_tree(tree).in_usual_form(tree)), home=os.fspath(path))
