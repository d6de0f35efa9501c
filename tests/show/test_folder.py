"""What `-o` puts into a folder: the artifact, every object with its partner, and every record that went wrong."""

import csv
import io
import json
import os

import pytest

import calipers
from calipers.show.folder import open_folder
from calipers.suite import suite_of
from calipers.suites.dense.config import Config
from calipers.suites.dense.evaluate import evaluate
from calipers.suites.dense.rows import match_columns

from ..profiles import size

pytestmark = pytest.mark.usefixtures("blank_plots")


def box(x1, y1, x2, y2, label, **changes):
    return {"type": "bbox_2d", "points": [x1, y1, x2, y2], "desc": f"类别={label}"} | changes


CUT = box(0, 0, 9, 0, "a", points=[1, 2, 3])

#   gt 0 |----a----|   gt 1 |----b----|          gt 2: a line over the image
#   p 0  |----a----|   p 2  |----c----|   p 4 |-|
#   p 1  |---a---|     p 3  |-b-|
MIXED = {
    "image_path": "site/一.jpg",
    "width": 640,
    "raw_text": "as the\nmodel wrote it",
    "score": None,
    "gt_norm1000": [
        box(0, 0, 100, 100, "a"),
        box(200, 0, 300, 100, "b"),
        {"type": "line", "points": [0, 500, 1000, 500], "desc": "光纤/有遮挡"},
    ],
    "pred": [
        box(0, 0, 100, 100, "a"),
        box(0, 0, 100, 80, "a"),  # a second a
        box(200, 0, 300, 100, "c"),  # b under another name
        box(200, 0, 230, 100, "b"),  # 0.3 of b
        box(900, 900, 950, 950, "a"),  # nothing there
        CUT,
    ],
}
PERFECT = {"id": 7, "gt_norm1000": [box(0, 0, 9, 9, "a")], "pred": [box(0, 0, 9, 9, "a")]}
EMPTY = {"id": 8, "gt_norm1000": [], "pred": []}
NAMELESS = {"gt_norm1000": [], "pred": [5], "gt": "not wanted twice"}
RECORDS = [MIXED, PERFECT, EMPTY, NAMELESS]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Writes the records' folder with some options, and returns the content of its files."""
    monkeypatch.chdir(tmp_path)

    def write(records=RECORDS, **options):
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (tmp_path / "dump.jsonl").write_text("".join(lines), encoding="utf-8")
        config = Config(**options)
        with open_folder("out", suite_of("dense"), match_columns({"modes": config.modes}), "csv") as opened:
            opened.finish(evaluate(["dump.jsonl"], config, on_rows=opened.add_rows))
        return {name: (tmp_path / "out" / name).read_bytes() for name in os.listdir("out")}

    return write


def cases_of(files):
    return [json.loads(line) for line in files["cases.jsonl"].splitlines()]


def matches_of(files):
    return list(csv.DictReader(io.StringIO(files["matches.csv"].decode("utf-8"), newline="")))


def test_the_folder_holds_all_files(folder):
    pytest.importorskip("matplotlib")
    files = folder()
    assert sorted(files) == [
        "cases.jsonl",
        "confusion.csv",
        "errors.csv",
        "errors.png",
        "errors_by_label.csv",
        "labels.csv",
        "labels.png",
        "labels.svg",
        "matches.csv",
        "report.html",
        "result.json",
        "thresholds.csv",
        "thresholds.png",
        "types.csv",
    ]
    assert files["result.json"] == calipers.dense("dump.jsonl").to_json()


def test_a_report_without_labels_or_records_is_drawn_too(folder):
    pytest.importorskip("matplotlib")
    for records in ([EMPTY], [{"gt_norm1000": [], "pred": [5]}]):
        files = folder(records)
        assert {"errors.png", "thresholds.png"} <= set(files)


# ---------------------------------------------------------------- cases


def test_a_case_is_a_record_with_a_miss_or_a_false_positive(folder):
    assert [(case["key"], case["path"], case["line"]) for case in cases_of(folder())] == [
        ("site/一.jpg", "dump.jsonl", 1),
        ("dump.jsonl:4", "dump.jsonl", 4),
    ]


