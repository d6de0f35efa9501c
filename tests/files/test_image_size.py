"""Sizes of images from their headers: what Pillow writes, headers written by hand, and files that are no images."""

import random
import struct
import time

import pytest
from PIL import Image

import calipers
from calipers.files import image_size as module
from calipers.files.image_size import image_size

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII5BI", 13, b"IHDR", 7, 5, 8, 2, 0, 0, 0, 0)


@pytest.fixture
def size_of(tmp_path):
    """The size of a file with these bytes."""

    def call(data):
        (tmp_path / "image").write_bytes(data)
        return tuple(image_size(str(tmp_path / "image")))

    return call


@pytest.fixture
def refusal(size_of, tmp_path):
    def call(data):
        with pytest.raises(calipers.InputError) as raised:
            size_of(data)
        path, _, problem = str(raised.value).partition(": ")
        assert path == str(tmp_path / "image")
        return problem

    return call


WRITERS = {
    "png": {},
    "jpeg": {},
    "progressive.jpeg": {"progressive": True},
    "gif": {},
    "bmp": {},
    "webp": {},
    "lossless.webp": {"lossless": True},
}


@pytest.mark.parametrize(("width", "height"), [(1, 1), (7, 5), (640, 3), (1, 1000), (257, 4099)])
@pytest.mark.parametrize("name", WRITERS)
def test_sizes_are_those_that_pillow_wrote(tmp_path, name, width, height):
    path = tmp_path / f"a.{name}"
    Image.new("RGB", (width, height)).save(path, **WRITERS[name])
    assert image_size(str(path)) == (width, height)


def test_webp_with_transparency_and_metadata(tmp_path):
    Image.new("RGBA", (300, 17), (1, 2, 3, 4)).save(tmp_path / "a.webp", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0")
    assert (tmp_path / "a.webp").read_bytes()[12:16] == b"VP8X"
    assert image_size(str(tmp_path / "a.webp")) == (300, 17)


def test_the_content_tells_the_format_not_the_name(tmp_path):
    Image.new("L", (30, 20)).save(tmp_path / "a.png", "jpeg")
    assert image_size(str(tmp_path / "a.png")) == (30, 20)


def test_a_rotation_noted_beside_the_pixels_is_not_applied(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    Image.new("RGB", (40, 30)).save(tmp_path / "a.jpg", exif=exif)
    assert image_size(str(tmp_path / "a.jpg")) == (40, 30)


def test_long_segments_before_the_frame_of_a_jpeg_are_passed_over(tmp_path):
    profile = bytes(random.Random(0).randbytes(300_000))  # takes several segments of 64 kB
    Image.new("RGB", (33, 44)).save(tmp_path / "a.jpg", icc_profile=profile)
    assert image_size(str(tmp_path / "a.jpg")) == (33, 44)


def test_a_thumbnail_within_a_segment_is_not_the_image(size_of):
    frame = b"\xff\xc0\x00\x0b\x08" + struct.pack(">HH", 2, 3) + b"\x01\x01\x11\x00"
    other = b"\xff\xc0\x00\x0b\x08" + struct.pack(">HH", 8, 9) + b"\x01\x01\x11\x00"
    app = b"\xff\xe1" + struct.pack(">H", len(other) + 2) + other
    assert size_of(b"\xff\xd8" + app + b"\xff\xff\xff" + frame[1:]) == (3, 2)  # 0xff may fill the room


def test_headers_of_bmp(size_of):
    start = b"BM" + bytes(12)
    assert size_of(start + struct.pack("<Iii", 40, 6, -4) + bytes(8)) == (6, 4)  # rows run downwards
    assert size_of(start + struct.pack("<IHH", 12, 6, 4) + bytes(8)) == (6, 4)


def test_only_the_header_is_read(size_of):
    assert size_of(PNG + b"not a picture") == (7, 5)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "found 0 bytes, expected a PNG, JPEG, GIF, BMP or WebP"),
        (b"\x89PNG\r\n\x1a\n", "found 8 bytes, expected a PNG"),
        (b"II*\0" + bytes(60), "the file begins with b'II*\\x00\\x00\\x00\\x00\\x00', expected a PNG"),
        (b"<svg width='5' height='5'></svg>" * 9, "the file begins with b'<svg wid', expected a PNG"),
        (PNG.replace(b"IHDR", b"CgBI"), "the file begins with b'\\x89PNG"),
        (PNG.replace(struct.pack(">II", 7, 5), struct.pack(">II", 0, 5)), "found an image of 0 x 5 pixels"),
        (b"GIF89a" + bytes(60), "found an image of 0 x 0 pixels"),
        (b"BM" + bytes(12) + struct.pack("<Iii", 40, -6, 4) + bytes(8), "found a BMP of width -6"),
        (b"RIFF\0\0\0\0WEBPABCD" + bytes(60), "found a WebP with b'ABCD'"),
        (b"RIFF\0\0\0\0WEBPVP8 " + bytes(60), "found a WebP with b'VP8 '"),
        (b"RIFF\0\0\0\0WEBPVP8X" + bytes(12), "found a WebP with b'VP8X'"),
        (b"\xff\xd8\xff", "found a JPEG that stops before its frame header"),
        (b"\xff\xd8\xff\xe0\0\x10" + bytes(10), "found a JPEG that stops before its frame header"),
        (b"\xff\xd8\xff\xe0\0\x10" + bytes(60), "found a JPEG that is broken before its frame header"),
        (b"\xff\xd8\xff\xda\0\x10" + bytes(60), "found a JPEG without a frame header"),
        (b"\xff\xd8\xff\xd9" + bytes(60), "found a JPEG without a frame header"),
        (b"\xff\xd8\xff\xc0\0\x0b\x08\0\0\0\x05" + bytes(60), "found an image of 5 x 0 pixels"),
        (b"\xff\xd8" + b"\xff\xe0\0\0" * 20_000, "found a JPEG without a frame header"),
    ],
)
def test_what_has_no_size_is_refused(refusal, data, problem):
    assert refusal(data).startswith(problem)


