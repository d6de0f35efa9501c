"""The pytest plugin: the fixture `calipers_gate`, which fails a test when a result is worse than allowed.

    def test_the_new_model_is_no_worse(calipers_gate):
        calipers_gate("new/", max_drop={"mean_f1": 0.01}, floor={"recall": 0.75})

pytest loads this module in every run where Calipers is installed, so nothing else is imported until a test asks for the
fixture. `-p no:calipers` leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from calipers.results.gate import Gate
    from calipers.results.source_types import Limits, ResultSource, RuleSource

BASELINE = "calipers_baseline"
UNDECIDED = ("fail", "skip", "pass")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--calipers-baseline`, and the same as a setting."""
    group = parser.getgroup("calipers")
    text = "the result that calipers_gate measures drops from, where a test gives none"
    group.addoption("--calipers-baseline", metavar="PATH", dest=BASELINE, default=None, help=text)
    parser.addini(BASELINE, f"{text}; relative to the folder of the settings", default="")


@pytest.fixture
def calipers_gate(pytestconfig: pytest.Config, record_property: Callable[[str, object], None]) -> ResultChecker:
    """Check results by the rules of a gate: `calipers_gate(new, baseline, max_drop={"mean_f1": 0.01})`."""
    return ResultChecker(_baseline(pytestconfig), record_property)


def _baseline(config: pytest.Config) -> str | None:
    """The baseline of the run: that of the command line, else that of the settings, beside their file."""
    option, setting = config.getoption(BASELINE), config.getini(BASELINE)
    if option or not setting:
        return option or None
    return str((config.inipath.parent if config.inipath else config.rootpath) / setting)


class ResultChecker:
    """What the fixture gives: called with a result and rules, it fails the test with the figures side by side."""

    def __init__(self, baseline: str | None, record: Callable[[str, object], None]) -> None:
        self.baseline, self._record = baseline, record

    def __call__(
        self,
        new: ResultSource,
        baseline: ResultSource | None = None,
        rules: RuleSource | None = None,
        *,
        max_drop: Limits = (),
        floor: Limits = (),
        ceiling: Limits = (),
        undecided: str = "fail",
    ) -> Gate:
        """Judge a result as `calipers.gate` does, and give back the gate.

        A rule that fails fails the test. One that cannot be decided does what `undecided` says: "fail", "skip" or
        "pass". Without a baseline it is that of the run, if there is one. Figures are recorded as properties of the
        test, which `--junitxml` writes.
        """
        __tracebackhide__ = True
        from calipers.core.errors import require
        from calipers.results.asserting import message
        from calipers.results.gate import INVESTIGATE, gate

        require(undecided in UNDECIDED, "undecided", undecided, ", ".join(UNDECIDED))
        old = self.baseline if baseline is None else baseline
        outcome = gate(new, old, rules, max_drop=max_drop, floor=floor, ceiling=ceiling)
        self._record_figures(outcome.rows)
        ending = undecided if outcome.state == INVESTIGATE else outcome.state
        if ending == "fail":
            pytest.fail(message(outcome))
        if ending == "skip":
            pytest.skip(message(outcome))
        return outcome

    def _record_figures(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            for name in ("baseline", "new", "difference"):
                if row[name] is not None:
                    self._record(f"calipers.{row['metric']}.{name}", row[name])
