"""The detection suite: detections on images, COCO's numbers and what they hide."""

from calipers.core.suspects import SuspectSpec
from calipers.files.answers.families import NAMES
from calipers.suite import Converter, Input, ReadableFormat, Sample, Suite, WrittenFormat, later
from calipers.suites import BUILT_IN
from calipers.suites.coco.changes import CHANGED
from calipers.suites.coco.config import PROTOCOL, Config
from calipers.suites.coco.figures import FIGURES, main_group
from calipers.suites.coco.formats.table import FORMATS
from calipers.suites.coco.tables import TABLES

HERE = "calipers.suites.coco"
PLOTS = ("precision_recall", "ap_per_class", "confusion", "errors", "calibration")
SUITE = Suite(
    name="coco",
    protocol=PROTOCOL,
    record="image",
    purpose=BUILT_IN["coco"],
    about="""Measure detections on images against ground truth: the numbers of COCO, and what they hide.""",
    # what it takes
    config=Config,
    formats=(
        ReadableFormat(
            name="COCO data set",
            side="gt",
            layout="instances.json: images, annotations, categories; boxes, masks (polygons, RLE), keypoints; LVIS too",
        ),
        ReadableFormat(
            name="Roboflow export",
            side="gt",
            layout="train/, valid/ with _annotations.coco.json (category 0 is a group); also YOLO, CSV and CreateML",
        ),
        ReadableFormat(
            name="COCO results",
            side="pred",
            layout='results.json: [{"image_id", "category_id", "bbox": [x, y, w, h], "score"}]',
        ),
        ReadableFormat(
            name="answers of models",
            side="pred",
            layout=f"JSON lines that name their image; text or objects of a family: {', '.join(NAMES[1:])}",
            option="--answers FAMILY",
        ),
        *(
            ReadableFormat(name=form.title, side="gt and pred", layout=form.layout, option=f"--gt-format {form.name}")
            for form in FORMATS
        ),
    ),
    converter=Converter(
        formats=(
            WrittenFormat("coco", "a .json: images, annotations, categories; of predictions a list of results"),
            WrittenFormat("yolo", "a folder: classes.txt, and in labels/ a .txt per image"),
            WrittenFormat("plain", "the same as coco, which is the plain form here"),
        ),
        convert=later(f"{HERE}.convert", "convert"),
        options=("gt", "gt_format", "pred_format", "images", "iou_type", "answers", "pred_field", "max_bad_records"),
    ),
    inputs=(
        Input(name="gt", metavar="GT", help="ground truth: COCO JSON, or a folder of YOLO, VOC or LabelMe files"),
        Input(
            name="pred",
            metavar="PRED",
            help="predictions: COCO results, a folder as for --gt, or answers of models",
        ),
    ),
    job=later(f"{HERE}.evaluate", "job"),
    takes_detections=True,
    check_places=later(f"{HERE}.evaluate", "check_places"),
    sample=Sample(folder="data/coco", inputs={"gt": "{}/instances.json", "pred": "{}/results.json"}),
    meter=later(f"{HERE}.meter", "CocoMeter"),
    # how parts of a run become a report
    unpack=later(f"{HERE}.plan", "unpack"),
    report_of=later(f"{HERE}.plan", "report_of"),
    provenance_of=later(f"{HERE}.plan", "provenance_of"),
    shared_inputs=True,
    # the artifact
    figures=FIGURES,
    main_group=main_group,
    replicates=later(f"{HERE}.figures", "replicates"),
    flat=later(f"{HERE}.tables", "flat"),
    flat_styles={"torchmetrics": later(f"{HERE}.torchmetrics_names", "torchmetrics_numbers")},
    counts=later(f"{HERE}.artifact", "counts"),
    schema=HERE,
    check_numbers=later(f"{HERE}.arithmetic", "check_coco"),
    slice_headline=lambda tree: "sweep.f1",
    # what is shown
    summary=later(f"{HERE}.summary", "summary"),
    tables=TABLES,
    plots={name: later(f"{HERE}.plots", f"{name}_plot") for name in PLOTS},
    pictures=later(f"{HERE}.plots", "pictures"),
    picture_shares=tuple(later(f"{HERE}.plots", name) for name in ("class_pictures", "detection_pictures")),
    picture_patterns=tuple(f"{name}.{kind}" for name in PLOTS for kind in ("png", "svg")),
    takes_images=True,
    match_columns=later(f"{HERE}.rows", "match_columns"),
    streams_rows=True,
    page=later(f"{HERE}.page", "page_data"),
    next_step="-o out/ for the page, tables, plots and cases · calipers compare OLD NEW",
    # how results are compared
    truth_facts=later(f"{HERE}.artifact", "truth_facts"),
    ignored_params=frozenset(
        {"top", "max_bad_records", "slice", "attributes", "gt_format", "pred_format", "images", "engine"}
        | {"answers", "pred_field"}
    ),
    changed=CHANGED,
    draw_case=later(f"{HERE}.page", "draw_case"),
    suspects=SuspectSpec(
        later(f"{HERE}.suspects", "find_suspects"),
        truth_case=later(f"{HERE}.suspects", "truth_case"),
        truth_rows=later(f"{HERE}.suspects", "object_rows"),
    ),
    # what can be told about a result and about inputs
    hopeless_predictions=later(f"{HERE}.artifact", "hopeless_predictions"),
    failed_keys=later(f"{HERE}.artifact", "failed_keys"),
    headlines=later(f"{HERE}.artifact", "headlines"),
    find_survey=lambda: later(f"{HERE}.survey", "SURVEY").load(),
)
