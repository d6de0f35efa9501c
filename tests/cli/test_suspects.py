"""`calipers suspects`: what it reads, prints and writes, and what it refuses."""

import csv
import json
import shutil
from pathlib import Path

import jsonschema
import pytest

import calipers
from calipers.show.folder import write_folder

from ..conftest import plots_left_out

COLUMNS = ["key", "side", "index", "result", "reason", "label", "suggested", "score"]


def box(label, x, y=0):
    return {"type": "bbox_2d", "points": [x, y, x + 100, y + 100], "desc": f"类别={label}"}


TRUTH = [box("cat", 0), box("dog", 200), box("dog", 400)]


def model(folder, name, *preds):
    """The folder of a run over two records, of which the second is always right."""
    records = [{"id": "a", "gt_norm1000": TRUTH, "pred": list(preds)}]
    records.append({"id": "b", "gt_norm1000": TRUTH, "pred": TRUTH})
    write_folder(str(folder / name), calipers.dense(records, modes="category"))


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """Two runs: both call the cat a dog, and find a cow that nobody annotated."""
    folder = tmp_path_factory.mktemp("kept")
    with plots_left_out():
        model(folder, "runs/base", box("dog", 0), *TRUTH[1:], box("cow", 700, 700))
        model(folder, "runs/tuned", box("cow", 700, 700), box("dog", 0), *TRUTH[1:])
    return folder / "runs"


@pytest.fixture
def runs(kept):
    shutil.copytree(kept, "runs")
    return ["runs/base", "runs/tuned"]


def test_the_table(run, runs):
    ended = run("suspects", *runs)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.decode().splitlines() == [
        "2 places to look at   dense · 2 records · 2 results: base, tuned",
        "",
        " score  reason         key  side  #  label  suggested  result",
        " 1.000  not annotated  a    pred  3  cow    cow        base",
        " 0.833  wrong label    a    gt    0  cat    dog        —",  # 4 of 5 dogs are right, with one more 5 of 6
        "",
        " reasons              1 wrong label · 1 not annotated",
        " next                 -o DIR for the whole list, and a page that draws the places",
    ]


def test_json_fits_its_schema(run, runs):
    tree = run("suspects", *runs, "--json").artifact()
    assert list(tree) == ["suspects", "suite", "results", "rows"]
    assert (tree["suspects"], tree["suite"], tree["results"]) == ("suspects/1", "dense", ["base", "tuned"])
    assert [list(row) for row in tree["rows"]] == [COLUMNS, COLUMNS]
    jsonschema.validate(tree, json.loads(run("schema", "suspects").out))
    jsonschema.Draft202012Validator.check_schema(calipers.schema("suspects"))


def test_the_same_bytes_in_any_order_and_from_python(run, runs):
    printed = run("suspects", *runs, "--json").out
    assert run("suspects", *runs[::-1], "--json").out == printed
    assert run("suspects", "runs", "--json").out == printed
    assert run("suspects", "runs/base/result.json", "runs/tuned/", "--json").out == printed
    assert calipers.suspects(*runs).to_json() == printed


def test_names(run, runs):
    tree = run("suspects", "x=runs/base", "y=runs/tuned", "--json").artifact()
    assert tree["results"] == ["x", "y"]
    assert tree["rows"][0]["result"] == "x"


def test_one_result(run, runs):
    ended = run("suspects", "runs/base")
    assert [line.split()[1:3] for line in ended.out.decode().splitlines()[3:4]] == [["wrong", "label"]]
    assert " note                 one result without scores says nothing" in ended.out.decode()


def test_nothing_to_look_at(run, kept, tmp_path):
    model(tmp_path, "right", *TRUTH)
    model(tmp_path, "alike", *TRUTH)
    ended = run("suspects", "right", "alike")
    assert ended.code == 0
    assert ended.out.decode().splitlines()[0] == "0 places to look at   dense · 2 records · 2 results: alike, right"
    assert run("suspects", "right", "alike", "--json").artifact()["rows"] == []
    assert run("suspects", "right", "alike", "-o", "out").code == 0
    assert Path("out/suspects.jsonl").read_bytes() == b""
    assert Path("out/suspects.csv").read_text() == ",".join(COLUMNS) + "\n"


def test_the_top(run, runs):
    ended = run("suspects", *runs, "--top", "1")
    assert " more                 1 not shown here" in ended.out.decode()
    assert len(run("suspects", *runs, "--top", "1", "--json").artifact()["rows"]) == 1
    run("suspects", *runs, "--top", "0").refused(2, "top: found 0, expected a whole number from 1 on")


