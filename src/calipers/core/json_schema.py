"""JSON against a JSON Schema: the part of the standard (draft 2020-12) that the schemas of this package use.

A schema is compiled once into functions, each of which looks at one value. Lists and objects of plain numbers are
checked as a whole first, as artifacts have thousands of replicates. A keyword that is not known here is an error of the
schema, never passed over. Two things are stricter than the standard: every number is finite, and a whole number is
written without a fraction.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Check = Callable[[Any], None]
Node = dict[str, Any]
KINDS = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}
WORDS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "text",
}
LARGEST = 1.7976931348623157e308  # the largest finite number
REMEMBERED = 10_000  # names of fields whose checks are kept
SCALAR = {"type", "minimum", "maximum"}
LIST = {"items", "minItems", "maxItems"}
OBJECT = {"properties", "required", "patternProperties", "additionalProperties"}
NOTES = {"$schema", "$defs", "title", "description"}
PLAIN_NAME = re.compile(r"[\w\-]{1,80}")


class Mismatch(Exception):  # noqa: N818  it becomes an error where the name of the file is known
    """A value that is not what it has to be, and where it is."""

    def __init__(self, problem: str, *path: str | int, missing: str = "") -> None:
        super().__init__(problem)
        self.problem, self.missing = problem, missing
        self.path: list[str | int] = list(reversed(path))  # from the value outwards

    def __str__(self) -> str:
        place = shown_path([*reversed(self.path), *([self.missing] if self.missing else [])])
        if self.missing:
            return f"field '{place}' is missing"
        return f"{place}: {self.problem}" if place else self.problem


def shown_path(path: list[str | int]) -> str:
    """Where a value is, as one would write it.

    >>> shown_path(["modes", "category", "thresholds", 3, "recall"]), shown_path(["videos", "a.mp4"])
    ('modes.category.thresholds[3].recall', 'videos["a.mp4"]')
    """
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif PLAIN_NAME.fullmatch(part):
            text += f".{part}" if text else part
        else:
            text += f'["{part[:80]}{"…" if len(part) > 80 else ""}"]'
    return text


def shown_value(value: Any) -> str:
    """A value as messages have it, lists and objects by their size."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"{value!r:.80}"


def compiled(root: Node) -> Check:
    """A function that does nothing with a value that fits the schema, and raises `Mismatch` for any other."""
    return _Compiler(root).check(root)


class _Compiler:
    def __init__(self, root: Node) -> None:
        self._definitions: dict[str, Node] = root.get("$defs", {})
        self._done: dict[str, Check] = {}

    def check(self, node: Node) -> Check:
        """The function of one schema."""
        keys = node.keys() - NOTES
        if unknown := keys - SCALAR - LIST - OBJECT - {"$ref", "anyOf", "const"}:
            raise ValueError(f"keywords {sorted(unknown)} are not supported")
        if "$ref" in node:
            return self._reference(node["$ref"])
        if "anyOf" in node:
            needed = [tuple(self._resolved(schema).get("required", ())) for schema in node["anyOf"]]
            return _any_of([self.check(schema) for schema in node["anyOf"]], needed)
        if "const" in node:
            return _const(node["const"])
        checks = [_scalar(node)]
        checks += [self._list(node)] if keys & LIST else []
        checks += [self._object(node)] if keys & OBJECT else []
        return checks[0] if len(checks) == 1 else _all(checks)

    def _reference(self, reference: str) -> Check:
        name = reference.removeprefix("#/$defs/")
        if name not in self._done:
            self._done[name] = self.check(self._definitions[name])
        return self._done[name]

    def _resolved(self, node: Node) -> Node:
        return self._definitions[node["$ref"].removeprefix("#/$defs/")] if "$ref" in node else node

    def _list(self, node: Node) -> Check:
        items = self._resolved(node.get("items", {}))
        quick = _quick(items) if items.keys() - NOTES <= SCALAR else None
        return _list(self.check(items), quick, node.get("minItems", 0), node.get("maxItems"))

    def _object(self, node: Node) -> Check:
        known: dict[str, tuple[Check, ...]] = {}
        known |= {name: (self.check(schema),) for name, schema in node.get("properties", {}).items()}
        patterns = [
            (re.compile(text), self.check(schema)) for text, schema in node.get("patternProperties", {}).items()
        ]
        rest = node.get("additionalProperties", True)
        other = _nothing_else if rest is False else None if rest is True else self.check(rest)
        return _object(tuple(node.get("required", ())), known, patterns, other)


def _all(checks: list[Check]) -> Check:
    def check(value: Any) -> None:
        for one_check in checks:
            one_check(value)

    return check


