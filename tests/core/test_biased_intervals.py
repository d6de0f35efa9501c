"""Intervals of figures that are too high: by hand, their laws, and how often they hold the truth."""

from math import isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers
from calipers.core.bootstrap import around, ragged_bias

# By hand


def test_an_interval_is_moved_by_the_bias_and_widened():
    # 41 values of -2 … 2 in steps of 0.1, a hundredth each: the middle goes from -0.019 to 0.019 around 0.5,
    # and the standard deviation is 0.1 / 100 * sqrt((41 ** 2 - 1) / 12) = 0.0118322.
    values = [0.5 + step / 1000 for step in range(-20, 21)]
    assert around(0.6, values, records=9) == pytest.approx([0.581, 0.619], abs=1e-12)
    # A bias of 0.02 moves it to 0.58. What is missing to 1 was 0.4 and is 0.42: all is 1.05 times as wide. And 0.01,
    # half of the bias, is added to the deviation: sqrt(1 + (0.01 / 0.0118322) ** 2) = 1.309307 times as wide.
    reach = 0.019 * 1.05 * sqrt(1 + 0.0001 / 0.00014)
    found = around(0.6, values, records=9, bias=0.02)
    assert found == pytest.approx([0.58 - reach, 0.58 + reach], abs=1e-12)
    assert found == pytest.approx([0.553879, 0.606121], abs=1e-6)


def test_the_bias_is_the_excess_over_the_root_of_two_less_one():
    # noise of variance 1 makes it too high by b, of variance 2 by sqrt(2) b: the difference is (sqrt(2) - 1) b
    assert ragged_bias(0.01) == pytest.approx(0.01 / (sqrt(2) - 1), rel=1e-15)
    assert ragged_bias(-0.01) == ragged_bias(0.0) == 0.0


def test_values_that_never_vary_are_not_divided_by_and_the_figure_stays_in():
    assert around(0.5, [0.6] * 100, records=9, bias=0.1) == [0.4, 0.5]
    assert around(1.0, [1.0] * 100, records=9, bias=1e-17) == [1.0, 1.0]


# Laws

share = st.floats(0, 1)
draws = st.lists(share | st.just(nan), min_size=30, max_size=80)


@given(share, draws, st.floats(0, 2), st.integers(0, 5))
def test_laws_of_the_interval(number, values, bias, records):
    found = around(number, values, records=records, bias=bias)
    defined = sum(not isnan(value) for value in values)
    assert (found is None) == (records < 2 or defined < 40)
    if found is not None:
        assert 0 <= found[0] <= number <= found[1] <= 1
        low = around(number, values, records=records)[0]
        assert found[0] <= low + 1e-12 or bias == 0  # taking a bias off never raises the lower end


@given(draws)
def test_of_nothing_there_is_no_interval(values):
    assert around(None, values, records=9, bias=0.1) is None


# How often they hold the truth

CLASSES, IMAGES, SETS = 8, 80, 60


def drawn(rng: np.random.Generator, images: int) -> tuple[dict, list[dict]]:
    """Three objects an image, most of them found, some twice; and two boxes of nothing. Some images are harder."""
    truth, found = [], []
    for image, ease in enumerate(rng.normal(0, 0.7, images).tolist(), 1):
        kinds = rng.integers(1, CLASSES + 1, 5).tolist()
        sure, luck, size = (rng.random(5).tolist() for _ in range(3))
        for place, kind in enumerate(kinds):
            box = [100.0 * place, 0.0, 50.0, 50.0]
            if place < 3:
                truth.append({"image_id": image, "category_id": kind, "bbox": box, "area": 2500, "iscrowd": 0})
            if place < 3 and luck[place] > 0.9 + 0.05 * ease:
                continue
            score = ease + 4 * sure[place] if place < 3 else 2.5 * sure[place]
            box = [*box[:2], 50 * (1 - 0.4 * size[place]), 50.0]  # an IoU from 0.6 to 1
            found += [{"image_id": image, "category_id": kind, "bbox": box, "score": score}] * (
                1 if luck[place] > 0.2 else 2
            )
    images_tree = [{"id": number} for number in range(1, images + 1)]
    categories = [{"id": kind, "name": str(kind)} for kind in range(1, CLASSES + 1)]
    numbered = [row | {"id": number} for number, row in enumerate(truth, 1)]
    return {"images": images_tree, "categories": categories, "annotations": numbered}, found


def test_intervals_of_ap_hold_the_large_sample_value_on_small_sets():
    """60 sets of 80 images. Moved onto the figure alone, intervals of AP held it in fewer than half of them."""
    large = calipers.coco_numbers(*drawn(np.random.default_rng(1), 10_000))
    sets = (drawn(np.random.default_rng([2, number]), IMAGES) for number in range(SETS))
    reports = [calipers.coco(*one, bootstrap=300) for one in sets]
    for name in ("AP", "AP_50", "AP_75"):
        ends = [report["intervals"][name] for report in reports]
        assert sum(low <= large[name] <= high for low, high in ends) >= 0.9 * SETS, name
