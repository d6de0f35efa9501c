"""Scenes in shards: some of them each, by name, on all sides."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from calipers.core.text import whole_text
from calipers.files.only import notes_on_missing_keys, read_only
from calipers.files.problems import shown
from calipers.suites.scene.read import SceneReading, read_sources, scene_names
from calipers.suites.scene.scene_files import ScenesByName

if TYPE_CHECKING:
    from calipers.suites.scene.first_pass import KnownLabels

MAX_SHARD_BYTES = 2 << 20  # bytes: enough to be worth the way to another process, and some for each of many


class SceneShard(NamedTuple):
    """Some scenes: where the files of each side are."""

    sides: list[dict[str, str]]  # (1 + methods,) scene -> path
    size: int  # bytes of all files
    labels: KnownLabels | None = None  # what its labels mean, if it is to be measured by itself

    def __str__(self) -> str:
        names = sorted(set[str]().union(*self.sides))
        return f"the scenes {shown(names[0])} to {shown(names[-1])}" if len(names) > 1 else f"the scene {shown(*names)}"


def cut_scenes(sources: Sequence[ScenesByName], chunk_bytes: int) -> Iterator[SceneShard]:
    """Shards of at most so many bytes, or of one scene, in the order of their names."""
    limit = min(chunk_bytes, MAX_SHARD_BYTES)
    names: list[str] = []
    total = 0
    for name in scene_names(sources):
        size = sum(source.size(name) for source in sources)
        if names and total + size > limit:
            yield _shard(sources, names, total)
            names, total = [], 0
        names.append(name)
        total += size
    yield _shard(sources, names, total)


def keep_only(sources: list[ScenesByName], path: str) -> None:
    """Leave only the scenes that a file names in the sources."""
    keys = read_only(path)
    notes_on_missing_keys(path, keys, len(keys.intersection(scene_names(sources))), "scene")
    for source in sources:
        source.scenes = {name: place for name, place in source.scenes.items() if name in keys}


def _shard(sources: Sequence[ScenesByName], names: list[str], size: int) -> SceneShard:
    sides = [{name: source.scenes[name] for name in names if name in source.scenes} for source in sources]
    return SceneShard(sides, size)


def read_shard(shard: SceneShard, methods: list[str], *, label_source: str, max_bad: int) -> SceneReading:
    """The scenes of a shard."""
    sources = [ScenesByName("", side, files=True, single=False) for side in shard.sides]
    return read_sources(sources, methods, label_source=label_source, max_bad=max_bad)


def shard_text(shard: SceneShard) -> str:
    """A text that stays the same as long as no file of the shard is changed, by its path, size and time.

    Meshes that a scene graph names are not looked at. What labels of the shard mean is part of it, if it is known.
    """
    lines = [f"{at}\t{name}\t{_stamp(path)}\n" for at, side in enumerate(shard.sides) for name, path in side.items()]
    lines += [] if shard.labels is None else [shard.labels.to_text()]
    return f"{shard}: {sha256(whole_text(''.join(lines)).encode()).hexdigest()}"


def _stamp(path: str) -> str:
    try:
        state = os.stat(path)
    except OSError:  # which reading it will say
        return f"{path}\t-"
    return f"{path}\t{state.st_size}\t{state.st_mtime_ns}"
