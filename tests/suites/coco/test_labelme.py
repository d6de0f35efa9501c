"""LabelMe: shapes to rows of COCO, and shapes that are wrong."""

import json
import math
import random
import time
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import calipers
from calipers.suites.coco.formats.converted import ImagesAndCategories
from calipers.suites.coco.formats.labelme import looks_like

from ...profiles import seeds
from .converters import read_format

KNOWN = ImagesAndCategories(
    [{"id": 7, "file_name": "a.jpg"}, {"id": 9, "file_name": "b.jpg"}],
    [{"id": 18, "name": "dog"}, {"id": 17, "name": "cat"}],
)
TRIANGLE = [[1, 2], [5, 2], [5, 8]]


def shape(label="cat", points=((1, 2), (5, 8)), kind="rectangle", **more):
    return {"label": label, "points": points, "group_id": None, "shape_type": kind, "flags": {}} | more


def file(*shapes, **more):
    tree = {"version": "5.4.1", "flags": {}, "shapes": list(shapes), "imagePath": "a.jpg", "imageData": None}
    return tree | {"imageHeight": 20, "imageWidth": 10} | more


@pytest.fixture
def make(tmp_path):
    """A folder with these files."""

    def call(files):
        root = tmp_path / f"set{len(list(tmp_path.iterdir()))}"
        root.mkdir()
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return str(root)

    return call


def test_ground_truth_with_scores_may_be_the_predictions(make):
    scored = [shape(score=0.5), shape(flags={"confidence": 0.9}), shape(score=None), shape()]
    folder = make({"a.json": file(*scored)})
    assert read_format("labelme", folder, None).warnings == [
        f"{folder}: objects of the ground truth have scores: are the sides swapped? (2)"
    ]
    assert read_format("labelme", folder, KNOWN).warnings == []


@pytest.fixture
def rows(make):
    """The rows of one file with these shapes."""

    def call(*shapes, known=None):
        return read_format("labelme", make({"a.json": file(*shapes)}), known).rows

    return call


def refusal(folder, known=None):
    with pytest.raises(calipers.InputError) as raised:
        read_format("labelme", folder, known)
    assert type(raised.value) is calipers.InputError
    return str(raised.value).replace(folder, "")


# Shapes


def test_a_file(make):
    folder = make({"a.json": file(shape("dog"), shape("cat", TRIANGLE, "polygon"))})
    found = read_format("labelme", folder, None)
    assert found.images == [{"id": 1, "file_name": "a.jpg", "width": 10, "height": 20}]
    assert found.categories == [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}]
    assert found.rows == [
        {"id": 1, "image_id": 1, "category_id": 2, "iscrowd": 0, "bbox": [1, 2, 4, 6]},
        {
            "id": 2,
            "image_id": 1,
            "category_id": 1,
            "iscrowd": 0,
            "bbox": [1, 2, 4, 6],
            "segmentation": [[1, 2, 5, 2, 5, 8]],
        },
    ]
    assert found.places == ["a.json: shapes[0]", "a.json: shapes[1]"]
    assert (found.problems, found.warnings, found.inputs[0].records) == ({}, [], 1)


def test_one_file_is_enough(make):
    found = read_format("labelme", make({"a.json": file(shape())}) + "/a.json", None)
    assert (found.places, len(found.rows)) == (["shapes[0]"], 1)


@pytest.mark.parametrize(
    "points",
    [
        [[1, 2], [5, 8]],
        [[5, 8], [1, 2]],
        [[1, 8], [5, 2]],
        [[5, 2], [1, 8]],
        [[1, 2], [5, 2], [5, 8], [1, 8]],
        [[5, 8], [1, 8], [1, 2], [5, 2]],
    ],
)
def test_a_rectangle_is_the_bounds_of_its_corners(rows, points):
    [row] = rows(shape(points=points))
    assert row["bbox"] == [1, 2, 4, 6]
    assert "segmentation" not in row


