"""A fifth suite from outside: the example package is installed, and everything works for it as for the others."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import calipers

EXAMPLE = Path(__file__).parents[1] / "examples" / "plugin"
SOURCE = Path(calipers.__file__).parents[1]
CALIPERS = (sys.executable, "-m", "calipers")


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder that the package was installed into, from a copy of its sources."""
    copy, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    for path in EXAMPLE.rglob("*"):
        if path.is_file() and "egg-info" not in str(path) and "build" not in path.parts:
            (copy / path.relative_to(EXAMPLE)).parent.mkdir(parents=True, exist_ok=True)
            (copy / path.relative_to(EXAMPLE)).write_bytes(path.read_bytes())
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps")
    subprocess.run([*pip, "--no-build-isolation", "--target", str(target), str(copy)], check=True, capture_output=True)
    return target


@pytest.fixture
def run(installed, tmp_path):
    """Runs a command with the package installed, in a folder of its own."""
    env = {**os.environ, "PYTHONPATH": f"{SOURCE}{os.pathsep}{installed}"}

    def call(*arguments, code=0, program=CALIPERS):
        command = [*program, *map(str, arguments)]
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    return call


@pytest.fixture
def sides(installed):
    data = installed / "calipers_counts" / "data"
    return ["--gt", data / "gt.csv", "--pred", data / "pred.csv"]


def test_it_has_a_command_with_help_and_a_demo(run):
    assert "counts      Numbers of objects by class and image." in run("--help")
    assert "how far a count may be off" in run("counts", "--help")
    assert "40 images   absolute error 0.453 · exact 0.623 over 3 classes" in run("demo", "counts")


def test_its_numbers_are_those_of_a_plain_count(run, sides, installed):
    tree = json.loads(run("counts", *sides, "--json"))
    read = [
        {tuple(line.split(",")[:2]): int(line.split(",")[2]) for line in Path(path).read_text().splitlines()[1:]}
        for path in sides[1::2]
    ]
    pairs = [[side.get(key, 0) for side in read] for key in {*read[0], *read[1]}]
    assert tree["summary"]["mae"] == sum(abs(a - b) for a, b in pairs) / len(pairs)
    assert tree["summary"]["exact"] == sum(a == b for a, b in pairs) / len(pairs)


def test_options_come_from_flags_and_from_the_file(run, sides, tmp_path):
    (tmp_path / "calipers.toml").write_text("[counts]\ntolerance = 1\nbootstrap = 20\n", encoding="utf-8")
    params = json.loads(run("counts", *sides, "--json"))["params"]
    assert (params["tolerance"], params["bootstrap"]) == (1, 20)
    (tmp_path / "calipers.toml").write_text("[counts]\ntolerence = 1\n", encoding="utf-8")
    assert "did you mean 'tolerance'?" in run("counts", *sides, code=2)


def test_a_folder_has_page_tables_and_plots(run, sides, tmp_path):
    run("counts", *sides, "-o", "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "classes.csv",
        "figures.png",
        "report.html",
        "result.json",
    }
    assert "screw" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "| metric | value |" in run("report", "out", "--table", "summary")


def test_processes_shards_resume_tally_and_merge_give_the_same_bytes(run, sides, tmp_path):
    whole = run("counts", *sides, "--json")
    assert run("counts", *sides, "--json", "--jobs", 2) == whole
    run("counts", *sides, "--resume", "shards.cal", "--tally", "all.cal")
    assert run("counts", *sides, "--json", "--resume", "shards.cal").startswith(whole)
    assert run("merge", "all.cal", "--json") == whole


def test_a_cluster_gives_the_same_bytes(run, sides):
    pytest.importorskip("distributed")
    assert run("counts", *sides, "--json", "--engine", "dask", "--jobs", 1) == run("counts", *sides, "--json")


def test_results_are_compared_gated_checked_and_loaded(run, sides):
    run("counts", *sides, "-o", "old.json")
    run("counts", sides[0], sides[1], "--pred", sides[1], "-o", "new.json")
    assert "better" in run("compare", "old.json", "new.json")
    assert "PASS" in run("gate", "new.json", "--baseline", "old.json", "--max-drop", "exact=0.05")
    refusal = "the counts suite does not say where its annotations may be wrong"
    assert refusal in run("suspects", "old.json", code=2)
    assert json.loads(run("rank", "old.json", "new.json", "--json"))["figures"]["mae"][0]["name"] == "new"
    assert "FAIL" in run("gate", "old.json", "--ceiling", "mae=0.1", code=1)
    assert "counts, CSV" in run("check", sides[1])
    program = "import calipers; report = calipers.load('old.json'); print(repr(report), report.flat()['exact'])"
    assert "<Report counts/1: 40 images, mae 0.453, exact 0.623>" in run(program=(sys.executable, "-c", program))


def test_it_keeps_the_laws_of_all_suites_and_has_a_meter(run):
    program = (
        "from calipers.suite import suite_of; from calipers.testing import check_suite; suite = suite_of('counts');"
        "check_suite(suite); meter = suite.meter(); meter.update('a.jpg', {'screw': 3}, {'screw': 2, 'nut': 1});"
        "print(meter.compute()['summary']['mae'])"
    )
    assert run(program=(sys.executable, "-c", program)) == "1.0\n"


def test_a_bad_line_is_named_and_a_wrong_file_refused(run, sides, tmp_path):
    (tmp_path / "gt.csv").write_text("image,class,count\na,screw,many\n", encoding="utf-8")
    arguments = ["counts", "--gt", "gt.csv", *sides[2:]]
    assert "gt.csv:2: count: found 'many', expected a whole number" in run(*arguments, code=3)
    (tmp_path / "gt.csv").write_text("a,b\n", encoding="utf-8")
    assert "expected image, class, count" in run("counts", "--gt", "gt.csv", *sides[2:], code=3)
