"""What valid inputs look like, by format."""

from __future__ import annotations

from fuzz.draft import Grammar
from fuzz.grammars import (
    answers,
    conversions,
    dense,
    images,
    judging,
    parts,
    results,
    scenes,
    settings,
    timelines,
    tools,
)

GRAMMARS: dict[str, Grammar] = {
    **dense.GRAMMARS,
    **timelines.GRAMMARS,
    **scenes.GRAMMARS,
    **images.GRAMMARS,
    **judging.GRAMMARS,
    **results.GRAMMARS,
    **parts.GRAMMARS,
    **settings.GRAMMARS,
    **answers.GRAMMARS,
    **tools.GRAMMARS,
    **conversions.GRAMMARS,
}
