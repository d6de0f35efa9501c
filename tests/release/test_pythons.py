"""The same bytes on every Python: how Pythons are found, and what is said when a file differs.

The examples themselves run on this Python in tests/test_examples.py, which compares them with the files that are kept;
`make pythons` runs them on all Pythons of the machine, each with a wheel of its own.
"""

import hashlib

import pytest

from release import pythons


def interpreter(folder, version: str, code: int = 0) -> str:
    """A program that takes any arguments and ends with a code."""
    path = folder / f"python{version}"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\nexit {code}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def on_path(tmp_path, monkeypatch):
    """A folder that is the whole path."""
    folder = tmp_path / "path"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_pythons_are_those_on_the_path_of_pyenv_and_of_uv(tmp_path, on_path):
    home = tmp_path / "home"
    expected = {
        "3.11": interpreter(on_path, "3.11"),
        "3.13": interpreter(home / ".pyenv" / "versions" / "3.13.0" / "bin", "3.13"),
        "3.14": interpreter(home / ".local" / "share" / "uv" / "python" / "cpython-3.14.0-linux" / "bin", "3.14"),
    }
    interpreter(home / ".pyenv" / "versions" / "3.11.7" / "bin", "3.11")  # that on the path wins
    interpreter(home / ".pyenv" / "versions" / "3.10.1" / "bin", "3.10")  # not supported
    assert pythons.find_pythons(home) == expected


def test_a_placeholder_that_does_not_run_is_passed_over(tmp_path, on_path):
    interpreter(on_path, "3.12", code=127)
    real = interpreter(tmp_path / ".pyenv" / "versions" / "3.12.1" / "bin", "3.12")
    assert pythons.find_pythons(tmp_path) == {"3.12": real}


def test_one_python_alone_is_skipped_with_a_message(tmp_path, on_path, monkeypatch, capsys):
    interpreter(on_path, "3.11")
    monkeypatch.setattr("sys.argv", ["pythons"])
    monkeypatch.setattr(pythons.Path, "home", lambda: tmp_path)
    pythons.main()
    assert capsys.readouterr().out.splitlines() == [
        "Pythons: 3.11",
        "skipped: one Python alone has nothing to differ from",
    ]


def test_what_examples_wrote_is_known_by_its_bytes(tmp_path):
    out = tmp_path / "dense" / "out"
    out.mkdir(parents=True)
    (out / "result.json").write_bytes(b"{}\n")
    (out / "labels.png").write_bytes(b"picture")
    (tmp_path / "dense" / "command.txt").write_bytes(b"input")
    assert pythons.digests_of(tmp_path) == {"dense/out/result.json": hashlib.sha256(b"{}\n").hexdigest()}


def test_the_same_files_have_no_differences():
    assert pythons.find_differences({"3.11": {"a": "1"}, "3.12": {"a": "1"}}) == []
    assert pythons.find_differences({"3.11": {"a": "1"}, "3.12": {"a": "2"}}) == ["a: differs between 3.11 | 3.12"]
    assert pythons.find_differences({"3.11": {"a": "1"}, "3.12": {}}) == ["a: missing on 3.12"]
