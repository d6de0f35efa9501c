"""Whatever goes wrong, and wherever: the old result is intact or the new one is whole, and the exit code says which.

Faults are put in at every stage of a run, in the process of the command or in its workers: opening an input, in the
middle of reading, decoding, measuring, adding up, writing, flushing to disk, renaming. Each suite goes through all.
"""

import builtins
import errno
import io
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import time
from contextlib import contextmanager
from importlib import import_module
from itertools import count
from pathlib import Path

import pytest

import calipers

from ..contracts.dumps import make_lines, padded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and processes as Linux has them")

DATA = Path(calipers.__file__).parent / "data"
ERRORS = {"no space": errno.ENOSPC, "I/O error": errno.EIO, "permission": errno.EACCES}
SIGNALS = {"interrupt": signal.SIGINT, "termination": signal.SIGTERM}
BOOTSTRAP = ("--bootstrap", 50)
COMMANDS = {
    "dense": ("dense", "inputs/dump.jsonl", "--chunk-bytes", 3000, *BOOTSTRAP),
    "timeline": ("timeline", "--gt", "inputs/annotations.json", "--pred", "inputs/csv", "--chunk-bytes", 1, *BOOTSTRAP),
    "scene": ("scene", "--gt", "inputs/gt", "--pred", "inputs/pipeline", "--chunk-bytes", 1, *BOOTSTRAP),
    "coco": ("coco", "--gt", "inputs/instances.json", "--pred", "inputs/results.json", *BOOTSTRAP),
}
DECODED = {
    "dense": ("calipers.readers.dense", "_Reader.add_line"),
    "timeline": ("orjson", "loads"),
    "scene": ("orjson", "loads"),
    "coco": ("calipers.readers.detections", "check_truth"),
}
MEASURED = {
    "dense": ("calipers.suites.dense", "count"),
    "timeline": ("calipers.suites.timeline", "count_states"),
    "scene": ("calipers.suites.scene", "cuboid_overlaps"),
    "coco": ("calipers.suites.coco", "overlaps"),
}
ADDED = {suite: (f"calipers.plans.{suite}", f"{suite.title()}Part.add") for suite in COMMANDS}


@pytest.fixture(params=COMMANDS)
def suite(request, tmp_path):
    """A suite with its inputs, and results of an earlier run."""
    if request.param == "dense":
        (tmp_path / "inputs").mkdir()
        (tmp_path / "inputs/dump.jsonl").write_bytes(b"\n".join(padded(make_lines(1, 120), 1)) + b"\n")
    else:
        shutil.copytree(DATA / request.param, tmp_path / "inputs")
    (tmp_path / "old").mkdir()
    for name in ("old.json", "old/result.json", "old/matches.csv", "old/cases.jsonl", "old/report.html"):
        (tmp_path / name).write_bytes(name.encode())
    return request.param


class Fault:
    """Something that goes wrong when it is called for the n-th time, in whatever process that is, or from then on."""

    def __init__(self, kind, at, folder, *, stays):
        self.kind, self.at, self.folder, self.stays, self.parent = kind, at, folder, stays, os.getpid()
        folder.mkdir(exist_ok=True)

    def __call__(self):
        calls = self._count()
        if calls < self.at or (calls > self.at and not self.stays):
            return
        if self.kind in ERRORS:
            raise OSError(ERRORS[self.kind], os.strerror(ERRORS[self.kind]))
        if self.kind == "memory":
            raise MemoryError
        if self.kind == "killed in a worker":
            if os.getpid() != self.parent:
                os.kill(os.getpid(), signal.SIGKILL)
            return
        os.kill(self.parent, SIGNALS[self.kind])
        time.sleep(5 if os.getpid() != self.parent else 0)

    def _count(self):
        """Which call this is, of all threads and processes: each takes a number of its own."""
        return next(number for number in count(1) if self._takes(number))

    def _takes(self, number):
        try:
            (self.folder / str(number)).touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


@contextmanager
def fault(stage, kind, suite, at=1):
    """Something goes wrong at a stage of a suite, within the block; says how often it was there."""
    calls = Path.cwd() / "calls"
    with pytest.MonkeyPatch.context() as patch:
        PUT[stage](patch, Fault(kind, at, calls, stays=stage == "open" and kind in ERRORS), suite)
        yield calls
    while calls.exists():  # a thread of the run may still be there
        shutil.rmtree(calls, ignore_errors=True)


