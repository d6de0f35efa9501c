"""The layout of an output is told by its shape, and never guessed."""

import numpy as np
import pytest

from calipers.core.errors import ConfigError, InputError
from calipers.detectors.layouts import Content, OutputLayout, choose_layout, content_of, decode

SIZE = (640, 640)  # 80 * 80 + 40 * 40 + 20 * 20 = 8400 cells


@pytest.mark.parametrize(
    ("shape", "classes", "layout"),
    [
        ((1, 84, 8400), 80, OutputLayout("yolov8", boxes_last=True)),
        ((1, 8400, 84), 80, OutputLayout("yolov8")),
        ((1, 25200, 85), 80, OutputLayout("yolov5")),
        ((1, 300, 6), 80, OutputLayout("end2end")),
        ((1, 5, 8400), 1, OutputLayout("yolov8", boxes_last=True)),
        ((1, 6, 8400), 2, OutputLayout("yolov8", boxes_last=True)),
        ((1, 100, 7), 3, OutputLayout("yolov8")),
        ((1, 0, 6), 9, OutputLayout("end2end")),
    ],
)
def test_a_shape_that_only_one_layout_has(shape, classes, layout):
    assert choose_layout(shape, classes, SIZE) == layout


@pytest.mark.parametrize(
    ("shape", "classes", "layout"),
    [
        ((1, 25200, 6), 1, "yolov5"),  # three boxes for each of 8400 cells
        ((1, 8400, 6), 2, "yolov8"),
        ((1, 8500, 6), 2, "yolov8"),  # 10 * 10 cells more, of a fourth grid
    ],
)
def test_where_two_layouts_fit_the_number_of_cells_decides(shape, classes, layout):
    assert choose_layout(shape, classes, SIZE).name == layout


@pytest.mark.parametrize(("classes", "both"), [(1, "yolov5 or end2end"), (2, "yolov8 or end2end")])
def test_where_nothing_decides_it_is_an_error_that_says_what_was_seen(classes, both):
    with pytest.raises(
        ConfigError, match=rf"\[1, 300, 6\], which with {classes} class .* may be {both}: .* `layout=…`"
    ):
        choose_layout((1, 300, 6), classes, SIZE)


@pytest.mark.parametrize("classes", [1, 2])
def test_a_model_that_says_it_suppresses_boxes_is_believed(classes):
    assert choose_layout((1, 300, 6), classes, SIZE, suppresses=True).name == "end2end"


def test_a_model_that_says_so_and_has_another_shape_has_that_layout():
    assert choose_layout((1, 84, 8400), 80, SIZE, suppresses=True).name == "yolov8"


@pytest.mark.parametrize(("asked", "classes"), [("end2end", 1), ("end2end", 2), ("yolov5", 1), ("yolov8", 2)])
def test_the_user_decides(asked, classes):
    assert choose_layout((1, 300, 6), classes, SIZE, asked=asked).name == asked


def test_a_layout_that_was_asked_for_has_to_fit():
    with pytest.raises(
        ConfigError, match=r"shape \[1, 84, 8400\]; with 80 class names, expected yolov5 \[1, boxes, 85\]"
    ):
        choose_layout((1, 84, 8400), 80, SIZE, asked="yolov5")


@pytest.mark.parametrize("shape", [(1, 116, 8400), (84, 8400), (2, 84, 8400), (1, 3, 80, 80), (1, 84, 80, 1), ()])
def test_a_shape_of_no_layout_is_an_error_that_lists_them(shape):
    with pytest.raises(ConfigError) as caught:
        choose_layout(shape, 80, SIZE)
    assert str(caught.value) == (
        f"the model's output has the shape {list(shape)}; with 80 class names, expected "
        "yolov8 [1, 84, boxes] or [1, boxes, 84], yolov5 [1, boxes, 85], end2end [1, boxes, 6], "
        "rtdetr [1, boxes, 6] or [1, boxes, 84]"
    )


