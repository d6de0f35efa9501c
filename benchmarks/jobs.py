"""What two processes gain in each suite, from the CPU time of each, so that a busy machine can tell.

    python benchmarks/jobs.py [--files 3000] [--quick] [--data FOLDER] [--only NAME,…]

Each input is evaluated by the command with one process, with two, which are copies of it, and with as many as it takes
by default; and by the function of the library with one and two, which are started afresh. CPU time of a main thread is
serial, that of other threads and of workers is shared: on two free cores a run takes the first and half of the second.
A dump is cut and hashed while workers measure it: there two cores share all of it. A gain of less than 1.8 is an error
(exit status 1) unless REASONS says why; then more processes than one are used by default only if they gain.
docs/scale.md has the results.
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
from typing import Any, NamedTuple

from coco_scale import make_files
from dense import dump
from make_scenes import make_scenes
from make_timelines import make_csvs, make_timelines
from measure import Claim, made, report

DATA = Path(__file__).parent.parent / ".benchmarks"
CLASSES = [f"class{k}" for k in range(20)]
OBJECTS, SIDE = 30, 1000
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + SIDE.to_bytes(4, "big") * 2 + b"\x08\x02\0\0\0" + bytes(40)  # its head
LEAST_GAIN = 1.8
ROUNDS = 3
REASONS = {
    "COCO files": "ranks and replicates are made by threads on all cores, the index by one",
    "timelines": "videos are found and rows are made in one place",
    "CSV": "rows are made in one place",
    "VOC": "only the reading of files is shared",
    "LabelMe": "only the reading of files is shared",
    "YOLO": "only the reading of files is shared, and lines take half as long to be sent as to be read",
    "scenes": "what others measure is read twice",
}
BESIDE = {"dump"}  # whose main thread works while workers do
USED = """
def print_used():
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = time.thread_time(), time.process_time() - time.thread_time(), workers.ru_utime + workers.ru_stime
    print(*used, file=sys.stderr)
"""
COMMAND = f"""
import resource, sys, time
{USED}
from calipers.cli.start import main
try:
    main()
finally:
    print_used()
"""
FUNCTION = f"""
import resource, sys, time
import calipers
{USED}
suite, jobs, images, *paths = sys.argv[1:]
getattr(calipers, suite)(*paths, jobs=int(jobs), **({{"images": images}} if images else {{}}))
print_used()
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

    def wall_sec(self, *, beside: bool) -> float:
        """How long it takes on two free cores."""
        return max(self.main, sum(self) / 2) if beside else self.main + (self.threads + self.workers) / 2


