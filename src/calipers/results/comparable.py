"""Whether two artifacts may be compared: the same suite, protocol, parameters, replicates and records.

Records are the same when the artifacts read as many of them and count the same ground truth, name by name where names
are kept (videos, scenes, labels), and in every replicate of the bootstrap (dense, coco), whose weights hang on the keys
of records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any, NamedTuple

from calipers.core.text import whole_text
from calipers.results.artifacts import Result
from calipers.results.figures import scene_methods

Tree = Mapping[str, Any]
REPLICATES = ("bootstrap", "seed")
ELSEWHERE = {  # parameters that change no number, or whose effect is seen elsewhere
    *REPLICATES,
    "top",
    "max_bad_records",  # in the records
    "mapping",  # in mapping_sha256
    "stroke_width",  # in tube_tolerance
    "gt_format",
    "pred_format",
    "images",
}
FILES = ("aliases", "learned_aliases")  # of the scene suite: what they hold matters, not what they are called
MOST_NAMED = 3
ABSENT = "absent"


class Differences(NamedTuple):
    """What keeps two artifacts from being compared in pairs, each said with what both have."""

    settings: list[str]
    records: list[str]

    @property
    def all(self) -> list[str]:
        """Settings first."""
        return [*self.settings, *self.records]


def differences(old: Result, new: Result) -> Differences:
    """All of them; where protocols differ, so do the records, and nothing else is looked at."""
    if old.tree["protocol"] != new.tree["protocol"]:
        said = _said("protocol", old.tree["protocol"], new.tree["protocol"])
        return Differences([], [said])
    before, after = _Compared(old.tree), _Compared(new.tree)
    return Differences(_named("", before.params, after.params, most=len(before.params)), list(_records(before, after)))


class _Compared:
    """What has to be the same, of one artifact."""

    def __init__(self, tree: Tree) -> None:
        params = tree["params"]
        named = {name: _value(tree, name) for name in params}
        self.params = {
            name: value for name, value in (_defaults(tree["suite"]) | named).items() if name not in ELSEWHERE
        }
        self.params |= {name: params[name] for name in REPLICATES}
        self.records = dict(TRUTHS[tree["suite"]](tree))
        self.sums = tree.get("bootstrap", {}).get("sums", {}).get("gt", [])


def _defaults(suite: str) -> dict[str, Any]:
    """What options do that an artifact does not name, as they came after it."""
    config = import_module(
        "calipers.suites.dense.measure" if suite == "dense" else f"calipers.suites.{suite}.config"
    ).Config
    plain = {item.name: item.default for item in fields(config) if item.metadata["artifact"]}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


def _value(tree: Tree, name: str) -> Any:
    """A parameter; of an option that names a file, what is in the file."""
    value = tree["params"][name]
    if name not in FILES or not isinstance(value, str):
        return value
    return next((each["sha256"] for each in tree["inputs"] if each["path"] == whole_text(value)), value)


def _records(old: _Compared, new: _Compared) -> Iterator[str]:
    found = _named("ground truth: ", old.records, new.records, most=MOST_NAMED)
    yield from found
    same_replicates = all(old.params[name] == new.params[name] for name in REPLICATES)
    if not found and same_replicates and old.sums != new.sums:
        yield (
            "records: as many objects, but not the same records (those without image_path, id or image are known by"
            " their file and line)"
        )


def _named(what: str, old: Mapping[str, Any], new: Mapping[str, Any], *, most: int) -> list[str]:
    """The first that are not the same, and how many more."""
    names = [name for name in {**old, **new} if old.get(name, ABSENT) != new.get(name, ABSENT)]
    said = [_said(f"{what}{name}", old.get(name, ABSENT), new.get(name, ABSENT)) for name in names[:most]]
    more = len(names) - most
    return [*said, f"{what}{more:,} more"] if more > 0 else said


def _said(name: str, old: Any, new: Any) -> str:
    return f"{_short(name)}: {_short(old)} in the old one, {_short(new)} in the new one"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


# the ground truth of each suite, by names that a message can say


def _dense(tree: Tree) -> Iterator[tuple[str, Any]]:
    yield "records read", tree["records"]["read"]
    yield "records rejected", tree["records"]["rejected"]
    yield "objects", tree["objects"]["gt"]
    for mode, found in tree["modes"].items():
        yield from ((f"objects of the {mode} {row['label']}", row["gt"]) for row in found["by_label"] if row["gt"])


def _coco(tree: Tree) -> Iterator[tuple[str, Any]]:
    yield "images", tree["images"]["total"]
    yield "images rejected", tree["images"]["rejected"]
    yield "objects", tree["objects"]["gt"]
    yield from ((f"objects of the class {row['name']}", row["gt"]) for row in tree["per_class"])


def _timeline(tree: Tree) -> Iterator[tuple[str, Any]]:
    """A video that was evaluated on one side only would leave the mean of the other."""
    for name, video in tree["videos"].items():
        counts = video.get("counts")
        events = counts and f"{counts['gt_events']} events, {counts['gt_advisory_events']} advisory events"
        yield f"video {name}", events or f"not evaluated ({video['error']})"


def _scene(tree: Tree) -> Iterator[tuple[str, Any]]:
    first, *_ = scene_methods(tree).values()
    yield from ((f"boxes in the scene {name}", row["gt"]) for name, row in first["scenes"].items())
    yield from ((f"boxes of the class {name}", row["tp"] + row["fn"]) for name, row in first["per_class"].items())


TRUTHS = {"dense": _dense, "coco": _coco, "timeline": _timeline, "scene": _scene}
