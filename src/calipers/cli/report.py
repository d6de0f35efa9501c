"""`calipers report`: one self-contained HTML page of a result, or one of its tables on standard output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from calipers.artifact import read_artifact
from calipers.cli.options import NoRepeatedOptions, output_flag, settings
from calipers.cli.streams import for_terminal, write_result
from calipers.core.errors import ConfigError, require
from calipers.files.output import write_file
from calipers.report import load
from calipers.results.failed import failed_keys
from calipers.show.page.build import check_page_name, result_page
from calipers.show.report_tables import write_table
from calipers.show.text import printable


@click.command("report", cls=NoRepeatedOptions)
@click.argument("result", metavar="RESULT")
@output_flag("FILE.html", "where the page goes  [default: report.html beside RESULT]")
@click.option("--images", metavar="DIR", help="folder with the images, to be shown under the drawings")
@click.option("--cases", type=click.IntRange(min=0), metavar="N", help="how many failures are drawn  [default: 200]")
@click.option("--table", metavar="NAME", help="write no page, print this table of RESULT, such as summary")
@click.option(
    "--failed", is_flag=True, default=None, help="write no page, print the keys of records not evaluated, for --only"
)
@click.option("--format", "format", metavar="KIND", help="of the table: md, tex or csv  [default: md]")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(result: str, config: str | None, **flags: Any) -> None:
    """Write one HTML page of RESULT, which needs no network and opens from disk.

    RESULT is a folder of an earlier -o, whose failures are drawn, or an artifact alone, whose numbers are shown.
    """
    asked = {name: value for name, value in flags.items() if value is not None}
    _check_together(asked)
    options = settings("report", (), flags, config)
    if "table" in asked:  # what a file says of pages and keys is not for a table that is asked for here
        options.pop("failed", None)
    run_report(result, **options)


def _check_together(asked: dict[str, Any]) -> None:
    """Refuse flags that exclude each other; options of a file apply where they have a use."""
    if "failed" in asked and len(asked) > 1:
        raise ConfigError("--failed prints keys and writes no page: expected no other option with it")
    if "table" in asked and asked.keys() & {"output", "images", "cases"}:
        raise ConfigError("--table prints a table and writes no page: expected none of -o, --images and --cases")
    if "format" in asked and "table" not in asked:
        raise ConfigError(f"--format: found {asked['format']!r}, expected it only together with --table")


def run_report(
    result: str,
    *,
    output: Any = None,
    images: Any = None,
    cases: Any = None,
    table: Any = None,
    failed: Any = False,
    format: Any = "md",  # noqa: A002
) -> None:
    """Print the keys or the table that is asked for, or write the page."""
    for name, value in {"output": output, "images": images, "table": table, "format": format}.items():
        require(value is None or (isinstance(value, str) and bool(value)), name, value, "a text")
    require(isinstance(failed, bool), "failed", failed, "true or false")
    require(cases is None or (type(cases) is int and cases >= 0), "cases", cases, "a whole number of at least 0")
    if failed:
        write_result(_keys(result))
    elif table is not None:
        write_result(_table(result, table, format))
    else:
        _write_page(result, Path(output) if output else default_page(result), cases, images)


def _keys(result: str) -> bytes:
    """The keys of records that were not evaluated, one per line."""
    return "".join(f"{key}\n" for key in failed_keys(read_artifact(result))).encode("utf-8", "surrogateescape")


def _table(result: str, name: str, kind: str) -> bytes:
    """A table as the bytes of a file, or as a terminal may have them."""
    return for_terminal(write_table(load(result), name, kind))


def _write_page(result: str, target: Path, cases: int | None, images: str | None) -> None:
    check_page_name(target)
    page = result_page(result, cases=cases, images=images)
    write_file(target, page)
    write_result(f"{printable(str(target))}   {_size(len(page))}")


def default_page(result: str) -> Path:
    """The default path of the page: in the folder of the result."""
    path = Path(result)
    return (path if path.is_dir() else path.parent) / "report.html"


def _size(count: int) -> str:
    """How large a file is, for a reader.

    >>> _size(412_300), _size(3_200_000)
    ('412 kB', '3.2 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1_000_000 else f"{max(1, round(count / 1000)):,} kB"
