"""The same input and parameters give the same bytes, however the work is cut up and wherever it runs.

A made-up dump with everything a dump may hold is held to it and, in a full run, the one that is bundled, both with
long fields so that they are cut into several shards. Where records come in another order or in other files, `inputs`
and `rejected`, which tell just that, are left out of the comparison.
"""

import gzip
import io
import json
import os
import random
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard

import calipers
from calipers.cli.suite_command import run_suite
from calipers.files import lines as lines_reader
from calipers.files.output import to_json
from calipers.suite import suite_of

from ..profiles import seeds, share
from . import dumps

BUNDLED = Path(calipers.__file__).parent / "data" / "dense.jsonl"
SOURCE = Path(calipers.__file__).parents[1]
SOME = 60_000  # bytes of a shard, of some 30: of a record each, all is done that often, which is for a test or two
A_LINE = 100  # fewer bytes than any line has: a shard for each; with 1, a file is read byte by byte
CUTS = [(1, A_LINE), (1, 300_000), (2, 500_000), (2, 1 << 30), (4, SOME), (4, 700_000)]
CUTS += [(1, 1), (1, 1 << 30), (2, 1), (4, A_LINE), (4, 1 << 20)] if share() == 1 else []


def lines_of(name: str) -> list[bytes]:
    lines = dumps.make_lines(7) if name == "made up" else BUNDLED.read_bytes().splitlines()
    return dumps.padded(lines, 1)


