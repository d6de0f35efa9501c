"""What insight costs a run of the dense suite, in CPU seconds of one process.

    python benchmarks/insight.py [--records 20000] [--rounds 6] [--processes 6] [--quick] [--data FOLDER]

Two limits, both of a run with one job over a dump in memory's cache, its artifact included:

    everything      causes, what each is worth with its interval, errors by label and confusion of labels, and the pairs
                    of objects that overlap too little to match, which only causes need: at most 25 % more than a run in
                    which all of that is replaced by nothing
    a slice field   at most 5 % more than the run without slices

Cases run in turn, back and forth, in one process after the other. A run differs from the next by some percent, as much
as is to be measured, so the two of a round are compared with each other. So do processes, by where their memory came to
lie: one said 1.6 % for a field and the next one 4.8 %. The median over all rounds of all of them counts. Exit status 1
when a claim does not hold.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import numpy as np

import calipers
from calipers.core import confusion, matched_objects
from calipers.core.causes import CAUSES, OUTCOMES
from calipers.core.matching import round_overlap
from calipers.suites.dense import measure, summarize
from measure import ENVIRONMENT, Claim, in_rounds, report
from slices import DATA, FIELDS, sliced_dump

EVERYTHING, EACH_FIELD = 25.0, 5.0  # percent
SLICED = (("weather",), ("speed",), ("objects",), ("size",), FIELDS)


def cpu_sec(dump: Path, fields: tuple[str, ...] = ()) -> float:
    """CPU seconds from the dump to the bytes of its artifact."""
    start = time.process_time()
    calipers.dense(dump, jobs=1, slice=list(fields)).to_json()
    return time.process_time() - start


def plain_sec(dump: Path) -> float:
    """The same without insight."""
    with without_insight():
        return cpu_sec(dump)


@contextmanager
def without_insight() -> Iterator[None]:
    """Counts no causes, draws no replicates of them and compares only objects that may match."""
    nothing = dict.fromkeys(("worth_tree", "confusion_tree"), lambda tally: {})
    with (
        patch.multiple(measure, Causes=_NoCauses, cause_rows=_no_rows, faint_overlap=round_overlap),
        patch.multiple(matched_objects, count_causes=_count_none, count_worth=lambda *of: None),
        patch.object(confusion, "count_confusion", lambda *of: None),
        patch.multiple(summarize, **nothing, label_errors_tree=lambda *of: []),
    ):
        yield


class _NoCauses:
    """What is asked of causes while records are counted, without looking for any."""

    def __init__(self, *of: Any) -> None:
        pass

    def outcomes_by_label(self, *of: Any) -> None:
        """None are known."""


def _count_none(outcomes: None, names: Any, tally: Any) -> None:
    tally.count("errors", np.zeros(len(OUTCOMES), np.int64))
    tally.count("errors.unlabelled", np.zeros(len(CAUSES), np.int64))


def _no_rows(offsets: Any, *of: Any) -> Any:
    return np.zeros((0, len(offsets[0]) - 1), np.int64)


def claims(folder: Path, records: int, rounds: int, processes: int) -> list[Claim]:
    """What everything adds, and each slice field."""
    dump = sliced_dump(folder, records)
    taken = [one for _ in range(processes) for one in elsewhere(dump, rounds)]
    lines = [
        Claim(f"{records:,} records without insight", median(seconds["plain"] for seconds in taken), "s CPU"),
        Claim("causes, worth and confusion: added", added_percent(taken, "", "plain"), "%", at_most=EVERYTHING),
    ]
    for fields in SLICED:
        added = added_percent(taken, ", ".join(fields), "") / len(fields)
        lines.append(Claim(f"sliced by {', '.join(fields)}: added for each field", added, "%", at_most=EACH_FIELD))
    return lines


def elsewhere(dump: Path, rounds: int) -> list[dict[str, float]]:
    """CPU seconds of all cases in some rounds of a fresh process."""
    command = [sys.executable, __file__, "--child", str(dump), "--rounds", str(rounds)]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=ENVIRONMENT)
    taken: list[dict[str, float]] = json.loads(run.stdout)
    return taken


def here(dump: Path, rounds: int) -> list[dict[str, float]]:
    """CPU seconds of all cases in some rounds of this process."""
    cases = {"plain": partial(plain_sec, dump), "": partial(cpu_sec, dump)}
    cases |= {", ".join(fields): partial(cpu_sec, dump, fields) for fields in SLICED}
    cpu_sec(dump, FIELDS)  # imports, and the pages of the file
    return in_rounds(cases, rounds)


def added_percent(taken: list[dict[str, float]], case: str, base: str) -> float:
    """How much longer a case takes than another one of the same round, in the middle of all rounds."""
    return 100 * (median(seconds[case] / seconds[base] for seconds in taken) - 1)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what insight costs a run of the dense suite.")
    parser.add_argument("--records", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--processes", type=int, default=6)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(here(given.child, given.rounds)))
        return 0
    size = (400, 1, 1) if given.quick else (given.records, given.rounds, given.processes)
    return report([partial(claims, given.data, *size)], judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
