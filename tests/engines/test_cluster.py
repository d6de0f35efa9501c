"""What a cluster is asked for, whichever it is: how often a file is read, and how many results wait at a time."""

import gc
import gzip
import json
import pickle
from collections import deque
from pathlib import Path
from weakref import WeakSet

import cluster_work as work
import pytest

import calipers
from calipers.core.collecting import without_collection
from calipers.core.config import make_config
from calipers.engines.cluster import Cluster
from calipers.files.ranges import WholeFile
from calipers.run import run_plan
from calipers.suites.dense.config import Config
from calipers.suites.dense.plan import DensePlan

SHARDS = 10_000
MOST_WAITING = 400
BYTES_READ = Path("/proc/self/io")


class Outcome:
    """What a task left behind, on a cluster that keeps it as long as somebody has its handle."""

    def __init__(self):
        self.bytes = None


class CountingTasks:
    """A cluster of one worker, in this process, that knows how many outcomes it has to keep, and what it was given."""

    def __init__(self):
        self.waiting, self.kept, self.most, self.items, self.fetched = deque(), WeakSet(), 0, [], []
        self.sums = 0

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
        self.sums += function.__name__ == "join_outcomes"
        if function.__name__ == "measure":
            self.items.append(pickle.loads(arguments[2])[1])
        given = [each.bytes if isinstance(each, Outcome) else each for each in arguments]
        handle.bytes = function(*given)
        self.most = max(self.most, len(self.kept))
        del arguments, given
        on_end(None)

    def fetch(self, handles):
        self.fetched.append(len(handles))
        return [handle.bytes for handle in handles]

    def is_lost(self, handle):
        return False

    def settle(self):
        pass

    def cancel(self, handles):
        self.waiting = deque(task for task in self.waiting if task[0] not in handles)


class FastTasks(CountingTasks):
    """One whose tasks all end at once."""

    def wait(self):
        while self.waiting:
            super().wait()


@pytest.mark.parametrize("join", [work.joined, None])
def test_of_many_shards_few_results_wait_at_a_time(join):
    """Also while nothing looks for reference cycles, as runs of suites are."""
    tasks = CountingTasks()
    with without_collection():
        results = Cluster(tasks).in_order(work.as_list, range(SHARDS), join=join)
        assert [number for numbers in results for number in numbers] == list(range(SHARDS))
    assert tasks.most <= MOST_WAITING


@pytest.mark.parametrize(("join", "at_once"), [(work.joined, 1), (None, 4)])
def test_sums_which_may_be_large_are_fetched_one_by_one(join, at_once):
    tasks = FastTasks()
    assert len(list(Cluster(tasks).in_order(work.as_list, range(600), join=join))) > 4
    assert max(tasks.fetched) == at_once


@pytest.mark.parametrize("grow", [False, True])
def test_parts_that_are_as_large_together_are_not_added_up_on_the_way(grow, tmp_path, monkeypatch):
    write_records(tmp_path / "a.jsonl")
    config, tasks = make_config(Config, {"bootstrap": 5, "chunk_bytes": 900, "engine": "dask"}), CountingTasks()
    monkeypatch.setattr("calipers.run.open_engine", lambda *_, **__: Opened(Cluster(tasks)))
    plan = DensePlan([str(tmp_path / "a.jsonl")], config)
    monkeypatch.setattr(plan, "parts_grow", grow, raising=False)
    assert run_plan(plan, config).to_json() == calipers.dense(str(tmp_path / "a.jsonl"), bootstrap=5).to_json()
    assert (tasks.sums == 0) == grow


def test_no_part_is_held_by_anything_but_the_total_once_all_are_added(tmp_path, monkeypatch):
    write_records(tmp_path / "a.jsonl")
    config = make_config(Config, {"bootstrap": 5, "chunk_bytes": 900, "engine": "dask"})
    monkeypatch.setattr("calipers.run.open_engine", lambda *_, **__: Opened(Cluster(CountingTasks())))
    plan, parts, held = DensePlan([str(tmp_path / "a.jsonl")], config), [], []
    part_type = type(plan.empty())
    real_add, real_finish = part_type.add, plan.add_inputs

    def add(total, part):
        parts.append(id(part))
        real_add(total, part)

    def finish(total):
        gc.collect()
        held.extend(each for each in gc.get_objects() if isinstance(each, part_type) and each is not total)
        real_finish(total)

    monkeypatch.setattr(part_type, "add", add)
    monkeypatch.setattr(plan, "add_inputs", finish)
    run_plan(plan, config)
    assert len(parts) > 1
    assert held == []


