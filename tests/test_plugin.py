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
ONE_BY_ONE = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from calipers.cli.start import main
ended = []
for arguments in json.load(sys.stdin):
    sys.argv[1:] = arguments
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code
    for text in (out, err):
        text.flush()
    ended.append([code, (out.buffer.getvalue() + err.buffer.getvalue()).decode()])
json.dump(ended, sys.stdout)
"""


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

    def call(*arguments, code=0, program=CALIPERS, given="", site=""):
        path = os.pathsep.join([str(SOURCE), str(installed), *([str(site)] if site else [])])
        env = {**os.environ, "PYTHONPATH": path}
        command = [*program, *map(str, arguments)]
        done = subprocess.run(command, cwd=tmp_path, env=env, input=given, capture_output=True, text=True, check=False)
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    return call


@pytest.fixture
def run_all(run):
    """Runs several commands one after another in one process, and gives what each of them says."""

    def call(*commands, codes=(), site=""):
        given = json.dumps([[*map(str, arguments)] for arguments in commands])
        ended = json.loads(run(program=(sys.executable, "-c", ONE_BY_ONE), given=given, site=site))
        assert [code for code, _ in ended] == list(codes or [0] * len(commands)), ended
        return [said for _, said in ended]

    return call


@pytest.fixture
def sides(installed):
    data = installed / "calipers_counts" / "data"
    return ["--gt", data / "gt.csv", "--pred", data / "pred.csv"]


@pytest.fixture(scope="module")
def artifacts():
    """What the command prints, once it was run."""
    return []


@pytest.fixture
def whole(run, sides, artifacts):
    if not artifacts:
        artifacts.append(run("counts", *sides, "--json"))
    return artifacts[0]


def test_it_has_a_command_with_help_and_a_demo(run, run_all):
    overview, of_counts = run_all(["--help"], ["counts", "--help"])
    assert "counts      Numbers of objects by class and image." in overview
    assert "how far a count may be off" in of_counts
    assert "40 images   absolute error 0.453 · exact 0.623 over 3 classes" in run("demo", "counts")


def test_its_numbers_are_those_of_a_plain_count(whole, sides, installed):
    tree = json.loads(whole)
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


def test_processes_shards_resume_tally_and_merge_give_the_same_bytes(run_all, sides, whole):
    in_two, _, resumed, merged = run_all(
        ["counts", *sides, "--json", "--jobs", 2],
        ["counts", *sides, "--resume", "shards.cal", "--tally", "all.cal"],
        ["counts", *sides, "--json", "--resume", "shards.cal"],
        ["merge", "all.cal", "--json"],
    )
    assert in_two == merged == whole
    assert resumed.startswith(whole)


def test_a_cluster_gives_the_same_bytes(run, sides, whole):
    pytest.importorskip("distributed")
    assert run("counts", *sides, "--json", "--engine", "dask", "--jobs", 1) == whole


def test_results_are_compared_gated_checked_and_loaded(run, run_all, sides):
    *_, compared, passed, refused, ranked, failed, checked = run_all(
        ["counts", *sides, "-o", "old.json"],
        ["counts", sides[0], sides[1], "--pred", sides[1], "-o", "new.json"],
        ["compare", "old.json", "new.json"],
        ["gate", "new.json", "--baseline", "old.json", "--max-drop", "exact=0.05"],
        ["suspects", "old.json"],
        ["rank", "old.json", "new.json", "--json"],
        ["gate", "old.json", "--ceiling", "mae=0.1"],
        ["check", sides[1]],
        codes=[0, 0, 0, 0, 2, 0, 1, 0],
    )
    assert "better" in compared
    assert "PASS" in passed
    assert "the counts suite does not say where its annotations may be wrong" in refused
    assert json.loads(ranked)["figures"]["mae"][0]["name"] == "new"
    assert "FAIL" in failed
    assert "counts, CSV" in checked
    program = "import calipers; report = calipers.load('old.json'); print(repr(report), report.flat()['exact'])"
    assert "<Report counts/1: 40 images, mae 0.453, exact 0.623>" in run(program=(sys.executable, "-c", program))


def test_it_keeps_the_laws_of_all_suites_and_has_a_meter(run):
    program = (
        "from calipers.suite import suite_of; from calipers.testing import check_suite; suite = suite_of('counts');"
        "check_suite(suite); meter = suite.meter(); meter.update('a.jpg', {'screw': 3}, {'screw': 2, 'nut': 1});"
        "print(meter.compute()['summary']['mae'])"
    )
    assert run(program=(sys.executable, "-c", program)) == "1.0\n"


def test_a_bad_line_is_named_and_a_wrong_file_refused(run_all, sides, tmp_path):
    (tmp_path / "bad.csv").write_text("image,class,count\na,screw,many\n", encoding="utf-8")
    (tmp_path / "wrong.csv").write_text("a,b\n", encoding="utf-8")
    bad, wrong = run_all(*(["counts", "--gt", name, *sides[2:]] for name in ("bad.csv", "wrong.csv")), codes=[3, 3])
    assert "bad.csv:2: count: found 'many', expected a whole number" in bad
    assert "expected image, class, count" in wrong


BROKEN = {
    "import": ("import nowhere\n", "ModuleNotFoundError: No module named 'nowhere'"),
    "syntax": ("SUITE = (\n", "SyntaxError: '(' was never closed"),
    "declaration": (
        "from calipers.suite import Suite\nSUITE = Suite(name='broken')\n",
        "TypeError: Suite.__init__() missing",
    ),
    "name": (
        "import calipers_counts\nSUITE = calipers_counts.SUITE\n",
        "gives the Suite 'counts', expected the Suite of",
    ),
    "kind": ("SUITE = 5\n", "gives 5, expected the Suite of that name"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_package_that_cannot_be_loaded_says_why_and_stops_nothing_else(run_all, tmp_path, how):
    """`calipers --help`, check, explain and formats ended in a traceback."""
    source, problem = BROKEN[how]
    site = tmp_path / "site"
    (site / "broken-1.dist-info").mkdir(parents=True)
    (site / "broken.py").write_text(source, encoding="utf-8")
    (site / "broken-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (site / "broken-1.dist-info" / "entry_points.txt").write_text("[calipers.suites]\nbroken = broken:SUITE\n")
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")
    sample = Path(calipers.__file__).parent / "data" / "dense.jsonl"
    own, demo, helped, explained, formats, checked, refused = run_all(
        ["broken"],
        ["demo", "broken"],
        ["--help"],
        ["explain", "AP_50"],
        ["formats"],
        ["check", sample],
        ["check", "other.json"],
        codes=[2, 2, 0, 0, 0, 0, 3],
        site=site,
    )
    assert own.startswith("error: suite: ")
    assert problem in own
    assert problem in demo
    assert "  broken      (cannot be loaded; run it to see why)" in helped
    assert "Numbers of objects by class and image." in helped  # the other package
    assert "mean over classes of average precision at IoU 0.50" in explained
    assert "warning: suite: " in explained
    assert problem in formats
    assert "everything can be read" in checked
    assert problem in refused
