"""The section of an artifact about answers of models, against itself."""

from __future__ import annotations

from calipers.core.arithmetic import Tree, at_most, equal
from calipers.files.answers.records import STATUSES


def check_answers(answers: Tree, max_answers: int, of_what: str) -> None:
    """Check that answers by family and by status are the same ones, and that there are not too many."""
    total = sum(answers["families"].values())
    by_status = sum(answers[name] for name in STATUSES)
    equal(total, by_status, ("answers", "families"), "the sum of ok, repaired, truncated and failed")
    at_most(total, max_answers, ("answers", "families"), of_what)
