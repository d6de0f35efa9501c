"""The optimal matching: as many pairs as possible, then the largest total overlap, by scipy's assignment solver.

A pair is worth its overlap plus more than all overlaps of its group together, so one more pair always wins. Worths are
whole numbers; where a group is so large that they would not be exact in floats, it is refused.
"""

from __future__ import annotations

import numpy as np

from calipers.errors import CalipersError
from calipers.matching import UNIT, Labels, Pairs, allowed

LARGEST_EXACT = 2**53


def solve(pairs: Pairs, least: int, labels: Labels | None) -> Pairs:
    """See `matching.optimal`."""
    positions = allowed(pairs, least, labels)
    chosen: list[int] = []
    for group in _groups(pairs, positions):
        chosen += _solve_group(pairs, group)
    return pairs.take(sorted(chosen))


def _groups(pairs: Pairs, positions: list[int]) -> list[list[int]]:
    """Positions whose objects hang together."""
    parent: dict[tuple[str, int], tuple[str, int]] = {}

    def root(node: tuple[str, int]) -> tuple[str, int]:
        while parent.setdefault(node, node) != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for position in positions:
        parent[root(("truth", pairs.truth[position]))] = root(("pred", pairs.pred[position]))
    groups: dict[tuple[str, int], list[int]] = {}
    for position in positions:
        groups.setdefault(root(("truth", pairs.truth[position])), []).append(position)
    return list(groups.values())


def _solve_group(pairs: Pairs, group: list[int]) -> list[int]:
    truths, preds = (sorted({column[position] for position in group}) for column in (pairs.truth, pairs.pred))
    if len(truths) == 1 or len(preds) == 1:
        return group[:1]  # sorted: the closest
    from scipy.optimize import linear_sum_assignment

    smaller = min(len(truths), len(preds))
    if (smaller + 1) ** 2 * UNIT > LARGEST_EXACT:
        raise CalipersError(
            f"optimal: a group of {smaller} objects, expected at most 93 that hang together; use greedy"
        )
    worth = np.zeros((len(truths), len(preds)))
    at = {}
    for position in group:
        cell = truths.index(pairs.truth[position]), preds.index(pairs.pred[position])
        worth[cell] = (smaller + 1) * UNIT + pairs.score[position]
        at[cell] = position
    rows, columns = linear_sum_assignment(worth, maximize=True)
    return [at[cell] for cell in zip(rows.tolist(), columns.tolist(), strict=True) if cell in at]
