"""States of videos as they come out of files or dicts: what is read, what is said about the rest."""

import hashlib
import json
from collections import OrderedDict, defaultdict
from pathlib import Path
from types import MappingProxyType

import pytest

import calipers
from calipers.suites.timeline.read import read_timelines
from calipers.suites.timeline.video_files import find_csvs

TRUTH = {"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]}
PRED = {"fps": 10, "states": {"inside": [[12, 19]]}}
KNOWN = ("outside", "approaching", "inside", "exiting")
CSV = "frame,time_sec,state\n0,0,out\n10,1,in\n20,2,out\n29,2.9,out\n"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def write(name, content):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def intervals(reading, side):
    """[(state, first, last), …] of every video on one side."""
    columns = getattr(reading.videos, side)
    names = {code: name for name, code in reading.videos.states.items()}
    rows = [(names[columns.state[k]], columns.start[k], columns.end[k]) for k in range(columns.offsets[-1])]
    ends = list(columns.offsets)
    return {name: rows[ends[k] : ends[k + 1]] for k, name in enumerate(reading.videos.names)}


def read(truth, pred, **options):
    """A reading in which both sides have the same videos, and none of the others is lost."""
    reading = read_timelines(truth, pred, **options)
    videos = reading.videos
    assert len(videos.truth) == len(videos.pred) == len(videos.fps) == len(videos.names)
    told = [*videos.names, *reading.errors, *(bad.video for bad in reading.bad)]
    assert len(told) == len(set(told)) == reading.inputs[0].records
    return reading


# Intervals


def test_intervals_are_taken_as_they_stand():
    reading = read({"a": TRUTH}, {"a": PRED})
    assert intervals(reading, "truth") == {"a": [("outside", 0, 9), ("outside", 20, 29), ("inside", 10, 19)]}
    assert intervals(reading, "pred") == {"a": [("inside", 12, 19)]}
    assert reading.videos.fps == [10.0]
    assert (reading.errors, reading.bad, reading.without_truth, reading.warnings) == ({}, [], [], [])


def test_the_smallest_and_the_largest_frame_can_be_read():
    reading = read({"a": {"inside": [[0, 0], [10**12, 10**12]]}}, {"a": {"states": {"inside": [[0, 10**12]]}}})
    assert intervals(reading, "truth") == {"a": [("inside", 0, 0), ("inside", 10**12, 10**12)]}
    assert intervals(reading, "pred") == {"a": [("inside", 0, 10**12)]}


def test_states_keep_their_names_as_written():
    odd = {"Inside": [[0, 1]], "inside": [[2, 3]], "": [[4, 5]], " 施工 ": [[6, 7]]}
    reading = read({"a": odd}, {"a": {"states": odd}})
    expected = [("Inside", 0, 1), ("inside", 2, 3), ("", 4, 5), (" 施工 ", 6, 7)]
    assert intervals(reading, "truth") == intervals(reading, "pred") == {"a": expected}


def test_null_and_an_empty_list_are_no_interval():
    reading = read({"a": TRUTH | {"exiting": None, "approaching": []}}, {"a": {"states": {"inside": None}}})
    assert {state for state, _, _ in intervals(reading, "truth")["a"]} == {"outside", "inside"}
    assert intervals(reading, "pred") == {"a": []}


def test_tuples_are_as_good_as_lists():
    reading = read({"a": {"inside": ((3, 4), [5, 6])}}, {"a": {"states": {"inside": [(3, 4)]}}})
    assert intervals(reading, "truth") == {"a": [("inside", 3, 4), ("inside", 5, 6)]}


@pytest.mark.parametrize("kind", [dict, OrderedDict, MappingProxyType, lambda d: defaultdict(list, d)])
def test_any_mapping_is_as_good_as_a_dict(kind):
    reading = read(kind({"a": kind(TRUTH)}), kind({"a": kind({"fps": 10, "states": kind(PRED["states"])})}))
    assert intervals(reading, "truth") == {"a": [("outside", 0, 9), ("outside", 20, 29), ("inside", 10, 19)]}
    assert (intervals(reading, "pred"), reading.videos.fps) == ({"a": [("inside", 12, 19)]}, [10.0])


def test_what_stands_beside_the_states_of_the_ground_truth_is_no_state():
    reading = read({"a": TRUTH | {"fps": 30, "detections": [], "ocr": [], "runtime": None}}, {"a": PRED})
    assert set(reading.videos.states) == {"outside", "inside"}


@pytest.mark.parametrize(
    ("truth", "pred", "fps"), [(30, 10, 10), (30, None, 30), (30, 0, 30), (30, -1, 30), (0, None, None), (None, 5, 5)]
)
def test_fps_is_what_the_prediction_says_or_else_the_ground_truth(truth, pred, fps):
    assert read({"a": TRUTH | {"fps": truth}}, {"a": PRED | {"fps": pred}}).videos.fps == [fps]


def test_videos_are_sorted_by_name_whatever_the_order_of_the_files():
    names = ["b", "a", "Z", "é", "10", "9"]
    reading = read(dict.fromkeys(names, TRUTH), dict.fromkeys(reversed(names), PRED))
    assert reading.videos.names == ["10", "9", "Z", "a", "b", "é"]


def test_reading_leaves_the_callers_data_alone():
    truth, pred = {"a": TRUTH | {"exiting": None}}, {"a": PRED, "b": PRED}
    before = json.dumps([truth, pred])
    read(truth, pred)
    assert json.dumps([truth, pred]) == before


# Videos that cannot be measured, between others that can


@pytest.mark.parametrize("truth", [{}, {"inside": []}, {"inside": None}, {"fps": 30}, {"detections": []}])
def test_ground_truth_without_an_interval_is_empty(truth):
    reading = read({"a": TRUTH, "b": truth, "c": TRUTH}, {"a": PRED, "b": PRED, "c": PRED})
    assert reading.errors == {"b": "empty_ground_truth"}
    assert list(intervals(reading, "truth")) == ["a", "c"]


@pytest.mark.parametrize("pred", [None, {}, {"fps": 30}, {"states": None}, {"states": None, "fps": "x"}])
def test_a_prediction_without_states_is_missing(pred):
    reading = read({"a": TRUTH, "b": TRUTH, "c": TRUTH}, {"a": PRED, "b": pred, "c": PRED})
    assert reading.errors == {"b": "missing predictions or states"}
    assert intervals(reading, "pred") == {"a": [("inside", 12, 19)], "c": [("inside", 12, 19)]}


def test_a_video_without_an_entry_is_missing_and_an_entry_without_a_video_is_listed():
    reading = read({"a": TRUTH, "b": TRUTH}, {"z": PRED, "b": PRED, "y": 5})
    assert reading.errors == {"a": "missing predictions or states"}
    assert reading.without_truth == ["y", "z"]


def test_states_without_any_are_a_prediction_of_nothing():
    reading = read({"a": TRUTH}, {"a": {"states": {}}})
    assert (reading.videos.names, reading.videos.fps, intervals(reading, "pred")) == (["a"], [None], {"a": []})


@pytest.mark.parametrize(
    ("pred", "problem"),
    [
        ([], "found [], expected an object with states"),
        (5, "found 5, expected an object with states"),
        ({"states": []}, "states: found [], expected {state: intervals}"),
        ({"states": {"inside": 5}}, "states.inside: found 5, expected a list of [first, last] frames"),
        ({"states": {"inside": [[0, 1], [5, 2]]}}, "states.inside[1]: found [5, 2], expected [first, last], whole "),
        ({"states": {}, "fps": "30"}, 'fps: found "30", expected a number'),
    ],
)
def test_a_malformed_prediction_is_an_error_of_its_video(pred, problem):
    reading = read({"a": TRUTH, "b": TRUTH, "c": TRUTH}, {"a": PRED, "b": pred, "c": PRED})
    assert list(reading.errors) == ["b"]
    assert reading.errors["b"].startswith(f"invalid prediction: {problem}")
    assert intervals(reading, "pred") == {"a": [("inside", 12, 19)], "c": [("inside", 12, 19)]}
    assert set(intervals(reading, "truth")) == {"a", "c"}


@pytest.mark.parametrize(
    ("truth", "problem"),
    [
        (None, "found null, expected {state: intervals}"),
        ({"inside": [[0, 1]], "outside": 5}, "outside: found 5, expected a list of [first, last] frames"),
        ({"inside": [[0, 1], [1.0, 2]]}, "inside[1]: found [1.0, 2], expected [first, last], whole frames"),
        ({"inside": [[0, 1]], "detections": 5}, "detections: found 5, expected a list"),
        ({"inside": [[0, 1]], "fps": "30"}, 'fps: found "30", expected a number'),
    ],
)
def test_malformed_ground_truth_makes_a_bad_video(truth, problem):
    reading = read({"a": TRUTH, "b": truth, "c": TRUTH}, {"a": PRED, "b": PRED, "c": PRED})
    [bad] = reading.bad
    assert (bad.path, bad.video) == ("<gt>", "b")
    assert problem in bad.problem
    whole = [("outside", 0, 9), ("outside", 20, 29), ("inside", 10, 19)]
    assert intervals(reading, "truth") == {"a": whole, "c": whole}
    assert str(bad.error()).startswith('<gt>: "b": ')


def test_malformed_ground_truth_is_told_before_a_prediction_that_is_missing():
    reading = read({"a": {"inside": [[5, 2]]}}, {})
    assert ([bad.video for bad in reading.bad], reading.errors) == (["a"], {})


@pytest.mark.parametrize("fps", [None, 0, 0.0, -5, -0.5])
def test_trap_24_fps_that_is_not_positive_is_not_known(fps):
    assert read({"a": TRUTH}, {"a": PRED | {"fps": fps}}).videos.fps == [None]


@pytest.mark.parametrize("given", [5, None, [], [TRUTH], {1: TRUTH}, {None: TRUTH}, b"gt.json"])
def test_what_is_neither_a_path_nor_videos_is_refused(given):
    with pytest.raises(calipers.InputError, match=r"^gt: found .*, expected a path or {video: …}"):
        read_timelines(given, {})
    with pytest.raises(calipers.InputError, match=r"^pred: found .*, expected a path or {video: …}"):
        read_timelines({}, given)


# Files


def test_files_say_the_same_as_what_they_hold():
    write("gt.json", {"a": TRUTH}), write("pred.json", {"a": PRED})
    for truth, pred in (("gt.json", "pred.json"), (Path("gt.json"), Path("pred.json"))):
        reading = read(truth, pred)
        assert intervals(reading, "truth") == intervals(read({"a": TRUTH}, {"a": PRED}), "truth")
        assert [entry.path for entry in reading.inputs] == ["gt.json", "pred.json"]
    digest = hashlib.sha256(Path("gt.json").read_bytes()).hexdigest()
    assert reading.inputs[0] == ("gt.json", digest, 1)
    assert read({"a": TRUTH}, {}).inputs == [("<gt>", None, 1), ("<pred>", None, 0)]


def test_a_byte_order_mark_is_no_part_of_the_text():
    write("gt.json", b"\xef\xbb\xbf" + json.dumps({"a": TRUTH}).encode())
    assert read("gt.json", {"a": PRED}).videos.names == ["a"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('{"a": {"inside": [[0, 1]], "inside": [[2, 3]]}}', "inside"),
        ('{"a": {"inside": [[0, 1]], "\\u0069nside": [[2, 3]]}}', "inside"),
        ('{"a": {"inside": [[0, 1]], "inside": [[0, 1]]}}', "inside"),
        ('{"a": {"inside": [[0, 1]], "ocr": [{"frame": 1, "frame": 2, "text": ""}]}}', "frame"),
        ('{"a": {"inside": [[0, 1]], "x": {"y": {"z": 1, "z": 2}}}}', "z"),
    ],
)
def test_a_key_given_twice_makes_a_bad_video_or_an_invalid_prediction(text, key):
    write("twice.json", text)
    [bad] = read("twice.json", {}).bad
    assert bad.problem == f'the key "{key}" is there twice, expected each once'
    write("pred.json", '{"b": {"states": {"inside": [[2, 3]]}}, ' + text[1:])
    reading = read({"a": TRUTH, "b": TRUTH}, "pred.json")
    assert reading.errors == {"a": f'invalid prediction: the key "{key}" is there twice, expected each once'}
    assert intervals(reading, "pred") == {"b": [("inside", 2, 3)]}


