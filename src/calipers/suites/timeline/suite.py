"""The timeline suite: states along videos."""

from calipers.core.suspects import SuspectSpec
from calipers.suite import Converter, Input, ReadableFormat, Sample, Suite, WrittenFormat, later
from calipers.suites import BUILT_IN
from calipers.suites.timeline.changes import CHANGED
from calipers.suites.timeline.config import PROTOCOL, Config, TimelineOutputOptions
from calipers.suites.timeline.figures import FIGURES
from calipers.suites.timeline.formats.table import FORMATS
from calipers.suites.timeline.tables import TABLES

HERE = "calipers.suites.timeline"
PLOTS = ("tolerance", "confusion", "frame_accuracy", "frame_errors", "calibration")
COLUMNS = ("video", "kind", "state", "gt_start", "gt_end", "pred_start", "pred_end", "shared_frames", "delay_frames")
SUITE = Suite(
    name="timeline",
    protocol=PROTOCOL,
    record="video",
    purpose=BUILT_IN["timeline"],
    about="""Measure predicted states along videos against ground truth.

Intervals are in whole frames, both ends included. --transition-tolerance-frames 0,5,15,30 makes a sweep in one go.""",
    # what it takes
    config=Config,
    formats=(
        ReadableFormat(
            name="annotations.json",
            side="gt",
            layout='{"video": {"state": [[first, last], …], …}} in frames, both ends included',
        ),
        ReadableFormat(
            name="predictions.json",
            side="pred",
            layout='{"video": {"fps": …, "states": {"state": [[first, last], …]}}}',
        ),
        *(ReadableFormat(name=form.title, side=form.side, layout=form.layout) for form in FORMATS),
    ),
    converter=Converter(
        formats=(
            WrittenFormat("plain", '{"video": {"state": [[first, last], …]}}; of predictions under "states", with fps'),
        ),
        convert=later(f"{HERE}.convert", "convert"),
        options=("fps", "max_bad_records"),
    ),
    inputs=(
        Input(name="gt", metavar="GT.json", help="ground truth: {video: {state: [[first, last], …]}}"),
        Input(name="pred", metavar="PRED", help="predictions JSON, a timeline CSV, or a folder of them"),
    ),
    job=later(f"{HERE}.evaluate", "job"),
    output_options=TimelineOutputOptions,
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
    provenance_of=later(f"{HERE}.plan", "provenance_of"),
    shared_inputs=True,
    # the artifact
    figures=FIGURES,
    replicates=later(f"{HERE}.figures", "replicates"),
    counts=later(f"{HERE}.artifact", "counts"),
    schema=HERE,
    check_numbers=later(f"{HERE}.arithmetic", "check_timeline"),
    slice_headline=lambda tree: "frame_accuracy",
    # what is shown
    summary=later(f"{HERE}.summary", "summary"),
    tables=TABLES,
    plots={name: later(f"{HERE}.plots", f"{name}_plot") for name in PLOTS},
    pictures=later(f"{HERE}.plots", "pictures"),
    picture_patterns=tuple(f"{name}.{kind}" for name in PLOTS for kind in ("png", "svg")),
    folder_files=later(f"{HERE}.folder", "folder_files"),
    match_columns=lambda params: list(COLUMNS),
    streams_head=True,
    page=later(f"{HERE}.page", "page_data"),
    next_step="-o out/ for the page, tables, strips (--plot-videos 5) · calipers compare OLD NEW",
    # how results are compared
    truth_facts=later(f"{HERE}.artifact", "truth_facts"),
    changed=CHANGED,
    draw_changed=later(f"{HERE}.changed_page", "draw_changed"),
    suspects=SuspectSpec(later(f"{HERE}.suspects", "find_suspects"), draw=later(f"{HERE}.suspects", "draw_suspects")),
    # what can be told about a result and about inputs
    first_reason=later(f"{HERE}.artifact", "first_reason"),
    hopeless_predictions=later(f"{HERE}.artifact", "hopeless_predictions"),
    failed_keys=later(f"{HERE}.artifact", "failed_keys"),
    headlines=later(f"{HERE}.artifact", "headlines"),
    find_survey=lambda: later(f"{HERE}.survey", "SURVEY").load(),
)
