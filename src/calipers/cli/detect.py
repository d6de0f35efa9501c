"""`calipers detect`: run a detector over images, results in COCO form; into a folder, with the numbers of them.

A file that ends in `.json` receives the results alone. Any other `-o` is a folder: they are its `detections.json`,
and then everything that the suite of detections writes about them, by its options in `calipers.toml`. `--summary` names
a place of its own for the numbers, beside a file of results.
"""

from __future__ import annotations

import os
from dataclasses import fields
from shlex import quote
from typing import Any

import click

from calipers.cli.options import NoRepeatedOptions, config_flags, output_flag, settings
from calipers.cli.streams import Progress, log, write_result
from calipers.cli.suite_command import run_suite
from calipers.core.config import make_config
from calipers.core.errors import CalipersError, ConfigError, require
from calipers.detectors.detect import Detected, run_detector
from calipers.detectors.options import DetectConfig
from calipers.detectors.part_file import part_path
from calipers.show.folder import check_output, is_artifact, new_folder
from calipers.show.text import printable
from calipers.suite import suites

PLACES = {"weights": "a model", "images": "a folder", "gt": "a COCO file", "output": "a file or folder to write to"}
DETECTIONS = "detections.json"  # in a folder
INTERRUPTED = 130
LOW = 0.001  # from which on detections are kept where AP is the aim


@click.command("detect", cls=NoRepeatedOptions)
@click.argument("folder", metavar="[IMAGES]", required=False)
@click.option("--weights", "--model", "weights", metavar="MODEL", help="an ONNX model, or weights of Ultralytics (.pt)")
@click.option("--images", metavar="DIR", help="folder of the images, unless it is IMAGES")
@click.option("--gt", metavar="GT", help="ground truth in COCO form: which images, which categories")
@config_flags(DetectConfig)
@output_flag("PATH", "FILE.json receives the results, as COCO has them; any other path is a folder for the numbers too")
@click.option("--summary", metavar="PATH", help="where the numbers go, beside -o FILE.json: an artifact, or a folder")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(config: str | None, folder: str | None, **flags: Any) -> None:
    """Run a detector over the images of a ground truth, and measure what it finds.

    The results are what calipers coco takes as predictions; into a folder (-o DIR), or with --summary, they are
    measured at once. Run it again after an interruption, and it goes on.
    """
    if folder is not None and flags["images"] is not None:
        raise ConfigError(f"--images: found {flags['images']!r:.80} beside {folder!r:.80}, expected the folder once")
    flags["images"] = folder if flags["images"] is None else flags["images"]
    run_detect(settings("detect", [item.name for item in fields(DetectConfig)], flags, config), config)


def run_detect(options: dict[str, Any], config_file: str | None = None) -> Detected:
    """Detect, write the results, and print what was done; of a folder the numbers."""
    places = {name: options.pop(name, None) for name in PLACES}
    for name, expected in PLACES.items():
        flag = "-o" if name == "output" else f"--{name}"
        if not places[name]:
            raise ConfigError(f"{flag} is missing, expected {expected} (see calipers detect --help)")
        require(isinstance(places[name], str), flag, places[name], expected)
    numbers = _place_of_numbers(options.pop("summary", None), places["output"])
    config = make_config(DetectConfig, options)
    if numbers is None:
        detected = _run(places, config)
        write_result(_summary(detected, places, config.conf))
        return detected
    return _measure(places, numbers, config, config_file)


def _place_of_numbers(summary: Any, output: str) -> str | None:
    """Where the numbers go, if anywhere: to `summary`, or into the folder that receives the results."""
    if summary is None:
        return None if is_artifact(output) else output
    require(isinstance(summary, str) and summary != "", "--summary", summary, "a file or folder to write to")
    if not is_artifact(output):
        raise ConfigError(f"--summary: found {summary!r:.80} beside the folder {output!r:.80}, expected -o FILE.json")
    if os.path.abspath(summary) == os.path.abspath(output):
        raise ConfigError(f"--summary: found {summary!r:.80}, which receives the results, expected another file")
    return str(summary)


def _measure(places: dict[str, str], numbers: str, config: DetectConfig, config_file: str | None) -> Detected:
    """Detect, then evaluate the detections and write the numbers."""
    suite = next(suite for suite in suites() if suite.takes_detections)
    option_names = [item.name for item in fields(suite.config)]
    results = places["output"] if is_artifact(places["output"]) else os.path.join(places["output"], DETECTIONS)
    inside = {**places, "output": results}
    sides = {"gt": places["gt"], "pred": results, "output": numbers, "json": None}
    options = settings(suite.name, option_names, sides, config_file)
    check_output(numbers, "csv", [places["gt"], places["weights"]])
    with new_folder(os.path.dirname(results) or "."):
        detected = _run(inside, config)
    log(_summary(detected, inside, config.conf).partition("\n")[0])
    if config.conf > LOW:
        log(f"note: AP needs low scores too: --conf {LOW}")
    run_suite(suite, options)
    return detected


def _run(places: dict[str, str], config: DetectConfig) -> Detected:
    """Detect, and log the notes of the run to standard error."""
    detected = _detect(places, config)
    for warning in detected.warnings:
        log(printable(f"warning: {warning}"))
    for note in detected.notes:
        log(printable(f"note: {note}"))
    return detected


def _detect(places: dict[str, str], config: DetectConfig) -> Detected:
    progress = Progress("images", 1)
    try:
        return run_detector(
            places["weights"], places["images"], places["gt"], places["output"], config, progress=progress
        )
    except KeyboardInterrupt as error:
        progress.clear()
        resume_hint = _resume_hint(places["output"])
        log(f"interrupted; {resume_hint or 'nothing was written'}")
        raise click.exceptions.Exit(INTERRUPTED) from error
    except CalipersError as error:
        resume_hint = "" if isinstance(error, ConfigError) else _resume_hint(places["output"])
        if not resume_hint:
            raise
        raise type(error)(f"{error}\n({resume_hint})") from error
    finally:
        progress.clear()


def _resume_hint(output: str) -> str:
    """How to resume an interrupted run; "" where nothing was finished."""
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


def _count(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"