def test_a_circle_is_given_by_its_centre_and_its_rim(rows):
    [row] = rows(shape(points=[[10, 20], [13, 24]], kind="circle"))  # radius 5
    assert row["bbox"] == [5, 15, 10, 10]
    [outline] = row["segmentation"]
    corners = list(zip(outline[::2], outline[1::2], strict=True))
    assert len(corners) == 32
    assert [math.dist(corner, (10, 20)) for corner in corners] == pytest.approx([5] * 32)
    assert (min(outline[::2]), max(outline[1::2])) == (pytest.approx(5), pytest.approx(25))


def test_a_shape_without_type_is_a_polygon(rows):
    old = shape(points=TRIANGLE)
    del old["shape_type"]
    assert rows(old, shape(points=TRIANGLE, kind=None))[1]["segmentation"] == [[1, 2, 5, 2, 5, 8]]


def test_a_box_that_is_turned_is_a_polygon(rows):
    points = [[2, 0], [4, 2], [2, 4], [0, 2]]
    for row in rows(shape(points=points, kind="rotation"), shape(points=points, kind="oriented_rectangle")):
        assert row["bbox"] == [0, 0, 4, 4]
        assert row["segmentation"] == [[2, 0, 4, 2, 2, 4, 0, 2]]


def test_a_mask_is_read_as_its_box_and_this_is_said(make):
    folder = make({"a.json": file(shape(kind="mask", mask="iVBORw0KGgo="))})
    found = read_format("labelme", folder, None)
    assert found.rows[0]["bbox"] == [1, 2, 4, 6]
    assert found.warnings == [f"{folder}: shapes of the type mask were read as their boxes (1)"]


def test_points_and_lines_are_left_out_and_counted(make):
    shapes = [shape(kind=kind, points=[[1, 2]]) for kind in ("point", "line", "linestrip", "point", "points")]
    folder = make({"a.json": file(*shapes, shape()), "b.json": file(shapes[0], imagePath="b.jpg")})
    found = read_format("labelme", folder, None)
    assert found.places == ["a.json: shapes[5]"]
    assert found.warnings == [
        f"{folder}: shapes of the type {kind} have no area and were left out ({count})"
        for kind, count in (("line", 1), ("linestrip", 1), ("point", 3), ("points", 1))
    ]


def test_what_is_to_be_ignored_is_left_out_on_both_sides_and_counted(make):
    """As labelme2coco does, whose label list begins with __ignore__: its shapes become no annotations."""
    folder = make({"a.json": file(shape("__ignore__"), shape("cat"), shape("__ignore__", TRIANGLE, "polygon"))})
    for known in (None, KNOWN):
        found = read_format("labelme", folder, known)
        assert [row["bbox"] for row in found.rows] == [[1, 2, 4, 6]]
        assert "__ignore__" not in [category["name"] for category in found.categories]
        assert found.places == ["a.json: shapes[1]"]
        assert found.warnings == [
            f"{folder}: shapes labelled __ignore__ were left out, as LabelMe's conversion to COCO does (2)"
        ]


