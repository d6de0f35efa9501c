"""No float is added by the built-in `sum`: from Python 3.12 on it rounds otherwise, and bytes would differ.

Commands go through the samples of every suite with a `sum` that refuses floats of the package.
"""

import builtins
import sys
from pathlib import Path

import pytest

import calipers
from calipers.files.output import to_json
from calipers.suite import suites

from ..samples import sample_args

pytestmark = pytest.mark.usefixtures("named_plots")
DATA = Path(calipers.__file__).parent / "data"
PAYLOAD = {
    "output": [
        {"box": [0, 0, 10, 10], "label": "a", "score": 0.9},
        {"box": [0, 0, 7, 10], "label": "b", "score": 0.3},
        {"box": [20, 20, 30, 30], "label": "b", "score": 0.7},
    ],
    "expected_output": [{"box": [0, 0, 10, 9], "label": "a"}, {"box": [20, 20, 31, 33], "label": "b"}],
}


@pytest.fixture(autouse=True)
def whole_sums(monkeypatch):
    """`sum` refuses floats where the package calls it."""
    true_sum = builtins.sum

    def whole_sum(values, /, start=0):
        values, caller = list(values), sys._getframe(1).f_globals.get("__name__", "")
        floats = [value for value in values if type(value) is float]
        assert not (floats and caller.startswith("calipers")), f"{caller} adds {floats[:3]}: see calipers.core.sums"
        return true_sum(values, start)

    monkeypatch.setattr(builtins, "sum", whole_sum)


@pytest.mark.parametrize("suite", suites(), ids=lambda suite: suite.name)
def test_a_suite_and_what_is_decided_by_its_results(run, suite):
    inputs = sample_args(suite)
    for args in (
        (suite.name, *inputs, "--bootstrap", 60, "--jobs", 1, "-o", "out"),
        ("compare", "out", "out", "-o", "page.html"),
        ("rank", "a=out", "b=out", "-o", "ranking"),
        ("suspects", "out", "-o", "places"),
        ("report", "out"),
        ("check", *inputs),
    ):
        ended = run(*args)
        assert ended.code == 0, (args, ended.err)


def test_a_gate_that_says_what_it_could_have_seen(run):
    assert run("dense", DATA / "dense.jsonl", "--bootstrap", 60, "--jobs", 1, "-o", "out").code == 0
    assert run("gate", "out", "--baseline", "out", "--max-drop", "mean_f1=0.5").code == 0


def test_verdicts():
    assert calipers.judge.boxes(PAYLOAD, labels="exact")["score"] > 0
    assert calipers.judge.map(PAYLOAD, labels="exact")["score"] > 0


def test_polygons_that_are_written_as_coco(run):
    tree = {
        "images": [{"id": 1, "file_name": "a.jpg", "width": 9, "height": 9}],
        "categories": [{"id": 1, "name": "a"}],
        "annotations": [
            {
                "id": 1,
                "image_id": 1,
                "category_id": 1,
                "bbox": [0, 0, 2.5, 2.5],
                "segmentation": [[0, 0, 2.5, 0, 0, 2.5]],
            }
        ],
    }
    Path("gt.json").write_bytes(to_json(tree))
    assert run("convert", "gt.json", "--to", "coco", "-o", "written.json").code == 0
