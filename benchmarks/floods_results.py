"""Floods of scenes, timelines and detections: objects that all overlap, many labels, states, signs and classes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flood import Flood

Sides = Callable[[], tuple[Any, Any]]
CHANCE = random.Random(1)


def word() -> str:
    return "".join(CHANCE.choices("abcdefghijklmnopqrstuvwxyz", k=12))


def letters(count: int) -> str:
    return "".join(CHANCE.choices("abcdefghij", k=count))


def flood(suite: str, what: str, make: Sides, *options: str) -> Flood:
    """Ground truth and predictions in a file each."""

    def write(folder: Path) -> list[str]:
        for name, side in zip(("gt", "pred"), make(), strict=True):
            (folder / f"{name}.json").write_text(json.dumps(side, separators=(",", ":")))
        return [suite, "--gt", "{}/gt.json", "--pred", "{}/pred.json", *options]

    return Flood(f"{suite} {what}", write)


def rooms(count: int, size: float, label: Callable[[], str], step: float = 0.0) -> Sides:
    def side() -> dict[str, Any]:
        places = ([round(step * k + CHANCE.random(), 3), round(CHANCE.random(), 3), 0] for k in range(count))
        return {
            "objects": [
                {"label": label(), "center": place, "size": [size] * 3, "score": round(CHANCE.random(), 4)}
                for place in places
            ]
        }

    return lambda: (side(), side())


def videos(states: Any, **beside: Any) -> Sides:
    return lambda: ({"a.mp4": states | beside}, {"a.mp4": {"fps": 30, "states": states} | beside})


def renamed_states(count: int, length: int) -> Sides:
    """States of long names, none of which both sides have."""
    truth, pred = ({letters(length): [[k, k]] for k in range(count)} for _ in range(2))
    return lambda: ({"a.mp4": truth}, {"a.mp4": {"fps": 30, "states": pred}})


def images(count: int, classes: int, shape: dict[str, Any], width: int = 200) -> Sides:
    rows = [{"id": k + 1, "image_id": 1, "category_id": k % classes + 1} | shape for k in range(count)]
    names = [{"id": k + 1, "name": f"c{k}"} for k in range(classes)]
    truth = {"images": [{"id": 1, "width": width, "height": 1000}], "categories": names, "annotations": rows}
    return lambda: (truth, [row | {"score": k / count} for k, row in enumerate(rows, 1)])


def rare(classes: int) -> Sides:
    """Classes of one object each, ten on an image."""
    rows = [{"image_id": k // 10, "category_id": k, "bbox": [0, 0, 9, 9]} for k in range(classes)]
    truth = {
        "images": [{"id": k, "width": 99, "height": 99} for k in range(classes // 10 + 1)],
        "categories": [{"id": k, "name": f"{k}"} for k in range(classes)],
        "annotations": [row | {"id": k, "area": 81} for k, row in enumerate(rows, 1)],
    }
    return lambda: (truth, [row | {"score": k % 97 / 97} for k, row in enumerate(rows)])


ZIGZAG = {"segmentation": [[value for k in range(400) for value in (1_000_000 * (k % 2), k)]]}
FLOODS = (
    flood("scene", "6,000 labels", rooms(6000, 1, word, 3)),
    flood("scene", "8,000 boxes", rooms(8000, 2, lambda: "a")),
    flood("scene", "6,000 boxes by distance", rooms(6000, 0.001, lambda: "a")),
    flood("scene", "1,700 boxes", rooms(1700, 2, lambda: "a")),
    flood("scene", "2,000 labels of 1,000 characters", rooms(2000, 1, lambda: letters(1000), 3)),
    flood("scene", "10,000 labels of 200 characters", rooms(10_000, 1, lambda: letters(200), 3)),
    flood("check", "2,400 labels of scenes", rooms(2400, 1, word, 3)),
    flood("check", "200 labels of scenes, of 10,000 characters", rooms(200, 1, lambda: letters(10_000), 3)),
    flood("check", "200 states of 10,000 characters", renamed_states(200, 10_000)),
    flood("timeline", "10k intervals", videos({"inside": [[k, 100_000 + k] for k in range(10_000)]})),
    flood(
        "timeline", "5k signs", videos({"inside": [[0, 9]]}, ocr=[{"frame": 1, "text": f"s{k}"} for k in range(5000)])
    ),
    flood("timeline", "60k states", videos({f"s{k}": [[k, k]] for k in range(60_000)})),
    flood("coco", "10k boxes in one image", images(10_000, 1, {"bbox": [0, 0, 10, 10]})),
    flood("check", "10k boxes in one image", images(10_000, 1, {"bbox": [0, 0, 10, 10]})),
    flood("check", "3,100 boxes in one image", images(3100, 1, {"bbox": [0, 0, 600, 600]}, 1000)),
    flood("check", "1,200 boxes in one image", images(1200, 1, {"bbox": [0, 0, 600, 600]}, 1000)),
    flood("coco", "15k classes of an object", rare(15_000)),
    flood("coco", "15k classes of an object, with a folder", rare(15_000), "-o", "{}/out"),
    flood("check", "15k classes of an object", rare(15_000)),
    flood("coco", "10k classes", images(10_000, 10_000, {"bbox": [0, 0, 10, 10]})),
    flood("coco", "polygon across a wide image", images(1, 1, ZIGZAG, 1_000_000), "--iou-type", "segm"),
)
