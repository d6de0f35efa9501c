"""Run the fuzzer for a while: `python -m fuzz --seconds 60`.

Grammars take turns. Whatever breaks a promise is shrunk and written to `fuzz/found/`, a JSON file each, which
`python -m fuzz --replay FILE` runs again. Exit status 1 when something was found.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from itertools import count
from pathlib import Path

from fuzz.build import build
from fuzz.case import Case
from fuzz.grammars import GRAMMARS
from fuzz.process import Answer, Worker
from fuzz.shrink import shrink

FOUND = Path(__file__).parent / "found"


class Tally:
    """What came of all cases so far."""

    def __init__(self) -> None:
        self.kinds: dict[str, Counter[str]] = {name: Counter() for name in GRAMMARS}
        self.said: dict[str, set[str]] = {name: set() for name in GRAMMARS}
        self.slowest = 0.0
        self.broken: Counter[str] = Counter()

    def add(self, grammar: str, answer: Answer) -> bool:
        """Count an answer; whether it breaks a promise that none did before."""
        outcome = answer.outcome
        self.kinds[grammar][outcome.kind] += 1
        self.said[grammar].add(f"{outcome.kind} {outcome.said}")
        self.slowest = max(self.slowest, answer.seconds)
        if outcome.kind != "broken":
            return False
        self.broken[outcome.said] += 1
        return self.broken[outcome.said] == 1

    def summary(self) -> str:
        """A line a grammar, and all of it."""
        lines = [f"{'':14}{'cases':>8}{'ok':>8}{'error':>8}{'broken':>8}{'outcomes':>10}"]
        for name, kinds in self.kinds.items():
            numbers = [kinds.total(), kinds["ok"], kinds["error"], kinds["broken"]]
            lines.append(f"{name:14}" + "".join(f"{n:8}" for n in numbers) + f"{len(self.said[name]):10}")
        total, outcomes = sum(k.total() for k in self.kinds.values()), sum(map(len, self.said.values()))
        lines.append(f"{total:,} cases, {outcomes:,} distinct outcomes, slowest {self.slowest:.2f} s of CPU time")
        lines += [f"broken ({number}): {said}" for said, number in self.broken.most_common()]
        return "\n".join(lines)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to run")
    parser.add_argument("--seed", type=int, default=0, help="the first integer that cases are made from")
    parser.add_argument("--grammars", default=",".join(GRAMMARS), help="which formats, with commas between them")
    parser.add_argument("--replay", type=Path, help="run one case that was found before")
    given = parser.parse_args()
    worker = Worker()
    try:
        if given.replay:
            return _replay(worker, given.replay)
        return _run(worker, given.grammars.split(","), given.seed, given.seconds)
    finally:
        worker.close()


def _run(worker: Worker, grammars: list[str], first: int, seconds: float) -> int:
    tally, end = Tally(), time.monotonic() + seconds
    for seed in count(first):
        for grammar in grammars:
            if time.monotonic() > end:
                _say(f"{tally.summary()}\nthe next seed is {seed}")
                return 1 if tally.broken else 0
            answer = worker.run([grammar, seed])
            if tally.add(grammar, answer):
                _keep(worker, build(grammar, seed), answer, seed)
    return 0


def _keep(worker: Worker, case: Case, answer: Answer, seed: int) -> None:
    """Shrink what was found, and write it down."""
    said = answer.outcome.said
    small = shrink(case, lambda each: worker.run(each.entry()).outcome.said == said)
    FOUND.mkdir(exist_ok=True)
    (FOUND / ".gitignore").write_text("*\n")
    path = FOUND / f"{case.grammar}-{seed}.json"
    outcome = answer.outcome._asdict()
    path.write_text(json.dumps(small.entry() | {"seed": seed, "outcome": outcome}, indent=2), encoding="utf-8")
    _say(f"{case.grammar} {seed}: {said}\n  {path} ({case.size()} bytes, shrunk to {small.size()})")


def _replay(worker: Worker, path: Path) -> int:
    answer = worker.run(json.loads(path.read_text(encoding="utf-8")))
    _say(f"{answer.outcome.kind} {answer.outcome.code}: {answer.outcome.said}\n{answer.outcome.detail}")
    return 1 if answer.outcome.kind == "broken" else 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
