"""Timelines as annotation tools export them: ELAN, Audacity labels and CSV of spans, all in seconds.

seconds  0    1    2    3    4
spans    |outside  |inside |out|        outside 0-2, inside 2-3.5, outside 3.5-4
10 fps    0 … 19    20 … 34  35-39
"""

import json
import subprocess
import sys

import pytest

import calipers
from calipers.core.errors import InputError

AUDACITY = "0.000000\t2.000000\toutside\n2.000000\t3.500000\tinside\n\\\t100.0\t800.0\n3.500000\t4.000000\toutside\n"
SPANS = "start,end,label\n0,2,outside\n2.0,3.5,inside\n3.5,4,outside\n"
ELAN = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT AUTHOR="" DATE="2024-05-02T10:21:33+02:00" FORMAT="3.0" VERSION="3.0"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="EAFv3.0.xsd">
    <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">
        <MEDIA_DESCRIPTOR MEDIA_URL="file:///drive.mp4" MIME_TYPE="video/mp4" RELATIVE_MEDIA_URL="./drive.mp4"/>
        <PROPERTY NAME="lastUsedAnnotationId">3</PROPERTY>
    </HEADER>
    <TIME_ORDER>
        <TIME_SLOT TIME_SLOT_ID="ts1" TIME_VALUE="0"/>
        <TIME_SLOT TIME_SLOT_ID="ts2" TIME_VALUE="2000"/>
        <TIME_SLOT TIME_SLOT_ID="ts3" TIME_VALUE="3500"/>
        <TIME_SLOT TIME_SLOT_ID="ts4" TIME_VALUE="4000"/>
    </TIME_ORDER>
    <TIER LINGUISTIC_TYPE_REF="default-lt" TIER_ID="drive">
        <ANNOTATION>
            <ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2">
                <ANNOTATION_VALUE>outside</ANNOTATION_VALUE>
            </ALIGNABLE_ANNOTATION>
        </ANNOTATION>
        <ANNOTATION>
            <ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="ts2" TIME_SLOT_REF2="ts3">
                <ANNOTATION_VALUE>inside</ANNOTATION_VALUE>
            </ALIGNABLE_ANNOTATION>
        </ANNOTATION>
        <ANNOTATION>
            <ALIGNABLE_ANNOTATION ANNOTATION_ID="a3" TIME_SLOT_REF1="ts3" TIME_SLOT_REF2="ts4">
                <ANNOTATION_VALUE>outside</ANNOTATION_VALUE>
            </ALIGNABLE_ANNOTATION>
        </ANNOTATION>
    </TIER>
    <TIER LINGUISTIC_TYPE_REF="note" PARENT_REF="drive" TIER_ID="notes">
        <ANNOTATION>
            <REF_ANNOTATION ANNOTATION_ID="a4" ANNOTATION_REF="a2">
                <ANNOTATION_VALUE>rain</ANNOTATION_VALUE>
            </REF_ANNOTATION>
        </ANNOTATION>
    </TIER>
    <LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="default-lt" TIME_ALIGNABLE="true"/>
