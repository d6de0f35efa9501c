"""Figures of an artifact by name: their replicates are those that its intervals were made of."""

import numpy as np
import pytest

import calipers
from calipers.core.bootstrap import around, middle, short
from calipers.core.errors import ConfigError
from calipers.core.figures import spec_named
from calipers.show.figures import figures, full_name
from calipers.suite import suites
from calipers.suites.timeline.figures import POOLED_RATIOS, counts_of

from .conftest import DATA

SCENE_KEPT = {
    "precision",
    "recall",
    "f1",
    "mean_iou_3d",
    "mean_centroid_error_m",
    "strict_accuracy",
    "relaxed_accuracy",
    "f1_relaxed",
    "osR_relaxed",
    "osP_relaxed",
    "F1_os",
}


def test_replicates_give_the_intervals_of_the_artifact_to_the_bit(pair):
    checked = 0
    for figure in figures(pair[0]).values():
        if figure.replicates is None or figure.name.startswith("pooled."):
            continue
        if figure.moved:
            bias = pair[0]["bootstrap"]["bias"].get(figure.name, 0.0)
            found = around(figure.value, figure.replicates, records=figure.n, bias=bias)
        else:
            found = middle(figure.replicates, records=figure.n)
        if found and pair[0]["suite"] in ("timeline", "scene"):  # those round to what resampled values carry
            found = [short(end) for end in found]
        assert found == figure.interval, figure.name
        checked += 1
    assert checked >= 9


def test_names_of_the_dense_suite(trees):
    names = ("precision", "recall", "f1", "mean_f1")
    modes = ("localization", "phase", "category")
    assert list(figures(trees["dense"][0])) == [f"{mode}.{name}" for mode in modes for name in names]


def test_names_of_the_detection_suite(trees):
    tree = trees["coco"][0]
    sweep = [f"sweep.{name}" for name in ("precision", "recall", "f1", "mean_f1")]
    found = figures(tree)
    assert list(found) == [*tree["coco"], "precision_at_recall", "precision_at_target", *sweep]
    drawn = {name for name, figure in found.items() if figure.replicates is not None}
    assert drawn == {"AP", "AP_50", "AP_75", "AR_100", "precision_at_recall", "precision_at_target", *sweep}


def test_names_of_the_timeline_suite(trees):
    tree = trees["timeline"][0]
    means = [name.removesuffix("_mean") for name in tree["summary"] if name.endswith("_mean")]
    found = list(figures(tree))
    assert found[: len(means)] == means
    assert "pooled.event_recall" in found[len(means) :]
    assert all(name.startswith("pooled.") for name in found[len(means) :])
    assert not {"pooled.confusion", "pooled.map_50_by_class"} & set(found)


def test_names_of_the_scene_suite(trees):
    found = figures(trees["scene"][0])
    assert {name for name, figure in found.items() if figure.replicates is not None} == {
        f"pipeline.{name}" for name in SCENE_KEPT
    }


@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_values_are_those_of_the_artifact(trees, suite):
    tree = trees[suite][0]
    expected = {
        "dense": ("category.recall", lambda: tree["modes"]["category"]["primary"]["recall"]),
        "timeline": ("lead_time_sec", lambda: tree["summary"]["lead_time_sec_mean"]),
        "scene": ("pipeline.f1", lambda: tree["methods"]["pipeline"]["detection_metrics"]["f1"]),
        "coco": ("AP_small", lambda: tree["coco"]["AP_small"]),
    }
    name, value = expected[suite]
    assert figures(tree)[name].value == value()


def test_pooled_replicates_are_ratios_of_sums_that_the_counts_of_videos_give(trees):
    """With every weight 1 the ratio is the pooled figure itself."""
    tree = trees["timeline"][0]
    counts = [counts_of(video) for video in tree["videos"].values() if "error" not in video]
    for name, (part, whole) in POOLED_RATIOS.items():
        assert sum(each[part] for each in counts) / sum(each[whole] for each in counts) == tree["pooled"][name], name


