"""Batches as torchmetrics takes them, as rows of COCO: one dict for each image and side, of tensors or arrays.

    preds    {"boxes": (n, 4), "scores": (n,), "labels": (n,), "masks": (n, height, width)}
    targets  {"boxes": (n, 4), "labels": (n,), "masks", "iscrowd": (n,), "area": (n,), "image_id"}

Boxes are needed for `iou_type` bbox, masks for segm. `iscrowd`, `area` and `image_id` may be absent; an image without
an id is numbered in the order it came, and a class is called by its number unless the meter knows a name for it. An
area of 0 or less is that of the box or mask. Widths and heights are computed in the precision that boxes have, as
torchmetrics computes them, so that overlaps are the same to the last bit.

A tensor is anything that numpy takes (`__array__`), or that has `.cpu().numpy()`. None of torch is imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calipers.core.errors import InputError, require
from calipers.core.option_values import word
from calipers.files.problems import shown

BOX_FORMATS = ("xyxy", "xywh", "cxcywh")
OBJECTS, MAX_NUMBERED = 1 << 20, 1 << 42  # annotations of an image that have ids, images whose annotations have
MASK_FIELDS = {"bbox": "boxes", "segm": "masks"}
GIVEN_AS = {"category_id": "labels", "bbox": "boxes", "segmentation": "masks", "score": "scores"}  # fields of rows
AS_SIZES = 'box_format="xywh" is for x, y, width and height'


class CocoBatch(NamedTuple):
    """Images of a batch: their ground truth and detections in COCO's form, and which ids were made up."""

    gt: dict[str, Any]
    results: list[dict[str, Any]]
    unnamed: list[int]
    boxes: TurnedBoxes


class TurnedBoxes(NamedTuple):
    """Predicted boxes of tensors: how many came, and how many end before they begin."""

    given: int = 0
    turned: int = 0

    def plus(self, other: TurnedBoxes) -> TurnedBoxes:
        """The counts of both."""
        return TurnedBoxes(self.given + other.given, self.turned + other.turned)

    def doubts(self) -> list[str]:
        """A warning where at least half of them cannot be boxes."""
        if not self.turned or 2 * self.turned < self.given:
            return []
        doubt = f"{self.turned:,} of {self.given:,} boxes end before they begin, as x1, y1, x2, y2"
        return [f"<pred>: {doubt}, and match nothing: {AS_SIZES}"]


def refuse_bare_batch(*sides: Any) -> None:
    """Refuse images of a batch without their other side, or that stand in no list."""
    if any(isinstance(side, Mapping) and _has_tensors(side) for side in sides):
        raise InputError("update: found a dict of one image, expected lists of them: update([pred], [target])")
    if any(isinstance(side, (list, tuple)) and side and _has_tensors(side[0]) for side in sides):
        passed = "preds without their target" if len(sides) == 1 else "preds beside something else"
        raise InputError(f"update: found {passed}, expected update(preds, target): lists with a dict for each image")


def _has_tensors(item: Any) -> bool:
    """Whether something is one side of an image, and neither a detection nor a data set in COCO's form."""
    return isinstance(item, Mapping) and not {"boxes", "masks", "labels"}.isdisjoint(item)


def is_batch(*sides: Any) -> bool:
    """Whether two sides are lists of images, and not of rows in COCO's form, whose ground truth is never a list."""
    lists = len(sides) == 2 and all(isinstance(side, (list, tuple)) for side in sides)
    return lists and not any(isinstance(item, Mapping) and "category_id" in item for side in sides for item in side[:1])


def batch_sides(sides: tuple[Any, ...], named: Mapping[str, Any], *others: Any) -> tuple[Any, Any]:
    """Detections and ground truth of a batch, by place or by name."""
    names = ("preds", "target")[len(sides) :]
    by_name = {"target" if name == "targets" else name: side for name, side in named.items()}
    whole = [*sides, *(by_name[name] for name in names if name in by_name)]
    if set(by_name) != set(names) or not is_batch(*whole) or any(other is not None for other in others):
        passed = ", ".join([*(type(side).__name__ for side in sides), *named]) or "nothing"
        raise InputError(f"update: found {passed}, expected update(preds, target): lists with a dict for each image")
    return whole[0], whole[1]


