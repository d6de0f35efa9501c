"""Replicates of average precision: against images that are written out as often as their weights say.

Two computations that share no code: one in numpy after the definition, the other pycocotools' own `accumulate`.
"""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.cocoeval import COCOeval

from calipers.core.bootstrap import resample
from calipers.kernels.count.sums import key_hashes, weights
from calipers.suites.coco import replicates as replicates_module
from calipers.suites.coco.replicates import RankedClass, Replicates, excess, in_columns, replicate_values

from ...profiles import examples

STEPS = np.linspace(0.0, 1.0, 101)
TARGET = 0.3
THRESHOLDS = 10


def names(count):
    return [f"image {i}.jpg" for i in range(count)]


def values(keys, classes, replicates=100, seed=0, thresholds=THRESHOLDS, target=TARGET):
    return replicate_values(
        keys, in_columns(classes), thresholds=thresholds, recall_target=target, seed=seed, replicates=replicates
    )


def weights_of(keys, replicates, seed=0):
    return np.array([weights(int(key), seed, replicates).tolist() for key in key_hashes(keys)])


def ranked(image, found, ignored, objects):
    return RankedClass(
        np.array(image, np.int32), np.array(found, np.uint16), np.array(ignored, np.uint16), np.array(objects, np.int32)
    )


