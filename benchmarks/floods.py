"""Inputs below 5 MB that are made to take long, with the seconds and the memory each takes.

    python benchmarks/floods.py [--cap SECONDS] [WORD …]

Each runs in a process of its own, with `--cap` CPU seconds at most; words choose floods by their names. None may take
more than 10 s of one core or 1 GB: it is measured (exit 0) or refused (exit 3). Exit status 1 when one does not hold.
Floods of a suite are in `floods_SUITE.py`, as a tuple `FLOODS`.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

from flood import Flood, measure


def all_floods() -> list[Flood]:
    modules = sorted(path.stem for path in Path(__file__).parent.glob("floods_*.py"))
    return [flood for name in modules for flood in import_module(name).FLOODS]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*")
    parser.add_argument("--cap", type=int, default=60)
    given = parser.parse_args()
    missed = 0
    for flood in all_floods():
        if not given.words or any(word in flood.name for word in given.words):
            measured = measure(flood, given.cap)
            missed += not measured.holds
            print(measured, flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
