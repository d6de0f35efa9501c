"""Average precision of an answer with scores, as the detection metrics have it."""

from __future__ import annotations

from calipers.core.matching import Pairs, by_confidence, round_overlap
from calipers.core.ranking import Ranked, has_order, precision_curve
from calipers.core.sums import add_in_order
from calipers.judge.kinds import Unread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.judge.options import Options
    from calipers.judge.rulers import ShapesOfSides


def average_precision(sides: ShapesOfSides, options: Options) -> tuple[float, str]:
    """AP, and what keeps it from being defined; with exact labels the mean over the labels of the reference."""
    if options.labels != "exact" or not sides.truth:
        return _of_one_class(sides, options)
    labels = sorted({label for label in sides.truth_labels or () if label is not None})
    parts = [_of_one_class(_labelled(sides, label), options) for label in labels]
    trouble = next((trouble for _, trouble in parts if trouble), "")
    return (0.0, trouble) if trouble else (add_in_order(score for score, _ in parts) / len(parts), "")


def _labelled(sides: ShapesOfSides, label: str) -> ShapesOfSides:
    """The shapes of one label."""
    from calipers.judge.rulers import ShapesOfSides

    truth = [shape for shape, own in zip(sides.truth, sides.truth_labels or (), strict=True) if own == label]
    places = [place for place, own in enumerate(sides.pred_labels or ()) if own == label]
    readable = dict(zip(sides.at, sides.pred, strict=True))
    shapes = [readable.get(place, Unread("malformed")) for place in places]
    scores = None if sides.scores is None else [sides.scores[place] for place in places]
    return ShapesOfSides(sides.kind, truth, shapes, scores, [])


def _of_one_class(sides: ShapesOfSides, options: Options) -> tuple[float, str]:
    from calipers.judge.rulers import Group, overlaps

    if not sides.truth or not sides.pred_count:
        return float(not sides.truth and not sides.pred_count), ""
    if sides.scores is None or len(sides.scores) != sides.pred_count:
        return 0.0, "answer: no score for each box, expected scores beside boxes"
    order = sorted(range(len(sides.pred)), key=sides.pred.__getitem__)  # of equal scores, not that of the list
    places = [sides.at[j] for j in order]
    places += sorted(set(range(sides.pred_count)).difference(places))  # malformed ones last
    ranked = Ranked()
    ranked.scores = [sides.scores[place] for place in places]
    ranked.objects = len(sides.truth)
    triple = overlaps("map", sorted(sides.truth), [sides.pred[j] for j in order], options)
    pairs = Pairs.sorted(Group(len(sides.truth)), triple)
    sure, min_overlap = ranked.scores[: len(order)], round_overlap(options.threshold)
    matching = by_confidence(pairs, Group(len(sides.truth)), sure, min_overlap=min_overlap, last_of_equals=True)
    hits = set(matching.pred)
    ranked.hits = [j in hits for j in range(sides.pred_count)]
    if not has_order({"": ranked}):
        return 0.0, "answer: all scores are equal, so that there is no order of boxes and no average precision"
    return float(precision_curve(ranked).mean()), ""
