"""Answers as models write them: every number against one worked out by hand, and what `auto` takes them for."""

import pytest

from calipers import parse_objects
from calipers.files.answers.families import FAMILIES

from .real_answers import REAL

CASES = [(family, answer) for family in FAMILIES for answer in REAL.get(family, ())]
IDS = [f"{family}-{at}" for family in FAMILIES for at in range(len(REAL.get(family, ())))]
WITHOUT_SIGN = ("json", "qwen2.5", "qwen3")  # which write the same words


def read(text, family, size):
    parsed = parse_objects(text, family, width=size[0], height=size[1])
    objects = [(item["type"], pytest.approx(item["points"], abs=1e-9), item["desc"]) for item in parsed.objects]
    return parsed, objects


def test_every_family_has_answers():
    assert list(REAL) == list(FAMILIES)
    assert all(len(answers) >= 3 for answers in REAL.values())


@pytest.mark.parametrize(("family", "answer"), CASES, ids=IDS)
def test_the_numbers_are_those_worked_out_by_hand(family, answer):
    parsed, objects = read(answer.text, family, answer.size)
    assert (parsed.family, parsed.status) == (family, answer.status)
    assert answer.objects == objects


@pytest.mark.parametrize(("family", "answer"), CASES, ids=IDS)
def test_auto_says_what_it_took_it_for(family, answer):
    parsed = parse_objects(answer.text, "auto")
    is_open = family in WITHOUT_SIGN or '"point"' in answer.text  # a point alone could be anybody's
    assert parsed.family == ("json" if is_open else family)
    assert f"taken for {parsed.family}" in parsed.notes


@pytest.mark.parametrize("family", ["auto", *FAMILIES])
def test_thinking_without_an_end_is_no_answer(family):
    parsed = parse_objects('<think>Is it [{"bbox_2d": [1, 2, 3, 4]}] or', family, width=10, height=10)
    assert (parsed.objects, parsed.status) == ([], "failed")
    assert parsed.notes[-1] == "the answer stops in its thinking"


def test_points_of_a_second_image_cannot_be_read():
    parsed = parse_objects('<points coords="1 1 497 382;2 1 10 20">dogs</points>', "molmo")
    assert parsed.objects == [{"type": "bbox_2d", "points": [497, 382, 497, 382], "desc": "dogs"}, "2 1 10 20 dogs"]
    assert (parsed.status, parsed.notes) == ("repaired", ["1 objects cannot be read"])


@pytest.mark.parametrize(
    ("text", "status", "points"),
    [
        ('<points coords="1 1 497 382 2 60', "truncated", 1),  # the text stops: two numbers are no point
        ('<points coords="1 1 497 382 2 601">dogs</points>', "repaired", 1),
        ('<points coords="">dogs</points>', "repaired", 0),
    ],
)
def test_of_damaged_points_the_whole_ones_count(text, status, points):
    parsed = parse_objects(text, "molmo")
    assert parsed.status == status
    assert sum(isinstance(item, dict) for item in parsed.objects) == points


def test_a_tag_may_end_in_itself():
    assert parse_objects('<points coords="1 1 497 382"/> <point x="1" y="2"/>', "molmo").status == "ok"


def test_a_note_says_that_corners_were_read_as_outlines():
    quad = "STOP<loc_10><loc_10><loc_90><loc_11><loc_90><loc_20><loc_10><loc_19>"
    assert parse_objects(quad, "florence").notes == ["corners that are no boxes are read as outlines"]


@pytest.mark.parametrize(
    ("family", "text", "status", "boxes"),
    [
        ("internvl", "cat[[100, 200, 500, 600]]", "repaired", [("cat", [100, 200, 500, 600])]),
        ("internvl", "[[1, 2, 30, 40]]", "repaired", [("", [1, 2, 30, 40])]),
        ("internvl", "cat[[1, 2, 3, 4]], dog[[5, 6, 7, 8], [9, 1", "truncated",
         [("cat", [1, 2, 3, 4]), ("dog", [5, 6, 7, 8])]),
        ("internvl", "cat[[1, 2, 3, 4]], dog[[5", "truncated", [("cat", [1, 2, 3, 4])]),
        ("qwen2", "cat(1,2),(3,4)two dogs (left)(5,6),(7,8),(9,10),(11,12)", "repaired",
         [("cat", [1, 2, 3, 4]), ("two dogs (left)", [5, 6, 7, 8]), ("two dogs (left)", [9, 10, 11, 12])]),
        ("qwen2", "cat: (1, 2), (3, 4)\ndog: (5, 6), (7,", "truncated", [("cat", [1, 2, 3, 4])]),
        ("deepseek", "cat[[0, 999, 333, 666]]", "repaired", [("cat", [0, 1000, 1000 / 3, 2000 / 3])]),
    ],
)  # fmt: skip
def test_decoders_leave_tags_out(family, text, status, boxes):
    """Tags are special tokens, gone with `skip_special_tokens=True`: labels are the words before each box."""
    parsed = parse_objects(text, family)
    assert [(item["desc"], item["points"]) for item in parsed.objects] == [
        (label, pytest.approx(points)) for label, points in boxes
    ]
    assert (parsed.status, parsed.notes[0]) == (status, "tags left out")


def test_without_tags_a_box_that_cannot_be_read_is_counted_and_json_is_not_taken_apart():
    parsed = parse_objects("cat[[1, 2, 30]] dog[[1, 2, 30, 40]]", "internvl")
    assert parsed.objects == ["[[1, 2, 30]]", {"type": "bbox_2d", "points": [1, 2, 30, 40], "desc": "dog"}]
    assert parsed.notes == ["tags left out", "1 objects cannot be read"]
    parsed = parse_objects('[{"bbox_2d": [1, 2, 30, 40], "label": "cat"}]', "internvl")
    assert parsed.notes == ["missing tag", "1 objects cannot be read"]
