"""Floods of the dense suite: shapes and texts of one record, or none at all under much compression."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from math import cos, pi, sin, tau
from pathlib import Path
from random import Random
from typing import Any

from flood import Flood

Objects = list[dict[str, Any]]


def thing(kind: str, points: list[float], desc: str = "类别=标签") -> dict[str, Any]:
    return {"type": kind, "points": points, "desc": desc}


def record(truth: Objects, pred: Objects) -> Callable[[Path], list[str]]:
    """A file with one record."""

    def make(folder: Path) -> list[str]:
        line = json.dumps({"gt_norm1000": truth, "pred_norm1000": pred}, ensure_ascii=False, separators=(",", ":"))
        (folder / "flood.jsonl").write_text(line + "\n", encoding="utf-8")
        return ["dense", "{}/flood.jsonl"]

    return make


def later(make: Callable[[], tuple[Objects, Objects]]) -> Callable[[Path], list[str]]:
    """The same, with objects that are made when they are needed."""
    return lambda folder: record(*make())(folder)


def ring(count: int, radius: Callable[[int], float], *, centre: float = 500, turn: float = 0) -> list[float]:
    """Vertices around a centre, at the distance that `radius` gives each."""
    numbers: list[float] = []
    for k in range(count):
        angle = tau * (k + turn) / count
        numbers += [round(centre + radius(k) * cos(angle), 4), round(centre + radius(k) * sin(angle), 4)]
    return numbers


def circle(count: int, **where: float) -> list[float]:
    return ring(count, lambda k: 400.0, **where)


def rough(count: int, seed: int, **where: float) -> list[float]:
    """A circle with a rough rim, as the outline of a mask has."""
    rng = Random(seed)
    return ring(count, lambda k: 400 + rng.uniform(-1, 1) * 400 * pi / count, **where)


def star(count: int, **where: float) -> list[float]:
    """Every edge runs from the inner rim to the outer."""
    return ring(count, lambda k: 480.0 if k % 2 else 200.0, **where)


def comb(teeth: int, *, lying: bool = False) -> list[float]:
    """Teeth across the frame; a comb that stands and one that lies cross at every tooth."""
    numbers: list[float] = []
    for k in range(teeth):
        x, step = 998 * k / teeth + 1, 998 / teeth / 2
        numbers += [round(x, 4), 20.0, round(x + step / 2, 4), 990.0, round(x + step, 4), 20.0]
    numbers += [999.0, 10.0, 1.0, 10.0]
    return [numbers[at ^ 1] for at in range(len(numbers))] if lying else numbers


def tangle(count: int, seed: int) -> list[float]:
    rng = Random(seed)
    return [round(rng.uniform(0, 1000), 2) for _ in range(2 * count)]


def one_polygon(points: list[float], other: list[float] | None = None) -> tuple[Objects, Objects]:
    return [thing("poly", points)], [thing("poly", other or [100, 100, 900, 110, 500, 900, 480, 300])]


def several(kind: str, count: int, shape: Callable[[int], list[float]]) -> tuple[Objects, Objects]:
    return [thing(kind, shape(k)) for k in range(count)], [thing(kind, shape(count + k)) for k in range(count)]


def small_box(k: int) -> list[float]:
    x, y = k * 7919 % 990, k * 104729 % 990
    return [x, y, x + 9, y + 9]


def large_box(k: int) -> list[float]:
    return [k % 50, k % 40, 1000 - k % 60, 1000 - k % 30]


def some_line(k: int, points: int = 2) -> list[float]:
    rng = Random(k)
    return [rng.randint(0, 1000) for _ in range(2 * points)]


def texts(a: str, b: str) -> tuple[Objects, Objects]:
    box = [0, 0, 900, 900]
    return [thing("bbox_2d", box, f"类别=标签,文本={a}")], [thing("bbox_2d", box, f"类别=标签,文本={b}")]


def letters(count: int, seed: int) -> str:
    return "".join(Random(seed).choices("abcdefghijklmnopqrstuvwxyz", k=count))


def newlines(folder: Path) -> list[str]:
    """600 million line breaks in 600 kB."""
    piece = b"\n" * 10_000_000
    with gzip.open(folder / "flood.jsonl.gz", "wb", compresslevel=9) as file:
        for _ in range(60):
            file.write(piece)
    return ["dense", "{}/flood.jsonl.gz"]


FLOODS = (
    Flood("dense one circle of 150k vertices", later(lambda: one_polygon(circle(150_000)))),
    Flood("dense one rough polygon of 150k vertices", later(lambda: one_polygon(rough(150_000, 1)))),
    Flood("dense one star of 150k vertices", later(lambda: one_polygon(star(150_000)))),
    Flood("dense one tangle of 150k vertices", later(lambda: one_polygon(tangle(150_000, 1)))),
    Flood("dense one comb of 50k teeth", later(lambda: one_polygon(comb(50_000)))),
    Flood("dense two circles of 30k", later(lambda: one_polygon(circle(30_000), circle(30_000, centre=510)))),
    Flood("dense two rough polygons of 30k", later(lambda: one_polygon(rough(30_000, 1), rough(30_000, 2)))),
    Flood("dense two stars of 30k", later(lambda: one_polygon(star(30_000), star(30_000, turn=0.4)))),
    Flood("dense two combs of 10k teeth", later(lambda: one_polygon(comb(10_000), comb(10_000, lying=True)))),
    Flood(
        "dense 100 x 100 polygons of 500",
        later(lambda: several("poly", 100, lambda k: rough(500, k, centre=500 + k % 20))),
    ),
    Flood(
        "dense 2,000 x 2,000 quadrilaterals", later(lambda: several("poly", 2000, lambda k: circle(4, turn=k / 8000)))
    ),
    Flood("dense 10k x 10k boxes, all overlap", later(lambda: several("bbox_2d", 10_000, large_box))),
    Flood("dense 40k x 40k boxes, few overlap", later(lambda: several("bbox_2d", 40_000, small_box))),
    Flood("dense 3,000 x 3,000 lines", later(lambda: several("line", 3000, some_line))),
    Flood("dense one line of 100k points", later(lambda: several("line", 1, lambda k: some_line(k, 100_000)))),
    Flood("dense two texts of 1.2 MB", later(lambda: texts(letters(1_200_000, 1), letters(1_200_000, 2)))),
    Flood("dense gzip of 600 M line breaks", newlines),
)
