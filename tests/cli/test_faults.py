"""Whatever goes wrong, and wherever: the old result is intact or the new one is whole, and the exit code says which.

Faults are put in at every stage of a run, in the process of the command or in its workers: opening an input, in the
middle of reading, decoding, measuring, adding up, writing, flushing to disk, renaming. Each suite goes through all.
"""

import os
import resource
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import calipers
from calipers.engines import child_process
from calipers.engines.descendants import descendants

from ..contracts.dumps import make_lines, padded
from ..profiles import combined, covered, share
from .fault_points import ERRORS, PUT, Fault, stays

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="signals and processes as Linux has them"),
    pytest.mark.usefixtures("named_plots"),
]

DATA = Path(calipers.__file__).parent / "data"
BOOTSTRAP = ("--bootstrap", 50)
COMMANDS = {
    "dense": ("dense", "inputs/dump.jsonl", "--chunk-bytes", 3000, *BOOTSTRAP),
    "timeline": ("timeline", "--gt", "inputs/annotations.json", "--pred", "inputs/csv", "--chunk-bytes", 1, *BOOTSTRAP),
    "scene": ("scene", "--gt", "inputs/gt", "--pred", "inputs/pipeline", "--chunk-bytes", 1, *BOOTSTRAP),
    "coco": ("coco", "--gt", "inputs/instances.json", "--pred", "inputs/results.json", *BOOTSTRAP),
}


@pytest.fixture(params=COMMANDS)
def suite(request, tmp_path):
    """A suite with its inputs, and results of an earlier run."""
    if request.param == "dense":
        (tmp_path / "inputs").mkdir()
        (tmp_path / "inputs/dump.jsonl").write_bytes(b"\n".join(padded(make_lines(1, 24), 1)) + b"\n")
    else:
        shutil.copytree(DATA / request.param, tmp_path / "inputs")
    (tmp_path / "old").mkdir()
    for name in ("old.json", "old/result.json", "old/matches.csv", "old/cases.jsonl", "old/report.html"):
        (tmp_path / name).write_bytes(name.encode())
    return request.param


BOOT = """import sys
sys.path[:] = [*sys.argv[3:], {tests!r}]
import fault_points
fault_points.install(*{place!r})
from calipers.engines.child_main import main
main(*map(int, sys.argv[1:3]))
"""


@contextmanager
def fault(stage, kind, suite, at=1):
    """Something goes wrong at a stage of a suite, within the block; says how often it was there."""
    calls = Path.cwd() / "calls"
    with pytest.MonkeyPatch.context() as patch:
        PUT[stage](patch, Fault(kind, at, calls, stays=stays(stage, kind), parent=os.getpid()), suite)
        place = (stage, kind, suite, at, str(calls), os.getpid())
        patch.setattr(child_process, "BOOT", BOOT.format(tests=str(Path(__file__).parent), place=place))
        yield calls
    while calls.exists():  # a thread of the run may still be there
        shutil.rmtree(calls, ignore_errors=True)


IN_READING = [(stage, kind, 3) for stage in ("open", "read") for kind in ("I/O error", "permission")]
IN_WRITING = [(stage, kind, 2) for stage in ("write", "fsync", "rename") for kind in ERRORS]
SIGNALLED = [(stage, kind, code) for stage in PUT for kind, code in (("interrupt", 130), ("termination", 143))]
SIGNALLED = [each for each in SIGNALLED if each[0] != "rename"]  # then it is too late
WITH_FOLDER = [("write", "no space"), ("fsync", "I/O error"), ("read", "interrupt")]
ONCE = {("dense", "read"), ("timeline", "decode")}  # in no worker, as all of coco's stages
ONCE_ALONE = {*ONCE, ("scene", "measure")}  # in one process, which knows all labels before it measures
MEMORY = [(stage, "memory", 2) for stage in ("open", "decode", "measure", "add", "write")]
FAULTS = [(suite, *each) for suite in COMMANDS for each in IN_READING + IN_WRITING + SIGNALLED + MEMORY]


@pytest.mark.parametrize(("suite", "stage", "kind", "code"), covered(FAULTS), indirect=["suite"])
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


@pytest.fixture(scope="module")
def wholes():
    """The files of each suite when nothing goes wrong."""
    return {}


@pytest.fixture(scope="module")
def artifacts():
    """What each suite prints when nothing goes wrong."""
    return {}


@pytest.fixture
def expected(suite, run, artifacts):
    if suite not in artifacts:
        ended = run(*COMMANDS[suite], "--jobs", 1, "--json")
        assert ended.code == 0, ended.err
        artifacts[suite] = ended
    return artifacts[suite]


