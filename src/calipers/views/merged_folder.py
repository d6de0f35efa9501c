"""What `calipers merge -o` writes. Parts of dense records and of videos hold counts alone, so there are no objects."""

from __future__ import annotations

from calipers.output import atomic_files
from calipers.report import CocoReport, Report, SceneReport
from calipers.views import dense_plots, timeline_plots
from calipers.views.coco_folder import write_coco_folder
from calipers.views.folder import drawn, is_artifact, new_folder
from calipers.views.page.build import report_page
from calipers.views.report_tables import write_table
from calipers.views.scene_folder import write_scene_folder


def write_merged(path: str, report: Report) -> list[str]:
    """The artifact, or a folder with all there is; returns what has to be said."""
    if is_artifact(path):
        report.save(path)
        return []
    if isinstance(report, SceneReport):
        return write_scene_folder(path, report)
    if isinstance(report, CocoReport):
        return write_coco_folder(path, report)
    draw = dense_plots.pictures if report["suite"] == "dense" else timeline_plots.pictures
    pictures, missing = drawn(draw, report.tree)
    contents = {f"{name}.csv": write_table(report.tree, name, "csv") for name in report.tables()}
    contents |= {"result.json": report.to_json(), "report.html": report_page(report)}
    with new_folder(path) as folder, atomic_files() as files:
        for name, content in (contents | pictures).items():
            files.open(folder / name).write(content)
    return missing
