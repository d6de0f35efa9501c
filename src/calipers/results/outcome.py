"""What a command says of a result that is more often due to a mistake than to a bad model.

A run in which nothing was evaluated is done, as every record says why it was left out; no figure of it is defined, so
that no gate passes on it. A model that predicts nothing, or only what cannot be read, has a result, and it is 0. Both
are said, as they are more often a mistake in a file than in a model.

A headline that is next to nothing is explained. One that is poor may come from one kind of shape, from some of the
boxes or from some of the videos that are read wrongly: one line names a reading that would fit far better, if there is
one. It is tried on a few records, so that it takes a moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.core.interpretations import POOR
from calipers.core.survey import NOTHING, SidesCheck, nothing_evaluated
from calipers.report import Report
from calipers.results.check_text import MORE, better_lines, hint_lines
from calipers.show.doubts import CHECK
from calipers.show.text import printable
from calipers.suite import Suite, Tree, suite_of_tree


class Remarks(NamedTuple):
    """What is said of a result beside its numbers."""

    warnings: list[str]
    hints: list[str]  # other readings of the inputs


def remarks_on(suite: Suite, report: Report, *inputs: Any) -> Remarks:
    """Doubts and hints about a result, from its suite and from the inputs it was made from."""
    tree = report.tree
    may_be_misread = suite.headlines is None or any(
        value is not None and value < POOR for value in suite.headlines(tree)
    )
    hints = hint(report, *inputs) if may_be_misread else []
    doubts = suite.doubts(tree, hints) if suite.doubts else ()
    return Remarks([*doubts, *doubts_of(report)], hints)


def why_nothing_evaluated(report: Report) -> str | None:
    """The message about a result in which nothing was evaluated, with the first reason; None for any other."""
    suite, tree = suite_of_tree(report.tree), report.tree
    if suite.counts(tree).evaluated and not (suite.is_empty and suite.is_empty(tree)):
        return None
    return f"{nothing_evaluated(suite.record, suite.counts(tree).read, _first_reason(suite, report))} ({CHECK})"


def _first_reason(suite: Suite, report: Report) -> str:
    """Why the first record was not evaluated."""
    if suite.first_reason and (reason := suite.first_reason(report.tree)):
        return reason
    if report["rejected"]:
        first = report["rejected"][0]
        places = (str(first[name]) for name in ("path", "line", "video", "place") if first.get(name) is not None)
        return printable(f"{':'.join(places)}: {first['problem']}")
    return NOTHING


def hint(report: Report, *inputs: Any) -> list[str]:
    """Lines that explain a headline below 0.05, by other readings of the same inputs.

    A headline below 0.5 has one line, and only if another reading fits far better. Any other headline has none.

    Inputs are those of the suite: the dumps; or ground truth and predictions; or ground truth and methods by name.
    """
    survey = suite_of_tree(report.tree).survey
    if survey is None:
        return []
    try:
        low = list(survey.explain_low(report, *inputs)) if survey.explain_low else []
        poor = list(survey.explain_poor(report, *inputs)) if survey.explain_poor else []
    except InputError:  # what was read a moment ago is gone
        return []
    better = [line for sides, who in poor for line in better_lines(sides.tree(), who, _more(sides))]
    return [*(line for sides in low for line in hint_lines(sides.tree(), _more(sides))), *better]


def _more(sides: SidesCheck) -> str:
    """A pointer to `calipers check`, if that can read the inputs."""
    return MORE if sides.is_checkable else ""


def doubts_of(report: Report) -> Iterator[str]:
    """Lines of warning about a result that may be right and is more often a mistake."""
    suite = suite_of_tree(report.tree)
    yield from _given_twice(report.tree, suite.same_input_hint)
    if suite.hopeless_predictions:
        yield from suite.hopeless_predictions(report)
    if message := why_nothing_evaluated(report):
        yield message


def _given_twice(tree: Tree, meaning: str) -> Iterator[str]:
    """A warning for every input with the same content as another one, whatever their names."""
    seen: dict[str, str] = {}
    for entry in tree["inputs"]:
        if entry["sha256"] is not None and entry["sha256"] in seen:
            first, second = printable(seen[entry["sha256"]]), printable(entry["path"])
            twice = f"{first} is given twice" if first == second else f"{first} and {second} are the same file"
            yield f"{twice}{meaning}"
        seen.setdefault(entry["sha256"] or "", entry["path"])
