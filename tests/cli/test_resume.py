"""Runs that end early and go on later, from the shards that were finished, to the same bytes."""

import json
import os
import random
import signal
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

import calipers
from calipers.core.parts import Packed, from_bytes, to_bytes
from calipers.files.part_files import DIGEST_BYTES, LENGTH_BYTES

from ..contracts.dumps import make_lines, padded
from ..profiles import seeds, share
from .conftest import HANG_SEC, wait_until

SMALL = ("--chunk-bytes", 3000)


@pytest.fixture
def dump(tmp_path):
    path = tmp_path / "dump.jsonl"
    path.write_bytes(b"\n".join(padded(make_lines(1, 40), 1)) + b"\n")
    return path


@pytest.fixture
def whole(run, dump):
    return run("dense", dump.name, "--json").out


def test_a_run_that_may_be_resumed_gives_the_same_bytes_and_so_does_the_next(run, dump, whole):
    args = ("dense", dump.name, "--json", *SMALL, "--resume", "shards.cal")
    first, second = run(*args), run(*args)
    assert first.out == second.out == whole
    assert Path("shards.cal").stat().st_size > 10_000
    assert "finished before" not in first.err
    assert " shards were finished before, in shards.cal\n" in second.err


def test_a_run_says_where_its_counts_are(run, dump):
    assert "counts are in total.cal, for calipers merge\n" in run("dense", dump.name, "--tally", "total.cal").err


@pytest.mark.parametrize("seed", seeds(12))
def test_however_much_of_the_file_is_there_the_result_is_the_same(run, dump, seed):
    """A run may be killed while it writes: the file then ends anywhere."""
    run("dense", dump.name, *SMALL, "--resume", "shards.cal", "--bootstrap", 50)
    expected = run("dense", dump.name, "--json", "--bootstrap", 50).out
    content = Path("shards.cal").read_bytes()
    head = content.index(b"\n", content.index(b"\n") + 1) + 1
    Path("shards.cal").write_bytes(content[: random.Random(seed).randint(head, len(content))])
    args = (*SMALL, "--resume", "shards.cal", "--bootstrap", 50, "--jobs", 1 + seed % 2)
    ended = run("dense", dump.name, "--json", *args)
    assert (ended.code, ended.out) == (0, expected)
    assert Path("shards.cal").read_bytes()[head:] or not content[head:]


def test_a_file_that_ends_within_its_head_is_begun_anew_and_that_is_said(run, dump):
    expected = run("dense", dump.name, "--resume", "shards.cal", "--json").out
    Path("shards.cal").write_bytes(Path("shards.cal").read_bytes()[:100])
    ended = run("dense", dump.name, "--resume", "shards.cal", "--json")
    assert (ended.code, ended.out) == (0, expected)
    assert "shards.cal ended within its head, with no shard in it, and was begun anew\n" in ended.err
    assert "begun anew" not in run("dense", dump.name, "--resume", "shards.cal", "--json").err


@pytest.mark.parametrize("length", [1, 5, 16, 17, 40])
def test_a_file_that_ends_within_its_first_lines_is_begun_anew(run, dump, length):
    expected = run("dense", dump.name, "--resume", "shards.cal", "--json").out
    Path("shards.cal").write_bytes(Path("shards.cal").read_bytes()[:length])  # the first line has 17 bytes
    ended = run("dense", dump.name, "--resume", "shards.cal", "--json")
    assert (ended.code, ended.out) == (0, expected)
    assert "shards.cal ended within its head, with no shard in it, and was begun anew\n" in ended.err


FROM_PIPE = ("dense", "-", "--chunk-bytes", 20_000, "--resume", "shards.cal")


@pytest.fixture(scope="module")
def lines():
    """A megabyte and a half, of which a pipe is read 256 kB at a time."""
    return [line + b"\n" for line in make_lines(2, 900)]


@pytest.fixture
def begun(start):
    """A run that has measured some of its input, and waits for the rest of it, which does not come."""

    def begin(*args, given):
        before = size_of_shards()
        process = start(*args, stdin=subprocess.PIPE)
        process.stdin.write(given)
        process.stdin.flush()
        wait_until(lambda: size_of_shards() > before + 20_000)
        return process

    return begin


def size_of_shards():
    path = Path("shards.cal")
    return path.stat().st_size if path.exists() else 0


def test_a_killed_run_goes_on_where_it_was(begun, finish, lines):
    args = (*FROM_PIPE, "--jobs", 2, "-o", "result.json")
    for count in (300, 600, 900) if share() == 1 else (300, 900):
        process = begun(*args, given=b"".join(lines[:count]))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    ended = finish(*args, given=b"".join(lines))
    assert ended.code == 0
    assert " shards were finished before, in shards.cal\n" in ended.err
    assert finish("dense", "-", "-o", "whole.json", given=b"".join(lines)).code == 0
    assert Path("result.json").read_bytes() == Path("whole.json").read_bytes()


