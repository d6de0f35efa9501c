"""Results that cannot be written: exit code 2, the reason, and the previous files as they were."""

import errno
import json
import os
import resource
import sys
from pathlib import Path

import pytest

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
MISSED = {"gt_norm1000": [BOX], "pred": []}
FILES = (
    *("result.json", "report.html", "cases.jsonl", "matches.csv", "thresholds.csv", "types.csv", "labels.csv"),
    *("errors.csv", "errors_by_label.csv", "confusion.csv"),
)

SILENT = "warning: nothing was predicted at all, so that every object was missed (calipers check tells more)\n"


@pytest.fixture
def dump():
    return write_dump(3)


def write_dump(records):
    lines = (json.dumps(MISSED | {"id": number}).encode() + b"\n" for number in range(records))
    Path("dump.jsonl").write_bytes(b"".join(lines))
    return "dump.jsonl"


@pytest.fixture
def old():
    """A folder with the files of an earlier run."""
    Path("old").mkdir()
    for name in FILES:
        Path("old", name).write_text(f"the old {name}")
    return "old"


def no_space(*args, **options):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def small_files_only():
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))


# ---------------------------------------------------------------- a full disk


def test_trap_35_a_full_disk_leaves_the_old_artifact_as_it_was(finish, dump, listing):
    Path("old.json").write_bytes(b"before")
    before = listing(".")
    ended = finish("dense", dump, "-o", "old.json", preexec_fn=small_files_only)
    ended.refused(2, "old.json: cannot be written", "File too large")
    assert listing(".") == before


def test_trap_35_a_full_disk_leaves_the_old_folder_as_it_was(finish, old, listing):
    dump = write_dump(1000)
    before = listing(".")
    ended = finish("dense", dump, "-o", old, "--bootstrap", 0, preexec_fn=small_files_only)
    ended.refused(2, "cannot be written", "File too large")
    assert listing(".") == before


def test_a_full_disk_leaves_no_new_folder_behind(finish, listing):
    dump = write_dump(1000)
    before = listing(".")
    finish("dense", dump, "-o", "new/deep", preexec_fn=small_files_only).refused(2, "cannot be written")
    assert listing(".") == before


def test_a_failing_run_says_nothing_but_its_error_when_tables_are_parquet(finish):
    pytest.importorskip("pyarrow")
    Path("bad.jsonl").write_text("oops")
    ended = finish("dense", "bad.jsonl", "-o", "out", "--tables", "parquet")
    ended.refused(3, "bad.jsonl:1: not JSON")
    assert len(ended.err.splitlines()) == 2
    assert not Path("out").exists()


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_trap_35_a_step_that_fails_leaves_the_old_artifact_as_it_was(run, dump, monkeypatch, listing, step):
    Path("old.json").write_bytes(b"before")
    before = listing(".")
    monkeypatch.setattr(os, step, no_space)
    run("dense", dump, "-o", "old.json").refused(2, "old.json: cannot be written: No space left on device")
    assert listing(".") == before


@pytest.mark.parametrize("good", [0, 1, 2])
def test_trap_35_no_file_of_the_folder_is_new_unless_all_are_on_disk(run, dump, old, monkeypatch, listing, good):
    calls = []

    def fsync(number, _fsync=os.fsync):
        calls.append(number)
        return no_space() if len(calls) > good else _fsync(number)

    monkeypatch.setattr(os, "fsync", fsync)
    before = listing(".")
    run("dense", dump, "-o", old).refused(2, "cannot be written: No space left on device")
    assert listing(".") == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("args", [["dense", "dump.jsonl"], ["dense", "dump.jsonl", "--json"], ["--help"], ["demo"]])
def test_standard_output_that_is_full_is_an_error(finish, dump, args):
    with open("/dev/full", "wb") as full:
        ended = finish(*args, stdout=full)
    assert ended.code == 2
    assert "error: standard output cannot be written: No space left on device\n" in ended.err
    assert "Traceback" not in ended.err


# ---------------------------------------------------------------- nobody reads


@pytest.mark.parametrize("args", [[], ["--json"], ["--json", "-o", "out.json"]])
def test_a_closed_pipe_is_no_failure(finish, dump, args):
    reading, writing = os.pipe()
    os.close(reading)
    ended = finish("dense", dump, *args, stdout=writing)
    os.close(writing)
    assert (ended.code, ended.err) == (0, SILENT)
    assert Path("out.json").exists() == ("out.json" in args)


