"""What the design of the dense suite defines, sentence by sentence: rulers, matching, metrics, breakdowns, outputs."""

import csv
import json

import pytest
from click.testing import CliRunner

import calipers
from calipers.cli.suite_command import make_command
from calipers.core.errors import InputError
from calipers.suite import suite_of

from ..suites.dense.records import box, line, matched, measure, record

pytestmark = pytest.mark.usefixtures("blank_plots")

SCREWS = "螺丝、光纤插头"


class TestInputs:
    def test_coordinates_run_from_0_to_1000_both_included(self):
        whole = box(0, 0, 1000, 1000)
        assert measure(record([whole], [whole]))["objects"] == {
            "gt": 1,
            "pred": 1,
            "invalid_pred": 0,
            "clamped": 0,
            "repaired": 0,
            "degenerate": 0,
        }

    def test_lines_have_at_least_two_points(self):
        assert measure(record([line(1, 1, 5, 5), line(1, 1, 5, 5, 9, 1)], []))["objects"]["gt"] == 2
        with pytest.raises(InputError, match=r"gt_norm1000\[0\]\.points: 2 numbers, expected at least 2 points"):
            measure(record([line(1, 1)], []))


class TestLabels:
    @pytest.mark.parametrize(
        ("desc", "phase", "category"),
        [
            ("类别=BBU设备,品牌=华为", "BBU设备", "BBU设备"),
            (f"{SCREWS}/BBU安装螺丝,显示完整,符合要求", SCREWS, "BBU安装螺丝"),
            (f"{SCREWS}/ODF端光纤插头", SCREWS, "ODF端光纤插头"),
            ("标签/4G-RRU3-光纤", "标签", "标签"),
            ("光纤/有遮挡,有保护,半径合理/蛇形管", "光纤", "光纤"),
        ],
    )
    def test_every_object_has_a_phase_and_a_category(self, desc, phase, category):
        row = measure(record([box(0, 0, 9, 9, desc)], [])).matches()[0]
        assert (row["phase"], row["category"]) == (phase, category)


class TestRulers:
    def test_region_iou_is_shared_area_over_all_area(self):
        # Squares of side 10, one moved by (5, 5): 25 / (100 + 100 - 25). A triangle is half of its box.
        assert calipers.region_iou([0, 0, 10, 10], [5, 5, 15, 15]) == pytest.approx(25 / 175, abs=1e-12)
        assert calipers.region_iou([0, 0, 10, 10], [0, 0, 10, 0, 0, 10]) == 0.5

    @pytest.mark.parametrize(
        ("tolerance", "width"), [(8, 16), (1.75, 4), (1.25, 2), (0.75, 2), (0.5, 1), (0.25, 1), (0, 1)]
    )
    def test_stroke_width_is_twice_the_tolerance_rounded_halves_to_even_at_least_one(self, tolerance, width):
        assert measure(tube_tolerance=tolerance)["params"]["stroke_width"] == width

    def test_tubes_end_at_the_border_of_the_grid(self):
        # y = 0 covers rows 0 … 7, y = 4 rows 0 … 11: 8 of 12. At the other end y = 1000 covers rows 992 … 999.
        assert calipers.tube_iou([0, 0, 1000, 0], [0, 4, 1000, 4]) == pytest.approx(8 / 12, abs=1e-12)
        assert calipers.tube_iou([0, 1000, 1000, 1000], [0, 996, 1000, 996]) == pytest.approx(8 / 12, abs=1e-12)


class TestCoverage:
    def test_coverage_of_a_matched_pair_is_the_share_of_samples_within_tolerance(self):
        # Samples 0, 1, …, 1000 of the truth; those up to 592 + 8 are near. All of the prediction is near.
        coverage = measure(record([line(0, 500, 1000, 500)], [line(0, 500, 592, 500)]))["coverage"]
        recall = 601 / 1001
        for kind in ("matched", "best"):
            assert coverage[kind]["n"] == 1
            assert coverage[kind]["recall"] == pytest.approx(recall, abs=1e-12)
            assert coverage[kind]["precision"] == 1.0
            assert coverage[kind]["f1"] == pytest.approx(2 * recall / (1 + recall), abs=1e-12)

    def test_best_coverage_takes_the_prediction_of_highest_f1_and_0_where_there_is_none(self):
        # Of 100 samples the short prediction covers 0 … 49: recall 0.5, precision 1, f1 2/3. The long one covers all,
        # but of its own 801 samples only 0 … 107 are near: precision 108 / 801, f1 below 2/3. The other truth has none.
        truth, short, long = line(0, 500, 99, 500), line(0, 500, 41, 500), line(0, 500, 800, 500)
        coverage = measure(record([truth], [long, short]), record([truth], [box(0, 0, 9, 9)]))["coverage"]
        assert coverage["best"] == {"n": 2, "recall": 0.25, "precision": 0.5, "f1": pytest.approx(1 / 3, abs=1e-12)}
        assert coverage["matched"] == {"n": 0, "recall": None, "precision": None, "f1": None}

    def test_coverage_is_not_what_lines_are_matched_by(self):
        # 7 units apart every sample is near, yet of 16 + 7 rows only 9 are shared: 9 / 23 < 0.5.
        report = measure(record([line(0, 500, 1000, 500)], [line(0, 507, 1000, 507)]))
        assert report["coverage"]["best"] == {"n": 1, "recall": 1.0, "precision": 1.0, "f1": 1.0}
        assert sum(matched(report)) == 0


