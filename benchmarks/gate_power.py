"""Whether a gate finds the drop that it says it can detect in 80 % of cases, and how often it fails equal models.

    python benchmarks/gate_power.py [--pairs 200] [--population 5000] [--suite dense] [--quick]

Every verdict is that of `calipers gate NEW --baseline OLD --max-drop FIGURE=0 --json`, run in this process on two
artifacts on disk. Sets are drawn from the populations of `made_sets`; the two models are equally good, or the second
loses so many answers that its true drop (that of the whole population) is what gates state on average of such pairs as
the smallest detectable one. A row has the share of pairs of equal models that fail (2.5 % at most is promised), the
drop, and the share of pairs that fail with it (80 % is promised), each with its standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from click.testing import CliRunner

from calipers.cli.main import calipers as program
from calipers.show.figures import figures, full_name
from made_sets import POPULATIONS, Population, Record

PILOTS = 16  # pairs of which the stated drop is averaged
STEPS = 4  # from one loss to a better one
SIZES = 2  # of a population, the middle ones
Rows = Iterator[dict[str, Any]]


def gate(population: Population, records: list[Record], loss: float, folder: Path) -> dict[str, Any]:
    """The row of the gate over one pair of results."""
    paths = [folder / "old.json", folder / "new.json"]
    for path, model, lost in zip(paths, (0, 1), (0.0, loss), strict=True):
        path.write_bytes(population.measure(records, model, lost).to_json())
    rule = f"{population.gated}=0"
    called = CliRunner().invoke(
        program, ["gate", str(paths[1]), "--baseline", str(paths[0]), "--max-drop", rule, "--json"]
    )
    if called.exit_code not in (0, 1, 4):
        raise SystemExit(called.output)
    return dict(json.loads(called.stdout)["rows"][0])


def balanced(records: list[Record]) -> list[Record]:
    """Each record once more with the models swapped, so that both are equally good to the last digit."""
    return [*records, *(Record(each.truth, each.answers[::-1]) for each in records)]


def gates(
    population: Population, whole: list[Record], size: int, loss: float, pairs: range
) -> Iterator[dict[str, Any]]:
    with TemporaryDirectory() as folder:
        for number in pairs:
            records = Random(f"{population.name} {size} {number}").choices(whole, k=size)
            yield gate(population, records, loss, Path(folder))


def value(population: Population, whole: list[Record], model: int, loss: float) -> float:
    """The gated figure of the whole population."""
    tree = population.measure(whole, model, loss, bootstrap=0).tree
    found = figures(tree, replicates=False)
    return float(found[full_name(population.gated, found, tree)].value or 0)


def stated(population: Population, whole: list[Record], size: int) -> tuple[float, float, float]:
    """A loss, its true drop, and the drop that gates state of such pairs: about the same, by the secant rule."""
    base = value(population, whole, 0, 0.0)
    loss = 0.1
    for _ in range(STEPS):
        drop = base - value(population, whole, 1, loss)
        rows = gates(population, whole, size, loss, range(-PILOTS, 0))
        detectable = fmean(row["detectable_drop"] or 0.0 for row in rows)
        if abs(detectable / drop - 1) < 0.04:
            break
        loss = min(loss * detectable / drop, 0.9)
    return loss, drop, detectable


def share(rows: Rows, pairs: int) -> tuple[float, float]:
    """Of the pairs that fail, and its standard error."""
    failed = sum(row["state"] == "fail" for row in rows) / pairs
    return failed, sqrt(failed * (1 - failed) / pairs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--population", type=int, default=5000)
    parser.add_argument("--suite", choices=sorted({each.suite for each in POPULATIONS}))
    parser.add_argument("--quick", action="store_true", help="little data, to see that everything works")
    given = parser.parse_args()
    pairs, count = (2, 200) if given.quick else (given.pairs, given.population)
    print(
        f"{'figure':34} {'size':>6} {'equal fail':>14} {'drop':>8} {'stated':>8} {'drop found':>14}   ({pairs} pairs)"
    )
    for population in POPULATIONS:
        if given.suite not in (None, population.suite):
            continue
        whole = balanced(population.records(count))
        for size in population.sizes[-1 - SIZES : -1]:
            alarms, error = share(gates(population, whole, size, 0.0, range(pairs)), pairs)
            loss, drop, detectable = stated(population, whole, size)
            power, spread = share(gates(population, whole, size, loss, range(pairs)), pairs)
            cells = f"{alarms:7.1%} ±{error:.1%} {drop:8.3f} {detectable:8.3f} {power:7.1%} ±{spread:.1%}"
            print(f"{f'{population.gated} ({population.name})':34} {size:6} {cells}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
