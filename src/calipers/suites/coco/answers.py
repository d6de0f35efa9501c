"""Answers of vision-language models as detections: objects in the words of a family, joined by image.

An answer is a JSON object a line, or a dict in memory, that names its image; what it says of objects is a text or a
list, read as the dense suite reads it, and brought to pixels of the image. A label is the class of the ground truth
with that name, else whatever the case and the white space; every other one is of one class more, `OTHER`, which has no
objects: such a detection is wrong in the sweep, and AP does not see it. An object that cannot be read, or is a line, is
an invalid detection. A model that gives `score` or `confidence` is ranked by it; without, there is no order, and no AP.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.core.tally import Tally
from calipers.core.text import whole_text
from calipers.files.answers.class_names import LabelClasses, commonest
from calipers.files.answers.image_names import IMAGE_FIELDS, AnswerImages, unanswered
from calipers.files.answers.records import (
    MISSING,
    AnswerCounts,
    AnswerOptions,
    answers_tree,
    check_frame,
    frame_doubts,
    is_side,
    with_objects,
)
from calipers.files.inputs import InputFile, parse_json
from calipers.files.json_checks import first_repeated
from calipers.files.lines import LineSource
from calipers.files.problems import json_problem, shown
from calipers.suites.coco.columns import OTHER
from calipers.suites.coco.formats.converted import ImagesAndCategories

FRAME_END, FARTHEST = 1000, 1e100  # a number farther away is a place in no image
FEW_CUT = 4  # objects that may reach outside without a word
FRAME, FIELD = "norm1000", "pred_norm1000"  # to which answers are brought first, and what objects are called in it
PIECE = 8 << 20  # bytes
UNKNOWN_LABELS = "objects with labels that are no class of the ground truth, which count as wrong"
Row = dict[str, Any]


class AnsweredRows(NamedTuple):
    """Detections in COCO's form, with what was found on the way."""

    rows: list[Row]
    places: list[str]
    problems: dict[int, str]
    unknown: dict[int, str]  # labels of rows that are of the one class more
    categories: list[Row]  # those of the ground truth, and one more
    tree: dict[str, Any]  # the section of the artifact about answers
    inputs: list[InputFile]
    warnings: list[str]


def read_answers(pred: Any, known: ImagesAndCategories, truth: str, options: AnswerOptions) -> AnsweredRows:
    """The detections of all answers; an InputError names the line that cannot be used."""
    reader = _AnswerReader(known, truth, options)
    if isinstance(pred, str):
        source = LineSource(0, pred, PIECE)
        path = whole_text(pred)
        reader.take_all(_answers(path, (item for shard in source for item in shard.lines())))
        return reader.rows(InputFile(path, source.sha256, reader.read))
    items = [pred] if isinstance(pred, Mapping) else list(pred)
    reader.take_all((f"<pred>: [{at}]", item) for at, item in enumerate(items))
    return reader.rows(InputFile("<pred>", None, reader.read))


def _answers(path: str, lines: Iterable[tuple[int, bytes | None]]) -> Iterator[tuple[str, Any]]:
    """Each answer of a file with its place; an InputError says why a line is no JSON."""
    for line, text in lines:
        if text is None or text.strip():
            yield f"{path}:{line}", _value(f"{path}:{line}", text or b"")


def _value(place: str, text: bytes) -> Any:
    try:
        return parse_json(text, "", "").tree
    except InputError:
        raise InputError(f"{place}: {json_problem(text)}") from None


