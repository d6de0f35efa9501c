"""Lines of cases as a kernel reads them: listed and drawn the same as when they are parsed, whoever wrote them."""

import random
import re
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import calipers
from calipers.show.page.cases import CaseViews
from calipers.show.page.folded import TextTable
from calipers.show.page.images import Pictures
from calipers.suites.dense.case_parts import draw_case, list_case, parse_listed
from calipers.suites.dense.scanned_cases import ScannedCases

from ...hostile import HOSTILE
from .records import box, line, poly, record
from .test_match_lines import some_records

NORM, PIXEL = ({"params": {"frame": frame}} for frame in ("norm1000", "pixel"))
RECORDS = [
    record(
        [box(0, 0, 10, 10, "a/b"), poly(5, 5, 90, 5, 90, 90, desc="b"), line(1, 2, 3, 4, desc='say "c"\n')],
        [
            box(0, 0, 10, 9, "a/b"),
            box(500, 0, 400, 9, "z"),
            {"type": "poly", "points": [5, 5, 90, 5, 90, 91], "desc": "b"},
        ],
        image_path="ä.jpg",
        width=640,
        height=480,
    ),
    record([box(0, 0, 10, 10)], [box(9.5, 9.999, 400, 400), box(1, 2, 3, "4"), box(-5, 0, 2000, 9)], id="é\\"),
    record(
        [box(0, 0, 10, 10)], [{"type": "bbox_2d", "points": [[0, 0], [10, 10]]}, 7, {"type": ["line"]}, {}], id="odd"
    ),
    record([line(0, 0, 9, 9, 20, 0)], [line(*range(40)), poly(1, 2, 3, 4), "box"], id="more"),
]


def written(records, **options):
    """The lines of cases of some records, as calipers writes them."""
    lines = []
    report = calipers.dense(list(records), bootstrap=0, **options)
    report.pass_cases(lines.extend)
    return b"".join(map(bytes, lines)).splitlines(keepends=True)


SIZE = {"width": 640, "height": 480}
IN_PIXELS = [SIZE | {"id": at, "gt": tree["gt_norm1000"], "pred": tree["pred"]} for at, tree in enumerate(RECORDS)]
LINES = [*written(RECORDS), *written(IN_PIXELS, frame="pixel"), *written(list(some_records(1))[:20])]


def outcome(view, *given):
    """What a view shows, or how it fails."""
    try:
        return view(*given)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"


def spelled(part):
    """A part with its errors spelled out."""
    if not isinstance(part, dict) or "errors" not in part:
        return part
    table, places, counts = part["errors"]
    return part | {"errors": [(table.errors[place], count) for place, count in zip(places, counts, strict=True)]}


def views_of(tree):
    """Views by the kernel, and of parsed cases."""
    draw = partial(draw_case, tree)
    parsed = CaseViews.of(list_case, draw, draw, parse_listed)
    return ScannedCases(tree, None, parsed).views(), parsed


def shown_by(views, text):
    """All that views show of a line, in order of their keys."""
    table = TextTable()
    listed, drawn = outcome(views.list_line, text), outcome(views.draw, text)
    folded = outcome(views.fold, text, table)
    listed = listed if isinstance(listed, str) else (listed.order, spelled(listed.part) | {"note": ""})
    row = folded if isinstance(folded, str) else (folded.json, list(table), folded.size, table.size)
    return listed, repr(spelled(drawn)), row


def check(text):
    for tree in (NORM, PIXEL):
        scanned, parsed = views_of(tree)
        assert shown_by(scanned, text) == shown_by(parsed, text)


@pytest.mark.parametrize("text", LINES)
def test_lines_of_calipers_are_shown_the_same(text):
    check(text)


def test_lines_of_calipers_are_read_by_the_kernel():
    parsed = []
    views = ScannedCases(NORM, None, CaseViews(lambda text: parsed.append(text), None, None)).views()
    for text in LINES:
        views.list_line(text)
    assert parsed == []


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_shown_the_same(text):
    whole = text.encode("utf-8", "replace").decode()
    for case in written([record([box(0, 0, 9, 9, whole)], [box(0, 0, 9, 9, "z"), box(5, 5, 1, 1, whole)], id=whole)]):
        check(case)


def changed(pattern, *others):
    """Each line in which a pattern is there, with another text in its place."""
    for text in LINES[:8]:
        for other in others:
            changed = re.sub(pattern, lambda _, other=other: other, text, count=1)
            if changed != text:
                yield changed


