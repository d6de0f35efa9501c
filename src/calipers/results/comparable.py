"""Whether two artifacts may be compared: the same suite, protocol, parameters, replicates and records.

Records are the same when the artifacts read as many of them and count the same ground truth, name by name where names
are kept (videos, scenes, labels), and in every replicate of the bootstrap (dense, coco), whose weights hang on the keys
of records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from calipers.core.text import whole_text
from calipers.results.artifacts import Result
from calipers.suite import Suite, suite_of_tree

Tree = Mapping[str, Any]
REPLICATES = ("bootstrap", "seed")
MAX_NAMED = 3
ABSENT = "absent"
EXPECTED_COMPARABLE = "(expected one suite, the same records and ground truth, and the same options)"


class Differences(NamedTuple):
    """Differences that keep two artifacts from being compared in pairs, each with the values of both."""

    settings: list[str]
    records: list[str]

    @property
    def all(self) -> list[str]:
        """Differences of settings, then those of records."""
        return [*self.settings, *self.records]


Sides = tuple[str, str]  # what the two are called
SIDES = ("the old one", "the new one")


def differences(old: Result, new: Result, sides: Sides = SIDES, *, replicates: bool = True) -> Differences:
    """All differences between two results; where protocols differ, so do the records, and nothing else is looked at.

    Without `replicates` results may have as many of them as they like.
    """
    if old.tree["protocol"] != new.tree["protocol"]:
        difference = _sentence("protocol", old.tree["protocol"], new.tree["protocol"], sides)
        return Differences([], [difference])
    before, after = _Compared(old.tree), _Compared(new.tree)
    left_out = () if replicates else REPLICATES
    settings = _named(
        "", before.params_without(left_out), after.params_without(left_out), sides, max_names=len(before.params)
    )
    return Differences(settings, list(_records(before, after, sides)))


class _Compared:
    """The settings and records of one artifact that must equal those of the other."""

    def __init__(self, tree: Tree) -> None:
        suite, params = suite_of_tree(tree), tree["params"]
        named = {name: _value(tree, name, suite) for name in params}
        ignored = {*REPLICATES, *suite.ignored_params}
        self.params = {name: value for name, value in (_defaults(suite) | named).items() if name not in ignored}
        self.params |= {name: params[name] for name in REPLICATES}
        self.records = dict(suite.truth_facts(tree))
        self.sums = tree.get("bootstrap", {}).get("sums", {}).get("gt", [])

    def params_without(self, names: Collection[str]) -> dict[str, Any]:
        """The parameters without those named."""
        return {name: value for name, value in self.params.items() if name not in names}


def _defaults(suite: Suite) -> dict[str, Any]:
    """Defaults of options that an artifact does not have, because they were added later."""
    plain = {item.name: item.default for item in fields(suite.config) if item.metadata["artifact"]}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


def _value(tree: Tree, name: str, suite: Suite) -> Any:
    """A parameter; of an option that names a file, what is in the file."""
    value = tree["params"][name]
    if name not in suite.file_params or not isinstance(value, str):
        return value
    return next((entry["sha256"] for entry in tree["inputs"] if entry["path"] == whole_text(value)), value)


def shared_groups(old: Result, new: Result) -> dict[str, str]:
    """Groups of figures that both results have, new name to old name.

    Methods may be called otherwise in another result: two that are alone are the same one.
    """
    before, after = (list(dict.fromkeys(name.rpartition(".")[0] for name in result.figures)) for result in (old, new))
    if suite_of_tree(new.tree).group_word and len(before) == len(after) == 1:
        return {after[0]: before[0]}
    return {name: name for name in after if name in before}


def _records(old: _Compared, new: _Compared, sides: Sides) -> Iterator[str]:
    differing = _named("ground truth: ", old.records, new.records, sides, max_names=MAX_NAMED)
    yield from differing
    same_replicates = all(old.params[name] == new.params[name] for name in REPLICATES)
    if not differing and same_replicates and old.sums != new.sums:
        yield (
            "records: as many objects, but not the same records (those without image_path, id or image are known by"
            " their file and line)"
        )


def _named(prefix: str, old: Mapping[str, Any], new: Mapping[str, Any], sides: Sides, *, max_names: int) -> list[str]:
    """A sentence for each of the first differing values, and how many more there are."""
    names = [name for name in {**old, **new} if old.get(name, ABSENT) != new.get(name, ABSENT)]
    listed, more = names[:max_names], len(names) - max_names
    sentences = [_sentence(f"{prefix}{name}", old.get(name, ABSENT), new.get(name, ABSENT), sides) for name in listed]
    return [*sentences, f"{prefix}{more:,} more"] if more > 0 else sentences


def _sentence(name: str, old: Any, new: Any, sides: Sides) -> str:
    return f"{_short(name)}: {_short(old)} in {_short(sides[0])}, {_short(new)} in {_short(sides[1])}"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
