"""Rows of objects as lines of CSV: the same bytes as the rows one by one, whatever they hold."""

import io
import random

import numpy as np
import pytest

from calipers.core.config import make_config
from calipers.core.matching import UNIT
from calipers.kernels.scan.matchlines import RowSide, match_lines
from calipers.show.tables import CsvTable
from calipers.suites.dense.config import Config
from calipers.suites.dense.measure import MatchedBatch
from calipers.suites.dense.read import read_records
from calipers.suites.dense.rows import match_columns, match_csv, match_rows

from .records import box, line, poly, record

ODD_TEXTS = ["类别=甲", "=1+1", 'a "b", c', "x\ny", "", "类别=线,备注=,", "\ufeff类别=甲", "螺丝/安装,完整"]


def some_object(rng):
    desc = rng.choice(ODD_TEXTS)
    numbers = (lambda: rng.randrange(1001), lambda: round(rng.uniform(0, 1000), rng.randrange(17)), lambda: 0.1 + 0.2)
    spot = [rng.choice(numbers)() for _ in range(4)]
    if rng.random() < 0.1:
        return rng.choice([{"type": "blob"}, box(1, 2, 3, "4", desc), None])
    return rng.choice([box(*spot, desc=desc), line(*spot, desc=desc), poly(*spot, 500, 1e-7, desc=desc)])


def some_records(seed):
    rng = random.Random(seed)
    for at in range(30):
        truth = [found for _ in range(6) if isinstance(found := some_object(rng), dict) and found["type"] != "blob"]
        truth = [found for found in truth if "4" not in found["points"]]
        pred = [rng.choice([*truth, some_object(rng)]) for _ in range(6)]
        yield record(truth, pred, id=f"{at}{rng.choice(ODD_TEXTS)}")


def both_ways(records, **options):
    """The lines of a batch from the kernel, and from its rows."""
    config = make_config(Config, {"bootstrap": 0} | options)
    batch = read_records(records, frame="norm1000", keep=True).batch
    matched = MatchedBatch(batch, config, all_pairs=True)
    file = io.BytesIO()
    table = CsvTable(file, match_columns({"modes": config.modes}))
    head = len(file.getvalue())
    table.add(match_rows(batch, matched, config))
    return match_csv(batch, matched, config), file.getvalue()[head:]


@pytest.mark.parametrize("modes", [("localization", "phase", "category"), ("category",)])
@pytest.mark.parametrize("seed", range(8))
def test_lines_are_those_of_the_rows(seed, modes):
    lines, expected = both_ways(list(some_records(seed)), modes=modes)
    assert lines == expected
    assert expected


@pytest.mark.parametrize("fields", [{"id": "a\rb"}, {"id": "a", "desc": "类别=a\rb"}])
def test_a_carriage_return_is_left_to_the_rows(fields):
    truth = [box(0, 0, 9, 9, fields.pop("desc", "类别=甲"))]
    assert both_ways([record(truth, truth, **fields)])[0] is None


def overlap_text(score):
    """How the kernel writes an overlap."""
    empty = np.zeros(0)
    columns = {"offsets": np.array([0, 1]), "starts": np.array([0, 0]), "points": empty, "bounds": np.zeros(4)}
    codes = {name: np.zeros(1, dtype=np.uint8) for name in ("kind", "reason")}
    objects = type("Objects", (), columns | codes | {"desc": np.zeros(1, dtype=np.int32)})
    found = [np.zeros(1, dtype=np.int32)], [np.array([score])]
    side = RowSide(b"gt", objects, np.zeros(1, dtype=np.uint8), *found, {})
    row = bytes(match_lines([b"k"], [b","], [b"box"], [b"matched"], side, side)).split(b"\n")[0]
    return row.split(b",")[-2].decode()


def test_overlaps_are_written_as_python_writes_them():
    rng = random.Random(0)
    scores = [1, 99_999_999, 100_000_000, 100_000_001, UNIT - 1, UNIT, UNIT // 2, 550_000_000_000]
    scores += [rng.randrange(1, UNIT) for _ in range(500)] + [10 ** rng.randrange(12) for _ in range(20)]
    assert [overlap_text(score) for score in scores] == [repr(score / UNIT) for score in scores]
