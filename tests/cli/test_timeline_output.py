"""What `calipers timeline` writes: whole or not at all, the same bytes everywhere, and untrusted text stays text."""

import csv
import io
import json
import os
import pty
import re
import resource
import signal
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from .conftest import HANG_SEC, end_by_signal, wait_until

TRUTH = {
    "a.mp4": {"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]},
    "b.mp4": {"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]},
}
PRED = {
    "a.mp4": {"fps": 10, "states": {"outside": [[0, 11], [20, 29]], "inside": [[12, 19]]}},
    "b.mp4": {"fps": 10, "states": {"outside": [[0, 29]]}},
}
INPUTS = ["--gt", "gt.json", "--pred", "pred.json"]
FILES = ["cases.jsonl", "frame_errors.csv", "matches.csv", "report.html", "result.json", "videos.csv"]
PLOTS = ["confusion.png", "frame_accuracy.png", "frame_errors.png"]
HOSTILE = "\x1b[2J\x1b]0;title\x07\u202e\u2066\u200b\x9b31m\x7f\x00\u2028"


def write(name, content):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


@pytest.fixture(autouse=True)
def _inputs():
    write("gt.json", TRUTH)
    write("pred.json", PRED)


@pytest.fixture
def old():
    """A folder with the files of an earlier run."""
    for name in FILES:
        write(f"old/{name}", f"the old {name}")
    return "old"


def interrupt(*args, **options):
    raise KeyboardInterrupt


def open_when_read(pipe):
    """The writing end of a pipe, once somebody reads it."""
    end = time.monotonic() + HANG_SEC
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.02)


def all_prints(text):
    return all(char.isprintable() for line in text.split("\n") for char in line)


# ---------------------------------------------------------------- files


def test_a_folder_receives_everything(run):
    output = "deep/er/out"
    pytest.importorskip("matplotlib")
    assert run("timeline", *INPUTS, "-o", output).code == 0
    assert sorted(os.listdir(output)) == sorted([*FILES, *PLOTS])
    rows = list(csv.DictReader(io.StringIO(Path(output, "videos.csv").read_text())))
    assert [(row["video"], row["frame_accuracy"]) for row in rows] == [("a.mp4", str(28 / 30)), ("b.mp4", str(20 / 30))]
    events = Path(output, "matches.csv").read_text().splitlines()
    assert "a.mp4,event,inside,10,19,12,19,8,2" in events
    assert "b.mp4,event,inside,10,19,,,," in events


# ---------------------------------------------------------------- pictures


def test_pictures_of_the_worst_videos_come_as_png_and_svg(run):
    pytest.importorskip("matplotlib")
    assert run("timeline", *INPUTS, "-o", "out", "--plot-videos", 1).code == 0
    names = sorted(os.listdir("out/plots"))
    assert [re.sub(r"-[0-9a-f]{8}\.", ".", name) for name in names] == ["b-mp4.png", "b-mp4.svg"]
    assert Path("out/plots", names[0]).read_bytes().startswith(b"\x89PNG")
    texts = [element.text for element in ET.parse(Path("out/plots", names[1])).iter() if element.text]
    assert "b.mp4" in texts
    assert run("timeline", *INPUTS, "-o", "all", "--plot-videos", 99, "--transition-tolerance-frames", "0,5").code == 0
    assert len(os.listdir("all/plots")) == 6  # two videos and the sweep, twice


@pytest.mark.parametrize("output", [[], ["-o", "x.json"]])
def test_pictures_need_a_folder(run, listing, output):
    before = listing(".")
    for args in (INPUTS, ["--gt", "missing.json", "--pred", "missing.json"]):
        ended = run("timeline", *args, "--plot-videos", 2, *output)
        ended.refused(2, "plot_videos: found 2, expected a folder to draw into (-o)")
    assert listing(".") == before
    assert run("timeline", *INPUTS, "--plot-videos", 0, *output).code == 0


def test_pictures_without_their_package_are_refused_before_the_work(run, monkeypatch, listing):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    before = listing(".")
    for args in (INPUTS, ["--gt", "missing.json", "--pred", "missing.json"]):
        ended = run("timeline", *args, "--plot-videos", 1, "-o", "out")
        ended.refused(2, "plots: pictures need matplotlib", "pip install 'calipers[plots]'")
    assert listing(".") == before
    ended = run("timeline", *INPUTS, "-o", "out")
    assert (ended.code, ended.err.count("warning: no plots were drawn: plots: pictures need matplotlib")) == (0, 1)
    assert sorted(os.listdir("out")) == FILES


# ---------------------------------------------------------------- text from elsewhere


def test_trap_38_no_cell_begins_like_a_formula(run):
    names = ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "=cmd|' /C calc'!A0"]
    states = {name: [[10 * place, 10 * place + 9]] for place, name in enumerate(names)}
    write("gt.json", dict.fromkeys(names, states))
    write("pred.json", {name: {"states": states} for name in names[1:]} | {"=1+1": {"states": {"=s": 5}}})
    assert run("timeline", *INPUTS, "-o", "out", "--focus", "=1+1").code == 0
    for name in ("videos.csv", "matches.csv"):
        content = Path("out", name).read_text()
        assert all(
            not cell.startswith(("=", "+", "@", "\t", "\r")) for row in csv.reader(io.StringIO(content)) for cell in row
        )
        assert not re.search(r"(^|[,\"])-[^0-9]", content, re.MULTILINE)
        assert "'=1+1" in content