def test_a_file_of_ground_truth_without_a_video_is_refused():
    write("gt.json", {})
    with pytest.raises(calipers.InputError, match=r"^gt.json: no videos, expected {video: {state: intervals}}"):
        read_timelines("gt.json", {})
    assert read({}, {"a": PRED}).without_truth == ["a"]  # a meter begins with none


def test_a_video_given_twice_is_refused_on_either_side():
    write("twice.json", '{"a": {"inside": [[0, 1]]}, "b": {}, "a": {"inside": [[2, 3]]}}')
    for given in (("twice.json", {}), ({}, "twice.json")):
        with pytest.raises(calipers.InputError, match=r'^twice.json: "a" is there twice, expected each video once'):
            read_timelines(*given)


def test_braces_colons_and_quotes_inside_texts_are_no_keys():
    odd = {'a": {"a": 1, "a': TRUTH, "::\\": TRUTH, "{,}": {"\\\\:": [[0, 1]], '\\"': [[2, 3]]}}
    write("gt.json", odd)
    assert read("gt.json", {}).errors == dict.fromkeys(sorted(odd), "missing predictions or states")


# Timeline CSVs


def test_a_folder_is_read_file_by_file():
    write("csv/one/a_timeline_fusion.csv", CSV), write("csv/two/sota_b_timeline.csv", "Frame,State\n0,in\n5,Parked\n")
    reading = read({"a.mp4": TRUTH, "b.mp4": TRUTH}, "csv", spelling=KNOWN)
    assert intervals(reading, "pred") == {
        "a.mp4": [("outside", 0, 9), ("outside", 20, 29), ("inside", 10, 19)],
        "b.mp4": [("inside", 0, 4), ("parked", 5, 5)],
    }
    assert reading.videos.fps == [10.0, None]
    assert (reading.inputs[1].path, reading.inputs[1].records) == ("csv", 2)


