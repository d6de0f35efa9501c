"""One verdict per case: a payload from a host goes in, a plain dict that every generation of hosts accepts comes out.

    calipers.judge.boxes(payload, threshold=0.5, match="greedy")["score"]

Options are those of `calipers judge`; they win over the payload's own `config`. Whatever is wrong with the payload is a
verdict with score 0 and the reason. Only an option that does not exist is an error of the caller.
"""

from __future__ import annotations

from calipers.core.errors import ConfigError
from calipers.judge.command import judge
from calipers.judge.hosts import payload_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from calipers.judge.option_types import JudgeOptions
    from calipers.judge.source_types import JudgeAnswer, JudgeCount, JudgePayload

__all__ = ["box3d", "boxes", "click", "count", "intervals", "iou", "line", "map", "point", "polygon", "rotated"]


def iou(
    payload: JudgePayload | None = None,
    *,
    gt: JudgeAnswer | None = None,
    pred: JudgeAnswer | None = None,
    **options: Unpack[JudgeOptions],
) -> dict[str, Any]:
    """Judge one box against one box: the score is their IoU.

    Args:
        payload: What a host sends, as an object or its JSON, with the answer and the reference in it.
        gt: The reference, where there is no payload: a model's text, an object, a list or an array.
        pred: The answer, in the same forms.
        **options: Those of `calipers judge`; they win over the payload's own `config`.

    Returns:
        The verdict: `pass`, `score`, `reason`, `details` and what hosts want beside them.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a side is missing.

    Examples:
        >>> verdict = iou(gt=[0, 0, 10, 5], pred=[0, 0, 10, 10], threshold=0.4)
        >>> verdict["pass"], verdict["score"], verdict["reason"]
        (True, 0.5, 'IoU 0.500, at least 0.4')
    """
    return _judge("iou", payload, gt, pred, options)


def boxes(
    payload: JudgePayload | None = None,
    *,
    gt: JudgeAnswer | None = None,
    pred: JudgeAnswer | None = None,
    **options: Unpack[JudgeOptions],
) -> dict[str, Any]:
    """Judge boxes against boxes, matched one to one: the score is F1.

    Args:
        payload: What a host sends, as an object or its JSON, with the answer and the reference in it.
        gt: The reference, where there is no payload: a model's text, an object, a list or an array.
        pred: The answer, in the same forms.
        **options: Those of `calipers judge`; they win over the payload's own `config`.

    Returns:
        The verdict: `pass`, `score`, `reason`, `details` and what hosts want beside them.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a side is missing.

    Examples:
        >>> verdict = boxes(gt=[[0, 0, 10, 10], [20, 0, 30, 10]], pred="[[0, 0, 10, 9]]")
        >>> verdict["score"], verdict["details"]["recall"]
        (0.6666666666666666, 0.5)
    """
    return _judge("boxes", payload, gt, pred, options)


def polygon(
    payload: JudgePayload | None = None,
    *,
    gt: JudgeAnswer | None = None,
    pred: JudgeAnswer | None = None,
    **options: Unpack[JudgeOptions],
) -> dict[str, Any]:
    """Judge filled polygons: IoU of one, F1 of several.

    Args:
        payload: What a host sends, as an object or its JSON, with the answer and the reference in it.
        gt: The reference, where there is no payload: a model's text, an object, a list or an array.
        pred: The answer, in the same forms.
        **options: Those of `calipers judge`; they win over the payload's own `config`.

    Returns:
        The verdict: `pass`, `score`, `reason`, `details` and what hosts want beside them.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a side is missing.

    Examples:
        >>> verdict = polygon(gt=[[0, 0], [10, 0], [10, 10], [0, 10]], pred=[[0, 0], [10, 0], [10, 5], [0, 5]])
        >>> verdict["score"]
        0.5
    """
    return _judge("polygon", payload, gt, pred, options)


