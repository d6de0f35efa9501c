"""Files of the timeline suite that are wrong: one that was named ends the run, one in a folder only its video.

`refuses_videos` checks that every file is as it was.
"""

import errno
import json
import os
from pathlib import Path

import pytest

GOOD = {"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]}
FOUND = {"fps": 10, "states": {"outside": [[0, 11], [20, 29]], "inside": [[12, 19]]}}
CSV = "frame,time_sec,state\n0,0,out\n12,1.2,in\n20,2,out\n29,2.9,out\n"
NO_FILES = (
    "no CSV files in this folder, expected *_timeline*.csv or *.csv, or files of annotation tools (calipers formats)"
)
INPUTS = ["--gt", "gt.json", "--pred", "pred.json"]
FOLDER = ["--gt", "gt.json", "--pred", "csv"]


def write(name, content):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, (str, bytes)) else json.dumps(content)
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


@pytest.fixture(autouse=True)
def _good_files():
    names = ("a.mp4", "b.mp4", "c.mp4")
    write("gt.json", dict.fromkeys(names, GOOD))
    write("pred.json", dict.fromkeys(names, FOUND))
    for name in "abc":
        write(f"csv/{name}_timeline_fusion.csv", CSV)


@pytest.fixture
def spoils(run):
    """The second video has an entry that says what is wrong with its prediction, and the others are measured."""

    def check(error, args=FOLDER):
        ended = run("timeline", *args, "--json")
        tree = ended.artifact()
        assert tree["records"] == {"read": 3, "evaluated": 2, "skipped": 1, "rejected": 0}
        assert list(tree["videos"]["b.mp4"]) == ["error"]
        assert tree["videos"]["b.mp4"]["error"].startswith(error)
        assert [tree["videos"][name]["frame_accuracy"] for name in ("a.mp4", "c.mp4")] == [28 / 30, 28 / 30]
        assert ended.err == ""

    return check


# ---------------------------------------------------------------- files that cannot be opened


def with_input(side, name):
    """The usual inputs, with another on one side."""
    return [name if before == side else arg for before, arg in zip(["", *INPUTS], INPUTS, strict=False)]


@pytest.mark.parametrize("side", ["--gt", "--pred"])
def test_a_file_that_cannot_be_opened_is_named(refuses_videos, side):
    Path("folder").mkdir()
    for name, problem in [
        ("missing.json", "No such file or directory"),
        ("missing.csv", "No such file or directory"),
        ("missing/gt.json", "No such file or directory"),
        ("gt.json/inner.json", "Not a directory"),
    ]:
        refuses_videos(f"error: {name}: cannot be read: {problem}\n", args=with_input(side, name))
    refuses_videos(f"error: folder: {NO_FILES}\n", args=with_input(side, "folder"))


@pytest.fixture
def guarded(monkeypatch):
    """A file that one may not read."""

    def forbid(name):
        def guarded_open(path, *args, _open=open, **options):
            if str(path) == name:
                raise PermissionError(errno.EACCES, "Permission denied", name)
            return _open(path, *args, **options)

        monkeypatch.setattr("builtins.open", guarded_open)

    return forbid


@pytest.mark.parametrize("name", ["gt.json", "pred.json"])
def test_a_file_one_may_not_read_is_named(refuses_videos, guarded, name):
    guarded(name)
    refuses_videos(f"error: {name}: cannot be read: Permission denied\n")


