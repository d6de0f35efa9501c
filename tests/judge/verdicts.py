"""Asking for verdicts, from Python and through the real command; every verdict is held to the same laws."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import calipers.judge
from calipers.judge import command

from ..profiles import share

SOURCES = Path(calipers.__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCES)}
KEYS = ["pass", "score", "reason", "checks", "assertions", "hits", "misses", "reasoning", "details"]
RULERS = ("iou", "boxes", "polygon", "rotated", "line", "point", "click", "box3d", "intervals", "count", "map")
PROGRAM = (sys.executable, "-m", "calipers", "judge")
PATIENCE_SEC = 300


class Ended(NamedTuple):
    """How a process ended."""

    code: int
    out: bytes
    err: str


def case(answer, reference, **config) -> dict:
    """A payload, with a config if there is one."""
    payload = {"candidate_answer": answer, "reference_answer": reference}
    return payload | ({"config": config} if config else {})


def judged(ruler, answer, reference, **options) -> dict:
    """The verdict from Python, with options as keywords."""
    return judged_payload(ruler, case(answer, reference), **options)


def judged_payload(ruler, payload, **options) -> dict:
    return lawful(getattr(calipers.judge, ruler)(payload, **options))


def asked(ruler, payload, *flags) -> dict:
    """The verdict of `calipers judge` on a payload, given as bytes or as what JSON makes of it.

    A full run asks a process of its own each time.
    """
    ask = run if share() == 1 else run_here
    ended = ask(ruler, *flags, given=payload if isinstance(payload, bytes) else json.dumps(payload).encode())
    assert ended.code == 0, ended.err
    return only_verdict(ended.out)


def run(*arguments, given=b"", program=PROGRAM, **options) -> Ended:
    """`calipers judge` with these arguments, to its end."""
    done = subprocess.run(
        [*program, *map(str, arguments)],
        **({"input": given} if "stdin" not in options else {}),
        **({"stdout": subprocess.PIPE} | options),
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        timeout=PATIENCE_SEC,
        check=False,
    )
    return Ended(done.returncode, done.stdout or b"", done.stderr.decode())


def run_here(*arguments, given) -> Ended:
    """`calipers judge` with these arguments, in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        code = command.run([*map(str, arguments)])
    return Ended(code, out.buffer.getvalue(), err.buffer.getvalue().decode())


def only_verdict(out: bytes) -> dict:
    """The one line that is there, as strict JSON."""
    assert out.count(b"\n") == 1
    assert out.endswith(b"}\n")
    return lawful(strictly(out))


def strictly(text):
    """JSON as the standard has it: no NaN, no Infinity."""
    return json.loads(text, parse_constant=_refuse)


def _refuse(name):
    raise AssertionError(f"{name} is no JSON")


def lawful(verdict: dict) -> dict:
    """The verdict, if it is one: every key of every generation is there, of its type, and they agree."""
    assert list(verdict) == KEYS
    assert type(verdict["pass"]) is bool
    assert type(verdict["score"]) is float
    assert 0 <= verdict["score"] <= 1
    assert type(verdict["details"]) is dict
    assert type(verdict["reason"]) is str
    assert verdict["reasoning"].startswith(verdict["reason"])
    assert verdict["reason"]
    assert all(type(text) is str for text in verdict["hits"] + verdict["misses"])
    _agree(verdict)
    assert strictly(json.dumps(verdict, allow_nan=False)) == verdict
    return verdict


def _agree(verdict: dict) -> None:
    """The checks and the assertions say what the verdict says."""
    checks, assertions = verdict["checks"], verdict["assertions"]
    assert [list(check) for check in checks] == [["text", "pass", "score", "reason"]] * len(checks)
    assert [list(each) for each in assertions] == [["text", "passed", "evidence"]] * len(checks)
    assert [each["text"] for each in assertions] == [check["text"] for check in checks]
    assert all(check["pass"] for check in checks) is verdict["pass"]
    assert all(each["passed"] for each in assertions) is verdict["pass"]


def is_error(verdict: dict, *parts: str) -> bool:
    """It failed with score 0, and its reason holds all parts."""
    assert not verdict["pass"]
    assert verdict["score"] == 0
    assert verdict["misses"]
    for part in parts:
        assert part in verdict["reason"]
    return True
