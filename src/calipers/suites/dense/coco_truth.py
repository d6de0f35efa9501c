"""Ground truth in COCO form, joined with answers by image: a model is measured on any detection data set as it is.

An answer is a JSON object a line that names its image: `image_id`, `file_name`, `image`, `image_path` or `id`, which is
an id of the ground truth, a file name of it, or the last part of one if that is unique. An image without an answer has
nothing predicted, and is counted; an answer without an image, or a second one of an image, is a bad record.

A label of an answer is the class of the ground truth with that name, else whatever its case and white space, and is
written as that class is; other labels stay as they are, and are right nowhere.

Boxes of the ground truth are cut to their image, as COCO rounds them; crowd regions are left out, and counted.
"""

from __future__ import annotations

from collections.abc import Container
from hashlib import sha256
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.answers.class_names import LabelClasses
from calipers.files.answers.image_names import IMAGE_FIELDS, AnswerImages, unanswered
from calipers.files.answers.records import FARTHEST, AnswerCounts, AnswerOptions, ReadAnswer, is_side, with_objects
from calipers.files.inputs import InputFile, find_doubled, parse_json, read_bytes
from calipers.files.json_checks import first_repeated
from calipers.files.lines import LineSource
from calipers.files.problems import FROM_ARRAY, BadRecord, shown

EXPECTED = 'a COCO file, {"images": […], "annotations": […], "categories": […]}'
PIECE = 8 << 20  # bytes

Record = dict[str, Any]


class JoinedRecords(NamedTuple):
    """Records as the suite reads them, one per image, with what was found on the way."""

    records: list[Record]
    lines: list[int]  # of the answers that records have, 0 where an image has none
    counts: AnswerCounts
    bad: list[BadRecord]
    missing: int  # images without an answer
    crowds: int  # regions that were left out
    inputs: list[InputFile]
    respelled: list[str]  # notes on labels that are classes but for their case and white space

    @property
    def notes(self) -> list[str]:
        """What a reader of the figures has to know of how both sides came together."""
        missing = [unanswered(self.missing)] if self.missing else []
        crowds = [f"{self.crowds:,} crowd regions of the ground truth were left out"] if self.crowds else []
        return [*missing, *self.respelled, *crowds]


class AnsweredImages:
    """The images of a ground truth, as records without predictions, and the names they go by."""

    def __init__(self, path: str, frame: str) -> None:
        data = read_bytes(path)
        self.path, self.frame = whole_text(path), frame
        tree, _, has_doubles = parse_json(data, path, EXPECTED)
        if has_doubles and (doubled := find_doubled(tree)):
            raise InputError(f"{self.path}: {doubled[0]}: {doubled[1]!r:.80} is there twice, expected every key once")
        self._images, annotations, categories = (
            _list(tree, name, path) for name in ("images", "annotations", "categories")
        )
        self.records: dict[Any, Record] = {}
        for place, image in enumerate(self._images):
            self._add_image(image, f"{self.path}: images[{place}]")
        self._classes = {
            item["id"]: item.get("name")
            for item in categories
            if isinstance(item, dict) and isinstance(item.get("id"), (int, str))
        }
        self.crowds = sum(self._add_box(item, f"{self.path}: annotations[{at}]") for at, item in enumerate(annotations))
        self.names = AnswerImages({key: record["image_path"] for key, record in self.records.items()}, self.path)
        self.input = InputFile(self.path, sha256(data).hexdigest(), len(self.records))

    def _add_image(self, image: Any, place: str) -> None:
        sizes: list[Any] = [image.get(name) for name in ("width", "height")] if isinstance(image, dict) else []
        if not sizes or not all(map(is_side, sizes)):
            raise InputError(f"{place}: found {shown(image)}, expected an image with id, file_name, width and height")
        key = image.get("id")
        if isinstance(key, bool) or not isinstance(key, (int, str)) or key in self.records:
            raise InputError(f"{place}.id: found {shown(key)}, expected a number or a text that no other image has")
        name = image.get("file_name")
        self.records[key] = {
            "image_path": name if isinstance(name, str) and name else str(key),
            "width": sizes[0],
            "height": sizes[1],
            self.truth_name: [],
        }

    @property
    def class_names(self) -> list[str]:
        """The names of all classes."""
        return [name for name in self._classes.values() if isinstance(name, str)]

    @property
    def truth_name(self) -> str:
        """The field of ground truth in the frame of the records."""
        return "gt" if self.frame == "pixel" else "gt_norm1000"

    @property
    def pred_name(self) -> str:
        """The field of predictions in the frame of the records."""
        return pred_name(self.frame)

    def _add_box(self, item: Any, place: str) -> bool:
        """Take an annotation to its image; true if it is a crowd, which is left out."""
        image = _entry(self.records, item, "image_id")
        if image is None:
            raise InputError(f"{place}: found {shown(item)}, expected an annotation of an image of the file")
        if item.get("iscrowd"):
            return True
        box, name = item.get("bbox"), _entry(self._classes, item, "category_id")
        if not isinstance(box, list) or len(box) != 4 or not all(map(_is_number, box)) or min(box[2:]) < 0:
            raise InputError(f"{place}.bbox: found {shown(box)}, expected x, y, width and height")
        if not isinstance(name, str):
            raise InputError(
                f"{place}.category_id: found {shown(item.get('category_id'))}, expected that of a category"
            )
        points = _points(box, image["width"], image["height"], self.frame)
        image[self.truth_name].append({"type": "bbox_2d", "points": points, "desc": name})
        return False


