"""Verdicts as assertions, for pytest and its like.

    def test_detector():
        assert_boxes_match([[10, 10, 50, 50], [100, 100, 150, 150]], detect("street.jpg"))

Ground truth comes first, then the prediction. Each may be what a model wrote, an object or a list; arrays are taken as
lists. Options are those of `calipers.judge`, with one other default: `pass_at` is 1, since a test that says that boxes
match means all of them.
Each function gives back the verdict, or raises an AssertionError that lists what was found, missed and too many.
"""

from __future__ import annotations

from calipers.judge.answers import Unread, find_shapes, parse_answer
from calipers.judge.command import judge
from calipers.judge.hosts import payload_of
from calipers.judge.rulers import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from calipers.judge.option_types import JudgeOptions
    from calipers.judge.source_types import JudgeAnswer, JudgeCount

MAX_LINES = 20  # of one sort in a message
ANY_OVERLAP = 1e-12  # the least there is


def assert_box_matches(gt: JudgeAnswer, pred: JudgeAnswer | None, **options: Unpack[JudgeOptions]) -> dict[str, Any]:
    """Assert that one box has an IoU of at least the threshold with that of the reference."""
    __tracebackhide__ = True
    return _check("iou", gt, pred, options)


def assert_boxes_match(gt: JudgeAnswer, pred: JudgeAnswer | None, **options: Unpack[JudgeOptions]) -> dict[str, Any]:
    """Assert that boxes match one to one at an IoU of at least the threshold, with an F1 of at least `pass_at`.

    >>> assert_boxes_match([[0, 0, 10, 9]], "[[0, 0, 10, 10]]")["score"]
    1.0
    >>> assert_boxes_match([[0, 0, 10, 9], [20, 0, 30, 10], [50, 7, 60, 17]], [[0, 0, 10, 10], [50, 0, 60, 10]])
    Traceback (most recent call last):
    AssertionError: F1 0.400: 1 of 3 boxes found, 1 more in the answer
      expected  F1 of boxes at IoU >= 0.5 is at least 1
      found     [0, 0, 10, 9] as [0, 0, 10, 10], IoU 0.900
      missed    [20, 0, 30, 10]
      missed    [50, 7, 60, 17]; the closest that is left is [50, 0, 60, 10], IoU 0.176
      too many  [50, 0, 60, 10]
    """
    __tracebackhide__ = True
    return _check("boxes", gt, pred, {"pass_at": 1.0, **options})


def assert_polygons_match(gt: JudgeAnswer, pred: JudgeAnswer | None, **options: Unpack[JudgeOptions]) -> dict[str, Any]:
    """Assert that one polygon has an IoU of at least the threshold; several match like boxes."""
    __tracebackhide__ = True
    return _check("polygon", gt, pred, {"pass_at": 1.0, **options})


def assert_rotated_boxes_match(
    gt: JudgeAnswer, pred: JudgeAnswer | None, **options: Unpack[JudgeOptions]
) -> dict[str, Any]:
    """Assert that one box at an angle has an IoU of at least the threshold; several match like boxes."""
    __tracebackhide__ = True
    return _check("rotated", gt, pred, {"pass_at": 1.0, **options})


def assert_lines_match(gt: JudgeAnswer, pred: JudgeAnswer | None, **options: Unpack[JudgeOptions]) -> dict[str, Any]:
    """Assert that one line, as a tube, has an IoU of at least the threshold; several match like boxes."""
    __tracebackhide__ = True
    return _check("line", gt, pred, {"pass_at": 1.0, **options})


def assert_cuboids_match(gt: JudgeAnswer, pred: JudgeAnswer | None, **options: Unpack[JudgeOptions]) -> dict[str, Any]:
    """Assert that one box in space has an IoU of at least the threshold; several match like boxes."""
    __tracebackhide__ = True
    return _check("box3d", gt, pred, {"pass_at": 1.0, **options})


def assert_intervals_match(
    gt: JudgeAnswer, pred: JudgeAnswer | None, **options: Unpack[JudgeOptions]
) -> dict[str, Any]:
    """Intervals of frames match one to one at an IoU of at least the threshold, with an F1 of at least `pass_at`."""
    __tracebackhide__ = True
    return _check("intervals", gt, pred, {"pass_at": 1.0, **options})


def assert_average_precision(
    gt: JudgeAnswer, pred: JudgeAnswer | None, **options: Unpack[JudgeOptions]
) -> dict[str, Any]:
    """Assert that the average precision of boxes with scores is at least `pass_at`."""
    __tracebackhide__ = True
    return _check("map", gt, pred, {"pass_at": 1.0, **options})


def assert_point_matches(gt: JudgeAnswer, pred: JudgeAnswer | None, **options: Unpack[JudgeOptions]) -> dict[str, Any]:
    """One point is at most the threshold, which is 10 or of cosine distance 0.5, from that of the reference."""
    __tracebackhide__ = True
    return _check("point", gt, pred, options)


