"""Report: parameters and metrics in one plain tree. Everything a user sees is a view of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from calipers.core.errors import CalipersError, ConfigError, InputError
from calipers.files.output import DEEPEST, to_json, write_file
from calipers.schemas import Mismatch, check_artifact
from calipers.suite import Suite, is_suite, suite_of, suite_of_tree, suites

Rows = list[dict[str, Any]]
TakeCases = Callable[[Iterable[bytes]], None]
CasesOf = Callable[[Iterable[str]], dict[str, dict[str, Any]]]

ARTIFACT = "result.json"  # what it is called in the folder of `-o`
PART = b"calipers parts "  # how a file of parts begins
FIRST_FIGURES = 4  # that a notebook or a log shows of a report
LARGEST_ARTIFACT, PIECE = 1 << 30, 1 << 20  # bytes


class Report(Mapping[str, Any]):
    """A result: `report["modes"]["category"]["mean_f1"]`. `str(report)` is the console summary."""

    def __init__(
        self,
        tree: dict[str, Any],
        *,
        matches: Callable[[], Rows] | None = None,
        cases: Callable[[TakeCases], None] | None = None,
        cases_of: CasesOf | None = None,
        measured: Any = None,
        first_invalid: str = "",
        home: str | None = None,
    ) -> None:
        """`cases` passes lines of cases on, `cases_of` finds those of some records faster than all of them."""
        self._tree, self._home, self._first_invalid = tree, home, first_invalid
        self._matches, self._cases, self._cases_of, self._measured = matches, cases, cases_of, measured
        self._notes: list[str] = []

    @property
    def tree(self) -> dict[str, Any]:
        """Everything the artifact holds."""
        return self._tree

    @property
    def home(self) -> str | None:
        """The artifact or folder it was read from."""
        return self._home

    @property
    def notes(self) -> list[str]:
        """What has to be said of files that the run kept or used (`resume`, `tally`, `only`)."""
        return self._notes

    @property
    def first_invalid(self) -> str:
        """The first prediction that cannot be read, where the artifact has no place for it."""
        return self._first_invalid

    @property
    def measured(self) -> Any:
        """What the suite measured, where the report keeps it."""
        return self._measured

    def __getitem__(self, key: str) -> Any:
        """A field of the artifact; where there is one method only, also one of its fields."""
        methods = {} if key in self.tree else self.tree.get("methods", {})
        owners = [method for method in methods.values() if key in method]
        if len(owners) == len(methods) == 1:
            return owners[0][key]
        if owners:
            raise KeyError(f"{key}: there are several methods; ask for report.method(name)[{key!r}]")
        return self.tree[key]

    def __contains__(self, key: object) -> bool:
        return key in self.tree  # whatever the number of methods

    def __iter__(self) -> Iterator[str]:
        return iter(self.tree)

    def __len__(self) -> int:
        return len(self.tree)

    def __str__(self) -> str:
        return self._suite.summary(self.tree)

    def __repr__(self) -> str:
        from calipers.show.figures import main_headline

        counts = self._suite.counts(self.tree)
        records = f"{counts.evaluated:,} {self._suite.record}{'' if counts.evaluated == 1 else 's'}"
        figures = [figure for figure in main_headline(self.tree) if figure.value is not None]
        numbers = [f"{figure.name} {figure.value:.3f}" for figure in figures]
        return f"<Report {self.tree['protocol']}: {', '.join([records, *numbers[:FIRST_FIGURES]])}>"

    @property
    def _suite(self) -> Suite:
        return suite_of_tree(self.tree)

    def method(self, name: str | None = None) -> dict[str, Any]:
        """The numbers of one method, of a suite that measures several; without a name those of the only one."""
        methods: dict[str, Any] = self.tree.get("methods", {})
        if name is None and len(methods) == 1:
            (only,) = methods.values()
            return dict(only)
        if name is None or name not in methods:
            known = ", ".join(map(repr, methods)) or "none: this suite has no methods"
            raise ConfigError(f"method: found {name!r:.80}, expected one of {known}")
        return dict(methods[name])

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

    # Plots

    def plots(self) -> list[str]:
        """The names of the plots of this result."""
        return list(self._suite.plots)

    def plot(self, name: str, ax: Any = None) -> Any:
        """A plot as a figure of matplotlib, drawn into `ax` if there is one."""
        from calipers.core.config import check_names

        check_names([name], self.plots(), "plot: ", "a plot of this result")
        return self._suite.plots[name](self.tree, ax=ax)

    # Objects

    @property
    def has_matches(self) -> bool:
        """Whether `matches` can be asked for: a loaded or merged report may have counts alone."""
        return self._matches is not None

    def matches(self) -> Rows:
        """A row for every object with its partner; the inputs are read once more for it."""
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
        """The records that went wrong, one after the other; the inputs are read once more for it."""
        lines: list[bytes] = []
        self.pass_cases(lines.extend)
        return map(orjson.loads, lines)

    def pass_cases(self, take: TakeCases) -> None:
        """Give the records that went wrong to someone, some lines of JSON at a time; the inputs are read once more."""
        if self._cases is None:
            raise CalipersError("cases: the records of this report were not kept; evaluate a file or a list of records")
        self._cases(take)

    def cases_of(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """The cases of some records, by key."""
        if self._cases_of is not None:
            return self._cases_of(keys)
        wanted = set(keys)
        return {case["key"]: case for case in self.cases() if case["key"] in wanted}


# Results that were kept


def load(path: str | os.PathLike[str]) -> Report:
    """The report of an artifact (`result.json`), or of a folder of an earlier `-o`.

    It has the numbers and all that is made of them. Matches, which come from the inputs, it has not.
    """
    tree = read_artifact(path)
    return Report(dict(suite_of_tree(tree).completed(tree)), home=os.fspath(path))


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
    suite = protocol.partition("/")[0] if isinstance(protocol, str) else ""
    if not is_suite(suite) or protocol != suite_of(suite).protocol:
        found = "no field protocol" if protocol is None else f"protocol {protocol!r:.100}"
        raise InputError(f"{name}: {found}, expected an artifact of one of {', '.join(protocols())}")
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


def protocols() -> list[str]:
    """The protocols of all suites."""
    return [suite.protocol for suite in suites()]
