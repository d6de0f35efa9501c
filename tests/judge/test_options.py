"""Options of a verdict: flags and keywords, the payload's config, defaults; what is refused, and how."""

import json

import pytest

import calipers
import calipers.judge

from .verdicts import RULERS, asked, case, is_error, judged_payload, run

HALF = ({"bbox": [0, 0, 10, 10]}, {"bbox": [0, 0, 10, 5]})  # IoU 0.5
AWAY = ({"point": [3, 4]}, {"point": [0, 0]})  # 5, 7 or 4 away
FAR = ({"point": [12, 5]}, {"point": [0, 0]})  # 13, 17 or 12 away
ROW = (
    [[3, 0, 13, 10], [7, 0, 17, 10]],
    [[0, 0, 10, 10], [4, 0, 14, 10]],
)  # the closest pair leaves too little to others

# Each option: (ruler, sides, a value other than the default, what it changes, that without it, that with it)
EFFECTS = {
    "threshold": ("boxes", HALF, 0.6, "score", 1.0, 0.0),
    "match": ("boxes", ROW, "gt-order", "score", 0.5, 1.0),
    "metric": ("point", FAR, "manhattan", "score", pytest.approx(0.7), pytest.approx(0.3)),  # 2 - 13/10, 2 - 17/10
    "format": ("iou", ({"bbox": [5, 5, 15, 15]}, {"bbox": [5, 5, 15, 30]}), "xywh", "score", 0.4, 0.5),
    "at": ("iou", ({"bbox": [0, 0, 1, 1], "b": {"c": [0, 0, 10, 5]}}, [0, 0, 10, 10]), "b.c", "score", 0.01, 0.5),
    "tolerance": ("line", ({"line": [0, 0, 500, 0]}, {"line": [0, 20, 500, 20]}), 100, "pass", False, True),
    "pass_at": ("boxes", ([[0, 0, 9, 9]], [[0, 0, 9, 9], [20, 0, 29, 9]]), 0.7, "pass", True, False),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_an_option_by_keyword_config_and_flag(name):
    ruler, sides, value, shown, without, wanted = EFFECTS[name]
    assert judged_payload(ruler, case(*sides))[shown] == without
    by_keyword = judged_payload(ruler, case(*sides), **{name: value})
    assert by_keyword[shown] == wanted
    assert judged_payload(ruler, case(*sides, **{name: value})) == by_keyword
    assert asked(ruler, case(*sides), f"--{name.replace('_', '-')}", value) == by_keyword
    assert asked(ruler, case(*sides), f"--{name.replace('_', '-')}={value}") == by_keyword


@pytest.mark.parametrize("name", EFFECTS)
def test_a_flag_wins_over_the_config(name):
    ruler, sides, value, shown, _, wanted = EFFECTS[name]
    other = {"threshold": 0.9, "match": "optimal", "metric": "cosine", "format": "cxcywh", "at": "bbox", "tolerance": 0}
    config = {name: other.get(name, 0.01)}
    assert judged_payload(ruler, case(*sides, **config), **{name: value})[shown] == wanted
    assert asked(ruler, case(*sides, **config), f"--{name.replace('_', '-')}", value)[shown] == wanted


@pytest.mark.parametrize(
    "key",
    ["threshold", "iou_threshold", "iouThreshold", "IoU_Threshold", "IOU_THRESHOLD", "iou-threshold", "Threshold"],
)
def test_names_of_the_threshold(key):
    assert judged_payload("boxes", case(*HALF, **{key: 0.6}))["score"] == 0.0


@pytest.mark.parametrize("key", ["match", "matching", "Match", "MATCHING"])
def test_names_of_the_matching(key):
    _, sides, *_ = EFFECTS["match"]
    assert judged_payload("boxes", case(*sides, **{key: "gt-order"}))["details"]["match"] == "gt-order"


@pytest.mark.parametrize("key", ["pass_at", "passAt", "PassAt", "pass-at", "PASS_AT"])
def test_names_of_the_score_that_passes(key):
    _, sides, *_ = EFFECTS["pass_at"]
    assert not judged_payload("boxes", case(*sides, **{key: 0.7}))["pass"]


def test_two_names_of_one_option_must_agree():
    assert judged_payload("boxes", case(*HALF, threshold=0.6, iou_threshold=0.6))["score"] == 0.0
    assert is_error(judged_payload("boxes", case(*HALF, threshold=0.6, iou_threshold=0.4)), "threshold")


def test_null_in_the_config_is_nothing():
    config = dict.fromkeys(["threshold", "match", "metric", "format", "at", "tolerance", "pass_at"])
    assert judged_payload("boxes", case(*HALF, **config)) == judged_payload("boxes", case(*HALF))


# Keys of others

HOSTS = [
    "name",
    "type",
    "script",
    "command",
    "cwd",
    "weight",
    "required",
    "timeout_ms",
    "target",
    "judges",
    "id",
    "model",
]


@pytest.mark.parametrize("ruler", RULERS)
def test_keys_of_others_are_ignored_and_listed(ruler):
    keys = {"iou": "bbox", "boxes": "boxes", "map": "boxes", "box3d": "cuboid", "click": "bbox"}
    shapes = {
        "line": [0, 0, 9, 9],
        "point": [1, 2],
        "intervals": [[0, 9]],
        "rotated": [5, 5, 2, 2, 0],
        "iou": [0, 0, 1, 1],
    }
    shapes |= {
        "polygon": [0, 0, 9, 0, 9, 9],
        "box3d": [0, 0, 0, 1, 1, 1],
        "boxes": [[0, 0, 1, 1]],
        "map": [[0, 0, 1, 1]],
        "click": [0, 0, 1, 1],
        "count": 3,
    }
    side = {keys.get(ruler, ruler): shapes[ruler], "scores": [0.5]}
    verdict = judged_payload(ruler, case(side, side, **dict.fromkeys(HOSTS, 1), threshold=0.5))
    assert verdict["score"] == 1.0
    assert verdict["details"]["ignored_config"] == HOSTS


def test_the_command_lists_them_too():
    assert asked("boxes", case(*HALF, weight=2, Color="red"))["details"]["ignored_config"] == ["weight", "Color"]


def test_without_a_config_nothing_is_ignored():
    assert judged_payload("iou", case(*HALF))["details"]["ignored_config"] == []


# Nearly an option

NEARLY = {
    "treshold": "threshold",
    "threshhold": "threshold",
    "thresold": "threshold",
    "tresholds": "threshold",
    "iou_treshold": "threshold",
    "thresh": "threshold",
    "iouThresh": "threshold",
    "toler": "tolerance",
    "iouTreshold": "threshold",
    "mtach": "match",
    "macth": "match",
    "matchin": "match",
    "metrik": "metric",
    "metrics": "metric",
    "fromat": "format",
    "tolerence": "tolerance",
    "passat": "pass_at",
    "pas_at": "pass_at",
}


@pytest.mark.parametrize("key", NEARLY)
def test_a_near_miss_in_the_config_is_an_error_verdict(key):
    assert is_error(judged_payload("boxes", case(*HALF, **{key: 0.9})), key, NEARLY[key])


@pytest.mark.parametrize("key", ["treshold", "mtach", "iou_treshold"])
def test_a_near_miss_through_the_command(key):
    assert is_error(asked("boxes", case(*HALF, **{key: 0.9})), key, NEARLY[key])
    assert is_error(asked("boxes", case(*HALF, **{key: 0.9}), "--threshold", 0.3), key)


@pytest.mark.parametrize("name", ["treshold", "thresholds", "colour", "x" * 500, "serve", "iou_threshold"])
def test_an_option_that_does_not_exist_is_a_usage_error(name):
    with pytest.raises(calipers.ConfigError, match=name[:20]):
        judged_payload("boxes", case(*HALF), **{name: 0.9})
    if name != "serve":
        ended = run("boxes", f"--{name}", "0.9", given=json.dumps(case(*HALF)).encode())
        assert (ended.code, ended.out) == (2, b"")
        assert "Traceback" not in ended.err


# Values that cannot be meant: (ruler, option, value)

WRONG = [
    *(("iou", "threshold", value) for value in (-0.1, 1.1, float("nan"), float("inf"), 50)),
    ("boxes", "threshold", 2),
    ("point", "threshold", -1),
    ("point", "threshold", float("inf")),
    ("boxes", "pass_at", 1.5),
    ("boxes", "pass_at", -1),
    ("line", "tolerance", -8),
    ("line", "tolerance", float("nan")),
    ("boxes", "match", "hungarian"),
    ("boxes", "match", ""),
    ("point", "metric", "l2"),
    ("iou", "format", "yxyx"),
    ("iou", "at", ""),
]
WRONG_TYPES = [
    ("iou", "threshold", "0.5"),
    ("iou", "threshold", True),
    ("iou", "threshold", [0.5]),
    ("iou", "threshold", {"a": 1}),
    ("iou", "threshold", 10**400),
    pytest.param("iou", "threshold", 10**5000, id="more digits than Python prints"),
    ("boxes", "pass_at", "high"),
    ("boxes", "match", 3),
    ("boxes", "match", ["greedy"]),
    ("boxes", "match", {"how": "greedy"}),
    ("iou", "at", 3),
    ("iou", "at", ["a", "b"]),
]


@pytest.mark.parametrize(("ruler", "name", "value"), WRONG + WRONG_TYPES)
def test_a_wrong_value_in_the_config_is_an_error_verdict(ruler, name, value):
    sides = AWAY if ruler == "point" else HALF
    assert is_error(judged_payload(ruler, case(*sides, **{name: value})), f"{name}: found", "expected")


@pytest.mark.parametrize(("ruler", "name", "value"), WRONG + WRONG_TYPES)
def test_a_wrong_value_from_python_is_an_error_of_the_caller(ruler, name, value):
    sides = AWAY if ruler == "point" else HALF
    with pytest.raises(calipers.ConfigError, match=f"{name}: found"):
        judged_payload(ruler, case(*sides), **{name: value})
    with pytest.raises(calipers.ConfigError, match=f"{name}: found"):
        judged_payload(ruler, "no payload", **{name: value})  # whatever the payload is


@pytest.mark.parametrize(("ruler", "name", "value"), [*WRONG, ("iou", "threshold", "half"), ("iou", "threshold", "")])
def test_a_wrong_value_of_a_flag_is_a_usage_error(ruler, name, value):
    ended = run(ruler, f"--{name.replace('_', '-')}={value}", given=json.dumps(case(*HALF)).encode())
    assert (ended.code, ended.out) == (2, b"")
    assert ended.err.startswith("error: ")
    assert name.replace("_", "-") in ended.err or name in ended.err
    assert "Traceback" not in ended.err


def test_a_wrong_value_through_the_command_and_the_config():
    assert is_error(asked("boxes", case(*HALF, match="hungarian")), "hungarian", "optimal")


# Defaults


@pytest.mark.parametrize(
    ("ruler", "options", "threshold"),
    [("iou", {}, 0.5), ("boxes", {}, 0.5), ("point", {}, 10), ("point", {"metric": "cosine"}, 0.5)],
)
def test_default_thresholds(ruler, options, threshold):
    sides = AWAY if ruler == "point" else HALF
    assert judged_payload(ruler, case(*sides), **options)["details"]["threshold"] == threshold


def test_the_metric_in_the_config_brings_its_threshold():
    assert judged_payload("point", case(*AWAY, metric="cosine"))["details"]["threshold"] == 0.5


def test_a_file_in_the_folder_changes_nothing(tmp_path, monkeypatch):
    (tmp_path / "calipers.toml").write_text("[judge]\nthreshold = 0.9\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert asked("boxes", case(*HALF))["score"] == 1.0


# Where the shapes are


@pytest.mark.parametrize(
    ("at", "score"),
    [("result.boxes", 0.5), ("frames.1.bbox", 0.5), ("frames.0.bbox", 0.01), ("Result.Boxes", 0.5)],
)
def test_a_path_leads_to_the_shapes(at, score):
    answer = {
        "bbox": [7, 7, 9, 9],
        "result": {"boxes": [[0, 0, 10, 5]]},
        "frames": [{"bbox": [0, 0, 1, 1]}, {"bbox": [0, 0, 10, 5]}],
    }
    assert judged_payload("iou", case(answer, [0, 0, 10, 10]), at=at)["score"] == score
    assert judged_payload("iou", case(json.dumps(answer), [0, 0, 10, 10]), at=at)["score"] == score


def test_a_path_that_leads_nowhere_is_an_error_verdict():
    assert is_error(judged_payload("iou", case(*HALF), at="result.boxes"), "result.boxes")
