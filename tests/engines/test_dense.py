"""Dumps on clusters: the bytes of one process, whatever the input and wherever it is measured."""

import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import calipers
from calipers.core.errors import InputError

from ..profiles import share

SMALL = {"bootstrap": 20}
DESCRIPTIONS = ["类别=标签", "类别=箱子/大", "类别=站点距离,站点距离=98"]


def some_object(rng):
    x, y = rng.randint(0, 700), rng.randint(0, 700)
    box = [x, y, x + rng.randint(10, 300), y + rng.randint(10, 300)]
    return {"type": "bbox_2d", "points": box, "desc": rng.choice(DESCRIPTIONS)}


def make_lines(count, *, named=True, seed=1):
    rng = random.Random(seed)
    for number in range(count):
        truth = [some_object(rng) for _ in range(rng.randint(1, 4))]
        record = {"gt_norm1000": truth, "pred": [*truth[: rng.randint(0, 4)], some_object(rng)]}
        yield json.dumps((({"image_path": f"{number}.jpg"} if named else {}) | record), ensure_ascii=False)


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def both(source, place, **options):
    """The artifact of one process, and that of the cluster."""
    here = calipers.dense(source, jobs=1, **SMALL, **options)
    return here.to_json(), calipers.dense(source, **place, **SMALL, **options).to_json()


@pytest.mark.parametrize("chunk_bytes", [500, 7_000, 8 << 20])
def test_a_plain_file_in_ranges_of_any_size(place, tmp_path, chunk_bytes):
    path = write(tmp_path / "a.jsonl", make_lines(60))
    here, there = both(path, place, chunk_bytes=chunk_bytes)
    assert here == there


def test_slices_by_fields_sizes_and_attributes(place, tmp_path):
    lines = [json.dumps(json.loads(line) | {"light": "ab"[k % 2], "speed": k}) for k, line in enumerate(make_lines(40))]
    path = write(tmp_path / "a.jsonl", lines)
    rows = [f"{k}.jpg,{'wet' if k % 3 else 'dry'}" for k in range(30)]
    attributes = write(tmp_path / "a.csv", ["key,road", *rows])
    asked = {"slice": ["light", "speed", "road", "light×size"], "attributes": attributes}
    here, there = both(path, place, chunk_bytes=3000, **asked)
    assert here == there
    assert len(json.loads(there)["slices"]) == 2 + 4 + 3 + 6


def test_compressed_and_plain_files_together(place, tmp_path):
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress("\n".join(make_lines(30, seed=2)).encode()))
    paths = [
        write(tmp_path / "c.jsonl", make_lines(30)),
        str(packed),
        write(tmp_path / "a.jsonl", make_lines(9, seed=3)),
    ]
    here, there = both(paths, place, chunk_bytes=4000)
    assert here == there


def test_a_relative_path_means_what_it_means_here(place, tmp_path, monkeypatch):
    write(tmp_path / "a.jsonl", make_lines(20))
    monkeypatch.chdir(tmp_path)
    here, there = both("a.jsonl", place, chunk_bytes=3000)
    assert here == there


def test_records_without_a_name_are_known_by_their_lines(place, tmp_path):
    path = write(tmp_path / "a.jsonl", ["", *make_lines(40, named=False), "", *make_lines(5, named=False, seed=4)])
    here, there = both(path, place, chunk_bytes=1500)
    assert here == there
    keys = [row["key"] for row in calipers.dense(path, **place, **SMALL, chunk_bytes=1500).matches()]
    assert keys == [row["key"] for row in calipers.dense(path, jobs=1, **SMALL).matches()]
    assert any("45" in key for key in keys)


def test_bad_records_are_rejected_in_order(place, tmp_path):
    lines = list(make_lines(50))
    lines[3], lines[30], lines[49] = "7", '{"pred": []}', "{"
    path = write(tmp_path / "a.jsonl", lines)
    here, there = both(path, place, chunk_bytes=2000, max_bad_records=3)
    assert here == there
    assert [entry["line"] for entry in json.loads(there)["rejected"]] == [4, 31, 50]


@pytest.mark.parametrize("most", [0, 1])
def test_too_many_bad_records_end_the_run_with_the_same_words(place, tmp_path, most):
    lines = list(make_lines(50))
    lines[20], lines[45] = "7", "[]"
    path = write(tmp_path / "a.jsonl", lines)
    messages = []
    for where in ({"jobs": 1}, place):
        with pytest.raises(InputError) as raised:
            calipers.dense(path, **where, **SMALL, chunk_bytes=2000, max_bad_records=most)
        messages.append((type(raised.value), str(raised.value)))
    assert messages[0] == messages[1]
    assert f"a.jsonl:{(21, 46)[most]}: " in messages[0][1]


def test_a_file_that_is_not_there_is_the_same_error(place, tmp_path):
    for name in ("none.jsonl", "none.jsonl.gz"):
        with pytest.raises(InputError, match=rf"{name}: cannot be read: No such file or directory"):
            calipers.dense(str(tmp_path / name), **place)


def command(*arguments, folder):
    """The command in a process, which draws plots in a full run only: they come from the artifact."""
    hidden = folder / "hidden"
    hidden.mkdir(exist_ok=True)
    if share() < 1:
        (hidden / "matplotlib.py").write_text("raise ImportError")
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(hidden), str(Path(calipers.__file__).parents[1])])}
    program = [sys.executable, "-m", "calipers", "dense", *arguments]
    return subprocess.run(program, cwd=folder, env=env, capture_output=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def written_here():
    """What the command says and writes on this machine, asked for once."""
    return {}


def test_the_command_writes_the_same_files(place, tmp_path, written_here):
    lines = list(make_lines(40))
    lines[7] = "7"
    write(tmp_path / "a.jsonl", lines)
    usual = ["a.jsonl", "--bootstrap", "20", "--chunk-bytes", "3000", "--max-bad-records", "1"]
    where = ["--engine", place["engine"], "--address", place["address"], "-o", "there"]
    if not written_here:
        run = command(*usual, "--jobs", "1", "-o", "here", folder=tmp_path)
        written_here |= {"run": run, "files": files_of(tmp_path / "here")}
    here = written_here["run"]
    there = command(*usual, *where, folder=tmp_path)
    assert (here.returncode, there.returncode) == (0, 0), there.stderr.decode()
    assert there.stdout.replace(b"there", b"here") == here.stdout
    assert there.stderr == here.stderr
    assert written_here["files"] == files_of(tmp_path / "there")


def files_of(folder):
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "result.json" in found
    return found
