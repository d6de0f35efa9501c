"""Rules from TOML, lists, keywords and flags; whatever is wrong with them is said."""

import pytest

from calipers.core.errors import ConfigError
from calipers.results.gate_rules import Rule, make_rules

TOML = """
[[rule]]
metric = "category.mean_f1"
max_drop = 0.01
floor = 0.5

[[rule]]
metric = "recall"
ceiling = 1
"""


@pytest.fixture
def file(tmp_path):
    def write(text: str, name: str = "gate.toml"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def refused(rules=None, *, part: str, **limits) -> None:
    with pytest.raises(ConfigError) as found:
        make_rules(rules, limits)
    assert part in str(found.value)


def test_a_file_has_a_rule_a_table_with_one_limit_or_several(file):
    expected = [
        Rule("category.mean_f1", "max_drop", 0.01),
        Rule("category.mean_f1", "floor", 0.5),
        Rule("recall", "ceiling", 1.0),
    ]
    assert make_rules(file(TOML), {}) == expected
    assert make_rules(str(file(TOML)), {}) == expected


def test_a_list_holds_what_tables_hold():
    assert make_rules([{"metric": "f1", "floor": 0.5}, Rule("AP", "max_drop", 0.01)], {}) == [
        Rule("f1", "floor", 0.5),
        Rule("AP", "max_drop", 0.01),
    ]


def test_limits_by_name_and_as_texts():
    found = make_rules(None, {"max_drop": {"f1": 0.01}, "floor": ["recall=0.75", "a=b.f1=1e-3"], "ceiling": "x=2"})
    assert found == [
        Rule("f1", "max_drop", 0.01),
        Rule("recall", "floor", 0.75),
        Rule("a=b.f1", "floor", 0.001),
        Rule("x", "ceiling", 2.0),
    ]


def test_those_of_the_file_come_first(file):
    assert [rule.metric for rule in make_rules(file(TOML), {"floor": ["AP=0.1"]})][-1] == "AP"


def test_no_rule_at_all(file):
    refused(part="no rule was given, expected at least one of max_drop, floor, ceiling")
    refused(file(""), part="no rule was given")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[[rules]]\nmetric = 'f1'", "'rules' is not a table, did you mean 'rule'?"),
        ("[rule]\nmetric = 'f1'", "expected tables, each under [[rule]]"),
        ("rule = 3", "expected tables, each under [[rule]]"),
        (
            "[[rule]]\nmetric = 'f1'\nmax_drops = 1",
            "rule 1: 'max_drops' is not a key of a rule, did you mean 'max_drop'?",
        ),
        ("[[rule]]\nmetrik = 'f1'\nfloor = 1", "rule 1: 'metrik' is not a key of a rule, did you mean 'metric'?"),
        ("[[rule]]\nfloor = 1", "rule 1: metric: found None, expected the name of a figure"),
        ("[[rule]]\nmetric = ''\nfloor = 1", "rule 1: metric: found '', expected the name of a figure"),
        ("[[rule]]\nmetric = 'f1'", "rule 1: no limit for 'f1', expected at least one of max_drop, floor, ceiling"),
        ("[[rule]]\nmetric = 'f1'\nfloor = '1'", "rule 1: floor: found '1', expected a number"),
        ("[[rule]]\nmetric = 'f1'\nfloor = true", "rule 1: floor: found True, expected a number"),
        ("[[rule]]\nmetric = 'f1'\nfloor = nan", "rule 1: floor: found nan, expected a number"),
        ("[[rule]]\nmetric = 'f1'\nmax_drop = -0.1", "rule 1: max_drop: found -0.1, expected a number of at least 0"),
        ("[[rule]\n", "is not TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(file, text, part):
    refused(file(text), part=part)
    refused(file(text), part="gate.toml: ")


@pytest.mark.parametrize("limit", [3, 0, True])
def test_limits_that_are_none_are_refused(limit):
    message = f"floor: found {limit}, expected limits by figure, or texts of NAME=NUMBER"
    with pytest.raises(ConfigError, match=message):
        make_rules(None, {"floor": limit})


def test_a_file_that_cannot_be_read(tmp_path):
    refused(tmp_path / "none.toml", part="none.toml: cannot be read: No such file")
    refused(tmp_path, part="cannot be read: Is a directory")
    (tmp_path / "latin.toml").write_bytes(b"a = '\xe9'")
    refused(tmp_path / "latin.toml", part="latin.toml: is not TOML")


@pytest.mark.parametrize("rules", [3, {"metric": "f1"}, [3], ["f1=3"]])
def test_rules_of_another_kind(rules):
    refused(rules, part="rule")


@pytest.mark.parametrize(
    ("given", "part"),
    [
        ("f1", "floor: found 'f1', expected NAME=NUMBER"),
        ("=3", "floor: found '=3', expected NAME=NUMBER"),
        ("f1=", "floor f1: found '', expected a number"),
        ("f1=high", "floor f1: found 'high', expected a number"),
        ("f1=inf", "floor f1: found inf, expected a number"),
    ],
)
def test_what_is_wrong_with_a_flag_is_said(given, part):
    refused(floor=[given], part=part)
