"""Files below a folder: which are found, in what order, and what they are called."""

import os

import pytest

from calipers.files.folders import few_files_below, files_below


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("b.TXT", "a.txt", "a/c.txt", "a/b/d.txt", "a/note.md", ".e.txt", ".f/g.txt", "h.txt/i.txt"):
        (tmp_path / "set" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "set" / name).write_text(name)
    os.symlink("nowhere", tmp_path / "set" / "j.txt")
    os.symlink("..", tmp_path / "set" / "a" / "back")
    monkeypatch.chdir(tmp_path / "set")
    return tmp_path / "set"


@pytest.mark.parametrize("path", [".", "./", "../set", "..//set/", "../set/../set", "{}"])
def test_files_are_called_as_within_the_folder(folder, path):
    found = files_below(path.format(folder), (".txt",))
    assert found == ["a.txt", "a/b/d.txt", "a/c.txt", "b.TXT", "h.txt/i.txt"]


def test_some_files_are_found_nearest_first(folder):
    assert few_files_below(str(folder), ".txt", 3) == [f"{folder}/{name}" for name in ("a.txt", "b.TXT", "a/c.txt")]
    assert few_files_below(str(folder), ".csv") == []
