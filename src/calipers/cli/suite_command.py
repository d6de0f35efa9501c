"""The command of a suite, made from its declaration: flags to a run, to files and a summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import click

from calipers.cli.options import RESULT_FLAG, NoRepeatedOptions, config_flags, settings
from calipers.cli.streams import Progress, log, shows_progress, write_result
from calipers.core.config import artifact_options, make_config, option_files, second_names
from calipers.core.errors import ConfigError, unexpected
from calipers.files.artifact_file import artifact_file
from calipers.report import Report
from calipers.results.outcome import Remarks, remarks_on
from calipers.show.text import printable
from calipers.suite import Input, Job, Suite, Tree, later

CONFIG_HELP = "options file  [default: calipers.toml, if there]"

check_output, is_artifact, open_folder, write_folder = (
    later("calipers.show.folder", name) for name in ("check_output", "is_artifact", "open_folder", "write_folder")
)
plots_apart = later("calipers.show.plots_apart", "PlotsApart")


class SuiteCommand(NoRepeatedOptions):
    """The command of a suite: arguments that stand without a flag are told what flags there are for them."""

    input_flags: tuple[str, ...] = ()  # with what they take

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse arguments without a flag, naming the flags that exist for them."""
        ctx.allow_extra_args = True
        left = super().parse_args(ctx, args)
        if left and not ctx.resilient_parsing:
            expected = f"inputs by name: {' '.join(self.input_flags)}" if self.input_flags else "no more arguments"
            ctx.fail(f"found {left[0]!r:.80} without a flag, expected {expected}")
        return left


def make_command(suite: Suite) -> click.Command:
    """The command of a suite."""

    def run(**flags: Any) -> None:
        run_suite(suite, _settings(suite, flags))

    run.__doc__ = suite.about
    function: Callable[..., Any] = run
    decorators = [
        *map(_input_flag, suite.inputs),
        config_flags(suite.config),
        RESULT_FLAG,
        *([config_flags(suite.output_options)] if suite.output_options else []),
        click.option("--json", "json", is_flag=True, default=None, help="print the artifact instead of the summary"),
        click.option("--config", metavar="FILE", help=suite.config_help or CONFIG_HELP),
    ]
    for decorate in reversed(decorators):
        function = decorate(function)
    command = click.command(suite.name, cls=SuiteCommand)(function)
    command.input_flags = tuple(f"--{item.name} {item.metavar}" for item in suite.inputs if not item.positional)
    return command


def _input_flag(item: Input) -> Callable[..., Any]:
    if item.positional:
        return click.argument(item.name, nargs=-1, required=not item.optional, metavar=item.metavar)
    return click.option(f"--{item.name}", item.name, multiple=item.several, metavar=item.metavar, help=item.help)


def _settings(suite: Suite, flags: dict[str, Any]) -> dict[str, Any]:
    """Inputs and options, from flags and from calipers.toml; the file of options may be one of the suite's own."""
    config = flags.pop("config")
    is_own = config is not None and suite.config_help and not config.endswith(".toml")
    flags |= {name: list(value) or None for name, value in flags.items() if isinstance(value, tuple)}
    kinds = [kind for kind in (suite.config, suite.output_options) if kind]
    option_names = {item.name for kind in kinds for item in fields(kind)}
    if suite.config_help:
        flags["config"] = config if is_own else None
    second = {name: own for kind in kinds for name, own in second_names(kind).items()}
    return settings(suite.name, option_names, flags, None if is_own else config, second)


def run_suite(suite: Suite, options: dict[str, Any]) -> Report:
    """Evaluate, write what was asked for, and print."""
    inputs = {item.name: _input(suite, item, options.pop(item.name, None)) for item in suite.inputs}
    output, as_json = options.pop("output", None), options.pop("json", False)
    if output is not None and not (isinstance(output, str) and output):
        raise unexpected("output", output, "a path")
    if not isinstance(as_json, bool):
        raise unexpected("json", as_json, "true or false")
    shown = _output_options(suite.output_options, options, output) if suite.output_options else None
    job = suite.job(inputs, options)
    if output:
        _check_output(suite, job, output, getattr(shown, "tables", None) or "csv")
    if suite.check_places and (output or job.config.tally or job.config.resume):
        suite.check_places(job, output)
    report, notes = _evaluate(suite, job, output, shown)
    _log_warnings(report.tree, notes)
    _log_remarks(remarks_on(suite, report, *job.sides), report)
    write_result(report.to_json() if as_json else f"{report}\n{_next_step(suite, output)}")
    return report


