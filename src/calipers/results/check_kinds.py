"""What an input is, told by its content: which suite reads it, and whether it holds ground truth or predictions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.files.inputs import BOM, parse_json, read_bytes
from calipers.files.lines import Source, reading
from calipers.files.places import open_place
from calipers.report import PART

PEEKED = 1 << 16
PIECE, MOST_BYTES = 1 << 22, 4 << 30
RECORD_KEYS = ("gt_norm1000", "gt_norm", "pred_norm1000")
STATES_BESIDE = ("fps", "detections", "ocr", "runtime", "states")
EXPECTED = "a dense dump, timelines, scenes, detections, or an artifact of Calipers"


class Kind(NamedTuple):
    """A kind of input."""

    name: str
    suite: str | None
    side: str | None = None  # gt, pred or both; None where the content does not tell


DENSE = Kind("dense dump, JSON lines", "dense", "both")
DENSE_ARRAY = Kind("dense records in one JSON array", "dense", "both")
ANNOTATIONS = Kind("timeline annotations, JSON", "timeline", "gt")
STATES = Kind("timeline predictions, JSON", "timeline", "pred")
CSV = Kind("timeline CSV", "timeline", "pred")
CSV_FOLDER = Kind("folder of timeline CSVs", "timeline", "pred")
SUPERVISELY = Kind("scene, Supervisely annotation", "scene")
PLAIN_SCENE = Kind("scene, plain objects", "scene")
GRAPH = Kind("scene, scene graph", "scene")
CLIO = Kind("scene, Clio GraphML", "scene")
DATASET = Kind("COCO data set", "coco", "gt")
RESULTS = Kind("COCO results", "coco", "pred")
YOLO = Kind("YOLO labels", "coco")
VOC = Kind("Pascal VOC", "coco")
LABELME = Kind("LabelMe", "coco")
DEFAULTS = {  # what is meant when only the suite is known
    "dense": (DENSE, DENSE),
    "timeline": (ANNOTATIONS, STATES),
    "scene": (PLAIN_SCENE, PLAIN_SCENE),
    "coco": (DATASET, RESULTS),
}


def find_kind(given: Any) -> Kind:
    """What a path leads to, or what a value is; an error says that it is none of these."""
    if not isinstance(given, (str, os.PathLike)):
        return kind_of_tree(given, "<value>")
    path = os.fspath(given)
    if path == "-":
        return DENSE
    if os.path.isdir(path):
        return _folder_kind(path)
    if path.lower().endswith(".csv"):
        return CSV
    return _file_kind(path)


# Files


def _file_kind(path: str) -> Kind:
    head = _head(path)
    text = head.removeprefix(BOM).lstrip()
    if not text:
        raise InputError(f"{path}: found nothing in it, expected {EXPECTED}")
    if text.startswith(PART):
        raise InputError(f"{path}: is a part of a result, expected {EXPECTED}: calipers merge makes one of parts")
    if text.startswith(b"<"):
        return VOC if b"<annotation" in text else CLIO
    if _is_lines(path, text):
        return DENSE
    return kind_of_tree(read_tree(path), path)


def _head(path: str) -> bytes:
    """The first bytes, decompressed."""
    source = Source(0, path, PEEKED)
    if source.is_plain():
        with reading(path), open_place(path) as file:
            return file.read(PEEKED)
    return next((shard.data or b"" for shard in source), b"")


def _is_lines(path: str, text: bytes) -> bool:
    """JSON lines: by the name, or by a first line that is a whole object with another line after it."""
    name = path.lower().removesuffix(".gz").removesuffix(".zst")
    if name.endswith((".jsonl", ".ndjson")):
        return True
    first, _, rest = text.partition(b"\n")
    first, rest = first.strip(), rest.strip()
    return first.startswith(b"{") and first.endswith(b"}") and rest.startswith(b"{")


def read_tree(given: Any) -> Any:
    """The JSON of a file, also of a compressed one, or the value that was given."""
    if not isinstance(given, (str, os.PathLike)):
        return given
    path = os.fspath(given)
    source = Source(0, path, PIECE)
    data = read_bytes(path) if source.is_plain() else _decompressed(source)
    return parse_json(data, path, EXPECTED).tree


def _decompressed(source: Source) -> bytes:
    pieces, size = [], 0
    for shard in source:
        pieces.append(shard.data or b"")
        size += shard.size
        if size > MOST_BYTES:
            raise InputError(f"{source.path}: holds more than {MOST_BYTES >> 30} GiB when decompressed")
    return b"".join(pieces)


def kind_of_tree(tree: Any, path: str) -> Kind:
    """What the JSON of a file holds."""
    if isinstance(tree, (list, tuple)):
        return _kind_of_list(tree, path)
    if not isinstance(tree, Mapping):
        raise InputError(f"{path}: found {_words(tree)}, expected {EXPECTED}")
    if "suite" in tree and "protocol" in tree:
        return Kind(f"artifact of Calipers, {tree['protocol']}", None)
    if "annotations" in tree:
        return DATASET if "images" in tree else RESULTS
    if "shapes" in tree and "imagePath" in tree:
        return LABELME
    if "figures" in tree:
        return SUPERVISELY
    if isinstance(tree.get("objects"), (list, tuple)):
        return _scene_kind(tree["objects"])
    if _is_record(tree):
        return DENSE
    return _kind_by_name(tree, path)


def _kind_of_list(items: Any, path: str) -> Kind:
    first = next((item for item in items if isinstance(item, Mapping)), None)
    if first is not None and _is_record(first):
        return DENSE_ARRAY
    if not items or (first is not None and ("image_id" in first or "category_id" in first)):
        return RESULTS
    if first is not None and ("center" in first or "position" in first):
        return _scene_kind(items)
    raise InputError(f"{path}: found a list of {len(items)}, expected {EXPECTED}")


def _is_record(item: Mapping[str, Any]) -> bool:
    return any(key in item for key in RECORD_KEYS) or ("gt" in item and "pred" in item)


def _scene_kind(objects: Any) -> Kind:
    graph = any(isinstance(item, Mapping) and "center" not in item and "position" in item for item in objects)
    return GRAPH if graph else PLAIN_SCENE


def _kind_by_name(tree: Mapping[str, Any], path: str) -> Kind:
    entries = [entry for entry in tree.values() if isinstance(entry, Mapping)]
    scenes = [entry for entry in entries if isinstance(entry.get("objects"), (list, tuple))]
    if scenes and len(scenes) == len(tree):  # scenes by name, as values
        return SUPERVISELY if "figures" in scenes[0] else _scene_kind(scenes[0]["objects"])
    if any("states" in entry for entry in entries):
        return STATES
    if any(_is_timeline(entry) for entry in entries):
        return ANNOTATIONS
    if entries and len(entries) == len(tree) and all(set(entry) <= set(STATES_BESIDE) for entry in entries):
        return STATES
    raise InputError(f"{path}: found {_words(tree)}, expected {EXPECTED}")


def _is_timeline(entry: Mapping[str, Any]) -> bool:
    """Whether some value is a list of intervals."""
    given = [value for name, value in entry.items() if name not in STATES_BESIDE and isinstance(value, (list, tuple))]
    return any(all(isinstance(item, (list, tuple)) and len(item) == 2 for item in value) for value in given)


def _words(tree: Any) -> str:
    from calipers.files.problems import shown

    if not isinstance(tree, Mapping):
        return shown(tree)
    keys = ", ".join(shown(key) for key in islice(tree, 5))
    return f"an object with {keys}{' …' if len(tree) > 5 else ''}" if tree else "an object without keys"


# Folders


def _folder_kind(path: str) -> Kind:
    from calipers.suites.coco.formats.image_names import few_files_below
    from calipers.suites.coco.read import find_format

    if os.path.isfile(artifact := artifact_in(path)) and (kind := _file_kind(artifact)).suite is None:
        return kind
    if few_files_below(path, ".csv"):
        return CSV_FOLDER
    if found := few_files_below(path, ".graphml") or _direct_json(path):
        kind = _file_kind(found[0])
        if kind.suite == "scene":
            return kind._replace(name=f"folder of scenes, {kind.name.partition(', ')[2]}")
    formats = {"yolo": YOLO, "voc": VOC, "labelme": LABELME}
    try:
        kind = formats[find_format(path)]
    except InputError:
        raise InputError(f"{path}: found a folder with none of these files, expected {EXPECTED}") from None
    return kind._replace(name=f"folder of {kind.name}")


def artifact_in(folder: str) -> str:
    """Where a suite puts its artifact in a folder (-o DIR)."""
    return os.path.join(folder, "result.json")


def _direct_json(folder: str) -> list[str]:
    """The first JSON file directly in a folder."""
    names = sorted(name for name in os.listdir(folder) if name.lower().endswith(".json") and not name.startswith("."))
    return [os.path.join(folder, name) for name in names[:1]]
