"""What a cluster is asked for, whichever it is: how often a file is read, and how many results wait at a time."""

import json
import pickle
from collections import deque
from weakref import WeakSet

import cluster_work as work
import pytest

import calipers
from calipers.core.config import make_config
from calipers.engines.cluster import Cluster
from calipers.files.ranges import WholeFile
from calipers.run import run_plan
from calipers.suites.dense.config import Config
from calipers.suites.dense.plan import DensePlan

SHARDS = 10_000
MOST_WAITING = 400


class Outcome:
    """What a task left behind, on a cluster that keeps it as long as somebody has its handle."""

    def __init__(self):
        self.bytes = None


class CountingTasks:
    """A cluster of one worker, in this process, that knows how many outcomes it has to keep, and what it was given."""

    def __init__(self):
        self.waiting, self.kept, self.most, self.items = deque(), WeakSet(), 0, []

    @property
    def under_way(self):
        return len(self.waiting)

    def workers(self):
        return 1

    def start(self, function, arguments, on_end):
        handle = Outcome()
        self.kept.add(handle)
        self.waiting.append((handle, function, arguments, on_end))
        return handle

    def wait(self):
        handle, function, arguments, on_end = self.waiting.popleft()
        if function.__name__ == "measure":
            self.items.append(pickle.loads(arguments[2])[1])
        given = [each.bytes if isinstance(each, Outcome) else each for each in arguments]
        handle.bytes = function(*given)
        self.most = max(self.most, len(self.kept))
        del arguments, given
        on_end(None)

    def fetch(self, handles):
        return [handle.bytes for handle in handles]

    def is_lost(self, handle):
        return False

    def settle(self):
        pass

    def cancel(self, handles):
        self.waiting = deque(task for task in self.waiting if task[0] not in handles)


@pytest.mark.parametrize("join", [work.joined, None])
def test_of_many_shards_few_results_wait_at_a_time(join):
    tasks = CountingTasks()
    results = Cluster(tasks).in_order(work.as_list, range(SHARDS), join=join)
    assert [number for numbers in results for number in numbers] == list(range(SHARDS))
    assert tasks.most <= MOST_WAITING


def test_a_plain_file_is_read_twice(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    box = {"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": "类别=标签"}
    lines = [json.dumps({"image_path": f"{k}.jpg", "gt_norm1000": [box], "pred": [box]}) for k in range(30)]
    path.write_text("\n".join(lines), encoding="utf-8")
    in_one_process = calipers.dense(str(path), bootstrap=5, jobs=1)
    config, tasks = make_config(Config, {"bootstrap": 5, "chunk_bytes": 900, "engine": "dask"}), CountingTasks()
    monkeypatch.setattr("calipers.run.open_engine", lambda *_, **__: Opened(Cluster(tasks)))
    report = run_plan(DensePlan([str(path)], config), config)
    assert report.to_json() == in_one_process.to_json()
    whole = [item for item in tasks.items if isinstance(item, WholeFile)]
    shards = [item for item in tasks.items if not isinstance(item, WholeFile)]
    assert [item.size for item in whole] == [path.stat().st_size]
    assert len(shards) > 3
    assert sorted((shard.offset, shard.offset + shard.size) for shard in shards) == list(
        zip([0, *ends(shards)[:-1]], ends(shards), strict=True)
    )
    assert ends(shards)[-1] == path.stat().st_size


def ends(shards):
    return sorted(shard.offset + shard.size for shard in shards)


class Opened:
    """An engine that is open already."""

    def __init__(self, engine):
        self.engine = engine

    def __enter__(self):
        return self.engine

    def __exit__(self, *error):
        return None