class BatchReader:
    """Turns batches into rows of COCO, for one type of overlap and one format of boxes."""

    def __init__(
        self, iou_type: str, box_format: str, names: Mapping[int, str] | Sequence[str], *, strict: bool = True
    ) -> None:
        """`strict` is whether a box of ground truth that ends before it begins is refused here."""
        self._strict = strict
        self.iou_type, self.box_format = iou_type, word("box_format", box_format, BOX_FORMATS)
        listed = isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names)
        require(
            listed or isinstance(names, Mapping), "class_names", names, "a dict of names by label, or a list of names"
        )
        self._names: dict[int, str] = dict(names) if isinstance(names, Mapping) else dict(enumerate(names))

    def read(
        self, preds: Sequence[Any], targets: Sequence[Any], images: set[int], known: Mapping[int, str]
    ) -> CocoBatch:
        """A batch in COCO's form; `images` are ids that are taken, `known` are classes that have a name already."""
        if self.iou_type not in MASK_FIELDS:
            raise InputError(f"update: found tensors, expected iou_type bbox or segm for them, not {self.iou_type}")
        if len(preds) != len(targets):
            raise InputError(f"update: found {len(preds)} preds, {len(targets)} targets, expected one for each image")
        _refuse_swapped(preds, targets)
        truths = [self._objects(side, f"targets[{k}]") for k, side in enumerate(targets)]
        detected = [self._objects(side, f"preds[{k}]", scored=True) for k, side in enumerate(preds)]
        ids, unnamed = _image_ids(targets, images)
        names = self._names | dict(known)
        labels = sorted({*names, *(row["category_id"] for rows in (*truths, *detected) for row in rows)})
        sizes = [_size(true, pred) for true, pred in zip(truths, detected, strict=True)]
        gt = {
            "images": [{"id": ident, **size} for ident, size in zip(ids, sizes, strict=True)],
            "categories": [{"id": label, "name": names.get(label, str(label))} for label in labels],
            "annotations": _numbered(_placed(truths, ids)),
        }
        return CocoBatch(gt, _placed(detected, ids), unnamed, _counted_boxes(detected))

    def _objects(self, side: Any, place: str, *, scored: bool = False) -> list[dict[str, Any]]:
        """Rows of the objects on one side of an image, without the image."""
        needed = MASK_FIELDS[self.iou_type]
        wanted = (needed, "scores", "labels") if scored else (needed, "labels")
        if not isinstance(side, Mapping) or any(name not in side for name in wanted):
            raise InputError(f"update: {place}: found {shown(side)}, expected {{{', '.join(wanted)}}}")
        fields: dict[str, list[Any]] = {"category_id": _labels(side["labels"], f"{place}.labels")}
        name, shapes, areas = self._shapes(side, place)
        fields[name] = shapes
        if self._strict and not scored and self.box_format == "xyxy" and name == "bbox":
            _refuse_turned(side["boxes"], shapes, f"{place}.boxes")
        if scored:
            fields["score"] = _numbers(side["scores"], f"{place}.scores").tolist()
        else:
            fields |= _crowd_and_area(side, place, areas)
        lengths = {name: len(values) for name, values in fields.items()}
        if len(set(lengths.values())) > 1:
            sizes = {GIVEN_AS.get(name, name): size for name, size in lengths.items()}
            counts = ", ".join(f"{size} {name}" for name, size in sizes.items() if name in side)
            raise InputError(f"update: {place}: found {counts}, expected as many of each")
        return [dict(zip(fields, values, strict=True)) for values in zip(*fields.values(), strict=True)]

    def _shapes(self, side: Mapping[str, Any], place: str) -> tuple[str, list[Any], list[float]]:
        """What rows call the shapes of one side, the shapes, and their areas."""
        if self.iou_type == "segm":
            masks = _masks(side["masks"], f"{place}.masks")
            return "segmentation", [_run_lengths(mask) for mask in masks], masks.sum(axis=(1, 2)).tolist()
        boxes = _array(side["boxes"], f"{place}.boxes", "numbers of shape (n, 4)", "iuf")
        if not boxes.size:
            boxes = boxes.reshape(0, 4)
        if boxes.ndim != 2 or boxes.shape[1] != 4:
            raise InputError(f"update: {place}.boxes: found shape {boxes.shape}, expected (n, 4)")
        sized = _sized(boxes.astype(np.int64) if boxes.dtype.kind == "u" else boxes, self.box_format).tolist()
        return "bbox", sized, [box[2] * box[3] for box in sized]


