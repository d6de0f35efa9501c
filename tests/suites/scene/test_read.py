"""Ground truth and predictions to boxes: how scenes are joined, and what becomes of those that are wrong."""

import json
from copy import deepcopy
from hashlib import sha256
from itertools import pairwise
from types import MappingProxyType

import pytest

import calipers
from calipers.core.errors import RecordError
from calipers.suites.scene.read import read_scenes

NAN = float("nan")


def chair(x=0, **fields) -> dict:
    return {"label": "seat", "center": [x, 0, 0.5], "size": [1, 1, 1]} | fields


def read(gt, pred=(), *, max_bad=0, **options):
    preds = pred if isinstance(pred, dict) and options.pop("methods", False) else {"m": pred}
    return read_scenes(gt, preds, label_source="label", max_bad=max_bad, **options)


@pytest.fixture
def write(tmp_path):
    """Files by path below a folder, as JSON or as they are; returns the folder's path."""

    def call(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return tmp_path

    return call


def scenes(boxes) -> list[list[float]]:
    """x of each box, scene by scene."""
    ends, center = boxes.offsets.tolist(), boxes.center.tolist()
    return [center[3 * a : 3 * b : 3] for a, b in pairwise(ends)]


# Joining


@pytest.mark.parametrize("gt", [[chair(1)], {"objects": [chair(1)]}, {"scene": [chair(1)]}])
@pytest.mark.parametrize("pred", [[chair(2)], {"objects": [chair(2)]}])
def test_a_value_against_a_value_is_one_scene(gt, pred):
    reading = read(gt, pred)
    assert reading.names == ["scene"]
    assert (scenes(reading.truth), scenes(reading.preds["m"])) == ([[1]], [[2]])
    assert (reading.bad, reading.warnings) == ([], [])
    assert (reading.without_truth, reading.without_pred) == ({"m": []}, {"m": []})


def test_a_file_against_a_file_is_one_scene_whatever_they_are_called(write):
    folder = write({"room.pcd.json": {"objects": [chair(1)]}, "mine.json": {"objects": [chair(2)]}})
    reading = read(folder / "room.pcd.json", folder / "mine.json")
    assert reading.names == ["room"]
    assert (scenes(reading.truth), scenes(reading.preds["m"])) == ([[1]], [[2]])
    assert read(folder / "room.pcd.json", [chair(2)]).names == ["room"]
    assert read([chair(2)], folder / "mine.json").names == ["scene"]


def test_folders_are_joined_by_the_names_of_their_files(write):
    folder = write(
        {
            "gt/a.json": {"objects": [chair(1)]},
            "gt/b.json": {"objects": [chair(2), chair(3)]},
            "pred/b.pcd.json": {"objects": [chair(4)]},
            "pred/c.json": {"objects": [chair(5)]},
        }
    )
    reading = read(folder / "gt", folder / "pred")
    assert reading.names == ["a", "b", "c"]
    assert scenes(reading.truth) == [[1], [2, 3], []]
    assert scenes(reading.preds["m"]) == [[], [4], [5]]
    assert reading.without_pred == {"m": ["a"]}
    assert reading.without_truth == {"m": ["c"]}
    assert reading.warnings == []


def test_a_file_is_joined_by_name_with_a_folder_and_with_values(write):
    folder = write(
        {"gt/a.json": {"objects": [chair(1)]}, "gt/b.json": {"objects": []}, "b.json": {"objects": [chair()]}}
    )
    assert read(folder / "gt", folder / "b.json").without_pred == {"m": ["a"]}
    assert read({"a": [], "b": []}, folder / "b.json").without_pred == {"m": ["a"]}
    assert read(folder / "b.json", {"b": [chair()], "c": []}).names == ["b", "c"]


def test_each_method_has_all_scenes_and_all_share_the_ground_truth():
    gt = {"a": [chair(1)], "b": [chair(2)]}
    methods = {"one": {"a": [chair(3)]}, "two": {"b": [chair(4)], "c": [chair(5)]}, "none": {}}
    reading = read(gt, methods, methods=True)
    assert reading.names == ["a", "b", "c"]
    assert scenes(reading.truth) == [[1], [2], []]
    assert {name: scenes(boxes) for name, boxes in reading.preds.items()} == {
        "one": [[3], [], []],
        "two": [[], [4], [5]],
        "none": [[], [], []],
    }
    assert list(reading.preds) == ["one", "two", "none"]
    assert reading.without_pred == {"one": ["b"], "two": ["a"], "none": ["a", "b"]}
    assert reading.without_truth == {"one": [], "two": ["c"], "none": []}


def test_methods_that_are_one_file_each_all_speak_of_the_one_scene(write):
    files = {name: {"objects": [chair(1)]} for name in ("gt.json", "clio.json", "ours.json", "folder/gt.json")}
    folder = write(files)
    preds = {"clio": folder / "clio.json", "ours": folder / "ours.json", "more": folder / "folder"}
    reading = read(folder / "gt.json", preds, methods=True)
    assert reading.names == ["gt"]
    assert [scenes(boxes) for boxes in reading.preds.values()] == [[[1]]] * 3


def test_sides_that_have_no_scene_in_common_are_warned_about():
    reading = read({"kitchen": [chair()], "hall": []}, {"Kitchen": [chair()]})
    [warning] = reading.disjoint_methods()
    assert warning == 'm: no scene is on both sides: "hall" of the ground truth, "Kitchen" of the predictions'
    assert reading.names == ["Kitchen", "hall", "kitchen"]


def test_no_objects_at_all_are_fine():
    reading = read([], [])
    assert reading.names == ["scene"]
    assert (len(reading.truth), len(reading.preds["m"])) == (0, 0)
    assert read({}, {}).names == []


# Objects that are wrong


def reason(item, *before) -> str:
    """What a prediction is said to be wrong for."""
    reading = read([], [*before, item])
    assert reading.preds["m"].reason[len(before)] != 0
    [entry] = reading.invalid["m"][-1:]
    assert (entry["scene"], entry["index"]) == ("scene", len(before))
    return entry["reason"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"size": [1, 0, 2]}, "objects[0].size: found [1, 0, 2], expected three positive numbers"),
        ({"size": [1, -1, 2]}, "objects[0].size: found [1, -1, 2], expected three positive numbers"),
        ({"size": [1, NAN, 2]}, "objects[0].size: found [1, NaN, 2], expected three positive numbers"),
        (
            {"size": [1, 1, 1e-200]},
            "objects[0].size: found [1, 1, 1e-200], expected three positive numbers of at least 1e-100",
        ),
        ({"center": [0, 0]}, "objects[0].center: found [0, 0], expected three numbers"),
        ({"center": None}, "objects[0].center: found null, expected three numbers"),
        ({"center": [0, 0, True]}, "objects[0].center: found [0, 0, true], expected three numbers"),
        (
            {"center": [0, 0, 2e100]},
            "objects[0].center: found [0, 0, 2e+100], expected three numbers of at most 1e+100",
        ),
        ({"label": 5}, "objects[0].label: found 5, expected a text"),
        ({"label": 1e200}, "objects[0].label: found 1e+200, expected a text"),
        ({"score": "high"}, 'objects[0].score: found "high", expected a number'),
        ({"score": 1e300}, "objects[0].score: found 1e+300, expected a number of at most 1e+100"),
        ({"similarity": [1]}, "objects[0].similarity: found [1], expected {task: number}"),
    ],
)
def test_a_wrong_field_is_told_with_its_place(fields, message):
    assert reason(chair() | fields) == message


