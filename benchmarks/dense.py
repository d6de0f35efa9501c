"""What is claimed about the speed and memory of the dense suite, measured.

    python benchmarks/dense.py [--records 50000] [--large 200000] [--quick] [--data FOLDER]

The unit is the time `orjson.loads` takes over the same lines in one process; only ratios carry over to other
machines. Exit status 1 when a claim does not hold. `--quick` runs small dumps, to see that everything works: its
ratios are those of start-up, and are not judged.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from kernels import region_claims, tube_claims
from make_dump import Descs, guess, invented, make_dump
from measure import Claim, calipers_command, command_sec, in_turn, peak_memory, report, reported

DATA = Path(__file__).parent.parent / ".benchmarks"
MEMORY_MB = 600
ROUNDS = 4  # of whole commands: two processes differ by a tenth from one run to the next
SIDE = 20  # objects on each side of a rewarded record

ORJSON = """
import sys, time, orjson
from itertools import islice
taken = 0.0
with open(sys.argv[1], "rb") as lines:
    while block := list(islice(lines, 1000)):
        start = time.perf_counter()
        for line in block:
            orjson.loads(line)
        taken += time.perf_counter() - start
print(taken)
"""

STRAIGHTFORWARD = """
import sys, time, straightforward
start = time.perf_counter()
straightforward.evaluate(sys.argv[1])
print(time.perf_counter() - start)
"""

IN_PROCESS = """
import sys, time, calipers
calipers.dense(sys.argv[2], jobs=1)  # imports are not what is measured
start = time.perf_counter()
calipers.dense(sys.argv[1], jobs=1)
print(time.perf_counter() - start)
"""

FIRST_REWARD = """
import json, sys, time
pairs = json.load(open(sys.argv[1], encoding="utf-8"))
import calipers
start = time.perf_counter()
calipers.reward(*pairs[0])
print(time.perf_counter() - start)
"""

MEDIAN_REWARD = """
import json, statistics, sys, time
pairs = json.load(open(sys.argv[1], encoding="utf-8"))
import calipers
calipers.reward(*pairs[0])
taken = []
for pred, truth in pairs:
    start = time.perf_counter()
    calipers.reward(pred, truth)
    taken.append(time.perf_counter() - start)
