"""Gates: pass, fail or investigate, rule by rule."""

import json

import numpy as np
import pytest

import calipers
from calipers.core.errors import ConfigError
from calipers.results.gate import decided, gate
from calipers.results.power import Noise, noise_of
from calipers.show.figures import figures

from .made_up import artifact, pair

KEYS = [f"record {k}" for k in range(200)]


def one_row(*args, **options) -> dict:
    [row] = gate(*args, **options).rows
    return row


def model(found: int, records: int = 200) -> dict:
    """Ten objects a record; so many of the 2,000 are found, spread evenly."""
    share = [(k + 1) * found // records - k * found // records for k in range(records)]
    return artifact(KEYS[:records], np.full(records, 10), np.full(records, 10), np.array(share))


# floors and ceilings


@pytest.mark.parametrize(
    ("kind", "limit", "state"),
    [
        ("floor", 0.7, "pass"),
        ("floor", 0.75, "pass"),  # the limit itself is allowed
        ("floor", 0.7500001, "fail"),
        ("ceiling", 0.75, "pass"),
        ("ceiling", 0.8, "pass"),
        ("ceiling", 0.7499999, "fail"),
    ],
)
def test_a_floor_and_a_ceiling_are_about_the_value_alone(kind, limit, state):
    assert one_row(model(1500), **{kind: {"recall": limit}})["state"] == state


def test_floors_need_no_baseline_and_take_one():
    alone, against = (one_row(model(1500), other, floor={"recall": 0.7}) for other in (None, model(1490)))
    assert (alone["baseline"], alone["difference"], alone["interval"]) == (None, None, None)
    assert (against["baseline"], against["difference"]) == (0.745, pytest.approx(0.005))
    assert alone["state"] == against["state"] == "pass"


def test_a_floor_needs_no_interval():
    tree = calipers.dense([{"id": "a", "gt_norm1000": [], "pred": []}]).tree
    assert tree["modes"]["category"]["primary"]["recall"] is None
    row = one_row(tree, floor={"recall": 0.1})
    assert (row["state"], row["reason"]) == ("investigate", "undefined in the new result (n 0)")


# drops


def test_the_same_result_never_fails_and_never_needs_a_look(pair):
    found = figures(pair[0])
    names = [name for name, each in found.items() if each.replicates is not None and each.higher_is_better is not None]
    defined = [name for name in names if found[name].interval]
    assert len(defined) > 5
    assert gate(pair[0], pair[0], max_drop=dict.fromkeys(defined, 0.0)).state == "pass"


def test_a_drop_that_is_allowed_passes_and_one_that_is_not_fails():
    """From 1,500 to 1,400 of 2,000 found: recall drops by 0.05, with hardly any noise."""
    assert one_row(model(1400), model(1500), max_drop={"recall": 0.06})["state"] == "pass"
    row = one_row(model(1400), model(1500), max_drop={"recall": 0.04})
    assert (row["state"], row["reason"]) == ("fail", "dropped by more than allowed, and not by chance")
    assert row["difference"] == pytest.approx(-0.05)


def test_a_rise_of_what_should_be_low_is_a_drop(trees):
    old, new = trees["scene"][0], trees["scene"][0]
    row = one_row(new, old, max_drop={"mean_centroid_error_m": 0.01})
    assert (row["higher_is_better"], row["state"]) == (False, "pass")


NOISE = [
    # drop, low, high, detectable; allowed -> state
    ((0.02, 0.01, 0.03, 0.014), 0.01, "fail"),  # as surely a drop, and larger than allowed
    ((0.02, -0.001, 0.041, 0.03), 0.01, "investigate"),  # larger, but perhaps by chance
    ((0.005, -0.005, 0.015, 0.014), 0.01, "investigate"),  # smaller, but perhaps larger in truth, and the set is small
    ((0.005, -0.002, 0.012, 0.010), 0.01, "pass"),  # smaller, and a drop of 0.01 would have been found
    ((0.005, 0.001, 0.009, 0.02), 0.01, "pass"),  # surely smaller
    ((0.005, 0.001, 0.009, 0.005), 0.01, "pass"),  # a drop, and allowed
    ((0.011, 0.004, 0.018, 0.009), 0.01, "fail"),
    ((-0.02, -0.05, 0.01, 0.04), 0.0, "investigate"),  # better, but the set cannot exclude a drop
    ((-0.02, -0.03, -0.01, 0.014), 0.0, "pass"),
    ((0.0, 0.0, 0.0, 0.0), 0.0, "pass"),
]


@pytest.mark.parametrize(("noise", "allowed", "state"), NOISE)
def test_how_a_drop_is_decided(noise, allowed, state):
    assert decided(Noise(*noise), allowed).state == state


def test_too_little_data_is_said():
    rng = np.random.default_rng(0)
    gt = np.full(20, 10)
    old, new = (artifact(KEYS[:20], gt, gt, rng.binomial(10, 0.7, 20)) for _ in range(2))
    row = one_row(new, old, max_drop={"recall": 0.001})
    assert (row["state"], row["reason"]) == ("investigate", "too little data to tell a drop of 0.001 from noise")
    assert row["detectable_drop"] > 0.03


def test_one_record_has_no_interval_and_needs_a_look():
    row = one_row(model(5, 1), model(8, 1), max_drop={"recall": 0.1})
    assert row["state"] == "investigate"
    assert row["reason"].startswith("no interval, so noise is not known")


def test_without_replicates_a_drop_needs_a_look(again):
    old, new = again.dense(False, bootstrap=0), again.dense(True, bootstrap=0)
    assert one_row(new, old, max_drop={"f1": 0.5})["state"] == "investigate"


def test_a_figure_without_replicates_needs_a_look(trees):
    row = one_row(*reversed(trees["coco"]), max_drop={"AP_small": 0.5})
    assert (row["state"], row["detectable_drop"]) == ("investigate", None)


def test_undefined_on_either_side_needs_a_look():
    box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    silent = calipers.dense([{"id": str(k), "gt_norm1000": [box], "pred": []} for k in range(9)])
    loud = calipers.dense([{"id": str(k), "gt_norm1000": [box], "pred": [box]} for k in range(9)])
    assert one_row(silent, loud, max_drop={"precision": 0.1})["reason"] == "undefined in the new result"
    assert one_row(loud, silent, max_drop={"precision": 0.1})["reason"] == "undefined in the baseline"


def test_a_figure_that_the_baseline_lacks_needs_a_look(trees):
    old, new = (json.loads(json.dumps(tree)) for tree in trees["timeline"])
    del old["summary"]["iou_paused_mean"]
    row = one_row(new, old, max_drop={"iou_paused": 0.1})
    assert (row["state"], row["reason"]) == ("investigate", "not in the baseline")


def test_a_figure_that_is_neither_good_nor_bad_cannot_drop(trees):
    old, new = trees["timeline"]
    with pytest.raises(ConfigError, match="max_drop advisory_start_error_sec: has no better direction"):
        gate(new, old, max_drop={"advisory_start_error_sec": 0.1})
    assert one_row(new, ceiling={"advisory_start_error_sec": 1.0})["state"] == "pass"


# the whole


@pytest.mark.parametrize(
    ("floors", "drops", "state", "code"),
    [
        ({"recall": 0.1}, {}, "pass", 0),
        ({"recall": 0.9}, {}, "fail", 1),
        ({}, {"AP_small": 0.1}, "investigate", 4),
        ({"recall": 0.9}, {"AP_small": 0.1}, "fail", 1),  # a failure is one, whatever else cannot be told
        ({"recall": 0.1}, {"AP_small": 0.1}, "investigate", 4),
    ],
)
def test_a_failing_rule_wins_over_an_undecided_one(trees, floors, drops, state, code):
    found = gate(trees["coco"][1], trees["coco"][0], floor=floors, max_drop=drops)
    assert (found.state, found.exit_code) == (state, code)
    assert repr(found).startswith(f"<Gate {state}: ")


def test_rules_from_a_file_and_by_keyword(tmp_path):
    path = tmp_path / "gate.toml"
    path.write_text('[[rule]]\nmetric = "category.recall"\nmax_drop = 0.04\nfloor = 0.6\n', encoding="utf-8")
    found = calipers.gate(model(1400), model(1500), path, ceiling={"f1": 0.9})
    assert [(row["metric"], row["rule"], row["state"]) for row in found.rows] == [
        ("category.recall", "max_drop", "fail"),
        ("category.recall", "floor", "pass"),
        ("category.f1", "ceiling", "pass"),
    ]
    assert json.loads(found.to_json())["rows"] == found.rows


def test_a_drop_needs_a_baseline():
    with pytest.raises(ConfigError, match=r"max_drop recall: needs a result to drop from, expected a baseline"):
        gate(model(1500), max_drop={"recall": 0.1})


def test_a_misspelt_metric_is_an_error_that_says_the_nearest():
    with pytest.raises(ConfigError, match="'recal' is not a metric of the dense suite, did you mean 'recall'"):
        gate(model(1500), floor={"recal": 0.1})


def test_a_baseline_that_is_not_alike_is_refused():
    with pytest.raises(ConfigError, match="cannot be compared in pairs"):
        gate(model(1500), model(150, 20), max_drop={"recall": 0.1})


def test_many_rules_need_a_larger_drop_than_one(trees):
    old, new = trees["dense"]
    names = ("f1", "recall", "precision", "mean_f1")
    several = {row["asked"]: row["detectable_drop"] for row in gate(new, old, max_drop=dict.fromkeys(names, 0.1)).rows}
    for name in names:
        assert several[name] > 1.15 * one_row(new, old, max_drop={name: 0.1})["detectable_drop"]
    twice = gate(new, old, [{"metric": "f1", "max_drop": 0.1}], max_drop={"category.f1": 0.2})
    assert {row["detectable_drop"] for row in twice.rows} == {
        one_row(new, old, max_drop={"f1": 0.1})["detectable_drop"]
    }


def test_the_smallest_drop_rests_on_the_spread_of_the_differences(trees):
    """198 degrees of freedom or more: (1.97 + 0.84) standard deviations."""
    change = calipers.compare(model(1400), model(1500)).changes["category.recall"]
    noise = noise_of(change)
    assert noise.detectable == pytest.approx((1.972 + 0.843) * np.std(change.draws) * (200 / 199) ** 0.5, rel=1e-3)
    assert noise.drop == pytest.approx(-0.05)


@pytest.mark.parametrize(
    ("kind", "limit", "message"),
    [
        ("floor", 75, r"floor recall: found 75, expected from 0 to 1: category\.recall is a share"),
        ("max_drop", 5, r"max_drop recall: found 5, expected from 0 to 1"),
        ("max_drop", 1, r"max_drop recall: found 1, which allows any drop \(1 % is 0\.01\)"),
    ],
)
def test_a_limit_that_means_a_percentage_is_refused(kind, limit, message):
    with pytest.raises(ConfigError, match=message):
        gate(model(8), model(9), **{kind: {"recall": limit}})


def test_nobody_is_told_of_an_option_that_a_gate_has_not():
    with pytest.raises(ConfigError, match="cannot be compared in pairs") as refused:
        gate(model(8, 20), model(8, 30), max_drop={"recall": 0.1})
    assert "force" not in str(refused.value)


def test_results_that_never_differ_do_not_tell_what_could_be_detected():
    rng = np.random.default_rng(0)
    old, _ = pair(rng, 40)
    found = gate(old, old, max_drop={"recall": 0.01})
    assert (found.state, found.rows[0]["detectable_drop"]) == ("pass", None)
    assert "smallest drop" not in str(found)
