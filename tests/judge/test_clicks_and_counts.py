"""The rulers `click` and `count`, and intervals of seconds."""

import pytest

from calipers import judge
from calipers.judge.asserting import assert_click_matches, assert_count_matches, assert_intervals_match

from .verdicts import asked, case, is_error, judged

BUTTON = {"bbox": [100, 20, 180, 50]}

# Clicks


@pytest.mark.parametrize(
    "answer",
    [
        [120, 30],
        {"x": 120, "y": 30},
        {"point": [120, 30]},
        {"action": "left_click", "coordinate": [120, 30]},
        "click(120, 30)",
        "pyautogui.click(x=120, y=30)",
        'Thought: there.\nAction: click(start_box="<|box_start|>(120,30)<|box_end|>")',
        "<point>120 30</point>",
        '<point x="120" y="30.0" alt="Save">Save</point>',
        {"bbox": [110, 20, 130, 40]},
        [110, 20, 130, 40],
        {"x": 110, "y": 20, "width": 20, "height": 20},
    ],
)
def test_a_click_is_read_in_all_the_ways_agents_write_it(answer):
    verdict = judged("click", answer, BUTTON)
    assert (verdict["pass"], verdict["score"]) == (True, 1.0)
    assert verdict["reason"] == "click at (120, 30), in the box"
    assert verdict["details"]["click"] == [120, 30]


@pytest.mark.parametrize(
    ("point", "distance"),
    [([100, 20], 0), ([180, 50], 0), ([180.5, 50], 0.5), ([97, 16], 5), ([120, 60], 10)],  # 3, 4 and 5
)
def test_edges_are_in_the_box_and_what_is_outside_has_a_distance(point, distance):
    verdict = judged("click", point, BUTTON)
    assert (verdict["pass"], verdict["score"]) == (not distance, float(not distance))
    assert verdict["details"]["distance"] == distance


def test_a_threshold_lets_a_click_be_a_little_outside():
    for x, score, passed in ((96, 1.0, True), (95, 1.0, True), (93, 1 - 2 / 5, False), (90, 0.0, False)):
        verdict = judged("click", [x, 30], BUTTON, threshold=5)
        assert (verdict["score"], verdict["pass"]) == (score, passed)
    assert judged("click", [93, 30], BUTTON, threshold=5)["reason"] == "click at (93, 30), 7 outside the box, beyond 5"


def test_a_click_in_any_box_of_several_is_right():
    verdict = judged("click", [3, 3], {"boxes": [[100, 20, 180, 50], [0, 0, 9, 9]]})
    assert (verdict["reason"], verdict["details"]["box"]) == ("click at (3, 3), in box 1", 1)


def test_the_format_is_that_of_the_box():
    assert judged("click", [108, 12], [100, 10, 10, 5], format="xywh")["pass"]
    assert not judged("click", [108, 12], [100, 10, 10, 5], format="cxcywh")["pass"]


@pytest.mark.parametrize(
    ("answer", "reference", "reason"),
    [
        ("I do not know.", BUTTON, "answer: no point found"),
        ([[1, 2], [3, 4]], BUTTON, "found 2 points in the answer, expected one"),
        ([1, 2, 3], BUTTON, "answer: found 3 numbers, expected x, y"),
        (["a", "b"], BUTTON, "answer: found the text 'a', expected a number"),
        ([1, 2], "Save", "reference: no box found"),
        ([1, 2], {"bbox": [1, 2, 3]}, "reference: box 0: found 3 numbers, expected x1, y1, x2, y2"),
    ],
)
def test_what_is_no_click_is_an_error_that_says_so(answer, reference, reason):
    assert is_error(judged("click", answer, reference), reason)


# Counts


@pytest.mark.parametrize(
    "answer",
    [
        3,
        "3",
        "There are 3 screws.",
        "Of 1,200 parts 3 are screws.",
        {"count": 3},
        {"answer": "yes", "total": 3},
        {"count": {"screw": 2, "nut": 1}},
        [[0, 0, 1, 1], [2, 0, 3, 1], [4, 0, 5, 1]],
        {"points": [[1, 2], [3, 4], [5, 6]]},
        ["screw", "screw", "nut"],
        '```json\n[{"box": [0, 0, 1, 1]}, {"box": [2, 0, 3, 1]}, {"box": [1, 2]}]\n```',
    ],
)
def test_a_count_is_a_number_or_a_list_that_is_counted(answer):
    verdict = judged("count", answer, 3)
    assert (verdict["pass"], verdict["score"], verdict["reason"]) == (True, 1.0, "count 3, expected 3")


