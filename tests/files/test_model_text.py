"""Reading model answers: every form, every damage, and the laws that hold for any text."""

import gc
import json
import math
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.files.answers.model_text import parse_objects

from ..profiles import length

BOX = {"type": "bbox_2d", "points": [1, 2, 30, 40], "desc": "类别=BBU设备,品牌=华为"}
LINE = {"type": "line", "points": [0, 0, 500, 1000], "desc": "光纤/有遮挡"}
BOX_TEXT = '{"bbox_2d": [1, 2, 30, 40], "desc": "类别=BBU设备,品牌=华为"}'
LINE_TEXT = '{"line": [0, 0, 500, 1000], "desc": "光纤/有遮挡"}'


def read(text):
    parsed = parse_objects(text)
    return parsed.status, parsed.objects


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        (f"[{BOX_TEXT}, {LINE_TEXT}]", [BOX, LINE]),
        (json.dumps([BOX, LINE]), [BOX, LINE]),
        (BOX_TEXT, [BOX]),
        (f'{{"object_1": {BOX_TEXT}, "object_2": {LINE_TEXT}}}', [BOX, LINE]),
        (f'{{"image": "a.jpg", "objects": [{BOX_TEXT}, {LINE_TEXT}]}}', [BOX, LINE]),
        (f"\ufeff \n[{LINE_TEXT}]\n ", [LINE]),
        (f"```json\n[{BOX_TEXT}]\n```", [BOX]),
        (f"```\n{BOX_TEXT}```", [BOX]),
        (f"```json\n[{BOX_TEXT}]", [BOX]),  # the closing fence is no part of the answer
        ("[]", []),
        ("{}", []),
        ('{"objects": []}', []),
        ("```json\n[]\n```", []),
    ],
)
def test_clean_answers_are_ok(text, objects):
    assert read(text) == ("ok", objects)


def test_numbered_objects_come_in_order_of_appearance():
    names = [f"object_{n}" for n in range(1, 13)]
    text = json.dumps({name: {"poly": [0, 0, 9, 0, 9, 9], "desc": name} for name in names})
    assert [each["desc"] for each in parse_objects(text).objects] == names


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ({"poly": [0, 0, 9, 0, 9, 9]}, {"type": "poly", "points": [0, 0, 9, 0, 9, 9], "desc": ""}),
        ({"line": [0, 0, 9, 9], "label": "a"}, {"type": "line", "points": [0, 0, 9, 9], "desc": "a"}),
        ({"line": [0, 0, 9, 9], "label": "a", "desc": "b"}, {"type": "line", "points": [0, 0, 9, 9], "desc": "b"}),
        ({"bbox_2d": "none", "desc": "a"}, {"type": "bbox_2d", "points": "none", "desc": "a"}),
        ({"type": "circle", "points": [5, 5], "desc": "a"}, {"type": "circle", "points": [5, 5], "desc": "a"}),
        ({"type": "BBU", "bbox_2d": [1, 2, 3, 4]}, {"type": "bbox_2d", "points": [1, 2, 3, 4], "desc": ""}),
    ],
)
def test_objects_are_normalised(written, read_as):
    assert read(json.dumps([written])) == ("ok", [read_as])
    assert read(json.dumps([written])[:-1] + ",]") == ("repaired", [read_as])


@pytest.mark.parametrize(
    "malformed",
    [3, 2.5, None, True, "a", [], [1, 2], {}, {"desc": "a"}, {"bbox_2d": [1, 2, 3, 4], "line": [1, 2, 3, 4]}],
)
def test_what_is_no_object_stays_in_its_place(malformed):
    for answer in ([BOX, malformed, LINE], {"object_1": BOX, "object_2": malformed, "object_3": LINE}):
        text = json.dumps(answer)
        assert read(text) == ("ok", [BOX, malformed, LINE])
        assert read("Here: " + text + " Done.") == ("repaired", [BOX, malformed, LINE])


