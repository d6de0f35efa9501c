"""Rows and cases that are passed on while images are summarized: all of them, in order, or the error."""

import pytest

from calipers.core.config import make_config
from calipers.suites.coco.config import Config
from calipers.suites.coco.evaluate import evaluate
from calipers.suites.coco.measure import measure
from calipers.suites.coco.row_stream import passing_rows

BOX = [0, 0, 10, 10]
GT = {
    "images": [{"id": k, "file_name": f"{k}.jpg"} for k in range(1, 4)],
    "categories": [{"id": 7, "name": "cone"}],
    "annotations": [
        {"id": k, "image_id": k, "category_id": 7, "bbox": BOX, "area": 100, "iscrowd": 0} for k in range(1, 4)
    ],
}
PRED = [{"image_id": k, "category_id": 7, "bbox": [0, 0, 10, 9 - 4 * k], "score": 0.5 + k / 10} for k in (1, 2)]


class Folder:
    """Takes rows and cases as a folder does."""

    def __init__(self, takes_csv=False, fails=False):
        self.takes_csv, self.fails, self.rows, self.cases = takes_csv, fails, [], []

    def __call__(self, rows, cases):
        if self.fails:
            raise ConnectionError("full")
        self.rows += rows
        self.cases += cases


def evaluated(folder):
    return evaluate(GT, PRED, make_config(Config, {"bootstrap": 50}), on_rows=folder)


def lines_of_cases(report):
    lines = []
    report.pass_cases(lines.extend)
    return lines


def test_rows_are_those_of_the_report():
    folder = Folder()
    report = evaluated(folder)
    assert folder.rows == report.matches()
    assert len(folder.rows) == 5
    assert folder.cases == lines_of_cases(report)
    assert len(folder.cases) == 2  # image 1 is right: its box overlaps by half


def test_lines_of_csv_are_those_of_the_report():
    folder = Folder(takes_csv=True)
    report = evaluated(folder)
    assert b"".join(folder.rows) == b"".join(report.match_lines())
    assert folder.cases == lines_of_cases(report)


def test_numbers_are_the_same_without_a_folder():
    assert evaluated(Folder()).to_json() == evaluated(None).to_json()


def test_a_folder_that_takes_no_more_is_an_error():
    with pytest.raises(ConnectionError, match="full"):
        evaluated(Folder(fails=True))


def test_an_error_beside_the_rows_is_told_first():
    measured = measure(evaluated(None).measured.detections, make_config(Config, {}))
    with pytest.raises(ZeroDivisionError), passing_rows(measured, Folder(fails=True)):
        raise ZeroDivisionError
