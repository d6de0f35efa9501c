"""Made-up populations of records to draw sets from, one for each suite: what is true of all of them can be looked up.

A population has some thousand records with their ground truth and the answers of two models that are equally good. A
set of n records is drawn from it with replacement, so the large-sample value of a figure is the figure of the whole
population, without a limit to be guessed. Records differ in how hard they are, so objects of a record have much in
common. `loss` is the chance that an answer of the second model is lost: how one makes it worse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import calipers
import make_coco_demo as works
import make_timeline_demo as drives
from calipers.report import Report

Json = dict[str, Any]
Answer = tuple[Any, float]  # what a model says, and the luck by which it is lost: if that is below `loss`
LABELS = ("cone", "barrel", "sign", "worker", "fence", "board")
RARE = 20  # classes of the population that has rare ones
ROUTES = ("oooaiieooo", "ooaiieoooo", "oooaiioooo", "oooaiieooooaieooo", "ooaiiieooo", "oooaaiiieeooo")
SLIPS: tuple[tuple[drives.Slip, ...], ...] = (
    (),
    (),
    (drives.late,),
    (drives.flicker,),
    (drives.false_alarm,),
    (drives.split,),
    (drives.missed,),
    (drives.lingering,),
)


@dataclass(frozen=True)
class Record:
    """A record as it was made: its ground truth, and the answers of each of the two models."""

    truth: Any
    answers: tuple[list[Answer], list[Answer]]

    def kept(self, model: int, loss: float) -> list[Any]:
        """What a model says, without what is lost."""
        return [answer for answer, luck in self.answers[model] if luck >= loss]


@dataclass(frozen=True)
class Population:
    """How records are made and measured, and the sizes of sets that are worth a look."""

    name: str
    suite: str
    sizes: tuple[int, ...]
    make: Callable[[Random], Record]
    measure: Callable[..., Report]  # (records, model, loss, **options)
    gated: str  # a figure that a gate would look at

    def records(self, count: int) -> list[Record]:
        """The population; the same each time."""
        return [self.make(Random(f"{self.name} {number}")) for number in range(count)]


def luck(rng: Random, answers: list[Any]) -> list[Answer]:
    return [(answer, rng.random()) for answer in answers]


# Detections on images


def road_works(rng: Random) -> Record:
    """An image of the demo: eight classes, rows of cones, boxes seen twice and taken for something else."""
    picture = works.Picture(0, *rng.choice(((640, 480), (1280, 720))))
    things = works.scene(rng, picture)
    truth = [works.annotation(picture, thing) for thing in things]
    first, second = (luck(rng, works.detections(rng, picture, things)) for _ in range(2))
    return Record(truth, (first, second))


def rare_classes(rng: Random) -> Record:
    """An image of twenty classes, the last of which are rare; most objects of an image are of two of them."""
    weights = [1 / k for k in range(1, RARE + 1)]
    ease, about = rng.gauss(0, 0.7), rng.choices(range(1, RARE + 1), weights, k=2)

    def kind() -> int:
        return rng.choice(about) if rng.random() < 0.5 else rng.choices(range(1, RARE + 1), weights)[0]

    truth = [_annotated(rng, place, kind()) for place in rng.sample(range(25), rng.choice((1, 2, 3, 4, 6, 8, 12)))]
    found = [[*(row for thing in truth for row in _seen(rng, thing, ease))] for _ in range(2)]
    for rows in found:
        rows += [_row(_annotated(rng, rng.randrange(25), kind()), rng.gauss(-1.5, 1)) for _ in range(rng.randint(2, 9))]
    return Record(truth, (luck(rng, found[0]), luck(rng, found[1])))


def _annotated(rng: Random, place: int, kind: int) -> Json:
    """A box in one of 25 places."""
    width, height = rng.uniform(20, 90), rng.uniform(20, 90)
    box = [place % 5 * 100.0, place // 5 * 100.0, width, height]
    return {"category_id": kind, "bbox": box, "area": width * height, "iscrowd": 0}


def _seen(rng: Random, thing: Json, ease: float) -> list[Json]:
    """An object as a detector sees it: once, sometimes twice or not at all."""
    if rng.random() > 0.86 + 0.1 * ease:
        return []
    sure, off = rng.gauss(1.2 + 0.6 * ease, 1), 0.12 * 2 ** (-ease - 0.3 * rng.gauss(0, 1))
    x, y, width, height = thing["bbox"]
    near = [x + width * rng.gauss(0, off), y + height * rng.gauss(0, off), width, height]
    again = [_row(thing, sure - rng.expovariate(1.5))] if rng.random() < 0.12 else []
    return [_row(thing | {"bbox": near}, sure), *again]


def _row(thing: Json, sure: float) -> Json:
    return {"category_id": thing["category_id"], "bbox": thing["bbox"], "score": round(sure, 6)}


def measure_images(records: list[Record], model: int, loss: float = 0.0, **options: Any) -> Report:
    rows = [row | {"image_id": number} for number, each in enumerate(records, 1) for row in each.truth]
    truth = {
        "images": [{"id": number, "width": 1280, "height": 720} for number in range(1, len(records) + 1)],
        "categories": [{"id": k, "name": f"class {k}"} for k in range(1, RARE + 1)],
        "annotations": [row | {"id": place} for place, row in enumerate(rows, 1)],
    }
    found = [row | {"image_id": number} for number, each in enumerate(records, 1) for row in each.kept(model, loss)]
    return calipers.coco(truth, found, recall_target=0.5, **options)


# Records of a dump


def dense_record(rng: Random) -> Record:
    """Boxes in some of 25 places of an image, which a model finds, misses, misplaces or calls something else."""
    ease = rng.gauss(0, 1)
    places = rng.sample(range(25), rng.choice((1, 1, 2, 3, 4, 6, 9)))
    truth = [(place, rng.choice(LABELS)) for place in places]
    return Record([_object(rng, *one, 0.0) for one in truth], (_answers(rng, truth, ease), _answers(rng, truth, ease)))


def _answers(rng: Random, truth: list[tuple[int, str]], ease: float) -> list[Answer]:
    found = [one for one in truth if rng.random() < 0.85 + 0.08 * ease]
    named = [(place, label if rng.random() < 0.9 else rng.choice(LABELS)) for place, label in found]
    spurious = [(rng.randrange(25), rng.choice(LABELS)) for _ in range(rng.choice((0, 0, 1, 2)))]
    return luck(rng, [_object(rng, place, label, 0.12 * 2**-ease) for place, label in named + spurious])


def _object(rng: Random, place: int, label: str, off: float) -> Json:
    x, y = place % 5 * 200 + 40 + 120 * rng.gauss(0, off), place // 5 * 200 + 40 + 120 * rng.gauss(0, off)
    points = [min(max(round(number), 0), 1000) for number in (x, y, x + 120, y + 120)]
    return {"type": "bbox_2d", "points": points, "desc": f"类别={label}"}


def measure_dump(records: list[Record], model: int, loss: float = 0.0, **options: Any) -> Report:
    rows = [
        {"id": str(number), "gt_norm1000": each.truth, "pred_norm1000": each.kept(model, loss)}
        for number, each in enumerate(records)
    ]
    return calipers.dense(rows, **options)


# Videos


def drive(rng: Random) -> Record:
    """A drive past road works, and two warnings about it; where a warning is lost, nothing was said."""
    route = rng.choice(ROUTES)
    clip = drives.Clip("drive", 30, 18 * len(route) + 1, route, rng.choice(SLIPS))
    states = drives.drive(rng, clip)
    said = [drives.predicted(clip, drives.guess(rng, clip, states)) for _ in range(2)]
    first, second = (luck(rng, [each]) for each in said)
    return Record(drives.annotated(clip, states), (first, second))


def measure_videos(records: list[Record], model: int, loss: float = 0.0, **options: Any) -> Report:
    truth = {f"{number}.mp4": each.truth for number, each in enumerate(records)}
    silent = {"fps": 30, "states": {}}
    found = {f"{number}.mp4": [*each.kept(model, loss), silent][0] for number, each in enumerate(records)}
    return calipers.timeline(truth, found, **{"transition_tolerance_frames": 15, **options})


# Rooms


def room(rng: Random) -> Record:
    """A room with 3 to 15 things, each in a place of its own, and boxes that two methods put there."""
    ease = rng.gauss(0, 1)
    things = [_thing(place, rng.choice(LABELS[:3])) for place in range(rng.randint(3, 15))]
    found = [[_moved(rng, one, ease) for one in things if rng.random() < 0.8 + 0.1 * ease] for _ in range(2)]
    for boxes in found:
        boxes += [_thing(rng.randrange(20, 40), rng.choice(LABELS[:3])) for _ in range(rng.choice((0, 1, 1, 3)))]
    return Record(things, (luck(rng, found[0]), luck(rng, found[1])))


def _thing(place: int, label: str) -> Json:
    return {"label": label, "center": [3.0 * place, 0.0, 0.5], "size": [1.0, 1.0, 1.0]}


def _moved(rng: Random, thing: Json, ease: float) -> Json:
    center = [number + rng.gauss(0, 0.2 * 2**-ease) for number in thing["center"]]
    return thing | {"center": center, "label": thing["label"] if rng.random() < 0.9 else "door"}


def measure_rooms(records: list[Record], model: int, loss: float = 0.0, **options: Any) -> Report:
    meter = calipers.SceneMeter(**options)
    for number, each in enumerate(records):
        meter.update(each.truth, each.kept(model, loss), scene=str(number))
    return meter.compute()


POPULATIONS = (
    Population("images of road works", "coco", (80, 300, 1000), road_works, measure_images, "AP_50"),
    Population("images with rare classes", "coco", (80, 300, 1000), rare_classes, measure_images, "AP"),
    Population("records of a dump", "dense", (20, 80, 300), dense_record, measure_dump, "category.f1"),
    Population("drives", "timeline", (10, 20, 80), drive, measure_videos, "event_recall"),
    Population("rooms", "scene", (5, 10, 20, 80), room, measure_rooms, "recall"),
)
