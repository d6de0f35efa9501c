"""Files as inputs: what they hold, what their digest is, and JSON with a key given twice."""

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers
from calipers.files.inputs import find_doubled, folder_digest, parse_json, read_bytes
from calipers.files.json_checks import RepeatedKeyDict
from calipers.kernels.scan.jsontext import count_colons, count_written_keys


def test_a_file_is_read_whole(tmp_path):
    content = bytes(range(256)) * 5000
    (tmp_path / "a").write_bytes(content)
    assert read_bytes(str(tmp_path / "a")) == content
    with pytest.raises(calipers.InputError, match=r"b: cannot be read: No such file or directory$"):
        read_bytes(str(tmp_path / "b"))
    with pytest.raises(calipers.InputError, match=r"cannot be read: Is a directory$"):
        read_bytes(str(tmp_path))


def test_the_digest_of_a_folder_is_that_of_the_list_of_its_files():
    listed = "1f  sub/a.csv\n2e  b.csv\n"  # sorted by digest, as sha256sum would write them
    assert folder_digest([("b.csv", "2e"), ("sub/a.csv", "1f")]) == sha256(listed.encode()).hexdigest()


def test_strict_json_has_no_problem():
    assert parse_json(b'\xef\xbb\xbf{"a": [1, {"b": null}]}', "x.json", "JSON") == ({"a": [1, {"b": None}]}, "", False)


@pytest.mark.parametrize("text", [b"[NaN]", b"[Infinity]", b"[1e400]", b"[-1e999]"])
def test_numbers_that_are_none_are_read_and_told_of(text):
    tree, problem, has_doubles = parse_json(text, "x.json", "JSON")
    assert len(tree) == 1
    assert problem
    assert not has_doubles


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "x.json: not JSON: "),
        (b"{", "x.json: not JSON: "),
        (b'["\xff"]', "x.json: not UTF-8: byte 0xff at position 2; expected a dish"),
        (b'["\\ud800"]', "x.json: not JSON: "),
        (b"[" * 100_000 + b"]" * 100_000, "x.json: not JSON: "),
        (b'[{"a": 1, "a": 2}, ' + b"[" * 1010 + b"]" * 1010 + b"]", "x.json: not JSON: a key is there twice"),
    ],
)
def test_what_is_no_json_is_an_error(text, message):
    with pytest.raises(calipers.InputError) as refused:
        parse_json(text, "x.json", "a dish")
    assert str(refused.value).startswith(message)
    assert str(refused.value).endswith("; expected a dish")


def test_a_key_given_twice_is_found():
    tree, _, has_doubles = parse_json(b'{"a:": [{}, {"b": {"c:": 1, "d": 3, "c:": 2}}]}', "x.json", "JSON")
    assert has_doubles
    assert isinstance(tree["a:"][1]["b"], RepeatedKeyDict)
    assert find_doubled(tree) == ("a:[1].b", "c:")
    assert find_doubled({"a": [{}]}) is None


def test_colons_in_texts_are_no_keys():
    text = b'{"a:b": "c: d", "e": ["::", {"\\"": ":"}]}'
    assert count_colons(text) == 3 + 5
    assert count_written_keys(text) == 3
    assert not parse_json(text, "x.json", "JSON").has_doubles
    assert count_colons(b"") == 0


words = st.text(st.sampled_from('ab:"\\ {},'), max_size=4)
trees = st.recursive(
    st.none() | st.integers(-(2**63), 2**63 - 1) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
)


@given(trees)
def test_any_tree_comes_back(tree):
    assert parse_json(json.dumps(tree).encode(), "x.json", "JSON") == (tree, "", False)
