"""Options of the coco suite as types, for editors and type checkers.

Made from `calipers.suites.coco.config.Config` by tests/generated/regenerate.py; not to be changed by hand.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypedDict


class CocoOptions(TypedDict, total=False):
    """Every option of the coco suite, by keyword.

    Attributes:
        jobs: Processes; the default is all cores, or one where more gain nothing.
        chunk_bytes: Bytes of input that are measured at a time [default: 8388608].
        engine: Where it runs: local, dask or ray [default: local].
        address: The cluster, as tcp://HOST:PORT; without it one is started here.
        resume: Keep finished shards in FILE, and go on from those that are there.
        tally: Write the counts to FILE, for calipers merge.
        max_pairs: Pairs of objects that may be compared; more, and more than 50 an object, are refused [default:
            3000000].
        only: Evaluate only the records whose keys are in FILE, one per line.
        slice: Figures for groups of records by FIELD, FIELD:10,20 or A×B; may be given again.
        attributes: Further fields of records: CSV or JSON lines with a column key.
        iou_type: What overlaps: boxes, masks or keypoints: bbox, segm or keypoints [default: bbox].
        max_dets: Detections of a class on an image that count, best first; AP takes the last [1,10,100; keypoints 20].
        recall_target: Recall at which and beyond which precision is reported [default: 0.9].
        min_score: Detections below it stay out of the sweep, errors, confusion and counts; AP takes all.
        sigmas: Sigma of each keypoint [COCO's 17].
        gt_format: Format of the ground truth [detected]: coco, yolo, voc, cvat, label_studio, supervisely, createml,
            roboflow_csv or labelme.
        pred_format: Format of the predictions [detected]: coco, yolo, voc, cvat, label_studio, supervisely, createml,
            roboflow_csv or labelme.
        answers: Predictions are answers of models, of this family: auto, json, qwen2, qwen2.5, qwen3, gemini, internvl,
            paligemma, florence, kosmos, deepseek, molmo.
        pred_field: Field that holds the answer of a model.
        images: Folder of the images, for sizes that YOLO files lack.
        ignore_federated: Judge every class on every image, though LVIS lists which were not looked for [default:
            False].
        max_classes: Refuse more classes with ground truth, each of which has its curves [default: 15000].
        top: How many classes the summary shows; the artifact has all [default: 10].
        max_bad_records: Leave out the images of up to N malformed annotations, and count them [default: 0].
        bootstrap: Replicates for the intervals; 0 is none [default: 1000].
        seed: Seed of the replicates [default: 0].
    """

    jobs: int | None
    chunk_bytes: int
    engine: str
    address: str | None
    resume: str | os.PathLike[str] | None
    tally: str | os.PathLike[str] | None
    max_pairs: int
    only: str | os.PathLike[str] | None
    slice: str | Sequence[str]
    attributes: str | os.PathLike[str] | None
    iou_type: str
    max_dets: int | str | Sequence[int] | None
    recall_target: float
    min_score: float | None
    sigmas: float | str | Sequence[float] | None
    gt_format: str | None
    pred_format: str | None
    answers: str | None
    pred_field: str | None
    images: str | os.PathLike[str] | None
    ignore_federated: bool
    max_classes: int
    top: int
    max_bad_records: int
    bootstrap: int
    seed: int
