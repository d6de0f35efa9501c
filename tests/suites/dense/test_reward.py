"""The reward of one record: the suite's own number, from objects or from what the model wrote."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

import calipers
from calipers.core.errors import ConfigError, InputError

SOURCE = Path(calipers.__file__).parents[1]


def box(*points, desc="类别=标签") -> dict:
    return {"type": "bbox_2d", "points": list(points), "desc": desc}


def line(*points, desc="类别=光纤") -> dict:
    return {"type": "line", "points": list(points), "desc": desc}


WHOLE = box(0, 0, 100, 100)


# By hand


def test_one_of_two_found_and_one_invented_is_a_half():
    truth = [WHOLE, box(200, 200, 300, 300)]
    said = [WHOLE, box(500, 500, 600, 600)]
    assert calipers.reward(said, truth) == 0.5  # 2 * 1 / (2 + 2)


def test_an_overlap_of_just_a_half_counts_and_a_little_less_does_not():
    assert calipers.reward([box(0, 0, 100, 50)], [WHOLE]) == 1.0
    assert calipers.reward([box(0, 0, 100, 49)], [WHOLE]) == 0.0


def test_the_mean_over_the_sweep_grows_with_the_overlap():
    # 0.50 meets one of the ten thresholds, 0.72 five (0.50 … 0.70), 0.95 and 1.00 all
    heights = (49, 50, 72, 95, 100)
    found = [calipers.reward([box(0, 0, 100, height)], [WHOLE], metric="mean_f1") for height in heights]
    assert found == [0.0, 0.1, 0.5, 1.0, 1.0]


def test_labels_count_in_the_mode_that_looks_at_them():
    truth = [box(0, 0, 9, 9, desc="螺丝、光纤插头/BBU安装螺丝,显示完整")]
    said = [box(0, 0, 9, 9, desc="螺丝、光纤插头/ODF端光纤插头")]
    rewards = {mode: calipers.reward(said, truth, mode=mode) for mode in ("localization", "phase", "category")}
    assert rewards == {"localization": 1.0, "phase": 1.0, "category": 0.0}


def test_an_empty_label_matches_nothing_not_even_itself():
    nameless = box(0, 0, 9, 9, desc="")
    assert calipers.reward([nameless], [nameless]) == 0.0
    assert calipers.reward([nameless], [nameless], mode="localization") == 1.0


def test_the_tolerance_widens_tubes():
    truth, said = [line(0, 500, 1000, 500)], [line(0, 508, 1000, 508)]
    assert calipers.reward(said, truth) == 0.0  # 8 of 24 rows are shared
    assert calipers.reward(said, truth, tube_tolerance=16) == 1.0  # 24 of 40


def test_lines_never_match_regions():
    assert calipers.reward([line(0, 0, 50, 50, desc="类别=标签")], [box(0, 0, 50, 50)], mode="localization") == 0.0


def test_nothing_predicted_where_nothing_is_scores_one():
    assert calipers.reward([], []) == 1.0
    assert calipers.reward("[]", []) == 1.0
    assert calipers.reward((), "[]", metric="mean_f1") == 1.0


def test_nothing_predicted_where_something_is_and_the_reverse_score_zero():
    assert calipers.reward([], [WHOLE]) == 0.0
    assert calipers.reward([WHOLE], []) == 0.0


def test_a_prediction_that_cannot_be_read_counts_as_one_that_matches_nothing():
    for wrong in (None, 7, {}, {"type": "circle"}, box(1, 2, 3), box(1, 2, 3, "4"), box(1, 2, 3, float("nan"))):
        assert calipers.reward([WHOLE, wrong], [WHOLE]) == 2 / 3


def test_predicted_numbers_outside_the_frame_are_clamped():
    assert calipers.reward([box(-50, 0, 1000, 4000)], [box(0, 0, 1000, 1000)]) == 1.0


# What the model wrote

OBJECT = '{"bbox_2d": [0, 0, 100, 100], "desc": "类别=标签"}'


@pytest.mark.parametrize(
    "text",
    [
        f"[{OBJECT}]",
        OBJECT,
        f'{{"objects": [{OBJECT}]}}',
        f'{{"object_1": {OBJECT}}}',
        f"```json\n[{OBJECT}]\n```",
        f"Here is what I see:\n[{OBJECT}]\nI hope this helps.",
        f"[{OBJECT},]",
        OBJECT.replace('"', "'"),
        '[{"type": "bbox_2d", "points": [[0, 0], [100, 100]], "desc": "类别=标签"}]',
    ],
    ids=["list", "object", "objects", "object_1", "fence", "prose", "comma", "quotes", "type and points"],
)
def test_the_models_own_text_is_as_good_as_its_objects(text):
    assert calipers.reward(text, [WHOLE]) == 1.0
    assert calipers.reward([WHOLE], text) == 1.0


def test_a_truncated_text_is_an_answer_and_no_ground_truth():
    text = f'[{OBJECT}, {{"bbox_2d": [5, 5'
    assert calipers.reward(text, [WHOLE]) == 1.0
    with pytest.raises(InputError, match=r"\[5, 5', which stops inside the list; expected all of it: pred comes first"):
        calipers.reward([WHOLE], text)


def test_every_complete_object_of_a_truncated_text_counts():
    text = f'[{OBJECT}, {{"line": [0, 500, 900, 500], "desc": "类别=光纤"}}, {{"li'
    assert calipers.reward(text, [WHOLE, line(0, 500, 900, 500)]) == 1.0
    assert calipers.reward(text, [WHOLE]) == 2 / 3


@pytest.mark.parametrize("text", ["", "I see nothing.", "null", "7", '"text"', '[{"bbox_2d": [0, 0'])
def test_a_text_without_any_object_scores_zero_even_where_nothing_is(text):
    assert calipers.reward(text, [WHOLE]) == 0.0
    assert calipers.reward(text, []) == 0.0


# The suite's own number


@pytest.mark.parametrize("mode", ["localization", "phase", "category"])
def test_a_reward_is_the_suites_number_for_the_record(mode):
    rng = random.Random(mode)
    for _ in range(60):
        truth, said = ([some_object(rng) for _ in range(rng.randint(0, 6))] for _ in range(2))
        said += [moved(rng, each) for each in truth if rng.random() < 0.8]
        if not truth and not said:
            continue
        tree = calipers.dense([{"gt_norm1000": truth, "pred": said}], bootstrap=0, tube_tolerance=12)["modes"][mode]
        assert calipers.reward(said, truth, mode=mode, tube_tolerance=12) == tree["primary"]["f1"]
        assert calipers.reward(said, truth, mode=mode, metric="mean_f1", tube_tolerance=12) == tree["mean_f1"]
        assert (
            calipers.reward(json.dumps(said), json.dumps(truth), mode=mode, tube_tolerance=12)
            == (tree["primary"]["f1"])
        )


def some_object(rng: random.Random) -> dict:
    x, y = rng.randint(0, 800), rng.randint(0, 800)
    desc = rng.choice(["类别=标签,文本=A", "光纤/有遮挡", "螺丝、光纤插头/BBU安装螺丝", "螺丝、光纤插头", ""])
    shapes = [
        {"type": "bbox_2d", "points": [x, y, x + 90, y + 60]},
        {"type": "poly", "points": [x, y, x + 120, y + 10, x + 100, y + 110, x + 50, y + 30]},
        {"type": "line", "points": [x, y, x + 150, y + 90, x + 20, y + 180]},
    ]
    return {**rng.choice(shapes), "desc": desc}


def moved(rng: random.Random, each: dict) -> dict:
    off = rng.choice((0, 2, 6, 15))
    return {**each, "points": [number + rng.randint(-off, off) for number in each["points"]]}


# What is refused


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ([WHOLE, box(0, 0, 1)], r"^gt\[1\]\.points: 3 numbers, expected 4 for a bbox_2d"),
        ([7], r"^gt\[0\]: not an object"),
        ([{"type": "circle", "points": [], "desc": ""}], r"^gt\[0\]\.type: expected bbox_2d or poly or line"),
        ([{"type": "bbox_2d", "points": [0, 0, 9, 9]}], r"^gt\[0\]\.desc: missing"),
        ([box(0, 0, 9, 1001)], r"^gt\[0\]\.points: a number lies outside \[0, 1000\]"),
        ([box(0, 0, 9, float("inf"))], r"^gt\[0\]\.points: a number is not finite"),
        ("nothing here", "^gt: no objects found in 'nothing here'"),
        (None, "^gt: found None, expected a list of objects or a text"),
        ({"object_1": WHOLE}, "^gt: found "),
    ],
)
def test_invalid_ground_truth_is_an_input_error_that_says_where(truth, message):
    with pytest.raises(InputError, match=message):
        calipers.reward([WHOLE], truth)


@pytest.mark.parametrize("said", [[WHOLE], [], "no objects"])
def test_invalid_ground_truth_is_an_error_whatever_was_predicted(said):
    with pytest.raises(InputError, match=r"^gt\[0\]\.points"):
        calipers.reward(said, [box(0, 0, 1)])


def test_a_prediction_that_is_neither_objects_nor_text_is_the_callers_mistake():
    with pytest.raises(InputError, match=r"^pred: found None, expected a list of objects or a text"):
        calipers.reward(None, [WHOLE])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "labels"}, "mode: found 'labels', expected one of localization, phase, category"),
        ({"metric": "f2"}, "metric: found 'f2', expected one of f1, mean_f1"),
        ({"tube_tolerance": -1}, "^tube_tolerance: found -1, expected a number from 0 to 1000000"),
        ({"tube_tolerance": "8"}, "^tube_tolerance: found '8', expected a number from 0 to 1000000"),
    ],
)
@pytest.mark.parametrize("said", [[WHOLE], [], "no objects"])
def test_a_wrong_option_is_an_error_whatever_was_predicted(options, message, said):
    with pytest.raises(ConfigError, match=message):
        calipers.reward(said, [], **options)


def test_a_misspelt_option_is_never_swallowed():
    with pytest.raises(TypeError, match="tolerance"):
        calipers.reward([WHOLE], [WHOLE], tolerance=4)


def test_both_sides_are_left_as_they_are():
    said, truth = [box(-5, 0, 2000, 9), 7], [WHOLE]
    calipers.reward(said, truth)
    assert said == [box(-5, 0, 2000, 9), 7]
    assert truth == [box(0, 0, 100, 100)]


def test_numpy_is_not_imported():
    program = (
        "import calipers, sys\n"
        "b = {'type': 'bbox_2d', 'points': [0, 0, 9, 9], 'desc': '类别=标签'}\n"
        "l = {'type': 'line', 'points': [0, 0, 9, 9], 'desc': '类别=光纤'}\n"
        "print(calipers.reward([b, l], [b, l], metric='mean_f1'))\n"
        'print(calipers.reward(\'x [{"bbox_2d": [0, 0, 9, 9], "desc": "类别=标签"}\', [b]))\n'
        "print(sorted({'numpy', 'scipy', 'click', 'rapidfuzz'} & set(sys.modules)))\n"
    )
    env = {"PYTHONPATH": str(SOURCE), "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=False)
    assert done.stdout.split("\n")[:3] == ["1.0", "1.0", "[]"], done.stderr


def test_few_modules_are_loaded_and_four_kernels():
    """Each costs the first reward of a process 0.1 ms, a kernel up to 0.4."""
    program = (
        "import calipers, sys; before = set(sys.modules)\n"
        "b = {'type': 'bbox_2d', 'points': [0, 0, 9, 9], 'desc': 'cone'}\n"
        "calipers.reward([b], [b])\n"
        "print(*sorted(name for name in set(sys.modules) - before if name.startswith('calipers.')))\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": str(SOURCE)}, check=True)
    names = done.stdout.split()
    kernels = [name.removeprefix("calipers.kernels.") for name in names if "kernels" in name and name.count(".") == 3]
    assert kernels == ["count.assign", "scan.column", "scan.flatten", "shape.plane"]
    assert len(names) <= 24


def test_ground_truth_in_pixels_is_told_what_to_do_without_options_that_a_reward_has_not():
    wide = [{"type": "bbox_2d", "points": [0, 0, 1920, 1080], "desc": "cone"}]
    with pytest.raises(calipers.InputError) as raised:
        calipers.reward(wide, wide)
    advice = "are these pixels? scale both sides by 1000 / width and 1000 / height"
    problem = f"a number lies outside [0, 1000], expected all of them inside ({advice})"
    assert str(raised.value) == f"gt[0].points: {problem}\nfound [0, 0, 1920, 1080]"
    with pytest.raises(
        calipers.InputError, match=r"gt\[0\]\.type: missing, expected bbox_2d or poly or line\nfound {.*}\Z"
    ):
        calipers.reward([], [{"points": [0, 0, 1, 1]}])
