"""Reading damaged JSON: every value of a text, what was cut short is marked, and no text is slow or raises."""

import json
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.core.lenient_json import CutDict, CutList, read_values

from ..profiles import length


def trees(text, **options):
    return [value.tree() for value in read_values(text, **options).values]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', [{"a": 1}]),
        ("[1, [2]]", [[1, [2]]]),
        ('Here: {"a": 1} and [[2], 3].', [{"a": 1}, [[2], 3]]),
        ("```json\n[1, 2]\n```\nor\n```\n[3]\n```", [[1, 2], [3]]),
        ("None: []", [[]]),
        ("see [3] and (4, 5)", []),
        ("nothing", []),
        ("", []),
        ("{'a': True, b: None,}", [{"a": True, "b": None}]),
        ("{{'a': 1}, {'a': 2}}", [{"object_1": {"a": 1}, "object_2": {"a": 2}}]),
        ("[(1, 2), ［3， 4］]", [[[1, 2], [3, 4]]]),
    ],
)
def test_every_outermost_value_is_found(text, found):
    assert trees(text) == found


def test_repeated_keys_are_kept_in_order():
    [value] = read_values('{"b": 1, "a": 2, "b": 3}').values
    assert (value.keys, value.values, value.cut) == (["b", "a", "b"], [1, 2, 3], False)
    assert value.tree() == {"b": 3, "a": 2}
    assert repr(value) == "Value({'b': 3, 'a': 2})"


def test_a_list_has_no_keys():
    [value] = read_values("[1]").values
    assert (value.keys, value.values, value.tree()) == (None, [1], [1])


@pytest.mark.parametrize(
    ("text", "status", "notes"),
    [
        ('{"a": 1}', "repaired", []),
        ("[1, // one\n2]", "repaired", []),
        ("{'a': 1,}", "repaired", ['quotes other than "', 'trailing comma']),
        ('So: {"a": 1}', "repaired", ["text around the answer"]),
        ('{"a": 1} {"a": 2}', "repaired", ["several values"]),
        ('{"a": [1, 2', "truncated", ["the answer stops before its end"]),
        ('{"a": [1}', "repaired", ["missing closing bracket"]),
        ("see [3]", "failed", ["no JSON list or dict"]),
    ],
)  # fmt: skip
def test_status_and_notes(text, status, notes):
    reading = read_values(text)
    assert (reading.status, reading.notes) == (status, notes)


def test_what_is_outside_of_values():
    assert read_values('Box {"a": 1} or {"a": 2}.').outside == ["Box ", " or ", "."]
    assert read_values("see [3]").outside == ["see [3]"]
    assert read_values('{"a": 1}').outside == []


# Cut short


def marks(tree):
    """A tree with `cut` around what is marked so."""
    if isinstance(tree, dict):
        inside = {key: marks(value) for key, value in tree.items()}
        return {"cut": inside} if isinstance(tree, CutDict) else inside
    if isinstance(tree, list):
        return ["cut", *map(marks, tree)] if isinstance(tree, CutList) else [*map(marks, tree)]
    return tree


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[", ["cut"]),
        ("{", {"cut": {}}),
        ("[1, 2", ["cut", 1]),
        ("[1, 2,", ["cut", 1, 2]),
        ("[[1, 2], [3,", ["cut", [1, 2], ["cut", 3]]),
        ('{"a": [1], "b": {"c": [2, 3', {"cut": {"a": [1], "b": {"cut": {"c": ["cut", 2]}}}}),
        ('{"a": 1, "b"', {"cut": {"a": 1}}),
        ('{"a": 1, "b": "tex', {"cut": {"a": 1}}),
        ("```json\n[[1], [2\n```\nThat is all.", ["cut", [1], ["cut", 2]]),
    ],
)
def test_what_was_being_written_is_marked(text, found):
    [value] = read_values(text).values
    assert value.cut
    assert marks(value.tree()) == found


def test_only_what_was_being_written_is_marked():
    whole, cut = read_values('{"a": [1]} {"a": [1], "b": [2').values
    assert (whole.cut, cut.cut) == (False, True)
    assert marks(whole.tree()) == {"a": [1]}


