"""What a file or a value of a scene holds: its format, told by the content, and its objects."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.files.inputs import BOM, find_doubled, parse_json
from calipers.files.json_checks import REPEATED_TOO_DEEP
from calipers.files.problems import shown
from calipers.kernels.scan.boxes import all_plain
from calipers.suites.scene.formats.plain import PlainScene, Scene, plain_place
from calipers.suites.scene.formats.table import EXPECTED, FORMATS, TEXTS, SceneFormat, format_of_bytes, format_of_tree


class SceneContent(NamedTuple):
    """What a file holds: bytes of a format that is no JSON, or else a tree."""

    kind: SceneFormat | None
    content: Any
    problem: str = ""  # why the text is not strictly JSON


def content_of(data: bytes, path: str) -> SceneContent:
    """The content of a file, whose format is told by it."""
    start = data.removeprefix(BOM).lstrip()
    kind = format_of_bytes(start)
    if kind is None and path.lower().endswith(TEXTS) and not start.startswith((b"{", b"[")):
        kind = next(own for own in FORMATS if own.is_text)  # without objects, or malformed
    if kind:
        return SceneContent(kind, data)
    tree, problem, has_doubles = parse_json(data, path, EXPECTED)
    if has_doubles:
        raise InputError(_doubled_words(tree))
    if not isinstance(tree, dict):
        raise InputError(f"found {_kind(tree)}, expected {EXPECTED}")
    return SceneContent(format_of_tree(tree), tree, problem)


def read_scene(data: bytes, path: str, *, label_source: str) -> Scene:
    """The objects of a file."""
    return read_content(content_of(data, path), path, label_source=label_source)


def read_content(scene_content: SceneContent, path: str, *, label_source: str) -> Scene:
    """The objects of what a file holds."""
    kind, content, problem = scene_content
    scene = kind.read(content) if kind else read_tree(content, path, label_source=label_source)
    return scene._replace(problem=problem) if problem else scene


def content_of_value(value: Any) -> SceneContent:
    """The content of a value, which may also be a list of objects."""
    tree = dict(value) if isinstance(value, Mapping) else value
    return SceneContent(format_of_tree(tree) if isinstance(tree, dict) else None, tree)


def read_value(value: Any, *, label_source: str) -> Scene:
    """The objects of a value."""
    return read_content(content_of_value(value), "", label_source=label_source)


def read_tree(tree: Any, path: str = "", *, label_source: str) -> Scene:
    """The objects of what a file holds; other files that it names are looked for beside it."""
    objects = tree
    if isinstance(tree, dict):
        if "objects" not in tree:
            raise InputError(f"found {_kind(tree)}, expected {EXPECTED}")
        objects = tree["objects"]
    if not isinstance(objects, (list, tuple)):
        raise InputError(f"objects: found {_kind(objects)}, expected a list")
    objects = list(objects) if isinstance(objects, tuple) else objects
    if all_plain(objects):
        return Scene(PlainScene(objects, plain_place))
    return Scene(_with_graph(objects, Path(path).parent, label_source))


def _with_graph(objects: list[Any], folder: Path, label_source: str) -> PlainScene:
    """Objects of which some belong to a scene graph."""
    from calipers.suites.scene.formats import scene_graph

    converted = scene_graph.plain_objects({"objects": objects}, folder, label_source)
    plain = [all_plain([item]) for item in objects]
    pairs = zip(objects, converted.objects, strict=True)
    mixed = [item if is_plain else other for (item, other), is_plain in zip(pairs, plain, strict=True)]
    return PlainScene(mixed, lambda index, field: (plain_place if plain[index] else converted.where)(index, field))


def _doubled_words(tree: Any) -> str:
    try:
        place, key = find_doubled(tree) or ("", "")
    except RecursionError:
        return REPEATED_TOO_DEEP
    return f"{place}{': ' if place else ''}the key {shown(key)} is there twice, expected each once"


def _kind(tree: Any) -> str:
    """What was found, without all of it."""
    if isinstance(tree, list):
        return f"a list of {len(tree)}"
    if not isinstance(tree, dict):
        return shown(tree)
    keys = ", ".join(shown(key) for key in list(tree)[:5])
    return f"an object with {keys}{' …' if len(tree) > 5 else ''}" if tree else "an object without keys"
