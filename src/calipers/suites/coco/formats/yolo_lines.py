"""Lines of YOLO: a box is `class cx cy w h`, a polygon `class x1 y1 x2 y2 x3 y3 …`, all as fractions of the image.

Predictions may add their confidence at the end of the line. In ground truth whatever is wrong is an error; an object
that was predicted and cannot be read stays a row with its problem.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from calipers.core.errors import InputError
from calipers.files.image_size import image_size
from calipers.files.inputs import BOM
from calipers.files.problems import shown
from calipers.suites.coco.formats.pieces import FileOf, FileShard, MalformedError, Piece, Row, read_files

SLACK = 0.01  # that a fraction of ground truth may lie outside of [0, 1], for rounding
PIXELS = 2.0  # a fraction beyond this is no slip of a detector
FIELDS = ("cx", "cy", "w", "h")
BOX, POLYGON = "class cx cy w h", "class x1 y1 x2 y2 x3 y3 …"

Size = tuple[float, float]
Tokens = list[bytes]


def read_shard(shard: FileShard) -> Piece:
    """The labels of some images."""
    return read_files(shard, _read_file)


def _read_file(piece: Piece, file: FileOf, data: bytes) -> None:
    piece.open(file, data)
    lines = list(lines_of(data))
    size = _pixels(file) if lines else (0.0, 0.0)  # an image without objects needs none
    for number, tokens in lines:
        _read_line(piece, f":{number}", tokens, size)


def _pixels(file: FileOf) -> Size:
    if file.unsized:
        raise InputError(file.unsized)
    return file.pixels or image_size(file.image)


def _read_line(piece: Piece, place: str, tokens: Tokens, size: Size) -> None:
    has_score = not piece.truth and len(tokens) >= 6 and len(tokens) % 2 == 0
    shape = tokens[1:-1] if has_score else tokens[1:]
    parts = [lambda: _score(tokens[-1])] if has_score else []
    piece.add(place, tokens[0], *parts, lambda: _shape(piece, shape, size))


def _shape(piece: Piece, tokens: Tokens, size: Size) -> Row:
    _check_count(len(tokens), piece.truth)
    fractions = _fractions(tokens)
    if piece.truth:
        _check_range(fractions)
    elif max(map(abs, fractions)) > PIXELS:
        piece.beyond += 1
    return _box(fractions, size) if len(tokens) == 4 else _polygon(fractions, size)


def lines_of(data: bytes) -> Iterator[tuple[int, Tokens]]:
    """Lines that are not blank, with their numbers."""
    for number, line in enumerate(data.removeprefix(BOM).splitlines(), 1):
        if tokens := line.split():
            yield number, tokens


def _check_count(numbers: int, truth: bool) -> None:
    """Refuse a wrong count of numbers after the class, not counting a confidence."""
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
    if all(map(math.isfinite, fractions)) and b"_" not in b" ".join(tokens):  # almost always
        return fractions
    return [_fraction(token, place, len(tokens)) for place, token in enumerate(tokens)]


def _fraction(token: bytes, place: int, count: int) -> float:
    fraction = finite(token)
    if math.isnan(fraction):
        message = f"{_field(place, count)}: found {quoted(token)}, expected a number"
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
        name, value = ("w", w) if w < 0 else ("h", h)
        raise MalformedError(f"{name}: found {value!r}, expected no negative number", "bbox: negative width or height")
    width, height = size
    return {"bbox": [(cx - w / 2) * width, (cy - h / 2) * height, w * width, h * height]}


def _polygon(fractions: list[float], size: Size) -> Row:
    width, height = size
    xs, ys = [x * width for x in fractions[::2]], [y * height for y in fractions[1::2]]
    bounds = [min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)]
    return {"bbox": bounds, "segmentation": [[number for point in zip(xs, ys, strict=True) for number in point]]}


def _score(token: bytes) -> Row:
    score = finite(token)
    if math.isnan(score):
        words = "score: not finite" if _is_endless(token) else "score: not a number"
        raise MalformedError(f"confidence: found {quoted(token)}, expected a number", words)
    return {"score": score}


def finite(token: bytes) -> float:
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


def quoted(token: bytes) -> str:
    """What stands in a line, as a message shows it."""
    return shown(token.decode("utf-8", "replace"))
