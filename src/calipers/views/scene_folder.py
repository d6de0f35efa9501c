"""What `calipers scene -o FOLDER` writes: artifacts, tables, plots, the page, and footprints from above."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from calipers.errors import ConfigError
from calipers.output import atomic_files, to_json
from calipers.report import SceneReport
from calipers.suites.scene_rows import COLUMNS
from calipers.views.file_names import file_stem
from calipers.views.folder import new_folder
from calipers.views.overlay import MOST_PANELS, overlay_svg
from calipers.views.page.build import report_page
from calipers.views.page.scene_cases import scene_case_lines
from calipers.views.scene_tables import per_class_table, summary_table, summary_tex
from calipers.views.scene_views import scene_views, state_counts
from calipers.views.tables import csv_table

TAKEN = ("result",)  # a method of this name would lie where the whole result does
ENDINGS = ("_overlay_xy.svg", "_metrics.png", "_per_class.png", "_fp_breakdown.png")
TOGETHER = "methods"  # what pictures of several methods are called by


def write_scene_folder(path: str, report: SceneReport) -> list[str]:
    """All files, which appear together; returns what has to be said of others."""
    methods, stems, names = report["methods"], _stems(list(report["methods"])), report.measured.reading.names
    contents = {
        "result.json": report.to_json(),
        **{f"{stems[name]}.json": to_json(method) for name, method in methods.items()},
        "summary.csv": csv_table(*summary_table(methods)),
        "per_class.csv": csv_table(*per_class_table(methods)),
        "summary.tex": summary_tex(methods),
        "matches.csv": csv_table(list(COLUMNS), report.matches()),
        "cases.jsonl": b"".join(scene_case_lines(report.measured)),
        "report.html": report_page(report),
        **{
            f"{stems[each.name]}_overlay_xy.svg": overlay_svg(
                each.name, scene_views(each, names[:MOST_PANELS]), total=len(names), counts=state_counts(each)
            )
            for each in report.measured.methods
        },
    }
    pictures, missing = _pictures(methods, stems)
    with new_folder(path) as folder, atomic_files() as files:
        for name, content in (contents | pictures).items():
            files.open(folder / name).write(content)
    return missing + _stale(path, {*contents, *pictures})


def _stale(path: str, written: set[str]) -> list[str]:
    """Files that look like ours and were not written now: of a method that is not there any more."""
    found = sorted(file.name for ending in ENDINGS for file in Path(path).glob(f"*{ending}"))
    left = [name for name in found if name not in written]
    return [f"{path}: of an earlier run, and left alone: {', '.join(left)}"] if left else []


def written_files(methods: list[str]) -> list[str]:
    """The names of the artifacts and tables, which could be those of inputs."""
    return [f"{stem}.json" for stem in (*TAKEN, *_stems(methods).values())]


def _stems(names: list[str]) -> dict[str, str]:
    """For each method the beginning of its files' names."""
    found: dict[str, str] = {}
    for name in names:
        found[name] = file_stem(name, [*TAKEN, *found.values()])
    return found


def _pictures(methods: dict[str, Any], stems: dict[str, str]) -> tuple[dict[str, bytes], list[str]]:
    """Plots of all methods together; without matplotlib there are none, and that is said."""
    from calipers.views import scene_plots

    stem = next(iter(stems.values())) if len(stems) == 1 else TOGETHER
    try:
        return {
            f"{stem}_main_metrics.png": scene_plots.main_metrics_picture(methods),
            f"{stem}_localization_metrics.png": scene_plots.localization_picture(methods),
            f"{stem}_localization_per_class.png": scene_plots.localization_per_class_picture(methods),
            f"{stem}_fp_breakdown.png": scene_plots.fp_breakdown_picture(methods),
        }, []
    except ConfigError as error:  # the library is missing; everything else can be had without it
        return {}, [f"no plots were drawn: {error}"]
