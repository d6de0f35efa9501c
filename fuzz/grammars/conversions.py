"""Inputs of every suite, written in another format."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz.draft import Draft
from fuzz.grammars import dense, images, scenes, timelines, tools

OF_IMAGES = (images.coco, images.coco, images.yolo, images.voc, images.labelme, tools.cvat, tools.label_studio)
OTHERS = (timelines.from_json, timelines.from_csv, tools.spans, scenes.rooms)
MAX_BAD = 99  # more objects than a draft has, so that one which a format cannot hold is no error


def of_images(rng: Random) -> Draft:
    """One side of annotated images as COCO's JSON or as YOLO's labels."""
    draft = rng.choice(OF_IMAGES)(rng)
    arguments = draft.arguments
    side = rng.choice(("gt", "gt", "pred"))
    names = ("gt_format",) if side == "gt" else ("gt_format", "pred_format")
    options = {name: arguments[name] for name in names if name in arguments}
    options |= {"gt": arguments["gt"]} if side == "pred" else {}
    sizeless = side == "pred" and arguments.get("gt_format") == "label_studio"  # sizes are those of annotated images
    options |= {"to": rng.choice(("coco", "coco", "coco" if sizeless else "yolo", "plain"))}
    options |= rng.choice(({}, {"iou_type": "bbox"}))
    return _conversion([arguments[side]], "coco", side, options, draft)


def of_records(rng: Random) -> Draft:
    """A dump in its plain form, or one side of it in another."""
    draft = dense.plain(rng)
    target = rng.choice(("plain", "coco", "yolo")) if draft.arguments["frame"] == "pixel" else "plain"
    options = {"to": target, "frame": draft.arguments["frame"]}
    side = None if target == "plain" else rng.choice(("gt", "pred"))
    sources = draft.arguments["source"][: 1 if target == "yolo" else None]  # two may have images of one name
    return _conversion(sources, "dense", side, options, draft)


def of_others(rng: Random) -> Draft:
    """One side of videos or rooms in the plain form of their suite."""
    draft = rng.choice(OTHERS)(rng)
    side = rng.choice(("gt", "pred"))
    options = {"to": "plain"} | ({"fps": 30.0} if draft.call == "timeline" else {})
    return _conversion([draft.arguments[side]], draft.call, side, options, draft)


def _conversion(inputs: list[str], suite: str, side: str | None, options: dict[str, Any], draft: Draft) -> Draft:
    beside = {"max_bad_records": MAX_BAD, "suite": suite} | ({"side": side} if side else {})
    return Draft("convert", {"inputs": inputs} | options | beside, draft.docs)


GRAMMARS = {"convert-images": of_images, "convert-dense": of_records, "convert-others": of_others}
