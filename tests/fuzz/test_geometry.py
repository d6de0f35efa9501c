"""Shapes at the edge of what a float can hold keep the promises of rulers; many more go through `make sanitize`."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # the fuzzer is no part of the package

from fuzz.geometry import RULERS, Ruler, broken_promise, cases, measured, run


def test_odd_shapes_keep_every_promise():
    assert run(0, 400) == []


def test_every_ruler_measures_some_of_them_and_none_refuses_all():
    numbers = dict.fromkeys(RULERS, 0)
    for _, name, a, b in cases(0, 400):
        numbers[name] += measured(RULERS[name], a, b) is not None
    assert min(numbers.values()) > 0


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        (lambda a, b: 1.5, "1.5, expected a number from 0 to 1"),
        (lambda a, b: float("nan"), "nan, expected a number from 0 to 1"),
        (lambda a, b: 1.0 if a <= b else 0.5, "1.0 one way and 0.5 the other"),
        (lambda a, b: 0.25, "0.25 with itself"),
        (lambda a, b: float(a == b), None),
    ],
)
def test_the_check_sees_what_breaks_a_promise(measure, said):
    assert broken_promise(Ruler(lambda rng: 0, measure), 1, 2) == said
