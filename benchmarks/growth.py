"""How time and memory grow with the data, for each suite: 1, 4 and 16 times of each thing there may be more of.

    python benchmarks/growth.py [--suite dense …] [--scale 1.0]

CPU time and memory (the peak of the process) are judged; time on the clock, which other programs share, is only shown.
What a run with next to none of the thing takes is left out, so that what grows is not hidden by what does not. The
exponent is 1.0 where twice the data take twice as much: that of the last step, from 4 to 16 times, or of both steps
together, whichever is larger. One above 1.2 is an error (exit status 1), unless REASONS says why it has to be.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from measure import MEGABYTE, Claim, calipers_command, report

TIMES = (1, 4, 16)
ROUNDS = 2
MOST = 1.2
LEAST_SEC, LEAST_MB = 0.05, 8.0  # what is below this counts as this: it is lost in what the machine does besides
REASONS: dict[tuple[str, str, str], str] = {
    ("dense", "vertices of lines", "CPU time"): "all pairs of segments: docs/rulers.md",
    ("dense", "spikes of polygons", "CPU time"): "pairs of edges at one height: docs/rulers.md",
}
Json = dict[str, Any]


class Used(NamedTuple):
    """What one run took."""

    cpu_sec: float
    wall_sec: float
    megabytes: float


class Case(NamedTuple):
    """A suite with more and more of something: `make` writes the input for so many and returns the arguments."""

    suite: str
    thing: str
    base: int
    none: int  # next to none of the thing
    make: Callable[[Path, int], list[str]]


def used_by(command: list[str]) -> Used:
    """Time of the processor and peak memory of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    wall_sec = time.perf_counter() - start
    return Used(usage.ru_utime + usage.ru_stime, wall_sec, usage.ru_maxrss * 1024 / MEGABYTE)


def least_used(command: list[str]) -> Used:
    """The smallest of some runs."""
    runs = [used_by(command) for _ in range(ROUNDS)]
    return Used(*map(min, zip(*runs, strict=True)))


# Inputs


def spot(rng: Random, extent: float, side: float) -> tuple[float, float]:
    return rng.uniform(0, extent - side), rng.uniform(0, extent - side)


def ring(rng: Random, side: float, vertices: int, *, spikes: bool) -> list[float]:
    """An outline with eight bulges in so many vertices, or one in which every second vertex is a spike."""
    x, y = spot(rng, 1000, side)
    points = []
    for k in range(vertices):
        angle = 2 * math.pi * k / vertices
        reach = side / 2 * ((1 if k % 2 else 0.8) if spikes else 0.9 + 0.1 * math.cos(8 * angle))
        points += [round(x + side / 2 + reach * math.cos(angle), 2), round(y + side / 2 + reach * math.sin(angle), 2)]
    return points


def dense_input(
    folder: Path, records: int = 200, objects: int = 20, classes: int = 20, vertices: int = 0, *, spikes: bool = False
) -> list[str]:
    """A dump; shapes are smaller where there are more of them, so that as many meet each of them."""
    rng, side = Random(1), 400 / math.sqrt(objects)
    with open(folder / "dump.jsonl", "w", encoding="utf-8") as out:
        for number in range(records):
            truth = [dense_object(rng, side, classes, vertices, spikes=spikes) for _ in range(objects)]
            pred = [{**item, "points": [min(999, value + 1) for value in item["points"]]} for item in truth]
            out.write(json.dumps({"id": str(number), "gt_norm1000": truth, "pred": pred}) + "\n")
    return ["dense", str(folder / "dump.jsonl")]


def dense_object(rng: Random, side: float, classes: int, vertices: int, *, spikes: bool) -> Json:
    desc = f"kind {rng.randrange(classes)}/a"
    if vertices:
        return {"type": "poly", "points": ring(rng, side, vertices, spikes=spikes), "desc": desc}
    x, y = spot(rng, 998, side)
    return {"type": "bbox_2d", "points": [round(x), round(y), round(x + side) + 1, round(y + side) + 1], "desc": desc}


def line_input(folder: Path, vertices: int) -> list[str]:
    """Lines of so many points, of one length."""
    rng = Random(2)
    with open(folder / "dump.jsonl", "w", encoding="utf-8") as out:
        for number in range(300):
            truth = [dense_line(rng, vertices) for _ in range(4)]
            out.write(json.dumps({"id": str(number), "gt_norm1000": truth, "pred": truth}) + "\n")
    return ["dense", str(folder / "dump.jsonl")]


