"""The headline numbers of a result as one flat dict, as experiment trackers take them.

A key is a path: the mode or the method where there is one, then the metric, `category/mean_f1`, `ours/f1`,
`pooled/frame_accuracy`. Every value is a float; what is undefined is left out. The order is that of the artifact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.core.errors import require
from calipers.show.figures import figures
from calipers.suite import suite_of_tree

Tree = Mapping[str, Any]


def flat_numbers(tree: Tree, prefix: str, style: str | None) -> dict[str, Any]:
    """The headline numbers of a result under our names, or under those that another library gives them."""
    return flat(tree, prefix) if style is None else flat_in_style(tree, prefix, style)


def flat(tree: Tree, prefix: str = "") -> dict[str, float]:
    """Every headline number by its path, with the prefix in front: what a tracker logs for a step."""
    require(isinstance(prefix, str), "prefix", prefix, "text to put in front of every name")
    suite = suite_of_tree(tree)
    further = suite.flat(suite.in_usual_form(tree)) if suite.flat else ()
    return {f"{prefix}{name}": float(value) for name, value in (*_figures(tree), *further) if value is not None}


def flat_in_style(tree: Tree, prefix: str, style: str) -> dict[str, Any]:
    """The numbers of a result under the names that another library gives them; undefined is None."""
    require(isinstance(prefix, str), "prefix", prefix, "text to put in front of every name")
    suite = suite_of_tree(tree)
    known = " or ".join(map(repr, suite.flat_styles)) or f"none: {suite.name} has no names of another library"
    require(isinstance(style, str) and style in suite.flat_styles, "style", style, known)
    return {f"{prefix}{name}": value for name, value in suite.flat_styles[style](suite.in_usual_form(tree)).items()}


def _figures(tree: Tree) -> Iterator[tuple[str, float | None]]:
    for name, figure in figures(tree, replicates=False).items():
        group, _, last = name.rpartition(".")
        yield f"{group}/{last}" if group else last, figure.value
