"""Slices of results: their figures by name, `METRIC@FIELD=VALUE`, and what changed in each of them.

Two results over the same records share the weights of their replicates also in a slice, so differences are paired there
too. Which changes are sure is held to a false-discovery rate of 5 % over all slices, by their headline figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calipers.core.errors import ConfigError
from calipers.core.figures import Figure, Floats, over, spec_named
from calipers.core.slice_figures import deviate, difference_chances
from calipers.core.student import discoveries
from calipers.show.figures import full_name
from calipers.suite import Suite, suite_of_tree

if TYPE_CHECKING:
    from calipers.results.compare import FigureChange

Tree = Mapping[str, Any]
MAX_NAMED = 12  # slices in a message


class SliceKey(NamedTuple):
    """A slice of a result: the group of figures it belongs to (a method, or nothing), its field and its value."""

    group: str
    field: str
    value: str

    def name(self, figure: str) -> str:
        """A figure of the slice as rules name it."""
        return f"{self.group}{'.' if self.group else ''}{figure}@{self.field}={self.value}"


class SlicedResult:
    """Every slice of a result, with its figures."""

    def __init__(self, tree: Tree) -> None:
        suite = suite_of_tree(tree)
        self.parts: dict[SliceKey, Tree] = {}
        self.figures: dict[SliceKey, dict[str, Figure]] = {}
        self.headlines: dict[SliceKey, str] = {}
        self._truth: dict[SliceKey, Any] = {}
        whole = suite.in_usual_form(tree)
        for group, part in suite.slice_parts(whole) if suite.slice_headline else ():
            for row, sums, terms in _with_sums(part):
                key = SliceKey(group, row["field"], row["value"])
                self.parts[key], self._truth[key] = row, sums.get("gt")
                self.headlines[key] = suite.slice_headline(whole) if suite.slice_headline else ""
                self.figures[key] = {
                    name: _figure(name, figure, row["records"], _draws(sums, terms.get(name)), suite, group)
                    for name, figure in row["figures"].items()
                }

    def by_name(self) -> dict[str, Figure]:
        """Every figure of every slice by its full name."""
        return {
            key.name(name): figure._replace(name=key.name(name))
            for key, figures in self.figures.items()
            for name, figure in figures.items()
        }

    def same_records(self, key: SliceKey, other: SlicedResult, other_key: SliceKey) -> bool:
        """Whether a slice has the same ground truth in another result: in all replicates, else by the records.

        Replicates may agree where the numbers of records differ: a record in which the slice has predictions alone
        counts only for the results that have these.
        """
        truth, other_truth = self._truth[key], other._truth[other_key]
        if truth is None or other_truth is None:
            return bool(self.parts[key]["records"] == other.parts[other_key]["records"])
        return bool(truth == other_truth)


def _with_sums(part: Tree) -> Iterator[tuple[Tree, Tree, Tree]]:
    """Every slice with its sums in replicates, and how figures are made of them."""
    replicates = {
        (entry["field"], row["value"]): (row["sums"], entry["figures"])
        for entry in part.get("bootstrap", {}).get("slices", ())
        for row in entry["values"]
    }
    for row in part.get("slices", ()):
        yield row, *replicates.get((row["field"], row["value"]), ({}, {}))


def _draws(sums: Tree, terms: Tree | None) -> Floats | None:
    """A figure in every replicate, None if that was not kept."""
    if terms is None or not sums:
        return None
    above, below = (
        np.sum([times * np.array(sums[name], dtype=np.float64) for name, times in side.items()], axis=0)
        for side in (terms["above"], terms["below"])
    )
    return over(above, below) if above.size else None


def _figure(name: str, row: Tree, n: int, draws: Floats | None, suite: Suite, group: str) -> Figure:
    spec = spec_named(suite.figures, f"{group}.{name}" if group else name)
    up = spec.higher_is_better if spec else True
    unit = spec.unit if spec else ""
    return Figure(name, row["value"], row["interval"], draws, up, n, False, False, unit)


def slice_rule(metric: str, figures: Mapping[str, Figure], sliced: SlicedResult, tree: Tree) -> str:
    """The full name of a figure of a slice, as a rule asks for it; one that is not there is an error."""
    figure, _, place = metric.rpartition("@")
    field, equals, value = place.partition("=")
    if not figure or not equals:
        raise ConfigError(f"{metric!r:.80}: expected METRIC@FIELD=VALUE")
    if not sliced.parts:
        raise ConfigError(f"{metric!r:.80}: the result has no slices, expected it to be made with slice={field!r:.40}")
    wanted = field.strip().replace("*", "×"), value.strip()
    name = f"{full_name(figure.strip(), figures, tree)}@{wanted[0]}={wanted[1]}"
    if name in sliced.by_name():
        return name
    places = list(dict.fromkeys(f"{key.field}={key.value}" for key in sliced.parts))
    more = f" and {len(places) - MAX_NAMED} more" if len(places) > MAX_NAMED else ""
    raise ConfigError(
        f"{metric!r:.80} is not a figure of a slice; the slices there are: {', '.join(places[:MAX_NAMED])}{more}"
    )


class SliceChange(NamedTuple):
    """A slice before and after: the change of each figure."""

    key: SliceKey
    headline: str
    changes: dict[str, FigureChange]

    def p(self) -> float | None:
        """The p-value of the change of the headline."""
        change = self.changes[self.headline]
        draws = change.draws
        value = None if draws is None else deviate(change.difference, draws, change.n)
        return None if value is None else difference_chances([value], [change.n - 1])[0]


def slice_changes(
    old: SlicedResult, new: SlicedResult, groups: Mapping[str, str], *, paired: bool
) -> list[SliceChange]:
    """What changed in each slice that both results have; `groups` has the old names of groups."""
    from calipers.results.compare import change  # which tells what changed as a whole

    changes = []
    for key in new.parts:
        before = key._replace(group=groups.get(key.group, key.group))
        if before not in old.parts:
            continue
        same = paired and new.same_records(key, old, before)
        figures = {
            name: change(old.figures[before][name], figure, paired=same)
            for name, figure in new.figures[key].items()
            if name in old.figures[before]
        }
        if new.headlines[key] in figures:
            changes.append(SliceChange(key, new.headlines[key], figures))
    return changes


def slices_tree(changes: list[SliceChange]) -> list[dict[str, Any]]:
    """The entries of a comparison about slices; which are sure is decided over all of them."""
    chances = [entry.p() for entry in changes]
    rows = []
    for entry, p, sure in zip(changes, chances, discoveries(chances), strict=True):
        headline = entry.changes[entry.headline]
        trees = {name: change.tree() for name, change in entry.changes.items()}
        rows.append(
            {
                **({"group": entry.key.group} if entry.key.group else {}),
                "field": entry.key.field,
                "value": entry.key.value,
                "records": headline.n,
                "metric": entry.headline,
                **{name: trees[entry.headline][name] for name in ("old", "new", "difference", "interval", "verdict")},
                "p": p,
                "sure": sure,
                "higher_is_better": headline.new.higher_is_better,
                "figures": trees,
            }
        )
    return rows
