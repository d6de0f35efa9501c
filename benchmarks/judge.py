"""What is claimed about the speed of the judge, measured.

    python benchmarks/judge.py [--rounds 60] [--quick] [--data FOLDER]

A host starts one process a case, so the unit is the wall time of a plain script that does the same on the same payload:
`plain_iou.py` for one box, `plain_boxes.py` for 20 x 20 boxes. Program and script run in turn, and medians count. A
first run that does not count leaves modules compiled, as an installation does. With `--serve` one process takes many
payloads, one a line, and its start is part of the time. Only ratios carry over to other machines. Exit status 1 when a
claim does not hold. `--quick` runs little, to see that everything works, and judges nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median

from measure import ENVIRONMENT, HERE, Claim, calipers_command, in_turn, made, report

DATA = Path(__file__).parent.parent / ".benchmarks"
BOXES = 20
SCRIPTS = {"iou": "plain_iou.py", "boxes": "plain_boxes.py"}
KEYS = {"iou": "bbox", "boxes": "boxes"}
WHAT = {"iou": "one box", "boxes": f"{BOXES} x {BOXES} boxes"}


# Payloads


def make_payloads(folder: Path, counts: dict[str, int]) -> None:
    """For each ruler a file with one payload, and one with many."""
    rng = random.Random(0)
    for ruler, count in counts.items():
        lines = [json.dumps(payload(ruler, rng)) + "\n" for _ in range(count)]
        (folder / f"{ruler}.json").write_text(lines[0])
        (folder / f"{ruler}.jsonl").write_text("".join(lines))


def payload(ruler: str, rng: random.Random) -> dict[str, object]:
    """Boxes, and the same a little off, in another order."""
    truths = [box(rng) for _ in range(1 if ruler == "iou" else BOXES)]
    preds = [[place + rng.randint(-4, 4) for place in truth] for truth in truths]
    rng.shuffle(preds)
    sides = (preds, truths) if ruler == "boxes" else (preds[0], truths[0])
    return {
        name: {KEYS[ruler]: side} for name, side in zip(("candidate_answer", "reference_answer"), sides, strict=True)
    }


def box(rng: random.Random) -> list[int]:
    x, y = rng.randint(10, 900), rng.randint(10, 900)
    return [x, y, x + rng.randint(20, 90), y + rng.randint(20, 90)]


# Measuring


def fed_sec(command: list[str], given: Path) -> float:
    """Wall time from start to exit, with a file on standard input."""
    with given.open("rb") as file:
        start = time.perf_counter()
        subprocess.run(command, check=True, stdin=file, stdout=subprocess.DEVNULL, cwd=HERE, env=ENVIRONMENT)
        return time.perf_counter() - start


def medians(commands: dict[str, list[str]], given: Path, rounds: int) -> dict[str, float]:
    """The median of each command; every round runs every command once, after one that does not count."""
    taken = [{name: fed_sec(command, given) for name, command in commands.items()} for _ in range(rounds + 1)]
    return {name: median(each[name] for each in taken[1:]) for name in commands}


def single(folder: Path, ruler: str, rounds: int) -> list[Claim]:
    """One process a case."""
    commands = {"ours": calipers_command("judge", ruler), "plain": [sys.executable, str(HERE / SCRIPTS[ruler])]}
    taken = medians(commands, folder / f"{ruler}.json", rounds)
    return [
        Claim(f"{SCRIPTS[ruler]}, {WHAT[ruler]} = 1 unit", taken["plain"] * 1e3, "ms"),
        Claim(f"calipers judge {ruler}, {WHAT[ruler]}", taken["ours"] / taken["plain"], "x", at_most=1.05),
    ]


def served(folder: Path, counts: dict[str, int]) -> list[Claim]:
    """One process for many cases."""
    commands = {ruler: calipers_command("judge", ruler, "--serve") for ruler in counts}
    best = in_turn({ruler: partial(fed_sec, commands[ruler], folder / f"{ruler}.jsonl") for ruler in counts})
    rates = {ruler: count / best[ruler] for ruler, count in counts.items()}
    return [
        Claim("calipers judge iou --serve, verdicts a second", rates["iou"], "", at_least=20_000),
        Claim(f"calipers judge boxes --serve, {BOXES} x {BOXES}, verdicts a second", rates["boxes"]),
    ]


def sections(data: Path, counts: dict[str, int], rounds: int) -> Iterator[Callable[[], list[Claim]]]:
    folder = made(data / f"judge-{counts['iou']}", lambda part: make_payloads(part, counts))
    for ruler in counts:
        yield partial(single, folder, ruler, rounds)
    yield partial(served, folder, counts)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what is claimed about the judge.")
    parser.add_argument("--rounds", type=int, default=60, help="runs of each program")
    parser.add_argument("--quick", action="store_true", help="few runs and payloads, nothing judged")
    parser.add_argument("--data", type=Path, default=DATA, help="where inputs are kept")
    given = parser.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    counts, rounds = (
        ({"iou": 2_000, "boxes": 200}, 3) if given.quick else ({"iou": 100_000, "boxes": 10_000}, given.rounds)
    )
    return report(sections(given.data, counts, rounds), judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
