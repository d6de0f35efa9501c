"""The fuzzer finds what it is made to find: other exceptions, processes that end, and the smallest case of it."""

import sys
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # the fuzzer is no part of the package

from fuzz.calls import CALLS
from fuzz.case import Case
from fuzz.oracle import outcome_of, template
from fuzz.process import Worker
from fuzz.shrink import shrink
from fuzz.writers import write_json, write_toml, write_xml

from fuzz import octets, trees

CASE = Case("dense", "dense", {"source": ["a.jsonl"], "bootstrap": 0}, {"a.jsonl": b"{}\n"})


def test_an_error_of_calipers_is_no_finding():
    assert outcome_of(CASE)[:3] == (
        "error",
        3,
        "FILE:#: no ground truth: expected gt_norm# (or gt_norm), a list of objects",
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ZeroDivisionError("by 3"), "ZeroDivisionError in outside: by #"),
        (MemoryError(), "MemoryError in outside: "),
    ],
)
def test_any_other_exception_is_one(monkeypatch, error, said):
    def fail(**_):
        raise error

    monkeypatch.setitem(CALLS, "dense", fail)
    assert outcome_of(CASE)[:3] == ("broken", -1, said)


def test_a_valid_input_has_to_be_read():
    outcome = outcome_of(CASE._replace(is_valid=True))
    assert outcome.kind == "broken"
    assert outcome.said.startswith("no error for a valid input: a.jsonl:1")


def test_a_process_that_ends_is_a_finding_and_the_next_case_has_another():
    worker = Worker()
    try:
        assert worker.run(["no such grammar", 1]).outcome[:3] == (
            "broken",
            1,
            "a process that goes on, not exit code 1",
        )
        assert worker.run(CASE.entry()).outcome.kind == "error"
    finally:
        worker.close()


def test_a_case_is_shrunk_to_what_matters():
    case = CASE._replace(files={"a": b"one\ntwo\nx\nthree", "b": b"other"})
    assert shrink(case, lambda each: b"x" in each.files.get("a", b"")).files == {"a": b"x"}


def test_a_message_is_told_from_others_by_its_words():
    assert (
        template('a.json: "é": found [1, 2.5], expected 4 numbers', CASE) == "a.json: '…': found …, expected # numbers"
    )


@pytest.mark.parametrize("write", [write_json, write_toml, write_xml])
def test_whatever_becomes_of_a_tree_can_be_written(write):
    tree = {"a": [1, {"b": "c", "d": None}], "e": ["node", {"id": "1"}, ["text"]]}
    for seed in range(300):
        rng = Random(seed)
        assert isinstance(octets.mutate(write(trees.mutate(tree, rng, 3), rng), rng, 2), bytes)


def test_mutations_leave_the_tree_they_are_given():
    tree = {"a": [1, {"b": "c"}]}
    for seed in range(50):
        trees.mutate(tree, Random(seed), 3)
    assert tree == {"a": [1, {"b": "c"}]}
