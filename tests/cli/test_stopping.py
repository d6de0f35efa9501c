"""SIGINT and SIGTERM at awkward moments: while modules are imported, while workers start, inside callbacks that swallow
exceptions, again and again, or ignored from the start."""

import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

import calipers
from calipers.cli import suite_command
from calipers.core import stopping
from calipers.core.tally import Tally
from calipers.show.charts import sheet

from .conftest import HANG_SEC, end_by_signal

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals as Linux has them")

BOX = b'{"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "a"}'
RECORD = b'{"gt_norm1000": [%s], "pred": [%s]}\n' % (BOX, BOX)
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}
START = "from calipers.cli.start import main; main()"
BOTH = pytest.mark.parametrize("number", CODES)


@pytest.fixture
def listening(monkeypatch):
    """This process hears signals as a command does."""
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    handlers = {number: signal.getsignal(number) for number in CODES}
    stopping.listen()
    yield
    stopping.stop_listening()
    for number, handler in handlers.items():
        signal.signal(number, handler)


def ended_by(number, ended, files=("old.json",)):
    """The command ended as the signal wants it, without a word of Python, and nothing was written."""
    assert (ended.code, ended.out) == (CODES[number], b""), ended.err
    assert ended.err.strip() == ("interrupted; no result was written" if number == signal.SIGINT else "")
    assert Path("old.json").read_bytes() == b"before"
    assert sorted(os.listdir(".")) == sorted(("dump.jsonl", *files))


@pytest.fixture
def dump():
    Path("dump.jsonl").write_bytes(RECORD * 50)
    Path("old.json").write_bytes(b"before")
    return ("dense", "dump.jsonl", "--chunk-bytes", 500, "--bootstrap", 20, "-o", "old.json")


# Where a signal comes in: `{send}` sends it to the process itself.

# (orjson imports uuid in its start, and crashes when that is broken off.)

AT_IMPORT = """
import sys, os, signal
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            {send}
sys.meta_path.insert(0, Finder())
"""
WHEN_A_WORKER_IS_FORKED = """
import os, signal
from calipers.engines import local
local.ALONE_SEC = None
true_fork = os.fork
def fork():
    number = true_fork()
    if number:
        {send}
    return number
os.fork = fork
"""
WHEN_A_WORKER_IS_STARTED_AFRESH = """
import os, signal, subprocess
from calipers.engines import child_process, local
local.ALONE_SEC = None
child_process.may_fork = lambda: False
true_popen = subprocess.Popen.__init__
def popen(self, *args, **options):
    true_popen(self, *args, **options)
    {send}
subprocess.Popen.__init__ = popen
"""
IN_A_CALLBACK = """
import os, signal, weakref
from calipers.suites.dense import measure as dense
class Thing: pass
true_count = dense.count
def count(*args):
    dense.count = true_count
    thing = Thing()
    watch = weakref.ref(thing, lambda _: {send})
    del thing  # the callback's exception has nowhere to go
    return true_count(*args)
dense.count = count
"""
SLOW_TO_LEAVE_A_CALLBACK = (
    IN_A_CALLBACK
    + """
import time
from calipers.core import stopping
true_remind = stopping._remind
def remind():
    stopping._remind = true_remind
    true_remind()
    time.sleep(0.05)
stopping._remind = remind
"""
)
IN_A_BROAD_EXCEPT = """
import os, signal
from calipers.suites.dense import plan as dense
true_summarize = dense.summarize
def summarize(*args):
    try:
        {send}
    except BaseException:
        pass
    return true_summarize(*args)
dense.summarize = summarize
"""
IN_AN_EXEC = """
import os
from calipers.suites.dense import measure as dense
def count(*args):
    exec("{send}")
dense.count = count
"""
MOMENTS = {
    **{
        f"while {name} is imported": AT_IMPORT.replace("{module!r}", repr(name))
        for name in ("click", "numpy", "orjson", "uuid")
    },
    "when a worker is forked": WHEN_A_WORKER_IS_FORKED,
    "when a worker is started afresh": WHEN_A_WORKER_IS_STARTED_AFRESH,
    "in a callback": IN_A_CALLBACK,
    "in a callback that is left slowly": SLOW_TO_LEAVE_A_CALLBACK,
    "in a broad except": IN_A_BROAD_EXCEPT,
    "in an exec, which Python makes an end by the signal of": IN_AN_EXEC,
}


