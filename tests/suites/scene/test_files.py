"""Where scenes are found, what they are called, and what format each is in."""

import json
import os

import pytest

import calipers
from calipers.suites.scene.formats.content import read_scene, read_value
from calipers.suites.scene.scene_files import find_scenes, scene_name

CHAIR = {"id": 1, "label": "seat", "center": [1, 2, 3], "size": [1, 1, 2]}
GRAPH = {"id": 2, "label": "table", "position": [1, 2, 3], "dimensions": [2, 1, 1]}
FIGURE = {
    "id": 5,
    "objectId": 9,
    "geometryType": "cuboid_3d",
    "geometry": {"position": {"x": 1, "y": 2, "z": 3}, "dimensions": {"x": 1, "y": 1, "z": 2}},
}
SUPERVISELY = {"objects": [{"id": 9, "classTitle": "door"}], "figures": [FIGURE]}
GRAPHML = b"""<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph><node id="n0">
<data key="node_type">object</data><data key="name">find the lamp</data>
<data key="position">[1, 2, 3]</data><data key="bbox_dim">[1, 1, 2]</data>
</node></graph></graphml>"""


def read(content, label_source="label"):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return read_scene(data, "room.json", label_source=label_source)


def refused(given, name="gt") -> str:
    with pytest.raises(calipers.InputError) as error:
        find_scenes(given, name)
    return str(error.value)


# Names


@pytest.mark.parametrize(
    ("file", "scene"),
    [
        ("room.json", "room"),
        ("room.JSON", "room"),
        ("room.graphml", "room"),
        ("room.xml", "room"),
        ("room.pcd.json", "room"),
        ("room.PCD.json", "room"),
        ("room.ply.json", "room"),
        ("room.bin.json", "room"),
        ("room.las.json", "room"),
        ("room.laz.json", "room"),
        ("room.v2.json", "room.v2"),
        ("room.v2.pcd.json", "room.v2"),
        ("室.json", "室"),
        ("room", "room"),
        ("room\udcff.json", "room\ufffd"),
    ],
)
def test_a_scene_is_called_like_its_file_without_endings(file, scene):
    assert scene_name(file) == scene


# Sources


def test_a_file_is_one_scene(tmp_path):
    (tmp_path / "room.pcd.json").write_text("{}")
    for given in (tmp_path / "room.pcd.json", str(tmp_path / "room.pcd.json")):
        source = find_scenes(given, "gt")
        assert (source.path, source.scenes) == (str(given), {"room": str(given)})
        assert (source.files, source.single) == (True, True)
        assert source.place("room") == str(given)


def test_a_folder_holds_the_scenes_directly_in_it(tmp_path):
    for name in ("b.json", "a.GRAPHML", "c.xml", "notes.txt", "d.json.bak", ".hidden.json", "._b.json"):
        (tmp_path / name).write_text("")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "folder.json" / "z.json").write_text("")
    source = find_scenes(tmp_path, "gt")
    assert source.scenes == {name[0]: str(tmp_path / name) for name in ("a.GRAPHML", "b.json", "c.xml")}
    assert list(source.scenes) == ["a", "b", "c"]
    assert (source.files, source.single) == (True, False)


def test_a_folder_without_scenes_is_an_error_that_says_what_was_expected(tmp_path):
    (tmp_path / "notes.txt").write_text("")
    expected = "no scenes in this folder, expected files that end in .json, .graphml, .xml"
    assert refused(tmp_path) == f"{tmp_path}: {expected}"


@pytest.mark.parametrize("other", ["room.graphml", "room.pcd.json", "room.Json"])
def test_two_files_for_one_scene_are_an_error(tmp_path, other):
    for name in ("room.json", other):
        (tmp_path / name).write_text("{}")
    message = refused(tmp_path)
    assert message.endswith(": two files for the scene 'room', expected one")
    assert str(tmp_path / "room.json") in message
    assert str(tmp_path / other) in message


def test_a_path_that_is_not_there_is_an_error(tmp_path):
    assert refused(tmp_path / "none.json") == f"{tmp_path / 'none.json'}: cannot be read: No such file or directory"
    assert "cannot be read" in refused("a\0b")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_listed_is_an_error(tmp_path):
    (tmp_path / "closed").mkdir(mode=0)
    assert "cannot be read: Permission denied" in refused(tmp_path / "closed")


@pytest.mark.parametrize("value", [[CHAIR], (CHAIR,), {"objects": [CHAIR]}, [], SUPERVISELY, {"objects": 5}])
def test_a_value_is_one_scene(value):
    source = find_scenes(value, "gt")
    assert (source.path, source.scenes) == ("<gt>", {"scene": value})
    assert (source.files, source.single) == (False, True)
    assert source.place("scene") == "<gt>"


def test_values_may_come_by_name():
    source = find_scenes({"kitchen": [CHAIR], "hall": {"objects": []}}, "mine")
    assert sorted(source.scenes) == ["hall", "kitchen"]
    assert (source.files, source.single) == (False, False)
    assert source.place("hall") == '<mine>["hall"]'
    assert find_scenes({}, "gt").scenes == {}