def test_a_dict_that_is_no_object_is_one_prediction():
    assert read('{"answer": "none"}') == ("ok", [{"answer": "none"}])


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (f"Sure, it's here:\n```json\n[{BOX_TEXT}, {LINE_TEXT}]\n```\nAnything else?", "text around the answer"),
        (f"As in [3] and [0, 1000): [{BOX_TEXT}, {LINE_TEXT}]. That's all (see [4]).", "text around the answer"),
        (rf"\boxed{{[{BOX_TEXT}, {LINE_TEXT}]}}", "text around the answer"),
        (f"{BOX_TEXT}\n{LINE_TEXT}", "several values"),
        (f"```json\n[{BOX_TEXT}]\n```\n```json\n[{LINE_TEXT}]\n```", "several values"),
        (f"[{BOX_TEXT}, {LINE_TEXT}]".replace('"', "'"), 'quotes other than "'),
        (f"[{BOX_TEXT}, {LINE_TEXT},]", "trailing comma"),
        (f"[{BOX_TEXT}, {LINE_TEXT}]".replace("]", ",]").replace("}", ",}"), "trailing comma"),
        (f"[{BOX_TEXT} {LINE_TEXT}]", "missing comma"),
        (f"[{BOX_TEXT}, {LINE_TEXT}]".replace('], "desc', '] "desc'), "missing comma"),
        (f"[{BOX_TEXT}, {LINE_TEXT}]".replace("1, 2, 30, 40", "1 2 30 40"), "missing comma"),
        (f"[{BOX_TEXT}, {LINE_TEXT}]".replace("[1, 2, 30, 40]", "(1, 2, 30, 40)"), "brackets that are not JSON"),
        (f"［{BOX_TEXT}，{LINE_TEXT}］".replace(":", "："), "brackets that are not JSON"),
        (f"[{BOX_TEXT}, {LINE_TEXT}]".replace('"desc": ', "“desc”： "), 'quotes other than "'),
        (f"[{BOX_TEXT}, {LINE_TEXT}]".replace('"desc"', "desc"), "unquoted text"),
        (f"[{BOX_TEXT}, {LINE_TEXT}, ...]", "unquoted text"),
        (f"[{BOX_TEXT}, // the cabinet's box\n{LINE_TEXT}]", "not strict JSON"),
        (f'[{{"desc": "{BOX["desc"]}", "bbox_2d": [1, 2, 30, 40}}, {LINE_TEXT}]', "missing closing bracket"),
        (f"[{BOX_TEXT[:-1]}, {LINE_TEXT}]", "missing closing bracket"),
        (f"[{BOX_TEXT[:-2]}}}, {LINE_TEXT}]", "unclosed string"),
        (f'{{"object_1": {BOX_TEXT[:-2]}}}, "object_2": {LINE_TEXT}}}', "unclosed string"),
        (f"[{BOX_TEXT}}}, {LINE_TEXT}]", "stray closing bracket"),
        (f"[{BOX_TEXT}], {LINE_TEXT}]", "several values"),
        (f"{{{BOX_TEXT}, {LINE_TEXT}}}", "not strict JSON"),
        (json.dumps(f"[{BOX_TEXT}, {LINE_TEXT}]"), "JSON inside a JSON string"),
        (f'{{"object_1": {BOX_TEXT}, "object_1": {LINE_TEXT}}}', "repeated keys"),
        (f'{{"objects": [{BOX_TEXT}], "objects": [{LINE_TEXT}]}}', "repeated keys"),
    ],
)
def test_damage_is_repaired_and_noted(text, note):
    parsed = parse_objects(text)
    assert (parsed.status, parsed.objects) == ("repaired", [BOX, LINE])
    assert note in parsed.notes


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ('[{"bbox_2d": [1, 2, 3, 4], "label": "a", "label": "b"}]', ["repeated keys"]),
        (
            '```json\n[{"bbox_2d": [1, 2, 3, 4], "label": "b", "x": {"y": 1, "y": 2}}]\n```',
            ["inside a fence", "repeated keys"],
        ),
        ('{"objects": [{"bbox_2d": [9, 9], "label": ":", "bbox_2d": [1, 2, 3, 4], "label": "b"}]}', ["repeated keys"]),
        ('[{"bbox_2d": [1, 2, 3, 4], "label": "a", "\\u006cabel": "b"}]', ["repeated keys"]),
        ('[{"bbox_2d": [1, 2, 3, 4], "label": "a", "label": "b",}]', ["trailing comma", "repeated keys"]),
        ('Sure: {"bbox_2d": [1, 2, 3, 4], "label": "a", "label": "b"}', ["text around the answer", "repeated keys"]),
    ],
)
def test_of_a_key_given_twice_the_last_counts_and_it_is_noted(text, notes):
    parsed = parse_objects(text)
    assert (parsed.status, parsed.notes) == ("repaired", notes)
    assert parsed.objects == [{"type": "bbox_2d", "points": [1, 2, 3, 4], "desc": "b"}]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('[{"bbox_2d": [1, 2, 3, 4], "label": "a: \\"label\\": b"}, {"line": [0, 0, 9, 9], "label": ":"}]', "ok"),
        ('[{"bbox_2d": [1, 2, 3, 4], "label": "b"}, {"bbox_2d": [1, 2, 3, 4], "label": "b", "label": "c', "truncated"),
    ],
)
def test_keys_of_different_objects_are_not_repeated(text, status):
    assert (parse_objects(text).status, "repeated keys" in parse_objects(text).notes) == (status, False)


