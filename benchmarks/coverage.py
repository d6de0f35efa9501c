"""Whether 95 % intervals hold the large-sample value in 95 % of sets: simulated, for every headline figure.

    python benchmarks/coverage.py [--sets 300] [--population 10000] [--suite coco] [--jobs 2] [--quick]

From each population of `made_sets`, sets of several sizes are drawn and measured with the defaults. A row has the share
of sets whose interval holds the figure of the whole population, the shares of those that lie wholly above and below it,
the standard error of the first (from the number of sets), and how wide intervals are on average. Sets in which a figure
has no interval count as not holding it. The last lines give the difference of two results over the same records, where
the second model loses a tenth of its answers: `compare`'s interval against the true difference. Coverage of 93 to 97 %
is what the docs promise from the sizes they name; nothing is judged here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import cache, partial
from math import sqrt
from multiprocessing import get_context
from random import Random

import calipers
from calipers.core.figures import spec_named
from calipers.show.figures import figures
from calipers.suite import suite_of
from made_sets import POPULATIONS, Population, Record

LOSS = 0.1  # of the answers of the model that is compared
ALSO = ("AR_100", "precision_at_recall")
Ends = dict[str, list[float] | None]


def shown(population: Population, name: str) -> bool:
    """The headline figures that have an interval."""
    spec = spec_named(suite_of(population.suite).figures, name)
    wanted = name in ALSO or (spec is not None and spec.headline)
    return wanted and not name.endswith(("small", "medium", "large"))


@cache
def whole(population: Population, count: int) -> list[Record]:
    """The population, made once a process."""
    return population.records(count)


def values(population: Population, count: int, loss: float = 0.0, model: int = 0) -> dict[str, float]:
    """The headline figures of the whole population."""
    report = population.measure(whole(population, count), model, loss, bootstrap=0)
    found = figures(report.tree, replicates=False)
    return {name: each.value for name, each in found.items() if shown(population, name) and each.value is not None}


def drawn(population: Population, count: int, size: int, number: int) -> list[Record]:
    return Random(f"{population.name} {size} {number}").choices(whole(population, count), k=size)


def intervals(population: Population, count: int, size: int, number: int) -> Ends:
    """The intervals of one set."""
    report = population.measure(drawn(population, count, size, number), 0)
    return {name: each.interval for name, each in figures(report.tree, replicates=False).items()}


def differences(population: Population, count: int, size: int, number: int) -> Ends:
    """The intervals of the differences between two models on one set."""
    records = drawn(population, count, size, number)
    old, new = population.measure(records, 0), population.measure(records, 1, LOSS)
    return {row["metric"]: row["interval"] for row in calipers.compare(old, new)["metrics"]}


def row(name: str, size: int, true: float, ends: list[list[float] | None]) -> str:
    """A line of the table."""
    known = [each for each in ends if each is not None]
    above, below = sum(low > true for low, _ in known), sum(high < true for _, high in known)
    share = (len(known) - above - below) / len(ends)
    error, width = sqrt(share * (1 - share) / len(ends)), sum(high - low for low, high in known) / max(len(known), 1)
    parts = f"{share:7.1%} ±{error:.1%} {above / len(ends):8.1%} {below / len(ends):8.1%}"
    return f"  {name:32} {size:6} {true:8.3f} {parts} {width:8.3f}"


def table(population: Population, sets: int, count: int, pool: Executor | None) -> Iterator[str]:
    yield f"{population.name} ({population.suite}, {sets} sets a row)"
    yield f"  {'figure':32} {'size':>6} {'true':>8} {'holds it':>14} {'above':>8} {'below':>8} {'width':>8}"
    true = values(population, count)
    change = {name: value - true[name] for name, value in values(population, count, LOSS, 1).items() if name in true}
    cells = [("", intervals, size, true) for size in population.sizes]
    for prefix, measured, size, expected in [*cells, ("Δ ", differences, population.sizes[1], change)]:
        one = partial(measured, population, count, size)
        found = list(map(one, range(sets)) if pool is None else pool.map(one, range(sets), chunksize=8))
        for name, value in expected.items():
            yield row(prefix + name, size, value, [each.get(name) for each in found])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--population", type=int, default=10_000)
    parser.add_argument("--suite", choices=sorted({each.suite for each in POPULATIONS}))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="little data, to see that everything works")
    given = parser.parse_args()
    sets, count = (4, 200) if given.quick else (given.sets, given.population)
    pool = None if given.jobs == 1 else ProcessPoolExecutor(given.jobs, get_context("spawn"))  # threads do not fork
    for population in POPULATIONS:
        if given.suite in (None, population.suite):
            for line in table(population, sets, count, pool):
                print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
