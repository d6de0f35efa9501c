"""Parts of a data set, each measured by itself, added up to the result of all of it."""

import json
import random
import shutil
from contextlib import chdir
from pathlib import Path

import pytest

import calipers
from calipers.core.parts import Packed
from calipers.files.part_files import read_tally, write_tally

from ..contracts.dumps import make_lines
from ..profiles import seeds

MAPPING = '{"object_types": {"cable": {"chinese_label": "线缆", "attributes": []}}}'


NAMES = ["a.jsonl", "b.jsonl", "c.jsonl"]


@pytest.fixture(scope="module")
def tallied(tmp_path_factory):
    """A folder with three files and their tallies, made once."""
    lines = make_lines(3, 120)
    with chdir(tmp_path_factory.mktemp("tallied")):
        for at, name in enumerate(NAMES):
            Path(name).write_bytes(b"\n".join(lines[40 * at : 40 * at + 40]) + b"\n")
            calipers.dense(name, tally=f"{name[0]}.cal")
        return Path.cwd()


@pytest.fixture
def parts(tallied, tmp_path):
    """Three files and their tallies."""
    shutil.copytree(tallied, tmp_path, dirs_exist_ok=True)
    return NAMES


def test_the_result_is_that_of_one_run_in_any_order(run, parts):
    whole = run("dense", *parts, "--json").out
    for order in (["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]):
        assert run("merge", *(f"{name}.cal" for name in order), "--json").out == whole
    assert calipers.merge(["b.cal", "a.cal", "c.cal"]).to_json() == whole


def test_parts_of_several_inputs_and_patterns_are_taken(run, parts):
    run("dense", "b.jsonl", "c.jsonl", "--tally", "bc.part")
    whole = run("dense", *parts, "--json").out
    assert run("merge", "bc.part", "a.cal", "--json").out == whole
    assert run("merge", "?.cal", "--json").out == whole


def test_one_part_is_a_whole(run, parts):
    assert run("merge", "a.cal", "--json").out == run("dense", "a.jsonl", "--json").out


@pytest.mark.parametrize("sliced", [[], ["--slice", "width", "--slice", "size"]])
def test_a_tally_is_written_the_same_however_it_was_counted(run, parts, sliced):
    run("dense", "a.jsonl", "--tally", "whole.cal", *sliced)
    whole = Path("whole.cal").read_bytes()
    assert (whole == Path("a.cal").read_bytes()) == (not sliced)
    for args in (["--jobs", 1], ["--jobs", 2, "--chunk-bytes", 700], ["--resume", "shards", "--chunk-bytes", 900]):
        run("dense", "a.jsonl", "--tally", "again.cal", *args, *sliced)
        assert Path("again.cal").read_bytes() == whole


def test_the_summary_is_printed_and_files_are_written(run, parts, listing):
    ended = run("merge", "a.cal", "b.cal", "-o", "result.json")
    assert ended.out.decode().rstrip().endswith("written              result.json")
    assert Path("result.json").read_bytes() == run("merge", "a.cal", "b.cal", "--json").out
    run("merge", "a.cal", "b.cal", "-o", "folder")
    names = listing("folder")
    assert {"result.json", "report.html", "labels.csv", "thresholds.csv"} <= set(names)
    assert names["result.json"] == Path("result.json").read_bytes()


DATA = Path(calipers.__file__).parent / "data"
SAMPLES = {
    "timeline": ["--gt", "annotations.json", "--pred", "predictions.json"],
    "scene": ["--gt", "gt", "--pred", "pipeline"],
    "coco": ["--gt", "instances.json", "--pred", "results.json"],
}


@pytest.mark.parametrize("suite", SAMPLES)
def test_a_part_of_any_suite_is_written_as_a_folder(run, listing, suite):
    args = [DATA / suite / each if not each.startswith("--") else each for each in SAMPLES[suite]]
    assert run(suite, *args, "--tally", "one.cal", "-o", "whole").code == 0
    assert run("merge", "one.cal", "-o", "folder").code == 0
    whole, folder = listing("whole"), listing("folder")
    assert folder["result.json"] == whole["result.json"]
    if suite == "timeline":
        assert {"result.json", "report.html", "videos.csv", "confusion.png"} <= set(folder)
    elif suite == "coco":  # of which no shapes are kept
        objects = {"matches.csv", "cases.jsonl"}
        assert folder | {"report.html": b""} == {
            name: content for name, content in whole.items() if name not in objects
        } | {"report.html": b""}
    else:
        assert folder == whole


def test_options_may_stand_in_the_file(run, parts):
    Path("calipers.toml").write_text("[merge]\njson = true\n")
    json.loads(run("merge", "a.cal").out)
    Path("calipers.toml").write_text("[merge]\njsn = true\n")
    run("merge", "a.cal").refused(2, "did you mean 'json'")


def test_objects_of_another_result_are_not_left_beside_a_merged_one(run, parts):
    run("dense", "a.jsonl", "-o", "folder")
    run("merge", "b.cal", "c.cal", "-o", "folder").refused(
        2, "folder: holds matches.csv, cases.jsonl of another result"
    )


def test_an_input_counts_once(run, parts):
    run("merge", "a.cal", "a.cal").refused(3, "a.cal and a.cal: both hold a.jsonl, expected each input in one part")
    run("dense", "./a.jsonl", "--tally", "other.cal")
    run("merge", "a.cal", "other.cal").refused(3, "both hold ")
    Path("copy.jsonl").write_bytes(Path("a.jsonl").read_bytes())
    run("dense", "copy.jsonl", "--tally", "copy.cal")
    run("merge", "a.cal", "b.cal", "copy.cal").refused(3, "a.cal and copy.cal: both hold copy.jsonl")
    run("dense", "a.jsonl", "b.jsonl", "--tally", "ab.cal")
    run("merge", "ab.cal", "c.cal", "a.cal").refused(3, "both hold a.jsonl")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--tube-tolerance", 9], "made with tube_tolerance = 9.0, expected 8.0"),
        (["--bootstrap", 10], "made with bootstrap = 10, expected 1000"),
    ],
)
def test_parts_that_were_not_made_alike_are_refused(run, parts, args, said):
    run("dense", "b.jsonl", "--tally", "other.cal", *args)
    run("merge", "a.cal", "other.cal").refused(2, f"other.cal: {said}")


