"""Reading and writing JSON without loading `json`: the same values, texts and errors."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.judge import quick_json
from calipers.judge.quick_json import as_json, parse

TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
SYNTAX = st.text(alphabet='{}[]",:0123456789.-+eE \t\r\nnulltrueNaInfinity\\u\x00\x0b\ufeff\u00a0é', max_size=24)
ODD = [
    b"",
    b" \r\n\t",
    b'{"a": 1, "a": 2}',
    b"[1] ",
    b"\n [1]",
    b"[1]x",
    b"[1]\x0b",
    b"\xc2\xa0[1]",
    b"[1,]",
    b'"\xed\xa0\x80"',  # half a surrogate pair, which json lets through
    b'"\xff"',
    b'"\t"',
    b"-Infinity",
    b"[Infinity, 1e999]",
    b"\xef\xbb\xbf[1]",
    "[1]".encode("utf-16"),
    "[1]".encode("utf-32-be"),
    b"1\x00",
    b"9" * 5000,
    b"[" * 200_000,
]


def outcome(call, value):
    try:
        return repr(call(value))
    except (ValueError, TypeError, RecursionError) as error:
        return type(error).__name__, str(error).partition(" while ")[0]


@given(SYNTAX | TREES.map(json.dumps) | TREES.map(lambda tree: json.dumps(tree, ensure_ascii=False, indent=1)))
def test_texts_and_bytes_are_read_as_json_reads_them(text):
    assert outcome(parse, text) == outcome(json.loads, text)
    written = text.encode("utf-8", "surrogatepass")
    assert outcome(parse, written) == outcome(json.loads, written)


@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text[:20]))
def test_odd_bytes_are_read_as_json_reads_them(text):
    assert outcome(parse, text) == outcome(json.loads, text)
    assert outcome(parse, bytearray(text)) == outcome(json.loads, text)


def test_nan_is_read():
    assert math.isnan(parse("NaN"))


@given(st.dictionaries(st.text(), TREES, max_size=4))
def test_trees_are_written_as_json_writes_them(tree):
    assert as_json(tree) == json.dumps(tree, allow_nan=False)


@pytest.mark.parametrize("value", [math.nan, math.inf, object(), {1, 2}, b"a", {(1, 2): 3}, {1: None, None: 2}])
def test_what_cannot_be_written_is_refused_as_json_refuses_it(value):
    assert outcome(as_json, {"a": value}) == outcome(lambda tree: json.dumps(tree, allow_nan=False), {"a": value})


def test_json_does_it_all_where_it_has_no_parts_in_c(monkeypatch):
    monkeypatch.setattr(quick_json, "_scan", None)
    monkeypatch.setattr(quick_json, "_encode", None)
    assert parse(b'{"a": [1, 2.5]}') == {"a": [1, 2.5]}
    assert as_json({"a": "é"}) == '{"a": "\\u00e9"}'
