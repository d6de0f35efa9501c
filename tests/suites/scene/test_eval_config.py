"""eval_config.json: every key of the origin has its option, a flag wins, and anything else is refused by name."""

import json
from pathlib import Path

import pytest

import calipers
from calipers.core.errors import ConfigError
from calipers.suites.scene.eval_config import KEYS, read_eval_config
from calipers.suites.scene.options import methods_of, scene_options

EVERYTHING = {
    "matching": {
        "method": "greedy",
        "iou_mode": "aabb",
        "frame_normalization": "gt_global_yaw",
        "iou_threshold": 0.3,
        "require_label_match": True,
        "range_buckets_m": [1, 3, 9],
        "compute_open_set_metrics": False,
        "os_similarity_threshold": 0.7,
        "compute_usda_style_metrics": True,
        "door_bbox_padding_m": 0.5,
    },
    "prediction": {
        "label_source": "label",
        "ignore_raw_labels": ["floor"],
        "ignore_raw_contains": ["wall"],
        "ignore_canonical_labels": ["door"],
    },
    "label_resolution": {
        "use_embedding_for_unresolved": False,
        "learn_new_aliases": True,
        "embedding_min_score": 0.55,
    },
    "paths": {"canonical_labels": "labels.json", "label_aliases": "more/aliases.json"},
}


@pytest.fixture
def write(tmp_path):
    def written(tree):
        path = tmp_path / "eval_config.json"
        path.write_text(tree if isinstance(tree, str) else json.dumps(tree), encoding="utf-8")
        return str(path)

    return written


def test_every_key_becomes_its_option(write, tmp_path):
    options, warnings = read_eval_config(write(EVERYTHING))
    assert options == {
        "iou_mode": "aabb",
        "frame_normalization": "gt_global_yaw",
        "iou_threshold": 0.3,
        "require_label_match": True,
        "range_buckets": [1, 3, 9],
        "open_set": False,
        "os_similarity_threshold": 0.7,
        "label_source": "label",
        "ignore_raw_labels": ["floor"],
        "ignore_raw_contains": ["wall"],
        "ignore_canonical_labels": ["door"],
        "embed": False,
        "embed_min": 0.55,
        "labels": str(tmp_path / "labels.json"),
        "aliases": str(tmp_path / "more" / "aliases.json"),
    }
    assert [each.partition(": ")[2] for each in warnings] == [
        "compute_usda_style_metrics has no effect: overlaps on the plane, many to many, are not measured",
        "door_bbox_padding_m has no effect: boxes are measured as they are, doors too",
        "learn_new_aliases has no effect: an evaluation only reads aliases (`write_aliases=…` saves them)",
    ]
    assert {key for section in EVERYTHING.values() for key in section} | {"learned_label_aliases"} == {
        key for section in KEYS.values() for key in section
    }


def test_what_asks_for_nothing_is_not_said_to_be_ignored(write):
    tree = {"matching": {"compute_usda_style_metrics": False, "door_bbox_padding_m": 0.0}}
    assert read_eval_config(write(tree)) == ({}, [])


def test_the_files_of_the_origin_load_as_they_are(write, tmp_path):
    """Aliases that were learned have metadata beside them: by which method, and how sure."""
    learned = {"aliases": {"settee": "seat"}, "metadata": {"settee": {"method": "embedding_fallback", "score": 0.6}}}
    (tmp_path / "learned_label_aliases.json").write_text(json.dumps(learned))
    (tmp_path / "canonical_labels.json").write_text('{"canonical_labels": ["seat"]}')
    (tmp_path / "label_aliases.json").write_text('{"aliases": {"sofa": "seat"}, "contains_rules": {"chair": "seat"}}')
    names = ("canonical_labels", "label_aliases", "learned_label_aliases")
    path = write({"paths": {name: f"./{name}.json" for name in names}})
    box = {"center": [0, 0, 0], "size": [1, 1, 1]}
    truth, pred = ({"objects": [box | {"label": label}]} for label in ("sofa", "settee"))
    report = calipers.scene(truth, pred, config=path)
    assert report["label_resolution"]["alias"] == 2
    assert report["unresolved_labels"] == report["warnings"] == []


def test_null_and_missing_sections_are_defaults(write):
    assert read_eval_config(write({"matching": None, "paths": {"label_aliases": None}})) == ({}, [])
    assert read_eval_config(write({})) == ({}, [])


def test_what_is_given_wins_over_the_file(write):
    chosen = scene_options(write(EVERYTHING), {"iou_threshold": 0.5, "labels": ["seat"], "aliases": None})
    assert (chosen.config.iou_threshold, chosen.config.iou_mode, chosen.config.labels) == (0.5, "aabb", ["seat"])
    assert chosen.config.aliases is None