@BOTH
@pytest.mark.parametrize("moment", MOMENTS)
def test_no_signal_is_lost_and_nothing_is_written(finish, group, dump, moment, number):
    program = MOMENTS[moment].format(send=f"os.kill(os.getpid(), {int(number)})") + START
    ended_by(number, finish(*dump, "--jobs", 2, program=("-c", program)))


IN_A_PLOT = """
import os, signal, weakref
from matplotlib.transforms import TransformNode
class Thing: pass
true_set_children = TransformNode.set_children
def set_children(self, *children):
    TransformNode.set_children = true_set_children
    thing = Thing()
    watch = weakref.ref(thing, lambda _: {send})
    del thing
    true_set_children(self, *children)
TransformNode.set_children = set_children
"""


@BOTH
def test_plots_do_not_swallow_a_signal(finish, number):
    """Matplotlib's transforms have callbacks that no exception leaves."""
    program = IN_A_PLOT.format(send=f"os.kill(os.getpid(), {int(number)})") + START
    ended = finish("demo", "scene", "-o", "new", program=("-c", program))
    assert (ended.code, ended.out, os.listdir(".")) == (CODES[number], b"", [])
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    "begin", ["import calipers.__main__", "import runpy; runpy.run_module('calipers', None, '__main__')"]
)
def test_an_interrupt_before_the_command_listens_ends_it_without_a_word(finish, dump, begin):
    """From the first line of Calipers on, as a script and as a module."""
    program = AT_IMPORT.format(module="calipers.cli.start", send="os.kill(os.getpid(), signal.SIGINT)") + begin
    ended = finish(*dump, program=("-c", program))
    assert (ended.code, ended.out, ended.err) == (-signal.SIGINT, b"", "")
    assert Path("old.json").read_bytes() == b"before"


def test_the_installed_command_begins_there():
    settings = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["project"]["scripts"] == {"calipers": "calipers.__main__:main"}


def test_signals_that_follow_do_not_disturb_the_way_out(finish, dump):
    program = (
        "import os, signal\nfrom calipers.suites.dense import measure as dense\nfrom calipers.engines import pool\n"
        "from calipers.files import output\n"
        "def count(*args): os.kill(os.getpid(), 2)\ndense.count = count\n"
        "true_discard = output.AtomicFiles.discard\n"
        "def discard(self):\n    os.kill(os.getpid(), 2)\n    os.kill(os.getpid(), 15)\n    true_discard(self)\n"
        "output.AtomicFiles.discard = discard\n"
    )
    ended_by(signal.SIGINT, finish(*dump[:-1], "new", "--jobs", 1, program=("-c", program + START)))


def test_the_fourth_signal_ends_a_command_whose_way_out_takes_for_ever(finish, dump):
    program = (
        "import os, signal\nfrom calipers.suites.dense import measure as dense\n"
        "def count(*args):\n    try:\n        os.kill(os.getpid(), 15)\n    finally:\n"
        "        while True: os.kill(os.getpid(), 15)\n"
        "dense.count = count\n"
    )
    ended = finish(*dump, "--jobs", 1, program=("-c", program + START))
    assert (ended.code, ended.err) == (-signal.SIGTERM, "")
    assert Path("old.json").read_bytes() == b"before"


# Judges


@BOTH
@pytest.mark.parametrize("serves", [True, False])
def test_a_judge_that_waits_for_a_payload_ends_without_a_word_of_python(start, number, serves):
    process = start("judge", "iou", *(["--serve"] if serves else []), stdin=subprocess.PIPE)
    if serves:  # it answers, so it is past its start
        process.stdin.write(b'{"expected": {"bbox": [0, 0, 1, 1]}, "candidate_answer": "[0, 0, 1, 1]"}\n')
        process.stdin.flush()
        assert process.stdout.readline().startswith(b"{")
    else:
        wait_for_handlers(process, *CODES)
    end_by_signal(process, number)
    out, err = process.communicate(timeout=HANG_SEC)
    assert (process.returncode, out) == (CODES[number], b"")
    assert err.decode().strip() == ("interrupted; no result was written" if number == signal.SIGINT else "")


def wait_for_handlers(process, *numbers):
    """Until a process handles signals, as the system shows it. Python has none for SIGTERM, only the command has."""
    wait_for_signals(process, "SigCgt", *numbers)


