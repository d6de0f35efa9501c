"""One digest for each suite, whatever the jobs, the size of shards and the order they are measured in: the artifact of
one process is that of all of them. `test_everywhere.py` has the rest: seeds of hashes, locales, threads."""

import random
from contextlib import contextmanager
from threading import Thread

import pytest

import calipers.run

from ..profiles import combined, seeds, share
from .suites import SUITES, digest, make_inputs

HANG_SEC = 300  # after which something hangs, however busy the machine
SHARDS = (100, 2_000, 60_000, 8 << 20)  # bytes; the first are fewer than a line has, and make a shard of each


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """What each suite reads, in a folder."""
    return make_inputs(tmp_path_factory.mktemp("matrix"))


@pytest.fixture(params=SUITES)
def suite(request, inputs, monkeypatch):
    monkeypatch.chdir(inputs)
    return SUITES[request.param]


@pytest.fixture(scope="module")
def digests():
    """The digest of each suite in one process, found once."""
    return {}


@pytest.fixture
def expected(suite, digests):
    if suite not in digests:
        digests[suite] = digest(suite(jobs=1))
    return digests[suite]


@pytest.mark.parametrize(("suite", "jobs", "shard"), combined(SUITES, [1, 2, 4], SHARDS), indirect=["suite"])
def test_jobs_and_sizes_of_shards(suite, expected, jobs, shard):
    assert digest(suite(jobs=jobs, chunk_bytes=shard)) == expected


@pytest.mark.parametrize("shard", SHARDS[:2] if share() == 1 else SHARDS[:1])  # threads below have the other
def test_workers_that_do_all_of_it(suite, expected, shard, workers_only):
    assert digest(suite(jobs=2, chunk_bytes=shard)) == expected


def test_threads_that_each_have_workers(inputs, monkeypatch, workers_only):
    """All suites at once, in a full run twice: a process with threads must not fork."""
    monkeypatch.chdir(inputs)
    expected = {name: digest(measure(jobs=1)) for name, measure in SUITES.items()}
    found = {}

    def run(name, at):
        found[name, at] = digest(SUITES[name](jobs=2, chunk_bytes=2_000))

    times = seeds(2, fewest=1)
    threads = [Thread(target=run, args=(name, at), daemon=True) for name in SUITES for at in times]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=HANG_SEC)
    assert found == {(name, at): expected[name] for name in SUITES for at in times}


class Shuffled:
    """An engine that measures shards in a random order, and joins neighbours at random."""

    def __init__(self, seed):
        self._rng = random.Random(seed)
        self.remote, self.own = seed % 2 == 0, seed % 4 != 0

    def in_order(self, work, items, *, join=None, done=None):
        items = list(items)
        results = {}
        for at in self._rng.sample(range(len(items)), len(items)):
            results[at] = work(items[at])
            if done:
                done(items[at])
        parts = [results[at] for at in range(len(items))]
        while join and len(parts) > 1 and self._rng.random() < 0.9:
            at = self._rng.randrange(len(parts) - 1)
            parts[at : at + 2] = [join(parts[at : at + 2])]
        yield from parts


@pytest.mark.parametrize(
    ("suite", "seed", "shard"), combined(SUITES, [1, 2, 3, 4], [700, *SHARDS[1:3]]), indirect=["suite"]
)
def test_shuffled_shards(suite, expected, seed, shard, monkeypatch):
    @contextmanager
    def open_shuffled(name, *, jobs, address):
        yield Shuffled(seed)

    monkeypatch.setattr(calipers.run, "open_engine", open_shuffled)
    assert digest(suite(chunk_bytes=shard)) == expected
