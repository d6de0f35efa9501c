"""Writes a made-up `gt_vs_pred.jsonl` of any length, the same bytes for the same seed.

    python benchmarks/make_dump.py OUT.jsonl --records 50000

About 20 true and 20 predicted objects a record: 60 % boxes, 25 % convex quads, 15 % lines. Most predictions are
jittered truth; some truth is missed, some predictions are mislabelled, doubled or invented. 50,000 records are 290 MB.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import orjson

from shapes import Points, predicted, shape
from vocabulary import attributes, key_value, kinds_of, one_of, slashed

TYPES = ("bbox_2d", "poly", "line")
TYPE_SHARES = (60, 25, 15)
SIZES = {"bbox_2d": (20, 300), "poly": (20, 300), "line": (100, 600)}
DESCS = {"bbox_2d": 260, "poly": 140, "line": 100}
SPREADS = (0.02, 0.02, 0.03, 0.03, 0.05, 0.08, 0.2)  # most predictions are close
FRAMES = ((4032, 3024), (3024, 4032), (1920, 1080), (1280, 960))
PROMPT = (
    "请检测图中的设备、螺丝、光纤插头、标签与线缆，按从上到下、从左到右的顺序逐一列出；"
    "坐标归一化到 0-1000，线缆给出折线，其余给出矩形框或四边形，并用中文写出类别与全部可见属性。"
)


class Described(NamedTuple):
    type: str
    points: Points
    label: str
    desc: str

    def as_json(self) -> dict[str, Any]:
        return {"type": self.type, "points": self.points, "desc": self.desc}


class Descs:
    """A few hundred distinct descs: all of a type, and all of a type and label."""

    def __init__(self, rng: Random) -> None:
        self.of_type = {kind: distinct_descs(rng, kind, count) for kind, count in DESCS.items()}
        self.of_label: dict[tuple[str, str], list[str]] = defaultdict(list)
        for kind, found in self.of_type.items():
            for label, desc in found:
                self.of_label[kind, label].append(desc)


def distinct_descs(rng: Random, shape_type: str, count: int) -> list[tuple[str, str]]:
    """(label, desc) pairs, every tenth or so in the slash form."""
    found: dict[str, str] = {}
    while len(found) < count:
        kind = one_of(rng, kinds_of(shape_type))
        spell = slashed if rng.random() < 0.1 else key_value
        found[spell(kind, attributes(rng, kind))] = kind.label
    return [(label, desc) for desc, label in found.items()]


def make_dump(path: str | Path, records: int, seed: int = 0) -> None:
    """Write `records` lines to `path`, one by one."""
    rng = Random(seed)
    descs = Descs(rng)
    with open(path, "wb") as out:
        out.writelines(orjson.dumps(make_record(rng, descs, number)) + b"\n" for number in range(records))


def make_record(rng: Random, descs: Descs, number: int) -> dict[str, Any]:
    width, height = rng.choice(FRAMES)
    truth = [invented(rng, descs) for _ in range(rng.randint(12, 28))]
    return {
        "image_path": f"inspection/site_{number // 40:05}/IMG_{number:07}.jpg",
        "width": width,
        "height": height,
        "prompt": PROMPT,
        "gt_norm1000": [found.as_json() for found in truth],
        "pred": [found.as_json() for found in predictions(rng, descs, truth)],
    }


def invented(rng: Random, descs: Descs) -> Described:
    kind = rng.choices(TYPES, TYPE_SHARES)[0]
    return Described(kind, shape(rng, kind, SIZES[kind]), *rng.choice(descs.of_type[kind]))


def predictions(rng: Random, descs: Descs, truth: list[Described]) -> list[Described]:
    """One for most true objects, two for a few, and some that answer to nothing."""
    found = []
    for true in truth:
        copies = rng.choices((0, 1, 2), (9, 87, 4))[0]
        found += [guess(rng, descs, true) for _ in range(copies)]
    found += [invented(rng, descs) for _ in range(rng.choice((0, 1, 1, 2)))]
    return found


def guess(rng: Random, descs: Descs, true: Described) -> Described:
    """Off by a little, with the true desc, other attributes, or another label."""
    points, luck = predicted(rng, true.type, true.points, rng.choice(SPREADS)), rng.random()
    if luck < 0.72:
        return true._replace(points=points)
    if luck < 0.90:
        return true._replace(points=points, desc=rng.choice(descs.of_label[true.type, true.label]))
    return Described(true.type, points, *rng.choice(descs.of_type[true.type]))


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a made-up gt_vs_pred.jsonl.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--records", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    make_dump(given.out, given.records, given.seed)
    print(f"{given.out}: {given.records} records, {given.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
