"""From a case to its verdict: shapes are found on both sides, measured, and matched where there are several.

Of polygons, boxes at an angle, lines and boxes in space the reference decides whether there is one or several, so that
a shape too many cannot raise the score. A malformed shape of the answer is a prediction that matches nothing; one of
the reference is an error. Of greedy and optimal matching the order of the lists does not matter: shapes are put in the
order of their coordinates first.
"""

from __future__ import annotations

from itertools import islice
from sys import modules

from calipers.core.matching import UNIT, round_overlap
from calipers.judge.answers import Answer, AnswerShapes, Unread, find_shapes, parse_answer
from calipers.judge.hosts import failed, make_verdict
from calipers.kernels.shape.rects import rect_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.judge.hosts import Case
    from calipers.judge.labels import Labels
    from calipers.judge.options import Options

KINDS = {
    "iou": "box",
    "boxes": "box",
    "polygon": "polygon",
    "rotated": "rotated",
    "line": "line",
    "point": "point",
    "click": "point",
    "box3d": "cuboid",
    "intervals": "interval",
    "count": "number",
    "map": "box",
}
PLURALS = {"box": "boxes", "rotated": "rotated boxes"}
FLAT = ("box", "point", "interval")  # kinds that are a few numbers, and nothing more can be wrong with them
ALONE = ("iou", "point")  # rulers of one shape
FEW_PAIRS = 100_000  # of boxes, up to which all are compared; more are sorted first, and their work is limited
SEVERAL = ("boxes", "intervals", "map")  # rulers that always match
CENTERED = ("box", "rotated", "polygon", "cuboid")  # kinds whose centre is a point, where a point is asked for
RATES = ("precision", "recall")
MAX_MALFORMED = 3  # shapes whose faults are told among the misses
MAX_LISTED = 1000  # shapes whose faults `details` has


class ShapesOfSides:
    """The shapes of both sides: `pred` holds those that could be read, at their places in the answer `at`.

    Labels are those of all shapes of a side, in its order, and None where no shape has one.
    """

    __slots__ = (
        "at",
        "kind",
        "malformed",
        "malformed_count",
        "notes",
        "pred",
        "pred_count",
        "pred_labels",
        "scores",
        "truth",
        "truth_labels",
    )

    def __init__(
        self,
        kind: str,
        truth: list[Any],
        shapes: list[Any],
        scores: list[float] | None,
        notes: list[str],
        labels: tuple[Labels | None, Labels | None] = (None, None),
    ) -> None:
        self.kind, self.truth, self.notes, self.scores = kind, truth, notes, scores
        self.truth_labels, self.pred_labels = labels
        self.pred_count = len(shapes)
        self.at = [place for place, shape in enumerate(shapes) if not isinstance(shape, Unread)]
        self.pred = [shapes[place] for place in self.at]
        self.malformed_count = self.pred_count - len(self.pred)
        unread = ((place, shape) for place, shape in enumerate(shapes) if isinstance(shape, Unread))
        self.malformed = [{"pred": place, "reason": shape.reason} for place, shape in islice(unread, MAX_LISTED)]


def measure(ruler: str, case: Case, options: Options) -> dict[str, Any]:
    """The verdict on a case."""
    if ruler == "click":
        from calipers.judge.clicks import click_verdict

        return click_verdict(case, options, _options_used(options))
    if ruler == "count":
        from calipers.judge.counts import count_verdict

        return count_verdict(case, options, _options_used(options))
    return _of_shapes(ruler, case, options)


def _of_shapes(ruler: str, case: Case, options: Options) -> dict[str, Any]:
    """The verdict on a case whose shapes are measured."""
    sides = _sides(ruler, case, options)
    if isinstance(sides, str):
        return failed(ruler, sides, **_options_used(options))
    if ruler == "point" and sides.kind != "point":
        return _centers(sides, options)
    is_single = ruler in ALONE or (ruler not in SEVERAL and len(sides.truth) == 1)
    if is_single and (len(sides.truth), sides.pred_count) != (1, 1):
        where, count = ("answer", sides.pred_count) if sides.pred_count != 1 else ("reference", len(sides.truth))
        reason = f"found {_named(count, KINDS[ruler])} in the {where}, expected one"
        return failed(ruler, reason, **_options_used(options), notes=sides.notes)
    if is_single and sides.malformed:
        return failed(ruler, f"answer: {sides.malformed[0]['reason']}", **_options_used(options), notes=sides.notes)
    if ruler == "point":
        from calipers.judge.points import point_verdict

        return point_verdict(sides.truth[0], sides.pred[0], options, _options_used(options) | {"notes": sides.notes})
    return single_verdict(ruler, sides, options) if is_single else several_verdict(ruler, sides, options)


