"""The pytest plugin, in runs of pytest of their own: what fails, what is said, and what it costs if nobody asks."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import calipers
from calipers.core.errors import ConfigError
from calipers.results.asserting import assert_gate, assert_not_worse

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]
BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
FAR = {"type": "bbox_2d", "points": [500, 500, 600, 600], "desc": "类别=标签"}


def result(missed: int) -> calipers.Report:
    """Sixty records with one object each; every `missed`-th is missed."""
    return calipers.dense(
        [{"id": f"r{k}", "gt_norm1000": [BOX], "pred": [FAR if k % missed == 0 else BOX]} for k in range(60)]
    )


@pytest.fixture(scope="module")
def results() -> dict[str, calipers.Report]:
    """Recall 54 / 60 = 0.9, 40 / 60 = 0.667 and 53 / 60 = 0.883."""
    return {"old": result(10), "new": result(3), "near": result(9)}


@pytest.fixture
def run(pytester, monkeypatch, results):
    """Runs a test file with the plugin, whether or not it is installed, beside the three results."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    for name, report in results.items():
        report.save(pytester.path / f"{name}.json")

    def run_test(call: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(f"def test_it(calipers_gate):\n    gate = calipers_gate({call})\n    assert gate.state\n")
        return pytester.runpytest_inprocess("-p", "calipers.pytest_plugin", *arguments)

    return run_test


def test_a_result_that_is_allowed_passes(run):
    run('"new.json", "old.json", max_drop={"recall": 0.5}').assert_outcomes(passed=1)


def test_a_result_that_is_worse_fails_with_both_figures_and_their_difference(run):
    ended = run('"new.json", "old.json", max_drop={"recall": 0.01}')
    ended.assert_outcomes(failed=1)
    ended.stdout.fnmatch_lines(
        [
            "*FAIL: the rule fails · category recall: dropped by more than allowed, and not by chance",
            "*metric *base *new *Δ *95 % of Δ *rule *state",
            "*! category recall  0.900  0.667  −0.233  −0.* … −0.*  drop <= 0.010  FAIL",
            "*smallest drop this set can detect (80 % power): recall 0.*",
        ]
    )
    ended.stdout.no_fnmatch_line("*pytest_plugin.py*")  # the failure stands in the test, not in here


@pytest.mark.parametrize(("undecided", "outcome"), [("fail", "failed"), ("skip", "skipped"), ("pass", "passed")])
def test_a_rule_that_cannot_be_decided_does_what_was_asked(run, undecided, outcome):
    ended = run(f'"near.json", "old.json", max_drop={{"recall": 0.01}}, undecided="{undecided}"', "-rs")
    ended.assert_outcomes(**{outcome: 1})


def test_an_unknown_answer_is_refused(run):
    ended = run('"near.json", floor={"recall": 0.1}, undecided="maybe"')
    ended.stdout.fnmatch_lines(["*ConfigError: undecided: found 'maybe', expected fail, skip, pass"])


def test_the_baseline_of_the_run(run, pytester):
    call = '"new.json", max_drop={"recall": 0.01}'
    run(call).stdout.fnmatch_lines(["*ConfigError: max_drop recall: needs a result to drop from*"])
    run(call, "--calipers-baseline", "new.json").assert_outcomes(passed=1)
    pytester.makeini("[pytest]\ncalipers_baseline = old.json\n")
    run(call).assert_outcomes(failed=1)
    run(call, "--calipers-baseline", "new.json").assert_outcomes(passed=1)  # the command line wins
    run('"new.json", "new.json", max_drop={"recall": 0.01}').assert_outcomes(passed=1)  # and the test over both


def test_figures_are_properties_of_the_test(run, pytester):
    run('"new.json", "old.json", max_drop={"recall": 0.5}', "--junitxml=out.xml").assert_outcomes(passed=1)
    root = ElementTree.parse(pytester.path / "out.xml").getroot()
    values = {item.get("name"): float(item.get("value")) for item in root.iter("property")}
    assert values == {
        "calipers.category.recall.baseline": 0.9,
        "calipers.category.recall.new": pytest.approx(2 / 3),
        "calipers.category.recall.difference": pytest.approx(2 / 3 - 0.9),
    }


def test_whoever_does_not_ask_loads_nothing():
    program = (
        "import sys, pytest; import calipers.pytest_plugin;"
        "print(sorted(name for name in sys.modules if name.startswith('calipers') or name in ('numpy', 'click')))"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(calipers.__file__).parents[1])}
    call = [sys.executable, "-c", program]
    printed = subprocess.run(call, env=environment, capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "['calipers', 'calipers.pytest_plugin']"


def test_pytest_finds_the_plugin_where_calipers_is_installed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"calipers": "calipers.pytest_plugin"}
    assert project["optional-dependencies"]["pytest"] == ["pytest>=8"]
    assert "pytest" not in " ".join(project["dependencies"])


# the assertions alone


def test_assertions_without_the_plugin(results):
    assert assert_not_worse(results["new"], results["old"], {"recall": 0.5}).state == "pass"
    assert assert_gate(results["new"], floor={"recall": 0.6}).state == "pass"
    with pytest.raises(AssertionError, match=r"^FAIL: the rule fails · category recall: below the floor\n  metric"):
        assert_gate(results["new"], floor={"recall": 0.7})
    with pytest.raises(AssertionError, match=r"^INVESTIGATE: the rule cannot be decided · category recall: too little"):
        assert_not_worse(results["near"], results["old"], {"recall": 0.01})
    assert assert_not_worse(results["near"], results["old"], {"recall": 0.01}, undecided="pass").state == "investigate"
    with pytest.raises(ConfigError, match="undecided: found 'skip', expected fail or pass"):
        assert_not_worse(results["near"], results["old"], {"recall": 0.01}, undecided="skip")
