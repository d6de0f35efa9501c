"""Timelines of every format written as JSON by video, in frames."""

import json
from importlib.resources import files

import pytest

import calipers

from .test_annotation_tools import AUDACITY, ELAN, SPANS

SAMPLES = files("calipers") / "data" / "timeline"
FRAMES = {"outside": [[0, 19], [35, 39]], "inside": [[20, 34]]}


@pytest.mark.parametrize("name", ["drive.eaf", "drive.txt", "drive.csv"])
@pytest.mark.parametrize("side", ["gt", "pred"])
def test_seconds_of_tools_become_frames(name, side, tmp_path):
    text = {"drive.eaf": ELAN, "drive.txt": AUDACITY, "drive.csv": SPANS}[name]
    (tmp_path / name).write_text(text)
    made = calipers.convert(tmp_path / name, to="plain", side=side, fps=10, output=tmp_path / "out.json")
    entry = {"fps": 10.0, "states": FRAMES} if side == "pred" else {**FRAMES, "fps": 10.0}
    assert json.loads((tmp_path / "out.json").read_bytes()) == {"drive.mp4": entry}
    assert dict(made.counts) == {"videos": 1, "intervals": 3}
    with pytest.raises(calipers.InputError, match=f"{name}: its times are in seconds, expected `fps=N`"):
        calipers.convert(tmp_path / name, to="plain", side=side)


def test_json_stays_what_it_is():
    path = SAMPLES / "annotations.json"
    made = calipers.convert(str(path), to="plain")
    assert json.loads(made.files[""]) == json.loads(path.read_bytes())
    assert calipers.convert(json.loads(made.files[""]), to="plain").files == made.files


def test_timeline_csvs_measure_as_they_did(tmp_path):
    gt, pred = str(SAMPLES / "annotations.json"), str(SAMPLES / "csv" / "fusion")
    calipers.convert(pred, to="plain", output=tmp_path / "pred.json")
    reports = [calipers.timeline(gt, path, bootstrap=0) for path in (pred, tmp_path / "pred.json")]
    assert reports[0]["summary"] == reports[1]["summary"]


def test_a_malformed_video_is_an_error_or_counted():
    videos = {"a.mp4": {"states": {"inside": [[5, 9]]}}, "b.mp4": {"states": {"inside": [[9, 5]]}}}
    with pytest.raises(calipers.InputError, match=r'"b.mp4": invalid prediction: states.inside\[0\]: found \[9, 5\]'):
        calipers.convert(videos, to="plain")
    made = calipers.convert(videos, to="plain", max_bad_records=1)
    assert json.loads(made.files[""]) == {"a.mp4": {"states": {"inside": [[5, 9]]}}}
    with pytest.raises(calipers.InputError, match=r'"a.mp4" is in an input before, expected each video once'):
        calipers.convert({"a.mp4": {"x": [[0, 1]]}}, {"a.mp4": {"x": [[0, 1]]}}, to="plain")


def test_what_a_tool_says_that_is_not_read_is_told(tmp_path):
    (tmp_path / "drive.txt").write_text(AUDACITY)
    made = calipers.convert(tmp_path / "drive.txt", to="plain", side="gt", fps=10)
    assert made.notes == ["Audacity labels: frequencies are not read, and so not written"]
