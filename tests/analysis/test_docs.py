"""The manual of comparisons and gates names what there is. Its examples are run as doctests."""

import re
from pathlib import Path

import pytest

from calipers.cli.main import calipers as program
from calipers.results.compare import compare
from calipers.results.gate import gate
from calipers.results.gate_rules import KINDS

MANUAL = (Path(__file__).parents[2] / "docs" / "compare.md").read_text(encoding="utf-8")
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


@pytest.mark.parametrize("name", ["compare", "gate"])
def test_the_manual_lists_every_option(name):
    rows = re.findall(rf"^\| (`.*`) \| {name} \|", MANUAL, re.MULTILINE)
    listed = {option for row in rows for option in re.findall(r"`(\w+)`", row)}
    command = program.get_command(None, name)
    flags = {param.name for param in command.params if param.param_type_name == "option"}
    assert listed == flags - {"config"}
