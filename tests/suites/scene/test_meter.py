"""Scenes that come one after the other: the report is that of one evaluation, whatever the order and the grouping."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers
from calipers.core.errors import ConfigError, InputError
from calipers.files.output import to_json

from ...profiles import examples

LABELS = ["seat", "table", "door"]


def box(label, x, size=(1, 1, 1), **more):
    return {"label": label, "center": [x, 0, 0], "size": list(size), **more}


#             0            5          9            20
#   hall      seat         table                          hall      seat 0.5 off, door at 20, one that is no box
#   kitchen   seat                    door                kitchen   seat, chair, plant
#   attic     seat                                        (not predicted)
#   (no truth)                                            yard      seat
TRUTH = {
    "hall": [box("seat", 0), box("table", 5)],
    "kitchen": [box("seat", 0), box("door", 9)],
    "attic": [box("seat", 0)],
}
PRED = {
    "hall": [box("seat", 0.5, score=0.9), box("door", 20, score=0.8), box("seat", 0, size=(1, 0, 1), score=0.7)],
    "kitchen": [
        box("seat", 0, score=0.6),
        box("chair", 9, score=0.5, similarity={"door": 0.95}),
        box("plant", 30, score=0.2),
    ],
    "yard": [box("seat", 0, score=0.1)],
}
SCENES = ("hall", "kitchen", "attic", "yard")
BAD = [box("seat", 0), box("table", 5, size=(1, -1, 1))]
OPTIONS = {"labels": LABELS, "aliases": {"chair": "seat"}, "range_buckets": [4, 8]}


def sides(*names):
    """Ground truth and predictions of some scenes."""
    return tuple({name: side[name] for name in names if name in side} for side in (TRUTH, PRED))


def meter_of(*names, **options):
    """A meter that saw these scenes, one at a time."""
    meter = calipers.SceneMeter(**OPTIONS | options)
    for name in names:
        meter.update(*sides(name))
    return meter


def numbers(report):
    """An artifact but for the names of its inputs."""
    tree = json.loads(report.to_json())
    for part in (tree, *tree["methods"].values()):
        del part["inputs"]
    return tree


def same_numbers(meter, truth, pred, **options):
    return numbers(meter.compute()) == numbers(calipers.scene(truth, pred, **OPTIONS | options))


# ---------------------------------------------------------------- update, merge, compute


def test_a_meter_adds_up_scenes_to_the_report_of_one_evaluation():
    as_given = copy.deepcopy((TRUTH, PRED, OPTIONS))
    meter = meter_of(*SCENES)
    report = meter.compute()
    assert same_numbers(meter, TRUTH, PRED)
    assert as_given == (TRUTH, PRED, OPTIONS)
    # 5 objects: the seats of hall and kitchen are found, and so is the door (by a chair); 7 were predicted
    assert report["counts"] == {"gt": 5, "pred": 7, "tp": 3, "fp": 4, "fn": 2, "invalid_pred": 1, "ignored": 0}
    assert report["records"] == {"read": 4, "evaluated": 4, "skipped": 0, "rejected": 0}
    assert (report["scenes_without_predictions"], report["scenes_without_ground_truth"]) == (["attic"], ["yard"])
    assert list(report["scenes"]) == sorted(SCENES)
    assert report["detection_metrics"]["f1_interval"] is not None
    assert report["ap"] is not None
    everything = {"path": "<scenes>", "sha256": None, "records": 4}
    assert report["inputs"] == [everything, everything]
    assert str(report)


@settings(max_examples=examples(40), deadline=None)
@given(
    st.permutations([["hall", "yard"], ["kitchen"], ["attic"]]), st.tuples(st.booleans(), st.booleans()), st.booleans()
)
def test_neither_order_nor_grouping_changes_a_number(order, cuts, merged):
    groups = order[:1]
    for names, cut in zip(order[1:], cuts, strict=True):
        groups = [*groups, names] if cut else [*groups[:-1], groups[-1] + names]
    meter = calipers.SceneMeter(**OPTIONS)
    for group in groups:
        other = calipers.SceneMeter(**OPTIONS) if merged else meter
        other.update(*sides(*group))
        if merged:
            meter.merge(other)
    assert same_numbers(meter, TRUTH, PRED)


@pytest.mark.parametrize(
    "options",
    [
        {"require_label_match": True},
        {"iou_mode": "aabb", "containment": "obb"},
        {"frame_normalization": "gt_global_yaw"},
        {"protocol": "clio", "os_similarity_threshold": 0.5},
        {"ignore_raw_labels": ["plant"], "bootstrap": 0},
        {"labels": None},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_are_those_of_the_suite(options):
    assert same_numbers(meter_of(*SCENES, **options), TRUTH, PRED, **options)


def test_every_object_and_its_partner_can_be_asked_for():
    rows = meter_of(*SCENES).compute().matches()
    assert rows == calipers.scene(TRUTH, PRED, **OPTIONS).matches()
    assert [(row["scene"], row["index"], row["partner"]) for row in rows if row["side"] == "gt"] == [
        ("attic", 0, None),
        ("hall", 0, 0),
        ("hall", 1, None),
        ("kitchen", 0, 0),
        ("kitchen", 1, 1),
    ]


def test_an_eval_config_serves_a_meter_too(tmp_path):
    config = tmp_path / "eval_config.json"
    config.write_text('{"matching": {"iou_threshold": 0.4}, "label_resolution": {"learn_new_aliases": true}}')
    meter = calipers.SceneMeter(config=str(config), **OPTIONS)
    meter.update(TRUTH, PRED)
    report = meter.compute()
    assert report["params"]["iou_threshold"] == 0.4
    assert numbers(report) == numbers(calipers.scene(TRUTH, PRED, config=config, **OPTIONS))
    assert report["inputs"][2]["path"] == str(config)
    assert [report["warnings"], meter.compute()["warnings"]] == [report["warnings"]] * 2
    assert len(report["warnings"]) == 1
    with pytest.raises(ConfigError, match="did you mean 'iou_mode'"):
        calipers.SceneMeter(iou_mod="obb")


def test_scenes_may_come_from_files(tmp_path):
    for side, scenes in (("gt", TRUTH), ("pred", PRED)):
        (tmp_path / side).mkdir()
        for name, objects in scenes.items():
            (tmp_path / side / f"{name}.json").write_bytes(to_json({"objects": objects}))
    meter = calipers.SceneMeter(**OPTIONS)
    meter.update(tmp_path / "gt", str(tmp_path / "pred"))
    assert same_numbers(meter, TRUTH, PRED)
    one = calipers.SceneMeter(**OPTIONS)
    one.update(tmp_path / "gt" / "hall.json", tmp_path / "pred" / "yard.json")  # one file against one is one scene
    assert list(one.compute()["scenes"]) == ["hall"]


def test_what_was_given_may_change_afterwards():
    truth, pred = copy.deepcopy(sides("hall", "kitchen"))
    meter = calipers.SceneMeter(**OPTIONS)
    meter.update(truth, pred)
    before = meter.compute().to_json()
    truth["hall"][0]["center"][0] = 99
    pred["kitchen"][1]["similarity"]["door"] = 0
    pred["kitchen"].clear()
    truth.clear()
    assert meter.compute().to_json() == before


def test_a_meter_that_saw_no_scene_has_undefined_numbers():
    report = calipers.SceneMeter(**OPTIONS).compute()
    assert report["records"] == {"read": 0, "evaluated": 0, "skipped": 0, "rejected": 0}
    assert [report["detection_metrics"][name] for name in ("precision", "recall", "f1")] == [None] * 3
    assert (report["scenes"], report["matches"], report["ap"]) == ({}, [], None)
    assert str(report)
    assert same_numbers(calipers.SceneMeter(**OPTIONS), {}, {})


def test_options_that_change_no_number_keep_no_two_meters_apart():
    nothing = calipers.SceneMeter(**OPTIONS, top=3, max_bad_records=2)
    nothing.merge(meter_of(*SCENES))
    assert same_numbers(nothing, TRUTH, PRED, top=3, max_bad_records=2)


@pytest.mark.parametrize(
    "options",
    [
        {"iou_threshold": 0.2},
        {"labels": ["seat"]},
        {"aliases": None},
        {"protocol": "clio"},
        {"seed": 1},
        {"bootstrap": 10},
        {"label_source": "label"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_meters_with_different_parameters_do_not_merge(options):
    one = meter_of("hall")
    before = one.compute().to_json()
    with pytest.raises(ConfigError, match="merge: the two meters have different parameters"):
        one.merge(meter_of("kitchen", **options))
    assert one.compute().to_json() == before


# ---------------------------------------------------------------- names


def test_scenes_may_be_named_or_get_a_number():
    meter = calipers.SceneMeter(**OPTIONS)
    meter.update(TRUTH["hall"], PRED["hall"])
    meter.update({"objects": TRUTH["kitchen"]}, {"objects": PRED["kitchen"]}, scene="kitchen")
    meter.update(TRUTH["attic"], [])
    assert list(meter.compute()["scenes"]) == ["kitchen", "scene 1", "scene 3"]
    renamed = {"scene 1": TRUTH["hall"], "kitchen": TRUTH["kitchen"], "scene 3": TRUTH["attic"]}
    found = {"scene 1": PRED["hall"], "kitchen": PRED["kitchen"], "scene 3": []}
    assert same_numbers(meter, renamed, found)


def test_many_scenes_without_names_are_as_many_scenes():
    meter = calipers.SceneMeter(labels=LABELS)
    for _ in range(12):
        meter.update([box("seat", 0)], [box("seat", 0.5)])
    assert meter.compute()["counts"] == {
        "gt": 12,
        "pred": 12,
        "tp": 12,
        "fp": 0,
        "fn": 0,
        "invalid_pred": 0,
        "ignored": 0,
    }
    assert meter.compute()["records"]["evaluated"] == 12


@pytest.mark.parametrize("name", ["hall", "attic", "yard"], ids=["both", "not predicted", "without truth"])
def test_a_scene_added_twice_is_refused_and_changes_nothing(name):
    meter = meter_of(name)
    before = meter.compute().to_json()
    for again in (
        lambda: meter.update({"new": TRUTH["hall"], name: TRUTH["hall"]}, {}),
        lambda: meter.update({}, {name: []}),
        lambda: meter.update(TRUTH["hall"], [], scene=name),
        lambda: meter.merge(meter_of(name)),
        lambda: meter.merge(meter),
    ):
        with pytest.raises(InputError, match=f"the scene '{name}' was added before, expected each scene once"):
            again()
    assert meter.compute().to_json() == before
    meter.update({"new": TRUTH["hall"]}, {})
    assert meter.compute()["records"]["read"] == 2


# ---------------------------------------------------------------- scenes that are wrong


def test_malformed_ground_truth_is_an_error_and_adds_none_of_the_scenes():
    meter = meter_of("hall")
    before = meter.compute().to_json()
    message = r"<gt>.*: objects\[1\]\.size: found \[1, -1, 1\], expected three positive numbers"
    for bad in (
        lambda: meter.update({"attic": TRUTH["attic"], "cellar": BAD}, {"attic": []}),
        lambda: meter.update(BAD, [], scene="cellar"),
    ):
        with pytest.raises(InputError, match=message):
            bad()
    for truth, pred in ((7, {}), ({}, 7), ({1: BAD}, {}), ({"attic": 5}, {}), ("no such file.json", {})):
        with pytest.raises(InputError):
            meter.update(truth, pred)
    assert meter.compute().to_json() == before
    meter.update({"attic": TRUTH["attic"], "cellar": TRUTH["hall"]}, {})
    assert meter.compute()["records"]["read"] == 3


def test_malformed_predictions_are_counted():
    meter = calipers.SceneMeter(**OPTIONS)
    meter.update(TRUTH["attic"], [5, None, box("seat", 0), box("seat", 0, rotation=[0, 0, 0, 0])], scene="attic")
    report = meter.compute()
    assert (report["counts"]["pred"], report["counts"]["tp"], report["counts"]["invalid_pred"]) == (4, 1, 3)
    assert [row["index"] for row in report["unmatched_pred"]] == [0, 1, 3]


def test_reasons_stay_with_their_scenes_in_any_order():
    bad = {name: [box("seat", 0, size=(1, 1, -number))] for number, name in enumerate("cab", 1)}
    meter = calipers.SceneMeter(**OPTIONS)
    for name, objects in bad.items():
        meter.update({name: []}, {name: objects})
    found = [(row["scene"], row["reason"].partition("found ")[2][:10]) for row in meter.compute()["unmatched_pred"]]
    assert found == [("a", "[1, 1, -2]"), ("b", "[1, 1, -3]"), ("c", "[1, 1, -1]")]


def test_up_to_max_bad_records_scenes_are_rejected_over_updates_and_merges():
    one, two = (meter_of(name, max_bad_records=1) for name in ("hall", "kitchen"))
    one.update({"cellar": BAD}, {"cellar": [box("seat", 0)]})
    report = one.compute()
    problem = "objects[1].size: found [1, -1, 1], expected three positive numbers"
    assert report["rejected"] == [{"path": '<gt>["cellar"]', "scene": "cellar", "problem": problem}]
    assert report["records"] == {"read": 2, "evaluated": 1, "skipped": 0, "rejected": 1}
    assert report["counts"] == meter_of("hall").compute()["counts"]
    before = report.to_json()
    two.update({"garage": BAD}, {})
    for more in (
        lambda: one.update({"garage": BAD}, {}),
        lambda: one.update({"cellar": TRUTH["hall"]}, {}),
        lambda: one.merge(two),
    ):
        with pytest.raises(InputError):
            more()
    assert one.compute().to_json() == before
