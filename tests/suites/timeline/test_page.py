"""The page of the timeline suite: means, the sweep, and every video as a strip."""

import pytest

import calipers
from calipers.core.errors import ConfigError
from calipers.show.folder import write_folder
from calipers.show.page.build import report_page, result_page

from ...hostile import HALF_PAIR, HOSTILE
from ...show.page.reading import cards, column, data_of, section, tags_without_cases, titles

pytestmark = pytest.mark.usefixtures("blank_plots")

#              0         10        20        30        39
#   a  truth   |outside  |approach |inside   |outside  |
#      pred    |outside    |approach |inside   |outside|      two frames late, 10 frames a second
#   b  truth   |outside  |inside   |
#      pred    |outside            |
#   c  nobody has labelled it
TRUTH = {
    "a.mp4": {"outside": [[0, 9], [30, 39]], "approaching": [[10, 19]], "inside": [[20, 29]]},
    "b.mp4": {"outside": [[0, 9]], "inside": [[10, 19]]},
    "c.mp4": {},
}
PRED = {
    "a.mp4": {"fps": 10, "states": {"outside": [[0, 11], [32, 39]], "approaching": [[12, 21]], "inside": [[22, 31]]}},
    "b.mp4": {"states": {"outside": [[0, 19]]}},
    "d.mp4": {"states": {"inside": [[0, 3]]}},
}


@pytest.fixture(scope="module")
def report():
    return calipers.timeline(TRUTH, PRED, transition_tolerance_frames="0,2,5", bootstrap=100)


@pytest.fixture(scope="module")
def data(report):
    return data_of(report_page(report))


def test_cards_say_which_direction_is_better_as_figures_are_declared(data):
    """A warning that is early has an error below 0: no direction is better."""
    better = {card["name"]: card["better"] for card in section(data, "Timing and alarms")["cards"]}
    assert (better["time in error"], better["warned before the zone"], better["first warning, late"]) == (
        "low",
        "high",
        None,
    )


def test_the_headline_is_that_of_the_summary(data):
    found = cards(data, "Headline")
    assert list(found)[:4] == ["lead time", "false alarms", "missed zones", "frame accuracy"]
    #   a: 6 of 40 frames wrong, b: 10 of 20, so (0.85 + 0.5) / 2
    assert found["frame accuracy"] == 0.675
    assert found["event recall"] == 0.5
    assert found["missed zones"] == 0.5
    assert data["subtitle"] == "2 of 3 videos evaluated"


def test_what_to_fix_first_comes_first_and_leads_to_the_videos(data):
    #   a: 2 of 40 frames late start, 2 substitution, 2 late end; b: 10 of 20 deletion
    assert titles(data)[:2] == ["Fix first", "Headline"]
    bars = section(data, "Fix first")["bars"]
    assert [(each["name"], each["value"]) for each in bars] == [
        ("deletion", 0.25),
        ("late end", 0.025),
        ("late start", 0.025),
        ("substitution", 0.025),
    ]
    assert [each["goto"]["tag"] for each in bars] == ["deletion", "late end", "late start", "substitution"]
    assert all(each["interval"][0] <= each["value"] <= each["interval"][1] for each in bars)
    assert bars[0]["note"].startswith("10 frames in 1 stretch · active in the truth only")
    tags = {video["name"]: video["tags"] for video in section(data, "Videos drawn, worst first")["videos"]}
    assert tags == {"b.mp4": ["b.mp4", "deletion"], "a.mp4": ["a.mp4", "late end", "late start", "substitution"]}


def test_without_wrong_frames_there_is_nothing_to_fix():
    right = {name: {"states": states} for name, states in TRUTH.items()}
    assert titles(data_of(report_page(calipers.timeline(TRUTH, right, bootstrap=0))))[0] == "Headline"


def test_the_sweep_is_a_curve_over_the_tolerance(data):
    curves = section(data, "Transitions over the tolerance")
    assert [each["name"] for each in curves["series"]] == ["precision", "recall", "accuracy"]
    #   from 2 frames on, the three transitions of a are found; b has one that is not
    assert curves["series"][1]["x"] == [0, 2, 5]
    assert curves["series"][1]["y"] == [0.0, 0.5, 0.5]


def test_without_a_sweep_there_is_no_curve():
    data = data_of(report_page(calipers.timeline(TRUTH, PRED, bootstrap=0)))
    assert "Transitions over the tolerance" not in titles(data)


