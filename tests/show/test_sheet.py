"""Pictures as files: what is in them, and what they do not say."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from calipers.show.charts.sheet import DPI, drawing, picture_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@pytest.fixture(autouse=True)
def _matplotlib_is_there() -> None:
    pytest.importorskip("matplotlib")


def drawn(facecolor: str) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2, 1), dpi=DPI, facecolor=facecolor)
    figure.add_axes((0.2, 0.2, 0.7, 0.7)).plot([0, 1, 4])
    return figure


@pytest.mark.parametrize(("facecolor", "mode"), [("white", "RGB"), ("none", "RGBA")])
def test_a_png_has_every_pixel_of_the_figure_and_transparency_only_where_something_shows_through(
    facecolor: str, mode: str
) -> None:
    with drawing("png"):
        plain = BytesIO()
        drawn(facecolor).savefig(plain, format="png", dpi=DPI)
        found = Image.open(BytesIO(picture_of(drawn(facecolor), "png", "Kabel 线缆")))
    assert found.mode == mode
    assert found.convert("RGBA").tobytes() == Image.open(plain).convert("RGBA").tobytes()


def test_a_png_says_its_title_and_resolution_and_nothing_else() -> None:
    with drawing("png"):
        found = Image.open(BytesIO(picture_of(drawn("white"), "png", "Kabel 线缆")))
    assert found.info.pop("dpi") == pytest.approx((DPI, DPI), abs=0.1)
    assert found.info == {"Title": "Kabel 线缆"}


def test_settings_of_others_may_be_made_of_arrays() -> None:
    """As colours of a map are: `cycler(color=viridis(numpy.linspace(0, 1, 10)))`."""
    import numpy as np
    from cycler import cycler
    from matplotlib import rc_context, rcParams

    with drawing("png"):
        expected = picture_of(drawn("white"), "png", "")
    colours = [np.array([1.0, 0.0, 0.1 * step, 1.0]) for step in range(10)]
    with rc_context({"axes.prop_cycle": cycler(color=colours), "axes.edgecolor": colours[0]}):
        with drawing("png"):
            assert picture_of(drawn("white"), "png", "") == expected
        assert rcParams["axes.edgecolor"] is colours[0]
