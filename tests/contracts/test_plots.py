"""What every plot promises: it draws into axes of one's own or makes a page, gives the figure, and disturbs nothing."""

import ast
import inspect
import io
import struct
import subprocess
import sys
import warnings
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

import calipers
from calipers.core.errors import ConfigError
from calipers.show.charts import pieces as charts
from calipers.suites.coco import plots as coco_plots
from calipers.suites.dense import plots as dense_plots
from calipers.suites.scene import plots as scene_plots
from calipers.suites.timeline import plots as timeline_plots

from ..profiles import share
from ..show.sample_reports import tree

MODULES = {"dense": dense_plots, "timeline": timeline_plots, "scene": scene_plots, "coco": coco_plots}
PLOTS = {
    f"{suite}.{name}": (suite, plot)
    for suite, module in MODULES.items()
    for name, plot in vars(module).items()
    if name.endswith("_plot")
}
every_plot = pytest.mark.parametrize(("suite", "plot"), PLOTS.values(), ids=PLOTS)
LAST = dict(PLOTS.values()).values()  # of each suite
in_both_formats = pytest.mark.parametrize("kind", ["png", "svg"])


@pytest.fixture(autouse=True)
def strict():
    """Without matplotlib there is nothing to test; a warning is an error."""
    pytest.importorskip("matplotlib.figure")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def new_subject(suite):
    """What the plots of a suite are drawn from."""
    return tree(suite)["methods"] if suite == "scene" else tree(suite)


subject = cache(new_subject)  # for all tests, as plots leave it alone


@cache
def drawn_page(suite, plot, kind="png"):
    """A page to look at, made once."""
    return plot(subject(suite), format=kind)


def drawn_in(ax):
    """Everything in axes that is data, also in axes inside them."""
    own = [*ax.lines, *ax.patches, *ax.images, *ax.collections]
    return own + [each for inner in ax.child_axes for each in drawn_in(inner)]


def test_there_are_plots_of_every_suite():
    assert sorted(PLOTS) == [
        "coco.ap_per_class_plot",
        "coco.calibration_plot",
        "coco.confusion_plot",
        "coco.errors_plot",
        "coco.precision_recall_plot",
        "dense.errors_plot",
        "dense.labels_plot",
        "dense.thresholds_plot",
        "scene.calibration_plot",
        "scene.fp_breakdown_plot",
        "scene.localization_metrics_plot",
        "scene.localization_per_class_plot",
        "scene.main_metrics_plot",
        "scene.per_class_f1_plot",
        "timeline.calibration_plot",
        "timeline.confusion_plot",
        "timeline.frame_accuracy_plot",
        "timeline.frame_errors_plot",
        "timeline.tolerance_plot",
    ]


@every_plot
def test_all_are_called_alike_and_say_what_they_show(suite, plot):
    parameters = list(inspect.signature(plot).parameters.values())
    assert [each.name for each in parameters[1:]] == ["ax", "format"]
    assert [each.default for each in parameters[1:]] == [None, "png"]
    assert all(each.kind is each.KEYWORD_ONLY for each in parameters[1:])
    assert plot.__doc__


# Axes of one's own


@every_plot
@in_both_formats
def test_axes_that_are_given_are_drawn_into(suite, plot, kind):
    from matplotlib.figure import Figure

    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert plot(subject(suite), ax=right, format=kind) is figure
    assert figure.axes == [left, right]
    assert drawn_in(right)
    assert not drawn_in(left)
    assert figure.texts == []  # a heading is for a page; what is over these axes is theirs
    if kind == "png":  # in the other all characters stay, also those that the font lacks
        if plot in LAST or share() == 1:
            figure.savefig(io.BytesIO(), format="svg")
        else:
            figure.draw_without_rendering()  # everything has its place, and no file is made


@every_plot
def test_axes_in_a_part_of_a_figure_give_the_whole(suite, plot):
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    upper, _ = figure.subfigures(2)
    assert plot(subject(suite), ax=upper.subplots()) is figure
    if plot in LAST or share() == 1:
        figure.draw_without_rendering()


@every_plot
def test_a_title_and_a_size_of_ones_own_stay(suite, plot):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 5), dpi=90)
    ax = figure.subplots()
    ax.set_title("mine")
    plot(subject(suite), ax=ax)
    assert (ax.get_title(), figure.dpi, *figure.get_size_inches()) == ("mine", 90, 7, 5)


# A page


@every_plot
@in_both_formats
def test_without_axes_there_is_a_new_page_and_files_of_it_are_the_same_every_time(suite, plot, kind):
    """Twice as SVG, which has the place of everything; `test_everywhere.py` compares PNG of two processes."""
    from matplotlib.figure import Figure

    page = drawn_page(suite, plot, kind)
    assert isinstance(page, Figure)
    assert len(page.axes) == 1
    assert page.texts[0].get_text() == page.get_label()
    check_size(*page.canvas.get_width_height())
    if kind == "png" and plot not in LAST and share() < 1:  # files are made in one place
        return
    first = charts.file_of(page, kind)
    check_file(first, kind)
    if kind == "svg" or share() == 1:
        again = plot(subject(suite), format=kind)
        assert again is not page
        assert charts.file_of(again, kind) == first


