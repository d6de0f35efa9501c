"""The scanner of COCO's JSON: the same numbers as a JSON library has, and nothing taken that such a library refuses."""

import json
import random
import re
import struct

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.kernels.scan.cocojson import FIELDS, scan_coco, scan_piece, value_end

from ...profiles import examples

ROW = b'{"image_id":4,"category_id":1,"bbox":[1,2.5,3,4e1],"score":0.25}'


def scan(text, *, truth=False, shape=""):
    return scan_coco(text if isinstance(text, bytes) else text.encode(), truth=truth, shape=shape)


def names(bits):
    return [name for name, bit in FIELDS.items() if bits & bit]


def bits(number):
    return struct.pack("<d", number)


def score_of(text):
    """The score of one detection, None if the row is odd."""
    found = scan('[{"score": ' + text + "}]")
    assert found is not None
    return None if len(found.odd) else found.score[0]


# Rows


def test_a_detection():
    found = scan(b"[" + ROW + b"]")
    assert found.is_list
    assert len(found) == 1
    assert [found.image[0], found.category[0], found.box.tolist(), found.score[0]] == [4, 1, [1, 2.5, 3, 40], 0.25]
    assert names(found.has[0]) == ["image_id", "category_id", "bbox", "score"]
    assert len(found.odd) == len(found.ids) == len(found.area) == len(found.shapes) == 0


def test_an_annotation_among_other_things():
    text = (
        '{"info": {"year": [2017, {"a": null}]}, "annotations": [ {"id": 0, "image_id": -7, "category_id": 3, '
        '"bbox": [0, 0, 1, 1], "area": 0.5, "iscrowd": true, "score": "not asked for", "more": [[]]} ], "images": [ ]}'
    )
    found = scan(text, truth=True)
    assert not found.is_list
    assert [found.ids[0], found.image[0], found.area[0], found.crowd[0]] == [0, -7, 0.5, 1]
    assert names(found.has[0]) == ["image_id", "category_id", "id", "bbox", "area", "iscrowd"]
    assert {name: text[begin:end] for name, (begin, end) in found.parts.items() if name != "annotations"} == {
        "info": '{"year": [2017, {"a": null}]}',
        "images": "[ ]",
    }


def test_rows_beyond_the_first_room_that_was_made():
    rows = [{"image_id": k, "category_id": k % 7, "bbox": [k, k, 1, 2], "score": k / 7} for k in range(20_000)]
    found = scan(json.dumps(rows))
    assert found.image.tolist() == list(range(20_000))
    assert found.score.tolist() == [k / 7 for k in range(20_000)]
    assert found.box.tolist()[-4:] == [19_999, 19_999, 1, 2]


def test_no_rows():
    assert len(scan("[]")) == len(scan(' {"annotations": [ ]} ', truth=True)) == 0


def test_a_byte_order_mark_is_skipped():
    assert len(scan(b"\xef\xbb\xbf[" + ROW + b"]")) == 1


def test_a_buffer_says_where_it_ends():
    assert len(scan_coco(memoryview(b"[{}]\0"), truth=False)) == 1
    for buffer in (memoryview(b"[{}]"), memoryview(b"")):
        with pytest.raises(ValueError, match="needs a NUL at its end"):
            scan_coco(buffer, truth=False)


@pytest.mark.parametrize("shape", ["segmentation", "keypoints"])
def test_shapes_are_byte_ranges(shape):
    text = '[{"SHAPE": [[1, 2], "]"]}, {}, {"SHAPE" : {"a":1} }]'.replace("SHAPE", shape)
    begin, end, *others = scan(text, shape=shape).shapes.tolist()
    assert text[begin:end] == '[[1, 2], "]"]'
    assert others[:2] == [0, 0]
    assert text[others[2] : others[3]] == '{"a":1}'


def test_a_segmentation_is_needed_where_there_is_no_area():
    row = '{"area": 1, "segmentation": []}, {"segmentation": []}'
    assert scan(f"[{row}]", truth=True).odd.tolist()[::3] == [1]
    assert scan(f"[{row}]", truth=True, shape="segmentation").odd.tolist() == []


