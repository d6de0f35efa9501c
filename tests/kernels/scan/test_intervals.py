"""Intervals by state, appended to columns: what is an interval, what is not, and that a bad video leaves nothing."""

import pickle
from enum import StrEnum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers
from calipers.kernels.scan.intervals import BESIDE, LARGEST_FRAME, IntervalColumns, add_plain_videos

from ...profiles import examples


def rows(columns: IntervalColumns, video: int) -> list[tuple[str, int, int]]:
    names = list(columns.states)
    some = range(columns.offsets[video], columns.offsets[video + 1])
    return [(names[columns.state[k]], columns.start[k], columns.end[k]) for k in some]


def lengths(columns: IntervalColumns) -> tuple[int, ...]:
    return len(columns), len(columns.state), len(columns.start), len(columns.end)


def test_a_video_is_appended_state_by_state():
    columns = IntervalColumns({})
    assert columns.add_video({"outside": [[0, 9], [20, 29]], "inside": [[10, 19]]}) is None
    assert columns.add_video({}) is None
    assert columns.add_video({"inside": [[5, 5]], "paused": [[0, 4]]}) is None
    assert rows(columns, 0) == [("outside", 0, 9), ("outside", 20, 29), ("inside", 10, 19)]
    assert rows(columns, 1) == []
    assert rows(columns, 2) == [("inside", 5, 5), ("paused", 0, 4)]
    assert columns.offsets.tolist() == [0, 3, 3, 5]
    assert len(columns) == 3


def test_both_sides_share_the_codes_of_states():
    states: dict[str, int] = {}
    truth, pred = IntervalColumns(states), IntervalColumns(states)
    truth.add_video({"outside": [[0, 9]], "inside": [[10, 19]]})
    pred.add_video({"inside": [[0, 9]], "parked": [[10, 19]], "outside": []})
    assert states == {"outside": 0, "inside": 1, "parked": 2}
    assert truth.state.tolist() == [0, 1]
    assert pred.state.tolist() == [1, 2]
    assert truth.states is pred.states is states


def test_no_interval_is_written_as_nothing_or_as_an_empty_list():
    columns = IntervalColumns({})
    assert columns.add_video({"inside": None, "outside": [], "exiting": ()}) is None
    assert lengths(columns) == (1, 0, 0, 0)


def test_some_keys_may_stand_apart():
    columns = IntervalColumns({})
    given = {"fps": 30, "inside": [[0, 3]], "detections": "anything"}
    assert columns.add_video(given, frozenset(("fps", "detections"))) is None
    assert rows(columns, 0) == [("inside", 0, 3)]
    assert columns.states == {"inside": 0}
    assert columns.add_video({"fps": 30}) == ("fps", None)


@pytest.mark.parametrize(
    "interval",
    [[0, 0], [3, 7], (3, 7), [0, LARGEST_FRAME], [LARGEST_FRAME, LARGEST_FRAME], [np.int64(3), np.uint8(7)]],
    ids=repr,
)
@pytest.mark.parametrize("several", [list, tuple])
def test_an_interval_is_two_whole_frames_in_order(interval, several):
    columns = IntervalColumns({})
    assert columns.add_video({"inside": several([interval])}) is None
    assert rows(columns, 0) == [("inside", int(interval[0]), int(interval[1]))]


BAD_FRAMES = [-1, -(2**70), LARGEST_FRAME + 1, 2**63, 2**70, 1.0, 1.5, float("nan"), True, False, None, "1", b"1", [1]]


@pytest.mark.parametrize("frame", BAD_FRAMES, ids=repr)
@pytest.mark.parametrize("place", [0, 1])
def test_anything_else_is_no_frame(frame, place):
    columns = IntervalColumns({})
    interval = [0, LARGEST_FRAME]
    interval[place] = frame
    assert columns.add_video({"inside": [[0, 1], [2, 3], interval]}) == ("inside", 2)
    assert lengths(columns) == (0, 0, 0, 0)


@pytest.mark.parametrize("interval", [[], [1], [1, 2, 3], [7, 3], [1, 0], "12", {1: 2}, None, 5, {1, 2}, ()], ids=repr)
def test_what_is_not_two_frames_in_order_is_no_interval(interval):
    columns = IntervalColumns({})
    assert columns.add_video({"inside": [[0, 1], interval, "also wrong"]}) == ("inside", 1)
    assert lengths(columns) == (0, 0, 0, 0)


@pytest.mark.parametrize("given", [5, "12", {"0": [0, 1]}, {1, 2}, True, 0, ""], ids=repr)
def test_what_is_not_a_list_holds_no_intervals(given):
    columns = IntervalColumns({})
    assert columns.add_video({"outside": [[0, 1]], "inside": given}) == ("inside", None)
    assert lengths(columns) == (0, 0, 0, 0)


@pytest.mark.parametrize("name", [1, None, b"inside", ("inside",), 2.5], ids=repr)
def test_a_state_has_a_text_for_a_name(name):
    columns = IntervalColumns({})
    assert columns.add_video({name: [[0, 1]]}) == (name, None)


@pytest.mark.parametrize("given", [None, [], [["inside", [[0, 1]]]], "inside", 5, {"inside"}], ids=repr)
def test_a_video_is_an_object(given):
    columns = IntervalColumns({})
    assert columns.add_video(given) == (None, None)
    assert lengths(columns) == (0, 0, 0, 0)


