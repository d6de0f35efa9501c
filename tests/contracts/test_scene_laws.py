"""Laws that every metric of the scene suite keeps, whatever the rooms.

Ground truth as prediction is perfect; the order of scenes, objects and methods changes nothing, nor does the process; a
room may be moved and turned as a whole; and swapping the sides swaps what was missed with what was not there.
"""

import copy
import json
import os
import random
import subprocess
import sys
from math import cos, sin, sqrt
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers

from ..profiles import examples

laws = settings(max_examples=examples(40), derandomize=True, deadline=None)
randoms = st.integers(0, 2**32).map(random.Random)  # no two numbers alike, unlike those of `st.randoms`
SOURCE = Path(calipers.__file__).parents[1]
LABELS = ("seat", "table", "door")
ORIENTED = {"iou_mode": "obb", "containment": "obb"}
ERRORS = ("mean_centroid_error_m", "mean_centroid_error_m_per_class")
RATES = (
    *("precision", "recall", "f1", "mean_iou_3d", "strict_accuracy", "relaxed_accuracy"),
    *("strict_precision", "relaxed_precision", "f1_relaxed", "mean_strict_accuracy_per_class"),
    *("mean_relaxed_accuracy_per_class", "mean_iou_3d_per_class"),
    *("osR_strict", "osR_relaxed", "osP_strict", "osP_relaxed", "F1_os"),
)
PERFECT = dict.fromkeys(RATES, 1.0) | dict.fromkeys(ERRORS, 0.0)
NOTHING = {"no scenes": ({}, {}), "an empty scene": ({"a": []}, {"a": []}), "of one side": ({"a": []}, {})}
OBJECTS = ("matches", "unmatched_gt", "unmatched_pred")  # told by places in lists


# Rooms: no two overlaps, scores or distances are equal


def quaternion(rng):
    return [rng.gauss(0, 1) for _ in range(4)]


def box(rng, key):
    return {
        "id": key,
        "label": rng.choice(LABELS),
        "center": [rng.uniform(-3, 3), rng.uniform(-3, 3), rng.uniform(0, 2)],
        "size": [rng.uniform(0.5, 2.5) for _ in range(3)],
        "rotation": quaternion(rng),
    }


def moved(rng, given):
    """Found, but not quite there, and not always called right."""
    away = [rng.gauss(0, 0.2 * size) for size in given["size"]]
    label = rng.choice(LABELS) if rng.random() < 0.2 else given["label"]
    return given | {"label": label, "center": [a + b for a, b in zip(given["center"], away, strict=True)]}


def room(rng, least=0, most=8):
    truth = [box(rng, f"t{k}") for k in range(rng.randint(least, most))]
    again = [moved(rng, each) for each in truth for _ in range(rng.choice((0, 1, 1, 2)))]
    pred = again + [box(rng, "") for _ in range(rng.randint(0, 3))]
    return truth, [each | {"id": f"p{k}", "score": rng.random()} for k, each in enumerate(pred)]


def rooms(rng, least=0):
    return {name: room(rng, least) for name in rng.sample("abcdef", rng.randint(1, 4))}


def side(scenes, which):
    return {name: {"objects": both[which]} for name, both in scenes.items()}


def evaluate(scenes, **options):
    return calipers.scene(side(scenes, 0), side(scenes, 1), **({"labels": LABELS, "bootstrap": 0} | options))


def numbers(report):
    """A method without what tells of places in lists and of the input."""
    left_out = {*OBJECTS, "inputs", "params"}
    return {name: value for name, value in report["methods"]["pred"].items() if name not in left_out}


def partners(report):
    rows = report.matches()
    ids = {(row["scene"], row["index"]): row["id"] for row in rows if row["side"] == "pred"}
    truth = [row for row in rows if row["side"] == "gt"]
    return {(row["scene"], row["id"], ids.get((row["scene"], row["partner"]))) for row in truth}


def causes(report):
    return {(row["scene"], row["id"], row["cause"]) for row in report.matches() if row["side"] == "pred"}


# Perfect is perfect


