"""What is claimed about the speed of the detection suite, measured.

    python benchmarks/coco.py [--images 5000] [--quick] [--data FOLDER]

The data are shaped like COCO's val2017: 5,000 images, 36,000 objects, 300,000 detections, 80 classes. hotcoco alone
loads both files, evaluates, accumulates and summarizes; so does pycocotools. Ours reads and checks the same files.
Each runs in an interpreter of its own, imports not counted, in turn. Only ratios carry over to other machines; the
limit of a folder with everything in it is in seconds, of two cores that have nothing else to do. Exit status 1 when a
claim does not hold. `--quick` runs little data, to see that everything works, and judges nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from make_detections import make_detections
from measure import Claim, calipers_command, command_sec, in_turn, made, peak_memory, report, reported

DATA = Path(__file__).parent.parent / ".benchmarks"

TIMED = """
import contextlib, io, sys, time
from pathlib import Path
gt, results = (str(Path(sys.argv[1], name)) for name in ("gt.json", "results.json"))
rounds = int(sys.argv[2])
{prepare}
best = None
for _ in range(rounds):
    start = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        {run}
    taken = time.perf_counter() - start
    best = min(taken, best or taken)
print(best)
"""

ENGINE = """truth = {package}.COCO(gt)
        engine = COCOeval(truth, truth.{load}(results), "bbox")
        engine.evaluate()
        engine.accumulate()
        engine.summarize()"""

HOTCOCO = TIMED.format(
    prepare="import hotcoco\nfrom hotcoco import COCOeval", run=ENGINE.format(package="hotcoco", load="load_res")
)
PYCOCOTOOLS = TIMED.format(
    prepare="from pycocotools import coco\nfrom pycocotools.cocoeval import COCOeval",
    run=ENGINE.format(package="coco", load="loadRes"),
)
NOTHING = 'empty = {"images": [{"id": 1}], "categories": [{"id": 1, "name": "a"}], "annotations": []}'
NUMBERS = TIMED.format(
    prepare=f"import calipers\n{NOTHING}\ncalipers.coco_numbers(empty, [])", run="calipers.coco_numbers(gt, results)"
)
WHOLE = TIMED.format(
    prepare=f"import calipers\n{NOTHING}\ncalipers.coco(empty, [])", run="str(calipers.coco(gt, results))"
)


def speed(folder: Path, rounds: int) -> list[Claim]:
    best = in_turn(
        {
            "hotcoco": partial(reported, HOTCOCO, folder, str(rounds)),
            "numbers": partial(reported, NUMBERS, folder, str(rounds)),
            "whole": partial(reported, WHOLE, folder, str(rounds)),
        }
    )
    slow = reported(PYCOCOTOOLS, folder, "1")
    unit = best["hotcoco"]
    return [
        Claim("hotcoco alone, files to the twelve numbers = 1 unit", unit, "s"),
        Claim("calipers.coco_numbers, the same twelve from the same files", best["numbers"] / unit, "x", at_most=1.5),
        Claim("  … times pycocotools", slow / best["numbers"], "x", at_least=25),
        Claim("calipers.coco with 1,000 replicates and the summary", best["whole"] / unit, "x", at_most=6),
        Claim("  … times pycocotools, which gives twelve numbers", slow / best["whole"], "x"),
    ]


def whole_folder(folder: Path, rounds: int) -> list[Claim]:
    """The command from start to exit, with the page, plots, tables, rows and cases on disk."""
    command = calipers_command("coco", "--gt", folder / "gt.json", "--pred", folder / "results.json")
    with TemporaryDirectory(dir=folder) as output:
        best = min(command_sec([*command, "-o", str(Path(output, str(number)))]) for number in range(rounds))
    return [Claim("calipers coco -o DIR, start to exit, everything in it", best, "s", at_most=2.5)]


def memory(folder: Path) -> list[Claim]:
    peak = peak_memory(calipers_command("coco", "--gt", folder / "gt.json", "--pred", folder / "results.json"))
    return [Claim("peak memory of calipers coco", peak.pss_mb, "MB", at_most=1000)]


def sections(data: Path, images: int, rounds: int) -> Iterator[Callable[[], list[Claim]]]:
    folder = made(data / f"coco-{images}", lambda part: make_detections(part, images))
    yield partial(speed, folder, rounds)
    yield partial(whole_folder, folder, rounds)
    yield partial(memory, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--images", type=int, default=5000)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=Path, default=DATA)
    given = parser.parse_args()
    images, rounds = (100, 1) if given.quick else (given.images, 3)
    return report(sections(given.data, images, rounds), judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
