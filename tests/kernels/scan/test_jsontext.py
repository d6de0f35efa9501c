"""JSON as text: line breaks and keys are counted, and the members of an object found where they lie."""

import json
import random

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.kernels.scan.jsontext import count_breaks, count_keys, find_members, find_names, line_ends

from ...profiles import examples

# Line breaks


@pytest.mark.parametrize("size", [0, 1, 254, 255, 256, 257, 10_000])
def test_line_breaks_are_counted_between_begin_and_end(size):
    rng = random.Random(size)
    for chance in (0.0, 0.1, 1.0):
        block = bytearray(10 if rng.random() < chance else rng.choice(b"\r\x0b a\x8a") for _ in range(size))
        for begin, end in ((0, size), (size // 3, size), (0, size // 2), (size, size), (size // 2, size // 3)):
            assert count_breaks(block, begin, end) == block[begin:end].count(b"\n")


@pytest.mark.parametrize(
    ("block", "begin", "count", "ends"),
    [
        (b"", 0, 0, []),
        (b"a\nbc\n", 0, 2, [2, 5]),
        (b"a\nbc\n", 0, 1, [2]),
        (b"a\nbc", 2, 1, [4]),  # the last line has no break
        (b"\n\nx\n", 1, 2, [2, 4]),
        (b"abc", 0, 3, [3, 3, 3]),  # there are fewer lines
    ],
)
def test_lines_end_behind_their_breaks(block, begin, count, ends):
    assert line_ends(block, begin, count).tolist() == ends


def test_any_buffer_will_do():
    assert count_breaks(b"a\nb\n", 0, 4) == 2
    assert count_breaks(memoryview(b"a\nb\n"), 2, 4) == 1


# Keys of a tree

trees = st.recursive(
    st.none() | st.integers() | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
)


def keys_in(tree) -> int:
    if isinstance(tree, dict):
        return len(tree) + sum(map(keys_in, tree.values()))
    return sum(map(keys_in, tree)) if isinstance(tree, list) else 0


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ({}, 0),
        ([], 0),
        (None, 0),
        ("a", 0),
        ({"a": 1}, 1),
        ({"a": {"b": []}, "c": [{"d": [{}]}]}, 4),
        ([[{"a": 0}]], 1),
    ],
)
def test_keys_of_all_objects_are_counted(tree, expected):
    assert count_keys(tree) == expected


@settings(deadline=None, derandomize=True)
@given(trees)
def test_keys_are_counted_at_any_depth(tree):
    assert count_keys(tree) == keys_in(tree)


# Members

LONG = 1234567890123456789  # nineteen digits

texts = st.text(max_size=18)  # so no number of nineteen digits
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18) + 1, 10**18 - 1)
    | st.floats(-1e50, 1e50).map(lambda x: round(x, 9))
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def pieces(text: bytes) -> list[bytes]:
    begins, ends = find_members(text)
    return [text[begin:end] for begin, end in zip(begins, ends, strict=True)]


def test_members_are_told_from_their_first_quote_to_their_last_byte():
    text = b' {"a" : [1, {"b": "}"}] ,\n"c\\"d":"x" , "e":-1.5e3}\t'
    assert pieces(text) == [b'"a" : [1, {"b": "}"}]', b'"c\\"d":"x"', b'"e":-1.5e3']
    assert find_names(text, find_members(text)[0]) == b'["a" ,"c\\"d","e"]'


def test_an_object_may_be_empty():
    assert pieces(b" { } ") == []
    assert find_names(b"{}", find_members(b"{}")[0]) == b"[]"


@settings(max_examples=examples(300), derandomize=True)
@given(st.dictionaries(texts, values, max_size=6), st.booleans(), st.sampled_from((None, 1)))
def test_members_in_braces_are_what_they_were(tree, escaped, indent):
    text = json.dumps(tree, ensure_ascii=escaped, indent=indent).encode()
    found = pieces(text)
    assert orjson.loads(find_names(text, find_members(text)[0])) == list(tree)
    assert [orjson.loads(b"{" + piece + b"}") for piece in found] == [{name: tree[name]} for name in tree]
    assert orjson.loads(b"{" + b",".join(found[::-1]) + b"}") == tree


@settings(max_examples=examples(300), derandomize=True)
@given(st.dictionaries(st.text(max_size=3), values, max_size=3), st.data())
def test_what_is_gone_over_is_json(tree, data):
    text = bytearray(json.dumps(tree, ensure_ascii=False).encode())
    at = data.draw(st.integers(0, len(text) - 1))
    text[at] = data.draw(st.integers(0, 255))
    if find_members(bytes(text)) is not None:
        assert isinstance(orjson.loads(bytes(text)), dict)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b'"a"',
        b"{",
        b'{"a"}',
        b'{"a":}',
        b'{"a":1,}',
        b'{,"a":1}',
        b'{"a":1} {}',
        b'{"a":1}\0',
        b'{"a":1 "b":2}',
        b"{a:1}",
        b'{"a":01}',
        b'{"a":"\xff"}',
        b'{"a\x01":1}',
        b'{"\\ud800":1}',
        b'\xef\xbb\xbf{"a":1}',
        b'{"a":NaN}',
        b'{"a":[1,-Infinity]}',
        b'{"a":1e400}',
        b'{"a":' + b"[" * 100 + b"]" * 100 + b"}",
    ],
)
def test_what_is_no_object_or_read_in_different_ways_is_left_alone(text):
    assert find_members(text) is None


@pytest.mark.parametrize("before", range(0, 45, 4))
def test_whole_numbers_of_nineteen_digits_are_left_alone_and_fractions_are_not(before):
    for number, good in ((LONG, False), (-LONG, False), (LONG // 10, True), (f"0.{LONG}", True), (f"{LONG}.5", False)):
        for behind in (b"}", b',"b":[7,8,9,10,11,12]}'):
            text = b'{"%s":%s%s' % (b"x" * before, str(number).encode(), behind)
            assert (find_members(text) is not None) is good, text


def test_names_may_have_more_digits():
    assert pieces(b'{"1234567890123456789.mp4": 1, "x_1234567890123456789": 2}')[0] == b'"1234567890123456789.mp4": 1'
