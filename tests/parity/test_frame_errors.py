"""Kinds of wrong frames against a look at each frame by itself, and the sums they keep."""

from math import fsum, isclose

from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.suites.timeline.frame_errors import KINDS

from ..profiles import examples
from . import timelines
from .timelines import evaluate, last_frame, painted

thorough = settings(derandomize=True, deadline=None, max_examples=examples(250))
idles = st.sampled_from(("outside", "outside", "inside", "nowhere"))
extents = st.sampled_from(("union", "gt"))


def kind_at(truth: list[str], pred: list[str], frame: int, idle: str) -> str | None:
    """The kind of one frame: go left and right until an activation begins or ends on either side."""
    here = truth[frame] != idle, pred[frame] != idle
    if truth[frame] == pred[frame]:
        return None
    if here == (True, True):
        return "substitution"

    def next_has_both(step: int) -> bool:
        at = frame
        while 0 <= at < len(truth):
            sides = truth[at] != idle, pred[at] != idle
            if sides != here:
                return sides == (True, True)
            at += step
        return False

    left, right = next_has_both(-1), next_has_both(1)
    if not left and not right:
        return "insertion" if here[1] else "deletion"
    if left and right:
        return "merge" if here[1] else "fragmentation"
    return f"{'overfill' if here[1] else 'underfill'}_{'start' if right else 'end'}"


def counted(truth: list[str], pred: list[str], idle: str) -> dict[str, dict[str, int]]:
    """Frames of each kind; a stretch begins where the frame before is of another kind, or, substituted, of others."""
    found = {kind: {"frames": 0, "stretches": 0} for kind in KINDS}
    before = None
    for frame in range(len(truth)):
        kind = kind_at(truth, pred, frame, idle)
        here = (kind, truth[frame], pred[frame]) if kind == "substitution" else kind
        if kind is not None:
            found[kind]["frames"] += 1
            found[kind]["stretches"] += here != before
        before = here
    return found


def frames_of(truth: timelines.States, pred: timelines.States, idle: str, extent: str) -> tuple[list[str], list[str]]:
    frames = 1 + (last_frame(truth) if extent == "gt" else last_frame(truth, pred))
    return painted(truth, frames, idle), painted(pred, frames, idle)


@thorough
@given(st.lists(timelines.pairs(most=14), min_size=1, max_size=4), idles, extents)
def test_every_frame_is_of_the_kind_that_its_own_surroundings_say(sides, idle, extent):
    report = evaluate(*sides, idle=idle, extent=extent)
    expected = [counted(*frames_of(*side, idle, extent), idle) for side in sides]
    for number, errors in enumerate(expected):
        assert report["videos"][str(number)]["frame_errors"] == errors
    for kind in KINDS:
        for name in ("frames", "stretches"):
            assert report["pooled"]["frame_errors"][kind][name] == sum(each[kind][name] for each in expected)


@thorough
@given(st.lists(timelines.pairs(most=14), min_size=1, max_size=5), idles, extents)
def test_kinds_add_up_to_all_wrong_frames_and_worth_to_what_accuracy_lacks(sides, idle, extent):
    report = evaluate(*sides, idle=idle, extent=extent)
    shares: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for video in report["videos"].values():
        assert sum(each["frames"] for each in video["frame_errors"].values()) == video["time_in_error_frames"]
        for kind, each in video["frame_errors"].items():
            shares[kind].append(each["frames"] / video["counts"]["frames"])
    gains = {kind: each["gain"] for kind, each in report["worth"]["frame_accuracy"].items()}
    for kind, gain in gains.items():
        assert isclose(gain, fsum(shares[kind]) / len(sides), rel_tol=1e-12, abs_tol=1e-12)
    assert isclose(fsum([*gains.values(), report["summary"]["frame_accuracy_mean"]]), 1, rel_tol=1e-12)


@thorough
@given(timelines.pairs(most=14), idles)
def test_stretches_of_a_case_are_the_frames_of_each_kind(side, idle):
    case = evaluate(side, idle=idle).cases_of(["0"])["0"]
    truth, pred = frames_of(*side, idle, "union")
    kinds: list[str | None] = [None] * len(truth)
    for kind, first, last in case["frame_errors"]:
        kinds[first : last + 1] = [kind] * (last + 1 - first)
    assert kinds == [kind_at(truth, pred, frame, idle) for frame in range(len(truth))]
    assert [run[1:] for run in case["frame_errors"]] == sorted(run[1:] for run in case["frame_errors"])


@thorough
@given(timelines.pairs(most=14))
def test_the_other_way_round_every_kind_is_its_opposite(side):
    """Truth and prediction exchanged: what was inserted is deleted, what began early begins late."""
    opposite = dict(zip(KINDS, (*KINDS[4:8], *KINDS[:4], "substitution"), strict=True))
    truth, pred = side
    if not any(pred.values()):
        return
    here, there = (evaluate(each)["videos"]["0"]["frame_errors"] for each in (side, (pred, truth)))
    assert here == {kind: there[opposite[kind]] for kind in KINDS}
