"""The options of the scene suite, brought to one form and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from calipers.core.config import option
from calipers.core.errors import require
from calipers.core.option_values import flag, keys, number, parts, path, threshold, whole, word
from calipers.core.slice_options import SliceOptions, artifact_params
from calipers.suites.scene.labels.canonical import MAX_COMPARISONS

PROTOCOL = "scene/1"  # name and version of the definitions
IOU_MODES = ("obb", "aabb")
CONTAINMENTS = ("aabb", "obb")
FRAMES = ("none", "gt_global_yaw")
OPEN_SET_PROTOCOLS = ("calipers", "clio")
LABEL_SOURCES = ("prefer_retrieved_else_label", "label")
AP_PLACES = ("3d", "ground_plane")
AP_IOUS = {"iou_0.25": 0.25, "iou_0.50": 0.5}
AP_DISTANCES_M = {"distance_0.5": 0.5, "distance_1.0": 1.0, "distance_2.0": 2.0}


@dataclass(frozen=True, kw_only=True)
class Config(SliceOptions):
    """Every option of the scene suite."""

    labels: str | Sequence[str] | None = option(
        None, "the classes (JSON), else the labels of the ground truth", metavar="FILE"
    )
    aliases: str | Mapping[str, str] | None = option(None, "aliases and contains-rules (JSON)", metavar="FILE")
    learned_aliases: str | Mapping[str, str] | None = option(
        None, "further aliases, which give way to those (JSON)", metavar="FILE"
    )
    embed: object = option(
        False,
        "resolve remaining labels by a sentence model: that of the extra embed, or one by its name or folder",
        metavar="[NAME_OR_PATH]",
        optional_value=True,
    )
    embed_min: float = option(0.5, "similarity from which the model's answer is taken, from -1 to 1")
    write_aliases: str | None = option(
        None, "save what the model resolved; needs embed", metavar="FILE", artifact=False, written=True
    )
    iou_mode: str = option("obb", "overlap of oriented boxes, or of their axis-aligned bounds", metavar="obb|aabb")
    iou_threshold: float = option(0.1, "least IoU of a match")
    require_label_match: bool = option(False, "only boxes of one class may match")
    containment: str = option(
        "aabb", "a centre lies in the axis-aligned bounds, or in the box itself", metavar="aabb|obb"
    )
    frame_normalization: str = option(
        "none", "turn scenes by the dominant yaw of their ground truth first, or not", metavar="none|gt_global_yaw"
    )
    range_buckets: tuple[float, ...] = option((2.0, 4.0), "limits of distance in metres, ascending", metavar="M,M,…")
    open_set: bool = option(True, "measure osR, osP and F1_os")
    os_similarity_threshold: float = option(0.9, "similarity from which a prediction is relevant to a task")
    os_min_iou: float = option(0.0, "least IoU of a match in the open set; 0 is any overlap")
    ap_distance: str = option(
        "3d", "AP by distance in space, or on the ground as nuScenes has it", metavar="3d|ground_plane"
    )
    protocol: str = option("calipers", "definitions that the open-set figures follow", metavar="calipers|clio")
    label_source: str = option(
        "prefer_retrieved_else_label", "which label of a scene graph counts", metavar="|".join(LABEL_SOURCES)
    )
    ignore_raw_labels: tuple[str, ...] = option((), "leave out predictions with these labels", metavar="A,B,…")
    ignore_raw_contains: tuple[str, ...] = option(
        (), "leave out predictions whose labels contain one of these texts", metavar="A,B,…"
    )
    ignore_canonical_labels: tuple[str, ...] = option((), "leave out predictions of these classes", metavar="A,B,…")
    max_comparisons: int = option(
        MAX_COMPARISONS, "comparisons of unresolved labels with names, for suggestions", metavar="N", artifact=False
    )
    max_methods: int = option(100, "methods of a run: every two of them are compared", metavar="N", artifact=False)
    top: int = option(8, "how many classes and labels the summary shows; the artifact has all")
    max_bad_records: int = option(0, "reject and count up to N scenes that cannot be read", metavar="N")
    bootstrap: int = option(1000, "replicates for the intervals; 0 is none")
    seed: int = option(0, "seed of the replicates")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("labels", "aliases", "learned_aliases"):
            require(getattr(self, name) != "", name, "", "a path")
        checked = {
            "embed": _embed(self.embed),
            "range_buckets": _limits(self.range_buckets),
            "embed_min": number(
                "embed_min", self.embed_min, minimum=-1.0, maximum=1.0, expected="a number from -1 to 1"
            ),
            "write_aliases": path("write_aliases", self.write_aliases),
            "iou_mode": word("iou_mode", self.iou_mode, IOU_MODES),
            "iou_threshold": threshold("iou_threshold", self.iou_threshold),
            "require_label_match": flag("require_label_match", self.require_label_match),
            "containment": word("containment", self.containment, CONTAINMENTS),
            "frame_normalization": word("frame_normalization", self.frame_normalization, FRAMES),
            "open_set": flag("open_set", self.open_set),
            "os_similarity_threshold": number(
                "os_similarity_threshold", self.os_similarity_threshold, above=0.0, expected="a number above 0"
            ),
            "os_min_iou": number(
                "os_min_iou", self.os_min_iou, minimum=0.0, maximum=1.0, expected="a number from 0 to 1"
            ),
            "ap_distance": word("ap_distance", self.ap_distance, AP_PLACES),
            "protocol": word("protocol", self.protocol, OPEN_SET_PROTOCOLS),
            "label_source": word("label_source", self.label_source, LABEL_SOURCES),
            "ignore_raw_labels": keys("ignore_raw_labels", self.ignore_raw_labels),
            "ignore_raw_contains": keys("ignore_raw_contains", self.ignore_raw_contains),
            "ignore_canonical_labels": keys("ignore_canonical_labels", self.ignore_canonical_labels),
            "max_methods": whole("max_methods", self.max_methods, 1),
            "max_comparisons": whole("max_comparisons", self.max_comparisons, 0),
            "top": whole("top", self.top, 0),
            "max_bad_records": whole("max_bad_records", self.max_bad_records, 0),
            "bootstrap": whole("bootstrap", self.bootstrap, 0, 1_000_000),
            "seed": whole("seed", self.seed, 0),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        saved = self.write_aliases
        require(saved is None or bool(self.embed), "write_aliases", saved, "embed with it: only the model learns any")


def _embed(value: Any) -> Any:
    good = isinstance(value, bool) or callable(value) or (isinstance(value, str) and bool(value.strip()))
    require(good, "embed", value, "true, false, the name or folder of a model, or a function of a list of texts")
    return value


def _limits(value: Any) -> tuple[float, ...]:
    expected = "ascending distances above 0, in metres"
    limits = tuple(number("range_buckets", part, above=0.0, expected=expected) for part in parts(value))
    require(all(a < b for a, b in pairwise(limits)), "range_buckets", value, expected)
    return limits


def params(config: Config, classes: list[str]) -> dict[str, Any]:
    """All parameters that can change a number, with defaults filled in."""
    named = {name: config_value(getattr(config, name)) for name in ("aliases", "learned_aliases", "embed")}
    plain = artifact_params(config)
    plain |= {name: list(value) for name, value in plain.items() if isinstance(value, tuple)}
    return {
        **plain,
        **named,
        "labels": classes,
        "rulers": {
            "iou": "exact volume of oriented boxes" if config.iou_mode == "obb" else "axis-aligned bounds",
            "distance": "between centres, in metres" + (", on the ground" if config.ap_distance != "3d" else ""),
        },
        "matching": {
            "boxes": "greedy: closest pair first, ties by ground-truth index, then prediction index",
            "open_set": "greedy, within the task",
            "ap": "by score, ties by scene and index; each to the closest free object, the last of equals",
        },
    }


def config_value(value: Any) -> Any:
    """An option as the artifact shows it: a file by its name, a function by its own."""
    if callable(value):
        return getattr(value, "__name__", type(value).__name__)
    return value if value is None or isinstance(value, (bool, dict)) else str(value)