@pytest.mark.parametrize(
    ("count", "threshold", "score", "passed", "reason"),
    [
        (8, 0, 1 - 2 / 10, False, "count 8, expected 10: 2 too few"),
        (16, 0, 1 - 6 / 16, False, "count 16, expected 10: 6 too many"),
        (0, 0, 0.0, False, "count 0, expected 10: 10 too few"),
        (9, 1, 1.0, True, "count 9, expected 10: 1 too few, within 1"),
        (8, 1, 1 - (2 - 1) / 10, False, "count 8, expected 10: 2 too few, beyond 1"),
    ],
)
def test_the_score_falls_with_the_difference(count, threshold, score, passed, reason):
    verdict = judged("count", count, 10, threshold=threshold)
    assert (verdict["score"], verdict["pass"], verdict["reason"]) == (score, passed, reason)
    assert verdict["details"]["difference"] == count - 10


def test_none_of_none_is_right():
    assert judged("count", [], 0)["score"] == judged("count", {"boxes": []}, {"count": 0})["score"] == 1.0


def test_counts_by_label_are_compared_where_that_is_asked_for():
    truth = {"count": {"screw": 2, "nut": 1}}
    ignoring = judged("count", ["screw", "nut", "nut"], truth)
    assert ignoring["score"] == 1.0
    assert ignoring["reason"] == (
        "count 3, expected 3; labels were ignored: 2 'nut', expected 1 (labels=exact would count it)"
    )
    exact = judged("count", ["screw", "nut", "nut"], truth, labels="exact")
    assert exact["score"] == 1 - (1 + 1) / (2 + 2)
    assert exact["reason"] == "count 3, expected 3; 2 'nut', expected 1; 1 'screw', expected 2"
    assert exact["details"]["by_label"] == {"nut": {"gt": 1, "pred": 2}, "screw": {"gt": 2, "pred": 1}}
    assert is_error(judged("count", 3, truth, labels="exact"), "answer: no labels found")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("none at all", "answer: no count found, expected a number, an object with a count, or a list"),
        ({"count": 2.5}, "answer: found 2.5, expected a whole number"),
        ({"count": -1}, "answer: found -1, expected a whole number"),
        (True, "answer: found true, expected a whole number"),
        ({"count": {"nut": "two"}}, "answer: found the text 'two', expected a whole number"),
    ],
)
def test_what_is_no_count_is_an_error_that_says_so(answer, reason):
    assert is_error(judged("count", answer, 3), reason)


# Seconds


def test_seconds_last_from_start_to_end():
    # 0.5 ... 10.5 and 0.5 ... 5.5: 5 of 10 seconds
    verdict = judged("intervals", [[0.5, 5.5]], [[0.5, 10.5]], unit="seconds")
    assert verdict["details"]["pairs"] == [{"gt": 0, "pred": 0, "iou": 0.5}]
    assert judged("intervals", [[0, 9]], [[9, 18]], unit="seconds", threshold=1e-12)["score"] == 0.0
    assert judged("intervals", [[0, 9]], [[9, 18]], threshold=1e-12)["score"] == 1.0  # they share frame 9
    assert judged("intervals", [[3, 3]], [[3, 3]], unit="seconds")["score"] == 0.0  # lasts no time


def test_frames_are_whole_and_the_error_names_the_unit():
    reason = "reference: interval 0: found 0.5, expected whole frames; in seconds with unit=seconds"
    assert is_error(judged("intervals", [[0, 1]], [[0.5, 1]]), reason)


def test_the_unit_is_a_flag_and_a_key_of_the_config():
    payload = case([{"start": 0.5, "end": 5.5}], [[0.5, 10.5]])
    assert asked("intervals", payload, "--unit", "seconds")["score"] == 1.0
    assert asked("intervals", payload | {"config": {"unit": "seconds"}})["score"] == 1.0


# In tests


def test_assertions_of_clicks_counts_and_seconds_say_what_is_wrong():
    assert assert_click_matches(BUTTON, [120, 30])["pass"]
    assert assert_count_matches(3, "3")["pass"]
    with pytest.raises(
        AssertionError, match="click at \\(1, 30\\), 99 outside the box\n  expected  the click is in the box"
    ):
        assert_click_matches(BUTTON, [1, 30])
    with pytest.raises(AssertionError, match="count 2, expected 3: 1 too few\n  expected  the count is right"):
        assert_count_matches(3, 2)
    with pytest.raises(
        AssertionError, match=r"missed    \[0.5, 10.5\]; the closest that is left is \[0.5, 1.5\], IoU 0.100"
    ):
        assert_intervals_match([[0.5, 10.5]], [[0.5, 1.5]], unit="seconds")


def test_python_takes_two_sides():
    assert judge.click(gt=[0, 0, 10, 10], pred=[3, 4])["pass"]
    assert judge.count(gt=2, pred=["a", "b"])["pass"]