def _sides(ruler: str, case: Case, options: Options) -> ShapesOfSides | str:
    """Shapes of both sides, or why there are none."""
    reference, answer = parse_answer(case.reference), parse_answer(case.answer)
    kind, truth = _reference(reference, ruler, options)
    if truth.missing:
        return f"reference: no {kind} found"
    for place, shape in enumerate(_measurable(ruler, truth.shapes)):
        if isinstance(shape, Unread):
            return f"reference: {kind} {place}: {shape.reason}"
    if options.labels == "exact" and ruler != "point" and (trouble := _without_labels(truth, kind)):
        return trouble
    many = ruler not in ALONE or kind != KINDS[ruler]
    pred = find_shapes(answer, kind, at=options.at, format=_form(kind, options), many=many)
    if isinstance(case.answer, str) and not case.answer.strip():
        return f"answer: no {kind} found, it is empty"
    if pred.missing:
        return f"answer: no {kind} found{''.join('; ' + note for note in (*answer.notes, *pred.notes))}"
    shapes, notes = _measurable(ruler, pred.shapes), [*answer.notes, *pred.notes]
    return ShapesOfSides(kind, truth.shapes, shapes, pred.scores, notes, (truth.labels, pred.labels))


def _without_labels(truth: AnswerShapes, kind: str) -> str | None:
    from calipers.judge.labels import unlabelled

    return unlabelled(truth.labels, len(truth.shapes), kind)


def _form(kind: str, options: Options) -> str:
    """The format of the numbers of a shape."""
    return options.unit if kind == "interval" else options.format


def _reference(reference: Answer, ruler: str, options: Options) -> tuple[str, AnswerShapes]:
    """The kind and the shapes of the reference; for a point also shapes that have a centre."""
    for kind in (KINDS[ruler], *(CENTERED if ruler == "point" else ())):
        for at in (options.at, None) if options.at else (None,):
            shapes = find_shapes(reference, kind, at=at, format=_form(kind, options))
            if not shapes.missing:
                return kind, shapes
    return KINDS[ruler], shapes


def _centers(sides: ShapesOfSides, options: Options) -> dict[str, Any]:
    """The verdict on the centres of shapes, where a point is asked for."""
    from calipers.judge.points import center_of, centers_verdict

    beside = _options_used(options) | {"notes": sides.notes, "shape": sides.kind}
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


def _options_used(options: Options) -> dict[str, Any]:
    return {"threshold": options.threshold, "ignored_config": options.ignored}


def single_verdict(ruler: str, sides: ShapesOfSides, options: Options) -> dict[str, Any]:
    """The verdict on one shape against one shape: the score is their overlap."""
    pairs = overlaps(ruler, sides.truth, sides.pred, options)
    iou = pairs[2][0] / UNIT if len(pairs[2]) else 0.0
    if iou and (wrong := _wrong_label(sides, options)):
        return _of_another_label(sides, options, f"IoU {iou:.3f}, but {wrong}")
    passed = round_overlap(iou) >= round_overlap(options.threshold)
    reason = f"IoU {iou:.3f}, {'at least' if passed else 'below'} {options.threshold:g}"
    details = {"pairs": [{"gt": 0, "pred": 0, "iou": iou}] if iou else [], **_unmatched(sides, {0} if iou else set())}
    details |= _options_used(options) | {"notes": sides.notes}
    reason += _ignored_labels([(0, 0, iou)] if iou else [], sides, details)
    return make_verdict(passed, iou, reason, f"IoU is at least {options.threshold:g}", details)


def _wrong_label(sides: ShapesOfSides, options: Options) -> str | None:
    """What is wrong with the label of the answer, where labels count."""
    if options.labels != "exact" or sides.truth_labels == sides.pred_labels:
        return None
    from calipers.judge.labels import shortened

    truth, pred = ((labels or [None])[0] for labels in (sides.truth_labels, sides.pred_labels))
    return f"{'no label' if pred is None else f'the label is {shortened(pred)}'}, expected {shortened(truth or '')}"


