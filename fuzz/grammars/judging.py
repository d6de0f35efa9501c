"""Payloads of the judge, and what models write."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from fuzz.draft import Doc, Draft
from fuzz.grammars.dense import shape
from fuzz.values import Pairs, Raw
from fuzz.writers import write_json, write_text

PROSE = ("Sure: ", "", "", "```json\n", "<think>[{]</think>", "Here are 2 objects:\n", "// boxes\n")
AFTER = ("", "", "\n```", " Done.", "]", " [1, 2]", "\n\n{}")


def _shapes(rng: Random, ruler: str) -> Any:
    """An answer or a reference."""
    x, y = rng.randint(0, 50), rng.randint(0, 50)
    one: dict[str, Any] = {
        "iou": {"bbox": [x, y, x + 10, y + 9]},
        "boxes": {"boxes": [[x, y, x + 10, y + 9], {"x1": 1, "y1": 2, "x2": 9, "y2": 8}], "labels": ["a", "b"]},
        "polygon": {"polygon": [[x, y], [x + 9, y], [x + 9, y + 9]]},
        "rotated": {"rotated": [x, y, 10, 4, rng.choice((0, 30.5))]},
        "line": {"line": [x, y, x + 30, y + 5]},
        "point": {"point": rng.choice([[x, y], {"x": x, "y": y}, [x, y, 1]])},
        "box3d": {"cuboid": {"center": [x, y, 0], "size": [1, 2, 3], "rotation": rng.choice([None, {"yaw": 0.3}])}},
        "intervals": {"intervals": [[0, 9], {"start": 20, "end": 29}]},
        "click": rng.choice([{"bbox": [x, y, x + 10, y + 9]}, {"x": x, "y": y}, [x, y], "click(9, 9)"]),
        "count": rng.choice([3, "3", {"count": 2}, {"count": {"a": 2, "b": 1}}, ["a", "a"], "of 1,200 parts 3"]),
        "map": {"boxes": [[x, y, x + 10, y + 9], [0, 0, 5, 5]], "scores": [0.9, 0.8]},
    }
    return one[ruler]


RULERS = ("iou", "boxes", "polygon", "rotated", "line", "point", "box3d", "intervals", "map", "click", "count")


def payload(rng: Random) -> Draft:
    """A payload of any generation of hosts."""
    ruler = rng.choice(RULERS)
    answer, reference = _shapes(rng, ruler), _shapes(rng, ruler)
    text = rng.choice(PROSE) + json.dumps(answer) + rng.choice(AFTER)
    tree: dict[str, Any] = rng.choice(
        [
            {"candidate_answer": answer},
            {"output_text": text},
            {"answer": text},
            {"output": [{"role": "user", "content": "?"}, {"role": "assistant", "content": text}]},
            {"output": [{"role": "assistant", "content": [{"type": "text", "value": text}]}]},
            {"output_path": "answer.txt"},
        ]
    )
    messages = {"expected_output": [{"role": "assistant", "content": reference}]}
    tree |= rng.choice([{"reference_answer": reference}, messages, {"expected_output": json.dumps(reference)}])
    tree |= rng.choice([{}, {"config": None}, {"config": {"threshold": 0.5, "weight": 2}}, {"config": {"passAt": 0.4}}])
    docs = {"payload.json": Doc(tree, write_json), "answer.txt": Doc([text], write_text)}
    return Draft("judge", {"ruler": ruler}, docs)


def served(rng: Random) -> Draft:
    """The same through the command."""
    draft = payload(rng)
    arguments = {"arguments": ["judge", draft.arguments["ruler"]], "stdin": "payload.json"}
    return Draft("command", arguments, draft.docs)


def model_text(rng: Random) -> Draft:
    """What a vision-language model wrote."""
    objects = [shape(rng) for _ in range(rng.randint(0, 4))]
    named = [{each["type"]: each["points"], "desc": each["desc"]} for each in objects]
    numbered = {f"object_{number}": each for number, each in enumerate(named, 1)}
    tree = rng.choice([objects, named, {"objects": named}, numbered, named[:1]])
    return Draft("parse_objects", {}, {"answer.txt": Doc([rng.choice(PROSE), tree, rng.choice(AFTER)], _write_answer)})


def _write_answer(tree: Any, rng: Random) -> bytes:
    """Prose as it is; what is no text as JSON, which may be in the style of others."""
    parts = tree if isinstance(tree, list) and not isinstance(tree, Pairs) else [tree]
    data = b"".join(_part(part, rng) for part in parts)
    if rng.random() < 0.15:
        data = data.replace(b'"', b"'")
    if rng.random() < 0.1:
        data = data.replace(b"null", b"None").replace(b"]", b",]")
    return data


def _part(part: Any, rng: Random) -> bytes:
    if isinstance(part, str):
        return part.encode("utf-8", "surrogatepass")
    return part.data if isinstance(part, Raw) else write_json(part, rng)


def reward(rng: Random) -> Draft:
    """The true objects of a record, and what a model wrote of it, as a training loop has them."""
    truth = [shape(rng) for _ in range(rng.randint(0, 3))]
    docs = model_text(rng).docs | {"truth.json": Doc(truth, write_json)}
    return Draft("reward", {}, docs)


GRAMMARS = {"judge": payload, "judge-command": served, "model-text": model_text, "reward": reward}