def dense_line(rng: Random, vertices: int) -> Json:
    x, y = spot(rng, 1000, 400)
    steps = [400 * k / (vertices - 1) for k in range(vertices)]
    points = [value for step in steps for value in (round(x + step, 2), round(y + 40 * math.sin(step / 40) + 40, 2))]
    return {"type": "line", "points": points, "desc": "cable/a"}


def timeline_input(folder: Path, videos: int = 1000, intervals: int = 6, states: int = 4) -> list[str]:
    rng, names = Random(3), ["inside", *(f"state {k}" for k in range(1, states))]
    truth, pred = {}, {}
    for number in range(videos):
        ends = [30 * (k + 1) + rng.randrange(-9, 9) for k in range(intervals)]
        own = [rng.choice(names) for _ in ends]
        truth[f"v{number}"] = timeline_states(own, ends, 0)
        pred[f"v{number}"] = {"fps": 30, "states": timeline_states(own, ends, 3)}
    for name, tree in (("gt", truth), ("pred", pred)):
        (folder / f"{name}.json").write_text(json.dumps(tree))
    return ["timeline", "--gt", str(folder / "gt.json"), "--pred", str(folder / "pred.json")]


def timeline_states(own: list[str], ends: list[int], late: int) -> dict[str, list[list[int]]]:
    states: dict[str, list[list[int]]] = {}
    begin = 0
    for name, end in zip(own, ends, strict=True):
        states.setdefault(name, []).append([begin, end + late])
        begin = end + late + 1
    return states


def scene_input(folder: Path, scenes: int = 10, objects: int = 40, classes: int = 10) -> list[str]:
    rng = Random(4)
    for side in ("gt", "pred"):
        (folder / side).mkdir()
    for number in range(scenes):
        truth = [scene_object(rng, k, objects, classes) for k in range(objects)]
        pred = [{**thing, "size": [1.0, 0.8, 0.7]} for thing in truth]
        for side, things in (("gt", truth), ("pred", pred)):
            (folder / side / f"room_{number}.json").write_text(json.dumps({"objects": things}))
    return ["scene", "--gt", str(folder / "gt"), "--pred", str(folder / "pred")]


def scene_object(rng: Random, index: int, objects: int, classes: int) -> Json:
    extent = 2.0 * objects ** (1 / 3)
    center = [round(rng.uniform(0, extent), 3) for _ in range(3)]
    label = f"thing {rng.randrange(classes)}"
    turned = {"yaw": round(rng.uniform(-3, 3), 3)}
    return {"id": index, "label": label, "center": center, "size": [1.0, 0.8, 0.6], "rotation": turned}


def coco_input(folder: Path, images: int = 500, objects: int = 10, classes: int = 20) -> list[str]:
    rng, side = Random(5), 200 / math.sqrt(objects)
    boxes = [(image, [*spot(rng, 640, side), side, side]) for image in range(images) for _ in range(objects)]
    kinds = [rng.randrange(classes) for _ in boxes]
    truth = {
        "images": [{"id": image, "width": 640, "height": 640} for image in range(images)],
        "categories": [{"id": kind, "name": f"kind {kind}"} for kind in range(classes)],
        "annotations": [
            {"id": at + 1, "image_id": image, "category_id": kind, "bbox": box, "area": side * side, "iscrowd": 0}
            for at, ((image, box), kind) in enumerate(zip(boxes, kinds, strict=True))
        ],
    }
    pred = [
        {"image_id": image, "category_id": kind, "bbox": [box[0] + 1, *box[1:]], "score": round(rng.random(), 6)}
        for (image, box), kind in zip(boxes, kinds, strict=True)
    ]
    for name, tree in (("gt", truth), ("pred", pred)):
        (folder / f"{name}.json").write_text(json.dumps(tree))
    return ["coco", "--gt", str(folder / "gt.json"), "--pred", str(folder / "pred.json")]


