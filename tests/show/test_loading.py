"""matplotlib without what plots do not take: the same pictures, and all of the rest when it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

LOAD = """
import sys
from calipers.show.charts.loading import load_matplotlib
load_matplotlib()
"""
ALL_OF_IT = """
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
figure = Figure(figsize=(6, 2))
flat, dated = figure.add_subplot(131), figure.add_subplot(132)
flat.plot(["2024-05-01", "2024-06-01"], [1, 2])
dated.plot([datetime(2024, 5, 1), datetime(2024, 6, 1)], [2, 3])
space = figure.add_subplot(133, projection="3d")
flat.set_title("$x^2_3$", fontproperties=FontProperties("serif:bold"))
flat.set_xlabel("螺丝 Ω", fontsize=7)
space.plot([0, 1], [0, 1], [0, 1])
for format in ("png", "svg"):
    file = BytesIO()
    figure.savefig(file, format=format, metadata={"Date": None} if format == "svg" else None)
    print(sha256(file.getvalue()).hexdigest())
print(FontProperties("serif:bold").get_weight(), str(FontProperties(weight="bold")))
"""
SALT = "import matplotlib\nmatplotlib.rcParams['svg.hashsalt'] = 'a'\n"


@pytest.fixture(autouse=True)
def _matplotlib_is_there() -> None:
    pytest.importorskip("matplotlib")


def output(program: str) -> str:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    return done.stdout


def test_what_is_left_out_is_there_when_it_is_asked_for() -> None:
    assert output(LOAD + SALT + ALL_OF_IT) == output(SALT + ALL_OF_IT)


def test_parsers_are_left_out() -> None:
    late = ("pyparsing.core", "matplotlib._mathtext", "dateutil.parser._parser", "mpl_toolkits.mplot3d.axes3d")
    assert output(LOAD + f"print([name for name in {late} if name in sys.modules])") == "[]\n"
    assert (
        output(LOAD + "import matplotlib.mathtext as m; print(m.math_to_image.__module__)") == "matplotlib.mathtext\n"
    )


def test_sizes_of_fonts_are_those_that_were_set_last() -> None:
    program = """
from matplotlib.font_manager import findfont, get_font
font, other = (get_font(findfont(name)) for name in ("DejaVu Sans", "DejaVu Serif"))
widths = []
for face, size in ((font, 10), (font, 20), (other, 10), (font, 20), (font, 10), (font, 10), (other, 20)):
    face.set_size(size, 72)
    face.set_text("Kabel", 0)
    widths.append(face.get_width_height())
print(widths, [font.get_sfnt_table(name)["version"] for name in ("OS/2", "head", "OS/2")])
"""
    assert output(LOAD + program) == output(program)
