"""Artifacts as types: the source of every `artifact_types.py`, made from the JSON Schema of the artifact.

Objects with fields of their own become TypedDicts, which name the fields that the schema describes; objects by name
become dicts. Classes stand in the order in which they need each other, the artifact last. They are not put off by
`from __future__ import annotations`, since Python would then take every field for a required one.
"""

from __future__ import annotations

import re
from keyword import iskeyword
from textwrap import wrap
from typing import Any

Schema = dict[str, Any]

PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
HEAD = '''"""The artifact of the {suite} suite as types, for editors and type checkers.

Made from `schema.json` by tests/generated/regenerate.py; not to be changed by hand.
"""

from typing import {names}
'''


def source(suite: str, schema: Schema) -> str:
    """A module with a TypedDict for every object of an artifact."""
    writer = _Writer(suite.capitalize(), schema.get("$defs", {}))
    root = next((form for form in schema.get("anyOf", []) if "properties" in form), schema)
    writer.write(root | {"description": f"Artifact of the {suite} suite."}, "Artifact")
    body = "".join(f"\n\n{text}" for text in writer.classes.values())
    known = ("Any", "Literal", "NotRequired", "TypedDict", "final")
    names = [
        name for name in known if f"{name}[" in body or f"({name}" in body or f"@{name}" in body or name == "TypedDict"
    ]
    names += ["Any"] if "Any" not in names and ("Any]" in body or "Any\n" in body) else []
    return HEAD.format(suite=suite, names=", ".join(sorted(names, key=lambda name: (name[0].islower(), name)))) + body


class _Writer:
    """The classes of one artifact, by name."""

    def __init__(self, prefix: str, defs: dict[str, Schema]) -> None:
        self.prefix, self.defs = prefix, defs
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
        full = self.prefix + name
        inner = "" if name == "Artifact" else name
        fields = {
            key: (self.write(value, inner + _camel(key)), key in schema.get("required", []))
            for key, value in _described(schema).items()
        }
        text = _class_text(full, fields, schema.get("description", f"`{_snake(name)}` of the artifact."), is_one_of)
        if self.classes.setdefault(full, text) != text:
            raise ValueError(f"{full}: two different objects have this name")
        return full


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