QUATERNION = "expected a quaternion [x, y, z, w] that is finite and not zero"
MATRIX = "expected a rotation matrix: orthonormal and of determinant +1, to 1e-06"
YAW = 'expected {"yaw": radians} and nothing else'
ANY = 'expected a quaternion [x, y, z, w], {"yaw": radians} or a 3 x 3 matrix'


@pytest.mark.parametrize(
    ("rotation", "expected"),
    [
        ([0, 0, 0, 0], QUATERNION),
        ([0, 0, NAN, 1], QUATERNION),
        ([0, 0, "0", 1], ANY),
        ([[1, 0, 0], [0, 1, 0], [0, 0, -1]], MATRIX),
        ([[1, 1, 0], [0, 1, 0], [0, 0, 1]], MATRIX),
        ([[1, 0, 0], [0, 1, 0]], ANY),
        ({"yaw": 1, "pitch": 1}, YAW),
        ({"yaw": "1"}, YAW),
        (0.5, ANY),
        ([0, 0, 0.5], ANY),
    ],
)
def test_what_a_rotation_has_to_be_depends_on_what_it_is_like(rotation, expected):
    assert reason(chair(rotation=rotation)) == f"objects[0].rotation: found {json.dumps(rotation)}, {expected}"


def test_a_field_that_is_missing_is_told_so():
    assert reason({"center": [0, 0, 0]}) == "objects[0].size: missing, expected three positive numbers"
    assert reason({}) == "objects[0].center: missing, expected three numbers"
    named = {
        "label": "chair",
        "center": [0, 0, 0],
        "dimensions": [1, 1, 1],
        "yaw": 0.1,
    }  # only fields that nothing reads
    assert reason(named) == "objects[0].size: missing, expected three positive numbers; found fields dimensions"
    assert reason(5) == "objects[0]: found 5, expected an object with center and size"


