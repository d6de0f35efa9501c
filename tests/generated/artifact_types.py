"""Artifacts as types: the source of every `artifact_types.py`, made from the JSON Schemas of the artifacts.

Objects with fields of their own become TypedDicts, which name the fields that the schema describes; objects by name
become dicts. Objects that several suites write in the same way are one class, in the core. Classes stand in the order
in which they need each other, the artifact last. They are not put off by `from __future__ import annotations`, since
Python would then take every field for a required one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from keyword import iskeyword
from textwrap import wrap
from typing import Any

Schema = dict[str, Any]

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
SHARED = "calipers.core.artifact_types"  # the module
TYPING = ("Any", "Literal", "NotRequired", "TypedDict", "final")
UNNAMED = "\0"  # before the name of a class, until it is known whose it is
HEAD = '''"""{what} as types, for editors and type checkers.

Made from {source} by tests/generated/regenerate.py; not to be changed by hand.
"""

{imports}
'''


def sources(schemas: Mapping[str, Schema]) -> dict[str, str]:
    """A module for the artifact of each suite, by its name, and one for the objects that several have in common."""
    by_suite = {suite: _classes(suite, schema) for suite, schema in schemas.items()}
    shared = _shared(by_suite.values())
    modules = {SHARED: _module("Objects that artifacts of several suites hold,", "their schemas", shared, shared, "")}
    for suite, classes in by_suite.items():
        own = {name: text for name, text in classes.items() if name not in shared}
        what = f"The artifact of the {suite} suite"
        modules[suite] = _module(what, "`schema.json`", own, shared, suite.capitalize())
    return modules


def _classes(suite: str, schema: Schema) -> dict[str, str]:
    """The text of a TypedDict for every object of an artifact, by its name without a prefix."""
    writer = _Writer(schema.get("$defs", {}))
    root = next((form for form in schema.get("anyOf", []) if "properties" in form), schema)
    writer.write(root | {"description": f"Artifact of the {suite} suite."}, "Artifact")
    return writer.classes


def _shared(suites: Iterable[dict[str, str]]) -> dict[str, str]:
    """Classes that are the same in two suites, together with all that they need, and differ in none."""
    texts = [item for classes in suites for item in classes.items()]
    count, named = Counter(texts), Counter(name for name, _ in texts)
    shared = {name: text for (name, text), times in count.items() if times > 1 and times == named[name]}
    while lacking := [name for name, text in shared.items() if not _needed(text) <= shared.keys()]:
        for name in lacking:
            del shared[name]
    return shared


def _needed(text: str) -> set[str]:
    return set(re.findall(rf"{UNNAMED}(\w+)", text))


def _module(what: str, source: str, classes: Mapping[str, str], shared: Mapping[str, str], prefix: str) -> str:
    body = "".join(f"\n\n{text}" for text in classes.values())
    names = [name for name in TYPING if re.search(rf"\b{name}\b", body)]
    imports = f"from typing import {', '.join(names)}\n"
    if others := sorted(_needed(body) & shared.keys() - classes.keys()):
        lines = "".join(f"    Artifact{name},\n" for name in others)
        imports += f"\nfrom {SHARED} import (\n{lines})\n"
    body = re.sub(rf"{UNNAMED}(\w+)", lambda name: f"{'Artifact' if name[1] in shared else prefix}{name[1]}", body)
    return HEAD.format(what=what, source=source, imports=imports).rstrip("\n") + "\n" + body


class _Writer:
    """The classes of one artifact, by name."""

    def __init__(self, defs: dict[str, Schema]) -> None:
        self.defs = defs
        self.classes: dict[str, str] = {}

    def write(self, schema: Schema, name: str, *, is_one_of: bool = False) -> str:
        """The type that a schema describes; objects get this name."""
        if "$ref" in schema:
            key = schema["$ref"].rpartition("/")[2]
            return self.write(self.defs[key], _camel(key), is_one_of=is_one_of)
        if "const" in schema or "enum" in schema:
            values = [schema["const"]] if "const" in schema else schema["enum"]
            return f"Literal[{', '.join(map(_quoted, values))}]"
        if "anyOf" in schema:
            forms = [
                self.write(form, name if len(form.get("properties", {})) > 1 else f"{name}Error", is_one_of=True)
                for form in schema["anyOf"]
            ]
            return " | ".join(dict.fromkeys(forms))
        if "type" not in schema:
            return "Any"
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        parts = [self._kind(schema, kind, name, is_one_of) for kind in kinds]
        return " | ".join(sorted(parts, key=lambda part: part == "None"))

    def _kind(self, schema: Schema, kind: str, name: str, is_one_of: bool) -> str:
        if kind == "array":
            return f"list[{self.write(schema['items'], name)}]"
        if kind != "object":
            return PLAIN[kind]
        if "properties" in schema:
            return self._typed_dict(schema, name, is_one_of)
        values = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties", {})]
        types = [self.write(value, name) if value else "Any" for value in values]
        return f"dict[str, {' | '.join(dict.fromkeys(types))}]"

    def _typed_dict(self, schema: Schema, name: str, is_one_of: bool) -> str:
        inner = "" if name == "Artifact" else name
        fields = {
            key: (self.write(value, inner + _camel(key)), key in schema.get("required", []))
            for key, value in _described(schema).items()
        }
        text = _class_text(
            UNNAMED + name, fields, schema.get("description", f"`{_snake(name)}` of the artifact."), is_one_of
        )
        if self.classes.setdefault(name, text) != text:
            raise ValueError(f"{name}: two different objects have this name")
        return UNNAMED + name


def _described(schema: Schema) -> dict[str, Schema]:
    """The fields of an object; one that has to be there may be described by a pattern of its name alone."""
    fields = dict(schema["properties"])
    for key in schema.get("required", []):
        patterns = [value for name, value in schema.get("patternProperties", {}).items() if re.search(name, key)]
        fields.setdefault(key, next(iter(patterns), schema.get("additionalProperties") or {}))
    return fields


def _class_text(name: str, fields: dict[str, tuple[str, bool]], description: str, is_one_of: bool) -> str:
    """A class; where a key is no name of Python, a call that makes one."""
    said = "\n    ".join(wrap(f'"""{description}"""', 116))
    typed = {key: kind if needed else f"NotRequired[{kind}]" for key, (kind, needed) in fields.items()}
    if all(key.isidentifier() and not iskeyword(key) for key in typed):
        lines = "".join(f"    {key}: {kind}\n" for key, kind in typed.items())
        return f"{'@final' + chr(10) if is_one_of else ''}class {name}(TypedDict):\n    {said}\n\n{lines}"
    lines = "".join(f"        {_quoted(key)}: {kind},\n" for key, kind in typed.items())
    return f'{name} = TypedDict(\n    "{name}",\n    {{\n{lines}    }},\n)\n"""{description}"""\n'


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _camel(key: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in key.replace(".", "_").split("_"))


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).strip("_")
