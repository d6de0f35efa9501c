"""The files of the scene suite: where scenes are found, and what format each is in.

A source is a file, a folder of files or a value: `{"objects": […]}`, a list of objects, or these by the names of their
scenes. A scene is called like its file without ending: `room.json` and `room.pcd.json` hold the scene room. The format
is told by the content: GraphML begins with `<`; an annotation of Supervisely has figures; of other objects, one
without center and size but with a position, dimensions or a mesh belongs to a scene graph.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.inputs import BOM, find_doubled, parse_json
from calipers.files.places import is_remote
from calipers.files.problems import shown
from calipers.kernels.boxes import all_plain
from calipers.suites.scene.formats.plain import Converted, plain_place

ENDINGS = (".json", ".graphml", ".xml")
CLOUDS = (".pcd", ".ply", ".bin", ".las", ".laz")  # a point cloud's own ending, before that of its annotation
SCENE_KEYS = ("objects", "figures")
EXPECTED = '{"objects": […]}, a Supervisely annotation with figures, or GraphML'


class Source:
    """One side's scenes by name: paths of files, or values."""

    def __init__(self, path: str, scenes: dict[str, Any], *, files: bool, single: bool) -> None:
        self.path = path  # as the artifact names it
        self.scenes = scenes
        self.files = files
        self.single = single  # one scene, which may be compared with another whatever they are called

    def place(self, name: str) -> str:
        """How messages name a scene's file or value."""
        if self.files:
            return str(self.scenes[name])
        return self.path if self.single else f"{self.path}[{shown(name)}]"

    def size(self, name: str) -> int:
        """Bytes of a scene's file, 0 if there is none."""
        try:
            return os.stat(self.scenes[name]).st_size if self.files and name in self.scenes else 0
        except OSError:  # which reading it will say
            return 0

    def rename(self, name: str) -> None:
        """Call the only scene by another name."""
        [scene] = self.scenes.values()
        self.scenes = {name: scene}


class Scene(NamedTuple):
    """What a file holds."""

    content: Converted
    warning: str = ""
    problem: str = ""  # why the text is not strictly JSON, which the objects need not show


def find_scenes(given: Any, name: str) -> Source:
    """Where the scenes of one side are; `name` stands for a value in messages."""
    if isinstance(given, Source):
        return given
    if isinstance(given, (str, os.PathLike)):
        path = os.fspath(given)
        if os.path.isdir(path):
            return Source(path, _files_in(path), files=True, single=False)
        if not is_remote(path) and not os.path.exists(path):
            raise InputError(f"{path}: cannot be read: No such file or directory")
        return Source(path, {scene_name(os.path.basename(path)): path}, files=True, single=True)
    path = f"<{name}>"
    if isinstance(given, (list, tuple)) or (isinstance(given, Mapping) and not given.keys().isdisjoint(SCENE_KEYS)):
        return Source(path, {"scene": given}, files=False, single=True)
    if not isinstance(given, Mapping) or not all(isinstance(scene, str) for scene in given):
        raise InputError(f'{path}: found {shown(given)}, expected a path, {{"objects": […]}} or {{scene: …}}')
    return Source(path, dict(given), files=False, single=False)


def scene_name(file: str) -> str:
    """The scene that a file holds, by its name.

    >>> scene_name("kitchen.json"), scene_name("kitchen.2.pcd.json"), scene_name("hall.graphml")
    ('kitchen', 'kitchen.2', 'hall')
    """
    stem = file.rpartition(".")[0] or file
    if stem.lower().endswith(CLOUDS):
        stem = stem.rpartition(".")[0]
    return stem if stem.isascii() else whole_text(stem)


def _files_in(folder: str) -> dict[str, str]:
    """Files of scenes directly in a folder, by scene. What is hidden or has another ending is none."""
    try:
        with os.scandir(folder) as entries:
            files = sorted((entry.name, entry.path) for entry in entries if _is_scene_file(entry))
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror or error}") from error
    if not files:
        raise InputError(f"{folder}: no scenes in this folder, expected files that end in {', '.join(ENDINGS)}")
    found: dict[str, str] = {}
    for name, path in files:
        scene = scene_name(name)
        if scene in found:
            raise InputError(f"{found[scene]} and {path}: two files for the scene {scene!r}, expected one")
        found[scene] = path
    return found


def _is_scene_file(entry: os.DirEntry[str]) -> bool:
    return entry.name.lower().endswith(ENDINGS) and not entry.name.startswith(".") and not entry.is_dir()


def read_scene(data: bytes, path: str, *, label_source: str) -> Scene:
    """The objects of a file."""
    if data.removeprefix(BOM).lstrip()[:1] == b"<":
        from calipers.suites.scene.formats import clio_graphml

        return Scene(clio_graphml.plain_objects(data))
    tree, problem, has_doubles = parse_json(data, path, EXPECTED)
    if has_doubles:
        raise InputError(_doubled_words(tree))
    if not isinstance(tree, dict):
        raise InputError(f"found {_kind(tree)}, expected {EXPECTED}")
    scene = read_tree(tree, path, label_source=label_source)
    return scene._replace(problem=problem) if problem else scene


def read_value(given: Any, *, label_source: str) -> Scene:
    """The objects of a value, which may also be a list of them."""
    return read_tree(dict(given) if isinstance(given, Mapping) else given, label_source=label_source)


def read_tree(tree: Any, path: str = "", *, label_source: str) -> Scene:
    """The objects of what a file holds; other files that it names are looked for beside it."""
    objects = tree
    if isinstance(tree, dict):
        if "figures" in tree:
            return _read_supervisely(tree)
        if "objects" not in tree:
            raise InputError(f"found {_kind(tree)}, expected {EXPECTED}")
        objects = tree["objects"]
    if not isinstance(objects, (list, tuple)):
        raise InputError(f"objects: found {_kind(objects)}, expected a list")
    objects = list(objects) if isinstance(objects, tuple) else objects
    if all_plain(objects):
        return Scene(Converted(objects, plain_place))
    return Scene(_with_graph(objects, Path(path).parent, label_source))


def _read_supervisely(tree: dict[str, Any]) -> Scene:
    from calipers.suites.scene.formats import supervisely

    skipped = supervisely.skipped(tree)
    warning = f"figures that are no cuboids were left out ({skipped})" if skipped else ""
    return Scene(supervisely.plain_objects(tree), warning)


def _with_graph(objects: list[Any], folder: Path, label_source: str) -> Converted:
    """Objects of which some belong to a scene graph."""
    from calipers.suites.scene.formats import scene_graph

    converted = scene_graph.plain_objects({"objects": objects}, folder, label_source)
    plain = [all_plain([item]) for item in objects]
    mixed = [
        item if is_plain else other for item, other, is_plain in zip(objects, converted.objects, plain, strict=True)
    ]
    return Converted(mixed, lambda index, field: (plain_place if plain[index] else converted.where)(index, field))


def _doubled_words(tree: Any) -> str:
    try:
        place, key = find_doubled(tree) or ("", "")
    except RecursionError:
        return "a key is there twice, and something is nested too deeply"
    return f"{place}{': ' if place else ''}the key {shown(key)} is there twice, expected each once"


def _kind(tree: Any) -> str:
    """What was found, without all of it."""
    if isinstance(tree, list):
        return f"a list of {len(tree)}"
    if not isinstance(tree, dict):
        return shown(tree)
    keys = ", ".join(shown(key) for key in list(tree)[:5])
    return f"an object with {keys}{' …' if len(tree) > 5 else ''}" if tree else "an object without keys"
