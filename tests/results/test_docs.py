"""The manual of comparisons and gates names what there is. Its examples are run as doctests."""

import re
from pathlib import Path

import pytest

import calipers
from calipers.core.suspects import REASONS
from calipers.results.compare import compare
from calipers.results.gate import gate
from calipers.results.gate_rules import KINDS
from calipers.results.rank import rank

DOCS = Path(__file__).parents[2] / "docs"
MANUAL = (DOCS / "compare.md").read_text(encoding="utf-8")
RANKING = (DOCS / "rank.md").read_text(encoding="utf-8")
SUSPECTS = (DOCS / "suspects.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`([\w.]+)`", MANUAL))


@pytest.mark.parametrize("suite", ["dense", "timeline", "scene", "coco"])
def test_the_manual_names_every_field_of_a_comparison(trees, suite):
    tree = compare(*trees[suite]).tree
    objects = tree["objects"] or {"fixed_objects": [], "broken_objects": []}
    entries = [each for listed in objects.values() if isinstance(listed, list) for each in listed]
    fields = {*tree, *tree["old"], *tree["metrics"][0], *objects, *(name for entry in entries for name in entry)}
    assert fields <= NAMED


def test_the_manual_names_every_field_of_a_gate(trees):
    tree = gate(*trees["dense"], max_drop={"f1": 0.1}).tree
    assert {*tree, *tree["rows"][0], *KINDS} <= NAMED


def test_the_manual_names_every_field_of_a_ranking(trees):
    old, new = trees["timeline"]
    tree = rank({"old": old, "new": new}, baseline="old", order="given").tree
    changes = [change for change in tree["history"]["first_change"].values() if change]
    rows = next(iter(tree["figures"].values()))
    fields = {*tree, *rows[0], *tree["history"], *(name for change in changes for name in change)}
    assert fields <= set(re.findall(r"`([\w.]+)`", RANKING))


def test_the_manual_names_every_field_and_reason_of_suspects():
    schema = calipers.schema("suspects")
    fields = {*schema["properties"], *schema["$defs"]["row"]["properties"]}
    assert {*fields, *REASONS} <= set(re.findall(r"`([\w.]+)`", SUSPECTS))
    assert [reason["const"] for reason in schema["$defs"]["reason"]["anyOf"]] == list(REASONS)
    assert re.findall(r"^### `(\w+)`", SUSPECTS, re.MULTILINE) == list(REASONS)
