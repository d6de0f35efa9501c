"""The timeline suite: states along videos."""

from calipers.suite import Input, Sample, Suite, later
from calipers.suites import BUILT_IN
from calipers.suites.timeline.changes import CHANGED
from calipers.suites.timeline.config import Config, OutputOptions
from calipers.suites.timeline.figures import FIGURES
from calipers.suites.timeline.tables import TABLES

HERE = "calipers.suites.timeline"
PLOTS = ("tolerance", "confusion", "frame_accuracy")
COLUMNS = ("video", "kind", "state", "gt_start", "gt_end", "pred_start", "pred_end", "shared_frames", "delay_frames")
SUITE = Suite(
    name="timeline",
    protocol="timeline/1",
    record="video",
    purpose=BUILT_IN["timeline"],
    about="""Measure predicted states along videos against ground truth.

Intervals are in whole frames, both ends included. --transition-tolerance-frames 0,5,15,30 makes a sweep in one go.""",
    # what it takes
    config=Config,
    inputs=(
        Input(name="gt", metavar="GT.json", help="ground truth: {video: {state: [[first, last], …]}}"),
        Input(name="pred", metavar="PRED", help="predictions JSON, a timeline CSV, or a folder of them"),
    ),
    job=later(f"{HERE}.evaluate", "job"),
    output_options=OutputOptions,
    check_places=later(f"{HERE}.evaluate", "check_places"),
    sample=Sample(
        folder="data/timeline",
        inputs={"gt": "{}/annotations.json", "pred": "{}/predictions.json"},
        options={"transition_tolerance_frames": "0,5,15,30"},
        notes=("timeline CSVs of these drives: --pred {}/csv/fusion",),
    ),
    meter=later(f"{HERE}.meter", "TimelineMeter"),
    # how parts of a run become a report
    unpack=later(f"{HERE}.plan", "unpack"),
    report_of=later(f"{HERE}.plan", "report_of"),
    made_by=later(f"{HERE}.plan", "made_by"),
    shared_inputs=True,
    # the artifact
    figures=FIGURES,
    replicates=later(f"{HERE}.figures", "replicates"),
    counts=later(f"{HERE}.artifact", "counts"),
    schema=HERE,
    check_numbers=later(f"{HERE}.arithmetic", "check_timeline"),
    # what is shown
    summary=later(f"{HERE}.summary", "summary"),
    tables=TABLES,
    plots={name: later(f"{HERE}.plots", f"{name}_plot") for name in PLOTS},
    pictures=later(f"{HERE}.plots", "pictures"),
    picture_patterns=tuple(f"{name}.{kind}" for name in PLOTS for kind in ("png", "svg")),
    folder_files=later(f"{HERE}.folder", "folder_files"),
    match_columns=lambda params: list(COLUMNS),
    page=later(f"{HERE}.page", "page_data"),
    next_step="-o out/ for the page, tables, strips (--plot-videos 5) · calipers compare OLD NEW",
    # how results are compared
    truth=later(f"{HERE}.artifact", "truth"),
    changed=CHANGED,
    draw_changed=later(f"{HERE}.changed_page", "draw_changed"),
    # what can be told about a result and about inputs
    first_reason=later(f"{HERE}.artifact", "first_reason"),
    useless=later(f"{HERE}.artifact", "useless"),
    failed_keys=later(f"{HERE}.artifact", "failed_keys"),
    find_survey=lambda: later(f"{HERE}.survey", "SURVEY").load(),
)
