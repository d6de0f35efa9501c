"""`calipers convert`: ground truth or predictions in another format."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.options import NoRepeatedOptions, output_flag, settings
from calipers.cli.streams import log, write_result
from calipers.core.errors import ConfigError, require
from calipers.results.convert import ConvertResult, convert
from calipers.show.text import printable
from calipers.suite import built_in

WORDS = {"gt": "ground truth", "pred": "predictions", "both": "both sides"}
ONE = {"classes": "class", "boxes": "box"}  # of a word whose plural is not by an s alone
TEXTS = (
    *("to", "output", "suite", "side", "gt", "gt_format", "pred_format", "images", "iou_type", "label_source"),
    *("frame", "answers", "pred_field"),
)


@click.command("convert", cls=NoRepeatedOptions)
@click.argument("inputs", nargs=-1, metavar="IN...")
@click.option("--to", metavar="coco|yolo|plain", help="the format to write")
@output_flag("OUT", "a file, or a new folder where the format has several files")
@click.option("--suite", metavar="|".join(built_in()), help="suite to read inputs as, where content does not tell")
@click.option("--side", metavar="gt|pred", help="what they are, where content does not tell  [gt; pred with --gt]")
@click.option("--gt", metavar="GT", help="the ground truth that predictions belong to: ids, names and sizes")
@click.option("--gt-format", metavar="FORMAT", help="format of the ground truth  [detected]")
@click.option("--pred-format", metavar="FORMAT", help="format of the predictions  [detected]")
@click.option("--images", metavar="DIR", help="folder of the images, for sizes that files lack")
@click.option("--iou-type", metavar="bbox|segm", help="bbox: boxes alone, without masks and keypoints")
@click.option("--fps", type=float, metavar="F", help="frames a second, where times are in seconds")
@click.option("--frame", metavar="norm1000|pixel", help="coordinates of the records  [norm1000]")
@click.option("--answers", metavar="FAMILY", help="predictions are answers of this family of models")
@click.option("--pred-field", metavar="FIELD", help="field of the records that holds the answer of a model")
@click.option("--label-source", metavar="NAME", help="which label of a scene graph counts")
@click.option(
    "--max-bad-records", type=int, metavar="N", help="leave out up to N objects that cannot be written, and count them"
)
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(inputs: tuple[str, ...], config: str | None, **flags: Any) -> None:
    """Write ground truth or predictions in another format.

    What IN... is, is told by content, as calipers check tells it; several inputs are written as one. What the format
    cannot hold is an error, and what is only about the data is counted in a note. calipers formats lists what is read
    and written.
    """
    run_convert(list(inputs), settings("convert", (), flags, config))


def run_convert(inputs: list[str], options: dict[str, Any]) -> ConvertResult:
    """Convert, write, and print what was done."""
    for name in TEXTS:
        value = options.get(name)
        require(value is None or (isinstance(value, str) and bool(value)), name, value, "a text")
    for name, flag, expected in (("to", "--to", "a format"), ("output", "-o", "a place to write to")):
        if name not in options:
            raise ConfigError(f"{flag} is missing, expected {expected} (see calipers convert --help)")
    if not inputs:
        raise ConfigError("nothing to convert, expected files (see calipers convert --help)")
    result = convert(*inputs, **options)
    for note in result.notes:
        log(printable(f"note: {note}"))
    write_result(_summary(result, options["output"]))
    return result


def _summary(result: ConvertResult, output: str) -> str:
    counts = " · ".join(
        f"{count:,} {ONE.get(noun, noun.removesuffix('s')) if count == 1 else noun}"
        for noun, count in result.counts.items()
    )
    return "\n".join(
        [
            printable(f"{output}  {counts}"),
            printable(f" read as              {result.kind}, {WORDS[result.side]} ({result.suite})"),
            printable(f" written as           {result.to}"),
        ]
    )
