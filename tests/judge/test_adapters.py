"""Verdicts in other hosts: the adapters, and the examples of each host, run as the host runs them."""

import asyncio
import importlib.util
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import calipers
from calipers.judge import asserting
from calipers.judge.inspect_scorer import geometry
from calipers.judge.promptfoo import get_assert

EXAMPLES = Path(__file__).parents[2] / "examples"
DATA = Path(calipers.__file__).parent / "data"
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(calipers.__file__).parents[1])}
COMMANDS = (EXAMPLES / "agentv" / "commands.sh").read_text(encoding="utf-8").splitlines()
TESTS = json.loads((EXAMPLES / "promptfoo" / "tests.json").read_bytes())
SQUARE = {"boxes": [[0, 0, 10, 10]]}


def run(*arguments, folder, given=b"", **environment):
    call = [sys.executable, "-m", "calipers", *arguments]
    return subprocess.run(
        call, input=given, cwd=folder, env=ENVIRONMENT | environment, capture_output=True, check=False
    )


def load(path):
    """A file as a module, the way promptfoo and Inspect load it."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# promptfoo


def grade(output, *, config=None, **variables):
    """What promptfoo gets for an output, with a context like the one it makes."""
    context = {"prompt": "", "vars": variables, "test": {"vars": variables, "metadata": {}}}
    return get_assert(output, context | ({"config": config} if config else {}))


def test_promptfoo_gets_what_it_takes_for_a_result():
    result = grade('Here: {"boxes": [[0, 0, 10, 8], [50, 50, 60, 60]]}', reference=SQUARE)
    assert {name: type(value) for name, value in result.items()} == {
        "pass": bool,
        "score": float,
        "reason": str,
        "namedScores": dict,
    }
    assert result["reason"] == "F1 0.667: 1 of 1 box found, 1 more in the answer"
    assert result["namedScores"] == {"precision": 0.5, "recall": 1.0, "mean_iou": 0.8}
    assert json.loads(json.dumps(result, allow_nan=False)) == result


def test_promptfoo_averages_only_what_is_defined():
    assert grade("[[50, 50, 60, 60]]", reference=SQUARE)["namedScores"] == {"precision": 0.0, "recall": 0.0}
    assert grade([3, 4], reference=[0, 0], config={"ruler": "point"})["namedScores"] == {"distance": 5.0}


@pytest.mark.parametrize("name", ["reference", "expected", "reference_answer", "expected_output"])
def test_promptfoo_finds_the_reference_by_any_of_its_names(name):
    assert grade("[[0, 0, 10, 10]]", **{name: SQUARE})["pass"]
    assert grade("[[0, 0, 10, 10]]", **{name: json.dumps(SQUARE)})["pass"]
    assert grade("[[0, 0, 10, 10]]", config={name: SQUARE})["pass"]
    assert get_assert("[[0, 0, 10, 10]]", {"vars": {}, "test": {"metadata": {name: SQUARE}}})["pass"]


def test_promptfoo_takes_the_nearest_reference():
    far = {"boxes": [[50, 50, 60, 60]]}
    assert grade(SQUARE, config={"reference": SQUARE}, reference=far)["pass"]
    assert get_assert(SQUARE, {"vars": {"expected": SQUARE}, "test": {"metadata": {"reference": far}}})["pass"]


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"ruler": "boxs"}, "ruler: found 'boxs', expected iou, boxes"),
        ({"ruler": 3}, "ruler: found 3, expected iou, boxes"),
        ({"rulr": "iou"}, "config: 'rulr' is not an option, did you mean 'ruler'?"),
        ({"treshold": 0.9}, "config: 'treshold' is not an option, did you mean 'threshold'?"),
        ({"threshold": 2}, "threshold: found 2, expected a number"),
    ],
)
def test_promptfoo_is_told_what_is_wrong_with_a_config(config, reason):
    result = grade("[[0, 0, 10, 10]]", reference=SQUARE, config=config)
    assert (result["pass"], result["score"]) == (False, 0.0)
    assert result["reason"].startswith(reason)


def test_promptfoo_may_have_keys_of_its_own_in_a_config():
    assert grade("[[0, 0, 10, 10]]", reference=SQUARE, config={"owner": "vision team", "threshold": 1})["pass"]


@pytest.mark.parametrize("output", [None, "", "no", {}, 7])
def test_promptfoo_gets_a_failure_for_an_output_without_boxes(output):
    result = grade(output, reference=SQUARE)
    assert (result["pass"], result["score"]) == (False, 0.0)
    assert result["reason"].startswith("answer: ")


def test_promptfoo_gets_a_failure_without_a_reference():
    result = get_assert("[[0, 0, 10, 10]]", {})
    assert (result["pass"], result["reason"][:25]) == (False, "reference: nothing found,")


EXPECTED = {
    "two screws, one box a quarter too short": (True, 1.0),
    "two labels, one of them found, and all are needed": (False, 2 / 3),
    "where to click, 5 pixels off": (True, 1.0),
    "the reference beside the ruler": (False, 0.5),
}


@pytest.mark.parametrize("test", TESTS, ids=lambda test: test["description"])
def test_the_example_of_promptfoo_scores_as_its_readme_says(test):
    [assertion] = test["assert"]
    module = load(EXAMPLES / "promptfoo" / assertion["value"].removeprefix("file://"))
    context = {"vars": test["vars"], "test": test, **({"config": assertion["config"]} if "config" in assertion else {})}
    result = module.get_assert(test["vars"]["answer"], context)
    assert (result["pass"], result["score"]) == EXPECTED[test["description"]]


def test_the_config_of_promptfoo_names_the_tests():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    config = yaml.safe_load((EXAMPLES / "promptfoo" / "promptfooconfig.yaml").read_text(encoding="utf-8"))
    assert (config["prompts"], config["providers"], config["tests"]) == (["{{answer}}"], ["echo"], "file://tests.json")
    assert config["defaultTest"]["options"]["disableVarExpansion"] is True


# Inspect


def test_inspect_gets_a_score(monkeypatch):
    fields = ("value", "answer", "explanation", "metadata")
    stand_in = SimpleNamespace(
        Score=lambda **given: [given[name] for name in fields],
        mean=lambda: "mean",
        stderr=lambda: "stderr",
        scorer=lambda metrics, name: lambda make: make,
    )
    monkeypatch.setitem(sys.modules, "inspect_ai", SimpleNamespace(scorer=stand_in))
    monkeypatch.setitem(sys.modules, "inspect_ai.scorer", stand_in)
    state = SimpleNamespace(output=SimpleNamespace(completion='{"bbox": [0, 0, 10, 5]}'))
    score = geometry("iou", threshold=0.75)
    with ThreadPoolExecutor(1) as thread:  # where no loop of another test is running
        judged = thread.submit(asyncio.run, score(state, SimpleNamespace(text="[0, 0, 10, 10]")))
    value, answer, explanation, metadata = judged.result()
    assert (value, answer, explanation) == (0.5, '{"bbox": [0, 0, 10, 5]}', "IoU 0.500, below 0.75")
    assert (metadata["pass"], metadata["pairs"]) == (False, [{"gt": 0, "pred": 0, "iou": 0.5}])
    with pytest.raises(calipers.ConfigError, match="did you mean 'threshold'"):
        geometry("iou", treshold=0.75)
    with pytest.raises(calipers.ConfigError, match="found 'boxs'"):
        geometry("boxs")


def test_the_example_of_inspect_scores_as_its_readme_says(monkeypatch, tmp_path):
    inspect_ai = pytest.importorskip("inspect_ai", reason="inspect-ai is not installed")
    monkeypatch.chdir(EXAMPLES / "inspect")
    task = load(EXAMPLES / "inspect" / "boxes.py").boxes()
    [log] = inspect_ai.eval(task, model="none", display="none", log_dir=str(tmp_path))
    scores = {sample.id: sample.scores["geometry"] for sample in log.samples}
    assert {name: score.value for name, score in scores.items()} == {"both": 1.0, "one-of-two": 2 / 3, "none": 0.0}
    assert [name for name, score in scores.items() if score.metadata["pass"]] == ["both"]
    assert scores["none"].explanation.startswith("answer: no box found")
    assert log.results.scores[0].metrics["mean"].value == pytest.approx(5 / 9)


def test_inspect_is_loaded_only_when_it_is_asked_for():
    program = "import sys, calipers.judge.inspect_scorer, calipers.judge.promptfoo, calipers.judge.asserting; "
    program += "print(sorted({'inspect_ai', 'numpy', 'click', 'pytest'} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-c", program], env=ENVIRONMENT, capture_output=True, check=True)
    assert ended.stdout.decode().strip() == "[]"


# pytest

SHAPES = {
    "assert_box_matches": ([0, 0, 10, 10], [30, 0, 40, 10]),
    "assert_boxes_match": ([[0, 0, 10, 10], [20, 0, 30, 10]], [[0, 0, 10, 10]]),
    "assert_polygons_match": ([[0, 0], [10, 0], [0, 10]], [[50, 0], [60, 0], [50, 10]]),
    "assert_rotated_boxes_match": ([5, 5, 10, 4, 30], [50, 5, 10, 4, 30]),
    "assert_lines_match": ([[0, 0], [100, 0]], [[0, 500], [100, 500]]),
    "assert_cuboids_match": ([0, 0, 0, 1, 1, 1], [9, 0, 0, 1, 1, 1]),
    "assert_intervals_match": ([[0, 9], [20, 29]], [[0, 9]]),
    "assert_point_matches": ([1, 2, 3], [1, 2, 30]),
    "assert_click_matches": ([10, 10, 50, 50], [100, 100, 150, 150]),
    "assert_count_matches": ([[10, 10, 50, 50], [100, 100, 150, 150]], [[10, 10, 50, 50]]),
}


def test_there_is_an_assertion_for_each_ruler():
    functions = {name for name in vars(asserting) if name.startswith("assert_")}
    assert functions == {*SHAPES, "assert_average_precision"}
    assert len(functions) == len(calipers.judge.__all__)


@pytest.mark.parametrize("name", SHAPES)
def test_an_assertion_passes_what_is_the_same_and_fails_what_is_not(name):
    check, (shape, other) = getattr(asserting, name), SHAPES[name]
    assert check(shape, shape)["score"] == 1.0
    assert check(json.dumps(shape), shape)["pass"]
    assert check(np.array(shape), np.array(shape))["pass"]
    with pytest.raises(AssertionError, match=r"below|found|beyond|outside|too"):
        check(other, shape)


def test_a_test_wants_all_boxes_unless_it_says_otherwise():
    two, one = SHAPES["assert_boxes_match"]
    assert asserting.assert_boxes_match(two, one, pass_at=0.6)["score"] == 2 / 3
    with pytest.raises(AssertionError) as failure:
        asserting.assert_boxes_match(two, one)
    assert str(failure.value).splitlines() == [
        "F1 0.667: 1 of 2 boxes found, 0 more in the answer",
        "  expected  F1 of boxes at IoU >= 0.5 is at least 1",
        "  found     [0, 0, 10, 10] as [0, 0, 10, 10], IoU 1.000",
        "  missed    [20, 0, 30, 10]",
    ]


def test_average_precision_is_asserted_with_scores():
    answer = {"boxes": [[0, 0, 10, 10], [50, 0, 60, 10]], "scores": [0.9, 0.2]}
    assert asserting.assert_average_precision([[0, 0, 10, 10]], answer)["score"] == 1.0
    with pytest.raises(AssertionError, match=r"AP 0\.500: 1 of 1 box found, 1 more in the answer"):
        asserting.assert_average_precision([[0, 0, 10, 10]], answer | {"scores": [0.2, 0.9]})
    with pytest.raises(AssertionError, match="all scores are equal"):
        asserting.assert_average_precision([[0, 0, 10, 10]], answer | {"scores": [0.5, 0.5]})


def test_a_failure_of_one_shape_shows_both():
    with pytest.raises(AssertionError) as failure:
        asserting.assert_box_matches({"bounding_box": [10, 10, 0, 0]}, 'Here: {"bbox": [0, 0, 10, 4]}')
    assert str(failure.value).splitlines() == [
        "IoU 0.400, below 0.5",
        "  reference [0, 0, 10, 10]",
        "  answer    [0, 0, 10, 4]",
        "  note      text around the answer",
    ]


def test_a_failure_reads_shapes_as_they_were_measured():
    with pytest.raises(AssertionError, match=r"missed    \[10, 10, 30, 20\]; .* \[10, 10, 18, 20\], IoU 0.400"):
        asserting.assert_boxes_match([[10, 10, 20, 10]], {"a": {"b": [[10, 10, 8, 10]]}}, format="xywh", at="a.b")


def test_a_failure_lists_no_more_than_can_be_read():
    many = [[20 * i, 0, 20 * i + 10, 10] for i in range(25)]
    with pytest.raises(AssertionError) as failure:
        asserting.assert_boxes_match(many, [])
    lines = str(failure.value).splitlines()
    assert (len(lines), lines[-1].strip()) == (2 + 20 + 1, "… and 5 more")


def test_a_failure_counts_all_malformed_boxes():
    with pytest.raises(AssertionError) as failure:
        asserting.assert_boxes_match([[0, 0, 10, 10]], [[1, 2]] * 1500)
    lines = [line.strip() for line in str(failure.value).splitlines()]
    assert lines[-1] == "… and 1480 more"
    assert not any(line.startswith("too many") for line in lines)


def test_what_is_left_is_looked_up_and_not_searched_for():
    shapes, moved = ([[20 * i + by, 0, 20 * i + by + 10, 10] for i in range(5)] for by in (0, 8))
    details = {"unmatched_gt": Refusing(range(5)), "unmatched_pred": Refusing(range(5))}
    failure = asserting._FailedVerdict("boxes", asserting.payload_of(moved, shapes), {}, details)
    assert sorted(failure.closest_left()) == [0, 1, 2, 3, 4]


class Refusing(list):
    """A list that must not be searched."""

    def __contains__(self, item):
        raise AssertionError("searched")


@pytest.mark.parametrize("answer", [None, "", "nothing there", {"label": "screw"}])
def test_an_answer_without_boxes_fails(answer):
    with pytest.raises(AssertionError, match="answer: no box found"):
        asserting.assert_boxes_match([[0, 0, 10, 10]], answer)


def test_an_empty_answer_to_an_empty_reference_passes():
    assert asserting.assert_boxes_match(np.zeros((0, 4)), [])["score"] == 1.0


def test_an_assertion_refuses_options_that_do_not_exist():
    with pytest.raises(calipers.ConfigError, match="'treshold' is not an option, did you mean 'threshold'"):
        asserting.assert_boxes_match([], [], treshold=0.9)


def test_the_example_of_pytest_passes_and_its_readme_shows_the_failure():
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", "."]
    folder, environment = EXAMPLES / "pytest", ENVIRONMENT | {"PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run([*call, "test_detector.py"], cwd=folder, env=environment, capture_output=True, check=False)
    assert (ended.returncode, b"5 passed" in ended.stdout) == (0, True), ended.stdout.decode()
    module = load(folder / "test_detector.py")
    with pytest.raises(AssertionError) as failure:
        asserting.assert_boxes_match(module.SCREWS, module.ask("rack"))
    assert f"```\nAssertionError: {failure.value}\n```" in (folder / "README.md").read_text(encoding="utf-8")


# AgentV


def agentv_cases():
    for line in COMMANDS:
        program, command, *arguments, _, source, _, target = shlex.split(line)
        assert (program, command) == ("calipers", "judge")
        yield pytest.param(arguments, source, target, id=Path(source).stem)


@pytest.mark.parametrize(("arguments", "source", "target"), list(agentv_cases()))
def test_a_payload_of_agentv_gets_its_verdict_byte_by_byte(arguments, source, target):
    folder = EXAMPLES / "agentv"
    ended = run("judge", *arguments, folder=folder, given=(folder / source).read_bytes())
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert ended.stdout == (folder / target).read_bytes()
    assert ended.stdout.count(b"\n") == 1


def test_every_payload_of_agentv_has_a_command_a_verdict_and_a_row_in_the_readme():
    folder = EXAMPLES / "agentv"
    names = [Path(line.rpartition("/")[2]).stem for line in COMMANDS]
    assert sorted([*names, "long-answer"]) == sorted(path.stem for path in (folder / "cases").iterdir())
    assert sorted(names) == sorted(path.stem for path in (folder / "verdicts").iterdir())
    rows = (folder / "README.md").read_text(encoding="utf-8").split("\n| `")[1:]
    table = {row.partition("`")[0]: [cell.strip() for cell in row.split("|")] for row in rows if "eval" not in row[:5]}
    assert list(table) == names
    for name, row in table.items():
        verdict = json.loads((folder / "verdicts" / f"{name}.json").read_bytes())
        assert (f"{verdict['score']:.3g}", verdict["pass"]) == (row[4], row[5].startswith("yes")), name


def test_the_rulers_of_agentv_s_payloads_are_all_there_are():
    assert {shlex.split(line)[2] for line in COMMANDS} == set(calipers.judge.__all__)


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
def test_the_program_for_paths_runs_the_command(tmp_path):
    shim = tmp_path / "calipers"
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m calipers "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    environment = ENVIRONMENT | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    payload = (EXAMPLES / "agentv" / "cases" / "code-judge.json").read_bytes()
    program = EXAMPLES / "agentv" / "evaluators" / "boxes.sh"
    ended = subprocess.run([program], input=payload, env=environment, capture_output=True, check=True)
    assert json.loads(ended.stdout)["details"]["pass_at"] == 1.0


def commands_in(tree):
    """Every command of an eval, as a list of arguments."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            if name in ("command", "script"):
                yield shlex.split(value) if isinstance(value, str) else value
            else:
                yield from commands_in(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from commands_in(value)


@pytest.mark.parametrize("path", sorted((EXAMPLES / "agentv" / "evals").iterdir()), ids=lambda path: path.name)
def test_the_commands_in_an_eval_of_agentv_give_verdicts(path):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    commands = list(commands_in(yaml.safe_load(path.read_text(encoding="utf-8"))))
    assert commands
    for program, *arguments in commands:
        assert program == "calipers"
        ended = run(*arguments, folder=path.parent, given=b'{"output": "[]", "expected_output": "[]"}')
        assert (ended.returncode, json.loads(ended.stdout)["details"]["threshold"] > 0) == (0, True)


def test_an_eval_of_agentv_5_has_its_references_in_the_config():
    """That host sends an empty list as expected_output to every script."""
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    path = EXAMPLES / "agentv" / "evals" / "script.eval.yaml"
    for test in yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]:
        [grader] = test["assert"]
        config = grader["config"]
        payload = {"output": json.dumps(config["reference"]), "expected_output": [], "config": config}
        ended = run(*grader["command"][1:], folder=path.parent, given=json.dumps(payload).encode())
        assert json.loads(ended.stdout)["score"] == 1


