"""Headline numbers for trackers: floats by path, nothing undefined, always in the same order."""

import pytest

from calipers.core.errors import ConfigError
from calipers.report import Report

from .sample_reports import SUITES, report, tree


@pytest.mark.parametrize("suite", SUITES)
def test_every_value_is_a_finite_float_under_the_prefix(suite):
    numbers = report(suite).flat(prefix="val/")
    assert len(numbers) > 10
    assert all(name.startswith("val/") and type(value) is float and value == value for name, value in numbers.items())


@pytest.mark.parametrize("suite", SUITES)
def test_an_artifact_gives_the_same_numbers_in_the_same_order(suite):
    assert list(Report(tree(suite)).flat().items()) == list(report(suite).flat().items())


def test_modes_of_the_dense_suite_are_paths():
    numbers, found = report("dense").flat("val/"), tree("dense")
    assert numbers["val/category/mean_f1"] == found["modes"]["category"]["mean_f1"]
    assert numbers["val/localization/recall"] == found["modes"]["localization"]["primary"]["recall"]
    assert numbers["val/errors/missed"] == found["errors"]["missed"]
    assert numbers["val/attributes/f1"] == found["attributes"]["f1"]
    assert next(iter(numbers)) == "val/localization/precision"


def test_means_of_videos_are_plain_and_pooled_ones_say_so():
    numbers, found = report("timeline").flat(), tree("timeline")
    assert numbers["frame_accuracy"] == found["summary"]["frame_accuracy_mean"]
    assert numbers["pooled/frame_accuracy"] == found["pooled"]["frame_accuracy"]


def test_methods_of_the_scene_suite_are_paths():
    numbers, found = report("scene").flat("test/"), tree("scene")["methods"]
    assert numbers["test/clio/f1"] == found["clio"]["detection_metrics"]["f1"]
    assert numbers["test/pipeline/ap_iou_0.25"] == found["pipeline"]["ap"]["iou_0.25"]
    assert numbers["test/pipeline/fp/duplicate"] == found["pipeline"]["fp_breakdown"]["duplicate"]
    assert "test/clio/ap_iou_0.25" not in numbers  # without scores there is none


def test_the_lines_of_coco_have_their_own_names():
    numbers, found = report("coco").flat("val/"), tree("coco")
    assert numbers["val/AP"] == found["coco"]["AP"]
    assert numbers["val/sweep/mean_f1"] == found["sweep"]["mean_f1"]


def test_what_is_undefined_is_left_out():
    found = tree("dense")
    found["modes"]["category"]["mean_f1"] = None
    numbers = Report(found).flat()
    assert "category/mean_f1" not in numbers
    assert "category/f1" in numbers


def test_a_method_with_a_dot_in_its_name_is_one_part_of_the_path():
    found = tree("scene")
    found["methods"] = {"ours.v2": found["methods"]["clio"]}
    assert Report(found).flat()["ours.v2/f1"] == found["methods"]["ours.v2"]["detection_metrics"]["f1"]


def test_a_prefix_that_is_no_text_is_refused():
    with pytest.raises(ConfigError, match="prefix: found 3, expected text"):
        report("dense").flat(3)
