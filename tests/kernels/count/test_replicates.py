"""Average precision under weights, 64 replicates side by side, on ranked hits and misses worked out by hand.

Detections of a class are drawn from the best to the last: `+` found its object, `-` did not, `o` is ignored. A recall
of 1/2 reaches 51 of the 101 recall steps.
"""

import numpy as np
import pytest

from calipers.core.bootstrap import resample
from calipers.core.ranking import RECALL_STEPS, curve_of
from calipers.kernels.count.replicates import REPLICATES, mean_values
from calipers.kernels.count.sums import key_hashes, weight_table, weights


def means(weight_rows, classes, first_step=0, thresholds=1):
    """Rows (AP, recall, precision beyond) of as many replicates as a row of weights has."""
    return means_and_presence(weight_rows, classes, first_step, thresholds)[0][:-1]


def all_means(weight_rows, classes, first_step=0, thresholds=1, target=1.0):
    """Those rows, and that of precision at the target."""
    return means_and_presence(weight_rows, classes, first_step, thresholds, target)[0]


def means_and_presence(weight_rows, classes, first_step=0, thresholds=1, target=1.0):
    """Those rows, and of each class 64 bits: the replicates in which it has an object.

    A class is its detections as (image, bits found, bits ignored), and the image of each object.
    """
    table = np.zeros((len(weight_rows), REPLICATES), np.uint8)
    table[:, : len(weight_rows[0])] = weight_rows
    rows = np.array([row for detections, _ in classes for row in detections], np.int64).reshape(-1, 3)
    found, present = mean_values(
        table.reshape(-1),
        np.cumsum([len(detections) for detections, _ in classes], dtype=np.int64),
        rows[:, 0].astype(np.int32),
        rows[:, 1].astype(np.uint16),
        rows[:, 2].astype(np.uint16),
        np.cumsum([len(objects) for _, objects in classes], dtype=np.int64),
        np.array([image for _, objects in classes for image in objects], np.int32),
        thresholds,
        first_step,
        target,
    )
    return np.asarray(found).reshape(2 * thresholds + 2, REPLICATES)[:, : len(weight_rows[0])], present.tolist()


def drawn(line, images=None):
    """Detections from a drawing, each on an image of its own or on those given."""
    places = range(len(line)) if images is None else images
    return [(image, int(mark == "+"), int(mark == "o")) for image, mark in zip(places, line, strict=True)]


def average(line, weight, objects, images=None):
    """AP of one class, in one replicate."""
    return means([[w] for w in weight], [(drawn(line, images), objects)])[0, 0]


def test_a_class_says_in_which_replicates_it_has_an_object():
    # an object of the first class on image a, of the second on b; three replicates weigh them 1 0 2 and 0 1 2
    classes = [(drawn("+", [0]), [0]), (drawn("-", [1]), [1]), (drawn("-", [0]), [])]
    assert means_and_presence([[1, 0, 2], [0, 1, 2]], classes)[1] == [0b101, 0b110, 0]


# One class


def test_weights_of_one_change_nothing():
    # precision 1, 1/2, 2/3 at recall 1/2, 1/2, 1: 51 steps of 1, the 50 beyond of 2/3
    assert average("+-+", [1, 1, 1], [0, 2]) == pytest.approx((51 + 50 * 2 / 3) / 101, abs=1e-15)


def test_an_image_of_weight_0_is_not_there():
    assert average("+-+", [1, 0, 1], [0, 2]) == 1.0
    assert average("+-+", [1, 1, 0], [0, 2]) == 1.0
    assert average("+-+", [0, 1, 1], [0, 2]) == 0.5


def test_an_image_of_weight_2_is_there_twice():
    # + + - - + : recall 2/3 (67 steps) with precision 1, then 1 with 3/5
    assert average("+-+", [2, 2, 1], [0, 2]) == pytest.approx((67 + 34 * 3 / 5) / 101, abs=1e-15)


def test_detections_of_one_image_share_its_weight():
    # images 0, 1, 0 with weights 3, 1: + + + - and three more misses behind
    assert average("+--", [3, 1], [0], images=[0, 1, 0]) == 1.0
    # - - - + : 1/4
    assert average("-+", [3, 1], [1]) == 0.25


def test_a_later_rise_lifts_what_is_before_it():
    # miss, hit, hit of weights 1, 1, 2: precision 0, 1/2, 3/4 where all three objects are found
    assert average("-++", [1, 1, 2], [1, 2]) == 0.75


def test_ignored_detections_count_as_neither():
    assert average("+o+", [1, 5, 1], [0, 2]) == 1.0
    assert average("o+-", [4, 1, 1], [1]) == 1.0
    assert average("oo", [1, 1], [0]) == 0.0