class TestSweep:
    def test_precision_recall_and_f1_at_a_threshold(self):
        # 1 pair, 2 predictions, 4 ground truth: P 1/2, R 1/4, F1 = 2 * 1/8 / (3/4) = 1/3.
        gt = [box(0, 0, 10, 10), box(20, 0, 30, 10), box(40, 0, 50, 10), box(60, 0, 70, 10)]
        row = measure(record(gt, [gt[0], box(900, 900, 910, 910)]))["modes"]["localization"]["thresholds"][0]
        assert row == {
            "iou": 0.5,
            "gt": 4,
            "pred": 2,
            "matched": 1,
            "precision": 1 / 2,
            "recall": 1 / 4,
            "f1": 1 / 3,
        }

    def test_f1_is_0_when_precision_and_recall_are(self):
        row = measure(record([box(0, 0, 9, 9)], [box(90, 90, 99, 99)]))["modes"]["localization"]["thresholds"][0]
        assert (row["precision"], row["recall"], row["f1"]) == (0.0, 0.0, 0.0)

    def test_mean_f1_is_the_mean_over_the_sweep(self):
        # IoU 0.72 meets 0.50 … 0.70, five thresholds of ten: five times 1, five times 0.
        mode = measure(record([box(0, 0, 100, 100)], [box(0, 0, 100, 72)]))["modes"]["localization"]
        assert [row["f1"] for row in mode["thresholds"]] == [1.0] * 5 + [0.0] * 5
        assert mode["mean_f1"] == 0.5

    @pytest.mark.parametrize("primary", [0.3, 0.5, 0.8])
    def test_mean_overlap_of_matched_pairs_is_taken_at_one_half(self, primary):
        # 0.9 and 0.7 match at 0.5; 0.4 does not, whatever the primary threshold.
        gt = [box(0, 0, 100, 100), box(200, 0, 300, 100), box(400, 0, 500, 100)]
        pred = [box(0, 0, 100, 90), box(200, 0, 300, 70), box(400, 0, 500, 40)]
        mode = measure(record(gt, pred), primary_threshold=primary)["modes"]["localization"]
        assert mode["mean_overlap_matched"] == pytest.approx((0.9 + 0.7) / 2, abs=1e-12)


class TestBreakdowns:
    def test_by_category_lists_labels_by_ground_truth_frequency(self):
        gt = [
            box(x, 0, x + 9, 9, f"类别={label}") for x, label in zip(range(0, 80, 10), "乙甲乙丙甲乙丁丁", strict=True)
        ]
        modes = measure(record(gt, [*gt[:2], box(500, 500, 509, 509, "类别=戊")]))["modes"]
        rows = [(row["label"], row["gt"], row["pred"], row["matched"]) for row in modes["category"]["by_label"]]
        # 乙 3 times; 丁 (U+4E01) and 甲 (U+7532) twice each; 丙 once; 戊 only predicted.
        assert rows == [("乙", 3, 1, 1), ("丁", 2, 0, 0), ("甲", 2, 1, 1), ("丙", 1, 0, 0), ("戊", 0, 1, 0)]
        assert modes["localization"]["by_label"] == []

    def test_the_console_shows_the_top_categories_and_says_how_many_more(self):
        gt = [box(x, 0, x + 9, 9, f"类别={label}") for x, label in zip((0, 10, 20), "甲甲乙", strict=True)]
        text = str(measure(record(gt, gt), top=1))
        assert " by category          甲 1.000 (n 2) · 1 more" in text

    def test_granularities_are_reported_side_by_side(self):
        one, other = f"{SCREWS}/BBU安装螺丝", f"{SCREWS}/ODF端光纤插头"
        modes = measure(record([box(0, 0, 9, 9, one)], [box(0, 0, 9, 9, other)]))["modes"]
        assert {mode: tree["primary"]["f1"] for mode, tree in modes.items()} == {
            "localization": 1.0,
            "phase": 1.0,
            "category": 0.0,
        }


