"""What changed between two results, and whether the data can tell.

Two artifacts over the same records share the weights of their replicates, so each replicate has a difference of its
own: records that are hard for both count equally often on both sides, and cancel. The 95 % interval holds the middle of
these differences. Where replicates tell only how far a number varies (the lines of COCO), the interval is moved so that
the middle difference is the observed one. A figure is better or worse when its interval excludes 0, else nobody can
tell.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calipers.core.bootstrap import middle
from calipers.core.config import checked_keywords
from calipers.core.errors import ConfigError, OutputError, keyword
from calipers.core.figures import Figure, Floats
from calipers.core.versions import other_versions
from calipers.files.output import to_json, write_file
from calipers.results import compare_text as views
from calipers.results.artifacts import Result, read_result
from calipers.results.changed_objects import changed_objects
from calipers.results.comparable import differences, shared_groups
from calipers.results.slice_changes import SliceChange, slice_changes, slices_tree
from calipers.results.tree_mapping import TreeMapping
from calipers.suite import suite_of_tree

if TYPE_CHECKING:
    from calipers.results.source_types import ResultSource

BETTER, WORSE, CANNOT_TELL = "better", "worse", "cannot tell"
MAX_LEFT_OUT = 5  # names that are listed


class FigureChange(NamedTuple):
    """A figure before and after."""

    old: Figure
    new: Figure
    difference: float | None
    interval: list[float] | None
    draws: Floats | None  # the difference in each replicate, NaN where undefined

    @property
    def n(self) -> int:
        """The number of records that the figure is computed from."""
        return min(self.old.n, self.new.n)

    @property
    def verdict(self) -> str:
        """Whether the new one is better or worse, if the data can tell."""
        up = self.new.higher_is_better
        if self.interval is None or up is None or self.interval[0] <= 0 <= self.interval[1]:
            return CANNOT_TELL
        return BETTER if (self.interval[0] > 0) == up else WORSE

    def tree(self) -> dict[str, Any]:
        """The entry of this figure in the artifact of a comparison."""
        return {
            "metric": self.new.name,
            "old": self.old.value,
            "new": self.new.value,
            "difference": self.difference,
            "interval": self.interval,
            "verdict": self.verdict,
            "higher_is_better": self.new.higher_is_better,
            "n": self.n,
        }


class Comparison(TreeMapping):
    """Two results side by side, a mapping: `comparison["metrics"]`. `str(comparison)` is the table of the console.

    Attributes:
        tree: Everything, as plain dicts and lists.
        changes: The rows of `metrics` as objects, by the name of the figure, and after them those of slices.
    """

    def __init__(self, tree: dict[str, Any], changes: dict[str, FigureChange]) -> None:
        self.tree, self.changes = tree, changes

    def __str__(self) -> str:
        return views.table(self.tree)

    def __repr__(self) -> str:
        verdicts = Counter(row["verdict"] for row in self.tree["metrics"])
        counts = ", ".join(f"{n:,} {verdict}" for verdict, n in sorted(verdicts.items(), key=str))
        return f"<Comparison {self.tree['protocol']}: {counts or 'no figures'}>"

    def to_json(self) -> bytes:
        """All fields as canonical JSON."""
        return to_json(self.tree)

    def to_markdown(self) -> str:
        """The table for a page or a pull request."""
        return views.markdown(self.tree)

    def to_html(self) -> bytes:
        """The page."""
        return views.page(self.tree)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file by its ending (.json, .md, .html), whole or not at all.

        Args:
            path: The file; its ending says as what: .json, .md or .html.

        Raises:
            OutputError: The ending is another one, or the file cannot be written.
        """
        write_file(path, writer(self, path)())


def writer(comparison: Comparison, path: str | os.PathLike[str]) -> Any:
    """The function that makes the content of a file with this ending."""
    ending = os.path.splitext(os.fspath(path))[1]
    kinds = {".json": comparison.to_json, ".md": lambda: comparison.to_markdown().encode(), ".html": comparison.to_html}
    if ending not in kinds:
        raise OutputError(f"{os.fspath(path)}: ends in {ending or 'nothing'!r}, expected {', '.join(kinds)}")
    return kinds[ending]


@checked_keywords
def compare(old: ResultSource, new: ResultSource, *, force: bool = False) -> Comparison:
    """Compare two results, paired by record.

    Args:
        old: An artifact, a folder with a `result.json`, a report, or what an artifact holds.
        new: The same, over the same records.
        force: Compare what is comparable, not in pairs, instead of refusing results of different parameters or records.

    Returns:
        The difference of every figure with its interval and a verdict: better, worse or cannot tell.

    Raises:
        ConfigError: The results are of different suites, parameters or records.
        InputError: A result cannot be read.

    Examples:
        >>> from calipers import dense
        >>> box = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "cone"}
        >>> records = [{"id": f"{k}.jpg", "gt_norm1000": [box], "pred": [box] * (k % 3 > 0)} for k in range(30)]
        >>> comparison = compare(dense(records), dense([record | {"pred": [box]} for record in records]))
        >>> row = comparison["metrics"][-1]
        >>> row["metric"], round(row["difference"], 3), row["verdict"]
        ('category.mean_f1', 0.2, 'better')
    """
    return compare_results(read_result(old, "old"), read_result(new, "new"), force=force)


