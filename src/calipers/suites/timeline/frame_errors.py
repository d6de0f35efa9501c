"""Wrong frames by kind: how predicted activations differ from true ones, and what each kind is worth.

A side is active in every frame in which it is not idle. A video is cut into the longest stretches in which truth and
prediction are both constant as active or idle; beyond its ends neither is active. The kind of a stretch with one side
active depends on which of its two neighbours have both sides active:

    neighbours with both    active in the prediction only      active in the truth only
    neither                 insertion                          deletion
    left and right          merge                              fragmentation
    right                   overfill_start   began early       underfill_start   began late
    left                    overfill_end     ended late        underfill_end     ended early

Frames in which both sides are active and the states differ are a `substitution`; a stretch of it is a run of frames
with the same true and the same predicted state, as long as it gets.

    truth   ..AAAA....II..      A, E, I are active, a dot is idle
    pred    .EEAA.AAA.II..
             sx  eiii           s overfill_start, x substitution, e underfill_end, i insertion

Every wrong frame is of one kind: the frames of all kinds add up to all wrong frames. What a kind is worth is the mean
over videos of its frames / frames compared, by which frame accuracy would grow if all of them were right. What all
kinds are worth and the mean frame accuracy add up to 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from calipers.core.tally import exact_sum
from calipers.kernels.count.timelines import FRAME_ERRORS as KINDS
from calipers.kernels.scan.intervals import rows_as_dicts
from calipers.suites.timeline.states import Floats, StateCounts, ratio

if TYPE_CHECKING:
    from calipers.suites.timeline.summarize import Averages

COUNTED = ("frames", "stretches")
BOTH = (True, True)  # active in the truth, active in the prediction
KIND = {  # by sides that are active, then by whether the left and the right neighbour have both
    ((False, True), (False, False)): "insertion",
    ((False, True), (True, True)): "merge",
    ((False, True), (False, True)): "overfill_start",
    ((False, True), (True, False)): "overfill_end",
    ((True, False), (False, False)): "deletion",
    ((True, False), (True, True)): "fragmentation",
    ((True, False), (False, True)): "underfill_start",
    ((True, False), (True, False)): "underfill_end",
}
Run = tuple[str, int, int]  # state, first frame, last frame


def error_shares(counts: StateCounts) -> dict[str, Floats]:
    """Frames of each kind / frames compared, of every video."""
    return {kind: ratio(counts.count(f"{kind}_frames"), counts.count("frames")) for kind in KINDS}


def worth_tree(shares: dict[str, Floats], averages: Averages) -> dict[str, Any]:
    """What each kind is worth in frame accuracy, with its interval; the averages are of these columns too."""
    entries = {kind: averages.of(column) for kind, column in shares.items()}
    return {"frame_accuracy": {kind: {"gain": mean, "interval": ends} for kind, (_, mean, _, ends) in entries.items()}}


def error_trees(counts: StateCounts, rows: slice, count: int) -> list[dict[str, dict[str, int]]]:
    """Frames and stretches of each kind, of some videos."""
    columns = [[counts.count(f"{kind}_{name}")[rows].tolist() for name in COUNTED] for kind in KINDS]
    return rows_as_dicts(list(KINDS), [rows_as_dicts(list(COUNTED), column, count) for column in columns], count)


def pooled_errors(counts: StateCounts) -> dict[str, dict[str, int]]:
    """Frames and stretches of each kind, of all videos."""
    return {kind: {name: exact_sum(counts.count(f"{kind}_{name}")) for name in COUNTED} for kind in KINDS}


def error_stretches(truth: Sequence[Run], pred: Sequence[Run], idle: str) -> list[Run]:
    """Every stretch of wrong frames as (kind, first frame, last frame), in order; both sides cover the same frames.

    >>> error_stretches([("a", 0, 3), ("idle", 4, 9)], [("idle", 0, 1), ("b", 2, 5), ("idle", 6, 9)], "idle")
    [('underfill_start', 0, 1), ('substitution', 2, 3), ('overfill_end', 4, 5)]
    """
    groups = groupby(_pieces(truth, pred), key=lambda piece: (piece[0] != idle, piece[1] != idle))
    stretches = [(active, list(pieces)) for active, pieces in groups]
    runs: list[Run] = []
    for place, (active, pieces) in enumerate(stretches):
        if active == BOTH:
            runs += [("substitution", first, last) for a, b, first, last in pieces if a != b]
        elif any(active):
            left = place > 0 and stretches[place - 1][0] == BOTH
            right = place + 1 < len(stretches) and stretches[place + 1][0] == BOTH
            runs.append((KIND[active, (left, right)], pieces[0][2], pieces[-1][3]))
    return runs


def _pieces(truth: Sequence[Run], pred: Sequence[Run]) -> Iterator[tuple[str, str, int, int]]:
    """True state, predicted state, first and last frame of each stretch in which neither changes."""
    t = p = start = 0
    while t < len(truth) and p < len(pred):
        end = min(truth[t][2], pred[p][2])
        yield truth[t][0], pred[p][0], start, end
        t, p, start = t + (truth[t][2] == end), p + (pred[p][2] == end), end + 1