</ANNOTATION_DOCUMENT>
"""
FILES = {"drive.eaf": ELAN, "drive.txt": AUDACITY, "drive.csv": SPANS}
TITLES = {"drive.eaf": "ELAN annotations", "drive.txt": "Audacity labels", "drive.csv": "CSV of spans"}
STATES = {"outside": [[0, 19], [35, 39]], "inside": [[20, 34]]}
PRED = {"drive.mp4": {"states": {"outside": [[0, 21], [35, 39]], "inside": [[22, 34]]}}}  # 2 of 40 frames are wrong


@pytest.fixture
def write(tmp_path):
    """Writes a file, and returns its path."""

    def call(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return call


@pytest.mark.parametrize("name", FILES)
def test_ground_truth_of_a_tool_is_that_of_json(write, name):
    told = calipers.timeline(write(name, FILES[name]), PRED, fps=10, bootstrap=0)
    plain = calipers.timeline({"drive.mp4": STATES | {"fps": 10}}, PRED, fps=10, bootstrap=0)
    assert told["videos"] == plain["videos"]
    assert told["videos"]["drive.mp4"]["frame_accuracy"] == 0.95  # 38 / 40
    assert told["warnings"] == []


@pytest.mark.parametrize("name", FILES)
def test_predictions_of_a_tool_take_fps_of_the_ground_truth(write, name):
    truth = {"drive.mp4": {**PRED["drive.mp4"]["states"], "fps": 10}}
    report = calipers.timeline(truth, write(name, FILES[name]), bootstrap=0)
    assert report["videos"]["drive.mp4"]["frame_accuracy"] == 0.95
    assert report["videos"]["drive.mp4"]["fps_estimate"] == 10


def test_fps_of_the_prediction_counts_before_the_option(write):
    """At 20 frames a second the prediction is half as long as the 80 frames of the ground truth."""
    pred = {"drive": PRED["drive.mp4"] | {"fps": 10}}
    path = write("drive.txt", AUDACITY)
    assert calipers.timeline(path, pred, fps=20)["videos"]["drive.mp4"]["frame_accuracy"] == 0.95
    assert calipers.timeline(path, PRED, fps=20)["videos"]["drive.mp4"]["counts"]["frames"] == 80


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("side", ["gt", "pred"])
def test_without_fps_it_is_an_error_that_says_what_to_do(write, name, side):
    path = write(name, FILES[name])
    sides = (path, PRED) if side == "gt" else ({"drive": STATES}, path)
    expected = rf"{name}: its times are in seconds, and fps of 'drive.*' is not known, expected `fps=N`"
    with pytest.raises(InputError, match=expected):
        calipers.timeline(*sides)


def test_both_sides_may_come_from_tools_and_from_folders(write, tmp_path):
    for name in ("a", "b"):
        write(f"gt/{name}.eaf", ELAN)
        write(f"pred/{name}.txt", AUDACITY)
    write("pred/README.txt", "Labels of two drives.\n")
    report = calipers.timeline(tmp_path / "gt", tmp_path / "pred", fps=25, bootstrap=0)
    assert [video["frame_accuracy"] for video in report["videos"].values()] == [1.0, 1.0]
    assert sorted(report["videos"]) == ["a.mp4", "b.mp4"]
    assert [entry["records"] for entry in report["inputs"]] == [2, 2]


def test_shards_give_the_same_bytes(write, tmp_path):
    for name in "abcdef":
        write(f"gt/{name}.csv", SPANS)
        write(f"pred/{name}.txt", AUDACITY.replace("3.5", "3.0"))
    sides = tmp_path / "gt", tmp_path / "pred"
    whole, cut = (calipers.timeline(*sides, fps=25, chunk_bytes=size, jobs=1) for size in (10**8, 200))
    assert whole.to_json() == cut.to_json()
    assert whole["videos"]["a.mp4"]["frame_accuracy"] == 0.87  # 75 … 87 of 100 frames: 3.5 s is 87.5


def test_a_video_without_a_prediction_needs_no_fps(write, tmp_path):
    write("gt/a.txt", AUDACITY)
    write("gt/b.txt", AUDACITY)
    report = calipers.timeline(tmp_path / "gt", {"a": PRED["drive.mp4"] | {"fps": 10}}, bootstrap=0)
    assert report["videos"]["b.mp4"] == {"error": "missing predictions or states"}


def test_spans_that_touch_share_no_frame_and_leave_none_out(write):
    """At 3 fps a third of a second is a frame: 0.5 s is 1.5 frames, which rounds up to 2."""
    path = write("a.csv", "start,end,label\n0,0.5,outside\n0.5,1,inside\n")
    states = {"outside": [[0, 1]], "inside": [[2, 2]]}
    assert calipers.timeline(path, {"a": {"states": states}}, fps=3)["videos"]["a.mp4"]["frame_accuracy"] == 1


def test_a_span_too_short_for_a_frame_is_left_out_with_a_warning(write):
    path = write("drive.txt", AUDACITY + "1.0\t1.0\tmark\n1.0\t1.01\tmark\n")
    report = calipers.timeline(path, PRED, fps=10)
    warning = "drive.txt: 2 spans are too short for a frame at 10 frames a second, and left out"
    assert warning in report["warnings"]
    assert report["videos"]["drive.mp4"]["frame_accuracy"] == 0.95


@pytest.mark.parametrize(
    "text",
    [
        "0,2,outside\n2,3.5,inside\n3.5,4,outside\n",
        "\ufeffLabel, Start ,END\r\nOutside,0,2\r\nINSIDE,2,3.5\r\n\r\noutside,3.5,4\r\n",
        'start_sec,who,end_sec,state\n0,x,2,"outside"\n2,"y, z",3.5,inside\n3.5,,4,outside\n',
    ],
)
def test_a_header_may_be_missing_or_name_columns_in_any_order(write, text):
    report = calipers.timeline(write("drive.csv", text), PRED, fps=10)
    assert report["videos"]["drive.mp4"]["frame_accuracy"] == 0.95


def test_of_several_tiers_the_one_called_states_is_read(write):
    states = '<TIER TIER_ID="States"><ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts4">'
    states += "<ANNOTATION_VALUE>inside</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>"
    path = write("drive.eaf", ELAN.replace("<LINGUISTIC_TYPE ", states + "<LINGUISTIC_TYPE ", 1))
    report = calipers.timeline(path, {"drive": {"states": {"inside": [[0, 39]]}}}, fps=10)
    assert report["videos"]["drive.mp4"]["frame_accuracy"] == 1
    assert report["warnings"][0] == "drive.eaf: the tier 'States' is read, others are not: [\"drive\"]"


# Refused: with file, place, what was found, what was expected


BAD_TEXT = [
    ("a.txt", "0\t1\tx\n1\tx\tinside\n", 'a.txt:2: end: found "x", expected seconds from 0 to 1000000000'),
    ("a.txt", "0\t1\tx\n-1\t2\tinside\n", 'a.txt:2: start: found "-1", expected seconds from 0'),
    ("a.txt", "0\t1\tx\n1\t1e99\tinside\n", 'a.txt:2: end: found "1e99", expected seconds from 0'),
    ("a.txt", "0\t1\tx\n1\tnan\tinside\n", 'a.txt:2: end: found "nan"'),
    ("a.txt", "0\t1\tx\n3\t2\tinside\n", "a.txt:2: found a span from 3 to 2 s, expected start <= end"),
    ("a.txt", "0\t1\tx\n1\t2\t\n", "a.txt:2: label: found nothing, expected the name of a state"),
    ("a.txt", "0\t1\tx\n1 2 inside\n", 'a.txt:2: found "1 2 inside", expected start, end and label with tabs'),
    ("a.txt", b"0\t1\t\xff\n", "a.txt: found byte 0xff at position 4, expected text in UTF-8"),
    ("a.txt", "0\t1\tfps\n", "label: found 'fps', expected a state"),
    ("a.csv", "start,end\n0,1\n", 'a.csv:1: found the columns ["start", "end"], expected start, end and label, each'),
    ("a.csv", "start,end,label,state\n0,1,a,b\n", "expected start, end and label, each once"),
    ("a.csv", "start,end,label\n0,1\n", 'a.csv:2: found ["0", "1"], expected start, end and label'),
    ("a.csv", "start,end,label\n0,1_0,a\n", 'a.csv:2: end: found "1_0", expected seconds'),
    ("a.csv", 'start,end,label\n0,1,"a\n', "a.csv:2: not CSV: unexpected end of data"),
    ("a.csv", "start,label\n0,a\n", 'a.csv:1: found the columns ["start", "label"] without end, expected start,end,'),
    (
        "a.csv",
        "Begin,End,Name\n0,1,a\n",
        "without start and label, expected start,end,label (a row per span, in seconds)",
    ),
    (
        "a.csv",
        "start;end;label\n0;1;a\n",
        'a.csv:1: found "start;end;label", separated by ";", expected commas: start,',
    ),
    ("a.csv", "", "a.csv:1: found an empty file, expected start,end,label (a row per span, in seconds)"),
    ("a.csv", "frame,state\n0,in\n", "a.csv: found a timeline CSV, which holds predictions, expected ELAN"),
    ("a.eaf", "<ANNOTATION_DOCUMENT>", "a.eaf: line 1: not XML: no element found"),
    ("a.eaf", '<!DOCTYPE a [<!ENTITY b "c">]><ANNOTATION_DOCUMENT/>', "a.eaf: line 1: found a DOCTYPE"),
    ("a.eaf", "<a><ANNOTATION_DOCUMENT/></a>", "a.eaf: line 1: found <a>, expected <ANNOTATION_DOCUMENT>"),
    ("a.eaf", ELAN.replace("milliseconds", "PAL-frames"), 'TIME_UNITS: found "PAL-frames", expected milliseconds'),
    ("a.eaf", ELAN.replace(' TIME_VALUE="3500"', ""), 'TIME_VALUE of "ts3": missing, expected milliseconds'),
    ("a.eaf", ELAN.replace("3500", "later"), 'line 21: TIME_VALUE of "ts3": found "later", expected milliseconds'),
    ("a.eaf", ELAN.replace('REF2="ts3"', 'REF2="ts9"'), 'found the time slot "ts9", expected one of TIME_ORDER'),
    ("a.eaf", ELAN.replace('TIME_SLOT_REF2="ts3"', ""), "line 21: TIME_SLOT_REF2: missing, expected as ELAN writes it"),
    ("a.eaf", ELAN.replace('"3500"', '"1500"'), "line 21: found a span from 2 to 1.5 s, expected start <= end"),
    (
        "a.eaf",
        ELAN.replace("</TIER>", '</TIER><TIER TIER_ID="b">', 1)
        .replace("REF_ANNOTATION", "ALIGNABLE_ANNOTATION")
        .replace('ANNOTATION_REF="a2"', 'TIME_SLOT_REF1="ts1" TIME_SLOT_REF2="ts2"')
        .replace("<LINGUISTIC_TYPE ", "</TIER><LINGUISTIC_TYPE "),
        'found annotations on the tiers ["drive", "notes"], expected one tier, or one called states',
    ),
]


@pytest.mark.parametrize(("name", "text", "message"), BAD_TEXT)
def test_bad_ground_truth_is_named_with_its_place(write, name, text, message):
    with pytest.raises(InputError) as refused:
        calipers.timeline(write(name, text), {"a": PRED["drive.mp4"]}, fps=10)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("start,label\n0,a\n", 'found the columns ["start", "label"] without end, expected start,end,label (a row per'),
        ("Begin,End,Name\n0,1,a\n", "without start and label, expected start,end,label (a row per span, in seconds)"),
        ("when,what\n0,a\n", "expected also frame and state, or start,end,label for spans"),
    ],
)
def test_a_csv_of_predictions_that_nearly_fits_names_both_layouts(write, text, message):
    report = calipers.timeline({"a": STATES}, write("a.csv", text), fps=10)
    error = report["videos"]["a"]["error"]
    assert message in error
    assert "frame,state (a row per frame)" in error or "frame and state" in error


def test_two_files_of_one_video_are_an_error_whatever_their_formats(write, tmp_path):
    for side in ("gt", "pred"):
        write(f"{side}/drive.txt", AUDACITY)
        write(f"{side}/other.txt", AUDACITY)
    calipers.timeline(tmp_path / "gt", tmp_path / "pred", fps=10, bootstrap=0)
    write("gt/drive.eaf", ELAN)
    with pytest.raises(InputError, match=r"drive\.eaf and .*drive\.txt: two files for the video 'drive\.mp4'"):
        calipers.timeline(tmp_path / "gt", tmp_path / "pred", fps=10, bootstrap=0)
    write("pred/drive.csv", SPANS)
    with pytest.raises(InputError, match=r"drive\.csv and .*drive\.txt: two files for the video 'drive\.mp4'"):
        calipers.timeline({"drive": STATES}, tmp_path / "pred", fps=10, bootstrap=0)


def test_a_folder_may_hold_files_of_several_tools(write, tmp_path):
    write("pred/a.eaf", ELAN)
    write("pred/b.txt", AUDACITY)
    report = calipers.timeline({"a": STATES, "b": STATES}, tmp_path / "pred", fps=10, bootstrap=0)
    assert [video["frame_accuracy"] for video in report["videos"].values()] == [1, 1]
    write("pred/c.csv", SPANS)
    report = calipers.timeline({"c": STATES}, tmp_path / "pred", fps=10, bootstrap=0)
    assert any("2 files beside CSVs were not read, first a.eaf" in warning for warning in report["warnings"])


def test_a_bad_prediction_spoils_its_own_video_alone(write, tmp_path):
    write("pred/a.txt", AUDACITY)
    write("pred/b.txt", "0\t1\tx\n1\tx\tinside\n")
    report = calipers.timeline({"a": STATES, "b": STATES}, tmp_path / "pred", fps=10)
    assert report["videos"]["a"]["frame_accuracy"] == 1
    assert report["videos"]["b"]["error"].startswith('invalid prediction: b.txt:2: end: found "x"')


# What `check` and `formats` say


@pytest.mark.parametrize("name", FILES)
def test_check_names_what_it_took_a_file_for(write, tmp_path, name):
    path = write(f"some/{name}", FILES[name])
    files = calipers.check(path, tmp_path / "some")["files"]
    assert [file["kind"] for file in files] == [TITLES[name], f"folder of {TITLES[name]}"]
    assert [file["suite"] for file in files] == ["timeline"] * 2
    assert files[0]["counts"]["contents"] == {"videos": 1, "empty": 0, "intervals": 3, "states": 2}
    assert files[0]["refused"]["n"] == 0
    assert "times are in seconds" in files[0]["warnings"][0]


def test_check_compares_seconds_with_frames_of_the_other_side(write):
    pred = write("pred.json", json.dumps({"drive": PRED["drive.mp4"] | {"fps": 10}}))
    found = calipers.check(gt=write("drive.eaf", ELAN), pred=pred)
    assert found["ok"]
    assert found["comparisons"][0]["score"] == 0.95


def test_a_name_does_not_decide(write):
    """ELAN's XML in a file that is called .txt, labels in one that is called .eaf."""
    assert calipers.timeline(write("drive.txt", ELAN), PRED, fps=10)["videos"]["drive.mp4"]["frame_accuracy"] == 0.95
    assert calipers.timeline(write("drive.eaf", AUDACITY), PRED, fps=10)["records"]["evaluated"] == 1


def test_formats_lists_them():
    listed = subprocess.run([sys.executable, "-m", "calipers", "formats"], capture_output=True, text=True, check=True)
    assert all(title in listed.stdout for title in TITLES.values())
