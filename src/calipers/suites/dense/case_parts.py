"""A record that went wrong, listed and drawn on the frame of 1000 by 1000 (or in pixels, when it was given so)."""

from __future__ import annotations

from functools import lru_cache
from math import isfinite
from typing import Any, Literal, NamedTuple, TypeGuard

import orjson

from calipers.show.page import sections as part
from calipers.show.page.cases import Case
from calipers.show.page.causes import error_facets
from calipers.show.page.heads import Tree, short_name
from calipers.show.page.images import Pictures
from calipers.show.page.listing import ErrorFacets, listing, slice_facets
from calipers.show.page.outlines import SIDES, Outline, OutlineCollector, entries_of, said_of
from calipers.show.page.sections import Part
from calipers.suites.dense.case_labels import CaseLabel, side_labels

Labels = dict[str, list[CaseLabel]]  # of a record's objects, by side

FORMS: dict[str, Literal["box", "poly", "line"]] = {"bbox_2d": "box", "poly": "poly", "line": "line"}
OTHER: dict[str, str] = dict(SIDES)
FRAME = 1000
LARGEST = 1e6  # pixels that a drawing is worth
LONGEST_NOTE = 240
PAIRS, BEHIND_PAIRS = b'"matched":[', b'],"labels":'  # of a line


def phase_tag(label: str) -> str:
    """The tag of objects of a phase.

    >>> phase_tag("open")
    'phase open'
    """
    return f"phase {label}"


def parse_listed(line: bytes) -> Case:
    """A case without its pairs, which are only drawn: a third of its line, and of the time to parse it.

    >>> parse_listed(b'{"matched":[{"gt":{"index":0}}],"labels":{},"unmatched":1}')
    {'matched': [], 'labels': {}, 'unmatched': 1}
    """
    begin = line.rfind(PAIRS) + len(PAIRS)
    end = line.find(BEHIND_PAIRS, begin)
    try:
        short: Case = orjson.loads(line[:begin] + line[end:] if begin >= len(PAIRS) and end >= 0 else line)
    except orjson.JSONDecodeError:  # those of another program may stand in another order
        short = orjson.loads(line)
    return short


def list_case(case: Case) -> Part:
    """A record as it is listed, with all its objects that are wrong."""
    return _listing(case, _errors(case, _labels(case)))


def _listing(case: Case, errors: list[ErrorFacets]) -> Part:
    place = f"{short_name(case['path'])}:{case['line']}"
    return listing(case["key"], case["key"], errors, facets=slice_facets(case), score=case["unmatched"], note=place)


def _labels(case: Case) -> Labels:
    return {side: side_labels(case, side) for side in OTHER}


def _errors(case: Case, labels: Labels) -> list[ErrorFacets]:
    """What each object without a partner can be asked for: cause, label, confusion, phase, type, and if it is invalid.

    They stand in the order of `entries_of`.
    """
    errors = []
    for side, other in SIDES:
        own, theirs = labels[side], labels[other]
        for entry in case[f"unmatched_{side}"]:
            partner, drawn_as = entry.get("partner"), _type_of(entry["object"])
            label, paired = own[entry["index"]], theirs[partner["index"]].category if partner else None
            errors.append(known_facets(side, entry["cause"], label, paired, drawn_as, "invalid" in entry))
    return errors


@lru_cache(maxsize=1 << 16)
def known_facets(
    side: str, cause: str, label: CaseLabel, other: str | None, kind: str | None, invalid: bool
) -> ErrorFacets:
    """Facets of errors that are alike, made once."""
    tags = [tag for tag in (phase_tag(label.phase) if label.phase else "", kind, "invalid" if invalid else "") if tag]
    return error_facets(side, cause, label.category, other, tags)


class CaseCanvas(NamedTuple):
    """What a record is drawn on: width and height, a picture, and width / height where it is shown in others."""

    size: tuple[float, float]
    picture: str | None
    aspect: float | None

    @classmethod
    def of(cls, tree: Tree, key: str, fields: Tree, pictures: Pictures | None) -> CaseCanvas:
        """The canvas for a record with these fields."""
        size = _size(fields)
        picture = pictures.find(key, *_names(fields)) if pictures else None
        aspect = picture.aspect if picture else size[0] / size[1] if size else None
        return cls(canvas_size(tree, fields), picture.uri if picture else None, None if _in_pixels(tree) else aspect)


