"""Types of artifacts say what their schemas say, in both directions, and what artifacts hold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest

import calipers
from calipers.schemas import schema
from calipers.suite import built_in

GOLDEN = Path(__file__).parents[1] / "golden"
KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
SUITES = list(built_in())
Form = Any  # a kind, or a list of forms, or what an object or array holds


def artifact_type(name: str) -> Any:
    return getattr(calipers, f"{name.capitalize()}Artifact")


# One form for both: a sorted list of texts and nested dicts, so that they can be compared


def of_type(hint: Any) -> list[Form]:
    if get_origin(hint) in (Union, UnionType):
        return merged(form for part in get_args(hint) for form in of_type(part))
    if get_origin(hint) is NotRequired:
        return of_type(get_args(hint)[0])
    if get_origin(hint) is Literal:
        return [f"const {value}" for value in get_args(hint)]
    if get_origin(hint) is list:
        return [{"items": of_type(get_args(hint)[0])}]
    if get_origin(hint) is dict:
        return [{"by name": of_type(get_args(hint)[1])}]
    if is_typeddict(hint):
        fields = {key: of_type(value) for key, value in get_type_hints(hint).items()}
        return [{"fields": fields, "required": sorted(hint.__required_keys__)}]
    return [KINDS[hint]]


def of_schema(node: dict[str, Any], defs: dict[str, Any]) -> list[Form]:
    if "$ref" in node:
        return of_schema(defs[node["$ref"].removeprefix("#/$defs/")], defs)
    if "const" in node:
        return [f"const {node['const']}"]
    if "anyOf" in node:
        return merged(form for part in node["anyOf"] for form in of_schema(part, defs))
    kinds = node["type"] if isinstance(node["type"], list) else [node["type"]]
    return merged(of_kind(node, kind, defs) for kind in kinds)


def of_kind(node: dict[str, Any], kind: str, defs: dict[str, Any]) -> Form:
    if kind == "array":
        return {"items": of_schema(node["items"], defs)}
    if kind != "object":
        return kind
    others = [*node.get("patternProperties", {}).items(), (".", node.get("additionalProperties"))]
    if "properties" not in node:
        return {"by name": merged(form for _, part in others for form in of_schema(part, defs))}
    fields = {key: of_schema(part, defs) for key, part in node["properties"].items()}
    for key in node.get("required", []):
        if key not in fields:
            fields[key] = of_schema(next(part for pattern, part in others if re.search(pattern, key)), defs)
    return {"fields": fields, "required": sorted(node.get("required", []))}


def merged(forms: Iterator[Form]) -> list[Form]:
    """Each form once, in one order."""
    texts = {json.dumps(form, sort_keys=True): form for form in forms}
    return [texts[text] for text in sorted(texts)]


@pytest.mark.parametrize("name", SUITES)
def test_types_have_the_keys_kinds_and_required_fields_of_the_schema_and_no_others(name):
    tree = schema(name)
    root = next((form for form in tree.get("anyOf", []) if "properties" in form), tree)
    expected = of_schema({key: value for key, value in root.items() if key != "$defs"}, tree["$defs"])
    assert json.dumps(of_type(artifact_type(name)), sort_keys=True) == json.dumps(expected, sort_keys=True)


def test_a_second_form_of_an_artifact_has_a_type_too():
    """A folder of scenes has one file for each method."""
    tree = schema("scene")
    method = import_module("calipers.suites.scene.artifact_types").SceneMethod
    expected = of_schema({"$ref": "#/$defs/method"}, tree["$defs"])
    assert json.dumps(of_type(method), sort_keys=True) == json.dumps(expected, sort_keys=True)


# What is in them


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a type; fields that a TypedDict does not name are free."""
    if get_origin(hint) in (Union, UnionType):
        return any(fits(value, part) for part in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is list:
        return isinstance(value, list) and all(fits(item, get_args(hint)[0]) for item in value)
    if get_origin(hint) is dict:
        return isinstance(value, dict) and all(fits(item, get_args(hint)[1]) for item in value.values())
    if is_typeddict(hint):
        hints = get_type_hints(hint)
        is_whole = isinstance(value, dict) and hint.__required_keys__ <= value.keys()
        return is_whole and all(fits(value[key], hints[key]) for key in hints.keys() & value.keys())
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, hint) and (hint is bool or not isinstance(value, bool))


@pytest.mark.parametrize("name", SUITES)
def test_an_artifact_is_of_its_type(name):
    tree = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    assert fits(tree, artifact_type(name))
    assert not fits(tree | {"records": 3, "images": 3}, artifact_type(name))
    assert not fits({key: value for key, value in tree.items() if key != "rejected"}, artifact_type(name))


def test_a_report_has_the_tree_it_was_made_of():
    report = calipers.dense([], bootstrap=0)
    assert report.tree["suite"] == "dense"
    assert calipers.Report[calipers.DenseArtifact] is not calipers.Report
