"""The suites that a command is about: the one that was named, or all."""

from __future__ import annotations

from calipers.cli.streams import log
from calipers.show.text import printable
from calipers.suite import Suite, suite_of, suites, unloadable_suites


def chosen_suites(name: str | None) -> list[Suite]:
    """The suite of this name, or all that can be loaded, with a warning about each of the others."""
    if name:
        return [suite_of(name)]
    for problem in unloadable_suites().values():
        log(f"warning: {printable(problem)}")
    return suites()