BEFORE_VALUES = (
    b"key",
    b"fields",
    b"object",
    b"type",
    b"points",
    b"desc",
    b"cause",
    b"partner",
    b"best",
    b"overlap",
    b"gt",
)
OVERLAPS = (
    b"0.9E9 0.5E-3 0.E 0.5e3 123456.789e-1 9.87654321e-1 9.5e-0 0e-5 5.e-1 1.00 1.0e-1 1.0E0 10.0 00.5 0.5x".split()
)
ODD = [
    *(text for number in OVERLAPS for text in changed(rb'"overlap":[\d.]+', b'"overlap":' + number)),
    *(text for name in BEFORE_VALUES for text in changed(b'"%s":' % name, b'"%s": ' % name)),
    *changed(
        rb'"overlap":[\d.]+',
        *(b'"overlap":' + number for number in (b"1", b"0", b"5e-1", b"1e0", b"1.5", b"null", b"NaN")),
    ),
    *changed(
        rb'"overlap":[\d.]+', *(b'"overlap":0.' + digits for digits in (b"0005", b"1235", b"12350", b"9995", b"99949"))
    ),
    *changed(
        rb'"overlap":[\d.]+', b'"overlap":0.1234567890123456', b'"overlap":-0.5', b'"overlap":1E-3', b'"overlap":1e-400'
    ),
    *changed(
        rb'"index":\d+', b'"index":99', b'"index":-1', b'"index":1.0', b'"index":00', b'"index":null', b'"index":1e0'
    ),
    *changed(rb'"index":\d+', b'"index":12345678901234567890', b'"at":0', b'"index":true'),
    *changed(
        rb'"points":\[\d+', b'"points":[1e1', b'"points":[01', b'"points":[-0', b'"points":[1.0', b'"points":["1"'
    ),
    *changed(
        rb'"points":\[\d+',
        b'"points":[1234567890',
        b'"points":[',
        b'"points":[[1]',
        b'"points":[NaN',
        b'"points":[1001',
    ),
    *changed(
        rb'"points":\[[^]]*\]', b'"points":[]', b'"points":7', b'"points":{"matched":[1],"labels":2}', b'"points":[1,2'
    ),
    *changed(rb'"points":', b'"points":[9,9],"points":', b'"type":"line","points":', b'"po\\u0069nts":', b'"points": '),
    *changed(
        rb'"type":"\w+"',
        b'"type":"bbox\\u005f2d"',
        b'"type":null',
        b'"type":"cube"',
        b'"type":["poly"]',
        b'"type":"\xff"',
    ),
    *changed(
        rb'"desc":"',
        b'"desc":"\\ud800',
        b'"desc":"\\ud83d\\ude00',
        b'"desc":"\xed\xa0\x80',
        b'"desc":7,"d":"',
        b'"desc":"\x01',
    ),
    *changed(
        rb'"object":\{',
        b'"object":{"a":1{',
        b'"object":{,',
        b'"object":{"a":1,',
        b'"object":[{',
        b'"object":{"desc":"x",',
    ),
    *changed(
        rb'"object":\{[^}]*\}', b'"object":{}', b'"object":null', b'"object":"a"', b'"object":[]', b'"object":{"a":}'
    ),
    *changed(rb'"cause":"\w+"', b'"cause":"odd"', b'"cause":"matched"', b'"cause":null', b'"cause":"miss\\u0065d"'),
    *changed(
        rb'"partner":',
        b'"invalid":"why","partner":',
        b'"invalid":null,"partner":',
        b'"invalid":"a","invalid":"b","partner":',
    ),
    *changed(
        rb'"partner":(null|\{[^}]*\})', b'"partner":null', b'"partner":{}', b'"partner":{"index":0,"overlap":0.25}'
    ),
    *changed(rb'"best":(null|\{[^}]*\})', b'"best":null', b'"best":{}', b'"best":{"index":77,"overlap":0.5}', b'"b":1'),
    *changed(
        rb'"names":\["?', b'"names":["a",["b","c"],', b'"names":[["a"],', b'"names":[["a","b","c"],', b'"names":[7,'
    ),
    *changed(rb'"names":\[', b'"names":[["",""],', b'"names":["(none)",', b'"names":["\\u0061",', b'"names":[ '),
    *changed(rb'"gt":\[\d+', b'"gt":[99', b'"gt":[-1', b'"gt":[0,0,0,0', b'"gt":[', b'"gt":[0.0'),
    *changed(rb'"labels":\{', b'"labels":{"x":0,', b'"labels": {', b'"labels":{"names":[],'),
    *changed(
        rb'"unmatched":\d+', b'"unmatched":-3', b'"unmatched":1.5', b'"unmatched":"3"', b'"unmatched":3,"x":1', b'"x":1'
    ),
    *changed(
        rb'"unmatched":\d+',
        b'"unmatched":1234567890123456789012',
        b'"unmatched":007',
        b'"slices":["a=b"],"unmatched":3',
    ),
    *changed(
        rb'"matched":\[',
        b'"matched":[{"gt":{"index":0,"type":"line","points":[]},',
        b'"matched":[{"matched":[],"labels":1},',
    ),
    *changed(rb'"matched":\[', b'"matched":[,', b'"matched":[0,', b'"matched":[], "m":['),
    *changed(rb'"line":\d+', b'"line":null', b'"line":1.5', b'"line":"7"', b'"line":-1'),
    *changed(rb'"path":"', b'"path":"C:\\\\a\\\\', b'"path":7,"p":"', b'"path":"a/b/', b'"path":"\\u002f'),
    *changed(
        rb'"key":"',
        b'"key":"\\"',
        b'"key":"\\n',
        b'"key":7,"k":"',
        b'"key":["a"],"k":"',
        b' "key":"',
        b'"key":"\xc0\x80',
    ),
    *changed(
        rb'"fields":\{',
        b'"fields":{"width":10,"height":1e99,',
        b'"fields":[{',
        b'"fields":{"width":3,"height":2,',
        b'"fields":{"a":NaN,',
    ),
    *changed(
        rb'"fields":\{',
        b'"fields":{"a":' + b"[" * 70 + b"]" * 70 + b",",
        b'"fields":{"a":' + b"[" * 2000 + b"]" * 2000 + b",",
    ),
    *changed(rb"\}\n$", b"}", b"}\r\n", b"} x\n", b"}}\n", b"},\n", b"\n", b"}\x00\n"),
    *(
        b"",
        b"{}",
        b"[]",
        b"null",
        b"\xef\xbb\xbf" + LINES[0],
        LINES[0] * 2,
        LINES[0].replace(b",", b", "),
        b" " + LINES[0],
    ),
]


