"""The artifact of the dense suite: its keys in their order, and every figure on records counted by hand."""

import json
from hashlib import sha256

import pytest

import calipers
from calipers.core.errors import ConfigError

from .records import box, line, matched, measure, poly, record

MODES = ["localization", "phase", "category"]
SWEEP = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
SQUARE = box(0, 0, 10, 10)


def primary(report, mode="localization"):
    row = report["modes"][mode]["primary"]
    return row["precision"], row["recall"], row["f1"]


class TestKeys:
    report = measure(record([SQUARE], [SQUARE]))

    def test_of_the_whole(self):
        told = ["suite", "protocol", "calipers", "inputs", "params", "records", "objects", "modes"]
        told += ["counts", "errors", "errors_by_label", "worth", "confusion", "attributes", "coverage"]
        assert list(self.report) == [*told, "invalid_reasons", "unlabelled", "bootstrap", "rejected"]
        assert (self.report["suite"], self.report["protocol"]) == ("dense", "dense/1")
        assert self.report["calipers"] == calipers.__version__

    def test_of_inputs_records_and_objects(self):
        assert [list(entry) for entry in self.report["inputs"]] == [["path", "sha256", "records"]]
        assert list(self.report["records"]) == ["read", "evaluated", "skipped_empty", "rejected"]
        assert list(self.report["objects"]) == ["gt", "pred", "invalid_pred", "clamped", "repaired", "degenerate"]

    def test_of_params(self):
        told = ["tube_tolerance", "stroke_width", "primary_threshold", "thresholds", "modes", "frame"]
        told += ["mapping_sha256", "rulers", "matching"]
        params = self.report["params"]
        assert [key for key in params if key in told] == told
        rest = {"top", "label_key", "free_text_keys", "mapping", "max_bad_records", "bootstrap", "seed"}
        assert set(params) == {*told, *rest}

    def test_of_modes(self):
        rates = ["gt", "pred", "matched", "precision", "recall", "f1"]
        assert list(self.report["modes"]) == MODES
        for mode in self.report["modes"].values():
            assert list(mode) == [
                "thresholds",
                "primary",
                "mean_f1",
                "mean_f1_interval",
                "mean_overlap_matched",
                "by_type",
                "by_label",
            ]
            assert [list(row) for row in mode["thresholds"]] == [["iou", *rates]] * 10
            assert list(mode["primary"]) == ["iou", *rates, "interval"]
            assert list(mode["primary"]["interval"]) == ["precision", "recall", "f1"]
            assert [list(row) for row in mode["by_label"]] in ([], [["label", *rates]])

    def test_of_types(self):
        row = ["iou", "gt", "pred", "matched_gt", "matched_pred", "precision", "recall", "f1"]
        for mode in self.report["modes"].values():
            assert list(mode["by_type"]) == ["bbox_2d", "poly", "line"]
            for tree in mode["by_type"].values():
                assert list(tree) == ["thresholds", "primary", "mean_f1"]
                assert [list(each) for each in (*tree["thresholds"], tree["primary"])] == [row] * 11

    def test_of_diagnostics(self):
        assert list(self.report["counts"]) == ["mae", "over_rate", "under_rate", "equal_rate"]
        assert list(self.report["errors"]) == [
            "matched",
            "wrong_label",
            "misplaced",
            "wrong_label_and_place",
            "duplicate",
            "spurious",
            "missed",
        ]
        assert list(self.report["attributes"]) == [
            "pairs",
            "precision",
            "recall",
            "f1",
            "by_key",
            "text",
            "distance",
        ]
        assert list(self.report["attributes"]["distance"]) == ["n", "exact", "mae"]
        assert list(self.report["coverage"]) == ["matched", "best"]
        assert [list(tree) for tree in self.report["coverage"].values()] == [["n", "recall", "precision", "f1"]] * 2


class TestBytes:
    def test_text_is_utf8_and_not_escaped_and_floats_are_as_short_as_can_be(self):
        # 1 of 3: 0.3333333333333333 is the shortest text that reads back the same.
        gt = [box(0, 0, 10, 10, "类别=光纤"), box(20, 0, 30, 10, "类别=光纤"), box(40, 0, 50, 10, "类别=光纤")]
        content = measure(record(gt, gt[:1])).to_json()
        row = '{"label": "光纤", "gt": 3, "pred": 1, "matched": 1, "precision": 1.0, "recall": 0.3333333333333333, '
        assert row.encode() in content
        assert content.endswith(b"}\n")

    def test_keys_keep_their_order_through_a_file(self, tmp_path):
        report = measure(record([SQUARE], [SQUARE]))
        report.save(tmp_path / "result.json")
        assert list(json.loads((tmp_path / "result.json").read_bytes()).items()) == list(report.tree.items())


