"""Labels of cases: written once a record, and read as they are written today and as they were before."""

import json

import pytest

import calipers
from calipers.show.folder import write_folder
from calipers.show.page.build import result_page
from calipers.suites.dense.case_labels import CaseLabel, coded_labels, side_labels

from .records import box, record

TREE = "螺丝、光纤插头/BBU安装螺丝"


def spelled_out(case):
    """A case as earlier versions wrote it."""
    sides = {side: side_labels(case, side) for side in ("gt", "pred")}
    named = {
        side: {"phase": [label.phase for label in labels], "category": [label.category for label in labels]}
        for side, labels in sides.items()
    }
    matched = [
        {**pair, "gt": pair["gt"] | {"desc": "类别=甲"}, "pred": pair["pred"] | {"desc": "类别=甲"}}
        for pair in case["matched"]
    ]
    return case | {"matched": matched, "labels": named, "unmatched": case["unmatched"]}


@pytest.fixture
def folder(tmp_path, without_plots):
    truth = [box(0, 0, 90, 90), box(100, 100, 200, 200, TREE), box(500, 500, 600, 600, "")]
    pred = [box(0, 0, 90, 90), box(100, 100, 200, 190, "类别=乙")]
    (tmp_path / "dump.jsonl").write_text(json.dumps(record(truth, pred, id="a")) + "\n", encoding="utf-8")
    write_folder(str(tmp_path / "out"), calipers.dense(str(tmp_path / "dump.jsonl"), bootstrap=0))
    return tmp_path / "out"


def test_what_is_written_is_read():
    gt, pred = [CaseLabel("甲", "甲"), CaseLabel("", "")], [CaseLabel("螺丝", "BBU安装螺丝"), CaseLabel("甲", "甲")]
    case = {"labels": coded_labels(gt, pred)}
    assert side_labels(case, "gt") == gt
    assert side_labels(case, "pred") == pred
    assert side_labels(spelled_out(case | {"matched": [], "unmatched": 0}), "pred") == pred
    assert len(case["labels"]["names"]) == 3


def test_the_page_of_an_older_folder_is_the_same(folder):
    cases = folder / "cases.jsonl"
    page = result_page(str(folder))
    (case,) = map(json.loads, cases.read_text(encoding="utf-8").splitlines())
    assert case["labels"]["names"] == ["甲", ["螺丝、光纤插头", "BBU安装螺丝"], "", "乙"]
    cases.write_text(json.dumps(spelled_out(case), ensure_ascii=False) + "\n", encoding="utf-8")
    assert result_page(str(folder)) == page


def test_a_case_whose_codes_have_no_name_is_an_error_that_names_the_file(folder):
    cases = folder / "cases.jsonl"
    case = json.loads(cases.read_text(encoding="utf-8"))
    case["labels"]["names"] = []
    cases.write_text(json.dumps(case) + "\n", encoding="utf-8")
    with pytest.raises(calipers.InputError) as error:
        result_page(str(folder))
    assert "cases.jsonl" in str(error.value)
