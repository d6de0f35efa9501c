"""Boxes of nuScenes: results by sample and tables of annotations, whose sizes and quaternions are in another order."""

import json
import math

import pytest

import calipers
from calipers.suites.scene.read import read_scenes

HALF = math.sqrt(0.5)
CAR = {
    "sample_token": "ca9a282c9e77460f8360f564131a8af5",
    "translation": [10.0, 5.0, 1.0],
    "size": [2.0, 4.0, 1.5],
    "rotation": [HALF, 0.0, 0.0, HALF],
    "velocity": [0.0, 0.0],
    "detection_name": "car",
    "detection_score": 0.75,
    "attribute_name": "vehicle.parked",
}
CONE = CAR | {"sample_token": "39586f9d59004284a7114a68825e8eec", "detection_name": "traffic_cone"}
META = {"use_camera": False, "use_lidar": True, "use_radar": False, "use_map": False, "use_external": False}
RESULTS = {"meta": META, "results": {CAR["sample_token"]: [CAR], CONE["sample_token"]: [CONE]}}
ANNOTATION = {
    "token": "ef63a697930c4b20a6b9791f423351da",
    "sample_token": CAR["sample_token"],
    "instance_token": "6dd2cbf4c24b4caeb625035869bca7b5",
    "visibility_token": "4",
    "attribute_tokens": ["4d8821270b4a47e3a8a300cbec48188e"],
    "translation": [10.0, 5.0, 1.0],
    "size": [2.0, 4.0, 1.5],
    "rotation": [HALF, 0.0, 0.0, HALF],
    "prev": "",
    "next": "",
    "num_lidar_pts": 5,
    "num_radar_pts": 0,
}
INSTANCES = [{"token": ANNOTATION["instance_token"], "category_token": "c1", "nbr_annotations": 1}]
CATEGORIES = [{"token": "c1", "name": "vehicle.car", "description": "…"}]


@pytest.fixture
def write(tmp_path):
    """Writes JSON, and returns its path."""

    def call(name, tree):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(tree))
        return path

    return call


def test_length_lies_along_x_and_the_quaternion_begins_with_w(write):
    """Turned by 90 degrees about z: 4 m long, it reaches 2 m to either side in y."""
    truth = read_scenes(str(write("r.json", RESULTS)), {}, label_source="label", max_bad=0).truth
    assert [round(value, 9) for value in truth.bounds.tolist()[:6]] == [9.0, 3.0, 0.25, 11.0, 7.0, 1.75]
    assert truth.scores.tolist() == [0.75, 0.75]


def test_every_sample_is_a_scene(write):
    gt, pred = write("gt.json", RESULTS), write("pred.json", {"meta": META, "results": {CAR["sample_token"]: [CAR]}})
    report = calipers.scene(gt, pred, bootstrap=0)
    assert (report["counts"]["tp"], report["counts"]["fn"]) == (1, 1)
    assert sorted(report.method()["scenes"]) == sorted(RESULTS["results"])
    assert [entry["records"] for entry in report["inputs"]] == [2, 1]
    assert all(entry["sha256"] for entry in report["inputs"])
    assert calipers.scene(RESULTS, RESULTS, bootstrap=0)["counts"]["tp"] == 2


def test_annotations_are_named_by_their_instances(write, tmp_path):
    """A data set in folders: v1.0-mini/sample_annotation.json and its tables."""
    write("v1.0-mini/sample_annotation.json", [ANNOTATION])
    write("v1.0-mini/instance.json", INSTANCES)
    write("v1.0-mini/category.json", CATEGORIES)
    reading = read_scenes(str(tmp_path / "v1.0-mini"), {}, label_source="label", max_bad=0)
    assert (reading.names, reading.truth.labels) == ([CAR["sample_token"]], ["vehicle.car"])
    assert reading.truth.ids == [ANNOTATION["token"]]
    found = calipers.check(tmp_path / "v1.0-mini")
    assert [(file["kind"], file["suite"]) for file in found["files"]] == [("scene, nuScenes boxes", "scene")]


