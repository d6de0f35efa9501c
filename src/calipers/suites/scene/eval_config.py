"""`eval_config.json`: the options of the scene suite as an older evaluator wrote them.

`matching`, `prediction`, `label_resolution` and `paths` are objects; a key that is not listed here is an error that
names the nearest, and null is the same as not given. Keys of that evaluator that ask for something which is not done
here are listed in a warning. Paths are relative to the file.
"""

from __future__ import annotations

import os
from typing import Any

import orjson

from calipers.core.config import check_names, make_config
from calipers.core.errors import ConfigError, keyword, require
from calipers.files.inputs import find_doubled, parse_json
from calipers.suites.scene.config import Config

KEYS: dict[str, dict[str, str | None]] = {  # section -> key -> option; None has no option
    "matching": {
        "method": None,
        "iou_mode": "iou_mode",
        "frame_normalization": "frame_normalization",
        "iou_threshold": "iou_threshold",
        "require_label_match": "require_label_match",
        "range_buckets_m": "range_buckets",
        "compute_open_set_metrics": "open_set",
        "os_similarity_threshold": "os_similarity_threshold",
        "compute_usda_style_metrics": None,
        "door_bbox_padding_m": None,
    },
    "prediction": {
        "label_source": "label_source",
        "ignore_raw_labels": "ignore_raw_labels",
        "ignore_raw_contains": "ignore_raw_contains",
        "ignore_canonical_labels": "ignore_canonical_labels",
    },
    "label_resolution": {
        "use_embedding_for_unresolved": "embed",
        "learn_new_aliases": None,
        "embedding_min_score": "embed_min",
    },
    "paths": {
        "canonical_labels": "labels",
        "label_aliases": "aliases",
        "learned_label_aliases": "learned_aliases",
    },
}
WITHOUT_EFFECT = {  # keys that ask for something else -> why they are ignored
    "matching.compute_usda_style_metrics": "overlaps on the plane, many to many, are not measured",
    "matching.door_bbox_padding_m": "boxes are measured as they are, doors too",
    "label_resolution.learn_new_aliases": f"an evaluation only reads aliases ({keyword('write_aliases')} saves them)",
}


def read_eval_config(path: str) -> tuple[dict[str, Any], list[str]]:
    """The options that a file gives, checked, and warnings about it."""
    tree = _read(path)
    check_names(tree, KEYS, f"{path}: ", "a section")
    options: dict[str, Any] = {}
    for section, options_of_section in KEYS.items():
        values = {} if tree.get(section) is None else tree[section]
        require(isinstance(values, dict), f"{path}: {section}", values, "an object")
        check_names(values, options_of_section, f"{path}: {section}: ", "a key")
        options |= {
            name: _checked(name, value, path, f"{section}.{key}")
            for key, value in values.items()
            if (name := options_of_section[key]) and value is not None
        }
    return options, _unsupported(tree, path)


def _checked(name: str, value: Any, path: str, place: str) -> Any:
    """The value of an option; a path is resolved against the folder of the file."""
    if place.startswith("paths."):
        require(isinstance(value, str) and bool(value), f"{path}: {place}", value, "a path")
        return os.path.join(os.path.dirname(path), value)
    if name == "embed":
        require(isinstance(value, bool), f"{path}: {place}", value, "true or false")
    try:
        make_config(Config, {name: value})
    except ConfigError as error:
        raise ConfigError(f"{path}: {place}: {str(error).removeprefix(f'{name}: ')}") from error
    return value


def _unsupported(tree: dict[str, Any], path: str) -> list[str]:
    """Warnings about keys that have no option here."""
    method = _value(tree, "matching.method")
    require(method in (None, "greedy"), f"{path}: matching.method", method, "greedy")
    learn = _value(tree, "label_resolution.learn_new_aliases")
    require(learn in (None, True, False), f"{path}: label_resolution.learn_new_aliases", learn, "true or false")
    asked = [place for place in WITHOUT_EFFECT if _value(tree, place)]
    return [f"{path}: {place.partition('.')[2]} has no effect: {WITHOUT_EFFECT[place]}" for place in asked]


def _value(tree: dict[str, Any], place: str) -> Any:
    """The value of a key, given as "section.key"; None if it is not there."""
    section, _, key = place.partition(".")
    return (tree.get(section) or {}).get(key)


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:
            content = file.read().removeprefix(b"\xef\xbb\xbf")
        tree = orjson.loads(content)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from error
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"{path}: is not JSON ({error}), expected an eval_config.json") from error
    try:
        doubled = find_doubled(parse_json(content, path, "").tree)
    except RecursionError as error:
        raise ConfigError(f"{path}: is nested too deeply, expected an eval_config.json") from error
    if doubled:
        raise ConfigError(f"{path}: {'.'.join(filter(None, doubled))}: is there twice, expected it once")
    require(isinstance(tree, dict), path, tree, "an object with " + ", ".join(KEYS))
    return dict(tree)