@pytest.mark.parametrize("text", ODD)
def test_lines_of_others_are_shown_the_same_or_fail_the_same(text):
    check(text)


@pytest.mark.parametrize("text", [*LINES[:8], *changed(rb'"points":\[\d+', b'"points":[1001')])
def test_a_picture_is_looked_for_once(text, tmp_path):
    """Whoever looks twice counts it twice: in what a page says about pictures, and in how many bytes it has."""
    for tree in (NORM, PIXEL):
        pictures = Pictures(tmp_path)
        parsed = CaseViews.of(list_case, partial(draw_case, tree, pictures=pictures), partial(draw_case, tree))
        ScannedCases(tree, pictures, parsed).views().draw(text)
        assert pictures.remarks == ["1 of 1 drawn cases have no image under them."]


@given(
    st.sampled_from(LINES),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 3), st.binary(max_size=3)), max_size=4),
)
@example(LINES[0], [])
def test_lines_with_other_bytes_are_shown_the_same(text, changes):
    for at, size, other in changes:
        place = at % (len(text) + 1)
        text = text[:place] + other + text[place + size :]
    check(text)


@given(st.sampled_from(LINES), st.randoms(use_true_random=False))
def test_lines_in_which_pieces_moved_are_shown_the_same(text, rng: random.Random):
    pieces = re.split(rb"(?<=[,:\[\]{}])", text)
    a, b = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    pieces[a], pieces[b] = pieces[b], pieces[a]
    check(b"".join(pieces))


def test_every_start_of_a_line_fails_the_same():
    for end in range(len(LINES[0])):
        check(LINES[0][:end])


points = st.lists(st.integers(-3, 1003) | st.floats(0, 1000), max_size=9)
objects = st.builds(
    lambda kind, points, desc: {"type": kind, "points": points, "desc": desc},
    st.sampled_from(["bbox_2d", "poly", "line", "cube"]),
    points,
    st.sampled_from(["a", "a/b", "类别=甲", "", 'x"y']),
)
fields = st.fixed_dictionaries(
    {}, optional={"width": st.integers(0, 2000), "height": st.just(700), "id": st.text(max_size=3)}
)


@given(st.lists(st.builds(record, st.lists(objects, max_size=4), st.lists(objects, max_size=4)), max_size=3), fields)
def test_any_records_are_shown_the_same(records, more):
    for text in written([more | tree for tree in records], max_bad_records=99):
        check(text)