@pytest.mark.parametrize(("first", "second"), [(3, 3), ("a", "a"), (1, 1.0), ([1], [1])])
def test_an_id_given_twice_names_its_owner(first, second):
    message = reason(chair(id=second), chair(id="other"), chair(id=first), 5)
    owner = "which objects[1] has too, expected an id that no other object has"
    assert message == f"objects[3].id: found {json.dumps(second)}, {owner}"


def test_other_formats_name_places_in_their_own_words():
    figure = {"id": 1, "objectId": 9, "geometryType": "cuboid_3d", "geometry": {"position": {"x": 0, "y": 0, "z": 0}}}
    tree = {"objects": [{"id": 9, "classTitle": "door"}], "figures": [figure]}
    reading = read(tree, {"objects": [{"position": [0, 0, 0], "dimensions": [1, 0, 1]}, {"position": [0, 0, 0]}]})
    assert reading.bad[0].problem.startswith("figures[0]: geometry.dimensions: found null")
    flat = {"x": 1, "y": 0, "z": 1}
    figure["geometry"]["dimensions"] = flat
    assert read(tree).bad[0].problem == (
        "figures[0].geometry.dimensions: found [1, 0, 1], expected three positive numbers"
    )
    figure["geometry"]["dimensions"] = flat | {"y": 1}
    reading = read(tree, {"objects": [{"position": [0, 0, 0], "dimensions": [1, 0, 1]}, {"position": [0, 0, 0]}]})
    assert [entry["reason"] for entry in reading.invalid["m"]] == [
        "objects[0].dimensions: found [1, 0, 1], expected three positive numbers",
        "objects[1]: neither dimensions nor data_path, expected one of them",
    ]


def test_wrong_predictions_keep_their_place():
    reading = read({"a": [], "b": []}, {"a": [chair(1), 5, chair(2)], "b": [{}]})
    assert reading.preds["m"].reason.tolist() == [0, 1, 0, 2]
    assert reading.preds["m"].index.tolist() == [0, 1, 2, 0]
    assert [(entry["scene"], entry["index"]) for entry in reading.invalid["m"]] == [("a", 1), ("b", 0)]
    assert reading.bad == []


def test_a_not_a_number_in_a_file_spoils_only_its_object(write):
    text = b'{"objects": [{"center": [0, 0, NaN], "size": [1, 1, 1]}, {"center": [1, 0, 0], "size": [1, 1, 1]}]}'
    reading = read([], write({"pred.json": text}) / "pred.json")
    [entry] = reading.invalid["m"]
    assert entry["reason"] == "objects[0].center: found [0, 0, NaN], expected three numbers"
    assert reading.preds["m"].reason.tolist() == [2, 0]


# Scenes that are wrong


def test_malformed_ground_truth_makes_a_scene_bad(write):
    folder = write({"gt/a.json": {"objects": [chair(), chair(size=[1, 0, 2])]}, "gt/b.json": {"objects": [chair(7)]}})
    path = folder / "gt" / "a.json"
    reading = read(folder / "gt", {"a": [chair(8), 5], "b": [chair(9)]}, max_bad=1)
    problem = "objects[1].size: found [1, 0, 2], expected three positive numbers"
    [bad] = reading.bad
    assert isinstance(bad.error(), RecordError)
    assert str(bad.error()) == f"{path}: {problem}"
    assert bad.entry() == {"path": str(path), "scene": "a", "problem": problem}
    assert reading.names == ["b"]
    assert (scenes(reading.truth), scenes(reading.preds["m"])) == ([[7]], [[9]])
    assert reading.invalid == {"m": []}


