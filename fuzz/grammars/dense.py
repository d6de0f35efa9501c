"""Dumps of the dense suite: a record a line, plain, compressed or on standard input."""

from __future__ import annotations

from random import Random
from typing import Any

from fuzz.draft import Doc, Draft
from fuzz.writers import write_lines

LABELS = ("标签", "光纤", "BBU设备", "螺丝、光纤插头/BBU安装螺丝", "line", "a/b/c")
SIDES = ("gt_norm1000", "gt_norm", "gt", "pred", "pred_norm1000")  # ground truth of a record is the first that it has
EXTRAS = ("文本=4G", "站点距离=50", "备注=无, 需复核", "可见性=完整", "组=1", "no key")


def coordinate(rng: Random, size: int = 1000) -> Any:
    """Mostly a whole number inside the frame."""
    return rng.choice([rng.randint(0, size), rng.randint(0, size), round(rng.uniform(0, size), rng.choice((1, 3, 12)))])


def description(rng: Random) -> str:
    """A label, and maybe attributes."""
    head = rng.choice(["类别=", "", "类别="]) + rng.choice(LABELS)
    return ",".join([head, *rng.sample(EXTRAS, rng.randint(0, 2))])


def shape(rng: Random, size: int = 1000) -> dict[str, Any]:
    """An object."""
    kind, points = rng.choice(
        [("bbox_2d", 2), ("bbox_2d", 2), ("poly", rng.randint(3, 7)), ("line", rng.randint(2, 5))]
    )
    numbers: list[Any] = [coordinate(rng, size) for _ in range(2 * points)]
    if kind != "bbox_2d" and rng.random() < 0.2:
        numbers = [numbers[place : place + 2] for place in range(0, len(numbers), 2)]
    return {"type": kind, "points": numbers, "desc": description(rng)}


def moved(item: dict[str, Any], rng: Random) -> dict[str, Any]:
    """An object a little off."""
    flat = [number for part in item["points"] for number in (part if isinstance(part, list) else [part])]
    points = [min(max(number + rng.randint(-6, 6), 0), 1000) for number in flat]
    return item | {"points": points} | ({} if rng.random() < 0.8 else {"desc": description(rng)})


def record(rng: Random, number: int, frame: str = "norm1000") -> dict[str, Any]:
    """One image with both sides."""
    truth = [shape(rng) for _ in range(rng.randint(0, 4))]
    pred = [moved(each, rng) for each in truth if rng.random() < 0.8] + [shape(rng) for _ in range(rng.randint(0, 2))]
    keys: list[dict[str, Any]] = [{"image_path": f"day/{number}.jpg"}, {"id": number}, {"image": f"图{number}"}, {}]
    key = rng.choice(keys)
    if frame == "pixel":
        return key | {"width": 1000, "height": 1000.0, "gt": truth, "pred": pred}
    names = rng.choice([("gt_norm1000", "pred"), ("gt_norm", "pred"), ("gt_norm1000", "pred_norm1000")])
    beside: list[dict[str, Any]] = [{}, {}, {"raw": "[{]", "n": None}, {"gt": [], "width": 640}]
    return key | dict(zip(names, (truth, pred), strict=True)) | rng.choice(beside)


def records(rng: Random, frame: str = "norm1000") -> list[dict[str, Any]]:
    """Some records, at least one; the last one has objects, since a dump of empty records is refused."""
    some = [record(rng, number, frame) for number in range(rng.randint(1, 5))]
    sides = [some[-1][name] for name in SIDES if some[-1].get(name)]
    if not sides:
        next(some[-1][name] for name in SIDES if name in some[-1]).append(shape(rng))
    return some


def _options(rng: Random) -> dict[str, Any]:
    options = {"bootstrap": rng.choice((0, 7, 20)), "max_bad_records": rng.choice((0, 0, 1, 100))}
    return options | {"chunk_bytes": rng.choice((1, 64, 1 << 20)), "jobs": 1}


def plain(rng: Random) -> Draft:
    """A plain file, or two of them."""
    options = _options(rng) | {"frame": rng.choice(("norm1000", "norm1000", "norm1000", "pixel"))}
    names = ["dump.jsonl", "more.jsonl"][: rng.choice((1, 1, 1, 2))]
    docs = {name: Doc(records(rng, options["frame"]), write_lines) for name in names}
    return Draft("dense", {"source": names, **options}, docs)


def packed(rng: Random) -> Draft:
    """A compressed file, known by its name or by its first bytes."""
    kind = rng.choice(("gz", "zst"))
    name = f"dump.jsonl{rng.choice((f'.{kind}', f'.{kind}', ''))}"
    return Draft("dense", {"source": [name], **_options(rng)}, {name: Doc(records(rng), write_lines, kind)})


def piped(rng: Random) -> Draft:
    """Standard input, maybe compressed."""
    arguments = [
        "dense",
        "-",
        "--json",
        "--bootstrap",
        "5",
        "--jobs",
        "1",
        *rng.choice(([], ["--max-bad-records", "9"])),
    ]
    doc = Doc(records(rng), write_lines, rng.choice(("", "", "gz", "zst")))
    return Draft("command", {"arguments": arguments, "stdin": "stdin.jsonl"}, {"stdin.jsonl": doc})


GRAMMARS = {"dense": plain, "dense-packed": packed, "dense-stdin": piped}