def _of_another_label(sides: ShapesOfSides, options: Options, reason: str) -> dict[str, Any]:
    details = {"pairs": [], **_unmatched(sides, set()), **_options_used(options), "notes": sides.notes}
    return make_verdict(False, 0.0, reason, f"IoU is at least {options.threshold:g}, and the label is right", details)


def _ignored_labels(rows: list[tuple[int, int, float]], sides: ShapesOfSides, details: dict[str, Any]) -> str:
    """Tell of partners whose labels differ: in `details`, and what to add to the reason."""
    if sides.truth_labels is None or sides.pred_labels is None:
        return ""
    from calipers.judge.labels import ignored_note, mismatches

    differing = mismatches(rows, sides)
    if not differing:
        return ""
    note = ignored_note(differing, len(rows))
    details["label_mismatches"] = differing
    details["notes"] = [*details["notes"], note]
    return f"; {note}"


def _unmatched(sides: ShapesOfSides, matched: set[int]) -> dict[str, Any]:
    free = [] if matched else list(range(len(sides.truth)))
    return {"unmatched_gt": free, "unmatched_pred": [] if matched else list(range(sides.pred_count))}


def several_verdict(ruler: str, sides: ShapesOfSides, options: Options) -> dict[str, Any]:
    """The verdict on several shapes, matched one to one: the score is F1, or average precision."""
    rows = match(ruler, sides, options)
    tp, kind = len(rows), KINDS[ruler]
    fp, fn = sides.pred_count - tp, len(sides.truth) - tp
    score, name, trouble = _ratio(2 * tp, sides.pred_count + len(sides.truth)), "F1", ""
    if ruler == "map":
        from calipers.judge.averages import average_precision

        name = "AP"
        score, trouble = average_precision(sides, options)
    if trouble:
        return failed(ruler, trouble, **_options_used(options), notes=sides.notes)
    mean = _mean([iou for _, _, iou in rows])
    passed = score >= options.pass_at
    details = _matched_details(rows, sides) | {
        "precision": tp / sides.pred_count if sides.pred_count else None,
        "recall": tp / len(sides.truth) if sides.truth else None,
        "f1": _ratio(2 * tp, sides.pred_count + len(sides.truth)),
        "mean_iou": mean,
        "match": options.match,
        "pass_at": options.pass_at,
        **_options_used(options),
        "malformed": sides.malformed,
        "notes": sides.notes,
    }
    if sides.malformed_count > len(sides.malformed):
        details["malformed_not_listed"] = sides.malformed_count - len(sides.malformed)
    if ruler == "map":
        details["ap"] = score
    where = f"({sides.malformed_count} malformed)" if sides.malformed else "in the answer"
    reason = f"{name} {score:.3f}: {tp} of {_named(len(sides.truth), kind)} found, {fp} more {where}"
    reason += _ignored_labels(rows, sides, details)
    rates = ", ".join(f"{rate} {'—' if details[rate] is None else format(details[rate], '.3f')}" for rate in RATES)
    hits = [f"matched {_named(tp, kind)} (mean IoU {mean:.3f})"] if tp and mean is not None else []
    misses = [f"{_named(count, kind)} {word}" for count, word in ((fp, "too many"), (fn, "missed")) if count]
    misses += [f"{kind} {fault['pred']} malformed: {fault['reason']}" for fault in sides.malformed[:MAX_MALFORMED]]
    text = f"{name} of {PLURALS.get(kind, kind + 's')} at IoU >= {options.threshold:g} is at least {options.pass_at:g}"
    return make_verdict(passed, score, reason, text, details, hits=hits, misses=misses, reasoning=f"{reason} ({rates})")


def _mean(overlaps: list[float]) -> float | None:
    """The mean from the exact sum, so that the order of the lists does not matter.

    That is what `math.fsum` gives, which one verdict is not worth loading: floats are whole numbers over powers of 2.

    >>> _mean([0.1] * 10), _mean([1e100, 1.0, -1e100]), _mean([])
    (0.1, 0.3333333333333333, None)
    """
    if not overlaps:
        return None
    total: float = modules["math"].fsum(overlaps) if "math" in modules else _exact_sum(overlaps)
    return total / len(overlaps)


