"""Pictures of methods on scenes: bars as long as the numbers, dashes where undefined, the same bytes every time."""

import itertools
import os
import re
import struct
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path

import pytest

import calipers
from calipers.core.errors import ConfigError
from calipers.show.charts import palette
from calipers.show.charts import pieces as charts
from calipers.show.charts.panels import round_end
from calipers.suites.scene.plots import (
    fp_breakdown_plot,
    localization_metrics_plot,
    localization_per_class_plot,
    main_metrics_plot,
    per_class_f1_plot,
)

from ...profiles import share
from ..timeline.test_strips import EYES, lab
from .scene_trees import BOTH, CAUSES, FULL, HOSTILE, NOTHING, with_classes

PLOTS = [
    localization_metrics_plot,
    localization_per_class_plot,
    per_class_f1_plot,
    main_metrics_plot,
    fp_breakdown_plot,
]


@pytest.fixture(autouse=True)
def strict():
    """Without matplotlib there is nothing to test; a warning is an error."""
    pytest.importorskip("matplotlib.figure")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def png(plot, methods):
    return charts.file_of(plot(methods), "png")


@cache
def both(plot):
    """The file of two methods."""
    return png(plot, BOTH)


def panels(figure):
    """The axes that bars are drawn into."""
    [board] = figure.axes
    return board.child_axes


def texts(figure):
    return [text.get_text() for text in (*figure.texts, *figure.axes[0].texts)]


def bars(axes):
    """Length and colour of each bar, from top to bottom."""
    from matplotlib.colors import to_hex

    return [(round(bar.get_width(), 6), to_hex(bar.get_facecolor())) for bar in axes.patches]


def intervals(axes):
    return [list(line.get_xdata()) for line in axes.lines if line.get_color() == palette.INK]


def ends(axes):
    return axes.get_xlim()[1]


BLUE, AMBER = palette.METHODS[:2]


# What is seen


def test_localisation_has_a_panel_a_metric_and_a_bar_a_method():
    page = localization_metrics_plot({"ours": FULL, "again": FULL})
    found = [bars(axes) for axes in panels(page)]
    lengths = [0.5, 1.0, 0.6, 0.3, 0.375, 0.75, 0.75]
    assert found == [[(length, BLUE), (length, AMBER)] for length in lengths]
    titles = ["strict accuracy", "relaxed accuracy", "mean IoU", "centroid error"]
    titles += ["strict precision", "relaxed precision", "F1 relaxed"]
    assert [text for text in texts(page) if text in titles] == titles
    assert texts(page).count("ours") == texts(page).count("again") == 2  # once a line of panels
    assert texts(page).count("0.375") == 2


def test_rates_share_one_scale_and_metres_have_their_own():
    axes = panels(localization_metrics_plot(BOTH))
    assert [ends(each) for each in axes] == [1, 1, 1, 0.5, 1, 1, 1]  # the interval of the error ends at 0.45


def test_intervals_are_lines_over_the_bars():
    page = localization_metrics_plot({"ours": FULL})
    assert intervals(panels(page)[0]) == [[0.25, 0.75]]
    assert intervals(panels(page)[1]) == []
    assert intervals(panels(page)[3]) == [[0.2, 0.45]]
    assert any("95 % intervals" in text for text in texts(page))
    assert not any("95 %" in text for text in texts(localization_metrics_plot({"theirs": NOTHING})))


def test_undefined_is_a_dash_without_a_bar_and_zero_is_a_number():
    page = localization_metrics_plot(BOTH)
    assert [len(axes.patches) for axes in panels(page)] == [1, 1, 1, 1, 2, 2, 1]
    assert texts(page).count("—") == 5
    assert texts(page).count("0.000") == 2


def test_main_metrics_show_the_open_set_and_average_precision_where_there_are_any():
    page = main_metrics_plot(BOTH)
    assert [bars(axes)[0] for axes in panels(page)] == [
        (length, BLUE) for length in (0.75, 0.6, 0.666667, 0.5, 0.75, 0.6, 0.5, 0.25, 0.125)
    ]
    assert {"open-set recall", "open-set F1", "AP at IoU 0.25", "AP at 0.5 m"} <= set(texts(page))
    assert intervals(panels(page)[0]) == [[0.5, 0.9]]
    assert len(panels(main_metrics_plot({"theirs": NOTHING}))) == 3


def test_by_class_shows_the_mean_over_classes_then_each_class():
    page = localization_per_class_plot(BOTH)
    #   ours: mean, then seat (6 objects); door (2 objects) has nothing matched; theirs has no class
    assert [bars(axes) for axes in panels(page)] == [
        [(x, BLUE), (y, BLUE)] for x, y in ((0.5, 0.5), (1, 1), (0.7, 0.7), (0.25, 0.25))
    ]
    names = [text for text in texts(page) if text in ("ours", "theirs", "seat", "door")]
    assert names == ["ours", "theirs", "seat", "door"]
    assert texts(page).count("—") == 4 * (1 + 1 + 2)


def test_of_very_many_classes_the_commonest_are_shown_and_the_rest_is_counted():
    page = localization_per_class_plot({f"method {k}": with_classes(200) for k in range(8)})
    shown = [text for text in texts(page) if text.startswith("class 1")]
    assert shown == [f"class {k}" for k in range(199, 179, -1)]  # 160 bars for 8 methods
    assert any("the 20 classes with the most objects of 200" in text for text in texts(page))
    alone = localization_per_class_plot({"a": with_classes(200)})
    assert sum(text.startswith("class ") for text in texts(alone)) == 40 + 1  # and the words "class by class"


