"""Files of options: calipers.toml, and the mapping of a taxonomy."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz.draft import Doc, Draft
from fuzz.grammars.dense import records
from fuzz.writers import write_json, write_lines, write_toml

OPTIONS: dict[str, list[Any]] = {
    "tube_tolerance": [8, 0.5],
    "primary_threshold": [0.5, 0.75],
    "thresholds": [[0.5, 0.75], "0.5,0.9"],
    "modes": [["category"], "phase,localization"],
    "top": [3],
    "label-key": ["类别"],
    "free_text_keys": [["文本"]],
    "max_bad_records": [5],
    "bootstrap": [5],
    "seed": [3],
    "chunk_bytes": [100],
    "json": [True],
}


def toml(rng: Random) -> Draft:
    """A calipers.toml in the working folder."""
    names = rng.sample(sorted(OPTIONS), rng.randint(1, 5))
    tree: dict[str, Any] = {"dense": {name: rng.choice(OPTIONS[name]) for name in names}}
    tree |= rng.choice([{}, {"timeline": {"extent": "gt"}}, {"gate": {"floor": ["f1=0.5"]}}])
    docs = {"calipers.toml": Doc(tree, write_toml), "dump.jsonl": Doc(records(rng), write_lines)}
    return Draft("command", {"arguments": ["dense", "dump.jsonl", "--jobs", "1"]}, docs)


def mapping(rng: Random) -> Draft:
    """A mapping file with umbrellas and keys."""
    attribute = {"name": "type", "chinese_name": "类型", "values": rng.choice([["标签", "光纤"], {"a": "标签"}])}
    kinds = {
        "label": {"chinese_label": "标签", "attributes": [{"name": "文本", "values": []}]},
        "screw": {"chinese_label": "螺丝、光纤插头", "attributes": [attribute, {"name": "品牌"}]},
    }
    docs = {"mapping.json": Doc({"object_types": kinds}, write_json), "dump.jsonl": Doc(records(rng), write_lines)}
    return Draft("dense", {"source": ["dump.jsonl"], "mapping": "mapping.json", "bootstrap": 0, "jobs": 1}, docs)


GRAMMARS = {"toml": toml, "mapping": mapping}
