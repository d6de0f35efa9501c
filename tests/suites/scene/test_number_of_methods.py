"""How many methods may be measured together."""

import json

import pytest

import calipers

SEAT = {"label": "seat", "center": [0, 0, 0], "size": [1, 1, 1]}


@pytest.fixture
def measure(tmp_path):
    """Measures so many methods, which all say the same."""
    room = tmp_path / "room.json"
    room.write_text(json.dumps({"objects": [SEAT]}))

    def methods(count, **options):
        preds = {f"method {number}": str(room) for number in range(count)}
        return calipers.scene(str(room), preds, labels=["seat"], bootstrap=0, jobs=1, **options)

    return methods


def test_as_many_methods_as_the_limit_says_are_measured(measure):
    assert len(measure(2, max_methods=2)["methods"]) == 2


def test_one_more_is_refused(measure):
    with pytest.raises(calipers.InputError, match=r"more than 2 methods; `max_methods=…` lifts this limit"):
        measure(3, max_methods=2)