def patched(monkeypatch, wrong, module, name):
    """A function that goes wrong before it does its work."""
    home = import_module(module)
    *classes, name = name.split(".")
    for each in classes:
        home = getattr(home, each)
    function = getattr(home, name)

    def instead(*args, **options):
        wrong()
        return function(*args, **options)

    monkeypatch.setattr(home, name, instead)


def is_input(path):
    return isinstance(path, (str, Path)) and "inputs/" in f"{path}"


def opening(monkeypatch, wrong, suite):
    true_open = builtins.open

    def instead(path, *args, **options):
        if is_input(path):
            wrong()
        return true_open(path, *args, **options)

    monkeypatch.setattr(builtins, "open", instead)
    monkeypatch.setattr(io, "open", instead)


class Torn(io.FileIO):
    """A file in which something goes wrong in the middle, in reading or in writing."""

    def __init__(self, path, mode, wrong):
        super().__init__(path, mode)
        self._wrong, self._left = wrong, os.path.getsize(path) // 2 if mode == "r" else 100

    def _passed(self, count):
        self._left -= count
        if self._left < 0 <= self._left + count:
            self._wrong()

    def readinto(self, buffer):
        count = super().readinto(memoryview(buffer)[: max(self._left + 1, 1)] if self._left >= 0 else buffer)
        self._passed(count)
        return count

    def read(self, size=-1):
        if size is None or size < 0:
            return self.readall()
        data = bytearray(size)
        return bytes(data[: self.readinto(data)])

    def readall(self):
        self._passed(self._left + 1)
        return super().readall()

    def write(self, data):
        self._passed(len(data))
        return super().write(data)


def reading(monkeypatch, wrong, suite):
    true_open = builtins.open

    def instead(path, mode="r", buffering=-1, *args, **options):
        if not is_input(path) or mode != "rb":
            return true_open(path, mode, buffering, *args, **options)
        file = Torn(path, "r", wrong)
        return file if buffering == 0 else io.BufferedReader(file)

    monkeypatch.setattr(builtins, "open", instead)
    monkeypatch.setattr(io, "open", instead)


def writing(monkeypatch, wrong, suite):
    true_open = builtins.open

    def instead(path, mode="r", *args, **options):
        if mode == "wb" and ".calipers-" in str(path):
            return io.BufferedWriter(Torn(path, "w", wrong))
        return true_open(path, mode, *args, **options)

    monkeypatch.setattr(builtins, "open", instead)


PUT = {
    "open": opening,
    "read": reading,
    "decode": lambda m, wrong, suite: patched(m, wrong, *DECODED[suite]),
    "measure": lambda m, wrong, suite: patched(m, wrong, *MEASURED[suite]),
    "add": lambda m, wrong, suite: patched(m, wrong, *ADDED[suite]),
    "write": writing,
    "fsync": lambda m, wrong, suite: patched(m, wrong, "os", "fsync"),
    "rename": lambda m, wrong, suite: patched(m, wrong, "os", "replace"),
}
IN_READING = [(stage, kind, 3) for stage in ("open", "read") for kind in ("I/O error", "permission")]
IN_WRITING = [(stage, kind, 2) for stage in ("write", "fsync", "rename") for kind in ERRORS]
SIGNALLED = [(stage, kind, code) for stage in PUT for kind, code in (("interrupt", 130), ("termination", 143))]
SIGNALLED = [each for each in SIGNALLED if each[0] != "rename"]  # then it is too late
WITH_FOLDER = [("write", "no space"), ("fsync", "I/O error"), ("read", "interrupt")]
MEMORY = [(stage, "memory", 2) for stage in ("open", "decode", "measure", "add", "write")]


@pytest.mark.parametrize(("stage", "kind", "code"), IN_READING + IN_WRITING + SIGNALLED + MEMORY)
def test_a_failing_run_leaves_everything_as_it_was(suite, stage, kind, code, run, listing):
    before, output = listing("."), "old" if suite == "dense" or (stage, kind) in WITH_FOLDER else "old.json"
    with fault(stage, kind, suite):
        ended = run(*COMMANDS[suite], "--jobs", 1, "-o", output)
    assert (ended.code, ended.out) == (code, b""), ended.err
    assert "Traceback" not in ended.err
    assert ended.err.strip() or kind == "termination"
    assert listing(".") == before