@pytest.mark.parametrize(
    "more", [{"imageWidth": None}, {"imageHeight": None}, {"imageWidth": None, "imageHeight": None}]
)
def test_boxes_need_no_size_of_the_image(make, more):
    folder = make({"a.json": file(shape(), **more), "b.json": {"shapes": [shape()]}})
    found = read_format("labelme", folder, None)
    assert found.images == [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b"}]
    assert calipers.coco(folder, folder, bootstrap=0)["sweep"]["primary"]["f1"] == 1.0


def test_masks_of_polygons_need_the_size_of_the_image(make):
    folder = make({"a.json": file(shape("cat", TRIANGLE, "polygon"), imageWidth=None)})
    with pytest.raises(calipers.InputError, match="an image without width and height"):
        calipers.coco(folder, folder, iou_type="segm", bootstrap=0)


def test_shapes_of_a_group_stay_apart(rows):
    assert len(rows(shape(group_id=1), shape(group_id=1))) == 2


@pytest.mark.parametrize("seed", seeds(5))
def test_shapes_written_and_read_are_the_same(rows, seed):
    numbers = random.Random(seed)
    shapes, boxes = [], []
    for _ in range(20):
        x, y, w, h = (numbers.choice((numbers.random() * 100, numbers.randrange(100))) for _ in range(4))
        points = numbers.choice([[[x, y], [x + w, y + h]], [[x + w, y], [x, y + h]]])
        shapes.append(shape(points=points))
        shapes.append(shape(points=[[x, y], [x + w, y], [x + w, y + h], [x, y + h]], kind="polygon"))
        boxes += [[x, y, w, h]] * 2
    for row, box in zip(rows(*shapes), boxes, strict=True):
        assert row["bbox"] == pytest.approx(box, abs=1e-9)


# Files


def test_images_and_classes_are_numbered_in_the_order_of_their_names(make):
    files = {
        "1.json": file(shape("b"), imagePath="z.jpg"),
        "json/2.json": file(shape("a"), imagePath="..\\images\\y.jpg"),
        "3.json": file(imagePath=""),
    }
    found = read_format("labelme", make(files), None)
    assert [image["file_name"] for image in found.images] == ["3", "images/y.jpg", "z.jpg"]
    assert [category["name"] for category in found.categories] == ["a", "b"]
    assert [(row["image_id"], row["category_id"]) for row in found.rows] == [(3, 2), (2, 1)]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (file(shape(points=[[1, 2]])), ": shapes[0]: points: found 1, expected 2 corners of a rectangle, or 4"),
        (file(shape(points=TRIANGLE)), ": shapes[0]: points: found 3, expected 2 corners of a rectangle, or 4"),
        (file(shape(kind="polygon")), ": shapes[0]: points: found 2, expected at least 3 of a polygon"),
        (file(shape(kind="circle", points=TRIANGLE)), ": shapes[0]: points: found 3, expected 2 of a circle"),
        (file(shape(points=[[1, 2], [3]])), ": shapes[0]: points: found [[1, 2], [3]], expected [[x, y], …]"),
        (file(shape(points=[[1, 2], [3, "4"]])), ': shapes[0]: points: found [[1, 2], [3, "4"]], expected [[x'),
        (file(shape(points=[[1, 2], [3, True]])), ": shapes[0]: points: found [[1, 2], [3, true]], expected [[x"),
        (file(shape(points=[[1, 2], [3, math.nan]])), ": shapes[0]: points: found [[1, 2], [3, NaN]], expected [[x"),
        (file(shape(points=[[1, 2], [3, 10**400]])), ": shapes[0]: points: found [[1, 2], [3, 1000"),
        (file(shape(points=None)), ": shapes[0]: points: found null, expected [[x, y], …]"),
        (file(shape(), {"label": "a"}), ": shapes[1]: points: missing, expected [[x, y], …]"),
        (file(shape(kind="blob")), ': shapes[0]: shape_type: found "blob", expected one of rectangle, polygon, circle'),
        (file(shape(kind=3)), ": shapes[0]: shape_type: found 3, expected one of rectangle"),
        (file(shape(kind=["a"])), ': shapes[0]: shape_type: found ["a"], expected one of rectangle'),
        (file(shape(label=None)), ": shapes[0].label: found null, expected the name of its class"),
        (file(shape(label=" ")), ': shapes[0].label: found " ", expected the name of its class'),
        (file(3), ": shapes[0]: found 3, expected the name of its class"),
        (file(shapes={}), ": shapes: found {}, expected a list"),
        (file(imagePath=3), ": imagePath: found 3, expected the name of an image"),
        (file(imageWidth=0), ": imageWidth: found 0, expected a positive number of pixels"),
        (file(imageHeight="20"), ': imageHeight: found "20", expected a positive number of pixels'),
        ({"images": []}, ': found {"images": []}, expected a LabelMe file'),
        ("[]", ": found [], expected a LabelMe file"),
        ("{", ": not JSON: "),
        ('{"shapes": [], "shapes": []}', ': the key "shapes" is there twice, expected each once'),
        (
            '{"shapes": [{"label": "a", "label": "b"}]}',
            ': shapes[0]: the key "label" is there twice, expected each once',
        ),
    ],
)
def test_what_is_wrong_with_ground_truth_is_an_error_with_its_place(make, content, problem):
    assert refusal(make({"a.json": content})).startswith(f"/a.json{problem}")


def test_two_files_of_one_image_are_an_error_that_names_both(make):
    assert refusal(make({"a.json": file(), "b.json": file()})) == (
        '/a.json and /b.json: two files for the image "a.jpg"'
    )


