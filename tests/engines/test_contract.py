"""What every engine promises: order, joined neighbours, news of each item, the first error, and nothing lost."""

import os
import re
import signal
from functools import partial

import cluster_work as work
import pytest

from calipers.core.errors import CalipersError, InputError

from ..profiles import combined, share
from .conftest import ENGINES, is_running


def flat(lists):
    return [number for each in lists for number in each]


def until_it_fails(results):
    """All numbers of the lists before the error, and the error."""
    found = []
    try:
        for each in results:
            found += each
    except Exception as error:  # noqa: BLE001  looked at by the caller
        return found, error
    raise AssertionError("it did not fail")


@pytest.mark.parametrize("count", [0, 1, 2, 17, 150])
def test_results_come_in_the_order_of_the_items(engine, count):
    assert list(engine.in_order(work.square, iter(range(count)))) == [number * number for number in range(count)]


def test_a_slow_item_holds_its_place(engine):
    assert list(engine.in_order(work.late_first, range(40))) == list(range(40))


COUNTS = [(engine, count) for engine in ENGINES for count in (0, 1, 16, 17, 33, 256, 300)]
MOST = {} if share() == 1 else {"dask": 256, "ray": 33}  # trees of both are the same, and 600 follow below
COUNTS = [(engine, count) for engine, count in COUNTS if count <= MOST.get(engine, count)]


@pytest.mark.parametrize(("engine", "count"), COUNTS, indirect=["engine"])
def test_joined_neighbours_are_everything_in_order(engine, count):
    found = list(engine.in_order(work.as_list, range(count), join=work.joined))
    assert flat(found) == list(range(count))


def test_few_results_arrive_when_they_may_be_joined(cluster):
    found = list(cluster.in_order(work.as_list, range(600), join=work.joined))
    assert [len(each) for each in found] == [16] * 16 + [256, 600 - 512]
    assert flat(found) == list(range(600))


@pytest.mark.parametrize("join", [None, work.joined], ids=["one by one", "joined"])
def test_every_item_is_heard_of_once_when_its_work_is_finished(engine, join):
    told = []
    list(engine.in_order(work.as_list, range(50), join=join, done=told.append))
    assert sorted(told) == list(range(50))


def test_news_come_while_a_tree_is_growing(cluster):
    told = []
    results = cluster.in_order(partial(work.slow_square, seconds=0.01), range(40), join=sum, done=told.append)
    next(results)
    assert 16 <= len(told) <= 40


@pytest.mark.parametrize(
    ("engine", "join", "bad"),
    combined(ENGINES, ["one by one", "joined"], [(0,), (3, 9), (20, 21, 200)]),
    indirect=["engine"],
    ids=str,
)
def test_of_several_errors_the_first_is_raised_after_the_results_before_it(engine, join, bad):
    refuse, joined = partial(work.refuse_some, bad=bad), work.joined if join == "joined" else None
    found, error = until_it_fails(engine.in_order(refuse, range(300), join=joined))
    assert type(error) is InputError
    assert str(error) == f"{bad[0]} is bad"
    assert found == list(range(bad[0]))


def test_an_error_of_another_kind_keeps_it(engine):
    with pytest.raises(ZeroDivisionError, match=r"^no 0$"):
        list(engine.in_order(work.fail_oddly, range(5)))


@pytest.mark.parametrize("join", [None, work.joined], ids=["one by one", "joined"])
@pytest.mark.parametrize("good", [0, 5, 15, 16, 40])
def test_an_error_of_the_items_comes_in_its_turn(engine, join, good):
    def items():
        yield from range(good)
        raise InputError("torn")

    found, error = until_it_fails(engine.in_order(work.as_list, items(), join=join))
    assert (type(error), str(error)) == (InputError, "torn")
    assert found == list(range(good))


def test_large_items_and_large_results_travel(engine):
    assert list(engine.in_order(work.large, range(4))) == [bytes([number]) * 3_000_000 for number in range(4)]
    assert list(engine.in_order(work.length, [bytes(12_000_000)] * 2)) == [12_000_000] * 2


def test_items_may_be_made_of_what_the_same_engine_gives(engine):
    numbers = engine.in_order(work.square, range(100))
    found = engine.in_order(work.as_list, (number + 1 for number in numbers), join=work.joined)
    assert flat(found) == [number * number + 1 for number in range(100)]


def test_only_some_items_are_fetched_ahead(engine):
    asked = []

    def items():
        for number in range(1000):
            asked.append(number)
            yield number

    results = engine.in_order(work.square, items())
    for taken in range(20):
        assert next(results) == taken * taken
        assert len(asked) <= taken + 1 + 64
    results.close()
    assert len(asked) < 100


def test_a_run_that_is_closed_early_takes_its_tasks_along(cluster, tmp_path):
    results = cluster.in_order(partial(work.noted, folder=str(tmp_path)), range(60))
    next(results)
    results.close()
    (tmp_path / "go").touch()
    assert list(cluster.in_order(work.square, range(3))) == [0, 1, 4]
    assert len(list(tmp_path.iterdir())) < 40


def test_an_interrupt_takes_the_tasks_along(cluster, tmp_path):
    def interrupt(item):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(cluster.in_order(partial(work.noted, folder=str(tmp_path)), range(60), join=sum, done=interrupt))
    (tmp_path / "go").touch()
    assert list(cluster.in_order(work.square, range(3))) == [0, 1, 4]
    assert len(list(tmp_path.iterdir())) < 40


# Workers that end


@pytest.mark.parametrize("join", [None, work.joined], ids=["one by one", "joined"])
@pytest.mark.parametrize("name", ["local 2", "dask", "ray"])
def test_an_item_whose_worker_was_killed_is_measured_again(engines, name, join, tmp_path):
    killed = partial(work.deadly_once, fatal=5, note=str(tmp_path / "killed"))
    found, told = [], []
    for each in engines(name).in_order(killed, range(30), join=join, done=told.append):
        found += each
    assert found == list(range(30))
    assert sorted(told) == list(range(30))
    assert (tmp_path / "killed").exists()


@pytest.mark.parametrize("name", ["local 2", "dask", "ray"])
def test_an_item_that_always_kills_its_worker_is_named(engines, name):
    results = engines(name).in_order(partial(work.deadly, fatal=7), range(12), join=work.joined)
    found, error = until_it_fails(results)
    assert type(error) is CalipersError
    assert re.match(r"7: .*worker.* ended.*try smaller `chunk_bytes=…`", str(error))
    assert found == list(range(7))


def test_nothing_is_lost_or_counted_twice_when_a_worker_is_killed_from_outside(cluster):
    pids, told = set(cluster.in_order(work.pid_of, range(20))), []

    def kill_one(item):
        told.append(item)
        if len(told) == 10:
            os.kill(min(filter(is_running, pids)), signal.SIGKILL)

    slow = partial(work.slow_square, seconds=0.02)
    found = list(cluster.in_order(slow, range(60), join=sum, done=kill_one))
    assert sum(found) == sum(number * number for number in range(60))
    assert sorted(told) == list(range(60))
