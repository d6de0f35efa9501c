"""The workflow that is ready to be copied: its commands exist, its rules are rules, and it says what a gate says."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

import calipers
from calipers.cli.main import calipers as program
from calipers.results.gate import gate

CI = Path(__file__).parents[2] / "examples" / "ci"
WORKFLOW = (CI / "calipers-gate.yml").read_text(encoding="utf-8")
DEMO = Path(calipers.__file__).parent / "data" / "dense.jsonl"


def commands(text: str) -> list[list[str]]:
    """Every call of calipers, without what the shell makes of it."""
    lines = re.findall(r"(?:^|run: |  )(calipers .*)", text, re.MULTILINE)
    return [shlex.split(re.split(r"\|\||>>|;|&&| #", line)[0])[1:] for line in lines]


@pytest.mark.parametrize("page", ["calipers-gate.yml", "README.md"])
def test_the_commands_are_there_with_their_flags(page):
    found = commands((CI / page).read_text(encoding="utf-8"))
    assert len(found) >= 2
    for name, *arguments in found:
        command = program.get_command(click.Context(program), name)
        known = {flag for param in command.params for flag in param.opts}
        assert {argument for argument in arguments if argument.startswith("-")} <= known


def test_the_rules_are_rules_of_the_dense_suite():
    report = calipers.dense(DEMO)
    found = gate(report, report, CI / "gate.toml")
    assert [row["rule"] for row in found.rows] == ["max_drop", "max_drop", "floor", "floor"]
    assert found.state == "pass"


def step(name: str) -> str:
    """What a step runs."""
    block = WORKFLOW.partition(f"- name: {name}\n")[2].partition("\n\n")[0]
    if "run: |" not in block:
        return block.partition("run: ")[2]
    return "\n".join(line.strip() for line in block.partition("run: |\n")[2].splitlines())


def records(left_out: int) -> list[dict]:
    """The first forty of the sample; every second record lacks its first prediction."""
    found = [json.loads(line) for line in DEMO.read_text(encoding="utf-8").splitlines()[:40]]
    for record in found[left_out::2]:
        key = "pred_norm1000" if "pred_norm1000" in record else "pred"
        record[key] = record[key][1:]
    return found


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A repository in which the first steps were run."""
    folder = tmp_path_factory.mktemp("measured")
    run = shell_in(folder)
    for name in ("Measure", "Compare"):
        assert run(name).returncode == 0
    return folder


def shell_in(tmp_path):
    """Runs a step in a repository with a baseline; the new model errs elsewhere, and is as good."""
    binary = tmp_path / "bin" / "calipers"
    binary.parent.mkdir(exist_ok=True)
    binary.write_text(f'#!/bin/sh\nexec {sys.executable} -m calipers "$@"\n')
    binary.chmod(0o755)
    environment = {
        "PATH": f"{binary.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(calipers.__file__).parents[1]),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
    }
    if not (tmp_path / "baseline").exists():
        (tmp_path / "gt_vs_pred.jsonl").write_text("\n".join(map(json.dumps, records(1))), encoding="utf-8")
        (tmp_path / "baseline").mkdir()
        calipers.dense(records(0)).save(tmp_path / "baseline" / "result.json")

    def run(name: str) -> subprocess.CompletedProcess:
        call = ["bash", "-e", "-c", step(name)]
        return subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize(
    ("rule", "code", "said"),
    [
        ("floor = 0.1", 0, "pass"),
        ("floor = 0.99", 1, "FAIL"),
        ("max_drop = 0.0", 0, "::warning title=calipers gate::undecided"),
    ],
)
def test_the_steps_end_as_the_gate_says(measured, tmp_path, rule, code, said):
    shutil.copytree(measured, tmp_path, dirs_exist_ok=True)
    (tmp_path / "gate.toml").write_text(f'[[rule]]\nmetric = "recall"\n{rule}\n')
    ended = shell_in(tmp_path)("Gate")
    assert (ended.returncode, said in ended.stdout) == (code, True), ended
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "### baseline/result.json → new" in summary
    assert "### Gate: " in summary
    assert (tmp_path / "gate.xml").exists()
