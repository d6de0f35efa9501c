"""Tests on a busy machine, again and again: none may depend on being fast enough.

    python benchmarks/under_load.py [--load 10] [--times 10] TEST …

Starts as many processes that do nothing but count, and runs the tests (files, folders or names, as pytest takes them)
so many times beside them. Prints one line per run, and at the end what failed how often. Exit status 1 when something
did.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOME = Path(__file__).parents[1]
BUSY = "import os, sys\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(1_000_000))"
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@contextmanager
def load(count: int) -> Iterator[None]:
    """Keep processors busy; whatever becomes of this process, the busy ones end with it."""
    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def run_tests(tests: list[str]) -> tuple[list[str], str]:
    """Run tests once. Returns the names of those that failed, and the last line of pytest."""
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", "-rfE", "--tb=short", *tests]
    ended = subprocess.run(command, cwd=HOME, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    failed = FAILED.findall(ended.stdout)
    if ended.returncode:
        print(ended.stdout, flush=True)
    lines = ended.stdout.strip().splitlines() or ["(pytest wrote nothing)"]
    return failed or ["(pytest itself)"] * bool(ended.returncode), lines[-1]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="+")
    parser.add_argument("--load", type=int, default=10, help="busy processes")
    parser.add_argument("--times", type=int, default=10, help="how often all tests are run")
    given = parser.parse_args()
    failures: Counter[str] = Counter()
    with load(given.load):
        for number in range(1, given.times + 1):
            begun = time.monotonic()
            failed, line = run_tests(given.tests)
            failures.update(failed)
            took, (average, *_) = time.monotonic() - begun, os.getloadavg()
            print(f"{number} of {given.times}: {line} · {took:.0f} s at a load of {average:.0f}", flush=True)
    for name, times in failures.most_common():
        print(f"failed {times} of {given.times} times: {name}")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
