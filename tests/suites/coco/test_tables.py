"""Tables of detections: every number under its name, and names that a spreadsheet leaves alone."""

import csv
import io

import pytest

from calipers.show.tables import csv_table
from calipers.suites.coco.tables import confusion_table, curves_csv, curves_table, per_class_table

from ...contracts.test_work import each_takes
from .coco_trees import HOSTILE, TREES, tree, without_order

TABLES = [per_class_table, confusion_table, curves_table]


def lines(table, result):
    return csv_table(*table(result)).decode("utf-8").splitlines()


def test_every_class_has_a_row_in_the_order_of_ids():
    assert lines(per_class_table, tree(["car", "cone"])) == [
        "category_id,name,gt,pred,AP,AP_50,AR,precision_at_recall,precision_at_target,best_score,best_f1",
        "1,car,20,40,0.5,0.75,,0.25,0.5,0.5,0.625",
        "2,cone,10,20,0.25,0.375,,0.125,0.25,0.5,0.3125",
    ]


def test_what_is_undefined_is_an_empty_cell():
    assert lines(per_class_table, without_order(names=["car"]))[1] == "1,car,10,20,,,,,,,"


def test_confusion_is_in_long_form_with_what_has_no_partner():
    #   car 20: 10 found, 1 taken for a cone, 9 missed; cone 10: 5 found, 2 taken for a car, 4 missed
    assert lines(confusion_table, tree(["car", "cone"])) == [
        "gt,pred,n,kind",
        "car,car,10,matched",
        "car,cone,1,confused",
        "cone,cone,5,matched",
        "cone,car,2,confused",
        "car,,9,missed",
        "cone,,4,missed",
        ",car,10,background",
        ",cone,5,background",
    ]


def test_a_class_may_be_called_background():
    rows = confusion_table(tree(["background"]))[1]
    assert [(row["gt"], row["pred"], row["kind"]) for row in rows] == [
        ("background", "background", "matched"),
        ("background", None, "missed"),
        (None, "background", "background"),
    ]


@pytest.mark.parametrize(
    "names", [["car", "cone"], ["a,b", '"', "=1+1", "a\rb", "a\nb", " ", "猫", "\ud800"], []], ids=str
)
def test_curves_written_at_once_are_those_of_the_rows(names):
    assert curves_csv(tree(names)) == csv_table(*curves_table(tree(names)))


def test_few_calls_write_the_curve_of_a_class_that_is_like_others():
    some = tree(["car"])["curves"]["car"]
    each_takes(lambda count: lambda: curves_csv({"curves": {f"c{k}": some for k in range(count)}}), 30)


def test_curves_have_a_row_for_each_step_of_recall():
    found = lines(curves_table, tree(["car", "cone"]))
    assert len(found) == 1 + 2 * 101
    assert found[:3] == ["class,recall,precision", "car,0.0,1.0", "car,0.01,0.995"]
    assert found[-1] == "cone,1.0,0.0"
    assert lines(curves_table, without_order()) == ["class,recall,precision"]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", TREES)
def test_trap_38_cells_are_text_and_come_back_as_they_were(table, name):
    columns, rows = table(TREES[name])
    text = csv_table(columns, rows).decode("utf-8")
    back = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(back) == len(rows)
    assert not any(str(cell).startswith(("=", "+", "@", "\t", "\r")) for row in back for cell in row.values())


def test_trap_38_a_name_like_a_formula_begins_with_an_apostrophe():
    for table in TABLES:
        found = "\n".join(lines(table, tree(HOSTILE[:1])))
        assert "'=HYPERLINK(1)" in found
        assert ",=" not in found