# Odd rows

ODD = {
    "a text for a number": '{"score": "0.5"}',
    "null": '{"bbox": null}',
    "NaN": '{"score": NaN}',
    "infinite": '{"bbox": [1, 2, -Infinity, 4]}',
    "beyond floats": '{"score": 1e999}',
    "three numbers": '{"bbox": [1, 2, 3]}',
    "five numbers": '{"bbox": [1, 2, 3, 4, 5]}',
    "a box inside": '{"bbox": [[1, 2, 3, 4]]}',
    "a point in an id": '{"image_id": 7.0}',
    "an exponent in an id": '{"image_id": 7e0}',
    "an id of 19 digits": '{"image_id": 1234567890123456789}',
    "a flag for an id": '{"category_id": true}',
    "an escaped name": '{"\\u0062box": [1, 2, 3, 4]}',
    "a name given twice": '{"score": 1, "score": 2}',
    "NaN where it does not matter": '{"other": NaN}',
    "no object": "[1, 2]",
    "nothing": "null",
}


@pytest.mark.parametrize("row", ODD.values(), ids=ODD)
def test_a_row_that_is_not_plain_is_only_placed(row):
    text = '[{"score": 1},  ' + row + ' ,{"score": 2}]'
    found = scan(text)
    assert [len(found), found.score[0], found.score[2]] == [3, 1, 2]
    index, begin, end = found.odd.tolist()
    assert (index, text[begin:end]) == (1, row)


@pytest.mark.parametrize("crowd", ["2", "10", "0.0", "1e0", "null", '"0"', "-1"])
def test_a_crowd_is_0_1_false_or_true(crowd):
    assert len(scan('[{"iscrowd": ' + crowd + "}]", truth=True).odd) == 3


def test_plain_crowds():
    rows = '[{"iscrowd": 0}, {"iscrowd": 1}, {"iscrowd": false}, {"iscrowd": true}]'
    assert scan(rows, truth=True).crowd.tolist() == [0, 1, 0, 1]


# Texts that are left alone

DOUBTFUL = {
    "nothing": "",
    "a number": "5",
    "cut off": '[{"score": 1}',
    "cut off in a name": '[{"sco',
    "cut off in a number": '[{"score": 1',
    "more behind": "[] []",
    "a comma too many": '[{"score": 1,}]',
    "another comma too many": '[{"score": 1},]',
    "a leading zero": '[{"score": 01}]',
    "a bare point": '[{"score": 1.}]',
    "a bare exponent": '[{"other": 1e}]',
    "a plus": '[{"score": +1}]',
    "minus NaN": '[{"score": -NaN}]',
    "a word": '[{"score": nul}]',
    "a control character": '[{"a\nb": 1}]',
    "an unknown escape": '[{"a": "\\x"}]',
    "half of a surrogate pair": '[{"a": "\\ud800"}]',
    "the other half": '[{"a": "\\udc00\\ud800"}]',
    "single quotes": "[{'score': 1}]",
    "NaN outside of rows": '{"info": NaN, "annotations": []}',
    "rows given twice": '{"annotations": [], "annotations": []}',
    "a name that is written oddly": '{"annot\\u0061tions": []}',
    "rows that are no list": '{"annotations": {}}',
    "too deep": '[{"a": ' + "[" * 65 + "]" * 65 + "}]",
    "NUL": '[{"score": 1}]\0',
}


@pytest.mark.parametrize("text", DOUBTFUL.values(), ids=DOUBTFUL)
def test_a_doubtful_text_is_left_alone(text):
    assert scan(text) is None


