"""Inputs that the fuzzer made, broken in many ways: each still ends as it did, in a result or in a typed error."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # the fuzzer is no part of the package

from fuzz.build import build
from fuzz.case import read_case
from fuzz.corpus import expected, read_corpus, replayed
from fuzz.grammars import GRAMMARS
from fuzz.oracle import outcome_of

pytestmark = pytest.mark.usefixtures("without_plots")  # results are kept without them


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_every_kept_case_ends_as_it_did(grammar):
    wrong = []
    for number, (case, wanted) in enumerate(read_corpus(grammar), 1):
        outcome = replayed(case)
        if expected(outcome) != wanted:
            wrong.append(f"{grammar}.jsonl:{number}: expected {wanted}, found {expected(outcome)}\n{outcome.detail}")
    assert not wrong, "\n".join(wrong)  # python -m fuzz.corpus --refresh, if that is how it should be


def test_the_corpus_is_large_and_no_case_of_it_breaks_a_promise():
    outcomes = [outcome for grammar in GRAMMARS for _, outcome in read_corpus(grammar)]
    assert len(outcomes) >= 500
    assert {outcome["kind"] for outcome in outcomes} == {"ok", "error"}
    assert {outcome["code"] for outcome in outcomes if outcome["kind"] == "error"} == {2, 3}


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_a_case_is_a_function_of_its_integer(grammar):
    case = build(grammar, 5)
    assert build(grammar, 5) == case
    assert read_case(case.entry()) == case


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_what_a_grammar_makes_is_valid(grammar):
    case = build(grammar, 0, valid=True)
    assert case.is_valid
    assert outcome_of(case, alone=True).kind == "ok"
