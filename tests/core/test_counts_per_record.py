"""Counts per record: how many more or fewer predictions than ground truth."""

from calipers.core import causes as objects
from calipers.core.tally import Tally
from calipers.suites.dense.read import read_records

BOX = {"type": "bbox_2d", "points": [0, 0, 1, 1], "desc": ""}


def batch(*sizes):
    records = [{"gt_norm1000": [BOX] * gt, "pred": [BOX] * pred} for gt, pred in sizes]
    return read_records(records, frame="norm1000").batch


def test_counts_per_record():
    # Differences +2, -3, 0: sum of sizes 5; one more, one fewer, one equal.
    tally = Tally()
    objects.count_per_record(batch((1, 3), (4, 1), (2, 2)), tally)
    assert tally.counts["per_record"].tolist() == [5, 1, 1, 1]
    tally.count("records", [3, 3, 0, 0])
    tree = objects.counts_tree(tally)
    assert tree == {"mae": 5 / 3, "over_rate": 1 / 3, "under_rate": 1 / 3, "equal_rate": 1 / 3}


def test_counts_are_undefined_without_records():
    tally = Tally()
    objects.count_per_record(batch(), tally)
    tally.count("records", [1, 0, 1, 0])
    assert set(objects.counts_tree(tally).values()) == {None}
