"""YOLO: a text file for each image, an object a line.

A box is `class cx cy w h`: its centre and size as fractions of the image. A polygon is `class x1 y1 x2 y2 x3 y3 …`,
three points at least; its box is its bounds. Predictions may add their confidence at the end of the line. Classes are
numbers, from 0, of the names found beside the labels. Fractions become pixels by the size of the image, so there has to
be one, or for predictions a size in the ground truth. An image whose text file is empty or missing has no objects.
"""

from __future__ import annotations

import math
import os
import posixpath
from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

from calipers.errors import InputError
from calipers.readers.conversion import ClassNames, Conversion, MalformedError, Row, known_images, peek
from calipers.readers.converted import Converted, Known
from calipers.readers.files import BOM
from calipers.readers.image_names import ImageNames, few_files_below, files_below
from calipers.readers.image_size import image_size
from calipers.readers.problems import shown
from calipers.readers.yolo_folders import Labels, find_images, find_labels, find_names, is_label
from calipers.readers.yolo_names import MOST_CLASSES, read_list, read_yaml
from calipers.text import whole_text

SLACK = 0.01  # that a fraction of ground truth may lie outside of [0, 1], for rounding
PIXELS = 2.0  # a fraction beyond this is no slip of a detector
PEEKED_FILES = 100
FIELDS = ("cx", "cy", "w", "h")
BOX, POLYGON = "class cx cy w h", "class x1 y1 x2 y2 x3 y3 …"
NEEDS_IMAGES = "fractions become pixels by the size of the image; --images DIR names the folder with the images"

Size = tuple[float, float]
Tokens = list[bytes]


def read_yolo(folder: str, known: Known | None, images: str | None) -> Converted:
    """The labels of a data set, or predictions on images that are known."""
    labels = find_labels(folder)
    conversion = Conversion(folder, known)
    conversion.warnings += labels.warnings
    if known is None:
        return _read_truth(conversion, labels, images)
    return _read_predictions(conversion, known, labels, images)


def looks_like(path: str) -> bool:
    """Whether this is a folder with labels: of its first text files that are not empty, one has such a line."""
    if not os.path.isdir(path):
        return False
    files = [file for file in few_files_below(path, ".txt", PEEKED_FILES) if is_label(file)]
    lines = [line for file in files if (line := next(_lines(peek(file)), None))]
    return any(_is_label_line(tokens) for _, tokens in lines) if lines else bool(files)


def _is_label_line(tokens: Tokens) -> bool:
    try:
        numbers = [float(token) for token in tokens]
        return len(tokens) >= 5 and math.isfinite(numbers[0])  # the others may be NaN in predictions
    except ValueError:
        return False


def _read_truth(conversion: Conversion, labels: Labels, given: str | None) -> Converted:
    place, names = find_images(given, labels, conversion.path)
    if not names:
        raise InputError(f"{labels.folder}: no images for these labels: {NEEDS_IMAGES}")
    images = [_image(number, name, place) for number, name in enumerate(names, 1)]
    source, class_names = _class_names(conversion, labels)
    reader = _Reader(conversion, _Classes(source, len(class_names) or MOST_CLASSES, lambda number, _: number + 1))
    count = reader.read_all(labels, ImageNames(names, place), images, lambda each, _: (each["width"], each["height"]))
    if not count:
        raise InputError(f"{conversion.path}: no labels in this folder, expected *.txt with lines like {BOX}")
    if not source:
        conversion.warnings.append(f"{conversion.path}: no data.yaml, classes.txt or obj.names: classes go by number")
        most = max((row["category_id"] for row in conversion.rows), default=0)
        class_names = [str(number) for number in range(most)]
    categories = [{"id": number, "name": name} for number, name in enumerate(class_names, 1)]
    return conversion.converted(images, categories, len(images))


def _read_predictions(conversion: Conversion, known: Known, labels: Labels, given: str | None) -> Converted:
    sizes = _Sizes(given, labels, conversion.path)
    reader = _Reader(conversion, _known_classes(conversion, known, labels))
    count = reader.read_all(labels, known_images(known), known.images, sizes.find)
    if not count:
        conversion.warnings.append(f"{conversion.path}: no *.txt in this folder, so there are no predictions")
    if reader.beyond:
        problem = f"{reader.beyond} objects lie far outside of their images, expected fractions from 0 to 1"
        conversion.warnings.append(f"{conversion.path}: {problem} (are these pixels?)")
    return conversion.converted(known.images, known.categories, count)


def _image(number: int, name: str, folder: str) -> Row:
    width, height = image_size(os.path.join(folder, name))
    return {"id": number, "file_name": whole_text(name), "width": width, "height": height}


