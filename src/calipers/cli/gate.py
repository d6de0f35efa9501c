"""`calipers gate`: exit 1 when worse than the rules allow."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from calipers.cli.options import Once, settings
from calipers.cli.streams import put
from calipers.core.errors import OutputError, require
from calipers.files.output import check_free, write_file
from calipers.results.artifacts import files_of, read_result
from calipers.results.gate import Gate, judge
from calipers.results.gate_rules import KINDS, make_rules

SUMMARY = "GITHUB_STEP_SUMMARY"


@click.command("gate", cls=Once)
@click.argument("new")
@click.option("--baseline", metavar="OLD", help="the result that drops are measured from")
@click.option("--max-drop", multiple=True, metavar="NAME=N", help="how far a figure may get worse; several times")
@click.option("--floor", multiple=True, metavar="NAME=N", help="what a figure has to reach; several times")
@click.option("--ceiling", multiple=True, metavar="NAME=N", help="what a figure may not exceed; several times")
@click.option("--rules", metavar="FILE", help="further rules, in TOML: [[rule]] metric, max_drop, floor, ceiling")
@click.option("--markdown", metavar="FILE", help="write Markdown (also appended to $GITHUB_STEP_SUMMARY, when set)")
@click.option("--junit", metavar="FILE", help="write JUnit XML")
@click.option("--json", "json", is_flag=True, default=None, help="print JSON instead of the table")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(new: str, config: str | None, **flags: Any) -> int:
    """Judge the result NEW by rules: pass, fail or investigate.

    NEW and OLD are artifacts (result.json) or folders that a suite wrote (-o DIR). Exit codes: 0 all rules pass, 1 a
    rule fails, 4 none fails and one cannot be decided (undefined, or too little data).
    """
    given = {name: value or None for name, value in flags.items()}  # a flag that may come several times is never None
    return run_gate(new, settings("gate", (), given, config)).exit_code


def run_gate(new: str, options: dict[str, Any]) -> Gate:
    """Judge, write what was asked for, and print."""
    paths = {name: options.pop(name, None) for name in ("baseline", "markdown", "junit", "rules")}
    as_json = options.pop("json", False)
    require(isinstance(as_json, bool), "json", as_json, "true or false")
    for name, path in paths.items():
        require(path is None or (isinstance(path, str) and bool(path)), name, path, "a path")
    rules = make_rules(paths["rules"], {kind: options.get(kind, ()) for kind in KINDS})
    inputs = [file for path in (new, paths["baseline"], paths["rules"]) if path for file in files_of(path)]
    for output in (paths["markdown"], paths["junit"]):
        check_free(output, inputs)
    baseline = None if paths["baseline"] is None else read_result(paths["baseline"], "baseline")
    gate = judge(read_result(new, "new"), baseline, rules)
    _write(gate, paths["markdown"], paths["junit"])
    put(gate.to_json() if as_json else str(gate))
    return gate


def _write(gate: Gate, markdown: str | None, junit: str | None) -> None:
    """What was asked for; the summary of a workflow belongs to all its steps, so it is added to."""
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
