"""Intervals painted to runs, and runs of two sides paired: drawn by hand, and against every frame and every pairing.

In drawings a letter is a frame of a state, a dot an idle one.
"""

import random
from itertools import combinations, groupby, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.kernels.count.spans import painted_runs
from calipers.kernels.count.timelines import COUNTS, measure
from calipers.kernels.scan.column import int_column
from calipers.kernels.scan.intervals import LARGEST_FRAME, IntervalColumns

from ...profiles import examples

deterministic = settings(derandomize=True, deadline=None, max_examples=examples(200))
Interval = tuple[str, int, int]  # state, first frame, last frame


def columns_of(*videos: list[Interval]) -> tuple[IntervalColumns, list[str]]:
    """Columns of some videos, and the names of states in order; idle is "."."""
    columns = IntervalColumns({".": 0})
    for intervals in videos:
        given: dict[str, list[list[int]]] = {}
        for state, start, end in intervals:
            given.setdefault(state, []).append([start, end])
        assert columns.add_video(given) is None
    return columns, sorted(columns.states)


def painted(intervals: list[Interval], frames: int) -> list[Interval]:
    columns, names = columns_of(intervals)
    return runs(columns, names, 0, frames)


def runs(columns: IntervalColumns, names: list[str], video: int, frames: int) -> list[Interval]:
    ranks = int_column([names.index(name) for name in columns.states])
    found = painted_runs(columns, ranks, video, frames, names.index("."))
    return [(names[rank], start, end) for rank, start, end in found]


def drawn(intervals: list[Interval], frames: int) -> str:
    """The runs as a picture; they follow each other without gaps, and neighbours differ."""
    found = painted(intervals, frames)
    assert [start for _, start, _ in found] == [0, *(end + 1 for _, _, end in found[:-1])]
    assert all(a[0] != b[0] for a, b in pairwise(found))
    return "".join(state * (end - start + 1) for state, start, end in found)


# Painting, by hand


def test_frames_that_no_interval_covers_are_idle():
    assert drawn([("A", 2, 4), ("B", 7, 7)], 10) == "..AAA..B.."
    assert drawn([], 3) == "..."
    assert drawn([("A", 0, 0)], 1) == "A"


def test_the_interval_that_starts_later_wins():
    # A  0--------7
    # B     3-5
    assert drawn([("A", 0, 7), ("B", 3, 5)], 8) == "AAABBBAA"
    assert drawn([("A", 3, 5), ("B", 0, 7)], 8) == "BBBAAABB"
    assert drawn([("A", 0, 4), ("B", 3, 7)], 8) == "AAABBBBB"


def test_of_two_that_start_together_the_one_that_ends_earlier_wins():
    assert drawn([("A", 1, 6), ("B", 1, 3)], 8) == ".BBBAAA."
    assert drawn([("A", 1, 3), ("B", 1, 6)], 8) == ".AAABBB."


def test_of_two_alike_the_name_that_sorts_first_wins():
    assert drawn([("B", 1, 3), ("A", 1, 3)], 5) == ".AAA."
    assert drawn([("a", 1, 3), ("B", 1, 3)], 5) == ".BBB."  # by code point, not as in a dictionary


def test_an_idle_interval_is_painted_like_any_other():
    # A   0---------9
    # .      3--5         it starts later, so it cuts A in two
    assert drawn([("A", 0, 9), (".", 3, 5)], 10) == "AAA...AAAA"
    assert drawn([("A", 3, 5), (".", 0, 9)], 10) == "...AAA...."


def test_an_interval_comes_back_when_those_above_it_have_ended():
    # A  0------------------11
    # B     2-----------8
    # C        4----6
    # D           5---------9
    intervals = [("A", 0, 11), ("B", 2, 8), ("C", 4, 6), ("D", 5, 9)]
    assert drawn(intervals, 12) == "AABBCDDDDDAA"
    assert drawn(intervals[::-1], 12) == "AABBCDDDDDAA"


def test_intervals_of_one_state_that_touch_or_overlap_are_one_run():
    assert painted([("A", 0, 2), ("A", 3, 5), ("A", 5, 8), ("A", 1, 1)], 9) == [("A", 0, 8)]
    assert painted([("A", 0, 5), ("A", 0, 5)], 6) == [("A", 0, 5)]


