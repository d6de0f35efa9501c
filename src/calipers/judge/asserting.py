"""Verdicts as assertions, for pytest and its like.

    def test_detector():
        assert_boxes_match(detect("street.jpg"), [[10, 10, 50, 50], [100, 100, 150, 150]])

An answer may be what a model wrote, an object or a list; arrays are taken as lists. Options are those of
`calipers.judge`, with one other default: `pass_at` is 1, since a test that says that boxes match means all of them.
Each function gives back the verdict, or raises an AssertionError that lists what was found, missed and too many.
"""

from __future__ import annotations

from calipers.judge.answers import find_shapes, parse_answer
from calipers.judge.command import judge
from calipers.judge.rulers import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_LINES = 20  # of one sort in a message
ANY_OVERLAP = 1e-12  # the least there is


def assert_box_matches(answer: Any, reference: Any, *, threshold: float = 0.5, **options: Any) -> dict[str, Any]:
    """One box has an IoU of at least the threshold with that of the reference."""
    __tracebackhide__ = True
    return _check("iou", answer, reference, {"threshold": threshold, **options})


def assert_boxes_match(
    answer: Any, reference: Any, *, threshold: float = 0.5, pass_at: float = 1.0, **options: Any
) -> dict[str, Any]:
    """Boxes match one to one at an IoU of at least the threshold, with an F1 of at least `pass_at`.

    >>> assert_boxes_match("[[0, 0, 10, 10]]", [[0, 0, 10, 9]])["score"]
    1.0
    >>> assert_boxes_match([[0, 0, 10, 10], [50, 0, 60, 10]], [[0, 0, 10, 9], [20, 0, 30, 10], [50, 7, 60, 17]])
    Traceback (most recent call last):
    AssertionError: F1 0.400: 1 of 3 boxes found, 1 more in the answer
      expected  F1 of boxes at IoU >= 0.5 is at least 1
      found     [0, 0, 10, 9] as [0, 0, 10, 10], IoU 0.900
      missed    [20, 0, 30, 10]
      missed    [50, 7, 60, 17]; the closest that is left is [50, 0, 60, 10], IoU 0.176
      too many  [50, 0, 60, 10]
    """
    __tracebackhide__ = True
    return _check("boxes", answer, reference, {"threshold": threshold, "pass_at": pass_at, **options})


def assert_polygons_match(
    answer: Any, reference: Any, *, threshold: float = 0.5, pass_at: float = 1.0, **options: Any
) -> dict[str, Any]:
    """One polygon has an IoU of at least the threshold; several match like boxes."""
    __tracebackhide__ = True
    return _check("polygon", answer, reference, {"threshold": threshold, "pass_at": pass_at, **options})


def assert_rotated_boxes_match(
    answer: Any, reference: Any, *, threshold: float = 0.5, pass_at: float = 1.0, **options: Any
) -> dict[str, Any]:
    """One box at an angle has an IoU of at least the threshold; several match like boxes."""
    __tracebackhide__ = True
    return _check("rotated", answer, reference, {"threshold": threshold, "pass_at": pass_at, **options})


def assert_lines_match(
    answer: Any, reference: Any, *, threshold: float = 0.5, pass_at: float = 1.0, **options: Any
) -> dict[str, Any]:
    """One line, as a tube, has an IoU of at least the threshold; several match like boxes."""
    __tracebackhide__ = True
    return _check("line", answer, reference, {"threshold": threshold, "pass_at": pass_at, **options})


def assert_cuboids_match(
    answer: Any, reference: Any, *, threshold: float = 0.5, pass_at: float = 1.0, **options: Any
) -> dict[str, Any]:
    """One box in space has an IoU of at least the threshold; several match like boxes."""
    __tracebackhide__ = True
    return _check("box3d", answer, reference, {"threshold": threshold, "pass_at": pass_at, **options})


def assert_intervals_match(
    answer: Any, reference: Any, *, threshold: float = 0.5, pass_at: float = 1.0, **options: Any
) -> dict[str, Any]:
    """Intervals of frames match one to one at an IoU of at least the threshold, with an F1 of at least `pass_at`."""
    __tracebackhide__ = True
    return _check("intervals", answer, reference, {"threshold": threshold, "pass_at": pass_at, **options})


