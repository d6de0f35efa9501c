"""`calipers demo`: bundled sample data through a suite, start to end."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click

from calipers.cli.main import SUITES
from calipers.cli.streams import say


@click.command("demo")
@click.argument("suite", default="dense", type=click.Choice(SUITES), metavar="[SUITE]")
@click.option("-o", "--output", metavar="PATH", help="as in the suite's own command")
@click.option("--json", "json", is_flag=True, help="print the artifact instead of the summary")
def command(suite: str, output: str | None, json: bool) -> None:
    """Run SUITE on made-up sample data that comes with Calipers."""
    options = {"output": output, "json": json}
    with as_file(files("calipers") / "data") as data:
        if suite == "dense":
            _demo_dense(data / "dense.jsonl", options)
        elif suite == "timeline":
            _demo_timeline(data / "timeline", options)
        else:
            _demo_scene(data / "scene", options)


def _demo_dense(dump: Path, options: dict[str, Any]) -> None:
    from calipers.cli.dense import run_dense

    say(f"$ calipers dense {dump}")
    run_dense([str(dump)], options)


def _demo_timeline(folder: Path, options: dict[str, Any]) -> None:
    from calipers.cli.timeline import run_timeline

    gt, pred = folder / "annotations.json", folder / "predictions.json"
    say(f"$ calipers timeline --gt {gt} --pred {pred} --transition-tolerance-frames 0,5,15,30")
    say(f"(timeline CSVs of these drives: --pred {folder / 'csv' / 'fusion'})")
    run_timeline(options | {"gt": str(gt), "pred": str(pred), "transition_tolerance_frames": "0,5,15,30"})


def _demo_scene(folder: Path, options: dict[str, Any]) -> None:
    from calipers.cli.scene import run_scene

    gt, config = folder / "gt", folder / "eval_config.json"
    methods = [f"{name}={folder / name}" for name in ("pipeline", "clio")]
    say(f"$ calipers scene --gt {gt} --pred {methods[0]} --pred {methods[1]} --config {config}")
    say("(ground truth as Supervisely JSON, one method as scene graphs, the other as Clio GraphML)")
    run_scene(options | {"gt": str(gt), "pred": methods, "config": str(config)})
