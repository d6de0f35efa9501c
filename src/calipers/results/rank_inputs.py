"""The results of a ranking: what they are called, where they are read from, and whether they may be ranked together.

A result is a path, `NAME=PATH`, a report, or what an artifact holds. A folder that a suite wrote is one result, any
other folder stands for the results in it: folders with a `result.json`, and artifacts `*.json`. Without a name, a
result is called by the stem of its file, or by its folder if the file is a `result.json`. Where a suite measures
several methods, each method is a result of its own: METHOD of one artifact, NAME/METHOD of several.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from calipers.artifact import ARTIFACT
from calipers.core.bootstrap import MIN_REPLICATES
from calipers.core.errors import ConfigError, InputError, keyword
from calipers.core.figures import Figure
from calipers.report import Report
from calipers.results.artifacts import Result, files_of, read_result
from calipers.results.comparable import EXPECTED_COMPARABLE, differences
from calipers.suite import suite_of_tree

MIN_RESULTS, MAX_RESULTS = 2, 100  # results
MAX_NAMED = 3  # results that an error names


class Candidate(NamedTuple):
    """A result to be ranked, by the figures that all of them may have."""

    name: str
    result: Result
    figures: dict[str, Figure]  # of a method, without its name


class Source(NamedTuple):
    """Where a result comes from."""

    name: str | None
    place: Any  # a path, a report, or what an artifact holds
    listed: bool = False  # found in a folder, rather than named

    @property
    def is_path(self) -> bool:
        """Whether it is read from a file."""
        return isinstance(self.place, (str, os.PathLike))


class Candidates(NamedTuple):
    """The results to rank, the files that were passed over, and all files that were read."""

    ranked: list[Candidate]
    passed_over: list[str]  # files of folders that are no artifacts
    files: list[str]  # that were read


def read_candidates(results: Iterable[Any]) -> Candidates:
    """All results, checked: as many as may be ranked, of different names, over the same records."""
    sources = [source for listed in flat_sources(results) for source in folder_sources(listed)]
    _check_count(len(sources), min_results=1)
    named, passed_over, files = [], [], []
    for number, source in enumerate(sources, 1):
        name = source.name or source_name(source, number)
        result = _read(source, name)
        if result is None:
            passed_over.append(os.fspath(source.place))
            continue
        named.append((name, result))
        files += files_of(os.fspath(source.place)) if source.is_path else []
    _check_count(len(named), min_results=1, passed_over=passed_over)
    check_names(named)
    _check_replicates(named)
    _check_comparable(named)
    ranked = list(_candidates(named))
    check_names([(candidate.name, candidate.result) for candidate in ranked])
    _check_count(len(ranked), passed_over=passed_over)
    return Candidates(ranked, passed_over, files)


# What was given


def flat_sources(results: Iterable[Any]) -> Iterator[Source]:
    """Each result by itself: lists are taken apart, and so are results by name."""
    for result in results:
        if isinstance(result, str):
            yield _split(result)
        elif isinstance(result, os.PathLike):
            yield Source(None, os.fspath(result))
        elif isinstance(result, Mapping) and not isinstance(result, Report) and "protocol" not in result:
            yield from (Source(str(name), place) for name, place in result.items())
        elif isinstance(result, Iterable) and not isinstance(result, Mapping):
            yield from flat_sources(result)
        else:
            yield Source(None, result)


def _split(text: str) -> Source:
    """`NAME=PATH`, unless there is such a file; a path may hold an equals sign."""
    name, equals, path = text.partition("=")
    if not equals or os.path.exists(text) or "/" in name:
        return Source(None, text)
    if not name or not path:
        raise ConfigError(f"{text!r:.160}: has {'no path' if name else 'no name'}, expected NAME=PATH")
    return Source(name, path)


def folder_sources(source: Source) -> Iterator[Source]:
    """The source itself or, if it is a folder that is no result, the results in it by name."""
    if not source.is_path or not Path(source.place).is_dir() or Path(source.place, ARTIFACT).exists():
        yield source
        return
    inside = sorted(Path(source.place).iterdir(), key=lambda path: by_number(path.name))
    paths = [path for path in inside if (path / ARTIFACT).is_file() or (path.suffix == ".json" and path.is_file())]
    if not paths:
        raise InputError(f"{source.place}: has no results, expected folders with {ARTIFACT}, or artifacts *.json")
    if source.name is not None:
        raise ConfigError(f"{source.name}={source.place}: is a folder of {len(paths):,} results, expected one to name")
    yield from (Source(None, str(path), listed=True) for path in paths)


def by_number(name: str) -> list[tuple[bool, int, str]]:
    """Sorts names as people do: numbers in them by size.

    >>> sorted(["step-10", "step-9", "base"], key=by_number)
    ['base', 'step-9', 'step-10']
    """
    parts = re.findall(r"[0-9]{1,18}|[^0-9]+|[0-9]", name)
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def source_name(source: Source, number: int) -> str:
    """What a result without a name is called."""
    place = source.place.home if isinstance(source.place, Report) else source.place
    if not isinstance(place, (str, os.PathLike)):
        return f"result {number}"
    path = Path(os.path.abspath(place))
    return path.parent.name if path.name == ARTIFACT else path.name if path.is_dir() else path.stem


def _read(source: Source, name: str) -> Result | None:
    """The result; None for a JSON file of a folder that does not claim to be an artifact."""
    try:
        return read_result(source.place, name)
    except InputError:
        if is_other_file(source):
            return None
        raise


def is_other_file(source: Source) -> bool:
    """Whether the source is a file of a folder that does not claim to be an artifact."""
    return source.listed and Path(source.place).is_file() and not _claims(Path(source.place))


def _claims(path: Path) -> bool:
    """Whether a file says that it is an artifact."""
    try:
        tree = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError:
        return True  # damaged, or none: somebody should look
    return isinstance(tree, dict) and "protocol" in tree and "params" in tree


# Whether they may be ranked together


def _check_count(count: int, *, min_results: int = MIN_RESULTS, passed_over: Iterable[str] = ()) -> None:
    if min_results <= count <= MAX_RESULTS:
        return
    left_out = f" ({', '.join(passed_over)}: no artifact)" if passed_over else ""
    raise ConfigError(
        f"found {count:,} result{'' if count == 1 else 's'}{left_out}, expected {MIN_RESULTS} to {MAX_RESULTS}"
    )


def check_names(named: list[tuple[str, Result]]) -> None:
    """Refuse two results of the same name."""
    places: dict[str, str] = {}
    for name, result in named:
        if name in places:
            raise ConfigError(
                f"two results are called {name!r:.80}: {places[name]} and {result.name};"
                " expected different names: NAME=PATH gives them"
            )
        places[name] = result.name


def _check_replicates(named: list[tuple[str, Result]]) -> None:
    """Refuse results without enough replicates, as differences between them could not be tested."""
    poor = {name: result.tree for name, result in named if result.tree["params"]["bootstrap"] < MIN_REPLICATES}
    if not poor:
        return
    tree = next(iter(poor.values()))
    more = f" and {len(poor) - MAX_NAMED} more" if len(poor) > MAX_NAMED else ""
    problem = f"found {tree['params']['bootstrap']}, expected at least {MIN_REPLICATES} replicates"
    raise ConfigError(
        f"{', '.join(list(poor)[:MAX_NAMED])}{more}: bootstrap: {problem}, without which noise is not known;"
        f" run calipers {tree['suite']} again with {keyword('bootstrap', 'N')} (1,000 by default)"
    )


def _check_comparable(named: list[tuple[str, Result]]) -> None:
    """Refuse results that differ from the first in protocol, parameters, replicates or records."""
    (base, first), *others = named
    problems = []
    for name, result in others:
        reasons = differences(first, result, (base, name)).all
        listed = "".join(f"\n- {reason}" for reason in reasons)
        problems += [f"{base} and {name} cannot be ranked together:{listed}"] if reasons else []
    more = [f"(and {len(problems) - MAX_NAMED:,} more results)"] if len(problems) > MAX_NAMED else []
    if problems:
        raise ConfigError("\n".join([*problems[:MAX_NAMED], *more, EXPECTED_COMPARABLE]))


# Methods


def _candidates(named: list[tuple[str, Result]]) -> Iterator[Candidate]:
    """One candidate per result or, where a suite has methods, per method of each result."""
    by_method = [(name, result, methods_of(result)) for name, result in named]
    one_method_each = all(len(methods) == 1 for _, _, methods in by_method)
    for name, result, methods in by_method:
        for method, figures in methods.items():
            own = name if one_method_each else method if len(named) == 1 else f"{name}/{method}"
            yield Candidate(own, result, figures)


def methods_of(result: Result) -> dict[str, dict[str, Figure]]:
    """Figures by method; a suite without methods has one, which has no name."""
    if not suite_of_tree(result.tree).group_word:
        return {"": result.figures}
    by_method: dict[str, dict[str, Figure]] = {}
    for name, figure in result.figures.items():
        method, _, rate = name.rpartition(".")
        by_method.setdefault(method, {})[rate] = figure
    return by_method
