"""How records are read: which lists, which numbers, which shapes, and what becomes of those that cannot be read."""

import copy
import gzip
import json
from hashlib import sha256
from math import inf, nan

import pytest

import calipers
from calipers.core.errors import InputError

from .records import box, line, matched, measure, poly, record

SQUARE = box(0, 0, 10, 10)
NOWHERE = box(900, 900, 910, 910)


def f1(report, mode="category"):
    return report["modes"][mode]["primary"]["f1"]


class TestSides:
    def test_ground_truth_is_gt_norm1000_else_gt_norm(self):
        assert f1(measure({"gt_norm": [SQUARE], "pred": [SQUARE]})) == 1.0
        assert f1(measure({"gt_norm1000": [SQUARE], "gt_norm": [NOWHERE], "pred": [SQUARE]})) == 1.0

    def test_predictions_are_pred_norm1000_if_present_else_pred(self):
        assert f1(measure({"gt_norm1000": [SQUARE], "pred_norm1000": [SQUARE]})) == 1.0
        assert f1(measure({"gt_norm1000": [SQUARE], "pred_norm1000": [SQUARE], "pred": [NOWHERE]})) == 1.0

    def test_a_present_but_empty_list_is_an_empty_list(self):
        report = measure({"gt_norm1000": [SQUARE], "pred_norm1000": [], "pred": [SQUARE]})
        assert report["objects"]["pred"] == 0
        report = measure({"gt_norm1000": [], "gt_norm": [SQUARE], "pred": []})
        assert report["records"]["skipped_empty"] == 1

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            (
                {"pred": []},
                r"no ground truth: expected gt_norm1000 \(or gt_norm\), a list of objects; found fields pred",
            ),
            ({"gt": [], "pred": []}, r"only gt in pixels, expected gt_norm1000 \(`frame=\"pixel\"`"),
            (
                {"gt_norm1000": []},
                r"no predictions: expected pred_norm1000 or pred, a list \(.*\); found fields gt_norm1000",
            ),
            ({"gt_norm1000": {}, "pred": []}, r"gt_norm1000: not a list, expected a list of objects\nfound \{\}"),
            (
                {"gt_norm1000": None, "gt_norm": [], "pred": []},
                r"gt_norm1000: not a list, expected a list of objects\nfound null",
            ),
            ({"gt_norm1000": [], "pred": "[]"}, r'pred: not a list, expected a list of objects\nfound "\[\]"'),
            (
                {"gt_norm1000": [], "pred_norm1000": None, "pred": []},
                r"pred_norm1000: not a list, expected a list of objects\nfound null",
            ),
            ({"gt_norm1000": [], "pred": [], "coord_mode": "pixel"}, 'coord_mode: found "pixel", expected norm1000'),
            ([], r"not a JSON object.*\nfound \[\]"),
        ],
    )
    def test_a_record_without_its_lists_is_an_input_error(self, given, message):
        with pytest.raises(InputError, match=rf"\A<records>:1: {message}"):
            measure(given)

    def test_the_key_is_image_path_or_id_or_image_else_file_and_line(self, tmp_path):
        dump = tmp_path / "dump.jsonl"
        names = [{"image_path": "a", "id": "b"}, {"image_path": "", "id": 0}, {"image": "c"}, {}, {"id": None}]
        dump.write_text("\n".join(json.dumps(record([SQUARE], [], **each)) for each in names), encoding="utf-8")
        keys = [row["key"] for row in calipers.dense(str(dump)).matches()]
        assert keys == ["a", "0", "c", f"{dump}:4", f"{dump}:5"]

    def test_the_callers_records_are_left_alone(self):
        given = record([box(10, 10, 0, 0), poly(0, 0, 10, 10, 10, 0, 0, 10)], [box(-5, 0, 10, 10)], other={"a": [1]})
        before = copy.deepcopy(given)
        measure(given)
        assert given == before