@pytest.mark.parametrize("data", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\x80"])
def test_what_is_not_utf8_is_left_alone(data):
    assert scan(b'[{"a": "' + data + b'"}]') is None
    assert scan(b'[{"' + data + b'": 1}]') is None


@pytest.mark.parametrize("text", ["é", "标签", "🦔", "\\ud83e\\udd94", "\\u00e9\\n\\\\", "\x7f"])
def test_other_texts_are_skipped(text):
    assert scan('[{"a": "' + text + '", "score": 1}]').score[0] == 1
    assert names(scan('[{"a' + text + '": 2, "score": 1}]').has[0])[0] == "score"


def test_64_levels_are_gone_over():
    assert len(scan('[{"a": ' + "[" * 64 + "]" * 64 + "}]")) == 1


def test_depth_is_no_matter_of_the_stack():
    assert scan("[" * 1_000_000) is None
    assert scan('{"a":' * 1_000_000) is None


# Numbers

HARD = [
    "0", "-0", "0.0", "-0.0", "5e-324", "2.2250738585072011e-308", "1.7976931348623157e308", "9007199254740993",
    "0.1", "0.30000000000000004", "1e22", "1e23", "123456789012345678", "12345678901234567890123", "8.5e-05",
    "0.000000000000000000000000000123456789", "7.2057594037927933e16", "9223372036854775807", "1E+2", "1e-00",
    "0.19257000088691711", "0.0019257000088691711", "0.00019257000088691711", "179769313486231580793e-300",
]  # fmt: skip


def check_number(text):
    """The scanner has Python's float; a number whose exponent has three digits makes its row odd."""
    found = score_of(text)
    if re.search(r"e[+-]?\d{3}", text):
        assert found is None
    else:
        assert bits(found) == bits(float(text) + 0.0)


@pytest.mark.parametrize("text", HARD)
def test_hard_numbers_are_those_of_python(text):
    check_number(text)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.floats(-1e99, 1e99))
def test_every_float_reads_back(number):
    check_number(repr(number))


@given(st.integers(0, 10**25), st.integers(0, 30), st.integers(-30, 30))
def test_every_decimal_is_the_float_of_python(digits, decimals, exponent):
    whole, rest = divmod(digits, 10**decimals)
    text = f"{whole}" + (f".{rest:0{decimals}}" if decimals else "") + (f"e{exponent}" if exponent else "")
    assert bits(score_of(text)) == bits(float(text))


@given(st.floats(2**-30, 1, width=32))
def test_scores_of_32_bits_are_plain(number):
    assert score_of(repr(number)) == number  # as many as 26 decimals, 17 of which say something


# Laws

values = st.one_of(
    st.integers(-5, 2000),
    st.floats(-1e4, 1e4),
    st.floats(),
    st.booleans(),
    st.none(),
    st.text(max_size=5),
    st.lists(st.integers(0, 9), max_size=5),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
boxes = st.one_of(st.lists(st.floats(0, 640), min_size=4, max_size=4), values)
rows = st.dictionaries(st.sampled_from([*FIELDS, "other", "é"]), values, max_size=8) | st.fixed_dictionaries(
    {"image_id": st.integers(0, 9), "category_id": st.integers(0, 9), "bbox": boxes, "score": st.floats(0, 1)}
)
styles = st.sampled_from([{}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}, {"sort_keys": True}])


@given(st.lists(rows, max_size=6), styles, st.booleans())
def test_plain_rows_hold_what_a_library_reads(given_rows, style, truth):
    text = json.dumps(given_rows, **style)
    found = scan(text, truth=truth)
    if found is None:
        with pytest.raises(orjson.JSONDecodeError):  # half of a surrogate pair, which json lets through
            orjson.loads(text)
        return
    odd = set(found.odd.tolist()[::3])
    plain = {"image_id": found.image, "category_id": found.category}
    plain |= {"id": found.ids, "area": found.area} if truth else {"score": found.score}
    for index, row in enumerate(given_rows):
        for name, column in plain.items():
            if index not in odd and name in row:
                assert column[index] == row[name]
        if index not in odd and "bbox" in row:
            assert found.box.tolist()[4 * index : 4 * index + 4] == row["bbox"]


