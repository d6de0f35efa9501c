"""Parts as bytes: what goes in comes out, and what is no part is refused."""

from contextlib import suppress

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.core.parts import DTYPES, Packed, from_bytes, join, to_bytes

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    # a name may hold anything that is text
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=10,
)
SHAPES = st.lists(st.integers(0, 4), max_size=3)


@st.composite
def arrays(draw):
    dtype, shape = draw(st.sampled_from(sorted(DTYPES))), draw(SHAPES)
    count = int(np.prod(shape, dtype=np.int64))
    data = draw(st.binary(min_size=count * 8, max_size=count * 8))
    if dtype == "|b1":
        return (np.frombuffer(data, "|u1", count) % 2).astype(bool).reshape(shape)
    return np.frombuffer(data, dtype, count).reshape(shape)


@given(PLAIN, st.dictionaries(st.text("xyz", max_size=3), arrays(), max_size=3))
def test_a_part_is_the_same_again(plain, given_arrays):
    found = from_bytes(to_bytes(Packed(plain, given_arrays)))
    assert found.plain == plain
    assert list(found.arrays) == list(given_arrays)
    for name, array in given_arrays.items():
        again = found.arrays[name]
        assert (again.dtype, again.shape, again.tobytes()) == (array.dtype, array.shape, array.tobytes())
        assert again.flags.writeable


def test_the_bytes_do_not_depend_on_how_an_array_lies_in_memory():
    array = np.arange(12).reshape(3, 4)
    straight = to_bytes(Packed(None, {"a": array}))
    assert to_bytes(Packed(None, {"a": np.asfortranarray(array)})) == straight
    assert to_bytes(Packed(None, {"a": array.astype(">i8")})) == straight
    assert to_bytes(Packed(None, {"a": np.repeat(array, 2, axis=1)[:, ::2]})) == straight


@pytest.mark.parametrize(
    "array", [np.array(["a"]), np.array([None]), np.array([1j]), np.zeros(1, "<f2"), np.zeros(1, "<u8")]
)
def test_an_array_of_another_kind_has_no_place(array):
    with pytest.raises(TypeError, match="has no place in a part"):
        to_bytes(Packed(None, {"a": array}))


def written(head, rest=b""):
    text = orjson.dumps(head)
    return len(text).to_bytes(8, "little") + text + rest


HOSTILE = [
    b"",
    b"\xff" * 40,
    written([None]),
    written([None, 5]),
    written([None, [["a", "<i8"]]]),
    written([None, [["a", "|O", [1]]]], bytes(8)),
    written([None, [["a", ["<i8"], [1]]]], bytes(8)),
    written([None, [[["a"], "<i8", [1]]]], bytes(8)),
    written([None, [["a", "<i8", [2]]]], bytes(8)),
    written([None, [["a", "<i8", [-1]]]], bytes(16)),
    written([None, [["a", "<i8", [-2, -1]]]], bytes(16)),
    written([None, [["a", "<i8", [1.5]]]], bytes(8)),
    written([None, [["a", "<i8", ["1"]]]], bytes(8)),
    written([None, [["a", "<i8", [2**63]]]], bytes(8)),
    written([None, [["a", "<i8", [2**40, 2**40]]]], bytes(8)),
    written([None, [["a", "<i8", 1]]], bytes(8)),
    written([None, [["a", "<i8", None]]], bytes(8)),
    written([None, []], b"more"),
]


@pytest.mark.parametrize("data", HOSTILE)
def test_what_is_no_part_is_a_value_error(data):
    with pytest.raises((ValueError, TypeError)):
        from_bytes(data)


@given(st.binary(max_size=60) | st.tuples(PLAIN, PLAIN, st.binary(max_size=20)).map(lambda it: written(it[:2], it[2])))
def test_no_bytes_give_another_error(data):
    with suppress(ValueError, TypeError):
        from_bytes(data)


def test_neighbours_are_joined_in_order():
    class Text:
        def __init__(self, text):
            self.text = text

        def add(self, later):
            self.text += later.text

    assert join([Text("a"), Text("b"), Text("c")]).text == "abc"
