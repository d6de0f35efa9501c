"""What is claimed about growth: a million records, two processes, clusters of two workers.

    python benchmarks/scale.py [--records 1000000] [--quick] [--data FOLDER] [--only NAME,…]

The dump has about 5.8 KB a record (5.8 GB for a million) and is kept in `.benchmarks`. Everything is compared within
the run: a million records with 50,000, two processes with one, clusters of Dask and of Ray with two processes (by the
CPU time of all their processes, their start included). Exit status 1 when a claim does not hold; `--quick` runs small
dumps and judges nothing.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from dense import DATA, dump
from measure import HERE, Claim, all_cpu_sec, calipers_command, command_sec, in_turn, peak_memory, report

MEMORY_MB = 150
SMALL, FEW = 50_000, 10
TIMES = 3  # that clusters measure the dump
CLUSTERS = {name: ("--engine", name, "--jobs", "2") for name in ("dask", "ray")}
SITE = re.compile(rb'"image_path":"inspection/')


def many(folder: Path, records: int) -> Path:
    """A dump of many records: the small one over and over, each time of other sites."""
    path = folder / f"dense-{records}.jsonl"
    if path.exists() or records <= SMALL:
        return dump(folder, records)
    print(f"making {path}", file=sys.stderr)
    lines = dump(folder, SMALL).read_bytes().splitlines(keepends=True)
    part = path.with_suffix(".part")
    with open(part, "wb") as file:
        for start in range(0, records, SMALL):
            site = b'"image_path":"inspection %d/' % (start // SMALL)
            file.writelines(SITE.sub(site, line, count=1) for line in lines[: records - start])
    part.rename(path)
    return path


def dense(path: Path, *more: str) -> list[str]:
    return calipers_command("dense", path, "--json", *more)


def rate(path: Path, records: int, *more: str) -> float:
    """Records a second, from start to exit."""
    return records / command_sec(dense(path, *more))


def growth(folder: Path, records: int) -> list[Claim]:
    """The same rate, whatever the size."""
    sizes = [size for size in (1_000, 10_000, SMALL, 200_000, records) if size <= records]
    rates = in_turn({str(size): lambda size=size: -rate(many(folder, size), size, "--jobs", "2") for size in sizes}, 2)
    claims = [Claim(f"{int(size):,} records, --jobs 2", -found, "rec/s") for size, found in rates.items()]
    ratio = rates[str(sizes[-1])] / rates[str(SMALL)]
    return [*claims, Claim(f"  … {records:,} against {SMALL:,}", ratio, "x", at_least=0.9)]


def processes(folder: Path, records: int) -> list[Claim]:
    """Two processes against one."""
    path = many(folder, records)
    best = in_turn({jobs: partial(lambda jobs: -rate(path, records, "--jobs", jobs), jobs) for jobs in ("2", "1")}, 2)
    claims = [Claim(f"{records:,} records, --jobs {jobs}", -best[jobs], "rec/s") for jobs in ("1", "2")]
    return [*claims, Claim("  … two processes against one", best["2"] / best["1"], "x", at_least=1.8)]


def memory(folder: Path, records: int) -> list[Claim]:
    """All processes together, at most."""
    peak = peak_memory(dense(many(folder, records), "--jobs", "2"))
    text = f"peak memory (PSS), {records:,} records, --jobs 2, {peak.processes} processes"
    return [Claim(text, peak.pss_mb, "MB", at_most=MEMORY_MB)]


def first_progress(folder: Path, records: int) -> list[Claim]:
    """From the start of the command to the first sign of progress on a terminal."""
    claims = []
    for jobs in ("1", "2"):
        taken = min(_until_it_shows(dense(many(folder, records), "--jobs", jobs)) for _ in range(3))
        claims.append(Claim(f"first progress, {records:,} records, --jobs {jobs}", taken, "s", at_most=1.0))
    return claims


def _until_it_shows(command: list[str]) -> float:
    screen, terminal = pty.openpty()
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal, cwd=HERE) as process:
        os.close(terminal)
        with suppress(OSError):  # it ended before it had to show any
            os.read(screen, 1)
        taken = time.perf_counter() - start
        process.kill()
    os.close(screen)
    return taken


def cluster(folder: Path, records: int) -> list[Claim]:
    """Clusters of two workers, as engines start them by default, against two processes; by the CPU time of all.

    The dump is given several times, so that what it takes to start a cluster, a line of its own, is a small part.
    """
    path, few, ways = many(folder, records), many(folder, FEW), {"two processes": ("--jobs", "2")} | CLUSTERS
    used = in_turn(
        {name: partial(all_cpu_sec, dense(path, *[path] * (TIMES - 1), *options)) for name, options in ways.items()}, 2
    )
    start = in_turn({name: partial(all_cpu_sec, dense(few, *options)) for name, options in ways.items()}, 2)
    claims = []
    for name, sec in used.items():
        text = f"{TIMES * records:,} records, {name}"
        claims += [Claim(f"{text}: CPU time", sec, "s"), Claim("  … of it to start and end", start[name], "s")]
    shares = {name: used["two processes"] / used[name] for name in CLUSTERS}
    return claims + [
        Claim(f"  … {name}, work a core does against two processes", share, "x", at_least=0.9)
        for name, share in shares.items()
    ]


SECTIONS: dict[str, Callable[[Path, int], list[Claim]]] = {
    "first": first_progress,
    "memory": memory,
    "growth": growth,
    "processes": processes,
    "cluster": cluster,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure what is claimed about growth.")
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--quick", action="store_true", help="60,000 records, nothing judged")
    parser.add_argument("--only", default=",".join(SECTIONS), help=f"some of {','.join(SECTIONS)}")
    parser.add_argument("--data", type=Path, default=DATA, help="where dumps are kept")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    given.data.mkdir(parents=True, exist_ok=True)
    records = 60_000 if given.quick else given.records
    chosen = [partial(SECTIONS[name], given.data, records) for name in given.only.split(",")]
    return report(chosen, judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
