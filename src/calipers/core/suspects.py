"""Places where the annotation is more likely wrong than the model: what they are, and how a suite finds them.

Reasons, in the order of `REASONS`, which breaks ties of the score:

    wrong_label       a prediction lies on the object, and says another label
    not_annotated     predictions of every result, or one with a score among the top 1 %, lie where no object is
    never_found       no result finds the object, though each finds its neighbours
    near_duplicate    another object of the same label lies in the same place
    odd_size          the object is far larger or smaller than others of its label
    shifted_boundary  every result puts the boundary of two states elsewhere, by the same offset

A place has one row, that of its strongest reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from calipers.core.changes import MatchRows

Tree = Mapping[str, Any]
Case = dict[str, Any]
WRONG_LABEL, NOT_ANNOTATED, NEVER_FOUND, NEAR_DUPLICATE, ODD_SIZE, SHIFTED_BOUNDARY = REASONS = (
    "wrong_label",
    "not_annotated",
    "never_found",
    "near_duplicate",
    "odd_size",
    "shifted_boundary",
)
COLUMNS = ("key", "side", "index", "result", "reason", "label", "suggested", "score")
DIGITS = 6  # of a score


class Suspect(NamedTuple):
    """A place to look at. Its first fields are the columns of the table."""

    key: str  # of the record
    side: str  # "gt", or "pred" where the annotation lacks something
    position: int  # `index` of the table: which object of its record, or which boundary of the ground truth, from 0
    result: str | None  # whose prediction it is
    reason: str
    label: str | None
    suggested: str | int | None  # another label, or the frame of a boundary
    score: float  # from 0 to 1, the larger the more likely
    place: int = -1  # what the cases of its result call the index


class SuspectRun(NamedTuple):
    """A result with its objects: the table of all of them, and the cases."""

    name: str
    group: str  # the method, where a suite measures several
    tree: Tree
    rows: MatchRows
    cases: Callable[[], Iterator[Case]]  # of this method


class SuspectSearch(NamedTuple):
    """What was found, and what was not looked at."""

    suspects: list[Suspect]
    notes: list[str]


class SuspectSpec(NamedTuple):
    """How a suite finds suspects, and what its page needs to draw them."""

    find: Callable[[list[SuspectRun]], SuspectSearch]
    truth_case: Callable[[str, list[Any]], Case] | None = None  # a case of annotations alone: key, object rows
    truth_rows: Callable[[SuspectRun], Iterator[Any]] | None = None  # object rows of a result
    draw: Callable[..., list[Any]] | None = None  # sections that draw all results in one picture


def one_each(suspects: Iterable[Suspect]) -> list[Suspect]:
    """The strongest reason of every place, the most likely first.

    >>> twice = [Suspect("a", "gt", 0, None, reason, "cat", None, score) for reason, score in
    ...     (("odd_size", 0.6), ("wrong_label", 0.6), ("near_duplicate", 0.5))]
    >>> [suspect.reason for suspect in one_each(twice)]
    ['wrong_label']
    """
    places: dict[Any, Suspect] = {}
    rounded = (suspect._replace(score=round(suspect.score, DIGITS)) for suspect in suspects)
    for suspect in sorted((suspect for suspect in rounded if suspect.score > 0), key=by_score):
        places.setdefault((suspect.key, suspect.side, suspect.position, suspect.result), suspect)
    return list(places.values())


def by_score(suspect: Suspect) -> tuple[Any, ...]:
    """Sorts suspects: the most likely first, then by reason and place."""
    named = suspect.side, suspect.position, suspect.result or ""
    return (-suspect.score, REASONS.index(suspect.reason), suspect.key, *named)