@pytest.mark.parametrize("reference", [[], {"boxes": []}])
def test_an_empty_list_in_the_config_says_that_nothing_is_to_be_found(reference):
    def score(answer):
        payload = {"output": answer, "expected_output": [], "config": {"reference": reference}}
        return calipers.judge.boxes(payload)["score"]

    assert (score('{"boxes": []}'), score('{"boxes": [[0, 0, 1, 1]]}')) == (1.0, 0.0)


# The demo


def test_the_demo_shows_a_payload_and_its_verdict(tmp_path):
    payload = DATA / "judge" / "boxes.json"
    ended = run("demo", "judge", folder=tmp_path)
    verdict = run("judge", "boxes", folder=tmp_path, given=payload.read_bytes()).stdout
    assert ended.returncode == 0
    assert json.loads(ended.stdout) == json.loads(verdict) == calipers.judge.boxes(payload.read_bytes())
    assert max(map(len, ended.stdout.decode().splitlines())) <= 110
    assert payload.read_text(encoding="utf-8") in ended.stderr.decode()
    assert f"$ calipers judge boxes < {payload}" in ended.stderr.decode()
    assert run("demo", "judge", "--json", folder=tmp_path).stdout == verdict


def test_the_demo_of_the_judge_writes_no_files(tmp_path):
    ended = run("demo", "judge", "-o", "out", folder=tmp_path)
    assert (ended.returncode, ended.stdout, list(tmp_path.iterdir())) == (2, b"", [])
    assert b"The judge writes no files" in ended.stderr