def assert_click_matches(gt: JudgeAnswer, pred: JudgeAnswer | None, **options: Unpack[JudgeOptions]) -> dict[str, Any]:
    """One point is in a box of the reference, or at most the threshold, which is 0, outside."""
    __tracebackhide__ = True
    return _check("click", gt, pred, options)


def assert_count_matches(gt: JudgeCount, pred: JudgeCount | None, **options: Unpack[JudgeOptions]) -> dict[str, Any]:
    """A count differs from that of the reference by at most the threshold, which is 0.

    >>> assert_count_matches(2, "[[0, 0, 10, 10], [20, 0, 30, 10]]")["score"]
    1.0
    """
    __tracebackhide__ = True
    return _check("count", gt, pred, options)


def _check(ruler: str, gt: JudgeCount, pred: JudgeCount | None, options: JudgeOptions) -> dict[str, Any]:
    __tracebackhide__ = True
    payload = payload_of(gt, pred)
    verdict = judge(ruler, payload, options)
    if not verdict["pass"]:
        expected = verdict["checks"][0]["text"]
        if ruler in ("click", "count"):
            lines = [f"expected  {expected}", *_notes(verdict["details"])]
        else:
            lines = _lines(_FailedVerdict(ruler, payload, options, verdict["details"]), expected)
        raise AssertionError("\n  ".join([verdict["reason"], *lines]))
    return verdict


# What a message lists


class _FailedVerdict:
    """A verdict that does not pass, with the shapes of both sides as they were measured."""

    __slots__ = ("details", "options", "payload", "pred", "ruler", "truth")

    def __init__(self, ruler: str, payload: dict[str, Any], options: JudgeOptions, details: dict[str, Any]) -> None:
        self.ruler, self.payload, self.options, self.details = ruler, payload, options, details
        self.truth = self.shapes("reference_answer")
        self.pred = self.shapes("candidate_answer")

    def shapes(self, side: str) -> list[Any]:
        parsed, form = parse_answer(self.payload[side]), self.options.get("format", "xyxy")
        if self.ruler == "intervals":
            form = self.options.get("unit", "frames")
        shapes = find_shapes(parsed, KINDS[self.ruler], at=self.options.get("at"), format=form)
        return (find_shapes(parsed, KINDS[self.ruler], format=form) if shapes.missing else shapes).shapes

    def closest_left(self) -> dict[int, tuple[int, float]]:
        """For what was missed, the shape that would be its partner if any overlap were enough."""
        loose = judge(self.ruler, self.payload, self.options | {"threshold": ANY_OVERLAP})["details"]
        missed, extra = set(self.details["unmatched_gt"]), set(self.details["unmatched_pred"])
        return {i: (j, iou) for i, j, iou in _rows(loose) if i in missed and j in extra}


def _lines(failure: _FailedVerdict, expected: str) -> list[str]:
    details = failure.details
    sorts = [_notes(details)]
    if "precision" in details:
        sorts = [[f"expected  {expected}"], *_of_many(failure), *sorts]
    elif "error" not in details:
        sorts = [[f"reference {failure.truth[0]}", f"answer    {failure.pred[0]}"], *sorts]
    return [line for lines in sorts for line in _shortened(lines)]


def _notes(details: dict[str, Any]) -> list[str]:
    return [f"note      {note}" for note in details.get("notes", [])]


def _of_many(failure: _FailedVerdict) -> list[list[str]]:
    truth, pred, details = failure.truth, failure.pred, failure.details
    left = {
        i: f"; the closest that is left is {pred[j]}, IoU {iou:.3f}" for i, (j, iou) in failure.closest_left().items()
    }
    malformed = {place: shape.reason for place, shape in enumerate(pred) if isinstance(shape, Unread)}
    malformed |= {fault["pred"]: fault["reason"] for fault in details["malformed"]}  # the first of them
    return [
        [f"found     {truth[i]} as {pred[j]}, IoU {iou:.3f}" for i, j, iou in _rows(details)],
        [f"missed    {truth[i]}{left.get(i, '')}" for i in details["unmatched_gt"]],
        [f"too many  {pred[j]}" for j in details["unmatched_pred"] if j not in malformed],
        [f"malformed at place {j} of the answer: {reason}" for j, reason in malformed.items()],
    ]


def _rows(details: dict[str, Any]) -> list[tuple[int, int, float]]:
    return [(pair["gt"], pair["pred"], pair["iou"]) for pair in details["pairs"]]


def _shortened(lines: list[str]) -> list[str]:
    rest = len(lines) - MAX_LINES
    return [*lines[:MAX_LINES], f"          … and {rest} more"] if rest > 0 else lines