def _refuse_swapped(preds: Sequence[Any], targets: Sequence[Any]) -> None:
    """Refuse sides of which only the second has scores."""
    for k, (pred, target) in enumerate(zip(preds, targets, strict=True)):
        if isinstance(pred, Mapping) and isinstance(target, Mapping) and "scores" in target and "scores" not in pred:
            swapped = f"scores in targets[{k}] and none in preds[{k}]"
            raise InputError(f"update: found {swapped}, expected update(preds, target): are they swapped?")


def _refuse_turned(written: Any, sized: list[Any], place: str) -> None:
    """Refuse ground truth in which a box ends before it begins; it is shown as it was written."""
    turned = next((k for k, box in enumerate(sized) if _is_turned(box)), None)
    if turned is not None:
        problem = f"{place}[{turned}]: found {shown(to_array(written)[turned].tolist())}"
        raise InputError(f"update: {problem}, expected x1, y1, x2, y2 with x1 <= x2 and y1 <= y2; {AS_SIZES}")


def _is_turned(box: Sequence[float]) -> bool:
    return box[2] < 0 or box[3] < 0


def _counted_boxes(images: list[list[dict[str, Any]]]) -> TurnedBoxes:
    boxes = [row["bbox"] for rows in images for row in rows if "bbox" in row]
    return TurnedBoxes(len(boxes), sum(map(_is_turned, boxes)))


def _sized(boxes: NDArray[Any], box_format: str) -> NDArray[Any]:
    """Boxes as x, y, width and height.

    >>> _sized(np.array([[1.0, 2, 4, 6]]), "xyxy").tolist(), _sized(np.array([[4.0, 6, 2, 4]]), "cxcywh").tolist()
    ([[1.0, 2.0, 3.0, 4.0]], [[3.0, 4.0, 2.0, 4.0]])
    """
    if box_format == "xywh":
        return boxes
    first, second = boxes[:, :2], boxes[:, 2:]
    if box_format == "cxcywh":
        half = second * np.asarray(0.5, boxes.dtype if boxes.dtype.kind == "f" else np.float64)
        first, second = first - half, first + half
    return np.concatenate([first, second - first], axis=1)


def to_array(value: Any) -> NDArray[Any]:
    """What a tensor of any library holds, as an array; numbers in lists too."""
    for step in ("detach", "cpu"):
        value = getattr(value, step)() if hasattr(value, step) else value
    if str(getattr(value, "dtype", "")).endswith("bfloat16"):  # which numpy has not
        value = value.float()
    if not hasattr(value, "__array__") and hasattr(value, "numpy"):
        value = value.numpy()
    return np.asarray(value)


def _array(value: Any, place: str, expected: str, kinds: str) -> NDArray[Any]:
    """An array of numbers of these kinds; an empty one may be of any."""
    try:
        array = to_array(value)
    except (ValueError, TypeError) as error:
        raise InputError(f"update: {place}: {error}, expected {expected}") from error
    if array.size and array.dtype.kind not in kinds:
        raise InputError(f"update: {place}: found {shown(value)}, expected {expected}")
    return array


def _numbers(value: Any, place: str) -> NDArray[np.float64]:
    """One number for each object."""
    return _array(value, place, "numbers, one for each object", "iufb").astype(np.float64).reshape(-1)


def _labels(value: Any, place: str) -> list[int]:
    labels: list[int] = _array(value, place, "whole numbers, one for each object", "iu").reshape(-1).tolist()
    return [int(label) for label in labels]


def _masks(value: Any, place: str) -> NDArray[np.bool_]:
    """(n, height, width) masks."""
    masks = _array(value, place, "masks of shape (n, height, width)", "biu")
    if not masks.size and masks.shape[:1] in ((), (0,)):
        return np.empty((0, 1, 1), np.bool_)
    if masks.ndim != 3:
        raise InputError(f"update: {place}: found shape {masks.shape}, expected (n, height, width)")
    return np.asarray(masks != 0)


