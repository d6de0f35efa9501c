"""Rankings: rows in order, groups that no permutation changes, methods, differences to a baseline, histories."""

import json
import random
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import calipers
from calipers.core.errors import ConfigError, InputError
from calipers.results.rank import Ranking, rank

from .made_up import artifact

ROW = ["name", "value", "interval", "position", "group", "best_probability"]
SAMPLES = Path(calipers.__file__).parent / "data"


def models(shares, *, records=80, replicates=1000, seed=0):
    """Artifacts by name: of every model the share of objects that it finds, all over the same records."""
    rng = np.random.default_rng(1)
    keys, gt = [f"r{k}" for k in range(records)], 1 + rng.poisson(4, records)
    found = {}
    for name, share in shares.items():
        hits = np.random.default_rng(int(1000 * share)).binomial(gt, share)
        found[name] = artifact(keys, gt, hits + 1, hits, replicates=replicates, seed=seed)
    return found


FOUR = {"small": 0.4, "base": 0.6, "tuned": 0.61, "large": 0.8}


@pytest.fixture(scope="module")
def four():
    return models(FOUR)


def by_name(ranking, figure="category.recall"):
    return {row["name"]: row for row in ranking["figures"][figure]}


def test_rows_have_these_fields_best_first(four):
    ranking = rank(four, figure="recall")
    assert isinstance(ranking, Ranking)
    assert list(ranking) == ["rank", "suite", "figures"]
    assert (ranking["rank"], ranking["suite"]) == ("rank/1", "dense")
    rows = ranking["figures"]["category.recall"]
    assert [list(row) for row in rows] == [ROW] * 4
    assert [(row["name"], row["position"], row["group"]) for row in rows] == [
        ("large", 1, "a"),
        ("tuned", 2, "b"),
        ("base", 3, "b"),
        ("small", 4, "c"),
    ]
    for row in rows:
        tree = four[row["name"]]["modes"]["category"]["primary"]
        assert (row["value"], row["interval"]) == (tree["recall"], tree["interval"]["recall"])
    assert sum(row["best_probability"] for row in rows) == pytest.approx(1)


def test_headline_figures_without_a_choice(four):
    names = [f"category.{name}" for name in ("precision", "recall", "f1", "mean_f1")]
    assert list(rank(four)["figures"]) == names
    assert list(rank(four, figure=["mean_f1", "category.f1", "f1"])["figures"]) == ["category.mean_f1", "category.f1"]


def test_best_probability_is_the_share_of_replicates(four):
    sums = [np.array(four[name]["bootstrap"]["sums"]["category.matched"]) for name in ("tuned", "base")]
    better, worse = float((sums[0] > sums[1]).mean()), float((sums[0] < sums[1]).mean())
    found = by_name(rank({name: four[name] for name in ("tuned", "base")}, figure="recall"))
    assert found["tuned"]["best_probability"] == pytest.approx(better + (1 - better - worse) / 2)


def test_no_permutation_changes_anything(four):
    expected = rank(four).to_json()
    names = list(four)
    for seed in range(4):
        random.Random(seed).shuffle(names)
        assert rank({name: four[name] for name in names}).to_json() == expected


def test_equal_results_share_position_group_and_chance(four):
    found = rank({"b": four["base"], "a": four["base"], "c": four["small"]}, figure="recall")
    rows = found["figures"]["category.recall"]
    assert [(row["name"], row["position"], row["group"]) for row in rows] == [
        ("a", 1, "a"),
        ("b", 1, "a"),
        ("c", 3, "b"),
    ]
    assert [row["best_probability"] for row in rows] == [0.5, 0.5, 0.0]


def test_lower_is_better_where_the_suite_says_so(trees):
    old, new = trees["timeline"]
    rows = rank({"old": old, "new": new}, figure="time_in_error_frames")["figures"]["time_in_error_frames"]
    assert rows[0]["value"] < rows[1]["value"]
    assert "time_in_error_frames ↓" in str(rank({"old": old, "new": new}, figure="time_in_error_frames"))


