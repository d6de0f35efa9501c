"""The parts of a check: what is said of one input, and of two sides together."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from calipers.core.similarity import rapidfuzz
from calipers.core.text import whole_text

Tree = dict[str, Any]
MAX_SHOWN = 5  # of anything that may be long
MAX_LABELS = 20
LARGEST = 1e100
NOTHING = "there is nothing to compare in them"
MIN_SIMILARITY_PERCENT = 72.0  # percent, for a label to be named as the nearest


class Kind(NamedTuple):
    """A kind of input that `check` can tell from its content."""

    name: str
    suite: str | None
    side: str | None = None  # gt, pred or both; None where the content does not tell
    usual_side: str = "gt"  # what it is read as where nobody says


class Survey(NamedTuple):
    """How `check` looks at the inputs of a suite, and at a result whose headline is low."""

    kinds: tuple[Kind, Kind]  # what is meant when only the suite is known: ground truth, predictions
    find_kind: Callable[[Any], Kind | None]  # the kind of a `Clue`, if it is an input of this suite
    examine: Callable[..., tuple[FileCheck, list[SidesCheck]]]  # input, kind, side, options
    compare: Callable[..., SidesCheck] | None = None  # truth, pred, kind, what is known of pred, options
    explain_low: Callable[..., Iterator[SidesCheck]] | None = None  # report, inputs: a headline next to nothing
    explain_poor: Callable[..., Iterator[tuple[SidesCheck, str]]] | None = None  # the same for a poor one; whose it is
    refuse_together: Callable[[list[FileCheck]], None] | None = None  # inputs that a run would find nothing in
    methods_together: bool = False  # nothing is evaluated only where no method has anything
    joined: JoinedSurvey | None = None  # for predictions that need ground truth of another kind
    takes_answers: bool = False  # whether `examine` takes `answers` and `pred_field`


class JoinedSurvey(NamedTuple):
    """How `check` looks at predictions that a suite joins with ground truth of a kind it does not read alone."""

    takes: Callable[[Any, Any], bool]  # truth, pred: whether these are joined
    examine: Callable[..., tuple[FileCheck, FileCheck, SidesCheck | None]]  # truth, pred, answers and pred_field


class FileCheck:
    """The findings about one input."""

    def __init__(self, path: str, kind: str, suite: str | None, side: str | None = None) -> None:
        self.path, self.kind, self.suite, self.side = path, kind, suite, side
        self.counts: dict[str, dict[str, int]] = {}  # under a heading each
        self.ranges: list[Tree] = []
        self.invalid: Counter[str] = Counter()  # predictions that match nothing, by reason
        self.doubled: list[str] = []
        self.warnings: list[str] = []
        self.itself: Tree | None = None
        self.refused = 0
        self._first: list[str] = []

    def refuse(self, messages: Iterable[str], n: int | None = None) -> None:
        """Note what the suite would refuse: the first messages, of `n` in all."""
        messages = list(messages)
        self.refused += len(messages) if n is None else n
        self._first = [*self._first, *messages][:MAX_SHOWN]

    def measure(self, what: str, values: Any) -> None:
        """A range of numbers; those that are not finite are left out, and nothing is said of none."""
        if (measured := spread(what, values)) is not None:
            self.ranges.append(measured)

    def tree(self) -> Tree:
        """The entry of the result as plain values."""
        return {
            "path": whole_text(self.path),
            "kind": self.kind,
            "suite": self.suite,
            "side": self.side,
            "counts": self.counts,
            "ranges": self.ranges,
            "refused": {"n": self.refused, "first": self._first},
            "invalid": {"n": self.invalid.total(), "reasons": dict(self.invalid.most_common(MAX_LABELS))},
            "doubled": {"n": len(self.doubled), "first": self.doubled[:MAX_SHOWN]},
            "itself": self.itself,
            "warnings": self.warnings,
        }


class SidesCheck:
    """The findings about predictions beside their ground truth."""

    def __init__(self, gt: str, pred: str, metric: str, overlap_metric: str) -> None:
        self.gt, self.pred, self.metric, self.overlap_metric = gt, pred, metric, overlap_metric
        self.score: float | None = None
        self.overlap: float | None = None
        self.sample: Tree | None = None
        self.labels: Tree | None = None
        self.readings: list[Tree] = []
        self.warnings: list[str] = []
        self.is_checkable = True  # whether `check` can read the same inputs
        self.nothing = ""  # why a run of the two would have nothing to evaluate, if so

    def tree(self) -> Tree:
        """The entry of the result as plain values."""
        return {
            "gt": whole_text(self.gt),
            "pred": whole_text(self.pred),
            "metric": self.metric,
            "score": rounded(self.score),
            "overlap_metric": self.overlap_metric,
            "overlap": rounded(self.overlap),
            "sample": self.sample,
            "labels": self.labels,
            "readings": self.readings,
            "warnings": self.warnings,
        }


def path_of(source: Any, side: str) -> str:
    """How messages name an input."""
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else f"<{side}>"


def rounded(value: float | None) -> float | None:
    """A score of a sample to four decimals: it promises no more."""
    return None if value is None or value != value else round(float(value), 4)


def spread(what: str, values: Any) -> Tree | None:
    """The least, the middle and the largest of some numbers.

    >>> spread("x", [3, 1, 10, float("nan")])
    {'what': 'x', 'min': 1.0, 'median': 3.0, 'max': 10.0, 'n': 3}
    """
    numbers = np.asarray(values, dtype=np.float64).reshape(-1)
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return None
    low, middle, high = float(numbers.min()), float(np.median(numbers)), float(numbers.max())
    return {"what": what, "min": low, "median": middle, "max": high, "n": len(numbers)}


def is_number(value: Any) -> bool:
    """A finite number that is no truth value, and that floats can hold also when squared.

    >>> is_number(2), is_number(True), is_number(float("nan")), is_number(10**400)
    (True, False, False, False)
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


