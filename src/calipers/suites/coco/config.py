"""The options of the detection suite, brought to one form and checked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from calipers.core.config import option
from calipers.core.errors import require
from calipers.core.matching import SWEEP
from calipers.core.option_values import flag, number, parts, path, whole, wholes, word
from calipers.core.slice_options import SliceOptions, artifact_params
from calipers.core.sweep import Levels
from calipers.files.answers.families import NAMES
from calipers.files.answers.records import AnswerOptions
from calipers.suites.coco.formats.table import BY_NAME

PROTOCOL = "coco/1"  # name and version of the definitions
IOU_TYPES = ("bbox", "segm", "keypoints")
FORMATS = ("coco", *BY_NAME)
MAX_DETS = {"bbox": (1, 10, 100), "segm": (1, 10, 100), "keypoints": (20,)}
PRIMARY = 0.5


@dataclass(frozen=True, kw_only=True)
class Config(SliceOptions):
    """Every option of the detection suite."""

    iou_type: str = option("bbox", "what overlaps: boxes, masks or keypoints", metavar="bbox|segm|keypoints")
    max_dets: tuple[int, ...] | None = option(
        None,
        "detections of a class on an image that count, best first; AP takes the last  [1,10,100; keypoints 20]",
        metavar="N,N,…",
    )
    recall_target: float = option(0.9, "recall at which and beyond which precision is reported")
    min_score: float | None = option(
        None, "detections below it stay out of the sweep, errors, confusion and counts; AP takes all"
    )
    sigmas: tuple[float, ...] | None = option(None, "sigma of each keypoint  [COCO's 17]", metavar="S,S,…")
    gt_format: str | None = option(None, "format of the ground truth  [detected]", metavar="|".join(FORMATS))
    pred_format: str | None = option(None, "format of the predictions  [detected]", metavar="|".join(FORMATS))
    answers: str | None = option(
        None, f"predictions are answers of models, of this family: {', '.join(NAMES)}", metavar="FAMILY"
    )
    pred_field: str | None = option(None, "field that holds the answer of a model", metavar="FIELD")
    images: str | None = option(None, "folder of the images, for sizes that YOLO files lack", metavar="DIR")
    ignore_federated: bool = option(
        False, "judge every class on every image, though LVIS lists which were not looked for"
    )
    max_classes: int = option(
        15_000, "refuse more classes with ground truth, each of which has its curves", metavar="N", artifact=False
    )
    top: int = option(10, "how many classes the summary shows; the artifact has all")
    max_bad_records: int = option(
        0, "leave out the images of up to N malformed annotations, and count them", metavar="N"
    )
    bootstrap: int = option(1000, "replicates for the intervals; 0 is none")
    seed: int = option(0, "seed of the replicates")

    def __post_init__(self) -> None:
        super().__post_init__()
        iou_type = word("iou_type", self.iou_type, IOU_TYPES)
        require(
            self.sigmas is None or iou_type == "keypoints", "sigmas", self.sigmas, "iou_type keypoints to go with them"
        )
        checked = {
            "iou_type": iou_type,
            "max_dets": None if self.max_dets is None else tuple(sorted(wholes("max_dets", self.max_dets, 1))),
            "recall_target": number(
                "recall_target", self.recall_target, minimum=0.0, maximum=1.0, expected="a number from 0 to 1"
            ),
            "min_score": None if self.min_score is None else number("min_score", self.min_score),
            "sigmas": None if self.sigmas is None else _sigmas(self.sigmas),
            "ignore_federated": flag("ignore_federated", self.ignore_federated),
            "max_classes": whole("max_classes", self.max_classes, 1),
            "top": whole("top", self.top, 0),
            "max_bad_records": whole("max_bad_records", self.max_bad_records, 0),
            "bootstrap": whole("bootstrap", self.bootstrap, 0, 1_000_000),
            "seed": whole("seed", self.seed, 0),
            "gt_format": _format("gt_format", self.gt_format),
            "pred_format": _format("pred_format", self.pred_format),
            **_checked_answers(self, iou_type),
            "images": _folder("images", self.images),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def answer_options(self) -> AnswerOptions | None:
        """How predictions are read that are answers of models."""
        return None if self.answers is None else AnswerOptions(self.answers, self.pred_field)

    @cached_property
    def limits(self) -> tuple[int, ...]:
        """How many detections of a class on an image count, ascending."""
        return self.max_dets or MAX_DETS[self.iou_type]

    @cached_property
    def levels(self) -> Levels:
        """The thresholds of the sweep, as the matcher sees them."""
        return Levels(SWEEP, PRIMARY)


def _checked_answers(config: Config, iou_type: str) -> dict[str, Any]:
    """The family and the field of answers; one that is not named is found out."""
    answers, field = config.answers, config.pred_field
    require(field is None or (isinstance(field, str) and bool(field)), "pred_field", field, "the name of a field")
    if answers is None and field is None:
        return {}
    family = word("answers", "auto" if answers is None else answers, NAMES)
    require(iou_type != "keypoints", "answers", family, "iou_type bbox or segm: answers of models have no keypoints")
    require(config.pred_format is None, "pred_format", config.pred_format, "none beside answers of models")
    return {"answers": family}


def _sigmas(value: Any) -> tuple[float, ...]:
    sigmas = tuple(number("sigmas", part, above=0.0, expected="numbers above 0") for part in parts(value))
    require(bool(sigmas), "sigmas", value, "numbers above 0")
    return sigmas


def _folder(name: str, value: Any) -> str | None:
    folder = path(name, value)
    require(folder is None or os.path.isdir(folder), name, folder, "a folder")
    return folder


def _format(name: str, value: Any) -> str | None:
    return None if value is None else word(name, value, FORMATS)


def params(config: Config) -> dict[str, Any]:
    """Every parameter, given or default, that can change a number."""
    plain = artifact_params(config)
    for name in ("answers", "pred_field"):
        if plain[name] is None:  # results without the option do not name it
            del plain[name]
    return plain | {
        "max_dets": list(config.limits),
        "sigmas": None if config.sigmas is None else list(config.sigmas),
        "thresholds": list(SWEEP),
        "primary_threshold": PRIMARY,
        "engine": "calipers",
        "rulers": {"bbox": "box-iou", "segm": "mask-iou", "keypoints": "oks"},
        "matching": {
            "ap": {"algorithm": "confidence", "tie_break": ["score_desc", "image_id_asc", "pred_index_asc"]},
            "sweep": {"algorithm": "greedy_1to1", "tie_break": ["score_desc", "gt_index_asc", "pred_index_asc"]},
        },
    }
