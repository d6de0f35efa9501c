"""Floods of what is called from Python: rewards of long answers, and the fixture of pytest on a large result."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from flood import Flood

BOXES = '[{"bbox_2d": [1, 2, 30, 40], "label": "cat"}]'
REWARD = """
import sys, calipers
text = open(sys.argv[1] + "/answer").read()
truth = [{"type": "bbox_2d", "points": [1, 2, 30, 40], "desc": "cat"}]
print(calipers.reward(text, truth), calipers.trl_reward(gt="gt")([text], gt=[truth]))
"""
MANY_REWARDS = """
import sys, calipers
texts = open(sys.argv[1] + "/answer").read().splitlines()
truth = [{"type": "bbox_2d", "points": [1, 2, 30, 40], "desc": "cat"}]
print(sum(calipers.trl_reward(gt="gt")(texts, gt=[truth] * len(texts))))
"""
PYTEST = "import sys, pytest; code = pytest.main(['-q', '-p', 'no:cacheprovider', *sys.argv[1:]]); sys.exit(code and 3)"
TEST = """
def test_gate(calipers_gate):
    calipers_gate({new!r}, {old!r}, max_drop={{"mean_f1": 0.01}})
"""


def rewarded(text: Callable[[], str]) -> Callable[[Path], list[str]]:
    """An answer, as text."""

    def make(folder: Path) -> list[str]:
        (folder / "answer").write_text(text())
        return ["{}"]

    return make


def reward(what: str, text: Callable[[], str], program: str = REWARD) -> Flood:
    return Flood(f"reward {what}", rewarded(text), program=program)


def boxes(count: int) -> str:
    """An answer of boxes that are all somewhere else."""
    places = ([k % 900, k * 7 % 900, k % 900 + 9, k * 7 % 900 + 9] for k in range(count))
    return json.dumps([{"bbox_2d": place, "label": "cat"} for place in places], separators=(",", ":"))


def gated(records: int) -> Callable[[Path], list[str]]:
    """Two results of as many records, and a test that compares them."""

    def make(folder: Path) -> list[str]:
        import calipers

        box = {"type": "bbox_2d", "points": [1, 2, 30, 40], "desc": "cat"}
        for name, pred in (("old", [box]), ("new", [])):
            some = [{"id": k, "gt_norm1000": [box], "pred": pred if k % 3 else []} for k in range(records)]
            calipers.dense(some, jobs=1).save(folder / f"{name}.json")
        text = TEST.format(new=str(folder / "new.json"), old=str(folder / "old.json"))
        (folder / "test_gate.py").write_text(text)
        return ["{}/test_gate.py"]

    return make


FLOODS = (
    reward("of 100,000 boxes", lambda: boxes(100_000)),
    reward("of 4.9 MB of brackets", lambda: "[" * 4_900_000),
    reward("of 4.9 MB of braces", lambda: '{"a":' * 980_000),
    reward("of 4.9 MB of numbers", lambda: "1 " * 2_450_000),
    reward("of 4.9 MB of quotes", lambda: '["' * 2_450_000),
    reward("of 4.9 MB of lists", lambda: "[]" * 2_450_000),
    reward("of 700,000 objects begun", lambda: '[{"a":' * 800_000),
    reward("of 100,000 answers", lambda: "\n".join([BOXES] * 100_000), MANY_REWARDS),
    Flood("pytest gate of 10,000 records", gated(10_000), program=PYTEST),
)
