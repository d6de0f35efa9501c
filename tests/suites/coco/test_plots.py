"""Pictures of detections: lines and bars as long as the numbers, text that never overlaps, always the same bytes."""

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import calipers
from calipers.core.errors import ConfigError
from calipers.show.charts import palette
from calipers.show.charts import pieces as charts
from calipers.show.charts.sheet import drawing
from calipers.suites.coco.plots import (
    ap_per_class_plot,
    confusion_matrix,
    confusion_plot,
    errors_plot,
    pictures,
    precision_recall_plot,
)
from calipers.suites.coco.tables import confusion_table

from .coco_trees import HOSTILE, TREES, many, tree, without_detections

PLOTS = [precision_recall_plot, ap_per_class_plot, confusion_plot, errors_plot]


@pytest.fixture(autouse=True)
def strict():
    """Without matplotlib there is nothing to test; a warning is an error."""
    pytest.importorskip("matplotlib.figure")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.fixture
def figures(monkeypatch):
    """The figures behind PNG files, as they are drawn."""
    kept = []

    def keep(figure, kind):
        if kind == "png":
            with drawing(kind):
                figure.draw_without_rendering()  # everything has its place, and no file is made
            kept.append(figure)
        return b""

    monkeypatch.setattr(charts, "file_of", keep)
    return kept


