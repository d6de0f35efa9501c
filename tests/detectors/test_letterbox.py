"""Images keep their aspect in the middle of a grey rectangle, and boxes find their way back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.detectors.letterbox import GREY, as_tensor, fit, stretch

Images = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

SIDES = st.integers(1, 5000)
SIZES = st.tuples(SIDES, SIDES)


@pytest.mark.parametrize(
    ("image", "outer", "inner", "place"),
    [
        ((1920, 1080), (640, 640), (640, 360), (0, 140)),
        ((1080, 1920), (640, 640), (360, 640), (140, 0)),
        ((640, 640), (640, 640), (640, 640), (0, 0)),
        ((100, 50), (640, 640), (640, 320), (0, 160)),  # small images are scaled up
        ((101, 50), (640, 640), (640, 317), (0, 161)),  # 50 * 640 / 101 = 316.8; 323 left, the smaller half on top
        ((300, 200), (640, 320), (480, 320), (80, 0)),  # a rectangle that is no square
        ((5000, 1), (640, 640), (640, 1), (0, 319)),  # 0.128 of a pixel is still one
    ],
)
def test_where_an_image_lies(image, outer, inner, place):
    assert fit(image, outer) == (image, inner, place, outer)


@given(SIZES, st.integers(1, 40))
def test_the_larger_side_fills_the_square_and_the_rest_is_halved(image, cells):
    outer = 32 * cells
    box = fit(image, (outer, outer))
    assert max(box.inner) == outer
    for side, inner, place in zip(image, box.inner, box.place, strict=True):
        assert inner == max(1, round(side * min(outer / image[0], outer / image[1])))
        assert place == round((outer - inner) / 2 - 0.1)  # the rule that Ultralytics pads by


@given(SIZES, st.integers(1, 40), st.sampled_from([16, 32, 64]))
def test_with_a_stride_an_image_has_as_many_whole_strides_as_it_needs(image, cells, stride):
    square = fit(image, (stride * cells, stride * cells))
    box = fit(image, square.outer, stride)
    assert box.inner == square.inner
    assert box.outer == tuple(-(-inner // stride) * stride for inner in box.inner)
    assert box.place == tuple((outer - inner) // 2 for outer, inner in zip(box.outer, box.inner, strict=True))


@given(SIZES)
def test_a_stretched_image_fills_everything(image):
    box = stretch(image, (640, 320))
    assert (box.inner, box.outer, box.place) == ((640, 320), (640, 320), (0, 0))
    assert box.back(np.array([[0.0, 0, 640, 320]])) == pytest.approx(np.array([[0, 0, *image]]), abs=1e-9)


@given(SIZES)
def test_the_corners_of_an_image_come_back_to_its_corners(image):
    box = fit(image, (640, 640))
    left, top = box.place
    corners = np.array([[left, top, left + box.inner[0], top + box.inner[1]]], dtype=np.float64)
    assert box.back(corners) == pytest.approx(np.array([[0, 0, *image]]), abs=1e-9)


def test_boxes_are_scaled_by_the_sides_that_were_rounded():
    # 101 x 50 becomes 640 x 317 at (0, 161): x by 101 / 640, y by 50 / 317
    boxes = np.array([[64.0, 161.0, 320.0, 319.5]])
    assert fit((101, 50), (640, 640)).back(boxes).round(6).tolist() == [[10.1, 0.0, 50.5, 25.0]]


def test_a_tensor_has_channels_first_and_grey_around():
    image = Images.new("RGB", (4, 2), (255, 0, 51))
    tensor = as_tensor(image, fit(image.size, (4, 4)), np.float32)
    assert (tensor.shape, tensor.dtype, tensor.flags.c_contiguous) == ((1, 3, 4, 4), np.float32, True)
    grey = np.float32(114) / np.float32(255)
    for channel, value in enumerate((1.0, 0.0, 0.2)):
        column = [grey, np.float32(value), np.float32(value), grey]
        assert (tensor[0, channel] == np.array(column, dtype=np.float32)[:, np.newaxis]).all()
    assert GREY == (114, 114, 114)


def test_pixels_that_need_no_scaling_are_left_alone():
    pixels = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
    tensor = as_tensor(Images.fromarray(pixels), fit((4, 4), (4, 4)), np.float32)
    assert (tensor[0].transpose(1, 2, 0) == pixels.astype(np.float32) / np.float32(255)).all()


def test_a_tensor_may_be_of_half_precision():
    image = Images.new("RGB", (8, 8), (10, 20, 30))
    tensor = as_tensor(image, fit(image.size, (8, 8)), np.float16)
    assert tensor.dtype == np.float16
    assert tensor[0, :, 0, 0].tolist() == [np.float16(np.float32(each) / np.float32(255)) for each in (10, 20, 30)]


@pytest.mark.parametrize(("image", "outer"), [((64, 48), (32, 32)), ((90, 50), (64, 64)), ((20, 30), (96, 96))])
def test_a_scaled_pixel_lies_between_the_four_around_its_place(image, outer):
    pixels = np.random.default_rng(0).integers(0, 256, (image[1], image[0], 3), dtype=np.uint8)
    box = fit(image, outer)
    tensor = as_tensor(Images.fromarray(pixels), box, np.float32)[0] * 255
    left, top = box.place
    found = tensor[:, top : top + box.inner[1], left : left + box.inner[0]].transpose(1, 2, 0)
    assert np.abs(found - interpolated(pixels, box.inner)).max() <= 1  # Pillow cuts fractions off


def interpolated(pixels, size):
    """Column by column, row by row: the middle of a new pixel, and how far it is from the middles of old ones."""
    rows, row_shares = neighbours(pixels.shape[0], size[1])
    columns, column_shares = neighbours(pixels.shape[1], size[0])
    wide = sum(share[:, np.newaxis] * pixels[:, place] for place, share in zip(columns, column_shares, strict=True))
    return sum(share[:, np.newaxis, np.newaxis] * wide[place] for place, share in zip(rows, row_shares, strict=True))


def neighbours(old, new):
    middles = (np.arange(new) + 0.5) * old / new - 0.5
    first = np.floor(middles).astype(int)
    share = middles - first
    return [first.clip(0, old - 1), (first + 1).clip(0, old - 1)], [1 - share, share]