def test_learned_aliases_that_are_not_there_yet_are_said_to_be_missing(write):
    chosen = scene_options(write({"paths": {"learned_label_aliases": "learned.json"}}), {})
    assert chosen.config.learned_aliases is None
    assert "is not there yet" in chosen.warnings[0]


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ({"matchin": {}}, "'matchin' is not a section, did you mean 'matching'?"),
        ({"matching": {"iou_treshold": 0.1}}, "matching: 'iou_treshold' is not a key, did you mean 'iou_threshold'?"),
        ({"matching": {"door_bbox_padding": 1}}, "is not a key, did you mean 'door_bbox_padding_m'?"),
        ({"prediction": {"ignore": []}}, "prediction: 'ignore' is not a key"),
        ({"matching": []}, "matching: found [], expected an object"),
        ({"matching": {"method": "hungarian"}}, "matching.method: found 'hungarian', expected greedy"),
        ({"matching": {"iou_mode": "sphere"}}, "iou_mode: found 'sphere', expected obb or aabb"),
        ({"matching": {"iou_threshold": 0}}, "iou_threshold: found 0, expected a number above 0 and at most 1"),
        ({"matching": {"iou_threshold": "0.x"}}, "iou_threshold: found '0.x', expected a number"),
        ({"matching": {"require_label_match": "yes"}}, "require_label_match: found 'yes', expected true or false"),
        ({"matching": {"range_buckets_m": [4, 2]}}, "matching.range_buckets_m: found [4, 2], expected asc"),
        ({"matching": {"range_buckets_m": [0, 2]}}, "matching.range_buckets_m: found 0, expected ascending"),
        ({"matching": {"os_similarity_threshold": 0}}, "os_similarity_threshold: found 0, expected a number above 0"),
        ({"label_resolution": {"embedding_min_score": 2}}, "label_resolution.embedding_min_score: found 2, expected"),
        ({"prediction": {"label_source": "best"}}, "label_source: found 'best', expected prefer_retrieved_else_label"),
        ({"prediction": {"ignore_raw_labels": [3]}}, "ignore_raw_labels: found [3], expected names"),
        ({"label_resolution": {"learn_new_aliases": 2}}, "learn_new_aliases: found 2, expected true or false"),
        ({"paths": {"label_aliases": 7}}, "paths.label_aliases: found 7, expected a path"),
        ([1], "found [1], expected an object with matching"),
        ("{", "is not JSON"),
    ],
)
def test_what_is_not_an_option_is_refused_with_the_name_of_the_file(write, tree, said):
    path = write(tree)
    with pytest.raises(ConfigError) as error:
        read_eval_config(path)
    assert str(error.value).startswith(path)
    assert said in str(error.value)


def test_a_file_that_is_not_there_is_a_matter_of_configuration():
    with pytest.raises(ConfigError, match=r"none\.json: cannot be read: No such file"):
        read_eval_config("none.json")


def test_methods_are_named_or_called_by_their_stem(tmp_path):
    (tmp_path / "clio.run").mkdir()
    assert methods_of("out/ours.json") == {"ours": "out/ours.json"}
    assert methods_of(["A=x/y.json", "z.graphml"]) == {"A": "x/y.json", "z": "z.graphml"}
    assert methods_of(str(tmp_path / "clio.run")) == {"clio.run": str(tmp_path / "clio.run")}
    assert methods_of("runs/lr=3/pred.json") == {"pred": "runs/lr=3/pred.json"}
    assert methods_of({"A": "x.json"}) == {"A": "x.json"}
    assert methods_of({"objects": []}) == {"pred": {"objects": []}}
    assert methods_of([]) == {"pred": []}


@pytest.mark.parametrize("pred", [["A=x.json", "A=y.json"], ["x/a.json", "y/a.json"]])
def test_a_method_named_twice_is_refused(pred):
    with pytest.raises(ConfigError, match="two methods are called"):
        methods_of(pred)


@pytest.mark.parametrize("pred", ["=x.json", "A=", "", 3, ["A=x.json", 3]])
def test_what_names_no_method_is_refused(pred):
    with pytest.raises(ConfigError, match="pred: found"):
        methods_of(pred)


def test_a_path_with_an_equals_sign_stays_whole(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lr=0.1").mkdir()
    assert methods_of("lr=0.1") == {"lr=0.1": "lr=0.1"}
    assert methods_of(Path("lr=0.2.json")) == {"lr=0.2": "lr=0.2.json"}
