"""The folder of `calipers coco -o`: everything in it, together or not at all."""

import csv
import json
import os
import sys
from tempfile import TemporaryFile

import orjson
import pytest

import calipers
from calipers.core.errors import OutputError
from calipers.show.folder import write_folder
from calipers.show.tables import CsvTable, csv_table
from calipers.suites.coco.rows import COLUMNS

pytestmark = pytest.mark.usefixtures("blank_plots")
TABLES = ["cases.jsonl", "confusion.csv", "curves.csv", "errors.csv", "errors_by_label.csv", "matches.csv"]
TABLES += ["per_class.csv", "report.html", "result.json"]
TABLES = sorted([*TABLES, "ap_worth.csv", "calibration.csv", "operating_points.csv"])
PICTURES = ["precision_recall.png", "ap_per_class.png", "confusion.png", "errors.png", "calibration.png"]

#   image 1: a car found, a cone found badly; image 2: a car taken for a cone; image 3: a person nobody saw
TRUTH = {
    "images": [{"id": k, "file_name": f"{k}.jpg", "width": 100, "height": 100} for k in (1, 2, 3)],
    "categories": [{"id": 1, "name": "car"}, {"id": 2, "name": "=cone"}, {"id": 3, "name": "per\x1bson\n"}],
    "annotations": [
        {"id": 1, "image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0},
        {"id": 2, "image_id": 1, "category_id": 2, "bbox": [50, 50, 20, 20], "area": 400, "iscrowd": 0},
        {"id": 3, "image_id": 2, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0},
        {"id": 4, "image_id": 3, "category_id": 3, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0},
    ],
}
PRED = [
    {"image_id": 1, "category_id": 1, "bbox": [10, 10, 20, 20], "score": 0.9},
    {"image_id": 1, "category_id": 2, "bbox": [55, 50, 20, 20], "score": 0.8},  # overlap 300 / 500
    {"image_id": 2, "category_id": 2, "bbox": [10, 10, 20, 20], "score": 0.7},
]


def report(pred=PRED, **options):
    return calipers.coco(TRUTH, pred, **({"bootstrap": 10} | options))


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def drawn():
    pytest.importorskip("matplotlib")


def test_the_folder_has_the_artifact_tables_and_plots(tmp_path, drawn):
    result = report()
    assert write_folder(str(tmp_path / "new" / "out"), result) == []
    out = tmp_path / "new" / "out"
    assert sorted(os.listdir(out)) == sorted([*TABLES, *PICTURES])
    assert (out / "result.json").read_bytes() == result.to_json()
    assert all((out / name).read_bytes()[:4] == b"\x89PNG" for name in PICTURES)


def test_matches_and_cases_are_those_of_the_report(tmp_path):
    result = report()
    write_folder(str(tmp_path), result)
    rows = read_csv(tmp_path / "matches.csv")
    assert list(rows[0]) == list(COLUMNS)
    assert [(row["image"], row["side"], row["cause"]) for row in rows] == [
        ("1.jpg", "gt", "matched"),
        ("1.jpg", "gt", "matched"),
        ("1.jpg", "pred", "matched"),
        ("1.jpg", "pred", "matched"),
        ("2.jpg", "gt", "wrong_label"),
        ("2.jpg", "pred", "wrong_label"),
        ("3.jpg", "gt", "missed"),
    ]
    cases = (tmp_path / "cases.jsonl").read_bytes()
    assert list(map(orjson.loads, cases.splitlines())) == list(result.cases())
    assert [json.loads(line)["key"] for line in cases.splitlines()] == ["2.jpg", "3.jpg"]


def test_detections_in_a_crowd_are_written_too(tmp_path):
    crowd = {"id": 5, "image_id": 2, "category_id": 1, "bbox": [50, 50, 40, 40], "area": 1600, "iscrowd": 1}
    inside = {"image_id": 2, "category_id": 1, "bbox": [55, 55, 20, 20], "score": 0.6}
    truth = TRUTH | {"annotations": [*TRUTH["annotations"], crowd]}
    write_folder(str(tmp_path), calipers.coco(truth, [*PRED, inside], bootstrap=0))
    rows = [row for row in read_csv(tmp_path / "matches.csv") if row["image"] == "2.jpg"]
    assert [row["cause"] for row in rows] == ["wrong_label", "crowd", "wrong_label", "in_crowd"]
    case = json.loads((tmp_path / "cases.jsonl").read_bytes().splitlines()[0])
    assert [entry["best"]["overlap"] for entry in case["unmatched_pred"]] == [1.0]


def test_trap_38_names_are_text_in_every_table(tmp_path):
    write_folder(str(tmp_path), report())
    assert [row["name"] for row in read_csv(tmp_path / "per_class.csv")] == ["car", "'=cone", "per\x1bson\n"]
    assert read_csv(tmp_path / "confusion.csv") == [
        {"gt": "car", "pred": "car", "n": "1", "kind": "matched"},
        {"gt": "car", "pred": "'=cone", "n": "1", "kind": "confused"},
        {"gt": "'=cone", "pred": "'=cone", "n": "1", "kind": "matched"},
        {"gt": "per\x1bson\n", "pred": "", "n": "1", "kind": "missed"},
    ]
    assert len(read_csv(tmp_path / "curves.csv")) == 3 * 101
    assert {row["category"] for row in read_csv(tmp_path / "matches.csv")} == {"car", "'=cone", "per\x1bson\n"}


def test_without_an_order_there_are_no_curves_and_old_ones_are_pointed_out(tmp_path, drawn):
    write_folder(str(tmp_path), report())
    scoreless = report([{**row, "score": 1.0} for row in PRED])
    left = "precision_recall.png, ap_per_class.png"
    assert write_folder(str(tmp_path), scoreless) == [f"{tmp_path}: of an earlier run, and left alone: {left}"]
    assert (tmp_path / "curves.csv").read_bytes() == b"class,recall,precision\n"
    assert write_folder(str(tmp_path / "new"), scoreless) == []
    assert sorted(os.listdir(tmp_path / "new")) == sorted([*TABLES, "confusion.png", "errors.png", "calibration.png"])


def test_nothing_detected_is_written_too(tmp_path):
    write_folder(str(tmp_path), report([]))
    assert {row["AP"] for row in read_csv(tmp_path / "per_class.csv")} == {"0.0"}


def test_without_matplotlib_everything_else_is_written_and_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert write_folder(str(tmp_path), report()) == [
        "no plots were drawn: plots: pictures need matplotlib: pip install 'calipers[plots]'"
    ]
    assert sorted(os.listdir(tmp_path)) == TABLES


def test_a_failure_leaves_nothing_behind_and_the_old_files_as_they_were(tmp_path, monkeypatch):
    result, out = report(), tmp_path / "out"

    def broken():
        yield b"{}\n"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(result, "pass_cases", lambda take: take(broken()))
    with pytest.raises(OutputError, match="No space left on device"):
        write_folder(str(out), result)
    assert not out.exists()
    out.mkdir()
    (out / "result.json").write_text("old")
    with pytest.raises(OutputError):
        write_folder(str(out), result)
    assert [(file.name, file.read_text()) for file in out.iterdir()] == [("result.json", "old")]


def test_the_same_report_gives_the_same_files(tmp_path, drawn):
    for name in ("one", "two"):
        write_folder(str(tmp_path / name), report())
    for name in (*TABLES, *PICTURES):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


# Cells of whole columns


def cells_of(result):
    """The table of objects as the folder writes it, if that can be done by columns."""
    with TemporaryFile() as file:
        table, blocks = CsvTable(file, list(COLUMNS)), result.match_lines()
        table.add_lines(blocks or ())
        file.seek(0)
        return None if blocks is None else file.read()


def test_columns_of_cells_are_the_rows_as_csv_to_the_byte():
    odd = [
        {"image_id": 2, "category_id": 2, "bbox": [1e-5, 1e16, 0, 3], "score": 7e-5},
        {"image_id": 2, "category_id": 1, "bbox": [1, 2, -3, 4], "score": 0.5},
        {"image_id": 3, "category_id": 3, "bbox": [0, 10, 20, 20], "score": 1e-300},
    ]
    result = report([*PRED, *odd])
    assert cells_of(result) == csv_table(list(COLUMNS), result.matches())
    assert b'3.jpg,3,pred,5,,3,"per\x1bson\n",1e-300,0.0,10.0,20.0,20.0,,,,misplaced\n' in cells_of(result)


def test_a_text_with_a_carriage_return_needs_whole_lines():
    result = calipers.coco(
        {**TRUTH, "categories": [{"id": k, "name": f"a\r{k}"} for k in (1, 2, 3)]}, PRED, bootstrap=0
    )
    assert cells_of(result) is None
    assert len(result.matches()) == 7
