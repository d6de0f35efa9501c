"""Reports of the bundled samples, made once, and trees in which names are hostile."""

import copy
from functools import cache
from pathlib import Path

import orjson

import calipers
from calipers.report import Report

from ..hostile import HALF_PAIR, HOSTILE
from ..profiles import share

DATA = Path(calipers.__file__).parent / "data"
SUITES = ("dense", "timeline", "scene", "coco")


@cache
def report(suite):
    if suite == "dense":
        return calipers.dense(DATA / "dense.jsonl", bootstrap=100)
    if suite == "timeline":
        folder, options = DATA / "timeline", {"transition_tolerance_frames": [0, 5, 30], "bootstrap": 100}
        return calipers.timeline(folder / "annotations.json", folder / "predictions.json", **options)
    if suite == "coco":
        return calipers.coco(DATA / "coco" / "instances.json", DATA / "coco" / "results.json", bootstrap=100)
    folder = DATA / "scene"
    methods = {name: folder / name for name in ("pipeline", "clio")}
    return calipers.scene(folder / "gt", methods, config=folder / "eval_config.json", bootstrap=100)


def tree(suite):
    """What the artifact holds, to be changed."""
    return orjson.loads(_artifact(suite))


@cache
def _artifact(suite):
    return report(suite).to_json()


def hostile_names(suite):
    """Names for `hostile`: all of them in a full run, otherwise those of the suite, and each is one of some suite."""
    names = [*HOSTILE, HALF_PAIR, ""]
    return names if share() == 1 else names[SUITES.index(suite) :: len(SUITES)]


def hostile(suite, name):
    """A report in which everything that is named by others has this name."""
    found = tree(suite)
    found["inputs"][0]["path"] = name
    if suite == "dense":
        for mode in found["modes"].values():
            for row in mode["by_label"]:
                row["label"] = name
    elif suite == "timeline":
        found["videos"] = {name: next(iter(found["videos"].values()))}
        found["worst_videos"] = [name]
        found["pooled"]["confusion"] = {name: {name: 3, "outside": 1}}
    elif suite == "scene":
        found["methods"] = {name: copy.deepcopy(found["methods"]["clio"])}
        found["comparison"] = []
        method = found["methods"][name]
        method["per_class"] = {name: next(iter(method["per_class"].values()))}
    else:
        found["per_class"][0]["name"] = name
        found["confusion"]["missed"] = {name: 3}
    return Report(found)
