"""Writes the data of `calipers demo scene`: three made-up rooms, mapped by two methods, the same bytes each time.

    python benchmarks/make_scene_demo.py [FOLDER]

`gt/` is the ground truth, annotated in point clouds (Supervisely). `pipeline/` is a method that writes scene graphs
with scores: its boxes are tight, but it sees some things twice, takes one for another, and finds a door in a mirror.
`clio/` is a method that writes Clio's GraphML: its boxes are rough, small things are missing, and things that stand
together become one. Both call what they find in words of their own.

A chair lies on its side, one box has no height, one has no label, and the pipeline also finds floors and walls, which
`eval_config.json` leaves out. The origin of a map is where the robot started, so no room stands along its axes.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

OUT = Path(__file__).parent.parent / "src" / "calipers" / "data" / "scene"
SAME = "="  # a method calls something as the ground truth does
CHAIR, STOOL, OFFICE_CHAIR, ARMCHAIR = (0.45, 0.45, 0.9), (0.38, 0.38, 0.7), (0.6, 0.6, 1.1), (0.85, 0.8, 0.9)
DESK, DOOR = (1.4, 0.7, 0.74), (0.9, 0.1, 2.05)
KEYS = ("node_type", "name", "position", "bbox_dim", "bbox_orientation")  # of Clio's nodes

Size = tuple[float, float, float]
Json = dict[str, Any]


@dataclass(frozen=True)
class Thing:
    """Something on the floor of a room. Angles are in degrees; `roll` is about its own first axis."""

    label: str
    x: float
    y: float
    size: Size
    yaw: float = 0
    roll: float = 0
    pipeline: str | None = SAME  # what this method calls it; "a > b" was retrieved as b; None: not found
    clio: str | None = SAME

    @property
    def z(self) -> float:
        roll = math.radians(self.roll)
        return (abs(self.size[1] * math.sin(roll)) + abs(self.size[2] * math.cos(roll))) / 2


@dataclass(frozen=True)
class Ghost(Thing):
    """Something that a method says is there, with this score."""

    score: float = 0.4


@dataclass(frozen=True)
class Room:
    """Things by their place in the room, where the robot started in it, and how far it stood turned against it."""

    name: str
    start: tuple[float, float]
    turn: float
    things: tuple[Thing, ...]
    pipeline: tuple[Ghost, ...] = ()
    clio: tuple[Ghost, ...] = ()


@dataclass(frozen=True)
class Skill:
    """How far off the boxes of a method are at most: metres, a share of the size, degrees of yaw, of tilt."""

    metres: float
    share: float
    yaw: float
    tilt: float


PIPELINE, CLIO = Skill(0.09, 0.12, 6, 2), Skill(0.32, 0.35, 20, 0)
KITCHEN = Room(
    "kitchen",
    start=(1.0, 0.4),
    turn=14,
    things=(
        Thing("Dining Table", 2.1, 1.7, (1.6, 0.9, 0.75), 4, clio="table"),
        Thing("chair", 1.0, 1.6, CHAIR, 12, pipeline="object > wooden chair"),
        Thing("chair", 3.2, 1.9, CHAIR, -170, pipeline="object > wooden chair"),
        Thing("chair", 2.3, 0.8, CHAIR, 95),
        Thing("chair", 1.9, 2.6, CHAIR, -80, pipeline="椅子", clio=None),
        Thing("bar_stool", 4.2, 3.1, STOOL, clio="stool"),
        Thing("bar_stool", 4.9, 3.1, STOOL, 8, clio=None),
        Thing("door", 0.5, 3.6, DOOR, pipeline="kitchen door"),
        Thing("fridge", 5.2, 0.5, (0.7, 0.7, 1.8), clio="refrigerator"),
    ),
    pipeline=(
        Ghost("kitchen door", 5.6, 2.2, DOOR, 90, score=0.38),  # a mirror
        Ghost("floor", 2.8, 1.9, (5.6, 3.8, 0.04), score=0.97),
        Ghost("wall", 2.8, 3.9, (5.6, 0.1, 2.4), score=0.93),
    ),
)
LIVING_ROOM = Room(
    "living_room",
    start=(2.4, 1.6),
    turn=-9,
    things=(
        Thing("sofa", 1.4, 0.6, (2.1, 0.9, 0.8), pipeline="Couch", clio=None),
        Thing("armchair", 3.6, 1.1, ARMCHAIR, -50, pipeline="arm-chair", clio="chair"),
        Thing("armchair", 3.4, 3.1, ARMCHAIR, 60, pipeline="arm-chair", clio="chair"),
        Thing("coffee table", 1.6, 2.0, (1.1, 0.6, 0.4), 5, clio="table"),
        Thing("side table", 4.5, 2.1, (0.45, 0.45, 0.5), pipeline="stool", clio=None),  # taken for a seat
        Thing("ottoman", 2.6, 2.7, (0.5, 0.5, 0.4), 45, pipeline="pouf"),
        Thing("double door", 0.9, 4.2, (1.6, 0.1, 2.1), clio="door"),
        Thing("lamp", 4.7, 0.4, (0.3, 0.3, 1.6), pipeline="floor lamp", clio=None),
    ),
    pipeline=(
        Ghost("arm-chair", 3.75, 1.3, (0.7, 0.7, 0.8), -40, score=0.44),  # seen twice
        Ghost("floor", 2.5, 2.2, (5.0, 4.4, 0.05), score=0.96),
    ),
    clio=(Ghost("sofa", 1.2, 0.8, (2.9, 1.7, 1.2), 6), Ghost("chair", 4.8, 0.5, (1.0, 0.9, 1.5))),  # with what is near
)
OFFICE = Room(
    "office",
    start=(2.7, 2.4),
    turn=23,
    things=(
        Thing("desk", 1.2, 1.0, DESK, pipeline="computer desk"),
        Thing("desk", 1.2, 3.2, DESK, pipeline="computer desk", clio=None),
        Thing("office chair", 1.2, 1.8, OFFICE_CHAIR, 33, pipeline="Office-Chair", clio="chair"),
        Thing("office chair", 2.6, 4.1, OFFICE_CHAIR, -25, roll=84, pipeline="chiar"),  # tipped over
        Thing("meeting table", 4.4, 2.7, (2.2, 1.0, 0.74), 30, clio="table"),
        Thing("chair", 3.4, 1.4, (0.5, 0.5, 0.9), 30, pipeline="object > chair"),
        Thing("chair", 5.3, 4.0, (0.5, 0.5, 0.9), -150, clio=None),
        Thing("chair", 5.0, 1.7, (0.5, 0.5, 0.9), 120, pipeline=None),
        Thing("glass door", 2.8, 5.0, (0.95, 0.1, 2.1), pipeline=None, clio="door frame"),
        Thing("indoor plant", 6.1, 0.6, (0.5, 0.5, 1.2), clio="plant"),
    ),
    pipeline=(
        Ghost("Office-Chair", 1.3, 1.95, OFFICE_CHAIR, 20, score=0.52),  # seen twice
        Ghost("chair", 5.1, 1.8, (0.5, 0.5, 0.0), score=0.31),  # its box collapsed
        Ghost("", 6.0, 4.6, (0.6, 0.4, 0.5), score=0.34),  # a cardboard box, perhaps
        Ghost("glass wall", 3.4, 5.2, (6.6, 0.08, 2.6), score=0.9),
    ),
    clio=(Ghost("desk", 1.5, 3.65, (2.0, 1.9, 1.2), -8), Ghost("chair", 0.3, 4.8, (0.6, 0.7, 1.0), 15)),
)
ROOMS = (KITCHEN, LIVING_ROOM, OFFICE)
CANONICAL = {"canonical_labels": ["seat", "table", "door"]}
ALIASES = {
    "aliases": {
        "armchair": "seat",
        "bar stool": "seat",
        "couch": "seat",
        "desk": "table",
        "ottoman": "seat",
        "sofa": "seat",
        "stool": "seat",
        "椅子": "seat",
    },
    "contains_rules": {"chair": "seat", "desk": "table", "door": "door", "table": "table"},
}
EVAL_CONFIG = {
    "matching": {
        "method": "greedy",
        "iou_mode": "obb",
        "frame_normalization": "none",
        "iou_threshold": 0.1,
        "require_label_match": False,
        "range_buckets_m": [2, 4],
        "compute_open_set_metrics": True,
        "os_similarity_threshold": 0.9,
    },
    "prediction": {
        "label_source": "prefer_retrieved_else_label",
        "ignore_raw_labels": ["floor", "ceiling"],
        "ignore_raw_contains": ["wall"],
        "ignore_canonical_labels": [],
    },
    "label_resolution": {
        "use_embedding_for_unresolved": False,
        "learn_new_aliases": False,
        "embedding_min_score": 0.5,
    },
    "paths": {"canonical_labels": "canonical_labels.json", "label_aliases": "label_aliases.json"},
}


def make_scene_demo(folder: str | Path, seed: int = 11) -> None:
    folder = Path(folder)
    for room in ROOMS:
        write(folder / "gt" / f"{room.name}.json", supervisely(room))
        write(folder / "pipeline" / f"{room.name}.json", scene_graph(Random(f"{seed} pipeline {room.name}"), room))
        write(folder / "clio" / f"{room.name}.graphml", graphml(Random(f"{seed} clio {room.name}"), room))
    for name, tree in (("canonical_labels", CANONICAL), ("label_aliases", ALIASES), ("eval_config", EVAL_CONFIG)):
        write(folder / f"{name}.json", json.dumps(tree, indent=2, ensure_ascii=False) + "\n")


# Boxes


@dataclass(frozen=True)
class Box:
    """A box where the map has it. Angles are in radians: first the roll, then the yaw."""

    center: list[float]
    size: list[float]
    yaw: float
    roll: float


def placed(room: Room, thing: Thing) -> Box:
    """A thing as the robot sees it from where it started."""
    turn, x, y = math.radians(room.turn), thing.x - room.start[0], thing.y - room.start[1]
    center = [math.cos(turn) * x - math.sin(turn) * y, math.sin(turn) * x + math.cos(turn) * y, thing.z]
    return Box(rounded(center), list(thing.size), math.radians(thing.yaw) + turn, math.radians(thing.roll))


def nearly(rng: Random, box: Box, skill: Skill) -> Box:
    """A box as a method finds it: off by a little, rarely by much."""

    def off(most: float) -> float:
        return rng.triangular(-most, most)

    center = [box.center[0] + off(skill.metres), box.center[1] + off(skill.metres), box.center[2] + off(0.06)]
    size = [side * (1 + off(skill.share)) for side in box.size]
    yaw, roll = box.yaw + math.radians(off(skill.yaw)), box.roll + math.radians(off(skill.tilt))
    return Box(rounded(center), rounded(size), yaw, roll)


def rounded(numbers: list[float], digits: int = 3) -> list[float]:
    return [round(number, digits) + 0.0 for number in numbers]  # no -0.0


def found(rng: Random, room: Room, method: str, skill: Skill) -> list[tuple[str, Box, Thing]]:
    """What a method found, and what it calls it; ghosts come last."""
    things = [(getattr(thing, method), thing) for thing in room.things]
    named = [(thing.label if said == SAME else said, thing) for said, thing in things if said is not None]
    boxes = [(label, nearly(rng, placed(room, thing), skill), thing) for label, thing in named]
    return boxes + [(ghost.label, placed(room, ghost), ghost) for ghost in getattr(room, method)]


# Formats


def supervisely(room: Room) -> str:
    """An annotation of a point cloud."""
    objects, figures = [], []
    for place, thing in enumerate(room.things):
        box = placed(room, thing)
        key = f"{room.name}-{place}"
        geometry = {"position": xyz(box.center), "rotation": xyz(rounded([box.roll, 0, box.yaw], 6))}
        geometry["dimensions"] = xyz(box.size)
        objects.append({"key": key, "classTitle": thing.label, "tags": []})
        figure = {"key": f"{key}-box", "objectKey": key, "geometryType": "cuboid_3d", "geometry": geometry}
        figures.append(figure)
    return laid_out({"description": "", "key": room.name, "tags": [], "objects": objects, "figures": figures})


def xyz(numbers: list[float]) -> Json:
    return dict(zip("xyz", numbers, strict=True))


def scene_graph(rng: Random, room: Room) -> str:
    """Objects with a pose, dimensions and a score."""
    objects = []
    for place, (said, box, thing) in enumerate(found(rng, room, "pipeline", PIPELINE)):
        label, _, retrieved = said.partition(" > ")
        item: Json = {"id": place, "label": label or None}
        if retrieved:
            item["retrieved_object_label"] = retrieved
        score = thing.score if isinstance(thing, Ghost) else round(rng.triangular(0.45, 0.99, 0.9), 2)
        pose = {"position": box.center, "orientation": quaternion(box), "dimensions": box.size}
        objects.append(item | pose | {"score": score})
    return laid_out({"objects": objects})


def quaternion(box: Box) -> list[float]:
    a, b = box.yaw / 2, box.roll / 2
    x, y = math.cos(a) * math.sin(b), math.sin(a) * math.sin(b)
    return rounded([x, y, math.sin(a) * math.cos(b), math.cos(a) * math.cos(b)], 9)


def graphml(rng: Random, room: Room) -> str:
    """Nodes with texts, and an edge to each object from the place it was seen from."""
    nodes = [("P0", {"node_type": "place", "position": "[0.0, 0.0, 0.0]"})]
    for place, (said, box, _) in enumerate(found(rng, room, "clio", CLIO)):
        data = {
            "node_type": "object",
            "name": f"find the {said}",
            "position": str(box.center),
            "bbox_dim": str(box.size),
        }
        nodes.append((f"O{place}", data | {"bbox_orientation": str(matrix(box))}))
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    lines += [f'  <key id="d{k}" for="node" attr.name="{name}" attr.type="string"/>' for k, name in enumerate(KEYS)]
    lines.append('  <graph edgedefault="undirected">')
    for key, data in nodes:
        texts = [f'      <data key="d{KEYS.index(name)}">{text}</data>' for name, text in data.items()]
        lines += [f'    <node id="{key}">', *texts, "    </node>"]
    lines += [f'    <edge source="P0" target="{key}"/>' for key, _ in nodes[1:]]
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def matrix(box: Box) -> list[list[float]]:
    """Its columns are the axes of the box."""
    (c, a), (s, b) = map(math.cos, (box.yaw, box.roll)), map(math.sin, (box.yaw, box.roll))
    return [rounded(row, 9) for row in ([c, -s * a, s * b], [s, c * a, -c * b], [0.0, b, a])]


def laid_out(tree: Json) -> str:
    """JSON to be read by people: a line an object."""
    lines = []
    for key, value in tree.items():
        items = [json.dumps(item, ensure_ascii=False) for item in value] if isinstance(value, list) else []
        text = "[" + ",".join(f"\n    {item}" for item in items) + "\n  ]" if items else json.dumps(value)
        lines.append(f"\n  {json.dumps(key)}: {text}")
    return "{" + ",".join(lines) + "\n}\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    make_scene_demo(sys.argv[1] if len(sys.argv) > 1 else OUT)