def test_the_first_line_can_be_cut_off_with_head(finish, dump):
    command = f"'{sys.executable}' -m calipers dense dump.jsonl --json | head -1; exit ${{PIPESTATUS[0]}}"
    ended = finish(program=("-c", f"import os; os.execvp('bash', ['bash', '-c', {command!r}])"))
    assert (ended.code, ended.out, ended.err) == (0, b"{\n", SILENT)


@pytest.mark.parametrize(
    ("stream", "args", "code"),
    [(1, ["dump.jsonl"], 2), (1, ["dump.jsonl", "--json"], 2), (0, ["-"], 3), (2, ["missing"], 3)],
)
def test_a_stream_that_is_closed_from_the_start_is_told_apart(finish, dump, stream, args, code):
    ended = finish("dense", *args, preexec_fn=lambda: os.close(stream))
    assert (ended.code, ended.out) == (code, b"")
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "gbk", "utf-8"])
def test_a_terminal_with_another_encoding_still_gets_the_summary(finish, encoding):
    ended = finish("demo", env={"PYTHONIOENCODING": encoding})
    assert ended.code == 0, ended.err
    assert b"where it goes wrong" in ended.out


# ---------------------------------------------------------------- known before the work begins


@pytest.mark.parametrize(
    ("output", "parts"),
    [
        ("dump.jsonl/result.json", ["dump.jsonl is not a folder"]),
        ("dump.jsonl/deep", ["dump.jsonl is not a folder"]),
        ("dump.jsonl", ["dump.jsonl is not a folder"]),
        ("folder.json", ["is a folder", "expected a file"]),
    ],
)
def test_an_output_that_cannot_be_is_refused_before_the_input_is_read(run, dump, listing, output, parts):
    Path("folder.json").mkdir()
    before = listing(".")
    for source in (dump, "missing.jsonl"):
        run("dense", source, "-o", output).refused(2, f"error: {output}: ", *parts)
    assert listing(".") == before


@pytest.mark.parametrize("output", ["old/result.json", "old", "old/new"])
def test_a_folder_that_may_not_be_written_to_is_refused(run, dump, old, monkeypatch, listing, output):
    before = listing(".")
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    run("dense", dump, "-o", output).refused(2, f"{output}: ", "old", "cannot be written to")
    assert listing(".") == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_the_permission_is_refused(run, dump, old):
    Path(old).chmod(0o500)
    run("dense", dump, "-o", old).refused(2, "old", "cannot be written to")
    Path(old).chmod(0o700)


def test_a_folder_in_the_place_of_a_result_leaves_everything_as_it_was(run, dump, old, listing):
    Path(old, "result.json").unlink()
    Path(old, "result.json").mkdir()
    before = listing(".")
    run("dense", dump, "-o", old).refused(2, "old/result.json: cannot be written")
    assert listing(".") == before


def test_what_a_killed_run_left_behind_is_no_obstacle(run, dump, listing):
    Path(".calipers-abcdefgh.part").write_bytes(b"half")
    assert run("dense", dump, "-o", "out.json").code == 0
    assert set(listing(".")) == {"dump.jsonl", "out.json", ".calipers-abcdefgh.part"}


def test_writing_through_a_link_or_over_a_result_replaces_it_whole(run, dump, old):
    for name in ("result.json", "old"):
        assert run("dense", dump, "-o", name).code == 0
    assert Path("result.json").read_bytes() == Path("old/result.json").read_bytes()
    assert {name for name in os.listdir("old") if not name.endswith((".png", ".svg"))} == set(FILES)  # and plots


def test_a_result_gets_the_permissions_of_any_new_file(run, dump):
    Path("plain").write_bytes(b"")
    assert run("dense", dump, "-o", "out.json").code == 0
    assert Path("out.json").stat().st_mode == Path("plain").stat().st_mode


def test_the_library_prints_nothing(finish):
    script = (
        "import calipers\n"
        "records = [{'gt_norm1000': 5, 'pred': []}, {'gt_norm1000': [], 'pred': [5]}]\n"
        "report = calipers.dense(records, max_bad_records=1)\n"
        "report.to_json(), report.matches(), str(report)\n"
    )
    assert finish(program=("-c", script)) == (0, b"", "")
