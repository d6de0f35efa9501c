"""The same bytes on every Python: how Pythons are found, and that all of them get wheels of the same sources.

The examples themselves run on this Python in tests/test_examples.py, which compares them with the files that are kept;
`make pythons` runs them on all Pythons of the machine, each with a wheel of its own.
"""

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


def test_all_wheels_are_made_of_one_copy_of_the_sources(tmp_path, monkeypatch, capsys):
    built = []

    class Environment:
        def __init__(self, folder, python):
            self.run = None

        def install(self, wheel):
            pass

    def unpack(folder):
        (folder / "calipers-0.1.0").mkdir(parents=True)

    monkeypatch.setattr("sys.argv", ["pythons"])
    monkeypatch.setattr(pythons, "FOLDER", tmp_path)
    monkeypatch.setattr(pythons, "SOURCES", tmp_path / "sources")
    monkeypatch.setattr(pythons, "find_pythons", lambda home: {"3.11": "python3.11", "3.12": "python3.12"})
    monkeypatch.setattr(pythons, "make_inputs", lambda folder: None)
    monkeypatch.setattr(pythons, "unpack_sources", unpack)
    monkeypatch.setattr(pythons, "build_wheel", lambda source, folder, python: built.append((source, python)))
    monkeypatch.setattr(pythons, "FreshEnvironment", Environment)
    monkeypatch.setattr(pythons, "write_outputs", lambda run, inputs, folder: {"a": "1"})
    pythons.main()
    sources = tmp_path / "sources" / "calipers-0.1.0"
    assert built == [(sources, "python3.11"), (sources, "python3.12")]
    assert capsys.readouterr().out.splitlines()[1] == "1 files are the same bytes on 2 Pythons"