def test_videos_come_worst_first_in_the_table_and_as_strips(data):
    assert column(data, "By video", "video") == ["b.mp4", "a.mp4"]
    assert column(data, "By video", "frame accuracy") == [0.5, 0.85]
    strips = section(data, "Videos drawn, worst first")
    assert [video["name"] for video in strips["videos"]] == ["b.mp4", "a.mp4"]
    assert strips["states"] == ["outside", "approaching", "inside"]
    assert tags_without_cases(data) == set()


def test_a_strip_has_the_runs_of_both_sides(data):
    [late] = [each for each in section(data, "Videos drawn, worst first")["videos"] if each["name"] == "a.mp4"]
    assert (late["frames"], late["fps"]) == (40, 10)
    assert late["note"] == "frame accuracy 0.850 · 6 frames in error"
    assert {lane["name"]: lane["runs"] for lane in late["rows"]} == {
        "ground truth": [["outside", 0, 9], ["approaching", 10, 19], ["inside", 20, 29], ["outside", 30, 39]],
        "prediction": [["outside", 0, 11], ["approaching", 12, 21], ["inside", 22, 31], ["outside", 32, 39]],
    }
    assert late["marks"] == [["late start", 10, 11], ["substitution", 20, 21], ["late end", 30, 31]]


def test_confusion_counts_frames(data):
    matrix = section(data, "Confusion of states")
    states = matrix["rows"]
    cells = {(states[row], states[at]): n for row, at, n in matrix["cells"]}
    assert cells["inside", "outside"] == 10  # all of b's event
    assert cells["inside", "approaching"] == 2


def test_what_was_not_evaluated_is_listed(data):
    assert column(data, "Not evaluated", "video") == ["c.mp4"]
    assert "1 videos were predicted without ground truth and are left out." in data["notes"]


def test_strips_are_capped_and_that_is_said(report):
    strips = section(data_of(report_page(report, cases=1)), "Videos drawn, worst first")
    assert [video["name"] for video in strips["videos"]] == ["b.mp4"]
    assert strips["cut"] == "1 of 2 videos are drawn here, the worst ones"


def test_flicker_does_not_make_the_page_large():
    frames = 30_000
    flicker = {"inside": [[k, k] for k in range(0, frames, 2)]}
    report = calipers.timeline({"a.mp4": {"outside": [[0, frames]]}}, {"a.mp4": {"states": flicker}}, bootstrap=0)
    assert len(report_page(report)) < 400_000


def test_a_folder_gives_the_page_of_the_run(report, tmp_path):
    write_folder(str(tmp_path / "out"), report)
    assert (tmp_path / "out" / "report.html").read_bytes() == report_page(report)
    assert result_page(str(tmp_path / "out")) == report_page(report)


def test_an_artifact_alone_says_how_to_get_the_strips(report, tmp_path):
    report.save(tmp_path / "alone.json")
    data = data_of(result_page(str(tmp_path / "alone.json")))
    [said] = section(data, "Videos drawn")["lines"]
    assert "calipers timeline … -o FOLDER" in said
    assert cards(data, "Headline")["frame accuracy"] == 0.675


def test_videos_have_no_images(report, tmp_path):
    with pytest.raises(ConfigError, match="images: "):
        report_page(report, images=tmp_path)


def test_nothing_evaluated_is_a_page_of_dashes():
    data = data_of(report_page(calipers.timeline({"c.mp4": {}}, {})))
    assert set(cards(data, "Headline").values()) == {None}


def test_hostile_names_and_states_are_only_text():
    texts = [*HOSTILE, HALF_PAIR]
    truth, pred = {text: {text: [[0, 9]]} for text in texts}, {text: {"states": {text: [[3, 9]]}} for text in texts}
    data = data_of(report_page(calipers.timeline(truth, pred, bootstrap=0)))
    names = {video["name"] for video in section(data, "Videos drawn, worst first")["videos"]}
    assert names == {text.replace("\ud800", "\ufffd") for text in texts}


def test_false_boxes_and_runtime_have_cards_where_they_exist():
    box = {"frame": 1, "label": "cone", "box": [0, 0, 9, 9]}
    truth = {"a": {"inside": [[0, 59]], "detections": [box]}}
    guess = {"fps": 1, "states": {"inside": [[0, 59]]}, "detections": [box | {"frame": 5, "score": 0.9}]}
    report = calipers.timeline(truth, {"a": guess | {"runtime": {"frames": 60, "seconds": 2}}}, bootstrap=0)
    found = cards(data_of(report_page(report)), "Detections, signs and runtime")
    assert (found["false boxes"], found["runtime"]) == (1.0, 30.0)