def assert_average_precision(
    answer: Any, reference: Any, *, threshold: float = 0.5, pass_at: float = 1.0, **options: Any
) -> dict[str, Any]:
    """The average precision of boxes with scores is at least `pass_at`."""
    __tracebackhide__ = True
    return _check("map", answer, reference, {"threshold": threshold, "pass_at": pass_at, **options})


def assert_point_matches(answer: Any, reference: Any, **options: Any) -> dict[str, Any]:
    """One point is at most the threshold, which is 10 or of cosine distance 0.5, from that of the reference."""
    __tracebackhide__ = True
    return _check("point", answer, reference, options)


def _check(ruler: str, answer: Any, reference: Any, options: dict[str, Any]) -> dict[str, Any]:
    __tracebackhide__ = True
    payload = {"candidate_answer": "" if answer is None else _plain(answer), "reference_answer": _plain(reference)}
    verdict = judge(ruler, payload, options)
    if not verdict["pass"]:
        lines = _lines(_Failure(ruler, payload, options, verdict["details"]), verdict["checks"][0]["text"])
        raise AssertionError("\n  ".join([verdict["reason"], *lines]))
    return verdict


def _plain(value: Any) -> Any:
    """Arrays and their numbers as lists and numbers of Python."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


# What a message lists


class _Failure:
    """A verdict that does not pass, with the shapes of both sides as they were measured."""

    __slots__ = ("details", "options", "payload", "pred", "ruler", "truth")

    def __init__(self, ruler: str, payload: dict[str, Any], options: dict[str, Any], details: dict[str, Any]) -> None:
        self.ruler, self.payload, self.options, self.details = ruler, payload, options, details
        self.truth = self.shapes("reference_answer")
        self.pred = self.shapes("candidate_answer")

    def shapes(self, side: str) -> list[Any]:
        parsed, form = parse_answer(self.payload[side]), self.options.get("format", "xyxy")
        found = find_shapes(parsed, KINDS[self.ruler], at=self.options.get("at"), format=form)
        return (find_shapes(parsed, KINDS[self.ruler], format=form) if found.missing else found).shapes

    def closest_left(self) -> dict[int, tuple[int, float]]:
        """For what was missed, the shape that would be its partner if any overlap were enough."""
        loose = judge(self.ruler, self.payload, self.options | {"threshold": ANY_OVERLAP})["details"]
        missed, extra = self.details["unmatched_gt"], self.details["unmatched_pred"]
        return {i: (j, iou) for i, j, iou in _rows(loose) if i in missed and j in extra}


def _lines(failure: _Failure, expected: str) -> list[str]:
    details = failure.details
    sorts = [[f"note      {note}" for note in details.get("notes", [])]]
    if "precision" in details:
        sorts = [[f"expected  {expected}"], *_of_many(failure), *sorts]
    elif "error" not in details:
        sorts = [[f"reference {failure.truth[0]}", f"answer    {failure.pred[0]}"], *sorts]
    return [line for lines in sorts for line in _shortened(lines)]


def _of_many(failure: _Failure) -> list[list[str]]:
    truth, pred, details = failure.truth, failure.pred, failure.details
    left = {
        i: f"; the closest that is left is {pred[j]}, IoU {iou:.3f}" for i, (j, iou) in failure.closest_left().items()
    }
    malformed = {each["pred"]: each["reason"] for each in details["malformed"]}
    return [
        [f"found     {truth[i]} as {pred[j]}, IoU {iou:.3f}" for i, j, iou in _rows(details)],
        [f"missed    {truth[i]}{left.get(i, '')}" for i in details["unmatched_gt"]],
        [f"too many  {pred[j]}" for j in details["unmatched_pred"] if j not in malformed],
        [f"malformed at place {j} of the answer: {reason}" for j, reason in malformed.items()],
    ]


def _rows(details: dict[str, Any]) -> list[tuple[int, int, float]]:
    return [(pair["gt"], pair["pred"], pair["iou"]) for pair in details["pairs"]]


def _shortened(lines: list[str]) -> list[str]:
    rest = len(lines) - MOST_LINES
    return [*lines[:MOST_LINES], f"          … and {rest} more"] if rest > 0 else lines
