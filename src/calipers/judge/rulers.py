"""From a case to its verdict: shapes are found on both sides, measured, and matched where there are several.

Of polygons, boxes at an angle, lines and boxes in space the reference decides whether there is one or several, so that
a shape too many cannot raise the score. A malformed shape of the answer is a prediction that matches nothing; one of
the reference is an error. Of greedy and optimal matching the order of the lists does not matter: shapes are put in the
order of their coordinates first.
"""

from __future__ import annotations

from calipers.core.matching import UNIT, round_overlap
from calipers.judge.answers import Answer, Shapes, Unread, find_shapes, parse_answer
from calipers.judge.verdict import failed, make_verdict
from calipers.kernels.rects import rect_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.judge.options import Options
    from calipers.judge.payload import Case

KINDS = {
    "iou": "box",
    "boxes": "box",
    "polygon": "polygon",
    "rotated": "rotated",
    "line": "line",
    "point": "point",
    "box3d": "cuboid",
    "intervals": "interval",
    "map": "box",
}
PLURALS = {"box": "boxes"}
FLAT = ("box", "point", "interval")  # kinds that are a few numbers, and nothing more can be wrong with them
ALONE = ("iou", "point")  # rulers of one shape
FEW_PAIRS = 100_000  # of boxes, up to which all are compared; more are sorted first, and their work is limited
SEVERAL = ("boxes", "intervals", "map")  # rulers that always match
CENTERED = ("box", "rotated", "polygon", "cuboid")  # kinds whose centre is a point, where a point is asked for
RATES = ("precision", "recall")


class Sides:
    """The shapes of both sides: `pred` holds those that could be read, at their places in the answer `at`."""

    __slots__ = ("at", "kind", "malformed", "notes", "pred", "said", "scores", "truth")

    def __init__(
        self, kind: str, truth: list[Any], shapes: list[Any], scores: list[float] | None, notes: list[str]
    ) -> None:
        self.kind, self.truth, self.notes, self.scores = kind, truth, notes, scores
        self.said = len(shapes)
        self.at = [place for place, shape in enumerate(shapes) if not isinstance(shape, Unread)]
        self.pred = [shapes[place] for place in self.at]
        self.malformed = [
            {"pred": place, "reason": shape.reason} for place, shape in enumerate(shapes) if isinstance(shape, Unread)
        ]


def measure(ruler: str, case: Case, options: Options) -> dict[str, Any]:
    """The verdict on a case."""
    sides = _sides(ruler, case, options)
    if isinstance(sides, str):
        return failed(ruler, sides, **_beside(options))
    if ruler == "point" and sides.kind != "point":
        return _centers(sides, options)
    alone = ruler in ALONE or (ruler not in SEVERAL and len(sides.truth) == 1)
    if alone and (len(sides.truth), sides.said) != (1, 1):
        where, count = ("answer", sides.said) if sides.said != 1 else ("reference", len(sides.truth))
        reason = f"found {_named(count, KINDS[ruler])} in the {where}, expected one"
        return failed(ruler, reason, **_beside(options), notes=sides.notes)
    if alone and sides.malformed:
        return failed(ruler, f"answer: {sides.malformed[0]['reason']}", **_beside(options), notes=sides.notes)
    if ruler == "point":
        from calipers.judge.points import point_verdict

        return point_verdict(sides.truth[0], sides.pred[0], options, _beside(options) | {"notes": sides.notes})
    return one(ruler, sides, options) if alone else several(ruler, sides, options)


def _sides(ruler: str, case: Case, options: Options) -> Sides | str:
    """Shapes of both sides, or why there are none."""
    reference, answer = parse_answer(case.reference), parse_answer(case.answer)
    kind, truth = _reference(reference, ruler, options)
    if truth.missing:
        return f"reference: no {kind} found"
    for place, shape in enumerate(_measurable(ruler, truth.shapes)):
        if isinstance(shape, Unread):
            return f"reference: {kind} {place}: {shape.reason}"
    many = ruler not in ALONE or kind != KINDS[ruler]
    pred = find_shapes(answer, kind, at=options.at, format=options.format, many=many)
    if isinstance(case.answer, str) and not case.answer.strip():
        return f"answer: no {kind} found, it is empty"
    if pred.missing:
        return f"answer: no {kind} found{''.join('; ' + note for note in (*answer.notes, *pred.notes))}"
    return Sides(kind, truth.shapes, _measurable(ruler, pred.shapes), pred.scores, [*answer.notes, *pred.notes])


