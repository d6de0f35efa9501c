"""A few lines for a run whose headline is low: what overlaps, and which other reading would fit.

A headline that is next to nothing is explained. One that is poor may come from one kind of shape, from some of the
boxes or from some of the videos that are read wrongly: one line names a reading that would fit far better, if there is
one. It is tried on a few records, so that it takes a moment.
"""

from __future__ import annotations

from typing import Any

from calipers.core.errors import InputError
from calipers.core.survey import SidesCheck
from calipers.report import Report
from calipers.results.check_text import MORE, better_lines, hint_lines
from calipers.suite import suite_of_tree


def hints(report: Report, *inputs: Any) -> list[str]:
    """Lines for every part of a report that is next to nothing, or one for a poor one that may be read otherwise."""
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
    """Where more is to be had, if `check` can read the inputs."""
    return MORE if sides.is_checkable else ""
