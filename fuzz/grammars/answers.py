"""Answers of models in records, in the words of each family, and records that are sliced by their fields."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from fuzz.draft import Doc, Draft
from fuzz.grammars.dense import records, shape
from fuzz.writers import write_csv, write_kept_lines, write_lines

LABELS = ("cat", "标签", "a, b", "")
FAMILIES = (
    "json",
    "qwen2",
    "qwen2.5",
    "qwen3",
    "gemini",
    "internvl",
    "paligemma",
    "florence",
    "kosmos",
    "deepseek",
    "molmo",
)


def _object(rng: Random, family: str) -> str:
    """An object as a family writes it."""
    label, (x, y) = rng.choice(LABELS), (rng.randint(0, 400), rng.randint(0, 400))
    right, bottom = x + rng.randint(1, 400), y + rng.randint(1, 400)
    keys = {"gemini": "box_2d"}
    forms = {
        "qwen2": f"<|object_ref_start|>{label}<|object_ref_end|><|box_start|>({x},{y}),({right},{bottom})<|box_end|>",
        "internvl": f"<ref>{label}</ref><box>[[{x}, {y}, {right}, {bottom}]]</box>",
        "paligemma": f"<loc{y:04}><loc{x:04}><loc{bottom:04}><loc{right:04}> {label} ; ",
        "florence": f"{label}<loc_{x}><loc_{y}><loc_{right}><loc_{bottom}>",
        "kosmos": f"<phrase>{label}</phrase><object><patch_index_{x:04}><patch_index_{right:04}></object>",
        "deepseek": f"<|ref|>{label}<|/ref|><|det|>[[{x}, {y}, {right}, {bottom}]]<|/det|>",
        "molmo": f'<point x="{x / 10}" y="{y / 10}" alt="{label}">{label}</point>',
    }
    return forms.get(family) or json.dumps({keys.get(family, "bbox_2d"): [x, y, right, bottom], "label": label})


def _answer(rng: Random, family: str) -> str:
    some = [_object(rng, family) for _ in range(rng.randint(0, 4))]
    text = f"[{', '.join(some)}]" if family in ("json", "qwen2.5", "qwen3", "gemini") else "".join(some)
    before = rng.choice(("", "", "Sure: ", "```json\n", "<think>[{]</think>"))
    return before + text + rng.choice(("", "", "\n```", " ["))


def answers(rng: Random) -> Draft:
    """A dump whose predictions are texts."""
    family = rng.choice(FAMILIES)
    asked = family if rng.random() < 0.6 else "auto"
    some = []
    for number in range(rng.randint(1, 4)):
        truth = [shape(rng) for _ in range(rng.randint(1, 3))]
        text = _answer(rng, family)
        size = {"width": 1000, "height": 800}
        some.append({"id": number, "gt_norm1000": truth, "said": text} | size)
    options = {"bootstrap": 0, "answers": asked, "pred_field": "said", "max_bad_records": rng.choice((0, 9)), "jobs": 1}
    return Draft("dense", {"source": ["dump.jsonl"], **options}, {"dump.jsonl": Doc(some, write_kept_lines)})


def sliced(rng: Random) -> Draft:
    """Records with fields, attributes in another file, and slices by both."""
    some = [each | {"id": k, "light": rng.choice("abc"), "speed": k / 2} for k, each in enumerate(records(rng))]
    for each in some:
        each.pop("image_path", None)
        each.pop("image", None)
    rows: list[list[Any]] = [["key", "site", "height"]]
    rows += [[k, rng.choice(("north", "south", "")), rng.randint(0, 9)] for k in range(len(some))]
    rows[1][1] = "north"  # a field that no record has is an error
    speed = rng.choice(("speed", "speed:1"))
    given = ["light", speed, "objects", "size", "site", "height:3,6", "light×site", f"{speed}×light"]
    options = {"bootstrap": rng.choice((0, 9)), "slice": rng.sample(given, rng.randint(1, 3)), "jobs": 1}
    docs = {"dump.jsonl": Doc(some, write_lines), "more.csv": Doc(rows, write_csv)}
    return Draft("dense", {"source": ["dump.jsonl"], "attributes": "more.csv", **options}, docs)


GRAMMARS = {"answers": answers, "slices": sliced}