def _reference(reference: Answer, ruler: str, options: Options) -> tuple[str, Shapes]:
    """The kind and the shapes of the reference; for a point also shapes that have a centre."""
    for kind in (KINDS[ruler], *(CENTERED if ruler == "point" else ())):
        for at in (options.at, None) if options.at else (None,):
            found = find_shapes(reference, kind, at=at, format=options.format)
            if not found.missing:
                return kind, found
    return KINDS[ruler], found


def _centers(sides: Sides, options: Options) -> dict[str, Any]:
    """The verdict on the centres of shapes, where a point is asked for."""
    from calipers.judge.points import center_of, centers_verdict

    beside = _beside(options) | {"notes": sides.notes, "shape": sides.kind}
    if sides.malformed:
        return failed("point", f"answer: {sides.malformed[0]['reason']}", **beside)
    truth, pred = ([center_of(shape, sides.kind) for shape in shapes] for shapes in (sides.truth, sides.pred))
    return centers_verdict(truth, pred, options, beside)


def _measurable(ruler: str, shapes: list[Any]) -> list[Any]:
    """The shapes, with those that the ruler refuses as unread."""
    if KINDS[ruler] in FLAT:
        return shapes
    from calipers.judge.overlaps import problem_with

    problems = [None if isinstance(shape, Unread) else problem_with(ruler, shape) for shape in shapes]
    return [shape if problem is None else Unread(problem) for shape, problem in zip(shapes, problems, strict=True)]


def _beside(options: Options) -> dict[str, Any]:
    return {"threshold": options.threshold, "ignored_config": options.ignored}


def one(ruler: str, sides: Sides, options: Options) -> dict[str, Any]:
    """One shape each: the score is their overlap."""
    pairs = overlaps(ruler, sides.truth, sides.pred, options)
    iou = pairs[2][0] / UNIT if len(pairs[2]) else 0.0
    passed = round_overlap(iou) >= round_overlap(options.threshold)
    reason = f"IoU {iou:.3f}, {'at least' if passed else 'below'} {options.threshold:g}"
    details = {"pairs": [{"gt": 0, "pred": 0, "iou": iou}] if iou else [], **_unmatched(sides, {0} if iou else set())}
    details |= _beside(options) | {"notes": sides.notes}
    return make_verdict(passed, iou, reason, f"IoU is at least {options.threshold:g}", details)


def _unmatched(sides: Sides, found: set[int]) -> dict[str, Any]:
    free = [] if found else list(range(len(sides.truth)))
    return {"unmatched_gt": free, "unmatched_pred": [] if found else list(range(sides.said))}


def several(ruler: str, sides: Sides, options: Options) -> dict[str, Any]:
    """Shapes matched one to one: the score is F1, or average precision."""
    rows = match(ruler, sides, options)
    tp, kind = len(rows), KINDS[ruler]
    fp, fn = sides.said - tp, len(sides.truth) - tp
    score, name, trouble = _ratio(2 * tp, sides.said + len(sides.truth)), "F1", ""
    if ruler == "map":
        from calipers.judge.averages import average_precision

        name = "AP"
        score, trouble = average_precision(sides, options)
    if trouble:
        return failed(ruler, trouble, **_beside(options), notes=sides.notes)
    mean = sum(iou for _, _, iou in rows) / tp if tp else None
    passed = score >= options.pass_at
    details = _matched_details(rows, sides) | {
        "precision": tp / sides.said if sides.said else None,
        "recall": tp / len(sides.truth) if sides.truth else None,
        "f1": _ratio(2 * tp, sides.said + len(sides.truth)),
        "mean_iou": mean,
        "match": options.match,
        "pass_at": options.pass_at,
        **_beside(options),
        "malformed": sides.malformed,
        "notes": sides.notes,
    }
    if ruler == "map":
        details["ap"] = score
    reason = f"{name} {score:.3f}: {tp} of {_named(len(sides.truth), kind)} found, {fp} more in the answer"
    rates = ", ".join(f"{rate} {'—' if details[rate] is None else format(details[rate], '.3f')}" for rate in RATES)
    hits = [f"matched {_named(tp, kind)} (mean IoU {mean:.3f})"] if tp and mean is not None else []
    misses = [f"{_named(count, kind)} {word}" for count, word in ((fp, "too many"), (fn, "missed")) if count]
    text = f"{name} of {PLURALS.get(kind, kind + 's')} at IoU >= {options.threshold:g} is at least {options.pass_at:g}"
    return make_verdict(passed, score, reason, text, details, hits=hits, misses=misses, reasoning=f"{reason} ({rates})")


