"""Videos written from columns: the bytes of their trees."""

from itertools import pairwise
from random import Random

import orjson
import pytest

import calipers
from calipers.files.output import to_json
from calipers.suites.timeline import video_json

STATES = ("outside", "approaching", "inside", "exiting", 'tun"nel', "Zürich", "")


def drive(rng, states, frames=60):
    cuts = sorted({0, frames, *(rng.randrange(frames) for _ in range(rng.randrange(5)))})
    found = {}
    for first, behind in pairwise(cuts):
        found.setdefault(rng.choice(states), []).append([first, behind - 1])
    return found


def timelines(seed, states):
    rng = Random(seed)
    names = [f"v {k}" + "é\n" * (k % 3) for k in range(9)]
    truth = {name: drive(rng, states) for name in names}
    return truth, {name: {"fps": rng.choice([None, 25, 29.97]), "states": drive(rng, states)} for name in names}


@pytest.mark.parametrize("states", [STATES[:4], STATES[:5], STATES[:6], STATES[:1]])
@pytest.mark.parametrize("at_a_time", [2, 2000])
def test_text_from_columns_is_that_of_trees(states, at_a_time, monkeypatch):
    monkeypatch.setattr(video_json, "AT_A_TIME", at_a_time)
    for seed in range(4):
        truth, pred = timelines(seed, states)
        result = calipers.timeline(truth, pred, bootstrap=0)
        table = result.tree["videos"]
        assert table.spread_json(1)
        assert result.to_json() == to_json({**result.tree, "videos": table.as_dict()})
        assert orjson.loads(result.to_json())["videos"] == dict(table)


def test_videos_with_an_error_stand_among_the_others():
    truth, pred = timelines(1, STATES[:4])
    pred["v 3"] = {"fps": 25, "states": {"inside": [[5, 1]]}}
    result = calipers.timeline(truth, pred, bootstrap=0, max_bad_records=3)
    assert "error" in result.tree["videos"]["v 3"]
    assert result.to_json() == to_json({**result.tree, "videos": result.tree["videos"].as_dict()})
    assert list(orjson.loads(result.to_json())["videos"]) == sorted(truth)


def test_nothing_to_write_is_an_empty_object():
    truth, pred = timelines(1, STATES[:4])
    result = calipers.timeline(truth, pred, bootstrap=0)
    result.tree["videos"]._names = []
    assert result.tree["videos"].spread_json(1) is None