def random_class(rng, images, objects, detections):
    """Some detections find an object of their own, each at thresholds of its own; some of the rest are ignored."""
    places = rng.integers(0, images, objects)
    image, found = rng.integers(0, images, detections), np.zeros(detections, np.int64)
    finders = rng.choice(detections, min(detections, objects * 3 // 4), replace=False)
    image[finders] = rng.permutation(places)[: len(finders)]
    bits = rng.random((len(finders), THRESHOLDS)) < np.linspace(0.9, 0.2, THRESHOLDS)
    found[finders] = bits @ (1 << np.arange(THRESHOLDS))
    ignored = (rng.random(detections) < 0.1) * rng.integers(0, 1024, detections) & ~found
    return ranked(image, found, ignored, places)


def random_classes(seed, images=40):
    rng = np.random.default_rng(seed)
    sizes = [(60, 200), (25, 100), (7, 3), (1, 4), (0, 5), (3, 0), (2, 50)]
    return [random_class(rng, images, *size) for size in sizes]


# Against the definition


def written_out(hits, ignored, objects):
    """Interpolated precision at every step, and the last recall, of detections in order."""
    true, false = np.cumsum(hits & ~ignored), np.cumsum(~hits & ~ignored)
    recall, precision = true / objects, true / np.maximum(true + false, 1)
    envelope = [max(precision[i:]) for i in range(len(precision))] + [0.0]
    curve = np.array([envelope[at] for at in np.searchsorted(recall, STEPS, side="left")])
    return curve, recall[-1] if len(recall) else 0.0


def expected(classes, weight):
    """(thresholds,) AP, (thresholds,) recall and precision beyond, of one replicate."""
    cells = []
    for one in classes:
        objects = int(weight[one.objects].sum())
        times = weight[one.image]
        found, ignored = np.repeat(one.hits, times), np.repeat(one.ignored, times)
        bits = [((found >> t & 1).astype(bool), (ignored >> t & 1).astype(bool)) for t in range(THRESHOLDS)]
        cells += [[written_out(*bit, objects) for bit in bits]] if objects else []
    average = np.mean([[curve.mean() for curve, _ in row] for row in cells], axis=0)
    recall = np.mean([[last for _, last in row] for row in cells], axis=0)
    return average, recall, np.mean([row[0][0][STEPS >= TARGET].mean() for row in cells])


@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_images_written_out(seed):
    keys, classes = names(40), random_classes(seed)
    found, weight = values(keys, classes, replicates=70, seed=seed), weights_of(keys, 70, seed)
    for b in (0, 1, 30, 63, 64, 69):
        average, recall, beyond = expected(classes, weight[:, b])
        np.testing.assert_allclose(found.mean_average[:, b], average, rtol=0, atol=1e-14)
        np.testing.assert_allclose(found.mean_recall[:, b], recall, rtol=0, atol=1e-14)
        assert found.mean_beyond[b] == pytest.approx(beyond, abs=1e-14)


# Columns


def test_detections_after_the_last_right_one_are_left_out():
    classes = [
        ranked([0, 1, 2], [0, 1, 0], [0, 0, 0], [1]),
        ranked([3, 4], [0, 0], [0, 0], [2, 3]),
        ranked([], [], [], []),
        ranked([5, 6], [0, 4], [0, 1], []),
    ]
    columns = in_columns(classes).to_last_hits()
    assert [column.tolist() for column in columns] == [
        [2, 2, 2, 4],
        [0, 1, 5, 6],
        [0, 1, 0, 4],
        [0, 0, 0, 1],
        [1, 3, 3, 3],
        [1, 2, 3],
    ]
    assert [column.tolist() for column in in_columns([]).to_last_hits()] == [[]] * 6


@pytest.mark.parametrize("seed", range(3))
def test_classes_on_some_images_are_those_of_each_class(seed):
    classes, inside = random_classes(seed), np.random.default_rng(seed).random(40) < 0.4
    expected = []
    for one in classes:
        mine = inside[one.image]
        objects = one.objects[inside[one.objects]]
        expected.append(ranked(one.image[mine], one.hits[mine], one.ignored[mine], objects))
    for found, alone in zip(in_columns(classes).within(inside), in_columns(expected), strict=True):
        assert found.tolist() == alone.tolist()


# Against pycocotools


def accumulated(classes, scores, weight):
    """pycocotools' table of precision (thresholds, steps, classes) and recall, every image as often as it counts."""
    evaluation = COCOeval(iouType="bbox")
    params = evaluation.params
    params.imgIds = list(range(int(weight.sum())))
    params.catIds, params.areaRng, params.areaRngLbl, params.maxDets = (
        list(range(len(classes))),
        [[0, 1e10]],
        ["all"],
        [100],
    )
    evaluation._paramsEval = params
    times = np.repeat(np.arange(len(weight)), weight).tolist()
    evaluation.evalImgs = [
        evaluated(one, own, image) for one, own in zip(classes, scores, strict=True) for image in times
    ]
    evaluation.accumulate()
    return evaluation.eval["precision"][..., 0, 0], evaluation.eval["recall"][..., 0, 0]


def evaluated(one, scores, image):
    """What pycocotools keeps of one image and class."""
    here = one.image == image
    bits = np.arange(THRESHOLDS)[:, None]
    return {
        "dtScores": scores[here].tolist(),
        "dtMatches": (one.hits[here] | one.ignored[here]) >> bits & 1,
        "dtIgnore": (one.ignored[here] >> bits & 1).astype(bool),
        "gtIgnore": np.zeros(int((one.objects == image).sum())),
    }


def test_values_are_those_of_pycocotools(capsys):
    keys, classes = names(40), random_classes(9)
    scores = [np.linspace(1, 0, len(one.image)) for one in classes]  # no ties: copies of an image stay together
    found, weight = values(keys, classes, replicates=6), weights_of(keys, 6)
    for b in range(6):
        precision, recall = accumulated(classes, scores, weight[:, b])
        defined = recall[0] > -1
        np.testing.assert_allclose(
            found.mean_average[:, b], precision[..., defined].mean(axis=(1, 2)), rtol=0, atol=1e-14
        )
        np.testing.assert_allclose(found.mean_recall[:, b], recall[:, defined].mean(axis=1), rtol=0, atol=1e-14)
        beyond = precision[0][STEPS >= TARGET][:, defined].mean()
        assert found.mean_beyond[b] == pytest.approx(beyond, abs=1e-14)


# The replicates


def test_objects_have_the_weights_of_the_bootstrap():
    # image 0 has its object found, image 1 not: recall is the share of image 0 in the weights
    keys = ["a", "b"]
    found = values(keys, [ranked([0], [1], [0], [0, 1])], replicates=200, thresholds=1)
    first = resample(keys, [[1, 0]], seed=0, replicates=200)[0]
    both = resample(keys, [[1, 1]], seed=0, replicates=200)[0]
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(found.mean_recall[0], first / both)
    assert np.isnan(found.mean_average[0]).tolist() == (both == 0).tolist()


def test_shapes_are_as_asked_for():
    for replicates in (0, 1, 63, 64, 65, 130):
        found = values(names(3), [ranked([0], [1], [0], [0])], replicates=replicates, thresholds=3)
        shapes = [(3, replicates), (3, replicates), (replicates,), (replicates,), (1, replicates)]
        assert [part.shape for part in found] == shapes


def same(one: Replicates, other: Replicates) -> bool:
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("some", [1, 63, 64, 65, 199])
def test_a_replicate_does_not_depend_on_how_many_there_are(some):
    keys, classes = names(40), random_classes(1)
    all_of_them, first = values(keys, classes, replicates=200), values(keys, classes, replicates=some)
    assert same(first, Replicates(*(part[..., :some] for part in all_of_them)))


@pytest.mark.parametrize("thresholds", [1, 3, 10])
def test_a_threshold_does_not_depend_on_how_many_there_are(thresholds):
    keys, classes = names(40), random_classes(3)
    all_of_them, first = values(keys, classes), values(keys, classes, thresholds=thresholds)
    assert np.array_equal(first.mean_average, all_of_them.mean_average[:thresholds], equal_nan=True)
    assert np.array_equal(first.mean_recall, all_of_them.mean_recall[:thresholds], equal_nan=True)
    assert np.array_equal(first.mean_beyond, all_of_them.mean_beyond, equal_nan=True)


def test_weights_are_drawn_only_of_images_that_have_something(monkeypatch):
    drawn, draw = [], replicates_module.weight_table
    counted = lambda keys, *args: drawn.append(len(keys)) or draw(keys, *args)  # noqa: E731
    monkeypatch.setattr(replicates_module, "weight_table", counted)
    few = [one._replace(image=one.image * 9, objects=one.objects * 9) for one in random_classes(5, images=4)]
    found = values(names(1000), few)
    assert set(drawn) == {4}
    assert same(found, values([f"image {9 * i}.jpg" for i in range(4)], random_classes(5, images=4)))


def test_some_classes_are_those_without_the_others():
    classes = random_classes(6)
    chosen = np.array([len(one.objects) > 2 for one in classes])
    found = in_columns(classes).of_classes(chosen)
    alone = in_columns([one for one, is_chosen in zip(classes, chosen, strict=True) if is_chosen])
    assert all(np.array_equal(a, b) for a, b in zip(found, alone, strict=True))


@pytest.mark.parametrize("threads", [1, 2, 7, None])
def test_the_number_of_threads_changes_no_bit(threads, monkeypatch):
    keys, classes = names(40), random_classes(2)
    usual = values(keys, classes, replicates=500)
    monkeypatch.setattr(os, "cpu_count", lambda: threads)
    assert same(usual, values(keys, classes, replicates=500))


def test_a_class_takes_part_in_a_replicate_that_has_an_object_of_it():
    keys, classes = names(40), random_classes(4)
    drawn = weights_of(keys, 100)  # (images, replicates)
    expected_presence = [drawn[one.objects].sum(axis=0) > 0 for one in classes]
    assert (values(keys, classes).present == expected_presence).all()


def test_excess_compares_a_replicate_with_the_classes_it_has():
    # the whole set has 0.2 and 0.8; two replicates have both (0.5 on average), one only the second, one nothing
    present = np.array([[1, 1, 0, 0], [1, 1, 1, 0]], bool)
    found = excess(np.array([0.6, 0.5, 0.85, np.nan]), np.array([0.2, 0.8]), present)
    assert found == pytest.approx((0.1 + 0.0 + 0.05) / 3, abs=1e-15)
    assert excess(np.array([np.nan]), np.array([0.2]), np.array([[False]])) == 0.0


def test_another_seed_gives_other_replicates():
    keys, classes = names(40), random_classes(2)
    assert not same(values(keys, classes, seed=0), values(keys, classes, seed=1))


def test_without_classes_or_images_nothing_is_defined():
    for keys in ([], names(5)):
        assert all(np.isnan(part).all() for part in values(keys, [])[:3])


def test_a_mean_over_replicates_is_near_the_value_itself():
    keys, classes = names(400), random_classes(3, images=400)[:2]
    average = expected(classes, np.ones(400, int))[0]
    found = values(keys, classes, replicates=1000).mean_average
    assert found.mean(axis=1) == pytest.approx(average, abs=0.03)
    assert (found.std(axis=1) > 0.001).all()


# What is refused


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (ranked([0, 2], [1, 0], [0, 0], [0]), "an image from 0 to 2: expected 0 to 1"),
        (ranked([0], [1], [0], [-1, 0]), "an image from -1 to 0: expected 0 to 1"),
        (ranked([0], [1, 0], [0], [0]), "not of one length"),
    ],
)
def test_what_has_no_place_is_refused(broken, message):
    with pytest.raises(ValueError, match=message):
        values(names(2), [broken])


