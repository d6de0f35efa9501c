"""Timelines as CVAT and Label Studio export them: tracks and tags of videos, ranges of frames and spans of seconds.

frames   0 … 19   20 … 34   35 … 39
state    outside  inside    outside
"""

import json

import pytest

import calipers

UNREAD = "Label Studio videos: meta and scores are not read, and so not written"
STATES = {"outside": [[0, 19], [35, 39]], "inside": [[20, 34]]}
META = """<?xml version="1.0" encoding="utf-8"?>
<annotations>
  <version>1.1</version>
  <meta>
    <task>
      <id>12</id>
      <name>drives</name>
      <size>40</size>
      <mode>interpolation</mode>
      <labels><label><name>outside</name><color>#ff0000</color><type>any</type><attributes></attributes></label></labels>
      <original_size><width>640</width><height>480</height></original_size>
      <source>drive.mp4</source>
    </task>
    <dumped>2024-05-02 10:21:33.123456+00:00</dumped>
  </meta>
"""
BOX = 'occluded="0" xtl="1.00" ytl="2.00" xbr="3.00" ybr="4.00" z_order="0"'
TRACKS = f"""  <track id="0" label="outside" source="manual">
    <box frame="0" keyframe="1" outside="0" {BOX}></box>
    <box frame="1" keyframe="0" outside="0" {BOX}></box>
    <box frame="20" keyframe="1" outside="1" {BOX}></box>
    <box frame="35" keyframe="1" outside="0" {BOX}></box>
  </track>
  <track id="1" label="inside" source="manual">
    <polygon frame="20" keyframe="1" outside="0" occluded="0" points="1.0,2.0;3.0,4.0;5.0,6.0"></polygon>
    <polygon frame="35" keyframe="1" outside="1" occluded="0" points="1.0,2.0;3.0,4.0;5.0,6.0"></polygon>
  </track>
"""
ATTRIBUTES = f"""  <track id="0" label="zone" source="manual">
    <box frame="0" keyframe="1" outside="0" {BOX}><attribute name="state">outside</attribute></box>
    <box frame="20" keyframe="1" outside="0" {BOX}>
      <attribute name="colour">red</attribute><attribute name="state">inside</attribute>
    </box>
    <box frame="35" keyframe="1" outside="0" {BOX}><attribute name="state">outside</attribute></box>
  </track>
"""
TAGS = "".join(
    f'  <image id="{frame}" name="frame_{frame:06}" width="640" height="480">\n'
    f'    <tag label="{"inside" if 20 <= frame < 35 else "outside"}" source="manual"></tag>\n  </image>\n'
    for frame in range(40)
)
END = "</annotations>\n"


def task(number, video, result, **more):
    annotation = {"id": number, "completed_by": 1, "result": result, "was_cancelled": False, "ground_truth": False}
    return {"id": number, "annotations": [annotation], "data": {"video": video}, "predictions": []} | more


def frames(label, *ranges):
    value = {"ranges": [{"start": start, "end": end} for start, end in ranges], "timelinelabels": [label]}
    return {"value": value, "id": "k3", "from_name": "timeline", "to_name": "video", "type": "timelinelabels"}


def seconds(label, start, end):
    value = {"start": start, "end": end, "channel": 0, "labels": [label]}
    known = {"original_length": 4.0, "id": "w8", "from_name": "labels", "to_name": "audio", "type": "labels"}
    return {**known, "value": value}


STUDIO = [
    task(1, "/data/upload/3/1a2b3c4d-drive.mp4", [frames("outside", (1, 20), (36, 40)), frames("inside", (21, 35))])
]
SECONDS = [
    task(1, "s3://b/drive.mp4", [seconds("outside", 0, 2), seconds("inside", 2, 3.5), seconds("outside", 3.5, 4)])
]
FILES = {
    "tracks": ("annotations.xml", META + TRACKS + END, "CVAT for video"),
    "attribute": ("annotations.xml", META + ATTRIBUTES + END, "CVAT for video"),
    "tags": ("annotations.xml", META + TAGS + END, "CVAT for video"),
    "ranges": ("tasks.json", json.dumps(STUDIO), "Label Studio videos"),
    "seconds": ("tasks.json", json.dumps(SECONDS), "Label Studio videos"),
}