class _AnswerReader:
    """Turns answers, one after the other, into rows of their images."""

    def __init__(self, known: ImagesAndCategories, truth: str, options: AnswerOptions) -> None:
        self._options, self._counts, self.read = options, AnswerCounts(), 0
        self._images = {image["id"]: image for image in known.images}
        files = {key: str(image.get("file_name") or key) for key, image in self._images.items()}
        self._names = AnswerImages(files, truth)
        self._answered: dict[Any, str] = {}  # places of answers by image
        self._ids = {str(item["name"]): item["id"] for item in reversed(known.categories)}
        self._classes = LabelClasses(str(item["name"]) for item in known.categories)
        self._other = max((int(item["id"]) for item in known.categories), default=0) + 1
        self._categories = [*known.categories, {"id": self._other, "name": OTHER}]
        self._unknown: dict[int, str] = {}
        self._cut = 0  # objects that reach outside their image
        self._rows: list[Row] = []
        self._places: list[str] = []
        self._problems: dict[int, str] = {}

    def take_all(self, answers: Iterable[tuple[str, Any]]) -> None:
        """Take answers with their places."""
        for place, answer in answers:
            self.read += 1
            self._take(place, answer)

    def _take(self, place: str, answer: Any) -> None:
        if not isinstance(answer, Mapping):
            raise InputError(f"{place}: found {shown(answer)}, expected a JSON object that names its image")
        if lost := first_repeated(answer):
            raise InputError(f"{place}: {shown(lost)}: is there twice, expected every key once")
        key, problem = self._names.find(dict(answer))
        if key is None:
            raise InputError(f"{place}: {problem}")
        if key in self._answered:
            raise InputError(f"{place}: a second answer for the image {key}, expected the one of {self._answered[key]}")
        self._answered[key] = place
        image = self._images[key]
        if not all(is_side(image.get(name)) for name in ("width", "height")):
            raise InputError(f"{place}: the image {key} has no width and height, expected them in the ground truth")
        size = {name: image[name] for name in ("width", "height")}
        fields = {name: value for name, value in answer.items() if name not in IMAGE_FIELDS}
        read = with_objects({**fields, **size}, FIELD, self._options, FRAME, list(answer))
        if isinstance(read, str):
            raise InputError(f"{place}: {read}")
        self._counts.add(read)
        for at, item in enumerate(read.record[FIELD]):
            self._add(key, item, f"{place}: objects[{at}]", (size["width"] / 1000, size["height"] / 1000))

    def _add(self, image: Any, item: Any, place: str, scale: tuple[float, float]) -> None:
        """An object as a row; one that cannot be one is a row with a problem."""
        label = item.get("desc", item.get("label")) if isinstance(item, Mapping) else None
        name = self._classes.find(label)
        if name is None:
            self._unknown[len(self._rows)] = label if isinstance(label, str) else ""
        row: Row = {"image_id": image, "category_id": self._other if name is None else self._ids[name]}
        shape = _shape(item, scale)
        if isinstance(shape, str):
            self._problems[len(self._rows)] = shape
        else:
            row |= shape
            self._cut += any(not 0 <= value <= FRAME_END for value in _flat(item["points"]) or ())
        if isinstance(item, Mapping) and item.get("score") is not None:
            row["score"] = item["score"]
        self._rows.append(row)
        self._places.append(place)

    def rows(self, source: InputFile) -> AnsweredRows:
        """The rows of all answers; an InputError where most objects of a family are not in its frame."""
        tally = Tally()
        self._counts.count_in(tally)
        check_frame(tally)
        tally.count(MISSING, [len(self._images) - len(self._answered)])
        return AnsweredRows(
            self._rows,
            self._places,
            self._problems,
            self._unknown,
            self._categories,
            answers_tree(tally),
            [source],
            [*self._warnings(), *frame_doubts(tally)],
        )

    def _warnings(self) -> Iterator[str]:
        if missing := len(self._images) - len(self._answered):
            yield unanswered(missing)
        yield from self._classes.notes()
        if self._cut > max(FEW_CUT, len(self._rows) // 20):
            yield f"{self._cut:,} predictions reach outside their images, and are cut to them"
        if self._unknown:
            yield f"{UNKNOWN_LABELS}: {commonest(Counter(self._unknown.values()))}"


def _shape(item: Any, scale: tuple[float, float]) -> Row | str:
    """The box of an object in pixels, of a polygon also its outline; or what is wrong with it.

    Corners of a box may be any two that are opposite, and what reaches outside is cut, both as in the dense suite.

    >>> _shape({"type": "bbox_2d", "points": [100, 200, 300, 400]}, (2, 1))
    {'bbox': [200, 200, 400, 200]}
    >>> _shape({"type": "bbox_2d", "points": [300, 200, 100, 400]}, (2, 1))
    {'bbox': [200, 200, 400, 200]}
    >>> _shape({"type": "bbox_2d", "points": [100, -50, 300, 1010]}, (2, 1))
    {'bbox': [200, 0, 400, 1000]}
    """
    kind, points = (item.get("type"), item.get("points")) if isinstance(item, Mapping) else (None, None)
    numbers = _flat(points)
    if kind not in ("bbox_2d", "poly"):
        return "a line, expected a box or polygon" if kind == "line" else "not an object"
    if numbers is None or (len(numbers) != 4 if kind == "bbox_2d" else len(numbers) < 6 or len(numbers) % 2):
        return "points: malformed"
    pixels = [_inside(value) * scale[at % 2] for at, value in enumerate(numbers)]
    x, y = pixels[0::2], pixels[1::2]
    bbox = [min(x), min(y), max(x) - min(x), max(y) - min(y)]
    return {"bbox": bbox} if kind == "bbox_2d" else {"bbox": bbox, "segmentation": [pixels]}


def _inside(value: float) -> float:
    """A number of 0 to 1000, where an image could hold it at all."""
    return min(max(value, 0), FRAME_END) if -FARTHEST < value < FARTHEST else value


def _flat(points: Any) -> list[float] | None:
    """The numbers of points, flat or in pairs; None where something else is among them."""
    if not isinstance(points, list):
        return None
    flat = [value for point in points for value in (point if isinstance(point, list) else (point,))]
    return flat if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in flat) else None