# Coordinates from 0 to 1

CODED, SCORED = Content(shares=True, corners=False, coded=True), Content(shares=True, corners=False, coded=False)


@pytest.mark.parametrize(
    ("shape", "classes", "content", "layout"),
    [
        ((1, 300, 6), 80, CODED, OutputLayout("rtdetr", shares=True)),
        ((1, 300, 6), 1, CODED, OutputLayout("rtdetr", shares=True)),
        ((1, 300, 6), 2, CODED, OutputLayout("rtdetr", shares=True)),
        ((1, 300, 6), 2, SCORED, OutputLayout("rtdetr", shares=True, by_class=True)),
        ((1, 300, 84), 80, SCORED, OutputLayout("rtdetr", shares=True, by_class=True)),
        ((1, 84, 8400), 80, SCORED, OutputLayout("yolov8", boxes_last=True, shares=True)),
        ((1, 25200, 85), 80, SCORED, OutputLayout("yolov5", shares=True)),
    ],
)
def test_coordinates_tell_layouts_of_one_shape_apart(shape, classes, content, layout):
    assert choose_layout(shape, classes, SIZE, content=content) == layout


def test_a_model_that_says_it_suppresses_boxes_has_them_in_pixels():
    """All its boxes may lie in a corner, if it has but one or two."""
    assert choose_layout((1, 300, 6), 80, SIZE, suppresses=True, content=CODED) == OutputLayout("end2end")


def test_corners_and_centres_from_0_to_1_that_cannot_be_told_apart_are_an_error():
    content = Content(shares=True, corners=True)
    with pytest.raises(
        ConfigError, match=r"\[1, 300, 6\] and coordinates from 0 to 1, .* may be end2end or rtdetr: say"
    ):
        choose_layout((1, 300, 6), 80, SIZE, content=content)
    for asked in ("end2end", "rtdetr"):
        assert choose_layout((1, 300, 6), 80, SIZE, content=content, asked=asked) == OutputLayout(asked, shares=True)


def rows_of(*rows):
    return np.array([rows], dtype=np.float32)


@pytest.mark.parametrize(
    ("output", "classes", "content"),
    [
        (rows_of([0.5, 0.5, 0.2, 0.1, 0.9, 7]), 80, (True, False, True)),
        (rows_of([0.5, 0.5, 0.2, 0.1, 0.9, 0.25]), 2, (True, False, False)),
        (rows_of([0.1, 0.1, 0.2, 0.3, 0.9, 7]), 80, (True, True, True)),
        (rows_of([0.1, 0.1, 0.2, 0.3, 0.9, 7], [5, 5, 90, 90, 0.1, 0]), 80, (False, True, True)),
        (rows_of([0.5, 0.5, 0.2, 0.1, 0.9, 7], [0, 0, 0, 0, 0, -1]), 80, (True, False, True)),  # filled up
        (rows_of([0.5, 0.5, 0.2, 0.1, 0.9, 7], [np.nan, 9, 9, 9, 0, 0]), 80, (True, False, True)),
        (rows_of([0.5] * 8, [0.5] * 8, [0.2] * 8, [0.1] * 8, [0.9] * 8), 1, (True, False, False)),  # boxes last
        (rows_of([320] * 8, [50] * 8, [60] * 8, [60] * 8, [1] * 8), 1, (False, False, True)),
    ],
)
def test_what_the_numbers_of_an_output_say(output, classes, content):
    assert content_of(output, classes) == Content(*content)


@pytest.mark.parametrize("shape", [(1, 300, 6), (1, 0, 6), (1, 84, 8400), (40, 7), (2, 300, 6)])
def test_an_output_without_boxes_says_nothing(shape):
    assert content_of(np.zeros(shape, np.float32), 80) is None