def wait_for_signals(process, kind, *numbers):
    """Until /proc lists the signals as caught (`SigCgt`) or ignored (`SigIgn`) by the process."""
    wanted = sum(1 << (number - 1) for number in numbers)
    end = time.monotonic() + HANG_SEC
    listed = 0
    while listed & wanted != wanted:
        assert time.monotonic() < end, "it never comes"
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        listed = int(next(line for line in lines if line.startswith(f"{kind}:")).split()[1], 16)
        time.sleep(0.005)


# Signals that are ignored


@pytest.mark.parametrize(("name", "number"), [("INT", signal.SIGINT), ("TERM", signal.SIGTERM)])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_command_that_is_started_with_a_signal_ignored_goes_on_ignoring_it(name, number, jobs):
    """As the background jobs of scripts are."""
    shell = f'trap "" {name}; exec "{sys.executable}" -m calipers dense - --jobs {jobs} --chunk-bytes 500 -o new.json'
    environment = {**os.environ, "PYTHONPATH": str(Path(calipers.__file__).parents[1])}
    with subprocess.Popen(["sh", "-c", shell], stdin=subprocess.PIPE, env=environment) as process:
        process.stdin.write(RECORD * 20)
        process.stdin.flush()
        other = signal.SIGTERM if number == signal.SIGINT else signal.SIGINT
        wait_for_signals(process, "SigIgn", number)  # the shell itself catches SIGINT before it comes to `trap`
        wait_for_handlers(process, other)
        process.send_signal(number)
        process.stdin.write(RECORD * 20)
        process.stdin.close()
        assert process.wait(timeout=HANG_SEC) == 0
    assert calipers.load("new.json")["records"]["read"] == 40


def test_the_library_installs_no_handlers(dump, monkeypatch):
    seen = []
    true_count = Tally.__iadd__

    def noting(self, other):
        seen.append((signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), sys.unraisablehook))
        return true_count(self, other)

    monkeypatch.setattr(Tally, "__iadd__", noting)
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), sys.unraisablehook
    calipers.dense("dump.jsonl", jobs=2, chunk_bytes=500)
    assert set(seen) == {before}
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM), sys.unraisablehook) == before


# The parts


def interrupted_twice_deferred(done):
    with stopping.Deferred():
        with stopping.Deferred():
            signal.raise_signal(signal.SIGINT)
        done.append("the rest")
        stopping.note_written("all.json")


def test_a_deferred_signal_is_raised_after_the_block(listening):
    done = []
    with pytest.raises(KeyboardInterrupt, match=r"written before that: all\.json"):
        interrupted_twice_deferred(done)
    assert done == ["the rest"]


@pytest.mark.parametrize(
    ("options", "files"), [(("-o", "new.json"), "new.json"), (("--tally", "t.cal", "-o", "new"), "t.cal, new")]
)
def test_an_interrupt_after_results_were_written_tells_of_them(options, files, dump, run, monkeypatch):
    def interrupted(*_):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(suite_command, "remarks_on", interrupted)
    ended = run(*dump[:-2], *options)
    assert (ended.code, ended.out) == (130, b"")
    assert ended.err.strip() == f"interrupted; written before that: {files}"
    assert all(Path(name).exists() for name in files.split(", "))


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_a_signal_waits_until_a_figure_is_drawn(listening, kind):
    figure_type = pytest.importorskip("matplotlib.figure").Figure
    drawn = []

    class Interrupted(figure_type):
        def savefig(self, *args, **options):
            signal.raise_signal(signal.SIGINT)
            super().savefig(*args, **options)
            drawn.append(kind)

    with pytest.raises(KeyboardInterrupt), sheet.drawing(kind):
        sheet.picture_of(Interrupted(), kind, "a title")
    assert drawn == [kind]


def test_a_swallowed_signal_is_raised_at_the_next_safe_point(listening):
    stopping.check_stop()
    with pytest.raises(SystemExit):
        signal.raise_signal(signal.SIGTERM)
    with pytest.raises(SystemExit) as stopped:
        stopping.check_stop()
    assert stopped.value.code == 143
    assert stopping.stop_listening() == 143
    stopping.check_stop()


def test_nothing_happens_where_nobody_listens():
    stopping.check_stop()
    done = []
    with pytest.raises(KeyboardInterrupt):
        interrupted_twice_deferred(done)
    assert done == []
