"""Results that were kept come back as reports; anything else is an input error that says what was found."""

import json
import os
import threading
from pathlib import Path

import pytest

from calipers.cli.suite_command import run_suite
from calipers.core.errors import CalipersError, InputError, OutputError
from calipers.files.output import to_json
from calipers.report import Report, load
from calipers.results.artifacts import read_result
from calipers.schemas import schema
from calipers.show.page.build import result_page
from calipers.suite import suite_of

from .show.sample_reports import SUITES, report, tree

pytestmark = pytest.mark.usefixtures("blank_plots")


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
    kept.to_html(tmp_path / "page.html")
    assert b"clio" in (tmp_path / "page.html").read_bytes()


def test_matches_are_not_kept(tmp_path):
    report("dense").save(tmp_path / "result.json")
    with pytest.raises(CalipersError, match="matches: the records of this report were not kept"):
        load(tmp_path).matches()


# What is no artifact, whoever reads it


READERS = [load, lambda path: read_result(path, "old"), lambda path: result_page(str(path))]
every_reader = pytest.mark.parametrize("read", READERS, ids=["load", "compare", "page"])


@every_reader
def test_nothing_is_there(read, tmp_path):
    with pytest.raises(InputError, match=r"none\.json: is not there$"):
        read(tmp_path / "none.json")
    with pytest.raises(InputError, match=r"result\.json: is not there, expected a folder that a suite wrote"):
        read(tmp_path)
    (tmp_path / "result.json").mkdir()
    with pytest.raises(InputError, match=r"result\.json: cannot be read: Is a directory"):
        read(tmp_path)


@every_reader
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", r"is not JSON: .*; expected an artifact \(result\.json\)"),
        (b"", "is not JSON"),
        (b"\xff\xfe{", "is not JSON"),
        (b'{"protocol": NaN}', "is not JSON"),
        (b"[" * 5000, "is not JSON"),
        (b"[" * 900 + b"]" * 900, "is nested more than 100 deep, expected an artifact"),
        (b'{"protocol": ' + b"[" * 900 + b"]" * 900 + b"}", "is nested more than 100 deep"),
        (b"[1]", "no field protocol, expected an artifact of one of dense/1, timeline/1, scene/1, coco/1"),
        (b"7", "no field protocol"),
        (b"null", "no field protocol"),
        (b"{}", "no field protocol"),
        (b'{"protocol": "dense/2"}', "protocol 'dense/2', expected an artifact of one of"),
        (b'{"protocol": ["dense/1"]}', r"protocol \['dense/1'\]"),
        (b'{"protocol": "dense/1", "suite": "coco"}', "suite: found 'coco', expected 'dense'"),
        (
            b'{"protocol": "dense/1", "suite": "dense"}',
            "is not a whole artifact of dense/1: field 'calipers' is missing",
        ),
        (b'{"protocol": "scene/1", "suite": "scene", "params": {}, "records": {}}', "field 'calipers' is missing"),
        (b'{"protocol": "coco/1", "suite": {}}', "suite: found {}, expected 'coco'"),
    ],
)
def test_what_is_no_artifact_is_refused(read, content, message, tmp_path):
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("suite", SUITES)
def test_every_part_that_is_missing_is_named(suite, tmp_path):
    path, found = tmp_path / "result.json", tree(suite)
    for part in set(schema(suite).get("required", found)) - {
        "suite",
        "protocol",
        "engines",
    }:  # engines are there only where a library was used
        path.write_bytes(to_json({name: value for name, value in found.items() if name != part}))
        with pytest.raises(InputError, match=f"is not a whole artifact of {suite}/1: field '{part}' is missing"):
            load(path)


@every_reader
def test_a_file_that_is_too_large_is_not_read_to_its_end(read, monkeypatch, tmp_path):
    path = tmp_path / "result.json"
    with open(path, "wb") as file:
        file.truncate((1 << 30) + 1)  # no such file takes room on the disk
    with pytest.raises(InputError, match=r"result\.json: is larger than 1 GiB, expected an artifact"):
        read(path)


@every_reader
def test_a_stream_has_no_size_and_still_a_limit(read, monkeypatch):
    monkeypatch.setattr("calipers.artifact.MAX_ARTIFACT_BYTES", 1 << 22)
    with pytest.raises(InputError, match="/dev/zero: is larger than 1 GiB, expected an artifact"):
        read(Path("/dev/zero"))


def test_a_stream_is_read_as_a_file_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=[report("dense").to_json()])
    writer.start()
    assert load(tmp_path / "pipe").to_json() == report("dense").to_json()
    writer.join()


def test_the_page_of_a_folder_draws_its_failures(tmp_path):
    box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    dump, out, page = tmp_path / "dump.jsonl", tmp_path / "out", tmp_path / "page.html"
    dump.write_text(json.dumps({"id": "a", "gt_norm1000": [box], "pred": []}) + "\n", encoding="utf-8")
    run_suite(suite_of("dense"), {"dumps": [str(dump)]} | {"output": str(out)})
    load(out).to_html(page)
    assert page.read_bytes() == (out / "report.html").read_bytes()


# Where a page can go


@pytest.mark.parametrize("kept", [False, True])
def test_a_page_goes_into_any_file_but_not_where_an_artifact_would(kept, tmp_path):
    report("dense").save(tmp_path / "result.json")
    one = load(tmp_path) if kept else report("dense")
    one.to_html(tmp_path / "page.txt")
    assert (tmp_path / "page.txt").read_bytes().startswith(b"<!doctype html>")
    for name in ("result.json", "page.JSON"):
        with pytest.raises(OutputError, match=f"{name}: has the name of an artifact, expected that of a page"):
            one.to_html(tmp_path / name)
    with pytest.raises(OutputError, match="is a folder, expected a file to write the page to"):
        one.to_html(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.txt", "result.json"]
    assert (tmp_path / "result.json").read_bytes() == report("dense").to_json()
