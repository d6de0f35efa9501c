"""`calipers detect`: run a detector over images, results in COCO form."""

from __future__ import annotations

import os
from dataclasses import fields
from shlex import quote
from typing import Any

import click

from calipers.cli.options import Once, config_flags, output_flag, settings
from calipers.cli.progress import Progress
from calipers.cli.streams import put, say
from calipers.core.config import make_config
from calipers.core.errors import CalipersError, ConfigError, require
from calipers.detectors.detect import Detected, run_detector
from calipers.detectors.options import Config
from calipers.detectors.part_file import part_path
from calipers.show.text import printable

PLACES = {"weights": "a model", "images": "a folder", "gt": "a COCO file", "output": "a file to write to"}
INTERRUPTED = 130
LOW = 0.001  # from which on detections are kept where AP is the aim


@click.command("detect", cls=Once)
@click.option("--weights", metavar="MODEL", help="an ONNX model, or weights of Ultralytics (.pt)")
@click.option("--images", metavar="DIR", help="folder of the images")
@click.option("--gt", metavar="GT", help="ground truth in COCO form: which images, which categories")
@config_flags(Config)
@output_flag("FILE", "receives the results, as COCO has them")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(config: str | None, **flags: Any) -> None:
    """Run a detector over the images of a ground truth.

    The results are what calipers coco takes as predictions. Run it again after an interruption, and it goes on.
    """
    run_detect(settings("detect", [item.name for item in fields(Config)], flags, config))


def run_detect(options: dict[str, Any]) -> Detected:
    """Detect, write the results, and print what was done."""
    places = {name: options.pop(name, None) for name in PLACES}
    for name, what in PLACES.items():
        flag = "-o" if name == "output" else f"--{name}"
        if not places[name]:
            raise ConfigError(f"{flag} is missing, expected {what} (see calipers detect --help)")
        require(isinstance(places[name], str), flag, places[name], what)
    config = make_config(Config, options)
    detected = _detect(places, config)
    for warning in detected.warnings:
        say(printable(f"warning: {warning}"))
    for note in detected.notes:
        say(printable(f"note: {note}"))
    put(_summary(detected, places, config.conf))
    return detected


def _detect(places: dict[str, str], config: Config) -> Detected:
    progress = Progress("images", 1)
    try:
        return run_detector(
            places["weights"], places["images"], places["gt"], places["output"], config, progress=progress
        )
    except KeyboardInterrupt as error:
        progress.clear()
        kept = _kept(places["output"])
        say(f"interrupted; {kept or 'nothing was written'}")
        raise click.exceptions.Exit(INTERRUPTED) from error
    except CalipersError as error:
        kept = "" if isinstance(error, ConfigError) else _kept(places["output"])
        if not kept:
            raise
        raise type(error)(f"{error}\n({kept})") from error
    finally:
        progress.clear()


def _kept(output: str) -> str:
    """That a run can be gone on with, if it can."""
    part = part_path(output)
    return (
        f"finished images are in {printable(str(part))}: run the same command again to go on" if part.exists() else ""
    )


def _summary(detected: Detected, places: dict[str, str], conf: float) -> str:
    items = [
        _count(detected.images, "image", "images"),
        _count(len(detected.results), "detection", "detections"),
        _count(detected.classes, "class", "classes"),
        f"{detected.counts['left_out']:,} left out",
    ]
    gt, pred = (quote(os.fspath(places[name])) for name in ("gt", "output"))
    hint = f"   (AP needs low scores too: --conf {LOW})" if conf > LOW else ""
    return "\n".join(
        [
            printable(f"{places['output']}  {' · '.join(items)}"),
            printable(f" next                 calipers coco --gt {gt} --pred {pred}{hint}"),
        ]
    )


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