def _check_output(suite: Suite, job: Job, output: str, tables: str) -> None:
    """Refuse an output that would be written over what is read, or over another file of the run."""
    inputs = [*job.paths, *option_files(job.config, written=False).values()]
    check_output(output, tables, inputs, suite, option_files(job.config, written=True))


def _input(suite: Suite, item: Input, value: Any) -> Any:
    if item.optional and (value is None or value == []):
        return None
    if value is None or value == []:
        raise ConfigError(f"--{item.name} is missing, expected a path (see calipers {suite.name} --help)")
    if item.several:  # which the suite checks, since they may have names
        return value
    paths = value if item.positional and isinstance(value, list) else [value]
    if not all(isinstance(path, str) and path for path in paths):
        name, expected = (item.name, "a path, or a list of them") if item.positional else (f"--{item.name}", "a path")
        raise unexpected(name, value, expected)
    return paths if item.positional else value


def _output_options(kind: type[Any], options: dict[str, Any], output: str | None) -> Any:
    """The options that change only what a folder holds, taken out of the others."""
    names = [item.name for item in fields(kind) if item.name in options]
    shown = make_config(kind, {name: options.pop(name) for name in names})
    shown.check_folder(bool(output) and not is_artifact(output or ""))
    return shown


def _evaluate(suite: Suite, job: Job, output: str | None, shown: Any) -> tuple[Report, list[str]]:
    """Evaluate and write the results; returns the report and notes about the folder."""
    if output and not is_artifact(output):
        plots = plots_apart(suite.name, getattr(job.config, "jobs", None))
        try:
            return _evaluate_to_folder(suite, job, output, shown, plots)
        finally:
            plots.end()
    if not output:
        return _evaluated(job), []
    with artifact_file(output) as file:
        report = _evaluated(job, on_head=file.begin) if suite.streams_head else _evaluated(job)
        file.finish(report.tree)
    return report, []


def _evaluate_to_folder(suite: Suite, job: Job, output: str, shown: Any, plots: Any) -> tuple[Report, list[str]]:
    if not (suite.streams_rows and suite.match_columns):
        report = _evaluated(job)
        return report, write_folder(output, report, shown, plots)
    kind, columns = getattr(shown, "tables", None) or "csv", suite.match_columns(artifact_options(job.config))
    with open_folder(output, suite, columns, kind, plots) as folder:
        report = _evaluated(job, on_rows=folder.taker())
        return report, folder.finish(report, shown)


def _evaluated(job: Job, **streams: Any) -> Report:
    if not shows_progress():
        return job.evaluate(progress=None, **streams)
    progress = Progress()
    try:
        return job.evaluate(progress=progress, **streams)
    finally:
        progress.clear()


def _log_warnings(tree: Tree, notes: list[str]) -> None:
    """Write to standard error what the run warns of and has rejected, and notes about the folder."""
    for warning in (*tree.get("warnings", ()), *notes):
        log(printable(f"warning: {warning}"))
    for entry in tree["rejected"]:
        log(printable(f"rejected: {rejected_place(entry)}: {entry['problem']}"))


def _log_remarks(remarks: Remarks, report: Report) -> None:
    """Write doubts and hints about a result, and notes about files that the run kept, to standard error."""
    for line in remarks.warnings:
        log(f"warning: {line}")
    for line in remarks.hints:
        log(line)
    for note in report.notes:
        log(printable(note))


def rejected_place(entry: dict[str, Any]) -> str:
    """Where a rejected entry stands: its file, and what names it in there."""
    places = [str(entry[name]) for name in ("video", "place") if entry.get(name) is not None]
    line = f":{entry['line']}" if entry.get("line") is not None else ""
    return ": ".join([f"{entry['path']}{line}", *places])


def _next_step(suite: Suite, output: str | None) -> str:
    if not output:
        return f" next                 {suite.next_step}"
    return f" written              {printable(output)}"
