"""Whether suspects find wrong annotations: labels are flipped and objects deleted, and the list is counted.

    python benchmarks/suspects.py [--records 400] [--seed 0]

The data are made up: images with boxes of 12 labels, and models that miss, misplace, mislabel and invent some objects
on their own. 5 % of the labels of the ground truth are flipped, and 5 % of its objects deleted. Of the list that
`calipers.suspects` gives, as many places of a reason are looked at as errors of its kind were injected: `wrong_label`
for flips, `not_annotated` for deletions; and of all reasons together as many as there are errors of both kinds.
Precision is the share of these places that were injected, recall the share of what was injected that is among them. The
last line says whether the goals are met (exit code 1 if not): 0.8 for flips with one model, 0.6 for deletions with
three.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import orjson

import calipers
from calipers.show.folder import write_folder

LABELS = [f"label-{k}" for k in range(12)]
SHARE = 0.05  # of the ground truth that is made wrong
GOALS = {"flips": 0.8, "deletions": 0.6}  # precision, of one model and of three
REASONS = {"flips": ("wrong_label",), "deletions": ("not_annotated",), "both": ()}
MODELS = {  # how often a model misses, mislabels and invents an object, and how far its edges are off
    "good": {"missed": 0.05, "mislabelled": 0.005, "invented": 0.05, "noise": 0.01},
    "second": {"missed": 0.10, "mislabelled": 0.02, "invented": 0.10, "noise": 0.02},
    "third": {"missed": 0.15, "mislabelled": 0.03, "invented": 0.15, "noise": 0.03},
}
Box = dict[str, Any]
Place = tuple[str, Any]


def made_box(rng: random.Random) -> Box:
    """An object: its size depends on its label."""
    label = rng.choice(LABELS)
    side = 40 + 10 * LABELS.index(label)
    width, height = (side * rng.uniform(0.7, 1.4) for _ in range(2))
    x, y = rng.uniform(0, 1000 - width), rng.uniform(0, 1000 - height)
    return {"label": label, "corners": [x, y, x + width, y + height]}


def predicted(objects: list[Box], rng: random.Random, model: dict[str, float]) -> list[Box]:
    """What a model makes of the true objects of an image."""
    preds = []
    for box in objects:
        if rng.random() < model["missed"]:
            continue
        x1, y1, x2, y2 = box["corners"]
        reach = model["noise"] * min(x2 - x1, y2 - y1)
        corners = [min(max(value + rng.gauss(0, reach), 0), 1000) for value in (x1, y1, x2, y2)]
        wrong = rng.random() < model["mislabelled"]
        preds.append({"label": rng.choice(LABELS) if wrong else box["label"], "corners": corners})
    preds += [made_box(rng) for _ in objects if rng.random() < model["invented"]]
    return preds


def injected(truth: list[list[Box]], rng: random.Random) -> tuple[list[list[Box]], dict[str, set[Place]]]:
    """The ground truth with errors, and where they are: flipped ones by their index, deleted ones by their corners."""
    places = [(image, k) for image, objects in enumerate(truth) for k in range(len(objects))]
    count = round(SHARE * len(places))
    chosen = rng.sample(places, 2 * count)
    flipped, deleted = set(chosen[:count]), set(chosen[count:])
    made: list[list[Box]] = []
    where: dict[str, set[Place]] = {"flips": set(), "deletions": set()}
    for image, objects in enumerate(truth):
        made.append([])
        for k, box in enumerate(objects):
            if (image, k) in deleted:
                where["deletions"].add((_key(image), tuple(box["corners"])))
                continue
            if (image, k) in flipped:
                where["flips"].add((_key(image), len(made[-1])))
            made[-1].append(_flipped(box, rng) if (image, k) in flipped else box)
    return made, where


def _flipped(box: Box, rng: random.Random) -> Box:
    return box | {"label": rng.choice([label for label in LABELS if label != box["label"]])}


def _key(image: int) -> str:
    return f"{image:05}.jpg"


def written(folder: Path, truth: list[list[Box]], preds: list[list[Box]]) -> Path:
    """The folder of a run of the dense suite."""
    records = [
        {
            "image_path": _key(image),
            "gt_norm1000": list(map(_plain, objects)),
            "pred_norm1000": list(map(_plain, found)),
        }
        for image, (objects, found) in enumerate(zip(truth, preds, strict=True))
    ]
    write_folder(str(folder), calipers.dense(records, bootstrap=0, modes="category"))
    return folder


def _plain(box: Box) -> Box:
    return {"type": "bbox_2d", "points": box["corners"], "desc": f"类别={box['label']}"}


def predicted_corners(folder: Path) -> dict[Place, list[float]]:
    """The corners of the predictions without a partner, by key and index, from the cases of a run."""
    cases = map(orjson.loads, (folder / "cases.jsonl").read_bytes().splitlines())
    return {
        (case["key"], entry["index"]): entry["object"]["points"] for case in cases for entry in case["unmatched_pred"]
    }


def hits(rows: list[dict[str, Any]], places: set[Place], corners: dict[str, dict[Place, list[float]]]) -> int:
    """How many of the injected errors are among the rows."""
    found: set[Place] = set()
    for row in rows:
        if row["side"] == "gt":
            found |= {(row["key"], row["index"])} & places
            continue
        own = corners[row["result"]][row["key"], row["index"]]
        deleted = [place for place in places if place[0] == row["key"] and not isinstance(place[1], int)]
        found |= {place for place in deleted if calipers.region_iou(list(place[1]), own) >= 0.5}
    return len(found)


def measure(models: list[str], records: int, seed: int, folder: Path) -> dict[str, float]:
    """Precision over as many places as were injected, by kind of error; printed with recall."""
    rng = random.Random(seed)
    real = [[made_box(rng) for _ in range(rng.randint(4, 10))] for _ in range(records)]
    truth, where = injected(real, rng)
    runs = {name: folder / f"{len(models)}-{name}" for name in models}
    for name, place in runs.items():
        written(place, truth, [predicted(objects, rng, MODELS[name]) for objects in real])
    rows = calipers.suspects(runs)["rows"]
    corners = {name: predicted_corners(place) for name, place in runs.items()}
    precisions = {}
    for kind, reasons in REASONS.items():
        places = where[kind] if kind in where else where["flips"] | where["deletions"]
        listed = [row for row in rows if row["reason"] in reasons or not reasons][: len(places)]
        if not listed:  # a single model without scores says nothing about what is not annotated
            continue
        right = hits(listed, places, corners)
        precisions[kind] = right / len(listed)
        numbers = f"injected {len(places):5,}  listed {len(listed):5,}  precision {precisions[kind]:.3f}"
        count = f"{len(models)} model{'s' if len(models) > 1 else ''}"
        print(f"{count:9} {kind:10} {numbers}  recall {right / len(places):.3f}")
    return precisions


def main() -> int:
    """Both measures, and whether the goals are met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        one = measure(["good"], options.records, options.seed, place)
        three = measure(list(MODELS), options.records, options.seed, place)
    results = {"flips": one.get("flips", 0.0), "deletions": three.get("deletions", 0.0)}
    met = all(results[kind] >= goal for kind, goal in GOALS.items())
    goals = ", ".join(f"{kind} {results[kind]:.3f} of {goal}" for kind, goal in GOALS.items())
    print(f"goals {'met' if met else 'MISSED'}: {goals}")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