def test_files(run, runs):
    rows = run("suspects", *runs, "--json").artifact()["rows"]
    ended = run("suspects", *runs, "-o", "list.jsonl")
    assert ended.out.decode().splitlines()[-1] == " written              list.jsonl"
    assert [json.loads(line) for line in Path("list.jsonl").read_text().splitlines()] == rows
    assert run("suspects", *runs, "-o", "list.csv", "--json").artifact()["rows"] == rows
    read = list(csv.DictReader(Path("list.csv").read_text().splitlines()))
    assert list(read[0]) == COLUMNS
    assert [row["score"] for row in read] == [str(row["score"]) for row in rows]


@pytest.mark.parametrize("folder", ["out", "out/"])
def test_a_folder(run, runs, folder):
    for _ in range(2):
        assert run("suspects", *runs, "-o", folder).code == 0
    assert {path.name for path in Path("out").iterdir()} == {"suspects.csv", "suspects.jsonl", "suspects.html"}


def test_the_same_bytes_twice(run, runs):
    for folder in ("one", "two"):
        run("suspects", *runs, "-o", folder)
    for path in Path("one").iterdir():
        assert path.read_bytes() == Path("two", path.name).read_bytes()


def test_a_result_is_not_written_over(run, runs):
    shutil.copy("runs/base/matches.csv", "kept.csv")
    run("suspects", *runs, "-o", "runs/base/matches.csv").refused(2, "is an input, expected another place to write to")
    assert Path("runs/base/matches.csv").read_bytes() == Path("kept.csv").read_bytes()


def test_options_from_the_file(run, runs):
    Path("calipers.toml").write_text("[suspects]\ntop = 1\n")
    assert len(run("suspects", *runs, "--json").artifact()["rows"]) == 1
    Path("calipers.toml").write_text("[suspects]\ntops = 1\n")
    run("suspects", *runs).refused(2, "did you mean 'top'?")
    Path("calipers.toml").write_text('[suspects]\njson = "yes"\n')
    run("suspects", *runs).refused(2, "json: found 'yes', expected true or false")


def test_help(run):
    ended = run("suspects", "--help")
    assert ended.code == 0
    assert "more likely wrong than the models" in ended.out.decode()
    assert "suspects" in run("--help").out.decode()


class TestRefused:
    def test_an_artifact_alone(self, run, runs):
        shutil.copy("runs/base/result.json", "base.json")
        run("suspects", "base.json").refused(
            2, "base.json: has numbers and no cases.jsonl, expected the folder of a run"
        )

    def test_a_folder_without_cases(self, run, runs):
        Path("runs/base/cases.jsonl").unlink()
        run("suspects", *runs).refused(2, "runs/base: has numbers and no cases.jsonl")

    def test_an_empty_folder(self, run):
        Path("empty").mkdir()
        run("suspects", "empty").refused(2, "empty: has no results")

    def test_other_records(self, run, runs, tmp_path):
        records = [{"id": "a", "gt_norm1000": TRUTH[:1], "pred": TRUTH[:1]}]
        write_folder(str(tmp_path / "other"), calipers.dense(records, modes="category"))
        run("suspects", "runs/base", "other").refused(2, "base and other cannot be searched together")

    def test_another_suite(self, run, runs, tmp_path):
        data = Path(calipers.__file__).parent / "data" / "scene"
        write_folder(str(tmp_path / "rooms"), calipers.scene(data / "gt", data / "clio", bootstrap=0))
        run("suspects", "runs/base", "rooms").refused(2, "protocol: dense/1 in base, scene/1 in rooms")

    def test_a_suite_that_does_not_say(self, run, runs, monkeypatch):
        from dataclasses import replace

        from calipers.results import suspect_inputs
        from calipers.suite import suite_of

        silent = replace(suite_of("dense"), suspects=None)
        monkeypatch.setattr(suspect_inputs, "suite_of_tree", lambda tree: silent)
        with pytest.raises(
            calipers.ConfigError, match="the dense suite does not say where its annotations may be wrong"
        ):
            calipers.suspects(*runs)

    def test_nothing_given_and_nothing_there(self, run):
        run("suspects").refused(2, "Missing argument")
        run("suspects", "nowhere").refused(3, "nowhere: is not there")

    def test_damaged_cases(self, run, runs):
        Path("runs/base/cases.jsonl").write_text("{")
        run("suspects", *runs).refused(3, "cases.jsonl is not as this version of calipers writes cases")

    def test_a_file_of_another_kind(self, run, runs):
        run("suspects", *runs, "-o", "list.txt").refused(2, "list.txt: ends in '.txt', expected .csv, .jsonl, .html")
