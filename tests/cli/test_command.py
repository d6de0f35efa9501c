"""The command: what it reads, what it writes where, and what it says about itself."""

import gzip
import hashlib
import io
import json
import os
import pty
import sys
from dataclasses import fields
from pathlib import Path

import pytest
import zstandard

import calipers
from calipers.suites.dense.config import Config

from ..profiles import share
from .conftest import HANG_SEC

BOX = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "类别=标签,文本=a"}
WIDE = {"type": "bbox_2d", "points": [0, 0, 10, 7], "desc": "类别=标签,文本=b"}
LINE = {"type": "line", "points": [0, 0, 500, 500], "desc": "标签/a"}
RECORDS = [
    {"id": 1, "gt_norm1000": [BOX, LINE], "pred": [WIDE, LINE]},
    {"id": 2, "gt_norm1000": [LINE, BOX], "pred": [BOX]},
    {"id": 3, "gt_norm1000": [], "pred": []},
]
LINES = b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in RECORDS)


@pytest.fixture(autouse=True)
def _dump():
    Path("dump.jsonl").write_bytes(LINES)


# ---------------------------------------------------------------- inputs


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("dump.jsonl.gz", gzip.compress),
        ("dump.jsonl.zst", zstandard.compress),
        ("packed", gzip.compress),
        ("packed", zstandard.compress),
        ("-", bytes),
        ("-", gzip.compress),
        ("-", zstandard.compress),
    ],
)
def test_every_kind_of_input_gives_the_same_numbers(finish, run, name, pack):
    stored = pack(LINES)
    if name != "-":
        Path(name).write_bytes(stored)
    expected = run("dense", "dump.jsonl", "--json").artifact()
    in_a_process = name == "-" or share() == 1
    found = (finish("dense", name, "--json", given=stored) if in_a_process else run("dense", name, "--json")).artifact()
    assert found.pop("inputs") == [{"path": name, "sha256": hashlib.sha256(stored).hexdigest(), "records": 3}]
    assert expected.pop("inputs")[0]["sha256"] == hashlib.sha256(LINES).hexdigest()
    assert found == expected


def test_several_files_are_one_set(run):
    for number, record in enumerate(RECORDS):
        Path(f"{number}.jsonl").write_text(json.dumps(record, ensure_ascii=False))
    whole, parts = (
        run("dense", *names, "--json").artifact() for names in (["dump.jsonl"], ["0.jsonl", "1.jsonl", "2.jsonl"])
    )
    assert [entry["path"] for entry in parts.pop("inputs")] == ["0.jsonl", "1.jsonl", "2.jsonl"]
    whole.pop("inputs")
    assert parts == whole
    assert run("dense", "0.jsonl", "1.jsonl").out.startswith(b"0.jsonl and 1 more   ")


def test_a_name_that_looks_like_a_flag_follows_two_dashes(run):
    Path("--json").write_bytes(LINES)
    assert run("dense", "--", "--json").out.startswith(b"--json   ")


# ---------------------------------------------------------------- outputs


FILES = [
    *("cases.jsonl", "confusion.csv", "errors.csv", "errors_by_label.csv", "labels.csv"),
    *("report.html", "result.json", "thresholds.csv", "types.csv"),
]
PLOTS = ["errors.png", "labels.png", "labels.svg", "thresholds.png"]


@pytest.mark.parametrize("output", ["out", "out/", "out.jsonl", "deep/er/out", "out.JSON"])
def test_a_folder_receives_everything(run, output):
    pytest.importorskip("matplotlib")
    assert run("dense", "dump.jsonl", "-o", output).code == 0
    assert sorted(os.listdir(output)) == sorted(["matches.csv", *FILES, *PLOTS])


