"""Names of videos: the key of a file, and names matched with or without their extension."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from calipers.core.errors import InputError
from calipers.core.text import whole_text

BEGINNING = "sota_"
ENDINGS = ("_timeline_fusion", "_timeline", "_calibrated")


def video_key(file: str) -> str:
    """The video a timeline CSV belongs to, by its name.

    >>> video_key("out/drive_1_timeline_fusion.csv"), video_key("sota_drive_1.csv")
    ('drive_1.mp4', 'drive_1.mp4')
    """
    stem = PurePath(file).stem
    if stem.lower().startswith(BEGINNING):
        stem = stem[len(BEGINNING) :]
    ending = next((ending for ending in ENDINGS if stem.lower().endswith(ending)), "")
    return whole_text(stem[: len(stem) - len(ending)]) + ".mp4"


def match_names(truth: Iterable[str], pred: Iterable[str], path: str) -> tuple[dict[str, str], list[str]]:
    """For each video of the ground truth the name of its prediction; and predictions of no video.

    >>> match_names(["a.mp4", "b.1"], ["a", "b.1.mp4", "c"], "")
    ({'a.mp4': 'a', 'b.1': 'b.1.mp4'}, ['c'])
    """
    names = dict.fromkeys(truth)
    partners: dict[str, str] = {}
    strangers: list[str] = []
    others = []
    for name in pred:
        if name in names:
            partners[name] = name
        else:
            others.append(name)
    stems = _by_stem(names) if others else {}
    for name in sorted(others):
        stem = _stem(name)
        meant = stems.get(name) or ([stem] if stem in names else stems.get(stem, []))
        if not meant:
            strangers.append(name)
            continue
        if len(meant) > 1:
            raise InputError(f"{path}: {name!r} may mean {meant[0]!r} or {meant[1]!r} of the ground truth")
        if meant[0] in partners:
            raise InputError(f"{path}: {partners[meant[0]]!r} and {name!r} both are predictions of {meant[0]!r}")
        partners[meant[0]] = name
    return partners, sorted(strangers)


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names of videos by what they are without their extension, where only one can be meant.

    >>> short_names(["a.mp4", "b.mp4", "b.avi", "c", "c.mp4"])
    {'a': 'a.mp4'}
    """
    known = set(names)
    return {stem: meant[0] for stem, meant in _by_stem(known).items() if len(meant) == 1 and stem not in known}


def _by_stem(names: Iterable[str]) -> dict[str, list[str]]:
    """Names by themselves without extension."""
    by_stem: dict[str, list[str]] = {}
    for name in sorted(names):
        by_stem.setdefault(_stem(name), []).append(name)
    return by_stem


def _stem(name: str) -> str:
    """The name without its last extension: at most five letters and digits, not digits alone.

    >>> _stem("a.mp4"), _stem("v1.25"), _stem(".mp4")
    ('a', 'v1.25', '.mp4')
    """
    stem, dot, extension = name.rpartition(".")
    good = extension.isalnum() and not extension.isdigit() and len(extension) <= 5
    return stem if dot and stem and good else name
