"""What a case calls: a public function of Calipers or a command, on files of the working folder."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

import click

import calipers
from calipers.judge.command import run as run_judge
from calipers.results.convert import ConvertResult

CONVERTED = "converted"  # what a conversion writes to
CODES = (0, 1, 3, 4)  # with which a command may end that has said its result


class Printed(NamedTuple):
    """What a command wrote on standard output, and its exit code."""

    code: int
    output: bytes


def command(arguments: list[str], stdin: str = "") -> Printed:
    """A command, as the shell would run it; its errors are those of Calipers and click."""
    from calipers.cli.main import calipers as commands

    data = Path(stdin).read_bytes() if stdin and Path(stdin).exists() else b""
    with _streams(data) as output:
        code = run_judge(arguments[1:]) if arguments[0] == "judge" else commands(arguments, standalone_mode=False)
    return Printed(code if isinstance(code, int) else 0, output.getvalue())


class Usage(calipers.CalipersError):
    """What click refuses."""


@contextmanager
def _streams(stdin: bytes) -> Iterator[BytesIO]:
    """Streams of its own for a command."""
    kept = sys.stdin, sys.stdout, sys.stderr
    output = BytesIO()
    sys.stdin, sys.stdout = TextIOWrapper(BytesIO(stdin)), TextIOWrapper(output, "utf-8")
    sys.stderr = TextIOWrapper(BytesIO(), "utf-8")
    try:
        yield output
        sys.stdout.flush()
    except click.ClickException as error:
        raise Usage(error.format_message()) from error
    finally:
        sys.stdout.detach()
        sys.stdin, sys.stdout, sys.stderr = kept


def judge(ruler: str) -> dict[str, Any]:
    """A verdict on the payload of the folder."""
    verdict: dict[str, Any] = getattr(calipers.judge, ruler)(_bytes("payload.json"))
    return verdict


def convert(inputs: list[str], **options: Any) -> ConvertResult:
    """Files in another format, and in a place of their own."""
    return calipers.convert(*inputs, output=CONVERTED, **options)


def parse_objects() -> Any:
    """What a model wrote, as bytes that somebody decoded in some way."""
    return calipers.parse_objects(_bytes("answer.txt").decode("utf-8", "surrogateescape"))


def reward() -> float:
    """A model's text against a record; a record that is no JSON is not for this function."""
    try:
        truth = json.loads(_bytes("truth.json"))
    except (ValueError, RecursionError) as error:
        raise calipers.InputError(f"truth.json: not JSON: {error}") from error
    return calipers.reward(_bytes("answer.txt").decode("utf-8", "replace"), truth)


def _bytes(name: str) -> bytes:
    return Path(name).read_bytes() if Path(name).is_file() else b""


CALLS: dict[str, Callable[..., Any]] = {
    "coco": calipers.coco,
    "command": command,
    "convert": convert,
    "dense": calipers.dense,
    "judge": judge,
    "load": calipers.load,
    "parse_objects": parse_objects,
    "reward": reward,
    "scene": calipers.scene,
    "timeline": calipers.timeline,
}
