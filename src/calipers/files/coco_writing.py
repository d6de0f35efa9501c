"""Annotations on images as COCO's JSON or as YOLO's labels: what suites that write them share.

Both are written from the same tree: images, categories and rows as COCO has them, with a place for each row that
messages name it by. COCO holds all of a row. YOLO holds a class, and a box or one outline, as fractions of the image;
what else matters about an object is an error, and what is only about the data is counted in a note.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeGuard

import orjson

from calipers.core.errors import InputError, keyword
from calipers.core.sums import add_in_order
from calipers.core.survey import is_number
from calipers.files.json_checks import is_finite_number
from calipers.files.left_out import LeftOut
from calipers.files.problems import shown

Row = dict[str, Any]
SLACK = 0.01  # of the image, by which ground truth may lie outside of it
MAX_SHIFT = 1.0  # pixels, by which a box may differ from the bounds of its outline
WRITTEN = {  # fields that YOLO's labels hold, or that follow from them
    "annotations": {"id", "image_id", "category_id", "bbox", "segmentation", "score", "area", "iscrowd"},
    "images": {"id", "file_name", "width", "height"},
    "categories": {"id", "name"},
}
NO_LABELS = re.compile(r"(?:train|training|test|test-dev|val|valid|validation)(?:[-_]?(?:19|20)\d\d)?|classes|readme.*")
ROOT = re.compile(r"\A(?:[A-Za-z]:)?(?:\.{0,2}/)*")


class CocoTree(NamedTuple):
    """Annotations, or detections, in COCO's shape."""

    images: list[Row]
    categories: list[Row]
    rows: list[Row]
    place: Callable[[int], str]  # of a row, for messages
    source: str  # of the images and categories, for messages
    beside: Mapping[str, Any] = {}  # what else a data set holds: info, licenses


def coco_json(tree: CocoTree, left_out: LeftOut, *, truth: bool) -> bytes:
    r"""A data set of COCO, or a list of results, with a line for each entry.

    >>> print(coco_json(CocoTree([], [], [{"image_id": 1, "score": 0.5}], str, ""), LeftOut(0), truth=False).decode())
    [
    {"image_id":1,"score":0.5}
    ]
    <BLANKLINE>
    """
    if not truth:
        return _listed(tree.rows) + b"\n"
    parts = {name: _line(value) for name, value in tree.beside.items()}
    rows = _listed(_with_areas(tree, left_out))
    parts |= {"images": _listed(tree.images), "annotations": rows, "categories": _listed(tree.categories)}
    return b"{\n" + b",\n".join(_line(name) + b": " + text for name, text in parts.items()) + b"\n}\n"


def _with_areas(tree: CocoTree, left_out: LeftOut) -> Iterator[Row]:
    """The rows with an area each; those whose outline is malformed are left out."""
    for at, row in enumerate(tree.rows):
        try:
            area = {"area": _area(row, tree.place(at))} if row.get("area") is None else {}
        except InputError as error:
            left_out.add(error)
            continue
        yield row | area


def _area(row: Row, place: str) -> float:
    """The area of an annotation that says none, as COCO has it: of its outline, else of its box.

    InputError names the place of one whose outline is malformed.

    >>> _area({"bbox": [0, 0, 4, 4], "segmentation": [[0, 0, 4, 0, 0, 4]]}, "[0]"), _area({"bbox": [1, 1, 2, 3]}, "[1]")
    (8.0, 6.0)
    """
    outline = row.get("segmentation")
    if not isinstance(outline, list) or not outline:
        return float(row["bbox"][2] * row["bbox"][3])
    return add_in_order(_polygon_area(part, place) for part in outline)


def _polygon_area(part: Any, place: str) -> float:
    if not isinstance(part, list) or len(part) % 2 or not all(map(is_number, part)):
        raise InputError(f"{place}: segmentation: found {shown(part)}, expected x, y of each point")
    xs, ys = part[::2], part[1::2]
    return abs(add_in_order(xs[at - 1] * ys[at] - xs[at] * ys[at - 1] for at in range(len(xs)))) / 2


