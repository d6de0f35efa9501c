"""What is claimed about growth: a million records, two processes, a cluster of two workers.

    python benchmarks/scale.py [--records 1000000] [--quick] [--data FOLDER] [--only NAME,…]

The dump has about 5.8 KB a record (5.8 GB for a million) and is kept in `.benchmarks`. Everything is compared within
the run: a million records with 50,000, two processes with one, the cluster with two processes. Exit status 1 when a
claim does not hold; `--quick` runs small dumps and judges nothing.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from dense import DATA, dump
from measure import HERE, Claim, calipers_command, command_sec, in_turn, peak_memory, report

MEMORY_MB = 800
SMALL = 50_000
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
        os.read(screen, 1)
        taken = time.perf_counter() - start
        process.kill()
    os.close(screen)
    return taken


@contextmanager
def dask_cluster(workers: int) -> Iterator[str]:
    """A scheduler and some workers, each a process with one thread."""
    address = "tcp://127.0.0.1:8799"
    python, quiet = [sys.executable, "-m"], {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = [*python, "distributed.cli.dask_scheduler", "--port", "8799", "--no-dashboard"]
    worker = [*python, "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    started = [subprocess.Popen(command, **quiet) for command in (scheduler, *[worker] * workers)]  # type: ignore[call-overload]
    try:
        time.sleep(8)
        yield address
    finally:
        for process in started:
            process.kill()
            process.wait()


def cluster(folder: Path, records: int) -> list[Claim]:
    """A cluster of two workers against two processes."""
    path = many(folder, records)
    with dask_cluster(2) as address:
        best = in_turn(
            {
                "local": lambda: -rate(path, records, "--jobs", "2"),
                "dask": lambda: -rate(path, records, "--engine", "dask", "--address", address),
            },
            2,
        )
    return [
        Claim(f"{records:,} records, --jobs 2", -best["local"], "rec/s"),
        Claim(f"{records:,} records, --engine dask, two workers", -best["dask"], "rec/s"),
        Claim("  … the cluster against two processes", best["dask"] / best["local"], "x", at_least=0.8),
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
