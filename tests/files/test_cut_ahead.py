"""A dump that another process begins to read: the result is that of a run that reads it by itself."""

import json
import subprocess
import sys
from hashlib import sha256
from io import BytesIO
from itertools import accumulate
from random import Random
from types import SimpleNamespace

import pytest

from calipers.cli import begin_reading
from calipers.core.config import make_config
from calipers.core.errors import InputError
from calipers.files import cut_ahead
from calipers.files.cut_ahead import SourceAhead
from calipers.suites.dense.config import Config
from calipers.suites.dense.plan import DensePlan

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands fork on Linux only")

COMMAND = """
import os, sys
from calipers.cli import begin_reading
from calipers.core import limits
begin_reading.LARGE_BYTES, limits.DUMP_CHUNK_BYTES = 1, 1000
from calipers.engines import local
local.cores = lambda: 2
from calipers.files import cut_ahead
received = cut_ahead._CuttingProcess.receive
def receive(reader, size):
    print("asked", file=sys.stderr)
    return received(reader, size)
cut_ahead._CuttingProcess.receive = receive
{before}
from calipers.cli.start import main
main()
"""
BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
RECORDS = 60


@pytest.fixture
def dump(tmp_path):
    """A dump without keys, so that the numbers of its lines are part of the result."""
    path = tmp_path / "dump.jsonl"
    moved = [{**BOX, "points": [at % 7, 0, 10, 10]} for at in range(RECORDS)]
    path.write_text("".join(json.dumps({"gt_norm1000": [BOX], "pred": [box]}) + "\n" for box in moved))
    return path


def run(tmp_path, *args, before=""):
    script = tmp_path / "command.py"
    script.write_text(COMMAND.format(before=before))
    command = [sys.executable, script, *map(str, args)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path)
    return ended.returncode, ended.stdout, ended.stderr.splitlines().count("asked"), ended.stderr


def test_shards_and_digest_come_from_the_other_process(tmp_path, dump):
    code, alone, asked, _ = run(tmp_path, "dense", dump, "--json", "--jobs", 1)
    assert (code, asked) == (0, 0)
    code, ahead, asked, _ = run(tmp_path, "dense", dump, "--json", "--jobs", 2)
    assert (code, ahead) == (0, alone)
    shards = len(list(SourceAhead(0, str(dump), 1000)))
    assert shards > 5
    assert asked == shards + 1  # the mark of the end, with the digest


@pytest.mark.parametrize("cuts", [0, 1, 4])
def test_a_process_that_ends_early_changes_nothing(tmp_path, dump, cuts):
    """After some cuts, and in the middle of the next one."""
    before = f"""
cuts = [{cuts}]
write = os.write
def broken(handle, message):
    if len(message) >= cut_ahead.CUT.size:
        cuts[0] -= 1
        if cuts[0] < 0:
            write(handle, message[:5])
            os._exit(9)
    return write(handle, message)
cut_ahead.os = type(sys)("os")
cut_ahead.os.__dict__.update(os.__dict__, write=broken)
"""
    _, alone, _, _ = run(tmp_path, "dense", dump, "--json", "--jobs", 1)
    code, ahead, asked, _ = run(tmp_path, "dense", dump, "--json", "--jobs", 2, before=before)
    assert (code, ahead, asked) == (0, alone, cuts + 1)


@pytest.mark.parametrize("lines", [3, 4])
def test_a_dump_that_was_changed_since_the_other_process_ended_is_refused_unless_cut_at_the_same_places(
    tmp_path, monkeypatch, lines
):
    """The sizes of shards depend on that of the dump, so those that follow may begin elsewhere."""
    path = tmp_path / "lines"
    path.write_bytes(b"four\n" * 20)
    ended = BytesIO(cut_ahead.CUT.pack(5 * lines, 1, bytes(32)))
    reader = SimpleNamespace(receive=ended.read, end=ended.close)
    monkeypatch.setattr("calipers.files.cut_ahead._take", lambda *_: reader)
    source = SourceAhead(0, str(path), 40)
    if lines == 3:
        with pytest.raises(InputError, match="lines: was changed while it was read"):
            list(source)
    else:
        shards = list(source)
        assert [shard.offset for shard in shards[:2]] == [0, 20]
        assert sum(shard.size for shard in shards) == 100
        assert source.sha256 == sha256(b"four\n" * 20).hexdigest()


def test_a_digest_that_is_cut_off_is_made_again(tmp_path, dump):
    before = """
write = os.write
def broken(handle, message):
    return write(handle, message[:30] if message[:16] == bytes(16) else message)
cut_ahead.os = type(sys)("os")
cut_ahead.os.__dict__.update(os.__dict__, write=broken)
"""
    _, alone, _, _ = run(tmp_path, "dense", dump, "--json", "--jobs", 1)
    assert run(tmp_path, "dense", dump, "--json", "--jobs", 2, before=before)[:2] == (0, alone)