def test_without_matplotlib_everything_else_is_written_and_that_is_said(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ended = run("dense", "dump.jsonl", "-o", "out")
    said = "warning: no plots were drawn: plots: pictures need matplotlib: pip install 'calipers[plots]'\n"
    assert (ended.code, ended.err) == (0, said)
    assert sorted(os.listdir("out")) == sorted(["matches.csv", *FILES])


def test_plots_of_an_earlier_run_are_pointed_out(run):
    pytest.importorskip("matplotlib")
    assert run("dense", "dump.jsonl", "-o", "out").code == 0
    ended = run("dense", "dump.jsonl", "-o", "out", "--modes", "localization")
    assert (ended.code, ended.err) == (0, "warning: out: of an earlier run, and left alone: labels.png, labels.svg\n")


def test_tables_can_be_parquet(run):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run("dense", "dump.jsonl", "-o", "out", "--tables", "parquet").code == 0
    assert set(os.listdir("out")) >= {"matches.parquet", *FILES}
    assert "matches.csv" not in os.listdir("out")
    assert parquet.read_table("out/matches.parquet").to_pylist() == calipers.dense("dump.jsonl").matches()


def test_parquet_without_its_package_is_refused_before_the_work(run, monkeypatch, listing):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    before = listing(".")
    for source in ("dump.jsonl", "missing.jsonl"):
        args = ("dense", source, "--tables", "parquet", "-o", "out")
        run(*args).refused(2, "tables: parquet needs pyarrow", "pip install 'calipers[parquet]'")
    assert listing(".") == before


def test_a_kind_of_table_that_is_none_is_refused(refuses):
    refuses(["dump.jsonl", "--tables", "xlsx"], "tables: found 'xlsx', expected csv or parquet", code=2)


# ---------------------------------------------------------------- the command itself


def test_help_names_every_command_and_exit_code(finish):
    ended = finish("--help")
    assert (ended.code, ended.err) == (0, "")
    for word in ("dense", "demo", "Exit codes", "130 interrupted"):
        assert word in ended.out.decode()
    assert finish("-h").out == ended.out


def test_help_of_a_command_names_every_option_with_its_default(run):
    text = " ".join(run("dense", "--help").out.decode().split())
    for item in fields(Config):
        assert f"--{item.name.replace('_', '-')} " in text
        assert " ".join(item.metadata["help"].split()) in text
    for default in (
        "[default: 8.0]",
        "[default: 0.5,0.55,",
        "[default: 类别]",
        "[default: csv]",
        "[default: norm1000]",
    ):
        assert default in text


def test_the_version_is_told(finish):
    assert finish("--version") == (0, f"calipers, version {calipers.__version__}\n".encode(), "")


def test_without_a_command_the_help_is_shown_and_the_exit_code_is_2(finish):
    ended = finish()
    assert ended.code == 2
    assert "dense" in ended.err + ended.out.decode()


def loaded(finish, script):
    """The modules that a script has imported in the end."""
    script = f"import sys\ntry:\n    {script}\nexcept SystemExit: pass\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    return set(finish(program=("-c", script)).err.split())


HEAVY = {"numpy", "scipy", "orjson", "zstandard", "rapidfuzz", "pyarrow", "multiprocessing", "concurrent.futures"}


def test_importing_the_package_imports_nothing_heavy(finish):
    modules = loaded(finish, "import calipers; calipers.__version__, calipers.CalipersError")
    assert {"calipers", "calipers.core.errors"} <= modules
    assert not modules & (HEAVY | {"click", "json", "typing", "dataclasses"})


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["no-such-command"]])
def test_help_imports_nothing_heavy(finish, args):
    modules = loaded(finish, f"from calipers.cli.start import main; sys.argv = ['calipers', *{args!r}]; main()")
    assert "calipers.cli.main" in modules
    assert not modules & HEAVY


# ---------------------------------------------------------------- terminals


def on_terminal(start, *args, **options):
    """What a run writes to standard error when that is a terminal."""
    leader, follower = pty.openpty()
    process = start(*args, stderr=follower, **options)
    os.close(follower)
    process.wait(timeout=HANG_SEC)
    text = io.BytesIO()
    try:
        while piece := os.read(leader, 1000):
            text.write(piece)
    except OSError:  # the other side is closed
        pass
    os.close(leader)
    return text.getvalue().decode()


def test_errors_are_coloured_on_a_terminal_unless_no_color_says_otherwise(start, finish):
    missing = ("dense", "missing.jsonl")
    assert "\x1b[31m" in on_terminal(start, *missing, env={"NO_COLOR": ""})
    assert "\x1b" not in on_terminal(start, *missing, env={"NO_COLOR": "1"})
    assert "\x1b" not in finish(*missing).err


def test_results_are_never_coloured(finish):
    assert b"\x1b" not in finish("demo").out
