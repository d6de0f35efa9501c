"""Trap 41: deep or huge JSON and compression bombs end in a clear error, within a memory limit; damaged files too."""

import gzip
import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from ..profiles import share
from .conftest import HANG_SEC

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
GOOD = json.dumps({"gt_norm1000": [BOX], "pred": [BOX]}).encode() + b"\n"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory limits as Linux has them")
MEGABYTE = b"\0" * (1 << 20)
DEPTHS = [100, 500, 900, 1000, 1020, 1100, 100_000]


def nested(depth):
    return b"[" * depth + b"]" * depth


def limited(bytes_):
    """What a process does before it starts: take at most so much memory."""
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_, bytes_))


# ---------------------------------------------------------------- deep


@pytest.mark.parametrize("depth", DEPTHS)
def test_trap_41_a_line_of_brackets_is_refused_at_any_depth(refuses, depth):
    Path("deep.jsonl").write_bytes(GOOD + nested(depth) + b"\n")
    refuses(["deep.jsonl"], "deep.jsonl:2: not ", "[[[" if depth < 1024 else "]]]")


@pytest.mark.parametrize("depth", DEPTHS)
def test_trap_41_deep_ground_truth_is_refused_at_any_depth(refuses, depth):
    Path("deep.jsonl").write_bytes(b'{"pred": [], "gt_norm1000": %s}\n' % nested(depth))
    refuses(["deep.jsonl"], "deep.jsonl:1: ")
    Path("deep.jsonl").write_bytes(
        b'{"pred": [], "gt_norm1000": [{"type": "line", "points": %s, "desc": ""}]}\n' % nested(depth)
    )
    refuses(["deep.jsonl"], "deep.jsonl:1: ")


@pytest.mark.parametrize("depth", [depth for depth in DEPTHS if depth <= 1000])
@pytest.mark.parametrize("jobs", [1, 2])
def test_trap_41_deep_predictions_and_fields_are_carried_or_cut(run, depth, jobs):
    lines = GOOD + b'{"gt_norm1000": [], "pred": [%s], "extra": %s}\n' % (nested(depth), nested(depth))
    Path("deep.jsonl").write_bytes(lines * 4)
    ended = run("dense", "deep.jsonl", "--jobs", jobs, "--chunk-bytes", len(GOOD), "--json", "-o", "out")
    assert ended.artifact()["objects"]["invalid_pred"] == 4
    cases = [json.loads(line) for line in Path("out/cases.jsonl").read_bytes().splitlines()]
    assert [case["line"] for case in cases] == [2, 4, 6, 8]
    assert all(case["unmatched_pred"][0]["invalid"].startswith("not an object") for case in cases)


# ---------------------------------------------------------------- huge


def huge_line(name):
    """Lines 1, 3 and 5 are good, line 2 has 100 MB (a hole that takes no space), line 4 is no record."""
    with open(name, "wb") as file:
        file.write(GOOD)
        file.seek(100_000_000, 1)
        file.write(b"\n" + GOOD + b"oops\n" + GOOD)
    return name


def test_trap_41_a_line_of_100_mb_is_refused_as_too_long(finish):
    ended = finish("dense", huge_line("huge.jsonl"), "--jobs", 1, "-o", "out", preexec_fn=limited(1 << 30))
    ended.refused(3, "huge.jsonl:2: the line is longer than 64 MiB")
    assert not Path("out").exists()


def test_trap_41_the_lines_behind_a_huge_one_keep_their_numbers(finish):
    args = ["dense", huge_line("huge.jsonl"), "--jobs", 1, "--json", "--max-bad-records"]
    finish(*args, 1, preexec_fn=limited(1 << 30)).refused(3, "huge.jsonl:4: not JSON")
    tree = finish(*args, 2, preexec_fn=limited(1 << 30)).artifact()
    assert tree["records"] == {"read": 5, "evaluated": 3, "skipped_empty": 0, "rejected": 2}
    assert [entry["line"] for entry in tree["rejected"]] == [2, 4]


def test_trap_41_a_huge_last_line_without_a_line_break_is_refused(finish):
    with open("huge.jsonl", "wb") as file:
        file.write(GOOD)
        file.truncate(100_000_000)
    finish("dense", "huge.jsonl", "--jobs", 1).refused(3, "huge.jsonl:2: the line is longer than 64 MiB")


@pytest.mark.parametrize("name", ["bomb.jsonl.gz", "bomb.jsonl.zst"])
def test_trap_41_a_bomb_without_a_line_break_takes_little_memory(finish, name):
    """528 MiB out of a small file, with 480 at hand: lines 1 and 3 are good, line 2 is the bomb."""
    pack = gzip.compress if name.endswith("gz") else zstandard.compress
    Path(name).write_bytes(pack(GOOD) + pack(16 * MEGABYTE) * 33 + pack(b"\n" + GOOD))
    args = ["dense", name, "--jobs", 1, "--json", "--max-bad-records", 1]
    ended = finish(*args, preexec_fn=limited(480 << 20))
    assert ended.artifact()["records"] == {"read": 3, "evaluated": 2, "skipped_empty": 0, "rejected": 1}
    assert ended.err == f"rejected: {name}:2: the line is longer than 64 MiB\n"