def test_without_replicates_everything_else_is_the_same(pair):
    with_them, without = figures(pair[0]), figures(pair[0], replicates=False)
    assert all(figure.replicates is None for figure in without.values())
    named = {name: figure for name, figure in with_them.items() if not name.startswith("pooled.")}
    assert all(figure._replace(replicates=None) == without[name] for name, figure in named.items())


@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_a_run_without_replicates_has_none(again, suite):
    report = getattr(again, suite)(False, bootstrap=0)
    found = figures(report.tree if suite != "timeline" else {**report.tree, "videos": report["videos"].as_dict()})
    assert {figure.interval is None and figure.replicates is None for figure in found.values()} == {True}


def test_an_artifact_of_one_method_has_the_figures_of_that_method(trees):
    tree = trees["scene"][0]
    assert list(figures(tree["methods"]["pipeline"])) == list(figures(tree))


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("category.recall", True),
        ("category.mean_f1", True),
        ("AR_100", True),
        ("lead_time_sec", True),
        ("event_lead_time_sec_mean", True),
        ("runtime_fps", True),
        ("iou_false_start", True),  # a state may be called anything
        ("entry_timing_mae_frames", False),
        ("ours.mean_centroid_error_m_per_class", False),
        ("time_in_error_sec", False),
        ("false_activations_per_minute", False),
        ("detection_false_positives_per_minute", False),
        ("late_advisory_rate", False),
        ("flicker_per_minute", False),
        ("pooled.invalid_detections", False),
        ("advisory_start_error_sec", None),
        ("gt_inside_start_frame", None),
        ("pred_minus_gt_inside_start_frame", None),
        ("fps_estimate", None),
        ("mean_activation_persistence_sec", None),
    ],
)
def test_which_direction_is_good(name, good):
    specs = [spec for suite in suites() if (spec := spec_named(suite.figures, name))]
    assert {spec.higher_is_better for spec in specs} == {good}


@pytest.mark.parametrize(
    ("suite", "name", "full"),
    [
        ("dense", "recall", "category.recall"),
        ("dense", "phase.recall", "phase.recall"),
        ("coco", "f1", "sweep.f1"),
        ("coco", "AP", "AP"),
        ("timeline", "frame_accuracy", "frame_accuracy"),
        ("scene", "f1", "pipeline.f1"),
    ],
)
def test_what_a_bare_name_means(trees, suite, name, full):
    tree = trees[suite][0]
    assert full_name(name, figures(tree), tree) == full


def test_without_the_category_mode_a_bare_name_means_the_last_mode(again):
    tree = again.dense(False, modes="localization,phase").tree
    assert full_name("f1", figures(tree), tree) == "phase.f1"


def test_among_several_methods_a_bare_name_means_none():
    tree = calipers.scene(DATA / "scene" / "gt", [DATA / "scene" / "pipeline", DATA / "scene" / "clio"]).tree
    assert full_name("clio.f1", figures(tree), tree) == "clio.f1"
    with pytest.raises(ConfigError, match=r"'f1' is not a metric of the scene suite, did you mean 'pipeline\.f1'"):
        full_name("f1", figures(tree), tree)


def test_a_misspelt_name_is_an_error_that_says_the_nearest(trees):
    tree = trees["dense"][0]
    with pytest.raises(ConfigError, match=r"'mean_f2' is not a metric of the dense suite, did you mean 'mean_f1'\?"):
        full_name("mean_f2", figures(tree), tree)
    with pytest.raises(ConfigError, match=r"known: localization.precision, .*category.mean_f1"):
        full_name("zzz", figures(tree), tree)


def test_replicates_are_floats_with_nan_where_undefined():
    """One record of three has predictions: replicates that leave it out have no precision."""
    box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    records = [{"id": str(k), "gt_norm1000": [box], "pred": [box][: k == 0]} for k in range(3)]
    draws = figures(calipers.dense(records).tree)["category.precision"].replicates
    share = np.isnan(draws).mean()
    assert draws.dtype == np.float64
    assert share == pytest.approx(np.exp(-1), abs=0.06)
    assert set(draws[~np.isnan(draws)]) == {1.0}
