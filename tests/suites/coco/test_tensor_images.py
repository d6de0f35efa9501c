"""Batches as torchmetrics takes them: the figures under its names, the same bits as the same images in COCO's form."""

import numpy as np
import pytest

import calipers
from calipers.core.errors import ConfigError, InputError


class Tensor:
    """As much of a torch tensor as is needed: on a device, in a graph, without `__array__`."""

    def __init__(self, values, kind=np.float32, on="cuda"):
        self.values, self.on, self.dtype = np.asarray(values, kind), on, f"torch.{np.dtype(kind)}"

    def detach(self):
        return self

    def cpu(self):
        return Tensor(self.values, self.values.dtype, "cpu")

    def numpy(self):
        assert self.on == "cpu", "a tensor on a device cannot be converted"
        return self.values


class Half(Tensor):
    """A tensor of a type that numpy has not."""

    def __init__(self, values):
        super().__init__(values)
        self.dtype = "torch.bfloat16"

    def cpu(self):
        return self

    def float(self):
        return Tensor(self.values, np.float32, "cpu")


def image(boxes, labels, scores=None, **more):
    side = {"boxes": Tensor(np.reshape(boxes, (-1, 4))), "labels": Tensor(labels, np.int64), **more}
    return side if scores is None else {**side, "scores": Tensor(scores)}


# Two images. Class 1 has an object on each, 10 x 10; class 5 one on the first, 40 x 40.
# The surest detection of class 1 is right at IoU 0.8, the second is nowhere, the third right at IoU 1.
# AP at 0.50 to 0.80 (7 thresholds): ranked right, wrong, right of 2 objects: precision 1 up to recall 0.5 (51 steps),
# then 2/3 (50 steps): (51 + 50 x 2/3) / 101. Beyond, 0.85 to 0.95 (3): wrong, wrong, right: precision 1/3 up to 0.5.
# Class 5 has no detection: AP 0. Class 9 has a detection and no object: undefined.
TARGETS = [image([[0, 0, 10, 10], [50, 50, 90, 90]], [1, 5]), image([[20, 0, 30, 10]], [1])]
PREDS = [
    image([[0, 0, 10, 8], [60, 0, 70, 10]], [1, 1], [0.9, 0.8]),
    image([[20, 0, 30, 10], [1, 1, 2, 2]], [1, 9], [0.7, 0.6]),
]
AT_LOW, AT_HIGH = (51 + 50 * 2 / 3) / 101, 51 / 3 / 101
ONE = (7 * AT_LOW + 3 * AT_HIGH) / 10
# AR with 1 detection a class and image: 2 of 2 at seven thresholds, 1 of 2 at three.
RECALL = (7 * 1 + 3 * 0.5) / 10
EXPECTED = {
    "map": ONE / 2,
    "map_50": AT_LOW / 2,
    "map_75": AT_LOW / 2,
    "map_small": ONE,
    "map_medium": 0.0,
    "map_large": None,
    "mar_1": RECALL / 2,
    "mar_10": RECALL / 2,
    "mar_100": RECALL / 2,
    "mar_small": RECALL,
    "mar_medium": 0.0,
    "mar_large": None,
    "map_per_class": [ONE, 0.0, None],
    "mar_100_per_class": [RECALL, 0.0, None],
    "classes": [1, 5, 9],
}


def metered(*batches, **options):
    meter = calipers.CocoMeter(**options, bootstrap=0)
    for preds, target in batches:
        meter.update(preds, target)
    return meter


def test_the_figures_under_the_names_of_torchmetrics():
    flat = metered((PREDS, TARGETS)).compute().flat(style="torchmetrics")
    assert list(flat) == list(EXPECTED)
    for name, value in EXPECTED.items():
        assert flat[name] == (value if value is None or name == "classes" else pytest.approx(value, abs=1e-12)), name


def test_names_follow_max_dets_and_the_prefix():
    flat = metered((PREDS, TARGETS), max_dets=(1, 300)).compute().flat("val/", style="torchmetrics")
    assert flat["val/mar_300"] == pytest.approx(RECALL / 2, abs=1e-12)
    assert [name for name in flat if "mar_" in name][-1] == "val/mar_300_per_class"


