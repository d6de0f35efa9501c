"""Floods of what follows a run: slices of many values, results that are ranked, annotations that are doubted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import calipers
from calipers.cli.suite_command import run_suite
from calipers.suite import suite_of
from flood import Flood

BOX = '{"type":"bbox_2d","points":[0,0,9,9],"desc":"a"}'


def sliced(count: int, fields: Callable[[int], str], *slices: str) -> Callable[[Path], list[str]]:
    """Records of an object, with further fields as JSON."""

    def make(folder: Path) -> list[str]:
        lines = (f'{{"id":{k},{fields(k)},"gt_norm1000":[{BOX}],"pred":[]}}\n' for k in range(count))
        (folder / "flood.jsonl").write_text("".join(lines))
        return ["dense", "{}/flood.jsonl", *(part for each in slices for part in ("--slice", each))]

    return make


def attributes(count: int, row: Callable[[int], str], *slices: str) -> Callable[[Path], list[str]]:
    """A few records, and a large file of their attributes."""

    def make(folder: Path) -> list[str]:
        few = (f'{{"id":{k},"gt_norm1000":[{BOX}],"pred":[]}}\n' for k in range(1000))
        (folder / "flood.jsonl").write_text("".join(few))
        (folder / "more.csv").write_text("key,a,b\n" + "".join(row(k) for k in range(count)))
        chosen = [part for each in slices for part in ("--slice", each)]
        return ["dense", "{}/flood.jsonl", "--attributes", "{}/more.csv", *chosen]

    return make


def some_records(count: int, objects: int, seed: int) -> list[dict[str, Any]]:
    """Records in which predictions are off in many ways."""
    rng, made = Random(1), Random(seed)
    records = []
    for number in range(count):
        truth, pred = [], []
        for _ in range(objects):
            x, y = rng.randint(0, 900), rng.randint(0, 900)
            truth.append({"type": "bbox_2d", "points": [x, y, x + 60, y + 60], "desc": rng.choice("abcdef")})
            moved = [value + made.randint(-20, 20) for value in truth[-1]["points"]]
            pred.append({"type": "bbox_2d", "points": moved, "desc": made.choice("abcdef")})
        records.append({"id": number, "gt_norm1000": truth, "pred": pred})
    return records


def folders(count: int, records: int, objects: int, command: list[str]) -> Callable[[Path], list[str]]:
    """As many folders of runs over the same ground truth, and a command that reads all of them."""

    def make(folder: Path) -> list[str]:
        for number in range(count):
            dump = folder.with_suffix(".jsonl")
            dump.write_text("".join(json.dumps(each) + "\n" for each in some_records(records, objects, number)))
            given = {"dumps": [str(dump)], "output": str(folder / f"run{number}"), "bootstrap": 50, "jobs": 1}
            run_suite(suite_of("dense"), given)
            dump.unlink()
            (folder / f"run{number}" / "report.html").unlink()
        return [*command, *(f"{{}}/run{number}" for number in range(count))]

    return make


def artifacts(count: int, records: int) -> Callable[[Path], list[str]]:
    """As many artifacts of small runs."""

    def make(folder: Path) -> list[str]:
        for number in range(count):
            report = calipers.dense(some_records(records, 2, number), bootstrap=100, jobs=1)
            report.save(folder / f"run{number:03}.json")
        return ["rank", *(f"{{}}/run{number:03}.json" for number in range(count))]

    return make


FLOODS = (
    Flood("slices 50,000 values", sliced(50_000, lambda k: f'"v":"w{k}"', "v")),
    Flood("slices 40,000 numbers", sliced(40_000, lambda k: f'"v":{k / 7}', "v")),
    Flood(
        "slices 40,000 crossed values", sliced(40_000, lambda k: f'"v":"w{k % 300}","w":"x{k // 300}"', "v", "w", "v×w")
    ),
    Flood("slices 35,000 values crossed with as many", sliced(35_000, lambda k: f'"v":"w{k}","w":"x{k}"', "v×w")),
    Flood(
        "slices by 20 fields",
        sliced(
            12_000, lambda k: ",".join(f'"v{j}":"w{k % (50 + j)}"' for j in range(20)), *(f"v{j}" for j in range(20))
        ),
    ),
    Flood("slices 400,000 attributes", attributes(400_000, lambda k: f"{k},v,w\n", "a")),
    Flood("slices 300,000 distinct attributes", attributes(300_000, lambda k: f"{k},{k},\n", "a")),
    Flood(
        "slices 1,000 edges", sliced(40_000, lambda k: f'"v":{k}', "v:" + ",".join(str(10 * k) for k in range(1000)))
    ),
    Flood("suspects of 10,000 objects in 10 records", folders(1, 10, 1000, ["suspects"])),
    Flood("suspects of 20 runs", folders(20, 40, 15, ["suspects"])),
    Flood("suspects of a record of 4,000 objects, twice", folders(2, 1, 4000, ["suspects"])),
    Flood("rank 100 results", artifacts(100, 20)),
    Flood("rank 12 results of 1,000 records", artifacts(12, 1000)),
)
