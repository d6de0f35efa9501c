"""The page of a ranking: a dot chart for each figure, the history marked, and every number in a table."""

import pytest

import calipers
from calipers.show.page import sections as made

from .reading import column, data_of, section, titles

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}


def model(missed):
    records = [{"id": str(k), "gt_norm1000": [BOX], "pred": [BOX] * (k not in missed)} for k in range(60)]
    return calipers.dense(records, modes="category")


@pytest.fixture(scope="module")
def models():
    return {"base": model(range(6)), "tuned": model(range(1, 6)), "small": model(range(30))}


def test_a_chart_for_each_figure_and_a_table(models):
    data = data_of(calipers.rank(models, figure=["recall", "f1"]).to_html())
    assert (data["title"], data["suite"]) == ("base, tuned, small", "rank · dense")
    assert titles(data) == ["category recall", "category f1", "All numbers"]
    rows = section(data, "category recall")["rows"]
    # who cannot be told from the best is filled
    assert [(row["name"], row["value"], row["group"], row.get("top", False)) for row in rows] == [
        ("tuned", 0.9166667, "a", True),
        ("base", 0.9, "a", True),
        ("small", 0.5, "b", False),
    ]
    assert all(row["interval"][0] <= row["value"] <= row["interval"][1] for row in rows)
    assert column(data, "All numbers", "result") == ["tuned", "base", "small"] * 2


def test_a_history_marks_the_first_change_that_is_sure(models):
    data = data_of(calipers.rank(models, figure="recall", order="given", baseline="base").to_html())
    rows = section(data, "category recall")["rows"]
    assert [(row["name"], row.get("mark"), row.get("tone")) for row in rows] == [
        ("base", None, None),
        ("tuned", None, None),
        ("small", "worse than tuned", "wrong"),
    ]
    [line] = section(data, "First change that is sure")["lines"]
    assert line.startswith("category recall: small is worse than tuned, −0.417")
    assert column(data, "All numbers", "verdict") == [None, "cannot tell", "worse"]
    assert ["baseline", "base"] in data["facts"]


def test_many_results_are_counted_in_the_title(models):
    many = {f"m{k}": models["base"] for k in range(30)}
    assert data_of(calipers.rank(many, figure="f1").to_html())["title"] == "m0, m1, m2 and 27 more"


def test_an_undefined_value_has_a_row():
    row = made.dot("a", None)
    assert row == {"name": "a", "value": None, "interval": None, "group": None}