def _ratio(part: int, whole: int) -> float:
    """part / whole; nothing of nothing is perfect."""
    return part / whole if whole else 1.0


def _matched_details(rows: list[tuple[int, int, float]], sides: Sides) -> dict[str, Any]:
    truths, preds = {i for i, _, _ in rows}, {j for _, j, _ in rows}
    return {
        "pairs": [{"gt": i, "pred": j, "iou": iou} for i, j, iou in rows],
        "unmatched_gt": [i for i in range(len(sides.truth)) if i not in truths],
        "unmatched_pred": [j for j in range(sides.said) if j not in preds],
    }


def _named(count: int, kind: str) -> str:
    return f"{count} {kind if count == 1 else PLURALS.get(kind, kind + 's')}"


# Matching


class Group:
    """Some shapes as one record of the matcher."""

    __slots__ = ("offsets",)

    def __init__(self, count: int) -> None:
        from calipers.kernels.column import long_column

        self.offsets = long_column([0, count])

    def __len__(self) -> int:
        return int(self.offsets[1])


def match(ruler: str, sides: Sides, options: Options) -> list[tuple[int, int, float]]:
    """Partners by their places in the lists, with their overlap."""
    keep = options.match == "gt-order"
    truth_at = list(range(len(sides.truth))) if keep else _by_coordinates(ruler, sides.truth)
    pred_at = list(range(len(sides.pred))) if keep else _by_coordinates(ruler, sides.pred)
    truth, pred = [sides.truth[i] for i in truth_at], [sides.pred[j] for j in pred_at]
    triple = overlaps(ruler, truth, pred, options)
    found = _partners(triple, len(truth), len(pred), options)
    rows = [(truth_at[i], sides.at[pred_at[j]], score / UNIT) for i, j, score in found]
    rows.sort()
    return rows


def _by_coordinates(ruler: str, shapes: list[Any]) -> list[int]:
    flat = KINDS[ruler] in FLAT
    return sorted(range(len(shapes)), key=shapes.__getitem__ if flat else lambda place: repr(shapes[place]))


def _partners(triple: Any, truths: int, preds: int, options: Options) -> Any:
    from calipers.core.matching import Pairs, greedy, in_order, optimal

    least = round_overlap(options.threshold)
    if options.match == "gt-order":  # each of the reference in turn takes the closest that is left
        from calipers.kernels.assign import int_column

        turned = Pairs.sorted(Group(preds), (triple[1], triple[0], triple[2]))
        found = in_order(turned, Group(preds), int_column(list(range(truths))), least=least)
        return zip(found.pred, found.truth, found.score, strict=True)
    pairs = Pairs.sorted(Group(truths), triple)
    found = (
        greedy(pairs, Group(truths), Group(preds), least=least)
        if options.match == "greedy"
        else optimal(pairs, least=least)
    )
    return zip(found.truth, found.pred, found.score, strict=True)


def overlaps(ruler: str, truth: list[Any], pred: list[Any], options: Options) -> Any:
    """Every pair that overlaps: columns of truth, pred and overlap in units of 1e-12."""
    if KINDS[ruler] == "box" and len(truth) * len(pred) <= FEW_PAIRS:
        return rect_pairs(truth, pred)
    from calipers.judge.overlaps import overlaps_of

    return overlaps_of(ruler, truth, pred, options)
