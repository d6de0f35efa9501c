"""What two processes gain on folders of many small files, from the CPU time of each, so that a busy machine can tell.

    python benchmarks/jobs.py [--files 3000] [--quick] [--data FOLDER]

Each folder is evaluated with one process and with two. CPU time of a main thread is serial, that of other threads and
of workers is shared: on two free cores a run takes the first and half of the second. docs/scale.md has the results.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from make_scenes import make_scenes
from make_timelines import make_csvs
from measure import Claim, made, report

DATA = Path(__file__).parent.parent / ".benchmarks"
CLASSES = [f"class{k}" for k in range(20)]
OBJECTS, SIDE = 30, 1000
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + SIDE.to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0" + bytes(40)  # its head
CPU = """
import resource, sys, time
import calipers
suite, gt, pred, jobs, *images = sys.argv[1:]
getattr(calipers, suite)(gt, pred, jobs=int(jobs), **({"images": images[0]} if images else {}))
workers = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.thread_time(), time.process_time() - time.thread_time(), workers.ru_utime + workers.ru_stime)
"""


def boxes(random: Random) -> list[tuple[int, int, int, int, int]]:
    """Class, left, top, right, bottom of some objects."""
    found = []
    for _ in range(OBJECTS):
        x, y = random.randrange(SIDE - 200), random.randrange(SIDE - 200)
        kind, width, height = random.randrange(len(CLASSES)), random.randrange(20, 199), random.randrange(20, 199)
        found.append((kind, x, y, x + width, y + height))
    return found


def yolo(rows: list[tuple[int, int, int, int, int]], scores: list[float] | None) -> str:
    lines = []
    for k, (kind, left, top, right, bottom) in enumerate(rows):
        place = ((left + right) / 2 / SIDE, (top + bottom) / 2 / SIDE, (right - left) / SIDE, (bottom - top) / SIDE)
        lines.append(" ".join(map(str, [kind, *place, *([scores[k]] if scores else [])])))
    return "\n".join(lines)


def voc(rows: list[tuple[int, int, int, int, int]], scores: list[float] | None) -> str:
    objects = [
        f"<object><name>{CLASSES[kind]}</name><bndbox><xmin>{left}</xmin><ymin>{top}</ymin><xmax>{right}</xmax>"
        f"<ymax>{bottom}</ymax></bndbox>{f'<score>{scores[k]}</score>' if scores else ''}</object>"
        for k, (kind, left, top, right, bottom) in enumerate(rows)
    ]
    size = f"<size><width>{SIDE}</width><height>{SIDE}</height><depth>3</depth></size>"
    return f"<annotation>{size}{''.join(objects)}</annotation>"


def labelme(rows: list[tuple[int, int, int, int, int]], scores: list[float] | None) -> str:
    shapes = [
        {"label": CLASSES[kind], "points": [[left, top], [right, bottom]], "shape_type": "rectangle"}
        | ({"score": scores[k]} if scores else {})
        for k, (kind, left, top, right, bottom) in enumerate(rows)
    ]
    return json.dumps({"imageWidth": SIDE, "imageHeight": SIDE, "shapes": shapes})


def make_folders(folder: Path, files: int, write: Callable[..., str], ending: str) -> None:
    """Annotations of some images, and detections that are a little beside them."""
    for side in ("gt", "pred", "images"):
        (folder / side).mkdir(parents=True)
    (folder / "gt" / "data.yaml").write_text(json.dumps({"names": CLASSES}))
    for number in range(files):
        random = Random(f"5/{number}")
        rows = boxes(random)
        moved = [(kind, left + 3, top, right + 3, bottom) for kind, left, top, right, bottom in rows]
        scores = [round(random.random(), 4) for _ in rows]
        name = f"{number:06}.{ending}"
        named = {"imagePath": f"{number:06}.jpg"} if ending == "json" else {}
        for side, text in (("gt", write(rows, None)), ("pred", write(moved, scores))):
            if named:
                text = json.dumps(json.loads(text) | named)
            (folder / side / name).write_text(text, encoding="utf-8")
        if ending == "txt":  # YOLO's labels need the sizes of images
            (folder / "images" / f"{number:06}.png").write_bytes(PNG)


class Used(NamedTuple):
    """CPU time of an evaluation in seconds."""

    main: float  # of its main thread
    threads: float  # of its other threads: replicates take all cores however many processes there are
    workers: float

    def wall_sec(self) -> float:
        """How long it takes on two free cores."""
        return self.main + (self.threads + self.workers) / 2


def cpu_sec(suite: str, sides: tuple[Path, Path], jobs: int) -> Used:
    """The CPU time of an evaluation."""
    images = [sides[0].parent / "images"] if (sides[0].parent / "images" / "000000.png").exists() else []
    program = [sys.executable, "-c", CPU, suite, *map(str, sides), str(jobs), *map(str, images)]
    ended = subprocess.run(program, capture_output=True, text=True, check=True)
    return Used(*map(float, ended.stdout.split()))


def shared(name: str, suite: str, sides: tuple[Path, Path]) -> list[Claim]:
    one, two = cpu_sec(suite, sides, 1), cpu_sec(suite, sides, 2)
    return [
        Claim(f"{name}: CPU of the main thread of one process", one.main, "s"),
        Claim("  … of its other threads", one.threads, "s"),
        Claim("  … of the main thread beside two workers", two.main, "s"),
        Claim("  … of the workers", two.workers, "s"),
        Claim("  … gain of two on free cores", one.wall_sec() / two.wall_sec(), "x"),
    ]


def sections(data: Path, files: int) -> Iterator[Callable[[], list[Claim]]]:
    for name, write, ending in (("YOLO", yolo, "txt"), ("VOC", voc, "xml"), ("LabelMe", labelme, "json")):
        make = partial(make_folders, files=files, write=write, ending=ending)
        folder = made(data / f"jobs-{name.lower()}-{files}", make)
        yield partial(shared, name, "coco", (folder / "gt", folder / "pred"))
    csvs = made(data / f"jobs-csv-{files}", partial(make_csvs, files=files))
    yield partial(shared, "CSV", "timeline", (csvs / "csv_gt.json", csvs / "csv"))
    rooms = made(data / f"jobs-scenes-{files // 5}", lambda part: make_scenes(part, files // 5, 60))
    yield partial(shared, "scenes", "scene", (rooms / "gt", rooms / "pred"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--quick", action="store_true", help="60 files, nothing judged")
    parser.add_argument("--data", type=Path, default=DATA)
    given = parser.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    return report(sections(given.data, 60 if given.quick else given.files), judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