def test_a_case_carries_all_other_fields_of_its_record(folder):
    first, second = cases_of(folder())
    assert first["fields"] == {
        "image_path": "site/一.jpg",
        "width": 640,
        "raw_text": "as the\nmodel wrote it",
        "score": None,
    }
    assert second["fields"] == {}


def test_a_case_lists_the_ground_truth_without_a_partner_and_its_best_candidate(folder):
    best = {"index": 2, "overlap": 1.0}
    assert cases_of(folder())[0]["unmatched_gt"] == [
        {"index": 1, "object": MIXED["gt_norm1000"][1], "cause": "wrong_label", "partner": best, "best": best},
        {"index": 2, "object": MIXED["gt_norm1000"][2], "cause": "missed", "partner": None, "best": None},
    ]


def test_a_case_has_its_pairs_too_so_that_it_can_be_drawn_whole(folder):
    gt, pred = (
        {"index": 0, "type": side[0]["type"], "points": side[0]["points"]}
        for side in (MIXED["gt_norm1000"], MIXED["pred"])
    )
    assert cases_of(folder())[0]["matched"] == [{"gt": gt, "pred": pred, "overlap": 1.0}]


def test_a_case_says_what_every_object_is_called(folder):
    labels = cases_of(folder())[0]["labels"]
    assert labels == {"names": ["a", "b", "光纤", "c"], "gt": [0, 1, 2], "pred": [0, 0, 3, 1, 0, 0]}


def test_the_last_thing_a_case_says_is_how_many_are_unmatched(folder):
    lines = folder()["cases.jsonl"].splitlines()
    assert [line.rpartition(b",")[2] for line in lines] == [b'"unmatched":7}', b'"unmatched":1}']


def test_a_case_lists_the_predictions_without_a_partner_with_cause_and_reason(folder):
    pred = MIXED["pred"]
    reason, b = "points: 3 numbers, expected 4 for a bbox_2d", {"index": 1, "overlap": 1.0}
    assert cases_of(folder())[0]["unmatched_pred"] == [
        {"index": 1, "object": pred[1], "cause": "duplicate", "partner": None, "best": {"index": 0, "overlap": 0.8}},
        {"index": 2, "object": pred[2], "cause": "wrong_label", "partner": b, "best": b},
        {"index": 3, "object": pred[3], "cause": "spurious", "partner": None, "best": {"index": 1, "overlap": 0.3}},
        {"index": 4, "object": pred[4], "cause": "spurious", "partner": None, "best": None},
        {"index": 5, "object": pred[5], "cause": "spurious", "invalid": reason, "partner": None, "best": None},
    ]


def test_a_prediction_that_is_no_object_is_listed_as_it_came(folder):
    reason = "not an object, expected {type, points, desc}"
    assert cases_of(folder())[1]["unmatched_pred"] == [
        {"index": 0, "object": 5, "cause": "spurious", "invalid": reason, "partner": None, "best": None}
    ]


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (None, "not an object, expected {type, points, desc}"),
        ({}, "type: missing, expected bbox_2d or poly or line"),
        (box(0, 0, 9, 9, "a", type="box"), "type: expected bbox_2d or poly or line"),
        ({"type": "line", "desc": "a"}, "points: missing, expected [x1, y1, x2, y2, …]"),
        (box(0, 0, 9, 9, "a", points=["0", 0, 9, 9]), "points: expected numbers only"),
        (
            box(0, 0, 9, 9, "a", points=[0, 0, 9, float("nan")]),
            "points: a number is not finite, expected finite numbers",
        ),
        (box(0, 0, 9, 9, "a", type="poly", points=[0] * 5), "points: 5 numbers, expected pairs of x and y for a poly"),
        (box(0, 0, 9, 9, "a", type="line", points=[0, 0]), "points: 2 numbers, expected at least 2 points for a line"),
    ],
)
def test_every_invalid_prediction_is_listed_with_the_reason_in_both_files(folder, item, reason):
    files = folder([{"id": "x", "gt_norm1000": [], "pred": [item]}])
    assert cases_of(files)[0]["unmatched_pred"][0]["invalid"] == reason
    assert matches_of(files)[0]["invalid"] == reason
    assert matches_of(files)[0]["cause"] == "spurious"


