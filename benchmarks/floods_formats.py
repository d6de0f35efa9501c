"""Floods of annotation tools: CVAT, Label Studio and LabelMe for images, ELAN, Audacity and CSV for videos."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from flood import Flood

PRED = {"drive": {"fps": 30, "states": {"inside": [[0, 99]]}}}


def images(name: str, text: Callable[[bool], str], kind: str) -> Callable[[Path], list[str]]:
    """A tool's file on both sides; that of predictions has scores."""

    def make(folder: Path) -> list[str]:
        (folder / name).write_text(text(False))
        (folder / f"pred-{name}").write_text(text(True))
        return ["coco", "--gt", f"{{}}/{name}", "--pred", f"{{}}/pred-{name}", *formats]

    formats = ["--gt-format", kind, "--pred-format", kind]
    return make


def video(name: str, text: Callable[[], str], *options: str) -> Callable[[Path], list[str]]:
    def make(folder: Path) -> list[str]:
        (folder / name).write_text(text())
        (folder / "pred.json").write_text(json.dumps(PRED))
        return ["timeline", "--gt", f"{{}}/{name}", "--pred", "{}/pred.json", "--fps", "30", *options]

    return make


def frames(text: Callable[[], str]) -> Callable[[Path], list[str]]:
    def make(folder: Path) -> list[str]:
        (folder / "drive.csv").write_text(text())
        (folder / "gt.json").write_text(json.dumps({"drive": {"inside": [[0, 99]], "fps": 30}}))
        return ["timeline", "--gt", "{}/gt.json", "--pred", "{}/drive.csv"]

    return make


def cvat(*parts: str) -> str:
    return f'<?xml version="1.0" encoding="utf-8"?>\n<annotations><version>1.1</version>{"".join(parts)}</annotations>'


def cvat_image(number: int, *shapes: str) -> str:
    return f'<image id="{number}" name="{number}.jpg" width="900" height="900">{"".join(shapes)}</image>'


SCORE = '<attribute name="score">0.5</attribute>'


def cvat_box(score: bool, label: str = "a") -> str:
    return f'<box label="{label}" xtl="1" ytl="2" xbr="9" ybr="8">{SCORE * score}</box>'


def cvat_polygon(count: int, score: bool) -> str:
    points = ";".join(f"{k % 900},{k * 7919 % 900}" for k in range(count))
    return f'<polygon label="a" points="{points}">{SCORE * score}</polygon>'


def laughs() -> str:
    """A document that would be 10**9 words if its entities were replaced."""
    entities = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 10))
    return f'<!DOCTYPE annotations [<!ENTITY e0 "ha">{entities}]><annotations><image name="&e9;"/></annotations>'


def task(number: int, results: list[dict[str, object]], score: bool) -> dict[str, object]:
    entries = [{"result": results, "score": 0.5}]
    sides = {"annotations": [] if score else entries, "predictions": entries if score else []}
    return {"id": number, "data": {"image": f"{number}.jpg"}, **sides}


def rectangle(label: str = "a") -> dict[str, object]:
    value = {"x": 1, "y": 2, "width": 10, "height": 10, "rectanglelabels": [label]}
    return {"value": value, "original_width": 640, "original_height": 480, "type": "rectanglelabels"}


def outline(count: int) -> dict[str, object]:
    value = {"points": [[k % 100, k * 7919 % 100] for k in range(count)], "polygonlabels": ["a"]}
    return {"value": value, "original_width": 640, "original_height": 480, "type": "polygonlabels"}


def labelme(count: int, points: int, score: bool) -> str:
    ring = [[k % 900, k * 7919 % 900] for k in range(points)]
    scored = {"score": 0.5} if score else {}
    shapes = [{"label": "a", "points": ring, "shape_type": "polygon", **scored} for _ in range(count)]
    return json.dumps({"shapes": shapes, "imagePath": "1.jpg", "imageWidth": 900, "imageHeight": 900})


