"""Rows of parts put together in place: what concatenation gives, without the parts staying."""

import gc
import weakref

import numpy as np
import pytest

from calipers.core.freed_memory import return_freed_memory
from calipers.suites.coco import ranges
from calipers.suites.coco.columns import FewRows
from calipers.suites.coco.joined_side import JoinedSide
from calipers.suites.coco.kept import KeptSide


def part(rng, rows, place, *, more=()):
    columns = {
        "score": rng.random(rows),
        "hits": rng.integers(0, 1000, (rows, 4)).astype(np.uint16),
        "place": place if isinstance(place, np.ndarray) else np.broadcast_to(np.array(place), rows),
        **{name: rng.random(rows) for name in more},
    }
    chosen = np.flatnonzero(rng.random(rows) < 0.4).astype(np.int32)
    few = {"overlap": FewRows(chosen, rng.random(len(chosen)))}
    codes = rng.integers(0, 9, (2, rows)).astype(np.int32)
    return KeptSide(np.sort(codes[0], kind="stable"), codes[1], columns, few)


def joined(parts, images=10):
    side = JoinedSide(sum(map(len, parts)))
    for number, each in enumerate(parts):
        side.add(each, number * images)
    return side.side()


@pytest.mark.parametrize(
    ("sizes", "places", "takes_no_room"),
    [
        ((5, 0, 7), (0, 0, 0), True),
        ((0, 5, 7), (0, 0, 0), True),
        ((5, 1, 7), (0, 3, 0), False),
        ((5, 1, 7), (0, 0, np.arange(7)), False),
        ((5, 1, 7), (np.arange(5), 0, 0), False),
        ((0, 0), (0, 0), True),
        ((4,), (2,), True),
    ],
)
def test_rows_follow_each_other(sizes, places, takes_no_room):
    rng = np.random.default_rng(3)
    parts = [part(rng, rows, place) for rows, place in zip(sizes, places, strict=True)]
    side = joined(parts)
    firsts = np.cumsum([0, *sizes])
    assert side.image.tolist() == [10 * at + image for at, each in enumerate(parts) for image in each.image.tolist()]
    assert side.category.tolist() == np.concatenate([each.category for each in parts]).tolist()
    for name in ("score", "hits", "place"):
        expected = np.concatenate([each.columns[name] for each in parts])
        assert side.columns[name].tolist() == expected.tolist()
        assert side.columns[name].dtype == expected.dtype
        assert side.columns[name].shape == expected.shape
    assert (not len(side.columns["place"]) or side.columns["place"].strides == (0,)) == takes_no_room
    rows = [
        first + row for first, each in zip(firsts, parts, strict=False) for row in each.few["overlap"].rows.tolist()
    ]
    assert side.few["overlap"].rows.tolist() == rows
    assert len(side.few["overlap"].values) == len(rows)


def test_columns_that_a_part_does_not_have_are_left_out():
    rng = np.random.default_rng(3)
    parts = [part(rng, 3, 0, more=names) for names in (("uncut", "area"), ("area",), ("uncut", "area"))]
    assert sorted(joined(parts).columns) == ["area", "hits", "place", "score"]


def test_parts_are_let_go_of_one_by_one(monkeypatch):
    rng = np.random.default_rng(3)
    gone, returned, alive = [], [], []
    gc.freeze()  # what was there before is not looked through 40 times

    class Rows:
        plain, arrays = None, {"truth.category": np.zeros(2), "pred.category": np.zeros(2)}

    class Measured:
        def __init__(self):
            self.rows, self.kept, self.problems = Rows(), np.ones(10, bool), []

    def unpacked(rows, images, categories):
        gc.collect()
        alive.append(sum(each() is not None for each in gone))
        return part(rng, 2, 0), part(rng, 2, 0), np.zeros((5, images), np.int64)

    monkeypatch.setattr(ranges, "unpack_rows", unpacked)
    monkeypatch.setattr(ranges, "return_freed_memory", lambda: returned.append(len(alive)))
    parts = [Measured() for _ in range(40)]
    gone += [weakref.ref(each) for each in parts]
    truth, pred, causes, problems = ranges._join_rows(parts, 9)
    assert (len(truth), len(pred), causes.shape, problems, parts) == (80, 80, (5, 400), {}, [])
    assert alive == list(range(40, 0, -1))
    assert returned == [8, 24, 40]


def test_freed_memory_can_be_given_back_at_any_time():
    assert return_freed_memory() is None
