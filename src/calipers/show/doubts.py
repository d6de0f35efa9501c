"""Words for results that may be right and are more often a mistake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from calipers.show.text import printable

CHECK = "calipers check tells more"


def useless(who: str, counts: Mapping[str, int], problem: str) -> Iterator[str]:
    """What to say of counts in which no prediction could match; nothing of any others."""
    if not counts["gt"] or counts["pred"] > counts["invalid_pred"] or counts.get("ignored"):
        return
    if not counts["pred"]:
        yield f"{who}nothing was predicted at all, so that every object was missed ({CHECK})"
    else:
        yield f"{who}all {counts['pred']:,} predictions are invalid and match nothing: {problem} ({CHECK})"


def most_common(reasons: Mapping[str, int]) -> str:
    """The reason that most are invalid for; of those equally frequent the first."""
    name, n = max(reasons.items(), key=lambda item: item[1], default=("", 0))
    return f"{n:,} × {printable(name)}"