@pytest.fixture
def write(tmp_path):
    """Writes a file, and returns its path."""

    def call(text, name="annotations.xml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return path

    return call


@pytest.mark.parametrize("name", FILES)
def test_every_export_holds_the_same_states_on_both_sides(name, write):
    file, text, kind = FILES[name]
    path = write(text, file)
    plain = {"drive.mp4": {**STATES, "fps": 10}}
    for gt, pred in ((path, {"drive.mp4": {"states": STATES, "fps": 10}}), (plain, path)):
        report = calipers.timeline(gt, pred, bootstrap=0)
        assert report["videos"]["drive.mp4"]["frame_accuracy"] == 1.0
    found = calipers.check(path)
    assert [(entry["kind"], entry["suite"]) for entry in found["files"]] == [(kind, "timeline")]
    assert found["ok"], found


@pytest.mark.parametrize("name", FILES)
def test_every_export_becomes_plain_and_is_read_as_the_same(name, write, tmp_path):
    file, text, _ = FILES[name]
    path, out = write(text, file), tmp_path / "out.json"
    made = calipers.convert(path, to="plain", output=out, side="gt", fps=10)
    tree = json.loads(out.read_bytes())
    assert {state: tree["drive.mp4"][state] for state in STATES} == STATES
    assert dict(made.counts) == {"videos": 1, "intervals": 3}
    pred = calipers.convert(path, to="plain", side="pred", fps=10)
    assert json.loads(pred.files[""])["drive.mp4"]["states"] == STATES


def test_a_track_without_an_end_goes_on_to_the_last_frame(write):
    one = f'  <track id="0" label="inside"><box frame="30" keyframe="1" outside="0" {BOX}/></track>\n'
    made = json.loads(calipers.convert(write(META + one + END), to="plain", side="gt").files[""])
    assert made == {"drive.mp4": {"inside": [[30, 39]]}}
    unknown = META.replace("<size>40</size>", "")
    made = json.loads(calipers.convert(write(unknown + one + END), to="plain", side="gt").files[""])
    assert made == {"drive.mp4": {"inside": [[30, 30]]}}


def test_tracks_of_one_state_share_frames_once(write):
    two = "".join(
        f'  <track id="{at}" label="inside"><box frame="{first}" outside="0" {BOX}/>'
        f'<box frame="{last + 1}" outside="1" {BOX}/></track>\n'
        for at, (first, last) in enumerate([(5, 9), (8, 12), (20, 21)])
    )
    made = json.loads(calipers.convert(write(META + two + END), to="plain", side="gt").files[""])
    assert made == {"drive.mp4": {"inside": [[5, 12], [20, 21]]}}


def test_a_folder_of_tasks_is_named_by_sources_and_folders(write, tmp_path):
    write(META + TRACKS + END, "one/annotations.xml")
    write((META + TRACKS + END).replace("<source>drive.mp4</source>", ""), "two/annotations.xml")
    made = calipers.convert(tmp_path, to="plain", side="gt")
    assert sorted(json.loads(made.files[""])) == ["drive.mp4", "two.mp4"]
    assert made.kind == "folder of CVAT for video"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<track id="0"/>', "line 16: track: label: missing, expected the name of a state"),
        (
            '<track id="0" label="a"><box frame="-1"/></track>',
            'line 16: box: frame: found "-1", expected a whole frame',
        ),
        ('<track id="0" label="a"><box/></track>', "line 16: box: frame: missing, expected a whole frame from 0"),
        (
            '<track id="0" label="a"><box frame="9999999999999"/></track>',
            "expected a whole frame from 0 to 1000000000000",
        ),
        ('<track id="0" label="a">', "line 17: not XML: mismatched tag"),
        ('<track id="0" label="fps"><box frame="1"/></track>', "label: found 'fps', expected a state"),
    ],
)
def test_a_malformed_document_is_an_error_with_its_line(write, text, message):
    with pytest.raises(calipers.InputError) as raised:
        calipers.timeline(write(META + text + "\n" + END), {"drive.mp4": {"states": STATES}})
    assert message in str(raised.value)


