"""Writes the dump of `calipers demo dense`: 200 made-up records of a telecom site inspection, the same bytes each time.

    python benchmarks/make_demo.py [OUT.jsonl]

The truth is valid throughout. The predictions are those of a decent fine-tuned model: most objects found, some missed,
doubled, mislabelled or misread, and now and then an answer that is no valid object at all.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from make_dump import FRAMES
from shapes import Points, predicted, shape
from vocabulary import KINDS, Attributes, Kind, attributes, key_value, one_of, slashed

OUT = Path(__file__).parent.parent / "src" / "calipers" / "data" / "dense.jsonl"
RECORDS = 200
EMPTY, NO_TRUTH, NO_PRED = (59, 141), (83,), (120,)  # records without any object, or without one side
SPREADS = (0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.2)
SPELLINGS = ((key_value, key_value), (slashed, slashed), (slashed, key_value))  # of truth, of predictions
SPELLING_SHARES = (64, 33, 3)
SCENES = {
    "cabinet": ("BBU设备", "挡风板", "机柜空间", "BBU安装螺丝", "BBU端光纤插头", "标签", "光纤"),
    "ground": ("机柜处接地螺丝", "地排处接地螺丝", "标签", "电线"),
    "odf": ("ODF端光纤插头", "BBU端光纤插头", "标签", "光纤", "尾纤"),
    "tower": ("RRU设备", "紧固件", "站点距离", "标签", "尾纤", "接地线"),
}

Spell = Callable[[Kind, Attributes], str]
Json = dict[str, Any]


@dataclass(frozen=True)
class Thing:
    """One object before it is spelt."""

    kind: Kind
    type: str
    points: Points
    attributes: Attributes

    def as_json(self, spell: Spell) -> Json:
        return {"type": self.type, "points": self.points, "desc": spell(self.kind, self.attributes)}


def make_demo(path: str | Path, seed: int = 7) -> None:
    rng = Random(seed)
    records = [make_record(rng, number) for number in range(RECORDS)]
    add_malformed(records)
    for start, kind, change in ODDITIES:
        first_prediction(records[start:], kind, change)
    text = "".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records)
    Path(path).write_text(text, encoding="utf-8")


def make_record(rng: Random, number: int) -> Json:
    scene, (width, height) = rng.choice(list(SCENES)), rng.choice(FRAMES)
    kinds = [kind for kind in KINDS if kind.label in SCENES[scene]]
    spell_truth, spell_pred = rng.choices(SPELLINGS, SPELLING_SHARES)[0]
    truth = [invented(rng, kinds) for _ in range(rng.randint(2, 9))]
    pred = predictions(rng, kinds, truth)
    truth, pred = truth * (number not in EMPTY + NO_TRUTH), pred * (number not in EMPTY + NO_PRED)
    return {
        "image_path": f"{scene}/IMG_{number:04}.jpg",
        "width": width,
        "height": height,
        "gt_norm1000": [thing.as_json(spell_truth) for thing in truth],
        "pred_norm1000" if number % 9 == 4 else "pred": [thing.as_json(spell_pred) for thing in pred],
    }


def invented(rng: Random, kinds: list[Kind]) -> Thing:
    kind = one_of(rng, kinds)
    shape_type = kind.types[rng.random() < 0.35 and len(kind.types) > 1]
    return Thing(kind, shape_type, shape(rng, shape_type, kind.size), attributes(rng, kind))


def predictions(rng: Random, kinds: list[Kind], truth: list[Thing]) -> list[Thing]:
    found = [guess(rng, kinds, true) for true in truth for _ in range(rng.choices((0, 1, 2), (12, 85, 3))[0])]
    found += [invented(rng, kinds) for _ in range(rng.choices((0, 1, 2), (62, 30, 8))[0])]
    return found


def guess(rng: Random, kinds: list[Kind], true: Thing) -> Thing:
    """What the model says of a true object: about there, mostly the right label, attributes and text nearly right."""
    found = replace(true, points=predicted(rng, true.type, true.points, rng.choice(SPREADS)))
    if true.type == "poly" and rng.random() < 0.15:
        found = replace(found, type="bbox_2d", points=bounds(found.points))
    others = [kind for kind in kinds if true.type in kind.types and kind is not true.kind]
    if others and rng.random() < 0.12:
        kind = one_of(rng, others)
        return replace(found, kind=kind, attributes=attributes(rng, kind))
    return replace(found, attributes=misread(rng, true.kind, true.attributes))


def misread(rng: Random, kind: Kind, true: Attributes) -> Attributes:
    """Now and then another value, or a wrong character in a text."""
    other = attributes(rng, kind)
    return {key: misread_value(rng, key, value, other.get(key, value)) for key, value in true.items()}


def misread_value(rng: Random, key: str, value: str, other: str) -> str:
    if key == "文本" and rng.random() < 0.4:
        place = rng.randrange(len(value))
        return value[:place] + rng.choice(("", "0", "1", "8", "-")) + value[place + 1 :]
    return other if key != "文本" and rng.random() < 0.15 else value


def bounds(points: Points) -> Points:
    return [min(points[0::2]), min(points[1::2]), max(points[0::2]), max(points[1::2])]


MALFORMED: tuple[Any, ...] = (
    {"type": "poly", "points": [312, 118, 455, 121, 452, 240, 310], "desc": "类别=标签,文本=5G-AAU2-光纤"},
    {"type": "bbox_2d", "points": [120, float("nan"), 260, 300], "desc": "类别=BBU设备,品牌=华为,可见性=完整"},
    {"type": "bbox", "points": [640, 512, 702, 580], "desc": "类别=BBU安装螺丝,可见性=完整,符合性=符合"},
    {"type": "line", "points": [402, 377], "desc": "类别=光纤,可见性=部分,保护措施=有保护"},
    "类别=挡风板",
    {"type": "bbox_2d", "points": [233, 610, 301, 655]},  # no desc: valid, with an empty label
    {"type": "bbox_2d", "points": ["71", "80", "142", "166"], "desc": "螺丝、光纤插头/BBU端光纤插头,显示完整"},
    {"type": "bbox_2d", "points": [510, 333, 510, 402], "desc": "类别=标签,文本=LTE-BBU2,尾纤=1"},  # no area
    {"type": "bbox_2d", "points": [450, 90, 530], "desc": "标签/无法识别"},
    None,
)


def add_malformed(records: list[Json]) -> None:
    """One to every 17th record, among its other predictions."""
    for number, found in enumerate(MALFORMED):
        pred = predictions_of(records[17 * number + 6])
        pred.insert(min(2, len(pred)), found)


def predictions_of(record: Json) -> list[Any]:
    found: list[Any] = record["pred_norm1000"] if "pred_norm1000" in record else record["pred"]
    return found


def first_prediction(records: list[Json], kind: str, change: Callable[[Points], list[Any]]) -> None:
    """Change the points of the first prediction of that type."""
    found = (thing for record in records for thing in predictions_of(record) if isinstance(thing, dict))
    first = next(thing for thing in found if thing["type"] == kind)
    first["points"] = change(first["points"])


def beyond_right(points: Points) -> Points:
    """Moved over the right edge of the frame by a few units."""
    shift = 1003 - max(points[0::2])
    return [value + shift * (axis % 2 == 0) for axis, value in enumerate(points)]


def beyond_top(points: Points) -> Points:
    return [value - (min(points[1::2]) + 4) * (axis % 2) for axis, value in enumerate(points)]


def bow_tie(points: Points) -> Points:
    """Two neighbouring corners of a quad swapped."""
    return points[:2] + points[4:6] + points[2:4] + points[6:]


def other_corners(points: Points) -> Points:
    return points[2:] + points[:2]


def nested(points: Points) -> list[list[int]]:
    return [points[at : at + 2] for at in range(0, len(points), 2)]


ODDITIES: tuple[tuple[int, str, Callable[[Points], list[Any]]], ...] = (
    (14, "bbox_2d", beyond_right),
    (32, "poly", bow_tie),
    (49, "line", beyond_top),
    (66, "poly", nested),
    (97, "bbox_2d", other_corners),
    (115, "poly", bow_tie),
    (133, "poly", beyond_right),
    (151, "line", nested),
)


if __name__ == "__main__":
    make_demo(sys.argv[1] if len(sys.argv) > 1 else OUT)
