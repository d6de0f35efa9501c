"""`calipers report`: one self-contained HTML page of a result."""

from __future__ import annotations

from pathlib import Path

import click

from calipers.cli.streams import put
from calipers.errors import OutputError
from calipers.output import write_file
from calipers.views.page.build import result_page
from calipers.views.text import printable


@click.command("report")
@click.argument("result", metavar="RESULT")
@click.option("-o", "--output", metavar="FILE.html", help="where the page goes  [default: report.html beside RESULT]")
@click.option("--images", metavar="DIR", help="folder with the images, to be shown under the drawings")
@click.option("--cases", type=click.IntRange(min=0), metavar="N", help="how many failures are drawn  [default: 200]")
def command(result: str, output: str | None, images: str | None, cases: int | None) -> None:
    """Write one HTML page of RESULT, which needs no network and opens from disk.

    RESULT is a folder of an earlier -o, whose failures are drawn, or an artifact alone, whose numbers are shown.
    """
    target = Path(output) if output else default_page(result)
    if target.is_dir():
        raise OutputError(f"{target}: is a folder, expected a file to write the page to")
    page = result_page(result, cases=cases, images=images)
    write_file(target, page)
    put(f"{printable(str(target))}   {_size(len(page))}")


def default_page(result: str) -> Path:
    """Beside the result: in its folder."""
    given = Path(result)
    return (given if given.is_dir() else given.parent) / "report.html"


def _size(count: int) -> str:
    """How large a file is, for a reader.

    >>> _size(412_300), _size(3_200_000)
    ('412 kB', '3.2 MB')
    """
    return f"{count / 1e6:.1f} MB" if count >= 1_000_000 else f"{max(1, round(count / 1000)):,} kB"