class TestParams:
    def test_defaults_are_written_down(self):
        params = calipers.dense([])["params"]
        assert params["thresholds"] == SWEEP
        assert (params["primary_threshold"], params["tube_tolerance"], params["stroke_width"]) == (0.5, 8, 16)
        assert (params["modes"], params["frame"], params["top"]) == (MODES, "norm1000", 25)
        assert (params["label_key"], params["free_text_keys"]) == ("类别", ["文本", "备注"])
        assert (params["bootstrap"], params["seed"], params["max_bad_records"]) == (1000, 0, 0)
        assert params["rulers"] == {"region": "exact-area", "line": "tube-cells"}
        assert params["matching"] == {
            "algorithm": "greedy_1to1",
            "tie_break": ["score_desc", "gt_index_asc", "pred_index_asc"],
        }

    def test_what_was_given_is_written_down(self):
        given = {"thresholds": [0.25, 0.5], "primary_threshold": 0.3, "tube_tolerance": 2.5, "seed": 7, "top": 3}
        params = measure(**given)["params"]
        assert {key: params[key] for key in given} == given
        assert params["stroke_width"] == 5

    def test_a_misspelt_option_is_an_error_that_names_the_nearest(self):
        with pytest.raises(ConfigError, match="'tube_tolerence' is not an option, did you mean 'tube_tolerance'"):
            measure(tube_tolerence=8)


class TestThresholds:
    def test_a_primary_threshold_outside_the_sweep_changes_only_what_is_said_at_primary(self):
        # IoU 0.6 and 0.64: both are pairs at 0.6, one at 0.62, none at 0.65.
        gt = [box(0, 0, 100, 100, "类别=甲"), box(200, 0, 300, 100, "类别=乙")]
        given = record(gt, [box(0, 0, 100, 60, "类别=甲"), box(200, 0, 300, 64, "类别=乙")])
        outside, default = (measure(given, primary_threshold=value)["modes"]["category"] for value in (0.62, 0.5))
        assert (outside["primary"]["iou"], outside["primary"]["matched"]) == (0.62, 1)
        assert [(row["label"], row["matched"]) for row in outside["by_label"]] == [("乙", 1), ("甲", 0)]
        assert outside["by_type"]["bbox_2d"]["primary"]["matched_gt"] == 1
        assert [row["iou"] for row in outside["thresholds"]] == SWEEP
        for same in ("thresholds", "mean_f1", "mean_overlap_matched"):
            assert outside[same] == default[same]

    def test_one_threshold_is_a_sweep_too(self):
        mode = measure(record([SQUARE], [SQUARE]), thresholds="0.9")["modes"]["localization"]
        assert ([row["iou"] for row in mode["thresholds"]], mode["mean_f1"]) == ([0.9], 1.0)

    def test_modes_are_reported_as_asked_and_nothing_else_changes(self):
        given = record([SQUARE, line(0, 500, 1000, 500)], [box(0, 0, 10, 9, "类别=乙,组=1"), line(0, 502, 1000, 502)])
        some, every = measure(given, modes="category,localization"), measure(given)
        assert some["params"]["modes"] == list(some["modes"]) == ["category", "localization"]
        for mode in some["modes"]:
            assert some["modes"][mode] == every["modes"][mode]
        only = measure(given, modes=["phase"])
        for same in ("records", "objects", "counts", "errors", "attributes", "coverage"):
            assert only[same] == some[same] == every[same]