def _any_of(checks: list[Check], needed: list[tuple[str, ...]]) -> Check:
    """A check of `anyOf`; of several problems it reports that of the schema which the value resembles most."""

    def likeness(value: Any, problem: Mismatch, names: tuple[str, ...]) -> tuple[int, int]:
        missing = sum(name not in value for name in names) if isinstance(value, dict) else 0
        return len(problem.path), -missing

    def check(value: Any) -> None:
        problems = []
        for one_check, names in zip(checks, needed, strict=True):
            try:
                return one_check(value)
            except Mismatch as problem:
                problems.append((likeness(value, problem, names), problem))
        raise max(problems, key=lambda one_check: one_check[0])[1]

    return check


def _const(expected: Any) -> Check:
    def check(value: Any) -> None:
        if type(value) is not type(expected) or value != expected:
            raise Mismatch(f"found {shown_value(value)}, expected {shown_value(expected)}")

    return check


def _nothing_else(value: Any) -> None:
    raise Mismatch("is there, expected no such field")


def _limits(node: Node) -> tuple[frozenset[type], float, float]:
    names = [node["type"]] if isinstance(node.get("type", []), str) else node.get("type") or list(KINDS)
    kinds = frozenset(kind for name in names for kind in KINDS[name])
    return kinds, node.get("minimum", -LARGEST), node.get("maximum", LARGEST)


def _scalar(node: Node) -> Check:
    """Whether a value is of the right kind and, if it is a number, within its limits."""
    kinds, low, high = _limits(node)
    expected = _expected(node)

    def check(value: Any) -> None:
        kind = type(value)
        if kind not in kinds or ((kind is float or kind is int) and not low <= value <= high):
            raise Mismatch(f"found {shown_value(value)}, expected {expected}")

    return check


def _expected(node: Node) -> str:
    """What a schema asks of a plain value, in words.

    >>> _expected({"type": ["number", "null"], "minimum": 0, "maximum": 1})
    'a number from 0 to 1, or null'
    """
    names = [node["type"]] if isinstance(node.get("type", []), str) else node.get("type") or ["number"]
    low, high = node.get("minimum"), node.get("maximum")
    limits = ""
    if low is not None and high is not None and high < 1e9:
        limits = f" from {low} to {high}"
    elif low == 0:
        limits = " of at least 0"
    words = [WORDS[name] + (limits if name in ("integer", "number") else "") for name in names]
    return ", or ".join(words)


def _quick(node: Node) -> Callable[[list[Any]], bool]:
    """Whether all items of a list fit, found out by few calls whatever their number."""
    kinds, low, high = _limits(node)

    def all_fit(values: list[Any]) -> bool:
        types = set(map(type, values))
        if not types <= kinds:
            return False
        if types.isdisjoint((int, float)):
            return True
        numbers = values if types <= {int, float} else [value for value in values if type(value) in (int, float)]
        return bool(low <= min(numbers) and max(numbers) <= high)

    return all_fit


def _list(item: Check, all_fit: Callable[[list[Any]], bool] | None, min_items: int, max_items: int | None) -> Check:
    expected = (
        f"{min_items}"
        if min_items == max_items
        else f"at least {min_items}"
        if max_items is None
        else f"{min_items} to {max_items}"
    )

    def check(value: Any) -> None:
        if type(value) is not list:
            return
        if len(value) < min_items or (max_items is not None and len(value) > max_items):
            raise Mismatch(f"found a list of {len(value)}, expected one of {expected}")
        if not value or (all_fit is not None and all_fit(value)):
            return
        for place, entry in enumerate(value):
            try:
                item(entry)
            except Mismatch as problem:
                problem.path.append(place)
                raise

    return check


def _object(
    required: tuple[str, ...],
    known: dict[str, tuple[Check, ...]],
    patterns: list[tuple[re.Pattern[str], Check]],
    other: Check | None,
) -> Check:
    most = len(known) + REMEMBERED

    def checks_of(name: str) -> tuple[Check, ...]:
        """The checks for a field that `properties` does not list, or that a pattern also matches."""
        matching = tuple(check for pattern, check in patterns if pattern.search(name))
        checks = matching or (() if other is None else (other,))
        if len(known) < most:
            known[name] = checks
        return checks

    for name, listed in list(known.items()):
        known[name] = (*listed, *(check for pattern, check in patterns if pattern.search(name)))

    def check(value: Any) -> None:
        if type(value) is not dict:
            return
        for name in required:
            if name not in value:
                raise Mismatch("is missing", missing=name)
        name = ""
        try:
            for name, item in value.items():
                for one_check in known[name] if name in known else checks_of(name):
                    one_check(item)
        except Mismatch as problem:
            problem.path.append(name)
            raise

    return check
