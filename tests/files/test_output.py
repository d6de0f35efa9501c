"""Canonical JSON, and files that appear whole or not at all."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calipers.core.errors import OutputError
from calipers.files.output import (
    WrittenJson,
    atomic_file,
    atomic_files,
    json_line,
    json_text,
    send_to_disk,
    to_json,
    write_file,
)

from ..profiles import examples

# Canonical JSON

numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
trees = st.recursive(
    st.none() | st.booleans() | numbers | text,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=20,
)


@settings(deadline=None, max_examples=examples(150))
@given(trees)
def test_what_is_written_reads_back_the_same_and_is_written_the_same_again(tree):
    written = to_json(tree)
    assert json.loads(written) == tree
    assert to_json(json.loads(written)) == written


def digits_of(number):
    """The digits that matter, wherever the point stands."""
    return number.partition("e")[0].replace(".", "").replace("-", "").strip("0")


@settings(deadline=None, max_examples=examples(100))
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_written_in_the_shortest_form_that_reads_back_the_same(value):
    written = to_json(value).decode().strip()
    assert json.loads(written) == value
    assert digits_of(written) == digits_of(repr(value))


def test_a_line_holds_what_holds_nothing_else_and_the_rest_is_indented_by_two():
    tree = {"a": [1, 2.5, None, "x"], "b": {"c": True, "d": {}}, "e": [[1], []], "f": [], "g": {"h": 1, "i": "j"}}
    assert to_json(tree).decode().splitlines() == [
        "{",
        '  "a": [1, 2.5, null, "x"],',
        '  "b": {',
        '    "c": true,',
        '    "d": {}',
        "  },",
        '  "e": [',
        "    [1],",
        "    []",
        "  ],",
        '  "f": [],',
        '  "g": {"h": 1, "i": "j"}',
        "}",
    ]


def test_there_is_one_line_break_at_the_end():
    assert to_json({}) == b"{}\n"
    assert to_json([[1]]).endswith(b"]\n")


def test_keys_stay_in_their_order():
    assert to_json({"b": 1, "a": 2, "": 3}) == b'{"b": 1, "a": 2, "": 3}\n'
    assert to_json({"b": [[]], "a": 2}).index(b'"b"') < to_json({"b": [[]], "a": 2}).index(b'"a"')


def test_text_is_utf8_and_only_what_json_demands_is_escaped():
    assert to_json("类别=标签 😀 é\u2028") == '"类别=标签 😀 é\u2028"\n'.encode()
    assert to_json('a"b\\c\n\x00\x1b') == b'"a\\"b\\\\c\\n\\u0000\\u001b"\n'
    assert to_json({"图": [{}]}) == '{\n  "图": [\n    {}\n  ]\n}\n'.encode()


def test_a_comma_or_colon_in_a_text_gets_no_space():
    assert to_json(["a,b:c", {"d,e": "f:g"}]) == b'[\n  "a,b:c",\n  {"d,e": "f:g"}\n]\n'


class Table:
    """Makes its entries, or its text, when asked for them."""

    def __init__(self, tree, text):
        self._tree, self._text = tree, text

    def as_dict(self):
        return self._tree

    def spread_json(self, depth):
        return self._text and iter(self._text.replace(b"\n", b"\n" + b"  " * depth).splitlines(keepends=True))


def test_a_table_writes_itself_where_it_stands():
    table = Table({"b": {}, "c": [1]}, b'{\n  "b": {},\n  "c": [1]\n}')
    for whole in (lambda inner: {"a": inner}, lambda inner: [[1], {"x": 2, "y": inner}, inner], lambda inner: inner):
        assert to_json(whole(table)) == to_json(whole(table.as_dict()))
    assert to_json({"a": Table({"b": 1}, None)}) == to_json({"a": {"b": 1}})
    assert to_json({"a": table, "b": ["\x001"]}) == to_json({"a": table.as_dict(), "b": ["\x001"]})
    assert to_json([table, "\ud800"]) == to_json([str(table), "\ud800"])


def test_numbers_keep_their_kind():
    assert to_json([1, 1.0, -0.0, 1e100, 0.1, 2**63 - 1]) == b"[1, 1.0, -0.0, 1e+100, 0.1, 9223372036854775807]\n"


def test_json_that_is_written_already_stands_for_what_it_says():
    written = WrittenJson(json_text([1, {"a": "é"}]))
    assert json_line({"row": [written, 2]}) == '{"row":[[1,{"a":"é"}],2]}\n'.encode()
    assert json_text([written, "\ud800", 2**70]) == json_text([[1, {"a": "é"}], "\ufffd", str(2**70)])
    with pytest.raises(TypeError):
        orjson.dumps(written)


# Whole files


@pytest.fixture
def target(tmp_path) -> Path:
    path = tmp_path / "result.json"
    path.write_bytes(b"old")
    return path


def files_beside(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir())


def test_a_file_is_replaced_as_a_whole(target):
    write_file(target, b"new")
    assert target.read_bytes() == b"new"
    assert files_beside(target) == ["result.json"]


def test_a_file_that_was_not_there_appears(tmp_path):
    write_file(str(tmp_path / "结果.json"), b"new")
    assert files_beside(tmp_path / "x") == ["结果.json"]


def test_until_the_end_the_old_file_is_there(target):
    with atomic_file(target) as file:
        file.write(b"new")
        file.flush()
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("problem", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_a_failure_leaves_the_old_file_and_nothing_else(target, problem):
    with pytest.raises(problem, match="half way"):
        write_half(target, problem("half way"))
    assert target.read_bytes() == b"old"
    assert files_beside(target) == ["result.json"]


def test_a_failure_leaves_no_file_where_none_was(tmp_path):
    with pytest.raises(ValueError):
        write_half(tmp_path / "a.json", ValueError())
    assert list(tmp_path.iterdir()) == []


def write_half(path: Path, problem: BaseException) -> None:
    with atomic_file(path) as file:
        file.write(b"half of the ne")
        raise problem


def test_a_full_disk_is_an_error_that_names_the_file_and_the_reason(target, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=r"result\.json: cannot be written: No space left on device"):
        write_file(target, b"new")
    assert target.read_bytes() == b"old"
    assert files_beside(target) == ["result.json"]


def test_content_is_on_disk_before_the_file_takes_its_name(target, monkeypatch):
    calls = []
    sync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: (calls.append("fsync"), sync(descriptor)))
    monkeypatch.setattr(os, "replace", lambda old, new: (calls.append("replace"), replace(old, new)))
    write_file(target, b"new")
    assert calls[:2] == ["fsync", "replace"]
    assert target.read_bytes() == b"new"


def test_a_folder_that_is_not_there_is_made(tmp_path):
    write_file(tmp_path / "missing" / "deep" / "a.json", b"x")
    assert (tmp_path / "missing" / "deep" / "a.json").read_bytes() == b"x"


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match=r"file/deep: cannot be created: Not a directory"):
        write_file(tmp_path / "file" / "deep" / "a.json", b"x")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path):
    (tmp_path / "a.json").mkdir()
    with pytest.raises(OutputError, match="cannot be written"):
        write_file(tmp_path / "a.json", b"x")
    assert files_beside(tmp_path / "x") == ["a.json"]


def test_what_a_killed_run_left_behind_does_not_stop_the_next_one(target):
    with atomic_file(target) as file:
        left_behind = Path(file.name)
        file.write(b"new")
    left_behind.write_bytes(b"half of the")  # a killed run removes nothing, and process ids come again
    write_file(target, b"newer")
    assert target.read_bytes() == b"newer"


def test_two_that_write_the_same_file_at_once_do_not_get_in_each_others_way(target):
    with atomic_file(target) as file:
        file.write(b"one")
        other = threading.Thread(target=write_quietly, args=(target, b"two"))
        other.start()
        other.join()
    assert target.read_bytes() == b"one"
    assert files_beside(target) == ["result.json"]


def write_quietly(path: Path, content: bytes) -> None:
    try:
        write_file(path, content)
    except OutputError:
        return


def test_a_name_as_long_as_the_file_system_takes_can_be_written(tmp_path):
    write_file(tmp_path / ("x" * 250 + ".json"), b"new")
    assert (tmp_path / ("x" * 250 + ".json")).read_bytes() == b"new"


def test_signal_handlers_that_are_not_pythons_are_left_alone(tmp_path, monkeypatch):
    """Those that a library in C has installed cannot be put back."""
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    monkeypatch.setattr(signal, "signal", None)
    write_file(tmp_path / "a.json", b"1")
    assert (tmp_path / "a.json").read_bytes() == b"1"


# Permissions


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0, 0o666)])
def test_permissions_are_those_of_new_files(tmp_path, mask, mode):
    program = f"import os; os.umask({mask}); from calipers.files.output import write_file; write_file('out', b'x')"
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True)
    assert (tmp_path / "out").stat().st_mode & 0o777 == mode


def test_the_umask_is_left_alone(tmp_path, monkeypatch):
    def changed(mask):
        raise AssertionError("the umask belongs to all threads")

    monkeypatch.setattr("os.umask", changed)
    write_file(tmp_path / "out", b"x")
    assert (tmp_path / "out").read_bytes() == b"x"


def test_a_temporary_name_that_is_taken_is_left_alone(tmp_path, monkeypatch):
    names = iter([b"\xaa", b"\xaa", b"\xbb"])
    monkeypatch.setattr("os.urandom", lambda size: next(names))
    (tmp_path / ".calipers-aa.part").write_bytes(b"of somebody else")
    write_file(tmp_path / "out", b"x")
    assert (tmp_path / "out").read_bytes() == b"x"
    assert (tmp_path / ".calipers-aa.part").read_bytes() == b"of somebody else"


def test_where_every_name_is_taken_the_error_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("os.urandom", lambda size: b"\xaa")
    (tmp_path / ".calipers-aa.part").write_bytes(b"")
    with pytest.raises(OutputError, match="out: cannot be written: No free name for a temporary file"):
        write_file(tmp_path / "out", b"x")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("works", [True, False])
def test_files_are_whole_whether_or_not_the_system_stores_them_early(tmp_path, monkeypatch, works):
    def refused(*_):
        raise OSError(22, "Invalid argument")

    if not works:
        monkeypatch.setattr(os, "posix_fadvise", refused, raising=False)
    with atomic_files() as files:
        rows, small = files.open(tmp_path / "rows"), files.open(tmp_path / "small")
        for text in (b"a" * 5000, b"b"):
            begin = rows.tell()
            rows.write(text)
            send_to_disk(rows, begin)
        small.write(b"c")
    assert (tmp_path / "rows").read_bytes() == b"a" * 5000 + b"b"
    assert (tmp_path / "small").read_bytes() == b"c"
