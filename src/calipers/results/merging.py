"""Totals of several runs, each over a part of the data, as one report.

The order in which parts are given does not matter: they are added in the order of their inputs' paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from calipers.core.config import make_config
from calipers.core.errors import ConfigError, InputError, keyword, require
from calipers.core.parts import Packed, Part, join
from calipers.files.part_files import Made, parts_of, read_tally
from calipers.report import Report
from calipers.run import check_bad, check_report
from calipers.suite import Suite, is_suite, suite_names, suite_of


def merge(parts: Iterable[str | os.PathLike[str]]) -> Report:
    """One report of the parts that were written with `tally`, of any suite, given in any order.

    It is the report of one run over all of the data, byte for byte if the inputs of that run are the same.
    """
    require(not isinstance(parts, (str, bytes, os.PathLike)), "parts", parts, "several paths")
    paths = [os.fspath(path) for path in parts]
    require(bool(paths), "parts", paths, f"files written by {keyword('tally')}")
    tallies = {path: read_tally(path) for path in paths}
    made, _ = tallies[paths[0]]
    suite = _suite(made, paths[0])
    for path, (each, _) in tallies.items():
        _check_made(each, path)
    found = [(path, _part(path, made, *tallies[path], suite)) for path in paths]
    found.sort(key=lambda each: _inputs(each[1]))
    _check_apart(found, shared=suite.shared_inputs)
    with parts_of(", ".join(paths)):
        config = _config(made, max(each.options["max_bad_records"] for each, _ in tallies.values()))
    with parts_of(", ".join(paths)):
        total = join([part for _, part in found])
        if suite.shared_inputs:
            total.inputs = _once(total.inputs)
        check_bad(total, config.max_bad_records)
        report: Report = suite.report_of(total, config)
        check_report(report, ", ".join(paths)[:200])
    return report


def _suite(made: Made, path: str) -> Suite:
    if not is_suite(made.suite):
        raise InputError(f"{path}: found the suite {made.suite!r:.80}, expected one of {', '.join(suite_names())}")
    return suite_of(made.suite)


def _part(path: str, made: Made, other: Made, packed: Packed, suite: Suite) -> Part:
    made.check_alike(other, path)
    with parts_of(path):
        part: Part = suite.unpack(packed)
        _check_inputs(part)
    return part


def _check_made(made: Made, path: str) -> None:
    """The options of a part are some that a run can have, and its parameters are those of the options.

    A part that says otherwise was damaged or made up, while two parts that differ are a mistake of whoever chose them,
    and so is a file of labels that has changed since.
    """
    suite = _suite(made, path)
    try:
        with parts_of(path):
            config = _config(made, made.options["max_bad_records"])
    except ConfigError as error:
        if any(isinstance(value, str) and value and str(error).startswith(value) for value in made.options.values()):
            raise  # a file that the options name
        raise InputError(f"{path}: holds options that no run can have: {error}") from error
    own = suite.made_by(config)
    own.check_version(made, path)
    if changed := [name for name in made.differing(own) if not name.endswith("_sha256")]:
        raise InputError(f"{path}: is damaged: {changed[0]} is not that of its options")
    own.check_alike(made, path)


def _check_inputs(part: Part) -> None:
    """Every input has a path, and a digest if it was a file."""
    for each in part.inputs:
        if not isinstance(each["path"], str) or not isinstance(each["sha256"], (str, type(None))):
            raise TypeError("an input without a path or a digest")


def _config(made: Made, most_bad: int) -> Any:
    options = made.options | {"max_bad_records": most_bad}
    return make_config(suite_of(made.suite).config, options)


def _inputs(part: Part) -> list[tuple[str, str]]:
    return [(each["path"], each["sha256"] or "") for each in part.inputs]


def _check_apart(found: list[tuple[str, Part]], *, shared: bool) -> None:
    """No input counts twice, under whatever name; where one side may be in several parts, no part does."""
    seen: dict[Any, str] = {}
    for path, part in found:
        names = {each["sha256"]: f"both hold {each['path']}" for each in part.inputs}
        if shared:
            names = {tuple(names): "are parts of the same inputs"}
        for content, what in names.items():
            if content in seen:
                raise InputError(f"{seen[content]} and {path}: {what}, expected each input in one part")
        seen |= dict.fromkeys(names, path)


def _once(inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every input once, in the order they came."""
    return list({(each["path"], each["sha256"]): each for each in inputs}.values())
