"""Faults in ground truth on images that a run would refuse: it ends at the first, a check counts them all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from calipers.core.errors import InputError
from calipers.suites.coco.annotations.images import Dataset, read_dataset, read_id, read_name
from calipers.suites.coco.annotations.truth import check_truth
from calipers.suites.coco.formats.coco_json import CocoSide
from calipers.suites.coco.formats.pieces import SHARD_BYTES
from calipers.suites.coco.formats.rows import IDENTITY, RowColumns
from calipers.suites.coco.formats.table import read_shard
from calipers.suites.coco.formats.yolo import truth_faults
from calipers.suites.coco.read import SidesReader

WHAT = {"images": "an image", "categories": "a category"}


def dataset_faults(side: CocoSide) -> list[str]:
    """What is wrong with images, categories and annotations: a message for each entry that could not be used."""
    path = side.rows.origin.path
    usable, messages = dict[str, list[Any]](), list[str]()
    for part in WHAT:
        faults = _entry_faults(side.lists[part], part, path)
        usable[part] = [entry for place, entry in enumerate(_listed(side.lists[part])) if place not in faults]
        messages += faults.values()
    if not usable["images"]:
        return messages
    return [*messages, *_annotation_faults(side.rows, read_dataset(usable, path))]


def folder_faults(source: Any, images: Any) -> list[str]:
    """What is wrong with files of other formats: a message for each object, or for each file that cannot be read."""
    try:
        reading = SidesReader(source, [], "bbox", (None, None), images)
        if reading.sources[0].format == "yolo":
            return list(truth_faults(os.fspath(source), None if images is None else os.fspath(images)))
        pieces = (read_shard(shard._replace(collects=True)) for shard in reading.shards(SHARD_BYTES))
        return [message for piece in pieces for message in piece.faults]
    except InputError:  # of the whole folder, which was told
        return []


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else []


def _entry_faults(entries: Any, part: str, path: str) -> dict[int, str]:
    """Images or categories without an id or a name, or with an id that one before them has, by place."""
    faults, first = dict[int, str](), dict[int, int]()
    for place, entry in enumerate(_listed(entries)):
        try:
            ident = read_id(entry, f"{path}: {part}[{place}]", WHAT[part])
            if part == "categories":
                read_name(entry, ident, path)
        except InputError as error:
            faults[place] = str(error)
            continue
        if first.setdefault(ident, place) != place:
            both = f"{path}: {part}[{first[ident]}] and [{place}]"
            faults[place] = f"{both}: both have the id {ident}, expected each id once"
    return faults


def _annotation_faults(rows: RowColumns, data: Dataset) -> Iterator[str]:
    """Annotations with an id that one before them has, and those that are wrong in themselves."""
    repeated = dict(_repeated(rows))
    rows.has[list(repeated)] &= ~IDENTITY
    yield from repeated.values()
    known = {rows.origin.name(row) for row in repeated}
    yield from (str(bad.error()) for bad in check_truth(rows, data, "bbox").bad if bad.name not in known)


def _repeated(rows: RowColumns) -> Iterator[tuple[int, str]]:
    """Rows with the id of another row, and what is said of the two."""
    first: dict[int, int] = {}
    for row in np.flatnonzero(~rows.lacks(IDENTITY)).tolist():
        ident = int(rows.ids[row])
        if first.setdefault(ident, row) != row:
            both = f"{rows.origin.name(first[ident])} and {rows.origin.place(row)}"
            yield row, f"{both}: both have the id {ident}, expected each id once"
