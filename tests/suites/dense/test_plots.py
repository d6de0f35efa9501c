"""Plots of shapes on images: lines and bars as long as the numbers, text that stays text, always the same bytes."""

import re
import sys
import warnings

import pytest

from calipers.core.errors import ConfigError
from calipers.show.charts import pieces as charts
from calipers.suites.dense.plots import errors_plot, labels_plot, pictures, ranked_labels, thresholds_plot

from ...hostile import HALF_PAIR, HOSTILE
from ...profiles import share
from ...show.sample_reports import tree

PLOTS = [thresholds_plot, errors_plot, labels_plot]


@pytest.fixture(autouse=True)
def strict():
    """Without matplotlib there is nothing to test; a warning is an error."""
    pytest.importorskip("matplotlib.figure")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def texts(figure):
    from matplotlib.text import Text

    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def test_the_pictures_of_a_report():
    found = pictures(tree("dense"))
    assert list(found) == ["thresholds.png", "errors.png", "labels.png", "labels.svg"]
    assert all(found[name].startswith(b"\x89PNG") for name in found if name.endswith("png"))
    assert "标签".encode() in found["labels.svg"]  # which the font of a PNG lacks
    assert share() < 1 or found == pictures(tree("dense"))  # which holds for all plots in contracts/test_plots.py


@pytest.mark.parametrize(("plot", "drawn"), [(thresholds_plot, (7, 0)), (errors_plot, (0, 6)), (labels_plot, (1, 16))])
def test_axes_of_ones_own_are_drawn_into(plot, drawn):
    """Three curves with intervals and the primary threshold; six causes; sixteen labels and the F1 of all."""
    from matplotlib.figure import Figure

    figure = Figure()
    ax = figure.add_subplot()
    assert plot(tree("dense"), ax=ax) is figure
    assert (len(ax.lines), len(ax.patches)) == drawn
    assert figure.axes == [ax]


@pytest.mark.parametrize("plot", PLOTS)
def test_a_page_is_made_without_axes(plot):
    figure = plot(tree("dense"))
    assert len(figure.axes) == 1
    assert charts.file_of(figure, "svg").startswith(b"<?xml")


def test_curves_go_through_the_numbers():
    found = tree("dense")
    (ax,) = thresholds_plot(found).axes
    curves = [line for line in ax.lines if len(line.get_xdata()) == 10]
    rows = [mode["thresholds"] for mode in found["modes"].values()]
    assert [list(line.get_ydata()) for line in curves] == [[row["f1"] for row in each] for each in rows]


def test_of_many_thresholds_those_with_room_are_written(blank_plots):
    found = tree("dense")
    found["params"]["thresholds"] = [at / 100 for at in range(1, 100)]
    for mode in found["modes"].values():
        mode["thresholds"] = [mode["thresholds"][0] | {"iou": each} for each in found["params"]["thresholds"]]
    (ax,) = thresholds_plot(found).axes
    assert [text.get_text() for text in ax.get_xticklabels()][:3] == ["0.01", "0.06", "0.11"]
    assert len(ax.get_xticks()) == 20
    assert pictures(found)


def test_the_interval_is_drawn_at_the_primary_threshold():
    found = tree("dense")
    (ax,) = thresholds_plot(found).axes
    low, high = found["modes"]["category"]["primary"]["interval"]["f1"]
    assert [low, high] in [list(line.get_ydata()) for line in ax.lines]


def test_bars_are_as_long_as_the_counts():
    (ax,) = errors_plot(tree("dense")).axes
    assert [bar.get_width() for bar in ax.patches] == [100, 84, 11, 23, 115, 133]  # wrong label, …, missed
    assert "+0.091" in texts(ax.figure)  # 2 * 100 / (1101 + 1106)


def test_labels_are_ranked_by_f1():
    found = tree("dense")
    f1 = {row["label"]: row["f1"] for row in found["modes"]["category"]["by_label"]}
    mode, rows = ranked_labels(found)
    names = [row["label"] for row in rows]
    assert (mode, names[:3], names[-1]) == ("category", ["挡风板", "紧固件", "机柜空间"], "接地线")
    assert names == sorted(f1, key=f1.get, reverse=True)  # of which no two are equal
    (ax,) = labels_plot(found).axes
    assert [bar.get_width() for bar in ax.patches] == [f1[name] for name in names]


def test_of_many_labels_the_commonest_are_shown_and_that_is_said():
    found = tree("dense")
    row = found["modes"]["category"]["by_label"][0]
    found["modes"]["category"]["by_label"] = [row | {"label": f"l{at}", "gt": at} for at in range(150)]
    assert {each["label"] for each in ranked_labels(found)[1]} == {f"l{at}" for at in range(50, 150)}
    assert any("the 100 with the most objects of 150" in text for text in texts(labels_plot(found)))


def test_without_labels_there_is_no_picture_of_them(blank_plots):
    found = tree("dense")
    found["modes"] = {"localization": found["modes"]["localization"]}
    assert list(pictures(found)) == ["thresholds.png", "errors.png"]


def test_nothing_at_all_is_drawn_too(blank_plots):
    found = tree("dense")
    found["errors"], found["objects"] = dict.fromkeys(found["errors"], 0), dict.fromkeys(found["objects"], 0)
    found["worth"]["f1"] = {cause: {"gain": None, "interval": None} for cause in found["worth"]["f1"]}
    for mode in found["modes"].values():
        mode["thresholds"] = [row | {"f1": None} for row in mode["thresholds"]]
        mode["primary"]["f1"] = mode["primary"]["interval"]["f1"] = mode["mean_f1"] = mode["mean_f1_interval"] = None
        mode["by_label"] = []
    assert list(pictures(found)) == ["thresholds.png", "errors.png"]
    assert texts(errors_plot(found)).count("–") == 6


def test_hostile_labels_are_text():
    found = tree("dense")
    row = found["modes"]["category"]["by_label"][0]
    names = [*HOSTILE, HALF_PAIR, "", "$x^2$", r"$\frac{a}{b}$"]
    found["modes"]["category"]["by_label"] = [row | {"label": name} for name in names]
    figure = labels_plot(found, format="svg")
    assert [text.get_parse_math() for text in figure.axes[0].get_yticklabels()] == [False] * len(names)
    assert set(re.findall(rb"<(\w+)", charts.file_of(figure, "svg"))).isdisjoint({b"script", b"img", b"iframe", b"a"})
    charts.file_of(labels_plot(found), "png")


def test_no_matplotlib_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match="pictures need matplotlib"):
        pictures(tree("dense"))
