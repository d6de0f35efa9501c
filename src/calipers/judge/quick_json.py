"""JSON as Python's `json` reads and writes it, without loading that: to compile its patterns takes a millisecond.

The scanner and the encoder are its own, in C. What they do not take goes to `json`, from which all messages come; and
so does everything where they are not to be had.
"""

from __future__ import annotations

try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner
except ImportError:  # another Python than CPython
    make_scanner = make_encoder = encode_basestring_ascii = None  # type: ignore[assignment, misc]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

WHITE_SPACE = " \t\n\r"
CONSTANTS = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}


class _Scanning:
    """What `json.loads` tells its scanner."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, CONSTANTS.__getitem__


def _refuse(value: Any) -> Any:
    raise TypeError(type(value).__name__)


def _make_scan() -> Callable[[str, int], tuple[Any, int]] | None:
    try:
        return make_scanner(_Scanning)  # type: ignore[arg-type]
    except (AttributeError, TypeError):  # one that wants to be told more, or is not there
        return None


def _make_encode() -> Callable[[Any, int], tuple[str, ...]] | None:
    try:
        return make_encoder(None, _refuse, encode_basestring_ascii, None, ": ", ", ", False, False, False)
    except TypeError:  # one that wants to be told something else, or is not there
        return None


_scan, _encode = _make_scan(), _make_encode()


def parse(text: str | bytes | bytearray) -> Any:
    """What `json.loads` returns and raises.

    >>> parse('{"bbox": [1, 2.5, -3e2, null]} ')
    {'bbox': [1, 2.5, -300.0, None]}
    """
    if _scan is not None:
        try:
            plain = (text if isinstance(text, str) else str(text, "utf-8")).strip(WHITE_SPACE)
            value, end = _scan(plain, 0)
            if end == len(plain):
                return value
        except (ValueError, StopIteration, SystemError):  # json tells what is wrong, or knows another encoding
            pass  # SystemError: the scanner looks for the class of its errors in json.decoder, which is not loaded yet
    import json

    return json.loads(text)


def as_json(tree: dict[str, Any]) -> str:
    """What `json.dumps` returns and raises when NaN is not allowed.

    >>> as_json({"score": 0.5, "reason": "—"})
    '{"score": 0.5, "reason": "\\\\u2014"}'
    """
    if _encode is not None:
        try:
            return "".join(_encode(tree, 0))
        except (TypeError, ValueError, RecursionError):  # json tells what is wrong
            pass
    import json

    return json.dumps(tree, allow_nan=False)
