"""What is claimed about the speed of the scene suite, measured.

    python benchmarks/scene.py [--scenes 1000] [--quick] [--data FOLDER]

Pairs overlap in their bounds, so that none is dismissed at a glance. The scipy way is the half-space intersection and
the hull of its vertices, with an interior point by linear programming as evaluators have it, and once with the point
given. The unit of the whole suite is `orjson.loads` of the scenes' files, as Python has it (with its garbage collector
on; the figure against it turned off stands beside), plus the IoU of the candidate pairs alone. Only ratios carry over
to other machines. Exit status 1 when a claim does not hold. `--quick` runs little data, to see that everything works,
and judges nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from make_scenes import make_scenes
from measure import Claim, in_turn, made, report, reported

DATA = Path(__file__).parent.parent / ".benchmarks"
OBJECTS = 50
LARGE = 2000

PAIRS = """
import sys, time, numpy as np
from calipers.kernels.shape.cuboids import cuboid_paired
from scene_pairs import overlapping_pairs
a, b = overlapping_pairs(int(sys.argv[2]), upright=sys.argv[1] == "upright")
best = None
for _ in range(5):
    start = time.perf_counter()
    cuboid_paired(a, b, False)
    taken = time.perf_counter() - start
    best = min(taken, best or taken)
print(best / len(a))
"""

SCIPY = """
import sys, time
from scene_pairs import overlapping_pairs, scipy_iou
a, b = overlapping_pairs(int(sys.argv[2]), upright=False)
scipy_iou(a, b, 0, point=sys.argv[1])  # imports are not what is measured
best = None
for _ in range(3):
    start = time.perf_counter()
    for k in range(len(a)):
        scipy_iou(a, b, k, point=sys.argv[1])
    taken = time.perf_counter() - start
    best = min(taken, best or taken)
print(best / len(a))
"""

LARGE_SCENE = """
import sys, time, calipers
from pathlib import Path
gt, pred = (str(next(Path(sys.argv[1], side).iterdir())) for side in ("gt", "pred"))
calipers.scene([], [])  # imports are not what is measured
best = None
for _ in range(3):
    start = time.perf_counter()
    str(calipers.scene(gt, pred))
    taken = time.perf_counter() - start
    best = min(taken, best or taken)
print(best)
"""

UNIT = """
import gc, sys, time, orjson
from pathlib import Path
from calipers.kernels.shape.cuboids import cuboid_paired
from scene_pairs import candidates
if sys.argv[2] == "off":
    gc.disable()
files = [path.read_bytes() for side in ("gt", "pred") for path in sorted(Path(sys.argv[1], side).iterdir())]
a, b = candidates(sys.argv[1])
best = None
for _ in range(5):
    start = time.perf_counter()
    trees = [orjson.loads(file) for file in files]
    cuboid_paired(a, b, False)
    taken = time.perf_counter() - start
    del trees
    best = min(taken, best or taken)
print(best)
"""

SUITE = """
import sys, time, calipers
from pathlib import Path
calipers.scene([], [])  # imports are not what is measured
best = None
for _ in range(5):
    start = time.perf_counter()
    str(calipers.scene(Path(sys.argv[1], "gt"), Path(sys.argv[1], "pred")))
    taken = time.perf_counter() - start
    best = min(taken, best or taken)
print(best)
"""


def pairs(count: int) -> list[Claim]:
    """IoU of oriented boxes, pair by pair, on one core."""
    best = in_turn(
        {
            "oriented": partial(reported, PAIRS, "oriented", str(count)),
            "upright": partial(reported, PAIRS, "upright", str(count)),
            "scipy": partial(reported, SCIPY, "linprog", str(min(count, 300))),
            "scipy, point given": partial(reported, SCIPY, "given", str(min(count, 2000))),
        }
    )
    ours = best["oriented"]
    return [
        Claim("oriented pairs a second, one core", 1 / ours, "", at_least=400_000),
        Claim("upright pairs a second, one core", 1 / best["upright"], "", at_least=2_000_000),
        Claim("scipy half-space way, pairs a second", 1 / best["scipy"]),
        Claim("  … times that way, oriented", best["scipy"] / ours, "x", at_least=200),
        Claim("scipy with an interior point given, pairs a second", 1 / best["scipy, point given"]),
        Claim("  … times that way, oriented", best["scipy, point given"] / ours, "x"),
    ]


def large_scene(folder: Path, objects: int) -> list[Claim]:
    taken = min(reported(LARGE_SCENE, folder) for _ in range(3))
    return [Claim(f"calipers.scene, one scene of {objects:,} x {objects:,} boxes, with summary", taken, "s", at_most=1)]


def many_scenes(folder: Path, scenes: int) -> list[Claim]:
    best = in_turn(
        {
            "unit": partial(reported, UNIT, folder, "on"),
            "without collector": partial(reported, UNIT, folder, "off"),
            "suite": partial(reported, SUITE, folder),
        }
    )
    text = f"calipers.scene, {scenes:,} scenes of {OBJECTS} x {OBJECTS}"
    return [
        Claim(f"orjson.loads of {2 * scenes:,} files + IoU of candidates = 1 unit", best["unit"], "s"),
        Claim(text, best["suite"] / best["unit"], "x", at_most=3),
        Claim("  … against that unit with the garbage collector off", best["suite"] / best["without collector"], "x"),
    ]


def sections(data: Path, scenes: int, large: int, count: int) -> Iterator[Callable[[], list[Claim]]]:
    many = made(data / f"scene-{scenes}", lambda part: make_scenes(part, scenes, OBJECTS))
    one = made(data / f"scene-of-{large}", lambda part: make_scenes(part, 1, large))
    yield partial(pairs, count)
    yield partial(large_scene, one, large)
    yield partial(many_scenes, many, scenes)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what is claimed about the scene suite.")
    parser.add_argument("--scenes", type=int, default=1_000)
    parser.add_argument("--quick", action="store_true", help="few scenes and pairs, nothing judged")
    parser.add_argument("--data", type=Path, default=DATA, help="where inputs are kept")
    given = parser.parse_args()
    given.data.mkdir(parents=True, exist_ok=True)
    scenes, large, count = (50, 300, 2_000) if given.quick else (given.scenes, LARGE, 200_000)
    return report(sections(given.data, scenes, large, count), judged=not given.quick)


if __name__ == "__main__":
    sys.exit(main())
