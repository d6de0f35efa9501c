"""What may be compared in pairs, and what is said of the rest."""

from copy import deepcopy

import pytest

import calipers
from calipers.core.errors import ConfigError, InputError
from calipers.results.compare import compare

from .conftest import DATA, dense_records

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}


def refused(old, new, *parts: str) -> str:
    with pytest.raises(ConfigError, match="cannot be compared in pairs") as found:
        compare(old, new)
    for part in parts:
        assert part in str(found.value)
    return str(found.value)


def changed(tree: dict, *path: str, value) -> dict:
    """The tree with another value at a place."""
    copy = deepcopy(tree)
    place = copy
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    return copy


def test_a_result_can_be_compared_with_itself(pair):
    comparison = compare(pair[0], pair[0])
    assert comparison["paired"] is True
    assert {row["difference"] for row in comparison["metrics"]} <= {0.0, None}
    assert {row["verdict"] for row in comparison["metrics"]} == {"cannot tell"}
    assert {tuple(row["interval"]) for row in comparison["metrics"] if row["interval"]} == {(0.0, 0.0)}


def test_of_different_suites_is_refused(trees):
    refused(trees["dense"][0], trees["coco"][0], "protocol: dense/1 in the old one, coco/1 in the new one")


@pytest.mark.parametrize(
    ("suite", "name", "value"),
    [
        ("dense", "tube_tolerance", 4.0),
        ("dense", "primary_threshold", 0.6),
        ("dense", "thresholds", [0.5]),
        ("dense", "mapping_sha256", "0"),
        ("dense", "bootstrap", 500),
        ("dense", "seed", 1),
        ("timeline", "transition_tolerance_frames", 5),
        ("timeline", "extent", "gt"),
        ("scene", "iou_threshold", 0.25),
        ("scene", "labels", ["seat"]),
        ("coco", "max_dets", [1, 10, 1000]),
        ("coco", "min_score", 0.5),
    ],
)
def test_another_value_of_a_parameter_is_refused(trees, suite, name, value):
    old, new = trees[suite]
    refused(
        old, changed(new, "params", name, value=value), f"{name}: {old['params'][name]}"[:60], f"{value} in the new"
    )


@pytest.mark.parametrize(
    ("suite", "name", "value"),
    [
        ("dense", "top", 3),
        ("dense", "max_bad_records", 5),
        ("dense", "mapping", "elsewhere.json"),
        ("coco", "pred_format", "yolo"),
        ("coco", "images", "pictures/"),
    ],
)
def test_parameters_that_change_no_number_may_differ(trees, suite, name, value):
    old, new = trees[suite]
    assert compare(old, changed(new, "params", name, value=value))["paired"] is True


def test_a_parameter_of_one_side_only_is_refused(trees):
    old, new = trees["dense"]
    refused(old, changed(new, "params", "strictness", value=2), "strictness: absent in the old one, 2 in the new one")


@pytest.mark.parametrize(
    ("suite", "name"), [("coco", "ignore_federated"), ("timeline", "extent"), ("scene", "open_set")]
)
def test_an_option_that_an_older_result_does_not_name_had_its_default(trees, suite, name):
    old, new = trees[suite]
    before = old | {"params": {key: value for key, value in old["params"].items() if key != name}}
    assert compare(before, new)["paired"] is True


def test_another_version_of_calipers_is_no_matter(trees):
    old, new = trees["dense"]
    assert compare(old, new | {"calipers": "0.2.0"})["paired"] is True


def test_the_files_of_labels_count_by_what_is_in_them(tmp_path):
    for name, text in (("a.json", "{}"), ("b.json", "{}"), ("c.json", '{"couch": "sofa"}')):
        (tmp_path / name).write_text(text)
    runs = {
        name: calipers.scene(DATA / "scene" / "gt", DATA / "scene" / "pipeline", aliases=str(tmp_path / f"{name}.json"))
        for name in "abc"
    }
    assert compare(runs["a"], runs["b"])["paired"] is True
    refused(runs["a"], runs["c"], "aliases: ")


# records


