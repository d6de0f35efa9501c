"""How often a ranking tells equal models apart, and how often it finds one that is worse.

    python benchmarks/rank_power.py [--sets 200] [--quick]

Models find the objects of records that differ in how hard they are, each on its own, and are measured over the same
records by `calipers.dense`; every verdict is that of `calipers.rank` by recall. A row has the share of sets of equal
models in which any pair is told apart (5 % at most is promised, however many pairs there are), and, where the last
model finds less by a true difference in recall, the share of sets in which it is told from all others, and from any;
each with its standard error.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import combinations
from math import sqrt
from random import Random
from typing import Any

import calipers
from calipers.results.rank_letters import split_letters

Json = dict[str, Any]
FIGURE = "category.recall"
MODELS, SIZES, DROPS = (2, 5, 10), (40, 160), (0.05, 0.1, 0.15)
LEAST, MOST = 0.3, 0.95  # chances of an object to be found


def box(place: int) -> Json:
    """One of the objects of a record; none overlaps another."""
    left, top = 50 * (place % 20), 50 * (place // 20)
    return {"type": "bbox_2d", "points": [left, top, left + 40, top + 40], "desc": "类别=标签"}


def results(random: Random, models: int, records: int, drop: float) -> dict[str, Any]:
    """Reports by name; the last model finds less by `drop`."""
    truths = [[box(place) for place in range(1 + random.randrange(9))] for _ in range(records)]
    chances = [random.uniform(LEAST, MOST) for _ in range(records)]
    name = random.random()
    reports = {}
    for model in range(models):
        lost = drop if model == models - 1 else 0.0
        found = [
            [each for each in truth if random.random() < chance - lost]
            for truth, chance in zip(truths, chances, strict=True)
        ]
        dump = [{"id": f"{name} {k}", "gt_norm1000": truths[k], "pred": found[k]} for k in range(records)]
        reports[f"model {model}"] = calipers.dense(dump, modes="category")
    return reports


def separated(reports: dict[str, Any]) -> set[frozenset[str]]:
    """The pairs that are told apart."""
    rows = calipers.rank(reports, figure="recall")["figures"][FIGURE]
    own = dict(zip([row["name"] for row in rows], split_letters([row["group"] for row in rows]), strict=True))
    return {frozenset(pair) for pair in combinations(own, 2) if not own[pair[0]] & own[pair[1]]}


def share(outcomes: list[bool]) -> str:
    """In percent, with its standard error."""
    part = sum(outcomes) / len(outcomes)
    return f"{part:7.1%} ±{sqrt(part * (1 - part) / len(outcomes)):.1%}"


def sets(count: int, models: int, records: int, drop: float) -> Iterator[set[frozenset[str]]]:
    for number in range(count):
        yield separated(results(Random(f"{models} {records} {drop} {number}"), models, records, drop))


def row(count: int, models: int, records: int) -> str:
    alarms = share([bool(pairs) for pairs in sets(count, models, records, 0.0)])
    cells = [f"{models:6} {records:8} {alarms:>15}"]
    last = f"model {models - 1}"
    for drop in DROPS:
        found = [sum(last in pair for pair in pairs) for pairs in sets(count, models, records, drop)]
        cells.append(f"{share([each == models - 1 for each in found])} {share([each > 0 for each in found])}")
    return "   ".join(cells)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--quick", action="store_true", help="little data, to see that everything works")
    given = parser.parse_args()
    count = 2 if given.quick else given.sets
    heads = [f"{f'worse by {drop}: from all':>24} {'any':>6}" for drop in DROPS]
    print(f"models  records     equal apart   {'   '.join(heads)}   ({count} sets)")
    for models in MODELS[:2] if given.quick else MODELS:
        for records in SIZES[:1] if given.quick else SIZES:
            print(row(count, models, records), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
