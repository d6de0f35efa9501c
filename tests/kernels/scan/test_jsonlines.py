"""Lines of JSON straight to columns: what is read there is what a JSON library and `flatten` make of it."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.kernels.scan.flatten import ObjectColumns
from calipers.kernels.scan.jsonlines import RecordLines

from ...profiles import examples

NAMES = {
    "truth_names": ("gt_norm1000", "gt_norm"),
    "pred_names": ("pred_norm1000", "pred"),
    "key_names": ("image_path", "id"),
    "unless": ("coord_mode", "pixel"),
}
BOX = '{"type":"bbox_2d","points":[1,2,3,4],"desc":"类别=标签"}'
POLY = '{"type": "poly", "points": [0, 0, 9.5, 0, 9, 1000], "desc": "a"}'
LINE = '{"desc":"","points":[0,0,9,9],"type":"line"}'


class Sides:
    """Columns of both sides, with what their records are read by."""

    def __init__(self) -> None:
        descs: dict[str, int] = {}
        self.truth, self.pred = ObjectColumns(descs), ObjectColumns(descs)
        self.lines = RecordLines(self.truth, self.pred, **NAMES)

    def add(self, line: str | bytes) -> str | None:
        return self.lines.add(line.encode() if isinstance(line, str) else line)

    def add_by_library(self, line: bytes) -> None:
        record = orjson.loads(line)
        [truth] = [record[name] for name in NAMES["truth_names"] if name in record]
        [pred] = [record[name] for name in NAMES["pred_names"] if name in record]
        assert self.truth.add_record(truth, True) == -1
        self.pred.add_record(pred, False)

    def content(self) -> list[Any]:
        """Every column to the bit, and the texts of the objects."""
        texts = list(self.truth.descs)
        return [
            (
                [bytes(memoryview(getattr(side, name))) for name in ("offsets", "kind", "reason", "flags", "starts")],
                bytes(memoryview(side.points)),
                [texts[code] for code in side.desc],
            )
            for side in (self.truth, self.pred)
        ]


EMPTY = Sides().content()


def record(truth: str = BOX, pred: str = LINE, more: str = "") -> str:
    return f'{{"gt_norm1000":[{truth}],"pred":[{pred}]{more}}}\n'


def with_points(points: str, kind: str = "bbox_2d") -> str:
    return record(pred=f'{{"type":"{kind}","points":{points},"desc":"a"}}')


def compare(line: str | bytes) -> str | None:
    """Read a line; if it is read at all, a library has to come to the same columns."""
    here, there = Sides(), Sides()
    key = here.add(line)
    if key is None:
        assert here.content() == EMPTY
    else:
        there.add_by_library(line.encode() if isinstance(line, str) else line)
        assert here.content() == there.content()
    return key


# What is read


def test_a_record_by_hand():
    sides = Sides()
    assert sides.add('{"image_path":"a.jpg","gt_norm1000":[' + BOX + '],"pred":[' + LINE + "," + POLY + "]}") == "a.jpg"
    assert sides.truth.points.tolist() == [1, 2, 3, 4]
    assert sides.pred.points.tolist() == [0, 0, 9, 9, 0, 0, 9.5, 0, 9, 1000]
    assert sides.pred.starts.tolist() == [0, 4, 10]
    assert [sides.truth.kind.tolist(), sides.pred.kind.tolist()] == [[0], [2, 1]]
    assert [sides.truth.desc.tolist(), sides.pred.desc.tolist()] == [[0], [1, 2]]
    assert list(sides.truth.descs) == ["类别=标签", "", "a"]


@pytest.mark.parametrize(
    "line",
    [
        record(),
        record(truth=""),
        record(pred=""),
        record(truth=f"{BOX},{POLY},{LINE}", pred=f"{LINE},{LINE}"),
        record().rstrip("\n"),
        record().replace(":", " : ").replace(",", "\t,\r").replace("[", " [ ").replace("]", " ] ") + " \r\n",
        record().replace("gt_norm1000", "gt_norm").replace("pred", "pred_norm1000"),
        record(more=',"width":1920,"size":[1,-2.5,{"a":null,"b":[],"c":{}}],"ok":true,"no":false'),
        record(more=',"prompt":"请\\n\\"检测\\" \\\\ \\/","gt":"pixels","类别":"\\t"'),
        record(pred='{"type":"line","score":0.25,"points":[0,0,9,9],"desc":"a","mask":[[1,2],[3]]}'),
    ],
)
def test_the_usual_ways_to_write_a_record_are_read(line):
    assert compare(line) == ""


@pytest.mark.parametrize(
    "number",
    [
        *("0", "-0", "0.0", "-0.0", "7", "1000", "1000.0", "999.99999999999999", "1001", "-3", "-3.25"),
        *("0.1", "0.30000000000000004", "123.45678901234567", "9007199254740993", "900719925474099.35"),
        *("9999999999999999999", "0.00000000000000001", "33.333333333333336", "1000.0000000000001"),
    ],
)
def test_numbers_are_those_of_the_library(number):
    assert compare(with_points(f"[{number},2,3,4]")) == ""


@given(st.floats(-10, 1010))
def test_floats_come_back_as_they_were_written(value):
    compare(with_points(f"[{value!r},{value:.3f},1,2]"))


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        (',"image_path":"图.jpg","id":"b"', "图.jpg"),
        (',"id":"b","image_path":"a"', "a"),
        (',"id":"b"', "b"),
        (',"image_path":"a","id":7', "a"),
        (',"image_path":null,"image_path":"a"', "a"),
        (',"image_path":"a","image_path":""', None),
        (',"image_path":"a\\\\b"', None),
        (',"id":7', "7"),
        (',"id":0', "0"),
        (',"id":"b","id":7', "7"),
        (',"id":7.0', None),
        (',"id":-7', None),
        (',"id":true', None),
        (',"coord_mode":"norm1000"', ""),
        (',"coord_mode":""', None),
        (',"coord_mode":null', None),
    ],
)
def test_keys(fields, key):
    assert compare(record(more=fields)) == key


def test_many_lines_at_once_up_to_one_that_is_left_alone():
    one, two, odd = record(more=',"id":"a"').encode(), record(more=' , "id" : 7 ').encode(), b'{"pred":[\n'
    block, keys, sides = one + two + one + odd + one.rstrip(), [], Sides()
    assert sides.lines.add_lines(block, 0, len(block), keys) == 2 * len(one) + len(two)
    assert keys == ["a", "7", "a"]
    assert sides.lines.add_lines(block, len(block) - len(one) + 1, len(block), keys) == len(block)
    there = Sides()
    assert [there.add(line) for line in (one, two, one, one.rstrip())] == keys == ["a", "7", "a", "a"]
    assert sides.content() == there.content()


def test_further_fields_of_many_lines_are_numbers_or_told_as_they_are_written():
    descs: dict[str, int] = {}
    lines = RecordLines(ObjectColumns(descs), ObjectColumns(descs), **NAMES, fields=["light", "speed"])
    rows = [record(more=more).encode() for more in (',"speed": 2.50,"light":"晚"', ',"lights":1', ',"light":[1 ,2]')]
    block, keys, values = b"".join(rows), [], []
    assert lines.add_lines(block, 0, len(block), keys, values) == len(block)
    assert values == ['"晚"'.encode(), 2.5, None, None, b"[1 ,2]", None]
    last = lines.field_values()
    assert last == values[-2:]
    assert lines.add(rows[0]) is not None
    assert last == values[-2:]


@pytest.mark.parametrize("text", ["0", "0.0", "7", "-7", "-0.25", "59.99", "9007199254740993", "0.1234567890123456"])
def test_a_number_in_a_further_field_is_that_of_its_text(text):
    assert field_of(text) == float(text)
    assert type(field_of(text)) is float


@pytest.mark.parametrize("text", ["-0", "-0.0", "true", "null", '"7"', "[7]", '{"a":7}'])
def test_anything_else_in_a_further_field_stays_as_it_is_written(text):
    assert field_of(text) == text.encode()


def field_of(text):
    descs: dict[str, int] = {}
    lines = RecordLines(ObjectColumns(descs), ObjectColumns(descs), **NAMES, fields=["speed"])
    assert lines.add(record(more=f',"speed": {text} ').encode()) is not None
    return lines.field_values()[0]


def test_lines_from_the_end_on_are_not_read():
    line, keys = record().encode(), []
    assert Sides().lines.add_lines(3 * line, 0, len(line) + 1, keys) == 2 * len(line)
    assert keys == ["", ""]


def test_no_record_goes_on_in_the_next_line():
    for mark in (",", "[", "]", "{", ":", '"', "}"):
        for place in range(record().count(mark)):
            parts = record().split(mark)
            broken = (mark.join(parts[: place + 1]) + mark + "\n" + mark.join(parts[place + 1 :])).encode()
            if broken.rstrip() != record().encode().rstrip():
                assert Sides().lines.add_lines(broken, 0, len(broken), []) == 0, broken


def test_two_lines_are_no_record():
    assert Sides().add(record() + record()) is None


@pytest.mark.parametrize("size", [0, 1, 2, 30, 31, 32, 33, 62, 63, 64, 65, 96, 200])
@pytest.mark.parametrize("behind", [0, 5, 40])
def test_texts_of_any_size_end_at_their_quote_wherever_they_lie(size, behind):
    """Texts are gone over 32 bytes at a time, but for the last bytes of a block."""
    first, other = "螺" * (size // 3) + "ab"[: size % 3], "x" * size
    objects = ",".join(f'{{"type":"line","points":[0,0,9,9],"desc":"{text}"}}' for text in (first, other, first))
    line = f'{{"pred":[],"gt_norm1000":[{objects}]{" " * behind}}}'
    assert compare(line) == ""
    assert compare(line + "\n") == ""


@pytest.mark.parametrize("at", range(0, 70, 3))
@pytest.mark.parametrize("found", ["\\n", '\\"', "\n", "\t", "\0"])
def test_texts_with_escapes_or_control_characters_are_left_alone(at, found):
    text = "y" * at + found + "z" * 40
    line = record(pred=f'{{"type":"line","points":[0,0,9,9],"desc":"{text}"}}')
    assert compare(line) is None


def test_texts_that_differ_in_one_byte_have_codes_of_their_own():
    texts = ["q" * at + letter + "q" * (69 - at) for at in range(70) for letter in "rs"]
    sides = Sides()
    for _ in range(2):
        for start in range(0, len(texts), 20):
            objects = (f'{{"type":"line","points":[0,0,9,9],"desc":"{text}"}}' for text in texts[start : start + 20])
            assert sides.add(record(truth=",".join(objects), pred="")) == ""
    assert sides.truth.desc.tolist() == 2 * [*range(140)]
    assert list(sides.truth.descs) == texts


def test_texts_share_their_codes_however_they_came():
    sides = Sides()
    sides.add(record())
    sides.truth.add_record(orjson.loads(f"[{POLY},{BOX}]"), True)
    sides.add(record(truth=f"{BOX},{POLY}"))
    assert sides.truth.desc.tolist() == [0, 2, 0, 0, 2]
    assert list(sides.truth.descs) == ["类别=标签", "", "a"]


def test_texts_of_any_length_are_told_apart():
    texts = [letter * length for length in range(40) for letter in "ab光"]
    objects = ",".join(LINE.replace('""', f'"{text}"') for text in texts)
    assert compare(record(pred=f"{objects},{objects}")) == ""


# What is left alone


@pytest.mark.parametrize(
    "line",
    [
        *("", "\n", "[]", "{}", "null", "{", '{"pred":[]}', '{"gt_norm1000":[]}', "\0" + record(), record() + "x"),
        *(record(truth="", pred=""), record(more=',"coord_mode":"pixel"'), record(more=',"gt_norm":[]')),
        *(record(more=f',"pred_norm1000":[{LINE}]'), record(more=',"pred":[]'), record(more=',"gt_norm1000":[]')),
        *(record(more=","), record(more=',"a"'), record(more=',"a":'), record(more=',"a":1 2'), record(more=",a:1")),
        *(record(more=',"a":tru'), record(more=',"a":truee'), record(more=',"a":NaN'), record(more=',"a":01')),
        *(record(more=',"a":[1,]'), record(more=',"a":{"b":1,}'), record(more=',"a":[1}'), record(more=',"a":{1:2}')),
        *(record(more=',"a":"\\u0061"'), record(more=',"a":"\\x"'), record(more=',"a":"\t"'), record(more=',"a":"b')),
        *(record(more=',"a":' + "[" * 99 + "]" * 99), record(more=',"a":1e5'), record(more=',"pr\\u0065d":[]')),
        *(record(pred=f"{LINE},"), record(pred=f"{LINE} {LINE}"), record(pred="7"), record(pred="{}")),
        *(record(pred=LINE.replace("line", "circle")), record(pred=LINE.replace('"line"', "7"))),
        *(record(pred=LINE.replace('""', '"\\u5149"')), record(pred=LINE.replace('""', "null"))),
        *(record(pred=LINE.replace('"desc":"",', "")), record(pred=LINE.replace('"desc"', '"desc":"b","desc"'))),
        *(
            record(pred=LINE.replace('"type"', '"type":"poly","type"')),
            record(pred=LINE.replace('"type":"line"', '"a":1')),
        ),
        *(record(pred=LINE.replace('"type"', '"points":[1,1,2,2],"type"')), record(truth=BOX.replace("4", "1001"))),
        *(record(truth=BOX.replace("4", "-1")), record(pred=LINE.replace(',"points"', ',"points":7,"points"'))),
    ],
)
def test_anything_unusual_is_left_alone(line):
    assert compare(line) is None


@pytest.mark.parametrize(
    "points",
    [
        *("[]", "[1,2,3]", "[1,2,3,4,5]", "[[1,2],[3,4]]", "null", '"1,2,3,4"', "[1,2,3,4,]", "[1,2,3,,4]", "[,1,2,3]"),
        *(
            "[1,2,3,4",
            "[1,2,3,1e2]",
            "[1,2,3,01]",
            "[1,2,3,1.]",
            "[1,2,3,.5]",
            "[1,2,3,+4]",
            "[1,2,3,-]",
            "[1,2,3,- 4]",
        ),
        *("[1,2,3,NaN]", "[1,2,3,true]", '[1,2,3,"4"]', "[1,2,3,12345678901234567890]", "[1,2,3,0.123456789012345678]"),
    ],
)
def test_points_that_are_not_just_numbers_are_left_alone(points):
    assert compare(with_points(points)) is None


@pytest.mark.parametrize("wrong", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe7\xb1", b"\x80"])
@pytest.mark.parametrize(
    "place",
    [
        *(b'{"%s":1,', b'{"a":"%s",', b'{"a":{"%s":1},', b'{"image_path":"%s",', b'{"id":"%s","image_path":"a",'),
        b'{"pred_norm1000":[{"type":"line","points":[0,0,9,9],"desc":"%s"}],',
        b'{"pred_norm1000":[{"type":"line","points":[0,0,9,9],"%s":"","desc":""}],',
    ],
)
def test_bytes_that_are_no_text_are_left_alone(place, wrong):
    rest = b'"gt_norm1000":[' + BOX.encode() + (b"]}" if b"pred" in place else b'],"pred":[]}')
    assert compare((place % b"x") + rest) is not None
    assert compare((place % wrong) + rest) is None


@pytest.mark.parametrize("first", [b'"type":"\xff"', b'"desc":"\xff"', b'"points":[\xff]', b'"points":[]'])
def test_what_comes_twice_is_left_alone_even_if_the_first_is_wrong(first):
    line = record(pred='{"?":0,"type":"line","points":[0,0,9,9],"desc":""}').encode()
    assert compare(line.replace(b'"?":0', first)) is None


@pytest.mark.parametrize(
    ("others", "is_read"),
    [
        ('"score":1,"id":2', True),
        ('"score":1,"id":2,"score":1', False),
        ('"a\\/b":1', False),  # an escape: it may spell another key
        ('"meta":{"a":1,"a":2}', True),  # no key of the object itself
        (",".join(f'"k{k}":0' for k in range(16)), True),
        (",".join(f'"k{k}":0' for k in range(17)), False),  # more than are kept to compare
    ],
)
def test_an_object_with_a_key_twice_is_left_alone(others, is_read):
    assert (compare(record(pred=f'{{"type":"line",{others},"points":[0,0,9,9],"desc":""}}')) is not None) == is_read


def test_a_line_left_alone_leaves_nothing_behind():
    sides = Sides()
    sides.add(record())
    before = sides.content()
    assert sides.add(record(truth=f"{BOX},{POLY}", pred=f"{LINE},{LINE},null")) is None
    assert sides.content() == before
    sides.add(record())
    assert sides.truth.offsets.tolist() == sides.pred.offsets.tolist() == [0, 1, 2]


def test_both_sides_need_the_same_codes():
    with pytest.raises(ValueError, match="the same codes"):
        RecordLines(ObjectColumns({}), ObjectColumns({}), **NAMES)


# Any line


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(-2000, 2000) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NUMBERS = st.integers(0, 1000) | st.integers(-5, 1005) | st.floats(-1, 1001)
OBJECTS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["bbox_2d", "poly", "line"]),
        "points": st.lists(NUMBERS, min_size=4, max_size=4) | st.lists(NUMBERS, min_size=3, max_size=8),
        "desc": st.sampled_from(["", "类别=标签"]) | st.text(max_size=12),
    },
    optional={"score": VALUES},
)
RECORDS = st.fixed_dictionaries(
    {"gt_norm1000": st.lists(OBJECTS, max_size=3), "pred": st.lists(OBJECTS, max_size=3)},
    optional={
        "image_path": st.text(max_size=5),
        "id": VALUES,
        "prompt": VALUES,
        "coord_mode": st.sampled_from(["norm1000", "pixel"]),
    },
)
CHANGES = st.lists(st.tuples(st.integers(0, 1 << 16), st.binary(max_size=2), st.integers(0, 2)), max_size=2)


@settings(deadline=None, max_examples=examples(300))
@given(RECORDS, st.booleans(), CHANGES)
def test_whatever_is_read_a_library_reads_the_same_way(content, ascii_only, changes):
    line = json.dumps(content, ensure_ascii=ascii_only).encode()
    for place, new, old in changes:
        at = place % len(line)
        line = line[:at] + new + line[at + old :]
    compare(line)


def test_texts_met_lately_outlive_the_dictionary_they_came_from():
    texts = [f"a text of some length, {number}" for number in range(2000)]
    sides, lines = Sides(), [f'{{"gt_norm":[{BOX}],"pred":[{POLY.replace("a", text, 1)}]}}' for text in texts]
    for line in lines:
        sides.add(line)
        sides.truth.add_record([json.loads(BOX)], True)
    sides.truth.descs.clear()  # nobody does; nothing may be read where they were
    others = [text.upper() for text in texts]
    for line, other in zip(lines, others, strict=True):
        sides.add(line)
        sides.truth.add_record([json.loads(BOX) | {"desc": other}], True)
    assert len(sides.truth.kind) == 8000


@pytest.mark.parametrize(
    "item",
    [
        '{"type":"poly","points":[0,0,9,0,9,9],"desc":"a"}',
        '{"type":"line","points":[0,0,9,9],"desc":"a","more":1}',
        '{"type":"line","points":[0,0,9,9] ,"desc":"a"}',
        '{"type":"line","points":[0,0,9,9],"desc": "a" }',
        '{"type":"line","points":[0,0,9,9],"score":1,"desc":"a"}',
        '{"type":"bbox_2d","points":[0,0,9,9],"desc":""}',
    ],
)
def test_objects_that_only_begin_as_most_do_are_read_as_well(item):
    assert compare(record(f"{item},{BOX}", f"{LINE},{item}")) == ""


def test_more_texts_than_are_kept_have_the_codes_of_the_library():
    ours, library = Sides(), Sides()
    for k in (*range(3000), *range(0, 3000, 7)):
        objects = ",".join(BOX.replace("类别=标签", f"{k}-{j}") for j in range(5))
        line = record(objects, BOX.replace("类别=标签", f"{k}-0")).encode()
        assert ours.add(line) == ""
        library.add_by_library(line)
    assert ours.content() == library.content()
