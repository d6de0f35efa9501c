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
from calipers.files.part_files import Provenance, blaming, read_tally
from calipers.report import Report
from calipers.run import check_bad, check_report
from calipers.suite import Suite, is_suite, suite_names, suite_of


def merge(parts: Iterable[str | os.PathLike[str]]) -> Report:
    """Merge the parts of a run, or of several runs, into one report.

    It is the report of one run over all of the data, byte for byte if the inputs of that run are the same.

    Args:
        parts: Files that runs over parts of the data wrote with `tally=`, of any suite, in any order.

    Returns:
        The report over all of the data.

    Raises:
        ConfigError: No parts were given, or they were measured with different options.
        InputError: A part cannot be read or is damaged, or two parts hold the same input.

    Examples:
        >>> import calipers, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     part = f"{folder}/a.cal"
        ...     whole = calipers.dense("examples/dense/gt_vs_pred.jsonl", tally=part)
        ...     merge([part]).to_json() == whole.to_json()
        True
    """
    require(not isinstance(parts, (str, bytes, os.PathLike)), "parts", parts, "several paths")
    paths = [os.fspath(path) for path in parts]
    require(bool(paths), "parts", paths, f"files written by {keyword('tally')}")
    tallies = {path: read_tally(path) for path in paths}
    first, _ = tallies[paths[0]]
    suite = _suite(first, paths[0])
    for path, (provenance, _) in tallies.items():
        _check_provenance(provenance, path)
    tallied = [(path, _part(path, first, *tallies[path], suite)) for path in paths]
    tallied.sort(key=lambda item: _inputs(item[1]))
    _check_distinct(tallied, shared=suite.shared_inputs)
    _check_engines(tallied)
    with blaming(", ".join(paths)):
        config = _config(first, max(provenance.options["max_bad_records"] for provenance, _ in tallies.values()))
    with blaming(", ".join(paths)):
        total = join([part for _, part in tallied])
        if suite.shared_inputs:
            total.inputs = _distinct(total.inputs)
        check_bad(total, config.max_bad_records)
        report: Report = suite.report_of(total, config)
        check_report(report, ", ".join(paths)[:200])
    return report


def _suite(provenance: Provenance, path: str) -> Suite:
    if not is_suite(provenance.suite):
        names = ", ".join(suite_names())
        raise InputError(f"{path}: found the suite {provenance.suite!r:.80}, expected one of {names}")
    return suite_of(provenance.suite)


def _part(path: str, first: Provenance, other: Provenance, packed: Packed, suite: Suite) -> Part:
    first.check_comparable(other, path)
    with blaming(path):
        part: Part = suite.unpack(packed)
        _check_inputs(part)
    return part


def _check_provenance(provenance: Provenance, path: str) -> None:
    """Check that a part holds options that a run can have, and the parameters that follow from them.

    A part that says otherwise was damaged or made up, while two parts that differ are a mistake of whoever chose them,
    and so is a file of labels that has changed since.
    """
    suite = _suite(provenance, path)
    try:
        with blaming(path):
            config = _config(provenance, provenance.options["max_bad_records"])
    except ConfigError as error:
        texts = [value for value in provenance.options.values() if isinstance(value, str) and value]
        if str(error).startswith(tuple(texts)):
            raise  # a file that the options name
        raise InputError(f"{path}: holds options that no run can have: {error}") from error
    own = suite.provenance_of(config)
    own.check_version(provenance, path)
    if changed := [name for name in provenance.differing(own) if not name.endswith("_sha256")]:
        raise InputError(f"{path}: is damaged: {changed[0]} is not that of its options")
    own.check_comparable(provenance, path)


def _check_inputs(part: Part) -> None:
    """Check that every input of a part has a path, and a digest if it was a file."""
    for entry in part.inputs:
        if not isinstance(entry["path"], str) or not isinstance(entry["sha256"], (str, type(None))):
            raise TypeError("an input without a path or a digest")


def _config(provenance: Provenance, max_bad: int) -> Any:
    options = provenance.options | {"max_bad_records": max_bad}
    return make_config(suite_of(provenance.suite).config, options)


def _inputs(part: Part) -> list[tuple[str, str]]:
    return [(entry["path"], entry["sha256"] or "") for entry in part.inputs]


def _check_distinct(parts: list[tuple[str, Part]], *, shared: bool) -> None:
    """Refuse an input in two parts, under whatever name; where parts may share a side, the same inputs in two parts."""
    seen: dict[Any, str] = {}
    for path, part in parts:
        names = {entry["sha256"]: f"both hold {entry['path']}" for entry in part.inputs}
        if shared:
            names = {tuple(names): "are parts of the same inputs"}
        for content, problem in names.items():
            if content in seen:
                raise InputError(f"{seen[content]} and {path}: {problem}, expected each input in one part")
        seen |= dict.fromkeys(names, path)


def _check_engines(parts: list[tuple[str, Part]]) -> None:
    """Refuse parts that were counted with different versions of a library."""
    versions: dict[str, tuple[str, str]] = {}
    for path, part in parts:
        for name, version in getattr(part, "engines", {}).items():  # which parts of plugins need not have
            first, where = versions.setdefault(name, (version, path))
            if version != first:
                raise InputError(f"{path}: counted with {name} {version}, expected {name} {first}, as {where} was")


def _distinct(inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every input once, in the order of the parts."""
    return list({(entry["path"], entry["sha256"]): entry for entry in inputs}.values())