def compare_results(old: Result, new: Result, *, force: bool | None = False) -> Comparison:
    """Compare two results that were read; with `force` None, the error does not suggest that option."""
    differing = differences(old, new)
    if differing.all and not force:
        reasons = "\n".join(f"- {entry}" for entry in differing.all)
        unforceable = force is None or old.tree["suite"] != new.tree["suite"]  # nothing would be comparable
        hint = "" if unforceable else f"\n({keyword('force', True)} compares what is comparable, not in pairs)"
        raise ConfigError(f"{old.name} and {new.name} cannot be compared in pairs:\n{reasons}{hint}")
    changes = {entry.new.name: entry for entry in _changes(old, new, paired=not differing.all)}
    if not changes:
        raise ConfigError(f"{old.name} and {new.name} have no figure in common")
    objects = None if differing.records else changed_objects(old, new)
    slices = slice_changes(old.sliced, new.sliced, shared_groups(old, new), paired=not differing.all)
    of_slices = {entry.key.name(name): change for entry in slices for name, change in entry.changes.items()}
    return Comparison(_tree(old, new, changes, differing.all, objects, slices), changes | of_slices)


def _changes(old: Result, new: Result, *, paired: bool) -> Iterator[FigureChange]:
    before, after = old.figures, new.figures
    names = _old_names(old, new, list(after))
    for name, figure in after.items():
        if names.get(name) in before:
            yield change(before[names[name]], figure, paired=paired)


def _old_names(old: Result, new: Result, names: list[str]) -> dict[str, str]:
    """What the figures are called in the old result; methods may have another name there."""
    groups = shared_groups(old, new)
    parts = [(name, *name.rpartition(".")) for name in names]
    return {name: f"{groups[group]}{dot}{rate}" for name, group, dot, rate in parts if group in groups}


def change(old: Figure, new: Figure, *, paired: bool = True) -> FigureChange:
    """The difference of a figure, with its interval."""
    difference = None if old.value is None or new.value is None else new.value - old.value
    draws = _draws(old, new, paired=paired)
    if difference is None or draws is None:
        return FigureChange(old, new, difference, None, None)
    ends = middle(draws, records=min(old.n, new.n))
    if ends is not None and new.moved:
        shift = difference - float(np.nanmedian(draws))
        ends = [end + shift for end in ends]
    return FigureChange(old, new, difference, ends, draws)


def _draws(old: Figure, new: Figure, *, paired: bool) -> Floats | None:
    """The difference in each replicate; without pairing, of replicates whose records have different weights."""
    if old.replicates is None or new.replicates is None:
        return None
    if paired:
        return new.replicates - old.replicates
    both = min(len(old.replicates), len(new.replicates))
    return new.replicates[:both] - np.roll(old.replicates[:both], both // 2)


def _tree(
    old: Result,
    new: Result,
    changes: dict[str, FigureChange],
    differs: list[str],
    objects: dict[str, Any] | None,
    slices: list[SliceChange],
) -> dict[str, Any]:
    params = new.tree["params"]
    return {
        "comparison": "compare/1",
        "suite": new.tree["suite"],
        "protocol": new.tree["protocol"],
        "old": _source(old),
        "new": _source(new),
        "paired": not differs,
        "differs": differs,
        "engines_differ": other_versions(old.tree, new.tree),
        "left_out": [*_left_out(old, new, changes), *_slices_left_out(old, new, slices)],
        "records": max((change.n for change in changes.values()), default=0),
        "replicates": params["bootstrap"],
        "seed": params["seed"],
        "metrics": [change.tree() for change in changes.values()],
        **({"slices": slices_tree(slices)} if slices else {}),
        "objects": objects,
    }


def _slices_left_out(old: Result, new: Result, slices: list[SliceChange]) -> Iterator[str]:
    """Slices that only one of the results has."""
    compared = {(entry.key.field, entry.key.value) for entry in slices}
    for side, result in (("old", old), ("new", new)):
        places = dict.fromkeys((key.field, key.value) for key in result.sliced.parts)
        names = [f"{field} = {value}" for field, value in places if (field, value) not in compared]
        more = f" and {len(names) - MAX_LEFT_OUT:,} more" if len(names) > MAX_LEFT_OUT else ""
        if names:
            yield f"slices {', '.join(names[:MAX_LEFT_OUT])}{more}: only in the {side} result"


def _left_out(old: Result, new: Result, changes: dict[str, FigureChange]) -> Iterator[str]:
    """Groups, or else figures, that only one of the results has."""
    compared = {"old": {change.old.name for change in changes.values()}, "new": set(changes)}
    for side, result in (("old", old), ("new", new)):
        names = [name for name in result.figures if name not in compared[side]]
        if word := suite_of_tree(result.tree).group_word:
            names = [f"{word} {name}" for name in dict.fromkeys(name.rpartition(".")[0] for name in names)]
        more = f" and {len(names) - MAX_LEFT_OUT:,} more" if len(names) > MAX_LEFT_OUT else ""
        if names:
            yield f"{', '.join(names[:MAX_LEFT_OUT])}{more}: only in the {side} result"


def _source(result: Result) -> dict[str, Any]:
    return {"name": result.name, "calipers": result.tree["calipers"], "inputs": result.tree["inputs"]}
