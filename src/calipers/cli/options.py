"""Flags from a suite's Config, and their values from the command line and calipers.toml.

A flag wins over the file, the file over the default. The file is `calipers.toml` in the working folder, or the one
named by `--config`; its tables are named after commands, its keys after flags.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from calipers.core.errors import ConfigError
from calipers.suite import suite_names

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
CONFIG = "calipers.toml"
FROM_FILE = "calipers.options_file"  # in the context of a command: by option that came from there, how to name it
KINDS = {"int": int, "float": float}
OTHER_TABLES = (
    "detect",
    "merge",
    "compare",
    "rank",
    "suspects",
    "gate",
    "check",
    "report",
    "convert",
)  # of calipers.toml, beside the suites


class NoRepeatedOptions(click.Command):
    """A command of which each option is given once, unless it takes several.

    An error about the value of an option says where in the options file that stands, if it came from there.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except ConfigError as error:
            name, _, rest = str(error).partition(": ")
            place = ctx.meta.get(FROM_FILE, {}).get(name.removeprefix("--"), "")
            error.args = (f"{place}{error}",) if rest.startswith("found ") else error.args
            raise

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option given twice, of which click would silently take the last."""
        order = self.make_parser(ctx).parse_args(list(args))[2]
        for option in order:
            if isinstance(option, click.Option) and not option.multiple and order.count(option) > 1:
                ctx.fail(f"Option {option.opts[-1]!r} is given {order.count(option)} times, expected it once.")
        return super().parse_args(ctx, args)


def config_flags(kind: type) -> Decorator:
    """A flag for each option of a suite, those that cannot change a number last."""
    own = kind.__annotations__  # those it shares with others come after its own
    items = sorted(fields(kind), key=lambda item: (not item.metadata["artifact"], item.name not in own))

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        for item in reversed(items):
            function = _flag(item)(function)
        return function

    return add


def _flag(item: Field[Any]) -> Decorator:
    name = _dashed(item.name)
    if item.metadata.get("optional_value"):
        return _switch_with_value(item, name)
    if isinstance(item.default, bool):
        shown = f"{item.metadata['help']}  [default: {'yes' if item.default else 'no'}]"
        return click.option(f"{name}/--no-{name[2:]}", item.name, is_flag=True, default=None, help=shown)
    shown = _shown(item.default)
    return click.option(
        *([_dashed(item.metadata["alias"])] if item.metadata["alias"] else []),
        name,
        item.name,
        type=KINDS.get(str(item.type).removesuffix(" | None"), str),
        default=None,
        multiple=item.metadata.get("several", False),
        metavar=item.metadata["metavar"] or None,
        help=item.metadata["help"] + (f"  [default: {shown}]" if shown else ""),
    )


class _SwitchOrText(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A text, or the switch by itself."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a switch or a text unchanged."""
        return value


def _switch_with_value(item: Field[Any], name: str) -> Decorator:
    """A flag that may have a value, and one more that says no."""
    shown = f"{item.metadata['help']}  [default: {'yes' if item.default else 'no'}]"
    no = f"--no-{name[2:]}"

    def note(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        ctx.meta[no] = value

    def choose(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
        if value is not None and ctx.meta.get(no):
            ctx.fail(f"Options {name!r} and {no!r} are given both, expected one of them.")
        return False if ctx.meta.get(no) else value

    words = {"metavar": item.metadata["metavar"], "help": shown}
    with_value = click.option(
        name, item.name, flag_value=True, type=_SwitchOrText(), callback=choose, is_flag=False, **words
    )
    without = click.option(no, is_flag=True, is_eager=True, expose_value=False, callback=note, help=f"not {name}")
    return lambda function: with_value(without(function))


def _dashed(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _shown(default: Any) -> str:
    if isinstance(default, tuple):
        return ",".join(f"{item:g}" if isinstance(item, float) else str(item) for item in default)
    return "" if default is None else str(default)


def output_flag(metavar: str, help: str) -> Decorator:  # noqa: A002
    """Where a command writes its result: `-o`, `--out` or `--output`."""
    return click.option("-o", "--out", "--output", "output", metavar=metavar, help=help)


RESULT_FLAG = output_flag("PATH", "FILE.json receives the artifact; any other path is a folder for all files")


def settings(
    command: str,
    names: Iterable[str],
    flags: dict[str, Any],
    config: str | None,
    second: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, Any]:
    """All options that are set, by flags or in the options file; flags win.

    `names` are those beside the flags, `second` those that have a second name, by it.
    """
    option_names = sorted({*names, *flags})
    from_flags = {name: value for name, value in flags.items() if value is not None}
    from_file = _from_file(command, option_names, config, second)
    if from_file and (context := click.get_current_context(silent=True)):
        place = f"{config or CONFIG}: [{command}] "
        context.meta[FROM_FILE] = dict.fromkeys(from_file.keys() - from_flags.keys(), place)
    return from_file | from_flags


def _from_file(command: str, option_names: list[str], config: str | None, second: Mapping[str, str]) -> dict[str, Any]:
    path = Path(config or CONFIG)
    if not config and not path.exists():
        return {}
    from calipers.core.config import check_names, read_toml, renamed

    tree = read_toml(path, "tables of options")
    for name, table in tree.items():
        if not isinstance(table, dict):
            raise ConfigError(f"{path}: {name} = {table!r:.80} stands outside a table, expected it under [{command}]")
    check_names(tree, [*suite_names(), *OTHER_TABLES], f"{path}: ", "a table")
    table = tree.get(command, {})
    values = {name.replace("-", "_"): value for name, value in table.items()}
    if len(values) < len(table):
        raise ConfigError(f"{path}: [{command}] has the same option twice, with - and with _")
    short = {"out": "output"} if "output" in option_names else {}
    values = renamed(values, {**second, **short}, f"{path}: [{command}] ")
    check_names(values, option_names, f"{path}: [{command}] ")
    return values
