"""Federated ground truth against LVIS's two rules, written on top of pycocotools.

The `lvis` package itself does not run on today's numpy; with that mended, it gave the same numbers on such data sets.
"""

from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import calipers

from ..profiles import seeds
from . import coco_reference as reference
from .coco_datasets import annotation, coco_json, detection, draw
from .test_coco import exact, names_of

FIELDS = ("neg_category_ids", "not_exhaustive_category_ids")


class LvisEval(COCOeval):
    """pycocotools with what LVIS adds: classes that were not looked for, and those that are not fully annotated."""

    def _prepare(self):
        super()._prepare()
        images = {image["id"]: image for image in self.cocoGt.dataset["images"]}
        present = {(row["image_id"], row["category_id"]) for row in self.cocoGt.dataset["annotations"]}
        for image, kind in list(self._dts):
            if (image, kind) not in present and kind not in images[image]["neg_category_ids"]:
                self._dts[image, kind] = []
        self.partial = {key: image["not_exhaustive_category_ids"] for key, image in images.items()}

    def evaluateImg(self, image, kind, area, most):  # noqa: N802
        row = super().evaluateImg(image, kind, area, most)
        if row is not None and kind in self.partial[image]:
            row["dtIgnore"] = row["dtIgnore"] | (row["dtMatches"] == 0)
        return row


def federated(seed, iou_type):
    """A data set in which some classes are surely absent and some are not fully annotated."""
    dataset = draw(seed, iou_type, vast=False, left_out=False, boxed=True, crowd=0.15 if seed % 2 else 0)
    rng = np.random.default_rng(seed)
    kinds = [each["id"] for each in dataset.truth["categories"]]
    for image in dataset.truth["images"]:
        present = {row["category_id"] for row in dataset.truth["annotations"] if row["image_id"] == image["id"]}
        image["neg_category_ids"] = [kind for kind in kinds if kind not in present and rng.random() < 0.5]
        image["not_exhaustive_category_ids"] = [kind for kind in kinds if rng.random() < 0.3]
    return dataset


def by_the_rules(dataset):
    with redirect_stdout(StringIO()):
        truth = COCO()
        truth.dataset = reference._their_truth(dataset)
        truth.createIndex()
        found = LvisEval(truth, reference._their_results(dataset, truth), dataset.iou_type)
        found.evaluate()
        found.accumulate()
    return found


@pytest.mark.parametrize("iou_type", ["bbox", "segm"])
@pytest.mark.parametrize("seed", seeds(25))
def test_the_lines_are_those_of_lvis(iou_type, seed):
    dataset = federated(seed, iou_type)
    report = calipers.coco(dataset.truth, dataset.results, iou_type=iou_type, bootstrap=20)
    if report["ap_undefined_reason"]:
        return
    found = by_the_rules(dataset)
    names = names_of(iou_type, found.params.maxDets)
    assert report["coco"] == {name: exact(value) for name, value in zip(names, reference.stats(found), strict=True)}
    for kind, row in enumerate(report["per_class"]):  # our own matching, in which intervals are drawn, is the same
        best = reference.best_cut(found, kind)
        assert row["best_f1"] == (None if best.f1 is None else exact(float(best.f1)))


CONE, SIGN, FAR = [0, 0, 10, 10], [50, 0, 10, 10], [300, 0, 9, 9]


def data(**fields):
    truth = coco_json(annotation(CONE))  # a cone; nobody looked for signs
    truth["images"][0] |= fields
    return truth


def measured(truth, *found, **options):
    return calipers.coco(truth, [detection(*each) for each in found], bootstrap=0, **options)


def test_what_was_not_looked_for_is_left_out_everywhere():
    found = (CONE, 0.5, 1), (SIGN, 0.9, 2)
    report = measured(data(neg_category_ids=[], not_exhaustive_category_ids=[]), *found)
    assert report["objects"]["pred"] == report["sweep"]["primary"]["pred"] == 1
    assert report["sweep"]["primary"]["precision"] == 1.0
    assert "were not looked for on their images (neg_category_ids) are left out: 1" in report["warnings"][-1]
    report = measured(data(neg_category_ids=[2]), *found)  # it is surely not there
    assert report["objects"]["pred"] == 2
    assert report["sweep"]["primary"]["precision"] == 0.5


def test_what_is_not_fully_annotated_cannot_be_wrong():
    found = (CONE, 0.5, 1), (FAR, 0.9, 1)
    report = measured(data(not_exhaustive_category_ids=[1]), *found)
    assert report["coco"]["AP"] == report["sweep"]["primary"]["precision"] == 1.0
    assert report["objects"]["in_crowd"] == 1
    assert "cannot be wrong: 2" in report["warnings"][-1]
    report = measured(data(not_exhaustive_category_ids=[2]), *found)
    assert report["coco"]["AP"] == report["sweep"]["primary"]["precision"] == 0.5


def test_the_lists_can_be_ignored_on_purpose():
    found = (CONE, 0.5, 1), (FAR, 0.9, 1), (SIGN, 0.9, 2)
    plain = measured(coco_json(annotation(CONE)), *found)
    report = measured(data(neg_category_ids=[], not_exhaustive_category_ids=[1]), *found, ignore_federated=True)
    assert report["params"].pop("ignore_federated")
    assert not plain["params"].pop("ignore_federated")
    assert report["coco"] == plain["coco"]
    assert report["sweep"] == plain["sweep"]
    assert report["warnings"] == plain["warnings"]


def test_an_invalid_detection_is_no_better_off():
    report = measured(data(not_exhaustive_category_ids=[1]), (CONE, 0.5, 1), ([0, 0, -1, 5], 0.9, 1))
    assert report["sweep"]["primary"]["precision"] == 0.5


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (3, "found 3, expected a list of ids of categories"),
        (["cone"], 'found ["cone"], expected a list of ids of categories'),
        ([7], "found 7, expected the id of a category"),
    ],
)
@pytest.mark.parametrize("name", FIELDS)
def test_lists_that_cannot_be_read_are_errors(name, value, problem):
    with pytest.raises(calipers.InputError) as raised:
        measured(data(**{name: value}))
    assert str(raised.value) == f"<gt>: images (id 1): {name}: {problem}"


def test_keypoints_have_no_such_lists():
    truth = coco_json(annotation(CONE, keypoints=[1, 1, 2] * 17)) | {"categories": [{"id": 1, "name": "person"}]}
    truth["images"][0]["neg_category_ids"] = []
    with pytest.raises(calipers.InputError, match="boxes or masks only \\(`ignore_federated=True`"):
        calipers.coco(truth, [], iou_type="keypoints", bootstrap=0)
    assert calipers.coco(truth, [], iou_type="keypoints", bootstrap=0, ignore_federated=True)["coco"]["AP"] == 0
