"""The reward as TRL's trainers call it: by keyword, with a list for every column of the dataset."""

import json

import pytest

import calipers
from calipers.core.errors import ConfigError, InputError

BOX = {"type": "bbox_2d", "points": [0, 0, 100, 100], "desc": "cone"}
OTHER = {"type": "bbox_2d", "points": [200, 200, 300, 300], "desc": "cone"}
SEVENTY = '[{"bbox_2d": [0, 0, 100, 70], "desc": "cone"}]'  # an IoU of 0.7 with BOX


def test_a_trainer_calls_it_by_keyword_with_more_than_it_asks_for():
    """One of two is found: 2 * 1 / (1 + 2). IoU 0.7 meets five of the ten thresholds."""
    columns = {"prompts": ["?", "?"], "completion_ids": [[1], [2]], "trainer_state": None}
    truths = [[BOX, OTHER], [BOX]]
    assert calipers.trl_reward()(completions=[SEVENTY] * 2, gt_norm1000=truths, **columns) == [2 / 3, 1.0]
    mean = calipers.trl_reward(metric="mean_f1")
    assert mean(completions=[SEVENTY] * 2, gt_norm1000=truths, **columns) == [1 / 3, 0.5]


def test_every_number_is_a_plain_float_and_that_of_reward():
    completions = [SEVENTY, "nothing", "[]", "[" + SEVENTY]
    rewards = calipers.trl_reward("boxes")(completions=completions, boxes=[[BOX]] * 4)
    assert rewards == [calipers.reward(text, [BOX]) for text in completions]
    assert all(type(value) is float for value in rewards)


@pytest.mark.parametrize(
    "completion",
    [
        [{"role": "assistant", "content": SEVENTY}],
        [{"role": "assistant", "content": [{"type": "text", "text": SEVENTY}]}],
        [{"content": SEVENTY}],
        [
            {"role": "assistant", "content": "[]", "tool_calls": []},
            {"role": "tool", "content": "[]"},
            {"role": "assistant", "content": SEVENTY},
        ],
        [{"role": "assistant", "content": SEVENTY}, {"role": "assistant", "content": None}],
    ],
)
def test_of_messages_the_last_text_of_the_assistant_counts(completion):
    assert calipers.trl_reward()(completions=[completion], gt_norm1000=[[BOX]]) == [1.0]


@pytest.mark.parametrize("completion", ["", [], [{"role": "user", "content": SEVENTY}], [{"role": "assistant"}]])
def test_no_text_of_the_assistant_scores_nothing(completion):
    assert calipers.trl_reward()(completions=[completion], gt_norm1000=[[BOX]]) == [0.0]


def test_ground_truth_may_be_text_or_have_the_nulls_of_a_table():
    """Rows of a dataset share their keys, so that a box also has a `line` that is None."""
    filled = [{"bbox_2d": [0, 0, 100, 100], "line": None, "desc": "cone"}]
    rewards = calipers.trl_reward(gt="gt")
    assert rewards(completions=[SEVENTY] * 2, gt=[filled, json.dumps([BOX])]) == [1.0, 1.0]


def test_it_has_the_name_by_which_it_is_logged():
    assert calipers.trl_reward().__name__ == "calipers_reward"
    assert calipers.trl_reward(name="phases", mode="phase").__name__ == "phases"


def test_no_completions_have_no_rewards():
    assert calipers.trl_reward()(completions=[], gt_norm1000=[]) == []


# Refused


@pytest.mark.parametrize("options", [{"mode": "x"}, {"metric": "x"}, {"gt": ""}, {"name": ""}, {"tube_tolerance": -1}])
def test_an_option_is_refused_before_training(options):
    with pytest.raises(ConfigError, match=next(iter(options)).removeprefix("tube_")):
        calipers.trl_reward(**options)


def test_a_column_that_is_not_there_is_named_with_those_that_are():
    with pytest.raises(ConfigError, match=r"found the columns boxes, prompts, expected 'gt' among them.*remove_unused"):
        calipers.trl_reward(gt="gt")(completions=["[]"], prompts=["?"], boxes=[[]])


@pytest.mark.parametrize("values", [None, "text", 3, [], [[], []]])
def test_a_column_has_a_value_for_each_completion(values):
    with pytest.raises(InputError, match=r"gt: found .*, expected a list of 1, one for each completion"):
        calipers.trl_reward(gt="gt")(completions=["[]"], gt=values)


def test_malformed_ground_truth_says_of_which_completion():
    with pytest.raises(InputError, match=r"completion 1: gt\[0\].points: 3 numbers, expected 4"):
        calipers.trl_reward(gt="gt")(completions=["[]"] * 2, gt=[[BOX], [BOX | {"points": [0, 0, 1]}]])


@pytest.mark.parametrize("completion", [None, 3, {"role": "assistant"}, [3]])
def test_a_completion_that_is_neither_text_nor_messages_is_named(completion):
    with pytest.raises(InputError, match=r"completions\[1\]: found .*, expected a text or "):
        calipers.trl_reward()(completions=["[]", completion], gt_norm1000=[[BOX]] * 2)


def test_one_text_is_no_list_of_completions():
    with pytest.raises(InputError, match=r"completions: found .*expected a list of texts"):
        calipers.trl_reward()(completions="[]", gt_norm1000=[[]])
