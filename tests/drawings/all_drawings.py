"""All drawings by file name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from . import decisions, ranks, rooms, shapes, videos

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
DRAWINGS = shapes.DRAWINGS | ranks.DRAWINGS | videos.DRAWINGS | rooms.DRAWINGS | decisions.DRAWINGS


def svgs() -> Iterator[tuple[str, str]]:
    """The name of each file, and what it holds."""
    for name, draw in DRAWINGS.items():
        yield f"{name}.svg", draw().svg()
