"""Writes the data of `calipers demo coco`: made-up pictures of road works and what a detector found on them, the same
bytes each time.

    python benchmarks/make_coco_demo.py [FOLDER]

`instances.json` is the ground truth of 100 images, in COCO's form: cones and barrels in rows, barriers, fences, signs,
workers, vehicles and arrow boards, as a camera in a car sees them. Heaps of cones and groups of workers that nobody
would count are crowd regions. Two images are empty. The camera decides how large things are: most are small.

`results.json` is what a detector says, down to low scores. It misses small things, lays some boxes badly, sees things
twice, takes signs for workers and barrels for cones, and finds things in the background. It also knows message boards,
of which there are none. Three of its boxes cannot be read.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

OUT = Path(__file__).parent.parent / "src" / "calipers" / "data" / "coco"
IMAGES = 100
EMPTY, EMPTY_BUT_SEEN = 37, 74  # images without objects; on the second the detector finds something
CAMERA_HEIGHT = 1.5  # metres
LEAST_SIDE = 5.0  # pixels; smaller things are not annotated

Json = dict[str, Any]
Box = list[float]  # x, y, width, height


@dataclass(frozen=True)
class Kind:
    """A class: how large it is in metres, how often it stands somewhere, and how well the detector knows it."""

    name: str
    width: float
    height: float
    lift: float = 0.0  # of its lower edge above the road
    groups: tuple[int, ...] = (0,)  # how many groups an image has, drawn from these
    row: tuple[int, ...] = (1,)  # how many stand in a group
    skill: float = 0.9  # the share of large ones that is found
    taken_for: str | None = None


KINDS = (
    Kind("cone", 0.42, 0.75, groups=(0, 0, 1, 1, 2), row=(2, 3, 3, 4, 6), skill=0.97),
    Kind("barrel", 0.6, 1.0, groups=(0, 0, 1), row=(2, 3, 4), skill=0.94, taken_for="cone"),
    Kind("barrier", 2.0, 0.9, groups=(0, 0, 0, 1), row=(2, 3), skill=0.85, taken_for="fence"),
    Kind("sign", 0.9, 0.9, lift=1.4, groups=(0, 1, 1, 2), skill=0.92, taken_for="worker"),
    Kind("worker", 0.6, 1.75, groups=(0, 0, 1, 1), row=(1, 1, 2, 3), skill=0.88, taken_for="sign"),
    Kind("vehicle", 2.1, 1.7, groups=(0, 1, 1, 2), skill=0.96),
    Kind("arrow board", 2.3, 1.4, lift=1.3, groups=(0, 0, 0, 1), skill=0.9, taken_for="sign"),
    Kind("fence", 2.8, 1.2, groups=(0, 0, 0, 0, 1), row=(2, 3), skill=0.72, taken_for="barrier"),
    Kind("message board", 2.8, 1.8, lift=1.5, skill=0.0),  # the detector knows it; the images have none
)
IDS = {kind.name: place for place, kind in enumerate(KINDS, 1)}
ABSENT = KINDS[-1]


@dataclass(frozen=True)
class Picture:
    """An image and the camera that took it."""

    id: int
    width: int
    height: int

    def box(self, kind: Kind, side: float, away: float) -> Box | None:
        """Something at this place in metres, where it lies on the image and is not too small."""
        scale, horizon = 0.9 * self.width / away, 0.42 * self.height
        width, height = kind.width * scale, kind.height * scale
        left = self.width / 2 + side * scale - width / 2
        top = horizon + (CAMERA_HEIGHT - kind.lift) * scale - height
        return self.clipped([left, top, width, height])

    def clipped(self, box: Box) -> Box | None:
        """What of a box lies on the image; nothing if that is little of it."""
        left, top = max(0.0, box[0]), max(0.0, box[1])
        right, bottom = min(float(self.width), box[0] + box[2]), min(float(self.height), box[1] + box[3])
        width, height = right - left, bottom - top
        if min(width, height) < LEAST_SIDE or width * height < 0.5 * box[2] * box[3]:
            return None
        return [round(number, 1) for number in (left, top, width, height)]


@dataclass(frozen=True)
class Thing:
    """An object of the ground truth."""

    kind: Kind
    box: Box
    crowd: bool = False


def make_coco_demo(folder: str | Path, seed: int = 5) -> None:
    folder = Path(folder)
    images, annotations, results = [], [], []
    for number in range(1, IMAGES + 1):
        rng = Random(f"{seed} {number}")
        width, height = rng.choice(((640, 480), (1280, 720)))
        picture = Picture(number, width, height)
        images.append({"id": number, "file_name": f"works_{number:03d}.jpg", "width": width, "height": height})
        things = [] if number in (EMPTY, EMPTY_BUT_SEEN) else scene(rng, picture)
        annotations += [annotation(picture, thing) for thing in things]
        found = [] if number == EMPTY else detections(rng, picture, things)
        results += sorted(found, key=lambda row: -row["score"])
    spoil(results)
    for place, row in enumerate(annotations, 1):
        row["id"] = place
    categories = [{"id": IDS[kind.name], "name": kind.name} for kind in KINDS]
    tree = {"images": images, "categories": categories, "annotations": annotations}
    write(folder / "instances.json", "{" + ",\n".join(f'"{key}": {lines(rows)}' for key, rows in tree.items()) + "}\n")
    write(folder / "results.json", lines(results) + "\n")


# What is there


def scene(rng: Random, picture: Picture) -> list[Thing]:
    """Things along a road, and now and then a crowd of them."""
    things = [thing for kind in KINDS for _ in range(rng.choice(kind.groups)) for thing in group(rng, picture, kind)]
    if rng.random() < 0.09:
        things += crowd(rng, picture)
    return things


def group(rng: Random, picture: Picture, kind: Kind) -> list[Thing]:
    """Some of a kind in a row that leads away from the camera."""
    side, away = rng.uniform(-6, 6), rng.uniform(6, 34)
    step, aside = rng.uniform(1.3, 3.4) + kind.width, rng.uniform(-0.5, 0.5)
    places = [(side + aside * k, away + step * k) for k in range(rng.choice(kind.row))]
    boxes = [picture.box(kind, *place) for place in places]
    return [Thing(kind, box) for box in boxes if box]


def crowd(rng: Random, picture: Picture) -> list[Thing]:
    """A heap of cones or a group of workers, too many to be told apart."""
    kind = rng.choice([each for each in KINDS if each.name in ("cone", "worker")])
    heap = Kind(kind.name, kind.width * 6, kind.height * 1.2)
    box = picture.box(heap, rng.uniform(-5, 5), rng.uniform(12, 24))
    return [Thing(kind, box, crowd=True)] if box else []


def annotation(picture: Picture, thing: Thing) -> Json:
    row: Json = {"id": 0, "image_id": picture.id, "category_id": IDS[thing.kind.name], "bbox": thing.box}
    return row | {"area": round(thing.box[2] * thing.box[3], 1), "iscrowd": int(thing.crowd)}


# What is found


def detections(rng: Random, picture: Picture, things: list[Thing]) -> list[Json]:
    found = [row for thing in things for row in (in_crowd if thing.crowd else seen)(rng, picture, thing)]
    found += [row for _ in range(rng.randint(3, 10)) for row in imagined(rng, picture)]
    if rng.random() < 0.18:
        found += imagined(rng, picture, ABSENT, surest=0.72)
    return found


def seen(rng: Random, picture: Picture, thing: Thing) -> list[Json]:
    """What the detector says about an object: mostly one box, sometimes none, a bad one, or several."""
    ease = min(1.0, 0.3 + min(thing.box[2:]) / 40)
    if rng.random() > thing.kind.skill * (0.45 + 0.55 * ease):
        return hit(rng, picture, thing, 0.5, rng.triangular(0.05, 0.4, 0.1)) if rng.random() < 0.4 else []
    rough = rng.random() < 0.1
    sure = rng.triangular(0.3, 1.0, 0.55 + 0.4 * ease) - (0.25 if rough else 0.0)
    rows = hit(rng, picture, thing, 0.5 if rough else 0.07 + 1.2 / min(thing.box[2:]), sure)
    for row in rows:
        if thing.kind.taken_for and rng.random() < 0.09:
            row["category_id"] = IDS[thing.kind.taken_for]
    if rng.random() < 0.16:
        rows += hit(rng, picture, thing, 0.22, sure * rng.uniform(0.15, 0.8))
    if thing.kind.name == "arrow board" and rng.random() < 0.3:
        rows += [row | {"category_id": IDS[ABSENT.name], "score": score(rng.uniform(0.2, 0.8))} for row in rows[:1]]
    return rows


def hit(rng: Random, picture: Picture, thing: Thing, off: float, sure: float) -> list[Json]:
    """A box near an object; `off` is by how much of its size it may be wrong."""
    x, y, width, height = thing.box

    def error() -> float:
        return rng.triangular(-off, off)

    near = [x + width * error(), y + height * error(), width * (1 + error()), height * (1 + error())]
    box = picture.clipped(near)
    return [detection(picture, thing.kind, box, sure)] if box else []


def in_crowd(rng: Random, picture: Picture, region: Thing) -> list[Json]:
    """Some of a crowd, found one by one."""
    x, y, width, height = region.box
    each = [width / 6, height * 0.8]
    places = [(x + rng.uniform(0, width - each[0]), y + rng.uniform(0, height - each[1])) for _ in range(5)]
    boxes = [picture.clipped([*place, *each]) for place in places]
    return [detection(picture, region.kind, box, rng.triangular(0.1, 0.9, 0.5)) for box in boxes if box]


def imagined(rng: Random, picture: Picture, kind: Kind | None = None, surest: float = 0.6) -> list[Json]:
    """Something in the background that looks like a thing."""
    kind = kind or rng.choice(KINDS[:-1])
    box = picture.box(kind, rng.uniform(-9, 9), rng.uniform(7, 45))
    return [detection(picture, kind, box, rng.triangular(0.05, surest, 0.07))] if box else []


def detection(picture: Picture, kind: Kind, box: Box, sure: float) -> Json:
    return {"image_id": picture.id, "category_id": IDS[kind.name], "bbox": box, "score": score(sure)}


def score(sure: float) -> float:
    return round(min(0.9995, max(0.05, sure)), 4)


def spoil(results: list[Json]) -> None:
    """Three boxes of the kind that programs write: corners swapped, a number that was none, one that is missing."""
    boxes = [results[place]["bbox"] for place in (211, 640, 1033)]
    boxes[0][2] = -boxes[0][2]
    boxes[1][1] = None
    boxes[2].pop()


# Files


def lines(rows: list[Json]) -> str:
    """A list in JSON, an item a line."""
    return "[" + ",".join("\n" + json.dumps(row) for row in rows) + "\n]"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    make_coco_demo(sys.argv[1] if len(sys.argv) > 1 else OUT)