def pred_name(frame: str) -> str:
    """The field of predictions of records in a frame."""
    return "pred" if frame == "pixel" else "pred_norm1000"


def _list(tree: Any, name: str, path: str) -> list[Any]:
    items = tree.get(name) if isinstance(tree, dict) else None
    if not isinstance(items, list):
        raise InputError(f"{whole_text(path)}: no {name}, expected {EXPECTED}")
    return items


def _entry(known: dict[Any, Any], item: Any, field: str) -> Any:
    """What an annotation refers to by an id, None if there is no such thing."""
    key = item.get(field) if isinstance(item, dict) else None
    return known.get(key) if isinstance(key, (int, str)) and not isinstance(key, bool) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -FARTHEST < value < FARTHEST


def _points(box: list[float], width: float, height: float, frame: str) -> list[float]:
    """The corners of x, y, width and height, cut to the image.

    >>> _points([-1, 50, 51, 60], 100, 100, "norm1000")
    [0.0, 500.0, 500.0, 1000.0]
    """
    x, y, wide, high = box
    corners = ((x, width), (y, height), (x + wide, width), (y + high, height))
    cut = [(min(max(value, 0), side), side) for value, side in corners]
    return [float(value) if frame == "pixel" else value * 1000 / side for value, side in cut]


def join_answers(truth: str, pred: str, *, frame: str, options: AnswerOptions) -> JoinedRecords:
    """Records of all images of a ground truth, with the answers of a file of JSON lines."""
    return join_images(AnsweredImages(truth, frame), pred, options)


def join_images(images: AnsweredImages, pred: str, options: AnswerOptions) -> JoinedRecords:
    """Records of all images of a ground truth that was read, with the answers of a file of JSON lines."""
    from calipers.suites.dense.parse import parse_line

    counts, bad, read = AnswerCounts(), list[BadRecord](), 0
    answered: dict[Any, tuple[Record, int]] = {}  # with the line of the answer
    classes = LabelClasses(images.class_names)
    source, path = LineSource(0, pred, PIECE), whole_text(pred)
    for line, text in (item for shard in source for item in shard.lines()):
        if text is not None and not text.strip():
            continue
        read += 1
        answer, problem = parse_line(text.strip()) if text else (None, "")
        taken = problem or _take(answer, images, answered, options)
        if isinstance(taken, str):
            bad.append(BadRecord(path, line, taken, ""))
        else:
            counts.add(taken[1])
            answered[taken[0]] = _named(taken[1].record, images.pred_name, classes), line
    joined = [answered.get(key, ({**record, images.pred_name: []}, 0)) for key, record in images.records.items()]
    inputs = [images.input, InputFile(path, source.sha256, read)]
    records, lines = [record for record, _ in joined], [line for _, line in joined]
    missing = len(records) - len(answered)
    return JoinedRecords(records, lines, counts, bad, missing, images.crowds, inputs, classes.notes())


def _named(record: Record, side: str, classes: LabelClasses) -> Record:
    """A record whose predictions have the names of their classes."""
    return {**record, side: [classes.named(item) for item in record[side]]}


def _take(
    answer: Any, images: AnsweredImages, answered: Container[Any], options: AnswerOptions
) -> tuple[Any, ReadAnswer] | str:
    """The image that an answer is about and its record with the answer in it; or what is wrong with the answer."""
    if not isinstance(answer, dict):
        return "not a JSON object, expected one a line" + (f" ({FROM_ARRAY})" if isinstance(answer, list) else "")
    if lost := first_repeated(answer):
        return f"{shown(lost)}: is there twice, expected every key once"
    key, problem = images.names.find(answer)
    if key is None:
        return problem
    if key in answered:
        return f"a second answer for {images.records[key]['image_path']}, expected one an image"
    fields = {field: value for field, value in answer.items() if field not in IMAGE_FIELDS}
    read = with_objects({**fields, **images.records[key]}, images.pred_name, options, images.frame, list(answer))
    return read if isinstance(read, str) else (key, read)
