"""Writes made-up scenes in the plain form: rooms with furniture, and a method that found most of it, roughly.

    python benchmarks/make_scenes.py FOLDER [SCENES] [OBJECTS]

`gt/` and `pred/` get a file for each scene, the same bytes each time. Half of the boxes are turned about the vertical
only, written as yaw; the others are tilted a little as well, written as quaternions.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from random import Random
from typing import Any

LABELS = ("chair", "table", "door", "sofa", "bed", "shelf", "lamp", "sink", "stove", "plant", "desk", "stool")
ROOM_M = 1.6  # of side for each root of the number of objects: what stands closely in a room


def make_scenes(folder: Path, scenes: int, objects: int, seed: int = 3) -> None:
    for side in ("gt", "pred"):
        (folder / side).mkdir(parents=True, exist_ok=True)
    for number in range(scenes):
        random = Random(f"{seed}/{number}")
        truth = [make_object(random, objects) for _ in range(objects)]
        pred = [found(random, each) for each in truth if random.random() < 0.85]
        pred += [make_object(random, objects) for _ in range(objects - len(pred))]
        for each in pred:
            each["score"] = round(random.uniform(0.2, 1.0), 4)
        for side, boxes in (("gt", truth), ("pred", pred)):
            text = json.dumps({"objects": [{"id": place, **box} for place, box in enumerate(boxes)]})
            (folder / side / f"room_{number:05}.json").write_text(text, encoding="utf-8")


def make_object(random: Random, objects: int) -> dict[str, Any]:
    side = ROOM_M * math.sqrt(objects)
    size = [round(random.uniform(0.3, 1.4), 4) for _ in range(3)]
    center = [round(random.uniform(0.0, side), 4), round(random.uniform(0.0, side), 4), round(size[2] / 2, 4)]
    return {"label": random.choice(LABELS), "center": center, "size": size, "rotation": make_rotation(random)}


def found(random: Random, truth: dict[str, Any]) -> dict[str, Any]:
    """The same object as a method sees it: a little off in every way."""
    return {
        "label": truth["label"] if random.random() < 0.9 else random.choice(LABELS),
        "center": [round(x + random.gauss(0, 0.08), 4) for x in truth["center"]],
        "size": [round(x * math.exp(random.gauss(0, 0.1)), 4) for x in truth["size"]],
        "rotation": make_rotation(random, truth["rotation"]),
    }


def make_rotation(random: Random, near: Any = None) -> Any:
    """A yaw, or a quaternion with a little tilt; near another one if that is given."""
    before = random.uniform(-math.pi, math.pi) if near is None else yaw_of(near)
    yaw = before + (0.0 if near is None else random.gauss(0, 0.1))
    if (random.random() < 0.5) if near is None else isinstance(near, dict):
        return {"yaw": round(yaw, 6)}
    tilt = random.gauss(0, 0.1)
    return [
        math.cos(yaw / 2) * math.sin(tilt / 2),
        math.sin(yaw / 2) * math.sin(tilt / 2),
        math.sin(yaw / 2) * math.cos(tilt / 2),
        math.cos(yaw / 2) * math.cos(tilt / 2),
    ]


def yaw_of(rotation: Any) -> float:
    return float(rotation["yaw"]) if isinstance(rotation, dict) else 2 * math.atan2(rotation[2], rotation[3])


if __name__ == "__main__":
    numbers = [int(value) for value in sys.argv[2:]]
    make_scenes(Path(sys.argv[1]), *(numbers + [100, 50][len(numbers) :]))
