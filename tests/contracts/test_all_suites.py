"""The laws of `calipers.testing` hold for every suite of Calipers, and tell one that does not keep them."""

from contextlib import contextmanager
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path

import orjson
import pytest

import calipers
from calipers.core.figures import expanded
from calipers.schemas import Mismatch, check_artifact
from calipers.show.page.build import page_of
from calipers.suite import suite_of, suites
from calipers.testing import check_ruler, check_suite

from ..profiles import share

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.usefixtures("blank_plots")
@pytest.mark.parametrize("suite", suites(), ids=lambda suite: suite.name)
def test_a_suite_keeps_the_laws_of_all_suites(suite):
    check_suite(suite)


def fields(tree, path=()):
    """The paths of all fields of an artifact: of a list of objects those of the first."""
    if isinstance(tree, list) and tree:
        yield from fields(tree[0], (*path, 0))
    elif isinstance(tree, dict):
        for name in tree:
            yield (*path, name)
            yield from fields(tree[name], (*path, name))


@contextmanager
def without(tree, path):
    """The artifact without one of its fields, for as long as the block lasts."""
    *parents, name = path
    parent = reduce(getitem, parents, tree)
    before = dict(parent)
    del parent[name]
    yield
    parent.clear()
    parent.update(before)


def show(suite, tree):
    """Everything that a result is looked at by, but for pictures."""
    assert suite.summary(tree)
    assert page_of(tree, None)
    for table in suite.tables.values():
        if table.is_there(tree):
            table.make(tree)


@pytest.mark.parametrize("suite", suites(), ids=lambda suite: suite.name)
def test_an_artifact_without_a_field_is_refused_or_shown(suite):
    """Artifacts of before a field was added lack it, and those of strangers may lack anything."""
    tree = orjson.loads((GOLDEN / f"{suite.name}.json").read_bytes())
    paths = [path for path in fields(tree) if path[:2] != ("bootstrap", "sums")]
    figures = {tuple(spec.place(spec.path, group)) for spec, group in expanded(tree, suite.figures)}
    step = 1 if share() == 1 else 10
    for path in [*paths[::step], *(path for path in paths if path in figures and share() < 1)]:
        with without(tree, path):
            try:
                check_artifact(suite.name, tree)
            except Mismatch:
                continue
            show(suite, tree)


@pytest.mark.parametrize(
    ("change", "law"),
    [
        ({"sample": None}, "has sample data"),
        ({"protocol": "dense/2"}, "names its protocol"),
        ({"figures": ()}, "declares figures"),
        ({"summary": lambda tree: ""}, "has a summary"),
    ],
)
def test_a_suite_that_does_not_is_told(change, law, monkeypatch):
    broken = replace(suite_of("dense"), **change)
    monkeypatch.setattr("calipers.suite.suite_of", lambda name: broken)
    monkeypatch.setattr("calipers.show.figures.suite_of_tree", lambda tree: broken)
    monkeypatch.setattr("calipers.report.suite_of_tree", lambda tree: broken)
    with pytest.raises(AssertionError, match=law):
        check_suite(broken)


BOXES = [[0, 0, 10, 10], [0, 0, 10, 5], [20, 20, 30, 40], [5, 5, 15, 15]]


def test_rulers_keep_the_laws_of_all_rulers():
    moved = [[x1 + 7, y1 - 3, x2 + 7, y2 - 3] for x1, y1, x2, y2 in BOXES]
    check_ruler(calipers.region_iou, BOXES, moved=moved)
    lines = [[0, 0, 100, 0], [0, 4, 100, 4], [0, 0, 100, 100]]
    check_ruler(lambda a, b: calipers.tube_iou(a, b, tolerance=8), lines)


@pytest.mark.parametrize(
    ("ruler", "law"),
    [
        (lambda a, b: 1.5, "between 0 and 1"),
        (lambda a, b: 0.5, "same as itself"),
        (lambda a, b: 1.0 if a == b else a[2] / 100, "order does not matter"),
    ],
)
def test_a_ruler_that_does_not_is_told(ruler, law):
    with pytest.raises(AssertionError, match=law):
        check_ruler(ruler, BOXES)