def test_a_jpeg_of_nothing_but_filling_ends(refusal):
    start = time.thread_time()
    assert refusal(b"\xff\xd8" + b"\xff" * 10_000).startswith("found a JPEG that stops")
    assert refusal(b"\xff\xd8" + b"\xff" * 10_000_000).startswith("found a JPEG without a frame header")
    assert time.thread_time() - start < 20


def test_any_bytes_after_a_signature_are_read_or_refused(size_of):
    numbers = random.Random(1)
    starts = [b"\xff\xd8\xff", b"GIF89a", b"BM", b"RIFF\0\0\0\0WEBPVP8 ", b"RIFF\0\0\0\0WEBPVP8L", PNG[:16], b""]
    for _ in range(200):
        try:
            width, height = size_of(numbers.choice(starts) + numbers.randbytes(numbers.randrange(60)))
        except calipers.InputError:
            continue
        assert width > 0
        assert height > 0


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(calipers.InputError, match=r"a\.png: cannot be read: No such file"):
        image_size(str(tmp_path / "a.png"))
    with pytest.raises(calipers.InputError, match="cannot be read: Is a directory"):
        image_size(str(tmp_path))


def test_segments_have_a_limit(size_of, refusal, monkeypatch):
    frame = b"\xff\xc0\x00\x0b\x08" + struct.pack(">HH", 2, 3) + b"\x01\x01\x11\x00"
    data = b"\xff\xd8" + b"\xff\xfe\0\x02" * 3 + frame
    assert size_of(data) == (3, 2)
    monkeypatch.setattr(module, "MAX_SEGMENTS", 3)
    assert refusal(data).startswith("found a JPEG without a frame header")