@pytest.mark.parametrize("thresholds", [0, 17])
def test_thresholds_are_as_many_as_bits(thresholds):
    with pytest.raises(ValueError, match=f"{thresholds} thresholds: expected 1 to 16"):
        values(names(2), [], thresholds=thresholds)


# Laws


@st.composite
def data_sets(draw):
    """Images with objects, and detections in any order that find each object at most once."""
    images = draw(st.integers(1, 6))
    classes = []
    for _ in range(draw(st.integers(1, 3))):
        objects = draw(st.lists(st.integers(0, images - 1), max_size=8))
        hits = [(image, draw(st.integers(0, 1023)), 0) for image in objects if draw(st.booleans())]
        row = st.tuples(st.integers(0, images - 1), st.just(0), st.integers(0, 1023))
        rows = draw(st.permutations(hits + draw(st.lists(row, max_size=8))))
        columns = np.array(rows, np.int64).reshape(-1, 3).T
        classes.append(ranked(*columns, objects))
    return names(images), classes


@settings(max_examples=examples(60), deadline=None)
@given(data_sets(), st.floats(0, 1))
def test_every_value_is_between_0_and_1_and_defined_where_there_is_an_object(data, target):
    keys, classes = data
    found, weight = values(keys, classes, replicates=65, target=target), weights_of(keys, 65)
    objects = sum(weight[one.objects].sum(axis=0) for one in classes)
    for part in found[:3]:
        assert (np.isnan(part) == (objects == 0)).all()
        defined = part[~np.isnan(part)]
        assert ((defined >= 0) & (defined <= 1)).all()


