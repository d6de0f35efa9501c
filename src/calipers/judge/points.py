"""How far a point is from where it should be.

The score is 1 within the threshold and falls to 0 at twice of it; a threshold of 0 takes only the point itself. The
cosine looks at directions: its score is 1 - distance, not below 0, and a point without direction is 1 away.

Boxes, polygons and boxes in space stand for their centres. Several of them are matched one to one, the nearest pair
first, ties by the places in the lists. The score is the sum over pairs, divided by the count of the longer list; the
verdict passes when every centre of either side has a partner within the threshold.
"""

from __future__ import annotations

from math import dist, fsum, hypot

from calipers.judge.hosts import failed, make_verdict

MAX_PAIRS = 4_000_000  # of centres, whose distances are all measured

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
    score = max(0.0, 1.0 - distance) if metric == "cosine" else score_at(distance, threshold)
    reason = f"{metric} distance {distance:.6g}, {'within' if passed else 'beyond'} {threshold:g}"
    details = {"distance": distance, "metric": metric, **beside}
    return make_verdict(passed, score, reason, f"{metric} distance is at most {threshold:g}", details)


def centers_verdict(
    truth: list[list[float]], pred: list[list[float]], options: Options, beside: dict[str, Any]
) -> dict[str, Any]:
    """The verdict on the centres of some shapes."""
    if len(truth) == len(pred) == 1:
        return point_verdict(truth[0], pred[0], options, beside)
    if len(truth) * len(pred) > MAX_PAIRS:
        reason = f"found {len(truth)} and {len(pred)} centres, expected at most {MAX_PAIRS:,} pairs of them"
        return failed("point", reason, **beside)
    metric, threshold = options.metric, options.threshold
    pairs = nearest_pairs(truth, pred, metric)
    scores = [max(0.0, 1.0 - far) if metric == "cosine" else score_at(far, threshold) for _, _, far in pairs]
    longer = max(len(truth), len(pred))
    within = sum(far <= threshold for _, _, far in pairs)
    score = fsum(scores) / longer if longer else 1.0
    reason = f"{within} of {longer} centres within a {metric} distance of {threshold:g}"
    details = {
        "pairs": [{"gt": i, "pred": j, "distance": far} for i, j, far in pairs],
        "metric": metric,
        **beside,
    }
    return make_verdict(within == longer, score, reason, f"{metric} distances are at most {threshold:g}", details)


def nearest_pairs(truth: list[list[float]], pred: list[list[float]], metric: str) -> list[tuple[int, int, float]]:
    """Partners one to one, the nearest first, in the order of `truth`.

    >>> nearest_pairs([[0, 0], [10, 0]], [[9, 0], [0, 2]], "euclidean")
    [(0, 1, 2.0), (1, 0, 1.0)]
    """
    by_distance = sorted(
        (round(distance_between(a, b, metric), 12), i, j) for i, a in enumerate(truth) for j, b in enumerate(pred)
    )
    free_truth, free_pred, pairs = set(range(len(truth))), set(range(len(pred))), []
    for distance, i, j in by_distance:
        if i in free_truth and j in free_pred:
            free_truth.remove(i)
            free_pred.remove(j)
            pairs.append((i, j, distance))
    return sorted(pairs)


def center_of(shape: Any, kind: str) -> list[float]:
    """The centre of a shape; of a polygon, that of the area it encloses, or the mean of its vertices if there is none.

    >>> center_of([10, 20, 30, 60], "box"), center_of([0, 0, 8, 0, 8, 2, 0, 2], "polygon")
    ([20.0, 40.0], [4.0, 1.0])
    """
    if kind == "box":
        return [shape[0] / 2 + shape[2] / 2, shape[1] / 2 + shape[3] / 2]
    if kind == "polygon":
        from calipers.rulers.shapes import as_objects

        ring = as_objects([shape], "region").points.tolist()  # once around what it encloses
        return _centroid(ring[::2], ring[1::2]) or [fsum(shape[axis::2]) / (len(shape) // 2) for axis in (0, 1)]
    if isinstance(shape, dict):
        return list(shape["center"])
    return list(shape[:3] if kind == "cuboid" else shape[:2])


def _centroid(xs: list[float], ys: list[float]) -> list[float] | None:
    """The centre of the area, if there is one, seen from the first vertex so that polygons far away lose nothing."""
    x0, y0, turned = xs[0], ys[0], [*xs[1:], xs[0]]
    corners = list(zip(xs, ys, turned, [*ys[1:], ys[0]], strict=True))
    parts = [(a - x0) * (d - y0) - (c - x0) * (b - y0) for a, b, c, d in corners]
    area = fsum(parts)
    if not area:
        return None
    x = fsum((a - x0 + c - x0) * part for (a, _, c, _), part in zip(corners, parts, strict=True))
    y = fsum((b - y0 + d - y0) * part for (_, b, _, d), part in zip(corners, parts, strict=True))
    return [x0 + x / (3 * area), y0 + y / (3 * area)]


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
    differences = [abs(x - y) for x, y in zip(a, b, strict=True)]
    return float(fsum(differences) if metric == "manhattan" else max(differences))


def _cosine_distance(a: list[float], b: list[float]) -> float:
    lengths = hypot(*a), hypot(*b)
    if not all(lengths):
        return 1.0
    cosine = fsum(x / lengths[0] * (y / lengths[1]) for x, y in zip(a, b, strict=True))
    return 1.0 - min(1.0, max(-1.0, round(cosine, 15)))


def score_at(distance: float, threshold: float) -> float:
    """1 up to the threshold, then falling to 0 at twice of it."""
    if distance <= threshold:
        return 1.0
    return max(0.0, 1.0 - (distance - threshold) / threshold) if threshold else 0.0
