"""What `-o` puts into a folder for timelines: the artifact, a table of videos, one of events, and pictures."""

import csv
import io
import os
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import calipers
from calipers.core.errors import OutputError
from calipers.show.folder import write_folder
from calipers.suites.timeline.config import TimelineOutputOptions
from calipers.suites.timeline.folder import strips
from calipers.suites.timeline.strips import Strip
from calipers.suites.timeline.tables import videos_table

#              0         10        20        30        39
#   a  truth   |outside  |approach |inside   |outside  |
#      pred    |outside    |approach |inside   |outside|      two frames late, 10 frames a second
#   b  truth   |outside  |inside   |
#      pred    |outside            |
#   p  truth   |outside  |parked   |                          found to the frame
TRUTH = {
    "a.mp4": {"outside": [[0, 9], [30, 39]], "approaching": [[10, 19]], "inside": [[20, 29]]},
    "b.mp4": {"outside": [[0, 9]], "inside": [[10, 19]]},
    "c.mp4": {},
    "p.mp4": {"outside": [[0, 9]], "parked": [[10, 19]]},
}
PRED = {
    "a.mp4": {"fps": 10, "states": {"outside": [[0, 11], [32, 39]], "approaching": [[12, 21]], "inside": [[22, 31]]}},
    "b.mp4": {"states": {"outside": [[0, 19]]}},
    "p.mp4": {"fps": 5, "states": TRUTH["p.mp4"]},
}
TABLES = ["cases.jsonl", "frame_errors.csv", "matches.csv", "report.html", "result.json", "videos.csv"]
PLOTS = ["confusion.png", "frame_accuracy.png", "frame_errors.png"]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch, blank_plots):
    monkeypatch.chdir(tmp_path)


def evaluated(*names, truth=TRUTH, pred=PRED, **options):
    some = {name: truth[name] for name in names or truth}
    return calipers.timeline(some, pred, **({"bootstrap": 0} | options))


