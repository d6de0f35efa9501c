"""`calipers gate`: exit 1 when worse than the rules allow."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from calipers.cli.options import NoRepeatedOptions, settings
from calipers.cli.streams import write_result
from calipers.core.errors import OutputError, require
from calipers.files.output import check_free, write_file
from calipers.results.artifacts import files_of, read_result
from calipers.results.gate import Gate, judge
from calipers.results.gate_rules import KINDS, make_rules

SUMMARY = "GITHUB_STEP_SUMMARY"
FORMATS: dict[str, Callable[[Gate], str | bytes]] = {
    "text": str,
    "json": Gate.to_json,
    "github": Gate.to_github,
    "gitlab": Gate.to_gitlab,
    "junit": Gate.to_junit,
}


@click.command("gate", cls=NoRepeatedOptions)
@click.argument("new")
@click.option("--baseline", metavar="OLD", help="the result that drops are measured from")
@click.option("--max-drop", multiple=True, metavar="NAME=N", help="how far a figure may get worse; several times")
@click.option("--floor", multiple=True, metavar="NAME=N", help="what a figure has to reach; several times")
@click.option("--ceiling", multiple=True, metavar="NAME=N", help="what a figure may not exceed; several times")
@click.option("--rules", metavar="FILE", help="further rules, in TOML: [[rule]] metric, max_drop, floor, ceiling")
@click.option("--markdown", metavar="FILE", help="write Markdown (also appended to $GITHUB_STEP_SUMMARY, when set)")
@click.option("--junit", metavar="FILE", help="write JUnit XML")
@click.option("--format", metavar="NAME", help=f"what to print: {', '.join(FORMATS)}  [default: text, the table]")
@click.option("--json", "json", is_flag=True, default=None, help="print JSON: --format json")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(new: str, config: str | None, **flags: Any) -> int:
    """Judge the result NEW by rules: pass, fail or investigate.

    NEW and OLD are artifacts (result.json) or folders that a suite wrote (-o DIR). Exit codes: 0 all rules pass, 1 a
    rule fails, 4 none fails and one cannot be decided (undefined, or too little data).
    """
    limits = {name: value or None for name, value in flags.items()}  # a flag that may come several times is never None
    return run_gate(new, settings("gate", (), limits, config)).exit_code


def run_gate(new: str, options: dict[str, Any]) -> Gate:
    """Judge, write what was asked for, and print."""
    paths = {name: options.pop(name, None) for name in ("baseline", "markdown", "junit", "rules")}
    to_text = FORMATS[_format_name(options)]
    for name, path in paths.items():
        require(path is None or (isinstance(path, str) and bool(path)), name, path, "a path")
    rules = make_rules(paths["rules"], {kind: options.get(kind, ()) for kind in KINDS})
    inputs = [file for path in (new, paths["baseline"], paths["rules"]) if path for file in files_of(path)]
    for output in (paths["markdown"], paths["junit"]):
        check_free(output, inputs)
    baseline = None if paths["baseline"] is None else read_result(paths["baseline"], "baseline")
    gate = judge(read_result(new, "new"), baseline, rules)
    _write(gate, paths["markdown"], paths["junit"])
    write_result(to_text(gate))
    return gate


def _format_name(options: dict[str, Any]) -> str:
    """The format to print, by `format` or by `json`."""
    as_json, name = options.pop("json", False), options.pop("format", None)
    require(isinstance(as_json, bool), "json", as_json, "true or false")
    require(name is None or (isinstance(name, str) and name in FORMATS), "format", name, f"one of {', '.join(FORMATS)}")
    require(not as_json or name in (None, "json"), "format", name, "none beside json")
    return "json" if as_json else name or "text"


def _write(gate: Gate, markdown: str | None, junit: str | None) -> None:
    """Write the files that were asked for; the summary of a workflow is appended to, as all its steps share it."""
    summary = os.environ.get(SUMMARY)
    if junit:
        write_file(junit, gate.to_junit())
    if markdown and not (summary and Path(markdown).resolve() == Path(summary).resolve()):
        write_file(markdown, gate.to_markdown().encode())
    if summary:
        _append(summary, gate.to_markdown())


def _append(path: str, text: str) -> None:
    try:
        with open(path, "ab") as file:
            file.write(f"{text}\n".encode())
    except OSError as error:
        raise OutputError(f"{path} (${SUMMARY}): cannot be written: {error.strerror or error}") from error
