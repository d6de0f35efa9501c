"""A suite that only counts, with slices: what a package of its own would write."""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from calipers.core.config import option
from calipers.core.errors import ConfigError
from calipers.core.parts import from_bytes, to_bytes
from calipers.core.slice_figures import RatioFigure, SliceFigures
from calipers.core.slice_options import SliceOptions
from calipers.core.slice_table import SliceTable
from calipers.core.tally import Tally
from calipers.counting_plan import CountingPart, measure_records, report_of

SUITE = SimpleNamespace(name="right", protocol="right/1")
FIGURES = SliceFigures((RatioFigure("accuracy", {"right": 1}, {"n": 1}),), "accuracy")
RECORDS = [(f"{k}", {"right": k % 4 > 0, "site": "ab"[k % 2]}) for k in range(40)]


@dataclass(frozen=True, kw_only=True)
class Config(SliceOptions):
    """Options of the suite."""

    bootstrap: int = option(100, "replicates")
    seed: int = option(0, "seed")


def measure(records, config):
    tally = Tally()
    tally.count("right", [sum(item["right"] for _, item in records)])
    return tally


def slices(records, config):
    table = SliceTable(["right", "n"], config.slice_fields)
    values = {name: [item.get(name) for _, item in records] for name in config.slice_fields}
    table.known = {name for _, item in records for name in item}
    table.extend([key for key, _ in records], [[item["right"] for _, item in records], [1] * len(records)], values)
    return table


def report(config, *pieces):
    total = CountingPart()
    for piece in pieces:
        part = measure_records(piece, measure=measure, config=config, slices=slices)
        total.add(CountingPart.unpack(from_bytes(to_bytes(part.pack()))))
    return report_of(SUITE, lambda tally, config: {}, total, config, FIGURES)


def test_a_suite_that_counts_has_slices():
    rows = report(Config(slice=["site"]), RECORDS)["slices"]
    # of a (even numbers) every second is wrong, of b none
    assert [(row["value"], row["figures"]["accuracy"]["value"]) for row in rows] == [("a", 0.5), ("b", 1.0)]
    assert rows[0]["worth"] == pytest.approx((1 - 0.5) * 20 / 40)
    assert rows[0]["sure"]
    assert np.isclose(rows[0]["figures"]["accuracy"]["difference"], -0.5)


def test_pieces_give_the_same():
    config = Config(slice=["site"])
    assert report(config, RECORDS[:7], RECORDS[7:])["slices"] == report(config, RECORDS)["slices"]


def test_without_slices_there_are_none_and_unknown_fields_are_refused():
    assert "slices" not in report(Config(), RECORDS)
    with pytest.raises(ConfigError, match="the fields there are: right, site"):
        report(Config(slice=["place"]), RECORDS)