class TestPixels:
    def test_pixels_are_divided_by_width_and_height(self):
        # 200 by 100 pixels: y = 50 is 500, y = 50.4 is 504. Rows 492 … 507 and 496 … 511: 12 of 20.
        given = {"gt": [line(0, 50, 200, 50)], "pred": [line(0, 50.4, 200, 50.4)], "width": 200, "height": 100}
        report = measure(given, frame="pixel")
        assert report["params"]["frame"] == "pixel"
        assert report["modes"]["localization"]["mean_overlap_matched"] == 12 / 20

    def test_the_far_edge_is_inside_and_what_is_beyond_is_clamped(self):
        given = {"gt": [box(0, 0, 1920, 1080)], "pred": [box(0, 0, 1921, 1080)], "width": 1920, "height": 1080}
        report = measure(given, frame="pixel")
        assert (f1(report), report["objects"]["clamped"]) == (1.0, 1)

    def test_ground_truth_outside_the_image_is_an_input_error(self):
        given = {"gt": [box(0, 0, 10, 101)], "pred": [], "width": 200, "height": 100}
        with pytest.raises(InputError, match=r"gt\[0\]\.points: a number lies outside \[0, 200\] for x and \[0, 100\]"):
            measure(given, frame="pixel")

    @pytest.mark.parametrize("width", [None, 0, -1, "200", True, nan, inf])
    def test_a_size_that_is_no_positive_number_is_an_input_error(self, width):
        given = {"gt": [], "pred": [SQUARE], "width": width, "height": 100}
        with pytest.raises(InputError, match=r"width: found .*, expected a positive number"):
            measure(given, frame="pixel")


class TestShapes:
    @pytest.mark.parametrize("corners", [(10, 10, 0, 0), (10, 0, 0, 10), (0, 10, 10, 0)])
    def test_corners_of_a_box_come_in_any_order(self, corners):
        assert f1(measure(record([SQUARE], [box(*corners)]))) == 1.0

    def test_nested_points_are_the_same_as_flat_ones(self):
        flat = [SQUARE, poly(20, 0, 30, 0, 20, 10), line(0, 500, 600, 500, 700, 550)]
        points = [[[0, 0], [10, 10]], [[20, 0], [30, 0], [20, 10]], [[0, 500], [600, 500], [700, 550]]]
        nested = [{**each, "points": pairs} for each, pairs in zip(flat, points, strict=True)]
        for gt, pred in ((flat, nested), (nested, flat)):
            assert matched(measure(record(gt, pred)), "category") == [3] * 10

    def test_a_repeated_closing_point_is_dropped(self):
        closed = poly(0, 0, 10, 0, 10, 10, 0, 10, 0, 0)
        report = measure(record([closed], [SQUARE]))
        assert (f1(report), report["objects"]["repaired"]) == (1.0, 0)

    def test_1000_is_legal_and_not_clamped_to_999(self):
        corner = box(999, 999, 1000, 1000)
        report = measure(record([corner], [corner]))
        assert matched(report) == [1] * 10
        assert (report["objects"]["clamped"], report["objects"]["degenerate"]) == (0, 0)

    def test_predictions_outside_are_clamped_and_counted_once_each(self):
        gt = [SQUARE, line(0, 500, 1000, 500)]
        pred = [box(-5, -7, 10, 10), line(-1, 500, 1200, 500), box(1100, 0, 1200, 10)]
        report = measure(record(gt, pred))
        assert matched(report) == [2] * 10
        # The last one is clamped to the border and has no area left.
        assert report["objects"] == {
            "gt": 2,
            "pred": 3,
            "invalid_pred": 0,
            "clamped": 3,
            "repaired": 0,
            "degenerate": 1,
        }

    def test_an_object_that_gives_a_key_twice_is_repaired_and_counted(self, tmp_path):
        once = '{"type": "bbox_2d", "points": [0, 0, 9, 9], "desc": "类别=甲"}'
        twice = once.replace("}", ', "desc": "类别=乙"}')
        dump = tmp_path / "dump.jsonl"
        dump.write_text(f'{{"gt_norm1000": [{once}], "pred": [{twice}]}}\n', encoding="utf-8")
        report = calipers.dense(str(dump), bootstrap=0)
        assert report["objects"] | {"repaired": 1, "invalid_pred": 0, "pred": 1} == report["objects"]
        assert [matched(report, mode)[0] for mode in ("localization", "category")] == [1, 0]  # the last is 乙

    def test_crossing_edges_are_repaired_on_both_sides_and_counted(self):
        # A bow tie over the corners of the square: by angle they are the square again.
        bow_tie = poly(0, 0, 10, 10, 10, 0, 0, 10)
        for gt, pred in (([bow_tie], [SQUARE]), ([SQUARE], [bow_tie])):
            report = measure(record(gt, pred))
            assert (matched(report), report["objects"]["repaired"]) == ([1] * 10, 1)
        assert measure(record([bow_tie], [bow_tie]))["objects"]["repaired"] == 2

    def test_an_outline_that_meets_itself_at_a_vertex_has_the_area_it_encloses(self):
        # Two triangles of 25, either way round; and a square of 100 with a corner of 4 by 2 that is gone around again.
        eight = poly(0, 0, 5, 5, 10, 10, 10, 0, 5, 5, 0, 10)
        again = poly(0, 0, 10, 0, 10, 10, 0, 10, 0, 0, 4, 0, 4, 2, 0, 2)
        report = measure(record([eight], [eight]))
        assert (matched(report), report["objects"]["degenerate"]) == ([1] * 10, 0)
        report = measure(record([again], [SQUARE]))
        assert (matched(report), report["objects"]["repaired"]) == ([1] * 10, 0)

    @pytest.mark.parametrize("flat", [box(5, 5, 5, 9), box(5, 5, 5, 5), poly(0, 0, 5, 5, 9, 9)])
    def test_regions_without_area_match_nothing_not_even_themselves(self, flat):
        report = measure(record([flat], [flat]))
        assert (matched(report), report["objects"]["degenerate"]) == ([0] * 10, 2)

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            (7, r": not an object, expected \{type, points, desc\}\nfound 7"),
            ({**SQUARE, "type": "box"}, r'\.type: expected bbox_2d or poly or line\nfound "box"'),
            (
                {"points": [0, 0, 1, 1], "desc": ""},
                r"\.type: missing, expected bbox_2d or poly or line\nfound \{.points.: \[0, 0, 1, 1\], .desc.: ..\}",
            ),
            ({"type": "line", "desc": ""}, r"\.points: missing, expected"),
            (box(0, 0, 1, True), r"\.points: expected numbers only\nfound \[0, 0, 1, true\]"),
            (box(0, 0, 1, "1"), r'\.points: expected numbers only\nfound \[0, 0, 1, "1"\]'),
            (box(0, 0, 1, nan), r"\.points: a number is not finite, expected finite numbers\nfound \[0, 0, 1, NaN\]"),
            (box(0, 0, 1, -inf), r"\.points: a number is not finite"),
            (box(0, 0, 1, 1001), r"\.points: a number lies outside \[0, 1000\]"),
            ({**SQUARE, "points": [0, 0, 1]}, r"\.points: 3 numbers, expected 4 for a bbox_2d"),
            (poly(0, 0, 1, 1), r"\.points: 4 numbers, expected at least 3 points for a poly"),
            (poly(0, 0, 1, 1, 2, 2, 3), r"\.points: 7 numbers, expected pairs of x and y for a poly"),
            (line(0, 0), r"\.points: 2 numbers, expected at least 2 points for a line"),
            ({"type": "bbox_2d", "points": [0, 0, 1, 1]}, r"\.desc: missing, expected a string"),
            (box(0, 0, 1, 1, None), r"\.desc: expected a string \(it may be empty\)\nfound null"),
        ],
    )
    def test_malformed_ground_truth_is_an_input_error(self, wrong, message):
        with pytest.raises(InputError, match=rf"\A<records>:1: gt_norm1000\[1\]{message}"):
            measure(record([SQUARE, wrong], []))