def texts(page):
    """Everything that is written on a page, with its place in pixels."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.text import Text

    renderer = FigureCanvasAgg(page).get_renderer()
    found = [text for text in page.findobj(Text) if text.get_visible() and text.get_text()]
    return [(text.get_text(), text.get_window_extent(renderer)) for text in found]


def words(page):
    return [text for text, _ in texts(page)]


def lengths(axes):
    return [round(bar.get_width(), 6) for bar in axes.patches]


# What is seen


def test_curves_are_those_of_the_classes_and_a_bold_one_is_their_mean():
    [axes] = precision_recall_plot(tree()).axes
    lines = {round(line.get_ydata()[0], 6): line for line in axes.lines}
    assert sorted(lines) == [0.333333, 0.666667, 1.0]
    [bold] = [line for line in axes.lines if line.get_color() == palette.INK]
    #   at recall 0: (1 + 2/3 + 1/3) / 3; at recall 1, where each has lost a half: (1/2 + 1/6 + 0) / 3
    assert [round(bold.get_ydata()[at], 6) for at in (0, 100)] == [0.666667, 0.222222]
    key = [text.get_text() for text in axes.get_legend().get_texts()]
    assert key == ["0.406   mean of 3 classes", "0.750   car", "0.500   cone", "0.250   person"]


def test_of_many_curves_those_with_the_most_objects_are_named():
    [axes] = precision_recall_plot(many()).axes
    assert len(axes.lines) == 80 + 1
    key = [text.get_text() for text in axes.get_legend().get_texts()]
    assert key[1:3] == ["0.750   class 00", "0.741   class 01"]
    assert key[-2:] == ["0.684   class 07", "72 more"]


def test_of_thousands_of_curves_some_are_drawn(monkeypatch):
    monkeypatch.setattr("calipers.suites.coco.plots.MAX_CURVES", 50)
    [axes] = precision_recall_plot(many()).axes
    assert len(axes.lines) == 50 + 8 + 1
    assert axes.get_legend().get_texts()[-1].get_text() == "72 more, 50 of them drawn"


def test_one_curve_is_its_own_mean():
    [axes] = precision_recall_plot(tree(["person"], "keypoints")).axes
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["0.750   person"]


def test_the_recall_that_has_to_be_reached_is_shaded():
    page = precision_recall_plot(tree())
    [span] = page.axes[0].patches
    assert (span.get_x(), round(span.get_width(), 6)) == (0.9, 0.1)
    assert "at IoU 0.50 · precision 0.375 at recall 0.9, mean 0.188 beyond it (shaded)" in words(page)


def test_ap_by_class_has_the_best_first_and_says_what_is_not_there():
    result = tree()
    result["per_class"].append({"category_id": 9, "name": "ghost", "gt": 0, "pred": 7, "AP": None, "AP_50": None})
    result["per_class"].reverse()
    page = ap_per_class_plot(result)
    [axes] = page.axes
    assert lengths(axes) == [0.75, 0.5, 0.25, 0.5, 0.333333, 0.166667]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["car", "cone", "person"]
    assert [line.get_xdata()[0] for line in axes.lines if len(line.get_xdata()) == 2] == [0.375]  # AP of all
    assert any("1 without ground truth are not shown" in text for text in words(page))


def test_of_very_many_classes_those_with_the_most_objects_are_shown():
    page = ap_per_class_plot(many(130))
    assert len(page.axes[0].patches) == 2 * 100
    assert any("the 100 classes with the most objects of 130" in text for text in words(page))


def test_confusion_has_a_row_for_what_is_nothing_and_a_column_for_what_is_missed():
    #   car 30: 15 found, 1 taken for a cone, 14 missed; background 15 of 60
    assert confusion_matrix(tree()).counts == [[15, 1, 0, 14], [0, 10, 2, 9], [3, 0, 5, 4], [15, 10, 5, 0]]
    page = confusion_plot(tree())
    [axes] = page.axes
    assert [text.get_text() for text in axes.get_xticklabels()] == ["car", "cone", "person", "missed"]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["car", "cone", "person", "background"]
    #   of the row: 15/30, 1/30, 14/30 · 10/21, 2/21, 9/21 · 3/12, 5/12, 4/12 · 15/30, 10/30, 5/30
    assert [text.get_text() for text in axes.texts] == [
        *("n", "30", "50", "3", "47", "21", "48", "10", "43", "12", "25", "42", "33", "30", "50", "33", "17")
    ]


def test_classes_that_are_not_shown_are_one_row_and_one_column():
    result = many(30)
    matrix = confusion_matrix(result)
    assert (matrix.right, len(matrix.counts)) == (25, 27)
    _, rows = confusion_table(result)
    assert sum(map(sum, matrix.counts)) == sum(row["n"] for row in rows)
    #   the five left are 25 … 29 with 50, 40, 30, 20, 10 objects: half found, 26 … 29 taken for one of them
    assert matrix.counts[25][25] == 75 + 26 + 27 + 28 + 29
    assert matrix.counts[25][0] == 30
    assert matrix.counts[24][25] == 25


def test_causes_are_bars_with_counts_and_what_they_are_worth():
    page = errors_plot(tree())
    assert lengths(page.axes[0]) == [6, 7, 8, 10, 59, 9]
    found = words(page)
    assert found[found.index("59") :][:2] == ["59", "+0.188"]
    assert found[found.index("9") :][:2] == ["9", "+0.312"]
    assert "+1.000" in words(errors_plot(without_detections()))


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("three classes", set()),
        ("no order", {"precision_recall.png", "ap_per_class.png"}),
        ("no detections", set()),
        ("nothing", {"precision_recall.png", "ap_per_class.png", "confusion.png"}),
    ],
)
def test_what_is_undefined_is_not_drawn(name, missing, blank_plots):
    found = pictures(TREES[name])
    assert {"precision_recall.png", "ap_per_class.png", "confusion.png", "errors.png"} - set(found) == missing
    assert all(content[:4] == b"\x89PNG" for content in found.values())


def test_names_that_a_png_can_only_spell_out_are_there_as_svg_too():
    found = pictures(tree(["交通锥", "car"]))
    both = [f"{name}.{kind}" for name in ("precision_recall", "ap_per_class", "confusion") for kind in ("png", "svg")]
    assert list(found) == [*both, "errors.png"]
    assert all("交通锥".encode() in found[name] for name in both[1::2])


@pytest.mark.parametrize("classes", [1, 2, 3, 5, 8, 25])
def test_the_page_of_a_matrix_is_as_wide_as_its_classes_or_its_heading(classes):
    page = confusion_plot(tree([f"class {at}" for at in range(classes)]))
    found, wide = texts(page), page.bbox.width
    [heading] = [box for text, box in found if text.startswith("a row of ground truth")]
    [sums] = [box for text, box in found if text == "n"]
    assert 0 < wide - max(heading.x1, sums.x1) < 40  # 14 points of margin are 28 pixels
    assert page.axes[0].get_window_extent().width > 0.35 * wide


# Text


def meeting(placed):
    """Every two texts whose places have a point in common."""
    low, high = (np.array([getattr(box, end) for _, box in placed]).reshape(-1, 1, 2) for end in ("min", "max"))
    meet = (low <= high.transpose(1, 0, 2)) & (low.transpose(1, 0, 2) <= high)  # (texts, texts, 2)
    return [(placed[a][0], placed[b][0]) for a, b in np.argwhere(np.triu(meet.all(axis=2), 1))]


def test_texts_that_meet_are_told():
    from matplotlib.transforms import Bbox

    places = {"a": (0, 0, 2, 2), "b": (2, 1, 3, 3), "c": (0, 2.5, 1, 3), "d": (9, 9, 9, 9), "e": (8, 8, 10, 10)}
    assert meeting([(name, Bbox.from_extents(place)) for name, place in places.items()]) == [("a", "b"), ("d", "e")]


@pytest.mark.parametrize("name", TREES)
def test_no_text_lies_on_another_or_outside_the_page(name, figures):
    pictures(TREES[name])
    for page in figures:
        found, (wide, tall) = texts(page), page.canvas.get_width_height()
        for text, box in found:
            assert 0 <= box.x0 < box.x1 <= wide, text
            assert 0 <= box.y0 < box.y1 <= tall, text
        assert meeting(found) == []


@pytest.mark.parametrize("name", HOSTILE[:-2], ids=ascii)
@pytest.mark.parametrize("plot", PLOTS[:3])
def test_trap_37_names_are_text_and_nothing_else(plot, name):
    spelled = name.encode("ascii", "backslashreplace").decode().replace("\\U0001f600", "😀")  # the font has that face
    spelled = spelled.replace("\n", "\\x0a").replace("\t", "\\x09").replace("\x1b", "\\x1b")
    assert any(text.endswith(spelled) for text in words(plot(tree([name, "other"]))))


@pytest.mark.parametrize("plot", PLOTS[:3])
def test_long_names_lose_their_middle_and_empty_ones_are_said(plot):
    found = words(plot(tree(["first" + "W" * 300 + "last", ""])))
    assert any(re.search("firstW+…W*last$", text) for text in found)
    assert any(text.endswith("(no name)") for text in found)


# The same bytes


@pytest.mark.parametrize("plot", PLOTS)
def test_without_matplotlib_the_message_says_how_to_get_it(plot, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match=re.escape("pictures need matplotlib: pip install 'calipers[plots]'")):
        plot(tree())


def test_importing_the_module_does_not_load_matplotlib():
    program = "import sys, calipers.suites.coco.plots; print('matplotlib' in sys.modules)"
    env = os.environ | {"PYTHONPATH": str(Path(calipers.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "False\n"