def test_shards_that_another_run_goes_on_from_come_from_the_other_process_too(tmp_path, dump):
    _, alone, asked, _ = run(tmp_path, "dense", dump, "--json", "--jobs", 1, "--resume", "one")
    assert asked == 0
    code, ahead, asked, _ = run(tmp_path, "dense", dump, "--json", "--jobs", 2, "--resume", "two")
    assert (code, ahead) == (0, alone)
    assert asked == len(list(SourceAhead(0, str(dump), 1000, repeatable=True))) + 1
    assert (tmp_path / "two").read_bytes() == (tmp_path / "one").read_bytes()


@pytest.mark.parametrize("size", [1, 3, 10, 64, 1000])
@pytest.mark.parametrize("seed", range(3))
def test_shards_are_the_same_for_one_process_and_several_and_hold_every_line(tmp_path, monkeypatch, size, seed):
    monkeypatch.setattr("calipers.files.lines.BLOCK", 16)
    rng, path = Random(seed), tmp_path / "lines"
    for lines in (0, 1, 7, 200):
        text = b"".join(b"x" * rng.choice((0, 1, 5, 40, 300)) + b"\n" for _ in range(lines)) + b"x" * rng.randrange(3)
        path.write_bytes(text)
        held, apart = (SourceAhead(0, str(path), size, repeatable=True, holds_lines=holds) for holds in (True, False))
        places = [
            [(each.first_line, each.offset, each.size, each.digest) for each in source] for source in (held, apart)
        ]
        assert places[0] == places[1]
        assert held.sha256 == apart.sha256 == sha256(text).hexdigest()
        assert [offset for _, offset, _, _ in places[0]] == [0, *accumulate(size for _, _, size, _ in places[0])][:-1]
        assert sum(size for _, _, size, _ in places[0]) == len(text)
        assert all(text[offset - 1 : offset] in (b"", b"\n") for _, offset, _, _ in places[0])


@pytest.mark.parametrize("options", ["chunk_bytes = 700", "jobs = 1"])
def test_a_dump_that_is_cut_otherwise_is_read_by_the_command(tmp_path, dump, options):
    (tmp_path / "calipers.toml").write_text(f"[dense]\n{options}\n")
    _, alone, _, _ = run(tmp_path, "dense", dump, "--json", "--jobs", 1, "--config", "calipers.toml")
    code, other, asked, _ = run(tmp_path, "dense", dump, "--json")
    assert (code, other, asked) == (0, alone, 0)


def test_a_process_that_reads_what_a_cluster_elsewhere_reads_is_ended(dump, monkeypatch):
    ended = []
    reader = SimpleNamespace(path=str(dump), end=lambda: ended.append(True))
    monkeypatch.setattr(cut_ahead, "_begun", [reader])
    config = make_config(Config, {"engine": "dask", "chunk_bytes": 1000})
    engine = SimpleNamespace(remote=True, own=False, in_order=lambda work, items: map(work, items))
    shards = DensePlan([str(dump)], config).shards(engine)
    first = next(shards)
    assert (ended, cut_ahead._begun) == ([True], [])
    assert sum(shard.size for shard in [first, *shards]) == dump.stat().st_size


def test_a_bad_record_is_named_by_its_line(tmp_path, dump):
    lines = dump.read_text().splitlines()
    lines[50] = "{"
    dump.write_text("\n".join(lines))
    code, _, _, told = run(tmp_path, "dense", dump, "--jobs", 2)
    assert code == 3
    assert f"{dump}:51: " in told


def test_a_compressed_dump_under_a_plain_name_is_left_to_the_command(tmp_path, dump):
    import gzip

    path = tmp_path / "packed.jsonl"
    path.write_bytes(gzip.compress(dump.read_bytes()))
    code, packed, _, _ = run(tmp_path, "dense", path, "--json", "--jobs", 2)
    assert code == 0
    assert json.loads(packed)["records"]["read"] == RECORDS


def test_only_large_dumps_are_read_ahead(tmp_path, monkeypatch):
    begun = []
    monkeypatch.setattr("calipers.files.cut_ahead.begin", lambda path, chunk_bytes: begun.append(path))
    monkeypatch.setattr("calipers.engines.local.cores", lambda: 2)
    small, large = tmp_path / "small.jsonl", tmp_path / "large.jsonl"
    small.write_bytes(b"\n")
    with large.open("wb") as file:
        file.truncate(begin_reading.LARGE_BYTES)
    for arguments in (
        [str(small)],
        ["missing.jsonl"],
        [str(large), "--jobs=1"],
        [str(large), "--address", "tcp://a:1"],
    ):
        begin_reading.begin_reading(arguments[0], ["dense", *arguments])
    for other in ("check", "convert", str(large)):
        begin_reading.begin_reading(str(large), [other, str(large)])
    assert begun == []
    begin_reading.begin_reading(str(large), ["dense", str(large), "--jobs", "16"])
    assert begun == [str(large)]
    monkeypatch.setattr("calipers.engines.local.cores", lambda: 1)
    begin_reading.begin_reading(str(large), ["dense", str(large)])
    assert begun == [str(large)]
