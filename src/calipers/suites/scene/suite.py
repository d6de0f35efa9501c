"""The scene suite: boxes in rooms, one or several methods."""

from functools import partial
from typing import Any

from calipers.core.suspects import SuspectSpec
from calipers.suite import Converter, Input, ReadableFormat, Sample, Suite, Tree, WrittenFormat, later
from calipers.suites import BUILT_IN
from calipers.suites.scene.changes import CHANGED
from calipers.suites.scene.config import PROTOCOL, Config
from calipers.suites.scene.figures import FIGURES, main_group
from calipers.suites.scene.formats.table import FORMATS
from calipers.suites.scene.tables import TABLES

HERE = "calipers.suites.scene"
PLOTS = (
    "main_metrics",
    "localization_metrics",
    "localization_per_class",
    "per_class_f1",
    "fp_breakdown",
    "calibration",
)
ENDINGS = ("_metrics", "_per_class", "_fp_breakdown", "_calibration")


def _plot(draw: Any, tree: Tree, **options: Any) -> Any:
    """A plot of all methods."""
    return draw(tree["methods"], **options)


SUITE = Suite(
    name="scene",
    protocol=PROTOCOL,
    record="scene",
    purpose=BUILT_IN["scene"],
    about="""Measure predicted boxes in scenes against ground truth.

Scenes of folders are joined by the stems of their files. A method without NAME= is called by its file's stem.""",
    # what it takes
    config=Config,
    config_help="an eval_config.json; or an options file .toml  [default: calipers.toml]",
    formats=(
        ReadableFormat(
            name="plain scene",
            side="gt and pred",
            layout='room.json: {"objects": [{"label", "center": [x, y, z], "size": […], "rotation", "score"}]}',
        ),
        ReadableFormat(
            name="scene graph",
            side="gt and pred",
            layout="objects with position, dimensions or a mesh (.ply, .obj, .glb) instead of center and size",
        ),
        *(ReadableFormat(name=form.title, side="gt and pred", layout=form.layout) for form in FORMATS),
    ),
    converter=Converter(
        formats=(WrittenFormat("plain", 'a .json per scene, or one: {"objects": […]}'),),
        convert=later(f"{HERE}.convert", "convert"),
        options=("label_source", "max_bad_records"),
    ),
    inputs=(
        Input(name="gt", metavar="GT", help="ground truth: a scene (JSON or GraphML), or a folder of them"),
        Input(
            name="pred", metavar="[NAME=]PRED", help="predictions of a method; give it again for others", several=True
        ),
    ),
    job=later(f"{HERE}.evaluate", "job"),
    check_places=later(f"{HERE}.evaluate", "check_places"),
    sample=Sample(
        folder="data/scene",
        inputs={"gt": "{}/gt", "pred": ["pipeline={}/pipeline", "clio={}/clio"]},
        options={"config": "{}/eval_config.json"},
        notes=("ground truth as Supervisely JSON, one method as scene graphs, the other as Clio GraphML",),
    ),
    meter=later(f"{HERE}.meter", "SceneMeter"),
    # how parts of a run become a report
    unpack=later(f"{HERE}.plan", "unpack"),
    report_of=later(f"{HERE}.plan", "report_of"),
    provenance_of=later(f"{HERE}.plan", "provenance_of"),
    shared_inputs=True,
    # the artifact
    figures=FIGURES,
    main_group=main_group,
    group_word="method",
    replicates=later(f"{HERE}.figures", "replicates"),
    flat=later(f"{HERE}.tables", "flat"),
    counts=later(f"{HERE}.artifact", "counts"),
    schema=HERE,
    check_numbers=later(f"{HERE}.arithmetic", "check_scene"),
    usual_form=later(f"{HERE}.artifact", "usual_form"),
    slice_headline=lambda tree: "f1",
    slice_parts=lambda tree: list(tree["methods"].items()),
    # what is shown
    summary=later(f"{HERE}.summary", "summary"),
    tables=TABLES,
    plots={name: partial(_plot, later(f"{HERE}.plots", f"{name}_plot")) for name in PLOTS},
    pictures=later(f"{HERE}.folder", "pictures"),
    picture_patterns=("*_overlay_xy.svg", *(f"*{end}.{kind}" for end in ENDINGS for kind in ("png", "svg"))),
    takes_images=True,
    folder_files=later(f"{HERE}.folder", "folder_files"),
    match_columns=later(f"{HERE}.rows", "match_columns"),
    page=later(f"{HERE}.page", "page_data"),
    next_step="-o out/ for the page, tables, plots and footprints · calipers compare OLD NEW",
    # how results are compared
    truth_facts=later(f"{HERE}.artifact", "truth_facts"),
    file_params=frozenset({"aliases", "learned_aliases"}),
    changed=CHANGED,
    draw_case=later(f"{HERE}.page", "draw_case"),
    suspects=SuspectSpec(later(f"{HERE}.suspects", "find_suspects")),
    # what can be told about a result and about inputs
    is_empty=later(f"{HERE}.artifact", "is_empty"),
    hopeless_predictions=later(f"{HERE}.artifact", "hopeless_predictions"),
    failed_keys=later(f"{HERE}.artifact", "failed_keys"),
    headlines=later(f"{HERE}.artifact", "headlines"),
    find_survey=lambda: later(f"{HERE}.survey", "SURVEY").load(),
)
