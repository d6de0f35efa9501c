"""Where results go: `-o`, `--out` and `--output` are one option, and folders that are missing are made."""

import shutil
from importlib.resources import files
from pathlib import Path

import pytest

DATA = files("calipers") / "data"


@pytest.fixture
def dump():
    lines = (DATA / "dense.jsonl").read_bytes().splitlines(keepends=True)[:5]
    return Path("dump.jsonl").write_bytes(b"".join(lines)) and "dump.jsonl"


@pytest.mark.parametrize("flag", ["-o", "--out", "--output"])
def test_the_three_spellings_are_one_option(run, dump, flag):
    assert run("dense", dump, flag, "result.json").code == 0
    assert Path("result.json").exists()


@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_every_suite_makes_the_folder_of_its_artifact(run, suite):
    assert run("demo", suite, "--out", "results/deep/x.json").code == 0
    assert [path.name for path in Path("results/deep").iterdir()] == ["x.json"]


def test_other_commands_make_folders_too(run, dump):
    assert run("dense", dump, "--tally", "parts/a.cal", "--resume", "kept/shards", "--out", "a/result.json").code == 0
    assert run("merge", "parts/a.cal", "--out", "merged/b.json").code == 0
    assert run("compare", "a/result.json", "merged/b.json", "--out", "reports/compared.html").code == 0
    assert run("report", "a/result.json", "--out", "pages/report.html").code == 0
    made = ["kept/shards", "merged/b.json", "reports/compared.html", "pages/report.html"]
    assert [Path(path).is_file() for path in made] == [True] * 4


def test_a_run_that_fails_leaves_no_folder(run, dump):
    Path("broken.jsonl").write_text("{\n")
    assert run("dense", "broken.jsonl", "-o", "results/x.json").code == 3
    assert not Path("results").exists()


def test_a_folder_made_for_a_file_that_cannot_be_written_goes_away(run, dump, monkeypatch):
    full = OSError(28, "No space left on device")

    def fsync(number):
        raise full

    monkeypatch.setattr("os.fsync", fsync)
    run("dense", dump, "-o", "results/deep/x.json").refused(2, "No space left on device")
    assert not Path("results").exists()


def test_the_commands_of_the_first_harness_paste(run):
    shutil.copytree(str(DATA / "timeline"), "data")
    inputs = ["--gt", "data/annotations.json", "--pred", "data/csv"]
    options = ["--transition-tolerance-frames", "5", "--simulated-compliance-gain", "0.5"]
    ended = run("timeline", *inputs, *options, "--out", "results/rerun_reports/report_tolerance5.json")
    assert ended.code == 0, ended.err
    assert b'"compliance_gain": 0.5' in Path("results/rerun_reports/report_tolerance5.json").read_bytes()
