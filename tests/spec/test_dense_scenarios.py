"""The scenarios the dense suite was ordered with, one test each, in their order and under their names."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import calipers
from calipers.cli.suite_command import make_command
from calipers.suite import suite_of

from ..suites.dense.records import box, line, matched, measure, partners, poly, record

pytestmark = pytest.mark.usefixtures("blank_plots")

SCREWS = "螺丝、光纤插头"
SWEEP = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]


def write(path, *records):
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records), encoding="utf-8")
    return str(path)


def mixed_record():
    """One object of each type; a poly found by a box under another category; one line too many.

    overlaps: box 70 / 100 = 0.7, poly 90 / 100 = 0.9, line 14 of 18 rows = 0.777777777778
    """
    gt = [
        box(0, 0, 100, 100, "类别=甲"),
        poly(200, 0, 300, 0, 300, 100, 200, 100, desc=f"{SCREWS}/BBU安装螺丝,显示完整"),
        line(0, 500, 1000, 500),
    ]
    pred = [
        box(0, 0, 100, 70, "类别=甲"),
        box(200, 0, 300, 90, f"{SCREWS}/ODF端光纤插头,显示完整"),
        line(0, 502, 1000, 502),
        line(0, 900, 1000, 900),
    ]
    return record(gt, pred, id="mixed")


def test_accept_norm1000_gt_vs_pred_dumps(tmp_path):
    # Found, found, missed: 2 of 3 objects, and no image anywhere. The empty records leave all figures as they are.
    first = record([box(0, 0, 10, 10)], [box(0, 0, 10, 10)], image_path="no/such/image.jpg")
    second = {"id": 2, "gt_norm1000": [box(0, 0, 10, 10)], "pred_norm1000": [box(0, 0, 10, 10)]}
    third, empty = record([box(0, 0, 10, 10)], [], id=3), record([], [], id=4)
    dump = write(tmp_path / "dump.jsonl", first, empty, second, third, empty)
    report, without = calipers.dense(dump), calipers.dense(write(tmp_path / "without.jsonl", first, second, third))
    assert report["modes"]["category"]["primary"]["recall"] == 2 / 3
    assert report["records"] == {"read": 5, "evaluated": 3, "skipped_empty": 2, "rejected": 0}
    changed = {key for key in report if report[key] != without[key]}
    assert changed == {"inputs", "records"}


def test_parse_both_desc_formats():
    key_value, umbrella, slash = "类别=BBU设备,品牌=华为", f"{SCREWS}/BBU安装螺丝,显示完整", "光纤/有遮挡,有保护/蛇形管"
    gt = [box(0, 0, 9, 9, key_value), box(20, 0, 29, 9, umbrella), box(40, 0, 49, 9, slash)]
    pred = [box(0, 0, 9, 9, "BBU设备/华为"), box(20, 0, 29, 9, "类别=BBU安装螺丝"), box(40, 0, 49, 9, "类别=光纤")]
    modes = measure(record(gt, pred))["modes"]
    labels = {mode: [(row["label"], row["gt"], row["matched"]) for row in modes[mode]["by_label"]] for mode in modes}
    # 类别=BBU安装螺丝 is that in both granularities; the slash form has the umbrella as its phase.
    assert labels["phase"] == [("BBU设备", 1, 1), ("光纤", 1, 1), (SCREWS, 1, 0), ("BBU安装螺丝", 0, 0)]
    assert labels["category"] == [("BBU安装螺丝", 1, 1), ("BBU设备", 1, 1), ("光纤", 1, 1)]


@pytest.mark.parametrize("swap", [False, True])
def test_cross_type_region_matching_bbox_2d_poly(swap):
    # The diamond in the square of side 100 has area 2 * 50 * 50 = 5000 of 10000: IoU exactly 0.5.
    square, diamond = box(0, 0, 100, 100), poly(50, 0, 100, 50, 50, 100, 0, 50)
    report = measure(record([diamond], [square]) if not swap else record([square], [diamond]))
    assert matched(report) == [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    assert report["modes"]["localization"]["mean_overlap_matched"] == 0.5
    same_type = measure(record([box(0, 0, 100, 100)], [box(0, 0, 100, 50)]))
    assert matched(same_type) == matched(report)


def test_tubeiou_for_polylines():
    # Stroke 16 at y = 500 covers rows 492 … 507, at y = 504 rows 496 … 511: 12 rows shared of 20.
    report = measure(record([line(0, 500, 1000, 500)], [line(0, 504, 1000, 504)]), tube_tolerance=8)
    assert report["params"]["stroke_width"] == 16
    assert report["modes"]["localization"]["mean_overlap_matched"] == 12 / 20
    # Stroke round(2 * 0.5) = 1. Along y = 0 four cells; along x = 4 eight, one of them among the four: 4 of 11.
    assert calipers.tube_iou([0, 0, 4, 0], [0, 0, 4, 0, 4, 4], tolerance=0.5) == pytest.approx(4 / 11, abs=1e-12)


def test_tolerance_is_configurable_and_reported():
    # y = 500 against 502. Tolerance 2: rows 498 … 501 and 500 … 503, 2 of 6. Tolerance 8: 14 of 18.
    lines = record([line(0, 500, 1000, 500)], [line(0, 502, 1000, 502)])
    narrow, default = measure(lines, tube_tolerance=2, thresholds=[0.3, 0.34]), measure(lines, thresholds=[0.77, 0.78])
    assert matched(narrow) == [1, 0]
    assert matched(default) == [1, 0]
    assert (narrow["params"]["tube_tolerance"], narrow["params"]["stroke_width"]) == (2, 4)
    assert (default["params"]["tube_tolerance"], default["params"]["stroke_width"]) == (8, 16)


def test_geometry_family_compatibility_region_vs_line():
    # The same bar, 1000 by 16, three ways. Regions find each other; the line finds only a line.
    bar, quad = box(0, 492, 1000, 508), poly(0, 492, 1000, 492, 1000, 508, 0, 508)
    stroke = line(0, 500, 1000, 500, desc="类别=甲")
    for one in (bar, quad, stroke):
        for other in (bar, quad, stroke):
            found = matched(measure(record([one], [other])), "category")
            assert found == ([1] * 10 if (one is stroke) == (other is stroke) else [0] * 10)


def test_candidate_generation_by_overlap_and_label_constraints():
    # One prediction of IoU 55 / 100, exactly on the second threshold, under labels that agree in none, one or both.
    def counts(desc):
        report = measure(record([box(0, 0, 100, 100, f"{SCREWS}/BBU安装螺丝")], [box(0, 0, 100, 55, desc)]))
        return [sum(matched(report, mode)) for mode in ("localization", "phase", "category")]

    assert counts("类别=光纤") == [2, 0, 0]
    assert counts(f"{SCREWS}/ODF端光纤插头") == [2, 2, 0]
    assert counts("类别=BBU安装螺丝") == [2, 0, 2]
    assert counts(f"{SCREWS}/BBU安装螺丝") == [2, 2, 2]
    assert counts("") == [2, 0, 0]


def test_greedy_assignment_and_deterministic_tie_breaking():
    # A with p 80 / 100, B with p 60 / 80, A with q 50 / 100. The best pair goes first and leaves B and q alone,
    # though (A, q) and (B, p) would have been two pairs.
    a, b = box(0, 0, 100, 100), box(0, 0, 100, 60)
    p, q = box(0, 0, 100, 80), box(0, 50, 100, 100)
    assert partners(measure(record([a, b], [p, q]))) == [(0, 0)]
    # All four pairs tie at 1: the lower ground-truth index chooses first, and takes the lower prediction index.
    # Confidence is none of the matcher's business.
    sure = [{**a, "score": 0.1}, {**a, "score": 0.9}]
    assert partners(measure(record([a, a], sure))) == [(0, 0), (1, 1)]
    assert partners(measure(record([a, a], sure[:1]))) == [(0, 0)]
    assert partners(measure(record([a], sure))) == [(0, 0)]


def test_produce_localization_and_category_aware_metrics():
    report = measure(mixed_record())
    # 0.7, 0.9 and 14 / 18 against the sweep; category mode loses the one of 0.9, which has another category.
    assert matched(report, "localization") == [3, 3, 3, 3, 3, 2, 1, 1, 1, 0]
    assert matched(report, "phase") == [3, 3, 3, 3, 3, 2, 1, 1, 1, 0]
    assert matched(report, "category") == [2, 2, 2, 2, 2, 1, 0, 0, 0, 0]
    for mode in report["modes"].values():
        assert [row["iou"] for row in mode["thresholds"]] == SWEEP
        assert {(row["gt"], row["pred"]) for row in mode["thresholds"]} == {(3, 4)}
    first = report["modes"]["localization"]["thresholds"][0]
    assert (first["precision"], first["recall"], first["f1"]) == (3 / 4, 3 / 3, 6 / 7)
    # The mean of f1 = 2 * matched / 7 over ten thresholds: 2 * 20 / 70 and 2 * 11 / 70.
    assert report["modes"]["localization"]["mean_f1"] == 40 / 70
    assert report["modes"]["category"]["mean_f1"] == 22 / 70


def test_produce_localization_and_category_aware_metrics_by_geometry():
    by_type = measure(mixed_record())["modes"]["localization"]["by_type"]
    at_half = {name: tree["thresholds"][0] for name, tree in by_type.items()}
    figures = {name: (row["precision"], row["recall"], row["f1"]) for name, row in at_half.items()}
    # The poly was found by a box: that is recall of poly, precision of bbox_2d.
    assert figures == {"bbox_2d": (2 / 2, 1 / 1, 1.0), "poly": (None, 1 / 1, 0.0), "line": (1 / 2, 1 / 1, 2 / 3)}
    # line: f1 2/3 at the six thresholds up to 0.75, 0 above.
    assert by_type["line"]["mean_f1"] == pytest.approx(6 * (2 / 3) / 10)


def test_primary_threshold_is_configurable_and_reported():
    given, default = measure(mixed_record(), primary_threshold=0.8), measure(mixed_record())
    assert (given["params"]["primary_threshold"], default["params"]["primary_threshold"]) == (0.8, 0.5)
    # At 0.8 only the pair of 0.9 is left: precision 1 / 4, recall 1 / 3, f1 2 / 7.
    primary = given["modes"]["localization"]["primary"]
    assert (primary["iou"], primary["precision"], primary["recall"], primary["f1"]) == (0.8, 1 / 4, 1 / 3, 2 / 7)
    assert default["modes"]["localization"]["primary"]["iou"] == 0.5
    assert " IoU 0.80 " in str(given)
    assert " all               0.250 0.333 0.286 " in str(given)
    assert " IoU 0.50 " in str(default)
    assert " all               0.750 1.000 0.857 " in str(default)


def test_emit_console_summary_and_json_artifact(tmp_path):
    dump, out = write(tmp_path / "dump.jsonl", mixed_record(), record([], [])), str(tmp_path / "result.json")
    console = CliRunner().invoke(make_command(suite_of("dense")), [dump, "-o", out, "--bootstrap", "0"])
    assert console.exit_code == 0
    told = [" ".join(text.split()) for text in console.stdout.splitlines()]
    assert told[0].startswith(f"{dump} norm1000 · tube ±8")
    assert told[1] == "records 2 read · 1 evaluated · 1 empty · 0 rejected"
    assert "IoU 0.50 localization phase category" in told
    assert "all 0.750 1.000 0.857 0.750 1.000 0.857 0.500 0.667 0.571" in told
    assert "mean F1 0.50:0.95 0.571 0.571 0.314" in told
    with open(out, encoding="utf-8") as file:
        artifact = json.load(file)
    params = artifact["params"]
    assert (params["thresholds"], params["primary_threshold"], params["tube_tolerance"]) == (SWEEP, 0.5, 8)
    assert params["matching"] == {
        "algorithm": "greedy_1to1",
        "tie_break": ["score_desc", "gt_index_asc", "pred_index_asc"],
    }
    assert params["modes"] == list(artifact["modes"]) == ["localization", "phase", "category"]
    assert [list(mode["by_type"]) for mode in artifact["modes"].values()] == [["bbox_2d", "poly", "line"]] * 3
    assert artifact == json.loads(calipers.dense(dump, bootstrap=0).to_json())


def test_deterministic_matching_and_aggregation(tmp_path):
    # Once more, in two processes, in shards of a record or two, and under other hash seeds, locales and time zones.
    records = [mixed_record() | {"id": index} for index in range(40)]
    dump = write(tmp_path / "dump.jsonl", *records)
    first = calipers.dense(dump)
    for options in ({"jobs": 1}, {"jobs": 2, "chunk_bytes": 2000}, {"jobs": 1, "chunk_bytes": 1}):
        again = calipers.dense(dump, **options)
        assert again.to_json() == first.to_json()
        assert str(again) == str(first)
    for seed, locale, zone in (("1", "C", "UTC"), ("2", "de_DE.UTF-8", "Asia/Tokyo")):
        world = os.environ | {"PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": zone}
        shell = [sys.executable, "-m", "calipers", "dense", dump, "--json"]
        assert subprocess.run(shell, env=world, capture_output=True, check=True).stdout == first.to_json()
