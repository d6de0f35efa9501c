"""What answers of models were read as, on one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calipers.files.answers.records import STATUSES
from calipers.show.text import SEPARATOR


def answers_line(answers: Mapping[str, Any]) -> str:
    """What answers were read as, and in what state they were."""
    families = SEPARATOR.join(f"{n:,} {name}" for name, n in answers["families"].items())
    states = SEPARATOR.join(f"{answers[name]:,} {name}" for name in STATUSES if answers[name])
    missing = f"{SEPARATOR}{answers['missing']:,} missing" if answers.get("missing") else ""
    return f"{families} ({states}){missing}"