def test_parts_with_and_without_a_folder_or_rejected_records_are_alike(run, parts):
    run("dense", "a.jsonl", "--tally", "a.cal", "-o", "folder")
    run("dense", "b.jsonl", "--tally", "b.cal", "--max-bad-records", 3)
    found = run("merge", "b.cal", "a.cal", "--json")
    assert found.out == run("dense", "a.jsonl", "b.jsonl", "--max-bad-records", 3, "--json").out


def test_a_mapping_that_changed_is_refused(run, parts):
    Path("mapping.json").write_text(MAPPING)
    ended = run("dense", "a.jsonl", "--mapping", "mapping.json", "--tally", "m.cal")
    assert ended.code == 0, ended.err
    assert run("merge", "m.cal").code == 0
    Path("mapping.json").write_text(MAPPING.replace("线缆", "光纤"))
    run("merge", "m.cal").refused(2, "m.cal: made with mapping_sha256 = ")
    Path("mapping.json").unlink()
    run("merge", "m.cal").refused(2, "mapping.json")


def test_all_rejected_records_are_told_of_and_too_many_are_too_many(run):
    for name in ("a", "b"):
        lines = [*make_lines(4, 3), b"oops"]
        Path(f"{name}.jsonl").write_bytes(b"\n".join(line.replace(b"folder", name.encode()) for line in lines))
        run("dense", f"{name}.jsonl", "--max-bad-records", 2, "--tally", f"{name}.cal")
    ended = run("merge", "b.cal", "a.cal", "--json")
    assert [entry["path"] for entry in ended.artifact()["rejected"]] == ["a.jsonl", "b.jsonl"]
    assert ended.err.splitlines()[0].startswith("rejected: a.jsonl:4: not JSON")
    for name in ("a", "b"):
        run("dense", f"{name}.jsonl", "--max-bad-records", 1, "--tally", f"{name}.cal")
    run("merge", "b.cal", "a.cal").refused(3, "b.jsonl:4: not JSON")