def test_undefined_values_come_last_with_null(four):
    nothing = {"id": "a", "gt_norm1000": [], "pred": []}
    box = {"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": "类别=a"}
    records = [{"id": str(k), "gt_norm1000": [box], "pred": []} for k in range(9)]
    silent = calipers.dense([nothing, *records])
    loud = calipers.dense([nothing, *(record | {"pred": [box]} for record in records)])
    ranking = rank({"silent": silent, "loud": loud}, figure="precision", baseline="loud", order="name")
    first, last = ranking["figures"]["category.precision"]
    assert (first["name"], first["group"], first["best_probability"]) == ("loud", "a", 1.0)
    assert last == dict.fromkeys([*ROW, "difference", "difference_interval", "verdict"]) | {"name": "silent"}
    assert ranking["history"]["first_change"] == {"category.precision": None}
    assert "—" in str(ranking)
    jsonschema.validate(json.loads(ranking.to_json()), calipers.schema("rank"))


# Of every suite


def test_every_suite_is_ranked_and_fits_the_schema(pair):
    old, new = pair
    ranking = rank({"old": old, "new": new}, baseline="old", order="given")
    tree = json.loads(ranking.to_json())
    jsonschema.validate(tree, calipers.schema("rank"))
    for rows in tree["figures"].values():
        defined = [row for row in rows if row["value"] is not None]
        assert sum(row["best_probability"] for row in defined) == pytest.approx(1)
    for text in (str(ranking), ranking.to_markdown(), ranking.to_csv(), ranking.to_latex()):
        assert "old" in text
    assert ranking.to_html().startswith(b"<!doctype html>")


def test_what_is_told_apart_is_better_or_worse_in_a_comparison(pair):
    old, new = pair
    said = {row["metric"].rpartition(".")[2]: row["verdict"] for row in calipers.compare(old, new)["metrics"]}
    for name, rows in rank({"old": old, "new": new}, baseline="old")["figures"].items():
        [row] = [row for row in rows if row["name"] == "new"]
        assert row["verdict"] in (None, "cannot tell", said[name.rpartition(".")[2]])


# Methods


@pytest.fixture(scope="module")
def rooms():
    folder = SAMPLES / "scene"
    return calipers.scene(folder / "gt", [f"ours={folder / 'pipeline'}", f"clio={folder / 'clio'}"], bootstrap=200)


def test_methods_of_one_result_are_ranked_by_their_names(rooms):
    ranking = rank(rooms)
    assert set(ranking["figures"]) >= {"f1", "mean_iou_3d", "mean_centroid_error_m"}
    rows = ranking["figures"]["mean_centroid_error_m"]
    assert [row["name"] for row in rows] == ["ours", "clio"]
    assert rows[0]["value"] == rooms["methods"]["ours"]["geometry_metrics"]["mean_centroid_error_m"]


def test_methods_of_several_results_have_both_names(rooms):
    rows = rank({"monday": rooms, "today": rooms}, figure="f1")["figures"]["f1"]
    assert sorted(row["name"] for row in rows) == ["monday/clio", "monday/ours", "today/clio", "today/ours"]


def test_results_with_one_method_each_keep_their_names(trees):
    old, new = trees["scene"]
    assert {row["name"] for row in rank({"old": old, "new": new}, figure="f1")["figures"]["f1"]} == {"old", "new"}


# Against a baseline, and in an order


def test_differences_to_a_baseline_are_those_of_a_comparison(four):
    found = by_name(rank(four, figure="recall", baseline="base"))
    for name in ("small", "tuned", "large"):
        metrics = calipers.compare(four["base"], four[name])["metrics"]
        [row] = [row for row in metrics if row["metric"] == "category.recall"]
        assert found[name]["difference"] == pytest.approx(row["difference"])
        assert found[name]["difference_interval"] == pytest.approx(row["interval"])
    assert [found[name]["verdict"] for name in FOUR] == ["worse", None, "cannot tell", "better"]
    assert found["base"]["difference"] is None


def test_a_history_has_the_first_change_that_is_sure():
    steps = {"step-10": 0.62, "step-9": 0.60, "step-11": 0.61, "step-12": 0.40, "step-13": 0.80}
    given = rank(models(steps), figure="recall", order="given")["history"]
    assert (given["order"], given["results"]) == ("given", list(steps))
    ranking = rank(models(steps), figure="recall", order="name")
    history = ranking["history"]
    assert history["results"] == [f"step-{k}" for k in range(9, 14)]
    change = history["first_change"]["category.recall"]
    assert (change["from"], change["to"], change["verdict"]) == ("step-11", "step-12", "worse")
    names = [line.split()[1] for line in str(ranking).splitlines() if line.lstrip()[:1].isdigit() and "step" in line]
    assert names == history["results"]
    assert "category recall: step-12 is worse than step-11" in str(ranking)


