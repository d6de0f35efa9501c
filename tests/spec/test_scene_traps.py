"""Traps that evaluators of boxes in rooms fell into, one test each, under its number: here they are shut."""

import json
import os
import subprocess
import sys
import time
from math import cos, sin
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import calipers

from ..profiles import examples

MOST_CPU_SEC = 20  # far more than it takes, far less than reading on would
LABELS = ["seat", "table", "door"]
FAR = [0.0, 1e3, -1e6, 1e9]
BOMBS = {
    "billion laughs": '<!DOCTYPE g [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghi", "bcdefghij", strict=True))
    + "]><graphml><node><data key='name'>&j;</data></node></graphml>",
    "quadratic": f'<!DOCTYPE g [<!ENTITY a "{"a" * 200_000}">]><graphml><node>{"&a;" * 20_000}</node></graphml>',
    "external": '<!DOCTYPE g [<!ENTITY a SYSTEM "file:///etc/passwd">]><graphml><node>&a;</node></graphml>',
    "external parameters": '<!DOCTYPE g [<!ENTITY % a SYSTEM "http://localhost:1/a.dtd"> %a;]><graphml/>',
    "external document type": '<!DOCTYPE graphml SYSTEM "http://localhost:1/graphml.dtd"><graphml/>',
}


def near(value):
    return pytest.approx(value, abs=1e-9)


def box(label, x, y=0.0, z=0.0, size=(1, 1, 1), **more):
    return {"label": label, "center": [x, y, z], "size": list(size), **more}


def scene(truth, pred, **options):
    return calipers.scene(truth, {"objects": pred}, **{"labels": LABELS, "bootstrap": 0, **options})


# ---------------------------------------------------------------- 16 and 17: overlap


@pytest.mark.parametrize("mode", ["obb", "aabb"])
@pytest.mark.parametrize("far", FAR)
def test_trap_16_iou_with_itself_is_half_or_above_1_far_from_the_origin(far, mode):
    # off by 0.25 along x: 0.75 of 1.25
    seat, moved = box("seat", far, -far, far), box("seat", far + 0.25, -far, far)
    for truth, pred, iou in ((seat, seat, 1), (seat, moved, 0.6), (moved, seat, 0.6)):
        [row] = scene([truth], [pred], iou_mode=mode)["matches"]
        assert row["iou"] == near(iou)
        assert row["strict"]


@settings(max_examples=examples(60), deadline=None)
@given(
    st.lists(st.floats(0.05, 5), min_size=6, max_size=6),
    st.lists(st.floats(-2, 2), min_size=3, max_size=3),
    st.lists(st.floats(-1, 1).filter(lambda x: abs(x) > 1e-3), min_size=8, max_size=8),
    st.sampled_from(FAR[:3]),
    st.floats(-3, 3),
)
def test_trap_16_laws_of_overlap_hold_end_to_end(sizes, offset, turns, far, angle):
    one = box("seat", 0, size=sizes[:3], rotation=turns[:4])
    two = box("seat", *offset, size=sizes[3:], rotation=turns[4:])

    def iou(a, b):
        rows = scene([a], [b], iou_threshold=1e-12)["matches"]
        return rows[0]["iou"] if rows else 0.0

    def moved(item):
        x, y, z = item["center"]
        qx, qy, qz, qw = item["rotation"]
        c, s = cos(angle / 2), sin(angle / 2)
        turn = [c * qx - s * qy, c * qy + s * qx, c * qz + s * qw, c * qw - s * qz]
        c, s = cos(angle), sin(angle)
        return item | {"center": [c * x - s * y + far, s * x + c * y - far, z], "rotation": turn}

    found = iou(one, two)
    assert 0 <= found <= 1
    assert iou(one, one) == iou(two, two) == 1
    assert iou(two, one) == pytest.approx(found, abs=1e-11)
    assert iou(moved(one), moved(two)) == pytest.approx(found, abs=1e-6 if far else 1e-10)


@pytest.mark.parametrize("far", FAR)
@pytest.mark.parametrize("yaw", [0.0, 0.5])
def test_trap_17_boxes_that_touch_in_a_face_crash(far, yaw):
    # side by side, edge by edge, corner by corner: nothing is shared, so nothing matches
    for offset in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 1, 1)):
        x, y, z = offset
        at = (far + cos(yaw) * x - sin(yaw) * y, far + sin(yaw) * x + cos(yaw) * y, z)
        turn = {"rotation": {"yaw": yaw}}
        report = scene([box("seat", far, far, **turn)], [box("seat", *at, **turn)], iou_threshold=1e-6)
        assert (report["counts"]["tp"], report["counts"]["fp"]) == (0, 1)


def test_trap_17_a_box_that_touches_nothing_has_no_overlap_as_its_cause():
    assert scene([box("seat", 0)], [box("seat", 1)])["fp_breakdown"]["no_overlap"] == 1


