"""Runs cases, one a line on standard input, in a process with limits; one outcome a line on standard output.

A case is `[grammar, seed]` or the case itself. Whoever reads knows which case was under way when this process ends.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import sys
import time
from typing import Any

from fuzz.build import build
from fuzz.case import Case, read_case
from fuzz.oracle import Outcome, outcome_of

CPU_SECONDS = 5.0  # of one case; most take a few milliseconds
MEGABYTES = 256  # by which a case may raise the most memory that was ever in use
ADDRESS_SPACE = 3 << 30  # bytes; what would need more fails
SANITIZED = "ASAN_OPTIONS" in os.environ  # sanitizers map terabytes, of which they use little, and take their time
if SANITIZED:
    CPU_SECONDS, MEGABYTES = 30.0, 2048


def limited_outcome(case: Case) -> tuple[Outcome, float]:
    """The outcome of a case, which is broken if it took too long or too much; and how long it took."""
    before, start = _most_megabytes(), _cpu()
    outcome = outcome_of(case)
    took, grew = _cpu() - start, _most_megabytes() - before
    if outcome.kind != "broken" and took > CPU_SECONDS:
        outcome = Outcome("broken", -1, f"no more than {CPU_SECONDS:g} s", f"{took:.1f} s: {outcome.said}")
    if outcome.kind != "broken" and grew > MEGABYTES:
        outcome = Outcome("broken", -1, f"no more than {MEGABYTES} MB", f"{grew:.0f} MB: {outcome.said}")
    return outcome, took


def _cpu() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _most_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _case(given: Any) -> Case:
    return build(*given) if isinstance(given, list) else read_case(given)


def main() -> None:
    """Until standard input ends."""
    faulthandler.enable()
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what anything prints is no answer
    for line in sys.stdin:
        case = _case(json.loads(line))
        outcome, took = limited_outcome(case)
        answers.write(json.dumps([*outcome, took, case.size()]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