class TestInvalidPredictions:
    INVALID = (
        None,
        7,
        {},
        {"type": "circle", "points": [1, 1, 2, 2], "desc": "类别=甲"},
        {"type": "bbox_2d", "points": [1, 2, 3], "desc": "类别=甲"},
        {"type": "bbox_2d", "points": [1, 2, 3, "4"], "desc": "类别=乙"},
        {"type": "poly", "points": [1, 2, 3, 4], "desc": 5},
        {"type": "line", "points": [1, nan, 3, 4], "desc": "线/x"},
        {"type": "line", "desc": "线/x"},
    )

    def test_they_count_as_predictions_that_match_nothing(self):
        report = measure(record([SQUARE], [SQUARE, *self.INVALID]))
        assert (report["objects"]["pred"], report["objects"]["invalid_pred"]) == (10, 9)
        for mode in report["modes"].values():
            assert [(row["pred"], row["matched"]) for row in mode["thresholds"]] == [(10, 1)] * 10
        assert report["counts"] == {"mae": 9.0, "over_rate": 1.0, "under_rate": 0.0, "equal_rate": 0.0}
        assert report["errors"]["spurious"] == 9

    def test_they_count_under_the_type_and_label_they_name(self):
        modes = measure(record([], self.INVALID))["modes"]
        by_type = {name: tree["thresholds"][0]["pred"] for name, tree in modes["localization"]["by_type"].items()}
        assert by_type == {"bbox_2d": 2, "poly": 1, "line": 2}
        labels = {row["label"]: row["pred"] for row in modes["category"]["by_label"]}
        assert labels == {"乙": 1, "甲": 2, "线": 2}

    def test_they_are_listed_with_the_reason(self):
        rows = measure(record([], [*self.INVALID[:1], *self.INVALID[3:5]])).matches()
        assert [(row["type"], row["invalid"]) for row in rows] == [
            (None, "not an object, expected {type, points, desc}"),
            (None, "type: expected bbox_2d or poly or line"),
            ("bbox_2d", "points: 3 numbers, expected 4 for a bbox_2d"),
        ]

    @pytest.mark.parametrize("desc", [None, 5, ["类别=甲"]])
    def test_a_desc_that_is_no_string_is_the_empty_desc_of_a_valid_object(self, desc):
        report = measure(record([SQUARE], [{**SQUARE, "desc": desc}]))
        assert report["objects"]["invalid_pred"] == 0
        assert [f1(report, mode) for mode in report["modes"]] == [1.0, 0.0, 0.0]

    @pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999", "1" + 400 * "0"])
    def test_a_literal_beyond_numbers_spoils_only_the_object_it_is_in(self, tmp_path, literal):
        dump = tmp_path / "dump.jsonl"
        text = json.dumps(record([SQUARE], [SQUARE, box(0, 0, 10, 77)])).replace("77", literal)
        dump.write_text(text, encoding="utf-8")
        report = calipers.dense(str(dump), bootstrap=0)
        assert (report["objects"]["invalid_pred"], report["modes"]["category"]["primary"]["matched"]) == (1, 1)