def _exact_sum(numbers: list[float]) -> float:
    ratios = [number.as_integer_ratio() for number in numbers]
    largest = max(below for _, below in ratios)
    return sum(above * (largest // below) for above, below in ratios) / largest  # rounded once


def _ratio(part: int, whole: int) -> float:
    """part / whole; 1 where the whole is 0."""
    return part / whole if whole else 1.0


def _matched_details(rows: list[tuple[int, int, float]], sides: ShapesOfSides) -> dict[str, Any]:
    truths, preds = {i for i, _, _ in rows}, {j for _, j, _ in rows}
    return {
        "pairs": [{"gt": i, "pred": j, "iou": iou} for i, j, iou in rows],
        "unmatched_gt": [i for i in range(len(sides.truth)) if i not in truths],
        "unmatched_pred": [j for j in range(sides.pred_count) if j not in preds],
    }


def _named(count: int, kind: str) -> str:
    return f"{count} {kind if count == 1 else PLURALS.get(kind, kind + 's')}"


# Matching


class Group:
    """Some shapes as one record of the matcher."""

    __slots__ = ("offsets",)

    def __init__(self, count: int) -> None:
        from calipers.kernels.scan.column import long_column

        self.offsets = long_column([0, count])

    def __len__(self) -> int:
        return int(self.offsets[1])


def match(ruler: str, sides: ShapesOfSides, options: Options) -> list[tuple[int, int, float]]:
    """Partners by their places in the lists, with their overlap."""
    keep = options.match == "gt-order"
    truth_at = list(range(len(sides.truth))) if keep else _by_coordinates(ruler, sides.truth)
    pred_at = list(range(len(sides.pred))) if keep else _by_coordinates(ruler, sides.pred)
    truth, pred = [sides.truth[i] for i in truth_at], [sides.pred[j] for j in pred_at]
    triple = overlaps(ruler, truth, pred, options)
    if options.labels == "exact":
        triple = _of_same_label(triple, sides, truth_at, [sides.at[j] for j in pred_at])
    matching = _partners(triple, len(truth), len(pred), options)
    rows = [(truth_at[i], sides.at[pred_at[j]], score / UNIT) for i, j, score in matching]
    rows.sort()
    return rows


def _of_same_label(triple: Any, sides: ShapesOfSides, truth_at: list[int], pred_at: list[int]) -> Any:
    from calipers.judge.labels import same_label

    truth: Labels = [sides.truth_labels[i] for i in truth_at] if sides.truth_labels else [None] * len(truth_at)
    pred: Labels = [sides.pred_labels[j] for j in pred_at] if sides.pred_labels else [None] * len(pred_at)
    return same_label(triple, truth, pred)


def _by_coordinates(ruler: str, shapes: list[Any]) -> list[int]:
    flat = KINDS[ruler] in FLAT
    return sorted(range(len(shapes)), key=shapes.__getitem__ if flat else lambda place: repr(shapes[place]))


def _partners(triple: Any, truths: int, preds: int, options: Options) -> Any:
    from calipers.core.matching import Pairs, greedy, in_order, optimal

    min_overlap = round_overlap(options.threshold)
    if options.match == "gt-order":  # each of the reference in turn takes the closest that is left
        from calipers.kernels.scan.column import int_column

        turned = Pairs.sorted(Group(preds), (triple[1], triple[0], triple[2]))
        matching = in_order(turned, Group(preds), int_column(list(range(truths))), min_overlap=min_overlap)
        return zip(matching.pred, matching.truth, matching.score, strict=True)
    pairs = Pairs.sorted(Group(truths), triple)
    matching = (
        greedy(pairs, Group(truths), Group(preds), min_overlap=min_overlap)
        if options.match == "greedy"
        else optimal(pairs, min_overlap=min_overlap)
    )
    return zip(matching.truth, matching.pred, matching.score, strict=True)


def overlaps(ruler: str, truth: list[Any], pred: list[Any], options: Options) -> Any:
    """Every pair that overlaps: columns of truth, pred and overlap in units of 1e-12."""
    if KINDS[ruler] == "box" and len(truth) * len(pred) <= FEW_PAIRS:
        return rect_pairs(truth, pred)
    from calipers.judge.overlaps import overlaps_of

    return overlaps_of(ruler, truth, pred, options)
