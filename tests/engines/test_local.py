"""Several runs in one process at a time."""

import multiprocessing
from threading import Thread

import cluster_work as work
import pytest

from calipers.engines.local import Local


def test_a_run_ends_while_another_one_that_began_later_is_under_way():
    """Workers of the later one hold no end of the pipes of the first."""
    first = Local(2).in_order(work.square, range(10))
    assert next(first) == 0
    second = Local(2).in_order(work.square, range(10))
    assert next(second) == 0
    assert list(first) == [number * number for number in range(1, 10)]
    assert list(second) == [number * number for number in range(1, 10)]


def test_a_run_may_take_its_items_from_another():
    inner = Local(2).in_order(work.square, range(50))
    assert list(Local(2).in_order(work.square, inner)) == [number**4 for number in range(50)]


def test_runs_in_threads_do_not_wait_for_each_other():
    found = {}

    def run(name):
        found[name] = list(Local(2).in_order(work.square, range(name, name + 20)))

    threads = [Thread(target=run, args=(name,), daemon=True) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert found == {name: [number * number for number in range(name, name + 20)] for name in range(4)}


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_process_that_may_have_no_children_does_the_work_itself(method):
    """Those of a pool are daemons."""
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply_async(work.in_two_jobs, (5,)).get(timeout=30) == [0, 1, 4, 9, 16]
