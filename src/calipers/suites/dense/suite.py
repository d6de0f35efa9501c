"""The dense suite: regions and lines on an image, without confidence scores."""

from calipers.suite import Input, Sample, Suite, later
from calipers.suites import BUILT_IN
from calipers.suites.dense.changes import CHANGED
from calipers.suites.dense.config import Config, OutputOptions
from calipers.suites.dense.figures import FIGURES, main_group
from calipers.suites.dense.tables import TABLES

HERE = "calipers.suites.dense"
PLOTS = ("thresholds", "errors", "labels")
SUITE = Suite(
    name="dense",
    protocol="dense/1",
    record="record",
    purpose=BUILT_IN["dense"],
    about="""Measure the predicted objects of DUMP... against their ground truth.

DUMP is JSON lines, one record a line, also .gz and .zst; - is standard input.""",
    # what it takes
    config=Config,
    inputs=(Input(name="dumps", metavar="DUMP...", positional=True),),
    job=later(f"{HERE}.evaluate", "job"),
    output_options=OutputOptions,
    sample=Sample(folder="data", inputs={"dumps": ["{}/dense.jsonl"]}),
    meter=later(f"{HERE}.meter", "DenseMeter"),
    # how parts of a run become a report
    unpack=later(f"{HERE}.plan", "unpack"),
    report_of=later(f"{HERE}.plan", "report_of"),
    made_by=later(f"{HERE}.plan", "made_by"),
    # the artifact
    figures=FIGURES,
    main_group=main_group,
    replicates=later(f"{HERE}.figures", "replicates"),
    flat=later(f"{HERE}.tables", "flat"),
    counts=later(f"{HERE}.artifact", "counts"),
    schema=HERE,
    check_replicates=later(f"{HERE}.arithmetic", "check_replicates"),
    check_numbers=later(f"{HERE}.arithmetic", "check_dense"),
    # what is shown
    summary=later(f"{HERE}.summary", "summary"),
    tables=TABLES,
    plots={name: later(f"{HERE}.plots", f"{name}_plot") for name in PLOTS},
    pictures=later(f"{HERE}.plots", "pictures"),
    picture_patterns=tuple(f"{name}.{kind}" for name in PLOTS for kind in ("png", "svg")),
    takes_images=True,
    doubts=later(f"{HERE}.artifact", "doubts"),
    match_columns=later(f"{HERE}.rows", "match_columns"),
    page=later(f"{HERE}.page", "page_data"),
    streams_rows=True,
    next_step="-o out/ for the page, cases and tables · calipers compare OLD NEW",
    # how results are compared
    truth=later(f"{HERE}.artifact", "truth"),
    ignored_params=frozenset(
        {"top", "max_bad_records", "mapping", "stroke_width"}
    ),  # seen in mapping_sha256 and tube_tolerance
    changed=CHANGED,
    draw_case=later(f"{HERE}.page", "draw_case"),
    # what can be told about a result and about inputs
    useless=later(f"{HERE}.artifact", "useless"),
    same_input_means=", and every record of it counts twice",
    find_survey=lambda: later(f"{HERE}.survey", "SURVEY").load(),
)
