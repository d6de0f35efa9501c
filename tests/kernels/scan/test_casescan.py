"""Lines of cases as the scanner reads them, worked out by hand."""

from itertools import product

import orjson
import pytest

from calipers.kernels.scan.casescan import CaseScanner

CAUSES = [b'"missed"', b'"misplaced"']
FORMS = [b'"bbox_2d"', b'"poly"', b'"line"']
BOX = {"type": "bbox_2d", "points": [9, 8, 1, 2], "desc": 'a "b"'}
PAIRED = {"type": "line", "points": [0, 1, 30, 40, 5, 60]}
CASE = {
    "key": "é.jpg",
    "path": "C:\\dump",
    "line": 7,
    "fields": {"width": 3},
    "unmatched_gt": [
        {"index": 1, "object": BOX, "cause": "misplaced", "partner": {"index": 0, "overlap": 0.4125}, "best": None},
        {"index": 2, "object": {"type": "cube"}, "cause": "missed", "partner": None, "best": None},
    ],
    "unmatched_pred": [
        {
            "index": 0,
            "object": BOX | {"points": [4, 4, 5, 5], "desc": 7},
            "cause": "misplaced",
            "invalid": "why",
            "partner": {"index": 1, "overlap": 0.4125},
            "best": {"index": 0, "overlap": 1e-7},
        }
    ],
    "matched": [{"gt": {"index": 0} | PAIRED, "pred": {"index": 1} | PAIRED, "overlap": 1.0}],
    "labels": {"names": ["a", ["p", "c"]], "gt": [0, 1, 1], "pred": [1, 0]},
    "unmatched": 3,
}


@pytest.fixture
def errors():
    return []


@pytest.fixture
def scanner(errors):
    def code(*error):
        if error not in errors:
            errors.append(error)
        return errors.index(error)

    return CaseScanner(CAUSES, FORMS, orjson.loads, code, orjson.loads)


def test_a_case_is_listed(scanner, errors):
    assert scanner.listed(orjson.dumps(CASE)) == (3, "é.jpg", [0, 1, 2], [1, 1, 1])
    assert errors == [
        (0, 1, ["p", "c"], ["p", "c"], 0, False),
        (0, 0, ["p", "c"], None, -1, False),
        (1, 1, ["p", "c"], ["p", "c"], 0, True),
    ]


def test_errors_that_are_alike_are_counted_in_each_line(scanner):
    wrong = CASE["unmatched_gt"]
    twice = CASE | {"unmatched_gt": [wrong[1], wrong[0], wrong[1]]}
    assert scanner.listed(orjson.dumps(CASE))[2:] == ([0, 1, 2], [1, 1, 1])
    assert scanner.listed(orjson.dumps(twice))[2:] == ([1, 0, 2], [2, 1, 1])


def test_a_case_is_drawn(scanner):
    points = PAIRED["points"]
    paired = [[2, "a", points, 1, 1.0], [5, "a", points, 0, 1.0]]
    wrong = [
        ([0, ["p", "c"], [1, 2, 9, 8], 3, 0.412, None], 0, 'a "b"', None),
        ([3, ["p", "c"], [4, 4, 5, 5], 2, 0.412, None], 1, None, "why"),
    ]
    drawn = ("é.jpg", "C:\\dump", 7, b'{"width":3}', (30, 60), 1, paired, wrong)
    assert scanner.drawn(orjson.dumps(CASE) + b"\n") == drawn


@pytest.mark.parametrize(
    "overlap",
    [
        "0.5",
        "0.0",
        "0.0625",
        "0.1235",
        "0.12350",
        "0.12351",
        "0.0005",
        "0.9995",
        "0.9996",
        "0.999499999999999",
        "1.0",
        "1e-7",
        "4.5e-3",
        "0.4",
        "0.4125",
    ],
)
def test_overlaps_are_rounded_as_python_rounds_them(scanner, overlap):
    line = orjson.dumps(CASE).replace(b'"overlap":1.0', b'"overlap":' + overlap.encode())
    (*_, (first, _), _) = scanner.drawn(line)
    assert first[4] == round(float(overlap), 3)


@pytest.mark.parametrize("points", [[1], [1, 2, 3], [1, 2], [1, 2, 3, 4, 5, 6]])
def test_numbers_that_make_no_box_are_counted(scanner, points):
    case = CASE | {"unmatched_gt": [CASE["unmatched_gt"][0] | {"object": BOX | {"points": points}}]}
    assert scanner.drawn(orjson.dumps(case))[5] == (0 if len(points) == 4 else 1)


@pytest.mark.parametrize("points", [[1.5, 2, 3, 4], [[1, 2], [3, 4]], [-1, 2, 3, 4], [10**9, 2, 3, 4], "a", None, []])
def test_other_coordinates_are_listed_and_left_to_the_caller_to_draw(scanner, points):
    case = CASE | {"unmatched_gt": [CASE["unmatched_gt"][0] | {"object": BOX | {"points": points}}]}
    assert scanner.drawn(orjson.dumps(case)) is None
    assert scanner.listed(orjson.dumps(case)) is not None


@pytest.mark.parametrize("field", [*CASE, "slices"])
def test_a_case_with_another_field_is_left_alone(scanner, field):
    line = orjson.dumps({("other" if name == field else name): value for name, value in CASE.items()})
    assert (scanner.listed(line) is None) == (field != "slices")
    assert scanner.listed(orjson.dumps(CASE | {"slices": []})) is None


def test_what_reads_labels_may_fail():
    scanner = CaseScanner(CAUSES, FORMS, lambda name: 1 / 0, lambda *error: 0, orjson.loads)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            scanner.listed(orjson.dumps(CASE))


def is_text(data):
    """Whether bytes are the text of a key, to Python."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_a_text_is_utf8(scanner):
    edges = (0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xE4, 0xFF)
    start, end = orjson.dumps(CASE).split("é.jpg".encode())
    for text in (bytes(each) for lead in range(0x80, 0x100) for each in product([lead], edges, edges, edges)):
        for size in range(1, 5):
            listed = scanner.listed(start + text[:size] + end)
            assert (listed is not None) == is_text(text[:size]), text[:size]
            assert listed is None or listed[1] == text[:size].decode()


@pytest.mark.parametrize("overlap", ["0.9E9", "0.5E-3", "0.5e3", "12.5e-1", "1", "0", "1.00", "2.0", "0.", "1e-100"])
def test_other_overlaps_are_left_alone(scanner, overlap):
    line = orjson.dumps(CASE).replace(b'"overlap":1.0', b'"overlap":' + overlap.encode())
    assert scanner.listed(line) is scanner.drawn(line) is None
