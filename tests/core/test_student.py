"""Student's t against closed forms, and the procedure of Benjamini and Hochberg against published examples."""

from math import atan, pi, sqrt

import numpy as np
import pytest

from calipers.core.student import discoveries, two_sided

TABLE = {(12.706204736432095, 1): 0.05, (2.2281388519649385, 10): 0.05, (3.16927267160917, 10): 0.01}
TABLE |= {(1.9839715185235556, 100): 0.05, (1.959966, 10**6): 0.05}


def two_sided_p(t, freedom):
    return float(two_sided([t], freedom)[0])


@pytest.mark.parametrize("t", [0.1, 1.0, 2.5, 7.0, 40.0])
def test_for_one_two_and_three_degrees_of_freedom_there_are_closed_forms(t):
    assert two_sided_p(t, 1) == pytest.approx(1 - 2 / pi * atan(t), rel=1e-10)
    assert two_sided_p(t, 2) == pytest.approx(1 - t / sqrt(t * t + 2), rel=1e-9)
    angle = t / sqrt(3)
    assert two_sided_p(t, 3) == pytest.approx(1 - 2 / pi * (atan(angle) + angle / (1 + t * t / 3)), rel=1e-8)


@pytest.mark.parametrize(("place", "p"), TABLE.items())
def test_quantiles_of_tables_have_their_chance(place, p):
    assert two_sided_p(*place) == pytest.approx(p, rel=1e-5)
    assert two_sided_p(-place[0], place[1]) == two_sided_p(*place)


def test_many_at_once_are_as_each_alone():
    values, freedom = np.linspace(-9, 9, 41), np.arange(1, 42) ** 2
    assert two_sided(values, freedom).tolist() == [two_sided_p(t, n) for t, n in zip(values, freedom, strict=True)]
    assert two_sided([], 3).tolist() == []


def test_the_example_of_benjamini_and_hochberg_has_four_discoveries():
    # Benjamini and Hochberg 1995, section 4: fifteen tests, of which Bonferroni finds three and their procedure four
    values = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344]
    values += [0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]
    assert discoveries(values) == [True] * 4 + [False] * 11
    assert discoveries(values[::-1]) == [False] * 11 + [True] * 4


def test_a_value_above_its_own_limit_counts_if_a_later_one_is_below():
    # limits 0.0125, 0.025, 0.0375, 0.05: 0.04 of the last saves 0.03, which is above 0.025
    assert discoveries([0.01, 0.03, 0.036, 0.04]) == [True] * 4
    assert discoveries([0.04, 0.045, 0.046, 0.051]) == [False] * 4


def test_what_cannot_be_tested_is_no_test():
    assert discoveries([None, 0.04, None]) == [False, True, False]
    assert discoveries([]) == []