def test_other_records_of_a_dump_are_refused(again, runs):
    new = calipers.dense(dense_records(True)[:50])
    refused(runs["dense"][0], new, "ground truth: records read: 60 in the old one, 50 in the new one")


def test_as_many_records_with_other_keys_are_refused(runs):
    records = [record | {"image_path": f"other/{k}"} for k, record in enumerate(dense_records(True))]
    refused(runs["dense"][0], calipers.dense(records), "records: as many objects, but not the same records")


def test_other_labels_of_the_ground_truth_are_refused():
    one = [{"id": "a", "gt_norm1000": [BOX], "pred": []}]
    other = [{"id": "a", "gt_norm1000": [BOX | {"desc": "类别=光纤"}], "pred": []}]
    said = refused(calipers.dense(one), calipers.dense(other))
    assert "ground truth: objects of the category 标签: 1 in the old one, absent in the new one" in said


def test_a_record_that_only_one_side_says_something_about_is_the_same_record():
    """Without any object it is skipped, with a false alarm it is evaluated; the ground truth is the same."""
    full = [{"id": str(k), "gt_norm1000": [BOX], "pred": [BOX]} for k in range(5)]
    empty = {"id": "x", "gt_norm1000": [], "pred": []}
    comparison = compare(calipers.dense([*full, empty]), calipers.dense([*full, empty | {"pred": [BOX]}]))
    assert comparison["metrics"][-2]["difference"] == pytest.approx(-1 / 11)


def test_other_images_or_classes_are_refused(trees):
    old, new = trees["coco"]
    refused(old, changed(new, "images", "total", value=101), "images: 100 in the old one, 101 in the new one")
    new = deepcopy(new)
    new["per_class"][0]["name"] = "pylon"
    refused(old, new, "objects of the class cone", "objects of the class pylon")


def test_a_video_that_was_evaluated_on_one_side_only_is_refused(trees):
    old, new = trees["timeline"]
    name = next(name for name, video in new["videos"].items() if "error" not in video)
    lost = changed(new, "videos", name, value={"error": "missing predictions or states"})
    refused(old, lost, f"video {name}: ", "not evaluated (missing predictions or states) in the new one")
    without = deepcopy(new)
    del without["videos"][name]
    refused(old, without, f"video {name}: ", "absent in the new one")


def test_another_ground_truth_of_a_video_is_refused(trees):
    old, new = trees["timeline"]
    name = next(name for name, video in new["videos"].items() if "error" not in video)
    events = new["videos"][name]["counts"]["gt_events"]
    refused(old, changed(new, "videos", name, "counts", "gt_events", value=9), f"{events} events, ", "9 events, ")


def test_other_scenes_are_refused(trees):
    old, new = trees["scene"]
    scenes = new["methods"]["clio"]["scenes"]
    fewer = {name: row for name, row in scenes.items() if name != "office"}
    said = refused(
        old, changed(new, "methods", "clio", "scenes", value=fewer), "boxes in the scene office: 10 in the old"
    )
    assert "absent in the new one" in said


def test_of_many_differences_the_first_are_said_and_the_rest_counted(trees):
    old, new = trees["timeline"]
    said = refused(old, new | {"videos": {}})
    assert said.count("\n- ground truth: video") == 3
    assert f"ground truth: {len(old['videos']) - 3} more" in said


# force


def test_force_compares_what_is_comparable_and_says_that_it_is_not_paired(trees):
    old, new = trees["dense"]
    forced = compare(old, changed(new, "params", "tube_tolerance", value=4.0), force=True)
    paired = compare(old, new)
    assert (forced["paired"], forced["differs"]) == (False, ["tube_tolerance: 8.0 in the old one, 4.0 in the new one"])
    assert [row["difference"] for row in forced["metrics"]] == [row["difference"] for row in paired["metrics"]]
    wide = [row["interval"][1] - row["interval"][0] for row in forced["metrics"]]
    narrow = [row["interval"][1] - row["interval"][0] for row in paired["metrics"]]
    assert all(a > b for a, b in zip(wide, narrow, strict=True))


