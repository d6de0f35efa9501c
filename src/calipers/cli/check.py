"""`calipers check`: is this input what it claims to be, and why is the score zero?"""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.options import NoRepeatedOptions, settings
from calipers.cli.streams import write_result
from calipers.core.errors import ConfigError, require
from calipers.results.check import Check, check
from calipers.suite import built_in


@click.command("check", cls=NoRepeatedOptions)
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--gt", metavar="GT", help="the ground truth, for suites whose sides are apart")
@click.option("--pred", multiple=True, metavar="PRED", help="predictions; give it again for others")
@click.option("--suite", metavar="|".join(built_in()), help="suite to read inputs as, where content does not tell")
@click.option("--images", metavar="DIR", help="folder of the images, for sizes that YOLO files lack")
@click.option("--answers", metavar="FAMILY", help="predictions are answers of this family of models, as in dense")
@click.option("--pred-field", metavar="FIELD", help="field that holds the answer of a model, as in dense")
@click.option("--json", "json", is_flag=True, default=None, help="print all findings as JSON")
@click.option("--config", metavar="FILE", help="options file  [default: calipers.toml, if there]")
def command(files: tuple[str, ...], pred: tuple[str, ...], config: str | None, **flags: Any) -> int:
    """Look at inputs: what they are, what is in them, what would be refused, and what looks wrong.

    Ground truth is measured against itself, which has to be perfect. Predictions that do not fit are tried in other
    readings, on a sample. Nothing is changed. Exit code 3 when something cannot be read or would be refused.
    """
    flags["pred"] = list(pred) or None
    return run_check(list(files), **settings("check", (), flags, config)).exit_code


def run_check(
    files: list[str],
    *,
    gt: Any = None,
    pred: Any = None,
    suite: Any = None,
    images: Any = None,
    answers: Any = None,
    pred_field: Any = None,
    json: Any = False,
) -> Check:
    """Check the inputs and print the findings."""
    for name, value in {"gt": gt, "images": images}.items():
        require(value is None or (isinstance(value, str) and bool(value)), name, value, "a path")
    paths = [pred] if isinstance(pred, str) else pred or []
    require(isinstance(paths, list) and all(isinstance(path, str) and path for path in paths), "pred", pred, "paths")
    require(isinstance(json, bool), "json", json, "true or false")
    if not files and gt is None and not paths:
        raise ConfigError("nothing to check, expected files, or --gt and --pred (see calipers check --help)")
    options = {"suite": suite, "images": images, "answers": answers, "pred_field": pred_field}
    findings = check(*files, gt=gt, pred=paths or None, **options)
    write_result(findings.to_json() if json else str(findings))
    return findings
