"""Rows and cases that workers write into their files: the bytes of one process, whatever happens to a worker."""

import subprocess
import sys
from pathlib import Path

import pytest

from ..contracts.dumps import make_lines, padded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are copies of the command on Linux only")

ROWS = ("matches.csv", "cases.jsonl", "result.json", "report.html")
PROGRAM = """
import os, signal, sys
from pathlib import Path
from calipers.cli.start import main
from calipers.files import placed_texts
from calipers.engines import local

how, place, parent, write = sys.argv.pop(1), Path(sys.argv.pop(1)), os.getpid(), placed_texts._write

def first_time():
    try:
        (place / "killed").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True

def stored(path, begin, text):
    if os.getpid() == parent:
        return write(path, begin, text)
    (place / f"{os.getpid()}-{begin}-{Path(path).name}").touch()
    if how == "refused":
        raise OSError(28, "No space left on device")
    is_killed = how.startswith("killed") and begin > 3000 and first_time()
    if how != "killed before" or not is_killed:
        write(path, begin, [piece[: len(piece) // 2] for piece in text] if is_killed else text)
    if is_killed:
        os.kill(os.getpid(), signal.SIGKILL)

placed_texts._write = stored
local.ALONE_SEC = None  # with several jobs, workers do all of it
sys.modules["matplotlib"] = None  # plots have tests of their own
main()
"""


@pytest.fixture(scope="module")
def dump(tmp_path_factory):
    path = tmp_path_factory.mktemp("dump") / "dump.jsonl"
    path.write_bytes(b"\n".join(padded(make_lines(1, 60), 1)) + b"\n")
    return path


@pytest.fixture(scope="module")
def one(dump):
    """A folder that one process wrote, beside which its shards are."""
    out = dump.with_name("one")
    assert run(dump, out, "written", 1, "--resume", str(out.with_suffix(".shards"))) == set()  # none by a worker
    return out


def assert_same(out, one):
    """The files of two folders are the same."""
    for name in ROWS:
        assert Path(out, name).read_bytes() == Path(one, name).read_bytes(), name


def run(dump, out, how, jobs, *more):
    place = out.with_suffix(".calls")
    place.mkdir()
    command = [
        "dense",
        str(dump),
        "--chunk-bytes",
        "3000",
        "--bootstrap",
        "20",
        "--jobs",
        str(jobs),
        "-o",
        str(out),
        *more,
    ]
    done = subprocess.run([sys.executable, "-c", PROGRAM, how, str(place), *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {path.name for path in place.iterdir()}


@pytest.mark.parametrize("how", ["written", "refused", "killed before", "killed within"])
def test_files_are_those_of_one_process(tmp_path, dump, one, how):
    calls = run(dump, tmp_path / "two", how, 2)
    assert calls
    assert ("killed" in calls) == how.startswith("killed")
    assert_same(tmp_path / "two", one)
    assert len(Path(tmp_path, "two", "cases.jsonl").read_bytes().splitlines()) > 20


@pytest.mark.parametrize("how", ["written", "refused", "killed before", "killed within"])
def test_the_file_of_shards_is_that_of_one_process(tmp_path, dump, one, how):
    assert run(dump, tmp_path / "two", how, 2, "--resume", str(tmp_path / "two.shards"))
    assert (tmp_path / "two.shards").read_bytes() == one.with_suffix(".shards").read_bytes()
    assert_same(tmp_path / "two", one)


def test_holes_in_the_file_of_shards_are_filled(tmp_path, dump, one):
    whole = one.with_suffix(".shards").read_bytes()
    holes = bytearray(whole)
    holes[len(whole) // 3 : len(whole) // 2] = bytes(len(whole) // 2 - len(whole) // 3)  # not written when a run ended
    (tmp_path / "two.shards").write_bytes(holes)
    run(dump, tmp_path / "two", "written", 2, "--resume", str(tmp_path / "two.shards"))
    assert (tmp_path / "two.shards").read_bytes() == whole
    assert_same(tmp_path / "two", one)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_dump_that_has_grown_is_gone_on_with(tmp_path, dump, jobs):
    """Its first shards are those of before, and the smaller ones at the end of before are cut anew."""
    grown, kept, lines = tmp_path / "dump.jsonl", tmp_path / "kept.shards", dump.read_bytes().splitlines(keepends=True)
    grown.write_bytes(b"".join(lines[:41]))
    run(grown, tmp_path / "before", "written", 3 - jobs, "--resume", str(kept))
    before = kept.read_bytes()
    grown.write_bytes(b"".join(lines))
    run(grown, tmp_path / "after", "written", jobs, "--resume", str(kept))
    assert kept.read_bytes().startswith(before)
    run(grown, tmp_path / "anew", "written", 1)
    assert_same(tmp_path / "after", tmp_path / "anew")


def test_a_disk_that_is_full_is_told_by_the_command(tmp_path, dump):
    out = tmp_path / "out"
    program = PROGRAM.replace(
        "main()\n",
        "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))\nmain()\n",
    )
    place = tmp_path / "calls"
    place.mkdir()
    command = ["dense", str(dump), "--chunk-bytes", "3000", "--bootstrap", "20", "--jobs", "2", "-o", str(out)]
    done = subprocess.run(
        [sys.executable, "-c", program, "written", str(place), *command], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "cannot be written: File too large" in done.stderr
    assert not out.exists()