def test_boxes_of_rtdetr_are_centres_with_a_class_or_with_scores():
    coded = decode(
        rows_of([0.5, 0.25, 0.5, 0.25, 0.5, 1], [0.5, 0.5, 1, 1, 0.25, 0]), OutputLayout("rtdetr", shares=True), 2, 0.3
    )
    scored = decode(
        rows_of([0.5, 0.25, 0.5, 0.25, 0.0, 0.5]), OutputLayout("rtdetr", shares=True, by_class=True), 2, 0.3
    )
    for found in (coded, scored):
        assert found.boxes.tolist() == [[0.25, 0.125, 0.75, 0.375]]
        assert (found.scores.tolist(), found.classes.tolist()) == ([0.5], [1])


ROWS = [  # centre x, centre y, width, height, then scores of three classes
    [50, 60, 20, 10, 0.1, 0.7, 0.2],
    [10, 10, 4, 4, 0.25, 0.1, 0.1],
    [30, 40, 2, 8, 0.5, 0.3, 0.5],
]


@pytest.mark.parametrize("last", [True, False])
def test_centres_become_corners_and_the_best_class_counts(last):
    output = np.array([ROWS], dtype=np.float32)
    found = decode(output.transpose(0, 2, 1) if last else output, OutputLayout("yolov8", boxes_last=last), 3, 0.25)
    assert found.boxes.tolist() == [[40, 55, 60, 65], [29, 36, 31, 44]]  # 0.25 is not above 0.25
    assert found.scores.round(6).tolist() == [0.7, 0.5]
    assert found.classes.tolist() == [1, 0]  # the first of equals


def test_the_score_of_yolov5_is_a_product():
    output = np.array([[[50, 60, 20, 10, 0.5, 0.25, 0.75], [1, 1, 1, 1, 0.5, 0.5, 0.4]]], dtype=np.float32)
    found = decode(output, OutputLayout("yolov5"), 2, 0.25)
    assert (found.scores.tolist(), found.classes.tolist()) == ([0.375], [1])


def test_what_is_suppressed_already_is_taken_as_it_is():
    output = np.array([[[1, 2, 30, 40, 0.5, 2], [1, 2, 30, 40, 0.9, 0], [0, 0, 0, 0, 0, 0]]], dtype=np.float32)
    found = decode(output, OutputLayout("end2end"), 3, 0.25)
    assert found.boxes.tolist() == [[1, 2, 30, 40]] * 2
    assert (found.scores.round(6).tolist(), found.classes.tolist()) == ([0.5, 0.9], [2, 0])


@pytest.mark.parametrize("code", [3, -1, 0.5, np.nan])
def test_a_class_without_a_name_is_an_error(code):
    with pytest.raises(InputError, match=r"the class .*, expected one from 0 to 2"):
        decode(np.array([[[1, 2, 30, 40, 0.5, code]]], dtype=np.float32), OutputLayout("end2end"), 3, 0.25)


def test_the_class_of_what_is_not_kept_does_not_matter():
    output = np.array([[[0, 0, 0, 0, 0, -1]]], dtype=np.float32)
    assert len(decode(output, OutputLayout("end2end"), 3, 0.0).scores) == 0


def test_a_threshold_is_compared_in_the_precision_of_the_model():
    output = np.array([[[50, 60, 20, 10, 0.3]]], dtype=np.float32)  # 0.3 as float32 is a little more than 0.3
    assert len(decode(output, OutputLayout("yolov8"), 1, 0.3).scores) == 0
    assert len(decode(output, OutputLayout("yolov8"), 1, 0.2999).scores) == 1


@pytest.mark.parametrize("layout", ["yolov8", "yolov5", "end2end"])
def test_scores_that_are_no_numbers_are_no_detections(layout):
    output = np.full((1, 5, {"yolov8": 7, "yolov5": 8, "end2end": 6}[layout]), np.nan, dtype=np.float32)
    assert len(decode(output, OutputLayout(layout), 3, 0.0).scores) == 0
