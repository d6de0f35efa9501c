"""Which file is which image, and what its pixels are."""

import os
from pathlib import Path

import numpy as np
import pytest

from calipers.core.errors import InputError
from calipers.detectors.image_files import ImageFile, find_files, open_image
from calipers.detectors.targets import TruthImage

Images = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


@pytest.fixture
def folder(tmp_path):
    """Makes files, each with its own name as content."""

    def make(*names):
        for name in names:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(name)
        return tmp_path

    return make


def pictures(*names):
    return [TruthImage(number, name, None) for number, name in enumerate(names)]


def names_found(folder, *names):
    return [file.name for file in find_files(folder, pictures(*names))]


# Finding


def test_a_file_is_found_by_its_name_under_the_folder(folder):
    root = folder("a.jpg", "sub/a.jpg", "sub/b.jpg")
    files = find_files(root, pictures("sub/a.jpg", "a.jpg", "sub/b.jpg"))
    assert [file.name for file in files] == ["sub/a.jpg", "a.jpg", "sub/b.jpg"]
    assert next((file.path, file.bytes) for file in files) == (root / "sub/a.jpg", 9)


def test_a_file_in_another_folder_is_found_by_its_name(folder):
    assert names_found(folder("val/a.jpg", "b.jpg"), "a.jpg", "images/train/b.jpg") == ["val/a.jpg", "b.jpg"]


def test_a_file_with_another_ending_is_found_by_its_stem(folder):
    assert names_found(folder("a.png", "a.txt", "a.json", "b.x.JPG"), "a.jpg", "b.x.png") == ["a.png", "b.x.JPG"]


def test_a_name_comes_before_a_stem(folder):
    assert names_found(folder("deep/a.jpg", "a.png"), "a.jpg") == ["deep/a.jpg"]


def test_backslashes_are_slashes(folder):
    assert names_found(folder("sub/a.jpg"), "sub\\a.jpg") == ["sub/a.jpg"]


def test_one_file_may_be_listed_twice_by_the_same_name(folder):
    assert (
        names_found(folder("a.jpg", "x/b.jpg"), "a.jpg", "a.jpg", "b.jpg", "b.jpg") == ["a.jpg"] * 2 + ["x/b.jpg"] * 2
    )


@pytest.mark.parametrize("name", ["../secret.jpg", "/secret.jpg", "x/../../secret.jpg"])
def test_trap_39_a_name_does_not_lead_out_of_the_folder(folder, name):
    root = folder("secret.jpg", "images/a.jpg")
    with pytest.raises(InputError, match="1 of 1 images of the ground truth are not in this folder"):
        find_files(root / "images", pictures(name))


def test_missing_files_are_an_error_with_the_first_and_how_many(folder):
    with pytest.raises(InputError, match=r": 2 of 3 images .* are not in this folder, the first is 'b\.jpg'$"):
        find_files(folder("a.jpg"), pictures("a.jpg", "b.jpg", "c\0.jpg"))


def test_two_files_of_that_name_are_an_error(folder):
    with pytest.raises(InputError, match=r"the image 'a\.jpg' may be .*x/a\.jpg or .*y/a\.jpg, expected one file"):
        find_files(folder("x/a.jpg", "y/a.jpg"), pictures("a.jpg"))


def test_two_files_of_that_stem_are_an_error(folder):
    with pytest.raises(InputError, match=r"the image 'a\.jpg' may be .*a\.bmp or .*a\.png"):
        find_files(folder("a.png", "a.bmp"), pictures("a.jpg"))


def test_a_file_that_is_another_image_is_not_found_by_its_stem(folder):
    with pytest.raises(InputError, match=r"1 of 2 images .* the first is 'a\.jpg'"):
        find_files(folder("a.png"), pictures("a.png", "a.jpg"))


def test_a_file_that_may_be_two_images_is_an_error(folder):
    with pytest.raises(InputError, match=r"a\.png: may be the image 'a\.jpg' or 'a\.bmp', expected one"):
        find_files(folder("a.png"), pictures("a.jpg", "a.bmp"))


@pytest.mark.parametrize(("name", "message"), [("nowhere", "no such folder"), ("a.jpg", "is not a folder")])
def test_a_folder_has_to_be_there(folder, name, message):
    with pytest.raises(InputError, match=message):
        find_files(folder("a.jpg") / name, pictures("a.jpg"))


def test_a_name_that_is_no_text_can_still_be_a_file(folder):
    (folder() / os.fsdecode(b"a\xff")).mkdir()
    (folder() / os.fsdecode(b"a\xff") / "b.jpg").write_text("b")
    assert names_found(folder(), "b.jpg") == ["a\ufffd/b.jpg"]


# Opening


def image_file(path, size=None):
    return ImageFile(TruthImage(1, Path(path).name, size), Path(path), Path(path).name, 1)


def opened(path, size=None):
    image, is_unturned = open_image(image_file(path, size))
    return np.asarray(image), is_unturned