@settings(max_examples=examples(30), deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=30), min_size=1, max_size=3), st.floats(0, 1))
def test_where_everything_is_found_and_nothing_else_all_values_are_1(objects, target):
    classes = [ranked(images, [1023] * len(images), [0] * len(images), images[::-1]) for images in objects]
    found = values(names(6), classes, replicates=70, target=target)
    for part in found[:3]:
        assert set(part[~np.isnan(part)].tolist()) <= {1.0}


@settings(max_examples=examples(40), deadline=None)
@given(data_sets())
def test_misses_behind_everything_else_and_ignored_ones_anywhere_change_nothing(data):
    keys, classes = data
    more = []
    for one in classes:
        head, tail = np.array([0, 0]), np.array([0, 0, 0])
        image, ignored = np.concatenate([head, one.image, tail]), np.concatenate([[1023, 1023], one.ignored, tail])
        more.append(ranked(image, np.concatenate([head, one.hits, tail]), ignored, one.objects))
    assert same(values(keys, classes, replicates=64), values(keys, more, replicates=64))


@settings(max_examples=examples(40), deadline=None)
@given(data_sets())
def test_the_precision_from_recall_0_on_is_the_average_at_the_first_threshold(data):
    found = values(*data, replicates=64, target=0.0)
    np.testing.assert_array_equal(found.mean_beyond, found.mean_average[0])
