"""Whether a result is allowed: rules, each with pass, fail or investigate.

- floor, ceiling: the new value keeps the limit, or it does not. Such a rule is about this set, not about noise.
- max_drop: fails when the figure dropped by more than allowed, and surely dropped (see `power`). Passes when the drop
  is surely no larger than allowed, or when it is not larger and the set is large enough: a drop of that size would be
  detected in 80 % of cases. In between the set is too small for the rule, and somebody should look.
- What is undefined, or has no interval for a max_drop, is for somebody to look at.

Of equal models hardly more than 2.5 % fail, however many figures may not drop.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.core.config import checked_keywords
from calipers.core.errors import ConfigError, keyword
from calipers.core.figures import SHARE, Figure
from calipers.files.output import to_json
from calipers.results import gate_ci
from calipers.results import gate_text as views
from calipers.results.artifacts import Result, read_result
from calipers.results.compare import FigureChange, compare_results
from calipers.results.gate_rules import Rule, make_rules
from calipers.results.power import Noise, noise_of
from calipers.results.slice_changes import slice_rule
from calipers.show.figures import full_name

if TYPE_CHECKING:
    from calipers.results.source_types import Limits, ResultSource, RuleSource

PASS, FAIL, INVESTIGATE = "pass", "fail", "investigate"
EXIT_CODES = {PASS: 0, FAIL: 1, INVESTIGATE: 4}


class Gate:
    """The outcome of a gate: `state`, `exit_code`, and `rows`, one per rule. `str(gate)` is its table."""

    def __init__(self, tree: dict[str, Any]) -> None:
        self.tree = tree

    @property
    def state(self) -> str:
        """Fail if a rule fails, else investigate if one cannot decide, else pass."""
        return str(self.tree["state"])

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0, 1 or 4."""
        return EXIT_CODES[self.state]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One row per rule."""
        return list(self.tree["rows"])

    def __str__(self) -> str:
        return views.table(self.tree)

    def __repr__(self) -> str:
        states = Counter(row["state"] for row in self.tree["rows"])
        return f"<Gate {self.state}: {', '.join(f'{n} {state}' for state, n in sorted(states.items()))}>"

    def to_json(self) -> bytes:
        """All fields as canonical JSON."""
        return to_json(self.tree)

    def to_markdown(self) -> str:
        """The table for a page or the summary of a workflow."""
        return views.markdown(self.tree)

    def to_junit(self) -> bytes:
        """A test case for each rule, as JUnit XML."""
        return views.junit(self.tree)

    def to_github(self) -> str:
        """Commands of a GitHub workflow: a line for each rule that does not pass, and one for the whole."""
        return gate_ci.github(self.tree)

    def to_gitlab(self) -> bytes:
        """A code quality report for GitLab: an issue for each rule that does not pass."""
        return gate_ci.gitlab(self.tree)


@checked_keywords
def gate(
    new: ResultSource,
    baseline: ResultSource | None = None,
    rules: RuleSource | None = None,
    *,
    max_drop: Limits = (),
    floor: Limits = (),
    ceiling: Limits = (),
) -> Gate:
    """Judge a result by rules, those about drops against a baseline.

    Args:
        new: The result, as `compare` takes it.
        baseline: The result to drop from, for `max_drop`.
        rules: The path of a TOML file, or a list of what its tables hold.
        max_drop: How far a figure may drop, by its name; also as texts "NAME=NUMBER".
        floor: The least that a figure may be, in the same forms.
        ceiling: The most that a figure may be, in the same forms.

    Returns:
        The gate: its `state` is pass, fail or investigate, its `exit_code` 0, 1 or 4, and `rows` has one for each rule.

    Raises:
        ConfigError: No rule was given, a figure does not exist, a limit cannot be meant, or a baseline is missing or
            not comparable.
        InputError: A result cannot be read.

    Examples:
        >>> from calipers import dense
        >>> box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
        >>> report = dense([{"id": str(k), "gt_norm1000": [box], "pred": [box] * (k % 3 > 0)} for k in range(9)])
        >>> checked = gate(report, floor={"recall": 0.75, "precision": 0.9})
        >>> checked.state, [(row["metric"], row["state"]) for row in checked.rows]
        ('fail', [('category.recall', 'fail'), ('category.precision', 'pass')])
        >>> gate(report, report, max_drop={"mean_f1": 0.01}).exit_code
        0
    """
    chosen = make_rules(rules, {"max_drop": max_drop, "floor": floor, "ceiling": ceiling})
    result = read_result(new, "new")
    return judge(result, None if baseline is None else read_result(baseline, "baseline"), chosen)


def judge(new: Result, baseline: Result | None, rules: list[Rule]) -> Gate:
    """Apply the rules to a result and its baseline."""
    named = [(_figure_name(rule.metric, new), rule) for rule in rules]
    if baseline is None and (drop := next((rule for rule in rules if rule.kind == "max_drop"), None)):
        expected = f"expected a baseline ({keyword('baseline', 'OLD')})"
        raise ConfigError(f"max_drop {drop.metric}: needs a result to drop from, {expected}")
    figures = new.figures | (new.sliced.by_name() if any(name not in new.figures for name, _ in named) else {})
    for name, rule in named:
        _check_limit(figures[name], rule)
    changes = compare_results(baseline, new, force=None).changes if baseline else {}
    drops = len({name for name, rule in named if rule.kind == "max_drop"})
    rows = [_row(rule, figures[name], changes.get(name), drops) for name, rule in named]
    states = [row["state"] for row in rows]
    return Gate(
        {
            "gate": "gate/1",
            "suite": new.tree["suite"],
            "protocol": new.tree["protocol"],
            "new": new.name,
            "baseline": baseline and baseline.name,
            "state": next((state for state in (FAIL, INVESTIGATE) if state in states), PASS),
            "rows": rows,
        }
    )


def _figure_name(metric: str, new: Result) -> str:
    """The full name of the figure that a rule asks for, in all or, as METRIC@FIELD=VALUE, in a slice."""
    if "@" in metric and metric not in new.figures:
        return slice_rule(metric, new.figures, new.sliced, new.tree)
    return full_name(metric, new.figures, new.tree)


def _check_limit(figure: Figure, rule: Rule) -> None:
    """Refuse limits of a share that no result could pass or fail, which are most likely percentages."""
    if figure.unit == SHARE and not 0 <= rule.limit <= 1:
        expected = f"expected from 0 to 1: {figure.name} is a share"
        raise ConfigError(f"{rule.kind} {rule.metric}: found {rule.limit:g}, {expected}")
    if figure.unit == SHARE and rule.kind == "max_drop" and rule.limit == 1:
        raise ConfigError(f"max_drop {rule.metric}: found 1, which allows any drop (1 % is 0.01)")


class Verdict(NamedTuple):
    """The verdict of a rule, with the reason if it does not pass."""

    state: str
    reason: str | None = None


def _row(rule: Rule, figure: Figure, change: FigureChange | None, drops: int) -> dict[str, Any]:
    noise = noise_of(change, drops) if change and rule.kind == "max_drop" else None
    verdict = _drop(rule, figure, change, noise) if rule.kind == "max_drop" else _limit(rule, figure)
    return {
        "metric": figure.name,
        "asked": rule.metric,
        "rule": rule.kind,
        "limit": rule.limit,
        "baseline": change.old.value if change else None,
        "new": figure.value,
        "difference": change.difference if change else None,
        "interval": change.interval if change else None,
        "new_interval": figure.interval,
        "higher_is_better": figure.higher_is_better,
        "n": figure.n,
        "detectable_drop": (noise.detectable or None) if noise else None,  # results that never differ tell nothing
        "state": verdict.state,
        "reason": verdict.reason,
    }


def _limit(rule: Rule, figure: Figure) -> Verdict:
    """A floor or a ceiling."""
    if figure.value is None:
        return Verdict(INVESTIGATE, f"undefined in the new result (n {figure.n})")
    if rule.kind == "floor":
        return Verdict(PASS) if figure.value >= rule.limit else Verdict(FAIL, "below the floor")
    return Verdict(PASS) if figure.value <= rule.limit else Verdict(FAIL, "above the ceiling")


def _drop(rule: Rule, figure: Figure, change: FigureChange | None, noise: Noise | None) -> Verdict:
    """A drop against the baseline, of a figure that may be noisy."""
    if figure.higher_is_better is None:
        raise ConfigError(f"max_drop {rule.metric}: has no better direction, expected a floor or a ceiling")
    if change is None:
        return Verdict(INVESTIGATE, "not in the baseline")
    if change.difference is None:
        return Verdict(INVESTIGATE, f"undefined in the {'new result' if figure.value is None else 'baseline'}")
    if noise is None:
        why = "fewer than 2 records" if figure.replicates is not None else f"{figure.name} has no replicates"
        return Verdict(INVESTIGATE, f"no interval, so noise is not known: {why}")
    return decided(noise, rule.limit)


def decided(noise: Noise, allowed: float) -> Verdict:
    """The state of a rule for a drop with its noise."""
    if noise.drop > allowed and noise.low > 0:
        return Verdict(FAIL, "dropped by more than allowed, and not by chance")
    if noise.high <= allowed or (noise.drop <= allowed and noise.detectable <= allowed):
        return Verdict(PASS)
    return Verdict(INVESTIGATE, f"too little data to tell a drop of {allowed:g} from noise")
