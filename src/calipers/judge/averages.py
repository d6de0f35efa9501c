"""Average precision of an answer with scores, as the detection metrics have it."""

from __future__ import annotations

from calipers.core.matching import Pairs, by_confidence, round_overlap
from calipers.core.ranking import Ranked, has_order, precision_curve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from calipers.judge.options import Options
    from calipers.judge.rulers import Sides


def average_precision(sides: Sides, options: Options) -> tuple[float, str]:
    """AP over one class, and what keeps it from being defined."""
    from calipers.judge.rulers import Group, overlaps

    if not sides.truth or not sides.said:
        return float(not sides.truth and not sides.said), ""
    if sides.scores is None or len(sides.scores) != sides.said:
        return 0.0, "answer: no score for each box, expected scores beside boxes"
    order = sorted(range(len(sides.pred)), key=sides.pred.__getitem__)  # of equal scores, not that of the list
    places = [sides.at[j] for j in order]
    places += sorted(set(range(sides.said)).difference(places))  # malformed ones last
    ranked = Ranked()
    ranked.scores = [sides.scores[place] for place in places]
    ranked.objects = len(sides.truth)
    triple = overlaps("map", sorted(sides.truth), [sides.pred[j] for j in order], options)
    pairs = Pairs.sorted(Group(len(sides.truth)), triple)
    sure, least = ranked.scores[: len(order)], round_overlap(options.threshold)
    found = by_confidence(pairs, Group(len(sides.truth)), sure, least=least, last_of_equals=True)
    hits = set(found.pred)
    ranked.found = [j in hits for j in range(sides.said)]
    if not has_order({"": ranked}):
        return 0.0, "answer: all scores are equal, so that there is no order of boxes and no average precision"
    return float(precision_curve(ranked).mean()), ""