def test_batches_are_the_same_images_in_cocos_form():
    gt = {
        "images": [{"id": 0}, {"id": 1}],
        "categories": [{"id": k, "name": str(k)} for k in (1, 5, 9)],
        "annotations": [
            {"id": 0, "image_id": 0, "category_id": 1, "bbox": [0, 0, 10, 10], "area": 100, "iscrowd": 0},
            {"id": 1, "image_id": 0, "category_id": 5, "bbox": [50, 50, 40, 40], "area": 1600, "iscrowd": 0},
            {"id": 1 << 20, "image_id": 1, "category_id": 1, "bbox": [20, 0, 10, 10], "area": 100, "iscrowd": 0},
        ],
    }
    boxes = [
        (0, 1, [0, 0, 10, 8], 0.9),
        (0, 1, [60, 0, 10, 10], 0.8),
        (1, 1, [20, 0, 10, 10], 0.7),
        (1, 9, [1, 1, 1, 1], 0.6),
    ]
    rows = [{"image_id": k, "category_id": c, "bbox": b, "score": float(np.float32(s))} for k, c, b, s in boxes]
    expected = calipers.coco(gt, rows).to_json()
    for batches in ([(PREDS, TARGETS)], [(PREDS[:1], TARGETS[:1]), (PREDS[1:], TARGETS[1:])]):
        meter = calipers.CocoMeter()
        for preds, target in batches:
            meter.update(preds=preds, targets=target)
        assert meter.compute().to_json() == expected
    meter.reset()
    meter.update(tuple(PREDS), target=tuple(TARGETS))
    assert meter.compute().to_json() == expected


def test_arrays_lists_and_tensors_numpy_has_no_type_for():
    plain = [{name: side[name].values.tolist() for name in side} for side in PREDS]
    halves = [{**side, "boxes": Half(side["boxes"].values)} for side in PREDS]
    arrays = [{name: side[name].values for name in side} for side in PREDS]
    expected = metered((arrays, TARGETS)).compute()
    assert metered((halves, TARGETS)).compute().to_json() == expected.to_json()
    assert metered((plain, TARGETS)).compute()["coco"] == expected["coco"]


@pytest.mark.parametrize(
    ("form", "box"), [("xyxy", [2, 4, 12, 10]), ("xywh", [2, 4, 10, 6]), ("cxcywh", [7, 7, 10, 6])]
)
def test_formats_of_boxes(form, box):
    truth = [{"image_id": Tensor([7], np.int64), "labels": [2], "boxes": np.array([box], np.float32)}]
    pred = [{"labels": [2], "scores": [0.5], "boxes": np.array([box])}]
    report = metered((pred, truth), box_format=form).compute()
    assert [[row[name] for name in ("x", "y", "width", "height")] for row in report.matches()] == [[2, 4, 10, 6]] * 2
    assert report["coco"]["AP"] == 1.0


def test_masks_crowds_and_areas():
    truth, pred = np.zeros((2, 8, 10), bool), np.zeros((1, 8, 10), np.uint8)
    truth[0, :4, :4], truth[1, 4:, 5:] = True, True
    pred[0, :4, :3] = 1  # 12 of 16 cells: IoU 0.75
    target = {"masks": truth, "labels": [0, 0], "iscrowd": Tensor([0, 1], np.int64), "area": [0, 2000.0]}
    report = metered(([{"masks": pred, "labels": [0], "scores": [0.5]}], [target]), iou_type="segm").compute()
    assert report["sweep"]["mean_overlap_matched"] == 0.75
    assert report["objects"] == {**report["objects"], "gt": 2, "crowd": 1}
    assert report["coco"]["AP_small"] == report["coco"]["AP"] == pytest.approx(0.6)  # 6 of 10 thresholds
    assert report["warnings"] == []


@pytest.mark.parametrize("names", [{1: "cone", 7: "sign"}, ["none", "cone", "2", "3", "4", "5", "6", "sign"]])
def test_names_of_classes(names):
    report = metered((PREDS, TARGETS), class_names=names).compute()
    assert {
        row["category_id"]: row["name"] for row in report["per_class"] if row["pred"] or row["category_id"] == 7
    } == {
        1: "cone",
        7: "sign",
        9: "9",
    }
    assert report.flat(style="torchmetrics")["classes"] == [1, 5, 9]
    with pytest.raises(ConfigError, match="class_names: found 'cone', expected"):
        calipers.CocoMeter(class_names="cone")


def test_meters_of_two_processes_merge_though_both_number_their_images():
    first, second = metered((PREDS[:1], TARGETS[:1])), metered((PREDS[1:], TARGETS[1:]))
    first.merge(second)
    assert first.compute().to_json() == metered((PREDS, TARGETS)).compute().to_json()
    assert second.compute()["images"]["total"] == 1  # as it was
    first.merge(second)
    first.update(PREDS[:1], TARGETS[:1])
    assert first.compute()["images"]["total"] == 4


def test_images_with_ids_of_their_own_come_once():
    named = [{**side, "image_id": k} for k, side in enumerate(TARGETS, 3)]
    meter = metered((PREDS, named))
    with pytest.raises(InputError, match="the image '3' was added before"):
        meter.update(PREDS, named)
    meter.update(PREDS, TARGETS)
    assert meter.compute()["images"]["total"] == 4


def test_an_empty_batch_and_images_without_objects():
    nothing = [{"boxes": Tensor([]), "labels": Tensor([], np.int64), "scores": Tensor([])}]
    meter = metered(([], []), (nothing, nothing), (PREDS, TARGETS))
    assert meter.compute()["images"] == {**meter.compute()["images"], "total": 3, "skipped_empty": 1}


