"""Files of parts: totals that are merged, and the finished shards of a run that is resumed.

The head and the plain half of the entry are mutated as trees, and get a digest that fits: whoever forges a part can
compute one. The arrays are mutated as bytes.
"""

from __future__ import annotations

import json
from contextlib import chdir
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from fuzz.calls import command
from fuzz.case import Case
from fuzz.draft import Doc, Draft
from fuzz.grammars import dense, scenes
from fuzz.writers import write_bytes, write_kept_lines

VARIANTS = 3
LENGTH_BYTES, DIGEST_BYTES = 8, 32  # before the bytes of an entry
INPUTS = {"dense": ["a.jsonl"], "scene": ["--gt", "a.json", "--pred", "b.json"]}


@lru_cache
def _written(suite: str, variant: int, flag: str) -> dict[str, bytes]:
    """The inputs of a run, and what it kept."""
    rng = Random(f"{suite} {variant}")
    trees: dict[str, Any] = {"a.jsonl": dense.records(rng)}
    if suite == "scene":
        sides = ({"objects": [scenes.plain(rng, number) for number in range(2)]} for _ in range(2))
        trees = dict(zip(("a.json", "b.json"), ([side] for side in sides), strict=True))
    files = {name: write_kept_lines(tree, rng) for name, tree in trees.items()}
    with TemporaryDirectory() as folder, chdir(folder):
        Case("", "", {}, files).write(Path())
        command([suite, *INPUTS[suite], "--bootstrap", "5", "--jobs", "1", flag, "part.cal"])
        return files | {"part.cal": Path("part.cal").read_bytes()}


def _doc(content: bytes) -> Doc:
    magic, head, rest = content.split(b"\n", 2)
    data = rest[LENGTH_BYTES + DIGEST_BYTES :]
    size = int.from_bytes(data[:LENGTH_BYTES], "little") + LENGTH_BYTES
    return Doc(
        [magic, json.loads(head.partition(b" ")[2]), json.loads(data[LENGTH_BYTES:size]), data[size:]], _write_part
    )


def _write_part(tree: Any, rng: Random) -> bytes:
    """The first text ends the first line; then come a head, and an entry of a plain half with everything else."""
    parts = tree if isinstance(tree, list) else [tree]
    texts = [part for part in parts if isinstance(part, bytes)]
    heads = [part for part in parts if not isinstance(part, bytes)]
    head = write_kept_lines(heads[:1], rng)
    signed = sha256(head.removesuffix(b"\n")).hexdigest().encode() + b" " + head
    start = b"".join(part + b"\n" for part in texts[:1]) + signed
    plain = write_kept_lines(heads[1:2], rng).rstrip(b"\n")
    data = len(plain).to_bytes(LENGTH_BYTES, "little") + plain + b"".join(texts[1:])
    return start + len(data).to_bytes(LENGTH_BYTES, "little") + sha256(data).digest() + data


def merged(rng: Random) -> Draft:
    """Totals over several inputs, or of several suites, which cannot be added."""
    suite = rng.choice(("dense", "dense", "scene"))
    docs = {"part.cal": _doc(_written(suite, rng.randrange(VARIANTS), "--tally")["part.cal"])}
    return Draft("command", {"arguments": ["merge", "part.cal", "--json"]}, docs)


def resumed(rng: Random) -> Draft:
    """A run that goes on from what is kept."""
    suite = rng.choice(("dense", "scene"))
    files = _written(suite, rng.randrange(VARIANTS), "--resume")
    docs = {name: Doc(content, write_bytes) for name, content in files.items()}
    docs["part.cal"] = _doc(files["part.cal"])
    arguments = [suite, *INPUTS[suite], "--bootstrap", "5", "--jobs", "1", "--resume", "part.cal", "--json"]
    return Draft("command", {"arguments": arguments}, docs)


GRAMMARS = {"merge": merged, "resume": resumed}