class _Sizes:
    """Sizes of images that are known: from the ground truth, else from files of images."""

    def __init__(self, given: str | None, labels: Labels, folder: str) -> None:
        self._given, self._labels, self._folder = given, labels, folder
        self._found: tuple[str, list[str], ImageNames] | None = None

    def find(self, image: Row, path: str) -> Size:
        """Width and height of an image, whose predictions are in this file."""
        width, height = image.get("width"), image.get("height")
        if _is_size(width) and _is_size(height):
            return width, height
        if self._found is None:
            folder, names = find_images(self._given, self._labels, self._folder)
            self._found = folder, names, ImageNames(names, folder)
        folder, names, index = self._found
        name = str(image.get("file_name") or image["id"])
        if (place := index.find(name, path)) is None:
            raise InputError(f"{path}: no size of the image {shown(name)}: {NEEDS_IMAGES}")
        return image_size(os.path.join(folder, names[place]))


def _is_size(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf


# Classes


class _Classes:
    """Classes by number."""

    def __init__(self, source: str, count: int, resolve: Callable[[int, str], Any]) -> None:
        self._source, self._count = source, count
        self._resolve = resolve  # number and place -> id
        self._ids: dict[bytes, Any] = {}  # by the number as it is written

    def find(self, token: bytes, path: str, line: int) -> Any:
        """The id of the class in a line of a file."""
        if token not in self._ids:
            place = f"{path}:{line}"
            self._ids[token] = self._resolve(self._number(token, place), place)
        return self._ids[token]

    def _number(self, token: bytes, place: str) -> int:
        number = _finite(token)
        if not 0 <= number < self._count or not number.is_integer():
            known = f", a class of {self._source}" if self._source else ""
            expected = f"a whole number below {self._count}{known}"
            raise InputError(f"{place}: class: found {_quoted(token)}, expected {expected}")
        return int(number)


def _class_names(conversion: Conversion, labels: Labels) -> tuple[str, list[str]]:
    """The file with the names, and these; nothing if there is none."""
    path = find_names(labels, conversion.path)
    if path is None:
        return "", []
    data = conversion.read(path)
    try:
        names = (read_yaml if path.endswith((".yaml", ".yml")) else read_list)(data)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return (path, names) if names else ("", [])


def _known_classes(conversion: Conversion, known: Known, labels: Labels) -> _Classes:
    """Classes of predictions: by the names beside them, else by their places among those of the ground truth."""
    source, names = _class_names(conversion, labels)
    ordered = sorted(known.categories, key=lambda category: category["id"])
    by_name = ClassNames(known.categories)
    if names and names != [category["name"] for category in ordered]:
        return _Classes(source, len(names), lambda number, place: by_name.find(names[number], place))
    if not names and known.format in ("voc", "labelme"):
        return _Classes(source, MOST_CLASSES, _refuse_number)
    if not names and known.format == "coco":
        first = f", 0 is {shown(ordered[0]['name'])}" if ordered else ""
        problem = "no names of classes beside the predictions: their numbers count the categories of the ground truth"
        cure = "classes.txt beside them, with a name a line, would say which they are"
        conversion.warnings.append(f"{conversion.path}: {problem} in the order of ids{first} ({cure})")
    return _Classes(source or "the ground truth", len(ordered), lambda number, _: ordered[number]["id"])


def _refuse_number(number: int, place: str) -> Any:
    problem = f"found {number}, but the classes of the ground truth have names and no numbers"
    raise InputError(f"{place}: class: {problem}, expected classes.txt beside the predictions, with a name a line")


# Files and lines


class _Reader:
    """Reads files of labels to rows."""

    def __init__(self, conversion: Conversion, classes: _Classes) -> None:
        self._conversion, self._classes = conversion, classes
        self._truth = conversion.known is None
        self.beyond = 0  # objects that are far outside of their images

    def read_all(self, labels: Labels, index: ImageNames, images: list[Row], size: Callable[[Row, str], Size]) -> int:
        """All files of labels; how many there are."""
        files = list(_label_files(labels, index))
        for path, stem in files:
            self._read_file(path, images[index.claim(path, stem)], size)
        return len(files)

    def _read_file(self, path: str, image: Row, size: Callable[[Row, str], Size]) -> None:
        lines = list(_lines(self._conversion.read(path)))
        pixels = size(image, path) if lines else (0.0, 0.0)  # an image without objects needs none
        for number, tokens in lines:
            self._read_line(path, number, image["id"], tokens, pixels)

    def _read_line(self, path: str, number: int, image: Any, tokens: Tokens, size: Size) -> None:
        row = {"image_id": image, "category_id": self._classes.find(tokens[0], path, number)}
        has_score = not self._truth and len(tokens) >= 6 and len(tokens) % 2 == 0
        shape = tokens[1:-1] if has_score else tokens[1:]
        parts = [lambda: _score(tokens[-1])] if has_score else []
        self._conversion.add(path, f":{number}", row, *parts, lambda: self._shape(shape, size))

    def _shape(self, tokens: Tokens, size: Size) -> Row:
        _check_count(len(tokens), self._truth)
        fractions = _fractions(tokens)
        if self._truth:
            _check_range(fractions)
        elif max(map(abs, fractions)) > PIXELS:
            self.beyond += 1
        return _box(fractions, size) if len(tokens) == 4 else _polygon(fractions, size)


def _label_files(labels: Labels, images: ImageNames) -> Iterator[tuple[str, str]]:
    """Paths of the files of labels, and their names without ending."""
    for name in files_below(labels.folder, (".txt",)):
        stem = posixpath.splitext(name)[0]
        if is_label(name) or images.find(stem, name) is not None:
            yield os.path.join(labels.folder, name), stem


def _lines(data: bytes) -> Iterator[tuple[int, Tokens]]:
    """Lines that are not blank, with their numbers."""
    for number, line in enumerate(data.removeprefix(BOM).splitlines(), 1):
        if tokens := line.split():
            yield number, tokens


def _check_count(numbers: int, truth: bool) -> None:
    """Of the numbers after the class, without a confidence."""
    if numbers == 4 or (numbers >= 6 and numbers % 2 == 0):
        return
    confidence = " (a confidence belongs to predictions)" if truth and numbers >= 5 else ""
    message = f"found {numbers + 1} numbers{confidence}, expected {BOX}, or {POLYGON}"
    raise MalformedError(message, "line: neither a box nor a polygon")


def _fractions(tokens: Tokens) -> list[float]:
    try:
        fractions = [float(token) for token in tokens]
    except ValueError:
        fractions = [math.nan]
    if math.isfinite(sum(fractions)) and b"_" not in b" ".join(tokens):  # almost always
        return fractions
    return [_fraction(token, place, len(tokens)) for place, token in enumerate(tokens)]


def _fraction(token: bytes, place: int, count: int) -> float:
    fraction = _finite(token)
    if math.isnan(fraction):
        message = f"{_field(place, count)}: found {_quoted(token)}, expected a number"
        field, words = ("bbox", "not 4 numbers") if count == 4 else ("segmentation", "not numbers")
        raise MalformedError(message, f"{field}: {'not finite' if _is_endless(token) else words}")
    return fraction


def _check_range(fractions: list[float]) -> None:
    for place, fraction in enumerate(fractions):
        if not -SLACK <= fraction <= 1 + SLACK:
            message = f"{_field(place, len(fractions))}: found {fraction!r}, expected a fraction from 0 to 1"
            raise MalformedError(f"{message} (are these pixels?)", "fractions beyond 0 to 1")


def _field(place: int, count: int) -> str:
    """What a number after the class is called.

    >>> [_field(place, 4) for place in range(4)], [_field(place, 6) for place in range(6)]
    (['cx', 'cy', 'w', 'h'], ['x1', 'y1', 'x2', 'y2', 'x3', 'y3'])
    """
    return FIELDS[place] if count == 4 else f"{'xy'[place % 2]}{place // 2 + 1}"


def _box(fractions: list[float], size: Size) -> Row:
    cx, cy, w, h = fractions
    if w < 0 or h < 0:
        name, found = ("w", w) if w < 0 else ("h", h)
        raise MalformedError(f"{name}: found {found!r}, expected no negative number", "bbox: negative width or height")
    width, height = size
    return {"bbox": [(cx - w / 2) * width, (cy - h / 2) * height, w * width, h * height]}


def _polygon(fractions: list[float], size: Size) -> Row:
    width, height = size
    xs, ys = [x * width for x in fractions[::2]], [y * height for y in fractions[1::2]]
    bounds = [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]
    return {"bbox": bounds, "segmentation": [[number for point in zip(xs, ys, strict=True) for number in point]]}


def _score(token: bytes) -> Row:
    score = _finite(token)
    if math.isnan(score):
        words = "score: not finite" if _is_endless(token) else "score: not a number"
        raise MalformedError(f"confidence: found {_quoted(token)}, expected a number", words)
    return {"score": score}


def _finite(token: bytes) -> float:
    """The number that is written there, NaN if it is none or not finite."""
    try:
        number = float(token) if b"_" not in token else math.nan  # Python reads 1_0 as 10
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def _is_endless(token: bytes) -> bool:
    """Whether a number is written there that is NaN or infinite."""
    try:
        return not math.isfinite(float(token))
    except ValueError:
        return False


def _quoted(token: bytes) -> str:
    return shown(token.decode("utf-8", "replace"))
