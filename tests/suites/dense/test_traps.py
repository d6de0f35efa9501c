"""Traps other evaluators fell into, one test each, under the name of the trap: here they are shut."""

import json
import random
import re
from math import inf, nan
from pathlib import Path

import pytest

import calipers
from calipers.core.errors import InputError

from ...profiles import examples
from .records import box, line, matched, measure, partners, poly, record

SWEEP = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
SOURCE = Path(calipers.__file__).parent


def overlap(gt, pred):
    """The overlap of a pair as the suite reports it; None if it is no pair at the lowest threshold of all."""
    report = measure(record([gt], [pred]), primary_threshold=1e-12)
    return report.matches()[0]["localization_overlap"]


def test_trap_6_default_argsort_differs_between_cpus():
    # 50 copies on either side: 2,500 pairs of overlap 1. Unstable sorts, which begin to differ above 16, shuffle them.
    copies = [box(0, 0, 10, 10)] * 50
    assert partners(measure(record(copies, copies))) == [(index, index) for index in range(50)]
    for path in SOURCE.rglob("*.py"):
        for call in re.findall(r"\b(?:argsort|np\.sort)\(.*", path.read_text(encoding="utf-8")):
            assert 'kind="stable"' in call, path


@pytest.mark.parametrize("percent", range(50, 100, 5))
def test_trap_7_computed_thresholds_misjudge_an_iou_exactly_on_the_threshold(percent):
    # Of a box of 100 rows the prediction has `percent`; of a line of 20 columns and 2 rows it has `percent` / 5.
    expected = [int(100 * value + 0.5) <= percent for value in SWEEP]
    assert matched(measure(record([box(0, 0, 100, 100)], [box(0, 0, 100, percent)]))) == expected
    lines = record([line(0, 10, 20, 10)], [line(0, 10, percent // 5, 10)])
    assert matched(measure(lines, tube_tolerance=0.5)) == expected


@pytest.mark.parametrize("number", [nan, inf, -inf])
def test_trap_8_a_nan_box_scores_1_or_becomes_coordinate_0(number):
    # Were NaN read as 0, or compared as equal, this prediction would be the ground truth.
    report = measure(record([box(0, 0, 10, 10)], [box(number, 0, 10, 10)]))
    assert (sum(matched(report)), report["objects"]["invalid_pred"], report["errors"]["spurious"]) == (0, 1, 1)
    with pytest.raises(InputError, match=r"gt_norm1000\[0\]\.points: a number is not finite"):
        measure(record([box(number, 0, 10, 10)], []))


def test_trap_12_a_polyline_against_its_own_reverse_is_not_1():
    rng = random.Random(12)
    for _ in range(50):
        points = [rng.randint(0, 1000) for _ in range(2 * rng.randint(2, 6))]
        backwards = [number for at in range(len(points) - 2, -1, -2) for number in points[at : at + 2]]
        assert overlap(line(*points), line(*backwards)) == 1.0


def test_trap_13_raster_instead_of_exact_area():
    # A triangle is half of its square of 3 by 3; a leaning strip of area 10 half of its box of 10 by 2; a box of
    # half a unit half of one unit. On a grid of whole units none of them is.
    assert overlap(box(0, 0, 3, 3), poly(0, 0, 3, 0, 0, 3)) == 0.5
    assert overlap(box(0, 0, 10, 2), poly(0, 0, 10, 1, 10, 2, 0, 1)) == 0.5
    assert overlap(box(5, 5, 6, 6), box(5, 5, 6, 5.5)) == 0.5
    assert measure()["params"]["rulers"]["region"] == "exact-area"


def test_trap_14_a_concave_polygon_against_itself_is_not_1():
    # A U of 30 by 30 without the slot of 10 by 20 has 700 of the 900 of its box, and nothing of the slot.
    u = poly(0, 0, 30, 0, 30, 30, 20, 30, 20, 10, 10, 10, 10, 30, 0, 30)
    assert overlap(u, u) == 1.0
    assert overlap(u, box(0, 0, 30, 30)) == pytest.approx(7 / 9, abs=1e-12)
    assert overlap(u, box(10, 10, 20, 30)) is None


def test_trap_15_intersection_differs_when_the_sides_are_swapped():
    rng = random.Random(15)
    for at in range(300):
        a, b = ([rng.randint(0, 60) for _ in range(8)] for _ in range(2))
        assert calipers.region_iou(a, b) == calipers.region_iou(b, a)
        if at < examples(300):  # a whole run each
            assert overlap(poly(*a), poly(*b)) == overlap(poly(*b), poly(*a))


def test_trap_18_threshold_keys_rounded_to_two_decimals_double_the_counts():
    # IoU 251 / 500 = 0.502 meets 0.5 and not 0.504, which are two thresholds; 0.504 as primary is no third one.
    pair = record([box(0, 0, 1000, 500)], [box(0, 0, 1000, 251)])
    report = measure(pair, thresholds=[0.5, 0.504, 0.51], primary_threshold=0.504)
    rows = report["modes"]["localization"]["thresholds"]
    assert [(row["iou"], row["gt"], row["pred"], row["matched"]) for row in rows] == [
        (0.5, 1, 1, 1),
        (0.504, 1, 1, 0),
        (0.51, 1, 1, 0),
    ]
    primary = report["modes"]["localization"]["primary"]
    assert (primary["iou"], primary["gt"], primary["matched"]) == (0.504, 1, 0)


def test_trap_19_the_mean_over_the_sweep_moves_with_the_primary_threshold():
    # IoU 0.72 meets five of ten thresholds.
    pair = record([box(0, 0, 100, 100)], [box(0, 0, 100, 72)])
    for primary in (0.05, 0.3, 0.5, 0.504, 0.72, 0.99, 1.0):
        report = measure(pair, primary_threshold=primary)
        assert [mode["mean_f1"] for mode in report["modes"].values()] == [0.5] * 3
        assert [mode["by_type"]["bbox_2d"]["mean_f1"] for mode in report["modes"].values()] == [0.5] * 3


def test_trap_20_malformed_predictions_vanish_so_precision_rises(tmp_path):
    # One right, one wrong, two that cannot be read: precision 1 / 4, and not 1 / 2.
    good = box(0, 0, 10, 10)
    pred = [good, box(500, 500, 510, 510), {"type": "bbox_2d", "points": [0, 0, 10]}, "object_4"]
    dump = tmp_path / "dump.jsonl"
    dump.write_text(json.dumps(record([good], pred)), encoding="utf-8")
    report = calipers.dense(str(dump))
    for mode in report["modes"].values():
        assert (mode["primary"]["pred"], mode["primary"]["precision"], mode["primary"]["recall"]) == (4, 1 / 4, 1.0)
    assert report["objects"]["invalid_pred"] == 2