def rotated(
    payload: JudgePayload | None = None,
    *,
    gt: JudgeAnswer | None = None,
    pred: JudgeAnswer | None = None,
    **options: Unpack[JudgeOptions],
) -> dict[str, Any]:
    """Judge boxes at an angle, [cx, cy, w, h, degrees]: IoU of one, F1 of several.

    Args:
        payload: What a host sends, as an object or its JSON, with the answer and the reference in it.
        gt: The reference, where there is no payload: a model's text, an object, a list or an array.
        pred: The answer, in the same forms.
        **options: Those of `calipers judge`; they win over the payload's own `config`.

    Returns:
        The verdict: `pass`, `score`, `reason`, `details` and what hosts want beside them.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a side is missing.

    Examples:
        >>> verdict = rotated(gt=[5, 5, 10, 10, 0], pred=[5, 5, 10, 10, 90])
        >>> verdict["score"]
        1.0
    """
    return _judge("rotated", payload, gt, pred, options)


def line(
    payload: JudgePayload | None = None,
    *,
    gt: JudgeAnswer | None = None,
    pred: JudgeAnswer | None = None,
    **options: Unpack[JudgeOptions],
) -> dict[str, Any]:
    """Judge lines as tubes of a tolerance: IoU of one, F1 of several.

    Args:
        payload: What a host sends, as an object or its JSON, with the answer and the reference in it.
        gt: The reference, where there is no payload: a model's text, an object, a list or an array.
        pred: The answer, in the same forms.
        **options: Those of `calipers judge`; they win over the payload's own `config`.

    Returns:
        The verdict: `pass`, `score`, `reason`, `details` and what hosts want beside them.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a side is missing.

    Examples:
        >>> verdict = line(gt=[[0, 500], [1000, 500]], pred=[[0, 508], [1000, 508]], tolerance=8)
        >>> verdict["score"]
        0.333333333333
    """
    return _judge("line", payload, gt, pred, options)


def point(
    payload: JudgePayload | None = None,
    *,
    gt: JudgeAnswer | None = None,
    pred: JudgeAnswer | None = None,
    **options: Unpack[JudgeOptions],
) -> dict[str, Any]:
    """Judge one point against one point, by their distance.

    Args:
        payload: What a host sends, as an object or its JSON, with the answer and the reference in it.
        gt: The reference, where there is no payload: a model's text, an object, a list or an array.
        pred: The answer, in the same forms.
        **options: Those of `calipers judge`; they win over the payload's own `config`.

    Returns:
        The verdict: `pass`, `score`, `reason`, `details` and what hosts want beside them.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a side is missing.

    Examples:
        >>> verdict = point(gt=[300, 200], pred="I would click at (303, 204).")
        >>> verdict["pass"], verdict["details"]["distance"]
        (True, 5.0)
    """
    return _judge("point", payload, gt, pred, options)


def click(
    payload: JudgePayload | None = None,
    *,
    gt: JudgeAnswer | None = None,
    pred: JudgeAnswer | None = None,
    **options: Unpack[JudgeOptions],
) -> dict[str, Any]:
    """Judge whether a click, or the centre of a box, is in the box of the reference, edges included.

    Args:
        payload: What a host sends, as an object or its JSON, with the answer and the reference in it.
        gt: The reference, where there is no payload: a model's text, an object, a list or an array.
        pred: The answer, in the same forms.
        **options: Those of `calipers judge`; they win over the payload's own `config`.

    Returns:
        The verdict: `pass`, `score`, `reason`, `details` and what hosts want beside them.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a side is missing.

    Examples:
        >>> verdict = click(gt={"bbox": [100, 20, 180, 50]}, pred="click(120, 60)")
        >>> verdict["pass"], verdict["reason"]
        (False, 'click at (120, 60), 10 outside the box')
    """
    return _judge("click", payload, gt, pred, options)


def box3d(
    payload: JudgePayload | None = None,
    *,
    gt: JudgeAnswer | None = None,
    pred: JudgeAnswer | None = None,
    **options: Unpack[JudgeOptions],
) -> dict[str, Any]:
    """Judge boxes in space: IoU of one, F1 of several.

    Args:
        payload: What a host sends, as an object or its JSON, with the answer and the reference in it.
        gt: The reference, where there is no payload: a model's text, an object, a list or an array.
        pred: The answer, in the same forms.
        **options: Those of `calipers judge`; they win over the payload's own `config`.

    Returns:
        The verdict: `pass`, `score`, `reason`, `details` and what hosts want beside them.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a side is missing.

    Examples:
        >>> verdict = box3d(gt=[0, 0, 0, 1, 1, 1], pred=[0.5, 0, 0, 1, 1, 1])
        >>> verdict["score"]
        0.333333333333
    """
    return _judge("box3d", payload, gt, pred, options)