def test_ids_given_twice_in_ground_truth_make_a_scene_bad():
    [bad] = read([chair(id=1), chair(id=2), chair(id=1)]).bad
    expected = "which objects[0] has too, expected an id that no other object has"
    assert str(bad.error()) == f"<gt>: objects[2].id: found 1, {expected}"


def test_a_bad_scene_of_values_is_named():
    [bad] = read({"kitchen": [5]}).bad
    assert str(bad.error()) == '<gt>["kitchen"]: objects[0]: found 5, expected an object with center and size'
    [bad] = read({"kitchen": {"objekts": []}}).bad
    assert str(bad.error()).startswith('<gt>["kitchen"]: found an object with "objekts", expected {"objects": […]}')


def test_a_not_a_number_in_ground_truth_is_an_error_wherever_it_is(write):
    folder = write(
        {
            "a.json": b'{"objects": [{"center": [0, 0, NaN], "size": [1, 1, 1]}]}',
            "b.json": b'{"objects": [{"center": [0, 0, 0], "size": [1, 1, 1], "confidence": NaN}]}',
        }
    )
    assert read(folder / "a.json").bad[0].problem == "objects[0].center: found [0, 0, NaN], expected three numbers"
    reading = read(folder / "b.json")
    assert reading.bad[0].problem.startswith("not JSON: ")
    assert len(reading.truth) == 0


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "not JSON: "),
        (b'{"objects": [', "not JSON: "),
        (b'{"objects": [{"id": ' + b"[" * 5000 + b"]" * 5000 + b"}]}", "not JSON: "),
        (b"\xff", "not UTF-8: byte 0xff at position 0"),
        ([chair()], "found a list of 1, expected "),
        ({"boxes": []}, 'found an object with "boxes", expected '),
        (b'{"objects": [{"label": "a", "label": "b"}]}', 'objects[0]: the key "label" is there twice'),
    ],
)
def test_a_file_that_cannot_be_read_makes_a_scene_bad_on_either_side(write, content, problem):
    folder = write({"bad/a.json": content, "bad/b.json": {"objects": []}})
    good = {"a": [chair(1)], "b": [chair(2)]}
    for gt, pred in ((folder / "bad", good), (good, folder / "bad")):
        reading = read(gt, pred, max_bad=1)
        [bad] = reading.bad
        assert (bad.path, bad.scene) == (str(folder / "bad" / "a.json"), "a")
        assert bad.problem.startswith(problem)
        assert reading.names == ["b"]
        assert [len(reading.truth.offsets), len(reading.preds["m"].offsets)] == [2, 2]


def test_a_file_that_is_gone_makes_a_scene_bad(write):
    folder = write({"gt/a.json": {"objects": [chair(1)]}, "gt/b.json": {"objects": [chair(2)]}})
    (folder / "gt" / "a.json").unlink()
    (folder / "gt" / "a.json").symlink_to(folder / "nowhere")
    reading = read(folder / "gt", {"a": [chair()], "b": []}, max_bad=1)
    path = folder / "gt" / "a.json"
    assert str(reading.bad[0].error()) == f"{path}: cannot be read: No such file or directory"
    assert scenes(reading.truth) == [[2]]


def test_a_bad_scene_is_removed_from_every_method():
    methods = {"one": {"a": [chair(1), 5], "b": [chair(2)]}, "two": {"a": 5, "b": [chair(3), {}]}}
    reading = read({"a": [chair(4)], "b": [chair(5)]}, methods, methods=True, max_bad=1)
    assert str(reading.bad[0].error()) == '<two>["a"]: objects: found 5, expected a list'
    assert reading.names == ["b"]
    assert scenes(reading.truth) == [[5]]
    assert {name: scenes(boxes) for name, boxes in reading.preds.items()} == {"one": [[2]], "two": [[3, 0]]}
    assert reading.invalid["one"] == []
    assert [entry["scene"] for entry in reading.invalid["two"]] == ["b"]


def test_reading_ends_with_one_bad_scene_more_than_allowed():
    gt = {name: [5] for name in "abcd"}
    assert [bad.scene for bad in read(gt).bad] == ["a"]
    assert [bad.scene for bad in read(gt, max_bad=1).bad] == ["a", "b"]
    assert [bad.scene for bad in read(gt, max_bad=9).bad] == ["a", "b", "c", "d"]


