"""Readings of scenes taken apart, into what is plain and arrays, and put together again.

Labels and tasks are kept once each, and boxes have their places among them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calipers.core.cuboids import REASONS, WIDTHS, Boxes
from calipers.core.parts import Packed
from calipers.core.text import whole_text
from calipers.files.inputs import InputFile
from calipers.files.problems import shown
from calipers.kernels.scan.boxes import BoxColumns
from calipers.suites.scene.read import BadScene, SceneInputFile, SceneReading, SideReading

Arrays = dict[str, NDArray[Any]]
COLUMNS = ("offsets", *WIDTHS)
SHAPES = ("center", "half", "axes", "bounds", "upright")


def pack_reading(reading: SceneReading) -> Packed:
    """A reading as plain values and arrays; ids that are lists or objects, as tables show them."""
    arrays: Arrays = {}
    sides = [_pack_side(side, f"{place}/", arrays) for place, side in enumerate(reading.sides)]
    bad = [[whole_text(fault.path), fault.scene, whole_text(fault.problem)] for fault in reading.bad]
    methods = [whole_text(method) for method in reading.methods]
    return Packed({"names": reading.names, "methods": methods, "sides": sides, "bad": bad}, arrays)


def unpack_reading(packed: Packed, *, shapes: bool = True) -> SceneReading:
    """The reading that was packed; `shapes` is whether its boxes have any."""
    plain, scenes = packed.plain, len(packed.plain["names"])
    sides = [_unpack_side(side, f"{at}/", packed.arrays) for at, side in enumerate(plain["sides"])]
    for side in sides:
        _check_whole(side.boxes, scenes, WIDTHS if shapes else WIDTHS | dict.fromkeys(SHAPES, 0))
    return SceneReading(plain["names"], plain["methods"], sides, [BadScene(*fault) for fault in plain["bad"]])


def _pack_side(side: SideReading, lead: str, arrays: Arrays) -> dict[str, Any]:
    boxes = side.boxes
    arrays |= {lead + name: np.asarray(getattr(boxes, name)) for name in COLUMNS}
    labels, arrays[lead + "labels"] = _coded(boxes.labels)
    rows = boxes.similarity.values()
    tasks, arrays[lead + "tasks"] = _coded(task for row in rows for task in row)
    arrays[lead + "similar"] = np.array([value for row in rows for value in row.values()], dtype=np.float64)
    arrays[lead + "with_tasks"] = np.array([[box, len(row)] for box, row in boxes.similarity.items()], dtype=np.int64)
    return {
        "labels": labels,
        "tasks": tasks,
        "ids": json.dumps([shown(key) if isinstance(key, (dict, list)) else key for key in boxes.ids]),
        "found": [[scene, *fields] for scene, fields in side.scenes.items()],
        "invalid": side.invalid,
        "inputs": [list(entry) for entry in side.inputs],
    }


def without_shapes(boxes: Boxes) -> Boxes:
    """The boxes without what only shapes are measured by, and without ids."""
    gone = {name: np.asarray(getattr(boxes, name))[:0] for name in SHAPES}
    return boxes.replace(**gone, ids=[], similarity={})


def _unpack_side(plain: dict[str, Any], lead: str, arrays: Arrays) -> SideReading:
    boxes = Boxes.__new__(Boxes)
    for name in COLUMNS:
        setattr(boxes, name, arrays[lead + name])
    boxes.labels = [plain["labels"][code] for code in arrays[lead + "labels"].tolist()]
    boxes.ids = json.loads(plain["ids"])
    tasks = [plain["tasks"][code] for code in arrays[lead + "tasks"].tolist()]
    pairs = iter(zip(tasks, arrays[lead + "similar"].tolist(), strict=True))
    with_tasks = arrays[lead + "with_tasks"].reshape(-1, 2).tolist()
    boxes.similarity = {box: dict(islice(pairs, count)) for box, count in with_tasks}
    scene_inputs = {scene: SceneInputFile(*rest) for scene, *rest in plain["found"]}
    return SideReading(boxes, scene_inputs, plain["invalid"], [InputFile(*entry) for entry in plain["inputs"]])


def _check_whole(boxes: Boxes, scenes: int, widths: Mapping[str, int]) -> None:
    """Check lengths and types of columns, which kernels rely on."""
    offsets, empty = np.asarray(boxes.offsets), Boxes(BoxColumns())
    count, kinds = len(boxes.labels), {name: np.asarray(getattr(empty, name)).dtype for name in COLUMNS}
    good = all(np.asarray(getattr(boxes, name)).dtype == kind for name, kind in kinds.items())
    good = good and all(np.shape(getattr(boxes, name)) == (count * width,) for name, width in widths.items())
    good = good and offsets.shape == (scenes + 1,) and offsets[0] == 0 and offsets[-1] == count
    good = good and len(boxes.ids) == count * widths["upright"]
    good = good and bool((np.diff(offsets) >= 0).all()) and bool((np.asarray(boxes.reason) < len(REASONS)).all())
    if not good or any(not 0 <= box < count for box in boxes.similarity):
        raise ValueError("columns of boxes that do not fit together")


def _coded(texts: Iterable[str]) -> tuple[list[str], NDArray[np.int32]]:
    """Each text once, and the places of all of them."""
    codes: dict[str, int] = {}
    places = [codes.setdefault(text, len(codes)) for text in texts]
    return list(codes), np.array(places, dtype=np.int32)
