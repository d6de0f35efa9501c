"""Laws that hold for any answer: nothing raises or is slow, numbers can be measured, and order is kept."""

import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.judge.answers import Unread, find_shapes, parse_answer

from ..profiles import combined, length

KINDS = ("box", "polygon", "rotated", "line", "point", "cuboid", "interval")
A = [10, 20, 30, 40]


def find(value, kind="box", **options):
    return find_shapes(parse_answer(value), kind, **options)


def test_nesting_of_any_depth_is_read():
    value = {"bbox": A}
    for _ in range(10_000):
        value = {"a": value}
    assert find(value).shapes == [A]
    nested = A
    for _ in range(10_000):
        nested = {"boxes": [nested]}
    [malformed] = find(nested).shapes
    assert malformed.reason == "found an object with no box in it"
    for text in ("[" * 10_000, "[" * 10_000 + "]" * 10_000, '{"a":' * 10_000 + "1" + "}" * 10_000):
        assert find(text).missing
        assert "nested too deeply" in parse_answer(text).notes


def test_deep_things_in_the_place_of_numbers():
    deep = []
    for _ in range(10_000):
        deep = [deep]
    for kind in KINDS:
        assert isinstance(find({"coordinates": deep, "bbox": deep, kind: [deep, deep]}, kind).shapes[0], Unread)


UNITS = [
    "{", "[", "(", '{"bbox": [1, 2, 3, 4]} ', "(1, 2, 3, 4) ", "[1, 2, 3, 4], ", '{"points": [', '{"a": ', '"', "```",
    "[[1, 2], [3, 4]], ", "</think>", "\\u", "[3 ",
]  # fmt: skip


@pytest.mark.parametrize(
    ("start", "unit", "kind"), combined(["", "[", '{"points": ['], UNITS, ["box", "polygon", "point"])
)
def test_a_hostile_text_is_read_in_linear_time(start, unit, kind):
    text = start + unit * (length(300_000) // len(unit))
    begin = time.thread_time()
    find(text, kind)
    assert time.thread_time() - begin < 4


names = st.sampled_from(
    ["bbox", "boxes", "coordinates", "points", "polygon", "rotated", "lines", "cuboid", "center", "size", "rotation",
     "intervals", "start", "end", "x1", "y1", "x2", "y2", "x", "y", "width", "height", "score", "scores", "object_1",
     "a", "b"]
)  # fmt: skip
numbers = st.integers(-100, 100) | st.floats() | st.integers()
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=3) | st.lists(numbers, max_size=7),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names | st.text(max_size=3), inner, max_size=5),
    max_leaves=12,
)
fragments = st.sampled_from(
    ["[", "]", "{", "}", "(", ")", ",", ":", '"', "'", "```", "NaN", "1", "2, 3", "-4.5", "a", "bbox", '"boxes": [',
     '{"bbox": [1, 2, 3, 4]', '"score": 1', "\ud800", "\n", " ", "object_1", "</think>"]
)  # fmt: skip
texts = st.text() | st.lists(fragments, max_size=30).map("".join)


def numbers_in(shape):
    if isinstance(shape, dict):
        return [number for part in shape.values() for number in numbers_in(part)]
    return [number for part in shape for number in numbers_in(part)] if isinstance(shape, list) else [shape]


@given(values | texts | values.map(json.dumps), st.sampled_from(KINDS), st.sampled_from(["xyxy", "xywh", "cxcywh"]),
       st.none() | st.sampled_from(["a", "boxes", "a.0", "object_1.bbox", "."]))  # fmt: skip
def test_any_answer_gives_numbers_that_can_be_measured(value, kind, form, at):
    found = find(value, kind, format=form, at=at)
    assert not (found.missing and found.shapes)
    assert found.scores is None or len(found.scores) == len(found.shapes)
    assert all(map(math.isfinite, found.scores or []))
    for shape in found.shapes:
        if isinstance(shape, Unread):
            assert shape.reason.isprintable()
            continue
        assert all(number is None or math.isfinite(number) for number in numbers_in(shape))
        if kind == "box":
            assert len(shape) == 4
            assert shape[0] <= shape[2]
            assert shape[1] <= shape[3]


trees = st.recursive(
    st.lists(st.integers(0, 100), max_size=5) | st.integers(0, 9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=10,
)


@given(trees, st.sampled_from(KINDS))
def test_the_path_leads_to_the_shapes(tree, kind):
    found = find(tree, kind)
    if found.path and "*" not in found.path and any(not isinstance(shape, Unread) for shape in found.shapes):
        again = find(tree, kind, at=found.path)
        assert repr(again.shapes) == repr(found.shapes)


boxes = st.lists(st.lists(st.integers(0, 50), min_size=2, max_size=2), min_size=1, max_size=6).map(
    lambda rows: [[x, y, x + 60, y + 60] for x, y in rows]
)


@given(boxes, st.data())
def test_order_is_kept_in_every_form(shapes, data):
    forms = [
        shapes,
        {"boxes": shapes},
        [{"bbox": box} for box in shapes],
        {"result": {"objects": [{"label": "a", "box": box} for box in shapes]}},
        {f"object_{place}": {"bbox": box} for place, box in enumerate(shapes)},
        {"boxes": [dict(zip(("x1", "y1", "x2", "y2"), box, strict=True)) for box in shapes]},
    ]
    form = data.draw(st.sampled_from(forms))
    text = json.dumps(form, indent=data.draw(st.sampled_from([None, 2])))
    damaged = text.replace('"', "'")
    for given_as in (form, text, f"```json\n{text}\n```", f"Here: {text}!", damaged, f"So:\n```\n{damaged}\n```"):
        if not (given_as == f"Here: {text}!" and form is shapes and text[1] != "["):
            assert find(given_as).shapes == shapes


@given(boxes, st.integers(1, 40))
def test_a_prefix_yields_a_prefix(shapes, cut):
    text = json.dumps({"boxes": shapes})
    found = find(text[: -min(cut, len(text))])
    assert found.shapes == shapes[: len(found.shapes)]
    assert found.missing == (not found.shapes)
