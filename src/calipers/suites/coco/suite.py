"""The detection suite: detections on images, COCO's numbers and what they hide."""

from calipers.suite import Input, Sample, Suite, later
from calipers.suites import BUILT_IN
from calipers.suites.coco.changes import CHANGED
from calipers.suites.coco.config import Config
from calipers.suites.coco.figures import FIGURES, main_group
from calipers.suites.coco.tables import TABLES

HERE = "calipers.suites.coco"
PLOTS = ("precision_recall", "ap_per_class", "confusion", "errors")
SUITE = Suite(
    name="coco",
    protocol="coco/1",
    record="image",
    purpose=BUILT_IN["coco"],
    about="""Measure detections on images against ground truth: the numbers of COCO, and what they hide.""",
    # what it takes
    config=Config,
    inputs=(
        Input(name="gt", metavar="GT", help="ground truth: COCO JSON, or a folder of YOLO, VOC or LabelMe files"),
        Input(name="pred", metavar="PRED", help="predictions: a COCO results JSON, or a folder as for --gt"),
    ),
    job=later(f"{HERE}.evaluate", "job"),
    check_places=later(f"{HERE}.evaluate", "check_places"),
    sample=Sample(folder="data/coco", inputs={"gt": "{}/instances.json", "pred": "{}/results.json"}),
    meter=later(f"{HERE}.meter", "CocoMeter"),
    # how parts of a run become a report
    unpack=later(f"{HERE}.plan", "unpack"),
    report_of=later(f"{HERE}.plan", "report_of"),
    made_by=later(f"{HERE}.plan", "made_by"),
    shared_inputs=True,
    # the artifact
    figures=FIGURES,
    main_group=main_group,
    replicates=later(f"{HERE}.figures", "replicates"),
    flat=later(f"{HERE}.tables", "flat"),
    counts=later(f"{HERE}.artifact", "counts"),
    schema=HERE,
    check_numbers=later(f"{HERE}.arithmetic", "check_coco"),
    # what is shown
    summary=later(f"{HERE}.summary", "summary"),
    tables=TABLES,
    plots={name: later(f"{HERE}.plots", f"{name}_plot") for name in PLOTS},
    pictures=later(f"{HERE}.plots", "pictures"),
    picture_patterns=tuple(f"{name}.{kind}" for name in PLOTS for kind in ("png", "svg")),
    takes_images=True,
    match_columns=later(f"{HERE}.rows", "match_columns"),
    page=later(f"{HERE}.page", "page_data"),
    next_step="-o out/ for the page, tables, plots and cases · calipers compare OLD NEW",
    # how results are compared
    truth=later(f"{HERE}.artifact", "truth"),
    ignored_params=frozenset({"top", "max_bad_records", "gt_format", "pred_format", "images"}),  # how inputs are found
    changed=CHANGED,
    draw_case=later(f"{HERE}.page", "draw_case"),
    # what can be told about a result and about inputs
    useless=later(f"{HERE}.artifact", "useless"),
    failed_keys=later(f"{HERE}.artifact", "failed_keys"),
    find_survey=lambda: later(f"{HERE}.survey", "SURVEY").load(),
)
