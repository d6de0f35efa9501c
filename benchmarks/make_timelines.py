"""Writes made-up timelines of any number, the same bytes for the same seed.

    python benchmarks/make_timelines.py --videos 20000 --frames 900 --intervals 6 --output DIR
    python benchmarks/make_timelines.py --csv 1000 --output DIR

`gt.json` and `pred.json` hold the same videos, each covered by as many intervals on either side: predicted changes come
up to 40 frames early or late, and one predicted state in ten is another one. With `--csv N`, `csv/` holds N further
timelines as files of one row a frame, and `csv_gt.json` their truth. 20,000 videos are 5.6 MB.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import orjson

STATES = ("outside", "approaching", "inside", "exiting")  # in the order a drive meets them
RATES = (24, 25, 29.97, 30)
JITTER_FRAMES = 40
SWAPPED = 0.1

Run = tuple[str, int, int]  # state, first frame, last frame
Intervals = dict[str, list[list[int]]]


def by_state(runs: Iterable[Run]) -> Intervals:
    """Inclusive intervals of every state, the usual four always among them."""
    found: Intervals = {state: [] for state in STATES}
    for state, first, last in runs:
        found.setdefault(state, []).append([first, last])
    return found


def make_timelines(folder: str | Path, videos: int, frames: int = 900, intervals: int = 6, seed: int = 0) -> None:
    """Write `gt.json` and `pred.json`."""
    rng = Random(seed)
    truth, pred = {}, {}
    for number in range(videos):
        name = f"clip_{number:07}.mp4"
        true, found = make_drive(rng, frames, intervals)
        truth[name] = by_state(true)
        pred[name] = {"fps": rng.choice(RATES), "states": by_state(found)}
    write_json(Path(folder) / "gt.json", truth)
    write_json(Path(folder) / "pred.json", pred)


def make_csvs(folder: str | Path, files: int, frames: int = 900, intervals: int = 6, seed: int = 1) -> None:
    """Write `csv/`, one file a video, and `csv_gt.json`."""
    rng = Random(seed)
    rows = Path(folder) / "csv"
    rows.mkdir(parents=True, exist_ok=True)
    for old in rows.glob("clip_*_timeline_fusion.csv"):  # of a longer run before
        old.unlink()
    truth = {}
    for number in range(files):
        true, found = make_drive(rng, frames, intervals)
        truth[f"clip_{number:07}.mp4"] = by_state(true)
        text = timeline_csv(rng, found, rng.choice(RATES))
        (rows / f"clip_{number:07}_timeline_fusion.csv").write_text(text, encoding="utf-8", newline="\n")
    write_json(Path(folder) / "csv_gt.json", truth)


def make_drive(rng: Random, frames: int, intervals: int) -> tuple[list[Run], list[Run]]:
    """Truth and prediction of one video, both from frame 0 to the last."""
    cuts = sorted(rng.sample(range(1, frames), intervals - 1))
    start = rng.randrange(len(STATES))
    states = [STATES[(start + number) % len(STATES)] for number in range(intervals)]
    return as_runs(states, cuts, frames), as_runs(mistaken(rng, states), moved(rng, cuts, frames), frames)


def as_runs(states: list[str], cuts: list[int], frames: int) -> list[Run]:
    edges = pairwise([0, *cuts, frames])
    return [(state, first, stop - 1) for state, (first, stop) in zip(states, edges, strict=True)]


def moved(rng: Random, cuts: list[int], frames: int) -> list[int]:
    """The cuts, each moved by at most the jitter, still rising and inside the video.

    Sorting and then keeping neighbours a frame apart moves no cut further than the jitter from its own place.
    """
    found = [0]
    jittered = sorted(cut + rng.randint(-JITTER_FRAMES, JITTER_FRAMES) for cut in cuts)
    for number, cut in enumerate(jittered):
        still_to_come = len(cuts) - 1 - number
        found.append(min(max(cut, found[-1] + 1), frames - 1 - still_to_come))
    return found[1:]


def mistaken(rng: Random, states: list[str]) -> list[str]:
    return [
        rng.choice([other for other in STATES if other != state]) if rng.random() < SWAPPED else state
        for state in states
    ]


def timeline_csv(rng: Random, runs: list[Run], fps: float) -> str:
    lines = ["frame,time_sec,state,confidence"]
    for state, first, last in runs:
        lines += [f"{at},{at / fps:.6f},{state},{rng.uniform(0.5, 1):.3f}" for at in range(first, last + 1)]
    return "\n".join(lines) + "\n"


def write_json(path: Path, tree: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(tree))


def main() -> None:
    parser = argparse.ArgumentParser(description="Write made-up timelines: truth and predictions.")
    parser.add_argument("--videos", type=int, default=20_000)
    parser.add_argument("--frames", type=int, default=900, help="of every video")
    parser.add_argument("--intervals", type=int, default=6, help="of every video, on either side")
    parser.add_argument("--csv", type=int, default=0, help="timeline files to write beside the JSON")
    parser.add_argument("--output", type=Path, required=True, help="folder")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if not 1 <= given.intervals <= given.frames:
        parser.error(f"--intervals: {given.intervals} do not fit into {given.frames} frames")
    make_timelines(given.output, given.videos, given.frames, given.intervals, given.seed)
    print(f"{given.output}: {given.videos} videos of {given.frames} frames, {given.intervals} intervals a side")
    if given.csv:
        make_csvs(given.output, given.csv, given.frames, given.intervals, given.seed + 1)
        print(f"{given.output / 'csv'}: {given.csv} files of {given.frames} rows")


if __name__ == "__main__":
    main()