@pytest.mark.parametrize(
    ("written", "desc"),
    [
        ('"a\nb"', "a\nb"),
        ("'it\\'s \"so\"'", 'it\'s "so"'),
        (r'"a\tb\\c\/d\"e"', 'a\tb\\c/d"e'),
        (r'"\u4e2d\ud83d\ude00"', "中😀"),
        (r'"\ud83d!"', "\ufffd!"),
        (r'"C:\dir"', r"C:\dir"),
        ('"，：［］｛｝ stay"', "，：［］｛｝ stay"),
        ('"```"', "```"),
        ('"}, {"', "}, {"),
        ('""', ""),
        ("None", None),
        ("", None),
    ],
)
def test_strings_of_damaged_answers(written, desc):
    assert read(f'[{{"line": [0, 0, 9, 9], "desc": {written},}}]')[1] == [
        {"type": "line", "points": [0, 0, 9, 9], "desc": desc}
    ]


def test_an_unclosed_list_of_points_spoils_only_its_object():
    status, objects = read(f'[{{"bbox_2d": [1, 2, 3, 4, "desc": "a"}}, {LINE_TEXT}]')
    assert status == "repaired"
    assert objects == [{"type": "bbox_2d", "points": [1, 2, 3, 4, "desc", "a"], "desc": ""}, LINE]


def test_a_stray_quote_spoils_only_its_object():
    status, objects = read(f'[{{"bbox_2d": [1, 2, 3, 4], "desc": "文本=5" pipe"}}, {LINE_TEXT}]')
    assert status == "repaired"
    assert objects == [{"type": "bbox_2d", "points": [1, 2, 3, 4], "desc": "文本=5"}, LINE]


def test_lone_surrogates_in_the_text_are_replaced():
    assert read('[{"line": [0, 0, 9, 9], "desc": "\ud800"}]')[1][0]["desc"] == "\ufffd"


@pytest.mark.parametrize(
    ("written", "number"),
    [("-7", -7), ("+7", 7), ("007", 7), ("1.5", 1.5), ("1e3", 1000.0), (".5", 0.5), ("9" * 30, 1e30)],
)
def test_numbers_of_damaged_answers(written, number):
    point = read(f"[{{'line': [{written}, 0, 9, 9]}}]")[1][0]["points"][0]
    assert point == number
    assert type(point) is type(number)


@pytest.mark.parametrize("written", ["12px", "1_0", "１２", "--1", "x"])
def test_what_is_no_number_stays_text_among_points(written):
    assert read(f"[{{'line': [{written}, 0, 9, 9]}}]")[1][0]["points"] == [written, 0, 9, 9]


def test_numbers_that_are_not_finite_are_kept():
    status, objects = read('[{"line": [NaN, Infinity, -Infinity, nan], "desc": "a"}]')
    points = objects[0]["points"]
    assert status == "repaired"
    assert points[1:3] == [math.inf, -math.inf]
    assert [math.isnan(each) for each in points] == [True, False, False, True]


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        (f'[{BOX_TEXT}, {LINE_TEXT}, {{"bbox_2d": [1, 2', [BOX, LINE]),
        (f"[{BOX_TEXT}, {LINE_TEXT}", [BOX, LINE]),
        (f"[{BOX_TEXT}, {LINE_TEXT[:-1]}", [BOX]),
        (f'[{BOX_TEXT}, {{"line": [0, 0, 9, 9], "desc": "类别=尾', [BOX]),
        (f"[{BOX_TEXT}, 12", [BOX]),
        (f"[{BOX_TEXT}, 12,", [BOX, 12]),
        (f'{{"object_1": {BOX_TEXT}, "object_2": {{"line"', [BOX]),
        (f'{{"object_1": {BOX_TEXT}, "object_2', [BOX]),
        (f'{{"objects": [{BOX_TEXT}, {{"line"', [BOX]),
        (f"Sure:\n```json\n[{BOX_TEXT}, {{", [BOX]),
        (f"```json\n[{BOX_TEXT}, {LINE_TEXT}\n```\nThat is all of it.", [BOX, LINE]),
        (f"[{BOX_TEXT}, {LINE_TEXT}\n\nThat is all.", [BOX, LINE]),
    ],
)
def test_of_a_truncated_answer_the_complete_objects_count(text, objects):
    assert read(text) == ("truncated", objects)


@pytest.mark.parametrize(
    "text",
    [
        "", " \n", "I see no objects.", "12", "null", "true", '"text"', "NaN", "```json\n```", "see [3]", "]", "}",
        "[", "{", '[{"bbox_2d": [1, 2, 3', '{"bbox_2d": [1, 2, 3, 4], "desc": "a"', '{"object_1": {', '{"objects": [',
    ],
)  # fmt: skip
def test_nothing_usable_fails(text):
    parsed = parse_objects(text)
    assert (parsed.status, parsed.objects) == ("failed", [])
    assert parsed.notes


