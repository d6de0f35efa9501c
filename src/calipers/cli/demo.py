"""`calipers demo`: bundled sample data through a suite, or a sample payload to the judge, start to end."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import click

from calipers.cli.main import SUITES
from calipers.cli.options import Once, output_flag
from calipers.cli.streams import put, say

WIDTH = 110  # of a verdict that is laid out


@click.command("demo", cls=Once)
@click.argument("suite", default="dense", type=click.Choice((*SUITES, "judge")), metavar="[SUITE]")
@output_flag("PATH", "as in the suite's own command")
@click.option("--json", "json", is_flag=True, help="print the artifact, or the verdict on one line")
def command(suite: str, output: str | None, json: bool) -> None:
    """Run SUITE, or the judge, on made-up sample data that comes with Calipers."""
    options = {"output": output, "json": json}
    with as_file(files("calipers") / "data") as data:
        if suite == "dense":
            _demo_dense(data / "dense.jsonl", options)
        elif suite == "timeline":
            _demo_timeline(data / "timeline", options)
        elif suite == "scene":
            _demo_scene(data / "scene", options)
        elif suite == "coco":
            _demo_coco(data / "coco", options)
        else:
            _demo_judge(data / "judge" / "boxes.json", options)


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


def _demo_coco(folder: Path, options: dict[str, Any]) -> None:
    from calipers.cli.coco import run_coco

    gt, pred = folder / "instances.json", folder / "results.json"
    say(f"$ calipers coco --gt {gt} --pred {pred}")
    run_coco(options | {"gt": str(gt), "pred": str(pred)})


def _demo_judge(payload: Path, options: dict[str, Any]) -> None:
    from json import dumps

    from calipers.judge import boxes

    if options["output"] is not None:
        raise click.UsageError("The judge writes no files, so -o is not for it.")
    say(f"$ cat {payload}\n{payload.read_text(encoding='utf-8')}\n$ calipers judge boxes < {payload}")
    verdict = boxes(payload.read_bytes())
    if options["json"]:
        put(dumps(verdict, allow_nan=False))
    else:
        say("(laid out to be read; the command itself prints one line, and so does --json)")
        put(_laid_out(verdict))


def _laid_out(value: Any, indent: str = "") -> str:
    """JSON with what fits on a line on one."""
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
