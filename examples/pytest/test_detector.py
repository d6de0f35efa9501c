"""A detector under test: `pytest test_detector.py`."""

import pytest

from calipers.judge.asserting import assert_boxes_match, assert_intervals_match, assert_point_matches

SCREWS = [[10, 10, 50, 50], [100, 100, 150, 150]]


def ask(question: str) -> str:
    """Stands for a model; yours is called here."""
    return {
        "screws": 'Here they are: {"boxes": [[100, 100, 150, 150], [10, 10, 50, 40]]}',
        "button": "I would click at (303, 204).",
        "moving": '{"intervals": [[0, 9], [21, 30]]}',
        "rack": '{"boxes": [[10, 10, 50, 40], [120, 100, 170, 150], [300, 300, 310]]}',
    }[question]


def test_all_screws_are_found():
    """In any order, at an IoU of 0.5 or more."""
    assert_boxes_match(SCREWS, ask("screws"))


def test_most_of_the_rack_is_found():
    """At least 2 of 5 in F1: one of two is found, and two of three are too many."""
    assert_boxes_match(SCREWS, ask("rack"), pass_at=0.4)


def test_the_click_is_on_the_button():
    """At most 8 pixels off."""
    assert_point_matches([300, 200], ask("button"), threshold=8)


def test_the_arm_moves_twice():
    """Frames, both ends included."""
    assert_intervals_match([[0, 9], [20, 29]], ask("moving"), threshold=0.75)


def test_not_all_of_the_rack_is_found():
    """What is missing is told."""
    with pytest.raises(AssertionError, match=r"missed    \[100, 100, 150, 150\]"):
        assert_boxes_match(SCREWS, ask("rack"))
