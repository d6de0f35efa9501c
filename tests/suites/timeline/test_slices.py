"""Slices of the timeline suite: by hand, in pieces, and what is refused."""

import json

import pytest

from calipers import ConfigError, TimelineMeter, compare, gate, timeline
from calipers.results.merging import merge

# 60 frames each; `late` of the 30 inside are still outside in the prediction
LATE = {"a": 6, "b": 12, "c": 0, "d": 3}
TRUTH = {name: {"outside": [[0, 29]], "inside": [[30, 59]]} for name in LATE}
PRED = {name: {"fps": 30, "states": {"inside": [[30 + late, 59]]}} for name, late in LATE.items()}
OPTIONS = {"slice": ["light"], "bootstrap": 100}


@pytest.fixture
def attributes(tmp_path):
    path = tmp_path / "videos.csv"
    path.write_text("key,light,km\na,night,1\nb,night,2\nc,day,3\nd,day,4\n", encoding="utf-8")
    return str(path)


def test_an_example_by_hand(attributes):
    report = timeline(TRUTH, PRED, attributes=attributes, **OPTIONS)
    night, day = report["slices"]
    assert (night["value"], night["records"], night["objects"], day["value"]) == ("night", 2, 2, "day")
    accuracy = night["figures"]["frame_accuracy"]
    # night: 54 / 60 and 48 / 60, day: 60 / 60 and 57 / 60
    assert (accuracy["value"], accuracy["rest"]) == (0.85, 0.975)
    assert night["worth"] == pytest.approx((0.975 - 0.85) / 2)
    assert night["figures"]["event_recall"]["value"] == 1
    assert "worst slices" in str(report)
    assert "slices               frame_accuracy by light, the worst first" in str(report)


def test_a_mean_of_one_video_has_no_interval(attributes):
    truth = TRUTH | {"b": {"outside": [[0, 59]]}}  # no event, so that the recall of night is that of one video
    slices = timeline(truth, PRED, attributes=attributes, **OPTIONS)["slices"]
    night = next(row for row in slices if row["value"] == "night")
    recall, accuracy = (night["figures"][name] for name in ("event_recall", "frame_accuracy"))
    assert (night["records"], recall["value"], recall["interval"], recall["p"]) == (2, 1.0, None, None)
    # 54 and 42 of 60 frames are right: each can be all there is in a replicate
    assert (accuracy["value"], accuracy["interval"]) == (0.8, [0.7, 0.9])


def test_attributes_name_videos_with_or_without_their_extension(tmp_path, attributes):
    sides = [{f"{name}.mp4": entry for name, entry in side.items()} for side in (TRUTH, PRED)]
    assert timeline(*sides, attributes=attributes, **OPTIONS)["slices"][0]["value"] == "night"
    both = tmp_path / "both.csv"
    both.write_text("key,light\na,night\na.mp4,day\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"'a' and 'a.mp4' are the same record"):
        timeline(*sides, attributes=str(both), **OPTIONS)


def test_figures_have_the_names_of_a_comparison(attributes):
    report = timeline(TRUTH, PRED, attributes=attributes, **OPTIONS)
    names = {row["metric"] for row in compare(report, report)["metrics"]}
    assert set(report["slices"][0]["figures"]) <= names


def test_the_same_in_files_in_pieces_and_merged(tmp_path, attributes):
    whole = timeline(TRUTH, PRED, attributes=attributes, **OPTIONS)["slices"]
    paths = []
    for name, tree in (("gt", TRUTH), ("pred", PRED)):
        (tmp_path / f"{name}.json").write_text(json.dumps(tree), encoding="utf-8")
        paths.append(str(tmp_path / f"{name}.json"))
    kept = timeline(*paths, attributes=attributes, chunk_bytes=1, jobs=2, tally=tmp_path / "kept", **OPTIONS)
    assert kept["slices"] == merge([str(tmp_path / "kept")])["slices"] == whole
    meter = TimelineMeter(attributes=attributes, **OPTIONS)
    for name in reversed(LATE):
        meter.update({name: TRUTH[name]}, {name: PRED[name]})
    assert meter.compute()["slices"] == whole


def test_fields_come_from_attributes_alone(attributes):
    with pytest.raises(ConfigError, match="`attributes=FILE` gives some"):
        timeline(TRUTH, PRED, slice="light")
    with pytest.raises(ConfigError, match="the fields there are: km, light"):
        timeline(TRUTH, PRED, slice="objects", attributes=attributes)


def test_slices_are_compared_and_gated(attributes):
    better = {name: {"fps": 30, "states": TRUTH[name]} for name in LATE}
    old, new = (timeline(TRUTH, pred, attributes=attributes, **OPTIONS) for pred in (PRED, better))
    rows = {row["value"]: row for row in compare(old, new)["slices"]}
    assert rows["night"]["difference"] == pytest.approx(0.15)
    assert gate(new, old, max_drop={"frame_accuracy@light=night": 0.01}).state == "investigate"  # two videos are few
    assert gate(old, floor={"frame_accuracy@light=night": 0.9}).state == "fail"