def _run_lengths(mask: NDArray[np.bool_]) -> dict[str, Any]:
    """A mask as COCO writes it: lengths of runs, column by column.

    >>> _run_lengths(np.array([[False, True], [True, True]]))
    {'size': [2, 2], 'counts': '13'}
    """
    from hotcoco import mask as engine

    counts = engine.encode(np.asfortranarray(mask).view(np.uint8))["counts"]
    return {"size": list(mask.shape), "counts": counts.decode("ascii")}


def _crowd_and_area(side: Mapping[str, Any], place: str, drawn: list[float]) -> dict[str, list[Any]]:
    """What only ground truth has; an area that is not given, or is none, is that of the box or mask."""
    crowd = [0] * len(drawn) if side.get("iscrowd") is None else _numbers(side["iscrowd"], f"{place}.iscrowd").tolist()
    if side.get("area") is None:
        return {"iscrowd": crowd, "area": drawn}
    areas = _numbers(side["area"], f"{place}.area").tolist()
    if len(areas) == len(drawn):
        areas = [own if area <= 0 else area for area, own in zip(areas, drawn, strict=True)]
    return {"iscrowd": crowd, "area": areas}


def _image_ids(targets: Sequence[Any], taken: set[int]) -> tuple[list[int], list[int]]:
    """The ids of all images, and those of them that were made up since the image has none."""
    own_ids = [_image_id(side, f"targets[{k}].image_id") for k, side in enumerate(targets)]
    known = {ident for ident in own_ids if ident is not None}
    if again := sorted(known & taken):
        raise InputError(f"the image '{again[0]}' was added before, expected each image once")
    free = (number for number in count(len(taken)) if number not in taken and number not in known)
    ids = [next(free) if ident is None else ident for ident in own_ids]
    return ids, [ident for ident, own in zip(ids, own_ids, strict=True) if own is None]


def _image_id(side: Mapping[str, Any], place: str) -> int | None:
    if side.get("image_id") is None:
        return None
    numbers = _array(side["image_id"], place, "a whole number", "iu").reshape(-1)
    if numbers.size != 1:
        raise InputError(f"update: {place}: found {shown(side['image_id'])}, expected a whole number")
    return int(numbers[0])


def _size(*sides: list[dict[str, Any]]) -> dict[str, int]:
    """Height and width of an image, where a mask tells them."""
    for row in (row for rows in sides for row in rows[:1] if "segmentation" in row):
        height, width = row["segmentation"]["size"]
        return {"height": height, "width": width}
    return {}


def _placed(images: list[list[dict[str, Any]]], ids: list[int]) -> list[dict[str, Any]]:
    return [{"image_id": ident, **row} for ident, rows in zip(ids, images, strict=True) for row in rows]


def _numbered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Annotations with ids that no annotation of another image has, unless ids of images leave no room for them."""
    if not all(abs(row["image_id"]) < MAX_NUMBERED for row in rows):
        return rows
    places = (place for _, group in groupby(rows, key=itemgetter("image_id")) for place, _ in enumerate(group))
    return [{"id": row["image_id"] * OBJECTS + place, **row} for place, row in zip(places, rows, strict=True)]


def renumbered(gt: Mapping[str, Any], new: Mapping[int, int]) -> dict[str, Any]:
    """A data set whose images have other ids."""
    images = [{**image, "id": new.get(image["id"], image["id"])} for image in gt["images"]]
    rows = [{name: value for name, value in row.items() if name != "id"} for row in gt["annotations"]]
    return {**gt, "images": images, "annotations": _numbered(renumbered_rows(rows, new))}


def renumbered_rows(rows: Sequence[Any], new: Mapping[int, int]) -> list[Any]:
    """Rows on images that have other ids."""
    return [{**row, "image_id": new.get(row["image_id"], row["image_id"])} for row in rows]


def new_ids(old: set[int], taken: set[int]) -> dict[int, int]:
    """Other ids for some images, in the same order, none of which is taken.

    >>> new_ids({0, 1}, {0, 1, 2})
    {0: 3, 1: 4}
    """
    free = (number for number in count(len(taken)) if number not in taken)
    return dict(zip(sorted(old), free, strict=False))