def test_the_digest_of_a_folder_goes_by_names_and_content_and_not_by_place():
    for folder in ("one", "two/deep", "other"):
        write(f"{folder}/a_timeline.csv", CSV), write(f"{folder}/sub/b_timeline.csv", CSV)
    digests = [read({}, folder).inputs[1].sha256 for folder in ("one", "two/deep", "./other/")]
    assert len(set(digests)) == 1
    write("other/a_timeline.csv", CSV + "30,3,out\n")
    Path("two/deep/a_timeline.csv").rename("two/deep/c_timeline.csv")
    assert len({*digests, *(read({}, folder).inputs[1].sha256 for folder in ("other", "two/deep"))}) == 3


@pytest.mark.parametrize("name", ["a.csv", "a_timeline.csv", "sota_a.CSV", "deep/er/a_calibrated.Csv"])
def test_one_csv_is_the_prediction_of_one_video(name):
    write(name, CSV)
    reading = read({"a.avi": TRUTH, "b.avi": TRUTH}, name, spelling=KNOWN)
    assert intervals(reading, "pred") == {"a.avi": [("outside", 0, 9), ("outside", 20, 29), ("inside", 10, 19)]}
    assert reading.errors == {"b.avi": "missing predictions or states"}
    assert reading.inputs[1] == (name, hashlib.sha256(CSV.encode()).hexdigest(), 1)


