"""Tables of a result by name: rows that are all alike, in files that nothing breaks out of, and as dataframes."""

import csv
import io
import sys

import pytest

from calipers.core.errors import ConfigError
from calipers.report import Report
from calipers.show.report_tables import table_names, write_table

from .sample_reports import SUITES, hostile, hostile_names, report, tree

NAMES = {
    "dense": ["summary", "thresholds", "types", "labels", "errors", "label_errors", "confusion", "attributes"],
    "timeline": ["summary", "videos", "tolerances", "confusion", "frame_errors", "calibration", "operating_points"],
    "scene": [
        *("summary", "methods", "classes", "scenes", "errors", "label_errors", "false_positives"),
        *("calibration", "operating_points"),
    ],
    "coco": [
        *("summary", "classes", "thresholds", "errors", "label_errors", "ap_worth", "confusion", "curves"),
        *("calibration", "operating_points"),
    ],
}
ALL = [(suite, name) for suite, names in NAMES.items() for name in names]


@pytest.mark.parametrize("suite", SUITES)
def test_the_tables_of_a_suite(suite):
    assert report(suite).tables() == NAMES[suite]
    assert report(suite).table() == report(suite).table("summary")


@pytest.mark.parametrize(("suite", "name"), ALL)
def test_all_rows_are_alike_and_an_artifact_has_the_same(suite, name):
    rows = report(suite).table(name)
    assert rows
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert all(value is None or isinstance(value, (str, int, float)) for row in rows for value in row.values())
    assert Report(tree(suite)).table(name) == rows


@pytest.mark.parametrize(("suite", "name"), ALL)
def test_rows_can_be_changed_without_changing_the_report(suite, name):
    before = report(suite).to_json()
    for row in report(suite).table(name):
        row.clear()
    assert report(suite).to_json() == before


def test_the_summary_has_intervals_and_counts():
    rows = {row["metric"]: row for row in report("dense").table()}
    category, f1 = tree("dense")["modes"]["category"], rows["category.f1"]
    assert (f1["value"], [f1["low"], f1["high"]]) == (category["primary"]["f1"], category["primary"]["interval"]["f1"])
    assert f1["n"] == 198


def test_labels_and_thresholds_are_those_of_every_mode():
    labels, thresholds = report("dense").table("labels"), report("dense").table("thresholds")
    assert {row["mode"] for row in labels} == {"phase", "category"}
    assert [row["iou"] for row in thresholds if row["mode"] == "category"] == tree("dense")["params"]["thresholds"]


def test_a_video_that_was_not_evaluated_has_a_row_that_says_why():
    rows = {row["video"]: row for row in report("timeline").table("videos")}
    assert len(rows) == 22
    assert rows["quarry_spur_0365.mp4"]["error"] == "empty_ground_truth"
    assert rows["quarry_spur_0365.mp4"]["frame_accuracy"] is None


def test_there_are_tolerances_only_in_a_sweep():
    assert [row["tolerance_frames"] for row in report("timeline").table("tolerances")] == [0, 5, 30]
    found = tree("timeline")
    del found["sweep"]
    assert "tolerances" not in table_names(found)


def test_an_artifact_of_one_method_has_the_same_tables():
    alone = Report(tree("scene")["methods"]["clio"])
    assert alone.table("methods")[0]["f1"] == report("scene").table("methods")[1]["f1"]
    assert {row["method"] for row in alone.table("classes")} == {"clio"}


def test_a_table_goes_by_the_name_of_its_file_too():
    for name, file in {"label_errors": "errors_by_label", "classes": "per_class"}.items():
        assert report("coco").table(file) == report("coco").table(name)
        assert report("coco").to_csv(file) == report("coco").to_csv(name)
    assert report("scene").table("summary") != report("scene").table("methods")  # whose file is summary.csv


def test_a_table_that_is_not_there_is_an_error_with_the_nearest_name():
    with pytest.raises(ConfigError, match="'label' is not a table of this dense result, did you mean 'labels'"):
        report("dense").table("label")
    with pytest.raises(ConfigError, match=r"known: summary, videos, tolerances, confusion"):
        report("timeline").to_csv("out.csv")
    with pytest.raises(ConfigError, match="format: found 'xlsx', expected one of csv, md, tex"):
        write_table(report("dense"), None, "xlsx")


# Files


@pytest.mark.parametrize(("suite", "name"), ALL)
def test_csv_reads_back(suite, name):
    rows = report(suite).table(name)
    lines = list(csv.DictReader(io.StringIO(report(suite).to_csv(name), newline="")))
    assert [list(line) for line in lines[:1]] == [list(rows[0])]
    assert [list(line.values()) for line in lines] == [
        ["" if value is None else str(value) for value in row.values()] for row in rows
    ]


@pytest.mark.parametrize("suite", SUITES)
def test_no_cell_of_a_csv_is_a_formula(suite):
    for name in [
        "=1+1",
        "+1",
        "-x",
        "@x",
        "\tx",
        "\rx",
        "\nx",
        "\x00x",
        "\x0bx",
        "\ufeffx",
        "＝1",
        "＋1",
        "－1",
        "＠x",
    ]:
        found = hostile(suite, name)
        for table in found.tables():
            cells = [cell for line in csv.reader(io.StringIO(found.to_csv(table), newline="")) for cell in line]
            assert not [cell for cell in cells if cell == name]


@pytest.mark.parametrize("format", ["csv", "md", "tex"])
def test_a_report_and_its_tree_give_the_same_file(format):  # noqa: A002
    for suite, name in ALL:
        assert write_table(report(suite), name, format) == write_table(tree(suite), name, format)


@pytest.mark.parametrize("suite", SUITES)
def test_hostile_names_can_be_written_in_every_format(suite):
    for name in hostile_names(suite):
        found = hostile(suite, name)
        assert all(write_table(found, table, kind) for table in found.tables() for kind in ("csv", "md", "tex"))
        assert found.flat("x/")


# Dataframes


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize(("suite", "name"), ALL)
def test_dataframes_have_the_columns_and_rows(suite, name, library):
    pytest.importorskip(library)
    rows, found = report(suite).table(name), getattr(report(suite), f"to_{library}")(name)
    assert (len(found), list(found.columns)) == (len(rows), list(rows[0]))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_dataframe_without_rows_still_has_columns(library):
    pytest.importorskip(library)
    found = tree("dense")
    found["modes"] = {"localization": found["modes"]["localization"]}
    frame = getattr(Report(found), f"to_{library}")("labels")
    assert list(frame.columns) == ["mode", "label", "gt", "pred", "matched", "precision", "recall", "f1"]


def test_pandas_takes_the_rows_as_they_are():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(report("dense").table("labels"))
    assert frame[frame["mode"] == "category"]["gt"].sum() == 1101


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_not_there_is_named(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ConfigError, match=f"to_{library}: needs {library}: pip install {library}"):
        getattr(report("dense"), f"to_{library}")("labels")
