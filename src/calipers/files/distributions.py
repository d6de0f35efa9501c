"""Installed distributions: whether one of them may have something for us, found without reading all about them."""

from __future__ import annotations

import os
import sys

ARCHIVES = (".zip", ".whl", ".egg")  # not looked into
RECORDS = (".dist-info", ".egg-info")


def may_name(group: str) -> bool:
    """Whether a distribution on the path names this group of entry points, or lies where that is not looked for."""
    return any(_may_name(place, group.encode()) for place in sys.path)


def _may_name(place: str, group: bytes) -> bool:
    if place.endswith(ARCHIVES) and os.path.exists(place):
        return True
    try:
        names = os.listdir(place or ".")
    except OSError:  # no such folder
        return False
    return any(
        name.endswith(ARCHIVES[2:]) or (name.endswith(RECORDS) and group in _entry_points(os.path.join(place, name)))
        for name in names
    )


def _entry_points(folder: str) -> bytes:
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb") as file:
            return file.read()
    except OSError:  # it has none
        return b""