def canvas_size(tree: Tree, fields: Tree) -> tuple[float, float]:
    """Width and height that a record with these fields is drawn on."""
    return (_size(fields) if _in_pixels(tree) else None) or (FRAME, FRAME)


def _in_pixels(tree: Tree) -> bool:
    return bool(tree["params"]["frame"] == "pixel")


def draw_case(tree: Tree, case: Case, pictures: Pictures | None = None) -> Part:
    """Draw a record with all its objects."""
    canvas = CaseCanvas.of(tree, case["key"], case["fields"], pictures)
    shapes, labels = OutlineCollector(), _labels(case)
    errors = _errors(case, labels)
    unread = iter(errors)
    for entry in entries_of(case):
        look = {"label": labels[entry.side][entry.place].category}
        if entry.unmatched is not None:
            look |= _look(entry.object, entry.unmatched, next(unread))
        shapes.add(entry, _outline(entry.object, canvas.size), look)
    return part.drawn_case(
        _listing(case, errors),
        shapes.parts(),
        canvas.size,
        note=said_of(f"{short_name(case['path'])}:{case['line']}", shapes.undrawn),
        image=canvas.picture,
        aspect=canvas.aspect,
    )


def _look(obj: Any, unmatched: Tree, error: ErrorFacets) -> Tree:
    """The cause that is shown for an object without a partner."""
    desc = obj.get("desc") if isinstance(obj, dict) else None
    return look_of(error, tooltip(desc, unmatched.get("invalid")))


def look_of(error: ErrorFacets, note: str) -> Tree:
    """How the shape of an object without a partner differs from others."""
    return {"cause": error.cause, "tags": error.tags, "under": error.label, "note": note, "state": "wrong"}


def tooltip(desc: Any, reason: Any) -> str:
    """The description of an object and why it is invalid, as far as they are texts."""
    return " · ".join(text for text in (desc, reason) if isinstance(text, str) and text)[:LONGEST_NOTE]


def _size(fields: Tree) -> tuple[float, float] | None:
    """Width and height of the image, where a record says them."""
    size = [value for name in ("width", "height") if _is_number(value := fields.get(name)) and 0 < value <= LARGEST]
    return (size[0], size[1]) if len(size) == 2 else None


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


def _names(fields: Tree) -> list[str]:
    return [value for name in ("image_path", "image") if isinstance(value := fields.get(name), str)]


def _type_of(obj: Any) -> str | None:
    """The type of an object, None where it has none that can be drawn: a model may have written anything there."""
    kind = obj.get("type") if isinstance(obj, dict) else None
    return kind if isinstance(kind, str) and kind in FORMS else None


def _outline(obj: Any, canvas: tuple[float, float]) -> Outline | None:
    """The form and the points of an object, cut at the edges of the canvas as they are when it is measured."""
    kind = _type_of(obj)
    if kind is None or not isinstance(obj.get("points"), list):
        return None
    form, numbers = FORMS[kind], _flat(obj["points"])
    whole = set(map(type, numbers)) == {int}
    if len(numbers) % 2 or not (whole or all(map(_is_number, numbers))):
        return None
    points = numbers if whole and _is_inside(numbers, canvas) else _cut(numbers, canvas)
    if form == "box" and len(points) == 4:
        x, y = sorted(points[::2]), sorted(points[1::2])
        return Outline(form, [x[0], y[0], x[1], y[1]])
    return Outline(form, points) if form != "box" and len(points) >= part.POINTS[form] else None


def _is_inside(numbers: list[float], canvas: tuple[float, float]) -> bool:
    """Whether coordinates in turn are within the edges."""
    return min(numbers) >= 0 and max(numbers[::2]) <= canvas[0] and max(numbers[1::2]) <= canvas[1]


def _cut(numbers: list[float], canvas: tuple[float, float]) -> list[float]:
    """Coordinates in turn, cut at the edges."""
    return [round(min(max(value, 0), canvas[at % 2]), 1) for at, value in enumerate(numbers)]


def _flat(points: list[Any]) -> list[Any]:
    """Points as one flat list, also where they are given as pairs."""
    if not points or not isinstance(points[0], list):
        return points
    pairs = all(isinstance(point, list) and len(point) == 2 for point in points)
    return [value for point in points for value in point] if pairs else points
