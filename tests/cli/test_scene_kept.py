"""What must not be lost: inputs that an output would lie on, and the sense of what was given."""

import json
import sys
from pathlib import Path

import pytest

import calipers

SEAT = {"label": "seat", "center": [0, 0, 0], "size": [1, 1, 1]}
INPUTS = ["--gt", "gt.json", "--pred", "pred.json"]
WITH_MODEL = [*INPUTS, "--config", "cfg.json", "--embed", "--write-aliases"]


def write(name, content):
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content))


@pytest.fixture(autouse=True)
def _files(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    write("gt.json", {"objects": [SEAT]})
    write("pred.json", {"objects": [SEAT | {"label": "chair"}]})
    write("labels.json", ["seat"])
    write("aliases.json", {"chair": "seat"})
    write("cfg.json", {"paths": {"canonical_labels": "labels.json", "label_aliases": "aliases.json"}})
    monkeypatch.setattr(
        "calipers.suites.scene.labels.embedding.sentence_embedder", lambda: lambda texts: [[1.0]] * len(texts)
    )


@pytest.mark.parametrize(
    "args",
    [
        [*INPUTS, "-o", "."],
        ["--gt", "gt.json", "--pred", "gt=pred.json", "-o", "."],
        ["--gt", "gt.json", "--pred", "cfg=pred.json", "--config", "cfg.json", "-o", "."],
        [*INPUTS, "--config", "cfg.json", "-o", "cfg.json"],
        [*INPUTS, "--labels", "labels.json", "-o", "labels.json"],
        *([*WITH_MODEL, name] for name in ("gt.json", "pred.json", "labels.json", "aliases.json", "cfg.json")),
    ],
)
def test_no_input_is_written_over(run, listing, args):
    before = listing(".")
    run("scene", *args).refused(2, "is an input")
    assert listing(".") == before


def test_an_id_nested_deeply_is_told_in_short(run):
    deep = "[" * 1000 + "]" * 1000
    seat = f'{{"id": {deep}, "label": "seat", "center": [0, 0, 0], "size": [1, 1, 1]}}'
    write("pred.json", f'{{"objects": [{seat}]}}')
    assert run("scene", *INPUTS, "-o", "out").code == 0


def test_a_warning_about_names_is_about_all_scenes_of_a_meter():
    meter = calipers.SceneMeter()
    meter.update({"a": [SEAT]}, {"a": [SEAT]})
    meter.update({"b": [SEAT]}, {"c": [SEAT]})
    assert meter.compute()["warnings"] == []
    meter.reset()
    meter.update({"b": [SEAT]}, {})
    meter.update({}, {"c": [SEAT]})
    assert meter.compute()["warnings"] == calipers.scene({"b": [SEAT]}, {"c": [SEAT]})["warnings"] != []


@pytest.mark.parametrize("output", [[], ["-o", "x.json"], ["-o", "out"]])
@pytest.mark.parametrize("pred", ["{objects = []}", "{a = 5}", "{a = {objects = []}}"])
def test_predictions_in_a_table_of_options_are_refused(run, output, pred):
    write("calipers.toml", f"[scene]\npred = {pred}\n")
    run("scene", "--gt", "gt.json", *output).refused(2, "pred: found ", "expected paths")


def test_something_else_among_objects_is_an_invalid_prediction():
    assert calipers.scene([SEAT], [5, SEAT])["counts"]["invalid_pred"] == 1


def test_nothing_is_no_path(run):
    run("scene", "--gt", "gt.json", "--pred", "").refused(2, "pred: found '', expected a path")
    run("scene", *INPUTS, "--labels", "").refused(2, "labels: found '', expected a path")


def test_scenes_without_a_name_get_one_that_is_free():
    meter = calipers.SceneMeter()
    meter.update([SEAT], [SEAT], scene="scene 2")
    meter.update([SEAT], [SEAT])
    assert meter.compute()["records"]["read"] == 2


def test_files_may_be_called_by_another_name():
    meter = calipers.SceneMeter()
    meter.update("gt.json", "pred.json", scene="hall")
    assert list(meter.compute()["scenes"]) == ["hall"]


@pytest.mark.parametrize(
    ("section", "key", "value"),
    [
        ("label_resolution", "use_embedding_for_unresolved", "yes"),
        ("matching", "range_buckets_m", [4, 2]),
        ("label_resolution", "embedding_min_score", 7),
        ("matching", "compute_open_set_metrics", 1),
        ("paths", "canonical_labels", 5),
    ],
)
def test_a_value_is_refused_at_its_place_in_the_file(run, section, key, value):
    write("cfg.json", {section: {key: value}})
    run("scene", *INPUTS, "--config", "cfg.json").refused(2, f"cfg.json: {section}.{key}: found ")


def test_a_key_given_twice_is_refused(run):
    write("cfg.json", '{"matching": {"iou_threshold": 0.2, "iou_threshold": 0.3}}')
    run("scene", *INPUTS, "--config", "cfg.json").refused(2, "cfg.json: ", "iou_threshold", "twice")