def test_folders_without_files_are_refused(make):
    assert refusal(make({})) == ": no annotations in this folder, expected files that end in .json"


def test_nesting_without_end_is_refused(make):
    deep = "[" * 100_000 + "]" * 100_000
    for text in (f'{{"shapes": {deep}}}', f'{{"a": 1, "a": 2, "shapes": {"[" * 700 + "]" * 700}}}'):
        start = time.thread_time()
        assert refusal(make({"a.json": text})).startswith("/a.json: ")
        assert time.thread_time() - start < 20


# Predictions


def test_predictions_have_scores(make):
    shapes = [
        shape("cat", score=0.9),
        shape("dog", confidence=1),
        shape("cat", flags={"score": 0.25}),
        shape("cat", score=None, flags=None),
    ]
    found = read_format("labelme", make({"a.json": {"imagePath": "x/a.png", "shapes": shapes}}), KNOWN)
    assert [row.get("score") for row in found.rows] == [0.9, 1.0, 0.25, None]
    assert found.rows[0] == {"image_id": 7, "category_id": 17, "score": 0.9, "bbox": [1, 2, 4, 6]}
    assert (found.images, found.categories, found.warnings) == (KNOWN.images, KNOWN.categories, [])


@pytest.mark.parametrize(
    ("wrong", "words", "score"),
    [
        (shape(points=[[1, 2], [3, math.inf]], score=0.5), "points: not pairs of numbers", 0.5),
        (shape(points=[[1, 2]], score=0.5), "points: too few or too many", 0.5),
        (shape(kind="blob"), "shape_type: unknown", None),
        (shape(score="high"), "score: not a number", None),
        (shape(score=True), "score: not a number", None),
    ],
)
def test_a_malformed_prediction_keeps_its_row(make, wrong, words, score):
    found = read_format("labelme", make({"a.json": file(wrong, shape("dog", score=1))}), KNOWN)
    expected = {"image_id": 7, "category_id": 17, "bbox": None} | ({} if score is None else {"score": score})
    assert found.rows[0] == expected
    assert found.problems == {0: words}
    assert found.rows[1]["bbox"] == [1, 2, 4, 6]


def test_what_the_ground_truth_does_not_know_is_an_error(make):
    assert refusal(make({"y.json": file(imagePath="x.jpg")}), KNOWN) == (
        '/y.json: no image of the ground truth is called "x.jpg" nor "y", expected the name of one, as "a.jpg"'
    )
    assert refusal(make({"a.json": file(shape("bird"))}), KNOWN) == (
        '/a.json: shapes[0]: found the class "bird", expected one of the ground truth\'s: "dog", "cat"; '
        "one without objects can be added to the categories of COCO, which calipers convert writes"
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=3), st.lists, max_leaves=6))
def test_any_value_is_read_or_refused(tmp_path, value):
    for name in ("label", "points", "shape_type", "score", "flags"):
        tree = file(shape(**{name: value}))
        (tmp_path / "a.json").write_text(json.dumps(tree))
        for known in (None, KNOWN):
            with suppress(calipers.InputError):
                read_format("labelme", str(tmp_path / "a.json"), known)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (file(shape()), True),
        (file(imageData="A" * 100_000), True),
        (file(*[shape()] * 500), True),
        (file(*[shape()] * 500, imageData="A" * 100_000), True),  # 4 KB of shapes and an image hide imagePath
        (file(shape("cat", [[1, 2]] * 2000, "polygon"), imageData="A" * 100_000), True),
        (dict(sorted(file(shape(), imageData="A" * 100_000).items())), True),
        ({"shapes": [shape("cat", [[1, 2]] * 2000, "polygon")], "imagePath": "a.jpg", "z": "A" * 100_000}, True),
        ({"images": [], "annotations": [], "categories": []}, False),
        ([{"image_id": 1, "bbox": [1, 2, 3, 4]}], False),
        ({"objects": []}, False),
        ("", False),
    ],
)
def test_whether_it_looks_like_it(make, content, expected):
    folder = make({"a.json": content})
    assert looks_like(folder) is expected
    assert looks_like(f"{folder}/a.json") is expected
    assert not looks_like(f"{folder}/b.json")
    assert not looks_like(make({}))
