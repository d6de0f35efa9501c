"""An option that is given twice is an error: of two paths, one would be swallowed."""

import pytest

COMMANDS = {
    "dense": ["dump.jsonl"],
    "timeline": [],
    "scene": [],
    "coco": [],
    "detect": [],
    "merge": ["part.cal"],
    "compare": ["old", "new"],
    "rank": ["a.json", "b.json"],
    "suspects": ["a", "b"],
    "report": ["result.json"],
    "convert": ["in.json"],
    "demo": ["dense"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_an_option_given_twice_is_named(command, run):
    ended = run(command, *COMMANDS[command], "-o", "a", "--out", "b")
    ended.refused(2, "'--output' is given 2 times, expected it once")


def test_methods_of_scenes_may_be_several(run):
    ended = run("scene", "--gt", "nowhere", "--pred", "a=x", "--pred", "b=y")
    assert "times" not in ended.err