def cpu_sec(program: str, *arguments: object) -> Used:
    """The CPU time of a program, which prints it last."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return Used(*map(float, ended.stderr.splitlines()[-1].split()))


def command_cpu_sec(suite: str, paths: tuple[Path, ...], jobs: int | None) -> Used:
    """The CPU time of a command."""
    inputs = ["--gt", paths[0], "--pred", paths[1]] if len(paths) > 1 else list(paths)
    images = ["--images", images_of(paths)] if images_of(paths) else []
    return cpu_sec(COMMAND, suite, *inputs, *images, *([] if jobs is None else ["--jobs", jobs]))


def function_cpu_sec(suite: str, paths: tuple[Path, ...], jobs: int | None) -> Used:
    """The CPU time of the function that does the same."""
    return cpu_sec(FUNCTION, suite, jobs, images_of(paths), *paths)


def images_of(paths: tuple[Path, ...]) -> str:
    """The folder of images whose sizes are needed, "" without one."""
    images = paths[0].parent / "images"
    return str(images) if (images / "000000.png").exists() else ""


def least(measure: Callable[[int | None], Used], *jobs: int | None) -> list[Used]:
    """The run with the least CPU time for each number of processes; every round runs each once."""
    rounds = [[measure(count) for count in jobs] for _ in range(ROUNDS)]
    return [min(runs, key=sum) for runs in zip(*rounds, strict=True)]


def shared(name: str, suite: str, paths: tuple[Path, ...]) -> list[Claim]:
    one, two, usual = least(partial(command_cpu_sec, suite, paths), 1, 2, None)
    shares, reason = usual.workers > 0, REASONS.get(name)
    wanted = LEAST_GAIN if reason is None else 1.0 if shares else None
    by_default = "several processes" if shares else "one process"
    afresh = gain(name, *least(partial(function_cpu_sec, suite, paths), 1, 2))
    return [
        Claim(f"{name}: CPU of the main thread of one process", one.main, "s"),
        Claim("  … of its other threads", one.threads, "s"),
        Claim("  … of the main thread beside two workers", two.main, "s"),
        Claim("  … of its other threads", two.threads, "s"),
        Claim("  … of the workers", two.workers, "s"),
        Claim("  … all of it, against one process", sum(two) / sum(one), "x"),
        Claim(f"  … gain of two on free cores; by default {by_default}", gain(name, one, two), "x", at_least=wanted),
        Claim("  … gain of two that the function starts afresh", afresh, "x"),
    ]


def gain(name: str, one: Used, two: Used) -> float:
    """How many times as fast two processes are on free cores."""
    return one.wall_sec(beside=False) / two.wall_sec(beside=name in BESIDE)


def sections(data: Path, files: int, only: set[str]) -> Iterator[Callable[[], list[Claim]]]:
    for name, make in inputs(data, files).items():
        if not only or name in only:
            suite, *paths = make()
            yield partial(shared, name, suite, tuple(paths))


def inputs(data: Path, files: int) -> dict[str, Callable[[], tuple[Any, ...]]]:
    """By name what makes an input, and gives its suite and its paths."""
    formats = {"YOLO": (yolo, "txt"), "VOC": (voc, "xml"), "LabelMe": (labelme, "json")}
    return {
        "dump": lambda: ("dense", dump(data, files * 50)),
        "timelines": lambda: ("timeline", *_timelines(data, files * 10)),
        "COCO files": lambda: ("coco", *_coco(data, files * 200)),
        **{name: partial(_labels, data, files, name, *how) for name, how in formats.items()},
        "CSV": lambda: ("timeline", *_csvs(data, files * 3)),
        "scenes": lambda: ("scene", *_rooms(data, files // 5)),
    }


def _labels(data: Path, files: int, name: str, write: Callable[..., str], ending: str) -> tuple[str, Path, Path]:
    make = partial(make_folders, files=files, write=write, ending=ending)
    folder = made(data / f"jobs-{name.lower()}-{files}", make)
    return "coco", folder / "gt", folder / "pred"


def _timelines(data: Path, videos: int) -> tuple[Path, Path]:
    folder = made(data / f"jobs-timelines-{videos}", partial(make_timelines, videos=videos))
    return folder / "gt.json", folder / "pred.json"


def _coco(data: Path, detections: int) -> tuple[Path, Path]:
    folder = made(data / f"coco-{detections}", partial(make_files, detections))
    return folder / "gt.json", folder / "results.json"


def _csvs(data: Path, files: int) -> tuple[Path, Path]:
    folder = made(data / f"jobs-csv-{files}", partial(make_csvs, files=files))
    return folder / "csv_gt.json", folder / "csv"


def _rooms(data: Path, rooms: int) -> tuple[Path, Path]:
    folder = made(data / f"jobs-scenes-{rooms}", lambda part: make_scenes(part, rooms, 60))
    return folder / "gt", folder / "pred"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=3000)
    parser.add_argument("--quick", action="store_true", help="60 files, nothing judged")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", default="", help=f"some of {','.join(inputs(DATA, 0))}")
    given = parser.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    only = {name for name in given.only.split(",") if name}
    return report(sections(given.data, 60 if given.quick else given.files, only), judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