def intervals(
    payload: JudgePayload | None = None,
    *,
    gt: JudgeAnswer | None = None,
    pred: JudgeAnswer | None = None,
    **options: Unpack[JudgeOptions],
) -> dict[str, Any]:
    """Judge intervals of frames, both ends included, or of seconds, matched one to one: the score is F1.

    Args:
        payload: What a host sends, as an object or its JSON, with the answer and the reference in it.
        gt: The reference, where there is no payload: a model's text, an object, a list or an array.
        pred: The answer, in the same forms.
        **options: Those of `calipers judge`; they win over the payload's own `config`.

    Returns:
        The verdict: `pass`, `score`, `reason`, `details` and what hosts want beside them.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a side is missing.

    Examples:
        >>> verdict = intervals(gt=[[0, 9], [20, 29]], pred=[[0, 9]])
        >>> verdict["score"]
        0.6666666666666666
    """
    return _judge("intervals", payload, gt, pred, options)


def count(
    payload: JudgePayload | None = None,
    *,
    gt: JudgeCount | None = None,
    pred: JudgeCount | None = None,
    **options: Unpack[JudgeOptions],
) -> dict[str, Any]:
    """Judge how many there are: numbers, or lists of shapes or labels that are counted.

    Args:
        payload: What a host sends, as an object or its JSON, with the answer and the reference in it.
        gt: The reference, where there is no payload: a number, a model's text, an object, a list or an array.
        pred: The answer, in the same forms.
        **options: Those of `calipers judge`; they win over the payload's own `config`.

    Returns:
        The verdict: `pass`, `score`, `reason`, `details` and what hosts want beside them.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a side is missing.

    Examples:
        >>> verdict = count(gt=9, pred="I can see 7 screws.")
        >>> verdict["score"], verdict["reason"]
        (0.7777777777777778, 'count 7, expected 9: 2 too few')
    """
    return _judge("count", payload, gt, pred, options)


def map(  # noqa: A001  named as hosts name the ruler
    payload: JudgePayload | None = None,
    *,
    gt: JudgeAnswer | None = None,
    pred: JudgeAnswer | None = None,
    **options: Unpack[JudgeOptions],
) -> dict[str, Any]:
    """Judge boxes with scores: the score is their average precision.

    Args:
        payload: What a host sends, as an object or its JSON, with the answer and the reference in it.
        gt: The reference, where there is no payload: a model's text, an object, a list or an array.
        pred: The answer, in the same forms.
        **options: Those of `calipers judge`; they win over the payload's own `config`.

    Returns:
        The verdict: `pass`, `score`, `reason`, `details` and what hosts want beside them.

    Raises:
        ConfigError: An option does not exist or has a value that cannot be meant, or a side is missing.

    Examples:
        >>> verdict = map(gt=[[0, 0, 10, 10]], pred={"boxes": [[0, 0, 10, 10], [50, 0, 60, 10]], "scores": [0.9, 0.2]})
        >>> verdict["score"]
        1.0
    """
    return _judge("map", payload, gt, pred, options)


def _judge(
    ruler: str, payload: JudgePayload | None, gt: JudgeCount | None, pred: JudgeCount | None, options: JudgeOptions
) -> dict[str, Any]:
    if gt is None and pred is None:
        return judge(ruler, payload, options)
    if payload is not None or gt is None:
        sides = "gt alone" if pred is None else "pred alone" if gt is None else "gt and pred"
        beside = f"a payload and {sides}" if payload is not None else sides
        raise ConfigError(f"payload: found {beside}, expected a payload, or gt and pred")
    return judge(ruler, payload_of(gt, pred), options)
