"""How far a point is from where it should be.

The score is 1 within the threshold and falls to 0 at twice of it; a threshold of 0 takes only the point itself. The
cosine looks at directions: its score is 1 - distance, not below 0, and a point without direction is 1 away.
"""

from __future__ import annotations

from math import dist, fsum, hypot

from calipers.judge.verdict import failed, make_verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.judge.options import Options


def point_verdict(truth: list[float], pred: list[float], options: Options, beside: dict[str, Any]) -> dict[str, Any]:
    """The verdict on one point."""
    if len(truth) != len(pred):
        reason = f"dimensions differ: {len(pred)} numbers in the answer, {len(truth)} in the reference"
        return failed("point", reason, **beside)
    metric, threshold = options.metric, options.threshold
    distance = round(distance_between(truth, pred, metric), 12)  # as overlaps: 0.4 is 0.3 from 0.1
    passed = distance <= threshold
    score = max(0.0, 1.0 - distance) if metric == "cosine" else _score(distance, threshold)
    reason = f"{metric} distance {distance:.6g}, {'within' if passed else 'beyond'} {threshold:g}"
    details = {"distance": distance, "metric": metric, **beside}
    return make_verdict(passed, score, reason, f"{metric} distance is at most {threshold:g}", details)


def distance_between(a: list[float], b: list[float], metric: str) -> float:
    """The distance of two points, never negative.

    >>> [distance_between([0, 0], [3, 4], metric) for metric in ("euclidean", "manhattan", "chebyshev")]
    [5.0, 7.0, 4.0]
    >>> distance_between([1, 0], [-1, 0], "cosine"), distance_between([1, 2], [2, 4], "cosine")
    (2.0, 0.0)
    """
    if metric == "cosine":
        return _cosine_distance(a, b)
    if metric == "euclidean":
        return dist(a, b)
    apart = [abs(x - y) for x, y in zip(a, b, strict=True)]
    return float(fsum(apart) if metric == "manhattan" else max(apart))


def _cosine_distance(a: list[float], b: list[float]) -> float:
    lengths = hypot(*a), hypot(*b)
    if not all(lengths):
        return 1.0
    cosine = fsum(x / lengths[0] * (y / lengths[1]) for x, y in zip(a, b, strict=True))
    return 1.0 - min(1.0, max(-1.0, round(cosine, 15)))


def _score(distance: float, threshold: float) -> float:
    if distance <= threshold:
        return 1.0
    return max(0.0, 1.0 - (distance - threshold) / threshold) if threshold else 0.0
