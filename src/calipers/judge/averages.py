"""Average precision of an answer with scores, as the detection metrics have it."""

from __future__ import annotations

from calipers.matching import Pairs, by_confidence, round_overlap
from calipers.metrics.detections import Ranked, has_order, precision_curve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.judge.options import Options
    from calipers.judge.rulers import Sides


def average_precision(sides: Sides, options: Options, triple: Any) -> tuple[float, str]:
    """AP over one class, and what keeps it from being defined."""
    from calipers.judge.rulers import Group

    if not sides.truth or not sides.said:
        return float(not sides.truth and not sides.said), ""
    if sides.scores is None or len(sides.scores) != sides.said:
        return 0.0, "answer: no score for each box, expected scores beside boxes"
    ranked = Ranked()
    ranked.scores = list(sides.scores)
    ranked.objects = len(sides.truth)
    if not has_order({"": ranked}):
        return 0.0, "answer: all scores are equal, so that there is no order of boxes and no average precision"
    sure = [sides.scores[place] for place in sides.at]
    pairs = Pairs.sorted(Group(len(sides.truth)), triple)
    found = by_confidence(
        pairs, Group(len(sides.truth)), sure, least=round_overlap(options.threshold), last_of_equals=True
    )
    places = {sides.at[j] for j in found.pred}
    ranked.found = [place in places for place in range(sides.said)]
    return float(precision_curve(ranked).mean()), ""
