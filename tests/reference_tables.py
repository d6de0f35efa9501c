"""Tables of the manual that are made from declarations, each between two comments: `python -m tests.reference_tables`.

A page says which table stands where by a comment such as `<!-- made from declarations: options dense -->`; the table
reaches to the next `<!-- end -->`. What is between the two is written anew, and a test compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import Field, fields
from functools import partial
from pathlib import Path
from typing import Any

import click

from calipers.cli.main import calipers as program
from calipers.core.config import RunOptions
from calipers.core.slice_options import SliceOptions
from calipers.core.slice_views import COLUMNS
from calipers.detectors.options import DetectConfig
from calipers.judge.options import CHOICES, ONLY
from calipers.suite import Later, TableSpec, suite_of, suites

from .generated.regenerate import judge_help

DOCS = Path(__file__).resolve().parents[1] / "docs"
EXAMPLES = DOCS.parent / "examples"
FEW = 16  # columns
BLOCK = re.compile(r"(<!-- made from declarations: ([\w ]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
SEE = {  # pages that say more of an option
    "slice": "[slices](slices.md)",
    "max_work": "[limits](rulers.md#limits-of-work)",
    "answers": "[answers of models](dense.md#answers-of-models)",
    "labels": "[labels](labels.md)",
    "bootstrap": "[intervals](intervals.md)",
    "only": "[parts of a run](scale.md)",
}
Rows = Iterable[tuple[str, ...]]


def filled(text: str) -> str:
    """A page with all its tables made anew."""
    return BLOCK.sub(lambda match: f"{match[1]}\n{made(match[2])}\n\n{match[4]}", text)


def made(request: str) -> str:
    """The table that a comment asks for, as Markdown."""
    kind, *names = request.split()
    head, rows = KINDS[kind](*names)
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows))


def _options(name: str) -> tuple[tuple[str, ...], Rows]:
    """Options of a suite that can change what it says; those of every suite are a table of their own."""
    config = DetectConfig if name == "detect" else RunOptions if name == "run" else suite_of(name).config
    common = {item.name for kind in (RunOptions, SliceOptions) for item in fields(kind)}
    items = [item for item in fields(config) if config is RunOptions or item.name not in common]
    return ("option", "default", "meaning"), map(_option_row, items)


def _option_row(item: Field[Any]) -> tuple[str, ...]:
    choices = item.metadata["metavar"].split("|")
    listed = f": `{'`, `'.join(choices[:-1])}` or `{choices[-1]}`" if len(choices) > 1 else ""
    see = f", see {SEE[item.name]}" if item.name in SEE else ""
    alias = item.metadata["alias"]
    also = f"; the flag may also be written `--{alias.replace('_', '-')}`" if alias else ""
    return f"`{item.name}`", _default(item.default), _text(item.metadata["help"]) + listed + also + see


def _default(value: Any) -> str:
    if value is None or value == ():
        return "none"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{','.join(map(str, value))}`" if isinstance(value, tuple) else f"`{value}`"


def _text(words: str) -> str:
    """A help text in a cell."""
    return re.sub(" +", " ", words).replace("|", "\\|")


def _flags(name: str) -> tuple[tuple[str, ...], Rows]:
    """Flags of a command; of a suite those that are no options of its figures."""
    command = program.get_command(click.Context(program), name)
    assert command is not None
    known = {item.name for suite in suites() if suite.name == name for item in fields(suite.config)}
    flags = [item for item in command.params if isinstance(item, click.Option) and item.name not in known]
    return ("flag", "meaning"), ((_flag(item), _text(item.help or "")) for item in flags)


def _flag(item: click.Option) -> str:
    names, value = sorted((*item.opts, *item.secondary_opts), key=len), item.metavar or "N"
    return _text(", ".join(f"`{name}`" if item.is_flag else f"`{name} {value}`" for name in names))


def _formats(name: str) -> tuple[tuple[str, ...], Rows]:
    forms = suite_of(name).formats
    rows = ((form.name, form.side, form.layout.replace("|", "\\|"), _code(form.option)) for form in forms)
    return ("format", "side", "how to tell it", "asked for by"), rows


def _code(text: str) -> str:
    return f"`{text}`" if text else "detected"


def _names(what: str) -> tuple[tuple[str, ...], Rows]:
    """The names of all tables or plots, a row for each suite."""
    lists = ((suite.name, "`, `".join(getattr(suite, what))) for suite in suites())
    return ("suite", what), ((f"[{name}]({name}.md#tables-and-plots)", f"`{names}`") for name, names in lists)


def _tables(name: str) -> tuple[tuple[str, ...], Rows]:
    """Tables of a report, and the files they are in a folder."""
    tables = suite_of(name).tables.items()
    rows = ((f"`{table}`", f"`{spec.file}`" if spec.file else "—", _holds(name, spec)) for table, spec in tables)
    return ("table", "file", "what it holds"), rows


def _holds(suite: str, spec: TableSpec) -> str:
    """What a table is, and its columns where they are few: those of the example, whose files tests compare."""
    path = EXAMPLES / suite / "out" / str(spec.file)
    known = path.read_text(encoding="utf-8").partition("\n")[0].split(",") if path.is_file() else []
    columns = COLUMNS if spec.file == "slices.csv" else known
    named = f": `{'`, `'.join(columns)}`" if 0 < len(columns) <= FEW else ""
    return _first_line(spec.make) + named


def _plots(name: str) -> tuple[tuple[str, ...], Rows]:
    return ("plot", "what it shows"), ((f"`{plot}`", _first_line(draw)) for plot, draw in suite_of(name).plots.items())


def _first_line(function: Any) -> str:
    """The first line of the docstring of a function, behind whatever calls it or loads it."""
    while isinstance(function, (partial, Later)):
        function = function.args[0] if isinstance(function, partial) else function.load()
    return str(function.__doc__).partition("\n")[0].rstrip(".").replace("|", "\\|")


def _judge() -> tuple[tuple[str, ...], Rows]:
    rows = ((f"`{name}`", _rulers(name), _marked(name, words)) for name, words in judge_help().items())
    return ("option", "of", "meaning"), rows


def _marked(option: str, words: str) -> str:
    """The help of an option of the judge, with its choices as code."""
    choices = "|".join(map(re.escape, CHOICES.get(option, ())))
    return re.sub(rf"(?<![\w-])({choices})(?![\w-])", r"`\1`", _text(words)) if choices else _text(words)


def _rulers(option: str) -> str:
    return ", ".join(f"`{ruler}`" for ruler in ONLY[option]) if option in ONLY else "all"


KINDS: dict[str, Callable[..., tuple[tuple[str, ...], Rows]]] = {
    "options": _options,
    "flags": _flags,
    "formats": _formats,
    "names": _names,
    "tables": _tables,
    "plots": _plots,
    "judge": _judge,
}


def pages() -> list[Path]:
    """The pages of the manual that have such a table."""
    return [page for page in sorted(DOCS.glob("*.md")) if BLOCK.search(page.read_text(encoding="utf-8"))]


if __name__ == "__main__":
    for page in pages():
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")
        print(page.relative_to(DOCS.parent))
