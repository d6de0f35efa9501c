"""Files of the timeline suite that are almost right: what is wrong stays with the video it is in."""

import json
import os

import pytest

import calipers
from calipers.files.inputs import folder_digest
from calipers.suites.timeline.video_files import csv_input, find_csvs

TRUTH = {"a": {"inside": [[0, 1]]}, "z": {"inside": [[0, 1]]}}


@pytest.fixture
def evaluate(tmp_path):
    """Ground truth of two videos against a predictions file with this text."""

    def call(text):
        (tmp_path / "gt.json").write_text(json.dumps(TRUTH))
        (tmp_path / "pred.json").write_bytes(text if isinstance(text, bytes) else text.encode())
        return calipers.timeline(tmp_path / "gt.json", tmp_path / "pred.json")

    return call


@pytest.mark.parametrize(
    ("entry", "found"),
    [
        ('{"states": {"inside": [[0, 1e400]]}}', "states.inside[0]: found [0, Infinity]"),
        ('{"fps": NaN, "states": {}}', "fps: found NaN"),
        (f'{{"states": {{"inside": [[0, {10**400}]]}}}}', "states.inside[0]: found [0, 1000"),
        ('{"states": {"": [[0, 1]], "": [[2, 3]]}}', 'the key "" is there twice'),
        ('{"fps": 1, "fps": 2, "states": {}}', 'the key "fps" is there twice'),
    ],
)
def test_what_spoils_one_prediction_leaves_the_others_alone(evaluate, entry, found):
    report = evaluate(f'{{"a": {entry}, "z": {{"states": {{}}}}}}')
    assert list(report["not_evaluated"]) == ["a"]
    assert report["videos"]["a"]["error"].startswith(f"invalid prediction: {found}")
    assert "error" not in report["videos"]["z"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"a\xff": {}}', "not UTF-8: byte 0xff at position 3"),
        ('{"a": {}, "a": {}}', '"a" is there twice, expected each video once'),
        (
            f'{{"a": {{"fps": 1, "fps": 2}}, "z": {"[" * 700 + "]" * 700}}}',
            "a key is there twice, and something is nested",
        ),
        (f'{{"z": {"[" * 100_000 + "]" * 100_000}}}', "not JSON: depth limit exceeded"),
        ('{"\\ud800": {}}', "not JSON"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused(evaluate, text, message):
    with pytest.raises(calipers.InputError, match=r"pred\.json") as refused:
        evaluate(text)
    assert message in str(refused.value)


def test_a_csv_whose_times_make_no_sense_has_no_fps_and_says_so(tmp_path):
    (tmp_path / "a_timeline.csv").write_text("frame,state,time_sec\n0,out,0\n1,in,1e9\n")
    report = calipers.timeline(TRUTH, tmp_path)
    assert report["videos"]["a"]["fps_estimate"] is None
    assert report["warnings"] == [
        "a_timeline.csv: time_sec makes 1e-09 frames a second, which is implausible and ignored"
    ]


def test_a_file_name_that_is_not_text_is_shown_with_the_replacement_character(tmp_path):
    with open(os.fsencode(tmp_path) + b"/b\xff_timeline.csv", "w") as file:
        file.write("frame,state\n0,in\n")
    report = calipers.timeline(TRUTH, tmp_path)
    assert report["videos_without_ground_truth"] == ["b\ufffd.mp4"]
    assert "b\ufffd.mp4" in report.to_json().decode()


def test_half_of_a_surrogate_pair_in_a_name_does_not_spoil_the_artifact():
    report = calipers.timeline({"a\ud800": {"inside": [[0, 3]]}}, {"a\ud800": {"states": {}}})
    assert json.loads(report.to_json())["videos"]["a\ufffd"]["frame_accuracy"] == 0


SPELLINGS = [".", "./", "../csvs", "..//csvs/", "../csvs/../csvs"]


@pytest.mark.parametrize("path", SPELLINGS)
def test_files_have_the_same_names_however_their_folder_is_spelled(tmp_path, monkeypatch, path):
    folder = tmp_path / "csvs"
    for name in ("b.csv", "a/c.csv", "a.csv", "A/d.csv"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("frame,state\n0,inside\n")
    monkeypatch.chdir(folder)
    csvs = find_csvs(path)
    assert csvs.files == sorted(csvs.files)
    digests = [str(place) for place, _ in enumerate(csvs.files)]
    wanted = folder_digest(zip(["A/d.csv", "a/c.csv", "a.csv", "b.csv"], digests, strict=True))
    assert csv_input(path, csvs, digests).sha256 == wanted
    assert csv_input(str(folder), find_csvs(str(folder)), digests).sha256 == wanted
