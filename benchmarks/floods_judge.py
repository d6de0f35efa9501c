"""Floods of the judge: answers with many shapes, or with one of many points."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flood import Flood
from floods_dense import circle, large_box, rough, some_line, star


def payload(ruler: str, make: Callable[[], tuple[Any, Any]]) -> Callable[[Path], list[str]]:
    """A reference and an answer on standard input."""

    def write(folder: Path) -> list[str]:
        reference, answer = make()
        text = json.dumps({"reference_answer": reference, "candidate_answer": answer}, separators=(",", ":"))
        (folder / "payload").write_text(text)
        return ["judge", ruler]

    return write


def verdict(ruler: str, what: str, make: Callable[[], tuple[Any, Any]]) -> Flood:
    return Flood(f"judge {ruler} {what}", payload(ruler, make), stdin="payload")


def both(name: str, shape: Callable[[int], Any], count: int, **beside: list[float]) -> Callable[[], tuple[Any, Any]]:
    """As many shapes in the answer as in the reference."""
    return lambda: ({name: [shape(k) for k in range(count)]}, {name: [shape(k + 7) for k in range(count)], **beside})


def labels(count: int) -> list[tuple[str, int]]:
    return [(f"label {k}", k) for k in range(count)]


FLOODS = (
    verdict("polygon", "with 100k points", lambda: ({"polygon": circle(100_000)}, {"polygon": rough(100_000, 1)})),
    verdict("polygon", "with a star of 100k", lambda: ({"polygon": star(100)}, {"polygon": star(100_000)})),
    verdict("line", "with 100k points", lambda: ({"line": some_line(1)}, {"line": some_line(2, 100_000)})),
    verdict("line", "3,000 x 3,000", both("lines", some_line, 3000)),
    verdict("boxes", "8,000 x 8,000", both("boxes", large_box, 8000)),
    verdict("map", "5,000 x 5,000", both("boxes", large_box, 5000, scores=[k / 5000 for k in range(5000)])),
    verdict("intervals", "8,000 x 8,000", both("intervals", lambda k: [k % 90, 10_000 + k], 8000)),
    verdict("rotated", "2,000 x 2,000", both("rotated", lambda k: [500, 500, 300 + k % 50, 200, k % 180], 2000)),
    verdict("box3d", "2,000 x 2,000", both("cuboids", lambda k: [0, 0, 0, 1 + k % 9, 1, 1], 2000)),
    verdict(
        "click", "on 100k boxes", lambda: ({"boxes": [large_box(k) for k in range(100_000)]}, {"point": [5000, 5000]})
    ),
    verdict("click", "said 400k times", lambda: ({"bbox": [0, 0, 9, 9]}, "click(5, 5) " * 400_000)),
    verdict("click", "begun 400k times", lambda: ({"bbox": [0, 0, 9, 9]}, "click(x=" * 500_000)),
    verdict("click", "in a polygon of 100k points", lambda: ({"polygon": star(100_000)}, {"point": [500, 500]})),
    verdict("count", "of 1M numbers", lambda: ({"count": 3}, "1 " * 2_000_000)),
    verdict("count", "of 4M digits", lambda: ({"count": 3}, {"count": int("9" * 4000)})),
    verdict("count", "of 200k objects", lambda: ({"count": 3}, [{"label": "a"}] * 200_000)),
    verdict("count", "of 1.2M empty objects", lambda: ({"count": 3}, [{}] * 1_200_000)),
    verdict("count", "of 1.2M empty lists", lambda: ({"count": 3}, [[]] * 1_200_000)),
    verdict("boxes", "in 1.2M empty objects", lambda: ({"bbox": [0, 0, 9, 9]}, [{}] * 1_200_000)),
    verdict("click", "in 1.2M empty objects", lambda: ({"bbox": [0, 0, 9, 9]}, [{}] * 1_200_000)),
    verdict("count", "of 200k labels", lambda: ({"counts": dict(labels(1))}, {"counts": dict(labels(100_000))})),
    verdict("boxes", "of 4.9 MB of brackets", lambda: ({"bbox": [0, 0, 9, 9]}, "[" * 4_900_000)),
    verdict("boxes", "of 4.9 MB of braces", lambda: ({"bbox": [0, 0, 9, 9]}, '{"a":' * 700_000)),
    verdict("boxes", "of 4.9 MB of numbers", lambda: ({"bbox": [0, 0, 9, 9]}, "1 " * 2_400_000)),
    verdict("boxes", "of 4.9 MB of fences", lambda: ({"bbox": [0, 0, 9, 9]}, "```json\n[" * 480_000)),
    verdict("boxes", "of 1.2M numbers in a list", lambda: ({"bbox": [0, 0, 9, 9]}, {"boxes": [1] * 2_400_000})),
    verdict("boxes", "of 1.6M lists", lambda: ({"bbox": [0, 0, 9, 9]}, {"boxes": [[]] * 1_600_000})),
    verdict("boxes", "of 600k malformed boxes", lambda: ({"bbox": [0, 0, 9, 9]}, {"boxes": [[1, 2, 3]] * 600_000})),
    verdict("polygon", "of 800k malformed ones", lambda: ({"polygon": circle(9)}, {"polygons": [[1, 2]] * 800_000})),
    verdict("line", "of 800k malformed ones", lambda: ({"line": some_line(1)}, {"lines": [[1]] * 1_200_000})),
    verdict("intervals", "of 800k malformed ones", lambda: ({"intervals": [[0, 9]]}, {"intervals": [[1]] * 1_200_000})),
    verdict(
        "map", "of 500k boxes without scores", lambda: ({"bbox": [0, 0, 9, 9]}, {"boxes": [[0, 0, 9, 9]] * 500_000})
    ),
    verdict("point", "of 300k numbers", lambda: ({"point": [1] * 300_000}, {"point": [2] * 300_000})),
)