def test_states_of_a_csv_take_the_spelling_of_the_ground_truth():
    write("a.csv", "frame,state\n0,PARKED\n1,in\n2,lane closed\n3,Other\n")
    truth = {"a": {"Parked": [[0, 0]], "INSIDE": [[1, 1]], "Lane Closed": [[2, 2]], "outside": [[3, 3]]}}
    found = intervals(read(truth, "a.csv", spelling=KNOWN), "pred")["a"]
    assert sorted(found) == [("INSIDE", 1, 1), ("Lane Closed", 2, 2), ("Parked", 0, 0), ("other", 3, 3)]


def test_states_that_the_ground_truth_spells_in_two_ways_take_the_known_one_or_small_letters():
    write("a.csv", "frame,state\n0,PARKED\n1,in\n2,out\n")
    truth = {"a": {"Parked": [[0, 0]], "Inside": [[1, 1]]}, "b": {"PARKED": [[0, 0]], "INSIDE": [[1, 1]]}}
    found = intervals(read(truth, "a.csv", spelling=("outside", "inside", "Outside")), "pred")["a"]
    assert sorted(found) == [("Outside", 2, 2), ("inside", 1, 1), ("parked", 0, 0)]


def test_only_timelines_are_taken_from_a_folder_that_has_some():
    for name in ("b/x_Timeline_fusion.csv", "a_timeline.csv", "a.csv", "notes.txt", "c_timeline.txt"):
        write(f"mixed/{name}", CSV)
    for name in ("sota_b.CSV", "deep/a.csv", "readme.md", "csv"):
        write(f"plain/{name}", CSV)
    Path("plain/folder.csv").mkdir()
    assert [str(file) for file in find_csvs("mixed").files] == ["mixed/a_timeline.csv", "mixed/b/x_Timeline_fusion.csv"]
    assert [str(file) for file in find_csvs("plain").files] == ["plain/deep/a.csv", "plain/sota_b.CSV"]


def test_progress_is_told_in_bytes_file_by_file():
    for name in "abc":
        write(f"csv/{name}.csv", CSV)
    told = []
    read({"a": TRUTH}, "csv", progress=lambda done, total: told.append((done, total)))
    size = len(CSV)
    assert told == [(size, 3 * size), (2 * size, 3 * size), (3 * size, 3 * size)]


