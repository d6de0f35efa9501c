"""Workflows: what they run exists, actions are pinned, and all lists of Python versions are one."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from release.pythons import VERSIONS

from calipers.suite import built_in

ROOT = Path(__file__).parents[2]
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in (ROOT / ".github/workflows").glob("*.yml")}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PINNED = re.compile(r"[\w.-]+/[\w.-]+@(v\d+(\.\d+)*|release/v\d+)|\./\.github/workflows/[\w-]+\.yml")


def steps(name: str) -> list[dict]:
    return [step for job in WORKFLOWS[name]["jobs"].values() for step in job.get("steps", [])]


def test_there_are_workflows():
    assert set(WORKFLOWS) == {"tests", "sanitizers", "wheels", "docs", "release"}


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_actions_are_pinned_to_a_version(name):
    jobs = WORKFLOWS[name]["jobs"].values()
    used = [item["uses"] for item in (*jobs, *steps(name)) if "uses" in item]
    assert used
    assert [action for action in used if not PINNED.fullmatch(action)] == []


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_a_workflow_may_only_read_and_a_script_has_no_text_of_others_in_it(name):
    assert WORKFLOWS[name]["permissions"] == {"contents": "read"}
    assert not [step for step in steps(name) if "${{" in step.get("run", "")]
    assert "secrets." not in str(WORKFLOWS[name])


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_targets_of_make_are_there(name):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = {found for step in steps(name) for found in re.findall(r"\bmake ([\w-]+)", step.get("run", ""))}
    assert called <= targets
    assert called or name == "release"


def test_versions_of_python_are_the_same_everywhere():
    classifiers = PROJECT["project"]["classifiers"]
    assert [item[-4:] for item in classifiers if re.search(r":: 3\.\d+$", item)] == list(VERSIONS)
    assert WORKFLOWS["tests"]["jobs"]["tests"]["strategy"]["matrix"]["python"] == list(VERSIONS)
    installed = WORKFLOWS["tests"]["jobs"]["pythons"]["steps"][1]["with"]["python-version"].split()
    assert sorted(installed) == list(VERSIONS)
    tags = [f"cp{version.replace('.', '')}-*" for version in VERSIONS]
    assert PROJECT["tool"]["cibuildwheel"]["build"] == tags
    assert PROJECT["project"]["requires-python"] == f">={VERSIONS[0]}"


def test_only_who_publishes_has_an_identity():
    jobs = WORKFLOWS["release"]["jobs"]
    assert {name: job.get("permissions") for name, job in jobs.items()} == {
        "version": None,
        "build": None,
        "publish": {"id-token": "write"},
    }
    assert jobs["publish"]["environment"] == "release"
    assert "password" not in str(jobs)


def test_a_release_is_of_the_version_that_its_tag_says():
    [script] = [step["run"] for step in steps("release") if "run" in step]
    version = PROJECT["project"]["version"]
    for tag, code in ((f"v{version}", 0), ("v9.9.9", 1), (f"v{version}0", 1), ("v.*", 1)):
        assert subprocess.run(["bash", "-ec", script], cwd=ROOT, env={"TAG": tag}, check=False).returncode == code, tag


def test_every_demo_is_run_from_every_wheel():
    demos = re.findall(r"calipers demo (\w+)", PROJECT["tool"]["cibuildwheel"]["test-command"])
    assert sorted(demos) == sorted([*built_in(), "judge"])
