"""The dense suite: regions and lines on an image, without confidence scores."""

from calipers.core.suspects import SuspectSpec
from calipers.suite import Converter, Input, ReadableFormat, Sample, Suite, WrittenFormat, later
from calipers.suites import BUILT_IN
from calipers.suites.dense.changes import CHANGED
from calipers.suites.dense.config import PROTOCOL, Config, DenseOutputOptions
from calipers.suites.dense.figures import FIGURES, main_group, slice_headline
from calipers.suites.dense.tables import TABLES

HERE = "calipers.suites.dense"
PLOTS = ("thresholds", "errors", "labels")
SUITE = Suite(
    name="dense",
    protocol=PROTOCOL,
    record="record",
    purpose=BUILT_IN["dense"],
    about="""Measure the predicted objects of DUMP... against their ground truth.

DUMP is JSON lines, one record per line, also .gz and .zst; - is standard input. Instead of it, --gt and --pred measure
answers of a model against ground truth in COCO form.""",
    # what it takes
    config=Config,
    formats=(
        ReadableFormat(
            name="gt_vs_pred.jsonl",
            side="gt and pred",
            layout='a record per line: {"gt_norm1000": […], "pred": […]}; objects {"type": "bbox_2d"|"poly"|"line", '
            '"points": […], "desc": "…"}; also .gz, .zst',
        ),
        ReadableFormat(
            name="gt_vs_pred.jsonl in pixels",
            side="gt and pred",
            layout='{"gt": […], "pred": […], "width": …, "height": …}',
            option="--frame pixel",
        ),
        ReadableFormat(
            name="answers of models",
            side="pred",
            layout="text or objects as a family of models writes them: json, qwen2, qwen2.5, qwen3, gemini, internvl, "
            "paligemma, florence, kosmos, deepseek, molmo",
            option="--answers FAMILY",
        ),
        ReadableFormat(
            name="instances.json",
            side="gt",
            layout='COCO, {"images": […], "annotations": […], "categories": […]}, joined with answers by image',
            option="--gt FILE --pred FILE",
        ),
    ),
    converter=Converter(
        formats=(
            WrittenFormat("plain", "a dump of JSON lines: gt_norm1000 and pred_norm1000, and what records carry"),
            WrittenFormat("coco", "one side as a .json of COCO, in pixels; each description is a class"),
            WrittenFormat("yolo", "one side as a folder: classes.txt, and in labels/ a .txt per image"),
        ),
        convert=later(f"{HERE}.convert", "convert"),
        options=("gt", "frame", "answers", "pred_field", "iou_type", "max_bad_records"),
    ),
    inputs=(
        Input(name="dumps", metavar="[DUMP...]", positional=True, optional=True),
        Input(name="gt", metavar="FILE", optional=True, help="ground truth in COCO form, joined with --pred by image"),
        Input(name="pred", metavar="FILE", optional=True, help="answers for --gt: JSON lines, each names its image"),
    ),
    job=later(f"{HERE}.evaluate", "job"),
    output_options=DenseOutputOptions,
    sample=Sample(folder="data", inputs={"dumps": ["{}/dense.jsonl"]}),
    meter=later(f"{HERE}.meter", "DenseMeter"),
    # how parts of a run become a report
    unpack=later(f"{HERE}.plan", "unpack"),
    report_of=later(f"{HERE}.plan", "report_of"),
    provenance_of=later(f"{HERE}.plan", "provenance_of"),
    # the artifact
    figures=FIGURES,
    main_group=main_group,
    replicates=later(f"{HERE}.figures", "replicates"),
    flat=later(f"{HERE}.tables", "flat"),
    counts=later(f"{HERE}.artifact", "counts"),
    schema=HERE,
    check_replicates=later(f"{HERE}.arithmetic", "check_replicates"),
    check_numbers=later(f"{HERE}.arithmetic", "check_dense"),
    slice_headline=slice_headline,
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
    truth_facts=later(f"{HERE}.artifact", "truth_facts"),
    ignored_params=frozenset(
        {"top", "max_bad_records", "mapping", "stroke_width", "slice", "attributes", "answers", "pred_field"}
    ),  # seen in mapping_sha256 and tube_tolerance
    changed=CHANGED,
    draw_case=later(f"{HERE}.case_parts", "draw_case"),
    suspects=SuspectSpec(
        later(f"{HERE}.suspects", "find_suspects"),
        truth_case=later(f"{HERE}.suspects", "truth_case"),
        truth_rows=later(f"{HERE}.suspects", "object_rows"),
    ),
    # what can be told about a result and about inputs
    hopeless_predictions=later(f"{HERE}.artifact", "hopeless_predictions"),
    same_input_hint=", and every record of it counts twice",
    headlines=later(f"{HERE}.artifact", "headlines"),
    find_survey=lambda: later(f"{HERE}.survey", "SURVEY").load(),
)