@pytest.fixture(scope="module", params=["made up", "bundled"] if share() == 1 else ["made up"])
def dump(request, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("dump") / "gt_vs_pred.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines_of(request.param)))
    return path


@pytest.fixture(scope="module")
def lines(dump) -> list[bytes]:
    return dump.read_bytes().splitlines()


@pytest.fixture(scope="module")
def expected(dump) -> bytes:
    """The artifact of one process that reads everything at once."""
    return calipers.dense(dump, jobs=1).to_json()


@pytest.fixture(scope="module")
def expected_numbers(expected) -> bytes:
    return to_json(without_names(json.loads(expected)))


def without_names(tree) -> dict:
    """An artifact without the names of its inputs."""
    return {name: value for name, value in dict(tree).items() if name not in ("inputs", "rejected")}


def numbers(report) -> bytes:
    return to_json(without_names(report.tree))


def test_the_made_up_dump_holds_everything_that_can_be_counted():
    tree = calipers.dense([json.loads(line) for line in dumps.make_lines(7)], jobs=1).tree
    assert all(tree["objects"].values())
    assert tree["records"]["skipped_empty"] > 0
    assert all(tree["errors"].values())
    assert all(tree["modes"]["category"]["by_type"][kind]["primary"]["f1"] for kind in ("bbox_2d", "poly", "line"))
    assert set(tree["attributes"]["text"]) == {"文本", "备注"}
    assert tree["attributes"]["distance"]["n"] > 0
    assert tree["coverage"]["matched"]["n"] > 0


# Cut into shards, spread over processes


@pytest.mark.parametrize(("jobs", "chunk_bytes"), CUTS)
def test_the_artifact_depends_neither_on_jobs_nor_on_the_size_of_shards(dump, expected, jobs, chunk_bytes):
    assert calipers.dense(dump, jobs=jobs, chunk_bytes=chunk_bytes).to_json() == expected


@pytest.mark.parametrize("block", [1000, 4099, 100_003])
def test_the_artifact_does_not_depend_on_how_much_of_a_file_is_read_at_a_time(dump, expected, monkeypatch, block):
    monkeypatch.setattr(lines_reader, "BLOCK", block)
    for jobs, chunk_bytes in ((1, SOME), (2, 50_000)):
        assert calipers.dense(dump, jobs=jobs, chunk_bytes=chunk_bytes).to_json() == expected


def test_the_dumps_are_cut_into_a_shard_for_each_line(dump, lines):
    assert len(list(lines_reader.LineSource(0, str(dump), A_LINE))) == len(lines)


def test_shards_of_a_byte_are_of_a_line_and_give_the_same_bytes(tmp_path):
    """Of few records without long fields: the file is read byte by byte."""
    path, lines = tmp_path / "few.jsonl", dumps.make_lines(7)[:40]
    path.write_bytes(b"\n".join(lines))
    assert len(list(lines_reader.LineSource(0, str(path), 1))) == len(lines)
    assert calipers.dense(path, jobs=1, chunk_bytes=1).to_json() == calipers.dense(path, jobs=1).to_json()


def test_a_second_run_in_the_same_process_gives_the_same_bytes(dump, expected):
    calipers.dense([{"id": "x", "gt_norm1000": [], "pred": [{"type": "line", "points": [0, 0, 9, 9]}]}])
    assert calipers.dense(dump).to_json() == expected


def test_records_without_a_key_are_named_by_file_and_line_however_the_file_is_cut(tmp_path, lines):
    records = [json.loads(line) for line in lines]
    path = tmp_path / "no keys.jsonl"
    keyless = [{name: value for name, value in record.items() if name not in dumps.KEYS} for record in records]
    path.write_text("\n\n".join(map(json.dumps, keyless)), encoding="utf-8-sig")
    expected = calipers.dense(path, jobs=1).to_json()
    for jobs, chunk_bytes in ((1, A_LINE), (2, 400_000), (4, SOME)):
        assert calipers.dense(path, jobs=jobs, chunk_bytes=chunk_bytes).to_json() == expected


@pytest.fixture(scope="module")
def files_of_dumps() -> dict[Path, dict[str, bytes]]:
    """The files of each dump, written once."""
    return {}


@pytest.fixture
def expected_files(dump, tmp_path_factory, blank_plots, files_of_dumps) -> dict[str, bytes]:
    if dump not in files_of_dumps:
        files_of_dumps[dump] = written(dump, tmp_path_factory.mktemp("expected"), jobs=1)
    return files_of_dumps[dump]


def written(dump: Path, folder: Path, **options) -> dict[str, bytes]:
    run_suite(suite_of("dense"), {"dumps": [str(dump)]} | {"output": str(folder / "out"), **options})
    return {path.name: path.read_bytes() for path in (folder / "out").iterdir()}


@pytest.mark.usefixtures("blank_plots")
@pytest.mark.parametrize(("jobs", "chunk_bytes"), [(1, A_LINE), (2, 300_000), (4, SOME)])
def test_matches_and_cases_depend_neither_on_jobs_nor_on_the_size_of_shards(
    dump, expected_files, tmp_path, jobs, chunk_bytes
):
    files = written(dump, tmp_path, jobs=jobs, chunk_bytes=chunk_bytes)
    assert {"result.json", "matches.csv", "cases.jsonl", "report.html", "labels.csv"} <= set(files)
    assert files == expected_files


def test_asking_for_matches_and_cases_changes_no_number(expected, expected_files):
    assert expected_files["result.json"] == expected


# Other files, other order, other ways to store them


@pytest.mark.parametrize("files", [2, 5, 40])
def test_order_of_records_and_split_into_files_change_no_number(lines, expected_numbers, tmp_path, files):
    rng = random.Random(files)
    shuffled = rng.sample(lines, len(lines))
    paths = []
    for number in range(files):
        paths.append(tmp_path / f"part {rng.random()}.jsonl")
        paths[-1].write_bytes(b"\n".join(shuffled[number::files]))
    assert numbers(calipers.dense(paths, jobs=2, chunk_bytes=SOME)) == expected_numbers


def gzip_of_members(data: bytes) -> bytes:
    return gzip.compress(data[:10_001]) + gzip.compress(b"") + gzip.compress(data[10_001:])


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def zstd_of_frames(data: bytes) -> bytes:
    return zstd(data[:10_001]) + zstd(data[10_001:])


STORED = {
    "gzip": ("a.jsonl.gz", gzip.compress),
    "gzip of several members": ("a.jsonl.gz", gzip_of_members),
    "zstandard": ("a.jsonl.zst", zstd),
    "zstandard of several frames": ("a.jsonl.zst", zstd_of_frames),
    "Windows line ends": ("a.jsonl", lambda data: data.replace(b"\n", b"\r\n")),
    "no line end at the end": ("a.jsonl", lambda data: data.rstrip(b"\n")),
    "byte order mark": ("a.jsonl", lambda data: b"\xef\xbb\xbf" + data),
    "blank lines": ("a.jsonl", lambda data: b"\n \n" + data.replace(b"\n", b"\n\t\n\n")),
}


@pytest.mark.parametrize("way", STORED)
def test_how_a_dump_is_stored_changes_no_number_and_the_digest_is_of_the_stored_bytes(
    dump, expected_numbers, tmp_path, way
):
    name, stored = STORED[way]
    data = stored(dump.read_bytes())
    (tmp_path / name).write_bytes(data)
    for jobs, chunk_bytes in ((1, SOME), (2, 2 * SOME)):
        report = calipers.dense(tmp_path / name, jobs=jobs, chunk_bytes=chunk_bytes)
        assert numbers(report) == expected_numbers
        assert report["inputs"][0]["sha256"] == sha256(data).hexdigest()


@pytest.mark.parametrize(("jobs", "chunk_bytes"), [(1, 1 << 20), (2, SOME)])
def test_standard_input_gives_the_same_numbers_as_a_file(dump, expected_numbers, monkeypatch, jobs, chunk_bytes):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(dump.read_bytes())))
    report = calipers.dense("-", jobs=jobs, chunk_bytes=chunk_bytes)
    assert numbers(report) == expected_numbers
    assert report["inputs"] == [{"path": "-", "sha256": sha256(dump.read_bytes()).hexdigest(), "records": 200}]


