"""Scenes of any format that the suite reads, written in the plain form: `{"objects": […]}`, a file for each scene.

What a plain scene says beside its objects stays with it. Of other formats, fields that are not read are told in a note.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from calipers.core.errors import InputError
from calipers.core.option_values import whole, word
from calipers.files.inputs import read_bytes
from calipers.files.left_out import LeftOut
from calipers.files.problems import shown
from calipers.kernels.scan.boxes import BoxColumns, all_plain
from calipers.suite import ConvertedFiles
from calipers.suites.scene.config import LABEL_SOURCES
from calipers.suites.scene.formats.content import SceneContent, content_of, content_of_value, read_content
from calipers.suites.scene.formats.plain import Scene, explain
from calipers.suites.scene.formats.scene_graph import UNREAD
from calipers.suites.scene.scene_files import ScenesByName, find_scenes


def convert(
    inputs: list[Any], to: str, side: str, *, label_source: str = LABEL_SOURCES[0], max_bad_records: int = 0
) -> ConvertedFiles:
    """The scenes of all inputs; a malformed object is left out, if that is allowed, on either side."""
    left_out = LeftOut(whole("max_bad_records", max_bad_records, 0))
    word("label_source", label_source, LABEL_SOURCES)
    files: dict[str, bytes] = {}
    notes: list[str] = []
    objects = 0
    sources = [find_scenes(source, side) for source in inputs]
    for source in sources:
        for name in sorted(source.scenes):
            scene, usable, content = _read(source, name, label_source, left_out)
            file = f"{name}.json"
            if file in files:
                raise InputError(f"{source.place(name)}: a second scene called {shown(name)}, expected each once")
            files[file] = _written(usable, _other_fields(content))
            objects += len(usable)
            notes += [note for note in _notes(content, scene, source.place(name)) if note not in notes]
    counts = {"scenes": len(files), "objects": objects}
    single = len(sources) == 1 and sources[0].single
    return ConvertedFiles({"": next(iter(files.values()))} if single else files, counts, notes + left_out.notes())


def _read(
    source: ScenesByName, name: str, label_source: str, left_out: LeftOut
) -> tuple[Scene, list[Any], SceneContent]:
    """A scene, those of its objects that can be used, and what they were read from."""
    value, place = source.scenes[name], source.place(name)
    try:
        content = content_of(read_bytes(value), os.fspath(value)) if source.files else content_of_value(value)
        scene = read_content(content, os.fspath(value) if source.files else "", label_source=label_source)
    except InputError as error:
        raise InputError(f"{place}: {str(error).removeprefix(f'{place}: ')}") from None
    columns = BoxColumns()
    columns.add_scene(scene.content.objects, False)
    usable = []
    for at, (item, reason) in enumerate(zip(scene.content.objects, columns.reason, strict=True)):
        if reason:
            left_out.add(InputError(f"{place}: {explain(scene.content, at, reason)}"))
        else:
            usable.append(item)
    return scene, usable, content


def _other_fields(content: SceneContent) -> dict[str, Any]:
    """Fields of a plain scene other than its objects."""
    if content.kind or not isinstance(content.content, Mapping):
        return {}
    return {name: value for name, value in content.content.items() if name != "objects"}


def _notes(content: SceneContent, scene: Scene, place: str) -> Iterator[str]:
    """What was left out of a scene, and what files of its format may say that is not read."""
    if scene.warning:
        yield f"{place}: {scene.warning}"
    if scene.problem:
        yield f"{place}: not strictly JSON: {scene.problem}; such numbers beside boxes are written as null"
    title, unread = (content.kind.title, content.kind.unread) if content.kind else ("scene graph", UNREAD)
    if unread and (content.kind or not _is_plain(content.content)):
        yield f"{title}: {unread} are not read, and so not written"


def _is_plain(content: Any) -> bool:
    objects = content["objects"] if isinstance(content, Mapping) else content
    return all_plain(list(objects))


def _written(objects: list[Any], beside: dict[str, Any]) -> bytes:
    """The objects, one a line, without fields that hold nothing; what else the scene says stands before them."""
    rows = [orjson.dumps({name: value for name, value in item.items() if value is not None}) for item in objects]
    before = b"".join(orjson.dumps(name) + b": " + orjson.dumps(value) + b",\n" for name, value in beside.items())
    return b"{" + before + b'"objects": [' + (b"\n" + b",\n".join(rows) + b"\n" if rows else b"") + b"]}\n"
