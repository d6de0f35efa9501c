"""`calipers gate`: exit codes, rules from flags and files, and what it writes for workflows."""

import json
import shutil
from contextlib import chdir
from pathlib import Path
from xml.etree import ElementTree

import pytest

from calipers.cli.suite_command import run_suite
from calipers.suite import suite_of

from ..conftest import plots_left_out

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
FAR = {"type": "bbox_2d", "points": [500, 500, 600, 600], "desc": "类别=标签"}


def write_dump(name, missed, count=60):
    """Records with one object each; every `missed`-th is missed."""
    records = [{"id": f"r{k}", "gt_norm1000": [BOX], "pred": [FAR if k % missed == 0 else BOX]} for k in range(count)]
    Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)))


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Three results, made once: recall 0.9, 0.667 and 0.883."""
    with chdir(tmp_path_factory.mktemp("results")), plots_left_out():
        for name, missed in (("old", 10), ("new", 3), ("near", 9)):
            write_dump(name, missed)
            run_suite(suite_of("dense"), {"dumps": [f"{name}.jsonl"], "output": name})
        return Path.cwd()


@pytest.fixture(autouse=True)
def _results(results, tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    shutil.copytree(results, tmp_path, dirs_exist_ok=True)


@pytest.mark.parametrize(
    ("args", "code", "state"),
    [
        (["new", "--floor", "recall=0.6"], 0, "pass"),
        (["new", "--floor", "recall=0.7"], 1, "FAIL"),
        (["new", "--ceiling", "recall=0.7"], 0, "pass"),
        (["new", "--ceiling", "recall=0.6"], 1, "FAIL"),
        (["old", "--baseline", "old", "--max-drop", "recall=0"], 0, "pass"),
        (["new", "--baseline", "old", "--max-drop", "recall=0.1"], 1, "FAIL"),
        (["new", "--baseline", "old", "--max-drop", "recall=0.4"], 0, "pass"),
        (["near", "--baseline", "old", "--max-drop", "recall=0.01"], 4, "investigate"),
        (["old/result.json", "--baseline", "new/result.json", "--max-drop", "category.mean_f1=0.01"], 0, "pass"),
    ],
)
def test_exit_codes(run, args, code, state):
    ended = run("gate", *args)
    assert (ended.code, ended.err) == (code, "")
    assert ended.out.decode().splitlines()[1].endswith(state)


def test_a_failure_wins_over_what_cannot_be_decided(run):
    args = ["near", "--baseline", "old", "--max-drop", "recall=0.01", "--floor", "recall=0.95"]
    assert run("gate", *args).code == 1


def test_the_table(run):
    out = run("gate", "new", "--baseline", "old", "--max-drop", "mean_f1=0.01", "--floor", "recall=0.5").out.decode()
    lines = out.splitlines()
    assert lines[0].split() == ["metric", "base", "new", "Δ", "95", "%", "of", "Δ", "rule", "state"]
    assert lines[1].startswith("! category mean_f1  0.900  0.667  −0.233  −0.")
    assert lines[1].endswith("drop <= 0.010  FAIL")
    assert lines[2].startswith("  category recall   0.900  0.667  −0.233  −0.")
    assert lines[2].endswith(">= 0.500       pass")
    assert lines[3].startswith("  smallest drop this set can detect (80 % power): mean_f1 0.")
    assert lines[4:] == [
        "  FAIL: 1 of 2 rules fails · category mean_f1: dropped by more than allowed, and not by chance"
    ]


def test_json(run):
    ended = run("gate", "new", "--baseline", "old", "--max-drop", "f1=0.01", "--json")
    tree = json.loads(ended.out)
    assert (ended.code, tree["gate"], tree["state"]) == (1, "gate/1", "fail")
    assert tree["rows"][0]["metric"] == "category.f1"


@pytest.mark.parametrize("name", ["text", "json", "github", "gitlab", "junit"])
@pytest.mark.parametrize(("limit", "code"), [("0.1", 1), ("0.4", 0)])
def test_exit_codes_do_not_depend_on_the_format(run, name, limit, code):
    ended = run("gate", "new", "--baseline", "old", "--max-drop", f"recall={limit}", "--format", name)
    assert (ended.code, ended.err) == (code, "")


def test_formats_are_those_of_the_files(run):
    args = ["gate", "new", "--baseline", "old", "--max-drop", "recall=0.1"]
    table, printed = (
        run(*args),
        {name: run(*args, "--format", name).out for name in ("text", "json", "github", "junit")},
    )
    assert printed["text"] == table.out
    assert printed["json"] == run(*args, "--json").out == run(*args, "--json", "--format", "json").out
    assert printed["github"].startswith(
        b"::error title=calipers gate%3A category recall drop <= 0.100::dropped by more"
    )
    run(*args, "--junit", "gate.xml")
    assert printed["junit"] == Path("gate.xml").read_bytes()
    [issue] = json.loads(run(*args, "--format", "gitlab").out)
    assert (issue["severity"], issue["location"]["path"]) == ("major", "new")


def test_a_format_in_the_options_file(run):
    Path("calipers.toml").write_text('[gate]\nformat = "gitlab"\nfloor = {f1 = 0.1}\n')
    assert json.loads(run("gate", "new").out) == []
    Path("calipers.toml").write_text("[gate]\nformat = []\nfloor = {f1 = 0.1}\n")
    run("gate", "new").refused(2, "format: found [], expected one of text, json, github, gitlab, junit")


def test_rules_from_a_file(run):
    Path("gate.toml").write_text('[[rule]]\nmetric = "recall"\nmax_drop = 0.1\n\n[[rule]]\nmetric="f1"\nfloor=0.1\n')
    ended = run("gate", "new", "--baseline", "old", "--rules", "gate.toml", "--ceiling", "precision=1")
    assert ended.code == 1
    assert [line.split()[-1] for line in ended.out.decode().splitlines()[1:4]] == ["FAIL", "pass", "pass"]


def test_rules_from_the_options_file(run):
    Path("calipers.toml").write_text('[gate]\nbaseline = "old"\nmax_drop = {recall = 0.1}\nfloor = {f1 = 0.1}\n')
    assert run("gate", "new").code == 1
    assert run("gate", "new", "--max-drop", "recall=0.5").code == 0  # a flag wins
    Path("calipers.toml").write_text("[gate]\nceilings = {f1 = 1}\n")
    run("gate", "new").refused(2, "[gate] 'ceilings' is not an option, did you mean 'ceiling'?")
    Path("calipers.toml").write_text("[gate]\nbaseline = 3\nfloor = {f1 = 1}\n")
    run("gate", "new").refused(2, "baseline: found 3, expected a path")


@pytest.mark.parametrize(
    ("args", "parts"),
    [
        (["new"], ["no rule was given, expected at least one of max_drop, floor, ceiling"]),
        (["new", "--max-drop", "f1=0.1"], ["max_drop f1: needs a result to drop from", "--baseline OLD"]),
        (["new", "--floor", "f2=0.1"], ["'f2' is not a metric of the dense suite, did you mean 'f1'?"]),
        (["new", "--floor", "f1"], ["floor: found 'f1', expected NAME=NUMBER"]),
        (["new", "--floor", "f1=x"], ["floor f1: found 'x', expected a number"]),
        (
            ["new", "--baseline", "old", "--max-drop", "f1=-1"],
            ["max_drop f1: found -1.0, expected a number of at least 0"],
        ),
        (["new", "--floor", "f1=0", "--format", "xml"], ["format: found 'xml', expected one of text, json, github"]),
        (
            ["new", "--floor", "f1=0", "--format", "junit", "--json"],
            ["format: found 'junit', expected none beside json"],
        ),
        (["new", "--rules", "none.toml"], ["none.toml: cannot be read"]),
        (["new", "--flor", "f1=1"], ["--flor", "--floor"]),
        (["--floor", "f1=1"], ["Missing argument 'NEW'"]),
    ],
)
def test_wrong_usage(run, args, parts, listing):
    before = listing(".")
    run("gate", *args, "--junit", "j.xml", "--markdown", "m.md").refused(2, *parts)
    assert listing(".") == before


def test_misspelt_keys_of_rules_are_refused(run):
    Path("gate.toml").write_text('[[rule]]\nmetric = "recall"\nmaxdrop = 0.1\n')
    run("gate", "new", "--rules", "gate.toml").refused(2, "'maxdrop' is not a key of a rule, did you mean 'max_drop'?")


def test_a_baseline_that_is_not_alike_is_refused(run):
    write_dump("few", 3, 50)
    assert run("dense", "few.jsonl", "-o", "few").code == 0
    run("gate", "new", "--baseline", "few", "--floor", "f1=0.1").refused(
        2, "cannot be compared in pairs", "records read"
    )


@pytest.mark.parametrize("which", ["new", "baseline"])
def test_what_is_no_artifact_is_an_input_error(run, which):
    Path("bad.json").write_text("{}")
    new, old = ("bad.json", "old") if which == "new" else ("new", "bad.json")
    run("gate", new, "--baseline", old, "--floor", "f1=0.1").refused(3, "bad.json: no field protocol")
    run("gate", new if which == "new" else "none.json", "--floor", "f1=0.1").refused(3, ".json: ")


# for workflows


def test_markdown_and_junit_are_written(run):
    ended = run("gate", "new", "--floor", "recall=0.7", "--markdown", "gate.md", "--junit", "gate.xml")
    assert ended.code == 1
    assert Path("gate.md").read_text(encoding="utf-8").startswith("### Gate: ❌ FAIL\n\nnew\n\n| metric |")
    root = ElementTree.parse("gate.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("1", "1")


def test_the_summary_of_a_workflow_is_added_to(run, monkeypatch):
    Path("summary.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    for _ in range(2):
        assert run("gate", "new", "--floor", "recall=0.6").code == 0
    text = Path("summary.md").read_text(encoding="utf-8")
    assert text.startswith("before\n### Gate: ✅ pass\n")
    assert text.count("### Gate") == 2


def test_the_summary_of_a_workflow_may_be_named_as_well(run, monkeypatch):
    Path("summary.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    run("gate", "new", "--floor", "recall=0.6", "--markdown", "./summary.md")
    assert Path("summary.md").read_text(encoding="utf-8").count("### Gate") == 1
    run("gate", "new", "--floor", "recall=0.6", "--markdown", "gate.md")
    assert Path("gate.md").read_text(encoding="utf-8").count("### Gate") == 1
    assert Path("summary.md").read_text(encoding="utf-8").count("### Gate") == 2


def test_an_empty_variable_is_none(run, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "")
    assert run("gate", "new", "--floor", "recall=0.6").code == 0


def test_a_summary_that_cannot_be_written_is_said(run, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "none/summary.md")
    run("gate", "new", "--floor", "recall=0.6").refused(2, "none/summary.md ($GITHUB_STEP_SUMMARY): cannot be written")


@pytest.mark.parametrize("flag", ["--markdown", "--junit"])
def test_a_result_is_not_written_over(run, flag, listing):
    before = listing(".")
    run("gate", "new", "--floor", "f1=0.1", flag, "new/result.json").refused(2, "is an input")
    assert listing(".") == before


def test_the_gate_knows_its_way_as_a_process(finish):
    ended = finish("gate", "new", "--floor", "recall=0.7")
    assert (ended.code, ended.err) == (1, "")
    assert finish("gate", "near", "--baseline", "old", "--max-drop", "recall=0.01").code == 4