# ---------------------------------------------------------------- 5: equal scores


def test_trap_5_equal_scores_that_leave_ap_undefined_are_said():
    truth = [box("seat", 0), box("seat", 10)]
    wrong = scene(truth, [box("seat", 0, score=0.5), box("seat", 20, score=0.5)])
    assert wrong["ap"] is None
    assert "pred: all scores are 0.5, so there is no order to rank predictions in, and no AP" in wrong["warnings"]
    right = scene(truth, [box("seat", 0, score=0.5), box("seat", 10, score=0.5)])  # any order would do
    assert (right["ap"]["iou_0.50"], right["warnings"]) == (1.0, [])
    assert scene(truth, [box("seat", 0), box("seat", 20)])["warnings"] == []  # without scores there is no AP to miss


# ---------------------------------------------------------------- 26: totals

MESS = [box(["seat", "table", "door", "lamp", ""][k % 5], 0.7 * k, 0.3 * (k % 4)) for k in range(60)]
GUESS = [box(["table", "seat", "seat", "door", "ghost", "lamp"][k % 6], 0.8 * k, 0.2 * (k % 3)) for k in range(55)]


@pytest.mark.parametrize("options", [{}, {"require_label_match": True}, {"ignore_raw_labels": ["ghost"]}])
def test_trap_26_totals_do_not_add_up(options):
    report = scene(MESS, GUESS, **options)
    counts = report["counts"]
    assert counts["tp"] + counts["fn"] == counts["gt"] == len(MESS)
    assert counts["tp"] + counts["fp"] == counts["pred"] == len(GUESS) - counts["ignored"]
    assert len(report["matches"]) == counts["tp"]
    assert (len(report["unmatched_gt"]), len(report["unmatched_pred"])) == (counts["fn"], counts["fp"])
    assert sum(report["fp_breakdown"].values()) == counts["fp"]
    for label, row in report["per_class"].items():
        assert row["tp"] + row["fn"] == sum(item["label"] == label for item in MESS)
        assert row["tp"] + row["fp"] == sum(item["label"] == label for item in GUESS)
    for name in ("gt", "pred", "tp", "fp", "fn"):
        assert sum(row[name] for row in report["range"]) == counts[name]
        assert sum(row[name] for row in report["scenes"].values()) == counts[name]


def test_trap_26_false_negatives_depend_on_the_hash_seed(tmp_path):
    for name, objects in (("gt", MESS), ("pred", GUESS)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"objects": objects}))
    command = [sys.executable, "-m", "calipers", "scene", "--gt", "gt.json", "--pred", "pred.json", "--json"]
    results = set()
    for seed in ("0", "1", "2"):
        source = str(Path(calipers.__file__).parents[1])
        env = os.environ | {"PYTHONPATH": source, "PYTHONHASHSEED": seed}
        results.add(subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, check=True).stdout)
    assert len(results) == 1


# ---------------------------------------------------------------- 27: open-set precision


def test_trap_27_duplicates_count_as_correct():
    # three seats on one: one of them is right
    report = scene([box("seat", 0)], [box("seat", 0), box("seat", 0.1), box("seat", -0.1)])
    assert (report["benchmark_compat"]["osP_strict"], report["benchmark_compat"]["osP_relaxed"]) == (1 / 3, 1 / 3)
    assert report["benchmark_compat"]["osR_strict"] == 1


def test_trap_27_objects_of_another_class_count_as_correct():
    # a table where the seat is, and a seat where the table is: both lie well, and neither is what it says
    report = scene([box("seat", 0), box("table", 5)], [box("table", 0), box("seat", 5)])
    assert report["geometry_metrics"]["strict_accuracy"] == 1
    assert [report["benchmark_compat"][name] for name in ("osP_strict", "osP_relaxed", "osR_relaxed", "F1_os")] == [
        0
    ] * 4


def test_trap_27_a_prediction_counts_for_its_best_task_only():
    pred = [box("x", 0, similarity={"seat": 0.95, "table": 0.99}), box("y", 5, similarity={"seat": 0.95, "table": 0.9})]
    report = scene([box("seat", 0), box("table", 5)], pred)
    assert report["benchmark_compat"]["osP_strict"] == 0
    assert scene([box("table", 0), box("seat", 5)], pred)["benchmark_compat"]["osP_strict"] == 1