@pytest.mark.parametrize("value", [5, None, b"room.json", {1: [CHAIR]}, {CHAIR["label"], "b"}])
def test_anything_else_is_no_source(value):
    assert refused(value).startswith("<gt>: found ")
    assert refused(value).endswith('expected a path, {"objects": […]} or {scene: …}')


# Formats


@pytest.mark.parametrize(
    "content", [{"objects": [CHAIR]}, b'\xef\xbb\xbf\n {"objects": [%b]}' % json.dumps(CHAIR).encode()]
)
def test_plain_objects_are_taken_as_they_are(content):
    scene = read(content)
    assert scene.content.objects == [CHAIR]
    assert scene.content.where(0, "size") == "objects[0].size"
    assert (scene.warning, scene.problem) == ("", "")


def test_no_objects_are_an_empty_scene():
    assert read({"objects": []}).content.objects == []


def test_figures_are_of_supervisely():
    scene = read(SUPERVISELY)
    assert [(item["label"], item["center"]) for item in scene.content.objects] == [("door", [1, 2, 3])]
    assert scene.content.where(0, "size") == "figures[0].geometry.dimensions"
    assert scene.warning == ""


def test_figures_that_are_left_out_are_told_of():
    points = {"id": 6, "objectId": 9, "geometryType": "point_cloud", "geometry": {"indices": [1, 2]}}
    scene = read(SUPERVISELY | {"figures": [FIGURE, points]})
    assert len(scene.content.objects) == 1
    assert scene.warning == "figures that are no cuboids were left out (1)"


def test_an_object_with_a_position_is_of_a_scene_graph():
    scene = read({"objects": [GRAPH]})
    [item] = scene.content.objects
    assert (item["center"], item["size"]) == ([1, 2, 3], [2, 1, 1])
    assert scene.content.where(0, "center") == "objects[0].position"


def test_plain_objects_and_those_of_a_scene_graph_may_stand_together():
    nothing: dict = {}
    scene = read({"objects": [CHAIR, GRAPH, CHAIR | {"position": 5}, nothing, 5]})
    assert scene.content.objects[0] == CHAIR
    assert scene.content.objects[1]["size"] == [2, 1, 1]
    assert scene.content.objects[2:] == [CHAIR | {"position": 5}, nothing, 5]
    assert [scene.content.where(k, "center").partition(".")[2] for k in range(4)] == [
        "center",
        "position",
        "center",
        "center",
    ]


def test_the_label_of_a_scene_graph_is_the_one_asked_for():
    content = {"objects": [GRAPH | {"retrieved_object_label": "desk"}]}
    assert read(content, "label").content.objects[0]["label"] == "table"
    assert read(content, "prefer_retrieved_else_label").content.objects[0]["label"] == "desk"


@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf"])
def test_graphml_begins_with_a_tag(before):
    scene = read(before + GRAPHML)
    assert [(item["label"], item["size"]) for item in scene.content.objects] == [("lamp", [1, 1, 2])]


EXPECTED = '{"objects": […]}, a Supervisely annotation with figures, or GraphML'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([CHAIR], f"found a list of 1, expected {EXPECTED}"),
        ({}, f"found an object without keys, expected {EXPECTED}"),
        ({"frames": [], "tags": []}, f'found an object with "frames", "tags", expected {EXPECTED}'),
        (dict.fromkeys("abcdefg"), f'found an object with "a", "b", "c", "d", "e" …, expected {EXPECTED}'),
        (5, f"found 5, expected {EXPECTED}"),
        (None, f"found null, expected {EXPECTED}"),
        ("objects", f'found "objects", expected {EXPECTED}'),
        ({"objects": {"a": CHAIR}}, 'objects: found an object with "a", expected a list'),
        ({"objects": None}, "objects: found null, expected a list"),
        ({"figures": 5}, "figures: found 5, expected a list"),
        (
            b'{"objects": [{"id": 1}, {"id": 2, "id": 3}]}',
            'objects[1]: the key "id" is there twice, expected each once',
        ),
        (b'{"objects": [], "objects": []}', 'the key "objects" is there twice, expected each once'),
    ],
)
def test_any_other_root_is_an_error(content, message):
    with pytest.raises(calipers.InputError) as error:
        read(content)
    assert str(error.value) == message


@pytest.mark.parametrize(
    "content", [b"", b"   ", b"{", b"\xff\xfe{\x00}\x00", b'{"objects": [' + b"[" * 5000 + b"]" * 5000 + b"]}"]
)
def test_what_is_no_json_says_so(content):
    with pytest.raises(calipers.InputError, match=r"^room\.json: not (JSON|UTF-8): ") as error:
        read(content)
    assert str(error.value).endswith(f"; expected {EXPECTED}")


def test_text_that_is_not_strictly_json_is_told_of():
    scene = read(b'{"objects": [{"center": [NaN, 0, 0], "size": [1, 1, 1]}]}')
    assert scene.problem
    assert str(scene.content.objects[0]["center"][0]) == "nan"


def test_values_need_not_be_as_json_has_them():
    assert read_value({"objects": (CHAIR,)}, label_source="label").content.objects == [CHAIR]
    assert read_value((CHAIR,), label_source="label").content.objects == [CHAIR]
    with pytest.raises(calipers.InputError, match=r"^objects: found 5, expected a list$"):
        read_value(5, label_source="label")