def test_trap_39_no_file_name_comes_from_a_video_as_it_is(run, listing):
    pytest.importorskip("matplotlib")
    names = ["../../escaped", "/tmp/escaped", "nul\0byte", "..", "result.json", "x" * 500, "CON", "", "a\nb"]
    write("gt.json", dict.fromkeys(names, TRUTH["a.mp4"]))
    write("pred.json", dict.fromkeys(names, PRED["a.mp4"]))
    assert run("timeline", *INPUTS, "-o", "out/here", "--plot-videos", 20).code == 0
    known = {"gt.json", "pred.json", "out", "out/here", "out/here/plots"}
    pictures = set(listing(".")) - known - {f"out/here/{name}" for name in (*FILES, *PLOTS)}
    assert len(pictures) == 2 * len(names)
    assert all(re.fullmatch(r"out/here/plots/\w[\w-]{0,60}-[0-9a-f]{8}\.(png|svg)", name) for name in pictures)


@pytest.mark.parametrize("args", [["--max-bad-records", 5], [], ["-o", "out\x1b[2J\u202e", "--max-bad-records", 5]])
def test_trap_40_no_escape_sequence_reaches_the_terminal(run, args):
    gt, pred = "gt\x1b[31m\n\u202e.json", f"pred{HOSTILE[:4]}"
    truth = {HOSTILE: {HOSTILE: [[0, 9]]}, f"{HOSTILE} 1": {HOSTILE: 5}, f"{HOSTILE} 2": HOSTILE}
    write(gt, truth | {f"{HOSTILE} 3": {"a": [[0, 9]]}, f"{HOSTILE} 4": {"a": [[0, 9]]}})
    bad = f"frame,{HOSTILE},state\n0,,in\n".replace("\x00", "")
    write(
        pred,
        {HOSTILE: {"states": {HOSTILE: [[3, 9]]}}, f"{HOSTILE} 3": {"states": {HOSTILE: HOSTILE}}, HOSTILE * 2: {}},
    )
    write(f"csv/{HOSTILE[:4]}_timeline.csv", bad)
    for source in (pred, "csv"):
        ended = run("timeline", "--gt", gt, "--pred", source, "--idle", HOSTILE, *args)
        assert ended.code == (0 if args else 3), ended.err  # the ground truth cannot be used without
        assert all_prints(ended.out.decode()), ascii(ended.out)
        assert all_prints(ended.err), ascii(ended.err)
        assert b"\\x1b[" in ended.out + ended.err.encode()


def test_trap_40_no_escape_sequence_comes_from_warnings_names_or_the_options_file(run):
    hostile = HOSTILE.replace("\x00", "")
    write(f"csv/{hostile}_timeline.csv", "frame,state\n5,in\n0,in\n")
    ended = run("timeline", "--gt", "gt.json", "--pred", "csv")
    assert (ended.code, all_prints(ended.err)) == (0, True)  # of a video that nobody annotated
    assert "frame runs backwards" in ended.err
    write("pred.json", {f"a{hostile}.mp4": PRED["a.mp4"], f"a{hostile}": PRED["a.mp4"]})
    write("gt.json", {f"a{hostile}.mp4": TRUTH["a.mp4"]})
    assert all_prints(run("timeline", *INPUTS).refused(3, "both are predictions"))
    assert all_prints(run("timeline", "--gt", hostile, "--pred", "pred.json").refused(3, "cannot be read"))
    for text in (f"[timeline]\n{json.dumps(hostile)} = 1", f"[timeline]\nextent = {json.dumps(hostile)}"):
        write("calipers.toml", text)
        assert all_prints(run("timeline", *INPUTS).refused(2))


def test_names_come_out_of_the_artifact_as_they_went_in(run):
    write("gt.json", {HOSTILE: {HOSTILE: [[0, 9]]}})
    write("pred.json", {HOSTILE: {"states": {HOSTILE: [[0, 9]]}}})
    tree = run("timeline", *INPUTS, "--json").artifact()
    assert tree["videos"][HOSTILE]["confusion"] == {HOSTILE: {HOSTILE: 10}}


# ---------------------------------------------------------------- results that cannot be written


