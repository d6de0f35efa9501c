"""Keys given twice: found in any JSON text, whatever its strings hold, and nowhere else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.files.json_checks import RepeatedKeyDict, as_object, repeats_keys
from calipers.kernels.scan.jsontext import count_keys, count_written_keys

# Strings full of what has a meaning in JSON, shorter and longer than the eight bytes that are looked at together.
STRINGS = st.lists(st.sampled_from(['"', "\\", ":", '":', "{", ",", "\t", "中", "a", "12345678"]), max_size=9).map(
    "".join
)
TREES = st.recursive(
    st.none() | st.integers() | STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=12,
)
STYLES = st.sampled_from([{}, {"ensure_ascii": False}, {"separators": (" , ", "\t: ")}, {"indent": 1}])


@given(TREES, STYLES)
def test_what_a_library_writes_has_no_key_twice(tree, style):
    text = json.dumps(tree, **style)
    assert count_written_keys(text.encode()) == count_keys(tree)
    assert not repeats_keys(text, tree)
    assert not repeats_keys(text.encode(), tree)


@given(TREES, TREES, STRINGS, STYLES)
def test_a_key_given_twice_is_found_wherever_it_is(first, last, key, style):
    name, values = json.dumps(key), [json.dumps(value, **style) for value in (first, last)]
    text = f'[{values[0]}, {{"x": {{{name}: {values[0]}, {name}: {values[1]}}}}}]'
    assert repeats_keys(text, json.loads(text))
    [_, outer] = json.loads(text, object_pairs_hook=as_object)
    assert (type(outer["x"]), outer["x"].twice, outer["x"][key]) == (RepeatedKeyDict, key, last)


def test_a_tree_that_is_nested_too_deeply_is_an_error():
    tree = []
    for _ in range(3000):
        tree = [tree]
    with pytest.raises(ValueError, match="inside each other"):
        repeats_keys("", tree)
