"""Rooms of the scene suite: plain objects, scene graphs, meshes, Supervisely and Clio's GraphML; labels and options."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from fuzz.draft import Doc, Draft
from fuzz.grammars.meshes import meshes
from fuzz.writers import write_json, write_xml

LABELS = ("seat", "table", "door", "Office-Chair", "椅子", "desk", "sofa")


def _vector(rng: Random, least: float, most: float) -> list[float]:
    return [round(rng.uniform(least, most), 3) for _ in range(3)]


def _turn(rng: Random) -> list[list[float]]:
    angle = rng.uniform(-3, 3)
    return [[math.cos(angle), -math.sin(angle), 0.0], [math.sin(angle), math.cos(angle), 0.0], [0.0, 0.0, 1.0]]


def plain(rng: Random, number: int) -> dict[str, Any]:
    """An object in the plain form."""
    rotation = rng.choice([{}, {"yaw": round(rng.uniform(-3, 3), 2)}, [0, 0, 0.5, 0.8], _turn(rng), None])
    item: dict[str, Any] = {"id": number, "label": rng.choice(LABELS), "center": _vector(rng, -3, 3)}
    item |= {"size": _vector(rng, 0.1, 2)} | ({"rotation": rotation} if rotation != {} else {})
    return item | rng.choice([{}, {"score": 0.5}, {"similarity": {"find the seat": 0.95}}])


def _in_graph(rng: Random, number: int) -> dict[str, Any]:
    """An object of a scene graph, with dimensions."""
    item: dict[str, Any] = {"id": number, "label": rng.choice(LABELS), "position": _vector(rng, -3, 3)}
    item |= {"orientation": rng.choice([[0, 0, 0, 1], {"x": 0, "y": 0, "z": 0.3, "w": 0.9}])}
    sizes = _vector(rng, 0.1, 2)
    item |= {"dimensions": rng.choice([sizes, dict(zip("xyz", sizes, strict=True))])}
    return item | rng.choice([{}, {"retrieved_object_label": "seat"}, {"score": 0.4}])


def _supervisely(rng: Random, count: int) -> dict[str, Any]:
    objects, figures = [], []
    for number in range(count):
        by = rng.choice([("id", "objectId", number), ("key", "objectKey", f"k{number}")])
        objects.append({by[0]: by[2], "classTitle": rng.choice(LABELS), "tags": []})
        parts = {
            "position": _vector(rng, -3, 3),
            "rotation": [0, 0, rng.uniform(-3, 3)],
            "dimensions": _vector(rng, 0.1, 2),
        }
        geometry = {name: dict(zip("xyz", part, strict=True)) for name, part in parts.items()}
        figures.append({"id": number + 50, by[1]: by[2], "geometryType": "cuboid_3d", "geometry": geometry})
    return {"description": "", "tags": [], "objects": objects, "figures": figures}


def _graphml(rng: Random, count: int) -> list[Any]:
    names = ("node_type", "name", "position", "bbox_dim", "bbox_orientation")
    keys = [["key", {"id": f"d{place}", "for": "node", "attr.name": name}, []] for place, name in enumerate(names)]
    nodes = []
    for number in range(count):
        texts = ["object", f"find the {rng.choice(LABELS)}", _vector(rng, -3, 3), _vector(rng, 0.1, 2), _turn(rng)]
        data = [["data", {"key": f"d{place}"}, [str(text)]] for place, text in enumerate(texts)]
        nodes.append(["node", {"id": f"O{number}"}, data[: rng.choice((4, 5, 5))]])
    graph = ["graph", {"edgedefault": "undirected"}, nodes]
    return ["graphml", {"xmlns": "http://graphml.graphdrawing.org/xmlns"}, [*keys, graph]]


def _room(rng: Random) -> tuple[str, Doc]:
    """One room in any format, and how its file ends."""
    count, kind = rng.randint(1, 4), rng.randrange(4)
    if kind == 0:
        return ".graphml", Doc(_graphml(rng, count), write_xml)
    if kind == 1:
        return ".pcd.json", Doc(_supervisely(rng, count), write_json)
    make = plain if kind == 2 else _in_graph
    return ".json", Doc({"objects": [make(rng, number) for number in range(count)]}, write_json)


def _options(rng: Random) -> dict[str, Any]:
    options: dict[str, Any] = {"bootstrap": rng.choice((0, 9)), "max_bad_records": rng.choice((0, 0, 9)), "jobs": 1}
    choices = [{}, {"iou_mode": "aabb"}, {"protocol": "clio"}, {"frame_normalization": "gt_global_yaw"}]
    return options | rng.choice([*choices, {"require_label_match": True}, {"containment": "obb"}])


def rooms(rng: Random) -> Draft:
    """Two files, or two folders, of any formats."""
    if rng.random() < 0.6:
        docs = {f"{side}{ending}": doc for side in ("gt", "pred") for ending, doc in [_room(rng)]}
        gt, pred = docs
        return Draft("scene", {"gt": gt, "pred": pred, **_options(rng)}, docs)
    docs = {
        f"{side}/{name}{ending}": doc
        for side in ("gt", "pred")
        for name in ("hall", "office")
        for ending, doc in [_room(rng)]
    }
    return Draft("scene", {"gt": "gt", "pred": "pred", **_options(rng)}, docs)


def with_meshes(rng: Random) -> Draft:
    """A scene graph whose boxes are around meshes."""
    truth = {"objects": [plain(rng, number) for number in range(2)]}
    name, mesh = meshes(rng)
    matrix = [[*row, at] for row, at in zip(_turn(rng), _vector(rng, -2, 2), strict=True)] + [[0, 0, 0, 1]]
    pose: dict[str, Any] = {"position": [0, 0, 1], "orientation": [0, 0, 0, 1]}
    item = {"id": 1, "label": "seat", "data_path": name} | rng.choice([pose, {"transform_odom_from_raw": matrix}])
    docs = {"gt.json": Doc(truth, write_json), "pred.json": Doc({"objects": [item]}, write_json), name: mesh}
    return Draft("scene", {"gt": "gt.json", "pred": "pred.json", "bootstrap": 0, "jobs": 1}, docs)


def with_labels(rng: Random) -> Draft:
    """Options from an eval_config.json, which names files of labels."""
    labels = {"canonical_labels": ["seat", "table", "door"]}
    aliases = {"aliases": {"sofa": "seat", "椅子": "seat"}, "contains_rules": {"chair": "seat", "desk": "table"}}
    tree: dict[str, Any] = {
        "matching": {"method": "greedy", "iou_mode": "obb", "iou_threshold": 0.1, "range_buckets_m": [2, 4]},
        "prediction": {"label_source": "label", "ignore_raw_labels": ["floor"], "ignore_raw_contains": ["wall"]},
        "label_resolution": {"use_embedding_for_unresolved": False, "embedding_min_score": 0.5},
        "paths": {"canonical_labels": "labels.json", "label_aliases": "aliases.json"},
    }
    docs = {
        "eval_config.json": Doc(tree, write_json),
        "labels.json": Doc(rng.choice([labels, labels["canonical_labels"]]), write_json),
        "aliases.json": Doc(rng.choice([aliases, aliases["aliases"]]), write_json),
        "gt.json": Doc({"objects": [plain(rng, number) for number in range(2)]}, write_json),
        "pred.json": Doc({"objects": [plain(rng, number) for number in range(2)]}, write_json),
    }
    given = {"gt": "gt.json", "pred": "pred.json", "config": "eval_config.json", "bootstrap": 0, "jobs": 1}
    return Draft("scene", given, docs)


GRAMMARS = {"scene": rooms, "scene-mesh": with_meshes, "scene-labels": with_labels}