def _listed(rows: Iterable[Row]) -> bytes:
    lines = [_line(row) for row in rows]
    return b"[\n" + b",\n".join(lines) + b"\n]" if lines else b"[]"


def _line(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:  # a whole number beyond 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def without_shapes(tree: CocoTree) -> tuple[CocoTree, list[str]]:
    """The boxes alone, and notes on the outlines and keypoints that were left out."""
    names = ("segmentation", "keypoints", "num_keypoints")
    counts = Counter(name for row in tree.rows for name in names[:2] if row.get(name))
    rows = [{name: value for name, value in row.items() if name not in names} for row in tree.rows]
    asked = keyword("iou_type", "bbox")
    return tree._replace(rows=rows), [f"{name} was left out, as {asked} says ({n:,})" for name, n in counts.items()]


# YOLO


def yolo_files(tree: CocoTree, left_out: LeftOut, *, truth: bool) -> tuple[dict[str, bytes], list[str]]:
    """`classes.txt` and a file of labels for each image, also for one without objects; and notes."""
    numbers = _class_numbers(tree)
    filled = {row["image_id"] for row in tree.rows}  # whose size matters
    sizes = {image["id"]: _size(image, tree.source) for image in tree.images if image["id"] in filled}
    lines: dict[Any, list[str]] = {image["id"]: [] for image in tree.images}
    for at, row in enumerate(tree.rows):
        try:
            fractions = _fractions(row, sizes[row["image_id"]], tree.place(at), truth)
        except InputError as error:
            left_out.add(error)
            continue
        words = [str(numbers[row["category_id"]]), *map(repr, fractions)]
        words += [] if row.get("score") is None else [repr(float(row["score"]))]
        lines[row["image_id"]].append(" ".join(words) + "\n")
    files = {"classes.txt": "".join(f"{category['name']}\n" for category in _ordered(tree.categories)).encode()}
    for name, image in _label_names(tree).items():
        files[name] = "".join(lines[image["id"]]).encode()
    return files, list(_left_out(tree))


def _ordered(categories: list[Row]) -> list[Row]:
    return sorted(categories, key=lambda category: category["id"])


def _class_numbers(tree: CocoTree) -> dict[Any, int]:
    """Numbers from 0 in the order of ids, by id."""
    names = Counter(category["name"] for category in tree.categories)
    for name, n in names.items():
        if n > 1 or name != name.strip() or not name or len(name.splitlines()) > 1:
            problem = f"{n} classes are called {shown(name)}" if n > 1 else f"found the class {shown(name)}"
            expected = "expected names that YOLO's classes.txt can hold, one on a line"
            raise InputError(f"{tree.source}: categories: {problem}, {expected}")
    return {category["id"]: number for number, category in enumerate(_ordered(tree.categories))}


def _label_names(tree: CocoTree) -> dict[str, Row]:
    """The file of labels of each image; two images for one, or a name that readers pass over, is an error."""
    by_name: dict[str, Row] = {}
    for image in tree.images:
        file = str(image.get("file_name") or image["id"])
        stem = posixpath.splitext(ROOT.sub("", posixpath.normpath(file.replace("\\", "/"))))[0]
        name = f"labels/{stem}.txt"
        if name in by_name:
            both = f"{shown(by_name[name].get('file_name'))} and {shown(file)}"
            problem = f"{both} would both be {name}, expected names that differ without their endings"
            raise InputError(f"{tree.source}: images: {problem}")
        if NO_LABELS.fullmatch(posixpath.basename(stem).lower()) or "\0" in stem or "\n" in stem:
            problem = f"found {shown(file)}, whose labels in {shown(name)} would not be read as such"
            raise InputError(f"{tree.source}: images: {problem}")
        by_name[name] = image
    return by_name


def _size(image: Row, source: str) -> tuple[float, float]:
    width, height = image.get("width"), image.get("height")
    if not _is_positive(width) or not _is_positive(height):
        size = f"{shown(width)} x {shown(height)}"
        raise InputError(
            f"{source}: image {shown(image.get('file_name') or image['id'])}: found the size {size}, expected width "
            "and height: labels of YOLO are fractions of them"
        )
    return float(width), float(height)


def _is_positive(value: Any) -> TypeGuard[float]:
    return is_finite_number(value) and value > 0


def _check_row(row: Row, place: str) -> None:
    """Refuse what YOLO has no way to say."""
    boxes = f"{keyword('iou_type', 'bbox')} writes boxes alone"
    if row.get("iscrowd"):
        raise InputError(f"{place}: iscrowd: found 1, expected 0: YOLO has no crowd regions, and would count it as one")
    if any(row.get("keypoints") or ()):
        raise InputError(f"{place}: keypoints: found some, expected none: they are not written as YOLO ({boxes})")
    outline = row.get("segmentation")
    if not outline:
        return
    if not isinstance(outline, list) or len(outline) != 1:
        content = f"{len(outline)} parts" if isinstance(outline, list) else "an RLE mask"
        raise InputError(f"{place}: segmentation: found {content}, expected one polygon, as YOLO has ({boxes})")


def _fractions(row: Row, size: tuple[float, float], place: str, truth: bool) -> list[float]:
    """A box or an outline as fractions of the image, in which those of ground truth have to lie."""
    _check_row(row, place)
    fractions = _polygon(row, size, place) if row.get("segmentation") else _box(row["bbox"], size)
    if truth and not all(-SLACK <= fraction <= 1 + SLACK for fraction in fractions):
        box = f"{shown(row['bbox'])} on {size[0]:g} x {size[1]:g} pixels"
        raise InputError(f"{place}: bbox: found {box}, expected it within the image, as YOLO's fractions are")
    return fractions


def _box(box: list[float], size: tuple[float, float]) -> list[float]:
    x, y, w, h = map(float, box)
    width, height = size
    return [(x + w / 2) / width, (y + h / 2) / height, w / width, h / height]


def _polygon(row: Row, size: tuple[float, float], place: str) -> list[float]:
    points = row["segmentation"][0]
    if not isinstance(points, list) or len(points) < 6 or len(points) % 2 or not all(map(is_finite_number, points)):
        raise InputError(f"{place}: segmentation: found {shown(points)}, expected x, y of at least 3 points")
    xs, ys = [float(x) for x in points[::2]], [float(y) for y in points[1::2]]
    bounds = [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]
    box = row.get("bbox") or bounds
    if max(abs(a - b) for a, b in zip(box, bounds, strict=True)) > MAX_SHIFT:
        raise InputError(
            f"{place}: bbox: found {shown(box)}, expected the bounds of its outline, {shown(bounds)}, which are all "
            f"that YOLO keeps of it ({keyword('iou_type', 'bbox')} writes boxes alone)"
        )
    return [value / side for pair in zip(xs, ys, strict=True) for value, side in zip(pair, size, strict=True)]


def _left_out(tree: CocoTree) -> Iterable[str]:
    """Notes on what is about the data, and has no place in YOLO's labels."""
    for part, entries in (("images", tree.images), ("categories", tree.categories), ("annotations", tree.rows)):
        names = Counter(name for entry in entries for name, value in entry.items() if value not in (None, "", [], {}))
        unwritten = sorted(name for name in names if name not in WRITTEN[part])
        yield from (
            f"{part}: {shown(name)} has no place in YOLO and was left out ({names[name]:,})" for name in unwritten
        )
    yield from (f"{shown(name)} has no place in YOLO and was left out" for name in tree.beside)
    if [category["id"] for category in _ordered(tree.categories)] != list(range(len(tree.categories))):
        yield "classes are numbered from 0 in the order of their ids, as classes.txt lists them"