@laws
@given(randoms, st.booleans(), st.sampled_from(("obb", "aabb")), st.sampled_from(("calipers", "clio")))
def test_ground_truth_as_prediction_is_perfect(rng, labelled, iou_mode, protocol):
    scenes = {name: truth for name, (truth, _) in rooms(rng, least=1).items()}
    scored = {name: [each | {"score": rng.random()} for each in truth] for name, truth in scenes.items()}
    both = {name: (truth, scored[name]) for name, truth in scenes.items()}
    report = evaluate(both, require_label_match=labelled, iou_mode=iou_mode, protocol=protocol)
    assert {name: report["benchmark_compat"][name] for name in PERFECT} == PERFECT
    objects = sum(map(len, scenes.values()))
    counts = {"gt": objects, "pred": objects, "tp": objects, "fp": 0, "fn": 0, "invalid_pred": 0, "ignored": 0}
    assert report["counts"] == counts
    assert (report["unmatched_gt"], report["unmatched_pred"]) == ([], [])
    assert_classes_are_perfect(report, {each["label"] for truth in scenes.values() for each in truth})
    assert_ap_is_perfect(report["ap"])


def assert_classes_are_perfect(report, there):
    for label, row in report["per_class"].items():
        rates = {name: row[name] for name in row if name not in ("tp", "fp", "fn")}
        best = {name: PERFECT[name] for name in rates}
        assert rates == (best if label in there else dict.fromkeys(rates))
        assert (row["fp"], row["fn"]) == (0, 0)


def assert_ap_is_perfect(ap):
    assert {ap[ruler] for ruler in ap["by_class"]} == {1.0}
    assert all(value in (1.0, None) for classes in ap["by_class"].values() for value in classes.values())


def test_intervals_of_a_perfect_method_have_no_width():
    rng = random.Random(3)
    truth = {name: room(rng, least=2)[0] for name in "abcdefghij"}
    scenes = {name: (objects, [dict(each) for each in objects]) for name, objects in truth.items()}
    found = evaluate(scenes, bootstrap=200)["methods"]["pred"]
    intervals = found["detection_metrics"] | found["geometry_metrics"] | found["benchmark_compat"]
    spans = {name.removesuffix("_interval"): span for name, span in intervals.items() if name.endswith("_interval")}
    assert spans == {name: [best, best] for name, best in PERFECT.items()}


# Nothing at all


@pytest.mark.parametrize("sides", NOTHING.values(), ids=NOTHING)
def test_without_objects_everything_is_undefined(sides):
    report = calipers.scene(*sides, labels=LABELS, bootstrap=50)
    assert set(report["benchmark_compat"].values()) == {None}
    assert set(report["counts"].values()) == {0}
    assert report["ap"] is None
    assert str(report)


# Order


@laws
@given(randoms)
def test_the_order_of_scenes_and_of_keys_changes_no_byte(rng):
    scenes = rooms(rng)
    shuffled = {name: scenes[name] for name in rng.sample(list(scenes), len(scenes))}
    turned = {
        name: tuple([dict(rng.sample(list(each.items()), len(each))) for each in objects] for objects in both)
        for name, both in shuffled.items()
    }
    reports = [evaluate(each, bootstrap=50) for each in (scenes, turned)]
    assert reports[0].to_json() == reports[1].to_json()
    assert str(reports[0]) == str(reports[1])


@laws
@given(randoms, st.booleans())
def test_the_order_of_objects_changes_no_number_and_no_partner(rng, labelled):
    scenes = rooms(rng)
    shuffled = {name: tuple(rng.sample(objects, len(objects)) for objects in both) for name, both in scenes.items()}
    reports = [evaluate(each, bootstrap=50, require_label_match=labelled) for each in (scenes, shuffled)]
    assert numbers(reports[0]) == numbers(reports[1])
    assert partners(reports[0]) == partners(reports[1])
    assert causes(reports[0]) == causes(reports[1])


@pytest.fixture
def files(tmp_path):
    """Folders of one ground truth and two methods."""
    rng = random.Random(11)
    scenes = {name: room(rng, least=3) for name in ("hall", "kitchen", "loft", "attic")}
    other = {name: [moved(rng, each) for each in truth] for name, (truth, _) in scenes.items()}
    sides = {"gt": 0, "ours": 1}
    for folder in ("gt", "ours", "theirs"):
        (tmp_path / folder).mkdir()
        for name, both in scenes.items():
            objects = both[sides[folder]] if folder in sides else other[name]
            (tmp_path / folder / f"{name}.json").write_text(json.dumps({"objects": objects}))
    return tmp_path