def test_entities_are_never_read(write):
    text = '<!DOCTYPE a [<!ENTITY x "y">]>' + (META + TRACKS + END).partition("?>")[2]
    with pytest.raises(calipers.InputError, match="found a DOCTYPE, expected CVAT without one"):
        calipers.timeline(write(text), {"drive.mp4": {"states": STATES}})


def test_frames_count_from_1_unless_a_range_starts_at_0(write):
    path = write(
        [task(1, "a.mp4", [frames("inside", (0, 9))]), task(2, "b.mp4", [frames("inside", (1, 10))])], "t.json"
    )
    made = calipers.convert(path, to="plain", side="gt")
    assert json.loads(made.files[""]) == {"a.mp4": {"inside": [[0, 9]]}, "b.mp4": {"inside": [[0, 9]]}}
    assert made.notes == [f"{path}: frames of tasks[0] count from 0, as a range starts there (1)", UNREAD]


def test_predictions_of_a_task_and_other_results(write):
    guess = {"result": [frames("inside", (1, 5))], "score": 0.5}
    own = task(1, "a.mp4", [frames("outside", (1, 9)), {"type": "choices", "value": {}}], predictions=[guess])
    path = write([own], "t.json")
    assert json.loads(calipers.convert(path, to="plain", side="pred").files[""])["a.mp4"]["states"] == {
        "inside": [[0, 4]]
    }
    made = calipers.convert(path, to="plain", side="gt")
    assert json.loads(made.files[""]) == {"a.mp4": {"outside": [[0, 8]]}}
    assert made.notes == [f'{path}: results of the type "choices" were left out (1)', UNREAD]


BAD = {
    "order": (
        [frames("a", (9, 1))],
        'tasks[0].result[0].value.ranges[0]: found {"start": 9, "end": 1}, expected whole',
    ),
    "half": ([frames("a", (0.5, 1))], "expected whole frames, start <= end"),
    "ranges": ([{"type": "timelinelabels", "value": {"timelinelabels": ["a"]}}], "value.ranges: found null, expected"),
    "labels": (
        [{"type": "timelinelabels", "value": {"ranges": []}}],
        "value.timelinelabels: found null, expected a list",
    ),
    "seconds": ([seconds("a", 0, -1)], "tasks[0].result[0].value.end: found -1, expected seconds from 0"),
    "both": (
        [frames("a", (1, 2)), seconds("a", 0, 1)],
        "tasks[0]: found results in frames and in seconds, expected one",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_malformed_result_is_an_error_with_its_place(write, case):
    results, message = BAD[case]
    good = task(2, "b.mp4", [frames("a", (1, 2))])
    path = write([task(1, "a.mp4", results), good], "t.json")
    with pytest.raises(calipers.InputError) as raised:
        calipers.timeline(path, {"a.mp4": {"states": STATES}}, fps=10)
    assert message in str(raised.value)


def test_two_tasks_for_one_video_are_an_error(write):
    path = write([*STUDIO, *STUDIO], "t.json")
    with pytest.raises(calipers.InputError, match=r'tasks\[1\]: a second task for the video "drive.mp4", expected one'):
        calipers.timeline(path, {"drive.mp4": {"states": STATES}})


def test_seconds_need_a_rate(write):
    with pytest.raises(calipers.InputError, match=r"drive.mp4: its times are in seconds, and fps of 'drive.mp4'"):
        calipers.timeline(write(SECONDS, "t.json"), {"drive.mp4": {"states": STATES}})


def test_images_of_both_tools_stay_with_detections(write):
    image = META + f'<image id="0" name="a.jpg" width="640" height="480"><box label="car" {BOX}/></image>' + END
    assert calipers.check(write(image))["files"][0]["suite"] == "coco"