def test_independent_replicates_spread_like_the_two_sides_together(trees):
    old, new = trees["dense"]
    draws = compare(old, new | {"params": new["params"] | {"label_key": "x"}}, force=True).changes["category.f1"].draws
    sides = compare(old, new).changes["category.f1"]
    expected = (sides.old.replicates.var() + sides.new.replicates.var()) ** 0.5
    assert draws.std() == pytest.approx(expected, rel=0.1)


def test_force_takes_results_with_different_numbers_of_replicates(again, runs):
    comparison = compare(runs["dense"][0], again.dense(True, bootstrap=300, seed=4), force=True)
    assert len(comparison.changes["category.f1"].draws) == 300
    assert comparison["metrics"][0]["interval"]


def test_force_leaves_out_objects_of_other_records(trees):
    old, new = trees["scene"]
    fewer = {name: row for name, row in new["methods"]["clio"]["scenes"].items() if name != "office"}
    assert compare(old, changed(new, "methods", "clio", "scenes", value=fewer), force=True)["objects"] is None
    assert compare(old, changed(new, "params", "iou_threshold", value=0.2), force=True)["objects"]


def test_nothing_in_common_is_refused_even_with_force(trees):
    with pytest.raises(ConfigError, match="old and new have no figure in common"):
        compare(trees["dense"][0], trees["timeline"][0], force=True)


# not an artifact


@pytest.mark.parametrize(
    ("tree", "part"),
    [
        ({}, "old: no field protocol, expected an artifact of one of dense/1"),
        ({"protocol": "dense/9"}, "old: protocol 'dense/9', expected an artifact of one of"),
        ({"protocol": "dense/1", "suite": "coco"}, "old: suite: found 'coco', expected 'dense'"),
        (
            {"protocol": "dense/1", "suite": "dense"},
            "old: is not a whole artifact of dense/1: field 'calipers' is missing",
        ),
        ({"protocol": ["dense/1"], "suite": "dense"}, "old: protocol"),
    ],
)
def test_what_is_no_artifact_is_an_input_error(trees, tree, part):
    with pytest.raises(InputError) as found:
        compare(tree, trees["dense"][0])
    assert part in str(found.value)


@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_a_field_of_another_kind_is_an_input_error(trees, suite):
    old, new = trees[suite]
    place = {"dense": "modes", "timeline": "videos", "scene": "methods", "coco": "coco"}[suite]
    for value in (7, None, [], "x"):
        with pytest.raises((InputError, ConfigError)):
            compare(old, new | {place: value}, force=True)


def test_a_number_that_is_none_is_an_input_error(trees):
    old, new = trees["coco"]
    with pytest.raises(InputError, match=r"new: coco\.AP: found 'high', expected a number from 0 to 1, or null"):
        compare(old, changed(new, "coco", "AP", value="high"))
    with pytest.raises(
        InputError, match=r"bootstrap\.values\.AP_50: found 7 for replicates in it, expected replicates, which is 1000"
    ):
        compare(old, changed(new, "bootstrap", "values", "AP_50", value=[0.5] * 7))
    said = r"new: bootstrap\.values\.AP_50\[0\]: found 'x', expected a number from 0 to 1, or null"
    with pytest.raises(InputError, match=said):
        compare(old, changed(new, "bootstrap", "values", "AP_50", value=["x"] * 1000))


@pytest.mark.parametrize("inputs", [7, [None], [{}], [{"path": 7}]])
def test_inputs_without_names_are_an_input_error(trees, inputs):
    with pytest.raises(InputError, match=r"new: .*inputs"):
        compare(trees["dense"][0], trees["dense"][1] | {"inputs": inputs})


@pytest.mark.parametrize(
    ("suite", "place"),
    [("timeline", ("summary", "frame_accuracy_n")), ("coco", ("images", "evaluated"))],
)
def test_a_count_that_is_none_is_an_input_error(trees, suite, place):
    old, new = trees[suite]
    with pytest.raises(InputError, match=rf"new: {place[0]}\.{place[1]}: found null, expected a whole number"):
        compare(old, changed(new, *place, value=None))


@pytest.mark.parametrize("source", [None, 7, ["a"], b"x"])
def test_neither_a_path_nor_a_tree(source):
    with pytest.raises(InputError, match="expected a path, a report or what an artifact holds"):
        compare(source, source)
