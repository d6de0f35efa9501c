"""The bundled demo gives the same bytes as ever. If they are meant to change, see `regenerate.py`."""

import json
from itertools import zip_longest

import pytest

from ..engine_versions import without_versions
from .regenerate import GOLDEN, PICTURE, coco_goldens, goldens, scene_goldens, scene_picture, timeline_goldens


def first_difference(found: bytes, expected: bytes) -> tuple[int, bytes, bytes] | None:
    """(line, found, expected) of the first line that is not the same, versions of libraries apart, or nothing."""
    lines = zip_longest(*(without_versions(content).split(b"\n") for content in (found, expected)))
    return next(((number, a, b) for number, (a, b) in enumerate(lines, 1) if a != b), None)


@pytest.mark.parametrize("name", ["dense.json", "dense.txt"])
@pytest.mark.parametrize("options", [{"jobs": 1}, {"jobs": 2, "chunk_bytes": 50_000}], ids=["whole", "in shards"])
def test_the_demo_gives_the_golden_bytes(name, options):
    assert first_difference(goldens(**options)[name], (GOLDEN / name).read_bytes()) is None


@pytest.mark.parametrize("name", ["timeline.json", "timeline.txt"])
def test_the_demo_of_videos_gives_the_golden_bytes(name):
    assert first_difference(timeline_goldens()[name], (GOLDEN / name).read_bytes()) is None


@pytest.mark.parametrize("name", ["scene.json", "scene.txt"])
def test_the_demo_of_rooms_gives_the_golden_bytes(name):
    assert first_difference(scene_goldens()[name], (GOLDEN / name).read_bytes()) is None


@pytest.mark.parametrize("name", ["coco.json", "coco.txt"])
def test_the_demo_of_detections_gives_the_golden_bytes(name):
    assert first_difference(coco_goldens()[name], (GOLDEN / name).read_bytes()) is None


def test_the_picture_of_rooms_in_the_docs_is_that_of_the_demo():
    assert first_difference(scene_picture(), PICTURE.read_bytes()) is None


def test_the_goldens_hold_no_path_of_a_machine():
    for path in (*GOLDEN.glob("*.json"), *GOLDEN.glob("*.txt")):
        assert str(GOLDEN.parents[1]).encode() not in path.read_bytes()
    for suite in ("dense", "timeline", "scene", "coco"):
        for entry in json.loads((GOLDEN / f"{suite}.json").read_bytes())["inputs"]:
            assert not entry["path"].startswith(("/", ".."))
