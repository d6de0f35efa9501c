"""Ends of intervals and fractions of chances, by hand and against plain code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from calipers.kernels.count.inference import beta_fractions, interval_ends


def ends_of(rows, tail):
    rows = np.array(rows, np.float64)
    return np.asarray(interval_ends(rows.reshape(-1), rows.shape[1], tail)).reshape(-1, 2).tolist()


def test_ends_have_a_tail_beyond_them():
    # 1 2 3 4 5 and 0 0 0 7 9: without one at either end they go from 2 to 4 and from 0 to 7
    assert ends_of([[4, 1, 5, 3, 2], [7, 0, 9, 0, 0]], 1) == [[2, 4], [0, 7]]
    assert ends_of([[4, 1, 5, 3, 2]], 0) == [[1, 5]]
    assert ends_of([[4, 1, 5, 3, 2]], 4) == [[5, 1]]
    assert np.asarray(interval_ends(np.empty(0), 1, 0)).tolist() == []


@given(st.data())
def test_ends_are_those_of_sorted_rows(data):
    rows, columns = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 90))
    tail = data.draw(st.integers(0, columns - 1))
    numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False))
    values = data.draw(arrays(np.float64, (rows, columns), elements=numbers))
    assert ends_of(values, tail) == np.sort(values, axis=1)[:, [tail, columns - 1 - tail]].tolist()


@pytest.mark.parametrize("tail", [7, 8, 25, 200, 700])
def test_ends_of_long_rows_are_those_of_sorted_ones(tail):
    rng = np.random.default_rng(tail)
    rows = np.stack(
        [rng.normal(size=1000), rng.integers(0, 9, 1000), np.arange(1000), np.full(1000, 5), -np.arange(1000)]
    )
    rows[1, ::8] = -np.arange(125)  # every eighth number, which are looked at first, lies beyond the others
    rows[2, ::8] += np.where(np.arange(125) % 2, 9000, -9000)
    rows[3, ::8] = np.inf
    assert ends_of(rows, tail) == np.sort(rows, axis=1)[:, [tail, 999 - tail]].tolist()


def plain_fraction(x, a, b):
    """b0 + a1 / (b1 + a2 / ...) from its 200th term backwards, every bi 1."""
    total = 1.0
    for k in range(200, 0, -1):
        m = k // 2
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) if m else 0.0
        total = 1 + (odd if k % 2 else even) / total
    return 1 / total


def test_a_fraction_without_x_is_one():
    assert np.asarray(beta_fractions(np.zeros(2), np.array([1.0, 2.0]), np.full(2, 0.5))).tolist() == [1, 1]


@pytest.mark.parametrize("a", [0.5, 1.0, 7.5, 300.0])
def test_fractions_are_those_from_the_last_term_backwards(a):
    x = np.linspace(0, (a + 1) / (a + 2.5), 20)  # where it converges fast
    found = np.asarray(beta_fractions(x, np.full(20, a), np.full(20, 0.5)))
    assert found == pytest.approx([plain_fraction(own, a, 0.5) for own in x.tolist()], rel=1e-12)
