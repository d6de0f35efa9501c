"""Gates as assertions, for pytest and its like.

    def test_the_new_model_is_no_worse():
        assert_not_worse("new/", "baseline/result.json", max_drop={"mean_f1": 0.01})

Each function gives back the gate, or raises an AssertionError with the figures of both results side by side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from calipers.core.errors import require
from calipers.results.gate import FAIL, INVESTIGATE, PASS, Gate, gate
from calipers.results.gate_text import verdict

if TYPE_CHECKING:
    from calipers.results.source_types import Limits, ResultSource, RuleSource


def assert_not_worse(
    new: ResultSource, old: ResultSource, max_drop: Limits, *, undecided: str = FAIL, rules: RuleSource | None = None
) -> Gate:
    """Assert that no figure dropped by more than allowed, as far as noise lets one say.

    Args:
        new: The result under test: a file, a folder, a report or its tree.
        old: The result to drop from.
        max_drop: How far each figure may drop, by its name; also as texts "NAME=NUMBER".
        undecided: What a rule does that cannot be decided: "fail" or "pass".
        rules: Further rules: the path of a TOML file, or a list of what its tables hold.

    Returns:
        The gate.

    Raises:
        AssertionError: A figure dropped by more than allowed, or, unless `undecided` is "pass", the data cannot tell.
        ConfigError: A figure does not exist, or the results cannot be compared.

    Examples:
        >>> from calipers import dense
        >>> box, far = ({"type": "bbox_2d", "points": [x, 0, x + 9, 9], "desc": "类别=标签"} for x in (0, 50))
        >>> old, new = (
        ...     dense([{"id": str(k), "gt_norm1000": [box], "pred": [far if k % n == 0 else box]} for k in range(60)])
        ...     for n in (10, 3)
        ... )
        >>> assert_not_worse(new, old, max_drop={"recall": 0.01})
        Traceback (most recent call last):
        AssertionError: FAIL: the rule fails · category recall: dropped by more than allowed, and not by chance
          metric            base    new       Δ        95 % of Δ  rule           state
        ! category recall  0.900  0.667  −0.233  −0.383 … −0.099  drop <= 0.010  FAIL
          smallest drop this set can detect (80 % power): recall 0.208
        >>> assert_not_worse(new, old, max_drop={"recall": 0.5})
        <Gate pass: 1 pass>
    """
    __tracebackhide__ = True
    return assert_gate(new, old, rules, max_drop=max_drop, undecided=undecided)


def assert_gate(
    new: ResultSource,
    baseline: ResultSource | None = None,
    rules: RuleSource | None = None,
    *,
    max_drop: Limits = (),
    floor: Limits = (),
    ceiling: Limits = (),
    undecided: str = FAIL,
) -> Gate:
    """Assert that every rule of a gate passes.

    Args:
        new: The result under test: a file, a folder, a report or its tree.
        baseline: The result to drop from, for `max_drop`.
        rules: The path of a TOML file, or a list of what its tables hold.
        max_drop: How far a figure may drop, by its name; also as texts "NAME=NUMBER".
        floor: The least that a figure may be, in the same forms.
        ceiling: The most that a figure may be, in the same forms.
        undecided: What a rule does that cannot be decided: "fail" or "pass".

    Returns:
        The gate.

    Raises:
        AssertionError: A rule fails, or, unless `undecided` is "pass", cannot be decided.
        ConfigError: No rule was given, a figure does not exist, or the results cannot be compared.
    """
    __tracebackhide__ = True
    require(undecided in (FAIL, PASS), "undecided", undecided, "fail or pass")
    outcome = gate(new, baseline, rules, max_drop=max_drop, floor=floor, ceiling=ceiling)
    if outcome.state == FAIL or (outcome.state == INVESTIGATE and undecided == FAIL):
        raise AssertionError(message(outcome))
    return outcome


def message(outcome: Gate) -> str:
    """The closing line of a gate first, since short reports show no more, then its table."""
    return "\n".join([verdict(outcome.tree), *str(outcome).split("\n")[:-1]])
