"""Cases that are kept, one JSON file of lines a grammar, each with what came of it; the tests run all of them again.

python -m fuzz.corpus --seeds 400      choose anew: every distinct outcome, then every line of Calipers, once
python -m fuzz.corpus --refresh        keep the cases, and write down what comes of them now
python -m fuzz.corpus --add FILE ...   keep cases that the fuzzer found, once they are mended
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import FrameType
from typing import Any

import calipers
from fuzz.build import build
from fuzz.case import Case, read_case
from fuzz.grammars import GRAMMARS
from fuzz.oracle import Outcome, outcome_of
from fuzz.shrink import shrink

HOME = Path(__file__).parents[1] / "tests" / "fuzz" / "cases"
MOST = 34  # cases of a grammar
LARGE = 2500  # bytes, from which a case is worth shrinking
LARGEST = 9000
COMPARED = 60  # characters of what was said
SOURCES = str(Path(calipers.__file__).parent)
Kept = tuple[Case, Outcome]


def read_corpus(grammar: str, home: Path = HOME) -> list[tuple[Case, dict[str, Any]]]:
    """The cases of a grammar, each with the outcome it has to have."""
    path = home / f"{grammar}.jsonl"
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    return [(read_case(entry), entry["outcome"]) for entry in entries]


def replayed(case: Case) -> Outcome:
    """The outcome in a thread of its own, where no caller takes of the depth that recursion may have."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(outcome_of, case, alone=True).result()


def expected(outcome: Outcome) -> dict[str, Any]:
    """As much of an outcome as has to stay."""
    return {"kind": outcome.kind, "code": outcome.code, "said": outcome.said[:COMPARED]}


def write_corpus(grammar: str, kept: Iterable[Kept]) -> None:
    """Write the cases of a grammar."""
    lines = [json.dumps(case.entry() | {"outcome": expected(outcome)}) for case, outcome in kept]
    HOME.mkdir(parents=True, exist_ok=True)
    (HOME / f"{grammar}.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def choose(grammar: str, seeds: int) -> list[Kept]:
    """Of many cases those that differ: the smallest of each outcome, those first that reach lines no other does."""
    smallest: dict[tuple[str, int, str], tuple[Case, Outcome, frozenset[str]]] = {}
    for seed in range(seeds):
        case = build(grammar, seed)
        outcome, lines = _traced(case)
        before = smallest.get(outcome[:3])
        if outcome.kind != "broken" and (before is None or case.size() < before[0].size()):
            smallest[outcome[:3]] = case, outcome, lines
    ordered = _by_news(sorted(smallest.values(), key=lambda each: each[0].size()))
    kept = [(_small(case, outcome), outcome) for case, outcome in ordered]
    return [each for each in kept if each[0].size() <= LARGEST][:MOST]


def _by_news(found: list[tuple[Case, Outcome, frozenset[str]]]) -> Iterator[Kept]:
    """In the order of how many lines each adds."""
    seen: set[str] = set()
    while found:
        best = max(found, key=lambda each: len(each[2] - seen))
        found.remove(best)
        seen |= best[2]
        yield best[:2]


def _small(case: Case, outcome: Outcome) -> Case:
    if case.size() < LARGE:
        return case
    return shrink(case, lambda each: outcome_of(each, alone=True) == outcome, 2.0)


def _traced(case: Case) -> tuple[Outcome, frozenset[str]]:
    """The outcome, and the lines of Calipers that were run."""
    lines: set[str] = set()

    def on_line(frame: FrameType, event: str, _: Any) -> Any:
        lines.add(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        return on_line

    def on_call(frame: FrameType, event: str, _: Any) -> Any:
        return on_line if frame.f_code.co_filename.startswith(SOURCES) else None

    sys.settrace(on_call)
    try:
        outcome = outcome_of(case, alone=True)
    finally:
        sys.settrace(None)
    return outcome, frozenset(lines)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m fuzz.corpus", description=__doc__)
    parser.add_argument("--seeds", type=int, help="choose anew from so many cases of each grammar")
    parser.add_argument("--grammars", default=",".join(GRAMMARS), help="which formats, with commas between them")
    parser.add_argument("--refresh", action="store_true", help="write down what comes of the cases now")
    parser.add_argument("--add", type=Path, nargs="*", default=[], help="cases that the fuzzer found")
    given = parser.parse_args()
    for grammar in given.grammars.split(","):
        added = [read_case(json.loads(path.read_text(encoding="utf-8"))) for path in given.add]
        cases = [case for case, _ in read_corpus(grammar)] + [case for case in added if case.grammar == grammar]
        if given.seeds:
            write_corpus(grammar, choose(grammar, given.seeds))
        elif given.refresh or given.add:
            write_corpus(grammar, [(case, replayed(case)) for case in cases])
        sys.stdout.write(f"{grammar}: {len(read_corpus(grammar))} cases\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