def test_a_plain_file_is_read_twice(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    write_records(path)
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


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="the system has no such files")
@pytest.mark.parametrize("own", [False, True])
def test_a_file_that_only_the_command_has_open_is_read_by_it(own, tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    write_records(path)
    with path.open("rb") as file:
        here = f"/dev/fd/{file.fileno()}"
        in_one_process = calipers.dense(here, bootstrap=5, jobs=1)
        config, tasks = make_config(Config, {"bootstrap": 5, "chunk_bytes": 900, "engine": "dask"}), CountingTasks()
        monkeypatch.setattr("calipers.run.open_engine", lambda *_, **__: Opened(Cluster(tasks, own=own)))
        report = run_plan(DensePlan([here], config), config)
    assert report.to_json() == in_one_process.to_json()
    assert len(tasks.items) > 3
    assert all(item.data for item in tasks.items)


def test_a_cluster_of_its_own_measures_a_file_while_it_is_cut_here(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    write_records(path)
    in_one_process = calipers.dense(str(path), bootstrap=5, jobs=1)
    config, tasks = make_config(Config, {"bootstrap": 5, "chunk_bytes": 900, "engine": "dask"}), CountingTasks()
    monkeypatch.setattr("calipers.run.open_engine", lambda *_, **__: Opened(Cluster(tasks, own=True)))
    report = run_plan(DensePlan([str(path)], config), config)
    assert report.to_json() == in_one_process.to_json()
    assert not [item for item in tasks.items if isinstance(item, WholeFile)]
    assert len(tasks.items) > 3
    assert [item.offset for item in tasks.items] == [0, *ends(tasks.items)[:-1]]
    assert ends(tasks.items)[-1] == path.stat().st_size


@pytest.mark.parametrize("options", [{"engine": "dask"}, {"jobs": 1}, {"jobs": 2}])
def test_progress_is_of_what_was_measured_in_bytes_as_stored(options, tmp_path, monkeypatch):
    plain, packed, shown = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz", []
    write_records(plain)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    total = plain.stat().st_size + packed.stat().st_size
    config = make_config(Config, {"bootstrap": 0, "chunk_bytes": 900, **options})
    if "engine" in options:
        monkeypatch.setattr("calipers.run.open_engine", lambda *_, **__: Opened(Cluster(CountingTasks(), own=True)))
    plan = DensePlan([str(plain), str(packed)], config)
    run_plan(plan, config, progress=lambda done, of: shown.append((done, of)))
    assert {of for _, of in shown} == {total}
    done = [done for done, _ in shown]
    assert done == sorted(done)
    assert (done[0] < 2000, done[-1]) == (True, total)


@pytest.mark.skipif(not BYTES_READ.exists(), reason="the system does not tell how many bytes were read")
@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(("suite", "chunk_bytes"), [("dense", 1 << 20), ("coco", 1 << 17)])
def test_no_more_bytes_are_read_than_all_files_have_twice(suite, chunk_bytes, own, tmp_path, monkeypatch):
    """By the command and by its workers together, which here are one process; but for a buffer a shard."""
    inputs = make_inputs[suite](tmp_path)
    monkeypatch.setattr("calipers.run.open_engine", lambda *_, **__: Opened(Cluster(tasks, own=own)))
    evaluate, taken = getattr(calipers, suite), []
    for _ in range(2):  # the first also loads modules
        tasks, before = CountingTasks(), bytes_read()
        evaluate(*map(str, inputs), bootstrap=5, chunk_bytes=chunk_bytes, engine="dask")
        taken.append(bytes_read() - before)
    size = sum(path.stat().st_size for path in inputs)
    assert len(tasks.items) > 6
    assert 1.9 * size < taken[-1] < 2.1 * size


def bytes_read():
    return int(BYTES_READ.read_text().split("rchar: ")[1].split()[0])


def many_records(folder):
    write_records(folder / "a.jsonl", 40_000)
    return [folder / "a.jsonl"]


def many_detections(folder):
    images = [{"id": k, "width": 99, "height": 99} for k in range(1000)]
    boxes = [{"image_id": k % 1000, "category_id": 0, "bbox": [k % 50, k % 70, 9, 9]} for k in range(8000)]
    boxes.sort(key=lambda box: box["image_id"])
    objects = [box | {"id": k, "area": 81, "iscrowd": 0} for k, box in enumerate(boxes)]
    gt = {"images": images, "categories": [{"id": 0, "name": "a"}], "annotations": objects}
    (folder / "gt.json").write_text(json.dumps(gt))
    (folder / "pred.json").write_text(json.dumps([box | {"score": k % 97 / 97} for k, box in enumerate(boxes)]))
    return [folder / "gt.json", folder / "pred.json"]


make_inputs = {"dense": many_records, "coco": many_detections}


def write_records(path, records=30):
    box = {"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": "类别=标签"}
    lines = [json.dumps({"image_path": f"{k}.jpg", "gt_norm1000": [box], "pred": [box]}) for k in range(records)]
    path.write_text("\n".join(lines), encoding="utf-8")


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
