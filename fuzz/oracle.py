"""What has to hold of every case: a result that keeps its promises, or a typed error that says what is wrong.

A result is canonical JSON without a number that is not finite, its records add up, and its summary holds nothing that
a terminal would take for a command. An error is one of Calipers, with an exit code, and names a file. The slow way to
read a dump, other sizes of shards and more processes give the same bytes.
"""

from __future__ import annotations

import json
import math
import re
import traceback
from collections.abc import Iterator, Mapping
from contextlib import chdir
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import orjson

from calipers import CalipersError, Report
from calipers.core.config import make_config
from calipers.files.answers.model_text import ParsedText
from calipers.files.json_checks import repeats_keys
from calipers.files.output import to_json
from calipers.results.convert import SIDES, ConvertResult, convert
from calipers.suites.dense.config import Config
from calipers.suites.dense.evaluate import evaluate
from fuzz.calls import CALLS, CODES, CONVERTED, Printed
from fuzz.case import Case

FOLDER = "fuzz-"  # how the names of folders begin in which cases run
PAGE = "page-of-the-result.html"
LONGEST_MESSAGE = 6000  # characters
STATUSES = ("ok", "repaired", "truncated", "failed")
TOTALS = ("read", "total")
PARTS = ("evaluated", "skipped", "skipped_empty", "rejected")


class Outcome(NamedTuple):
    """What came of a case: `ok`, `error` or `broken`, an exit code, and in a few words what was said."""

    kind: str
    code: int
    said: str
    detail: str = ""


class BrokenPromiseError(Exception):
    """Something that must not be."""


def outcome_of(case: Case, *, alone: bool = False) -> Outcome:
    """Run a case in a folder of its own; with `alone` no process is started."""
    with TemporaryDirectory(prefix=FOLDER) as folder, chdir(folder):
        case.write(Path())
        try:
            return _outcome(case, alone)
        except BrokenPromiseError as error:
            return Outcome("broken", -1, str(error)[:300])
        except Exception as error:  # noqa: BLE001  this is what is looked for
            return Outcome("broken", -1, _place(error), traceback.format_exc()[-3000:])


def _outcome(case: Case, alone: bool) -> Outcome:
    try:
        result = CALLS[case.call](**case.arguments)
        said = _judge(result, case)
        if case.call == "dense":
            _compare_ways(result.to_json(), case, alone)
    except CalipersError as error:
        _check_error(error, case)
        return Outcome("error", error.exit_code, template(str(error), case))
    return Outcome("ok", result.code if isinstance(result, Printed) else 0, said)


def _require(condition: bool, promise: str) -> None:
    if not condition:
        raise BrokenPromiseError(promise)