@pytest.mark.parametrize(
    ("pred", "target", "message"),
    [
        ({}, {}, r"update: preds\[0\]: found .*, expected {boxes, scores, labels}"),
        ({}, {"boxes": None}, r"update: targets\[0\]: found .*, expected {boxes, labels}"),
        ({"labels": [1, 2]}, {}, r"preds\[0\]: found 2 labels, 1 boxes, 1 scores, expected as many of each"),
        ({"labels": ["cat"]}, {}, r"preds\[0\].labels: found .*, expected whole numbers"),
        ({"labels": [1.0]}, {}, r"preds\[0\].labels: found .*, expected whole numbers"),
        ({"boxes": [[1, 2, 3]]}, {}, r"preds\[0\].boxes: found shape \(1, 3\), expected \(n, 4\)"),
        ({"boxes": [[1, 2, 3], [4]]}, {}, r"preds\[0\].boxes: .*, expected numbers of shape \(n, 4\)"),
        ({}, {"area": [1, 2]}, r"targets\[0\]: found 1 labels, 1 boxes, 2 area"),
        ({}, {"image_id": [1, 2]}, r"targets\[0\].image_id: found .*, expected a whole number"),
        ({}, {"iscrowd": [3]}, "iscrowd"),
        ({}, {"boxes": [[52, 30, 11, 9]]}, r'targets\[0\].boxes\[0\]: found \[52, 30, 11, 9\], .* box_format="xywh"'),
        ({"scores": None}, {"scores": [0.5]}, r"found scores in targets\[0\] and none in preds\[0\], .* swapped\?"),
    ],
)
def test_what_is_wrong_with_a_batch_is_named_and_nothing_is_added(pred, target, message):
    whole = {"boxes": [[0, 0, 1, 1]], "labels": [1]}
    preds, targets = {**whole, "scores": [0.5], **pred}, {**whole, **target}
    if not pred and not target:
        del preds["boxes"]
    if target.get("boxes", 0) is None:
        del targets["boxes"]
    if preds["scores"] is None:
        del preds["scores"]
    meter = metered((PREDS, TARGETS))
    with pytest.raises(InputError, match=message):
        meter.update([preds], [targets])
    assert meter.compute().to_json() == metered((PREDS, TARGETS)).compute().to_json()


def test_what_is_no_batch():
    meter = calipers.CocoMeter()
    with pytest.raises(InputError, match="found 2 preds, 1 targets, expected one for each image"):
        meter.update(PREDS, TARGETS[:1])
    for call in ({"preds": PREDS}, {"preds": PREDS, "target": TARGETS, "gt": {}}, {"preds": PREDS, "truth": TARGETS}):
        with pytest.raises(InputError, match=r"expected update\(preds, target\)"):
            meter.update(**call)
    with pytest.raises(InputError, match="expected iou_type bbox or segm"):
        calipers.CocoMeter(iou_type="keypoints").update(PREDS, TARGETS)
    with pytest.raises(ConfigError, match="box_format"):
        calipers.CocoMeter(box_format="yxyx")


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ((PREDS,), "found preds without their target"),
        ((PREDS[0],), r"found a dict of one image, expected lists of them: update\(\[pred\], \[target\]\)"),
        ((PREDS[0], TARGETS[0]), "found a dict of one image"),
        ((PREDS, TARGETS[0]), "found a dict of one image"),
    ],
)
def test_half_a_batch_is_refused_in_the_words_of_batches(sides, message):
    with pytest.raises(InputError, match=message):
        calipers.CocoMeter().update(*sides)


@pytest.mark.parametrize("stream", [False, True])
def test_predicted_boxes_that_are_sizes_are_told(stream):
    as_sizes = {"boxes": [[52, 30, 11, 9], [40, 30, 9, 9]], "scores": [0.8, 0.7], "labels": [1, 1]}
    right = {"boxes": [[1, 1, 5, 5]], "scores": [0.5], "labels": [1]}
    target = {"boxes": [[52, 30, 63, 39]], "labels": [1]}
    words = '<pred>: 2 of 3 boxes end before they begin, as x1, y1, x2, y2, and match nothing: box_format="xywh" is for'
    meter = metered(([as_sizes], [target]), stream=stream)
    meter.merge(metered(([right], [target]), stream=stream))
    assert [text for text in meter.compute()["warnings"] if text.startswith(words)]
    meter.update([right] * 2, [target] * 2)
    assert meter.compute()["warnings"] == []  # 2 of 5
    assert metered(([as_sizes], [target]), box_format="xywh").compute()["warnings"] == []


def test_styles_that_a_result_does_not_have():
    report = metered((PREDS, TARGETS)).compute()
    with pytest.raises(ConfigError, match="style: found 'torch', expected 'torchmetrics'"):
        report.flat(style="torch")
    with pytest.raises(ConfigError, match="dense has no names of another library"):
        calipers.dense("examples/dense/gt_vs_pred.jsonl", bootstrap=0).flat(style="torchmetrics")