def elan(count: int, label: Callable[[int], str]) -> str:
    slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="t{k}" TIME_VALUE="{k * 40}"/>' for k in range(count + 1))
    head = '<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a" TIME_SLOT_REF1="t{}" TIME_SLOT_REF2="t{}">'
    tail = "<ANNOTATION_VALUE>{}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
    spans = "".join(head.format(k, k + 1) + tail.format(label(k)) for k in range(count))
    return (
        '<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/>'
        f'<TIME_ORDER>{slots}</TIME_ORDER><TIER TIER_ID="d">{spans}</TIER></ANNOTATION_DOCUMENT>'
    )


def labels(count: int, line: Callable[[int], str], head: str = "") -> Callable[[], str]:
    return lambda: head + "".join(line(k) for k in range(count))


TWO = ("outside", "inside")
FLOODS = (
    Flood(
        "cvat 25,000 boxes in one image",
        images("a.xml", lambda score: cvat(cvat_image(0, *[cvat_box(score)] * 25_000)), "cvat"),
    ),
    Flood(
        "cvat 20,000 labels",
        images("a.xml", lambda score: cvat(cvat_image(0, *(cvat_box(score, f"l{k}") for k in range(20_000)))), "cvat"),
    ),
    Flood("cvat 25,000 images", images("a.xml", lambda score: cvat(*(cvat_image(k) for k in range(25_000))), "cvat")),
    Flood(
        "cvat polygons of 250,000 points",
        images("a.xml", lambda score: cvat(cvat_image(0, cvat_polygon(250_000, score))), "cvat"),
    ),
    Flood("cvat 300,000 nested elements", images("a.xml", lambda _: cvat("<g>" * 300_000, "</g>" * 300_000), "cvat")),
    Flood("cvat entities within entities", images("a.xml", lambda _: laughs(), "cvat")),
    Flood(
        "label studio 12,000 boxes in one task",
        images("a.json", lambda score: json.dumps([task(1, [rectangle()] * 12_000, score)]), "label_studio"),
    ),
    Flood(
        "label studio 9,000 tasks and labels",
        images(
            "a.json",
            lambda score: json.dumps([task(k, [rectangle(f"l{k}")], score) for k in range(9_000)]),
            "label_studio",
        ),
    ),
    Flood(
        "label studio polygons of 200,000 points",
        images("a.json", lambda score: json.dumps([task(1, [outline(200_000)], score)]), "label_studio"),
    ),
    Flood("labelme 800 polygons of 200 points", images("a.json", lambda score: labelme(800, 200, score), "labelme")),
    Flood("labelme polygons of 150,000 points", images("a.json", lambda score: labelme(1, 150_000, score), "labelme")),
    Flood("elan 20,000 spans", video("drive.eaf", lambda: elan(20_000, lambda k: TWO[k % 2]))),
    Flood("elan 20,000 states", video("drive.eaf", lambda: elan(20_000, lambda k: f"s{k}"))),
    Flood(
        "audacity 150,000 spans",
        video("drive.txt", labels(150_000, lambda k: f"{k / 10}\t{k / 10 + 0.1}\t{TWO[k % 2]}\n")),
    ),
    Flood(
        "audacity 150,000 spans that overlap",
        video("drive.txt", labels(150_000, lambda k: f"{k / 10}\t99999\t{TWO[k % 2]}\n")),
    ),
    Flood("audacity a span of 30 years", video("drive.txt", lambda: "0\t1e9\tinside\n1e9\t1.1e9\toutside\n")),
    Flood(
        "csv of 200,000 spans",
        video("drive.csv", labels(200_000, lambda k: f"{k},{k + 1},{TWO[k % 2]}\n", "start,end,label\n")),
    ),
    Flood(
        "csv of 200,000 states",
        video("drive.csv", labels(200_000, lambda k: f"{k},{k + 1},s{k}\n", "start,end,label\n")),
    ),
    Flood(
        "timeline csv of 300,000 frames",
        frames(labels(300_000, lambda k: f"{k},{TWO[k % 2]}\n", "frame,state\n")),
    ),
    Flood(
        "timeline csv of frames far apart",
        frames(labels(200_000, lambda k: f"{k * 4999},{TWO[k % 2]}\n", "frame,state\n")),
    ),
    Flood("timeline csv of 300,000 states", frames(labels(300_000, lambda k: f"{k},s{k}\n", "frame,state\n"))),
)