def test_recall_that_is_never_reached_has_precision_0():
    # weights 1 and 2: one of three objects; recall 1/3 reaches the steps 0 to 0.33
    assert average("+", [1, 2], [0, 1]) == pytest.approx(34 / 101, abs=1e-15)


def test_without_detections_everything_is_0():
    assert means([[1], [2]], [([], [0, 1])]).tolist() == [[0.0], [0.0], [0.0]]


def test_without_an_object_in_the_replicate_nothing_is_defined():
    found = means([[1, 0], [1, 1]], [(drawn("+-"), [0])])
    assert found[:, 0].tolist() == [1.0, 1.0, 1.0]
    assert np.isnan(found[:, 1]).all()


def test_recall_is_that_of_all_detections():
    found = means([[1, 2, 0], [1, 1, 1], [1, 3, 2]], [(drawn("+-"), [0, 2])])
    assert found[1].tolist() == [1 / 2, 2 / 5, 0.0]


@pytest.mark.parametrize(
    ("first_step", "expected"), [(0, (51 + 50 * 2 / 3) / 101), (50, (1 + 50 * 2 / 3) / 51), (51, 2 / 3), (100, 2 / 3)]
)
def test_precision_beyond_is_over_the_steps_from_the_first(first_step, expected):
    found = means([[1], [1], [1]], [(drawn("+-+"), [0, 2])], first_step)
    assert found[2, 0] == pytest.approx(expected, abs=1e-15)


# Recall steps, to the bit


@pytest.mark.parametrize("objects", [1, 2, 3, 7, 20, 25, 50, 100, 200, 300, 1000])
def test_every_recall_reaches_the_steps_that_it_does_in_pycocotools(objects):
    # hits of `objects`: the steps up to that recall, as floats compare; 7 of 20 misses 0.35000000000000003
    for hits in range(objects + 1):
        expected = np.count_nonzero(hits / objects >= RECALL_STEPS) if hits else 0
        assert average("+" * hits, [1] * objects, list(range(objects))) == pytest.approx(expected / 101, abs=1e-15)


def test_weighted_recall_meets_the_same_steps():
    # 35 of 100 by weights of 5, and 36 of 100 by weights of 12, 8 and 4
    assert average("+" * 7, [5] * 20, list(range(20))) == pytest.approx(35 / 101, abs=1e-15)
    assert average("+++", [12, 12, 12, 8, 8, 8, 8, 8, 8, 8, 8], list(range(11))) == pytest.approx(37 / 101, abs=1e-15)


def test_recall_steps_are_hundredths_as_floats_multiply():
    assert RECALL_STEPS.tolist() == [0.01 * k for k in range(101)]


# Thresholds and classes


def test_every_threshold_has_its_own_hits_and_its_own_ignored():
    # bit 0: + - + ; bit 1: - + o ; bit 15: nothing found
    rows = [(0, 0b01, 0), (1, 0b10, 0), (2, 0b01, 0b10)]
    found = means([[1], [1], [1]], [(rows, [0, 2])], thresholds=16)
    assert found[0, 0] == pytest.approx((51 + 50 * 2 / 3) / 101, abs=1e-15)
    assert found[1, 0] == pytest.approx(51 / 2 / 101, abs=1e-15)
    assert found[2:16, 0].tolist() == [0.0] * 14
    assert found[16:20, 0].tolist() == [1.0, 0.5, 0.0, 0.0]


def test_a_hit_that_is_ignored_as_well_is_ignored():
    assert means([[1], [1]], [([(0, 1, 1), (1, 1, 0)], [1])])[:, 0].tolist() == [1.0, 1.0, 1.0]


def test_the_mean_is_over_classes_with_an_object_in_the_replicate():
    first, second, never = (drawn("+", [0]), [0]), (drawn("-", [0]), [1]), (drawn("-", [1]), [])
    found = means([[1, 1, 0, 0], [1, 0, 1, 0]], [first, second, never])
    np.testing.assert_array_equal(found[0], [0.5, 1.0, 0.0, np.nan])


def test_no_classes_at_all_have_no_mean():
    assert np.isnan(means([[1]], [])).all()


# Replicates side by side


def test_every_place_among_the_64_counts_alike():
    rng = np.random.default_rng(5)
    table = rng.integers(0, 14, (9, REPLICATES))
    line = drawn("+-++--+o-")
    together = means(table, [(line, [0, 2, 3, 6, 8])], first_step=40)
    for b in range(REPLICATES):
        alone = means(table[:, b : b + 1], [(line, [0, 2, 3, 6, 8])], first_step=40)
        np.testing.assert_array_equal(together[:, b], alone[:, 0])