def test_what_lies_beyond_the_last_frame_is_cut_off():
    assert drawn([("A", 2, 99), ("B", 50, 60)], 5) == "..AAA"
    assert drawn([("A", 5, 9)], 5) == "....."
    # cut off before it is painted: both end together now, so that the name decides, not the end
    assert drawn([("A", 1, 9), ("B", 1, 3)], 4) == ".AAA"


def test_frames_may_be_a_million_million():
    last = LARGEST_FRAME
    found = painted([("A", 0, last), ("B", last, last), ("C", last // 2, last // 2)], last + 1)
    assert found == [
        ("A", 0, last // 2 - 1),
        ("C", last // 2, last // 2),
        ("A", last // 2 + 1, last - 1),
        ("B", last, last),
    ]


def test_each_video_is_painted_on_its_own():
    columns, names = columns_of([("A", 0, 3)], [], [("B", 1, 2), ("A", 2, 2)])
    assert runs(columns, names, 0, 4) == [("A", 0, 3)]
    assert runs(columns, names, 1, 4) == [(".", 0, 3)]
    assert runs(columns, names, 2, 4) == [(".", 0, 0), ("B", 1, 1), ("A", 2, 2), (".", 3, 3)]


# Painting, frame by frame

states = st.sampled_from("ABC.")
frames = st.integers(0, 30)
intervals = st.tuples(states, frames, frames).map(lambda each: (each[0], *sorted(each[1:])))


def frame_by_frame(intervals: list[Interval], frames: int) -> str:
    """Of the intervals over a frame the one with the latest start, then the earliest end, then the first name."""
    cut = [(-start, min(end, frames - 1), state) for state, start, end in intervals]
    here = ([(a, b, s) for a, b, s in cut if -a <= frame <= b] for frame in range(frames))
    return "".join(min(each)[2] if each else "." for each in here)


@deterministic
@given(st.lists(intervals, max_size=12), st.integers(1, 35))
def test_runs_are_those_of_a_look_at_every_frame(intervals, frames):
    assert drawn(intervals, frames) == frame_by_frame(intervals, frames)


@pytest.mark.parametrize("count", [23, 24, 25, 26, 60, 300])
def test_many_intervals_are_painted_like_a_few(count):
    rng = random.Random(count)
    for _ in range(4):
        ends = [sorted((rng.randrange(200), rng.randrange(200))) for _ in range(count)]
        intervals = [(rng.choice("ABCDE."), *each) for each in ends]
        assert drawn(intervals, 200) == frame_by_frame(intervals, 200)
        nested = [(rng.choice("ABCDE."), k, 2 * count - k) for k in rng.sample(range(count), count)]
        assert drawn(nested, 2 * count + 1) == frame_by_frame(nested, 2 * count + 1)


# Overlapped frames


def counts_of(truth: list[Interval], pred: list[Interval], least: int = 1) -> dict[str, int]:
    columns = IntervalColumns(states := {".": 0}), IntervalColumns(states)
    for side, intervals in zip(columns, (truth, pred), strict=True):
        by_state = groupby(sorted(intervals), key=lambda each: each[0])
        assert side.add_video({state: [[a, b] for _, a, b in group] for state, group in by_state}) is None
    names = sorted(states)
    table, _, _ = measure(
        *columns,
        np.array([names.index(name) for name in states], np.int32),
        idle=names.index("."),
        focus=names.index("A") if "A" in names else 0,
        starts=np.zeros(0, np.int32),
        named=np.zeros(0, np.int32),
        tolerances=np.zeros(1, np.int64),
        min_frames=least,
        union=True,
        distance=lambda a, b: 0,
        ignored=np.zeros(len(names), np.uint8),
        own_tolerances=np.zeros((1, 0), np.int64),
    )
    return dict(zip(COUNTS, table.tolist(), strict=False))


@pytest.mark.parametrize(
    ("intervals", "expected"),
    [
        ([("A", 0, 9), ("B", 10, 19)], 0),
        ([("A", 0, 10), ("B", 10, 19)], 1),
        ([("A", 0, 9), ("A", 3, 5)], 0),  # one state
        ([("A", 0, 9), ("B", 3, 5), ("C", 4, 4)], 3),  # three states over frame 4 are one frame
        ([("A", 0, 4), ("A", 5, 9), ("B", 3, 6)], 4),
        ([("A", 0, 4), ("A", 2, 9), ("B", 3, 6), ("B", 5, 20)], 7),  # 3 to 9
        ([(".", 0, 9), ("A", 8, 12)], 2),  # idle is a state too
    ],
)
def test_frames_that_two_states_claim_are_counted_once(intervals, expected):
    assert counts_of(intervals, [])["overlapped_frames_gt"] == expected
    assert counts_of([("A", 0, 0)], intervals)["overlapped_frames_pred"] == expected


@deterministic
@given(st.lists(intervals, min_size=1, max_size=12))
def test_overlapped_frames_are_those_that_two_states_cover(intervals):
    claimed = [{state for state, start, end in intervals if start <= frame <= end} for frame in range(31)]
    expected = sum(len(states) > 1 for states in claimed)
    assert counts_of(intervals, [])["overlapped_frames_gt"] == expected


# Partners in order


def by_trying_all(truth: list[Interval], pred: list[Interval], least: int) -> list[tuple[int, int]]:
    """Most pairs, then the most frames in common, then the earlier pairs."""
    shared = {
        (i, j): overlap
        for i, (_, a, b) in enumerate(truth)
        for j, (_, c, d) in enumerate(pred)
        if (overlap := min(b, d) - max(a, c) + 1) >= least
    }
    matchings = [
        list(chosen)
        for size in range(len(shared) + 1)
        for chosen in combinations(sorted(shared), size)
        if len({i for i, _ in chosen}) == len({j for _, j in chosen}) == size
    ]
    return min(matchings, key=lambda found: (-len(found), -sum(shared[pair] for pair in found), found))


def delay_of(truth: list[Interval], pred: list[Interval], least: int) -> tuple[int, int]:
    found = counts_of(truth, pred, least)
    assert found["matched_advisory_events"] == found["matched_events"]  # runs are intervals here
    return found["matched_advisory_events"], found["delay_frames"]


def check(truth: list[Interval], pred: list[Interval], least: int) -> None:
    pairs = by_trying_all(truth, pred, least)
    assert delay_of(truth, pred, least) == (len(pairs), sum(pred[j][1] - truth[i][1] for i, j in pairs))


def spans(picture: str) -> list[Interval]:
    """Where a drawing has letters."""
    found, at = [], 0
    for is_idle, group in groupby(picture, key=lambda letter: letter == "."):
        size = len(list(group))
        found += [] if is_idle else [("A", at, at + size - 1)]
        at += size
    return found


@pytest.mark.parametrize(
    ("truth", "pred", "expected"),
    [
        ("..AAAA..", "..AAAA..", (1, 0)),
        ("..AAAA..", "......AA", (0, 0)),
        ("AAAAAAAA", "AA...AAA", (1, 5)),  # the one that shares more
        ("AAAAAAAA", "AA....AA", (1, 0)),  # of equals the earlier
        ("AA....AA", "AAAAAAAA", (1, 0)),
        ("AAAA.AAA", "AAAAAA..", (1, 0)),
        (
            "AAA..AAAA",
            ".AAAAAA.A",
            (2, 4),
        ),  # two pairs, 1 and 3 late, though the second truth shares more with the first
        ("....AAAAAA..AAAAAA...", "AAAAA..AAAAAAAA..AAAA", (2, -9)),  # 1 + 3 as 3 + 1 frames: the earlier pairs
    ],
)
def test_partners_are_most_pairs_then_most_frames_then_the_earlier(truth, pred, expected):
    assert delay_of(spans(truth), spans(pred), 1) == expected
    check(spans(truth), spans(pred), 1)


pictures = st.text("AAA.", min_size=1, max_size=24).map(spans).filter(lambda found: 0 < len(found) < 5)


@deterministic
@given(pictures, pictures, st.integers(1, 4))
def test_partners_are_those_of_a_look_at_all_pairings(truth, pred, least):
    check(truth, pred, least)


@deterministic
@given(st.lists(intervals, min_size=1, max_size=4), st.lists(intervals, max_size=4), st.integers(1, 4))
def test_events_that_overlap_each_other_have_as_many_partners(truth, pred, least):
    truth, pred = ([("A", a, b) for _, a, b in side] for side in (truth, pred))
    assert counts_of(truth, pred, least)["matched_events"] == len(by_trying_all(sorted(truth), sorted(pred), least))