def written(report, plots=0, folder="out"):
    """The content of all files."""
    write_folder(folder, report, TimelineOutputOptions(plot_videos=plots))
    return {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def rows_of(content):
    return list(csv.DictReader(io.StringIO(content.decode("utf-8"), newline="")))


# ---------------------------------------------------------------- videos


def test_the_folder_holds_the_artifact_three_tables_and_plots():
    pytest.importorskip("matplotlib")
    report = evaluated()
    files = written(report)
    assert sorted(files) == sorted([*TABLES, *PLOTS])
    assert files["result.json"] == report.to_json()


def test_every_video_has_a_row():
    rows = rows_of(written(evaluated())["videos.csv"])
    assert [row["video"] for row in rows] == ["a.mp4", "b.mp4", "c.mp4", "p.mp4"]
    assert [row["error"] for row in rows] == ["", "", "empty_ground_truth", ""]
    a, b, c, p = rows
    assert (a["fps_estimate"], a["frame_accuracy"], a["time_in_error_frames"]) == ("10.0", "0.85", "6")
    assert (a["gt_inside_start_frame"], a["pred_inside_start_frame"]) == ("20", "22")
    assert (b["frame_accuracy"], b["event_recall"], b["event_precision"]) == ("0.5", "0.0", "")
    assert set(c.values()) == {"c.mp4", "empty_ground_truth", ""}
    assert (p["iou_parked"], a["iou_parked"]) == ("1.0", "")


def test_a_row_says_what_the_artifact_says():
    report = evaluated()
    columns, rows = videos_table(report.tree)
    assert columns[:4] == ["video", "error", "fps_estimate", "frame_accuracy"]
    assert len(set(columns)) == len(columns)
    for row in rows:
        entry = report["videos"][row["video"]]
        assert list(row) == columns
        flat = {name: value for name, value in entry.items() if name not in ("confusion", "frame_errors", "counts")}
        assert {name: value for name, value in row.items() if value is not None} == {
            "video": row["video"],
            **{name: value for name, value in flat.items() if value is not None},
        }


def test_a_table_without_measured_videos_has_names_and_errors():
    assert written(evaluated("c.mp4"))["videos.csv"] == b"video,error\nc.mp4,empty_ground_truth\n"
    assert rows_of(written(evaluated("c.mp4"))["matches.csv"]) == []


# ---------------------------------------------------------------- events


def test_every_event_and_transition_stands_beside_its_partner():
    report = evaluated("a.mp4", "b.mp4", transition_tolerance_frames=2)
    lines = written(report)["matches.csv"].decode().splitlines()
    assert lines == [
        "video,kind,state,gt_start,gt_end,pred_start,pred_end,shared_frames,delay_frames",
        "a.mp4,event,inside,20,29,22,31,8,2",
        "a.mp4,advisory_event,,10,29,12,31,18,2",
        "a.mp4,transition,outside → approaching,10,10,12,12,0,2",
        "a.mp4,transition,approaching → inside,20,20,22,22,0,2",
        "a.mp4,transition,inside → outside,30,30,32,32,0,2",
        "b.mp4,event,inside,10,19,,,,",
        "b.mp4,advisory_event,,10,19,,,,",
        "b.mp4,transition,outside → inside,10,10,,,,",
    ]


def test_what_was_predicted_beside_follows_what_was_missed():
    lines = written(evaluated("a.mp4", transition_tolerance_frames=1))["matches.csv"].decode().splitlines()
    assert lines[3:] == [
        "a.mp4,transition,outside → approaching,10,10,,,,",
        "a.mp4,transition,approaching → inside,20,20,,,,",
        "a.mp4,transition,inside → outside,30,30,,,,",
        "a.mp4,transition,outside → approaching,,,12,12,,",
        "a.mp4,transition,approaching → inside,,,22,22,,",
        "a.mp4,transition,inside → outside,,,32,32,,",
    ]


def test_rows_agree_with_the_counts_of_the_artifact():
    report = evaluated(transition_tolerance_frames=5)
    rows = rows_of(written(report)["matches.csv"])
    for name, entry in report["videos"].items():
        if "error" in entry:
            continue
        for kind, count in (("event", "events"), ("advisory_event", "advisory_events")):
            own = [row for row in rows if (row["video"], row["kind"]) == (name, kind)]
            pairs = [row for row in own if row["gt_start"] and row["pred_start"]]
            assert len(pairs) == entry["counts"][f"matched_{count}"]
            assert len([row for row in own if row["gt_start"]]) == entry["counts"][f"gt_{count}"]
            assert len([row for row in own if row["pred_start"]]) == entry["counts"][f"pred_{count}"]


# ---------------------------------------------------------------- pictures


@pytest.mark.parametrize(("most", "shown"), [(1, ["b.mp4"]), (2, ["b.mp4", "a.mp4"]), (9, ["b.mp4", "a.mp4", "p.mp4"])])
def test_the_worst_videos_are_drawn_first(most, shown):
    found = strips(evaluated(), most)
    assert [strip.name for strip in found] == shown
    assert found[0] == Strip(
        "b.mp4",
        [("outside", 0, 9), ("inside", 10, 19)],
        [("outside", 0, 19)],
        None,
        {
            "frame_accuracy": 0.5,
            "event_recall": 0.0,
            "event_precision": None,
            "late_advisory_rate": 1.0,
            "edit_score": 0.5,
        },
    )


def test_a_strip_knows_its_speed_from_the_prediction_or_the_option():
    assert {strip.name: strip.fps for strip in strips(evaluated(fps=25), 9)} == {
        "a.mp4": 10.0,
        "b.mp4": 25.0,
        "p.mp4": 5.0,
    }


def test_pictures_come_as_png_and_svg():
    pytest.importorskip("matplotlib")
    files = written(evaluated(), plots=2)
    pictures = sorted(name for name in files if name.startswith("plots/"))
    assert [name.rpartition("-")[0] for name in pictures] == [
        "plots/a-mp4",
        "plots/a-mp4",
        "plots/b-mp4",
        "plots/b-mp4",
    ]
    for name in pictures:
        if name.endswith(".png"):
            assert files[name].startswith(b"\x89PNG")
        else:
            texts = [element.text for element in ET.fromstring(files[name]).iter() if element.text]
            assert {"a.mp4", "b.mp4"} & set(texts) == {f"{name[6]}.mp4"}


def test_plots_need_no_strips_and_of_a_sweep_there_is_one_more():
    pytest.importorskip("matplotlib")
    swept = evaluated(transition_tolerance_frames="5,0")
    assert set(written(swept)) == {*TABLES, *PLOTS, "tolerance.png"}
    assert write_folder("out", swept) == []
    assert write_folder("out", evaluated()) == ["out: of an earlier run, and left alone: tolerance.png"]


def test_where_nothing_was_evaluated_nothing_is_drawn():
    assert sorted(written(evaluated("c.mp4"))) == TABLES


def test_without_matplotlib_everything_else_is_written_and_that_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert write_folder("out", evaluated()) == [
        "no plots were drawn: plots: pictures need matplotlib: pip install 'calipers[plots]'"
    ]
    assert sorted(os.listdir("out")) == TABLES


def test_a_sweep_is_drawn_beside_strips_as_well():
    pytest.importorskip("matplotlib")
    files = written(evaluated(transition_tolerance_frames="5,0"), plots=1)
    assert {"plots/tolerance.png", "plots/tolerance.svg"} <= set(files)
    assert b"Transitions found by tolerance" in files["plots/tolerance.svg"]
    assert not any("tolerance" in name for name in written(evaluated(), plots=1, folder="other"))


def test_a_state_has_the_same_colour_in_every_picture():
    pytest.importorskip("matplotlib")
    truth = {"a": {"yard": [[0, 9]]}, "b": {"alley": [[0, 4]], "yard": [[5, 9]]}}
    report = evaluated(truth=truth, pred={name: {"states": {}} for name in truth})
    files = written(report, plots=2)
    for name in ("a", "b"):
        [picture] = [content for file, content in files.items() if file.startswith(f"plots/{name}-") and "svg" in file]
        assert b"#9ad373" in picture  # the second of the series, after alley


def test_the_same_report_gives_the_same_bytes():
    pytest.importorskip("matplotlib")
    first, second = (written(evaluated(), plots=3, folder=folder) for folder in ("one", "two"))
    assert first == second


def test_the_order_of_videos_and_states_changes_nothing():
    truth = {name: dict(reversed(TRUTH[name].items())) for name in reversed(TRUTH)}
    assert written(evaluated(truth=truth, pred=dict(reversed(PRED.items())))) == written(evaluated(), folder="other")


# ---------------------------------------------------------------- whole or not at all


def test_a_folder_is_made_with_the_ones_above_it_and_may_be_there_already():
    report = evaluated()
    first = written(report, folder="deep/er/out")
    Path("deep/er/out/videos.csv").write_text("old")
    Path("deep/er/out/notes.txt").write_text("mine")
    assert written(report, folder="deep/er/out") == first | {"notes.txt": b"mine"}


def test_no_file_is_new_when_one_cannot_be_written():
    Path("out/matches.csv").mkdir(parents=True)
    Path("out/videos.csv").write_text("old")
    with pytest.raises(OutputError, match=r"matches.csv: cannot be written"):
        write_folder("out", evaluated())
    assert sorted(os.listdir("out")) == ["matches.csv", "videos.csv"]
    assert Path("out/videos.csv").read_text() == "old"


def test_a_new_folder_goes_away_again_when_it_cannot_be_filled(monkeypatch):
    pytest.importorskip("matplotlib")

    def full(number):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left on device"):
        write_folder("new/deep", evaluated(), TimelineOutputOptions(plot_videos=1))
    assert os.listdir(".") == []
