"""Two results of every suite over the same records: of the bundled samples, and of those made a little different."""

import json
import random
from pathlib import Path
from types import SimpleNamespace

import pytest

import calipers

DATA = Path(calipers.__file__).parent / "data"
SUITES = ("dense", "timeline", "scene", "coco")


def dense_records(changed: bool) -> list[dict]:
    """The first sixty; changed ones lost some predictions and gained some that are true."""
    rng = random.Random(1)
    records = [json.loads(line) for line in (DATA / "dense.jsonl").read_text(encoding="utf-8").splitlines()[:60]]
    for record in records if changed else ():
        key = "pred_norm1000" if "pred_norm1000" in record else "pred"
        kept = [each for each in record[key] if rng.random() > 0.05]
        record[key] = kept + [each for each in record["gt_norm1000"] if rng.random() < 0.1]
    return records


def timeline_predictions(changed: bool) -> dict:
    rng = random.Random(1)
    videos = json.loads((DATA / "timeline" / "predictions.json").read_bytes())
    for video in videos.values() if changed else ():
        for stretches in (video.get("states") or {}).values():
            for stretch in stretches:
                if stretch[1] - stretch[0] > 10 and rng.random() < 0.5:
                    stretch[0] += rng.randint(1, 9)
    return videos


def coco_results(changed: bool) -> list[dict]:
    rng = random.Random(1)
    results = json.loads((DATA / "coco" / "results.json").read_bytes())
    return [each | {"score": each["score"] * rng.choice((1, 1, 0.5))} if changed else each for each in results]


def run_dense(changed: bool, **options) -> calipers.Report:
    return calipers.dense(dense_records(changed), **options)


def run_timeline(changed: bool, **options) -> calipers.Report:
    truth = json.loads((DATA / "timeline" / "annotations.json").read_bytes())
    return calipers.timeline(truth, timeline_predictions(changed), **options)


def run_scene(changed: bool, **options) -> calipers.Report:
    return calipers.scene(DATA / "scene" / "gt", DATA / "scene" / ("clio" if changed else "pipeline"), **options)


def run_coco(changed: bool, **options) -> calipers.Report:
    return calipers.coco(DATA / "coco" / "instances.json", coco_results(changed), **options)


RUNS = {"dense": run_dense, "timeline": run_timeline, "scene": run_scene, "coco": run_coco}


@pytest.fixture(scope="session")
def runs() -> dict:
    """suite -> (old, new), as reports."""
    return {suite: (run(False), run(True)) for suite, run in RUNS.items()}


@pytest.fixture(scope="session")
def trees(runs) -> dict:
    """The same, as an artifact has them."""
    return {suite: tuple(json.loads(report.to_json()) for report in pair) for suite, pair in runs.items()}


@pytest.fixture(scope="session")
def again() -> SimpleNamespace:
    """How to run a suite once more, with other options."""
    return SimpleNamespace(**RUNS)


@pytest.fixture(params=SUITES)
def pair(request, trees) -> tuple[dict, dict]:
    """The two trees of each suite in turn."""
    return trees[request.param]