def test_the_numbers_of_causes_are_those_of_the_artifact(folder):
    files = folder()
    errors = json.loads(files["result.json"])["errors"]
    listed = [entry["cause"] for case in cases_of(files) for entry in case["unmatched_gt"] + case["unmatched_pred"]]
    # c has taken b, so that the small b is one of nothing; of an error of two objects both are listed
    alone = {"duplicate": 1, "spurious": 4, "missed": 1}
    assert errors == {"matched": 2, "wrong_label": 1, "misplaced": 0, "wrong_label_and_place": 0} | alone
    assert {cause: listed.count(cause) for cause in errors} == errors | {"matched": 0, "wrong_label": 2}


def test_at_a_lower_threshold_fewer_objects_are_unmatched(folder):
    first, _ = cases_of(folder(primary_threshold=0.3))  # p 3 meets b, since 0.3 is enough
    assert [entry["index"] for entry in first["unmatched_gt"]] == [2]
    assert [entry["index"] for entry in first["unmatched_pred"]] == [1, 2, 4, 5]


def test_cases_are_those_of_category_mode_whatever_modes_are_reported(folder):
    assert cases_of(folder(modes="localization")) == cases_of(folder())


def test_cases_come_in_the_order_of_the_records_whatever_the_number_of_processes(tmp_path, monkeypatch, folder):
    count = size(600)
    records = [MIXED | {"image_path": f"{number}.jpg"} for number in range(count)]
    expected = folder(records)
    assert [case["key"] for case in cases_of(expected)] == [f"{number}.jpg" for number in range(count)]
    assert folder(records, jobs=2, chunk_bytes=1000) == expected


def test_fields_that_json_has_no_word_for_do_not_spoil_the_file(folder, tmp_path):
    folder()
    line = '{"gt_norm1000": [], "pred": [1], "a": NaN, "b": -Infinity, "c": %s, "d": "\\u2028"}\n' % ("9" * 50)
    (tmp_path / "dump.jsonl").write_text(line)
    config = Config()
    with open_folder("out", suite_of("dense"), match_columns({"modes": config.modes}), "csv") as opened:
        opened.finish(evaluate("dump.jsonl", config, on_rows=opened.add_rows))
    case = json.loads((tmp_path / "out/cases.jsonl").read_bytes(), parse_constant=lambda name: pytest.fail(name))
    assert (case["fields"]["a"], case["fields"]["b"], case["fields"]["d"]) == (None, None, "\u2028")
    assert float(case["fields"]["c"]) == 1e50


# ---------------------------------------------------------------- matches


def test_every_object_of_every_record_has_a_row(folder):
    rows = matches_of(folder())
    assert [(row["key"], row["side"], row["index"]) for row in rows] == [
        *(("site/一.jpg", "gt", str(index)) for index in range(3)),
        *(("site/一.jpg", "pred", str(index)) for index in range(6)),
        ("7", "gt", "0"),
        ("7", "pred", "0"),
        ("dump.jsonl:4", "pred", "0"),
    ]