print(statistics.median(taken))
"""


def dense_command(path: Path, jobs: int) -> list[str]:
    return calipers_command("dense", path, "--jobs", str(jobs), "--json")


def whole_command(path: Path, records: int) -> list[Claim]:
    """The command from start to exit, all modes and intervals, in units of parsing the same lines."""
    best = in_turn(
        {
            "unit": partial(reported, ORJSON, path),
            "two": lambda: command_sec(dense_command(path, 2)),
            "one": lambda: command_sec(dense_command(path, 1)),
        },
        ROUNDS,
    )
    return [
        Claim(f"orjson.loads over {records:,} records = 1 unit", best["unit"], "s"),
        Claim("calipers dense --jobs 2, in units", best["two"] / best["unit"], "x", at_most=0.95),
        Claim("calipers dense --jobs 1, in units", best["one"] / best["unit"], "x", at_most=1.8),
    ]


def whole_folder(path: Path, records: int, jobs: int = 2) -> list[Claim]:
    """The command with all files of a folder, page, plots, rows and cases, against the command without.

    To replace files takes longer than to write new ones by what the file system takes to free the old ones.
    """
    with TemporaryDirectory(dir=path.parent) as place:
        kept, shards = Path(place, "out"), Path(place, "shards")

        def run(*options: object, is_new: bool = True) -> float:
            if is_new:
                shutil.rmtree(kept, ignore_errors=True)
                shards.unlink(missing_ok=True)
            return command_sec([*dense_command(path, jobs), *map(str, options)])

        best = in_turn(
            {
                "alone": run,
                "folder": partial(run, "-o", kept),
                "replaced": partial(run, "-o", kept, is_new=False),
                "resumed": partial(run, "-o", kept, "--resume", shards),
            },
            ROUNDS,
        )
    text = f"calipers dense --jobs {jobs} -o DIR of {records:,} records, times the run without"
    return [
        Claim(text, best["folder"] / best["alone"], "x", at_most=2),
        Claim("  … over the files of an earlier run", best["replaced"] / best["alone"], "x"),
        Claim("  … with --resume FILE", best["resumed"] / best["alone"], "x", at_most=2),
    ]


def memory(path: Path, records: int) -> list[Claim]:
    """All processes together; judged by PSS, which counts shared pages once."""
    claims = []
    for jobs in (1, 2):
        peak = peak_memory(dense_command(path, jobs))
        text = f"peak memory (PSS), {records:,} records, --jobs {jobs}"
        claims.append(Claim(text, peak.pss_mb, "MB", at_most=MEMORY_MB))
        claims.append(Claim(f"  … as sum of RSS over {peak.processes} process(es)", peak.rss_mb, "MB"))
    return claims


def against_straightforward(path: Path, ten: Path) -> list[Claim]:
    """1,000 records, one core each."""
    best = in_turn(
        {
            "straightforward": partial(reported, STRAIGHTFORWARD, path),
            "inside": partial(reported, IN_PROCESS, path, ten),
            "command": lambda: command_sec(dense_command(path, 1)),
        }
    )
    yardstick = best["straightforward"]
    return [
        Claim("straightforward evaluator, 1,000 records", yardstick, "s"),
        Claim("calipers.dense(path, jobs=1), times straightforward", yardstick / best["inside"], "x", at_least=60),
        Claim("  … the whole command, start-up included", yardstick / best["command"], "x"),
    ]


def reward(path: Path) -> list[Claim]:
    """20 predicted against 20 true objects, given as dicts."""
    median = min(reported(MEDIAN_REWARD, path) for _ in range(3))
    first = statistics.median(reported(FIRST_REWARD, path) for _ in range(5))
    return [
        Claim("calipers.reward, 20 x 20 objects, median call", median * 1e6, "us", at_most=300),
        Claim("  … first call in a fresh interpreter, after import calipers", first * 1e3, "ms", at_most=5),
    ]


def start_up(ten: Path) -> list[Claim]:
    best = min(command_sec(calipers_command("dense", ten)) for _ in range(5))
    return [Claim("calipers dense on 10 records", best, "s", at_most=0.35)]


def dump(folder: Path, records: int) -> Path:
    """A dump of that many records, made once and kept."""
    path = folder / f"dense-{records}.jsonl"
    if not path.exists():
        print(f"making {path}", file=sys.stderr)
        part = path.with_suffix(".part")
        make_dump(part, records)
        part.rename(path)
    return path


def reward_pairs(folder: Path, count: int = 300) -> Path:
    """(pred, truth) lists of 20 objects each, as JSON."""
    rng = Random(1)
    descs, pairs = Descs(rng), []
    for _ in range(count):
        truth = [invented(rng, descs) for _ in range(SIDE)]
        pred = [guess(rng, descs, true) for true in truth]
        pairs.append([[found.as_json() for found in side] for side in (pred, truth)])
    path = folder / "reward.json"
    path.write_text(json.dumps(pairs, ensure_ascii=False), encoding="utf-8")
    return path


def sections(folder: Path, records: int, large: int) -> Iterator[Callable[[], list[Claim]]]:
    ten = dump(folder, 10)
    yield partial(start_up, ten)
    yield partial(reward, reward_pairs(folder))
    yield partial(region_claims, 5e6)
    yield partial(tube_claims, 1e5)
    yield partial(against_straightforward, dump(folder, 1000), ten)
    yield partial(whole_command, dump(folder, records), records)
    yield partial(whole_folder, dump(folder, records), records)
    yield partial(memory, dump(folder, records), records)
    if large:
        yield partial(memory, dump(folder, large), large)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure what is claimed about the dense suite.")
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--large", type=int, default=200_000, help="records of the second memory run; 0 leaves it out")
    parser.add_argument("--quick", action="store_true", help="2,000 records, no large dump, nothing judged")
    parser.add_argument("--data", type=Path, default=DATA, help="where dumps are kept")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    given.data.mkdir(parents=True, exist_ok=True)
    records, large = (2_000, 0) if given.quick else (given.records, given.large)
    return report(sections(given.data, records, large), judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