def check_file(data, kind):
    """A file is what it says it is, and of a size to look at."""
    if kind == "svg":
        assert ElementTree.fromstring(data).tag == "{http://www.w3.org/2000/svg}svg"
    else:
        assert data.startswith(b"\x89PNG")
        check_size(*struct.unpack(">II", data[16:24]))


def check_size(wide, tall):
    """In pixels."""
    assert 500 < wide <= 2000
    assert tall < 4000


@every_plot
def test_axes_say_what_they_measure_and_the_page_has_a_title_and_n(suite, plot):
    figure = drawn_page(suite, plot)
    assert figure.get_label()
    words = [text.get_text() for text in figure.findobj(lambda part: hasattr(part, "get_text"))]
    for ax in (ax for ax in figure.axes if ax.axison):
        assert ax.get_xlabel()
        assert ax.get_ylabel() or [text for text in ax.get_yticklabels() if text.get_text()]
    assert [text for text in words if "n = " in text or text in ("n", "objects")]


@pytest.mark.parametrize(("suite", "name"), [("dense", "errors"), ("timeline", "frame_errors"), ("coco", "errors")])
def test_a_report_plots_what_a_folder_of_it_has(suite, name):
    module, report = MODULES[suite], calipers.Report(tree(suite))
    files = charts.files(name, getattr(module, f"{name}_plot"), report.tree)  # as `pictures` makes them
    assert files[f"{name}.png"] == charts.file_of(report.plot(name), "png")


@pytest.mark.parametrize(("suite", "plot"), PLOTS.values() if share() == 1 else dict(PLOTS.values()).items())
def test_a_page_is_saved_as_any_other_figure(suite, plot, tmp_path):
    """All pages are made in one place: a full run saves each of them, others one of each suite."""
    figure = plot(subject(suite))
    for kind in ("png", "svg", "pdf") if share() == 1 else ("pdf",):
        figure.savefig(tmp_path / f"plot.{kind}")
        assert (tmp_path / f"plot.{kind}").stat().st_size > 1000


@every_plot
def test_the_callers_tree_is_left_alone(suite, plot):
    assert drawn_page(suite, plot)
    assert subject(suite) == new_subject(suite)


@every_plot
@pytest.mark.parametrize("kind", ["pdf", "", None, "PNG"])
def test_another_format_is_refused(suite, plot, kind):
    with pytest.raises(ConfigError, match=r"format: found .*, expected png or svg"):
        plot(subject(suite), format=kind)


# The state of others


STATE = """
import json, sys
from calipers.show.charts import pieces as charts
from calipers.suites.coco import plots as coco_plots
from calipers.suites.dense import plots as dense_plots
from calipers.suites.scene import plots as scene_plots
from calipers.suites.timeline import plots as timeline_plots
given = json.load(sys.stdin)
import matplotlib
matplotlib.rcParams["font.size"] = 31
def settings():
    return {name: matplotlib.rcParams[name] for name in matplotlib.rcParams if name != "backend"}  # which loads pyplot
old = settings()
for module in (dense_plots, timeline_plots, scene_plots, coco_plots):
    plots = [plot for name, plot in vars(module).items() if name.endswith("_plot")]
    for plot in plots:
        for kind in sys.argv[2:]:
            page = plot(given[module.__name__.split(".")[-2] + "_plots"], format=kind)
            if sys.argv[1] == "all" or plot is plots[-1]:
                charts.file_of(page, kind)
print(settings() == old, "matplotlib.pyplot" in sys.modules)
"""


def test_settings_stay_and_pyplot_is_not_even_loaded():
    from calipers.files.output import to_json

    given = to_json({f"{suite}_plots": subject(suite) for suite in MODULES})
    env = {"PYTHONPATH": str(Path(calipers.__file__).parents[1]), "HOME": str(Path.home())}
    drawn = ["all", "png", "svg"] if share() == 1 else ["last", "png"]  # files are made in one place
    done = subprocess.run([sys.executable, "-c", STATE, *drawn], input=given, capture_output=True, env=env, check=True)
    assert done.stdout == b"True False\n"


def test_figures_of_the_caller_stay_open_and_the_current_one_stays_current():
    import matplotlib

    if matplotlib.get_backend().lower() != "agg":
        matplotlib.use("agg")
    from matplotlib import pyplot

    own, other = pyplot.figure(), pyplot.figure()
    try:
        for suite, plot in PLOTS.values():
            if plot in LAST or share() == 1:  # pages are made in one place
                plot(subject(suite))
            assert plot(subject(suite), ax=own.add_subplot()) is own
            own.clear()
        assert pyplot.get_fignums() == [own.number, other.number]
        assert pyplot.gcf() is other
        assert other.axes == []
    finally:
        pyplot.close(own)
        pyplot.close(other)


@pytest.mark.parametrize("module", [charts, *MODULES.values()], ids=lambda module: module.__name__)
def test_no_module_of_plots_names_pyplot(module):
    names = {node.id for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.Name)}
    assert not names & {"pyplot", "plt"}