def test_a_row_names_type_labels_partner_overlap_and_cause(folder):
    header, *rows = folder()["matches.csv"].decode("utf-8").splitlines()
    assert header.split(",")[:8] == ["key", "side", "index", "type", "phase", "category", "points", "invalid"]
    assert header.split(",")[8:12] == ["localization_partner", "localization_overlap", "phase_partner", "phase_overlap"]
    assert header.split(",")[12:] == ["category_partner", "category_overlap", "cause"]
    assert rows[:9] == [
        "site/一.jpg,gt,0,bbox_2d,a,a,0 0 100 100,,0,1.0,0,1.0,0,1.0,matched",
        "site/一.jpg,gt,1,bbox_2d,b,b,200 0 300 100,,2,1.0,,,,,wrong_label",
        "site/一.jpg,gt,2,line,光纤,光纤,0 500 1000 500,,,,,,,,missed",
        "site/一.jpg,pred,0,bbox_2d,a,a,0 0 100 100,,0,1.0,0,1.0,0,1.0,matched",
        "site/一.jpg,pred,1,bbox_2d,a,a,0 0 100 80,,,,,,,,duplicate",
        "site/一.jpg,pred,2,bbox_2d,c,c,200 0 300 100,,1,1.0,,,,,wrong_label",
        "site/一.jpg,pred,3,bbox_2d,b,b,200 0 230 100,,,,,,,,spurious",
        "site/一.jpg,pred,4,bbox_2d,a,a,900 900 950 950,,,,,,,,spurious",
        'site/一.jpg,pred,5,bbox_2d,a,a,,"points: 3 numbers, expected 4 for a bbox_2d",,,,,,,spurious',
    ]


def test_partners_point_at_each_other(folder):
    rows = {(row["key"], row["side"], row["index"]): row for row in matches_of(folder(primary_threshold=0.25))}
    for (key, side, index), row in rows.items():
        for mode in ("localization", "phase", "category"):
            if row[f"{mode}_partner"]:
                other = rows[key, "pred" if side == "gt" else "gt", row[f"{mode}_partner"]]
                assert other[f"{mode}_partner"] == index
                assert other[f"{mode}_overlap"] == row[f"{mode}_overlap"]


def test_rows_add_up_to_the_numbers_of_the_artifact(folder):
    files = folder()
    tree, rows = json.loads(files["result.json"]), matches_of(files)
    for side in ("gt", "pred"):
        ours = [row for row in rows if row["side"] == side]
        assert len(ours) == tree["objects"][side]
        for mode, found in tree["modes"].items():
            assert sum(1 for row in ours if row[f"{mode}_partner"]) == found["primary"]["matched"]
    assert sum(1 for row in rows if row["invalid"]) == tree["objects"]["invalid_pred"]


def test_only_the_modes_asked_for_have_columns(folder):
    header = folder(modes="phase")["matches.csv"].decode("utf-8").splitlines()[0]
    assert header == "key,side,index,type,phase,category,points,invalid,phase_partner,phase_overlap,cause"


def test_the_rows_of_a_report_are_those_of_the_file(folder):
    files = folder()
    rows = calipers.dense("dump.jsonl").matches()
    as_text = [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows]
    assert as_text == matches_of(files)
    by_records = calipers.dense(RECORDS).matches()
    assert [row | {"key": ""} for row in by_records] == [row | {"key": ""} for row in rows]


def test_the_callers_records_are_left_alone():
    records = json.loads(json.dumps(RECORDS))
    report = calipers.dense(records)
    report.matches()
    assert records == RECORDS


# ---------------------------------------------------------------- failing


def interrupted(path, action):
    """Open a folder, do something, and break off."""
    with open_folder(str(path), suite_of("dense"), ["a"], "csv") as opened:
        action(opened)
        raise KeyboardInterrupt


def test_a_failing_run_removes_the_folders_it_made_and_no_other(tmp_path):
    (tmp_path / "there").mkdir()
    for path in (tmp_path / "new" / "deep", tmp_path / "there" / "new", tmp_path / "there"):
        with pytest.raises(KeyboardInterrupt):
            interrupted(path, lambda opened: opened.add_rows([{"a": 1}], [b"{}\n"]))
    assert os.listdir(tmp_path) == ["there"]
    assert os.listdir(tmp_path / "there") == []


def test_a_failing_run_leaves_what_others_put_into_its_folder(tmp_path):
    path = tmp_path / "new"
    with pytest.raises(KeyboardInterrupt):
        interrupted(path, lambda opened: (path / "note.txt").write_text("mine"))
    assert os.listdir(path) == ["note.txt"]