def test_the_order_of_methods_changes_none_of_them(files):
    gt, ours, theirs = (str(files / name) for name in ("gt", "ours", "theirs"))
    options = {"labels": LABELS, "bootstrap": 100}
    reports = [
        calipers.scene(gt, pred, **options) for pred in ([f"a={ours}", f"b={theirs}"], [f"b={theirs}", f"a={ours}"])
    ]
    assert reports[0]["methods"]["a"] == reports[1]["methods"]["a"]
    assert reports[0]["methods"]["b"] == reports[1]["methods"]["b"]
    alone = calipers.scene(gt, {"a": ours}, **options)
    assert alone["methods"]["a"] == reports[0]["methods"]["a"]
    for name, row in reports[0]["comparison"][0]["metrics"].items():
        back = reports[1]["comparison"][0]["metrics"][name]
        assert (row["a"], row["b"]) == (back["b"], back["a"])
        assert row["difference"] == row["b"] - row["a"] == -back["difference"]


def test_a_method_does_not_differ_from_itself(files):
    paths = {name: str(files / "ours") for name in ("a", "b")}
    [found] = calipers.scene(str(files / "gt"), paths, labels=LABELS, bootstrap=100)["comparison"]
    assert {row["difference"] for row in found["metrics"].values()} == {0.0}
    assert {tuple(row["interval"]) for row in found["metrics"].values()} == {(0.0, 0.0)}


@laws
@given(randoms)
def test_scenes_that_come_in_parts_are_as_good_as_all_at_once(rng):
    scenes = rooms(rng)
    options = {"labels": LABELS, "bootstrap": 50}
    meters = calipers.SceneMeter(**options), calipers.SceneMeter(**options)
    for name in rng.sample(list(scenes), len(scenes)):
        rng.choice(meters).update(*scenes[name], scene=name)
    meters[0].merge(meters[1])
    whole, parts = evaluate(scenes, **options)["methods"]["pred"], meters[0].compute()["methods"]["pred"]
    assert {name for name in whole if whole[name] != parts[name]} <= {"inputs"}


# Processes


PROGRAM = """
import sys, calipers
gt, ours, theirs = sys.argv[1:]
report = calipers.scene(gt, {"ours": ours, "theirs": theirs}, bootstrap=100)
sys.stdout.buffer.write(report.to_json())
"""


def test_the_artifact_depends_neither_on_the_hash_seed_nor_on_threads_nor_on_the_locale(files):
    paths = [str(files / name) for name in ("gt", "ours", "theirs")]
    expected = calipers.scene(paths[0], {"ours": paths[1], "theirs": paths[2]}, bootstrap=100).to_json()
    for environment in (
        {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"},
        {"PYTHONHASHSEED": "4242", "LC_ALL": "C", "TZ": "Asia/Kolkata"},
    ):
        env = {**os.environ, "PYTHONPATH": str(SOURCE), **environment}
        done = subprocess.run([sys.executable, "-c", PROGRAM, *paths], capture_output=True, env=env, check=True)
        assert done.stdout == expected


def test_what_the_caller_gave_is_left_alone():
    scenes = {"a": room(random.Random(1), least=3)}
    before = copy.deepcopy(scenes)
    evaluate(scenes, frame_normalization="gt_global_yaw")
    assert scenes == before


# Space


def times(a, b):
    """One rotation after another: quaternions x y z w."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]


def turned_point(turn, point):
    x, y, z, w = turn
    return times(times(turn, [*point, 0.0]), [-x, -y, -z, w])[:3]


def placed(objects, turn, away):
    return [
        each
        | {
            "center": [a + b for a, b in zip(turned_point(turn, each["center"]), away, strict=True)],
            "rotation": times(turn, each["rotation"]),
        }
        for each in objects
    ]


def everywhere(scenes, turn, away):
    return {name: tuple(placed(objects, turn, away) for objects in both) for name, both in scenes.items()}


def assert_as_close(found, expected):
    """The same but for rounding, and for how far from the origin things are."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name in expected.keys() - {"range"}:
            assert_as_close(found[name], expected[name])
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=1e-9)
    else:
        assert found == expected


