"""The detection engine in a child that was forked after its parent had used the engine: it works, and never hangs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import calipers
from calipers.suites.coco import forked

from ...profiles import share

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

HANG_SEC = 300
DATA = Path(calipers.__file__).parent / "data" / "coco"
SIDES = (str(DATA / "instances.json"), str(DATA / "results.json"))
SCRIPT = """
import multiprocessing, os, sys
import calipers
sides = sys.argv[2:]

def measured():
    return calipers.coco(*sides, bootstrap=20, iou_type=os.environ["TYPE"]).to_json()

def checked():
    return calipers.check(gt=sides[0], pred=sides[1]).to_json()

def forked(work):
    reader, writer = os.pipe()
    if os.fork() == 0:
        with open(writer, "wb") as file:
            file.write(work())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as file:
        content = file.read()
    os.wait()
    return content

def in_process_of_multiprocessing(work):
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(work)

expected = measured(), checked()
way = globals()[sys.argv[1]]
assert (way(measured), way(checked)) == expected
print("alike")
"""


@pytest.mark.parametrize(
    ("way", "iou_type"), [("forked", "bbox"), ("forked", "segm"), ("in_process_of_multiprocessing", "bbox")]
)
def test_a_forked_child_measures_and_checks_what_its_parent_does(tmp_path, way, iou_type):
    sides = SIDES if share() == 1 and iou_type == "bbox" else masks(tmp_path)
    env = {**os.environ, "PYTHONPATH": str(Path(calipers.__file__).parents[1]), "TYPE": iou_type}
    command = [sys.executable, "-c", SCRIPT, way, *sides]
    found = subprocess.run(command, env=env, capture_output=True, text=True, timeout=HANG_SEC, check=False)
    assert (found.returncode, found.stdout) == (0, "alike\n"), found.stderr


def masks(folder):
    """A data set of two objects with polygons."""
    import json

    shape = {"segmentation": [[10, 10, 60, 10, 60, 60]], "bbox": [10, 10, 50, 50], "area": 1250, "iscrowd": 0}
    objects = [shape | {"id": k, "image_id": 1, "category_id": 1} for k in (1, 2)]
    data = {"images": [{"id": 1, "width": 100, "height": 100}], "categories": [{"id": 1, "name": "a"}]}
    (folder / "gt.json").write_text(json.dumps(data | {"annotations": objects}))
    (folder / "pred.json").write_text(json.dumps([each | {"score": 0.5} for each in objects]))
    return str(folder / "gt.json"), str(folder / "pred.json")


def test_where_the_engine_was_not_used_before_it_runs_in_the_process_itself(monkeypatch):
    monkeypatch.setattr(forked, "_users", [])
    assert forked.call_engine(os.path.basename, "a/b") == "b"
    assert forked._users == [os.getpid()]
    monkeypatch.setattr(forked, "call_in_child", lambda work, item: "apart")
    assert forked.call_engine(os.path.basename, "a/b") == "b"
    monkeypatch.setattr(forked, "_users", [os.getpid() + 1])
    assert forked.call_engine(os.path.basename, "a/b") == "apart"


def test_what_goes_wrong_apart_is_raised_here(monkeypatch):
    monkeypatch.setattr(forked, "_users", [-1])
    assert forked.call_engine(os.path.basename, "a/b") == "b"
    with pytest.raises(TypeError, match="expected str, bytes or"):
        forked.call_engine(os.path.basename, 7)
    with pytest.raises(calipers.CalipersError, match="a process ended before it had a result: exit code 3"):
        forked.call_engine(os._exit, 3)