def _place(error: BaseException) -> str:
    """The kind of an exception, and the last line of Calipers that it came through."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if "/calipers/" in each.filename]
    at = f"{frames[-1].filename.rpartition('/calipers/')[2]}:{frames[-1].name}" if frames else "outside"
    return f"{type(error).__name__} in {at}: {template(str(error))[:80]}"


# Errors


def _check_error(error: CalipersError, case: Case) -> None:
    message = str(error)
    _require(error.exit_code in (2, 3), f"an exit code of 2 or 3, not {error.exit_code}")
    _require(bool(message.strip()), "a message that is not empty")
    _require(len(message) <= LONGEST_MESSAGE, f"a message in few words: {template(message, case)[:100]}")
    _require(not case.is_valid, f"no error for a valid input: {message[:200]}")
    names = {part for name in case.files for part in (name, *name.split("/"))} | {"payload", "truth.json"}
    given = [each for value in case.arguments.values() for each in (value if isinstance(value, list) else [value])]
    names |= {each for each in given if isinstance(each, str) and not each.startswith("--")}
    names |= {"gt"} if case.call == "reward" else set()  # its ground truth is no file
    named = any(name in message for name in names) or error.exit_code == 2
    _require(named, f"a message that names the file: {template(message, case)[:200]}")


def template(message: str, case: Case | None = None) -> str:
    """A message without what differs from input to input: quoted texts, numbers, names of files."""
    text = re.sub(rf"\S*/{FOLDER}[^/]*/", "", message.split("\n")[0][:2000])
    for name in sorted(case.files if case else (), key=len, reverse=True):
        text = text.replace(name, "FILE")
    text = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', "'…'", text)
    text = re.sub(r"(found|ends with|around|column) .*?(?=, expected|; expected|$)", r"\1 …", text)
    text = re.sub(r"0x[0-9a-f]+|[-+]?\d[\d.,]*(?:e[-+]?\d+)?", "#", text)
    return re.sub(r"[^\x20-\x7e…]+", "~", text)[:160]


# Results


def _judge(result: Any, case: Case) -> str:
    """Check a result; what is said of it."""
    if isinstance(result, Report):
        return _judge_report(result, case)
    if isinstance(result, Printed):
        return _judge_printed(result, case)
    if isinstance(result, ParsedText):
        _require(result.status in STATUSES and isinstance(result.objects, list), f"a status, not {result.status!r}")
        return f"{result.status}: {'; '.join(result.notes)}"[:160]
    if isinstance(result, ConvertResult):
        return _judge_converted(result, case)
    if isinstance(result, float):
        _require(0 <= result <= 1, f"a reward from 0 to 1, not {result}")
        return f"reward {result > 0:d}"
    return _judge_verdict(result)


def _judge_verdict(verdict: dict[str, Any]) -> str:
    score = verdict["score"]
    _require(isinstance(verdict["pass"], bool) and 0 <= score <= 1, f"a score from 0 to 1, not {score}")
    _require(isinstance(verdict["reason"], str) and bool(verdict["reason"]), "a reason")
    json.dumps(verdict, allow_nan=False)
    return template(verdict["reason"])


def _judge_converted(result: ConvertResult, case: Case) -> str:
    """What was written is what the result holds, as JSON where it is such; and ground truth can be read again."""
    written = {name: Path(CONVERTED, name).read_bytes() for name in result.files}
    _require(written == result.files, "the files that the result names")
    for content in [] if result.to == "yolo" else written.values():
        for text in content.splitlines() if (result.suite, result.to) == ("dense", "plain") else [content]:
            json.loads(text, parse_constant=_refuse)
    again = _read_again(result, case)
    _require(again in (None, result.counts), f"the same counts again: {result.counts}, then {again}")
    return f"{result.suite} {result.side} as {result.to}: {template('; '.join(result.notes), case)}"


def _read_again(result: ConvertResult, case: Case) -> Mapping[str, int] | None:
    """Counts of what was written; None of labels, which need images, and of ids that mean nothing beside their gt."""
    has_ids = case.arguments.get("gt") == "gt.json" and "gt_format" not in case.arguments
    if result.to == "yolo" or (result.side == "pred" and result.suite in ("dense", "coco") and not has_ids):
        return None
    beside: dict[str, Any] = {"gt": "gt.json"} if has_ids else {"side": result.side} if result.side in SIDES else {}
    return convert(CONVERTED, to="plain", suite=result.suite if result.to == "plain" else "coco", **beside).counts


def _judge_printed(printed: Printed, case: Case) -> str:
    name = case.arguments["arguments"][0]
    _require(printed.code in CODES, f"an exit code of {CODES}, not {printed.code}")
    _require(bool(printed.output), "something on standard output")
    if name == "judge":
        return _judge_verdict(json.loads(printed.output, parse_constant=_refuse))
    if "--json" in case.arguments["arguments"]:
        tree = json.loads(printed.output, parse_constant=_refuse)
        _require(to_json(tree) == printed.output, "canonical JSON on standard output")
        return f"{name} {printed.code}: {_remarks(tree)}"
    return f"{name} {printed.code}"


def _refuse(name: str) -> Any:
    raise BrokenPromiseError(f"JSON without {name}")


def _judge_report(report: Report, case: Case) -> str:
    content = report.to_json()
    tree = json.loads(content, parse_constant=_refuse)
    _require(to_json(tree) == content, "canonical JSON")
    if case.call == "load":
        return _judge_loaded(report)
    for value in _numbers(report.tree):
        _require(math.isfinite(value), f"finite numbers, not {value}")
    for counts in _counts(tree):
        total = next(counts[name] for name in TOTALS if name in counts)
        _require(total == sum(counts.get(name, 0) for name in PARTS), f"counts that add up: {counts}")
    rows = report.matches()
    _require(isinstance(rows, list), "rows of matches")
    _show(report)
    return f"{case.call}: {_remarks(tree)}"


def _judge_loaded(report: Report) -> str:
    _show(report)
    return f"load {report['suite']}"


def _show(report: Report) -> None:
    """Everything that is made of a result without drawing plots."""
    _check_text(str(report))
    report.flat()
    for name in report.tables():
        report.to_csv(name)
    report.to_html(PAGE)


def _check_text(text: str) -> None:
    _require(bool(text.strip()), "a summary")
    odd = next((letter for letter in text if letter != "\n" and not letter.isprintable()), "")
    _require(not odd, f"a summary of printable characters, not {odd!r}")


def _numbers(tree: Any) -> Iterator[float]:
    rest = [tree]
    while rest:
        value = rest.pop()
        if isinstance(value, float):
            yield value
        elif isinstance(value, Mapping):
            rest.extend(value.values())
        elif isinstance(value, (list, tuple)):
            rest.extend(value)


def _counts(tree: dict[str, Any]) -> Iterator[dict[str, int]]:
    """The records or images that were read, evaluated, skipped and rejected."""
    for name in ("records", "images"):
        found = tree.get(name)
        if isinstance(found, dict) and "evaluated" in found:
            yield found


def _remarks(tree: Any) -> str:
    """What a result says beside its numbers: warnings, why records were rejected and objects invalid."""
    said = {template(str(text)) for text in _words(tree)} if isinstance(tree, dict) else set()
    return " | ".join(sorted(said))[:300]


def _words(tree: dict[str, Any]) -> Iterator[Any]:
    yield from (*tree.get("warnings", ()), *tree.get("invalid_reasons", ()))
    for name in ("problem", "reason", "found", "error"):
        for part in ("rejected", "invalid", "videos"):
            entries = tree.get(part) or ()
            entries = entries.values() if isinstance(entries, dict) else entries
            yield from (each[name] for each in entries if isinstance(each, dict) and each.get(name))
    for file in tree.get("files", ()):  # of a check
        yield from (*file["refused"]["first"], *file["invalid"]["reasons"], *file["warnings"])
    for method in tree.get("methods", {}).values():
        lists = [part for part in method.values() if isinstance(part, list)]
        yield from (each["reason"] for part in lists for each in part if isinstance(each, dict) and each.get("reason"))


# Ways that have to agree


def _compare_ways(content: bytes, case: Case, alone: bool) -> None:
    """The same bytes with JSON objects in between, with other shards, and now and then with two processes."""
    source = case.arguments["source"]
    options = {name: value for name, value in case.arguments.items() if name != "source"}
    slowly = evaluate(source, make_config(Config, options), on_rows=lambda rows, cases: None)
    _require(slowly.to_json() == content, "the same report from lines as from objects")
    smaller = make_config(Config, options | {"chunk_bytes": 50})
    _require(evaluate(source, smaller).to_json() == content, "the same report from other shards")
    if not alone and sha256(content).digest()[0] < 6:
        two = make_config(Config, options | {"chunk_bytes": 50, "jobs": 2})
        _require(evaluate(source, two).to_json() == content, "the same report from two processes")
    if not options["bootstrap"]:  # whose replicates go by the names of files, where records have no key
        _compare_records(json.loads(content), [case.files[name] for name in source if name in case.files], options)


def _compare_records(tree: dict[str, Any], files: list[bytes], options: dict[str, Any]) -> None:
    """The same numbers from records in memory, if every line is one."""
    try:
        lines = [line for data in files for line in data.split(b"\n") if line.strip()]
        records = [orjson.loads(line) for line in lines]
    except orjson.JSONDecodeError:
        return
    if any(repeats_keys(line, record) for line, record in zip(lines, records, strict=True)):
        return  # a dict has each key once: that it was there twice is counted in files alone
    if all(isinstance(record, str) for record in records):  # which would be paths
        return
    in_memory = json.loads(CALLS["dense"](records, **options).to_json())
    differ = [name for name in tree if name not in ("inputs", "rejected") and tree[name] != in_memory[name]]
    _require(not differ, f"the same numbers from a file and from records: {differ}")
