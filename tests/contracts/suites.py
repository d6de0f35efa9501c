"""Each suite on a small input that is cut into several shards, for tests that run it in many ways."""

import shutil
from hashlib import sha256
from pathlib import Path

import calipers

from .dumps import make_lines, padded

DATA = Path(calipers.__file__).parent / "data"
BOOTSTRAP = {"bootstrap": 60}


def make_inputs(folder):
    """What each suite reads."""
    lines = padded(make_lines(11, 90), 2, 9000)
    lines[30] = lines[30].replace(b'"width"', b'"with', 1)
    for number, name in enumerate(("a.jsonl", "b.jsonl")):
        (folder / name).write_bytes(b"\n".join(lines[number::2]) + b"\n")
    for name in ("timeline", "scene", "coco"):
        shutil.copytree(DATA / name, folder / name)
    return folder


def dense(**options):
    return calipers.dense(["a.jsonl", "b.jsonl"], max_bad_records=2, **BOOTSTRAP, **options)


def timeline(**options):
    return calipers.timeline("timeline/annotations.json", "timeline/predictions.json", **BOOTSTRAP, **options)


def timeline_csv(**options):
    return calipers.timeline("timeline/annotations.json", "timeline/csv", **BOOTSTRAP, **options)


def scene(**options):
    methods = {"pipeline": "scene/pipeline", "clio": "scene/clio"}
    return calipers.scene("scene/gt", methods, aliases="scene/label_aliases.json", **BOOTSTRAP, **options)


def coco(**options):
    return calipers.coco("coco/instances.json", "coco/results.json", **BOOTSTRAP, **options)


SUITES = {each.__name__: each for each in (dense, timeline, timeline_csv, scene, coco)}


def digest(report):
    """Of the artifact."""
    return sha256(report.to_json()).hexdigest()
