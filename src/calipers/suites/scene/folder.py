"""What `calipers scene -o FOLDER` writes: artifacts, tables, plots, the page, and footprints from above."""

from __future__ import annotations

from pathlib import Path

from calipers.files.output import atomic_files, to_json
from calipers.report import SceneReport
from calipers.show.file_names import file_stem
from calipers.show.folder import drawn, left_behind, new_folder, plot_names
from calipers.show.page.build import report_page
from calipers.show.tables import csv_table
from calipers.suites.scene import plots as scene_plots
from calipers.suites.scene.cases import scene_case_lines
from calipers.suites.scene.overlay import MOST_PANELS, overlay_svg
from calipers.suites.scene.rows import COLUMNS
from calipers.suites.scene.tables import per_class_table, summary_table, summary_tex
from calipers.suites.scene.views import scene_views, state_counts

TAKEN = ("result",)  # a method of this name would lie where the whole result does
ENDINGS = ("_overlay_xy.svg", *plot_names(("_metrics", "_per_class", "_fp_breakdown")))
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
    pictures, missing = drawn(scene_plots.pictures, methods)
    stem = next(iter(stems.values())) if len(stems) == 1 else TOGETHER
    pictures = {f"{stem}_{name}": content for name, content in pictures.items()}
    with new_folder(path) as folder, atomic_files() as files:
        for name, content in (contents | pictures).items():
            files.open(folder / name).write(content)
    return missing + left_behind(path, _like_ours(path), {*contents, *pictures})


def _like_ours(path: str) -> list[str]:
    """Files with names as ours have, also of methods that are not there any more."""
    return sorted(file.name for ending in ENDINGS for file in Path(path).glob(f"*{ending}"))


def written_files(methods: list[str]) -> list[str]:
    """The names of the artifacts and tables, which could be those of inputs."""
    return [f"{stem}.json" for stem in (*TAKEN, *_stems(methods).values())]


def _stems(names: list[str]) -> dict[str, str]:
    """For each method the beginning of its files' names."""
    found: dict[str, str] = {}
    for name in names:
        found[name] = file_stem(name, [*TAKEN, *found.values()])
    return found
