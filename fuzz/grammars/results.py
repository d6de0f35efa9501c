"""Results that were kept: artifacts and folders, as they are loaded, compared, gated, checked and drawn."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from fuzz.calls import command
from fuzz.case import Case
from fuzz.draft import Doc, Draft
from fuzz.grammars import dense, images, scenes, timelines
from fuzz.octets import compress
from fuzz.writers import write_json, write_kept_lines, write_table, write_toml

SUITES = {"dense": dense.plain, "timeline": timelines.from_json, "scene": scenes.rooms, "coco": images.coco}
VARIANTS = 3
FEWEST_TO_RANK = 40  # replicates
METRICS = {"dense": "category.mean_f1", "timeline": "frame_accuracy", "scene": "f1", "coco": "AP"}


@lru_cache
def _written(suite: str, variant: int, replicates: int = 7) -> dict[str, bytes]:
    """The files of a folder that a suite wrote, small ones; the two sides of a comparison are over the same records."""
    rng = Random(f"{suite} {variant // 2}")
    draft = SUITES[suite](rng)
    while "frame" in draft.arguments and draft.arguments["frame"] == "pixel":
        draft = SUITES[suite](rng)
    files = {name: compress(doc.write(doc.tree, rng), doc.pack, rng) for name, doc in draft.docs.items()}
    with TemporaryDirectory() as folder:
        Case("", "", {}, files).write(Path(folder))
        command(
            [suite, *_inputs(suite, draft, folder), "-o", f"{folder}/out", "--bootstrap", str(replicates + variant % 2)]
        )
        found = Path(folder, "out").iterdir()
        kept = {file.name: file.read_bytes() for file in sorted(found) if file.suffix in (".json", ".jsonl", ".csv")}
    return {name: content.replace(f"{folder}/".encode(), b"") for name, content in kept.items()}


def _inputs(suite: str, draft: Draft, folder: str) -> list[str]:
    given = draft.arguments
    if suite == "dense":
        return [f"{folder}/{name}" for name in given["source"]]
    more = ["--iou-type", given["iou_type"]] if suite == "coco" else []
    more += ["--sigmas", "0.05,0.1"] if "sigmas" in given else []
    return ["--gt", f"{folder}/{given['gt']}", "--pred", f"{folder}/{given['pred']}", *more]


def _artifact(suite: str, variant: int, replicates: int = 7) -> Any:
    return deepcopy(json.loads(_written(suite, variant, replicates)["result.json"]))


def _chosen(rng: Random) -> tuple[str, int]:
    return rng.choice(list(SUITES)), rng.randrange(VARIANTS)


def _folder(rng: Random, name: str, suite: str, variant: int, *, whole: bool = False) -> dict[str, Doc]:
    """The artifact and, mostly or always, the cases and the table of matches of a folder."""
    files = _written(suite, variant)
    docs = {f"{name}/result.json": Doc(_artifact(suite, variant), write_json)}
    if "cases.jsonl" in files and (whole or rng.random() < 0.8):
        lines = [json.loads(line) for line in files["cases.jsonl"].splitlines()]
        docs[f"{name}/cases.jsonl"] = Doc(lines, write_kept_lines)
    if "matches.csv" in files and (whole or rng.random() < 0.8):
        rows = [[line] for line in files["matches.csv"].decode().splitlines()]
        docs[f"{name}/matches.csv"] = Doc(rows, write_table)
    return docs


def loaded(rng: Random) -> Draft:
    """An artifact that is loaded and looked at."""
    suite, variant = _chosen(rng)
    return Draft("load", {"path": "result.json"}, {"result.json": Doc(_artifact(suite, variant), write_json)})


def drawn(rng: Random) -> Draft:
    """A folder that becomes a page."""
    arguments = ["report", rng.choice(("out", "out/result.json")), "-o", "page.html"]
    return Draft("command", {"arguments": arguments}, _folder(rng, "out", *_chosen(rng)))


def compared(rng: Random) -> Draft:
    """Two folders, mostly over the same records."""
    suite, variant = _chosen(rng)
    other = rng.choice((variant, variant, 1))
    docs = _folder(rng, "old", suite, variant) | _folder(rng, "new", suite, other)
    force = ["--force"] * (other != variant or rng.random() < 0.2)
    return Draft("command", {"arguments": ["compare", "old", "new", "--json", *force]}, docs)


def gated(rng: Random) -> Draft:
    """A result, maybe a baseline, and rules as TOML."""
    suite, variant = _chosen(rng)
    metric = METRICS[suite]
    rules: list[dict[str, Any]] = [{"floor": 0.2}, {"ceiling": 0.9}, {"max_drop": 0.02}, {"floor": 0, "ceiling": 1}]
    docs = {
        "new.json": Doc(_artifact(suite, variant), write_json),
        "old.json": Doc(_artifact(suite, variant), write_json),
        "rules.toml": Doc({"rule": [{"metric": metric, **rng.choice(rules)}]}, write_toml),
    }
    return Draft(
        "command", {"arguments": ["gate", "new.json", "--baseline", "old.json", "--rules", "rules.toml"]}, docs
    )


def ranked(rng: Random) -> Draft:
    """Two to four artifacts over the same records."""
    suite, variant = _chosen(rng)
    docs = {
        f"{name}.json": Doc(_artifact(suite, variant, FEWEST_TO_RANK), write_json)
        for name in "abcd"[: rng.randint(2, 4)]
    }
    more = rng.choice(([], ["--order", "given"], ["--baseline", "a"], ["--figure", METRICS[suite]]))
    return Draft("command", {"arguments": ["rank", *docs, "--json", *more]}, docs)


def suspected(rng: Random) -> Draft:
    """One or two folders whose annotations are looked at."""
    suite, variant = _chosen(rng)
    docs = _folder(rng, "a", suite, variant, whole=True)
    docs |= _folder(rng, "b", suite, variant, whole=True) if rng.random() < 0.6 else {}
    folders = sorted({name.partition("/")[0] for name in docs})
    return Draft("command", {"arguments": ["suspects", *folders, "--json"]}, docs)


def checked(rng: Random) -> Draft:
    """Any input, looked at."""
    draft = rng.choice([*SUITES.values(), images.yolo, images.voc, images.labelme, timelines.from_csv])(rng)
    given = draft.arguments
    sides = given["source"] if "source" in given else ["--gt", given["gt"], "--pred", given["pred"]]
    return Draft("command", {"arguments": ["check", "--json", *sides]}, draft.docs)


GRAMMARS = {
    "load": loaded,
    "report": drawn,
    "compare": compared,
    "gate": gated,
    "rank": ranked,
    "suspects": suspected,
    "check": checked,
}
