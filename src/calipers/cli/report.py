"""`calipers report`: one self-contained HTML page of a result, or one of its tables on standard output."""

from __future__ import annotations

from pathlib import Path

import click

from calipers.artifact import read_artifact
from calipers.cli.options import NoRepeatedOptions, output_flag
from calipers.cli.streams import for_terminal, write_result
from calipers.core.errors import ConfigError
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
@click.option("--failed", is_flag=True, help="write no page, print the keys of records not evaluated, for --only")
@click.option("--format", "kind", metavar="KIND", help="of the table: md, tex or csv  [default: md]")
def command(
    result: str,
    output: str | None,
    images: str | None,
    cases: int | None,
    table: str | None,
    kind: str | None,
    failed: bool,
) -> None:
    """Write one HTML page of RESULT, which needs no network and opens from disk.

    RESULT is a folder of an earlier -o, whose failures are drawn, or an artifact alone, whose numbers are shown.
    """
    if failed:
        if any(option is not None for option in (output, images, cases, table, kind)):
            raise ConfigError("--failed prints keys and writes no page: expected no other option with it")
        write_result(
            "".join(f"{key}\n" for key in failed_keys(read_artifact(result))).encode("utf-8", "surrogateescape")
        )
        return
    if table is not None:
        if output is not None or images is not None or cases is not None:
            raise ConfigError("--table prints a table and writes no page: expected none of -o, --images and --cases")
        write_result(_table(result, table, kind or "md"))
        return
    if kind is not None:
        raise ConfigError(f"--format: found {kind!r}, expected it only together with --table")
    target = Path(output) if output else default_page(result)
    check_page_name(target)
    page = result_page(result, cases=cases, images=images)
    write_file(target, page)
    write_result(f"{printable(str(target))}   {_size(len(page))}")


def _table(result: str, name: str, kind: str) -> bytes:
    """A table as the bytes of a file, or as a terminal may have them."""
    return for_terminal(write_table(load(result), name, kind))


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
