"""Ground truth and predictions, checked and put together: rows of both sides as `Detections`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.files.inputs import InputFile
from calipers.suites.coco.annotations.federated import Judged, federated_warnings, judge, read_federated
from calipers.suites.coco.annotations.images import Dataset
from calipers.suites.coco.annotations.instances import kept_images, pred_instances, truth_instances
from calipers.suites.coco.annotations.pred import Problems, check_pred
from calipers.suites.coco.annotations.repeats import (
    SideNotices,
    absent_fields,
    derived_shapes,
    join_notices,
    mistaken_file,
    none_usable,
    pred_warnings,
    truth_warnings,
)
from calipers.suites.coco.annotations.truth import Checked, check_truth
from calipers.suites.coco.columns import Detections

if TYPE_CHECKING:
    from calipers.suites.coco.formats.coco_json import CocoSide


class LoadedSide(NamedTuple):
    """One side that was read."""

    coco: CocoSide
    inputs: list[InputFile]
    warnings: list[str]
    problems: dict[int, str]
    answers: dict[str, Any] | None = None  # the section of the artifact about answers of models


def join_sides(truth: LoadedSide, pred: LoadedSide, data: Dataset, iou_type: str, *, federated: bool) -> Detections:
    """Both sides without what cannot be used, with warnings; `federated` is whether lists of classes are honoured."""
    truth_rows, pred_rows = truth.coco.rows, pred.coco.rows
    checked, bad, kept, points, bad_rows = check_truth(truth_rows, data, iou_type)
    guesses, problems = check_pred(pred_rows, data, iou_type, points, pred.problems)
    judged = _judge(truth, data, iou_type, checked, guesses, problems) if federated else None
    images = kept_images(data.images, kept)
    objects, detections = truth_instances(checked, kept), pred_instances(guesses, problems, kept)
    if judged is not None:
        detections.crowd = judged.partial[detections.place]
    as_written = truth_rows.origin.places is None
    notices = SideNotices(
        [*absent_fields(truth_rows, objects), *truth_warnings(objects, images, iou_type, as_written=as_written)],
        [*derived_shapes(pred_rows, detections, iou_type), *pred_warnings(detections, images)],
        bad_rows,
    )
    warnings = [
        *truth.warnings,
        *data.warnings,
        *(notice.text(truth_rows.origin) for notice in join_notices(notices.truth)),
        *pred.warnings,
        *mistaken_file(pred.coco),
        *none_usable(detections, pred_rows.origin),
        *(notice.text(pred_rows.origin) for notice in notices.pred),
        *([] if judged is None else federated_warnings(judged, pred_rows.origin.path)),
    ]
    return Detections(images, data.categories, objects, detections, [], warnings, bad, notices=notices)


def _judge(
    truth: LoadedSide, data: Dataset, iou_type: str, checked: Checked, guesses: Checked, problems: Problems
) -> Judged | None:
    """Apply federated annotations: detections of classes that were not looked for on an image lose that image."""
    federated = read_federated(truth.coco.lists["images"], data, iou_type)
    if federated is None:
        return None
    judged = judge(federated, checked, guesses, problems)
    guesses.image[judged.left_out] = -1
    return judged