def test_trap_25_a_file_of_a_folder_that_one_may_not_read_is_the_error_of_its_video(spoils, refuses_videos, guarded):
    guarded("csv/b_timeline_fusion.csv")
    spoils("invalid prediction: csv/b_timeline_fusion.csv: cannot be read: Permission denied")
    refuses_videos("cannot be read: Permission denied", args=["--gt", "gt.json", "--pred", "csv/b_timeline_fusion.csv"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_without_the_permission_are_told_alike(spoils, refuses_videos):
    Path("csv/b_timeline_fusion.csv").chmod(0)
    spoils("invalid prediction: csv/b_timeline_fusion.csv: cannot be read: Permission denied")
    Path("gt.json").chmod(0)
    refuses_videos("gt.json: cannot be read: Permission denied")
    Path("gt.json").chmod(0o600)


def test_a_link_to_nothing_is_the_error_of_its_video(spoils):
    Path("csv/b_timeline_fusion.csv").unlink()
    Path("csv/b_timeline_fusion.csv").symlink_to("nowhere")
    spoils("invalid prediction: csv/b_timeline_fusion.csv: cannot be read: No such file or directory")


# ---------------------------------------------------------------- files that are no JSON


@pytest.mark.parametrize("name", ["gt.json", "pred.json"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" \n",
        b"oops",
        b"{'a': 1}",
        b"\x00\x00\x00",
        b'{"a.mp4": {"inside": [[0, 9]]}} {"b.mp4": {}}',
        b'{"a.mp4": {"inside": [[0, 9]]},}',
        b'{"a.mp4": {"inside": [[0, 09]]}}',
        b"\xef\xbb\xbf",
        b"\xff\xfe{\x00}\x00",
        b'{"a\xff.mp4": {"inside": [[0, 9]]}}',
        rb'{"a\ud800.mp4": {"inside": [[0, 9]]}}',
        rb'{"a\udc00.mp4": {"inside": [[0, 9]]}}',
        rb'{"a.mp4": {"in\ud800side": [[0, 9]]}}',
    ],
)
def test_what_is_no_json_is_refused(refuses_videos, name, content):
    write(name, content)
    refuses_videos(f"error: {name}: not ", "expected {video: …}")


@pytest.mark.parametrize("name", ["gt.json", "pred.json"])
def test_a_file_that_was_cut_off_anywhere_is_refused(run, name):
    whole = Path(name).read_bytes()
    for length in range(0, len(whole), 13):
        Path(name).write_bytes(whole[:length])
        run("timeline", *INPUTS).refused(3, f"error: {name}: not JSON: ", "expected {video: …}")


@pytest.mark.parametrize("name", ["gt.json", "pred.json"])
@pytest.mark.parametrize("value", ["[]", "[1, 2]", "5", "true", "null", '"a.mp4"'])
def test_json_that_is_no_object_is_refused(refuses_videos, name, value):
    write(name, value)
    refuses_videos(f"error: {name}: found {value}, expected an object with a key for each video\n")


def test_the_place_of_what_is_no_json_is_told(refuses_videos):
    write("gt.json", '{\n "a.mp4": {\n  "inside": [[0, 9],]\n }\n}')
    refuses_videos("error: gt.json: not JSON: ", "line 3 column 20")


def test_a_byte_order_mark_changes_no_number(run):
    expected = run("timeline", *INPUTS, "--json").artifact()
    for name in ("gt.json", "pred.json"):
        write(name, b"\xef\xbb\xbf" + Path(name).read_bytes())
    found = run("timeline", *INPUTS, "--json").artifact()
    assert found.pop("inputs") != expected.pop("inputs")
    assert found == expected


@pytest.mark.parametrize("depth", [100, 500, 900, 1000, 1020, 1100, 100_000])
def test_trap_41_deep_json_is_refused_or_spoils_its_video_at_any_depth(refuses_videos, run, depth):
    deep = "[" * depth + "]" * depth
    good = json.dumps(FOUND)
    write("gt.json", f'{{"a.mp4": {{"inside": {deep}}}}}')
    refuses_videos("error: gt.json: ", "expected ")
    write("gt.json", {"a.mp4": GOOD, "b.mp4": GOOD})
    write("pred.json", f'{{"a.mp4": {good}, "b.mp4": {{"states": {{"inside": {deep}}}}}}}')
    if depth > 1024:
        refuses_videos("error: pred.json: not JSON: ")
    else:
        videos = run("timeline", *INPUTS, "--json").artifact()["videos"]
        assert videos["b.mp4"]["error"].startswith("invalid prediction: states.inside[0]: found [[[")
        assert videos["a.mp4"]["frame_accuracy"] == 28 / 30


# ---------------------------------------------------------------- keys given twice


@pytest.mark.parametrize("name", ["gt.json", "pred.json"])
def test_a_video_given_twice_is_refused(refuses_videos, name):
    write(name, '{"a.mp4": {"inside": [[0, 1]]}, "b.mp4": {}, "\\u0061.mp4": {"inside": [[0, 1]]}}')
    refuses_videos(f'error: {name}: "a.mp4" is there twice, expected each video once\n')
    refuses_videos(f"error: {name}: ", args=[*INPUTS, "--max-bad-records", 5])


def test_a_true_state_given_twice_makes_a_bad_video(refuses_videos, run):
    good, problem = json.dumps(GOOD), 'the key "inside" is there twice, expected each once'
    write("gt.json", f'{{"a.mp4": {good}, "b.mp4": {{"inside": [[0, 9]], "inside": [[5, 19]]}}, "c.mp4": {good}}}')
    refuses_videos(f'error: gt.json: "b.mp4": {problem}\n', "--max-bad-records")
    ended = run("timeline", *INPUTS, "--max-bad-records", 1, "--json")
    assert ended.artifact()["rejected"] == [{"path": "gt.json", "video": "b.mp4", "problem": problem}]
    assert ended.err == f"rejected: gt.json: b.mp4: {problem}\n"


@pytest.mark.parametrize(
    ("entry", "key"),
    [
        ('{"states": {"inside": [[0, 9]], "inside": [[5, 19]]}}', "inside"),
        ('{"states": {"inside": [[0, 9]]}, "states": {}}', "states"),
        ('{"fps": 30, "fps": 25, "states": {}}', "fps"),
        ('{"states": {}, "ocr": [{"frame": 1, "text": "A", "text": "B"}]}', "text"),
    ],
)
def test_a_key_given_twice_in_a_prediction_is_the_error_of_its_video(spoils, entry, key):
    good = json.dumps(FOUND)
    write("pred.json", f'{{"a.mp4": {good}, "b.mp4": {entry}, "c.mp4": {good}}}')
    spoils(f'invalid prediction: the key "{key}" is there twice, expected each once', args=INPUTS)


# ---------------------------------------------------------------- timeline CSVs


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "1: found an empty file, expected start,end,label (a row per span, in seconds) or frame,state"),
        ("\n\n", "found an empty file, expected start,end,label (a row per span, in seconds) or frame,state"),
        ("frame,state\n", "1: found a header and nothing below it, expected at least one row"),
        ("frame,time_sec\n0,0\n", '1: found the columns ["frame", "time_sec"], expected also state'),
        ("state\nin\n", '1: found the columns ["state"], expected also frame'),
        ("frame;state\n0;in\n", '1: found "frame;state", separated by ";", expected commas: start,end,label'),
        ("0,in\n1,in\n", '1: found the columns ["0", "in"], expected also frame and state'),
        ("frame,state,Frame\n0,in,0\n", '1: found the columns ["frame", "state", "Frame"], expected frame only once'),
        ("frame,state\n0,in\nx,in\n", '3: frame: found "x", expected a whole number from 0 to 1000000000000'),
        ("frame,state\n1.5,in\n", '2: frame: found "1.5", expected a whole number'),
        ("frame,state\n-1,in\n", '2: frame: found "-1", expected a whole number'),
        ("frame,state\nnan,in\n", '2: frame: found "nan", expected a whole number'),
        ("frame,state\n1e400,in\n", '2: frame: found "1e400", expected a whole number'),
        ("frame,state\n10000000000000,in\n", '2: frame: found "10000000000000", expected a whole number'),
        ("frame,state\n,in\n", '2: frame: found "", expected a whole number'),
        ("frame,state\n0,\n", '2: state: found "", expected the name of a state'),
        ("frame,state\n0,in\n1\n", "3: state: found no such cell in a row of 1, expected one for each of frame, state"),
        ("frame,state,time_sec\n0,in,soon\n", '2: time_sec: found "soon", expected a number, or nothing'),
        ("frame,state,runtime_ms\n0,in,-1\n", '2: runtime_ms: found "-1", expected a number that is not negative'),
        ('frame,state\n0,"in\n1,in\n', "2: found a quote that is never closed"),
        (b"frame,state\n0,\xff\n", "2: state: found byte 0xff at position 0, expected text in UTF-8"),
        (b"\xff\xfef\x00r\x00", "1: found a NUL byte, expected text in UTF-8"),
        (bytes(range(256)) * 8, "1: found a NUL byte, expected text in UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "found a NUL byte, expected text in UTF-8"),
    ],
)
def test_trap_25_one_bad_csv_is_the_error_of_its_video(spoils, run, content, problem):
    name = write("csv/b_timeline_fusion.csv", content)
    spoils("invalid prediction: b_timeline_fusion.csv:")
    for pred in ("csv", name):  # of that file alone, nothing is left to evaluate
        entry = run("timeline", "--gt", "gt.json", "--pred", pred, "--json").artifact()["videos"]["b.mp4"]
        assert problem in entry["error"]