def test_a_list_of_records_gives_the_same_numbers_as_a_file(lines, expected_numbers):
    assert numbers(calipers.dense([json.loads(line) for line in lines])) == expected_numbers


# Records as they come


@pytest.mark.parametrize("seed", seeds(6))
def test_meters_in_any_grouping_and_any_order_of_merging_equal_one_evaluation(lines, expected_numbers, seed):
    rng = random.Random(seed)
    records = [json.loads(line) for line in rng.sample(lines, len(lines))]
    meters = []
    while records:
        meter = calipers.DenseMeter()
        for _ in range(rng.randint(1, 4)):
            size = rng.choice((0, 1, 7, 30, 200))
            meter.update(records[:size])
            del records[:size]
        meters.append(meter)
    while len(meters) > 1:
        other = meters.pop(rng.randrange(len(meters)))
        meters[rng.randrange(len(meters))].merge(other)
    assert numbers(meters[0].compute()) == expected_numbers


# Bad records


@pytest.fixture
def spoiled(dump, tmp_path) -> Path:
    """A dump in which lines 20, 21, 90 and 150 are bad."""
    lines = dump.read_bytes().splitlines()
    box = b'{"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": "a"}'
    lines[19], lines[20] = b"{", b'{"pred": []}'
    assert len(b"\n".join(lines[21:149])) > 2 * lines_reader.BLOCK
    lines[89] = b'{"gt_norm1000": [%s, {"type": "poly"}], "pred": [%s]}' % (box, box)
    lines[149] = b'{"gt_norm1000": [], "pred": {}}'
    path = tmp_path / "spoiled.jsonl"
    path.write_bytes(b"\n".join(lines))
    return path


def test_the_error_names_the_same_record_however_the_work_is_cut_up(spoiled):
    in_workers = [(2, 300_000), (4, SOME), (4, A_LINE), (2, 1 << 30)]
    for most, line, cut in zip(range(4), (20, 21, 90, 150), in_workers, strict=True):
        messages = set()
        for jobs, chunk_bytes in ((1, 1 << 30), (1, SOME), *(in_workers if share() == 1 else [cut])):
            with pytest.raises(calipers.InputError, match=f"spoiled.jsonl:{line}: ") as error:
                calipers.dense(spoiled, jobs=jobs, chunk_bytes=chunk_bytes, max_bad_records=most, bootstrap=0)
            messages.add(str(error.value))
        assert len(messages) == 1


def test_rejected_records_are_listed_in_the_order_of_lines_however_the_work_is_cut_up(spoiled):
    reports = [
        calipers.dense(spoiled, jobs=jobs, chunk_bytes=chunk_bytes, max_bad_records=4)
        for jobs, chunk_bytes in ((1, 1 << 30), (1, A_LINE), (2, 300_000), (4, SOME))
    ]
    assert [entry["line"] for entry in reports[0]["rejected"]] == [20, 21, 90, 150]
    assert len({report.to_json() for report in reports}) == 1
    assert reports[0]["records"]["rejected"] == 4


# Other processes


def artifact_of_a_process(dump: Path, *flags: str, stdin: bytes = b"", **environment: str) -> bytes:
    env = {**os.environ, "PYTHONPATH": str(SOURCE), **environment}
    command = [sys.executable, "-m", "calipers", "dense", str(dump), "--json", *flags]
    done = subprocess.run(command, input=stdin, capture_output=True, env=env, check=False, cwd=SOURCE.parent)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "Asia/Kolkata", "PYTHONHASHSEED": "0"},
        {"LC_ALL": "C.UTF-8", "TZ": "America/St_Johns", "PYTHONIOENCODING": "latin-1", "PYTHONHASHSEED": "1"},
        {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR.UTF-8", "LANGUAGE": "zh_CN", "TZ": "UTC-14", "PYTHONHASHSEED": "2"},
    ],
    ids=["C", "C.UTF-8", "de_DE"],
)
def test_the_artifact_depends_neither_on_the_hash_seed_nor_on_the_locale_nor_on_the_time_zone(
    dump, expected, environment
):
    assert artifact_of_a_process(dump, "--jobs", "2", "--chunk-bytes", str(SOME), **environment) == expected


def test_a_pipe_gives_the_same_numbers_as_a_file(dump, expected_numbers):
    found = artifact_of_a_process(Path("-"), "--jobs", "2", "--chunk-bytes", "90000", stdin=dump.read_bytes())
    assert to_json(without_names(json.loads(found))) == expected_numbers