@laws
@given(randoms, st.sampled_from(([0.0, 0.0, 0.0], [7.0, -3.0, 1.0], [500.0, 2000.0, -40.0])))
def test_a_room_may_be_moved_and_turned_as_a_whole(rng, away):
    scenes, turn = rooms(rng), quaternion(rng)
    norm = sqrt(sum(q * q for q in turn))
    elsewhere = everywhere(scenes, [q / norm for q in turn], away)
    reports = [evaluate(each, **ORIENTED) for each in (scenes, elsewhere)]
    assert_as_close(numbers(reports[1]), numbers(reports[0]))
    assert partners(reports[0]) == partners(reports[1])


@laws
@given(randoms, st.floats(-3.2, 3.2))
def test_in_the_frame_of_the_ground_truth_its_yaw_does_not_matter_to_bounds(rng, angle):
    scenes = rooms(rng, least=1)
    elsewhere = everywhere(scenes, [0.0, 0.0, sin(angle / 2), cos(angle / 2)], [0.0, 0.0, 0.0])
    options = {"iou_mode": "aabb", "containment": "aabb", "frame_normalization": "gt_global_yaw"}
    reports = [evaluate(each, **options) for each in (scenes, elsewhere)]
    assert_as_close(numbers(reports[1]), numbers(reports[0]))
    assert partners(reports[0]) == partners(reports[1])


# Counting


@laws
@given(randoms, st.booleans())
def test_swapping_the_sides_swaps_missed_and_spurious(rng, labelled):
    scenes = rooms(rng)
    swapped = {name: both[::-1] for name, both in scenes.items()}
    a, b = (evaluate(each, require_label_match=labelled) for each in (scenes, swapped))
    names = ("gt", "tp", "fp", "fn")
    assert [a["counts"][name] for name in names] == [b["counts"][name] for name in ("pred", "tp", "fn", "fp")]
    assert a["detection_metrics"]["precision"] == b["detection_metrics"]["recall"]
    assert a["detection_metrics"]["f1"] == b["detection_metrics"]["f1"]
    same = ("mean_iou_3d", "mean_centroid_error_m", "strict_accuracy", "relaxed_accuracy", "f1_relaxed")
    assert [a["geometry_metrics"][name] for name in same] == [b["geometry_metrics"][name] for name in same]


@laws
@given(randoms)
def test_partners_at_a_higher_threshold_are_the_closest_of_those_at_a_lower_one(rng):
    scenes = rooms(rng)
    found = [evaluate(scenes, iou_threshold=least)["matches"] for least in (0.1, 0.25, 0.5)]
    for least, low, high in ((0.25, *found[:2]), (0.5, *found[1:])):
        assert high == [row for row in low if row["iou"] >= least]


@laws
@given(randoms)
def test_a_scene_without_objects_changes_no_rate_and_every_scene_twice_none_either(rng):
    scenes = rooms(rng)
    expected = evaluate(scenes)["benchmark_compat"]
    assert evaluate(scenes | {"x": ([], [])})["benchmark_compat"] == expected
    twice = scenes | {f"{name} again": both for name, both in scenes.items()}
    assert_as_close(evaluate(twice)["benchmark_compat"], expected)


@laws
@given(randoms, st.booleans())
def test_counts_add_up(rng, labelled):  # trap 26
    report = evaluate(rooms(rng), require_label_match=labelled)
    counts, rows = report["counts"], report["per_class"].values()
    assert counts["tp"] + counts["fn"] == counts["gt"]
    assert counts["tp"] + counts["fp"] == counts["pred"]
    assert sum(report["fp_breakdown"].values()) == counts["fp"] == len(report["unmatched_pred"])
    for name in ("gt", "pred", "tp", "fp", "fn"):
        assert sum(row[name] for row in report["scenes"].values()) == counts[name]
        assert sum(row[name] for row in report["range"]) == counts[name]
    assert sum(row["tp"] + row["fn"] for row in rows) == counts["gt"]  # every object has a class here
    assert sum(row["tp"] + row["fp"] for row in rows) == counts["pred"]


@laws
@given(randoms)
def test_rates_are_rates_and_intervals_are_in_order(rng):
    report = evaluate({f"{k}": room(rng) for k in range(6)}, bootstrap=100)
    for part in ("detection_metrics", "geometry_metrics", "benchmark_compat"):
        for name, value in report[part].items():
            spans = value if isinstance(value, list) else [value] if value is not None else []
            assert spans == sorted(spans)
            assert all(0 <= end <= (10 if "error" in name else 1 + 1e-12) for end in spans)
