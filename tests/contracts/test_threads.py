"""Threads of one process that begin together: each finds every package imported whole, whoever came first."""

import re
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

import pytest

import calipers
from calipers.show.charts.sheet import drawing

# What compares texts, and the four suites. Every thread waits until all are there; modules of rapidfuzz are found
# slowly, so that others begin to import one while it is half done.
PROGRAM = """
import importlib, sys, threading, time
from pathlib import Path

import calipers


class Slow:
    def find_spec(self, name, path=None, target=None):
        time.sleep(0.01 if name.startswith("rapidfuzz") else 0)


sys.meta_path.insert(0, Slow())
DATA, problems, begun = Path(calipers.__file__).parent / "data", [], threading.Barrier(16)


def similarity():
    from calipers.core.similarity import text_similarity

    assert text_similarity("ab", "ac") == 0.5


def spelling():
    from calipers.suites.scene.labels.spelling import Spelling

    assert list(Spelling(["chair"]).similar_names("chiar")) == ["chair"]


def edits():
    from calipers.suites.timeline.measure import EditDistance

    assert EditDistance()([1, 2], [1, 3]) == 1


def nearest():
    from calipers.core.survey import nearest_labels

    assert nearest_labels(["Chairs"], ["chair"]) == {"Chairs": "chair"}


def dense():
    calipers.dense(DATA / "dense.jsonl", bootstrap=5, jobs=1)


def timeline():
    calipers.timeline(DATA / "timeline/annotations.json", DATA / "timeline/predictions.json", bootstrap=5, jobs=1)


def scene():
    calipers.scene(DATA / "scene/gt", DATA / "scene/pipeline", bootstrap=5, jobs=1)


def coco():
    calipers.coco(DATA / "coco/instances.json", DATA / "coco/results.json", bootstrap=5, jobs=1)


def run(call):
    begun.wait()
    try:
        call()
    except BaseException as error:
        problems.append(f"{call.__name__}: {error!r}")


calls = {"rapidfuzz": [similarity, spelling, edits, nearest], "suites": [dense, timeline, scene, coco]}[sys.argv[1]]
for name in ("suites.dense.attributes", "suites.scene.labels.canonical", "suites.timeline.measure", "core.survey"):
    importlib.import_module(f"calipers.{name}")
threads = [threading.Thread(target=run, args=(calls[k % 4],)) for k in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*problems, sep="\\n", end="")
"""


@pytest.mark.parametrize("attempt", range(2))
@pytest.mark.parametrize("what", ["rapidfuzz", "suites"])
def test_threads_that_begin_together_all_end_well(what, attempt):
    ended = subprocess.run([sys.executable, "-c", PROGRAM, what], capture_output=True, text=True, check=True)
    assert ended.stdout == ""


def test_rapidfuzz_is_imported_in_one_place_and_only_when_it_is_needed():
    package = Path(calipers.__file__).parent
    importing = re.compile(r"^\s*(?:from|import) rapidfuzz\b", re.MULTILINE)
    assert [path.name for path in package.rglob("*.py") if importing.search(path.read_text("utf-8"))] == [
        "similarity.py"
    ]
    modules = "calipers.suites.scene.labels.spelling, calipers.suites.dense.attributes"
    program = f"import sys, {modules}; print('rapidfuzz' in sys.modules)"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout == "False\n"


def test_one_thread_draws_at_a_time_as_settings_are_those_of_the_process():
    matplotlib = pytest.importorskip("matplotlib")
    entered, left, seen = Event(), Event(), []

    def draw():
        with drawing("svg"):
            entered.set()
            left.wait(300)
            seen.append(matplotlib.rcParams["svg.hashsalt"])

    with drawing("svg"):
        other = Thread(target=draw)
        other.start()
        assert not entered.wait(0.2)
    left.set()
    other.join(300)
    assert seen == ["calipers"]
