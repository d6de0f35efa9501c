"""Dense dumps: what a check says of them, and the reading of predictions it finds."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import calipers
from calipers.results.check import check
from calipers.suites.dense.peek import frame_of

from ..profiles import share

DUMP = Path(calipers.__file__).parent / "data" / "dense.jsonl"
ALL_RECORDS = [json.loads(line) for line in DUMP.read_text(encoding="utf-8").splitlines()]
RECORDS = ALL_RECORDS[:: 1 if share() == 1 else 4]
BOX = {"type": "bbox_2d", "points": [10, 20, 110, 220], "desc": "类别=标签"}


def points_of(item):
    points = item.get("points") if isinstance(item, dict) else None
    good = isinstance(points, list) and len(points) % 2 == 0 and all(type(value) in (int, float) for value in points)
    return points if good and all(value == value for value in points) else None


def misread(change, records=RECORDS):
    """The records with predictions written in another way; ground truth stays."""
    changed = []
    for record in records:
        name = "pred_norm1000" if "pred_norm1000" in record else "pred"
        items = [
            item if points_of(item) is None else {**item, "points": change(item["points"], record, item)}
            for item in record[name]
        ]
        changed.append({**record, name: items})
    return changed


def boxes(change):
    """A change of boxes alone."""
    return lambda points, record, item: change(*points) if item.get("type") == "bbox_2d" else points


def pixels(points, record, item):
    return [value * (record["width"], record["height"])[at % 2] / 1000 for at, value in enumerate(points)]


def swapped(points, record, item):
    return [value for at in range(0, len(points), 2) for value in points[at : at + 2][::-1]]


def resized(side):
    def change(points, record, item):
        factor = side / max(record["width"], record["height"])
        return [value * factor for value in pixels(points, record, item)]

    return change


as_sizes = boxes(lambda x1, y1, x2, y2: [x1, y1, x2 - x1, y2 - y1])
as_centre = boxes(lambda x1, y1, x2, y2: [(x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1])


def times(factor):
    return lambda points, record, item: [value * factor for value in points]


def after(first, second):
    return lambda points, record, item: second(first(points, record, item), record, item)


READINGS = {
    "pixels -> norm1000 by width/height": pixels,
    "fractions 0–1 -> norm1000": times(0.001),
    "percent 0–100 -> norm1000": times(0.1),
    "a grid of 1024 -> norm1000": times(1.024),
    "x and y swapped": swapped,
    "boxes as [x, y, w, h]": as_sizes,
    "boxes as [cx, cy, w, h]": as_centre,
    "pixels -> norm1000 by width/height, x and y swapped": after(pixels, swapped),
    "pixels -> norm1000 by width/height, boxes as [x, y, w, h]": after(as_sizes, pixels),
    "fractions 0–1 -> norm1000, boxes as [cx, cy, w, h]": after(as_centre, times(0.001)),
    "pixels of an image resized to 1280 on its longer side": resized(1280),
}


@cache
def right_data():
    return check(RECORDS)


@cache
def all_right_data():
    return check(ALL_RECORDS)


def likely(found):
    [sides] = found["comparisons"]
    return [reading["name"] for reading in sides["readings"] if reading["likely"]]


@pytest.mark.parametrize("name", READINGS)
def test_the_reading_is_found_and_would_score_as_the_right_data_do(name):
    found = check(misread(READINGS[name]))
    assert likely(found) == [name]
    right = right_data()["comparisons"][0]
    reading = found["comparisons"][0]["readings"][0]
    assert reading["score"] == pytest.approx(right["score"], abs=0.01)
    assert reading["overlap"] == pytest.approx(right["overlap"], abs=0.01)


def test_right_data_raise_no_alarm():
    found = right_data()
    assert found["ok"]
    assert found["comparisons"][0]["readings"] == []


def test_a_poor_model_raises_no_alarm():
    """Boxes somewhere else are wrong however they are read."""

    def lost(points, record, item):
        return [(value * 7 + 311) % 1000 for value in points]

    assert likely(check(misread(lost))) == []


def test_a_grid_of_999_cannot_be_told_and_is_not():
    assert likely(check(misread(times(0.999)))) == []


IN_PIXELS = {
    "": pixels,
    "norm1000 -> pixels by width/height": times(1),
    "fractions 0–1 -> pixels by width/height": times(0.001),
    "x and y swapped": after(pixels, swapped),
    "boxes as [x, y, w, h]": after(as_sizes, pixels),
    "pixels of an image resized to 1280 on its longer side": resized(1280),
}


@pytest.mark.parametrize("name", IN_PIXELS)
def test_readings_where_records_are_in_pixels(name):
    records = []
    for record in misread(IN_PIXELS[name]):
        truth = record.get("gt_norm1000", record.get("gt_norm"))
        truth = [{**item, "points": pixels(item["points"], record, item)} for item in truth]
        pred = record.get("pred_norm1000", record.get("pred"))
        records.append({"width": record["width"], "height": record["height"], "gt": truth, "pred": pred})
    assert frame_of(records) == "pixel"
    found = check(records)
    assert found["ok"]
    assert found["files"][0]["kind"] == "dense dump, pixel"
    assert any('calipers dense `frame="pixel"` reads them' in text for text in found["files"][0]["warnings"])
    assert likely(found) == ([name] if name else [])


def test_the_advice_is_the_flag_where_ground_truth_in_pixels_is_there_too():
    both = [
        {
            "width": 4000,
            "height": 2000,
            "gt": [{**BOX, "points": [2000, 200, 2400, 400]}],
            "gt_norm1000": [{**BOX, "points": [500, 100, 600, 200]}],
            "pred": [{**BOX, "points": [2000, 200, 2400, 400]}],
        }
    ] * 3
    [sides] = check(both)["comparisons"]
    assert sides["readings"][0]["advice"] == 'rerun with `frame="pixel"`'


# Pixels of images whose size no record tells


def unsized(records):
    return [{key: value for key, value in record.items() if key not in ("width", "height")} for record in records]


def of_size(width, height):
    return lambda points, record, item: [value * (width, height)[at % 2] / 1000 for at, value in enumerate(points)]


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (3024, 4032), (640, 480), (1234, 777)])
def test_one_size_is_found_for_pixels_where_records_have_none(width, height):
    found = check(unsized(misread(of_size(width, height), ALL_RECORDS)))  # fewer do not tell 1234 from 1233
    assert likely(found) == [f"pixels of images of {width} × {height} -> norm1000"]
    right = all_right_data()["comparisons"][0]
    reading = found["comparisons"][0]["readings"][0]
    assert reading["score"] == pytest.approx(right["score"], abs=0.01)
    assert reading["advice"] == (
        f"scale pred by 1000/{width} and 1000/{height}, or write width {width} and height {height} into the records"
        ' and rerun with `frame="pixel"` (which needs gt in pixels too)'
    )


def test_one_size_is_found_with_another_layout_too():
    found = check(unsized(misread(after(as_sizes, of_size(1920, 1080)))))
    assert likely(found) == ["pixels of images of 1920 × 1080 -> norm1000, boxes as [x, y, w, h]"]


def test_one_exact_box_a_record_is_enough():
    #   500 * 1.92 = 960, 100 * 1.08 = 108, 600 * 1.92 = 1152, 200 * 1.08 = 216
    truth, pred = {**BOX, "points": [500, 100, 600, 200]}, {**BOX, "points": [960, 108, 1152, 216]}
    records = [{"id": k, "gt": [], "gt_norm1000": [truth], "pred": [pred]} for k in range(3)]
    [sides] = check(records)["comparisons"]
    assert sides["readings"][0]["name"] == "pixels of images of 1920 × 1080 -> norm1000"
    assert (
        sides["readings"][0]["advice"]
        == 'write width 1920 and height 1080 into the records and rerun with `frame="pixel"`'
    )


@pytest.mark.parametrize(
    "change", [lambda at: [(at * 7 + 311) % 900, 50], lambda at: [at + 120, 100], lambda at: [at, 100]]
)
def test_no_size_is_named_for_boxes_that_are_elsewhere_or_right(change):
    """Somewhere else, moved by 120, or where they belong."""
    records = []
    for k in range(40):
        truth = [{**BOX, "points": [x, x, x + 100, x + 100]} for x in (20 * k % 800, (90 * k + 400) % 800)]
        moved = [(*change(item["points"][0]), item) for item in truth]
        pred = [{**item, "points": [at, at, at + size, at + size]} for at, size, item in moved]
        records.append({"id": k, "gt_norm1000": truth, "pred": pred})
    [sides] = check(records)["comparisons"]
    assert not any("×" in reading["name"] for reading in sides["readings"])


def test_what_another_reading_explains_as_well_has_no_size():
    """[20, 10, 220, 110] is [10, 20, 110, 220] swapped, and in pixels of 2000 by 500."""
    found = check([{"id": "a", "gt_norm1000": [BOX], "pred": [{**BOX, "points": [20, 10, 220, 110]}]}])
    assert [reading["name"] for reading in found["comparisons"][0]["readings"]] == ["x and y swapped"]


def test_records_that_tell_their_size_have_no_other_found():
    [sides] = check(misread(of_size(1920, 1080)))["comparisons"]
    assert not any("×" in reading["name"] for reading in sides["readings"])


def test_a_size_is_found_from_a_bounded_number_of_pairs(monkeypatch):
    from calipers.suites.dense import pixel_scale as scale_dense

    box = scale_dense.SampledObjects(np.zeros(50), np.arange(200.0).reshape(50, 4) + 1)
    monkeypatch.setattr(scale_dense, "MAX_PAIRS", 2 * 40 * 40 + 1)  # 40 of each side of a record
    votes = scale_dense._votes([box] * 5, [box] * 5)
    assert votes.owner.max() < 100  # of the first two records, which have 50 objects each
    assert scale_dense.fitted_size([], []) is None


# The file


def test_ground_truth_of_the_sample_is_perfect_against_itself():
    [file] = check(DUMP)["files"]
    assert file["itself"] == {
        "figures": {"localization F1": 1.0, "phase F1": 1.0, "category F1": 1.0},
        "perfect": True,
        "apart": {"no area": 0, "no label": 0},
        "imperfect": [],
    }


def test_what_matches_nothing_by_definition_is_left_aside():
    flat, nameless = {**BOX, "points": [10, 20, 10, 220]}, {**BOX, "desc": ""}
    [file] = check([{"id": 1, "gt_norm1000": [BOX, flat, nameless], "pred": []}])["files"]
    assert file["itself"]["perfect"]
    assert file["itself"]["apart"] == {"no area": 1, "no label": 1}
    # 2 of 3 have area; 1 of 3 has area and a label
    assert list(file["itself"]["figures"].values()) == [2 / 3, 1 / 3, 1 / 3]


def test_counts_and_ranges():
    line = {"type": "line", "points": [0, 0, 100, 50], "desc": "类别=光纤"}
    records = [{"id": "a", "gt_norm1000": [BOX, line], "pred": [BOX]}, {"id": "b", "gt_norm1000": [], "pred": []}]
    [file] = check(records)["files"]
    assert file["counts"] == {
        "records": {"read": 2, "with objects": 1, "empty": 1},
        "ground truth": {"objects": 2, "bbox_2d": 1, "line": 1, "labels": 2},
        "predictions": {"objects": 1, "bbox_2d": 1, "labels": 1},
    }
    ranges = {row["what"]: (row["min"], row["median"], row["max"]) for row in file["ranges"]}
    assert ranges["ground truth x"] == (0, 55, 110)  # of 10, 110, 0, 100
    assert ranges["predicted height"] == (200, 200, 200)


def test_every_bad_record_is_told_not_only_the_first(tmp_path):
    lines = [
        json.dumps({"id": "a", "gt_norm1000": [BOX], "pred": []}),
        '{"gt_norm1000": [',
        json.dumps({"gt_norm1000": [{**BOX, "points": [1, 2, 3]}], "pred": []}),
        json.dumps({"gt_norm1000": [BOX]}),
        json.dumps({"gt": [BOX], "pred": []}),
    ]
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(lines))
    found = check(path)
    assert not found["ok"]
    assert found.exit_code == 3
    refused = found["files"][0]["refused"]
    assert refused["n"] == 4
    assert [text.split(":")[1] for text in refused["first"]] == ["2", "3", "4", "5"]
    assert "not JSON" in refused["first"][0]
    assert "3 numbers, expected 4 for a bbox_2d; found [1, 2, 3]" in refused["first"][1]


def test_duplicate_keys_and_labels_on_one_side_with_the_nearest_spelling():
    guess = {**BOX, "desc": "类别=标签纸"}
    record = {"image_path": "a.jpg", "gt_norm1000": [BOX], "pred": [guess]}
    found = check([record, record, {**record, "image_path": "b.jpg"}])
    assert found["files"][0]["doubled"] == {"n": 1, "first": ["a.jpg"]}
    assert found["comparisons"][0]["labels"] == {
        "shared": 0,
        "gt_only": [{"label": "标签", "n": 3, "nearest": "标签纸"}],
        "pred_only": [{"label": "标签纸", "n": 3, "nearest": "标签"}],
    }


@pytest.mark.parametrize(
    ("pred", "words"),
    [
        ([], "predictions: no objects at all"),
        ([{**BOX, "points": [0.1 * k, 0, 0.1 * k + 0.05, 0.1]} for k in range(6)], "are they fractions of the image?"),
        (
            [{**BOX, "points": [k, 0, k + 7, 9]} for k in range(6)],
            "predictions: every object has the same size, 7 by 9",
        ),
        ([{**BOX, "points": [5, 5, 5, 90]}], "predictions: 1 object without area, matching nothing"),
        ([{**BOX, "points": [5, 5, 1005, 90]}], "predictions: 1 object reaching outside the frame, cut to it"),
        ([BOX, BOX, BOX], "predictions: 2 objects repeating another of the record (in the first 1 record)"),
        ([{**BOX, "desc": "?="}], "predictions: 1 object without a label, matching nothing by label"),
    ],
)
def test_what_looks_wrong_is_said(pred, words):
    [file] = check([{"id": "a", "gt_norm1000": [BOX], "pred": pred}])["files"]
    assert any(words in warning for warning in file["warnings"]), file["warnings"]


@pytest.mark.parametrize("name", ["score", "confidence", "conf", "prob", "probability", "logprob"])
def test_scores_on_the_side_of_the_ground_truth_are_strange(name):
    record = {"gt_norm1000": [{**BOX, name: 0.9}], "pred": [BOX]}
    assert any("swapped" in warning for warning in check([record])["files"][0]["warnings"])
    record = {"gt_norm1000": [BOX], "pred": [{**BOX, name: 0.9}]}
    assert not any("swapped" in warning for warning in check([record])["files"][0]["warnings"])


def test_repeated_objects_are_said_of_either_side():
    record = {"id": "a", "gt_norm1000": [BOX, BOX, BOX], "pred": [BOX, BOX]}
    warnings = check([record])["files"][0]["warnings"]
    assert warnings == [
        "ground truth: 2 objects repeating another of the record (in the first 1 record)",
        "predictions: 1 object repeating another of the record (in the first 1 record)",
    ]


def test_a_sample_stands_for_a_large_dump(tmp_path):
    """Records in another reading beyond the sample do not matter, and how many were looked at is said."""
    path = tmp_path / "many.jsonl"
    record = {"gt_norm1000": [BOX], "pred": [BOX]}
    path.write_text("".join(json.dumps({**record, "id": k}) + "\n" for k in range(600)))
    [sides] = check(path)["comparisons"]
    assert sides["sample"] == {"what": "records", "n": 500, "of": 600}


@pytest.mark.parametrize("ending", [".gz", ".zst"])
def test_compressed_dumps_are_read_as_others(tmp_path, ending):
    import gzip

    import zstandard

    pack = gzip.compress if ending == ".gz" else zstandard.ZstdCompressor().compress
    path = tmp_path / f"dump.jsonl{ending}"
    path.write_bytes(pack(DUMP.read_bytes()))
    found, plain = check(path), check(DUMP)
    assert found["files"][0]["counts"] == plain["files"][0]["counts"]
    assert found["comparisons"][0]["score"] == plain["comparisons"][0]["score"]
