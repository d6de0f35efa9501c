"""Totals of several runs, each over a part of the data, as one report.

The order in which parts are given does not matter: they are added in the order of their inputs' paths.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from calipers.config import make_config
from calipers.errors import InputError, require
from calipers.part_files import Made, read_tally
from calipers.parts import Part, join
from calipers.report import Report
from calipers.run import check_bad

CONFIGS = {  # where the options of a suite are
    "dense": "calipers.suites.dense",
    "timeline": "calipers.suites.timeline_config",
    "scene": "calipers.suites.scene_config",
    "coco": "calipers.suites.coco_config",
}


def merge(parts: Iterable[str | os.PathLike[str]]) -> Report:
    """One report of the parts that were written by `--tally` (or `tally=`), of any suite, given in any order.

    It is the report of one run over all of the data, byte for byte if the inputs of that run are the same.
    """
    require(not isinstance(parts, (str, bytes, os.PathLike)), "parts", parts, "several paths")
    paths = [os.fspath(path) for path in parts]
    require(bool(paths), "parts", paths, "files written by --tally")
    made, _ = read_tally(paths[0])
    suite = _suite(made, paths[0])
    found = [(path, _part(path, made, suite)) for path in paths]
    found.sort(key=lambda each: _inputs(each[1]))
    _check_apart(found, shared=suite.SHARED_INPUTS)
    config = _config(made)
    suite.made_by(config).check_alike(made, paths[0])
    total = join([part for _, part in found])
    total.inputs = _once(total.inputs)
    check_bad(total, config.max_bad_records)
    report: Report = suite.report_of(total, config)
    return report


def _suite(made: Made, path: str) -> Any:
    if made.suite not in CONFIGS:
        raise InputError(f"{path}: found the suite {made.suite!r:.80}, expected one of {', '.join(CONFIGS)}")
    return import_module(f"calipers.plans.{made.suite}")


def _part(path: str, made: Made, suite: Any) -> Part:
    other, packed = read_tally(path)
    made.check_alike(other, path)
    try:
        part: Part = suite.unpack(packed)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(f"{path}: holds a part that cannot be read: {type(error).__name__}: {error}") from error
    return part


def _config(made: Made) -> Any:
    return make_config(import_module(CONFIGS[made.suite]).Config, made.options)


def _inputs(part: Part) -> list[tuple[str, str]]:
    return [(each["path"], each["sha256"] or "") for each in part.inputs]


def _check_apart(found: list[tuple[str, Part]], *, shared: bool) -> None:
    """No input counts twice: none is in two parts or, where one side may be in several, no two parts are the same."""
    seen: dict[Any, str] = {}
    for path, part in found:
        for each in [tuple(_inputs(part))] if shared else _inputs(part):
            if each in seen:
                name = part.inputs[0]["path"] if shared else each[0]
                raise InputError(f"{seen[each]} and {path}: both hold {name}, expected each input in one part")
            seen[each] = path


def _once(inputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every input once, in the order they came."""
    return list({(each["path"], each["sha256"]): each for each in inputs}.values())
