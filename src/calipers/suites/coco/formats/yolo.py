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
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeGuard

from calipers.core.errors import ConfigError, InputError, keyword
from calipers.core.text import whole_text
from calipers.files.folders import few_files_below, files_below
from calipers.files.image_size import image_size
from calipers.files.problems import shown
from calipers.suites.coco.formats.conversion import ClassNames, Conversion, known_images, peek
from calipers.suites.coco.formats.converted import Converted, ImagesAndCategories
from calipers.suites.coco.formats.image_names import ImageNames
from calipers.suites.coco.formats.pieces import SHARD_BYTES, FileOf, FileRead, FileShard, Piece, Row, cut, until_error
from calipers.suites.coco.formats.table import BY_NAME
from calipers.suites.coco.formats.yolo_folders import LabelFolder, find_images, find_labels, find_names, is_label
from calipers.suites.coco.formats.yolo_lines import BOX, Tokens, finite, lines_of, quoted, read_shard
from calipers.suites.coco.formats.yolo_names import MAX_CLASSES, read_list, read_yaml

PEEKED_FILES = 100
NEEDS_IMAGES = (
    f"fractions become pixels by the size of the image; {keyword('images', 'DIR')} names the folder with the images"
)


def open_folder(folder: str, known: ImagesAndCategories | None, images: str | None) -> YoloTruth | YoloPredictions:
    """A YOLO data set or predictions, before labels are read; of the ground truth only the images matter yet."""
    labels = find_labels(folder)
    return YoloTruth(folder, labels, images) if known is None else YoloPredictions(folder, labels, images, known)


class Numbered(NamedTuple):
    """Predictions whose categories are the numbers that stand in their lines, whether those mean a class or not."""

    rows: Converted
    meant: list[Any]  # (numbers,) the id of the class that each number from 0 on means, None for none


def read_numbered(folder: str, known: ImagesAndCategories, images: str | None) -> Numbered:
    """Predictions on images that are known, with classes as they are written."""
    opened = YoloPredictions(folder, find_labels(folder), images, known)
    return opened.numbered(until_error(opened.shards(SHARD_BYTES), read_shard), known)


def truth_faults(folder: str, images: str | None) -> Iterator[str]:
    """All faults in the labels of a data set."""
    opened = YoloTruth(folder, find_labels(folder), images)
    for shard in opened.shards(SHARD_BYTES):
        piece = read_shard(shard._replace(collects=True))
        yield from (*piece.faults, *opened.class_faults(piece))


def looks_like(path: str) -> bool:
    """Whether this is a folder with labels: of its first text files that are not empty, one has such a line."""
    if not os.path.isdir(path):
        return False
    files = [file for file in few_files_below(path, ".txt", PEEKED_FILES) if is_label(file)]
    lines = [line for file in files if (line := next(lines_of(peek(file)), None))]
    return any(_is_label_line(tokens) for _, tokens in lines) if lines else bool(files)


def _is_label_line(tokens: Tokens) -> bool:
    try:
        numbers = [float(token) for token in tokens]
        return len(tokens) >= 5 and math.isfinite(numbers[0])  # the others may be NaN in predictions
    except ValueError:
        return False


class _Claims:
    """Files of labels, and which image each belongs to."""

    def __init__(
        self, labels: LabelFolder, images: list[Row], index: ImageNames, sized: Callable[[FileOf, Row], FileOf]
    ) -> None:
        self._labels, self._images, self._index, self._sized = labels, images, index, sized
        self._ids: dict[str, Any] = {}  # of images, by the path of their labels

    def files(self) -> Iterator[FileOf]:
        """All label files, each with what is known of its image, up to one that belongs to none."""
        for path, stem in list(_label_files(self._labels, self._index)):
            try:
                image = self._images[self._index.claim(path, stem)]
            except InputError as error:
                yield FileOf(path, stem, refused=str(error))
                return
            self._ids[path] = image["id"]
            yield self._sized(FileOf(path, stem), image)

    def image(self, file: FileRead) -> Any:
        """The id of the image of a file."""
        return self._ids[file.path]


