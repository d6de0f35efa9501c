"""The laws of `calipers.testing` hold for every suite of Calipers, and tell one that does not keep them."""

from dataclasses import replace

import pytest

import calipers
from calipers.suite import suite_of, suites
from calipers.testing import check_ruler, check_suite


@pytest.mark.usefixtures("blank_plots")
@pytest.mark.parametrize("suite", suites(), ids=lambda suite: suite.name)
def test_a_suite_keeps_the_laws_of_all_suites(suite):
    check_suite(suite)


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
