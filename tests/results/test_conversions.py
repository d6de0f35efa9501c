"""Every format that a suite declares, written as everything that the suite writes, and read again: the same objects.

Cases come from the declarations of the suites, so that a format, a target or a family that is added joins by itself;
`conversion_samples` has to hold a file of it.
"""

import pytest

import calipers

from ..suites.coco.exports import write_images
from .conversion_samples import cases, measured, read_back, rounded, sample

CASES = cases()


def converted(given, suite, target, output):
    """A plain dump has both sides, of which none can be asked for."""
    names = set(given.options) - ({"side"} if (suite, target) == ("dense", "plain") else set())
    return calipers.convert(given.source, to=target, output=output, **{name: given.options[name] for name in names})


@pytest.mark.parametrize(("suite", "form", "side", "target", "family"), CASES)
def test_what_is_written_is_read_as_the_same(suite, form, side, target, family, tmp_path):
    given, out = sample(suite, form, side, family, tmp_path / "given"), tmp_path / "room.json"
    made = converted(given, suite, target, out)
    held = read_back(
        suite, target, side if made.side == "both" else made.side, out, given, write_images(tmp_path / "i")
    )
    assert rounded(held) == rounded(given.objects)


@pytest.mark.parametrize(
    ("suite", "form", "side", "target", "family"),
    [case for case in CASES if case.values[0] != "dense" or case.values[3] == "plain"],  # others are of another suite
)
def test_what_is_written_measures_the_same(suite, form, side, target, family, tmp_path):
    given, out = sample(suite, form, side, family, tmp_path / "given"), tmp_path / "room.json"
    converted(given, suite, target, out)
    images = {"images": write_images(tmp_path / "i")} if suite == "coco" else {}
    gt = given.options.get("gt")
    joined = {"gt": gt} if given.suite else {}  # answers beside a ground truth, which a dump holds both of
    before = measured(suite, side, given.source, gt, {**given.run, **joined})
    assert any(before.values())
    fps = {"fps": 10} if suite == "timeline" else {}
    assert measured(suite, side, str(out), gt, {**images, **fps}) == pytest.approx(before, rel=1e-9, nan_ok=True)
