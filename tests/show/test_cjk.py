"""Chinese, Japanese and Korean labels in pictures: drawn where a font is installed, else spelled out with one note."""

import io
from pathlib import Path

import numpy as np
import pytest

from calipers.show.charts import cjk
from calipers.show.charts.sheet import Lettering, Sheet, drawing

from ..debian import unable, unpack

PACKAGE = "fonts-wqy-zenhei"  # 7 MB, where fonts-noto-cjk has 57
LABELS = ("螺丝", "ネジ", "나사")


@pytest.fixture
def no_font(monkeypatch):
    monkeypatch.setattr("calipers.show.charts.sheet.cjk_font", lambda: None)
    monkeypatch.setattr("calipers.show.charts.sheet.note_missing_font", cjk.note_missing_font)
    cjk.note_missing_font.cache_clear()
    yield
    cjk.note_missing_font.cache_clear()


@pytest.fixture(scope="module")
def font_files(tmp_path_factory):
    """Files of a font that this machine need not have, and that no other test sees."""
    try:
        files = unpack(PACKAGE, tmp_path_factory.mktemp("font"))
    except LookupError as error:
        unable(f"CJK letters are not drawn: {error}", "CALIPERS_FONT")
    return sorted(str(path) for path in files.rglob("*.tt[cf]"))


@pytest.fixture
def font(monkeypatch, request):
    """The font of this machine, else that of Debian's package, for this test alone."""
    from matplotlib import font_manager

    monkeypatch.setattr("calipers.show.charts.sheet.cjk_font", cjk.cjk_font)
    monkeypatch.setattr(font_manager.fontManager, "ttflist", [*font_manager.fontManager.ttflist])
    cjk.cjk_font.cache_clear()
    if cjk.cjk_font() is None:
        files = request.getfixturevalue("font_files")
        monkeypatch.setattr(font_manager, "findSystemFonts", lambda fontext: files)
        cjk.cjk_font.cache_clear()
    yield cjk.cjk_font()
    cjk.cjk_font.cache_clear()


def ink(text):
    """Which pixels of a picture with one text are dark."""
    from matplotlib.image import imread

    with drawing("png"):
        sheet = Sheet(120, 40)
        sheet.write(10, 25, text, fontsize=20)
        return imread(io.BytesIO(sheet.picture("png", "a text")))[..., 0] < 0.5


def test_without_a_font_labels_are_spelled_out_and_a_note_names_the_package_once(no_font, capsys):
    with drawing("png"):
        lettering = Lettering("png")
        assert lettering.fit("螺", 1000, 8) == "\\u87ba"
        assert lettering.fit("ネ", 1000, 8) == "\\u30cd"
    note = capsys.readouterr().err
    assert note.count("fonts-noto-cjk") == 1
    assert note.count("\n") == 1


def test_an_svg_keeps_the_letters_and_names_no_font_of_this_machine(capsys):
    with drawing("svg"):
        assert Lettering("svg").fit("螺丝", 1000, 8) == "螺丝"
        sheet = Sheet(120, 40)
        sheet.write(10, 25, "螺丝")
        picture = sheet.picture("svg", "a text").decode()
    assert "螺丝" in picture
    assert not any(family in picture for family in cjk.FAMILIES)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("label", LABELS)
def test_with_a_font_labels_are_drawn_as_they_are(label, font, capsys):
    with drawing("png"):
        lettering = Lettering("png")
        assert lettering.fit(label, 1000, 8) == label
        assert lettering.ems(label) > 1
    assert capsys.readouterr().err == ""


def test_a_font_is_found_by_its_file(font):
    assert font.family.startswith(cjk.FAMILIES)
    assert Path(font.path).is_file()


def test_the_glyphs_are_real_ones(font):
    pictures = [ink(label) for label in ("螺", "丝", "ネ", "나")]
    assert all(picture.sum() > 50 for picture in pictures)
    for place, one in enumerate(pictures):  # a box for what is missing would be the same for all
        assert not any(np.array_equal(one, other) for other in pictures[place + 1 :])


def test_latin_letters_are_the_same_with_and_without_it(font, monkeypatch):
    with_font = ink("screw 12")
    monkeypatch.setattr("calipers.show.charts.sheet.cjk_font", lambda: None)
    assert np.array_equal(with_font, ink("screw 12"))
