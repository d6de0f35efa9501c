"""Calibration and operating points of boxes in scenes: by hand, against plain loops, and laws."""

import copy
import json
import random

import pytest

import calipers
from calipers.core.json_schema import Mismatch
from calipers.suites.scene.arithmetic import check_scene
from calipers.suites.scene.page import page_data
from calipers.suites.scene.tables import calibration_table, operating_points_table


def box(x, label="chair", score=None, long=1.0):
    """A box of a metre along each side, from x on along the first; overlaps are what they share along it."""
    given = {"label": label, "center": [x + long / 2, 0.5, 0.5], "size": [long, 1, 1]}
    return given if score is None else given | {"score": score}


def measured(scenes, **options):
    """Report of the only method; scenes are {name: (truth, pred)}."""
    truth, pred = ({name: {"objects": sides[k]} for name, sides in scenes.items()} for k in (0, 1))
    chosen = {"bootstrap": 0, **options}
    return calipers.scene(truth, pred, **chosen)


def method_of(scenes, **options):
    return measured(scenes, **options)["methods"]["pred"]


TWO = {
    "a": ([box(0), box(5)], [box(0, score=0.95), box(5, score=0.55, long=0.5), box(9, score=0.45)]),
    "b": ([box(0, "table")], [box(0, "chair", score=0.85)]),
}


def test_bins_and_points_by_hand():
    # right: 0.95, and 0.55 with an overlap of exactly 1 / 2; wrong: 0.45 in the open, 0.85 on a table
    method = method_of(TWO)
    calibration = method["calibration"]
    bins = {row["from"]: (row["n"], row["score"], row["precision"]) for row in calibration["bins"] if row["n"]}
    assert bins == {0.4: (1, 0.45, 0.0), 0.5: (1, 0.55, 1.0), 0.8: (1, 0.85, 0.0), 0.9: (1, 0.95, 1.0)}
    # (0.45 + 0.45 + 0.85 + 0.05) / 4
    assert calibration["ece"] == pytest.approx(0.45)
    assert calibration["mce"] == pytest.approx(0.85)
    assert calibration["brier"] == pytest.approx((0.45**2 + 0.45**2 + 0.85**2 + 0.05**2) / 4)
    assert calibration["per_class"]["chair"] == {
        "ece": pytest.approx(0.45),
        "n": 4,
        "best_f1": pytest.approx(4 / 5),  # 2 · 2 / (2 objects + 3 kept)
        "best_score": 0.55,
        "best_score_interval": None,
        "optimal_lrp": 0.5,  # one fits exactly, one is not found: (0 + 1) / 2; from 0.55 on (0 + 1 + 1) / 3
        "lrp_optimal_score": 0.95,
    }
    assert calibration["per_class"]["table"]["n"] == 0
    points = {point["score"]: point for point in method["operating_points"]}
    assert points[0.9] == {
        "score": 0.9,
        "precision": 1.0,
        "recall": pytest.approx(1 / 3),
        "f1": 0.5,
        "false_positives_per_scene": 0.0,
    }
    assert points[0.05]["false_positives_per_scene"] == 1.0


def test_the_score_of_the_best_localisation_recall_precision_by_hand(tmp_path):
    # overlaps of 0.8 and 0.6; from 0.9: (0.4 + 0 + 1) / 2; from 0.7: (0.4 + 1 + 1) / 3; from 0.5: (0.4 + 0.8 + 1) / 3
    boxes = [box(0, score=0.9, long=0.8), box(20, score=0.7), box(5, score=0.5, long=0.6)]
    scenes = {"a": ([box(0), box(5), box(0, "lamp")], boxes), "b": ([], [box(0, "chair", score=0.1)])}
    classes = method_of(scenes)["calibration"]["per_class"]
    assert (classes["chair"]["lrp_optimal_score"], classes["chair"]["optimal_lrp"]) == (0.9, pytest.approx(0.7))
    assert classes["chair"]["best_score"] == 0.5  # F1 does not ask how well a box fits
    assert (classes["lamp"]["lrp_optimal_score"], classes["lamp"]["optimal_lrp"]) == (None, 1.0)
    for side, folder in enumerate(("gt", "pred")):
        (tmp_path / folder).mkdir()
        for name, sides in scenes.items():
            text = json.dumps({"objects": sides[side]})
            (tmp_path / folder / f"{name}.json").write_text(text, encoding="utf-8")
    files = tmp_path / "gt", tmp_path / "pred"
    in_pieces = [calipers.scene(*files, bootstrap=0, chunk_bytes=size) for size in (1, 1 << 20)]
    assert [report["methods"]["pred"]["calibration"]["per_class"] for report in in_pieces] == [classes, classes]


