"""Results that were kept come back as reports; anything else is an input error that says what was found."""

import json

import pytest

from calipers.cli.dense import run_dense
from calipers.errors import CalipersError, InputError
from calipers.report import Report, load

from .views.sample_reports import SUITES, report, tree


@pytest.mark.parametrize("suite", SUITES)
def test_a_report_that_was_saved_comes_back(suite, tmp_path):
    path = tmp_path / "result.json"
    report(suite).save(path)
    kept = load(path)
    assert isinstance(kept, Report)
    assert kept.to_json() == report(suite).to_json()
    assert str(kept) == str(report(suite))
    assert kept.flat("val/") == report(suite).flat("val/")


def test_a_folder_is_read_by_its_artifact(tmp_path):
    report("dense").save(tmp_path / "result.json")
    assert load(str(tmp_path))["suite"] == "dense"


def test_the_artifact_of_one_method_comes_back(tmp_path):
    path = tmp_path / "clio.json"
    path.write_text(json.dumps(tree("scene")["methods"]["clio"]))
    kept = load(path)
    assert kept.flat()["clio/f1"] == report("scene").flat()["clio/f1"]
    assert " clio       27     24 " in str(kept)


def test_matches_are_not_kept(tmp_path):
    report("dense").save(tmp_path / "result.json")
    with pytest.raises(CalipersError, match="matches: the records of this report were not kept"):
        load(tmp_path).matches()


def test_nothing_is_there(tmp_path):
    with pytest.raises(InputError, match=r"none\.json: cannot be read: No such file"):
        load(tmp_path / "none.json")
    with pytest.raises(InputError, match=r"result\.json: cannot be read: No such file"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not JSON: .*, expected an artifact"),
        (b"", "is not JSON"),
        (b"[1]", "found no protocol, expected an artifact of dense/1, timeline/1, scene/1, coco/1"),
        (b"{}", "found no protocol"),
        (b'{"protocol": "dense/2"}', "found protocol 'dense/2', expected an artifact of"),
        (b'{"protocol": ["dense/1"]}', r"found protocol \['dense/1'\]"),
        (b'{"protocol": "dense/1", "suite": "coco"}', "suite: found 'coco', expected 'dense'"),
        (b'{"protocol": "dense/1", "suite": "dense"}', "is not a whole artifact of dense/1: params is missing"),
        (b'{"protocol": "scene/1", "suite": "scene", "params": {}, "records": {}}', "methods is missing"),
        (b'{"protocol": "coco/1", "suite": "coco", "params": 3}', "params is missing"),
        (b"[" * 5000, "is not JSON"),
    ],
)
def test_what_is_no_artifact_is_refused(content, message, tmp_path):
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(str(path))


def test_the_page_of_a_folder_draws_its_failures(tmp_path):
    box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    dump, out, page = tmp_path / "dump.jsonl", tmp_path / "out", tmp_path / "page.html"
    dump.write_text(json.dumps({"id": "a", "gt_norm1000": [box], "pred": []}) + "\n", encoding="utf-8")
    run_dense([str(dump)], {"output": str(out)})
    load(out).to_html(page)
    assert page.read_bytes() == (out / "report.html").read_bytes()
