"""What is claimed about many detections: COCO files in ranges, in one process, in two, and on two workers of Dask.

    python benchmarks/coco_scale.py [--detections 20000000] [--quick] [--data FOLDER]

Made-up files in the shape of Objects365 (365 classes, 15 objects and 100 detections an image, 85 bytes a detection),
kept in `.benchmarks`. All runs have to give the same bytes. Speed is judged by the CPU time of all processes, which a
busy machine can tell: what a cluster adds to that of one process. Memory is sampled in runs of their own. Exit status 1
when a claim does not hold; `--quick` takes 200,000 detections and judges nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from dense import DATA
from measure import Claim, all_cpu_sec, calipers_command, made, peak_memory, report

CLASSES, OBJECTS, DETECTIONS = 365, 15, 100  # objects and detections of an image
WIDTH, HEIGHT = 640, 480
BLOCK = 1000  # images that are made together
MEMORY_MB = 2000
RUNS = {
    "one process": ("--jobs", "1"),
    "two processes": ("--jobs", "2"),
    "dask, two workers": ("--engine", "dask", "--jobs", "2"),
}


def make_files(detections: int, folder: Path) -> None:
    """`gt.json` and `results.json`, of which a third of the detections are near an object."""
    images, rng = detections // DETECTIONS, np.random.default_rng(0)
    with open(folder / "gt.json", "w") as truth, open(folder / "results.json", "w") as results:
        names = (f'{{"id":{k},"file_name":"{k:012d}.jpg","width":{WIDTH},"height":{HEIGHT}}}' for k in range(images))
        classes = (f'{{"id":{k},"name":"class {k}"}}' for k in range(CLASSES))
        truth.write(f'{{"images":[{",".join(names)}],"categories":[{",".join(classes)}],"annotations":[')
        results.write("[")
        for first in range(0, images, BLOCK):
            count = min(BLOCK, images - first)
            rows = list(image_rows(rng, first, count))
            for file, side in ((truth, 0), (results, 1)):
                file.write("," * (first > 0) + ",".join(chain.from_iterable(each[side] for each in rows)))
        truth.write("]}")
        results.write("]")


def image_rows(rng: np.random.Generator, first: int, count: int) -> Iterator[tuple[list[str], list[str]]]:
    """Annotations and detections of some images, as JSON."""
    often = 1 / np.arange(1, CLASSES + 1)
    for image in range(first, first + count):
        boxes, kinds = random_boxes(rng, OBJECTS), rng.choice(CLASSES, OBJECTS, p=often / often.sum())
        on = rng.integers(0, OBJECTS, DETECTIONS)
        near = rng.random(DETECTIONS) < 0.35
        moved = boxes[on] * (1 + rng.normal(0, 0.06, (DETECTIONS, 4)))
        found = np.where(near[:, None], moved, random_boxes(rng, DETECTIONS)).round(2)
        named = np.where(rng.random(DETECTIONS) < 0.8, kinds[on], rng.integers(0, CLASSES, DETECTIONS))
        yield truth_rows(image, kinds, boxes), pred_rows(image, named, found, rng.random(DETECTIONS).round(4))


def random_boxes(rng: np.random.Generator, count: int) -> Any:
    """Boxes of all sizes inside the image."""
    sides = np.exp(rng.normal(4, 0.9, (count, 2))).clip(4, 400)
    corners = rng.random((count, 2)) * np.maximum([WIDTH, HEIGHT] - sides, 1)
    return np.concatenate([corners, sides], axis=1).round(1)


def truth_rows(image: int, kinds: Any, boxes: Any) -> list[str]:
    areas = (boxes[:, 2] * boxes[:, 3]).round(2).tolist()
    return [
        f'{{"id":{image * OBJECTS + k},"image_id":{image},"category_id":{kind},"bbox":{box},"area":{area},"iscrowd":0}}'
        for k, (kind, box, area) in enumerate(zip(kinds.tolist(), boxes.tolist(), areas, strict=True))
    ]


def pred_rows(image: int, kinds: Any, boxes: Any, scores: Any) -> list[str]:
    return [
        f'{{"image_id":{image},"category_id":{kind},"bbox":{box},"score":{score}}}'
        for kind, box, score in zip(kinds.tolist(), boxes.tolist(), scores.tolist(), strict=True)
    ]


def command(folder: Path, output: str, *more: str) -> list[str]:
    sides = "--gt", str(folder / "gt.json"), "--pred", str(folder / "results.json")
    return calipers_command("coco", *sides, "-o", str(folder / output), *more)


def rates(folder: Path, detections: int) -> list[Claim]:
    """CPU time of each way to run, and whether all give the same bytes."""
    claims, used, digests = [], {}, set()
    for name, options in RUNS.items():
        used[name] = all_cpu_sec(command(folder, "result.json", *options))
        digests.add(sha256((folder / "result.json").read_bytes()).hexdigest())
        claims.append(Claim(f"{detections:,} detections, {name}: CPU time", used[name], "s"))
    cluster = used["one process"] / used["dask, two workers"]
    return [
        *claims,
        Claim("results that differ", len(digests) - 1, "", at_most=0),
        Claim("  … work a core does in the cluster, against one process", cluster, "x", at_least=0.9),
    ]


def memory(folder: Path, detections: int) -> list[Claim]:
    """All processes together, at most."""
    claims = []
    for name in ("one process", "dask, two workers"):
        peak = peak_memory(command(folder, "result.json", *RUNS[name]))
        claims.append(Claim(f"peak memory (PSS), {name}", peak.pss_mb, "MB", at_most=MEMORY_MB))
    return claims


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what is claimed about many detections.")
    parser.add_argument("--detections", type=int, default=20_000_000)
    parser.add_argument("--quick", action="store_true", help="200,000 detections, nothing judged")
    parser.add_argument("--data", type=Path, default=DATA, help="where files are kept")
    given = parser.parse_args()
    detections = 200_000 if given.quick else given.detections
    folder = made(given.data / f"coco-{detections}", partial(make_files, detections))
    return report([partial(section, folder, detections) for section in (rates, memory)], judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