def test_an_absurd_chunk_size_is_refused(run):
    Path("dump.jsonl.gz").write_bytes(gzip.compress(GOOD))
    for size in (1 << 40, (1 << 63) - 1):
        run("dense", "dump.jsonl.gz", "--chunk-bytes", size).refused(2, f"chunk_bytes: found {size}", "1073741824")


# ---------------------------------------------------------------- damaged


def rows(count=2000):
    return b"".join(GOOD.replace(b"{", b'{"id": %d, ' % number, 1) for number in range(count))


@pytest.mark.parametrize("left", [1, 3, 10, 18, 0.5, -9, -8, -1])
def test_a_truncated_gzip_file_is_refused(refuses, left):
    whole = gzip.compress(rows())
    Path("cut.jsonl.gz").write_bytes(whole[: int(len(whole) * left) if isinstance(left, float) else left])
    refuses(["cut.jsonl.gz"], "cut.jsonl.gz: cannot be ")


@pytest.mark.parametrize("left", [1, 3, 4, 10, 0.5, -9, -8, -1])
def test_a_truncated_zstandard_file_is_refused_as_truncated(refuses, left):
    whole = zstandard.ZstdCompressor(write_checksum=True).compress(rows())
    Path("cut.jsonl.zst").write_bytes(whole[: int(len(whole) * left) if isinstance(left, float) else left])
    refuses(["cut.jsonl.zst"], "cut.jsonl.zst: cannot be decompressed")


def test_a_zstandard_file_that_was_truncated_between_two_lines_is_refused(refuses):
    writer = zstandard.ZstdCompressor().compressobj()
    part = writer.compress(rows(20)) + writer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    writer.compress(rows(20))
    writer.flush()
    Path("cut.jsonl.zst").write_bytes(part)  # 20 of 40 records, and no end
    refuses(["cut.jsonl.zst"], "cut.jsonl.zst: cannot be decompressed")


@pytest.mark.parametrize("name", ["bad.jsonl.gz", "bad.jsonl.zst"])
def test_a_file_that_is_not_compressed_is_refused(refuses, name):
    Path(name).write_bytes(rows())
    refuses([name], f"{name}: cannot be ")


@pytest.mark.parametrize("name", ["bad.jsonl.gz", "bad.jsonl.zst"])
@pytest.mark.parametrize("where", [0.3, 0.6, -6, -2])
def test_a_corrupt_compressed_file_is_refused(refuses, name, where):
    pack = gzip.compress if name.endswith("gz") else zstandard.ZstdCompressor(write_checksum=True).compress
    content = bytearray(pack(rows()))
    content[int(len(content) * where) if isinstance(where, float) else where] ^= 0xFF
    Path(name).write_bytes(content)
    refuses([name], f"{name}")


@pytest.mark.parametrize("name", ["bad.jsonl.gz", "bad.jsonl.zst"])
def test_bytes_behind_the_end_of_a_compressed_file_are_refused(refuses, name):
    pack = gzip.compress if name.endswith("gz") else zstandard.compress
    Path(name).write_bytes(pack(rows()) + b"garbage")
    refuses([name], f"{name}: cannot be ")


def test_the_empty_compressed_file_has_no_records(refuses):
    for name in ("empty.jsonl.gz", "empty.jsonl.zst"):
        Path(name).write_bytes(b"")
        refuses([name], f"{name}: no records")
    Path("empty.jsonl.gz").write_bytes(gzip.compress(b""))
    refuses(["empty.jsonl.gz"], "empty.jsonl.gz: no records")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_compressed_file_that_breaks_off_is_refused_with_any_number_of_processes(finish, jobs):
    whole = gzip.compress(rows(20_000))
    Path("cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    ended = finish("dense", "cut.jsonl.gz", "--jobs", jobs, "--chunk-bytes", 50_000, "-o", "out")
    ended.refused(3, "cut.jsonl.gz: cannot be decompressed")
    assert not Path("out").exists()


def test_standard_input_is_read_in_pieces(start):
    """More than the memory at hand goes through a pipe; the records of all pieces are there."""
    count, memory = (500, 400) if share() == 1 else (300, 256)  # in MiB; without threads of numpy, less is needed
    args = ("dense", "-", "--jobs", 1, "--json", "--bootstrap", 0)
    process = start(*args, stdin=subprocess.PIPE, preexec_fn=limited(memory << 20))
    padding = b" " * (1 << 20)
    for _ in range(count):
        process.stdin.write(padding + GOOD)
    out, err = process.communicate(timeout=HANG_SEC)
    assert json.loads(out)["records"]["evaluated"] == count, err
