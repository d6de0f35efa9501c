"""A suite writes the same bytes everywhere, and they do not tell where that was: clock, host, user, folder, locale, the
seed of hashes, settings of matplotlib and the number of threads and processes leave no trace."""

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import calipers
from calipers.suite import suites

from ..profiles import share
from ..samples import sample_args

PROGRAM = """
import json, os, sys
from calipers.engines import local
local.ALONE_SEC = None  # with several jobs, workers do all of it
from calipers.cli.start import main
from calipers.show import folder as written, plots_apart
drawn, is_loaded = written.drawn, plots_apart.is_loaded
for folder, draws, *args in json.load(sys.stdin):
    written.drawn = drawn if draws else lambda suite, tree: ({}, [])
    plots_apart.is_loaded = is_loaded if draws else lambda: True  # no process is started that would draw
    os.chdir(folder)
    sys.argv[1:] = args
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise
"""
PLACES = {
    "one": {
        "TZ": "Asia/Tokyo",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONHASHSEED": "1",
        "HOSTNAME": "host-one",
        "USER": "user-one",
        "HOME": "/home-one",
        "MPLBACKEND": "pdf",
        "OPENBLAS_NUM_THREADS": "1",
        "RAYON_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    },
    "two": {
        "TZ": "UTC-14",
        "LC_ALL": "de_DE.UTF-8",
        "LANG": "tr_TR.UTF-8",
        "LANGUAGE": "zh_CN",
        "PYTHONHASHSEED": "77",
        "HOSTNAME": "host-two",
        "USER": "user-two",
        "PYTHONIOENCODING": "latin-1",
        "OPENBLAS_NUM_THREADS": "3",
        "RAYON_NUM_THREADS": "4",
        "OMP_NUM_THREADS": "2",
    },
}
SETTINGS = {"one": "", "two": "font.size: 30\nfont.family: serif\naxes.facecolor: red\nsavefig.bbox: tight\n"}
DRAWN = suites() if share() == 1 else suites()[:1]  # whose plots are drawn, which takes longer than all else
CUTS = {"one": ["--jobs", "1"], "two": ["--jobs", "2", "--chunk-bytes", "2000"]}


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """What the runs of all suites write in each place, a process each: the files of a folder for each suite."""
    root = tmp_path_factory.mktemp("places")
    for place in PLACES:
        run_all(place, root / f"place-{place}")
    return root


def run_all(place, folder):
    runs = []
    for suite in suites():
        (folder / suite.name).mkdir(parents=True)
        args = [*sample_args(suite, folder / suite.name), *CUTS[place], "--json", "-o", "out"]
        runs.append([str(folder / suite.name), suite in DRAWN, suite.name, *args])
    (folder / "matplotlibrc").write_text(SETTINGS[place])
    env = {**os.environ, "PYTHONPATH": str(Path(calipers.__file__).parents[1]), **PLACES[place]}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, cwd=folder, env=env, input=json.dumps(runs).encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    (folder / "standard output").write_bytes(done.stdout)


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("place", PLACES)
def test_standard_output_has_the_artifacts_everywhere(places, place):
    folder = places / f"place-{place}"
    artifacts = [(folder / suite.name / "out/result.json").read_bytes() for suite in suites()]
    assert (folder / "standard output").read_bytes() == b"".join(artifacts)


@pytest.mark.parametrize("suite", suites(), ids=lambda suite: suite.name)
def test_a_suite_writes_the_same_bytes_everywhere_and_knows_no_place(suite, places):
    first, second = (files_in(places / f"place-{place}" / suite.name) for place in PLACES)
    assert first == second
    assert {"out/result.json", "out/report.html"} < set(first)
    assert any(name.endswith(".png") for name in first) == (suite in DRAWN)
    secrets = [str(places), sys.prefix, socket.gethostname(), "place-one", "host-one", "user-one", "home-one"]
    for name, content in first.items():
        if not name.endswith(".png"):
            assert not re.search(rb"\b20\d\d-\d\d-\d\d|\b\d\d:\d\d:\d\d\b", content), name
            assert not [secret for secret in secrets if len(secret) > 3 and secret.encode() in content], name
