"""Many results, and which of them is really better.

In each figure results are put in order, best first; equal values share a position, undefined ones come last. Every pair
is tested (see `rank_pairs`), and groups say what the data can tell apart (see `rank_letters`): two results that share a
letter may as well be equally good. `best_probability` is the share of replicates in which a result is the best of all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from calipers.core.config import checked_keywords
from calipers.core.errors import ConfigError, require
from calipers.core.figures import Figure
from calipers.files.output import to_json
from calipers.results import rank_tables as tables
from calipers.results import rank_text as views
from calipers.results.compare import BETTER, CANNOT_TELL, WORSE
from calipers.results.rank_inputs import Candidate, Candidates, by_number, read_candidates
from calipers.results.rank_letters import letters
from calipers.results.rank_pairs import PairTests, best_shares, separate_pairs
from calipers.results.saved_files import Contents, files_at, write_files
from calipers.results.tree_mapping import TreeMapping
from calipers.show.figures import full_name, main_group
from calipers.show.text import rate
from calipers.suite import suite_of_tree

FIRST = 5  # results that a `repr` names

ORDERS = ("given", "name")
FILES = "rank"  # the stem of files in a folder


class RankFacts(NamedTuple):
    """Facts about a ranking that views show beside its rows."""

    protocol: str
    record: str  # what the suite calls a record
    records: int
    replicates: int
    results: list[str]  # names, in the order given
    lower_is_better: set[str]  # figures
    baseline: str | None
    order: str | None
    notes: list[tuple[str, str]]  # a word, and what it is about


class Ranking(TreeMapping):
    """Results side by side: `ranking["figures"]["category.f1"][0]["name"]`. `str(ranking)` is the console's table."""

    def __init__(self, tree: dict[str, Any], facts: RankFacts) -> None:
        self.tree, self.facts = tree, facts

    def __str__(self) -> str:
        return views.table(self.tree, self.facts)

    def __repr__(self) -> str:
        name, rows = next(iter(self.tree["figures"].items()))
        order = ", ".join(f"{row['name']} {rate(row['value'])} {row['group'] or ''}".strip() for row in rows[:FIRST])
        return f"<Ranking {self.facts.protocol}: {len(self.facts.results)} results by {name}: {order}>"

    def to_json(self) -> bytes:
        """The whole ranking, as canonical JSON."""
        return to_json(self.tree)

    def to_csv(self) -> str:
        """One row for each result and figure."""
        return tables.csv(self.tree)

    def to_markdown(self) -> str:
        """A table for each figure, for a page or a pull request."""
        return tables.markdown(self.tree, self.facts)

    def to_latex(self) -> str:
        """A table for each figure, for `booktabs`."""
        return tables.latex(self.tree)

    def to_html(self) -> bytes:
        """The page: a dot chart with intervals and groups for each figure."""
        from calipers.results.rank_page import ranking_page

        return ranking_page(self.tree, self.facts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file by its ending (.json, .csv, .md, .tex, .html), or all of them into a folder."""
        write_files(self.files_at(path))

    def files_at(self, path: str | os.PathLike[str]) -> Contents:
        """The files that `save` writes, by path, with what makes each; a name of another kind is refused."""
        kinds = {
            ".json": self.to_json,
            ".csv": lambda: self.to_csv().encode(),
            ".md": lambda: self.to_markdown().encode(),
            ".tex": lambda: self.to_latex().encode(),
            ".html": self.to_html,
        }
        return files_at(path, FILES, kinds)


@checked_keywords
def rank(
    *results: Any, figure: str | Iterable[str] = (), baseline: str | None = None, order: str | None = None
) -> Ranking:
    """Rank many results: which of them is really better, as far as the data can tell.

    Args:
        *results: 2 to 100 results of one suite over the same records: artifacts, folders, reports, "NAME=PATH", lists
            of these, or a dict of them by name.
        figure: The figures to rank by; without any the headline ones.
        baseline: The name of a result that the others are compared with: rows have the difference to it.
        order: "given" or "name" adds a history, with the first change that is sure.

    Returns:
        For each figure the results, best first, with intervals, groups that cannot be told apart, and how probable it
            is that each is the best. `str` of it is the table of the console.

    Raises:
        ConfigError: Results are over different records or of different protocols, a figure or a name is unknown.
        InputError: A result cannot be read.

    Examples:
        >>> from calipers import dense
        >>> box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
        >>> def model(missed):
        ...     hits = [(str(k), [box] * (k not in missed)) for k in range(60)]
        ...     return dense([{"id": key, "gt_norm1000": [box], "pred": hit} for key, hit in hits])
        >>> models = {"large": model(range(6)), "small": model(range(30)), "tuned": model(range(1, 6))}
        >>> [(row["name"], row["group"]) for row in rank(models, figure="recall")["figures"]["category.recall"]]
        [('tuned', 'a'), ('large', 'a'), ('small', 'b')]
    """
    return rank_candidates(read_candidates(results), figure=figure, baseline=baseline, order=order)


def rank_candidates(
    inputs: Candidates, *, figure: str | Iterable[str] = (), baseline: str | None = None, order: str | None = None
) -> Ranking:
    """Rank results that were read."""
    candidates = inputs.ranked
    require(order is None or order in ORDERS, "order", order, f"one of {', '.join(ORDERS)}")
    _check_baseline(baseline, [candidate.name for candidate in candidates])
    chosen, notes = _chosen([figure] if isinstance(figure, str) else list(figure), candidates)
    standings = {name: Standing(name, candidates) for name in chosen}
    in_order = sorted(candidates, key=lambda candidate: by_number(candidate.name)) if order == "name" else candidates
    names = [candidate.name for candidate in in_order]
    tree: dict[str, Any] = {"rank": "rank/1", "suite": candidates[0].result.tree["suite"]}
    tree["figures"] = {name: list(standing.rows(baseline)) for name, standing in standings.items()}
    if order:
        first = {name: standing.first_change(names) for name, standing in standings.items()}
        tree["history"] = {"order": order, "results": names, "first_change": first}
    notes += [("passed over", f"{path}: no artifact") for path in inputs.passed_over]
    return Ranking(tree, _facts(candidates, standings, baseline, order, notes))


def _facts(
    candidates: list[Candidate], standings: dict[str, Standing], baseline: str | None, order: str | None, notes: Any
) -> RankFacts:
    tree = candidates[0].result.tree
    suite = suite_of_tree(tree)
    return RankFacts(
        protocol=tree["protocol"],
        record=suite.record,
        records=suite.counts(tree).evaluated,
        replicates=tree["params"]["bootstrap"],
        results=[candidate.name for candidate in candidates],
        lower_is_better={name for name, standing in standings.items() if not standing.up},
        baseline=baseline,
        order=order,
        notes=notes,
    )


def _check_baseline(name: str | None, names: list[str]) -> None:
    if name is None or name in names:
        return
    near = get_close_matches(str(name), names, n=1, cutoff=0.5)
    hint = f", did you mean {near[0]!r}?" if near else ""
    raise ConfigError(f"baseline: found {name!r:.80}{hint} (results: {', '.join(names)})")


# Figures


def _chosen(asked: list[str], candidates: list[Candidate]) -> tuple[list[str], list[tuple[str, str]]]:
    """The figures to rank by: those asked for, else the headline; and what is left out of it."""
    figures: dict[str, Figure] = {}
    for candidate in candidates:
        better = {name for name in candidate.figures if name not in figures or not _ranks(figures[name])}
        figures |= {name: figure for name, figure in candidate.figures.items() if name in better}
    tree = candidates[0].result.tree
    if asked:
        names = list(dict.fromkeys(full_name(name, figures, tree) for name in asked))
        for name in names:
            _check_figure(name, figures[name], candidates)
        return names, []
    names = _headline(figures, tree)
    chosen = [name for name in names if _ranks(figures[name])]
    if not chosen:
        raise ConfigError(f"no headline figure of the {tree['suite']} suite is defined and has replicates")
    left_out = [name for name in names if name not in chosen]
    return chosen, [("left out", f"{', '.join(left_out)}: undefined, or without replicates")] if left_out else []


def _headline(figures: dict[str, Figure], tree: Mapping[str, Any]) -> list[str]:
    names = [name for name, figure in figures.items() if figure.headline and figure.higher_is_better is not None]
    groups = [name.rpartition(".")[0] for name in names]
    chosen = "" if "" in groups else main_group(suite_of_tree(tree), groups)
    return [name for name, group in zip(names, groups, strict=True) if chosen in ("", group)]


def _ranks(figure: Figure) -> bool:
    return figure.value is not None and figure.replicates is not None


def _check_figure(name: str, figure: Figure, candidates: list[Candidate]) -> None:
    """Refuse a figure without a direction or without replicates."""
    if figure.higher_is_better is None:
        raise ConfigError(f"figure: {name} has no better direction, expected a figure that has one")
    if figure.value is not None and figure.replicates is None:
        directed = {key: value for key, value in candidates[0].figures.items() if value.higher_is_better is not None}
        near = get_close_matches(name, [key for key, value in directed.items() if _ranks(value)], n=3, cutoff=0.3)
        hint = f", expected one that has them, such as {', '.join(near)}" if near else ""
        raise ConfigError(f"figure: {name} has no replicates, so results cannot be told apart by it{hint}")


class Standing:
    """All results in one figure."""

    def __init__(self, figure: str, candidates: list[Candidate]) -> None:
        named = [(candidate.name, candidate.figures.get(figure)) for candidate in candidates]
        self.up = next((own.higher_is_better for _, own in named if own is not None), True)
        defined = [(name, own) for name, own in named if own is not None and own.value is not None]
        defined.sort(key=lambda pair: ((-1 if self.up else 1) * float(pair[1].value or 0), pair[0]))
        self.names, self.figures = [name for name, _ in defined], [own for _, own in defined]
        self.undefined = sorted(name for name, _ in named if name not in self.names)
        self.pairs: PairTests | None = separate_pairs(self.figures) if len(self.figures) > 1 else None

    def rows(self, baseline: str | None) -> Iterator[dict[str, Any]]:
        """One row for each result, best first."""
        groups = letters(len(self.names), self.pairs.separated_pairs() if self.pairs else ())
        shares = best_shares(self.figures) if self.figures else []
        values = [figure.value for figure in self.figures]
        for k, (name, figure) in enumerate(zip(self.names, self.figures, strict=True)):
            row = {"name": name, "value": figure.value, "interval": figure.interval}
            row |= {"position": 1 + values.index(figure.value), "group": groups[k], "best_probability": shares[k]}
            yield row | (self._against(baseline, name) if baseline else {})
        for name in self.undefined:
            row = dict.fromkeys(("name", "value", "interval", "position", "group", "best_probability")) | {"name": name}
            yield row | (self._against(baseline, name) if baseline else {})

    def _against(self, old: str, new: str) -> dict[str, Any]:
        """The difference of a result from another; fields are None for the same result, and where one is undefined."""
        if old == new or self.pairs is None or not {old, new} <= set(self.names):
            return {"difference": None, "difference_interval": None, "verdict": None}
        difference, interval, separated = self.pairs.at(self.names.index(old), self.names.index(new))
        better = BETTER if (difference > 0) == self.up else WORSE
        verdict = better if separated else CANNOT_TELL
        return {"difference": difference, "difference_interval": interval, "verdict": verdict}

    def first_change(self, order: list[str]) -> dict[str, Any] | None:
        """The first result in this order that is separated from an earlier one, and the latest such one."""
        names = [name for name in order if name in self.names]
        for place, new in enumerate(names):
            for old in reversed(names[:place]):
                change = self._against(old, new)
                if change["verdict"] not in (None, CANNOT_TELL):
                    return {"from": old, "to": new, **change}
        return None
