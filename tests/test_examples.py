"""What is shown is what runs: the examples byte by byte, the summary in the README, the options in the docs."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import calipers
from calipers.suites.dense import Config

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted(path.parent for path in (ROOT / "examples").glob("*/command.txt"))
DATA = Path(calipers.__file__).parent / "data"


def run(command: str, folder: Path) -> bytes:
    """What a `calipers` command prints in a folder."""
    program, *arguments = shlex.split(command)
    assert program == "calipers"
    environment = os.environ | {"PYTHONPATH": str(Path(calipers.__file__).parents[1])}
    call = [sys.executable, "-m", "calipers", *arguments]
    return subprocess.run(call, cwd=folder, env=environment, capture_output=True, check=True).stdout


@pytest.fixture(params=EXAMPLES, ids=lambda folder: folder.name)
def example(request, tmp_path) -> tuple[Path, Path]:
    """An example, and a copy of it without its output."""
    copy = tmp_path / request.param.name
    shutil.copytree(request.param, copy, ignore=shutil.ignore_patterns("out", "summary.txt"))
    return request.param, copy


def test_there_are_examples():
    assert [folder.name for folder in EXAMPLES] == ["dense"]


def test_an_example_prints_its_summary_and_writes_its_files_byte_by_byte(example):
    expected, copy = example
    printed = run((expected / "command.txt").read_text(encoding="utf-8"), copy)
    assert printed.decode() == (expected / "summary.txt").read_text(encoding="utf-8")
    assert sorted(path.name for path in (copy / "out").iterdir()) == sorted(
        path.name for path in (expected / "out").iterdir()
    )
    for path in (expected / "out").iterdir():
        assert (copy / "out" / path.name).read_bytes() == path.read_bytes(), path.name


def test_an_example_shows_its_command_in_its_readme(example):
    expected, _ = example
    command = (expected / "command.txt").read_text(encoding="utf-8").strip()
    assert f"\n{command}\n" in (expected / "README.md").read_text(encoding="utf-8")


def test_the_summary_in_the_readme_is_what_the_demo_prints():
    found = re.search(r"```console\n\$ (.+)\n([\s\S]*?)```", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert found
    command, printed = found.groups()
    assert run(command, DATA).decode() == printed


def test_the_options_in_the_docs_are_those_of_the_suite():
    text = (ROOT / "docs" / "dense.md").read_text(encoding="utf-8")
    table = text.partition("| option | default | meaning |")[2].partition("\n\n")[0]
    documented = re.findall(r"^\| `(\w+)` \| `?(.+?)`? \| \S", table, flags=re.MULTILINE)
    assert documented == [(item.name, shown(item.default)) for item in fields(Config)]


def shown(default: object) -> str:
    if default is None:
        return "none"
    return ",".join(map(str, default)) if isinstance(default, tuple) else str(default)
