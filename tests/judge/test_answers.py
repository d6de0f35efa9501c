"""Shapes out of answers: every form, every place, every damage."""

import json
import math
import subprocess
import sys

import pytest

from calipers.judge.answers import Unread, find_shapes, parse_answer

KINDS = ("box", "polygon", "rotated", "line", "point", "cuboid", "interval")
A, B = [10, 20, 30, 40], [50, 60, 70, 80]


def find(value, kind="box", **options):
    return find_shapes(parse_answer(value), kind, **options)


def read(value, kind="box", **options):
    """The shapes, with the reason of each that is malformed; None if there are none at all."""
    found = find(value, kind, **options)
    shapes = [shape.reason if isinstance(shape, Unread) else shape for shape in found.shapes]
    return None if found.missing else shapes


# Texts


@pytest.mark.parametrize(
    ("text", "shapes", "notes"),
    [
        ('{"bbox": [10, 20, 30, 40]}', [A], []),
        ('\ufeff \n{"bbox": [10, 20, 30, 40]}\n', [A], []),
        ("[10, 20, 30, 40]", [A], []),
        ("[[10, 20, 30, 40], [50, 60, 70, 80]]", [A, B], []),
        ("[]", [], []),
        ('```json\n{"bbox": [10, 20, 30, 40]}\n```', [A], []),
        ("```\n[10, 20, 30, 40]```", [A], []),
        ('"{\\"bbox\\": [10, 20, 30, 40]}"', [A], ["JSON inside a JSON string"]),
        ('<think>{"bbox": [0, 0, 1, 1]}</think>\n{"bbox": [10, 20, 30, 40]}', [A], ["thinking left out"]),
        ('Sure!\n```json\n{"bbox": [10, 20, 30, 40]}\n```\nBye.', [A], ["text around the answer"]),
        ('The answer is {"bbox": [10, 20, 30, 40]}.', [A], ["text around the answer"]),
        ("As in [3]: [[10, 20, 30, 40]]", [A], ["text around the answer"]),
        ("I see none: []", [], ["text around the answer"]),
        ("{'bbox': (10, 20, 30, 40)}", [A], ['quotes other than "', "brackets that are not JSON"]),
        ("{bbox: [10, 20, 30, 40,],}", [A], ["unquoted text", "trailing comma"]),
        ('{"bbox": [10 20 30 40]}', [A], ["missing comma"]),
        ('{"bbox": [10, 20, 30, 40] // here\n}', [A], ["not strict JSON"]),
    ],
)
def test_a_text_is_the_json_in_it(text, shapes, notes):
    assert read(text) == shapes
    assert parse_answer(text).notes == notes


def test_a_text_that_stops_in_its_thinking_holds_no_answer():
    answer = parse_answer('<think>{"bbox": [10, 20, 30, 40]} or')
    assert (answer.values, answer.notes) == ([], ["the answer stops in its thinking"])
    assert find_shapes(answer, "box").shapes == []


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ('{"box": [9, 9, 9, 9], "box": [1, 2, 3, 4]}', ["repeated keys"]),
        ('Sure: {"box": 0, "box": [1, 2, 3, 4]}', ["text around the answer", "repeated keys"]),
        ("{'box': 0, 'box': [1, 2, 3, 4]}", ['quotes other than "', "repeated keys"]),
        ('"{\\"box\\": 0, \\"box\\": [1, 2, 3, 4]}"', ["JSON inside a JSON string", "repeated keys"]),
        ('{"box": [1, 2, 3, 4], "of": {"label": "a:b"}}', []),
        ('{"box": [1, 2, 3, 4], "label": "\ud800"}', []),
    ],
)
def test_of_a_key_given_twice_the_last_counts_and_it_is_noted(text, notes):
    answer = parse_answer(text)
    assert (find_shapes(answer, "box").shapes, answer.notes) == ([[1, 2, 3, 4]], notes)


def test_the_tree_of_an_answer():
    assert parse_answer('So: {"a": 1}').tree == {"a": 1}
    assert parse_answer("5").tree == 5
    assert parse_answer("null").tree is None
    assert parse_answer("no").tree is None
    value = {"bbox": A}
    assert parse_answer(value).tree is value


