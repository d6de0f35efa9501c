"""A line of a dump to its value, by a JSON library."""

from __future__ import annotations

import json
from typing import Any

import orjson

from calipers.files.json_memory import check_memory
from calipers.files.problems import json_problem
from calipers.files.repeated_keys import as_object, repeats_keys

LONGEST_INT = 4000  # digits; more take Python too long, and no float holds them


def record_of(text: bytes) -> Any:
    """The value of a line; None if it is not JSON."""
    check_memory(text)
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return _parse_with_nan(text.strip())


def parse_line(text: bytes) -> tuple[Any, str]:
    """A line that is JSON, objects that give a key twice as `RepeatedKeyDict`; or what is wrong with it."""
    check_memory(text)
    try:
        record = orjson.loads(text)
    except orjson.JSONDecodeError:
        record = _parse_with_nan(text)
        return record, json_problem(text) if record is None else ""
    if not repeats_keys(text, record):
        return record, ""
    record = _parse_with_nan(text)
    return record, "a key is there twice, and something is nested too deeply" if record is None else ""


def _parse_with_nan(text: bytes) -> Any:
    """A line that is JSON but for NaN, Infinity or numbers beyond floats, which only spoil the object they are in.

    Objects that give a key twice are `RepeatedKeyDict`.
    """
    try:
        record = json.loads(text.decode("utf-8"), parse_int=_int, object_pairs_hook=as_object)
        json.dumps(record, ensure_ascii=False).encode("utf-8")  # half of a surrogate pair is not text
    except (ValueError, RecursionError):
        return None
    return record


def _int(digits: str) -> int | float:
    return int(digits) if len(digits) < LONGEST_INT else float(digits)