@pytest.mark.parametrize(
    ("output", "parts"),
    [
        ("gt.json/result.json", ["gt.json is not a folder"]),
        ("plain/deep", ["plain is not a folder"]),
        ("plain", ["plain is not a folder"]),
        ("folder.json", ["is a folder", "expected a file"]),
        ("gt.json", ["is an input", "expected another file"]),
        ("./pred.json", ["is an input", "expected another file"]),
        ("", ["output: found ''", "expected a path"]),
    ],
)
def test_an_output_that_cannot_be_is_refused(run, listing, output, parts):
    Path("folder.json").mkdir()
    write("plain", "")
    before = listing(".")
    run("timeline", *INPUTS, "-o", output).refused(2, *parts)
    if "input" not in parts[0]:  # known before anything is read
        run("timeline", "--gt", "no.json", "--pred", "no.json", "-o", output).refused(2, *parts)
    assert listing(".") == before


@pytest.mark.parametrize("output", ["csv", "csv/", "csv/out", "./csv/../csv/deep/er"])
def test_a_folder_inside_the_predictions_is_refused_since_its_tables_would_be_read_next(run, listing, output):
    write("csv/sota_a.csv", "Frame,State\n0,in\n")
    before = listing(".")
    ended = run("timeline", "--gt", "gt.json", "--pred", "csv", "-o", output)
    ended.refused(2, f"output: found {output!r}, expected a place outside the folder of predictions")
    assert listing(".") == before
    assert run("timeline", "--gt", "gt.json", "--pred", "csv", "-o", "csv/result.json").code == 0


@pytest.mark.parametrize("output", ["old/result.json", "old", "old/new"])
def test_a_folder_that_may_not_be_written_to_is_refused(run, old, monkeypatch, listing, output):
    before = listing(".")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    run("timeline", *INPUTS, "-o", output).refused(2, f"{output}: ", "old", "cannot be written to")
    assert listing(".") == before


def test_trap_35_a_disk_that_is_full_while_pictures_are_written_leaves_everything_as_it_was(finish, old, listing):
    pytest.importorskip("matplotlib")
    before = listing(".")

    def small_files_only():
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

    ended = finish("timeline", *INPUTS, "-o", old, "--plot-videos", 1, preexec_fn=small_files_only)
    assert (ended.code, ended.out) == (2, b"")
    assert "cannot be written: File too large" in ended.err
    assert listing(".") == before


# ---------------------------------------------------------------- interrupted


def test_an_interrupt_while_pictures_are_drawn_leaves_everything_as_it_was(run, old, monkeypatch, listing):
    pytest.importorskip("matplotlib")
    before = listing(".")
    monkeypatch.setattr("calipers.suites.timeline.folder.strip_picture", interrupt)
    ended = run("timeline", *INPUTS, "-o", old, "--plot-videos", 1)
    assert (ended.code, ended.out, ended.err.strip()) == (130, b"", "interrupted; no result was written")
    assert listing(".") == before


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them")
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_while_waiting_for_input_ends_the_run(start, old, group, sent, code):
    os.mkfifo("pipe.json")
    process = start("timeline", "--gt", "pipe.json", "--pred", "pred.json", "-o", old)
    pipe = open_when_read("pipe.json")
    end_by_signal(process, sent)
    out, err = process.communicate()
    os.close(pipe)
    assert (process.returncode, out) == (code, b"")
    assert "Traceback" not in err.decode()
    wait_until(lambda: group(process) == [])
    assert [Path(old, name).read_text() for name in FILES] == [f"the old {name}" for name in FILES]


# ---------------------------------------------------------------- terminals

IMPATIENT = """
import itertools, types
from calipers.cli import streams
clock = itertools.count()
streams.time = types.SimpleNamespace(monotonic=lambda: next(clock))
from calipers.cli.start import main
main()
"""


@pytest.fixture
def on_terminal(start):
    """What a run writes to standard error when that is a terminal."""

    def call(*args, **options):
        leader, follower = pty.openpty()
        process = start(*args, stderr=follower, **options)
        os.close(follower)
        process.wait(timeout=HANG_SEC)
        text = bytearray()
        try:
            while piece := os.read(leader, 10_000):
                text += piece
        except OSError:  # all was read, and the other side is closed
            pass
        finally:
            os.close(leader)
        return text.decode()

    return call


def test_progress_is_shown_on_a_terminal_only_and_taken_away(on_terminal, finish):
    for name in "ab":
        write(f"csv/{name}_timeline.csv", "frame,state\n0,in\n")
    args = ["timeline", "--gt", "gt.json", "--pred", "csv", "--chunk-bytes", "1", "--jobs", "1"]
    bar = on_terminal(*args, program=("-c", IMPATIENT))
    assert bar.startswith("\r███████████████░░░░░░░░░░░░░░░ 0 of 0 MB\r██████████████████████████████")
    assert bar.endswith("\r\x1b[K")
    assert on_terminal(*args) == ""  # it took less than a second
    ended = finish(*args, program=("-c", IMPATIENT))
    assert (ended.code, ended.err) == (0, "")