@pytest.mark.parametrize(
    "value",
    ["", "no", "null", "5", '"text"', "{}", '{"label": "cat"}', "bbox: 1, 2, 3, 4", "see [3]",
     None, 5, True, 2.5, {}, {"bbox": None}, {"r": [[1, 2, 3, 4]]}],
)  # fmt: skip
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_of_the_kind_is_missing(value, kind):
    assert read(value, kind) is None


@pytest.mark.parametrize(
    ("text", "shapes"),
    [
        ('First {"bbox": [10, 20, 30, 40]}, better {"bbox": [50, 60, 70, 80]}.', [B]),
        ('```json\n{"bbox": [10, 20, 30, 40]}\n```\n```json\n[[50, 60, 70, 80]]\n```', [B]),
        ('Format: {"bbox": [x1, y1, x2, y2]}. Answer: {"bbox": [50, 60, 70, 80]}', [B]),
        ('Answer: {"bbox": [50, 60, 70, 80]}. Format: {"bbox": [x1, y1, x2, y2]}', [B]),
        ('{"bbox": [50, 60, 70, 80]}\nwarnings: []', [B]),
        ('First {"boxes": [[10, 20, 30, 40]]}, but no: {"boxes": []}', []),
    ],
)
def test_of_several_values_the_last_that_can_be_measured_counts(text, shapes):
    assert read(text) == shapes
    assert find(text).notes == ["2 values hold one box or more, the last that can be measured counts"]


def test_values_without_such_a_shape_do_not_count():
    found = find('{"bbox": [10, 20, 30, 40]} with {"confidence": 0.9, "label": "cat"}')
    assert (found.shapes, found.notes) == ([A], [])


@pytest.mark.parametrize(
    ("text", "kind", "shapes"),
    [
        ("The button is at (10, 20).", "point", [[10, 20]]),
        ("(10, 20)", "point", [[10, 20]]),
        ("bbox: [10, 20, 30, 40]", "box", [A]),
        ("Boxes: [(10, 20, 30, 40), (50, 60, 70, 80)]", "box", [A, B]),
        ("cat [10, 20, 30, 40], dog [50, 60, 70, 80]", "box", [B]),
        ("As in [3], from [2, 9] on.", "interval", [[2, 9]]),
        ('{"label": "cat"} at [10, 20, 30, 40]', "box", [A]),
        ("As in [3]", "point", None),
        ("The box is [10, 20, 30]", "box", None),
        ("The box is [10, 20, 30, 40", "box", None),
        ('{"bbox": [10, 20, 30, 40]} (50, 60, 70, 80)', "box", [A]),
    ],
)
def test_numbers_in_prose_count_when_nothing_else_was_found(text, kind, shapes):
    assert read(text, kind) == shapes


def test_numbers_in_prose_are_noted():
    assert find("at (10, 20)", "point").notes == ["numbers in prose"]
    assert read("at (10, 20)", "point", at="result") is None


@pytest.mark.parametrize(
    ("text", "kind", "shapes"),
    [
        ('{"boxes": [[10, 20, 30, 40], [50, 60, 70', "box", [A]),
        ('{"boxes": [[10, 20, 30, 40], [50, 60, 70, 80]', "box", [A, B]),
        ("[[10, 20, 30, 40], [50, 60", "box", [A]),
        ('[{"bbox": [10, 20, 30, 40]}, {"bbox": [50, 60, 70, 80], "lab', "box", [A]),
        ('{"frames": [{"objects": [{"bbox": [10, 20, 30, 40]}, {"bb', "box", [A]),
        ('{"bbox": [10, 20, 30, 40], "label": "ca', "box", [A]),
        ('{"bbox": [10, 20, 30, 40', "box", None),
        ('{"boxes": [', "box", None),
        ('{"boxes": [[10, 20', "box", None),
        ('[{"bbox": [10, 20, 30, 40], "lab', "box", None),
        ('{"x1": 10, "y1": 20, "x2": 30, "y2": 40, ', "box", None),
        ("[10, 20, 30, 40", "box", None),
        ("[", "box", None),
        ('{"polygon": [[0, 0], [9, 0], [9, 9],', "polygon", None),
        ('{"polygon": [0, 0, 9, 0, 9, 9,', "polygon", None),
        ('{"polygons": [[[0, 0], [9, 0], [9, 9]], [[0, 0], [5, 0], [5, 5],', "polygon", [[0, 0, 9, 0, 9, 9]]),
        ('{"points": [[1, 2], [3, 4], [5', "point", [[1, 2], [3, 4]]),
        ('{"cuboid": {"center": [0, 0, 0], "size": [1, 1, 1], ', "cuboid", None),
    ],
)
def test_of_a_truncated_answer_complete_shapes_count(text, kind, shapes):
    assert read(text, kind) == shapes
    assert "the answer stops before its end" in parse_answer(text).notes