def test_an_empty_answer_among_prose_is_an_answer():
    assert read("There are none: []") == ("repaired", [])


def test_a_desc_that_mentions_object_keys_hides_nothing():
    text = json.dumps({"object_1": {"line": [0, 0, 9, 9], "desc": 'say "object_1"'}})
    assert parse_objects(text).status == "ok"


def test_nesting_is_bounded():
    assert read("[" * 100_000) == ("failed", [])
    assert read("[" * 100_000 + "]" * 100_000) == ("failed", [])
    assert read(f"[{BOX_TEXT}, {'[' * 100_000}") == ("truncated", [BOX])


@pytest.mark.parametrize("start", ["", "[", "[{", '[{"a":', '{"objects": ['])
@pytest.mark.parametrize(
    "unit",
    ["{", "[", "}", '"', "'", "\\", '\\"', "`", "```", "```[", "[ ", "{ ", ",", ":", "1", "1 ", "-", "//", "#", "a",
     "\n", "\u3000", "“", '"object_1":', "[[[[{}", '"}, {', "} ", '"} '],
)  # fmt: skip
def test_a_hostile_megabyte_is_read_in_linear_time(start, unit):
    text = start + unit * (length(1_000_000) // len(unit))
    gc.disable()  # what other tests left behind is not looked through meanwhile
    try:
        begin = time.thread_time()
        assert parse_objects(text).status in ("repaired", "truncated", "failed", "ok")
        assert time.thread_time() - begin < 2
    finally:
        gc.enable()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
proper = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["bbox_2d", "poly", "line"]),
        "points": st.lists(st.integers(0, 1000), max_size=8),
        "desc": st.text(),
    }
)
objects_of_answers = st.lists(proper | json_values.filter(lambda value: not isinstance(value, dict)), max_size=5)


@st.composite
def answers(draw):
    """Objects, and a strict text that says them."""
    objects = draw(objects_of_answers)
    numbered = {f"object_{n}": each for n, each in enumerate(objects, 1)}
    alone = objects if len(objects) == 1 and isinstance(objects[0], dict) else []
    forms = [objects, numbered, {"objects": objects}, *alone]
    layout = draw(st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"ensure_ascii": False}]))
    return objects, json.dumps(draw(st.sampled_from(forms)), **layout)


@given(answers(), st.sampled_from(["{}", " {}\n", "```json\n{}\n```", "```{}```"]))
def test_a_strict_answer_comes_back_as_it_was(answer, around):
    objects, text = answer
    assert read(around.replace("{}", text)) == ("ok", objects)


@given(answers(), st.sampled_from(["Here: {}", "{} Done.", "Sure, it's\n```json\n{}\n```\nAll."]))
def test_lenient_reading_agrees_with_strict_reading(answer, around):
    objects, text = answer
    if text.strip("[ \n")[:1] in ("{", "]"):  # other lists are prose where prose is
        assert read(around.replace("{}", text)) == ("repaired", objects)


@given(answers(), st.data())
def test_a_prefix_yields_a_prefix_of_the_objects(answer, data):
    objects, text = answer
    status, got = read(text[: data.draw(st.integers(0, len(text) - 1))])
    assert status == ("truncated" if got else "failed")
    assert got == objects[: len(got)]


@given(st.lists(proper, min_size=1, max_size=5), st.integers(1, 10))
def test_a_prefix_yields_every_complete_object(objects, cut):
    text = json.dumps(objects)
    last = len(json.dumps(objects[-1])) + 1  # with the closing bracket
    assert read(text[:-1]) == ("truncated", objects)
    assert read(text[: -min(1 + cut, last)])[1] == objects[:-1]


fragments = st.sampled_from(
    ["[", "]", "{", "}", ",", ":", '"', "'", "\\", "```", "NaN", "1", "a", "object_1", "objects", "bbox_2d", "\\u",
     "\ud800", "//", "“", "”", "｛", "］", "\n", " "]
)  # fmt: skip


@given(st.text() | st.lists(fragments, max_size=40).map("".join))
def test_any_text_gives_a_result(text):
    parsed = parse_objects(text)
    assert parsed.status in ("ok", "repaired", "truncated", "failed")
    assert parsed.objects == [] or parsed.status != "failed"
    assert parsed.notes or parsed.status == "ok"
    assert repr(parsed).startswith("ParsedText(")


def test_importing_the_reader_is_cheap():
    code = (
        "import sys; before = set(sys.modules); import calipers.files.answers.model_text;"
        "new = set(sys.modules) - before;"
        "print(sorted(new & {'typing', 're', 'dataclasses', 'enum', 'json', 'numpy', 'orjson'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
