"""The verdict: one plain object that hosts of every generation accept.

`pass`, `score`, `reason` and `checks` are what the newest read, `assertions` those before, `hits`, `misses` and
`reasoning` the oldest. `details` holds the numbers behind it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def make_verdict(
    passed: bool,
    score: float,
    reason: str,
    text: str,
    details: dict[str, Any],
    *,
    hits: list[str] | None = None,
    misses: list[str] | None = None,
    reasoning: str | None = None,
) -> dict[str, Any]:
    """A verdict with one check; hits, misses and reasoning are its reason, if nothing else is given."""
    return {
        "pass": passed,
        "score": score,
        "reason": reason,
        "checks": [{"text": text, "pass": passed, "score": score, "reason": reason}],
        "assertions": [{"text": text, "passed": passed, "evidence": reason}],
        "hits": ([reason] if passed else []) if hits is None else hits,
        "misses": ([] if passed else [reason]) if misses is None else misses,
        "reasoning": reason if reasoning is None else reasoning,
        "details": details,
    }


def failed(ruler: str, reason: str, **details: Any) -> dict[str, Any]:
    """A verdict on what could not be measured."""
    return make_verdict(False, 0.0, reason, f"{ruler} can be measured", {"error": reason, **details})
