"""A suite for Calipers: how many objects of each class are on an image, and how many a model says there are.

Ground truth and predictions are CSV files with the columns `image`, `class` and `count`. A class that a file does not
name on an image has a count of 0 there.

    absolute error   |predicted − true|, of a class on an image
    mae              mean of it over all classes and images that either side names
    exact            share of them that are counted exactly
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np

from calipers.core.bootstrap import middle, resample
from calipers.core.config import RunOptions, make_config, option
from calipers.core.errors import InputError
from calipers.core.figures import FigureSpec, Floats, over
from calipers.core.survey import FileCheck, Kind, SidesCheck, Survey
from calipers.core.tables import Table, make_table
from calipers.core.tally import Tally, ratio
from calipers.counting_plan import BadEntry, CountingPart, CountingPlan, Records, provenance_of, report_of
from calipers.files.clues import Clue
from calipers.files.inputs import read_bytes
from calipers.report import Report
from calipers.run import OnProgress, check_kept_files, run_plan
from calipers.suite import Input, Job, RecordCounts, Sample, Suite, TableSpec, Tree

COLUMNS = ("image", "class", "count")
GT = Kind("counts, CSV", "counts")


@dataclass(frozen=True, kw_only=True)
class Config(RunOptions):
    """Every option of the suite."""

    tolerance: int = option(0, "how far a count may be off and still be exact", metavar="N")
    max_bad_records: int = option(0, "reject and count up to N lines that cannot be read", metavar="N")
    bootstrap: int = option(1000, "replicates for the intervals; 0 is none")
    seed: int = option(0, "seed of the replicates")


# Reading


def read_counts(path: str) -> tuple[dict[str, dict[str, int]], list[BadEntry], str]:
    """Counts by image and class, lines that cannot be read, and the digest of the file."""
    content = read_bytes(path)
    try:
        rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8, expected a CSV with the columns {', '.join(COLUMNS)}") from error
    if not set(COLUMNS) <= set(rows.fieldnames or ()):
        raise InputError(f"{path}: found the columns {rows.fieldnames}, expected {', '.join(COLUMNS)}")
    images: dict[str, dict[str, int]] = {}
    bad: list[BadEntry] = []
    for row in rows:
        if (row["count"] or "").isdecimal():
            images.setdefault(row["image"], {})[row["class"]] = int(row["count"])
        else:
            bad.append(BadEntry(path, rows.line_num, f"count: found {row['count']!r:.80}, expected a whole number"))
    return images, bad, sha256(content).hexdigest()


# Counting


def measure(records: Records, config: Config) -> Tally:
    """Some images to counts: for each class, how many there are, how many are exact, and by how much they are off."""
    tally = Tally()
    table = np.array([_errors(image, config) for _, image in records], dtype=np.int64).reshape(len(records), 3)
    for _, image in records:
        for name, (truth, pred) in image.items():
            off = abs(pred - truth)
            tally.count_row("classes", name, [1, off <= config.tolerance, off, truth, pred])
    keys = [key for key, _ in records]
    tally.count("resampled", resample(keys, table.T, seed=config.seed, replicates=config.bootstrap).T)
    return tally


def _errors(image: Mapping[str, list[int]], config: Config) -> list[int]:
    """Of an image: classes, exact ones, and the sum of absolute errors."""
    off = [abs(pred - truth) for truth, pred in image.values()]
    return [len(off), sum(each <= config.tolerance for each in off), sum(off)]


def summarize(tally: Tally, config: Config) -> dict[str, Any]:
    """Counts to the artifact."""
    classes = {name: row.tolist() for name, row in sorted(tally.tables.get("classes", {}).items())}
    n, exact, off = (sum(row[k] for row in classes.values()) for k in range(3))
    drawn = tally.counts["resampled"].astype(np.float64) if "resampled" in tally.counts else np.zeros((0, 3))
    records = int(tally.counts["records"][0])
    return {
        "summary": {
            "mae": ratio(off, n),
            "mae_interval": middle(over(drawn[:, 2], drawn[:, 0]), records=records) if n else None,
            "exact": ratio(exact, n),
            "exact_interval": middle(over(drawn[:, 1], drawn[:, 0]), records=records) if n else None,
        },
        "classes": {
            name: {"gt": gt, "pred": pred, "mae": ratio(wrong, n), "exact": ratio(right, n)}
            for name, (n, right, wrong, gt, pred) in classes.items()
        },
        "bootstrap": {
            "replicates": config.bootstrap,
            "seed": config.seed,
            "sums": {name: drawn[:, k].astype(int).tolist() for k, name in enumerate(("n", "exact", "off"))},
        },
    }


# What the rest of Calipers asks for


def replicates(tree: Tree) -> dict[str, Floats]:
    """The figures in every replicate."""
    sums = {name: np.array(values, dtype=np.float64) for name, values in tree["bootstrap"]["sums"].items()}
    return {"mae": over(sums["off"], sums["n"]), "exact": over(sums["exact"], sums["n"])}


def truth_facts(tree: Tree) -> Iterator[tuple[str, Any]]:
    """What two results over the same images have in common."""
    yield "images", tree["records"]["read"]
    yield from ((f"objects of {name}", row["gt"]) for name, row in tree["classes"].items())


def summary(tree: Tree) -> str:
    """The summary for a terminal."""
    figures, records = tree["summary"], tree["records"]
    mae, exact = ("—" if figures[name] is None else f"{figures[name]:.3f}" for name in ("mae", "exact"))
    classes = f"{len(tree['classes']):,} classes"
    return f"{records['evaluated']:,} images   absolute error {mae} · exact {exact} over {classes}"


def classes_table(tree: Tree) -> Table:
    """One row for each class."""
    columns = ["class", "gt", "pred", "mae", "exact"]
    return make_table(columns, ((name, *(row[key] for key in columns[1:])) for name, row in tree["classes"].items()))


def job(inputs: dict[str, Any], options: dict[str, Any]) -> Job:
    """What the command runs."""
    config = make_config(Config, options)
    paths = [inputs["gt"], inputs["pred"]]
    return Job(config, paths, partial(evaluate, *paths, config), tuple(paths))


def evaluate(gt: str, pred: str, config: Config, *, progress: OnProgress | None = None) -> Report:
    """Read both files, and count."""
    check_kept_files(config, [gt, pred])
    sides = [read_counts(path) for path in (gt, pred)]
    records = join(*(images for images, _, _ in sides))
    inputs = [
        {"path": path, "sha256": digest, "records": len(images)}
        for path, (images, _, digest) in zip((gt, pred), sides, strict=True)
    ]
    bad = [entry for _, entries, _ in sides for entry in entries]
    return run_plan(CountingPlan(SUITE, records, config, measure, inputs=inputs, bad=bad), config, progress=progress)


def join(truth: dict[str, dict[str, int]], pred: dict[str, dict[str, int]]) -> Records:
    """Images by name, with [true, predicted] counts of every class that either side names."""
    return [
        (image, {name: [truth.get(image, {}).get(name, 0), pred.get(image, {}).get(name, 0)] for name in names})
        for image in sorted({*truth, *pred})
        if (names := sorted({*truth.get(image, {}), *pred.get(image, {})}))
    ]


class CountsMeter:
    """The suite in a loop: `update(image, gt, pred)` takes counts by class."""

    def __init__(self, **options: Any) -> None:
        self._config = make_config(Config, options)
        self._records: dict[str, Any] = {}

    def update(self, image: str, gt: Mapping[str, int], pred: Mapping[str, int]) -> None:
        """Add an image."""
        self._records |= dict(join({image: dict(gt)}, {image: dict(pred)}))

    def compute(self) -> Report:
        """The report over all images so far."""
        total = CountingPart(measure(list(self._records.items()), self._config))
        total.tally.count("records", [len(self._records)])
        return SUITE.report_of(total, self._config)


def find_kind(clue: Clue) -> Kind | None:
    """A CSV with the columns of this suite."""
    heads = clue.head.partition(b"\n")[0].decode("utf-8", "replace").strip().split(",") if clue.is_csv else []
    return GT if set(COLUMNS) <= set(heads) else None


def examine(given: Any, kind: Kind, side: str, **options: Any) -> tuple[FileCheck, list[SidesCheck]]:
    """What is in a file, and what cannot be read."""
    file = FileCheck(str(given), kind.name, kind.suite, side)
    images, bad, _ = read_counts(str(given))
    file.counts = {"contents": {"images": len(images), "counts": sum(map(len, images.values()))}}
    file.refuse(str(entry.error()) for entry in bad)
    return file, []


def _figure(name: str, label: str, definition: str, **options: Any) -> FigureSpec:
    place = f"summary.{name}"
    words = {"label": label, "definition": definition, "headline": True}
    return FigureSpec(name=name, path=place, interval=f"{place}_interval", **words, **options)


SUITE = Suite(
    name="counts",
    protocol="counts/1",
    record="image",
    purpose="Numbers of objects by class and image.",
    about="Measure how well the objects of each class are counted on each image, from two CSV files.",
    config=Config,
    inputs=(
        Input(name="gt", metavar="GT.csv", help="true counts: image,class,count"),
        Input(name="pred", metavar="PRED.csv", help="predicted counts, in the same columns"),
    ),
    job=job,
    sample=Sample(package="calipers_counts", folder="data", inputs={"gt": "{}/gt.csv", "pred": "{}/pred.csv"}),
    meter=CountsMeter,
    unpack=CountingPart.unpack,
    report_of=lambda total, config: report_of(SUITE, summarize, total, config),
    provenance_of=lambda config: provenance_of(SUITE, config),
    shared_inputs=True,
    figures=(
        _figure("mae", "absolute error", "mean of |predicted − true|", unit="objects", higher_is_better=False),
        _figure("exact", "exact counts", "classes on images that are counted exactly / all of them"),
    ),
    replicates=replicates,
    counts=lambda tree: RecordCounts(*(tree["records"][name] for name in ("read", "evaluated", "rejected"))),
    schema="calipers_counts",
    summary=summary,
    tables={"classes": TableSpec(make=classes_table, file="classes.csv")},
    truth_facts=truth_facts,
    find_survey=lambda: Survey((GT, GT), find_kind, examine),
)