# ---------------------------------------------------------------- 28: whole words


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("indoor plant", None),
        ("Indoor-Plant", None),
        ("doorbell", None),
        ("outdoor", None),
        ("vegetable", None),
        ("stable", None),
        ("seating plan", None),
        ("door", "door"),
        ("glass door", "door"),
        ("door/frame", "door"),
        ("Door_Handle", "door"),
        ("the (old) DOOR!", "door"),
    ],
)
def test_trap_28_an_indoor_plant_is_a_door(label, found):
    rules = {"contains_rules": {"door": "door", "table": "table", "seat": "seat"}}
    for sides in (([box(label, 0)], []), ([], [box(label, 0)])):
        [row] = scene(*sides, aliases=rules).matches()
        assert row["class"] == found


# ---------------------------------------------------------------- 29: evaluation reads only


def test_trap_29_evaluation_changes_the_next_evaluation(tmp_path):
    def embed(texts):
        return [[1, 0] if "chair" in text or text == "seat" else [0, 1] for text in texts]

    for name in ("label_aliases.json", "learned.json"):
        (tmp_path / name).write_text("{}")
    config = tmp_path / "eval_config.json"
    paths = {"label_aliases": "label_aliases.json", "learned_label_aliases": "learned.json"}
    config.write_text(json.dumps({"label_resolution": {"learn_new_aliases": True}, "paths": paths}))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    sides = [box("seat", 0)], [box("armchair", 0), box("dentist chair", 9)]
    results = [scene(*sides, config=config, embed=embed) for _ in range(3)]
    assert len({report.to_json() for report in results}) == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert "learn_new_aliases has no effect" in results[0]["warnings"][0]
    assert results[0]["label_resolution"]["embedding"] == 2


# ---------------------------------------------------------------- 30: nothing matched


@pytest.mark.parametrize("pred", [[], [box("seat", 9)], [box("lamp", 9)], [box("seat", 0, size=(0, 1, 1))]])
def test_trap_30_centroid_error_0_when_nothing_matched(pred):
    report = scene([box("seat", 0)], pred)
    names = ["mean_centroid_error_m", "mean_iou_3d", "strict_accuracy", "relaxed_accuracy"]
    assert [report["geometry_metrics"][name] for name in (*names, "f1_relaxed")] == [None] * 5
    assert [report["per_class"]["seat"][name] for name in names] == [None] * 4
    macro = [name for name in report["benchmark_compat"] if name.endswith("_per_class")]
    assert [report["benchmark_compat"][name] for name in macro] == [None] * 4
    assert report["scenes"]["scene"]["mean_centroid_error_m"] is None
    assert "—" in str(report)


# ---------------------------------------------------------------- 41: limits


@pytest.mark.parametrize("side", ["gt", "pred"])
@pytest.mark.parametrize("bomb", BOMBS)
def test_trap_41_entities_are_refused_early(tmp_path, bomb, side):
    (tmp_path / "bomb.graphml").write_text(BOMBS[bomb])
    path, good = str(tmp_path / "bomb.graphml"), [box("seat", 0)]
    began = time.thread_time()
    with pytest.raises(calipers.InputError, match="line 1: found a DOCTYPE, expected GraphML without one") as raised:
        calipers.scene(*((path, good) if side == "gt" else (good, path)))
    assert time.thread_time() - began < MOST_CPU_SEC
    assert raised.value.exit_code == 3


@pytest.mark.parametrize("depth", [100, 900, 1000, 1020, 1100, 100_000])
def test_trap_41_deep_json_is_refused_or_counted_at_any_depth(tmp_path, depth):
    deep = "[" * depth + "]" * depth
    path, good = tmp_path / "deep.json", [box("seat", 0)]
    for text in (deep, f'{{"objects": {deep}}}', f'{{"objects": [{{"id": {deep}, "label": "seat"}}]}}'):
        path.write_text(text)
        with pytest.raises(calipers.InputError, match=r"deep\.json: "):
            calipers.scene(str(path), good)
    path.write_text(f'{{"objects": [{{"label": "seat", "center": {deep}, "size": [1, 1, 1]}}]}}')
    if depth <= 1020:  # it is JSON, and a prediction that makes no sense
        assert calipers.scene(good, str(path))["counts"]["invalid_pred"] == 1
    else:
        with pytest.raises(calipers.InputError, match=r"deep\.json: "):
            calipers.scene(good, str(path))


def test_trap_41_code_in_a_graph_is_text(tmp_path):
    attack = f"__import__('pathlib').Path('{tmp_path}/owned').touch()"
    data = {"node_type": "object", "name": "seat", "position": attack, "bbox_dim": "[1, 1, 1]"}
    texts = "".join(f'<data key="{name}">{text}</data>' for name, text in data.items())
    (tmp_path / "room.graphml").write_text(f'<graphml><node id="0">{texts}</node></graphml>')
    report = calipers.scene([box("seat", 0)], str(tmp_path / "room.graphml"))
    assert report["counts"]["invalid_pred"] == 1
    assert report["unmatched_pred"][0]["reason"].startswith('node 0: position: found "__import__(')
    assert not (tmp_path / "owned").exists()