@pytest.mark.parametrize(("at", "kind"), [(2, "no space"), (3, "permission")])
def test_if_one_file_of_a_folder_cannot_take_its_name_none_does(suite, at, kind, run, listing):
    before = listing(".")
    with fault("rename", kind, suite, at):
        assert run(*COMMANDS[suite], "--jobs", 1, "-o", "old").code == 2
    assert listing(".") == before


@pytest.mark.parametrize(("kind", "code", "at"), [("interrupt", 130, 1), ("termination", 143, 2)])
def test_once_files_take_their_names_all_of_them_do(suite, kind, code, at, run, listing):
    run(*COMMANDS[suite], "--jobs", 1, "-o", "new")
    Path("new").rename("whole")
    with fault("rename", kind, suite, at):
        ended = run(*COMMANDS[suite], "--jobs", 1, "-o", "new")
    assert (ended.code, ended.out) == (code, b"")
    assert ended.err.strip() == ("interrupted; the result was written before that" if kind == "interrupt" else "")
    assert listing("new") == listing("whole")


@pytest.mark.parametrize("stage", ["open", "read", "decode", "measure"])
@pytest.mark.parametrize("at", [1, 2])
def test_a_worker_that_is_killed_costs_time_and_nothing_else(suite, stage, at, run, listing):
    """The parent is not killed, so the fault is put in where only workers are."""
    expected = run(*COMMANDS[suite], "--jobs", 1, "--json")
    with fault(stage, "killed in a worker", suite, at):
        assert run(*COMMANDS[suite], "--jobs", 2, "--json") == expected
    assert expected.code == 0
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("stage", ["decode", "measure"])
@pytest.mark.parametrize(("kind", "code"), [("interrupt", 130), ("termination", 143)])
def test_a_signal_while_workers_are_busy_ends_them_all(suite, stage, kind, code, run, listing):
    before = listing(".")
    with fault(stage, kind, suite):
        begun = time.monotonic()
        ended = run(*COMMANDS[suite], "--jobs", 2, "-o", "old")
        assert time.monotonic() - begun < 4
    assert (ended.code, ended.out) == (code, b"")
    assert multiprocessing.active_children() == []
    assert listing(".") == before


@pytest.mark.parametrize("stage", ["read", "decode", "measure", "add"])
@pytest.mark.parametrize("kind", ["interrupt", "memory"])
def test_what_was_finished_before_a_fault_is_used_to_the_same_bytes(suite, stage, kind, run, listing):
    expected = run(*COMMANDS[suite], "--jobs", 1, "--json").out
    args = (*COMMANDS[suite], "--jobs", 1, "--json", "--resume", "shards.cal")
    with fault(stage, kind, suite, 3):
        assert run(*args).code in (130, 2, 0)  # a stage may not come that often
    ended = run(*args)
    assert (ended.code, ended.out) == (0, expected), ended.err


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("stage", ["write", "fsync", "rename"])
def test_a_tally_that_cannot_be_written_is_an_error_and_the_old_one_stays(suite, stage, kind, run, listing):
    Path("old.cal").write_bytes(b"before")
    before = listing(".")
    with fault(stage, kind, suite):
        run(*COMMANDS[suite], "--jobs", 1, "--tally", "old.cal").refused(2, "old.cal: cannot be written")
    assert listing(".") == before


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))


def test_a_limit_of_memory_is_an_error_that_says_so(finish, listing):
    """One line that needs more memory than there is, in the process itself and in workers."""
    box = b'{"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "a"}'
    objects, odd = b",".join([box] * 900_000), box.replace(b"10]", b"NaN]")  # NaN makes it be read by objects
    lines = [(number, objects if number == 2 else b"", odd) for number in (1, 2, 3)]
    record = b'{"id": %d, "gt_norm1000": [%s], "pred": [%s]}\n'
    Path("huge.jsonl").write_bytes(b"".join(record % line for line in lines))
    Path("old.json").write_bytes(b"before")
    for jobs in (1, 2):
        args = ("dense", "huge.jsonl", "--jobs", jobs, "--chunk-bytes", 10, "-o", "old.json")
        ended = finish(*args, preexec_fn=limited, timeout=60)
        assert (ended.code, ended.out) == (2, b""), ended.err
        assert "memory" in ended.err
        assert "Traceback" not in ended.err
        assert Path("old.json").read_bytes() == b"before"
        assert sorted(os.listdir(".")) == ["huge.jsonl", "old.json"]
