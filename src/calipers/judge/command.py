"""`calipers judge RULER`: one payload on standard input, one verdict on standard output.

Nothing else ever goes to standard output, since hosts take other text for a full score: while a verdict is made,
everything that prints goes to standard error. Whatever goes wrong with a payload is a verdict with score 0.
"""

from __future__ import annotations

import sys

from calipers.core.errors import CalipersError, ConfigError, OutputError
from calipers.core.stopping import check_stop
from calipers.judge.hosts import failed, read_payload
from calipers.judge.options import NAMES, make_options, near
from calipers.judge.quick_json import as_json, parse
from calipers.judge.rulers import KINDS, measure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from calipers.judge.options import Options

USAGE = """Usage: calipers judge RULER [OPTIONS]

  Reads one JSON payload of a host on standard input and prints one verdict, a JSON object, on standard output.

  RULER is iou (one box), boxes (many, matched), polygon, rotated (cx, cy, w, h, degrees), line (tube), point
  (distance), click (is the point in the box), box3d, intervals (frames, both ends included; or seconds), count (how
  many there are) or map (boxes with scores).

Options (each may also be a key of the payload's config; a flag wins):
  --threshold T     least IoU of a pass or a match [default: 0.5]; farthest point [10; cosine 0.5], click or count [0]
  --pass-at S       score from which matched shapes pass  [default: 0.5]
  --match HOW       greedy, optimal or gt-order  [default: greedy]
  --labels HOW      ignore, with a note if they differ, or exact: only equal ones match  [default: ignore]
  --metric M        of points: euclidean, manhattan, chebyshev or cosine  [default: euclidean]
  --format F        of boxes: xyxy, xywh or cxcywh  [default: xyxy]
  --unit U          of intervals: frames, both ends included, or seconds  [default: frames]
  --at PATH         where the shapes are, such as result.boxes  [default: found by their names]
  --tolerance T     of lines: half the width of their tubes  [default: 8]
  --max-work N      refuse shapes that take more steps to compare for each of their numbers  [default: 1000]
  --serve           many cases: one payload per line in, one verdict per line out
  -h, --help        this text

Exit codes: 0 whenever a verdict is printed, 2 wrong usage.
"""
NUMBERS = ("threshold", "pass_at", "tolerance", "max_work")
CHUNK = 1 << 16  # bytes