@pytest.mark.parametrize(("kind", "code", "at"), [("interrupt", 130, 1), ("termination", 143, 2)])
def test_once_files_take_their_names_all_of_them_do(suite, kind, code, at, run, listing, wholes):
    if suite not in wholes:
        run(*COMMANDS[suite], "--jobs", 1, "-o", "new")
        wholes[suite] = listing("new")
        shutil.rmtree("new")
    with fault("rename", kind, suite, at):
        ended = run(*COMMANDS[suite], "--jobs", 1, "-o", "new")
    assert (ended.code, ended.out) == (code, b"")
    assert ended.err.strip() == ("interrupted; written before that: new" if kind == "interrupt" else "")
    assert listing("new") == wholes[suite]


@pytest.mark.parametrize(
    ("suite", "stage", "at"),
    combined(COMMANDS, ["open", "read", "decode", "measure"], [1, 2]),
    indirect=["suite"],
)
def test_a_worker_that_is_killed_costs_time_and_nothing_else(suite, stage, at, run, expected, workers_only):
    """The parent is not killed, so the fault is put in where only workers are."""
    before = descendants()
    with fault(stage, "killed in a worker", suite, at) as calls:
        assert run(*COMMANDS[suite], "--jobs", 2, "--json") == expected
        assert (calls / str(at)).exists() == (suite != "coco" and (suite, stage) not in ONCE)
    assert descendants() == before


@pytest.mark.parametrize(
    ("suite", "stage", "signalled"),
    combined(COMMANDS, ["decode", "measure"], [("interrupt", 130), ("termination", 143)]),
    indirect=["suite"],
)
def test_a_signal_while_workers_are_busy_ends_them_all(suite, stage, signalled, run, listing, workers_only):
    before, processes, (kind, code) = listing("."), descendants(), signalled
    with fault(stage, kind, suite) as calls:
        ended = run(*COMMANDS[suite], "--jobs", 2, "-o", "old")
        assert not (calls / "slept").exists()
    assert (ended.code, ended.out) == (code, b"")
    assert descendants() == processes
    assert listing(".") == before


@pytest.mark.parametrize(
    ("suite", "stage", "failing"),
    combined(COMMANDS, ["read", "decode", "measure", "add"], [("interrupt", 130), ("memory", 2)]),
    indirect=["suite"],
)
def test_what_was_finished_before_a_fault_is_used_to_the_same_bytes(suite, stage, failing, run, expected):
    kind, code = failing
    args = (*COMMANDS[suite], "--jobs", 1, "--json", "--resume", "shards.cal")
    with fault(stage, kind, suite, 1 if suite == "coco" or (suite, stage) in ONCE_ALONE else 3):
        too_large = (suite, stage, kind) == ("coco", "read", "memory")  # it is read whole: the input is at fault
        assert run(*args).code == (3 if too_large else code)
    ended = run(*args)
    assert (ended.code, ended.out) == (0, expected.out), ended.err


@pytest.mark.parametrize(
    ("suite", "stage", "kind"), combined(COMMANDS, ["write", "fsync", "rename"], ERRORS), indirect=["suite"]
)
def test_a_tally_that_cannot_be_written_is_an_error_and_the_old_one_stays(suite, stage, kind, run, listing):
    Path("old.cal").write_bytes(b"before")
    before = listing(".")
    with fault(stage, kind, suite):
        run(*COMMANDS[suite], "--jobs", 1, "--tally", "old.cal").refused(2, "old.cal: cannot be written")
    assert listing(".") == before


BOXES, MEMORY_MIB = (900_000, 400) if share() == 1 else (450_000, 240)  # fewer where numpy has no threads


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MIB << 20, MEMORY_MIB << 20))


def test_a_limit_of_memory_is_an_error_that_says_so(finish, listing):
    """One line that needs more memory than there is, in the process itself and in workers."""
    box = b'{"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "a"}'
    objects, odd = b",".join([box] * BOXES), box.replace(b"10]", b"NaN]")  # NaN makes it be read by objects
    lines = [(number, objects if number == 2 else b"", odd) for number in (1, 2, 3)]
    record = b'{"id": %d, "gt_norm1000": [%s], "pred": [%s]}\n'
    Path("huge.jsonl").write_bytes(b"".join(record % line for line in lines))
    Path("old.json").write_bytes(b"before")
    for jobs in (1, 2):
        args = ("dense", "huge.jsonl", "--jobs", jobs, "--chunk-bytes", 1000, "-o", "old.json")
        ended = finish(*args, preexec_fn=limited)
        assert (ended.code, ended.out) == (2, b""), ended.err
        assert "memory" in ended.err
        assert "Traceback" not in ended.err
        assert Path("old.json").read_bytes() == b"before"
        assert sorted(os.listdir(".")) == ["huge.jsonl", "old.json"]