def test_the_first_thing_that_is_wrong_is_told():
    columns = IntervalColumns({})
    assert columns.add_video({"a": [[0, 1]], "b": [[0, 1], [5, 2], [9, 1]], "c": 7}) == ("b", 1)
    assert columns.add_video({"c": 7, "b": [[5, 2]]}) == ("c", None)


def test_a_bad_video_leaves_no_interval_and_the_next_goes_on():
    columns = IntervalColumns({})
    columns.add_video({"inside": [[0, 4]]})
    before = lengths(columns)
    assert columns.add_video({"outside": [[0, 9]] * 1000, "inside": [[10, 19], [3, 2]]}) == ("inside", 1)
    assert lengths(columns) == before
    assert columns.add_video({"outside": [[5, 6]]}) is None
    assert [rows(columns, video) for video in (0, 1)] == [[("inside", 0, 4)], [("outside", 5, 6)]]


def test_a_video_without_intervals_is_empty():
    columns = IntervalColumns({})
    columns.add_video({"inside": [[0, 4]]})
    assert not columns.is_empty()
    columns.add_video({"inside": [], "outside": None})
    assert columns.is_empty()


def test_the_last_video_can_be_taken_away():
    columns = IntervalColumns({})
    columns.add_video({"inside": [[0, 4]]})
    columns.add_video({"outside": [[0, 9]], "inside": [[10, 19]]})
    columns.drop_video()
    assert lengths(columns) == (1, 1, 1, 1)
    assert rows(columns, 0) == [("inside", 0, 4)]
    columns.add_video({})
    columns.drop_video()
    columns.drop_video()
    assert lengths(columns) == (0, 0, 0, 0)
    columns.add_video({"exiting": [[2, 2]]})
    assert rows(columns, 0) == [("exiting", 2, 2)]


def test_what_is_given_stays_as_it_is():
    given = {"b": [[3, 4], (1, 2)], "a": None}
    before = pickle.dumps(given)
    IntervalColumns({}).add_video(given)
    assert pickle.dumps(given) == before


frames = st.integers(0, LARGEST_FRAME)
videos = st.dictionaries(st.text(max_size=3), st.none() | st.lists(st.tuples(frames, frames).map(sorted), max_size=5))


@settings(deadline=None, derandomize=True, max_examples=examples(80))
@given(st.lists(videos, max_size=6))
def test_what_goes_in_comes_out(given):
    columns = IntervalColumns({})
    assert [columns.add_video(video) for video in given] == [None] * len(given)
    for place, video in enumerate(given):
        expected = [(state, a, b) for state, intervals in video.items() for a, b in intervals or ()]
        assert rows(columns, place) == expected


# Videos in one go

INSIDE = {"inside": [[0, 3]]}


def added(truths: dict, preds: dict, first: int = 0) -> tuple[int, list, list, list]:
    """Where the first video is that is not plain, and the rows and fps of those before."""
    states: dict[str, int] = {}
    columns, fps = (IntervalColumns(states), IntervalColumns(states)), []
    partners = {name: name for name in truths if name in preds}
    end = add_plain_videos(*columns, list(truths), first, truths, preds, partners, fps)
    assert len(columns[0]) == len(columns[1]) == len(fps) == end - first
    truth, pred = ([rows(side, video) for video in range(end - first)] for side in columns)
    return end, truth, pred, fps


def test_videos_of_nothing_but_states_and_fps_are_added_in_one_go():
    truths = {"a": INSIDE, "b": {"outside": [[0, 9]], "inside": None}, "c": INSIDE}
    preds = {"c": {"states": {}}, "a": {"fps": 30, "states": INSIDE}, "b": {"fps": None, "ocr": None, "states": INSIDE}}
    inside, outside = [("inside", 0, 3)], [("outside", 0, 9)]
    assert added(truths, preds) == (3, [inside, outside, inside], [inside, inside, []], [30, None, None])
    assert added(truths, preds, first=2) == (3, [inside], [[]], [None])
    assert added({}, {}) == (0, [], [], [])


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        (INSIDE, None),
        (INSIDE, {}),
        (INSIDE, {"states": None}),
        (INSIDE, {"states": []}),
        (INSIDE, {"states": {"outside": [[0, 5]], "inside": [[5, 2]]}}),
        (INSIDE, {"states": INSIDE, "runtime": {"frames": 1, "seconds": 1}}),
        *((INSIDE, {"states": INSIDE, "fps": fps}) for fps in (0, -1, 1e-9, 1e9, "30", True, float("nan"), 10**30)),
        *(({**INSIDE, key: None}, {"states": INSIDE}) for key in BESIDE),
        ({"outside": [[0, 5]], "inside": [[5, 2]]}, {"states": INSIDE}),
        ({"inside": []}, {"states": INSIDE}),
        ([], {"states": INSIDE}),
        (ValueError(), {"states": INSIDE}),
    ],
    ids=repr,
)
def test_the_first_video_that_is_not_plain_is_left_to_others_whole(truth, pred):
    preds = {"a": {"states": {}}, "b": pred, "c": {"states": {}}}
    assert added({"a": INSIDE, "b": truth, "c": INSIDE}, preds) == (1, [[("inside", 0, 3)]], [[]], [None])
    assert added({"a": INSIDE, "b": INSIDE}, {"a": {"states": {}}})[0] == 1


def test_a_state_may_be_a_member_of_a_text_enum():
    state = StrEnum("State", ["inside"]).inside
    assert (
        calipers.timeline({"a": {state: [[0, 5]]}}, {"a": {"states": {state: [[0, 5]]}}})["records"]["evaluated"] == 1
    )
