"""The action and the job of GitLab: their steps run as plain shell, with what the services set."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import calipers

from .test_ci_example import records

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
EXAMPLES = ROOT / "examples" / "ci"


@pytest.fixture(scope="module")
def results() -> list[bytes]:
    """The baseline and the new result, evaluated once."""
    return [calipers.dense(records(left_out)).to_json() for left_out in (0, 1)]


@pytest.fixture
def folder(tmp_path, results):
    """A repository with a baseline and a new result, and `calipers` on the path."""
    binary = tmp_path / "bin" / "calipers"
    binary.parent.mkdir()
    binary.write_text(f'#!/bin/sh\nexec {sys.executable} -m calipers "$@"\n')
    binary.chmod(0o755)
    (tmp_path / "baseline").mkdir()
    for name, result in zip(("baseline/result.json", "new.json"), results, strict=True):
        (tmp_path / name).write_bytes(result)
    return tmp_path


def shell(script: str, folder: Path, variables: dict[str, str]) -> subprocess.CompletedProcess:
    """A script as GitHub runs it: bash, which ends at the first error and in a pipe."""
    environment = {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(calipers.__file__).parents[1]),
        **variables,
    }
    call = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(call, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def run_step(name: str, folder: Path, **inputs: str) -> subprocess.CompletedProcess:
    """A step of the action with its inputs, whose defaults are those of the action."""
    values = {key: spec.get("default", "") for key, spec in ACTION["inputs"].items()} | inputs
    variables = {
        key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], text)
        for key, text in STEPS[name]["env"].items()
    }
    files = {"GITHUB_STEP_SUMMARY": str(folder / "summary.md"), "GITHUB_OUTPUT": str(folder / "output.txt")}
    return shell(STEPS[name]["run"], folder, variables | files)


def outputs(folder: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (folder / "output.txt").read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize(
    ("rule", "undecided", "code", "state", "said"),
    [
        ("floor = 0.1", "fail", 0, "pass", "::notice title=calipers gate::PASS"),
        ("floor = 0.99", "pass", 1, "fail", "::error title=calipers gate%3A category recall >= 0.990::below the floor"),
        ("max_drop = 0.0", "fail", 4, "investigate", "::warning title=calipers gate%3A category recall drop <= 0.000"),
        ("max_drop = 0.0", "pass", 0, "investigate", "::warning title=calipers gate%3A category recall drop <= 0.000"),
    ],
)
def test_the_steps_of_the_action_end_as_the_gate_says(folder, rule, undecided, code, state, said):
    (folder / "my gate.toml").write_text(f'[[rule]]\nmetric = "recall"\n{rule}\n')
    inputs = {"new": "new.json", "baseline": "baseline/result.json", "rules": "my gate.toml", "junit": "gate.xml"}
    assert run_step("Compare", folder, **inputs).returncode == 0
    ended = run_step("Gate", folder, **inputs, undecided=undecided)
    assert (ended.returncode, ended.stderr) == (code, "")
    assert said in ended.stdout
    assert outputs(folder) == {"state": state, "exit-code": str(code if state != "investigate" else 4)}
    summary = (folder / "summary.md").read_text(encoding="utf-8")
    assert "### baseline/result.json → new.json" in summary
    assert "### Gate: " in summary
    assert (folder / "gate.xml").exists()


def test_the_action_needs_no_baseline(folder):
    (folder / "gate.toml").write_text('[[rule]]\nmetric = "recall"\nfloor = 0.1\n')
    ended = run_step("Gate", folder, new="new.json", rules="gate.toml")
    assert (ended.returncode, outputs(folder)["state"]) == (0, "pass")
    assert STEPS["Compare"]["if"] == "inputs.baseline != ''"


def test_what_cannot_be_run_is_no_state(folder):
    ended = run_step("Gate", folder, new="none.json", rules="none.toml")
    assert (ended.returncode, outputs(folder)) == (2, {"state": "", "exit-code": "2"})
    assert run_step("Gate", folder, new="new.json", rules="x", undecided="maybe").returncode == 2


@pytest.mark.parametrize(
    "name", ["$(touch broken)", "`touch broken`", "; touch broken", '" && touch broken "', "--json"]
)
def test_no_input_is_run_as_a_command_or_taken_for_a_flag(folder, name):
    (folder / "gate.toml").write_text('[[rule]]\nmetric = "recall"\nfloor = 0.1\n')
    for step in ("Compare", "Gate"):
        ended = run_step(step, folder, new=name, baseline="baseline/result.json", rules="gate.toml")
        assert ended.returncode == 3, ended.stderr
    assert not (folder / "broken").exists()


def test_scripts_of_the_action_see_inputs_as_variables_alone():
    for step in STEPS.values():
        assert "${{" not in step["run"]
    names = {found for step in STEPS.values() for found in re.findall(r"inputs\.([\w-]+)", str(step))}
    assert names == set(ACTION["inputs"])


def test_the_example_gives_inputs_that_the_action_has():
    steps = yaml.safe_load((EXAMPLES / "calipers-action.yml").read_text(encoding="utf-8"))["jobs"]["gate"]["steps"]
    given = steps[-1]["with"]
    needed = {name for name, spec in ACTION["inputs"].items() if spec.get("required")}
    assert needed <= set(given) <= set(ACTION["inputs"])


def test_the_job_of_gitlab(folder):
    job = yaml.safe_load((EXAMPLES / "calipers.gitlab-ci.yml").read_text(encoding="utf-8"))["gate"]
    (folder / "gate.toml").write_text('[[rule]]\nmetric = "recall"\nfloor = 0.99\n')
    script = job["script"][-1].replace("gate new", "gate new.json")
    assert shell(script, folder, {}).returncode == 1
    [issue] = yaml.safe_load((folder / job["artifacts"]["reports"]["codequality"]).read_text(encoding="utf-8"))
    assert issue["severity"] == "major"
    assert (folder / job["artifacts"]["reports"]["junit"]).exists()
