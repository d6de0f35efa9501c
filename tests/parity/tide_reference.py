"""TIDE's causes and oracles in plain loops over pycocotools' own matching, as Bolya et al. (ECCV 2020) define them.

Detections are gone through one by one, with all overlaps of their image in a table; an oracle makes a new list of
detections for each class, which is then ranked and turned into a precision-recall curve step by step.
"""

from __future__ import annotations

from typing import Any

from pycocotools import mask as masks
from pycocotools.cocoeval import COCOeval

NAMES = {
    "wrong_label": "Cls",
    "misplaced": "Loc",
    "wrong_label_and_place": "Both",
    "duplicate": "Dupe",
    "spurious": "Bkg",
    "missed": "Miss",
    "false_positives": "FP",
    "misses": "FN",
}
Row = dict[str, Any]


def gains(found: COCOeval) -> dict[str, float | None] | None:
    """What AP_50 gains by each oracle; None without any object that counts."""
    dets, objects = _matched(found)
    classes = sorted({each["class"] for each in objects.values()})
    if not classes:
        return None
    _find_causes(found, dets, objects)
    now = _mean_ap(dets, {name: sum(o["class"] == name for o in objects.values()) for name in classes})
    then = {name: _mean_ap(*_mended(name, dets, objects, classes)) for name in NAMES}
    return {name: None if value is None else value - now for name, value in then.items()}


def counts(found: COCOeval) -> dict[str, int]:
    """How many errors of each cause."""
    dets, objects = _matched(found)
    _find_causes(found, dets, objects)
    numbers = {name: sum(det["cause"] == name for det in dets) for name in list(NAMES)[:5]}
    return numbers | {"missed": sum(each["missed"] for each in objects.values())}


def _matched(found: COCOeval) -> tuple[list[Row], dict[int, Row]]:
    """Detections that count in AP and objects that have to be found, at IoU 0.50."""
    dets: list[Row] = []
    objects: dict[int, Row] = {}
    whole, most = found.params.areaRng[0], found.params.maxDets[-1]
    for cell in found.evalImgs:
        if cell is None or cell["aRng"] != whole or cell["maxDet"] != most:
            continue
        for place, number in enumerate(cell["gtIds"]):
            if not cell["gtIgnore"][place]:
                taken = cell["gtMatches"][0][place] > 0
                objects[number] = {"class": cell["category_id"], "image": cell["image_id"], "found": taken}
        for place, number in enumerate(cell["dtIds"]):
            if not cell["dtIgnore"][0][place]:
                right = cell["dtMatches"][0][place] > 0
                own = {"id": number, "class": cell["category_id"], "image": cell["image_id"], "right": right}
                dets.append(own | {"score": cell["dtScores"][place]})
    return dets, objects


def _find_causes(found: COCOeval, dets: list[Row], objects: dict[int, Row]) -> None:
    """Set `cause` and `gets` of detections, and `missed` of objects."""
    aims: dict[int, list[Row]] = {}
    for det in dets:
        det["cause"], aim = (None, None) if det["right"] else _cause(found, det, objects)
        det["gets"] = None
        if aim is not None and not objects[aim]["found"]:
            aims.setdefault(aim, []).append(det)
    for aim, aiming in aims.items():
        min(aiming, key=_rank)["gets"] = aim
    for number, each in objects.items():
        each["missed"] = not each["found"] and number not in aims


def _cause(found: COCOeval, det: Row, objects: dict[int, Row]) -> tuple[str, int | None]:
    same, same_at, other, other_at = 0.0, None, 0.0, None
    for number in sorted(objects, key=lambda number: _given_place(found, number)):
        if objects[number]["image"] != det["image"]:
            continue
        overlap = _overlap(found, det["id"], number)
        if objects[number]["class"] == det["class"]:
            if overlap > same:
                same, same_at = overlap, number
        elif overlap > other:
            other, other_at = overlap, number
    if 0.1 <= same <= 0.5:
        return "misplaced", same_at
    if other >= 0.5:
        return "wrong_label", other_at
    if same >= 0.5:
        return "duplicate", None
    return ("spurious" if max(same, other) <= 0.1 else "wrong_label_and_place"), None


def _given_place(found: COCOeval, number: int) -> int:
    """Where an annotation stands in its file."""
    return list(found.cocoGt.anns).index(number)


def _overlap(found: COCOeval, det: int, number: int) -> float:
    pred, truth = found.cocoDt.anns[det], found.cocoGt.anns[number]
    if found.params.iouType == "segm":
        shapes = found.cocoDt.annToRLE(pred), found.cocoGt.annToRLE(truth)
    else:
        shapes = pred["bbox"], truth["bbox"]
    return float(masks.iou([shapes[0]], [shapes[1]], [0])[0][0])


def _rank(det: Row) -> tuple[float, int, int]:
    """The surest first; of equal ones that of the first image, and there the one that was given first."""
    return -det["score"], det["image"], det["id"]


def _mended(
    name: str, dets: list[Row], objects: dict[int, Row], classes: list[int]
) -> tuple[list[Row], dict[int, int]]:
    """Detections, and numbers of objects by class, under an oracle."""
    left = [each for each in objects.values() if not (name == "missed" and each["missed"])]
    left = [each for each in left if name != "misses" or each["found"]]
    kept = []
    for det in dets:
        if det["right"] or (det["cause"] != name and name != "false_positives"):
            kept.append(det)
        elif det["gets"] is not None and name != "false_positives":
            kept.append(det | {"right": True, "class": objects[det["gets"]]["class"]})
    return kept, {one: sum(each["class"] == one for each in left) for one in classes}


def _mean_ap(dets: list[Row], objects: dict[int, int]) -> float | None:
    """The mean over classes; one without objects counts as 0 if it has detections."""
    values = []
    for name, count in objects.items():
        mine = sorted((det for det in dets if det["class"] == name), key=_rank)
        if count:
            values.append(_ap([det["right"] for det in mine], count))
        elif mine:
            values.append(0.0)
    return sum(values) / len(values) if values else None


def _ap(right: list[bool], objects: int) -> float:
    points, hits = [], 0
    for seen, hit in enumerate(right, 1):
        hits += hit
        points.append((hits / objects, hits / seen))
    best = (
        max((precision for recall, precision in points if recall >= step / 100), default=0.0) for step in range(101)
    )
    return sum(best) / 101