class TestUndefined:
    def test_without_predictions_precision_is_null(self):
        assert primary(measure(record([SQUARE], []))) == (None, 0.0, 0.0)

    def test_without_ground_truth_recall_is_null(self):
        assert primary(measure(record([], [SQUARE]))) == (0.0, None, 0.0)

    def test_without_records_everything_is_null(self):
        report = measure(record([], []))
        assert primary(report) == (None, None, None)
        mode = report["modes"]["category"]
        assert (mode["mean_f1"], mode["mean_f1_interval"], mode["mean_overlap_matched"]) == (None, None, None)
        assert mode["by_label"] == []
        assert {tree["mean_f1"] for tree in mode["by_type"].values()} == {None}
        assert report["counts"] == {"mae": None, "over_rate": None, "under_rate": None, "equal_rate": None}
        assert report["attributes"] == {
            "pairs": 0,
            "precision": None,
            "recall": None,
            "f1": None,
            "by_key": {},
            "text": {},
            "distance": {"n": 0, "exact": None, "mae": None},
        }
        nothing = {"n": 0, "recall": None, "precision": None, "f1": None}
        assert report["coverage"] == {"matched": nothing, "best": nothing}

    def test_overlap_of_matched_pairs_is_null_without_pairs(self):
        report = measure(record([SQUARE], [box(900, 900, 910, 910)]))
        assert report["modes"]["localization"]["mean_overlap_matched"] is None


class TestIntervals:
    def test_of_a_perfect_result_they_are_a_point(self):
        mode = calipers.dense([record([SQUARE], [SQUARE], id=index) for index in range(5)])["modes"]["category"]
        assert mode["primary"]["interval"] == {"precision": [1.0, 1.0], "recall": [1.0, 1.0], "f1": [1.0, 1.0]}
        assert mode["mean_f1_interval"] == [1.0, 1.0]

    def test_they_hold_the_middle_of_the_replicates(self):
        report = calipers.dense([record([SQUARE], [SQUARE][: index % 2], id=index) for index in range(20)])
        sums = report["bootstrap"]["sums"]
        recalls = sorted(a / b for a, b in zip(sums["category.matched"], sums["gt"], strict=True) if b)
        interval = report["modes"]["category"]["primary"]["interval"]["recall"]
        assert interval == [recalls[25], recalls[-26]]  # 2.5 % of 1000 on either side
        assert interval[0] < 0.5 < interval[1]

    @pytest.mark.parametrize(("records", "options"), [(1, {}), (2, {"bootstrap": 0})])
    def test_with_one_record_or_no_replicates_they_are_null(self, records, options):
        given = [record([SQUARE], [SQUARE], id=index) for index in range(records)]
        mode = calipers.dense(given, **options)["modes"]["category"]
        assert mode["primary"]["interval"] == {"precision": None, "recall": None, "f1": None}
        assert mode["mean_f1_interval"] is None

    def test_of_an_undefined_rate_they_are_null(self):
        mode = calipers.dense([record([SQUARE], [], id=index) for index in range(5)])["modes"]["category"]
        assert mode["primary"]["interval"] == {"precision": None, "recall": [0.0, 0.0], "f1": [0.0, 0.0]}

    def test_they_depend_on_keys_and_seed_and_nothing_else(self):
        given = [record([SQUARE], [SQUARE][: index % 2], id=index) for index in range(20)]
        first, again, other = calipers.dense(given), calipers.dense(given[::-1]), calipers.dense(given, seed=1)
        assert first["bootstrap"] == again["bootstrap"]
        assert first["bootstrap"]["sums"] != other["bootstrap"]["sums"]


class TestByType:
    def test_a_poly_found_by_a_box_is_recall_of_poly_and_precision_of_bbox_2d(self):
        # Two polys, one found; three boxes predicted, one of them right; no box meant, no poly predicted.
        gt = [poly(0, 0, 10, 0, 10, 10, 0, 10), poly(100, 0, 110, 0, 110, 10, 100, 10)]
        by_type = measure(record(gt, [SQUARE, box(500, 0, 510, 10), box(600, 0, 610, 10)]))["modes"]["category"][
            "by_type"
        ]
        assert by_type["poly"]["primary"] == {
            "iou": 0.5,
            "gt": 2,
            "pred": 0,
            "matched_gt": 1,
            "matched_pred": 0,
            "precision": None,
            "recall": 1 / 2,
            "f1": 0.0,
        }
        assert by_type["bbox_2d"]["primary"] == {
            "iou": 0.5,
            "gt": 0,
            "pred": 3,
            "matched_gt": 0,
            "matched_pred": 1,
            "precision": 1 / 3,
            "recall": None,
            "f1": 0.0,
        }
        assert by_type["line"]["mean_f1"] is None

    def test_f1_is_the_harmonic_mean_of_rates_that_do_not_share_counts(self):
        # Boxes: 1 of 2 predictions, 1 of 1 ground truth; (1/2, 1) gives 2/3.
        tree = measure(record([SQUARE], [SQUARE, box(500, 0, 510, 10)]))["modes"]["localization"]["by_type"]["bbox_2d"]
        assert (tree["primary"]["f1"], tree["mean_f1"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))


