"""`calipers convert`: what it says, what it refuses, and what it leaves alone."""

import json
from pathlib import Path

import pytest

VIDEOS = {"a.mp4": {"outside": [[0, 9]]}}
SCENE = {"objects": [{"label": "chair", "center": [0, 0, 0.5], "size": [1, 1, 1]}]}


@pytest.fixture
def videos(tmp_path):
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps(VIDEOS))
    return str(path)


def test_it_says_what_it_read_and_wrote(run, videos, tmp_path):
    ended = run("convert", videos, "--to", "plain", "-o", str(tmp_path / "out.json"))
    assert ended.code == 0
    assert ended.out.decode() == (
        f"{tmp_path / 'out.json'}  1 video · 1 interval\n"
        " read as              timeline annotations, JSON, ground truth (timeline)\n"
        " written as           plain\n"
    )
    assert json.loads((tmp_path / "out.json").read_text()) == VIDEOS


def test_one_class_is_one_and_whole_sizes_are_whole(run, tmp_path):
    box = "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>3</xmax><ymax>3</ymax></bndbox>"
    size, thing = "<size><width>100</width><height>50</height></size>", f"<object><name>cone</name>{box}</object>"
    (tmp_path / "voc").mkdir()
    (tmp_path / "voc" / "a.xml").write_text(f"<annotation><filename>a.jpg</filename>{size}{thing}</annotation>")
    ended = run("convert", str(tmp_path / "voc"), "--to", "coco", "-o", str(tmp_path / "out.json"))
    assert "  1 image · 1 class · 1 object\n" in ended.out.decode()
    assert '"width":100,"height":50}' in (tmp_path / "out.json").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "--to is missing, expected a format"),
        (["--to", "plain"], "-o is missing, expected a place to write to"),
        (["--to", "coco", "-o", "x"], "to: found 'coco', expected plain, which timeline writes"),
        (["--to", "plain", "-o", "x", "--suite", "dance"], "suite: found 'dance', expected"),
        (["--to", "plain", "-o", "x", "--side", "both"], "side: found 'both', expected gt or pred"),
        (["--to", "plain", "-o", "x", "--images", "d"], "images: found 'd', expected no such option: those of convert"),
        (["--to", "plain", "-o", "x", "--max-bad-records", "-1"], "max_bad_records: found -1"),
    ],
)
def test_wrong_usage_ends_with_2(run, videos, options, message):
    run("convert", videos, *options).refused(2, message)


def test_bad_input_ends_with_3_and_writes_nothing(run, tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a.mp4": {"inside": [[5, 1]]}}')
    run("convert", str(path), "--to", "plain", "-o", str(tmp_path / "out.json")).refused(3, "a.mp4", "found [5, 1]")
    assert not (tmp_path / "out.json").exists()


def test_inputs_of_two_suites_are_told(run, videos, tmp_path):
    path = tmp_path / "room.json"
    path.write_text(json.dumps(SCENE))
    ended = run("convert", videos, str(path), "--to", "plain", "-o", str(tmp_path / "out.json"))
    ended.refused(3, "room.json: found scene, plain objects (scene) beside timeline annotations", "--suite NAME says")


def test_an_input_is_never_overwritten(run, videos):
    run("convert", videos, "--to", "plain", "-o", videos).refused(2, "is an input")
    assert json.loads(Path(videos).read_text()) == VIDEOS


def test_several_files_need_a_folder_that_is_empty(run, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "room.json").write_text(json.dumps(SCENE))
    (tmp_path / "out").mkdir()
    command = ["convert", str(tmp_path / "in"), "--to", "plain", "-o"]
    assert run(*command, str(tmp_path / "out")).code == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["room.json"]
    run(*command, str(tmp_path / "out")).refused(2, "is a folder with files in it, expected a new or an empty folder")
    run(*command, str(tmp_path / "in" / "x")).refused(2, "output: found", "expected a place outside of the input")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "out"]


def test_a_suite_that_writes_nothing_says_so(run, tmp_path, monkeypatch):
    from dataclasses import replace

    from calipers.results import convert
    from calipers.suite import suite_of, suites

    own = replace(suite_of("scene"), converter=None)
    monkeypatch.setattr(convert, "suite_of", lambda name: own if name == "scene" else suite_of(name))
    monkeypatch.setattr(convert, "suites", lambda: [own if suite.name == "scene" else suite for suite in suites()])
    path = tmp_path / "room.json"
    path.write_text(json.dumps(SCENE))
    ended = run("convert", str(path), "--to", "plain", "-o", str(tmp_path / "out.json"))
    ended.refused(2, "suite: scene writes no formats, expected one of dense, timeline, coco")


def test_formats_lists_what_is_written(run):
    out = run("formats", "timeline").out.decode()
    assert '  writes plain: {"video": {"state": [[first, last], …]}}' in out


def test_answers_of_a_model_become_predictions_with_ids_of_their_ground_truth(run, tmp_path):
    image = {"id": 4, "file_name": "a.png", "width": 100, "height": 50}
    gt = {"images": [image], "annotations": [], "categories": [{"id": 3, "name": "car"}]}
    (tmp_path / "gt.json").write_text(json.dumps(gt))
    answer = {"image": "a.png", "response": '[{"box_2d": [400, 100, 600, 400], "label": "car"}]'}
    (tmp_path / "answers.jsonl").write_text(json.dumps(answer))
    places = [str(tmp_path / name) for name in ("answers.jsonl", "gt.json", "pred.json")]
    ended = run("convert", places[0], "--gt", places[1], "--pred-field", "response", "--to", "coco", "-o", places[2])
    assert ended.code == 0
    assert ended.out.decode().splitlines()[1] == " read as              answers of models, predictions (coco)"
    assert ended.err.splitlines()[0] == "note: answers read as 1 gemini (1 ok)"
    [row] = json.loads((tmp_path / "pred.json").read_text())
    assert row == {"image_id": 4, "category_id": 3, "bbox": [10.0, 20.0, 30.0, 10.0]}