class TestRecordsAndInputs:
    TEXT = (
        json.dumps(record([SQUARE], [SQUARE], id=1))
        + "\n\n   \n"
        + json.dumps(record([], []))
        + "\n"
        + json.dumps(record([box(0, 0, 9, 1001)], []))
        + "\n{"
    )

    def test_read_is_evaluated_and_skipped_and_rejected(self, tmp_path):
        dump = tmp_path / "dump.jsonl"
        dump.write_text(self.TEXT, encoding="utf-8")
        report = calipers.dense(str(dump), max_bad_records=2)
        assert report["records"] == {"read": 4, "evaluated": 1, "skipped_empty": 1, "rejected": 2}
        assert report["inputs"] == [
            {"path": str(dump), "sha256": sha256(self.TEXT.encode()).hexdigest(), "records": 4},
        ]

    def test_rejected_records_are_listed_with_place_problem_and_what_was_found(self, tmp_path):
        dump = tmp_path / "dump.jsonl"
        dump.write_text(self.TEXT, encoding="utf-8")
        outside, cut = calipers.dense(str(dump), max_bad_records=2)["rejected"]
        assert outside == {
            "path": str(dump),
            "line": 5,
            "problem": "gt_norm1000[0].points: a number lies outside [0, 1000], expected all of them inside "
            '(are these pixels? `frame="pixel"` reads them)',
            "found": "[0, 0, 9, 1001]",
        }
        assert (cut["line"], cut["problem"].partition(":")[0]) == (6, "not JSON")

    @pytest.mark.parametrize(("most", "line_number"), [(0, 5), (1, 6)])
    def test_one_bad_record_too_many_ends_the_run_at_that_one(self, tmp_path, most, line_number):
        dump = tmp_path / "dump.jsonl"
        dump.write_text(self.TEXT, encoding="utf-8")
        with pytest.raises(InputError, match=rf"dump\.jsonl:{line_number}: ") as error:
            calipers.dense(str(dump), max_bad_records=most)
        assert error.value.exit_code == 3

    def test_a_rejected_record_leaves_no_trace_but_its_entry(self):
        bad = record([box(0, 0, 9, 9, "类别=丙,品牌=a,文本=b"), box(0, 0, 9, 1001)], [box(0, 0, 9, 9, "类别=丁,组=1")])
        with_it = measure(record([SQUARE], [SQUARE]), bad, max_bad_records=1)
        without = measure(record([SQUARE], [SQUARE]), max_bad_records=1)
        changed = {key for key in with_it if with_it[key] != without[key]}
        assert changed == {"inputs", "records", "rejected"}

    def test_the_digest_is_of_the_bytes_as_stored(self, tmp_path):
        plain, packed = tmp_path / "dump.jsonl", tmp_path / "dump.jsonl.gz"
        content = (json.dumps(record([SQUARE], [SQUARE], id=1)) + "\n").encode()
        plain.write_bytes(content)
        packed.write_bytes(gzip.compress(content))
        report = calipers.dense([str(plain), str(packed)])
        assert report["inputs"] == [
            {"path": str(path), "sha256": sha256(path.read_bytes()).hexdigest(), "records": 1}
            for path in (plain, packed)
        ]
        assert report["records"]["evaluated"] == 2

    @pytest.mark.parametrize("content", ["", "\n \n"])
    def test_an_empty_file_is_an_input_error(self, tmp_path, content):
        dump = tmp_path / "dump.jsonl"
        dump.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match="no records, expected one JSON object a line"):
            calipers.dense(str(dump))