def test_an_interrupt_says_where_the_finished_shards_are(begun, lines):
    process = begun(*FROM_PIPE, "--jobs", 2, given=b"".join(lines[:300]))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANG_SEC)
    assert (process.returncode, out) == (130, b"")
    kept = "interrupted; what was finished is kept in shards.cal: --resume shards.cal goes on from there\n"
    assert err.decode().lstrip() == kept


def test_only_what_changed_is_measured_again(run, dump):
    dump.write_bytes(b"\n".join(padded(make_lines(1, 120), 1)) + b"\n")
    run("dense", dump.name, *SMALL, "--resume", "shards.cal")
    before = Path("shards.cal").stat().st_size
    with open(dump, "ab") as file:
        file.write(make_lines(9, 1)[0].replace(b"folder 0", b"another") + b"\n")
    expected = calipers.dense(dump.name).to_json()
    assert run("dense", dump.name, *SMALL, "--json", "--resume", "shards.cal").out == expected
    grown = Path("shards.cal").stat().st_size - before
    assert 0 < grown < before / 5


def test_changed_bytes_of_the_same_length_are_noticed(run, dump):
    run("dense", dump.name, *SMALL, "--resume", "shards.cal")
    stamp = dump.stat()
    content = bytearray(dump.read_bytes())
    at = content.index(b'"width": 1920')
    content[at : at + 7] = b'"Width"'
    number = content.index(b"[", content.index(b'"points"'))
    digit = next(place for place in range(number, len(content)) if content[place : place + 1].isdigit())
    content[digit : digit + 1] = b"1" if content[digit : digit + 1] != b"1" else b"2"
    dump.write_bytes(content)
    os.utime(dump, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    found = run("dense", dump.name, *SMALL, "--json", "--resume", "shards.cal").out
    assert found == calipers.dense(dump.name).to_json()


def test_a_folder_with_every_object_is_resumed_as_well(run, dump, listing):
    args = ("dense", dump.name, "--chunk-bytes", 20_000)
    run(*args, "-o", "whole")
    run(*args, "-o", "first", "--resume", "shards.cal")
    content = Path("shards.cal").read_bytes()
    Path("shards.cal").write_bytes(content[: len(content) // 2])
    run(*args, "-o", "second", "--resume", "shards.cal")
    assert listing("whole") == listing("first") == listing("second")


def test_a_folder_keeps_little_more_than_it_holds_and_serves_both_kinds_of_tables(run, dump, listing):
    pytest.importorskip("pyarrow")
    args = ("dense", dump.name, "--chunk-bytes", 20_000)
    run(*args, "-o", "csv", "--resume", "shards.cal")
    written = sum((Path("csv") / name).stat().st_size for name in ("matches.csv", "cases.jsonl"))
    run(*args, "--resume", "counts.cal")
    kept, counts = (Path(name).stat().st_size for name in ("shards.cal", "counts.cal"))
    assert kept - counts < 1.5 * written  # rows by the names of their columns took more
    run(*args, "-o", "parquet", "--tables", "parquet", "--resume", "shards.cal")
    run(*args, "-o", "whole", "--tables", "parquet")
    run(*args, "-o", "again", "--resume", "shards.cal")
    assert listing("parquet") == listing("whole")
    assert listing("again") == listing("csv")


@pytest.mark.parametrize("jobs", [1, 2])
def test_counts_beside_a_folder_are_those_without_it(run, dump, jobs):
    """Pairs that are kept to make rows again are no part of the counts, in the first run and in the next."""
    args = ("dense", dump.name, *SMALL, "--jobs", jobs)
    run(*args, "--tally", "whole.cal")
    for name in ("first", "next"):
        run(*args, "-o", name, "--resume", "shards.cal", "--tally", f"{name}.cal")
        assert Path(f"{name}.cal").read_bytes() == Path("whole.cal").read_bytes()


def test_a_parquet_table_has_the_same_bytes_however_the_dump_was_cut(run, dump, listing):
    pytest.importorskip("pyarrow")
    args = ("dense", dump.name, "--bootstrap", 20, "--tables", "parquet")
    run(*args, "--jobs", 1, "-o", "whole")
    for jobs, more in ((2, ()), (1, ("--resume", "shards.cal")), (2, ("--resume", "shards.cal"))):
        run(*args, *SMALL, "--jobs", jobs, "-o", "cut", *more)
        assert listing("cut") == listing("whole")


def test_what_was_kept_serves_a_run_that_wants_more_files_or_rejects_records(run, dump, listing):
    lines = dump.read_bytes().splitlines()
    lines[30] = b"oops"
    dump.write_bytes(b"\n".join(lines) + b"\n")
    args = ("dense", dump.name, *SMALL, "--resume", "shards.cal")
    run(*args).refused(3, "dump.jsonl:31: not JSON")
    kept = Path("shards.cal").stat().st_size
    expected = run("dense", dump.name, "--max-bad-records", 1, "--json").out
    assert run(*args, "--max-bad-records", 1, "--json").out == expected
    assert Path("shards.cal").stat().st_size < 3 * kept
    run(*args, "--max-bad-records", 1, "-o", "folder")
    run("dense", dump.name, "--max-bad-records", 1, "-o", "whole")
    assert listing("folder") == listing("whole")


@pytest.mark.parametrize("changed", [("--tube-tolerance", 9), ("--seed", 1), ("--modes", "phase")])
def test_other_options_are_refused_and_the_file_is_left_alone(run, dump, changed):
    run("dense", dump.name, *SMALL, "--resume", "shards.cal")
    before = Path("shards.cal").read_bytes()
    run("dense", dump.name, *SMALL, "--resume", "shards.cal", *changed).refused(2, "shards.cal: made with ")
    assert Path("shards.cal").read_bytes() == before


def test_another_file_is_refused_and_left_alone(run, dump):
    for content in (b"something else\n", b"calipers\n", b'calipers parts 1\n{"kind": "tally"}\n', b"\0" * 100):
        Path("other").write_bytes(content)
        run("dense", dump.name, "--resume", "other").refused(3, "other: found something else")
        assert Path("other").read_bytes() == content


def test_the_input_itself_and_places_that_cannot_be_are_refused(run, dump):
    content = dump.read_bytes()
    for flag in ("--resume", "--tally"):
        run("dense", dump.name, flag, dump.name).refused(2, "dump.jsonl: is an input")
        run("dense", dump.name, flag, f"{dump.name}/file").refused(2, "dump.jsonl is not a folder")
        run("dense", dump.name, flag, ".").refused(2, ".: is a folder")
    run("dense", dump.name, "--resume", "x", "--tally", "x").refused(
        2, "tally: found 'x', which is also that of resume"
    )
    assert dump.read_bytes() == content


def test_two_runs_at_once_need_a_file_each(begun, run, dump, lines):
    first = begun(*FROM_PIPE, "--jobs", 1, given=b"".join(lines[:300]))
    run("dense", dump.name, "--resume", "shards.cal").refused(2, "shards.cal: is in use by another run")
    first.kill()


def test_records_that_were_rejected_are_told_of_again(run, dump):
    lines = dump.read_bytes().splitlines()
    lines[5], lines[27], lines[35] = b"oops", b"7", b'{"gt_norm1000": 3}'
    dump.write_bytes(b"\n".join(lines) + b"\n")
    args = ("dense", dump.name, *SMALL, "--max-bad-records", 3, "--json")
    first = run(*args, "--resume", "shards.cal")
    second = run(*args, "--resume", "shards.cal")
    assert first.out == second.out
    assert first.err in second.err
    assert [entry["line"] for entry in json.loads(first.out)["rejected"]] == [6, 28, 36]


def test_standard_input_is_resumed_by_what_it_holds(finish, dump):
    expected = finish("dense", "-", "--json", given=dump.read_bytes()).out
    for _ in range(2):
        ended = finish("dense", "-", "--json", *SMALL, "--resume", "shards.cal", given=dump.read_bytes())
        assert (ended.code, ended.out) == (0, expected)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_is_given_twice_counts_twice(run, dump, jobs):
    given = ("dense", dump.name, dump.name, "--json", "--bootstrap", 20)
    expected = run(*given).out
    for _ in range(2):
        ended = run(*given, *SMALL, "--resume", "shards.cal", "--jobs", jobs)
        assert (ended.code, ended.out) == (0, expected)


def test_inputs_in_another_order_keep_their_records(run, dump):
    Path("short.jsonl").write_bytes(b"\n".join(make_lines(5, 7)) + b"\n")
    options = ("--json", "--bootstrap", 20)
    run("dense", dump.name, "short.jsonl", *options, "--resume", "shards.cal")
    found = run("dense", "short.jsonl", dump.name, *options, "--resume", "shards.cal").artifact()
    assert [each["records"] for each in found["inputs"]] == [7, 40]
    assert found == run("dense", "short.jsonl", dump.name, *options).artifact()


@pytest.mark.parametrize("plain", [None, [], 5, {}, {"shard": [1]}, {"shard": ...}, {"shard": ..., "part": {"bad": 1}}])
def test_shards_of_someone_else_are_refused(run, dump, plain):
    """Whole, as their digest says, but not what a run writes."""
    run("dense", dump.name, "--resume", "shards.cal")
    content = Path("shards.cal").read_bytes()
    head = content.index(b"\n", content.index(b"\n") + 1) + 1
    known = from_bytes(content[head + LENGTH_BYTES + DIGEST_BYTES :]).plain["shard"]
    if isinstance(plain, dict) and plain.get("shard") is ...:
        plain = plain | {"shard": known}
    data = to_bytes(Packed(plain, {}))
    lead = len(data).to_bytes(LENGTH_BYTES, "little") + sha256(data).digest()
    Path("shards.cal").write_bytes(content[:head] + lead + data)
    run("dense", dump.name, "--resume", "shards.cal").refused(3, "shards.cal: holds a part that cannot be read")