@pytest.mark.parametrize("seed", seeds(40))
def test_a_damaged_part_is_refused(run, parts, seed):
    rng = random.Random(seed)
    content = bytearray(Path("a.cal").read_bytes())
    if seed % 2:
        content = content[: rng.randrange(len(content))]
    else:
        for _ in range(3):
            at = rng.randrange(len(content))
            content[at] ^= 1 << rng.randrange(8)
    Path("a.cal").write_bytes(content)
    run("merge", "b.cal", "a.cal").refused(3, "a.cal")


def test_every_damage_of_a_head_is_bad_input_that_names_the_file(run, parts):
    content = Path("a.cal").read_bytes()
    head = content.index(b"\n", content.index(b"\n") + 1)
    for at in range(17, head, 97):
        Path("odd.cal").write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        run("merge", "odd.cal").refused(3, "odd.cal: its head is damaged, expected a file written by --tally")
    Path("odd.cal").write_bytes(content.replace(b'"bootstrap"', b'"bootstrop"', 1))
    run("merge", "b.cal", "odd.cal").refused(3, "odd.cal: its head is damaged")


def test_an_option_that_no_run_has_is_bad_input(run, parts):
    made, packed = read_tally("a.cal")
    write_tally("odd.cal", made._replace(options=made.options | {"bootstrop": 5}), packed)
    run("merge", "odd.cal").refused(3, "odd.cal: holds options that no run can have: 'bootstrop' is not an option")
    write_tally("odd.cal", made._replace(options=made.options | {"bootstrap": -5}), packed)
    run("merge", "odd.cal").refused(3, "odd.cal: holds options that no run can have: bootstrap: found -5")
    write_tally("odd.cal", made._replace(params=made.params | {"bootstrap": 5}), packed)
    run("merge", "b.cal", "odd.cal").refused(3, "odd.cal: is damaged: bootstrap is not that of its options")


def test_a_part_is_no_result_yet(run, parts):
    for args in (["report", "a.cal"], ["compare", "a.cal", "b.cal"], ["gate", "a.cal", "--floor", "recall=0.5"]):
        run(*args).refused(3, "a.cal: is a part of a result, expected an artifact: calipers merge makes one of parts")
    assert "is a part of a result" in run("check", "a.cal").out.decode()


def test_what_is_no_part_is_refused(run, parts):
    run("merge", "a.jsonl").refused(3, "a.jsonl: found something else, expected a file written by --tally")
    run("merge", "nothing.cal").refused(3, "nothing.cal: cannot be read")
    run("merge", "x*.cal").refused(3, "x*.cal: nothing fits this pattern")
    run("merge").refused(2, "Missing argument 'PART...'")
    run("dense", "a.jsonl", "--resume", "shards")
    run("merge", "shards").refused(3, "shards: found something else, expected a file written by --tally")
    with pytest.raises(calipers.ConfigError, match="several paths"):
        calipers.merge("a.cal")


def test_a_file_that_was_given_twice_is_there_twice(run, parts):
    expected = run("dense", "a.jsonl", "a.jsonl", "--json", "--tally", "twice.cal").out
    assert run("merge", "twice.cal", "--json").out == expected
    run("merge", "twice.cal", "a.cal").refused(3, "both hold a.jsonl")


@pytest.mark.parametrize("inputs", [None, 5, [None], [{}], [{"path": ["x"], "sha256": None, "records": 1}]])
def test_inputs_that_are_none_are_refused(run, parts, inputs):
    made, packed = read_tally("a.cal")
    write_tally("odd.cal", made, Packed(packed.plain | {"inputs": inputs}, packed.arrays))
    run("merge", "odd.cal").refused(3, "odd.cal: holds a part that cannot be read")
    run("merge", "b.cal", "odd.cal").refused(3, "odd.cal: holds a part that cannot be read")


def test_counts_that_do_not_fit_are_refused(run, parts):
    made, packed = read_tally("a.cal")
    for name, array in packed.arrays.items():
        write_tally("odd.cal", made, Packed(packed.plain, packed.arrays | {name: array[:0]}))
        run("merge", "odd.cal").refused(3, "odd.cal: holds ", "part")


def test_options_of_nothing_are_refused(run, parts):
    made, packed = read_tally("a.cal")
    write_tally("odd.cal", made._replace(options={}), packed)
    run("merge", "odd.cal").refused(3, "odd.cal: holds a part that cannot be read")