@pytest.mark.parametrize(
    ("content", "warning"),
    [
        (
            "frame,time_sec,state\n0,0,out\n12,5.0,in\n20,0.8,out\n29,1.7,out\n",
            "4: time_sec runs backwards, from 5 to 0.8 (in this row only); fps is measured where it grows",
        ),
        (
            "frame,state\n0,out\n20,out\n12,in\n13,in\n20,out\n29,out\n",
            "4: frame runs backwards, from 20 to 12 (in this row only); rows are taken in order of frame",
        ),
    ],
)
def test_times_and_frames_that_run_backwards_are_told_and_the_video_is_measured(run, content, warning):
    write("csv/b_timeline_fusion.csv", content)
    ended = run("timeline", *FOLDER, "--json")
    tree = ended.artifact()
    assert tree["warnings"] == [f"b_timeline_fusion.csv:{warning}"]
    assert ended.err == f"warning: b_timeline_fusion.csv:{warning}\n"
    assert tree["videos"]["b.mp4"]["frame_accuracy"] == 28 / 30
    assert tree["records"]["evaluated"] == 3


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("b_timeline.csv", "b_timeline_fusion.csv"),
        ("b_timeline_fusion.csv", "sota_b_timeline.csv"),
        ("b_timeline_fusion.csv", "deep/er/b_timeline_fusion.csv"),
    ],
)
def test_trap_25_two_files_for_one_video_are_refused_and_both_named(refuses_videos, first, second):
    for name in (first, second):
        write(f"csv/{name}", CSV)
    refuses_videos(f"error: csv/{first} and csv/{second}: two files for the video 'b.mp4', expected one\n", args=FOLDER)


def test_a_folder_without_a_csv_is_refused(refuses_videos):
    Path("empty").mkdir()
    write("other/notes.txt", CSV)
    write("other/deep/pred.json", {"a.mp4": FOUND})
    for name in ("empty", "other"):
        refuses_videos(f"error: {name}: {NO_FILES}\n", args=["--gt", "gt.json", "--pred", name])


def test_a_csv_of_no_video_is_listed_whatever_is_in_it(run):
    write("csv/x_timeline.csv", CSV)
    write("csv/y_timeline.csv", "oops")
    tree = run("timeline", *FOLDER, "--json").artifact()
    assert tree["videos_without_ground_truth"] == ["x.mp4", "y.mp4"]
    assert tree["records"] == {"read": 3, "evaluated": 3, "skipped": 0, "rejected": 0}
