"""Scenes of any format that the suite reads, written in the plain form: `{"objects": […]}`, a file for each scene."""

from __future__ import annotations

import os
from typing import Any

import orjson

from calipers.core.errors import InputError
from calipers.core.option_values import whole, word
from calipers.files.inputs import read_bytes
from calipers.files.left_out import LeftOut
from calipers.files.problems import shown
from calipers.kernels.scan.boxes import BoxColumns
from calipers.suite import ConvertedFiles
from calipers.suites.scene.config import LABEL_SOURCES
from calipers.suites.scene.formats.plain import Scene, explain
from calipers.suites.scene.scene_files import ScenesByName, find_scenes, read_scene, read_value


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
            scene, usable = _read(source, name, label_source, left_out)
            file = f"{name}.json"
            if file in files:
                raise InputError(f"{source.place(name)}: a second scene called {shown(name)}, expected each once")
            files[file] = _written(usable)
            objects += len(usable)
            notes += [f"{source.place(name)}: {scene.warning}"] if scene.warning else []
    counts = {"scenes": len(files), "objects": objects}
    single = len(sources) == 1 and sources[0].single
    return ConvertedFiles({"": next(iter(files.values()))} if single else files, counts, notes + left_out.notes())


def _read(source: ScenesByName, name: str, label_source: str, left_out: LeftOut) -> tuple[Scene, list[Any]]:
    """A scene, and those of its objects that can be used."""
    given, place = source.scenes[name], source.place(name)
    try:
        if source.files:
            scene = read_scene(read_bytes(given), os.fspath(given), label_source=label_source)
        else:
            scene = read_value(given, label_source=label_source)
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
    return scene, usable


def _written(objects: list[Any]) -> bytes:
    """The objects, one a line, without fields that hold nothing."""
    rows = [orjson.dumps({name: value for name, value in item.items() if value is not None}) for item in objects]
    return b'{"objects": [' + (b"\n" + b",\n".join(rows) + b"\n" if rows else b"") + b"]}\n"