CASES = [
    Case("dense", "records", 5000, 2, lambda folder, n: dense_input(folder, records=n)),
    Case("dense", "objects a record", 40, 1, lambda folder, n: dense_input(folder, records=2000, objects=n)),
    Case("dense", "classes", 1000, 1, lambda folder, n: dense_input(folder, records=4000, classes=n)),
    Case("dense", "vertices of polygons", 16, 4, lambda folder, n: dense_input(folder, 1000, objects=10, vertices=n)),
    Case("dense", "spikes of polygons", 16, 4, lambda folder, n: dense_input(folder, 500, 10, 20, n, spikes=True)),
    Case("dense", "vertices of lines", 16, 2, line_input),
    Case("timeline", "records", 2500, 2, lambda folder, n: timeline_input(folder, videos=n)),
    Case("timeline", "intervals", 16, 1, lambda folder, n: timeline_input(folder, videos=4000, intervals=n)),
    Case("timeline", "classes", 4, 1, lambda folder, n: timeline_input(folder, videos=2000, intervals=64, states=n)),
    Case("scene", "records", 200, 2, lambda folder, n: scene_input(folder, scenes=n)),
    Case("scene", "objects a record", 60, 2, lambda folder, n: scene_input(folder, scenes=300, objects=n)),
    Case("scene", "classes", 40, 1, lambda folder, n: scene_input(folder, scenes=300, classes=n)),
    Case("coco", "records", 500, 2, lambda folder, n: coco_input(folder, images=n)),
    Case("coco", "objects a record", 10, 1, lambda folder, n: coco_input(folder, objects=n)),
    Case("coco", "classes", 40, 1, lambda folder, n: coco_input(folder, images=1500, classes=n)),
]


# Measuring


def measured(case: Case, count: int) -> Used:
    """What a run over an input with so many takes."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = made_elsewhere(case, Path(folder), count)
        return least_used(calipers_command(*arguments, "--jobs", "1", "--json"))


def made_elsewhere(case: Case, folder: Path, count: int) -> list[str]:
    """Make an input in a process of its own: the peak of a program begins with that of the process that starts it."""
    with ProcessPoolExecutor(1, get_context("fork")) as maker:
        return maker.submit(make_case, CASES.index(case), folder, count).result()


def make_case(number: int, folder: Path, count: int) -> list[str]:
    return CASES[number].make(folder, count)


def exponent(figures: list[float], least: float) -> float:
    """Of the growth of what 1, 4 and 16 times take; 0 where even the last is next to nothing.

    >>> [round(exponent(figures, 0.05), 2) for figures in ([0.1, 0.4, 1.6], [0.1, 0.2, 3.2], [0.0, 0.01, 0.04])]
    [1.0, 2.0, 0.0]
    """
    first, second, last = (max(value, least) for value in figures)
    return max(math.log(last / second, TIMES[2] / TIMES[1]), math.log(last / first, TIMES[2] / TIMES[0]))


def growth(case: Case, scale: float) -> list[Claim]:
    """Time and memory at 1, 4 and 16 times, and how fast they grow."""
    base, idle = max(2, round(case.base * scale)), measured(case, case.none)
    runs = [measured(case, base * times) for times in TIMES]
    taken = [Used(*(max(figure - none, 0.0) for figure, none in zip(run, idle, strict=True))) for run in runs]
    cpu, wall, sizes = (list(figures) for figures in zip(*taken, strict=True))
    name = f"{case.suite}, {base:,} {case.thing}"
    return [
        judged(case, "CPU time", f"{name}: {shown(cpu, 2)} s", exponent(cpu, LEAST_SEC)),
        Claim(f"  … {shown(wall, 2)} s on the clock", exponent(wall, LEAST_SEC)),
        judged(case, "memory", f"  … {shown(sizes, 0)} MB", exponent(sizes, LEAST_MB)),
    ]


def shown(figures: list[float], digits: int) -> str:
    return " / ".join(f"{figure:.{digits}f}" for figure in figures)


def judged(case: Case, what: str, text: str, power: float) -> Claim:
    reason = REASONS.get((case.suite, case.thing, what), "")
    return Claim(f"{text} ({reason})" if reason else text, power, "", at_most=None if reason else MOST)


def sections(suites: list[str], scale: float) -> Iterator[Callable[[], list[Claim]]]:
    for case in CASES:
        if not suites or case.suite in suites:
            yield partial(growth, case, scale)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how time and memory grow with the data.")
    parser.add_argument("--suite", action="append", default=[], help="only this one; may be given more than once")
    parser.add_argument("--scale", type=float, default=1.0, help="times the usual amount of data")
    given = parser.parse_args()
    print(f"{'CPU time (s), time (s) and memory (MB) at 1 / 4 / 16 times':68} {'exponent':>12}")
    return report(sections(given.suite, given.scale), judged=True)


if __name__ == "__main__":
    sys.exit(main())