def test_false_positives_are_stacked_by_cause_and_all_counts_are_written():
    ours = FULL | {"fp_breakdown": dict(zip(CAUSES, (1, 2, 30, 4, 1234), strict=True))}
    page = fp_breakdown_plot({"ours": ours, "theirs": NOTHING})
    [axes] = panels(page)
    starts = [bar.get_x() for bar in axes.patches]
    assert starts == [0, 1, 3, 33, 37, 0, 0, 2, 2, 2]
    colours = list(palette.FALSE_POSITIVE_COLOURS.values())
    assert bars(axes) == list(zip((1, 2, 30, 4, 1234, 0, 2, 0, 0, 0), colours * 2, strict=True))
    found = texts(page)
    assert found[found.index("no\noverlap") :][:3] == ["no\noverlap", "2", "2"]
    assert found[-3:] == ["all", "1,271", "2"]
    assert ends(axes) == 1600


def test_causes_not_known_by_name_have_a_place_too():
    page = fp_breakdown_plot({"ours": FULL | {"fp_breakdown": {"haste": 3, "low_iou": 1}}})
    assert [width for width, _ in bars(panels(page)[0])] == [1, 3]
    assert {"low\nIoU", "haste"} <= set(texts(page))


def test_a_method_has_one_colour_in_all_pictures():
    methods = {f"method {k}": FULL for k in range(8)}
    for plot in PLOTS[:3]:
        found = [colour for _, colour in bars(panels(plot(methods))[0])[:8]]
        assert found == list(palette.METHODS)


def test_very_many_methods_are_cut_and_that_is_said():
    methods = {f"method {k}": with_classes(60 if share() == 1 else 3) for k in range(30)}
    for plot in PLOTS:
        page = plot(methods)
        assert any("the first 24 of 30 methods" in text for text in texts(page)), plot
        assert not any("…" in text for text in texts(page))  # all of it can be read
        assert "method 24" not in texts(page)


def test_pictures_have_the_width_of_a_page():
    for plot in PLOTS:
        assert struct.unpack(">I", both(plot)[16:20]) == (1296,)  # 9 inches at 144 dots


def test_an_axis_ends_at_a_round_number_not_far_off():
    assert [round_end(most) for most in (1, 0.45, 1e-3, 9, 11, 13)] == [1, 0.5, 1e-3, 10, 12, 16]


@pytest.mark.parametrize("plot", PLOTS)
@pytest.mark.parametrize(
    "methods",
    [
        {},
        {"a": NOTHING | {"fp_breakdown": {}}},
        {"a": FULL | {"fp_breakdown": dict.fromkeys(CAUSES, 0), "per_class": {}}},
    ],
    ids=["no methods", "no causes", "no false positives"],
)
def test_anything_can_be_drawn(plot, methods):
    assert png(plot, methods)[:4] == b"\x89PNG"


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("colours", [palette.METHODS, [palette.MATCHED, *palette.FALSE_POSITIVE_COLOURS.values()]])
def test_colours_differ_for_every_eye(eye, colours):
    places = [lab(colour, eye) for colour in colours]
    apart = [sum((a - b) ** 2 for a, b in zip(*pair, strict=True)) ** 0.5 for pair in itertools.combinations(places, 2)]
    assert min(apart) > 18  # 2.3 is a difference just noticed


# Foreign text


@pytest.mark.parametrize("plot", PLOTS)
def test_trap_37_names_are_text_and_nothing_else(plot):
    classes = FULL | {"per_class": dict.fromkeys(HOSTILE, FULL["per_class"]["seat"])}
    of_methods, of_classes = texts(plot(dict.fromkeys(HOSTILE, FULL))), texts(plot({"ours": classes}))
    for name in HOSTILE:
        assert spelled(name) in of_methods
        assert spelled(name) in of_classes or plot not in (localization_per_class_plot, per_class_f1_plot)


def spelled(name):
    text = name.replace("\n", "\\x0a").replace("\t", "\\x09").replace("\x1b", "\\x1b").replace("\ud800", "\\ud800")
    return text.replace("城市😀", "\\u57ce\\u5e02😀") or "(no name)"  # the font has that face


def test_long_names_lose_their_middle_and_leave_room():
    page = localization_metrics_plot({"first" + "W" * 300 + "last": FULL})
    [name, _] = [text for text in texts(page) if "…" in text]
    assert re.fullmatch("firstW+…W+last", name)
    charts.file_of(page, "png")  # only then panels have their place
    assert panels(page)[0].get_window_extent().width > 2 * 60  # two pixels a point


# The same bytes


@pytest.mark.parametrize("plot", PLOTS)
def test_a_picture_does_not_say_when_or_by_what_it_was_made(plot):
    assert not re.search(rb"matplotlib|software|creator|date", both(plot), re.IGNORECASE)


@pytest.mark.parametrize("plot", PLOTS)
def test_without_matplotlib_the_message_says_how_to_get_it(plot, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ConfigError, match=re.escape("pictures need matplotlib: pip install 'calipers[plots]'")):
        plot(BOTH)


def test_importing_the_modules_does_not_load_matplotlib():
    program = (
        "import sys, calipers.suites.scene.plots, calipers.suites.scene.overlay; print('matplotlib' in sys.modules)"
    )
    env = os.environ | {"PYTHONPATH": str(Path(calipers.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
    assert done.stdout == "False\n"
