"""What slices cost a run of the dense suite, and how often slices of equal records are found different.

    python benchmarks/slices.py [--records 20000] [--runs 400] [--quick] [--data FOLDER]

Costs are CPU seconds of whole commands with one process, in turns: without slices, with one field of texts, one of
numbers, one of sizes, and with three. Memory is that of the run with three fields; what a record adds to it is told
from two sets, the second a quarter as large, so that it can be had for a million.

For false discoveries, sets are made in which all groups are equally good: 6 sites, 4 quartiles and 3 lights, 13 slices
of each run. A run in which any slice is sure is a false discovery; since nothing is to be found, their share is the
false-discovery rate, which is promised to be 5 % at most. Exit status 1 when a claim does not hold.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import numpy as np

from calipers.core.slice_draws import Resampling
from calipers.core.slice_fields import parse_slice
from calipers.core.slice_figures import RatioFigure, SliceFigures
from calipers.core.slice_table import SliceTable
from calipers.core.slices import find_slices, slice_rows
from make_dump import make_dump
from measure import Claim, calipers_command, in_turn, peak_memory, report

DATA = Path(__file__).parent.parent / ".benchmarks"
FIELDS = ("weather", "speed", "site")
MEMORY_MB = 800
MILLION = 1_000_000
F1 = RatioFigure("f1", {"matched": 2}, {"gt": 1, "pred": 1})
FIGURES = SliceFigures((F1,), "f1", {"gt": 1, "pred": 1}, {"gt": 1})


def sliced_dump(folder: Path, records: int) -> Path:
    """A made-up dump whose records have fields to slice by."""
    path = folder / f"slices_{records}.jsonl"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    plain, rng = folder / f"slices_{records}.part", Random(1)
    make_dump(plain, records)
    with open(plain, "rb") as lines, open(path, "wb") as out:
        for line in lines:
            weather, speed, site = rng.choice(("sun", "rain", "night")), rng.random() * 60, rng.randrange(12)
            fields = f',"weather":"{weather}","speed":{speed:.2f},"site":"s{site}"}}\n'
            out.write(line.rstrip()[:-1] + fields.encode())
    plain.unlink()
    return path


def command(dump: Path, fields: tuple[str, ...]) -> list[str]:
    """A run with one process."""
    flags = [flag for field in fields for flag in ("--slice", field)]
    return calipers_command("dense", dump, "--jobs", "1", "--json", *flags)


def cpu_sec(dump: Path, fields: tuple[str, ...]) -> float:
    """CPU seconds of a run, which other work on the machine disturbs less than the clock."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command(dump, fields), stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cost_claims(folder: Path, records: int) -> list[Claim]:
    """What each field adds to a run."""
    dump = sliced_dump(folder, records)
    cases: dict[tuple[str, ...], Callable[[], float]] = {
        fields: partial(cpu_sec, dump, fields) for fields in ((), ("weather",), ("speed",), ("size",), FIELDS)
    }
    seconds = in_turn({", ".join(fields): run for fields, run in cases.items()})
    base = seconds[""]
    claims = [Claim(f"{records:,} records without slices", base, "s CPU")]
    for name, taken in seconds.items():
        count = name.count(",") + 1
        if name:
            added = 100 * (taken / base - 1) / count
            claims.append(Claim(f"{name}: added for each field", added, "%", at_most=5.0))
    return claims


def memory_claims(folder: Path, records: int) -> list[Claim]:
    """What a run with three fields holds, and what it would hold for a million records."""
    few, many = (peak_memory(command(sliced_dump(folder, n), FIELDS)).pss_mb for n in (records // 4, records))
    each = (many - few) / (records - records // 4)
    return [
        Claim(f"three fields, {records:,} records: memory", many, "MB", at_most=MEMORY_MB),
        Claim(
            "three fields, a million records, told from two sizes", many + each * (MILLION - records), "MB", MEMORY_MB
        ),
    ]


def discovery_claims(runs: int) -> list[Claim]:
    """How often a run over equal groups has a slice that is sure, for few records and for many."""
    return [
        Claim(
            f"equal groups, {size} records: runs with a slice that is sure",
            100 * share(runs, size),
            "%",
            at_most=limit(runs),
        )
        for size in (60, 200, 1000)
    ]


def limit(runs: int) -> float:
    """5 %, and two standard errors of a share of so many runs."""
    return 5.0 + 200 * (0.05 * 0.95 / runs) ** 0.5


def share(runs: int, records: int) -> float:
    """The share of runs with a false discovery."""
    return sum(has_discovery(np.random.default_rng([records, run]), records) for run in range(runs)) / runs


def has_discovery(rng: np.random.Generator, records: int) -> bool:
    """Whether any slice of a set is sure, in which all records are equally good."""
    gt = rng.integers(1, 9, records)
    matched = rng.binomial(gt, rng.beta(6, 3, records))  # some records are harder than others, in all groups alike
    table = SliceTable(["gt", "pred", "matched"], ["site", "speed", "light"])
    fields = {
        "site": rng.choice(list("abcdef"), records).tolist(),
        "speed": rng.random(records).tolist(),
        "light": rng.choice(["day", "dusk", "night"], records).tolist(),
    }
    keys = [str(key) for key in rng.integers(1 << 62, size=records)]
    table.extend(keys, np.stack([gt, matched + rng.binomial(2, 0.3, records), matched]), fields)
    specs = [parse_slice(name) for name in fields]
    return any(row["sure"] for row in slice_rows(find_slices(table, specs, FIGURES, Resampling(0, 400))))


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what slices cost, and their false discoveries.")
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    given = parser.parse_args()
    records, runs = (800, 20) if given.quick else (given.records, given.runs)
    sections = [
        partial(discovery_claims, runs),
        partial(cost_claims, given.data, records),
        partial(memory_claims, given.data, records),
    ]
    return report(sections, judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
