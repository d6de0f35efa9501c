"""What is claimed about the speed of the timeline suite, measured.

    python benchmarks/timeline.py [--videos 20000] [--files 1000] [--quick] [--data FOLDER]

Units are `orjson.loads` of the two input files and `csv.reader` over the rows of the same files, as Python has them:
with its garbage collector on. Only ratios carry over to other machines. Exit status 1 when a claim does not hold.
`--quick` runs little data, to see that everything works, and judges nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from make_timelines import make_csvs, make_timelines
from measure import Claim, calipers_command, command_sec, in_turn, made, report, reported

DATA = Path(__file__).parent.parent / ".benchmarks"
FRAMES, INTERVALS = 900, 6
TOLERANCES = "0,5,15,30"
YARDSTICK_VIDEOS = 500

LOADS = """
import sys, time, orjson
files = [open(path, "rb").read() for path in sys.argv[1:]]
best = None
for _ in range(5):
    start = time.perf_counter()
    trees = [orjson.loads(file) for file in files]
    taken = time.perf_counter() - start
    best = min(taken, best or taken)
print(best)
"""

INSIDE = """
import sys, time, calipers
calipers.timeline({"a": {"inside": [[0, 9]]}}, {"a": {"states": {}}})  # imports are not what is measured
gt, pred, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
best = None
for _ in range(rounds):
    start = time.perf_counter()
    str(calipers.timeline(gt, pred, transition_tolerance_frames=(0, 5, 15, 30)))
    taken = time.perf_counter() - start
    best = min(taken, best or taken)
print(best)
"""

STRAIGHTFORWARD = """
import sys, time, straightforward_timeline
start = time.perf_counter()
straightforward_timeline.evaluate(sys.argv[1], sys.argv[2])
print(time.perf_counter() - start)
"""

CSV_READER = """
import csv, sys, time
from pathlib import Path
best = None
for _ in range(3):
    start = time.perf_counter()
    for path in sorted(Path(sys.argv[1]).glob("*.csv")):
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.reader(file):
                pass
    taken = time.perf_counter() - start
    best = min(taken, best or taken)
print(best)
"""

LENGTH = """
import sys, time, calipers
def states(frames):
    step = frames // 50
    cuts = [[k * step, (k + 1) * step - 1] for k in range(50)]
    return {"outside": cuts[0::2], "inside": cuts[1::2]}
best = {}
for _ in range(30):
    for frames in (300, 1_080_000):
        start = time.perf_counter()
        calipers.timeline({"a": states(frames)}, {"a": {"fps": 30, "states": states(frames)}}, bootstrap=0)
        taken = time.perf_counter() - start
        best[frames] = min(taken, best.get(frames, taken))
print(best[1_080_000] / best[300])
"""


def against_json(many: Path, videos: int, few: Path) -> list[Claim]:
    """Everything from the two files to the summary: in units of parsing them, and a video against the yardstick's."""
    gt, pred = many / "gt.json", many / "pred.json"
    command = calipers_command("timeline", "--gt", gt, "--pred", pred, "--transition-tolerance-frames", TOLERANCES)
    best = in_turn(
        {
            "unit": partial(reported, LOADS, gt, pred),
            "inside": partial(reported, INSIDE, gt, pred, "3"),
            "artifact": partial(command_sec, [*command, "-o", str(many / "result.json")]),
            "yardstick": partial(reported, STRAIGHTFORWARD, few / "gt.json", few / "pred.json"),
        }
    )
    ours, theirs = best["inside"] / videos, best["yardstick"] / YARDSTICK_VIDEOS
    return [
        Claim(f"orjson.loads of both files, {videos:,} videos = 1 unit", best["unit"], "s"),
        Claim(
            "calipers.timeline with 4 tolerances and summary, in units", best["inside"] / best["unit"], "x", at_most=3
        ),
        Claim("  … the whole command with its artifact written", best["artifact"] / best["unit"], "x", at_most=3),
        Claim(f"straightforward evaluator, {YARDSTICK_VIDEOS} videos, a video", theirs * 1e6, "us"),
        Claim(f"calipers.timeline, {videos:,} videos, a video", ours * 1e6, "us"),
        Claim("  … times straightforward", theirs / ours, "x", at_least=50),
    ]


def against_csv_reader(folder: Path, files: int) -> list[Claim]:
    gt, csvs = folder / "csv_gt.json", folder / "csv"
    best = in_turn({"unit": partial(reported, CSV_READER, csvs), "inside": partial(reported, INSIDE, gt, csvs, "3")})
    return [
        Claim(f"csv.reader over {files:,} files of {FRAMES} rows = 1 unit", best["unit"], "s"),
        Claim("calipers.timeline on the folder, in units", best["inside"] / best["unit"], "x", at_most=2.5),
    ]


def length_does_not_matter() -> list[Claim]:
    ratio = min(reported(LENGTH) for _ in range(3))
    return [Claim("10 hours against 10 seconds, 50 intervals each: time", ratio, "x", at_most=1.5)]


def sections(data: Path, videos: int, files: int) -> Iterator[Callable[[], list[Claim]]]:
    many = made(data / f"timeline-{videos}", lambda part: make_timelines(part, videos, FRAMES, INTERVALS))
    few = made(
        data / f"timeline-{YARDSTICK_VIDEOS}", lambda part: make_timelines(part, YARDSTICK_VIDEOS, FRAMES, INTERVALS)
    )
    rows = made(data / f"timeline-csv-{files}", lambda part: make_csvs(part, files, FRAMES, INTERVALS))
    yield partial(against_json, many, videos, few)
    yield partial(against_csv_reader, rows, files)
    yield length_does_not_matter


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what is claimed about the timeline suite.")
    parser.add_argument("--videos", type=int, default=20_000)
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--quick", action="store_true", help="few videos and files, nothing judged")
    parser.add_argument("--data", type=Path, default=DATA, help="where inputs are kept")
    given = parser.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    videos, files = (1_000, 50) if given.quick else (given.videos, given.files)
    return report(sections(given.data, videos, files), judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
