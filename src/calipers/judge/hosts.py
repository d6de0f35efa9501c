"""What a host sends and what it gets, whatever generation it is of: answer, reference and configuration; a verdict.

| the answer, the first that is there | the reference, the first that is there |
| --- | --- |
| `candidate_answer`, object or text | `reference_answer`, object or text |
| `output_text`, text | `expected_output`, messages, object or text |
| `answer`, text | `expected_messages`, messages |
| `output`, messages, object or text | |
| `output_path`, a file with the text | |

The first that is there and not an empty text; a list of messages that is empty is not there. A reference in the
`config` (`reference`, `expected`, `reference_answer` or `expected_output`) wins, since it was written for this grader.

Of messages the last one of the assistant counts, else the last one. Its content is an object, a text, or parts whose
texts are joined. An object that names a shape is neither a message nor a part: pages and screens have boxes with a
`role`, a `content`, a `type` and a `text`.

The verdict is one plain object that all of them accept: `pass`, `score`, `reason` and `checks` are what the newest
read, `assertions` those before, `hits`, `misses` and `reasoning` the oldest. `details` holds the numbers behind it.
"""

from __future__ import annotations

import os
from stat import S_ISREG

from calipers.core.errors import InputError
from calipers.judge.kinds import NAMES, plain
from calipers.judge.quick_json import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from calipers.judge.source_types import JudgeCount

ANSWERS = ("candidate_answer", "output_text", "answer", "output")
REFERENCES = ("reference_answer", "expected_output", "expected_messages")
MESSAGES = ("expected_output", "expected_messages")  # an empty list of them is sent where a case has no reference
CONFIG_REFERENCES = ("reference", "expected", "reference_answer", "expected_output")
ROLES = ("assistant", "user", "system", "developer", "tool", "function")
SHAPES = frozenset().union(*NAMES.values())


class Case:
    """One case: `answer` and `reference` as given, and the host's `config`."""

    __slots__ = ("answer", "config", "reference")

    def __init__(self, answer: Any, reference: Any, config: dict[str, Any]) -> None:
        self.answer, self.reference, self.config = answer, reference, config


def payload_of(gt: JudgeCount, pred: JudgeCount | None) -> dict[str, Any]:
    """The payload of two sides; arrays become lists, and no answer is an empty text."""
    return {"candidate_answer": "" if pred is None else _listed(pred), "reference_answer": _listed(gt)}


def _listed(value: Any) -> Any:
    """Arrays and their numbers as lists and numbers of Python."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {name: _listed(item) for name, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, (list, tuple)) else value


def read_payload(tree: Any) -> Case:
    """The parts of a payload; an error if one is not there."""
    if not isinstance(tree, dict):
        raise InputError(f"payload: found {kind(tree)}, expected an object")
    if not any(name in tree for name in ANSWERS) or not any(name in tree for name in REFERENCES):
        tree = {snake(name): value for name, value in tree.items()} | tree
    config = tree.get("config")
    if config is not None and not isinstance(config, dict):
        raise InputError(f"config: found {kind(config)}, expected an object")
    options = _flat(config or {})
    reference = reference_in(options)
    if reference is None:
        sent = {name: value for name, value in tree.items() if name not in MESSAGES or value != []}
        reference = _first(sent, REFERENCES)
    if reference is None:
        raise InputError(f"reference: nothing found, expected {' or '.join(REFERENCES)}, or a reference in the config")
    answer = _first(tree, ANSWERS)
    if answer is None or (isinstance(answer, str) and not answer and tree.get("output_path")):
        answer = _from_file(tree.get("output_path"))
    return Case(answer, reference, {name: options[name] for name in options if name not in CONFIG_REFERENCES})


def reference_in(place: dict[str, Any]) -> Any:
    """The reference that a config, or a test's variables or metadata, hold; None without one."""
    return next((place[name] for name in CONFIG_REFERENCES if place.get(name) is not None), None)


def _flat(config: dict[str, Any]) -> dict[str, Any]:
    """The host's config; what some hosts forward as a config inside it belongs to it."""
    inner = config.get("config")
    return (
        {name: value for name, value in config.items() if name != "config"} | inner
        if isinstance(inner, dict)
        else config
    )


