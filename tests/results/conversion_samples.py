"""Every format that a suite declares, in files of its own, with what they hold worked out by hand.

`sample(suite, format, side, family, folder)` writes the files of a format and says how they are converted and measured.
A format without a sample is a KeyError, so that a format that is added has to get one.

Pictures: those of `tests/suites/coco/exports.py`. Videos: outside 0-19, inside 20-34, outside 35-39 at 10 frames a
second. Scenes: one car 10 m ahead and 3 m to the right, 4 m long, 1 m wide and 2 m high, its middle 0.5 m below the
origin; its length lies along y, so that it reaches from 9.5 to 10.5 in x, from -5 to -1 in y, from -1.5 to 0.5 in z.
"""

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import calipers
from calipers.files.answers.families import FAMILIES
from calipers.suite import built_in, suite_of
from calipers.suites.coco.columns import OTHER
from calipers.suites.coco.formats.table import FORMATS as IMAGE_FORMATS
from calipers.suites.scene.read import read_scenes

from ..files.real_answers import REAL
from ..suites.coco.exports import (
    CAR,
    COCO,
    CONE,
    EXPORTS,
    KNOWN,
    PREDICTIONS,
    SCORED,
    SIZES,
    ImagesAndCategories,
    read_objects,
    write_export,
    write_images,
)
from ..suites.timeline import test_annotation_tools, test_video_tools

ANSWERS = "answers of models"


class ConversionSample(NamedTuple):
    """An input, what it holds, and options to convert and to measure it with."""

    source: str
    objects: Any  # what is read of a conversion
    options: dict[str, Any]
    run: dict[str, Any]  # options of the suite
    suite: str | None = None  # by whose tables what is written is read, where it is not the format's


def cases() -> list[Any]:
    """Suite, format, side and target of everything that can be converted, families of answers one by one."""
    return [
        pytest.param(
            name, form.name, side, target.name, family, id=f"{name}-{family or form.name}-{side}-{target.name}"
        )
        for name in built_in()
        for form in suite_of(name).formats
        for side in form.side.split(" and ")
        for target in suite_of(name).converter.formats
        for family in (list(FAMILIES) if form.name == ANSWERS else [None])
    ]


def sample(suite: str, form: str, side: str, family: str | None, folder: Path) -> ConversionSample:
    """The files of a format below a new folder."""
    folder.mkdir()
    return SAMPLES[suite](form, side, family, folder)