def judge(ruler: str, payload: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The verdict on a payload: an object, or its JSON. ConfigError for an option that does not exist."""
    return verdict_on(ruler, payload, options, check_options(ruler, options))


def check_options(ruler: str, options: Mapping[str, Any]) -> Options:
    """The options of a payload without config; what the caller cannot have meant is refused before any is looked at."""
    if ruler not in KINDS:
        raise ConfigError(f"ruler: found {ruler!r:.80}, expected {', '.join(KINDS)}")
    for name in options:
        if name not in NAMES:
            meant = near(name)
            hint = f", did you mean {meant!r}?" if meant else ""
            raise ConfigError(f"{name!r} is not an option{hint} (known: {', '.join(NAMES)})")
    return make_options(ruler, options, {})


def verdict_on(ruler: str, payload: Any, options: Mapping[str, Any], usual: Options) -> dict[str, Any]:
    """The verdict on a payload, once the options are known to be good; `usual` are those without config."""
    try:
        case = read_payload(_parsed(payload))
        return measure(ruler, case, make_options(ruler, options, case.config) if case.config else usual)
    except CalipersError as error:
        return failed(ruler, str(error))
    except RecursionError:
        return failed(ruler, "payload: nested too deeply")
    except MemoryError:
        return failed(ruler, "payload: too large for the memory there is")


def _parsed(payload: Any) -> Any:
    if not isinstance(payload, (str, bytes, bytearray)):
        return payload
    try:
        return parse(payload)
    except UnicodeDecodeError as error:
        raise ConfigError(f"payload: not UTF-8: {error.reason} at byte {error.start}") from error
    except ValueError as error:
        if not payload.strip():
            raise ConfigError("payload: nothing on standard input, expected a JSON object") from error
        raise ConfigError(f"payload: not JSON: {error}") from error


def run(arguments: list[str]) -> int:
    """The command; returns its exit code."""
    try:
        ruler, options, serves = _read_arguments(arguments)
        if ruler is None:
            sys.stdout.write(USAGE)
            return 0
        usual = check_options(ruler, options)
    except ConfigError as error:
        sys.stderr.write(f"error: {error}\n       (see calipers judge --help)\n")
        return 2
    if serves:
        import math  # noqa: F401  means of many verdicts are quicker with it, see `rulers`
    out, sys.stdout = sys.stdout, sys.stderr
    try:
        for payloads in _batches() if serves else [[_all_of_stdin()]]:
            _write_line(out, "".join([_line(ruler, payload, options, usual) for payload in payloads]))
    except BrokenPipeError:  # the reader has had enough
        return 0
    except OutputError as error:
        if sys.stderr is not None:
            sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    finally:
        sys.stdout = out
    return 0


def _all_of_stdin() -> bytes:
    try:
        return b"" if sys.stdin is None else sys.stdin.buffer.read()
    except OSError:  # not open for reading: nothing is there
        return b""


def _write_line(out: Any, text: str) -> None:
    check_stop()
    if out is None:
        raise OutputError("standard output cannot be written: it is closed")
    try:
        out.write(text)
        out.flush()
    except OSError as error:
        _silence(out)
        if isinstance(error, BrokenPipeError):
            raise
        raise OutputError(f"standard output cannot be written: {error.strerror or error}") from error


def _silence(out: Any) -> None:
    """Discard the buffer of standard output, so that it does not fail again at the end of the program."""
    import os

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, out.fileno())
    os.close(nowhere)


def _batches() -> Iterator[list[bytes]]:
    """Batches of lines as they arrive: whatever is available is answered together, without waiting for more."""
    parts: list[bytes] = []
    stream: Any = None if sys.stdin is None else sys.stdin.buffer
    while stream and (chunk := stream.read1(CHUNK)):
        begun, newline, rest = chunk.rpartition(b"\n")
        if newline:
            lines = b"".join([*parts, begun]).split(b"\n")
            yield [line for line in lines if line and not line.isspace()]
            parts = []
        parts.append(rest)
    last = b"".join(parts)
    if last and not last.isspace():
        yield [last]


def _line(ruler: str, payload: bytes, options: dict[str, Any], usual: Options) -> str:
    """The verdict on one payload as a line; any error becomes a failing verdict, as hosts misread tracebacks."""
    try:
        text = as_json(verdict := verdict_on(ruler, payload, options, usual))
        return (text if "\\ud" not in text else _whole(verdict)) + "\n"
    except Exception as error:  # noqa: BLE001  a module of the caller may raise anything; the parent tells
        return as_json(failed(ruler, f"internal error: {type(error).__name__}: {error}"[:500])) + "\n"


def _whole(verdict: dict[str, Any]) -> str:
    """A verdict as JSON without lone surrogates, which strict readers refuse."""
    import json

    from calipers.core.text import whole_text

    return as_json(json.loads(whole_text(json.dumps(verdict, ensure_ascii=False, allow_nan=False))))


def _read_arguments(arguments: list[str]) -> tuple[str | None, dict[str, Any], bool]:
    """Ruler, options and whether to serve; no ruler asks for the usage."""
    rulers: list[str] = []
    options: dict[str, Any] = {}
    serves = False
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument in ("-h", "--help"):
            return None, {}, False
        if argument == "--serve":
            serves = True
        elif argument.startswith("-"):
            if argument[:2] != "--" or argument[2:3] in ("", "-"):
                raise ConfigError(f"{argument}: no such option")
            name, equals, value = argument.partition("=")
            if not equals and not rest:
                raise ConfigError(f"{argument}: no value given")
            options[name.lstrip("-").replace("-", "_")] = _value(name, value if equals else rest.pop(0))
        else:
            rulers.append(argument)
    if len(rulers) != 1:
        named = " ".join(rulers) or "no ruler"
        hint = "; the payload is read from standard input" if len(rulers) > 1 else ""
        raise ConfigError(f"found {named}, expected one of {', '.join(KINDS)}{hint}")
    return rulers[0], options, serves


def _value(flag: str, text: str) -> Any:
    name = flag.lstrip("-").replace("-", "_")
    if name not in NUMBERS:
        return text
    try:
        return float(text)
    except ValueError:
        raise ConfigError(f"{flag}: found {text!r:.80}, expected a number") from None
