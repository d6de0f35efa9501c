"""The laws that hold for every suite and every ruler, for whoever adds one.

`check_suite(suite)` runs a suite on its own sample data, and raises an AssertionError that names the law that does not
hold. `check_ruler(iou, shapes)` does the same for a function that says how close two things are. The suites and rulers
of Calipers go through the same functions.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from importlib.resources import as_file, files
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from calipers.core.errors import CalipersError, ConfigError
from calipers.report import Report, load
from calipers.results.compare import compare
from calipers.results.gate import gate
from calipers.results.merging import merge
from calipers.schemas import check_artifact
from calipers.show.figures import figures
from calipers.show.folder import write_folder
from calipers.suite import Job, Suite

MANY = 60  # figures whose values are looked at


def expect(condition: bool, law: str) -> None:
    """Raise an AssertionError that names the law."""
    if not condition:
        raise AssertionError(law)


def check_suite(suite: Suite) -> None:
    """Hold a suite to the laws of all suites, on its bundled sample."""
    expect(suite.sample is not None, "a suite has sample data")
    with _sample(suite) as (inputs, options):
        report = _run(suite, inputs, options)
        _check_artifact(suite, report)
        _check_figures(suite, report)
        _check_runs(suite, inputs, options, report)
        _check_files(report)
        _check_decisions(report)
        _check_options(suite, inputs, options)


@contextmanager
def _sample(suite: Suite) -> Any:
    """Inputs and options of the sample, with paths."""
    if suite.sample is None:
        raise AssertionError("a suite has sample data")
    with as_file(files(suite.sample.package)) as package:
        folder = str(package / suite.sample.folder)
        yield _placed(suite.sample.inputs, folder), _placed(suite.sample.options, folder)


def _placed(value: Any, folder: str) -> Any:
    if isinstance(value, str):
        return value.replace("{}", folder)
    if isinstance(value, (list, tuple)):
        return [_placed(item, folder) for item in value]
    return {name: _placed(item, folder) for name, item in value.items()} if hasattr(value, "items") else value


def _job(suite: Suite, inputs: dict[str, Any], options: dict[str, Any]) -> Job:
    return suite.job(dict(inputs), dict(options))


def _run(suite: Suite, inputs: dict[str, Any], options: dict[str, Any], **further: Any) -> Report:
    return _job(suite, inputs, options | further).evaluate()


def _check_artifact(suite: Suite, report: Report) -> None:
    """The artifact says what it is, fits its schema, and is read back as it was."""
    tree = orjson.loads(report.to_json())
    expect(tree["suite"] == suite.name, "the artifact names its suite")
    expect(tree["protocol"] == suite.protocol, "the artifact names its protocol")
    for name in ("calipers", "inputs", "params", "rejected"):
        expect(name in tree, f"the artifact has {name}")
    check_artifact(suite.name, tree)
    counts = suite.counts(tree)
    expect(0 < counts.evaluated <= counts.read, "some records of the sample are evaluated, and no more than there are")
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        report.save(path)
        expect(load(path).to_json() == report.to_json(), "an artifact that was saved is loaded to the same bytes")


def _check_figures(suite: Suite, report: Report) -> None:
    """Every declared figure that is there has a name, a direction and, where it has one, an interval around it."""
    by_name = figures(report.tree)
    expect(bool(suite.figures), "a suite declares figures")
    expect(bool(by_name), f"declared figures are in the artifact, at {suite.figures[0].path} for one")
    expect(any(figure.headline for figure in by_name.values()), "some figure is a headline")
    for spec in suite.figures:
        expect(bool(spec.label) and bool(spec.definition or not spec.headline), f"{spec.name} says what it is")
    for figure in list(by_name.values())[:MANY]:
        expect(figure.value is None or figure.value == figure.value, f"{figure.name}: undefined is None, never NaN")
        expect(figure.interval is None or figure.interval[0] <= figure.interval[1], f"{figure.name}: ends in order")


def _check_runs(suite: Suite, inputs: dict[str, Any], options: dict[str, Any], report: Report) -> None:
    """Several processes, small shards, a resumed run and a merged total must all give equal bytes."""
    whole = report.to_json()
    with TemporaryDirectory() as folder:
        tally, resume = os.path.join(folder, "all.cal"), os.path.join(folder, "shards.cal")
        for settings in ({"jobs": 2}, {"jobs": 1, "chunk_bytes": 2000}, {"jobs": 1, "resume": resume, "tally": tally}):
            repeated = _run(suite, inputs, options, **settings)
            expect(repeated.to_json() == whole, f"the same bytes with {', '.join(settings)}")
        expect(_run(suite, inputs, options, resume=resume).to_json() == whole, "the same bytes from a resumed run")
        expect(merge([tally]).to_json() == whole, "the same bytes from a merged total")


def _check_files(report: Report) -> None:
    """A folder has the artifact and the page, tables have their columns, and a summary is text."""
    expect(bool(str(report)), "a report has a summary")
    expect(bool(repr(report)), "a report says what it is")
    for name in report.tables():
        rows = report.table(name)
        expect(all(list(row) == list(rows[0]) for row in rows), f"{name}: rows are alike")
    expect(all(isinstance(value, float) for value in report.flat().values()), "numbers for a tracker are floats")
    with TemporaryDirectory() as folder:
        write_folder(folder, report)
        names = {file.name for file in Path(folder).iterdir()}
        expect({"result.json", "report.html"} <= names, "a folder has the artifact and the page")
        expect(load(folder).to_json() == report.to_json(), "a folder is loaded to the same bytes")


def _check_decisions(report: Report) -> None:
    """A result compared with itself has no difference, and does not fail a gate."""
    comparison = compare(report, report)
    changed = [row["metric"] for row in comparison["metrics"] if row["difference"] not in (0, None)]
    expect(not changed, f"a result does not differ from itself: {changed}")
    name = next(figure.name for figure in figures(report.tree).values() if figure.headline and figure.value is not None)
    expect(gate(report, report, max_drop={name: 0.5}).exit_code in (0, 4), "a result does not fail against itself")


def _check_options(suite: Suite, inputs: dict[str, Any], options: dict[str, Any]) -> None:
    """A misspelt option is an error that names the nearest."""
    try:
        _job(suite, inputs, options | {"boostrap": 5})
    except ConfigError as error:
        expect("bootstrap" in str(error), "a misspelt option is an error that names the nearest")
        return
    raise AssertionError("a misspelt option is an error")


def check_ruler(iou: Callable[[Any, Any], Any], shapes: Sequence[Any], *, moved: Iterable[Any] = ()) -> None:
    """Hold a function that compares two shapes to the laws of rulers.

    0 is apart and 1 is the same; a shape is the same as itself; order does not matter. `moved` are the same shapes
    after a motion that should change nothing, in the same order.

    >>> from calipers import region_iou
    >>> check_ruler(region_iou, [[0, 0, 10, 10], [0, 0, 10, 5], [20, 20, 30, 40]])
    """
    others = list(moved) or list(shapes)
    for (i, a), (j, b) in product(enumerate(shapes), repeat=2):
        value = float(iou(a, b))
        expect(0.0 <= value <= 1.0, f"an overlap lies between 0 and 1: {value} for {a!r:.60} and {b!r:.60}")
        expect(value == float(iou(b, a)), f"order does not matter: {a!r:.60} and {b!r:.60}")
        expect(i != j or value == 1.0, f"a shape is the same as itself: {value} for {a!r:.60}")
        again = float(iou(others[i], others[j]))
        expect(abs(again - value) < 1e-9, f"a motion of both changes nothing: {again} instead of {value}")


__all__ = ["CalipersError", "check_ruler", "check_suite"]
