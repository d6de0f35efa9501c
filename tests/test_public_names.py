"""Laws of the public functions: ground truth comes first and is called `gt`, predictions are called `pred`; docstrings
say all that a caller has to know."""

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

import calipers
from calipers.judge import asserting

PREDICTION_FIRST = {"reward"}  # by position, as in most libraries of rewards
OTHER_NAMES = {"truth", "truths", "ground_truth", "a", "b", "answer", "reference", "prediction", "predictions"}


def functions() -> dict[str, Callable[..., Any]]:
    """Every public function, method of a public class, ruler of the judge and assertion, by name."""
    found: dict[str, Callable[..., Any]] = {}
    for name in calipers.__all__:
        value = getattr(calipers, name)
        if inspect.isclass(value):
            found |= {f"{name}.{each}": method for each, method in vars(value).items() if inspect.isfunction(method)}
        elif inspect.isfunction(value):
            found[name] = value
    found |= {f"judge.{name}": getattr(calipers.judge, name) for name in calipers.judge.__all__}
    return found | {name: value for name, value in vars(asserting).items() if name.startswith("assert_")}


FUNCTIONS = functions()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_ground_truth_is_called_gt_and_comes_before_pred(name):
    parameters = list(inspect.signature(FUNCTIONS[name]).parameters)
    assert not OTHER_NAMES & set(parameters)
    if "pred" in parameters:
        assert (parameters.index("gt") < parameters.index("pred")) == (name not in PREDICTION_FIRST)


def test_there_are_as_many_of_both_sides_as_expected():
    sided = {name for name in FUNCTIONS if "pred" in inspect.signature(FUNCTIONS[name]).parameters}
    assert sided >= {"timeline", "scene", "coco", "coco_numbers", "check", "reward", "region_iou", "tube_iou"}
    assert sided >= {"cuboid_iou", "containment", "line_coverage", "judge.boxes", "assert_boxes_match"}
    assert sided >= {"TimelineMeter.update", "SceneMeter.update"}


def test_a_reward_takes_its_sides_by_name_in_any_order():
    """One of two is found, so recall and precision differ and the sides cannot be mixed up unseen."""
    box = {"type": "bbox_2d", "points": [0, 0, 10, 10], "desc": "cone"}
    malformed = box | {"points": [0, 0, 10]}
    assert calipers.reward(pred=[malformed], gt=[box]) == calipers.reward(gt=[box], pred=[malformed]) == 0.0
    assert calipers.reward([malformed], [box]) == 0.0
    with pytest.raises(calipers.InputError, match=r"gt\[0\]"):
        calipers.reward(gt=[malformed], pred=[box])


def test_line_coverage_has_the_sides_in_order():
    """Half of the truth is covered, all of the prediction."""
    assert calipers.line_coverage(pred=[0, 0, 41, 0], gt=[0, 0, 99, 0])[:2] == (0.5, 1.0)


# Docstrings

DOCUMENTED = [
    name
    for name in calipers.__all__
    if callable(getattr(calipers, name)) and not name.endswith(("Error", "Options", "Artifact"))
] + [f"judge.{name}" for name in calipers.judge.__all__]


def section(text: str, title: str) -> str:
    """What stands below a title, up to the next."""
    found = re.search(rf"^{title}:\n((?:    .*\n|\n)+)", text + "\n", flags=re.MULTILINE)
    return found[1] if found else ""


def listed(text: str, title: str) -> list[str]:
    return re.findall(r"^    (\*{0,2}\w+): \S", section(text, title), flags=re.MULTILINE)


def written(parameter: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return stars.get(parameter.kind, "") + parameter.name


@pytest.mark.parametrize("name", [name for name in DOCUMENTED if name != "Report"])
def test_a_docstring_says_arguments_result_and_errors(name):
    value = FUNCTIONS.get(name) or getattr(calipers, name)
    text, signature = inspect.getdoc(value) or "", inspect.signature(value)
    assert listed(text, "Args") == [written(parameter) for parameter in signature.parameters.values()]
    errors = listed(text, "Raises")
    assert errors
    assert all(issubclass(getattr(calipers, error), calipers.CalipersError) for error in errors)
    assert inspect.isclass(value) or section(text, "Returns").strip()


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_docstring_has_an_example_that_the_tests_run(name):
    value = FUNCTIONS.get(name) or getattr(calipers, name)
    examples = section(inspect.getdoc(value) or "", "Examples")
    assert ">>> " in examples
    assert re.search(rf"\b{name.rpartition('.')[2]}\b|calipers", examples)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if "._" not in name])
def test_every_public_method_and_function_says_what_it_does(name):
    text = inspect.getdoc(FUNCTIONS[name]) or ""
    first = text.partition("\n")[0]
    assert first.endswith((".", ":"))
    assert first[0].isupper()
