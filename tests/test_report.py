"""Reports: one plain tree, and everything else a view of it."""

import copy
import io
import json
import pickle
import sys

import pytest

import calipers
from calipers.core.errors import CalipersError, OutputError
from calipers.report import Report

BOX = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "类别=标签"}
OTHER = {"type": "line", "points": [0, 500, 900, 500], "desc": "类别=光纤"}
HALF = {"type": "bbox_2d", "points": [0, 0, 100, 60], "desc": "类别=标签"}
RECORDS = [
    {"image_path": "a.jpg", "gt_norm1000": [BOX, OTHER], "pred": [HALF, 7]},
    {"image_path": "b.jpg", "gt_norm1000": [OTHER], "pred": [OTHER]},
]
TOP = ["suite", "protocol", "calipers", "inputs", "params", "records", "objects", "modes", "counts", "errors"]


@pytest.fixture(scope="module")
def report() -> Report:
    return calipers.dense(RECORDS)


@pytest.fixture
def dump(tmp_path):
    path = tmp_path / "dump.jsonl"
    path.write_text("\n".join(map(json.dumps, RECORDS)))
    return path


def test_a_report_is_a_mapping_of_its_tree(report):
    assert list(report)[: len(TOP)] == TOP
    assert len(report) == len(report.tree)
    assert report["suite"] == "dense"
    assert report["modes"]["category"]["primary"]["f1"] == 4 / 6  # 2 of 3 and 3 objects find each other
    assert "modes" in report
    assert report.get("nothing") is None
    assert dict(report) == report.tree
    with pytest.raises(KeyError, match="nothing"):
        report["nothing"]


def test_a_report_says_what_it_is(report):
    assert repr(report).startswith("<Report dense/1: 2 records, category.precision 0.667, category.recall 0.667, ")
    assert (report["protocol"], report["calipers"]) == ("dense/1", calipers.__version__)


def test_the_text_of_a_report_is_its_summary_and_prints_undefined_as_a_dash(report):
    assert str(report).startswith("<records> ")
    assert "2 evaluated · 0 empty · 0 rejected" in str(report)
    assert "0.667" in str(report)
    assert "—" in str(calipers.dense([]))
    assert "None" not in str(calipers.dense([]))
    assert not str(report).endswith("\n")


def test_the_artifact_is_the_tree_as_json(report):
    assert json.loads(report.to_json()) == report.tree
    assert report.to_json() == report.to_json()


def test_the_artifact_has_no_number_that_json_has_no_word_for():
    for records in (RECORDS, RECORDS[:1], []):
        artifact = calipers.dense(records).to_json()
        assert b"NaN" not in artifact
        assert b"Infinity" not in artifact


def test_saving_writes_the_artifact(report, tmp_path):
    report.save(tmp_path / "result.json")
    assert (tmp_path / "result.json").read_bytes() == report.to_json()
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_saving_where_nothing_can_be_written_is_an_output_error(report, tmp_path):
    (tmp_path / "no folder").write_bytes(b"")
    with pytest.raises(OutputError, match="cannot be created"):
        report.save(tmp_path / "no folder" / "result.json")


def test_labels_and_names_that_are_no_valid_text_still_make_an_artifact(tmp_path):
    """A lone half of a surrogate pair, in a label or as Python reads a file name that is not UTF-8."""
    labelled = [{"id": "a", "gt_norm1000": [{**BOX, "desc": "类别=\ud800"}], "pred": []}]
    assert b'"suite": "dense"' in calipers.dense(labelled).to_json()


def test_a_file_whose_name_is_not_utf8_still_makes_an_artifact(tmp_path):
    path = tmp_path / "\udcff.jsonl"
    try:
        path.write_text(json.dumps(RECORDS[0]))
    except (OSError, UnicodeError):
        pytest.skip("this file system takes no such name")
    assert b'"suite": "dense"' in calipers.dense(path).to_json()


# Matches


def test_matches_tell_every_object_and_its_partner(report):
    rows = report.matches()
    assert [(row["key"], row["side"], row["index"], row["type"]) for row in rows] == [
        ("a.jpg", "gt", 0, "bbox_2d"),
        ("a.jpg", "gt", 1, "line"),
        ("a.jpg", "pred", 0, "bbox_2d"),
        ("a.jpg", "pred", 1, None),
        ("b.jpg", "gt", 0, "line"),
        ("b.jpg", "pred", 0, "line"),
    ]
    assert [row["category_partner"] for row in rows] == [0, None, 0, None, 0, 0]
    assert [row["category_overlap"] for row in rows] == [0.6, None, 0.6, None, 1.0, 1.0]
    assert [row["cause"] for row in rows] == ["matched", "missed", "matched", "spurious", "matched", "matched"]
    assert rows[3]["invalid"] == "not an object, expected {type, points, desc}"


def test_matches_agree_with_the_counts_of_the_report(report):
    rows = report.matches()
    for mode, tree in report["modes"].items():
        for side in ("gt", "pred"):
            partners = [row[f"{mode}_partner"] for row in rows if row["side"] == side]
            assert len(partners) == tree["primary"][side]
            assert sum(partner is not None for partner in partners) == tree["primary"]["matched"]


def test_matches_are_the_same_from_a_file_and_from_records(report, dump):
    assert calipers.dense(dump).matches() == report.matches()
    assert calipers.dense([dump], jobs=2, chunk_bytes=1).matches() == report.matches()
    assert calipers.dense(record for record in RECORDS).matches() == report.matches()


def test_matches_of_a_meter_are_refused_with_the_reason():
    meter = calipers.DenseMeter()
    meter.update(RECORDS)
    with pytest.raises(CalipersError, match="the records of this report were not kept"):
        meter.compute().matches()


def test_matches_of_standard_input_are_refused_with_the_reason(monkeypatch, dump):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(dump.read_bytes())))
    report = calipers.dense("-")
    with pytest.raises(CalipersError, match="standard input"):
        report.matches()


def test_a_report_can_be_copied_and_sent_to_another_process(report):
    for twin in (copy.deepcopy(report), pickle.loads(pickle.dumps(report))):
        assert twin.to_json() == report.to_json()
        assert str(twin) == str(report)