# Places


@pytest.mark.parametrize(
    "key",
    ["bbox", "bounding_box", "box", "bbox_2d", "boxes", "bboxes", "bounding_boxes", "coordinates",
     "boundingBox", "BoundingBox", "bounding-box", "Bounding Box", "BBOX", "bbox2D", "BBox_2D", "boundingBoxes"],
)  # fmt: skip
def test_keys_of_boxes_in_any_case_style(key):
    assert read({key: A}) == read({key: [A]}) == [A]
    assert find({key: [A, B]}).path == key


TRIANGLE = [0, 0, 9, 0, 9, 9]
CUBE = {"center": [0, 0, 1], "size": [1, 2, 3], "rotation": None}
TURNED = {"center": [0, 0, 1], "size": [1, 2, 3], "rotation": {"yaw": 0.5}}


@pytest.mark.parametrize(
    ("kind", "value", "shapes"),
    [
        ("box", {"coordinates": A}, [A]),
        ("box", {"x1": 30, "Y1": 20, "x2": 10, "y2": 40}, [A]),
        ("box", {"left": 10, "top": 20, "right": 30, "bottom": 40}, [A]),
        ("box", {"x_min": 10, "y_min": 20, "x_max": 30, "y_max": 40}, [A]),
        ("box", {"bbox": {"x": 10, "y": 20, "width": 20, "height": 20}}, [A]),
        ("box", {"boxes": [{"x": 10, "y": 20, "w": 20, "h": 20}, B]}, [A, B]),
        ("box", {"boxes": []}, []),
        ("box", {"boxes": [A, [], [1, 2], "none", None, 7, {"label": "cat"}, B]},
         [A, "found 0 numbers, expected x1, y1, x2, y2", "found 2 numbers, expected x1, y1, x2, y2",
          "found the text 'none', expected one box", "found null, expected one box", "found 7, expected one box",
          "found an object with no box in it", B]),
        ("polygon", {"polygon": TRIANGLE}, [TRIANGLE]),
        ("polygon", {"polygon": [[0, 0], [9, 0], [9, 9]]}, [TRIANGLE]),
        ("polygon", {"points": [{"x": 0, "y": 0}, {"x": 9, "y": 0}, {"x": 9, "y": 9}]}, [TRIANGLE]),
        ("polygon", {"polygons": [TRIANGLE, [[0, 0], [9, 0], [9, 9]]]}, [TRIANGLE, TRIANGLE]),
        ("polygon", {"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9]]]}, [TRIANGLE]),
        ("polygon", [[0, 0], [9, 0], [9, 9]], [TRIANGLE]),
        ("polygon", {"polygon": [0, 0, 9, 0]}, ["found 2 points, expected at least 3 points"]),
        ("polygon", {"polygon": [0, 0, 9, 0, 9]}, ["found 5 numbers, expected x, y of at least 3 points"]),
        ("polygon", {"polygon": [[0, 0], [9, 0], [9]]}, ["point 2: found 1 number, expected x, y"]),
        ("polygon", {"polygon": [[0, 0], [9, "0"], [9, 9]]}, ["point 1: found the text '0', expected a number"]),
        ("rotated", {"rotated": [5, 5, 4, 2, 30]}, [[5, 5, 4, 2, 30]]),
        ("rotated", {"rotated": [[5, 5, 4, 2, 30], [5, 5, -4, 2, 30], [5, 5, 4, 2]]},
         [[5, 5, 4, 2, 30], "found -4, expected a width and height that are not negative",
          "found 4 numbers, expected cx, cy, w, h, degrees"]),
        ("rotated", {"cx": 5, "cy": 5, "w": 4, "h": 2, "degrees": 30}, [[5, 5, 4, 2, 30]]),
        ("line", {"line": [0, 0, 5, 5]}, [[0, 0, 5, 5]]),
        ("line", {"lines": [[0, 0, 5, 5], [[1, 1], [2, 2], [3, 1]]]}, [[0, 0, 5, 5], [1, 1, 2, 2, 3, 1]]),
        ("line", {"line": [[1, 1]]}, ["found 1 points, expected at least 2 points"]),
        ("point", {"coordinates": [10, 20]}, [[10, 20]]),
        ("point", {"point": [10, 20, 30]}, [[10, 20, 30]]),
        ("point", {"point": {"x": 10, "y": 20}}, [[10, 20]]),
        ("point", {"points": [[1], [1, 2], [1, 2, 3, 4]]}, [[1], [1, 2], [1, 2, 3, 4]]),
        ("point", {"point": "A", "coordinates": [10, 20]}, [[10, 20]]),
        ("cuboid", {"cuboid": {"center": [0, 0, 1], "size": [1, 2, 3], "label": "bed"}}, [CUBE]),
        ("cuboid", {"cuboids": [{"Center": [0, 0, 1], "Size": [1, 2, 3], "rotation": {"yaw": 0.5}}]}, [TURNED]),
        ("cuboid", {"cuboids": [[0, 0, 1, 1, 2, 3], [0, 0, 1, 1, 2, 3, 0.5], [0, 0, 1, 1, 2]]},
         [[0, 0, 1, 1, 2, 3], [0, 0, 1, 1, 2, 3, 0.5], "found 5 numbers, expected 6 or 7"]),
        ("cuboid", [CUBE, {"center": [0, 0], "size": [1, 1, 1]}, {"center": [0, 0, 0], "size": [1, 0, 1]}],
         [CUBE, "center: found a list, expected 3 numbers", "size: found 0, expected above 0"]),
        ("interval", {"intervals": [[0, 9], {"start": 3, "end": 5}]}, [[0, 9], [3, 5]]),
        ("interval", {"intervals": [[0, 1.5]]}, ["found 1.5, expected whole frames; in seconds with unit=seconds"]),
        ("interval", {"intervals": [5, 2]}, ["found an end of 2, expected at least the start, 5"]),
    ],
)  # fmt: skip
def test_every_kind_in_its_forms(kind, value, shapes):
    assert read(value, kind) == shapes
    assert read(json.dumps(value), kind) == shapes
    assert read(f"Here:\n{json.dumps(value)},", kind) == shapes


@pytest.mark.parametrize(
    ("value", "shapes", "path"),
    [
        ([A, B], [A, B], ""),
        ([{"bbox": A}, {"box": B}], [A, B], ""),
        ([A, {"bbox": B}], [A, B], ""),
        ([{"label": "cat", "boxes": [A, B]}, {"label": "dog", "boxes": [B]}], [A, B, B], ""),
        ({"result": {"boxes": [A]}}, [A], "result.boxes"),
        ({"a": {"b": {"bbox": A}}, "c": {"bbox": B}}, [B], "c.bbox"),
        ({"deep": {"bbox": A}, "bbox": B}, [B], "bbox"),
        ({"objects": [{"bbox": A}, {"region": B}]}, [A, "found an object with no box in it"], "objects"),
        ({"objects": [{"at": {"bbox": A}}, {"at": {"bbox": B}}]}, [A, B], "objects.*.at.bbox"),
        ({"frames": [{"objects": [{"bbox": A}]}, {}, {"objects": [{"bbox": B}]}]}, [A, B], "frames.*.objects"),
        ([{"objects": [{"bbox": A}, {"bbox": B}]}], [A, B], "*.objects"),
        ({"object_1": {"bbox": A}, "object_2": {"bbox": B}}, [A, B], ""),
        ({"bbox": None, "bounding_box": A}, [A], "bounding_box"),
        ({"box": "cardboard", "bbox": A}, [A], "bbox"),
        ({"coordinates": [5, 6], "result": {"bbox": A}}, [A], "result.bbox"),
        ({"coordinates": B, "bbox": A}, [A], "bbox"),
        ({"boxes": {"items": [{"bbox": A}, {"bbox": B}]}}, [A, B], "boxes.items"),
        ({"boxes": {"cat": A}}, ["found an object with no box in it"], "boxes"),
        ({"coordinates": [5, 6]}, ["found 2 numbers, expected x1, y1, x2, y2"], "coordinates"),
        ({"bbox": [5, 6], "result": {"bbox": A}}, ["found 2 numbers, expected x1, y1, x2, y2"], "bbox"),
        ({"bbox": "10, 20, 30, 40"}, ["found the text '10, 20, 30, 40', expected one box"], "bbox"),
        ({"items": [{"x1": 10, "y1": 20, "x2": 30, "y2": 40}]}, [A], "items"),
        ([{"bbox": []}, {"bbox": A}], ["found an empty list, expected one box", A], ""),
        ([{"boxes": []}, {"boxes": [A]}], [A], ""),
        ({"*": {"bbox": A}}, [A], ""),
        (["none"], ["found the text 'none', expected a number"], ""),
    ],
)
def test_where_shapes_are(value, shapes, path):
    assert read(value) == shapes
    assert find(value).path == path


def test_another_place_that_is_as_near_is_noted():
    found = find({"cat": {"bbox": A}, "dog": {"bbox": B}})
    assert (found.shapes, found.path) == ([A], "cat.bbox")
    assert found.notes == ["another box at dog does not count, the first does"]


@pytest.mark.parametrize(
    ("at", "shapes", "path"),
    [
        ("result.rect", [A], "result.rect"),
        ("Result.RECT", [A], "Result.RECT"),
        ("frames.1.rects", [A, B], "frames.1.rects"),
        ("frames.1.rects.1", [B], "frames.1.rects.1"),
        ("inner", [B], "inner.deep.bbox"),
        ("a.b", None, ""),
        ("frames.2", None, ""),
        ("frames.-1", None, ""),
        ("frames.first", None, ""),
        ("result..rect", None, ""),
        ("none", None, ""),
        ("result", None, ""),
        ("word", ["found the text 'none', expected one box"], "word"),
        ("empty", [], "empty"),
    ],
)
def test_a_path_names_the_place(at, shapes, path):
    value = {
        "bbox": [0, 0, 1, 1], "result": {"rect": A}, "frames": [{}, {"rects": [A, B]}], "none": None, "word": "none",
        "inner": {"deep": {"bbox": B}}, "empty": [],
    }  # fmt: skip
    assert read(value, at=at) == shapes
    assert find(value, at=at).path == path
    assert bool(find(value, at=at).notes) == (shapes is None)


def test_a_path_into_a_text():
    assert read('Draft {"r": {"rect": [0, 0, 1, 1]}}, final {"r": {"rect": [10, 20, 30, 40]}}', at="r.rect") == [A]


# Numbers


@pytest.mark.parametrize(
    ("form", "written", "box"),
    [
        ("xyxy", [10, 20, 30, 40], A),
        ("xyxy", [30, 40, 10, 20], A),
        ("xyxy", [30, 20, 10, 40], A),
        ("xyxy", [10, 10, 10, 10], [10, 10, 10, 10]),
        ("xywh", [10, 20, 20, 20], A),
        ("xywh", [10, 20, 0, 0], [10, 20, 10, 20]),
        ("cxcywh", [20, 30, 20, 20], A),
        ("cxcywh", [0, 0, 1, 3], [-0.5, -1.5, 0.5, 1.5]),
        ("xywh", [10, 20, -1, 20], "found -1, expected a width and height that are not negative"),
        ("cxcywh", [10, 20, 1, -0.5], "found -0.5, expected a width and height that are not negative"),
        ("xyxy", [10, 20, 30], "found 3 numbers, expected x1, y1, x2, y2"),
        ("xywh", [10, 20, 30, 40, 50], "found 5 numbers, expected x, y, width, height"),
        ("cxcywh", [10], "found 1 number, expected cx, cy, width, height"),
    ],
)
def test_formats_of_boxes(form, written, box):
    assert read({"bbox": written}, format=form) == [box]


@pytest.mark.parametrize(
    ("named", "form", "box"),
    [
        ({"x": 20, "y": 30, "width": 20, "height": 20}, "xyxy", [20, 30, 40, 50]),
        ({"x": 20, "y": 30, "width": 20, "height": 20}, "xywh", [20, 30, 40, 50]),
        ({"x": 20, "y": 30, "width": 20, "height": 20}, "cxcywh", A),
        ({"cx": 20, "cy": 30, "w": 20, "h": 20}, "xyxy", A),
        ({"x1": 10, "y1": 20, "x2": 30, "y2": 40}, "xywh", A),
        ({"left": 10, "top": 20, "width": 20, "height": 20}, "cxcywh", A),
    ],
)
def test_names_of_numbers_say_the_format(named, form, box):
    assert read({"bbox": named}, format=form) == [box]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('"10"', "the text '10'"), ("true", "true"), ("null", "null"), ("NaN", "NaN"), ("[1]", "a list"),
        ("{}", "an object"), ("Infinity", "a number beyond 1e+100"), ("-1e999", "a number beyond 1e+100"),
        ("9" * 400, "a number beyond 1e+100"), ("9" * 5000, "a number beyond 1e+100"),
        (f'"{"x" * 100}"', f"the text '{'x' * 40}'…"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", ","])
def test_what_is_no_number_makes_the_shape_malformed(written, shown, end):
    for kind, before in (("box", "1, 2, 3, "), ("point", "1, "), ("rotated", "1, 2, 3, 4, ")):
        if written[0] not in "[{":
            text = f'{{"{kind}": [{before}{written}]{end}}}'
            assert read(text, kind) == [f"found {shown}, expected a number"]
    assert read(f'{{"boxes": [[1, 2, 3, {written}]]{end}}}') == [f"found {shown}, expected a number"]


def test_subclasses_of_numbers_and_tuples_are_read_too():
    class Number(float):
        pass

    assert read({"boxes": ((Number(1), 2, 3, 4), (5, 6, 7, 8))}) == [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert read({"bbox": [1, 2, 3, object]}) == ["found a type, expected a number"]


# Scores


@pytest.mark.parametrize(
    ("value", "scores", "notes"),
    [
        ({"boxes": [A, B], "scores": [0.9, 1]}, [0.9, 1.0], []),
        ({"result": {"boxes": [A, B], "Scores": [0.9, 0.8]}}, [0.9, 0.8], []),
        ([{"bbox": A, "score": 0.9}, {"bbox": [1], "confidence": 0.8}], [0.9, 0.8], []),
        ({"objects": [{"bbox": A, "score": 0.9}, {"bbox": B, "score": 0.8}]}, [0.9, 0.8], []),
        ([{"boxes": [A, B], "scores": [0.9, 0.8]}, {"bbox": B, "score": 0.7}], [0.9, 0.8, 0.7], []),
        ({"bbox": A, "score": 0.9}, [0.9], []),
        ({"boxes": [A, B]}, None, []),
        ({"boxes": [], "scores": []}, None, []),
        ({"boxes": [A, B], "scores": None}, None, []),
        ({"boxes": [A, B], "scores": [0.9]}, None, ["found 1 scores for 2 shapes"]),
        ({"boxes": [A], "scores": [0.9, 0.8]}, None, ["found 2 scores for 1 shapes"]),
        ([{"bbox": A, "score": 0.9}, {"bbox": B}], None, ["score of box 1: found nothing, expected a number"]),
        ({"bbox": A, "score": "high"}, None, ["score of box 0: found the text 'high', expected a number"]),
        ({"bbox": A, "score": math.nan}, None, ["score of box 0: found NaN, expected a number"]),
        ('{"scores": [0.9, 0.8], "boxes": [[10, 20, 30, 40], [50', [0.9], []),
    ],
)
def test_scores(value, scores, notes):
    found = find(value)
    assert (found.scores, found.notes) == (scores, notes)


def test_scores_beside_a_path():
    assert find({"r": {"rects": [A, B], "scores": [0.9, 0.8]}}, at="r.rects").scores == [0.9, 0.8]
    assert find({"r": {"rects": [{"bbox": A, "score": 0.5}], "score": 0.1}}, at="r.rects").scores == [0.5]


# And around


def test_the_callers_data_is_left_alone():
    value = {"boxes": [[3, 4, 1, 2], [1, 2, 3, 4]], "scores": [0.5, 0.6]}
    before = json.dumps(value)
    shapes = find(value).shapes
    shapes[1].append(9)
    assert json.dumps(value) == before


def test_a_clean_answer_loads_nothing_but_json():
    code = (
        "import sys, json, calipers; before = set(sys.modules)\n"
        "from calipers.judge.answers import find_shapes, parse_answer\n"
        "find_shapes(parse_answer('Yes: {\"bbox\": [1, 2, 3, 4]}'), 'box')\n"
        "new = {name for name in set(sys.modules) - before if not name.startswith('calipers.judge')}\n"
        "print(sorted(new & {'typing', 'dataclasses', 'numpy', 'orjson', 'calipers.core.lenient_json'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
