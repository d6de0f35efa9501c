"""The dense suite on one record, for training: one number, in microseconds, with the same ruler and matcher.

Nothing here imports numpy, so that the first call is as quick as the rest.
"""

from __future__ import annotations

from calipers.core.errors import InputError, WorkError, require
from calipers.core.matching import SWEEP, Labels, Pairs, greedy, round_overlap
from calipers.core.shapes import Objects
from calipers.kernels.count.assign import gather_codes
from calipers.kernels.scan.flatten import ObjectColumns
from calipers.kernels.shape.plane import MAX_WORK
from calipers.rulers.region import region_overlaps
from calipers.rulers.tube import stroke_width, tube_overlaps
from calipers.suites.dense.desc import A_KEY, is_key
from calipers.suites.dense.labels import MODES, label_codes, vocabulary
from calipers.suites.dense.taxonomy import built_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_SHOWN = 40  # characters of a text
SCALED = "scale both sides by 1000 / width and 1000 / height"
METRICS = {"f1": (round_overlap(0.5),), "mean_f1": tuple(round_overlap(value) for value in SWEEP)}


def reward(
    pred: str | Sequence[Any],
    gt: str | Sequence[Any],
    *,
    mode: str = "category",
    metric: str = "f1",
    tube_tolerance: float = 8,
    label_key: str = "类别",
    max_work: int = MAX_WORK,
) -> float:
    """Score one record's prediction for training: the dense suite as one number, in microseconds.

    Nothing predicted where nothing is scores 1. A text without any object in it scores 0, and so does an answer whose
    shapes take more than `max_work` steps for each number: training has to go on.

    Args:
        pred: The predicted objects, as a list or as the text that a model wrote. It comes first, as in most libraries
            of rewards; `reward(gt=…, pred=…)` is the same.
        gt: The objects of the ground truth, in the same forms.
        mode: Which labels have to agree: `category`, `phase` or, for none, `localization`.
        metric: `f1` at an overlap of 0.5, or `mean_f1` over the thresholds from 0.5 to 0.95.
        tube_tolerance: How far from a line its tube reaches.
        label_key: The key of a description whose value is the label.
        max_work: Steps that may be taken for each number of the shapes.

    Returns:
        A score from 0 to 1.

    Raises:
        InputError: The ground truth is malformed, or a text that stops inside its list, as an answer that was given in
            its place may; or a side is neither a list nor a text.
        ConfigError: An option has another value.

    Examples:
        >>> box = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "cone"}
        >>> reward([box], [box]), reward([], [box]), reward([], [])
        (1.0, 0.0, 1.0)
        >>> answer = 'Here you are: [{"bbox_2d": [0, 0, 100, 70], "desc": "cone"}, {"bbox_2d": [5'
        >>> reward(answer, [box]), reward(gt=[box], pred=answer, metric="mean_f1")
        (1.0, 0.5)
    """
    require(is_key(label_key), "label_key", label_key, A_KEY)
    require(mode in MODES, "mode", mode, f"one of {', '.join(MODES)}")
    require(metric in METRICS, "metric", metric, f"one of {', '.join(METRICS)}")
    stroke = stroke_width(tube_tolerance, "tube_tolerance")
    meant, status = _objects(gt, "gt")
    objects, ending = _objects(pred, "pred")
    if status == "failed":
        raise InputError(f"gt: no objects found in {gt!r:.80}, expected a list of objects or the text of one")
    if status == "truncated":
        raise InputError(f"gt: found {_end(gt)}, which stops inside the list; expected all of it: pred comes first")
    truth, pred_side = _columns(meant, objects)
    if ending == "failed":
        return 0.0
    if not objects and not meant:
        return 1.0
    labels = _labels(mode, truth, pred_side, label_key)
    try:
        return _f1(truth, pred_side, labels, METRICS[metric], stroke, max_work)
    except WorkError:  # a flood of shapes is no answer, and must not end the training
        return 0.0


def _end(text: Any) -> str:
    """The last characters of a text.

    >>> _end("[1, 2"), len(_end("[" * 100))
    ("'[1, 2'", 43)
    """
    return repr(text) if len(text) <= MAX_SHOWN else f"…{text[-MAX_SHOWN:]!r}"


def _objects(side: Any, name: str) -> tuple[list[Any], str]:
    """The objects of one side, and how its text ends, "" for a list."""
    if isinstance(side, str):
        from calipers.files.answers.model_text import parse_objects

        parsed = parse_objects(side)
        return parsed.objects, parsed.status
    if not isinstance(side, (list, tuple)):
        raise InputError(f"{name}: found {side!r:.80}, expected a list of objects or a text")
    if any(isinstance(item, dict) and "type" not in item for item in side):  # as models write them
        from calipers.files.answers.model_text import normalised

        return [normalised(item) for item in side], ""
    return list(side), ""


def _columns(meant: list[Any], predicted: list[Any]) -> tuple[Objects, Objects]:
    descs: dict[str, int] = {}
    truth, pred = ObjectColumns(descs), ObjectColumns(descs)
    wrong = truth.add_record(meant, True)
    if wrong >= 0:
        from calipers.files.problems import explain_object

        place, problem, value = explain_object(meant[wrong], truth.last_reason, "norm1000", 0, 0, SCALED)
        raise InputError(f"gt[{wrong}]{place}: {problem}" + (f"\nfound {value}" if value else ""))
    pred.add_record(predicted, False)
    return Objects(truth), Objects(pred)


def _f1(
    truth: Objects, pred: Objects, labels: Labels | None, levels: tuple[int, ...], stroke: int, max_work: int
) -> float:
    regions = region_overlaps(truth, pred, min_overlap=0.5, max_work=max_work)
    pairs = Pairs.sorted(truth, regions, tube_overlaps(truth, pred, stroke=stroke, max_work=max_work))
    matched = greedy(pairs, truth, pred, min_overlap=levels[0], labels=labels).score.tolist()
    met = sum(1 for score in matched for level in levels if score >= level)
    return 2 * met / (len(levels) * (len(truth) + len(pred)))


def _labels(mode: str, truth: Objects, pred: Objects, label_key: str) -> Labels | None:
    if mode == "localization":
        return None
    known = vocabulary(built_in(), label_key, ("文本", "备注"))
    codes, _ = label_codes([getattr(desc, mode) for desc in known.describe(truth.descs)])
    return Labels(gather_codes(codes, truth.desc), gather_codes(codes, pred.desc))
