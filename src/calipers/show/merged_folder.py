"""What `calipers merge -o` writes. Parts of dense records and of videos hold counts alone, so there are no objects."""

from __future__ import annotations

import os

from calipers.core.errors import OutputError
from calipers.files.output import atomic_files
from calipers.report import CocoReport, Report, SceneReport
from calipers.show.folder import TABLES, drawn, is_artifact, new_folder
from calipers.show.page.build import report_page
from calipers.show.report_tables import write_table
from calipers.show.tables import csv_table
from calipers.suites.coco.folder import write_coco_folder
from calipers.suites.dense import plots as dense_plots
from calipers.suites.scene.folder import write_scene_folder
from calipers.suites.timeline import plots as timeline_plots
from calipers.suites.timeline.folder import video_table

OBJECTS = ("matches.csv", "matches.parquet", "cases.jsonl")  # which `report` and `compare` would take for this result's


def write_merged(path: str, report: Report) -> list[str]:
    """The artifact, or a folder with all there is; returns what has to be said."""
    if is_artifact(path):
        report.save(path)
        return []
    if isinstance(report, SceneReport):
        return write_scene_folder(path, report)
    if isinstance(report, CocoReport):
        return write_coco_folder(path, report)
    return _write_counts(path, report)


def _write_counts(path: str, report: Report) -> list[str]:
    if there := [name for name in OBJECTS if os.path.exists(os.path.join(path, name))]:
        raise OutputError(f"{path}: holds {', '.join(there)} of another result, expected another folder")
    is_dense = report["suite"] == "dense"
    pictures, missing = drawn(dense_plots.pictures if is_dense else timeline_plots.pictures, report.tree)
    tables = {f"{name}.csv": write_table(report.tree, name, "csv") for name in TABLES if is_dense}
    tables |= {} if is_dense else {"videos.csv": csv_table(*video_table(report))}
    contents = {"result.json": report.to_json(), "report.html": report_page(report), **tables, **pictures}
    with new_folder(path) as folder, atomic_files() as files:
        for name, content in contents.items():
            files.open(folder / name).write(content)
    return missing
