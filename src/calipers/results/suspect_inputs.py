"""The results that are searched for wrong annotations: folders of runs of one suite, over the same records.

A folder that a suite wrote is one result, any other folder stands for those in it; names are as in a ranking. Where a
suite measures several methods, each method is a result of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from calipers.core.changes import BadCellError
from calipers.core.errors import ConfigError, InputError
from calipers.core.suspects import Case, SuspectRun, SuspectSpec
from calipers.files.json_checks import check_memory
from calipers.files.lines import LONGEST_LINE
from calipers.report import Report
from calipers.results.artifacts import Cells, Result, files_of, read_result
from calipers.results.comparable import EXPECTED_COMPARABLE, differences
from calipers.results.rank_inputs import (
    Source,
    check_names,
    flat_sources,
    folder_sources,
    is_other_file,
    methods_of,
    source_name,
)
from calipers.show.page.build import kept_cases
from calipers.show.page.cases import CASES
from calipers.suite import Suite, suite_of_tree

MAX_RESULTS = 100  # results
MAX_NAMED = 3  # results that an error names


class SuspectInputs(NamedTuple):
    """All results, checked."""

    runs: list[SuspectRun]
    suite: Suite
    spec: SuspectSpec
    records: int
    files: list[str]  # that are read
    passed_over: list[str]  # files of folders that are no artifacts


def read_inputs(results: Iterable[Any]) -> SuspectInputs:
    """The results to be searched: of one suite, with their cases, over the same records."""
    listed = [source for argument in flat_sources(results) for source in _in_folder(argument)]
    passed_over = [os.fspath(source.place) for source in listed if is_other_file(source)]
    sources = [source for source in listed if not source.is_path or os.fspath(source.place) not in passed_over]
    if not 0 < len(sources) <= MAX_RESULTS:
        others = f" ({', '.join(passed_over[:MAX_NAMED])}: no artifact)" if passed_over else ""
        raise ConfigError(f"found {len(sources):,} results{others}, expected 1 to {MAX_RESULTS}")
    named = [_read(source, number) for number, source in enumerate(sources, 1)]
    check_names(named)
    _check_comparable(named)
    tree = named[0][1].tree
    suite, spec = suite_of_tree(tree), spec_of(tree)
    files = [file for _, result in named for file in (*files_of(result.name), os.path.join(result.name, CASES))]
    return SuspectInputs(list(_runs(named)), suite, spec, suite.counts(tree).evaluated, files, passed_over)


def spec_of(tree: Mapping[str, Any]) -> SuspectSpec:
    """How the suite of a result finds suspects; one that does not is refused."""
    suite = suite_of_tree(tree)
    if suite.suspects is None:
        says = "does not say where its annotations may be wrong"
        raise ConfigError(f"the {suite.name} suite {says}, expected a result of one that does")
    return suite.suspects


def _in_folder(source: Source) -> Iterator[Source]:
    """The source itself or, if it is a folder that is no result, the results in it."""
    try:
        yield from folder_sources(source)
    except InputError as error:
        raise ConfigError(f"{error}; expected {_folder('SUITE')}") from None


def _read(source: Source, number: int) -> tuple[str, Result]:
    """A result by its name; what is no folder with cases is refused."""
    place = source.place.home if isinstance(source.place, Report) else source.place
    name = source.name or source_name(source, number)
    if not isinstance(place, (str, os.PathLike)):
        raise ConfigError(f"{name}: found {type(source.place).__name__}, expected {_folder('SUITE')}")
    cases = kept_cases(os.fspath(place))
    if cases is not None:
        return name, read_result(str(cases.parent), name)
    tree = read_result(place, name).tree
    spec_of(tree)
    raise ConfigError(f"{place}: has numbers and no {CASES}, expected {_folder(tree['suite'])}")


def _folder(suite: str) -> str:
    return f"the folder of a run, as calipers {suite} … -o DIR writes it"


def _check_comparable(named: list[tuple[str, Result]]) -> None:
    """Refuse results that differ from the first in protocol, parameters or records; replicates may differ."""
    (base, first), *others = named
    problems = []
    for name, result in others:
        differing = differences(first, result, (base, name), replicates=False).all
        reasons = "".join(f"\n- {difference}" for difference in differing)
        problems += [f"{base} and {name} cannot be searched together:{reasons}"] if differing else []
    more = [f"(and {len(problems) - MAX_NAMED:,} more results)"] if len(problems) > MAX_NAMED else []
    if problems:
        raise ConfigError("\n".join([*problems[:MAX_NAMED], *more, EXPECTED_COMPARABLE]))


def _runs(named: list[tuple[str, Result]]) -> Iterator[SuspectRun]:
    """One run per result or, where a suite has methods, per method of each result."""
    by_method = [(name, result, list(methods_of(result))) for name, result in named]
    one_method_each = all(len(methods) == 1 for _, _, methods in by_method)
    for name, result, methods in by_method:
        for method in methods:
            own = name if one_method_each else method if len(named) == 1 else f"{name}/{method}"
            cases = partial(cases_of, Path(result.name, CASES), method)
            yield SuspectRun(own, method, result.tree, partial(_rows, result), cases)


def _rows(result: Result, *columns: str, may_skip: str = "") -> Iterable[Cells]:
    """Columns of every object; a folder without them is refused."""
    rows = result.rows(*columns, may_skip=may_skip)
    if rows is None:
        raise ConfigError(f"{result.name}: has no table of matches, expected {_folder(result.tree['suite'])}")
    return rows


def cases_of(path: Path, method: str) -> Iterator[Case]:
    """The cases of a result, or of one of its methods, line by line."""
    try:
        with open(path, "rb") as file:
            while line := file.readline(LONGEST_LINE + 1):
                if len(line) > LONGEST_LINE:
                    raise InputError(f"{path}: a line has more than {LONGEST_LINE >> 20} MiB, expected cases")
                check_memory(line)
                case = orjson.loads(line)
                if not method or case["method"] == method:
                    yield case
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


@contextmanager
def malformed_refused(runs: list[SuspectRun]) -> Iterator[None]:
    """Turn errors from malformed cases or rows, which unlike artifacts were not checked, into input errors."""
    names = ", ".join(run.name for run in runs[:MAX_NAMED]) + (", …" if len(runs) > MAX_NAMED else "")
    try:
        yield
    except BadCellError as error:
        raise InputError(f"{names}: the table of matches: {error}") from None
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise InputError(
            f"{names}: {CASES} is not as this version of calipers writes cases ({problem:.200})"
        ) from error
