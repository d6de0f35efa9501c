"""Plots of states along videos: curves through the numbers, a matrix of all frames, the worst videos first."""

import re
import sys
import warnings

import pytest

from calipers.core.errors import ConfigError
from calipers.show.charts import pieces as charts
from calipers.suites.timeline.plots import (
    calibration_plot,
    confusion_matrix,
    confusion_plot,
    frame_accuracy_plot,
    frame_errors_plot,
    pictures,
    tolerance_plot,
)

from ...hostile import HALF_PAIR, HOSTILE
from ...profiles import share
from ...show.sample_reports import report, tree

DRAWN = [
    ("tolerance", "png"),
    ("confusion", "png"),
    ("confusion", "svg"),
    ("frame_accuracy", "png"),
    ("frame_accuracy", "svg"),
    ("frame_errors", "png"),
    ("calibration", "png"),
]
PLOTS = [tolerance_plot, confusion_plot, frame_accuracy_plot, frame_errors_plot, calibration_plot]


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
    found = pictures(tree("timeline"))
    names = ["tolerance.png", "confusion.png", "frame_accuracy.png", "frame_errors.png", "calibration.png"]
    assert list(found) == names
    assert all(content.startswith(b"\x89PNG") for content in found.values())
    assert share() < 1 or found == pictures(report("timeline").tree)  # as in contracts/test_plots.py


@pytest.mark.parametrize("plot", PLOTS)
def test_axes_of_ones_own_are_drawn_into(plot):
    from matplotlib.figure import Figure

    figure = Figure()
    ax = figure.add_subplot()
    assert plot(tree("timeline"), ax=ax) is figure
    assert figure.axes == [ax]


def test_curves_go_through_the_numbers():
    found = tree("timeline")
    (ax,) = tolerance_plot(found).axes
    for line, name in zip(ax.lines, ("precision", "recall", "accuracy"), strict=True):
        assert list(line.get_xdata()) == [0, 5, 30]
        assert list(line.get_ydata()) == [each[f"transition_{name}_mean"] for each in found["sweep"].values()]
    assert len(ax.collections) == 3  # a band each


def test_an_undefined_rate_is_a_gap_and_a_dash():
    found = tree("timeline")
    for summary in found["sweep"].values():
        summary["transition_recall_mean"] = summary["transition_recall_interval"] = None
    assert "recall —" in texts(tolerance_plot(found))


def test_without_a_sweep_there_is_no_curve(blank_plots):
    found = tree("timeline")
    del found["sweep"]
    assert list(pictures(found)) == ["confusion.png", "frame_accuracy.png", "frame_errors.png", "calibration.png"]


def test_without_videos_there_is_nothing():
    found = tree("timeline")
    found["videos"] = {name: entry for name, entry in found["videos"].items() if "error" in entry}
    found["pooled"]["confusion"] = {}
    assert pictures(found) == {}


def test_states_are_in_the_order_of_a_drive_and_every_frame_is_in_the_matrix():
    found = tree("timeline")
    states, _, counts, right = confusion_matrix(found)
    assert states == ["outside", "approaching", "inside", "exiting", "paused"]
    assert counts[1][0] == found["pooled"]["confusion"]["approaching"]["outside"]
    frames = sum(n for row in found["pooled"]["confusion"].values() for n in row.values())
    assert sum(map(sum, counts)) == frames
    assert right == 5


def test_many_states_become_one_and_no_frame_is_lost():
    found = tree("timeline")
    found["pooled"]["confusion"] = {f"s{at:02}": {f"s{at:02}": at + 1, "outside": 1} for at in range(40)}
    states, _, counts, right = confusion_matrix(found)
    assert (len(states), right) == (25, 24)  # what other states were taken for is not known
    assert states[0] == "outside"
    assert states[-1] == "other states"
    assert sum(map(sum, counts)) == sum(range(1, 41)) + 40


def test_the_worst_video_comes_first():
    found = tree("timeline")
    (ax,) = frame_accuracy_plot(found).axes
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == sorted(widths)
    assert len(widths) == 19
    assert ax.get_yticklabels()[0].get_text() == found["worst_videos"][0]


def test_of_many_videos_the_worst_are_shown_and_that_is_said():
    found = tree("timeline")
    video = next(entry for entry in found["videos"].values() if "error" not in entry)
    found["videos"] = {f"v{at:03}": video | {"frame_accuracy": at / 100} for at in range(100)}
    found["records"]["evaluated"] = 100
    figure = frame_accuracy_plot(found)
    assert len(figure.axes[0].patches) == 60
    assert any("the 60 worst of 100 videos" in text for text in texts(figure))


def test_hostile_names_are_text():
    found, names = tree("timeline"), [*HOSTILE, HALF_PAIR, "", "$x^2$"]
    video = next(entry for entry in found["videos"].values() if "error" not in entry)
    found["videos"] = dict.fromkeys(names[20:], video)
    for some in (names[:20], names[20:40], names[40:]):
        found["pooled"]["confusion"] = {name: {name: 2, "outside": 1} for name in some}
        written = charts.file_of(confusion_plot(found, format="svg"), "svg")
        assert set(re.findall(rb"<(\w+)", written)).isdisjoint({b"script", b"img", b"iframe", b"a"})
    assert set(pictures(found)) == {f"{stem}.{kind}" for stem, kind in DRAWN}


def test_no_matplotlib_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match="pictures need matplotlib"):
        pictures(tree("timeline"))