def _first(tree: dict[str, Any], names: tuple[str, ...]) -> Any:
    values = [tree[name] for name in names if tree.get(name) is not None]
    return _content(next((value for value in values if value != ""), "")) if values else None


def _content(value: Any) -> Any:
    """The content of chat messages; any other value is returned unchanged."""
    if isinstance(value, dict) and "content" in value and _is_message(value):
        value = [value]
    if not isinstance(value, list) or not value or not all(_is_message(message) for message in value):
        return value
    telling = [
        message for message in value if message.get("content") not in (None, "")
    ] or value  # some only call tools
    spoken = [message for message in telling if message.get("role") in (None, "assistant")] or telling
    return _joined(spoken[-1].get("content"))


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and ("content" in value or value.get("role") in ROLES) and not _names_shape(value)


def _names_shape(value: dict[str, Any]) -> bool:
    return any(plain(key) in SHAPES for key in value if isinstance(key, str))


def _joined(content: Any) -> Any:
    """The texts of message parts joined into one; an object or a text is returned unchanged."""
    if not isinstance(content, list) or not all(isinstance(part, dict) and "type" in part for part in content):
        return content
    contents = [part.get("text", part.get("value", part.get("content"))) for part in content if part["type"] != "file"]
    texts = [text for text in contents if text is not None]  # a picture has none
    if not texts or any(map(_names_shape, content)):
        return content
    return texts[0] if len(texts) == 1 else "\n".join(t if isinstance(t, str) else _written(t) for t in texts)


def _written(value: Any) -> str:
    import json

    return json.dumps(value)


def _from_file(path: Any) -> Any:
    """The answer in a file: a text, or messages as JSON."""
    if not isinstance(path, str) or not path:
        raise InputError(f"answer: nothing found, expected {', '.join(ANSWERS)} or output_path")
    try:
        if not S_ISREG(os.stat(path).st_mode):  # a pipe or a device may never end
            raise InputError(f"output_path: {path}: cannot be read: Not a regular file")
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise InputError(f"output_path: {path}: cannot be read: {error.strerror or error}") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise InputError(f"output_path: {path}: is not text: {error}") from error
    if not text.lstrip().startswith("["):
        return text
    try:
        return _content(parse(text)) if '"content"' in text else text
    except (ValueError, RecursionError):  # a text that begins like a list
        return text


def kind(value: Any) -> str:
    """What a value is, in a word or two.

    >>> kind([1]), kind("a"), kind(None), kind(True)
    ('a list', 'a text', 'null', 'true')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return "a number"
    return "a text" if isinstance(value, str) else "a list" if isinstance(value, (list, tuple)) else "an object"


def snake(name: str) -> str:
    """A name in small letters with underscores.

    >>> snake("candidateAnswer"), snake("IoU-Threshold"), snake("pass_at")
    ('candidate_answer', 'io_u_threshold', 'pass_at')
    """
    snaked = ""
    for place, char in enumerate(str(name)):
        if char.isupper() and place and snaked[-1] != "_" and not name[place - 1].isupper():
            snaked += "_"
        snaked += "_" if char in "- ." else char.lower()
    return snaked


# Verdicts


def make_verdict(
    passed: bool,
    score: float,
    reason: str,
    text: str,
    details: dict[str, Any],
    *,
    hits: list[str] | None = None,
    misses: list[str] | None = None,
    reasoning: str | None = None,
) -> dict[str, Any]:
    """A verdict with one check; hits, misses and reasoning are its reason, if nothing else is given."""
    return {
        "pass": passed,
        "score": score,
        "reason": reason,
        "checks": [{"text": text, "pass": passed, "score": score, "reason": reason}],
        "assertions": [{"text": text, "passed": passed, "evidence": reason}],
        "hits": ([reason] if passed else []) if hits is None else hits,
        "misses": ([] if passed else [reason]) if misses is None else misses,
        "reasoning": reason if reasoning is None else reasoning,
        "details": details,
    }


def failed(ruler: str, reason: str, **details: Any) -> dict[str, Any]:
    """A verdict on what could not be measured."""
    return make_verdict(False, 0.0, reason, f"{ruler} can be measured", {"error": reason, **details})
