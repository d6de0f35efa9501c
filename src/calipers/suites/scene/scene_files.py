"""The files of the scene suite: where scenes are found.

A source is a file, a folder of files or a value: `{"objects": […]}`, a list of objects, or these by the names of their
scenes. A scene is called like its file without ending: `room.json` and `room.pcd.json` hold the scene room. A file of
nuScenes holds many, called by their tokens. The format is told by the content: GraphML begins with `<`; an annotation
of Supervisely has figures; of other objects, one without center and size but with a position, dimensions or a mesh
belongs to a scene graph. A text is one of KITTI's if its first line is; of a data set in folders of KITTI or nuScenes
the file or folder of the boxes is read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from calipers.core.errors import InputError
from calipers.core.text import whole_text
from calipers.files.inputs import read_bytes
from calipers.files.places import is_remote
from calipers.files.problems import shown
from calipers.suites.scene.formats.table import (
    ENDINGS,
    EXPECTED,
    FORMATS,
    KEYS,
    PEEKED,
    TEXTS,
    SceneFormat,
    format_of_bytes,
    format_of_many,
)

LABELS, ANNOTATIONS = "label_2", "sample_annotation.json"  # of KITTI, and of nuScenes
CLOUDS = (".pcd", ".ply", ".bin", ".las", ".laz")  # a point cloud's own ending, before that of its annotation


class ScenesByName:
    """One side's scenes by name: paths of files, or values."""

    def __init__(
        self, path: str, scenes: dict[str, Any], *, files: bool, single: bool, sha256: str | None = None
    ) -> None:
        self.path = path  # as the artifact names it
        self.scenes = scenes
        self.files = files
        self.single = single  # one scene, which may be compared with another whatever they are called
        self.sha256 = sha256  # of the one file that values were read from

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


def find_scenes(source: Any, name: str) -> ScenesByName:
    """Where the scenes of one side are; `name` stands for a value in messages."""
    if isinstance(source, ScenesByName):
        return source
    if isinstance(source, (str, os.PathLike)):
        path = inner_place(os.fspath(source))
        if os.path.isdir(path):
            return ScenesByName(path, _files_in(path), files=True, single=False)
        if not is_remote(path) and not os.path.exists(path):
            raise InputError(f"{path}: cannot be read: No such file or directory")
        if many := find_many(path):
            return _scenes_of_file(path, many)
        return ScenesByName(path, {scene_name(os.path.basename(path)): path}, files=True, single=True)
    path = f"<{name}>"
    if many := _many_values(source):
        return _scenes_of_samples(path, many.module().samples_of(source, path), path, None)
    if isinstance(source, (list, tuple)) or (isinstance(source, Mapping) and not source.keys().isdisjoint(KEYS)):
        return ScenesByName(path, {"scene": source}, files=False, single=True)
    if not isinstance(source, Mapping) or not all(isinstance(scene, str) for scene in source):
        raise InputError(f'{path}: found {shown(source)}, expected a path, {{"objects": […]}} or {{scene: …}}')
    return ScenesByName(path, dict(source), files=False, single=False)


def inner_place(path: str) -> str:
    """Where the boxes are of a data set in folders: KITTI's labels, or nuScenes' annotations."""
    for name, is_there in ((LABELS, os.path.isdir), (ANNOTATIONS, os.path.isfile)):
        inner = os.path.join(path, name)
        if os.path.isdir(path) and is_there(inner):
            return inner
    return path


def find_many(path: str) -> SceneFormat | None:
    """The format of a file that may hold many scenes, None if it is of no such format."""
    if not path.lower().endswith(".json") or not os.path.isfile(path):
        return None
    return format_of_many(peek(path))


def peek(path: str) -> bytes:
    """The first bytes of a file here; nothing of what cannot be read."""
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(PEEKED)
    except OSError:  # said when the file is read
        return b""


def _many_values(source: Any) -> SceneFormat | None:
    """The format of a value that may hold many scenes."""
    return next((kind for kind in FORMATS if kind.holds_scenes and kind.module().is_value(source)), None)


def _scenes_of_file(path: str, kind: SceneFormat) -> ScenesByName:
    data = read_bytes(path)
    samples = kind.module().read_samples(data, path)
    return _scenes_of_samples(path, samples, scene_name(os.path.basename(path)), sha256(data).hexdigest())


def _scenes_of_samples(path: str, samples: dict[str, Any], name: str, digest: str | None) -> ScenesByName:
    """Scenes that were in one file; where boxes name none, it is one that goes by the name of the file."""
    if not samples:
        raise InputError(f"{path}: no scenes in it, expected {EXPECTED}")
    if list(samples) == [""]:
        return ScenesByName(path, {name: samples[""]}, files=False, single=True, sha256=digest)
    scenes = {whole_text(token): sample for token, sample in samples.items()}
    return ScenesByName(path, scenes, files=False, single=False, sha256=digest)


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
            files = _with_texts(sorted((entry.name, entry.path) for entry in entries if _is_scene_file(entry)))
    except OSError as error:
        raise InputError(f"{folder}: cannot be read: {error.strerror or error}") from error
    if not files:
        endings = ", ".join(ending for ending in ENDINGS if ending not in TEXTS)
        raise InputError(f"{folder}: no scenes in this folder, expected files that end in {endings}")
    by_scene: dict[str, str] = {}
    for name, path in files:
        scene = scene_name(name)
        if scene in by_scene:
            raise InputError(f"{by_scene[scene]} and {path}: two files for the scene {scene!r}, expected one")
        by_scene[scene] = path
    return by_scene


def _with_texts(files: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Files of scenes: of texts those that hold labels, and then also empty ones, which are frames without objects."""
    texts = [file for file in files if file[0].lower().endswith(TEXTS)]
    if not texts:
        return files
    heads = {path: peek(path).strip() for _, path in texts}
    labels = {path for path, head in heads.items() if head and format_of_bytes(head)}
    empty = {path for path, head in heads.items() if not head}
    left_out = set(heads) - (labels | empty if labels else labels)
    return [file for file in files if file[1] not in left_out]


def _is_scene_file(entry: os.DirEntry[str]) -> bool:
    return entry.name.lower().endswith(ENDINGS) and not entry.name.startswith(".") and not entry.is_dir()
