"""A judge starts in no time: what is imported on its way."""

import json
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.judge.rulers import _exact_sum

from .verdicts import case, only_verdict, run

BOXES = {"boxes": [[10 * k, 0, 10 * k + 9, 9] for k in range(20)]}
PAYLOADS = {
    "iou": case({"bbox": [0, 0, 10, 10]}, {"bbox": [0, 0, 10, 5]}),
    "boxes": case(BOXES, BOXES),
    "point": case({"point": [1, 2]}, {"point": [1, 2]}),
    "intervals": case({"intervals": [[0, 9]]}, {"intervals": [[0, 9]]}),
}
PLAIN = [(ruler, []) for ruler in PAYLOADS] + [
    ("boxes", ["--match", "optimal"]),
    ("boxes", ["--match", "gt-order"]),
    ("iou", ["--threshold", "0.7"]),
]
DRIVER = """
import sys
bare = set(sys.modules)
from calipers.cli.start import main
try:
    main()
finally:
    loaded = sorted(set(sys.modules) - bare)
    import json
    sys.stderr.write(json.dumps(loaded))
"""
CHEAP = {"__future__", "_json", "atexit", "collections", "collections.abc", "gc", "itertools"}
BY_COLLECTIONS = {"_collections", "_operator", "keyword", "operator", "reprlib"}
HEAVY = {
    "typing",
    "dataclasses",
    "click",
    "numpy",
    "scipy",
    "orjson",
    "argparse",
    "pathlib",
    "logging",
    "inspect",
    "importlib.metadata",
    "decimal",
    "difflib",
    "subprocess",
    "calipers.cli.main",
    "calipers.report",
    "calipers.core.shapes",
}


def imported(ruler, *flags, text=None):
    """What a verdict imports beyond the bare interpreter; `text` is the answer, if another is wanted."""
    payload = PAYLOADS[ruler] | ({} if text is None else {"candidate_answer": text})
    program = (sys.executable, "-c", DRIVER, "judge")
    ended = run(ruler, *flags, given=json.dumps(payload).encode(), program=program)
    assert only_verdict(ended.out)["score"] > 0
    return set(json.loads(ended.err))


def is_compiled(module):
    """Names that compiled modules bring along."""
    return module == "cython_runtime" or module.startswith("_cython_")


@pytest.mark.parametrize(("ruler", "flags"), PLAIN)
def test_only_the_standard_library_and_calipers_are_imported(ruler, flags):
    tops = {module.partition(".")[0] for module in imported(ruler, *flags) if not is_compiled(module)}
    assert tops - sys.stdlib_module_names == {"calipers"}


@pytest.mark.parametrize(("ruler", "flags"), PLAIN)
def test_nothing_heavy_is_imported(ruler, flags):
    assert not imported(ruler, *flags) & HEAVY


@pytest.mark.parametrize("ruler", ["iou", "boxes"])
def test_of_the_standard_library_next_to_nothing_is_imported(ruler):
    others = {module for module in imported(ruler) if not module.startswith("calipers") and not is_compiled(module)}
    assert others <= CHEAP | BY_COLLECTIONS


@pytest.mark.parametrize("ruler", ["iou", "boxes"])
def test_few_modules_of_calipers_are_imported(ruler):
    # Each costs about 0.3 ms of some 20
    ours = {module for module in imported(ruler) if module.startswith("calipers")}
    rooms = {f"calipers.kernels.{room}" for room in ("scan", "shape", "count")}  # empty
    assert len(ours - rooms) <= 19


def test_prose_and_fences_are_cheap_too():
    fenced = "```json\n" + json.dumps(BOXES) + "\n```"
    assert not imported("boxes", text=fenced) & HEAVY
    assert not imported("boxes", text=f"Here it is:\n{fenced}\nAnything else?") & HEAVY


def test_what_is_not_needed_is_not_imported():
    for module in ("overlaps", "points", "averages"):
        assert f"calipers.judge.{module}" not in imported("boxes")


@pytest.mark.parametrize(("ruler", "matcher"), [("iou", set()), ("boxes", {"count.assign"})])
def test_boxes_under_a_usual_name_need_no_search_and_only_several_the_matcher(ruler, matcher):
    modules = imported(ruler)
    assert "calipers.judge.search" not in modules
    kernels = {module.removeprefix("calipers.kernels.") for module in modules if module.count(".") == 3}
    assert kernels == {"scan.column", "shape.rects"} | matcher


def test_the_judge_comes_with_calipers_and_only_when_asked_for():
    code = "import sys, calipers; print('calipers.judge' in sys.modules, callable(calipers.judge.iou))"
    assert run(program=(sys.executable, "-c", code)).out.split() == [b"False", b"True"]


def test_the_driver_would_see_something_heavy():
    boxes = {"boxes": [[0, 0, 9, 9], [20, 0, 29, 9]], "scores": [0.9, 0.8]}
    program = (sys.executable, "-c", DRIVER, "judge")
    ended = run("map", given=json.dumps(case(boxes, boxes)).encode(), program=program)
    assert "numpy" in json.loads(ended.err)


@given(st.lists(st.floats(0, 1) | st.floats(-1e100, 1e100), min_size=1))
def test_a_mean_is_the_same_with_and_without_math(overlaps):
    assert _exact_sum(overlaps) == math.fsum(overlaps)


def test_one_verdict_does_not_load_math_and_many_do():
    assert "math" not in imported("boxes")
    assert "math" in imported("boxes", "--serve")