def test_sources_that_are_none_are_an_error_at_once(tmp_path):
    for gt, pred in ((tmp_path / "none.json", []), ([], tmp_path / "none"), ([], tmp_path), (5, []), ([], None)):
        with pytest.raises(calipers.InputError):
            read(gt, pred, max_bad=9)


# What else is told


def test_inputs_are_named_with_their_digests(write):
    contents = {
        name: json.dumps({"objects": [chair(id=name)]}).encode() for name in ("gt.json", "p/a.json", "p/b.json")
    }
    folder = write(contents)
    reading = read(folder / "gt.json", {"files": folder / "p", "value": [chair()]}, methods=True)
    digests = {name: sha256(content).hexdigest() for name, content in contents.items()}
    assert reading.truth_inputs == [(str(folder / "gt.json"), digests["gt.json"], 1)]
    lines = sorted(f"{digests[f'p/{name}']}  {name}\n" for name in ("a.json", "b.json"))
    assert reading.inputs == {
        "files": [(str(folder / "p"), sha256("".join(lines).encode()).hexdigest(), 2)],
        "value": [("<value>", None, 1)],
    }


def test_the_digest_of_a_folder_depends_on_its_content_alone(write):
    folder = write({f"{side}/a.json": {"objects": []} for side in ("one", "two", "three/deep")})
    write({"three/deep/a.json": b'{"objects":[]}'})
    inputs = [
        read(folder / side, {"a": []}).truth_inputs[0].sha256 for side in ("one", "two", "two/../one", "three/deep")
    ]
    assert inputs[0] == inputs[1] == inputs[2] != inputs[3]
    assert read(f"{folder / 'one'}/", {"a": []}).truth_inputs[0].sha256 == inputs[0]


def test_progress_is_told_in_bytes(write):
    contents = {"gt/a.json": b'{"objects":[]}', "gt/b.json": b'{"objects": []}', "p/b.json": b'{ "objects": [] }'}
    folder, told = write(contents), []
    read(folder / "gt", folder / "p", progress=lambda done, total: told.append((done, total)))
    assert told == [(14, 46), (29, 46), (46, 46)]  # 14 + 15 + 17 = 46 bytes


def test_figures_that_are_no_cuboids_are_warned_about(write):
    figures = [{"id": 1, "objectId": 9, "geometryType": "point_cloud", "geometry": {"indices": [1]}}]
    path = write({"gt.json": {"objects": [{"id": 9, "classTitle": "door"}], "figures": figures}}) / "gt.json"
    assert read(path).warnings == [f"{path}: figures that are no cuboids were left out (1)"]


def test_what_is_asked_of_predictions_does_not_change_the_ground_truth():
    graph = [{"label": "a", "retrieved_object_label": "b", "position": [0, 0, 0], "dimensions": [1, 1, 1]}]
    reading = read(graph, graph)
    assert (reading.truth.labels, reading.preds["m"].labels) == (["b"], ["a"])


def test_the_data_of_the_caller_is_left_alone():
    gt = MappingProxyType({"a": {"objects": [chair(id=[1], similarity={"seat": 1})]}})
    pred = {"a": MappingProxyType({"objects": (chair(), 5)})}
    before = deepcopy(dict(gt["a"])), len(pred["a"]["objects"])
    reading = read(gt, pred)
    assert scenes(reading.preds["m"]) == [[0, 0]]
    assert (gt["a"], len(pred["a"]["objects"])) == before


def test_sources_in_any_order_give_the_same(write):
    names = [f"room{k}" for k in range(5)]
    gt = {name: [chair(k)] for k, name in enumerate(names)}
    forward, backward = read(gt, gt), read(dict(reversed(gt.items())), dict(reversed(gt.items())))
    assert forward.names == backward.names == names
    assert forward.truth.center.tolist() == backward.truth.center.tolist()


@pytest.mark.parametrize("name", ["orientation", "quaternion", "yaw", "heading"])
def test_a_rotation_under_another_name_is_not_passed_over(name):
    reading = read({"a": [chair()]}, {"a": [chair(**{name: [0, 0, 0, 1]})]})
    [found] = reading.invalid["m"]
    assert found["reason"].startswith(f"objects[0].rotation: found {name}, expected a quaternion")


def test_many_ids_given_twice_are_told_in_no_time():
    reading = read({"a": [chair()]}, {"a": [chair(id=place % 4000) for place in range(8000)]})
    assert len(reading.invalid["m"]) == 4000
    assert "objects[0] has too" in reading.invalid["m"][0]["reason"]