def is_constant(values: Any, min_count: int = 5) -> bool:
    """Whether there are some numbers, and all of them are the same."""
    numbers = np.asarray(values, dtype=np.float64)
    return len(numbers) >= min_count and bool((numbers == numbers[0]).all())


def twice(names: Iterable[str]) -> list[str]:
    """Names that occur more than once, in the order they were first seen.

    >>> twice(["b", "a", "b", "c", "a"])
    ['b', 'a']
    """
    return [name for name, n in Counter(names).items() if n > 1]


def compared_labels(truth: Mapping[str, int], pred: Mapping[str, int]) -> Tree:
    """Labels of both sides, with how often they occur: what only one of them has, and what may be meant."""
    both = truth.keys() & pred.keys()
    return {
        "shared": len(both),
        "gt_only": _alone(truth, pred),
        "pred_only": _alone(pred, truth),
    }


def _alone(mine: Mapping[str, int], others: Mapping[str, int]) -> list[Tree]:
    alone = sorted((label for label in mine if label not in others), key=lambda label: (-mine[label], label))
    near = same_labels(alone, list(others)) | nearest_labels(alone[:MAX_LABELS], list(others))
    return [{"label": whole_text(label), "n": mine[label], "nearest": near.get(label)} for label in alone]


def same_labels(labels: list[str], names: list[str]) -> dict[str, str]:
    """For labels the first name that differs in case, spacing or punctuation alone, where there is one.

    >>> same_labels(["SCREW", "Chairs", "?"], ["screw", "chair", "!"])
    {'SCREW': 'screw'}
    """
    from calipers.core.words import normalise

    plain = {words: name for name in reversed(names) if (words := normalise(name))}
    matches = ((label, plain.get(normalise(label))) for label in labels)
    return {label: whole_text(name) for label, name in matches if name is not None}


def nearest_labels(labels: list[str], names: list[str]) -> dict[str, str]:
    """For labels the name that is spelled most like it, where one is; none of more than 200 characters.

    >>> nearest_labels(["Chairs", "xyz"], ["chair", "table"])
    {'Chairs': 'chair'}
    """
    from calipers.core.words import LONGEST, normalise

    extract, ratio = rapidfuzz().process.extractOne, rapidfuzz().fuzz.ratio
    plain = {name: normalise(name) for name in names if len(name) <= LONGEST}
    nearest = {}
    for label in (label for label in labels if len(label) <= LONGEST):
        best = extract(normalise(label), plain, scorer=ratio, score_cutoff=MIN_SIMILARITY_PERCENT)
        if best:
            nearest[label] = whole_text(best[2])
    return nearest


def shown_first(names: Iterable[str], max_shown: int = 3) -> str:
    """The first names, and how many more there are.

    >>> shown_first(["a", "b", "c", "d"])
    'a, b, c and 1 more'
    """
    names = list(names)
    return ", ".join(names[:max_shown]) + (f" and {len(names) - max_shown:,} more" if len(names) > max_shown else "")


def counted(n: int, what: str, several: str = "") -> str:
    """A number with its noun, in the plural where it is not 1.

    >>> counted(1, "box", "boxes"), counted(1200, "record")
    ('1 box', '1,200 records')
    """
    return f"{n:,} {what if n == 1 else several or what + 's'}"


def nothing_evaluated(what: str, read: int, reason: str = NOTHING) -> str:
    """The message about a run, or a check of its inputs, in which nothing was evaluated.

    >>> nothing_evaluated("scene", 2, "they are empty")
    'nothing was evaluated: 0 of 2 scenes: they are empty'
    """
    return f"nothing was evaluated: 0 of {counted(read, what)}: {reason}"
