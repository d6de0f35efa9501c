"""Verdicts as assertions of promptfoo: an assertion of type `python` calls `get_assert` of a file that imports it.

    from calipers.judge.promptfoo import get_assert

The `config` of the assertion has the `ruler` (boxes, if it has none) and options of `calipers judge`; other keys say
nothing to it. The reference is the first of `CONFIG_REFERENCES` in the config, in the test's variables, or in its
metadata.
"""

from __future__ import annotations

from calipers.core.errors import ConfigError
from calipers.judge.command import judge
from calipers.judge.hosts import CONFIG_REFERENCES, reference_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FIGURES = ("precision", "recall", "mean_iou", "distance")  # of `details`, each over all tests as well


def get_assert(output: Any, context: dict[str, Any]) -> dict[str, Any]:
    """The verdict on an output, as promptfoo takes it; it averages `namedScores` over all tests.

    >>> context = {"vars": {"reference": {"bbox": [0, 0, 10, 10]}}, "config": {"ruler": "iou", "threshold": 0.75}}
    >>> get_assert('{"bbox": [0, 0, 10, 5]}', context)
    {'pass': False, 'score': 0.5, 'reason': 'IoU 0.500, below 0.75', 'namedScores': {}}
    """
    config = dict(context.get("config") or {})
    reference = _reference(config, context)
    options = {name: value for name, value in config.items() if name not in ("ruler", *CONFIG_REFERENCES)}
    payload = {
        "candidate_answer": "" if output is None else output,
        "reference_answer": reference,
        "config": options,
    }
    if reference is None:
        places = "config, vars or metadata of the test"
        reason = f"reference: nothing found, expected {' or '.join(CONFIG_REFERENCES)} in {places}"
        return {"pass": False, "score": 0.0, "reason": reason, "namedScores": {}}
    try:
        verdict = judge(_ruler(config), payload, {})
    except ConfigError as error:
        return {"pass": False, "score": 0.0, "reason": str(error), "namedScores": {}}
    figures = {name: verdict["details"].get(name) for name in FIGURES}
    return {name: verdict[name] for name in ("pass", "score", "reason")} | {
        "namedScores": {name: value for name, value in figures.items() if value is not None}
    }


def _ruler(config: dict[str, Any]) -> Any:
    if "ruler" not in config:
        from difflib import get_close_matches

        if near := get_close_matches("ruler", map(str, config), n=1, cutoff=0.8):
            raise ConfigError(f"config: {near[0]!r} is not an option, did you mean 'ruler'?")
    return config.get("ruler", "boxes")


def _reference(config: dict[str, Any], context: dict[str, Any]) -> Any:
    test = context.get("test") or {}
    places = (config, context.get("vars"), test.get("vars"), test.get("metadata"))
    references = (reference_in(place) for place in places if place)
    return next((reference for reference in references if reference is not None), None)
