"""What changed between two results, and whether the data can tell.

Two artifacts over the same records share the weights of their replicates, so each replicate has a difference of its
own: records that are hard for both count equally often on both sides, and cancel. The 95 % interval holds the middle of
these differences. Where replicates tell only how far a number varies (the lines of COCO), the interval is moved so that
the middle difference is the observed one. A figure is better or worse when its interval excludes 0, else nobody can
tell.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from calipers.core.bootstrap import middle
from calipers.core.errors import ConfigError, OutputError, keyword
from calipers.core.figures import Figure, Floats
from calipers.files.output import to_json, write_file
from calipers.results import compare_text as views
from calipers.results.artifacts import Result, read_result
from calipers.results.changed_objects import changed_objects
from calipers.results.comparable import differences, shared_groups
from calipers.suite import suite_of_tree

BETTER, WORSE, CANNOT_TELL = "better", "worse", "cannot tell"
MOST_LEFT_OUT = 5  # names that are listed


class Change(NamedTuple):
    """A figure before and after."""

    old: Figure
    new: Figure
    difference: float | None
    interval: list[float] | None
    draws: Floats | None  # the difference in each replicate, NaN where undefined

    @property
    def n(self) -> int:
        """The records it rests on."""
        return min(self.old.n, self.new.n)

    @property
    def verdict(self) -> str:
        """Whether the new one is better or worse, if the data can tell."""
        up = self.new.higher_is_better
        if self.interval is None or up is None or self.interval[0] <= 0 <= self.interval[1]:
            return CANNOT_TELL
        return BETTER if (self.interval[0] > 0) == up else WORSE

    def tree(self) -> dict[str, Any]:
        """For the artifact of a comparison."""
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


class Comparison(Mapping[str, Any]):
    """Two results side by side: `comparison["metrics"]`. `str(comparison)` is the table of the console."""

    def __init__(self, tree: dict[str, Any], changes: dict[str, Change]) -> None:
        self.tree, self.changes = tree, changes

    def __getitem__(self, key: str) -> Any:
        return self.tree[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tree)

    def __len__(self) -> int:
        return len(self.tree)

    def __str__(self) -> str:
        return views.table(self.tree)

    def __repr__(self) -> str:
        return f"<Comparison {self.tree['protocol']}>"

    def to_json(self) -> bytes:
        """Everything, as canonical JSON."""
        return to_json(self.tree)

    def to_markdown(self) -> str:
        """The table for a page or a pull request."""
        return views.markdown(self.tree)

    def to_html(self) -> bytes:
        """The page."""
        return views.page(self.tree)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it whole or not at all; the ending says as what: .json, .md or .html."""
        write_file(path, writer(self, path)())


def writer(comparison: Comparison, path: str | os.PathLike[str]) -> Any:
    """What gives the content of a file with this ending."""
    ending = os.path.splitext(os.fspath(path))[1]
    kinds = {".json": comparison.to_json, ".md": lambda: comparison.to_markdown().encode(), ".html": comparison.to_html}
    if ending not in kinds:
        raise OutputError(f"{os.fspath(path)}: ends in {ending or 'nothing'!r}, expected {', '.join(kinds)}")
    return kinds[ending]


def compare(old: Any, new: Any, *, force: bool = False) -> Comparison:
    """The differences of two results, paired by record.

    `old` and `new` are artifacts, folders with a `result.json`, reports, or what an artifact holds. Results of
    different suites, protocols, parameters or records are refused; with `force` what is comparable is compared, not in
    pairs.

    >>> from calipers import dense
    >>> box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    >>> records = [{"id": str(k), "gt_norm1000": [box], "pred": []} for k in range(9)]
    >>> before, after = dense(records), dense([record | {"pred": [box]} for record in records])
    >>> row = compare(before, after)["metrics"][-1]
    >>> row["metric"], row["difference"], row["interval"], row["verdict"]
    ('category.mean_f1', 1.0, [1.0, 1.0], 'better')
    """
    return compare_results(read_result(old, "old"), read_result(new, "new"), force=force)


def compare_results(old: Result, new: Result, *, force: bool | None = False) -> Comparison:
    """The same of results that were read; without a choice (None) nobody is told of one."""
    found = differences(old, new)
    if found.all and not force:
        said = "\n".join(f"- {each}" for each in found.all)
        hint = "" if force is None else f"\n({keyword('force', True)} compares what is comparable, not in pairs)"
        raise ConfigError(f"{old.name} and {new.name} cannot be compared in pairs:\n{said}{hint}")
    changes = {each.new.name: each for each in _changes(old, new, paired=not found.all)}
    if not changes:
        raise ConfigError(f"{old.name} and {new.name} have no figure in common")
    objects = None if found.records else changed_objects(old, new)
    return Comparison(_tree(old, new, changes, found.all, objects), changes)


def _changes(old: Result, new: Result, *, paired: bool) -> Iterator[Change]:
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


def change(old: Figure, new: Figure, *, paired: bool = True) -> Change:
    """The difference of a figure, with its interval."""
    difference = None if old.value is None or new.value is None else new.value - old.value
    draws = _draws(old, new, paired=paired)
    if difference is None or draws is None:
        return Change(old, new, difference, None, None)
    ends = middle(draws, records=min(old.n, new.n))
    if ends is not None and new.moved:
        shift = difference - float(np.nanmedian(draws))
        ends = [end + shift for end in ends]
    return Change(old, new, difference, ends, draws)


def _draws(old: Figure, new: Figure, *, paired: bool) -> Floats | None:
    """The difference in each replicate; not in pairs, each is set against one that has other weights."""
    if old.replicates is None or new.replicates is None:
        return None
    if paired:
        return new.replicates - old.replicates
    both = min(len(old.replicates), len(new.replicates))
    return new.replicates[:both] - np.roll(old.replicates[:both], both // 2)


def _tree(
    old: Result, new: Result, changes: dict[str, Change], differs: list[str], objects: dict[str, Any] | None
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
        "left_out": list(_left_out(old, new, changes)),
        "records": max((each.n for each in changes.values()), default=0),
        "replicates": params["bootstrap"],
        "seed": params["seed"],
        "metrics": [each.tree() for each in changes.values()],
        "objects": objects,
    }


def _left_out(old: Result, new: Result, changes: dict[str, Change]) -> Iterator[str]:
    """What only one of the results has: whole methods of scenes, else figures."""
    compared = {"old": {each.old.name for each in changes.values()}, "new": set(changes)}
    for side, result in (("old", old), ("new", new)):
        names = [name for name in result.figures if name not in compared[side]]
        if word := suite_of_tree(result.tree).group_word:
            names = [f"{word} {name}" for name in dict.fromkeys(name.rpartition(".")[0] for name in names)]
        more = f" and {len(names) - MOST_LEFT_OUT:,} more" if len(names) > MOST_LEFT_OUT else ""
        if names:
            yield f"{', '.join(names[:MOST_LEFT_OUT])}{more}: only in the {side} result"


def _source(result: Result) -> dict[str, Any]:
    return {"name": result.name, "calipers": result.tree["calipers"], "inputs": result.tree["inputs"]}
