"""Words for results that may be right and are more often a mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from calipers.show.text import printable

CHECK = "calipers check tells more"
SHOWN = 3  # labels that a note names


def useless(who: str, counts: Mapping[str, int], problem: str) -> Iterator[str]:
    """A note on counts in which no prediction could match; none on any others."""
    if not counts["gt"] or counts["pred"] > counts["invalid_pred"] or counts.get("ignored"):
        return
    if not counts["pred"]:
        yield f"{who}nothing was predicted at all, so that every object was missed ({CHECK})"
    else:
        yield f"{who}all {counts['pred']:,} predictions are invalid and match nothing: {problem} ({CHECK})"


def no_shared_label(truth: Sequence[str], pred: Sequence[str]) -> Iterator[str]:
    """A note where no label is on both sides, so that nothing is right wherever labels count.

    >>> list(no_shared_label(["screw", "nut"], ["bolt"]))
    ['no label is on both sides: screw, nut are true, bolt predicted (calipers check tells more)']
    """
    if truth and pred and not set(truth) & set(pred):
        yield f"no label is on both sides: {_some(truth)} are true, {_some(pred)} predicted ({CHECK})"


def _some(labels: Sequence[str]) -> str:
    rest = f" and {len(labels) - SHOWN:,} more" if len(labels) > SHOWN else ""
    return printable(", ".join(labels[:SHOWN])) + rest


def most_common(reasons: Mapping[str, int]) -> str:
    """The reason that most are invalid for; of those equally frequent the first."""
    name, n = max(reasons.items(), key=lambda item: item[1], default=("", 0))
    return f"{n:,} × {printable(name)}"
