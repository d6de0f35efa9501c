"""Canonical JSON, and files that appear whole or not at all."""

import errno
import json
import os
import string

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers
from calipers.files.output import atomic_file, to_json, write_file

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
PLAIN = st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | TEXT
TREES = st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))
FINITE = TREES.filter(lambda tree: "Infinity" not in json.dumps(tree))


@given(FINITE)
def test_what_is_written_reads_back_the_same_in_the_same_order(tree):
    content = to_json(tree)
    for read in (orjson.loads, json.loads):
        assert repr(read(content)) == repr(tree)


@given(FINITE)
def test_writing_what_was_read_gives_the_same_bytes(tree):
    assert to_json(orjson.loads(to_json(tree))) == to_json(tree)


@given(FINITE)
def test_only_the_blanks_differ_from_plain_json(tree):
    compact = to_json(tree)
    assert orjson.dumps(orjson.loads(compact)) == orjson.dumps(tree)
    assert compact.endswith(b"\n")
    assert b"\n\n" not in compact
    assert not any(line.endswith(b" ") for line in compact.split(b"\n"))


def test_what_holds_no_list_or_object_stands_on_one_line():
    tree = {"a": [1, 2.5, None], "b": {"c": "x,y: z", "d": True}, "e": [[1], []], "f": [], "g": {}, "h": {"i": {}}}
    assert to_json(tree).decode() == (
        "{\n"
        '  "a": [1, 2.5, null],\n'
        '  "b": {"c": "x,y: z", "d": true},\n'
        '  "e": [\n'
        "    [1],\n"
        "    []\n"
        "  ],\n"
        '  "f": [],\n'
        '  "g": {},\n'
        '  "h": {\n'
        '    "i": {}\n'
        "  }\n"
        "}\n"
    )


def test_plain_values_are_json_too():
    assert [to_json(value) for value in (None, 1, "标签", [], {})] == [
        b"null\n",
        b"1\n",
        '"标签"\n'.encode(),
        b"[]\n",
        b"{}\n",
    ]


def test_text_is_utf8_and_floats_are_shortest():
    assert to_json(["标签\u2028\x7f", 0.1, 1 / 3, 100.0, 5e-324, -0.0]).decode() == (
        '["标签\u2028\x7f", 0.1, 0.3333333333333333, 100.0, 5e-324, -0.0]\n'
    )
    assert to_json('"\\\n\x1b').decode() == '"\\"\\\\\\n\\u001b"\n'


def test_the_artifact_is_canonical():
    box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签"}
    report = calipers.dense([{"gt_norm1000": [box], "pred": [box]}])
    assert to_json(orjson.loads(report.to_json())) == report.to_json()
    assert '"标签"'.encode() in report.to_json()
    assert orjson.loads(report.to_json()) == report.tree


# ---------------------------------------------------------------- files


def test_a_file_takes_its_name_when_it_is_whole(tmp_path):
    path = tmp_path / "a.json"
    with atomic_file(path) as file:
        file.write(b"half")
        file.flush()
        assert not path.exists()
        file.write(b" and half")
    assert path.read_bytes() == b"half and half"
    assert os.listdir(tmp_path) == ["a.json"]


def break_off(path, error):
    with atomic_file(path) as file:
        file.write(b"half")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_whatever_goes_wrong_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "a.json"
    path.write_bytes(b"before")
    with pytest.raises(error):
        break_off(path, error)
    assert path.read_bytes() == b"before"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_file_that_cannot_be_written_is_an_output_error_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda number: (_ for _ in ()).throw(OSError(errno.EIO, "Input/output error")))
    with pytest.raises(calipers.OutputError, match=r"a\.json: cannot be written: Input/output error"):
        write_file(tmp_path / "a.json", b"")
    assert os.listdir(tmp_path) == []


@given(st.sampled_from(string.punctuation.replace("/", "")), st.binary(max_size=20))
def test_any_content_is_written_under_any_name(tmp_path_factory, mark, content):
    folder = tmp_path_factory.mktemp("names")
    write_file(folder / f"a{mark}b", content)
    assert (folder / f"a{mark}b").read_bytes() == content


def test_a_report_is_saved_as_its_artifact(tmp_path):
    report = calipers.dense([{"gt_norm1000": [], "pred": []}])
    for path in (tmp_path / "a.json", str(tmp_path / "b.json")):
        report.save(path)
    assert {(tmp_path / name).read_bytes() for name in ("a.json", "b.json")} == {report.to_json()}
