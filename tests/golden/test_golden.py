"""The bundled demo gives the same bytes as ever. If they are meant to change, see `regenerate.py`."""

import json
from itertools import zip_longest

import pytest

from .regenerate import GOLDEN, goldens, timeline_goldens


def first_difference(found: bytes, expected: bytes) -> tuple[int, bytes, bytes] | None:
    """(line, found, expected) of the first line that is not the same, or nothing."""
    lines = zip_longest(found.split(b"\n"), expected.split(b"\n"))
    return next(((number, a, b) for number, (a, b) in enumerate(lines, 1) if a != b), None)


@pytest.mark.parametrize("name", ["dense.json", "dense.txt"])
@pytest.mark.parametrize("options", [{"jobs": 1}, {"jobs": 2, "chunk_bytes": 50_000}], ids=["whole", "in shards"])
def test_the_demo_gives_the_golden_bytes(name, options):
    assert first_difference(goldens(**options)[name], (GOLDEN / name).read_bytes()) is None


@pytest.mark.parametrize("name", ["timeline.json", "timeline.txt"])
def test_the_demo_of_videos_gives_the_golden_bytes(name):
    assert first_difference(timeline_goldens()[name], (GOLDEN / name).read_bytes()) is None


def test_the_goldens_hold_no_path_of_a_machine():
    for name in ("dense.json", "dense.txt", "timeline.json", "timeline.txt"):
        assert str(GOLDEN.parents[1]).encode() not in (GOLDEN / name).read_bytes()
    for entry in json.loads((GOLDEN / "timeline.json").read_bytes())["inputs"]:
        assert entry["path"] in ("annotations.json", "predictions.json")