def test_count_diagnostics_are_means_over_records():
    # Predicted minus ground truth is +2, -1, 0 and -1: MAE 4 / 4, over 1 / 4, under 2 / 4, equal 1 / 4.
    boxes = [box(0, 0, 9, 9), box(20, 0, 29, 9), box(40, 0, 49, 9)]
    sizes = [(1, 3), (2, 1), (2, 2), (1, 0)]
    report = measure(*(record(boxes[:gt], boxes[:pred]) for gt, pred in sizes))
    assert report["counts"] == {"mae": 1.0, "over_rate": 0.25, "under_rate": 0.5, "equal_rate": 0.25}


class TestAttributes:
    def test_key_value_micro_f1_leaves_out_the_label_and_free_text(self):
        # 品牌 differs, 可见性 agrees, 安装方向 is invented: 1 of 3 said, 1 of 2 meant.
        gt = box(0, 0, 9, 9, "类别=BBU设备,品牌=华为,可见性=部分,备注=无法判断")
        pred = box(0, 0, 9, 9, "类别=RRU设备,品牌=中兴,可见性=部分,安装方向=横")
        attributes = measure(record([gt], [pred]))["attributes"]
        assert attributes["pairs"] == 1
        assert (attributes["precision"], attributes["recall"], attributes["f1"]) == (1 / 3, 1 / 2, 2 / 5)
        assert list(attributes["by_key"].items()) == [
            ("可见性", {"gt": 1, "pred": 1, "matched": 1, "accuracy": 1.0}),
            ("品牌", {"gt": 1, "pred": 1, "matched": 0, "accuracy": 0.0}),
            ("安装方向", {"gt": 0, "pred": 1, "matched": 0, "accuracy": None}),
        ]
        assert attributes["text"] == {"备注": {"n": 1, "exact": 0.0, "similarity": 0.0}}

    def test_texts_are_compared_exactly_and_by_edit_distance(self):
        # White space apart, 4G-RRU3 against 4G-RRU5 is one edit of seven; the other text is the same.
        gt = [box(0, 0, 9, 9, "类别=标签,文本=4G-RRU3"), box(20, 0, 29, 9, "类别=标签,文本=NR,光纤=2")]
        pred = [box(0, 0, 9, 9, "类别=标签,文本=4G - RRU5"), box(20, 0, 29, 9, "类别=标签,文本=NR, 光纤=2")]
        text = measure(record(gt, pred))["attributes"]["text"]
        assert text == {"文本": {"n": 2, "exact": 1 / 2, "similarity": pytest.approx((6 / 7 + 1) / 2, abs=1e-12)}}

    def test_station_distances_are_compared_as_numbers(self):
        # 98 and 98.0 agree; 100 and 97.5 are 2.5 apart; 远 is no number. MAE 2.5 / 2.
        said = [("98", "98.0"), ("100", "97.5"), ("远", "3"), ("4", "远")]
        gt = [box(20 * i, 0, 20 * i + 9, 9, f"类别=站点距离,站点距离={a}") for i, (a, _) in enumerate(said)]
        pred = [box(20 * i, 0, 20 * i + 9, 9, f"类别=站点距离,站点距离={b}") for i, (_, b) in enumerate(said)]
        assert measure(record(gt, pred))["attributes"]["distance"] == {"n": 2, "exact": 0.5, "mae": 1.25}

    def test_the_slash_form_has_attributes_text_and_distance(self):
        # 华为 of {华为, 完整} and {华为, 部分} agrees; 4G-RRU3 and 98 are attributes, too.
        said = [
            ("BBU设备/华为/完整", "BBU设备/部分/华为"),
            ("标签/4G-RRU3", "标签/4G-RRU3"),
            ("站点距离/98", "站点距离/98"),
        ]
        gt, pred = ([box(20 * i, 0, 20 * i + 9, 9, pair[side]) for i, pair in enumerate(said)] for side in (0, 1))
        attributes = measure(record(gt, pred))["attributes"]
        unnamed = {"gt": 4, "pred": 4, "matched": 3, "accuracy": 3 / 4}
        assert attributes["by_key"] == {"(unnamed, slash form)": unnamed}
        assert (attributes["precision"], attributes["recall"], attributes["f1"]) == (3 / 4, 3 / 4, 3 / 4)
        assert attributes["text"] == {"文本": {"n": 1, "exact": 1.0, "similarity": 1.0}}
        assert attributes["distance"] == {"n": 1, "exact": 1.0, "mae": 0.0}

    def test_a_distance_may_have_its_unit(self):
        pair = [box(0, 0, 9, 9, f"类别=站点距离,站点距离={said}") for said in ("98", "98米")]
        assert measure(record(pair[:1], pair[1:]))["attributes"]["distance"] == {"n": 1, "exact": 1.0, "mae": 0.0}

    def test_a_description_with_keys_but_no_label_is_matched_by_place_alone(self):
        nameless = box(0, 0, 9, 9, "品牌=华为")
        report = measure(record([nameless], [nameless]))
        assert [matched(report, mode)[0] for mode in ("localization", "phase", "category")] == [1, 0, 0]
        assert (report["attributes"]["f1"], report["unlabelled"]) == (1.0, {"gt": 1, "pred": 1})

    def test_only_pairs_matched_at_the_primary_threshold_count(self):
        # IoU 0.7: a pair at the default threshold, none at 0.8.
        pair = record([box(0, 0, 100, 100, "类别=甲,品牌=a")], [box(0, 0, 100, 70, "类别=甲,品牌=a")])
        assert measure(pair)["attributes"]["f1"] == 1.0
        missed = measure(pair, primary_threshold=0.8)["attributes"]
        assert (missed["pairs"], missed["precision"], missed["recall"], missed["f1"]) == (0, None, None, None)


