"""Meshes: a box with eight corners as PLY, OBJ, STL, OFF or GLB."""

from __future__ import annotations

import json
from random import Random
from struct import pack
from typing import Any

from fuzz.draft import Doc
from fuzz.writers import write_bytes, write_json, write_table

CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 0.5)]
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4)]


def meshes(rng: Random) -> tuple[str, Doc]:
    """A name and a mesh."""
    kind, make = rng.choice(
        [("ply", _ply), ("ply", _binary_ply), ("obj", _obj), ("off", _off), ("stl", _stl), ("glb", _glb)]
    )
    return f"mesh.{kind}", make()


def _head(form: str) -> list[list[Any]]:
    head: list[list[Any]] = [["ply"], ["format", form, "1.0"], ["element", "vertex", len(CORNERS)]]
    head += [["property", "float", axis] for axis in "xyz"]
    return [
        *head,
        ["element", "face", len(FACES)],
        ["property", "list", "uchar", "int", "vertex_indices"],
        ["end_header"],
    ]


def _ply() -> Doc:
    return Doc([*_head("ascii"), *map(list, CORNERS), *([3, *face] for face in FACES)], write_table)


def _binary_ply() -> Doc:
    head = "\n".join(" ".join(map(str, row)) for row in _head("binary_little_endian")) + "\n"
    body = b"".join(pack("<3f", *corner) for corner in CORNERS) + b"".join(pack("<B3i", 3, *face) for face in FACES)
    return Doc(head.encode() + body, write_bytes)


def _obj() -> Doc:
    return Doc([*(["v", *c] for c in CORNERS), *(["f", *(place + 1 for place in face)] for face in FACES)], write_table)


def _off() -> Doc:
    rows = [["OFF"], [len(CORNERS), len(FACES), 0], *map(list, CORNERS), *([3, *face] for face in FACES)]
    return Doc(rows, write_table)


def _stl() -> Doc:
    body = b"".join(pack("<12fH", 0, 0, 0, *(n for place in face for n in CORNERS[place]), 0) for face in FACES)
    return Doc(b"\0" * 80 + pack("<I", len(FACES)) + body, write_bytes)


def _glb() -> Doc:
    points = b"".join(pack("<3f", *corner) for corner in CORNERS)
    places = b"".join(pack("<3H", *face) for face in FACES)
    return Doc([_header(len(points), len(places)), points + places], _write_glb)


def _header(points: int, places: int) -> dict[str, Any]:
    positions = {"bufferView": 0, "componentType": 5126, "count": len(CORNERS), "type": "VEC3"}
    positions |= {"min": [0, 0, 0], "max": [1, 2, 0.5]}
    views = [
        {"buffer": 0, "byteOffset": 0, "byteLength": points},
        {"buffer": 0, "byteOffset": points, "byteLength": places},
    ]
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [positions, {"bufferView": 1, "componentType": 5123, "count": 3 * len(FACES), "type": "SCALAR"}],
        "bufferViews": views,
        "buffers": [{"byteLength": points + places}],
    }


def _write_glb(tree: Any, rng: Random) -> bytes:
    """A head, the JSON and the numbers, each with its length."""
    if not isinstance(tree, list) or len(tree) != 2 or not isinstance(tree[1], bytes):
        return json.dumps(str(tree)[:200]).encode()
    text = write_json(tree[0], rng)
    text += b" " * (-len(text) % 4)
    body = pack("<I4s", len(text), b"JSON") + text + pack("<I4s", len(tree[1]), b"BIN\0") + tree[1]
    return b"glTF" + pack("<II", 2, 12 + len(body)) + body
