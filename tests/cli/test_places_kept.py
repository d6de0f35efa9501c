"""Places that a run would write over: its inputs, files that options name, and what it keeps for another option."""

import json
from pathlib import Path

import pytest

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "a"}
RECORD = json.dumps({"id": "r", "gt_norm1000": [BOX], "pred": [BOX]})


@pytest.fixture(autouse=True)
def files():
    Path("dump.jsonl").write_text(RECORD)
    Path("mapping.json").write_text('{"object_types": {}}')
    Path("keys.json").write_text("r\n")
    Path("fields.json").write_text('{"key": "r", "site": 1}')
    Path("out").mkdir()


@pytest.mark.parametrize("name", ["result.json", "matches.csv", "cases.jsonl", "types.csv", "thresholds.png"])
def test_a_folder_does_not_replace_an_input_that_lies_in_it(name, run):
    Path("out", name).write_text(RECORD)
    run("dense", f"out/{name}", "-o", "./out").refused(2, f"out/{name}: is an input", "expected another place")
    assert (Path("out", name).read_text(), list(Path("out").iterdir())) == (RECORD, [Path("out", name)])


def test_a_folder_does_not_replace_what_an_input_is_a_link_to(run):
    Path("out/matches.csv").write_text(RECORD)
    Path("link.jsonl").symlink_to("out/matches.csv")
    run("dense", "link.jsonl", "-o", "out").refused(2, "link.jsonl: is an input")


def test_an_input_of_another_name_may_lie_in_the_folder(run):
    Path("out/dump.jsonl").write_text(RECORD)
    assert run("dense", "out/dump.jsonl", "--bootstrap", 0, "-o", "out").code == 0
    assert Path("out/dump.jsonl").read_text() == RECORD


@pytest.mark.parametrize(
    ("flag", "file"), [("--mapping", "mapping.json"), ("--only", "keys.json"), ("--attributes", "fields.json")]
)
@pytest.mark.parametrize("written", ["-o", "--tally"])
def test_a_file_that_an_option_names_is_an_input(flag, file, written, run):
    before = Path(file).read_text()
    sliced = ["--slice", "site"] if flag == "--attributes" else []
    run("dense", "dump.jsonl", flag, file, *sliced, written, file).refused(2, f"{file}: is an input")
    assert Path(file).read_text() == before


@pytest.mark.parametrize("option", ["tally", "resume"])
@pytest.mark.parametrize(("file", "output"), [("kept.json", "out/../kept.json"), ("out/report.html", "out")])
def test_the_result_does_not_replace_what_the_run_keeps(option, file, output, run):
    found = f"{option}: found '{file}', where the result is written, expected a file of its own"
    run("dense", "dump.jsonl", f"--{option}", file, "-o", output).refused(2, found)


def test_a_merged_folder_does_not_replace_its_parts(run):
    assert run("dense", "dump.jsonl", "--bootstrap", 0, "--tally", "out/result.json").code == 0
    part = Path("out/result.json").read_bytes()
    run("merge", "out/result.json", "-o", "out").refused(2, "out/result.json: is an input")
    assert Path("out/result.json").read_bytes() == part


def test_saved_aliases_are_not_the_result(run):
    Path("gt.json").write_text('[{"label": "a", "center": [0, 0, 0], "size": [1, 1, 1]}]')
    places = ["--gt", "gt.json", "--pred", "gt.json", "--embed", "--write-aliases", "a.json", "-o", "a.json"]
    run("scene", *places).refused(2, "write_aliases: found 'a.json', where the result is written")


@pytest.mark.parametrize(
    ("again", "left"),
    [(("-o", "new", "--tables", "parquet"), "matches.csv"), (("-o", "new/result.json"), "matches.csv, cases.jsonl")],
)
def test_objects_of_an_earlier_result_do_not_stay_beside_a_new_artifact(again, left, run, listing):
    pytest.importorskip("pyarrow")
    assert run("dense", "dump.jsonl", "--bootstrap", 0, "-o", "new").code == 0
    before = listing("new")
    message = f"new: holds {left} of another result, expected another folder"
    run("dense", "dump.jsonl", *again).refused(2, message)
    assert listing("new") == before
    assert run("dense", "dump.jsonl", "--bootstrap", 0, "-o", "new/other.json").code == 0


def test_a_table_that_only_an_earlier_run_had_is_told(run):
    Path("dump.jsonl").write_text(RECORD[:-1] + ', "site": "x"}')
    sliced = run("dense", "dump.jsonl", "--bootstrap", 0, "--slice", "site", "-o", "new")
    assert (sliced.code, "of an earlier run" in sliced.err) == (0, False)
    ended = run("dense", "dump.jsonl", "--bootstrap", 0, "-o", "new")
    assert "warning: new: of an earlier run, and left alone: slices.csv" in ended.err
