"""What a gate prints for GitHub and GitLab, written out by hand; names that try to break out of it."""

import json
import re

import pytest

from calipers.results import gate_ci

from .test_views import TEXTS, gated, rule

COMMANDS = ["::error::x", "a\n::stop-commands::x", "##[error]x", "%0A::error::x", "a\r::error::x"]
ROWS = (
    rule(),
    rule("category.recall", "floor", 0.75, "pass", baseline=0.78, new=0.776, difference=-0.004),
    rule("AP", "ceiling", 0.5, "investigate", reason="undefined, 100 % of it", interval=None),
)


def test_github_has_a_command_for_each_rule_that_does_not_pass_and_one_for_the_whole():
    error, warning, notice = gate_ci.github(gated(*ROWS)).split("\n")
    assert error.split("%0A") == [
        "::error title=calipers gate%3A category mean_f1 drop <= 0.010::because",
        "base 0.553, new 0.531, Δ −0.022, 95 %25 of Δ −0.034 … −0.010",
    ]
    assert warning.split("%0A") == [
        "::warning title=calipers gate%3A AP <= 0.500::undefined, 100 %25 of it",
        "base 0.553, new 0.531, Δ −0.022, 95 %25 of Δ —",
    ]
    assert notice.split("%0A") == [
        "::notice title=calipers gate::FAIL: 1 of 3 rules fails · category mean_f1: because",
        "smallest drop this set can detect (80 %25 power): mean_f1 0.014",
        "investigate AP: undefined, 100 %25 of it",
    ]


def test_github_says_that_all_passes():
    passing = gated(rule("category.recall", "floor", 0.5, "pass"), baseline=None, state="pass")
    assert gate_ci.github(passing) == "::notice title=calipers gate::PASS: the rule passes"


def test_gitlab_has_an_issue_for_each_rule_that_does_not_pass():
    failed, undecided = json.loads(gate_ci.gitlab(gated(*ROWS)))
    assert re.fullmatch("[0-9a-f]{64}", failed.pop("fingerprint"))
    assert failed == {
        "description": "category mean_f1 drop <= 0.010: because "
        "(base 0.553, new 0.531, Δ −0.022, 95 % of Δ −0.034 … −0.010)",
        "check_name": "calipers.gate.max_drop",
        "severity": "major",
        "location": {"path": "new/result.json", "lines": {"begin": 1}},
    }
    assert (undecided["severity"], undecided["check_name"]) == ("info", "calipers.gate.ceiling")


def test_gitlab_has_no_issue_where_all_passes():
    assert json.loads(gate_ci.gitlab(gated(ROWS[1], state="pass"))) == []


def test_an_issue_is_known_again_by_its_rule_whatever_the_figures():
    def prints(*rows: dict) -> list[str]:
        return [issue["fingerprint"] for issue in json.loads(gate_ci.gitlab(gated(*rows)))]

    assert prints(rule()) == prints(rule(new=0.4, state="investigate"))
    assert len(set(prints(rule(), rule(limit=0.02), rule(kind="floor"), rule("category.f1")))) == 4


@pytest.mark.parametrize(
    "text", [*TEXTS, "::error::x", "a\n::stop-commands::x", "##[error]x", "%0A::error::x"], ids=ascii
)
def test_no_name_ends_a_command_or_a_line(text):
    tree = gated(*(rule(f"{text}.f1", asked=text, reason=text, state=state) for state in ("fail", "investigate")))
    lines = gate_ci.github(tree).split("\n")
    assert len(lines) == 3
    for line, level in zip(lines, ("error", "warning", "notice"), strict=True):
        assert line.isprintable()
        assert re.match(rf"::{level} title=calipers gate[^:,]*::", line), line
        assert not re.search(r"%(?!25|0A|3A|2C)", line)
    issues = json.loads(gate_ci.gitlab(tree | {"new": text}))
    assert all(issue["description"].isprintable() and issue["location"]["path"].isprintable() for issue in issues)
