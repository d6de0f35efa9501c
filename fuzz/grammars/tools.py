"""Files of annotation tools: CVAT and Label Studio for images, ELAN, Audacity labels and CSV of spans for videos."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz.draft import Doc, Draft
from fuzz.grammars.timelines import STATES, pred_of
from fuzz.writers import write_csv, write_json, write_text, write_xml

CLASSES = ("cone", "sign", "worker")
WIDTH, HEIGHT = 640, 480


def _options(rng: Random) -> dict[str, Any]:
    return {"bootstrap": rng.choice((0, 5)), "max_bad_records": rng.choice((0, 0, 9)), "jobs": 1}


def _cvat_shape(rng: Random, label: str, score: bool) -> list[Any]:
    x, y = rng.randint(0, 500), rng.randint(0, 300)
    more = [["attribute", {"name": "score"}, [str(round(rng.random(), 2))]]] if score else []
    if rng.random() < 0.6:
        corners = {"xtl": f"{x}.00", "ytl": str(y), "xbr": str(x + 40), "ybr": str(y + 30.5)}
        turned = {"rotation": "90.0"} if rng.random() < 0.1 else {}
        return ["box", {"label": label, "occluded": "0"} | corners | turned, more]
    points = ";".join(f"{x + dx}.00,{y + dy}.50" for dx, dy in ((0, 0), (40, 0), (20, 30)))
    return ["polygon", {"label": label, "points": points}, more]


def _cvat(rng: Random, images: int, score: bool) -> Doc:
    """The first image has every class, so that predictions may."""
    parts: list[Any] = [["version", {}, ["1.1"]]]
    for number in range(images):
        labels = CLASSES if not number else rng.choices(CLASSES, k=rng.randint(0, 3))
        shapes = [_cvat_shape(rng, label, score) for label in labels]
        size = {"width": str(WIDTH), "height": str(HEIGHT)}
        parts.append(["image", {"id": str(number), "name": f"day/{number}.jpg"} | size, shapes])
    return Doc(["annotations", {}, parts], write_xml)


def cvat(rng: Random) -> Draft:
    """Documents of CVAT on both sides."""
    images = rng.randint(1, 3)
    docs = {"gt.xml": _cvat(rng, images, score=False), "pred.xml": _cvat(rng, images, score=True)}
    formats = {"gt_format": "cvat", "pred_format": "cvat"} if rng.random() < 0.5 else {}
    return Draft("coco", {"gt": "gt.xml", "pred": "pred.xml", **formats, **_options(rng)}, docs)


def _studio_result(rng: Random, label: str) -> dict[str, Any]:
    size = {"original_width": WIDTH, "original_height": HEIGHT, "image_rotation": 0}
    x, y = rng.randint(0, 60), rng.randint(0, 60)
    if rng.random() < 0.6:
        value: dict[str, Any] = {"x": x, "y": y + 0.5, "width": 12.5, "height": 9, "rotation": 0}
        return size | {"type": "rectanglelabels", "value": value | {"rectanglelabels": [label]}}
    value = {"points": [[x, y], [x + 20, y], [x + 10, y + 9.5]], "polygonlabels": [label]}
    return size | {"type": "polygonlabels", "value": value}


def _studio(rng: Random, images: int, score: bool) -> Doc:
    """The first task has every class, so that predictions may."""
    tasks = []
    for number in range(images):
        labels = CLASSES if not number else rng.choices(CLASSES, k=rng.randint(0, 3))
        results: list[Any] = [_studio_result(rng, label) for label in labels]
        entry = {"id": number, "result": results} | ({"score": 0.5} if score else {"was_cancelled": False})
        sides = ([], [entry]) if score else ([entry], [])
        image = {"image": f"/data/upload/{number}.jpg"}
        tasks.append({"id": number, "data": image, "annotations": sides[0], "predictions": sides[1]})
    return Doc(tasks, write_json)


def label_studio(rng: Random) -> Draft:
    """Tasks on both sides."""
    images = rng.randint(1, 3)
    docs = {"gt.json": _studio(rng, images, score=False), "pred.json": _studio(rng, images, score=True)}
    formats = {"gt_format": "label_studio", "pred_format": "label_studio"}
    return Draft("coco", {"gt": "gt.json", "pred": "pred.json", **formats, **_options(rng)}, docs)


def _spans(rng: Random) -> list[tuple[float, float, str]]:
    """(start, end, state) in seconds, one after the other."""
    spans, at = [], 0.0
    for _ in range(rng.randint(1, 6)):
        length = rng.choice((0.5, 1.0, 2.4))
        spans.append((at, at + length, rng.choice(STATES)))
        at += length + rng.choice((0, 0, 0.1))
    return spans


def _elan(rng: Random) -> Doc:
    spans = _spans(rng)
    times = sorted({round(1000 * time) for start, end, _ in spans for time in (start, end)})
    slots = [["TIME_SLOT", {"TIME_SLOT_ID": f"ts{time}", "TIME_VALUE": str(time)}, []] for time in times]
    entries = []
    for number, (start, end, state) in enumerate(spans):
        slot = {"TIME_SLOT_REF1": f"ts{round(1000 * start)}", "TIME_SLOT_REF2": f"ts{round(1000 * end)}"}
        value = [["ANNOTATION_VALUE", {}, [state]]]
        entries.append(["ANNOTATION", {}, [["ALIGNABLE_ANNOTATION", {"ANNOTATION_ID": f"a{number}"} | slot, value]]])
    header = ["HEADER", {"TIME_UNITS": "milliseconds"}, []]
    parts = [header, ["TIME_ORDER", {}, slots], ["TIER", {"TIER_ID": "states"}, entries]]
    return Doc(["ANNOTATION_DOCUMENT", {"FORMAT": "3.0"}, parts], write_xml)


def _audacity(rng: Random) -> Doc:
    return Doc([f"{start:.6f}\t{end:.6f}\t{state}\n" for start, end, state in _spans(rng)], write_text)


def _csv(rng: Random) -> Doc:
    return Doc([["start", "end", "label"], *([*span] for span in _spans(rng))], write_csv)


def spans(rng: Random) -> Draft:
    """Ground truth of a tool in a file per video, and predictions as JSON."""
    ending, make = rng.choice([(".eaf", _elan), (".txt", _audacity), (".csv", _csv)])
    names = [f"drive_{number}" for number in range(rng.randint(1, 2))]
    docs = {f"gt/{name}{ending}": make(rng) for name in names}
    docs["pred.json"] = Doc(pred_of(rng, names), write_json)
    gt = "gt" if rng.random() < 0.5 else next(iter(docs))
    return Draft("timeline", {"gt": gt, "pred": "pred.json", "fps": 30.0, **_options(rng)}, docs)


GRAMMARS = {"cvat": cvat, "label-studio": label_studio, "spans": spans}
