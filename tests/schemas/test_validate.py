"""The validator of this package against the standard, and against jsonschema, on samples and on damaged samples."""

import json
from copy import deepcopy
from pathlib import Path
from random import Random

import pytest

from calipers.core.json_schema import compiled, shown_path
from calipers.schemas import Mismatch, check_shape, schema
from calipers.suite import suite_names

jsonschema = pytest.importorskip("jsonschema")
RATE = "a number from 0 to 1, or null"
GOLDEN = Path(__file__).parents[1] / "golden"
VALUES = [None, True, 7, 7.5, -1, -0.5, "x", "", [], {}, [1, 2, 3], {"a": 1}, 10**18, 1e300, ["x"], [[0, 1]], {"x": {}}]


def problem(schema, value):
    """What is wrong with a value, nothing if it fits."""
    try:
        compiled(schema)(value)
    except Mismatch as found:
        return str(found)
    return ""


def golden(suite):
    return json.loads((GOLDEN / f"{suite}.json").read_bytes())


@pytest.mark.parametrize("suite", suite_names())
def test_the_schemas_are_schemas(suite):
    jsonschema.Draft202012Validator.check_schema(schema(suite))


def patterns_of(node, definition):
    """Patterns of names, anywhere in a schema, whose values are of a definition."""
    if isinstance(node, dict):
        named = node.get("patternProperties", {}).items()
        yield from (pattern for pattern, value in named if value == {"$ref": f"#/$defs/{definition}"})
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from patterns_of(inner, definition)


def test_names_of_amounts_are_told_by_one_pattern():
    """The names of a pattern cannot be a reference, so it is written out in each part of the schema."""
    patterns = list(patterns_of(schema("timeline"), "amount"))
    assert len(patterns) == 3  # of a video, of the summary and of all videos as one
    assert len(set(patterns)) == 1


@pytest.mark.parametrize("suite", suite_names())
def test_the_golden_artifacts_fit_by_both_validators(suite):
    jsonschema.Draft202012Validator(schema(suite)).validate(golden(suite))
    check_shape(suite, golden(suite))


def small(tree):
    """The same with few entries in every list and every large object, so that another validator takes no minute."""
    if isinstance(tree, dict):
        kept = list(tree.items()) if len(tree) < 250 else list(tree.items())[:3]
        return {name: small(value) for name, value in kept}
    return [small(value) for value in tree[:3]] if isinstance(tree, list) else tree


def places(tree, path=()):
    """Every place of a tree."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield (*path, key)
        yield from places(value, (*path, key))


def mutated(tree, rng):
    """A tree in which one thing is missing or another."""
    found = deepcopy(tree)
    *above, last = rng.choice(list(places(found)))
    holder = found
    for key in above:
        holder = holder[key]
    if rng.random() < 0.3:
        del holder[last]
    else:
        holder[last] = rng.choice(VALUES)
    return found


@pytest.mark.parametrize("suite", suite_names())
def test_both_validators_agree_on_damaged_artifacts(suite):
    rng, tree = Random(suite), small(golden(suite))
    ours, theirs = compiled(schema(suite)), jsonschema.Draft202012Validator(schema(suite))
    verdicts = []
    for _ in range(25):
        damaged = mutated(tree, rng)
        try:
            ours(damaged)
            verdicts.append(True)
        except Mismatch:
            verdicts.append(False)
        assert theirs.is_valid(damaged) is verdicts[-1]
    assert {*verdicts} == {True, False}  # fields that no schema names may be anything


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"type": "integer"}, 1, ""),
        ({"type": "integer"}, True, "found true, expected a whole number"),
        ({"type": "integer"}, 5.0, "found 5.0, expected a whole number"),
        ({"type": "number"}, float("inf"), "found inf, expected a number"),
        ({"type": ["number", "null"], "minimum": 0, "maximum": 1}, 7.5, f"found 7.5, expected {RATE}"),
        ({"type": "string"}, None, "found null, expected text"),
        ({"type": "array", "items": {"type": "integer"}}, [1, 2, "x"], "[2]: found 'x', expected a whole number"),
        ({"items": {"type": "number"}, "minItems": 2, "maxItems": 2}, [1], "found a list of 1, expected one of 2"),
        ({"type": "array", "items": {"type": "number"}}, [1, float("-inf")], "[1]: found -inf, expected a number"),
        ({"type": "object", "required": ["a"]}, {}, "field 'a' is missing"),
        ({"properties": {"a": {"required": ["b"]}}}, {"a": {}}, "field 'a.b' is missing"),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, {"a": 1, "b": 2}, "a: found 1, expected text"),
        ({"additionalProperties": {"type": "string"}}, {"a b": []}, '["a b"]: found a list of 0, expected text'),
        ({"additionalProperties": False}, {"a": 1}, "a: is there, expected no such field"),
        ({"patternProperties": {"_n$": {"type": "null"}}}, {"x_n": "1", "x": "1"}, "x_n: found '1', expected null"),
        ({"const": "dense"}, "coco", "found 'coco', expected 'dense'"),
        ({"const": 1}, True, "found true, expected 1"),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}]}, {"b": 1}, "field 'a' is missing"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "x", ""),
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_named(schema, value, said):
    assert problem(schema, value) == said


def test_a_keyword_that_is_not_known_is_an_error_of_the_schema():
    with pytest.raises(ValueError, match=r"keywords \['uniqueItems'\] are not supported"):
        compiled({"type": "array", "uniqueItems": True})


def test_long_and_strange_names_are_shortened():
    assert shown_path(["videos", "a" * 200, 3]) == f'videos["{"a" * 80}…"][3]'


def test_the_names_that_are_remembered_are_bounded():
    check = compiled({"additionalProperties": {"type": "integer"}})
    for start in range(0, 50_000, 10_000):
        check({f"name {k}": k for k in range(start, start + 10_000)})
    [remembered] = [cell.cell_contents for cell in check.__closure__ or () if isinstance(cell.cell_contents, list)]
    names = [cell.cell_contents for cell in remembered[1].__closure__ if isinstance(cell.cell_contents, dict)]
    assert [len(each) for each in names] == [10_000]