def test_a_history_without_a_sure_change_says_so(four):
    some = {name: four[name] for name in ("base", "tuned")}
    ranking = rank(some, figure="recall", order="given")
    assert ranking["history"]["first_change"] == {"category.recall": None}
    assert "none: category recall" in str(ranking)


# What is refused


def refused(message, *given, error=ConfigError, **options):
    with pytest.raises(error) as caught:
        rank(*given, **options)
    assert message in str(caught.value), str(caught.value)
    return str(caught.value)


def test_other_records_parameters_and_suites_are_refused_with_which_and_why(four, trees):
    few = models({"few": 0.5}, records=50)
    said = refused("small and few cannot be ranked together:", four, few)
    assert "records read: 80 in small, 50 in few" in said
    assert "base and" not in said
    assert said.endswith("\n(expected one suite, the same records and ground truth, and the same options)")
    other = models({"seeded": 0.5}, seed=3)
    assert "seed: 0 in small, 3 in seeded" in refused("cannot be ranked together", four, other)
    refused("protocol: dense/1 in small, timeline/1 in videos", four, {"videos": trees["timeline"][0]})


def test_many_that_differ_are_not_all_listed(four):
    few = models({f"few-{k}": 0.1 * k for k in range(1, 7)}, records=50)
    said = refused("(and 3 more results)", four, few)
    assert said.count("cannot be ranked together") == 3


def test_without_replicates_it_says_what_to_do():
    box = {"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": "类别=a"}
    plain = calipers.dense([{"id": "a", "gt_norm1000": [box], "pred": [box]}], bootstrap=0)
    said = refused("a, b: bootstrap: found 0, expected at least 40 replicates", {"a": plain, "b": plain})
    assert "run calipers dense again with `bootstrap=N` (1,000 by default)" in said


def test_an_unknown_figure_names_the_nearest(four):
    said = refused("'recal' is not a metric of the dense suite, did you mean 'recall'?", four, figure="recal")
    assert "category.mean_f1" in said


def test_figures_that_rank_nothing(trees):
    old, new = trees["timeline"]
    both = {"old": old, "new": new}
    refused("gt_inside_start_frame has no better direction", both, figure="gt_inside_start_frame")
    old, new = trees["coco"]
    said = refused("AP_small has no replicates", {"old": old, "new": new}, figure="AP_small")
    assert "AP" in said.partition("such as")[2]


def test_an_unknown_baseline_or_order(four):
    refused("baseline: found 'bas', did you mean 'base'? (results: small, base, tuned, large)", four, baseline="bas")
    refused("order: found 'time', expected one of given, name", four, order="time")


@pytest.mark.parametrize(("count", "said"), [(1, "found 1 result, expected 2 to 100"), (101, "found 101 results")])
def test_too_few_and_too_many(four, count, said):
    refused(said, {f"r{k}": four["base"] for k in range(count)})


def test_names_must_differ(four):
    refused("two results are called 'a'", {"a": four["base"]}, {"a": four["small"]})


def test_what_is_no_result(four):
    refused("expected a path, a report or what an artifact holds", four["base"], 7, error=InputError)
    refused("is not there", "nowhere.json", "b.json", error=InputError)


def test_names_of_methods_must_differ_too(rooms):
    tree = json.loads(rooms.to_json())
    methods = list(tree["methods"].values())
    first, second = (
        {**tree, "methods": dict(zip(names, methods, strict=True))} for names in (("b/c", "d"), ("c", "e"))
    )
    refused("two results are called 'a/b/c'", {"a": first, "a/b": second})


def test_a_loaded_report_is_called_by_its_file(rooms, tmp_path):
    rooms.save(tmp_path / "today.json")
    rows = rank(calipers.load(tmp_path / "today.json"), {"old": rooms}, figure="f1")["figures"]["f1"]
    assert {row["name"].partition("/")[0] for row in rows} == {"today", "old"}


def test_results_without_names_are_numbered(four):
    rows = rank(four["base"], [four["small"]], figure="f1")["figures"]["category.f1"]
    assert [row["name"] for row in rows] == ["result 1", "result 2"]