class YoloTruth:
    """Labels of a data set. Its images have to be there."""

    def __init__(self, folder: str, labels: LabelFolder, images: str | None) -> None:
        self._conversion = Conversion(folder, truth=True)
        self._conversion.warnings += labels.warnings
        place, names = find_images(images, labels, folder)
        if not names:
            raise InputError(f"{labels.folder}: no images for these labels: {NEEDS_IMAGES}")
        self.images = [_image(number, name, place) for number, name in enumerate(names, 1)]
        self._source, self._names = _class_names(self._conversion, labels)
        self._claims = _Claims(labels, self.images, ImageNames(names, place), _with_pixels)

    def shards(self, most_bytes: int) -> list[FileShard]:
        """The files of this side, in shards."""
        return cut("gt", "yolo", self._conversion.path, self._claims.files(), most_bytes)

    def converted(self, pieces: Iterable[Piece], known: ImagesAndCategories | None) -> Converted:
        """The images, the classes, and the objects."""
        conversion, names, classes = self._conversion, self._names, self._classes()
        for piece in pieces:
            conversion.add(piece, self._claims.image, classes.find)
        if not conversion.files:
            raise InputError(f"{conversion.path}: no labels in this folder, expected *.txt with lines like {BOX}")
        if not self._source:
            note = "no data.yaml, classes.txt or obj.names: classes go by number"
            conversion.warnings.append(f"{conversion.path}: {note}")
            names = [str(number) for number in range(max(conversion.classes(), default=0))]
        categories = [{"id": number, "name": name} for number, name in enumerate(names, 1)]
        return conversion.converted(self.images, categories, len(self.images))

    def _classes(self) -> _Classes:
        return _Classes(self._source, len(self._names) or MAX_CLASSES, lambda number, _: number + 1)

    def class_faults(self, piece: Piece) -> Iterator[str]:
        """What is wrong with classes, of every object of a piece that has no other fault."""
        classes, firsts = self._classes(), [file.first for file in piece.files]
        for row, (code, place) in enumerate(zip(piece.classes.tolist(), piece.places, strict=True)):
            if row not in piece.problems:
                try:
                    classes.find(piece.labels[code][0], piece.files[bisect_right(firsts, row) - 1].path, place)
                except InputError as error:
                    yield str(error)


class YoloPredictions:
    """Labels on images that are known."""

    def __init__(self, folder: str, labels: LabelFolder, images: str | None, known: ImagesAndCategories) -> None:
        self._conversion = Conversion(folder, truth=False)
        self._conversion.warnings += labels.warnings
        self._source, self._names = _class_names(self._conversion, labels)
        self.images = known.images
        self._claims = _Claims(labels, known.images, known_images(known), _Sizes(images, labels, folder).add_to)

    def shards(self, most_bytes: int) -> list[FileShard]:
        """The files of this side, in shards."""
        return cut("pred", "yolo", self._conversion.path, self._claims.files(), most_bytes)

    def converted(self, pieces: Iterable[Piece], known: ImagesAndCategories | None) -> Converted:
        """The objects, with the ids of what is known."""
        conversion, known = self._conversion, known or ImagesAndCategories([], [])
        classes = _known_classes(conversion, known, self._source, self._names)
        for piece in pieces:
            conversion.add(piece, self._claims.image, classes.find)
        if not conversion.files:
            conversion.warnings.append(f"{conversion.path}: no *.txt in this folder, so there are no predictions")
        if conversion.beyond:
            problem = f"{conversion.beyond} objects lie far outside of their images, expected fractions from 0 to 1"
            conversion.warnings.append(f"{conversion.path}: {problem} (are these pixels?)")
        return conversion.converted(known.images, known.categories, conversion.files)

    def numbered(self, pieces: Iterable[Piece], known: ImagesAndCategories) -> Numbered:
        """The objects with the numbers of their classes, and what these mean."""
        conversion = self._conversion
        for piece in pieces:
            conversion.add(piece, self._claims.image, _whole_number)
        meant = _known_classes(conversion, known, self._source, self._names).meant()
        return Numbered(conversion.converted(known.images, known.categories, conversion.files), meant)


def _image(number: int, name: str, folder: str) -> Row:
    width, height = image_size(os.path.join(folder, name))
    return {"id": number, "file_name": whole_text(name), "width": width, "height": height}


def _with_pixels(file: FileOf, image: Row) -> FileOf:
    return file._replace(pixels=(image["width"], image["height"]))