def halves(width=6, height=4):
    """Red at the left, blue at the right."""
    pixels = np.zeros((height, width, 3), np.uint8)
    pixels[:, : width // 2, 0] = pixels[:, width // 2 :, 2] = 255
    return pixels


def save(path, pixels, orientation=None, **options):
    image = Images.fromarray(pixels)
    if orientation:
        exif = Images.Exif()
        exif[0x0112] = orientation
        options["exif"] = exif
    image.save(path, **options)
    return path


def test_pixels_are_taken_as_they_are(tmp_path):
    path = save(tmp_path / "a.png", halves())
    for size in (None, (6, 4)):
        pixels, is_unturned = opened(path, size)
        assert (pixels == halves()).all()
        assert not is_unturned


def test_an_orientation_is_not_applied_where_the_stored_size_fits(tmp_path):
    path = save(tmp_path / "a.png", halves(), orientation=6)
    for size in (None, (6, 4)):
        pixels, is_unturned = opened(path, size)
        assert (pixels == halves()).all()
        assert is_unturned


def test_an_orientation_is_applied_where_only_that_gives_the_size(tmp_path):
    path = save(tmp_path / "a.png", halves(), orientation=6)  # to be turned clockwise: red at the top
    pixels, is_unturned = opened(path, (4, 6))
    assert (pixels == np.rot90(halves(), -1)).all()
    assert not is_unturned


@pytest.mark.parametrize("orientation", [None, 3, 6])
def test_another_size_is_an_error_with_both(tmp_path, orientation):
    path = save(tmp_path / "a.png", halves(), orientation=orientation)
    with pytest.raises(InputError, match=r"a\.png: has 6 x 4 pixels, expected 12 x 8 as the ground truth says"):
        opened(path, (12, 8))


def test_a_size_that_is_turned_is_an_error_without_an_orientation(tmp_path):
    with pytest.raises(InputError, match="has 6 x 4 pixels, expected 4 x 6"):
        opened(save(tmp_path / "a.png", halves()), (4, 6))


def test_an_orientation_that_makes_no_sense_is_none(tmp_path):
    assert opened(save(tmp_path / "a.png", halves(), orientation=99))[1] is False


@pytest.mark.parametrize(
    ("mode", "value", "rgb"),
    [
        ("L", 100, (100, 100, 100)),
        ("1", 1, (255, 255, 255)),
        ("P", 0, (0, 0, 0)),
        ("RGBA", (10, 20, 30, 0), (10, 20, 30)),
        ("LA", (40, 0), (40, 40, 40)),
        ("CMYK", (0, 0, 0, 0), (255, 255, 255)),
        ("I;16", 0xC8FF, (0xC8, 0xC8, 0xC8)),  # the upper 8 of 16 bits
        ("I", 0x64FF, (0x64, 0x64, 0x64)),
    ],
)
def test_every_kind_of_pixel_becomes_rgb(tmp_path, mode, value, rgb):
    path = tmp_path / ("a.tif" if mode in ("CMYK", "I") else "a.png")
    Images.new(mode, (3, 2), value).save(path)
    assert opened(path)[0].tolist() == [[list(rgb)] * 3] * 2


def test_fractions_are_an_error(tmp_path):
    Images.new("F", (3, 2), 0.5).save(tmp_path / "a.tif")
    with pytest.raises(InputError, match=r"a\.tif: its pixels are fractions"):
        opened(tmp_path / "a.tif")


@pytest.mark.parametrize("keep", [0, 10, 60, 200])
@pytest.mark.parametrize("ending", ["png", "jpg", "bmp", "gif", "tif"])
def test_a_file_that_was_cut_is_an_error(tmp_path, ending, keep):
    path = tmp_path / f"a.{ending}"
    noise = np.random.default_rng(0).integers(0, 255, (40, 40, 3), dtype=np.uint8)
    Images.fromarray(noise).save(path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match=rf"a\.{ending}: is not an image that can be read"):
        opened(path)


def test_trap_41_an_image_that_would_fill_the_memory_is_an_error(tmp_path, monkeypatch):
    path = save(tmp_path / "a.png", halves())
    monkeypatch.setattr(Images, "MAX_IMAGE_PIXELS", 5)
    with pytest.raises(InputError, match=r"a\.png: Image size \(24 pixels\) exceeds limit"):
        opened(path)


@pytest.mark.filterwarnings("error")
def test_an_image_that_is_only_large_is_opened_without_a_word(tmp_path, monkeypatch):
    path = save(tmp_path / "a.png", halves())
    monkeypatch.setattr(Images, "MAX_IMAGE_PIXELS", 20)
    assert opened(path)[0].shape == (4, 6, 3)


def test_the_first_of_several_frames_counts(tmp_path):
    first, second = Images.new("RGB", (3, 2), (255, 0, 0)), Images.new("RGB", (3, 2), (0, 0, 255))
    first.save(tmp_path / "a.tif", save_all=True, append_images=[second])
    assert opened(tmp_path / "a.tif")[0][0, 0].tolist() == [255, 0, 0]