def test_annotations_may_have_their_names_and_need_no_sample(write):
    own = {name: ANNOTATION[name] for name in ("translation", "size", "rotation")} | {"category_name": "bus"}
    reading = read_scenes(str(write("room.json", [own])), {}, label_source="label", max_bad=0)
    assert (reading.names, reading.truth.labels) == (["room"], ["bus"])


@pytest.mark.parametrize("tree", [RESULTS, [CAR, CONE]])
def test_check_names_it(write, tree):
    found = calipers.check(write("x.json", tree))
    assert (found["files"][0]["kind"], found["ok"]) == ("scene, nuScenes boxes", True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": [2, -4, 1]}, f'results["{CAR["sample_token"]}"][0].size: found [2, -4, 1], expected three positive'),
        ({"translation": [1, 2]}, "].translation: found [1, 2], expected three numbers"),
        ({"rotation": [0, 0, 0, 0]}, "].rotation: found [0, 0, 0, 0], expected a quaternion"),
        ({"detection_name": 7}, "].detection_name: found 7, expected a text"),
        ({"detection_score": "high"}, '].detection_score: found "high", expected a number'),
    ],
)
def test_a_malformed_box_is_named_by_its_place(write, change, message):
    tree = {"results": {CAR["sample_token"]: [CAR | change]}}
    with pytest.raises(calipers.InputError) as raised:
        calipers.scene(write("gt.json", tree), write("pred.json", RESULTS))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"results": {"a": [CAR, 3]}}, 'results["a"][1]: found 3, expected an object'),
        ([CAR, 3], "expected nuScenes boxes"),
        ([CAR | {"sample_token": 3}], "[0].sample_token: found 3, expected a text"),
        ([ANNOTATION], "instance.json: cannot be read: No such file or directory (boxes without category_name"),
    ],
)
def test_what_is_no_table_of_boxes_is_told(write, tree, message):
    with pytest.raises(calipers.InputError) as raised:
        calipers.scene(write("gt.json", tree), write("pred.json", RESULTS))
    assert message in str(raised.value)


def test_an_instance_that_is_not_there_is_told(write, tmp_path):
    write("instance.json", [])
    write("category.json", CATEGORIES)
    with pytest.raises(calipers.InputError, match=r"\[0\].instance_token: found \"6dd2cbf4"):
        calipers.scene(write("sample_annotation.json", [ANNOTATION]), write("pred.json", RESULTS))


def test_one_file_is_not_cut_into_parts(write, tmp_path):
    path = write("r.json", RESULTS)
    with pytest.raises(calipers.ConfigError, match="or all in one file"):
        calipers.scene(path, path, tally=str(tmp_path / "part.cal"))


def test_samples_become_plain_scenes(write, tmp_path):
    path = write("r.json", RESULTS)
    made = calipers.convert(path, to="plain", output=tmp_path / "out", side="pred")
    assert sorted(made.files) == sorted(f"{token}.json" for token in RESULTS["results"])
    again, first = (
        read_scenes(str(place), {}, label_source="label", max_bad=0).truth for place in (tmp_path / "out", path)
    )
    assert [again.labels, again.axes.tolist(), again.half.tolist()] == [
        first.labels,
        first.axes.tolist(),
        first.half.tolist(),
    ]


def test_what_else_is_said_of_a_box_stays_with_it():
    made = calipers.convert([ANNOTATION | {"category_name": "car"}], to="plain", side="gt")
    [item] = json.loads(next(iter(made.files.values())))["objects"]
    beside = (
        "instance_token",
        "visibility_token",
        "attribute_tokens",
        "prev",
        "next",
        "num_lidar_pts",
        "num_radar_pts",
    )
    assert {name: item.get(name) for name in beside} == {name: ANNOTATION[name] for name in beside}
    assert item["id"] == ANNOTATION["token"]
