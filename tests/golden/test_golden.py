"""The bundled demo gives the same bytes as ever. If they are meant to change, see `regenerate.py`."""

from itertools import zip_longest

import pytest

from .regenerate import GOLDEN, goldens


def first_difference(found: bytes, expected: bytes) -> tuple[int, bytes, bytes] | None:
    """(line, found, expected) of the first line that is not the same, or nothing."""
    lines = zip_longest(found.split(b"\n"), expected.split(b"\n"))
    return next(((number, a, b) for number, (a, b) in enumerate(lines, 1) if a != b), None)


@pytest.mark.parametrize("name", ["dense.json", "dense.txt"])
@pytest.mark.parametrize("options", [{"jobs": 1}, {"jobs": 2, "chunk_bytes": 50_000}], ids=["whole", "in shards"])
def test_the_demo_gives_the_golden_bytes(name, options):
    assert first_difference(goldens(**options)[name], (GOLDEN / name).read_bytes()) is None
