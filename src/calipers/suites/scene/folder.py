"""What a folder of `-o` holds beside tables and the page: one artifact per method, a table for a paper, pictures."""

from __future__ import annotations

from typing import Any

from calipers.files.output import to_json
from calipers.report import Report
from calipers.show.file_names import file_stem
from calipers.suites.scene import plots
from calipers.suites.scene.overlay import MAX_PANELS, overlay_svg
from calipers.suites.scene.paper import summary_tex
from calipers.suites.scene.views import scene_views, state_counts

TAKEN = ("result",)  # a method of this name would lie where the whole result does
ALL_METHODS = "methods"  # what pictures of several methods are called by


def folder_files(report: Report, options: Any) -> dict[str, bytes]:
    """Artifacts of methods, `summary.tex`, and the methods seen from above."""
    methods, stems = report["methods"], _stems(list(report["methods"]))
    contents = {f"{stems[name]}.json": to_json(method) for name, method in methods.items()}
    contents["summary.tex"] = summary_tex(methods)
    names = report.measured.reading.names if report.measured else []
    for method in report.measured.methods if report.measured else ():
        views = scene_views(method, names[:MAX_PANELS])
        overlay = overlay_svg(method.name, views, total=len(names), counts=state_counts(method))
        contents[f"{stems[method.name]}_overlay_xy.svg"] = overlay
    return contents


def pictures(tree: Any) -> dict[str, bytes]:
    """The plots, whose names begin with that of the only method, or say that there are several."""
    stems = _stems(list(tree["methods"]))
    stem = next(iter(stems.values())) if len(stems) == 1 else ALL_METHODS
    return {f"{stem}_{name}": content for name, content in plots.pictures(tree["methods"]).items()}


def written_files(methods: list[str]) -> list[str]:
    """The names of the artifacts and tables, which could be those of inputs."""
    return [f"{stem}.json" for stem in (*TAKEN, *_stems(methods).values())]


def _stems(names: list[str]) -> dict[str, str]:
    """For each method the beginning of its files' names."""
    stems: dict[str, str] = {}
    for name in names:
        stems[name] = file_stem(name, [*TAKEN, *stems.values()])
    return stems