class TestOutputs:
    # IoU 0.3 is misplaced; an object that is found is no case, and neither is a record that is right.
    gt, pred = box(0, 0, 100, 100), box(0, 0, 100, 30)
    wrong = record([gt, line(0, 500, 1000, 500)], [pred, line(0, 500, 1000, 500)], image_path="a.jpg", width=640)
    right = record([gt], [gt], image_path="b.jpg")

    @pytest.fixture
    def folder(self, tmp_path):
        dump = tmp_path / "dump.jsonl"
        dump.write_text("".join(json.dumps(each) + "\n" for each in (self.right, self.wrong)), encoding="utf-8")
        result = CliRunner().invoke(make_command(suite_of("dense")), [str(dump), "-o", str(tmp_path / "out")])
        assert result.exit_code == 0
        return tmp_path / "out"

    def test_wrong_cases_are_stored_per_image_with_misses_and_false_positives(self, folder):
        cases = [json.loads(text) for text in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
        near = {"index": 0, "overlap": 0.3}
        missed = {"index": 0, "object": self.gt, "cause": "misplaced", "partner": near, "best": near}
        invented = {"index": 0, "object": self.pred, "cause": "misplaced", "partner": near, "best": near}
        beside = ("matched", "labels", "unmatched")  # what a drawing needs
        assert [{name: case[name] for name in case if name not in beside} for case in cases] == [
            {
                "key": "a.jpg",
                "path": str(folder.parent / "dump.jsonl"),
                "line": 2,
                "fields": {"image_path": "a.jpg", "width": 640},
                "unmatched_gt": [missed],
                "unmatched_pred": [invented],
            }
        ]

    def test_matches_hold_every_object_with_its_partner_overlap_and_labels(self, folder):
        with open(folder / "matches.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found = [(row["key"], row["side"], row["index"], row["category_partner"], row["cause"]) for row in rows]
        assert found == [
            ("b.jpg", "gt", "0", "0", "matched"),
            ("b.jpg", "pred", "0", "0", "matched"),
            ("a.jpg", "gt", "0", "", "misplaced"),
            ("a.jpg", "gt", "1", "1", "matched"),
            ("a.jpg", "pred", "0", "", "misplaced"),
            ("a.jpg", "pred", "1", "1", "matched"),
        ]
        assert [(row["type"], row["phase"], row["category"]) for row in rows[2:4]] == [
            ("bbox_2d", "甲", "甲"),
            ("line", "线", "线"),
        ]
        assert [row["localization_overlap"] for row in rows] == ["1.0", "1.0", "", "1.0", "", "1.0"]

    def test_the_console_tells_overall_by_type_and_by_mode(self):
        lines = str(measure(self.right, self.wrong)).splitlines()
        table = [text.split() for text in lines[lines.index("") + 1 :]][:7]
        # 3 objects on either side, 2 pairs; boxes 1 of 2, lines 1 of 1; the same in all modes.
        assert table == [
            ["IoU", "0.50", "localization", "phase", "category"],
            ["P", "R", "F1"] * 3,
            ["all", *["0.667"] * 9],
            ["bbox_2d", *["0.500"] * 9],
            ["poly", *["—"] * 9],
            ["line", *["1.000"] * 9],
            ["mean", "F1", "0.50:0.95", *["0.667"] * 3],
        ]