def _write(path: Path, content: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


# Pictures

TITLES = {form.title: form.name for form in IMAGE_FORMATS}
OTHER_TITLES = {"COCO data set": "coco", "COCO results": "coco", "Roboflow export": "roboflow coco"}


def _coco(form: str, side: str, family: str | None, folder: Path) -> ConversionSample:
    images = {"images": write_images(folder / "images")}
    if form == ANSWERS:
        return _answered(family, folder, images)
    name, exports = {**TITLES, **OTHER_TITLES}[form], EXPORTS if side == "gt" else PREDICTIONS
    source = write_export(name, folder / "in", exports)
    gt = {} if side == "gt" else {"gt": _write(folder / "gt.json", COCO)}
    return ConversionSample(source, sorted(exports[name][2]), {**gt, **images, "side": side}, images)


def _answered(family: str | None, folder: Path, images: dict[str, str]) -> ConversionSample:
    """Answers on the picture a.png; b.png has none, which the cone is no part of in most families."""
    answer = {"image": "a.png", "pred": REAL[family][0].text}
    source, gt = _write(folder / "answers.jsonl", json.dumps(answer)), _write(folder / "gt.json", COCO)
    options = {"gt": gt, **images, "answers": family, "suite": "coco"}
    return ConversionSample(source, sorted(map(_in_pixels, _answer(family))), options, {**images, "answers": family})


def _answer(family):
    """Objects of the first answer of a family, with scores where it has them."""
    scores = (0.75, 0.5) if family == "json" else ()
    objects = REAL[family][0].objects
    return [(*item, *scores[at : at + 1]) for at, item in enumerate(objects)]


def _in_pixels(item):
    """An object of a.png in norm1000 as COCO has it."""
    kind, points, label, *score = item
    pixels = [round(value * SIZES["a.png"][at % 2] / 1000, 9) for at, value in enumerate(points)]
    xs, ys = pixels[::2], pixels[1::2]
    box = [min(xs), min(ys), round(max(xs) - min(xs), 9), round(max(ys) - min(ys), 9)]
    return ("a", label, box, [pixels] if kind == "poly" else None, *score)


# Dumps

TRUTH = [
    {"type": "bbox_2d", "points": [100, 400, 400, 600], "desc": "car"},
    {"type": "poly", "points": [500, 200, 700, 200, 700, 800], "desc": "cone"},
]
GUESSES = [item | {"score": score} for item, score in zip(TRUTH, (0.75, 0.5), strict=True)]
PIXELS = [[10, 20, 40, 30], [50, 10, 70, 10, 70, 40]]


def _pictures(truth: Any, pred: Any, names: tuple[str, str]) -> list[dict[str, Any]]:
    sizes = [{"image_path": name, "width": width, "height": height} for name, (width, height) in SIZES.items()]
    empty = "[]" if isinstance(pred, str) else []
    return [sizes[0] | {names[0]: truth, names[1]: pred}, sizes[1] | {names[0]: [], names[1]: empty}]


def _dense(form: str, side: str, family: str | None, folder: Path) -> ConversionSample:
    objects, options = sorted([CAR, CONE] if side == "gt" else SCORED), {"side": side}
    records, read = _pictures(TRUTH, GUESSES, ("gt_norm1000", "pred")), {}
    if form == ANSWERS:
        read = {"answers": family}
        records = _pictures(TRUTH, REAL[family][0].text, ("gt_norm1000", "pred"))
        objects = sorted(map(_in_pixels, _answer(family)))
    elif form == "gt_vs_pred.jsonl in pixels":
        read = {"frame": "pixel"}
        truth, guesses = (
            [item | {"points": at} for item, at in zip(own, PIXELS, strict=True)] for own in (TRUTH, GUESSES)
        )
        records = _pictures(truth, guesses, ("gt", "pred"))
    elif form == "instances.json":  # which is read beside answers, and whose ids the answers get
        answered = _answered("json", folder, {})
        return answered._replace(options={name: answered.options[name] for name in ("gt", "answers")}, suite="coco")
    else:
        assert form == "gt_vs_pred.jsonl", form
    source = _write(folder / "dump.jsonl", "\n".join(map(json.dumps, records)))
    return ConversionSample(source, objects, {**options, **read}, read)


# Videos

STATES = {"outside": [[0, 19], [35, 39]], "inside": [[20, 34]]}
TIMELINE_CSV = "frame,time_sec,state\n" + "".join(
    f"{frame},{frame / 10},{'inside' if 20 <= frame < 35 else 'outside'}\n" for frame in range(40)
)
VIDEO_FILES = {
    "annotations.json": ("gt.json", {"drive.mp4": STATES}),
    "predictions.json": ("pred.json", {"drive.mp4": {"fps": 10, "states": STATES}}),
    "ELAN annotations": ("drive.eaf", test_annotation_tools.ELAN),
    "CVAT for video": test_video_tools.FILES["tracks"][:2],
    "Label Studio videos": test_video_tools.FILES["ranges"][:2],
    "Audacity labels": ("drive.txt", test_annotation_tools.AUDACITY),
    "CSV of spans": ("drive.csv", test_annotation_tools.SPANS),
    "timeline CSV": ("drive_timeline.csv", TIMELINE_CSV),
}


def _timeline(form: str, side: str, family: str | None, folder: Path) -> ConversionSample:
    name, content = VIDEO_FILES[form]
    source = _write(folder / name, content)
    return ConversionSample(source, {"drive.mp4": STATES}, {"side": side, "fps": 10}, {"fps": 10})


# Rooms

HALF = math.sqrt(0.5)
YAW = -math.pi / 2
CLIO = """<graphml><key id="a" for="node" attr.name="node_type"/><key id="b" for="node" attr.name="name"/>
<key id="c" for="node" attr.name="position"/><key id="d" for="node" attr.name="bbox_dim"/>
<key id="e" for="node" attr.name="bbox_orientation"/><key id="f" for="node" attr.name="score"/>
<graph><node id="1"><data key="a">object</data><data key="b">Car</data><data key="c">[10.0, -3.0, -0.5]</data>
<data key="d">[4.0, 1.0, 2.0]</data><data key="e">[[0, 1, 0], [-1, 0, 0], [0, 0, 1]]</data>{score}</node></graph>
</graphml>
"""
NUSCENES = {
    "sample_token": "room",
    "translation": [10.0, -3.0, -0.5],
    "size": [1.0, 4.0, 2.0],
    "rotation": [HALF, 0.0, 0.0, -HALF],
    "velocity": [0.0, 0.0],
}


def _xyz(x, y, z):
    return {"x": x, "y": y, "z": z}


SUPERVISELY = {
    "objects": [{"id": 3, "key": "a", "classTitle": "Car", "tags": []}],
    "figures": [
        {
            "id": 7,
            "objectId": 3,
            "geometryType": "cuboid_3d",
            "geometry": {"position": _xyz(10, -3, -0.5), "dimensions": _xyz(4, 1, 2), "rotation": _xyz(0, 0, YAW)},
        }
    ],
}


def _room(form: str, score: dict[str, float]) -> tuple[str, Any]:
    """The name of a file and what it holds."""
    plain = {"label": "Car", "center": [10, -3, -0.5], "size": [4, 1, 2], "rotation": {"yaw": YAW}, **score}
    graph = {"id": 1, "label": "Car", "position": [10, -3, -0.5], "dimensions": [4, 1, 2], **score}
    text = f'<data key="f">{score["score"]}</data>' if score else ""
    numbers = f" {score['score']}" if score else ""
    named = {"detection_name": "Car", "detection_score": score["score"]} if score else {"category_name": "Car"}
    boxes = [NUSCENES | named]
    return {
        "plain scene": ("room.json", {"objects": [plain]}),
        "scene graph": ("room.json", {"objects": [graph | {"orientation": [0, 0, -HALF, HALF]}]}),
        "Supervisely annotation": ("room.pcd.json", SUPERVISELY),
        "Clio GraphML": ("room.graphml", CLIO.replace("{score}", text)),
        "KITTI labels": ("room.txt", f"Car 0 0 0 0 0 1 1 2 1 4 3 1.5 10 0{numbers}\n"),
        "nuScenes boxes": ("room.json", {"meta": {}, "results": {"room": boxes}} if score else boxes),
    }[form]


def _scene(form: str, side: str, family: str | None, folder: Path) -> ConversionSample:
    score = {"score": 0.75} if side == "pred" else {}
    name, content = _room(form, score)
    held = [] if form == "Supervisely annotation" else list(score.values())  # which has no scores
    objects = [("Car", [9.5, -5, -1.5, 10.5, -1, 0.5], *held)]
    return ConversionSample(_write(folder / name, content), objects, {"side": side}, {})


SAMPLES = {"coco": _coco, "dense": _dense, "timeline": _timeline, "scene": _scene}


# What is read of a conversion


def rounded(objects: Any) -> Any:
    """Numbers to six decimals, which sums of fractions of different lengths agree in."""
    if isinstance(objects, (list, tuple)):
        return [rounded(item) for item in objects]
    return round(float(objects), 6) if isinstance(objects, (int, float)) else objects


def read_back(suite: str, target: str, side: str, made: Path, given: ConversionSample, images: str) -> Any:
    """The objects of what was written, in the form of the sample's."""
    if suite == "timeline":
        return _read_videos(made, side)
    if suite == "scene":
        return _read_rooms(made)
    if suite == "dense" and target == "plain":
        return _read_dump(made, side)
    known = None if side == "gt" else KNOWN if given.suite or suite == "coco" else DUMP_IDS
    return read_objects(made, images, known)


DUMP_IDS = ImagesAndCategories(  # as records and descriptions are numbered
    [{"id": at, "file_name": name, "width": w, "height": h} for at, (name, (w, h)) in enumerate(SIZES.items(), 1)],
    [{"id": 1, "name": "car"}, {"id": 2, "name": "cone"}],
)


def _read_dump(made: Path, side: str) -> Any:
    records = [json.loads(line) for line in made.read_bytes().splitlines()]
    assert [record["image_path"] for record in records] == list(SIZES)
    assert records[1][f"{side}_norm1000"] == []
    scores = [[item["score"]] if "score" in item else [] for item in records[0][f"{side}_norm1000"]]
    objects = [(item["type"], item["points"], item["desc"]) for item in records[0][f"{side}_norm1000"]]
    return sorted(_in_pixels((*item, *score)) for item, score in zip(objects, scores, strict=True))


def _read_videos(made: Path, side: str) -> Any:
    videos = json.loads(made.read_bytes())
    entries = {video: entry["states"] if side == "pred" else entry for video, entry in videos.items()}
    return {video: {name: spans for name, spans in entry.items() if name != "fps"} for video, entry in entries.items()}


def _read_rooms(made: Path) -> Any:
    reading = read_scenes(str(made), {}, label_source="label", max_bad=0)
    truth = reading.truth
    bounds = [
        [round(value, 9) for value in truth.bounds.tolist()[at : at + 6]] for at in range(0, len(truth.bounds), 6)
    ]
    scores = [[] if math.isnan(score) else [score] for score in truth.scores.tolist()]
    return [(label, place, *score) for label, place, score in zip(truth.labels, bounds, scores, strict=True)]


# What is measured

JOINED_BY_NAME = {**COCO, "annotations": json.loads(PREDICTIONS["coco"][1]["results.json"])}
ROOM = {"room": _room("plain scene", {})[1]}
OTHER_SIDE = {
    "coco": {"gt": COCO, "pred": JOINED_BY_NAME},
    "timeline": {"gt": VIDEO_FILES["annotations.json"][1], "pred": VIDEO_FILES["predictions.json"][1]},
    "scene": {"gt": ROOM, "pred": ROOM},
}


def measured(suite: str, side: str, source: str, gt: str | None, run: dict[str, Any]) -> dict[str, Any]:
    """All figures of an input, against the other side in plain form."""
    options = {"bootstrap": 0, **run}
    if suite == "dense":
        report = calipers.dense(source, **options)
    else:
        others = OTHER_SIDE[suite]
        pred = {"method": source} if suite == "scene" else source  # which has a name, else that of its file
        sides = (source, others["pred"]) if side == "gt" else (gt or others["gt"], pred)
        report = getattr(calipers, suite)(*sides, **options)
    return {name: value for name, value in report.flat().items() if OTHER not in name}