def test_many_misses_of_the_largest_weight_are_counted():
    # 13 * 1000 misses before 13 hits
    assert average("-" * 1000 + "+", [13, 13], [1], images=[0] * 1000 + [1]) == pytest.approx(1 / 1001, abs=1e-16)


@pytest.mark.parametrize("seed", range(5))
def test_weights_of_one_give_the_curve_of_the_detection_metrics(seed):
    rng = np.random.default_rng(seed)
    found = rng.random(500) < np.linspace(1, 0.1, 500)
    objects = int(found.sum()) + int(rng.integers(0, 200))
    curve = curve_of(found, objects)
    rows = means([[1]], [([(0, int(hit), 0) for hit in found], [0] * objects)], first_step=60)
    assert rows[0, 0] == pytest.approx(curve.mean(), abs=1e-14)
    assert rows[2, 0] == pytest.approx(curve[60:].mean(), abs=1e-14)


# The weights


def test_the_table_holds_the_weights_of_each_record():
    hashes = np.asarray(key_hashes([f"{i}.jpg" for i in range(30)]))
    table = np.asarray(weight_table(hashes, 7, 50)).reshape(30, 50)
    assert table.tolist() == [weights(int(key), 7, 50).tolist() for key in hashes]
    assert np.asarray(weight_table(hashes, 7, 20, 30)).reshape(30, 20).tolist() == table[:, 30:].tolist()


@pytest.mark.parametrize("bits", [128, 256, 512])
@pytest.mark.parametrize("replicates", [1, 15, 16, 17, 250, 1000])
def test_weights_are_the_same_with_registers_of_any_width(bits, replicates):
    # 1,000 x 1,000 draws reach nine of the thirteen steps, so also those that are looked at seldom
    hashes = np.asarray(key_hashes([f"{i}.jpg" for i in range(1001)]))
    table = np.asarray(weight_table(hashes, 3, replicates, 2, bits)).reshape(1001, replicates)
    rows = range(0, 1001, 10) if replicates < 1000 else range(1001)
    assert all(table[at].tolist() == weights(int(hashes[at]), 3, replicates + 2).tolist()[2:] for at in rows)


@pytest.mark.parametrize("replicates", [0, 1, 7, 64])
def test_the_table_adds_up_to_what_resampling_gives(replicates):
    keys = [f"{i}.jpg" for i in range(100)]
    table = np.asarray(weight_table(np.asarray(key_hashes(keys)), 3, replicates)).reshape(100, replicates)
    sums = resample(keys, np.ones((1, 100), np.int64), seed=3, replicates=replicates)
    assert table.sum(axis=0).tolist() == sums[0].tolist()


def test_no_weight_is_above_13():
    # What sums of bytes rest on: the last step of the distribution that 32 bits can tell
    hashes = np.asarray(key_hashes([str(i) for i in range(2000)]))
    assert max(np.asarray(weight_table(hashes, 0, 1000)).tolist()) <= 13


@pytest.mark.parametrize(
    ("target", "expected"),
    [(0.0, 1.0), (0.5, 1.0), (0.7, 2 / 3), (1.0, 2 / 3), (0.51, 2 / 3)],
)
def test_precision_at_a_target_is_the_best_from_there_on(target, expected):
    """Right, wrong, right, of two objects: precision 1 up to recall 1/2, then 2/3."""
    detections = [(0, 1, 0), (0, 0, 0), (0, 1, 0)]
    assert all_means([[1, 2]], [(detections, [0, 0])], target=target)[-1].tolist() == pytest.approx([expected] * 2)


def test_a_target_that_is_met_exactly_is_reached_whatever_floats_say():
    """70 * 0.01 is above 0.7 in floats, so pycocotools's step 0.70 is not reached by 7 of 10."""
    row = all_means([[1]], [([(0, 1, 0)] * 7, [0] * 10)], first_step=70, target=0.7)
    assert row[:, 0].tolist() == [pytest.approx(70 / 101), 0.7, 0.0, 1.0]
    assert all_means([[1]], [([(0, 1, 0)] * 7, [0] * 10)], target=0.71)[-1, 0] == 0.0


def test_without_a_target_nothing_is_said_about_it():
    classes = [([(0, 3, 0), (1, 0, 0), (1, 2, 1), (0, 1, 0)], [0, 1, 1])]
    weights = [[1, 2, 0], [3, 1, 1]]
    at_target, without = (all_means(weights, classes, thresholds=2, target=target) for target in (0.5, None))
    assert np.array_equal(without[:4], at_target[:4])
    assert not np.isnan(at_target).any()
    assert np.isnan(without[4:]).all()