class _Sizes:
    """Sizes of images that are known: from the ground truth, else from files of images."""

    def __init__(self, images: str | None, labels: LabelFolder, folder: str) -> None:
        self._images_folder, self._labels, self._folder = images, labels, folder
        self._listing: tuple[str, list[str], ImageNames] | None = None

    def add_to(self, file: FileOf, image: Row) -> FileOf:
        """A file with width and height of its image, or with where to find them."""
        width, height = image.get("width"), image.get("height")
        if _is_size(width) and _is_size(height):
            return file._replace(pixels=(width, height))
        try:
            return file._replace(image=self._path_of(image, file.path))
        except InputError as error:
            return file._replace(unsized=str(error))

    def _path_of(self, image: Row, path: str) -> str:
        if self._listing is None:
            folder, names = find_images(self._images_folder, self._labels, self._folder)
            self._listing = folder, names, ImageNames(names, folder)
        folder, names, index = self._listing
        name = str(image.get("file_name") or image["id"])
        if (place := index.find(name, path)) is None:
            raise InputError(f"{path}: no size of the image {shown(name)}: {NEEDS_IMAGES}")
        return os.path.join(folder, names[place])


def _is_size(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf


# Classes


class _Classes:
    """Looks up the classes of objects by number."""

    def __init__(self, source: str, count: int, resolve: Callable[[int, str], Any]) -> None:
        self._source, self._count = source, count
        self._resolve = resolve  # number and place -> id
        self._ids: dict[bytes, Any] = {}  # by the number as it is written

    def find(self, label: str, path: str, line: str) -> Any:
        """The id of the class in a line of a file, which is written ":3"."""
        token = label.encode("latin-1")
        if token not in self._ids:
            place = path + line
            self._ids[token] = self._resolve(self._number(token, place), place)
        return self._ids[token]

    def meant(self) -> list[Any]:
        """(numbers,) the ids of all that are known, None for one that means no class."""
        return [self._id(number) for number in range(self._count)]

    def _id(self, number: int) -> Any:
        try:
            return self._resolve(number, "")
        except InputError:
            return None

    def _number(self, token: bytes, place: str) -> int:
        number = finite(token)
        if not 0 <= number < self._count or not number.is_integer():
            of_source = f", a class of {self._source}" if self._source else ""
            expected = f"a whole number below {self._count}, counted from 0{of_source}"
            raise InputError(f"{place}: class: found {quoted(token)}, expected {expected}")
        return int(number)


def _whole_number(label: str, path: str, line: str) -> int:
    """The class in a line, whatever it means."""
    token = label.encode("latin-1")
    number = finite(token)
    if not number.is_integer() or abs(number) > MAX_CLASSES:
        raise InputError(f"{path}{line}: class: found {quoted(token)}, expected a whole number")
    return int(number)


def _class_names(conversion: Conversion, labels: LabelFolder) -> tuple[str, list[str]]:
    """The file with the names of classes, and the names; ("", []) without such a file."""
    for path in find_names(labels, conversion.path):
        data = conversion.read(path)
        try:
            names = (read_yaml if path.endswith((".yaml", ".yml")) else read_list)(data)
        except (ConfigError, InputError) as error:
            raise type(error)(f"{path}: {error}") from None
        if names:
            return path, names
    return "", []


def _known_classes(conversion: Conversion, known: ImagesAndCategories, source: str, names: list[str]) -> _Classes:
    """Classes of predictions: by the names beside them, else by their places among those of the ground truth."""
    ordered = sorted(known.categories, key=lambda category: category["id"])
    by_name = ClassNames(known.categories)
    if names and names != [category["name"] for category in ordered]:
        return _Classes(source, len(names), lambda number, place: by_name.find(names[number], place))
    if not names and known.format in BY_NAME and not BY_NAME[known.format].numbers_classes:
        return _Classes(source, MAX_CLASSES, _refuse_number)
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


def _label_files(labels: LabelFolder, images: ImageNames) -> Iterator[tuple[str, str]]:
    """Paths of the files of labels, and their names without ending."""
    for name in files_below(labels.folder, (".txt",)):
        stem = posixpath.splitext(name)[0]
        if is_label(name) or images.find(stem, name) is not None:
            yield os.path.join(labels.folder, name), stem
