"""The figures of the dense suite: precision, recall, F1 and mean F1 of each label mode."""

from __future__ import annotations

from calipers.core.figures import Floats, Tree
from calipers.core.sweep_figures import RATES, sweep_replicates, sweep_specs


def modes(tree: Tree) -> list[str]:
    """The label modes of a result."""
    return list(tree["modes"])


FIGURES = sweep_specs("{}.", "modes.{}", modes, headline=(*RATES, "mean_f1"))


def replicates(tree: Tree) -> dict[str, Floats]:
    """Every figure in every replicate."""
    return {
        name: draws for mode in modes(tree) for name, draws in sweep_replicates(tree, f"{mode}.", f"{mode}.").items()
    }


def main_group(names: list[str]) -> str:
    """The mode that a figure without one means: category, else the last that is reported."""
    return "category" if "category" in names else names[-1]


def slice_headline(tree: Tree) -> str:
    """The figure that slices are judged by."""
    return f"{main_group(modes(tree))}.f1"
