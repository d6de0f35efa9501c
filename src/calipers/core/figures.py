"""Figures: what a number of an artifact is called, where it is, and which direction is good.

A suite declares its figures once, beside the code that computes them. `flat`, tables, cards, `compare`, `gate`, and the
reference tables of the manual read the declaration; no direction is ever guessed from a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Tree = Mapping[str, Any]
SHARE = "share"  # the unit of figures between 0 and 1
ABSENT = object()


@dataclass(frozen=True, kw_only=True)
class FigureSpec:
    """A figure as its suite declares it.

    Paths are keys of the artifact, joined by dots. `{}` in a name or a path stands for each of the names that `each`
    gives for an artifact: the label modes of dense, the methods of scenes.
    """

    name: str
    path: str  # of the value
    label: str  # in words
    unit: str = SHARE  # or "frames", "s", "m", "1/min", "frames/s", "" for a plain number
    higher_is_better: bool | None = True  # None for a description, such as where a state begins
    headline: bool = False
    interval: str | None = None  # path of its 95 % interval; without one it is that of the replicates
    replicates: str | None = None  # path of its values in the replicates, where the artifact keeps them
    n: str | None = None  # path of the number of records it rests on; without one all that were evaluated
    biased: bool = False  # replicates tell how far the number varies, not where it lies
    each: Callable[[Tree], list[str]] | None = None
    definition: str = ""
    also: tuple[str, ...] = ()  # what else summaries call it

    def place(self, path: str, group: str) -> list[str]:
        """The keys of a path; a group may have dots in its name."""
        return [key.replace("{}", group) for key in path.split(".")]


class Figure(NamedTuple):
    """A number of an artifact, with what is known about its spread."""

    name: str
    value: float | None
    interval: list[float] | None
    replicates: Floats | None  # NaN is undefined
    higher_is_better: bool | None
    n: int  # records it rests on
    moved: bool = False  # replicates tell how far the number varies, not where it lies
    headline: bool = False
    unit: str = SHARE


def read_figures(tree: Tree, specs: tuple[FigureSpec, ...], n: int, draws: Mapping[str, Floats] | None) -> list[Figure]:
    """The figures of an artifact in the order of their declaration, as far as it has them.

    `n` is how many records were evaluated, `draws` has replicates that the suite computes; without it there are none.
    """
    return [
        _figure(tree, spec, group, n, draws)
        for spec, group in expanded(tree, specs)
        if find(tree, spec.place(spec.path, group)) is not ABSENT
    ]


def expanded(tree: Tree, specs: tuple[FigureSpec, ...]) -> Iterator[tuple[FigureSpec, str]]:
    """Every figure with its group; neighbours that have the same groups come group by group."""
    for groups_of, run in groupby(specs, key=lambda spec: spec.each):
        members = list(run)
        yield from ((spec, group) for group in (groups_of(tree) if groups_of else [""]) for spec in members)


def spec_named(specs: tuple[FigureSpec, ...], name: str) -> FigureSpec | None:
    """The declaration of a figure by its name, whatever its group."""
    exact = next((spec for spec in specs if spec.name == name), None)
    if exact:
        return exact
    return next((spec for spec in specs if "{}" in spec.name and _is_member(name, spec.name)), None)


def _is_member(name: str, pattern: str) -> bool:
    head, _, tail = pattern.partition("{}")
    return name.startswith(head) and name.endswith(tail)


def find(tree: Any, keys: list[str]) -> Any:
    """The value at a path of an artifact, or ABSENT.

    >>> find({"a": {"b": 1}}, ["a", "b"]), find({"a": {}}, ["a", "b"]) is ABSENT
    (1, True)
    """
    for key in keys:
        if not isinstance(tree, Mapping) or key not in tree:
            return ABSENT
        tree = tree[key]
    return tree


def _figure(tree: Tree, spec: FigureSpec, group: str, n: int, draws: Mapping[str, Floats] | None) -> Figure:
    from calipers.core.bootstrap import middle

    name = spec.name.replace("{}", group)
    value, interval, count = (_at(tree, spec, path, group) for path in (spec.path, spec.interval, spec.n))
    drawn = _draws(tree, spec, group, name, draws)
    records = n if count is None else int(count)
    if spec.interval is None and drawn is not None:
        interval = middle(drawn, records=n)
    return Figure(name, value, interval, drawn, spec.higher_is_better, records, spec.biased, spec.headline, spec.unit)


def _at(tree: Tree, spec: FigureSpec, path: str | None, group: str) -> Any:
    value = ABSENT if path is None else find(tree, spec.place(path, group))
    return None if value is ABSENT else value


def _draws(tree: Tree, spec: FigureSpec, group: str, name: str, draws: Mapping[str, Floats] | None) -> Floats | None:
    if draws is None:
        return None
    kept = _at(tree, spec, spec.replicates, group)
    return np.array(kept, dtype=np.float64) if kept else draws.get(name)


def over(part: Floats, whole: Floats) -> Floats:
    """part / whole, undefined (NaN) without a whole.

    >>> over(np.array([1.0, 0.0]), np.array([4.0, 0.0])).tolist()
    [0.25, nan]
    """
    out: Floats = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=out, where=whole > 0)
    return out
