"""Whether a click is in the box it should be in, which is how agents that use screens are graded.

The reference has one box or several, and a click in any of them, edges included, is right. The answer is one point; of
a box its centre is clicked. In a text, calls and tags such as `click(x=12, y=30)` and `<point>12 30</point>` are read
as well. With a threshold, a click that is so far from the box still passes; the score is 1 up to
the threshold and falls to 0 at twice of it.
"""

from __future__ import annotations

import re
from math import hypot

from calipers.judge.answers import Answer, Unread, find_shapes, parse_answer
from calipers.judge.hosts import failed, make_verdict
from calipers.judge.points import center_of, score_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.judge.hosts import Case
    from calipers.judge.options import Options

_NUMBER = r"[\"']?(-?\d{1,15}(?:\.\d{1,15})?)[\"']?"
_NAMED = re.compile(rf"\bx\s*[=:]\s*{_NUMBER}\s*,?\s*y\s*[=:]\s*{_NUMBER}")
_TAGGED = re.compile(rf"<(?:point|click)>\s*{_NUMBER}[\s,]+{_NUMBER}\s*</")


def click_verdict(case: Case, options: Options, beside: dict[str, Any]) -> dict[str, Any]:
    """The verdict on one click."""
    boxes = _boxes(parse_answer(case.reference), options)
    if isinstance(boxes, str):
        return failed("click", boxes, **beside)
    answer = parse_answer(case.answer)
    point, notes = _clicked(answer, options)
    beside |= {"notes": [*answer.notes, *notes]}
    if isinstance(point, str):
        return failed("click", point, **beside)
    distance, nearest = min((distance_to(box, point), place) for place, box in enumerate(boxes))
    passed = distance <= options.threshold
    details = {"distance": distance, "click": point, "box": nearest, **beside}
    reason = f"click at {_shown(point)}, {_where(distance, len(boxes), nearest, options.threshold)}"
    text = (
        "the click is in the box" if not options.threshold else f"the click is within {options.threshold:g} of the box"
    )
    return make_verdict(passed, score_at(distance, options.threshold), reason, text, details)


def _where(distance: float, boxes: int, nearest: int, threshold: float) -> str:
    box = "the box" if boxes == 1 else f"box {nearest}"
    if not distance:
        return f"in {box}"
    return f"{distance:.6g} outside {box}" + (
        f", {'within' if distance <= threshold else 'beyond'} {threshold:g}" * bool(threshold)
    )


def _shown(point: list[float]) -> str:
    return f"({', '.join(f'{number:.6g}' for number in point)})"


def distance_to(box: list[float], point: list[float]) -> float:
    """The distance of a point from a box; 0 in it and on its edges.

    >>> distance_to([0, 0, 10, 10], [10, 5]), distance_to([0, 0, 10, 10], [13, 14])
    (0.0, 5.0)
    """
    (x1, y1, x2, y2), (x, y) = box, point
    return round(hypot(max(x1 - x, 0, x - x2), max(y1 - y, 0, y - y2)), 12)


def _boxes(reference: Answer, options: Options) -> list[list[float]] | str:
    """The boxes that may be clicked, or why there are none."""
    boxes = find_shapes(reference, "box", at=options.at, format=options.format)
    if boxes.missing and options.at:
        boxes = find_shapes(reference, "box", format=options.format)
    if boxes.missing or not boxes.shapes:
        return "reference: no box found"
    for place, box in enumerate(boxes.shapes):
        if isinstance(box, Unread):
            return f"reference: box {place}: {box.reason}"
    return boxes.shapes


def _clicked(answer: Answer, options: Options) -> tuple[list[float] | str, list[str]]:
    """The point that was clicked, or why there is none, and notes."""
    points = find_shapes(answer, "point", at=options.at)
    boxes = find_shapes(answer, "box", at=options.at, format=options.format)
    if _is_box(boxes) and (points.missing or points.path == boxes.path):
        return center_of(boxes.shapes[0], "box"), [*boxes.notes, "the centre of a box is the click"]
    if points.missing and (written := _written(answer)):
        return written, ["x and y in prose"]
    if points.missing:
        return f"answer: no point found{''.join('; ' + note for note in (*answer.notes, *points.notes))}", points.notes
    if len(points.shapes) != 1:
        return f"found {len(points.shapes)} points in the answer, expected one", points.notes
    point = points.shapes[0]
    if isinstance(point, Unread):
        return f"answer: {point.reason}", points.notes
    return (point if len(point) == 2 else f"answer: found {len(point)} numbers, expected x, y"), points.notes


def _written(answer: Answer) -> list[float] | None:
    """The last x and y that a text names or tags."""
    places = [place for text in answer.outside for place in _NAMED.findall(text) + _TAGGED.findall(text)]
    return [float(number) for number in places[-1]] if places else None


def _is_box(boxes: Any) -> bool:
    return len(boxes.shapes) == 1 and not isinstance(boxes.shapes[0], Unread)