PIECES = [
    b'"',
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\0",
    b"\xff",
    b"\xc3\xa9",
    b"\\u00e9",
    b"1e5",
    b"NaN",
    b"-",
    b"0",
]
RESULTS = b"[" + ROW + b", " + ROW + b"]"
DATASET = (
    b'{"images": [{"id": 1, "file_name": "\xc3\xa9 \\ud83e\\udd94 \\n"}], "annotations": [{"id": 1, "image_id": 1, '
    b'"category_id": 1, "bbox": [0.5, 1, 2, 3], "area": 6e0, "iscrowd": 0, "segmentation": [[1, 2, 3, 4, 5, 6]], '
    b'"keypoints": [1, 2, 2], "num_keypoints": 1}], "categories": [{"id": 1, "name": "a"}]}'
)


def mutated(text, chance):
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text))
        if chance.random() < 0.3:
            text = text[:at] + text[at + chance.randint(1, 8) :]
        elif chance.random() < 0.5:
            text = text[:at] + chance.choice(PIECES) + text[at + chance.randint(0, 1) :]
        else:
            text = text[:at] + bytes([chance.randrange(256)]) + text[at + 1 :]
        text = text or b"["
    return text


def is_json(text, loads):
    try:
        loads(text)
    except ValueError:
        return False
    return True


@settings(max_examples=examples(200))
@given(
    st.integers(0, 2**32),
    st.sampled_from([RESULTS, DATASET]),
    st.booleans(),
    st.sampled_from(["", "segmentation", "keypoints"]),
)
def test_what_is_taken_is_json(seed, text, truth, shape):
    chance = random.Random(seed)
    for _ in range(50):
        data = mutated(text, chance)
        found = scan_coco(data, truth=truth, shape=shape)
        if found is not None:
            assert is_json(data, json.loads if len(found.odd) else orjson.loads), data


# Pieces of a list


def columns(scan, *, truth):
    names = ("has", "image", "category", "box", *(("ids", "area", "crowd") if truth else ("score",)))
    return [getattr(scan, name).tolist() for name in names]


@pytest.mark.parametrize("truth", [True, False])
def test_pieces_give_the_rows_of_the_whole(truth):
    text = b"[" + b" ,\n".join([ROW, b"5", b'{"image_id": 7.0}', ROW, b'"a, ]{"', ROW]) + b" ] "
    whole = scan_coco(text, truth=truth)
    assert len(whole) == 6
    for cut in range(1, len(text)):
        first = scan_piece(text[:cut], 1, truth=truth)
        rest = text[first.behind :]
        assert first.is_closed == (cut > text.rindex(b"]"))
        if first.is_closed:
            assert (len(first), rest) == (6, b" ")
            continue
        second = scan_piece(rest, 0, truth=truth)
        assert second.is_closed
        assert first.begins.tolist() + [at + first.behind for at in second.begins.tolist()] == [
            1, *(match.end() for match in re.finditer(rb" ,\n", text))
        ]  # fmt: skip
        for mine, others, expected in zip(
            *(columns(scan, truth=truth) for scan in (first, second, whole)), strict=True
        ):
            odd = [row for row, bits in enumerate(whole.has.tolist()) if bits & FIELDS["odd"]]
            width = len(expected) // 6
            found = mine + others
            assert [found[k] for k in range(len(found)) if k // width not in odd] == [
                expected[k] for k in range(len(expected)) if k // width not in odd
            ]


@pytest.mark.parametrize("text", [b"", b" ", b"{", b'{"image_id"', b"1", b"1 ", b'"a', b"nul", b"}"])
def test_a_piece_without_a_whole_row_has_none(text):
    scan = scan_piece(text, 0, truth=False)
    assert (len(scan), scan.behind, scan.is_closed) == (0, 0, False)


@pytest.mark.parametrize(
    ("text", "end"),
    [
        (b"[1, {}] x", 7),
        (b' "a]" ', 5),
        (b"12,", 2),
        (b"null", 4),
        (b"[1", None),
        (b"[NaN]", None),
        (b"", None),
        (b"x", None),
    ],
)
def test_where_a_value_ends(text, end):
    assert value_end(text, 0) == end
    assert value_end(b"[" + text, 1) == (None if end is None else end + 1)