# Numbers in prose, and words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see [3]", [[3]]),
        ("From (10, 20) to [30, -40.5] (roughly)", [[10, 20], [30, -40.5]]),
        ("Boxes: [(1, 2), (3, 4)]", [[[1, 2], [3, 4]]]),
        ("as in [a] or (b)", []),
        ("f(.5)", [[0.5]]),
    ],
)
def test_numbers_in_prose_are_found_when_asked_for(text, found):
    assert trees(text, numbers=True) == found
    assert trees(text) == []


@pytest.mark.parametrize(
    ("text", "dropped", "kept"),
    [
        ("[10px, 20px]", [], ["10px", "20px"]),
        ("[1, 2, x, 3]", [1, 2, 3], [1, 2, "x", 3]),
        ("[[1, 2], and so on, [3, 4], ...]", [[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        ("[[1, 2px]]", [[1, "2px"]], [[1, "2px"]]),
    ],
)
def test_words_of_an_outermost_list(text, dropped, kept):
    assert trees(text) == [dropped]
    assert trees(text, keep_words=True) == [kept]


# Any text


def test_nesting_is_bounded():
    reading = read_values("[" * 100_000)
    assert (reading.status, len(reading.values)) == ("truncated", 1)
    assert "nested too deeply" in reading.notes


@pytest.mark.parametrize("start", ["", "[", '{"a":', "("])
@pytest.mark.parametrize(
    "unit",
    ["{", "[", "(", "}", '"', "\\", "`", "```[", "[1 ", "(1, 2) ", "[1, 2) ", ",", "1 ", "-", "//", "[[[[{}", '"}, {'],
)
def test_a_hostile_megabyte_is_read_in_linear_time(start, unit):
    text = start + unit * (length(1_000_000) // len(unit))
    begin = time.thread_time()
    for options in ({}, {"numbers": True, "keep_words": True}):
        assert read_values(text, **options).status in ("repaired", "truncated", "failed")
    assert time.thread_time() - begin < 4


plain = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
containers = st.recursive(
    st.lists(plain, max_size=4) | st.dictionaries(st.text("abc_ 中😀", max_size=5), plain, max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(containers)
def test_strict_json_comes_back_as_it_was(tree):
    assert trees(json.dumps(tree)) == [tree]
    assert read_values(json.dumps(tree)).status == "repaired"


@given(containers, st.data())
def test_of_a_prefix_everything_found_is_in_the_whole(tree, data):
    text = json.dumps(tree)
    [value] = read_values(text[: data.draw(st.integers(1, len(text) - 1))]).values
    assert value.cut
    assert is_part(value.tree(), tree)


def is_part(part, whole):
    """Whether a tree is another, up to where it was cut."""
    if isinstance(part, CutDict):
        return isinstance(whole, dict) and all(key in whole and is_part(part[key], whole[key]) for key in part)
    if isinstance(part, CutList):
        return isinstance(whole, list) and all(map(is_part, part, whole)) and len(part) <= len(whole)
    return part == whole


fragments = st.sampled_from(
    ["[", "]", "{", "}", "(", ")", ",", ":", '"', "'", "\\", "```", "NaN", "1", "-2.5", "a", "\ud800", "//", "“", "”",
     "｛", "］", "\n", " "]
)  # fmt: skip


@given(st.text() | st.lists(fragments, max_size=40).map("".join), st.booleans(), st.booleans())
def test_any_text_gives_a_result(text, numbers, keep_words):
    reading = read_values(text, numbers=numbers, keep_words=keep_words)
    assert (reading.status == "failed") == (not reading.values)
    assert (reading.status == "truncated") == any(value.cut for value in reading.values)
    assert all(isinstance(value.tree(), (list, dict)) for value in reading.values)


def test_importing_the_reader_is_cheap():
    code = (
        "import sys; before = set(sys.modules); import calipers.core.lenient_json; new = set(sys.modules) - before;"
        "print(sorted(new & {'typing', 're', 'dataclasses', 'enum', 'json', 'numpy', 'orjson'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("value", ["[]", "{} ", '{"a": 1}\n'])
def test_a_text_of_very_many_values_is_no_answer(value, monkeypatch):
    monkeypatch.setattr("calipers.core.lenient_json._MAX_VALUES", 100)
    assert len(read_values(value * 100).values) == 100
    reading = read_values(value * 1000)
    assert (reading.status, reading.values) == ("failed", [])
    assert reading.notes == ["more than 100 lists and dicts one after the other"]
