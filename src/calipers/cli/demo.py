"""`calipers demo`: bundled sample data through a suite, or a sample payload to the judge, start to end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click

from calipers.cli.options import NoRepeatedOptions, output_flag
from calipers.cli.streams import log, write_result
from calipers.core.errors import ConfigError
from calipers.show.folder import is_artifact
from calipers.show.text import printable
from calipers.suite import Suite, built_in, is_suite, suite_names, suite_of

JUDGE = "judge"
WIDTH = 110  # of a verdict that is laid out


class SampleSuite(click.ParamType[Any]):
    """The name of a suite, which is loaded, or that of the judge; without a name it is the first suite."""

    name = "suite"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Suite | str:
        """Return the suite of this name; for an unknown name, fail with a message that lists all names."""
        if value == JUDGE:
            return JUDGE
        if value and not is_suite(value):
            names = map(repr, (*suite_names(), JUDGE))
            self.fail(f"{value!r} is not one of {', '.join(names)}.", param, ctx)
        return suite_of(value or next(iter(built_in())))


@click.command("demo", cls=NoRepeatedOptions)
@click.argument("suite", default="", type=SampleSuite(), metavar="[SUITE]")
@output_flag("PATH", "as in the suite's own command")
@click.option("--json", "json", is_flag=True, help="print the artifact, or the verdict on one line")
def command(suite: Suite | str, output: str | None, json: bool) -> None:
    """Run SUITE, or the judge, on made-up sample data that comes with Calipers."""
    options = {"output": output, "json": json}
    if isinstance(suite, Suite):
        _demo_suite(suite, options)
    else:
        with as_file(files("calipers") / "data" / "judge" / "boxes.json") as payload:
            _demo_judge(payload, options)


def _demo_suite(suite: Suite, options: dict[str, Any]) -> None:
    from calipers.cli.suite_command import run_suite

    sample = suite.sample
    if sample is None:
        raise ConfigError(f"demo: the {suite.name} suite comes without sample data")
    with as_file(files(sample.package)) as package:
        inputs, further, notes = (
            _placed(template, str(package / sample.folder))
            for template in (sample.inputs, sample.options, sample.notes)
        )
        log(f"$ calipers {suite.name} {' '.join(_words(suite, inputs, further))}")
        for note in notes:
            log(f"({note})")
        run_suite(suite, {**options, **inputs, **further})
    if options["output"] and not is_artifact(options["output"]):
        log(_next_steps(suite, Path(options["output"], "report.html")))


def _next_steps(suite: Suite, page: Path) -> str:
    """What to do after a demo that wrote a folder."""
    return (
        f"Open {printable(str(page))} in a browser. Then measure files of your own:"
        f" calipers formats {suite.name} says what can be read."
    )


def _placed(value: Any, folder: str) -> Any:
    """Replace {} in texts by the folder of the sample."""
    if isinstance(value, str):
        return value.replace("{}", folder)
    if isinstance(value, Mapping):
        return {name: _placed(item, folder) for name, item in value.items()}
    return [_placed(item, folder) for item in value] if isinstance(value, (list, tuple)) else value


def _words(suite: Suite, inputs: dict[str, Any], options: dict[str, Any]) -> Iterator[str]:
    """The arguments of the command, as one would type them."""
    positional = {item.name for item in suite.inputs if item.positional}
    for name, value in (*inputs.items(), *options.items()):
        flag = "" if name in positional else f"--{name.replace('_', '-')} "
        yield from (f"{flag}{text}" for text in (value if isinstance(value, list) else [value]))


def _demo_judge(payload: Path, options: dict[str, Any]) -> None:
    from json import dumps

    from calipers.judge import boxes

    if options["output"] is not None:
        raise click.UsageError("The judge writes no files, so -o is not for it.")
    log(f"$ cat {payload}\n{payload.read_text(encoding='utf-8')}\n$ calipers judge boxes < {payload}")
    verdict = boxes(payload.read_bytes())
    if options["json"]:
        write_result(dumps(verdict, allow_nan=False))
    else:
        log("(laid out to be read; the command itself prints one line, and so does --json)")
        write_result(_laid_out(verdict))


def _laid_out(value: Any, indent: str = "") -> str:
    """JSON as text, with every list and object that fits on one line on one line."""
    from json import dumps

    flat = dumps(value, allow_nan=False)
    if not isinstance(value, (dict, list)) or (indent and len(indent) + len(flat) <= WIDTH):
        return flat
    inner = indent + "  "
    if isinstance(value, list):
        lines = [f"{inner}{_laid_out(item, inner)}" for item in value]
        return "\n".join(["[", ",\n".join(lines), indent + "]"])
    lines = [f"{inner}{dumps(name)}: {_laid_out(item, inner)}" for name, item in value.items()]
    return "\n".join(["{", ",\n".join(lines), indent + "}"])
