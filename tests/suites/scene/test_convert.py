"""Scenes of every format written in the plain form: the same boxes, whatever they came from."""

import json
from importlib.resources import files

import numpy as np
import pytest

import calipers
from calipers.suites.scene.read import read_scenes

SAMPLES = files("calipers") / "data" / "scene"
CHAIR = {"id": 1, "label": "chair", "center": [0, 0, 0.5], "size": [1, 1, 1], "score": 0.5, "colour": "red"}


def boxes(source):
    """Scenes, labels and numbers of all boxes."""
    reading = read_scenes(str(source), {}, label_source="prefer_retrieved_else_label", max_bad=0)
    truth = reading.truth
    columns = [np.asarray(getattr(truth, name)).tolist() for name in ("offsets", "center", "half", "axes")]
    return reading.names, truth.labels, truth.ids, columns


@pytest.mark.parametrize("folder", ["gt", "pipeline", "clio"])
def test_what_is_written_is_read_as_the_same_boxes(folder, tmp_path):
    """Supervisely, scene graphs and Clio's GraphML."""
    made = calipers.convert(str(SAMPLES / folder), to="plain", output=tmp_path / "out", max_bad_records=3)
    left_out = sum("could not be written" in note for note in made.notes)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(made.files)
    again = calipers.convert(tmp_path / "out", to="plain")
    assert again.files == made.files
    if not left_out:
        assert boxes(tmp_path / "out") == boxes(SAMPLES / folder)


def test_one_scene_is_one_file_with_all_of_its_fields(tmp_path):
    path = tmp_path / "room.json"
    path.write_text(json.dumps({"objects": [CHAIR | {"rotation": None}]}))
    made = calipers.convert(path, to="plain", output=tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_bytes()) == {"objects": [CHAIR]}
    assert dict(made.counts) == {"scenes": 1, "objects": 1}


def test_a_malformed_object_is_an_error_or_counted():
    scene = {"objects": [CHAIR, {"label": "table", "center": [0, 0, 0], "size": [1, 0, 1]}]}
    with pytest.raises(calipers.InputError, match=r"<gt>: objects\[1\].size: found \[1, 0, 1\], expected three pos"):
        calipers.convert(scene, to="plain")
    made = calipers.convert(scene, to="plain", max_bad_records=1)
    assert json.loads(made.files[""]) == {"objects": [CHAIR]}


def test_scenes_have_no_other_form():
    with pytest.raises(calipers.ConfigError, match="to: found 'yolo', expected plain, which scene writes"):
        calipers.convert({"objects": [CHAIR]}, to="yolo")


def test_what_a_scene_says_beside_its_objects_stays():
    scene = {"room": "kitchen", "taken": {"at": 3}, "objects": [CHAIR]}
    made = calipers.convert(scene, to="plain")
    assert json.loads(made.files[""]) == scene
    assert made.notes == ['read as ground truth by default: `side="pred"` reads predictions']


@pytest.mark.parametrize(
    ("folder", "note"),
    [
        ("gt", "Supervisely annotation: tags, descriptions and figures of other frames are not read"),
        ("pipeline", "scene graph: relations, embeddings and what else objects say beside box, label, score"),
        ("clio", "Clio GraphML: edges, and nodes and data that are no objects are not read"),
    ],
)
def test_what_a_format_says_that_is_not_read_is_told_once(folder, note):
    made = calipers.convert(str(SAMPLES / folder), to="plain", side="gt", max_bad_records=3)
    assert sum(line.startswith(note) for line in made.notes) == 1


def test_numbers_that_json_has_not_are_told(tmp_path):
    path = tmp_path / "room.json"
    path.write_text('{"objects": [{"label": "a", "center": [0, 0, 0], "size": [1, 1, 1], "heat": NaN}]}')
    made = calipers.convert(path, to="plain", side="gt")
    assert json.loads(made.files[""])["objects"][0] == {
        "label": "a",
        "center": [0, 0, 0],
        "size": [1, 1, 1],
        "heat": None,
    }
    assert made.notes[0].endswith("such numbers beside boxes are written as null")
