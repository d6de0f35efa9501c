"""Predictions where no object is annotated, and may be missing: the reason `not_annotated` of `suspect_search`.

Every result has a prediction in the place, or the score of one is among the top 1 % of its result. A place is listed
once, by the surest prediction, and agreement of all results comes first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import fsum
from typing import NamedTuple

from calipers.core.suspect_objects import ObjectRow, Overlaps, RunSummary, confidence
from calipers.core.suspects import NOT_ANNOTATED, Suspect

AGREED = 0.7  # overlap of predictions of two results
Near = dict[int, list[tuple[int, float]]]  # place -> places of the other list that agree, and overlaps
ListedPlaces = set[tuple[int, str, int]]  # predictions by the number of their result, key and index


def not_annotated(summaries: list[RunSummary], overlaps: Overlaps) -> Iterator[Suspect]:
    """Places that all results agree on, then those of top scores that are not among them."""
    listed: ListedPlaces = set()
    if len(summaries) > 1:
        yield from _agreed(summaries, overlaps, listed)
    yield from _top_scores(summaries, overlaps, listed)


def _suspect(row: ObjectRow, score: float, label: str | None, result: str) -> Suspect:
    return Suspect(row.key, row.side, row.position, result, NOT_ANNOTATED, row.label, label, score, row.place)


def _near(left: list[list[ObjectRow]], right: list[list[ObjectRow]], overlaps: Overlaps) -> list[Near]:
    near: list[Near] = [{} for _ in left]
    for record, i, j, overlap in overlaps.pairs(left, right, AGREED):
        near[record].setdefault(i, []).append((j, overlap))
    return near


# Top scores


class _TopPrediction(NamedTuple):
    """A prediction with a score at the top of its result, and the predictions of all results in its place."""

    run: int
    row: ObjectRow
    near: ListedPlaces


def _top_scores(summaries: list[RunSummary], overlaps: Overlaps, listed: ListedPlaces) -> Iterator[Suspect]:
    """Predictions with a score among the top 1 % of their result; of those in one place the surest."""
    tops = [top for run in range(len(summaries)) for top in _tops(run, summaries, overlaps)]
    tops.sort(key=lambda top: (-(top.row.score or 0), top.run, top.row.key, top.row.position))
    for run, row, near in tops:
        if near & listed:
            continue
        listed.add((run, row.key, row.position))
        share = len({other for other, _, _ in near}) / len(summaries)
        yield _suspect(row, confidence(row.score) * share, row.label, summaries[run].name)


def _tops(run: int, summaries: list[RunSummary], overlaps: Overlaps) -> Iterator[_TopPrediction]:
    top = summaries[run].top_score()
    if top is None:
        return
    own = [
        [row for row in rows if row.score is not None and row.score >= top] for rows in summaries[run].spurious.values()
    ]
    chosen = [rows for rows in own if rows]
    spurious = [[summary.spurious.get(rows[0].key, []) for rows in chosen] for summary in summaries]
    near = [_near(chosen, others, overlaps) for others in spurious]
    for record, rows in enumerate(chosen):
        for place, row in enumerate(rows):
            there = {
                (other, row.key, spurious[other][record][at].position)
                for other in range(len(summaries))
                for at, _ in near[other][record].get(place, ())
            }
            yield _TopPrediction(run, row, there | {(run, row.key, row.position)})


# Agreement of all results


class _Agreement(NamedTuple):
    """A prediction of one result, with those of all others in its place."""

    rows: list[ObjectRow]  # of each result, by name
    score: float
    label: str | None


def _agreed(summaries: list[RunSummary], overlaps: Overlaps, listed: ListedPlaces) -> Iterator[Suspect]:
    """Predictions without an annotation in whose place every result has one."""
    keys = sorted(set.intersection(*({*summary.spurious} for summary in summaries)))
    by_anchor: dict[int, list[str]] = {}
    for key in keys:
        counts = [len(summary.spurious[key]) for summary in summaries]
        by_anchor.setdefault(counts.index(min(counts)), []).append(key)
    for anchor, own in sorted(by_anchor.items()):
        lists = [[summary.spurious[key] for key in own] for summary in summaries]
        near = [_near(lists[anchor], other, overlaps) for other in lists]
        for record in range(len(own)):
            rows = [side[record] for side in lists]
            for agreement in _places(rows, [side[record] for side in near], anchor):
                listed |= {(run, row.key, row.position) for run, row in enumerate(agreement.rows)}
                shown = max(range(len(rows)), key=lambda run: (confidence(agreement.rows[run].score), -run))
                row = agreement.rows[shown]
                yield _suspect(row, agreement.score, agreement.label, summaries[shown].name)


def _places(rows: list[list[ObjectRow]], near: list[Near], anchor: int) -> Iterator[_Agreement]:
    """One agreement for each place of a record: the closest first, and no prediction in two."""
    taken: list[set[int]] = [set() for _ in rows]
    candidates = []
    for place, row in enumerate(rows[anchor]):
        agreed = [_partner(row, others, side.get(place, [])) for others, side in zip(rows, near, strict=True)]
        agreed[anchor] = place, 1.0
        partners = [partner for partner in agreed if partner is not None]
        if len(partners) == len(rows):
            candidates.append((_agreement(rows, partners, anchor), [place for place, _ in partners]))
    for agreement, places in sorted(candidates, key=lambda item: (-item[0].score, item[1])):
        if any(place in own for place, own in zip(places, taken, strict=True)):
            continue
        for place, own in zip(places, taken, strict=True):
            own.add(place)
        yield agreement


def _partner(row: ObjectRow, others: list[ObjectRow], near: list[tuple[int, float]]) -> tuple[int, float] | None:
    """The prediction of another result that agrees best: with the same label if there is one."""
    order = sorted(near, key=lambda item: (others[item[0]].label != row.label, -item[1], item[0]))
    return order[0] if order else None


def _agreement(rows: list[list[ObjectRow]], partners: list[tuple[int, float]], anchor: int) -> _Agreement:
    chosen = [own[place] for own, (place, _) in zip(rows, partners, strict=True)]
    labels = Counter(row.label for row in chosen)
    label = min(labels, key=lambda name: (-labels[name], name is None, name or ""))
    overlap = fsum(value for run, (_, value) in enumerate(partners) if run != anchor) / (len(rows) - 1)
    surest = fsum(confidence(row.score) for row in chosen) / len(rows)
    return _Agreement(chosen, overlap * surest * labels[label] / len(rows), label)