def test_what_could_not_be_read_has_no_class_or_no_score_is_left_out():
    broken = {"label": "chair", "center": [0, 0, 0], "size": [-1, 1, 1], "score": 0.3}
    more = [broken, box(20), box(30, "nothing known", score=0.2)]
    scenes = TWO | {"b": (TWO["b"][0], [*TWO["b"][1], *more[:2]])}
    assert method_of(scenes)["calibration"] == method_of(TWO)["calibration"]
    ignored = TWO | {"b": (TWO["b"][0], [*TWO["b"][1], more[2]])}
    kept = method_of(ignored, ignore_raw_labels=("nothing known",))["calibration"]
    assert kept == method_of(TWO)["calibration"]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ((None, None), "no prediction with a class has a score"),
        ((0.5, 2.5), '1 of 2 predictions have a score outside 0 to 1 (the first is "a", box 1, with 2.5)'),
    ],
)
def test_there_is_a_reason_where_scores_are_no_probabilities(scores, words):
    pred = [box(5 * k, score=score) for k, score in enumerate(scores)]
    report = measured({"a": ([box(0), box(5)], pred)})
    method = report["methods"]["pred"]
    assert method["calibration"] is method["operating_points"] is None
    assert method["calibration_undefined_reason"] == method["operating_points_undefined_reason"] == words
    assert calibration_table(report)[1] == operating_points_table(report)[1] == []
    assert not any(section["title"].startswith("Calibration") for section in page_data(dict(report), None)["sections"])


def test_without_predictions_numbers_are_undefined():
    method = method_of({"a": ([box(0)], [])})
    assert method["calibration"]["ece"] is None
    assert method["operating_points"][0]["recall"] == 0.0


def drawn(seed, scenes=8):
    """Scenes with boxes side by side, found more or less well, all scores different."""
    rng = random.Random(seed)
    made = {}
    for scene in range(scenes):
        truth = [box(3 * k, rng.choice(["chair", "table"])) for k in range(rng.randrange(1, 6))]
        pred = []
        for k, each in enumerate(truth):
            for _ in range(rng.choice([0, 1, 1, 2])):
                label = each["label"] if rng.random() < 0.8 else "table"
                pred.append(box(3 * k, label, rng.random(), rng.choice([0.3, 0.5, 0.6, 0.9, 1.0])))
        pred += [box(50 + 3 * k, "chair", rng.random() / 2) for k in range(rng.randrange(3))]
        made[f"scene {scene}"] = (truth, pred)
    return made


def plainly_right(scenes):
    """(score, right) of every prediction: the surest first, each to the closest free object of its class."""
    hits = []
    for truth, pred in scenes.values():
        free = set(range(len(truth)))
        for each in sorted(pred, key=lambda one: -one["score"]):
            near = [k for k in free if truth[k]["label"] == each["label"] and starts(truth[k]) == starts(each)]
            best = next((k for k in near if each["size"][0] >= 0.5), None)
            hits.append((each["score"], best is not None))
            free -= {best}
    return hits


def starts(given):
    return round(given["center"][0] - given["size"][0] / 2, 6)


@pytest.mark.parametrize("seed", range(6))
def test_bins_are_those_of_plain_loops(seed):
    scenes = drawn(seed)
    method, hits = method_of(scenes), plainly_right(scenes)
    for row in method["calibration"]["bins"]:
        mine = [(s, hit) for s, hit in hits if row["from"] <= s < row["to"] or (row["to"] == 1.0 and s == 1)]
        assert row["n"] == len(mine)
        if mine:
            assert row["score"] == pytest.approx(sum(s for s, _ in mine) / len(mine))
            assert row["precision"] == pytest.approx(sum(hit for _, hit in mine) / len(mine))
    objects = sum(len(truth) for truth, _ in scenes.values())
    for point in method["operating_points"]:
        kept = [hit for s, hit in hits if s >= point["score"]]
        assert point["recall"] == pytest.approx(sum(kept) / objects)
        assert point["false_positives_per_scene"] == pytest.approx((len(kept) - sum(kept)) / len(scenes))


def test_the_threshold_of_the_run_does_not_matter_and_the_best_score_has_an_interval():
    scenes = drawn(1, 30)
    first, second = (method_of(scenes, iou_threshold=level, bootstrap=200) for level in (0.25, 0.75))
    assert first["calibration"] == second["calibration"]
    entry = first["calibration"]["per_class"]["chair"]
    assert entry["best_score_interval"][0] <= entry["best_score"] <= entry["best_score_interval"][1]


def test_the_page_has_a_diagram_of_each_method():
    report = measured(TWO)
    tree = dict(report) | {"methods": dict.fromkeys(("ours", "theirs"), report["methods"]["pred"])}
    titles = [section["title"] for section in page_data(tree, None)["sections"]]
    assert [title for title in titles if "alibration" in title] == ["Calibration, ours", "Calibration, theirs"]
    assert len(calibration_table(tree)[1]) == 20
    assert operating_points_table(tree)[0][0] == "method"


@pytest.mark.parametrize(
    "change",
    [
        lambda method: method["calibration"].update(ece=0.1),
        lambda method: method["calibration"]["per_class"]["chair"].update(n=3),
        lambda method: method["calibration"]["per_class"]["chair"].update(lrp_optimal_score=None),
        lambda method: method["calibration"]["per_class"]["chair"].update(optimal_lrp=0.0),
        lambda method: method["operating_points"][4].update(recall=0.01),
        lambda method: method.update(calibration=None),
    ],
)
def test_numbers_that_do_not_fit_are_refused(change):
    tree = copy.deepcopy(dict(measured(TWO)))
    check_scene(tree)
    change(tree["methods"]["pred"])
    with pytest.raises(Mismatch):
        check_scene(tree)