# Beside the states


def test_boxes_signs_and_runtime_are_read_from_both_sides():
    beside = {
        "detections": [{"frame": 3, "label": "cone", "box": [1, 2, 9, 8]}],
        "ocr": [{"frame": 3, "text": "STOP"}, {"frame": 4, "text": "", "box": [0, 0, 2, 2]}],
    }
    more = {"runtime": {"frames": 5, "seconds": 0.5}, "detections": [{"frame": 3, "label": "x", "score": 0.5}]}
    extras = read({"a": TRUTH | beside}, {"a": PRED | beside | more}).videos.extras["a"]
    assert extras.truth_boxes == [(3, "cone", (1.0, 2.0, 9.0, 8.0), None)]
    assert extras.pred_boxes == [(3, "x", None, 0.5)]  # without a box it stays, and matches nothing
    assert extras.truth_signs == extras.pred_signs == [(3, "STOP", None), (4, "", (0.0, 0.0, 2.0, 2.0))]
    assert extras.runtime == (5.0, 0.5)


def test_an_empty_list_is_given_and_null_is_not():
    reading = read({"a": TRUTH | {"detections": [], "ocr": None}}, {"a": PRED | {"detections": None, "ocr": []}})
    extras = reading.videos.extras["a"]
    assert (extras.truth_boxes, extras.pred_boxes) == ([], None)
    assert (extras.truth_signs, extras.pred_signs) == (None, [])


def test_the_layout_of_the_other_side_is_told():
    annotations, predictions = {"a": {"inside": [[0, 9]]}}, {"a": {"states": {"inside": [[0, 9]]}}}
    reading = read_timelines(annotations, annotations)
    assert reading.errors == {"a": "missing predictions or states"}
    [warning] = reading.warnings
    assert warning == (
        '"a": its prediction has the layout of ground truth, {state: intervals},'
        ' expected {"states": {state: intervals}}; are the two sides swapped?'
    )
    [bad] = read_timelines(predictions, annotations).bad
    assert bad.problem == (
        'this is the layout of predictions, {"states": …}, expected {state: intervals}; are the two sides swapped?'
    )
    assert read_timelines(annotations, {"a": {"fps": 30}}).errors == {"a": "missing predictions or states"}


# Files that are read without a tree of each video


def as_dict(reading):
    return {side: intervals(reading, side) for side in ("truth", "pred")} | {"fps": reading.videos.fps}


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        ({"b.mp4": TRUTH, "a.mp4": {"in": [[5, 6]]}}, {"a.mp4": {"states": {}}, "b.mp4": PRED}),  # another order
        ({"a.mp4": TRUTH}, {"a": PRED}),  # a name without its extension
        ({"a.mp4": TRUTH}, {"a.mp4": PRED, "b.mp4": PRED}),  # a prediction of no video
        ({"a.mp4": TRUTH, "b.mp4": TRUTH}, {"a.mp4": PRED}),  # a video without one
        ({"a.mp4": TRUTH, "b.mp4": {}}, {"a.mp4": PRED, "b.mp4": PRED}),  # nothing annotated
        ({"a.mp4": TRUTH}, {"a.mp4": PRED | {"fps": 0}}),
        ({"a.mp4": TRUTH | {"fps": 5}}, {"a.mp4": {"states": {"inside": [[0, 3]]}}}),
        ({"a.mp4": TRUTH}, {"a.mp4": {"states": {"inside": [[3, 0]]}}}),
    ],
)
def test_files_hold_what_their_trees_do(truth, pred):
    found = read_timelines(write("gt.json", truth), write("pred.json", pred), spelling=KNOWN)
    expected = read_timelines(truth, pred, spelling=KNOWN)
    assert as_dict(found) == as_dict(expected)
    assert (found.errors, found.bad, found.without_truth) == (expected.errors, expected.bad, expected.without_truth)
    digests = [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in ("gt.json", "pred.json")]
    assert [tuple(source) for source in found.inputs] == [
        ("gt.json", digests[0], len(truth)),
        ("pred.json", digests[1], len(pred)),
    ]


def test_two_predictions_of_one_video_are_told_as_ever():
    files = write("gt.json", {"a.mp4": TRUTH}), write("pred.json", {"a.mp4": PRED, "a": PRED})
    with pytest.raises(calipers.InputError, match=r"both are predictions of 'a\.mp4'"):
        read_timelines(*files)
