"""Other readings of predictions: what each would score, and which of them fits.

A reading is a way to understand the same numbers: corners or sizes, pixels or a grid, metres or millimetres. Each is
tried on a sample. One fits if the suite's own score, or the mean overlap behind it, gets clearly better; of several
that fit, the best is the likely one. Nothing is ever changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from calipers.core.survey import Tree, rounded

LOW = 0.05  # a headline below it asks for an explanation
POOR = 0.5  # one below it may be due to a reading
SAMPLE = 500  # records, images or videos that readings are tried on
MIN_SCORE_GAIN, MIN_SCORE_FACTOR = 0.1, 1.5  # by how much, and to how many times as much, a score has to grow
MIN_OVERLAP_GAIN, MIN_OVERLAP_FACTOR = 0.1, 1.25  # the same for the mean overlap
MIN_FITTING_SCORE = 0.1  # a score below it fits nothing
FAIR_SCORE = 0.5  # a score that speaks for a reading by itself
NEAR_LIKELY = 0.8  # of the likely one, for another to be worth a line
MAX_LISTED = 4


class Trial(NamedTuple):
    """How well an interpretation does: the score of the suite, and how much of the ground truth is covered."""

    score: float | None
    overlap: float | None


class Interpretation(NamedTuple):
    """Another way to read predictions, by name, with the advice if it is the right one and its score."""

    name: str
    advice: str
    trial: Trial


Rule = Callable[[Trial, Trial], bool]


def fits(now: Trial, other: Trial) -> bool:
    """Whether an interpretation is clearly better than the present one.

    >>> fits(Trial(0.02, 0.01), Trial(0.7, 0.6)), fits(Trial(0.7, 0.6), Trial(0.72, 0.61))
    (True, False)
    """
    score, overlap = now.score or 0.0, now.overlap or 0.0
    better, closer = other.score or 0.0, other.overlap or 0.0
    scores = better >= max(MIN_FITTING_SCORE, score + MIN_SCORE_GAIN, score * MIN_SCORE_FACTOR)
    covers = better >= max(MIN_FITTING_SCORE, score - 0.01) and closer >= max(
        overlap + MIN_OVERLAP_GAIN, overlap * MIN_OVERLAP_FACTOR
    )
    return scores or covers


def fits_far_better(now: Trial, other: Trial) -> bool:
    """Whether a reading would make a poor score a fair one, and at least double it or halve what it lacks.

    >>> fits_far_better(Trial(0.26, 0.23), Trial(0.79, 0.67)), fits_far_better(Trial(0.26, 0.23), Trial(0.4, 0.4))
    (True, False)
    >>> fits_far_better(Trial(0.48, 0.1), Trial(0.88, 0.5)), fits_far_better(Trial(0.48, 0.1), Trial(0.7, 0.5))
    (True, False)
    """
    score, better = now.score or 0.0, other.score or 0.0
    return better >= FAIR_SCORE and (better >= 2 * score or 1 - better <= (1 - score) / 2)


def ranked(now: Trial, readings: Iterable[Interpretation], rule: Rule = fits) -> list[Tree]:
    """The readings that fit, the likely one first, and after it those that come near without being it and more."""
    readings = list(readings)
    fitting = [reading for reading in readings if rule(now, reading.trial)]
    likely = max(fitting, key=value_of, default=None)
    if likely is None:
        return []
    others = [
        interpretation
        for interpretation in fitting
        if likely.name not in interpretation.name and value_of(interpretation) >= NEAR_LIKELY * value_of(likely)
    ]
    listed = [likely, *sorted(others, key=value_of, reverse=True)]
    return [_entry(interpretation, interpretation is likely) for interpretation in listed[:MAX_LISTED]]


def value_of(reading: Interpretation) -> float:
    """Score and overlap together, to two decimals, so that of equals the simpler reading, which comes first, wins."""
    return round((reading.trial.score or 0.0) + (reading.trial.overlap or 0.0), 2)


def _entry(reading: Interpretation, likely: bool) -> Tree:
    return {
        "name": reading.name,
        "score": rounded(reading.trial.score),
        "overlap": rounded(reading.trial.overlap),
        "likely": likely,
        "advice": reading.advice,
    }


def sample_of(n: int, total: int | None, what: str) -> dict[str, Any]:
    """How many records interpretations were tried on, for the result; `total` is None where not all were counted."""
    return {"what": what, "n": n, "of": total}


def is_low(value: float | None) -> bool:
    """Whether a headline asks for an explanation; one that is undefined does not."""
    return value is not None and value < LOW


def is_poor(value: float | None) -> bool:
    """Whether a headline may be due to a reading, and is not so low that it is explained anyway.

    >>> is_poor(0.3), is_poor(0.5), is_poor(0.01), is_poor(None)
    (True, False, False, False)
    """
    return value is not None and value < POOR and not is_low(value)


def is_guess(objects: Mapping[str, int]) -> bool:
    """Whether anything was predicted that could match; nothing needs no explanation."""
    return objects["pred"] > objects["invalid_pred"]
