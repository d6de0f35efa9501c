"""Words for results that may be right and are more often a mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from calipers.core.errors import keyword
from calipers.show.text import printable

CHECK = "calipers check tells more"
SHOWN = 3  # labels that a note names


def hopeless_lines(who: str, counts: Mapping[str, int], problem: Callable[[], str]) -> Iterator[str]:
    """A note on counts in which no prediction could match, with the first problem; none on any others."""
    if not counts["gt"] or counts["pred"] > counts["invalid_pred"] or counts.get("ignored"):
        return
    if not counts["pred"]:
        yield f"{who}nothing was predicted at all, so that every object was missed ({CHECK})"
    else:
        yield f"{who}all {counts['pred']:,} predictions are invalid and match nothing: {problem()} ({CHECK})"


def other_family(tree: Mapping[str, Any]) -> Iterator[str]:
    """A note where no answer of a model has an object that can be read as those of the family that was named.

    >>> objects, answers = {"pred": 2, "invalid_pred": 2}, {"failed": 0}
    >>> list(other_family({"params": {"answers": "json"}, "objects": objects, "answers": answers}))
    ['no answer has an object as json writes it; `answers="auto"` tells families by their tags and keys']
    """
    family, objects = tree["params"].get("answers"), tree["objects"]
    if family in (None, "auto") or "answers" not in tree or objects["pred"] > objects["invalid_pred"]:
        return
    if objects["pred"] or tree["answers"]["failed"]:
        advice = f"{keyword('answers', 'auto')} tells families by their tags and keys"
        yield f"no answer has an object as {family} writes it; {advice}"


def no_shared_label(truth: Sequence[str], pred: Sequence[str]) -> Iterator[str]:
    """A note where no label is on both sides, so that nothing is right wherever labels count.

    >>> list(no_shared_label(["screw", "nut"], ["bolt"]))
    ['no label is on both sides: screw, nut are true, bolt predicted (calipers check tells more)']
    """
    if truth and pred and not set(truth) & set(pred):
        yield f"no label is on both sides: {_some(truth)} are true, {_some(pred)} predicted ({CHECK})"


def no_label_at_all(n: int, unlabelled: int, side: str, where: str) -> Iterator[str]:
    """A note where none of the `n` objects of a side has a label, so that nothing is right wherever labels count.

    >>> list(no_label_at_all(3, 3, "the predictions", "in desc")), list(no_label_at_all(3, 2, "", ""))
    (['none of the 3 objects of the predictions has a label, expected one in desc (calipers check tells more)'], [])
    """
    if 0 < n <= unlabelled:
        yield f"none of the {n:,} objects of {side} has a label, expected one {where} ({CHECK})"


def never_true(counts: Mapping[str, tuple[int, int]]) -> Iterator[str]:
    """A note on labels that are predicted and never true; `counts` are true and predicted objects by label.

    There is none where more labels are such than are true, as with free descriptions, or where no label is shared.

    >>> list(never_true({"cat": (4, 1), "dog": (2, 0), "cats": (0, 3)}))
    ['predicted, and never in the ground truth: cats 3']
    """
    strangers = sorted((-pred, label) for label, (truth, pred) in counts.items() if pred and not truth)
    true = sum(truth > 0 for truth, _ in counts.values())
    if 0 < len(strangers) <= true and any(truth and pred for truth, pred in counts.values()):
        shown = ", ".join(f"{printable(label)} {-n:,}" for n, label in strangers[:SHOWN])
        rest = f" and {len(strangers) - SHOWN:,} more" if len(strangers) > SHOWN else ""
        yield f"predicted, and never in the ground truth: {shown}{rest}"


def _some(labels: Sequence[str]) -> str:
    rest = f" and {len(labels) - SHOWN:,} more" if len(labels) > SHOWN else ""
    return printable(", ".join(labels[:SHOWN])) + rest


def most_common(reasons: Mapping[str, int]) -> str:
    """The reason that most are invalid for; of those equally frequent the first."""
    name, n = max(reasons.items(), key=lambda item: item[1], default=("", 0))
    return f"{n:,} × {printable(name)}"