class TestByLabel:
    def test_labels_come_by_ground_truth_count_then_name_and_the_empty_one_is_left_out(self):
        gt = [
            box(20 * i, 0, 20 * i + 9, 9, desc) for i, desc in enumerate(["类别=b", "类别=a", "类别=c", "", "类别=c"])
        ]
        pred = [box(0, 0, 9, 9, "类别=b"), box(60, 0, 69, 9, ""), box(500, 0, 509, 9, "类别=d")]
        report = measure(record(gt, pred))
        for mode in ("phase", "category"):
            rows = [(row["label"], row["gt"], row["pred"], row["matched"]) for row in report["modes"][mode]["by_label"]]
            assert rows == [("c", 2, 0, 0), ("a", 1, 0, 0), ("b", 1, 1, 1), ("d", 0, 1, 0)]
        assert report["modes"]["localization"]["by_label"] == []
        assert (report["objects"]["gt"], report["objects"]["pred"]) == (5, 3)

    def test_rates_of_a_label_are_null_where_undefined(self):
        gt, pred = [box(0, 0, 9, 9, "类别=a")], [box(0, 0, 9, 9, "类别=b")]
        rows = measure(record(gt, pred))["modes"]["category"]["by_label"]
        assert [(row["label"], row["precision"], row["recall"], row["f1"]) for row in rows] == [
            ("a", None, 0.0, 0.0),
            ("b", 0.0, None, 0.0),
        ]


class TestErrors:
    gt = (
        box(0, 0, 100, 100, "类别=甲"),
        box(200, 0, 300, 100, "类别=乙"),
        box(400, 0, 500, 100, "类别=甲"),
        line(0, 500, 1000, 500),
    )

    def test_every_cause_and_their_sums(self):
        pred = [
            box(0, 0, 100, 100, "类别=甲"),  # matched
            box(0, 0, 100, 80, "类别=甲"),  # 0.8 with an object that is taken: duplicate
            box(200, 0, 300, 100, "类别=丙"),  # wrong label
            box(400, 0, 500, 30, "类别=甲"),  # 0.3: misplaced
            box(400, 0, 500, 10, "类别=甲"),  # exactly 0.1, but a closer one is misplaced there: spurious
            box(400, 0, 500, 9, "类别=甲"),  # 0.09: spurious
            box(800, 800, 900, 900, "类别=甲"),  # spurious
            box(0, 492, 1000, 508, "类别=线"),  # over a line, which is another family: spurious
            {"type": "bbox_2d"},  # cannot be read: spurious
        ]
        report = measure(record(self.gt, pred))
        errors = report["errors"]
        assert errors == {
            "matched": 1,
            "wrong_label": 1,
            "misplaced": 1,
            "wrong_label_and_place": 0,
            "duplicate": 1,
            "spurious": 5,
            "missed": 1,  # the line
        }
        assert sum(errors.values()) - errors["duplicate"] - errors["spurious"] == report["objects"]["gt"] == 4
        assert sum(errors.values()) - errors["missed"] == report["objects"]["pred"] == 9

    @pytest.mark.parametrize(("height", "cause"), [(10, "misplaced"), (9, "spurious")])
    def test_an_overlap_below_a_tenth_is_none(self, height, cause):
        errors = measure(record([box(0, 0, 100, 100)], [box(0, 0, 100, height)]))["errors"]
        assert (errors[cause], errors["missed"]) == (1, int(cause == "spurious"))

    def test_another_label_and_little_overlap_is_wrong_in_both(self):
        gt, pred = box(0, 0, 100, 100, "类别=甲"), box(0, 0, 100, 30, "类别=乙")
        report = measure(record([gt], [pred]))
        assert (report["errors"]["wrong_label_and_place"], sum(report["errors"].values())) == (1, 1)
        [row] = report["errors_by_label"]
        assert (row["label"], row["wrong_label_and_place"]) == ("甲", 1)

    def test_a_wrong_label_comes_before_a_duplicate(self):
        # The second prediction covers the first object fully (other label), the second by 0.9 (own label, but taken).
        gt = [box(0, 0, 100, 100, "类别=甲"), box(0, 0, 100, 90, "类别=乙")]
        pred = [box(0, 0, 100, 90, "类别=乙"), box(0, 0, 100, 100, "类别=乙")]
        errors = measure(record(gt, pred))["errors"]
        assert (errors["matched"], errors["missed"], errors["wrong_label"], errors["duplicate"]) == (1, 0, 1, 0)

    def test_empty_labels_agree_with_nothing_so_they_are_wrong(self):
        errors = measure(record([box(0, 0, 9, 9, "")], [box(0, 0, 9, 9, "")]))["errors"]
        assert (errors["matched"], errors["missed"], errors["wrong_label"]) == (0, 0, 1)

    @pytest.mark.parametrize(("threshold", "cause"), [(0.8, "matched"), (0.81, "misplaced")])
    def test_the_primary_threshold_decides_what_is_misplaced(self, threshold, cause):
        pair = record([box(0, 0, 100, 100)], [box(0, 0, 100, 80)])
        assert measure(pair, primary_threshold=threshold)["errors"][cause] == 1


