"""What `calipers coco -o FOLDER` writes: the artifact, every object and every case, tables, the page, and plots."""

from __future__ import annotations

from typing import IO

from calipers.files.output import atomic_files
from calipers.report import CocoReport
from calipers.show.folder import drawn, left_behind, new_folder, plot_names
from calipers.show.page.build import page_of
from calipers.show.page.cases import WorstCases
from calipers.show.tables import CsvTable, csv_table
from calipers.suites.coco import plots as coco_plots
from calipers.suites.coco.rows import COLUMNS
from calipers.suites.coco.tables import confusion_table, curves_table, per_class_table

PLOTS = ("precision_recall", "ap_per_class", "confusion", "errors")
AT_A_TIME = 10_000  # rows


def write_coco_folder(path: str, report: CocoReport) -> list[str]:
    """All files, which appear together; returns what could not be drawn."""
    pictures, missing = drawn(coco_plots.pictures, report.tree)
    contents = {
        "result.json": report.to_json(),
        "per_class.csv": csv_table(*per_class_table(report.tree)),
        "confusion.csv": csv_table(*confusion_table(report.tree)),
        "curves.csv": csv_table(*curves_table(report.tree)),
    }
    with new_folder(path) as folder, atomic_files() as files:
        for name, content in (contents | pictures).items():
            files.open(folder / name).write(content)
        _write_cases(files.open(folder / "cases.jsonl"), files.open(folder / "report.html"), report)
        matches, rows = CsvTable(files.open(folder / "matches.csv"), list(COLUMNS)), report.matches()
        for at in range(0, len(rows), AT_A_TIME):
            matches.add(rows[at : at + AT_A_TIME])
    return missing + left_behind(path, plot_names(PLOTS), pictures)


def _write_cases(cases: IO[bytes], page: IO[bytes], report: CocoReport) -> None:
    """Every image that went wrong, and the page with the worst of them."""
    worst = WorstCases()
    for line in report.cases():
        cases.write(line)
        worst.add([line])
    page.write(page_of(report.tree, worst))
