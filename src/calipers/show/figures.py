"""The figures of an artifact by name: value, interval, and the value in every replicate of the bootstrap."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from calipers.core.errors import ConfigError
from calipers.core.figures import Figure, read_figures
from calipers.suite import Suite, suite_of_tree

Tree = Mapping[str, Any]
MAX_NAMES = 24  # that an error lists


def figures(tree: Tree, *, replicates: bool = True) -> dict[str, Figure]:
    """Every figure, in the order of their declaration. Without replicates they are `None`, which is faster."""
    suite = suite_of_tree(tree)
    whole = suite.in_usual_form(tree)
    draws = suite.replicates(whole) if replicates else None
    by_name = read_figures(whole, suite.figures, suite.counts(whole).evaluated, draws)
    return {figure.name: figure for figure in by_name}


def headline(tree: Tree) -> list[Figure]:
    """The figures that one looks at first, as far as they are defined for something."""
    return [figure for figure in figures(tree, replicates=False).values() if figure.headline and figure.n]


def main_headline(tree: Tree) -> list[Figure]:
    """The headline figures; where all belong to groups, those of the main one, if there is one."""
    figures_shown = headline(tree)
    groups = [figure.name.rpartition(".")[0] for figure in figures_shown]
    chosen = "" if "" in groups else main_group(suite_of_tree(tree), groups)
    return [figure for figure, group in zip(figures_shown, groups, strict=True) if chosen in ("", group)]


def full_name(name: str, known: Mapping[str, Figure], tree: Tree) -> str:
    """The figure that a bare name means; a name that is nobody's is an error that says the nearest."""
    group = main_group(suite_of_tree(tree), [figure.rpartition(".")[0] for figure in known])
    prefix = f"{group}." if group else ""
    for candidate in (name, f"{prefix}{name}"):
        if candidate in known:
            return candidate
    from difflib import get_close_matches

    short = [figure.removeprefix(prefix) for figure in known]
    near = [figure for figure in known if figure.endswith(f".{name}")]
    near = near or get_close_matches(name, [*known, *short], n=1, cutoff=0.5)
    hint = f", did you mean {near[0]!r}?" if near else ""
    listed = f" (known: {', '.join(known)})" if len(known) <= MAX_NAMES else ""
    raise ConfigError(f"{name!r:.80} is not a metric of the {tree['suite']} suite{hint}{listed}")


def main_group(suite: Suite, groups: list[str]) -> str:
    """The group of figures that a name without one means, or nothing."""
    names = list(dict.fromkeys(group for group in groups if group))
    return suite.main_group(names) if suite.main_group and names else ""