class TestAttributes:
    def test_only_what_matched_pairs_say_is_listed(self):
        # The second prediction is matched to nothing: its brand and its text are of no concern here.
        pred = [box(0, 0, 10, 10, "类别=甲,组=1"), box(500, 0, 510, 10, "类别=甲,品牌=a,文本=b")]
        attributes = measure(record([box(0, 0, 10, 10, "类别=甲,组=1")], pred))["attributes"]
        assert (list(attributes["by_key"]), list(attributes["text"])) == (["组"], [])

    def test_free_text_keys_are_those_given(self):
        # 文本 is an attribute now, so its value ends at the comma; 备注 is free text still.
        desc = "类别=甲,文本=a,b,备注=c,d"
        attributes = measure(record([box(0, 0, 9, 9, desc)], [box(0, 0, 9, 9, desc)]), free_text_keys="备注")[
            "attributes"
        ]
        assert attributes["by_key"] == {"文本": {"gt": 1, "pred": 1, "matched": 1, "accuracy": 1.0}}
        assert attributes["text"] == {"备注": {"n": 1, "exact": 1.0, "similarity": 1.0}}

    def test_a_distance_of_any_size_is_only_wrong(self):
        pair = [box(0, 0, 9, 9, f"类别=站点距离,站点距离={value}") for value in ("98", "1e300")]
        distance = measure(record(pair[:1], pair[1:]))["attributes"]["distance"]
        assert (distance["n"], distance["exact"]) == (1, 0.0)


class TestLabels:
    def test_label_key_names_the_label(self):
        gt, pred = box(0, 0, 9, 9, "name=cat,类别=x"), box(0, 0, 9, 9, "类别=y,name=cat")
        report = measure(record([gt], [pred]), label_key="name")
        assert [row["label"] for row in report["modes"]["category"]["by_label"]] == ["cat"]
        assert (matched(report, "category")[0], list(report["attributes"]["by_key"])) == (1, ["类别"])

    def test_a_mapping_file_replaces_the_umbrellas_and_adds_keys(self, tmp_path):
        attributes = [{"name": "type", "values": ["光缆", "电缆"]}, {"name": "光纤", "values": []}]
        mapping = tmp_path / "mapping.json"
        content = {"object_types": {"cable": {"chinese_label": "线缆", "attributes": attributes}}}
        mapping.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        descs = ["线缆/光缆,完好", "螺丝、光纤插头/BBU安装螺丝", "类别=标签,文本=4G,光纤=2"]
        boxes = [box(20 * i, 0, 20 * i + 9, 9, desc) for i, desc in enumerate(descs)]
        report, default = measure(record(boxes, boxes), mapping=str(mapping)), measure(record(boxes, boxes))
        labels = [[row["label"] for row in each["modes"]["category"]["by_label"]] for each in (report, default)]
        assert labels == [["光缆", "标签", "螺丝、光纤插头"], ["BBU安装螺丝", "标签", "线缆"]]
        keys = [list(each["attributes"]["by_key"]) for each in (report, default)]
        assert keys == [["(unnamed, slash form)", "光纤"], ["(unnamed, slash form)"]]
        assert report["params"]["mapping_sha256"] == sha256(mapping.read_bytes()).hexdigest()
        assert report["params"]["mapping_sha256"] != default["params"]["mapping_sha256"]

    def test_a_mapping_file_that_is_none_is_an_error_at_once(self, tmp_path):
        with pytest.raises(ConfigError, match=r"nowhere\.json: cannot be read"):
            measure(mapping=str(tmp_path / "nowhere.json"))
