"""The scanner of states: the same columns as parsed JSON gives, and nothing taken that is anything else."""

import json

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.kernels.scan.intervals import BESIDE, LARGEST_FRAME, IntervalColumns, add_plain_videos
from calipers.kernels.scan.statejson import scan_states, take_videos

from ...profiles import examples


def scan(text, *, predicted=False, states=None):
    data = text if isinstance(text, bytes) else text.encode()
    return scan_states(data, {} if states is None else states, predicted=predicted)


def columns_of(columns):
    return [columns.offsets.tolist(), columns.state.tolist(), columns.start.tolist(), columns.end.tolist()]


def test_ground_truth():
    states = {"idle": 0}
    found = scan(' {"b.mp4" : {"in": [[0, 4], [7 ,9]], "idle": []}, "ä": {"idle":[[5,6]]}} ', states=states)
    assert found.names == ["b.mp4", "ä"]
    assert found.fps == []
    assert states == {"idle": 0, "in": 1}
    assert columns_of(found.columns) == [[0, 2, 3], [1, 1, 0], [0, 7, 5], [4, 9, 6]]


def test_predictions():
    text = '{"a": {"fps": 29.97, "states": {"in": [[1, 2]]}}, "b": {"states": {}}, "c": {"states": {}, "fps": 5}}'
    found = scan(text, predicted=True)
    assert found.names == ["a", "b", "c"]
    assert found.fps == [29.97, None, 5.0]
    assert columns_of(found.columns) == [[0, 1, 1, 1], [0], [1], [2]]


def test_more_intervals_and_states_than_room_is_made_for_at_first():
    tree = {str(k): {f"s{k % 200}": [[n, n + k] for n in range(k)]} for k in range(300)}
    found = scan(orjson.dumps(tree))
    assert len(found) == 300
    assert found.columns.end.tolist() == [n + k for k in range(300) for n in range(k)]
    assert scan(orjson.dumps({"a": {str(k): [] for k in range(256)}})) is not None
    assert scan(orjson.dumps({"a": {str(k): [] for k in range(257)}})) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '{"a": {}',
        '{"a": {}}}',
        '{"a": {}} x',
        '\ufeff{"a": {}}',
        '{"a": {},}',
        '{"a" {}}',
        '{"a": []}',
        '{"a": null}',
        '{"a": {}, "a": {}}',
        '{"\\u0061": {}}',
        '{"a": {"\\n": []}}',
        '{"a": {"in": null}}',
        '{"a": {"in": {}}}',
        '{"a": {"in": [], "in": []}}',
        '{"a": {"in": []',
        '{"a": {"in": [],}}',
        '{"a": {"in": [[0, 1],]}}',
        '{"a": {"in": [0, 1]}}',
        '{"a": {"in": [[0]]}}',
        '{"a": {"in": [[0, 1, 2]]}}',
        '{"a": {"in": [[1, 0]]}}',
        '{"a": {"in": [[-1, 0]]}}',
        '{"a": {"in": [[-0, 0]]}}',
        '{"a": {"in": [[0, 1.0]]}}',
        '{"a": {"in": [[0, 1e3]]}}',
        '{"a": {"in": [[00, 1]]}}',
        '{"a": {"in": [[0, "1"]]}}',
        f'{{"a": {{"in": [[0, {LARGEST_FRAME + 1}]]}}}}',
        f'{{"a": {{"in": [[0, {10**30}]]}}}}',
        *(f'{{"a": {{"{name}": []}}}}' for name in BESIDE),
        b'{"a": {"in\xff": []}}',
        b'{"\xff": {}}',
        b'{"a": {"in": []}\0}',
    ],
)
def test_ground_truth_that_is_left_alone(text):
    assert scan(text) is None


@pytest.mark.parametrize(
    "entry",
    [
        "",
        "{}",
        "[]",
        '{"fps": 30}',
        '{"states": null}',
        '{"states": {}, "states": {}}',
        '{"states": {}, "fps": 30, "fps": 30}',
        '{"states": {}, "fps": null}',
        '{"states": {}, "fps": 0}',
        '{"states": {}, "fps": -30}',
        '{"states": {}, "fps": 0.0001}',
        '{"states": {}, "fps": 1000001}',
        '{"states": {}, "fps": NaN}',
        '{"states": {}, "fps": "30"}',
        '{"states": {}, "fps": true}',
        '{"states": {}, "f": 30}',
        '{"states": {}, "runtime": null}',
        '{"":',
        '{"states": {}',
    ],
)
def test_predictions_that_are_left_alone(entry):
    assert scan(f'{{"a": {entry}}}', predicted=True) is None
    assert scan(f'{{"a": {entry}', predicted=True) is None


def test_largest_frame():
    assert scan(f'{{"a": {{"in": [[{LARGEST_FRAME}, {LARGEST_FRAME}]]}}}}').columns.end.tolist() == [LARGEST_FRAME]


def test_videos_in_another_order():
    states = {}
    source = scan('{"a": {"x": [[0, 1]]}, "b": {"y": [[2, 3], [4, 5]]}, "c": {}}', states=states).columns
    target = IntervalColumns(states)
    target.add_video({"x": [[8, 9]]})
    take_videos(source, target, memoryview(bytes(8) + (2).to_bytes(8, "little") + bytes(8)).cast("q")[1:])
    take_videos(source, target, memoryview((1).to_bytes(8, "little")).cast("q"))
    assert columns_of(target) == [[0, 1, 1, 2, 4], [0, 0, 1, 1], [8, 0, 2, 4], [9, 1, 3, 5]]


NAMES = st.text(max_size=6)
FRAMES = st.integers(0, 50) | st.integers(-3, LARGEST_FRAME + 3)
STATES = st.dictionaries(NAMES, st.lists(st.tuples(FRAMES, FRAMES).map(list), max_size=4) | st.none(), max_size=4)
FPS = st.floats(0.0005, 1e6) | st.integers(0, 100) | st.none()
PREDS = st.fixed_dictionaries({"states": STATES}, optional={"fps": FPS})


@settings(max_examples=examples(300))
@given(tree=st.dictionaries(NAMES, STATES, min_size=1, max_size=4), indent=st.none() | st.integers(0, 2))
def test_what_is_taken_is_what_parsed_videos_give(tree, indent):
    found = scan(json.dumps(tree, indent=indent, ensure_ascii=False))
    states = {}
    columns = IntervalColumns(states)
    good = all(columns.add_video(entry) is None for entry in tree.values())
    has_nulls = any(value is None for entry in tree.values() for value in entry.values())
    is_escaped = any("\\" in json.dumps(name, ensure_ascii=False) for name in [*tree, *states])
    has_others = any(set(BESIDE) & set(entry) for entry in tree.values())
    assert (found is not None) == (good and not has_nulls and not is_escaped and not has_others)
    if found is not None:
        assert found.names == list(tree)
        assert found.columns.states == states
        assert columns_of(found.columns) == columns_of(columns)


@settings(max_examples=examples(200))
@given(preds=st.dictionaries(NAMES, PREDS, min_size=1, max_size=3))
def test_predictions_that_are_taken_are_plain(preds):
    found = scan(json.dumps(preds, ensure_ascii=False), predicted=True)
    if found is None:
        return
    truths = {name: {"x": [[0, 0]]} for name in preds}
    states = {}
    truth, pred, fps = IntervalColumns(states), IntervalColumns(found.columns.states), []
    names = {name: name for name in preds}
    assert add_plain_videos(truth, pred, list(names), 0, truths, preds, names, fps) == len(preds)
    assert found.fps == fps
    assert columns_of(found.columns) == columns_of(pred)
