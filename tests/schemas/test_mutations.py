"""Golden artifacts with a number replaced or gone: every command ends in a result or in an error of ours, in no bug."""

import json
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import calipers
from calipers.schemas import Mismatch, check_artifact
from calipers.suite import suite_names

from ..profiles import examples

GOLDEN = Path(__file__).parents[1] / "golden"
GONE = object()  # instead of a value
VALUES = (7.5, -1, 1e308, None, "x", 10**30, GONE)
PLACES = examples(60)  # of each artifact
WHOLE = 2  # refused ones of each artifact that the commands are given nevertheless


def numbers(tree, path=()):
    """Where the numbers of a tree are."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        if isinstance(value, (dict, list)):
            yield from numbers(value, (*path, key))
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield (*path, key)


def sampled(tree, rng):
    """Places of numbers, of each kind of place one before a second of any: lists and names count as one kind."""
    kinds = {}
    for path in numbers(tree):
        kinds.setdefault(tuple("" if isinstance(key, int) else key for key in path), []).append(path)
    some = [rng.choice(paths) for paths in kinds.values()]
    return rng.sample(some, min(PLACES, len(some)))


def holder_of(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def replace(holder, key, value):
    if value is GONE:
        del holder[key]
    else:
        holder[key] = value


def restore(holder, key, value, kept):
    if value is GONE and isinstance(holder, list):
        holder.insert(key, kept)
    else:
        holder[key] = kept


def is_accepted(suite, tree):
    try:
        check_artifact(suite, tree)
    except Mismatch:
        return False
    return True


def use(path, good):
    """What every command does with an artifact; its own errors are fine."""
    for call in (
        lambda: calipers.load(path).to_html(f"{path}.html"),
        lambda: calipers.compare(good, path, force=True).to_markdown(),
        lambda: calipers.compare(path, good, force=True).to_json(),
        lambda: calipers.gate(path, good, floor={"recall": 0.1}),
        lambda: calipers.check(path).to_json(),
    ):
        with suppress(calipers.CalipersError):
            call()


@pytest.mark.parametrize("suite", suite_names())
def test_no_number_of_an_artifact_breaks_a_command(suite, tmp_path):
    rng, good = Random(suite), GOLDEN / f"{suite}.json"
    tree = json.loads(good.read_bytes())
    bad, refused = tmp_path / "bad.json", 0
    for path in sampled(tree, rng):
        *above, last = path
        holder = holder_of(tree, above)
        kept = holder[last]
        for value in VALUES:
            replace(holder, last, value)
            accepted = is_accepted(suite, tree)
            refused += not accepted
            if accepted or refused <= WHOLE:
                bad.write_text(json.dumps(tree), encoding="utf-8")
                use(str(bad), str(good))
            restore(holder, last, value, kept)
    assert refused > PLACES * len(VALUES) / 2
