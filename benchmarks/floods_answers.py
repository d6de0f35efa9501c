"""Floods of answers: what models write, one long text or many short ones, in the words of every family."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from flood import Flood

LENGTH = 4_500_000  # bytes of one answer
OBJECTS = {  # one object as each family writes it; {} are four numbers below 1,000
    "json": '{{"bbox_2d": [{}, {}, {}, {}], "label": "cat"}},',
    "qwen2": "<|object_ref_start|>cat<|object_ref_end|><|box_start|>({},{}),({},{})<|box_end|>",
    "qwen2.5": '{{"bbox_2d": [{}, {}, {}, {}], "label": "cat"}},',
    "qwen3": '{{"bbox_2d": [{}, {}, {}, {}], "label": "cat"}},',
    "gemini": '{{"box_2d": [{}, {}, {}, {}], "label": "cat"}},',
    "internvl": "<ref>cat</ref><box>[[{}, {}, {}, {}]]</box>",
    "paligemma": "<loc0{:03}><loc0{:03}><loc0{:03}><loc0{:03}> cat ; ",
    "florence": "cat<loc_{}><loc_{}><loc_{}><loc_{}>",
    "kosmos": "<phrase>cat</phrase><object><patch_index_0{:03}><patch_index_0{:03}></object>",
    "deepseek": "<|ref|>cat<|/ref|><|det|>[[{}, {}, {}, {}]]<|/det|>",
    "molmo": '<point x="{}" y="{}" alt="cat">cat</point>',
}
PIECES = (
    "[",
    '{"a":',
    "<",
    "<box>[[",
    "<point ",
    "<points x",
    "x1=",
    "<loc0001>",
    "<loc_1>",
    "<ref>a",
    "<|box_start|>(",
)


def answer(text: str, family: str, **fields: Any) -> Callable[[Path], list[str]]:
    """One record with one answer."""

    def make(folder: Path) -> list[str]:
        truth = [{"type": "bbox_2d", "points": [10, 10, 500, 500], "desc": "cat"}]
        record = {"id": 1, "width": 1000, "height": 1000, "gt_norm1000": truth, "pred": text, **fields}
        (folder / "flood.jsonl").write_text(json.dumps(record) + "\n")
        return ["dense", "{}/flood.jsonl", "--answers", family]

    return make


def objects(family: str, count: int) -> str:
    """An answer of many objects, all somewhere else."""
    rng, form = Random(1), OBJECTS[family]
    several = []
    for _ in range(count):
        x, y = rng.randint(0, 900), rng.randint(0, 900)
        several.append(form.format(x, y, x + rng.randint(1, 99), y + rng.randint(1, 99)))
    text = "".join(several)
    return f"[{text.rstrip(',')}]" if form.startswith("{") else text


def many_answers(folder: Path) -> list[str]:
    """60 answers of 70 kB each, all of which break off in another way."""
    lines = [answer_line(k, PIECES[k % len(PIECES)]) for k in range(60)]
    (folder / "flood.jsonl").write_text("".join(lines))
    return ["dense", "{}/flood.jsonl", "--answers", "auto"]


def answer_line(number: int, piece: str) -> str:
    truth = [{"type": "bbox_2d", "points": [10, 10, 500, 500], "desc": "cat"}]
    record = {"id": number, "width": 9, "height": 9, "gt_norm1000": truth, "pred": piece * (70_000 // len(piece))}
    return json.dumps(record) + "\n"


def joined(folder: Path) -> list[str]:
    """20,000 images in COCO form, and an answer for each, most of them twice."""
    images = [{"id": k, "file_name": f"{k}.jpg", "width": 640, "height": 480} for k in range(20_000)]
    tree = {"images": images, "categories": [{"id": 1, "name": "cat"}], "annotations": []}
    (folder / "gt.json").write_text(json.dumps(tree))
    lines = (json.dumps({"image": f"{k % 19_000}.jpg", "answer": "[]"}) + "\n" for k in range(38_000))
    (folder / "pred.jsonl").write_text("".join(lines))
    return ["dense", "--gt", "{}/gt.json", "--pred", "{}/pred.jsonl", "--answers", "auto", "--max-bad-records", "99999"]


FLOODS = (
    *(
        Flood(f"answers {family}, 20,000 objects", lambda folder, f=family: answer(objects(f, 20_000), f)(folder))
        for family in OBJECTS
    ),
    *(
        Flood(
            f"answers auto, {piece!r} for 4.5 MB",
            answer(piece * (LENGTH // len(piece) // (1 + ('"' in piece))), "auto"),
        )
        for piece in PIECES
    ),
    *(
        Flood(f"answers {family}, begun for 4.5 MB", answer(form[:9] * (LENGTH // 18), family))
        for family, form in OBJECTS.items()
    ),
    Flood("answers of 60 records, broken off", many_answers),
    Flood("answers for 20,000 images of COCO", joined),
)
