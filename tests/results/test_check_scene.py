"""Scenes: what a check says of them, and the reading of predicted boxes it finds."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import calipers
from calipers.results.check import check
from calipers.results.outcome import why_nothing_evaluated
from calipers.suites.scene.interpretations import matrix_of
from calipers.suites.scene.offset import CenterVotes

from ..profiles import seeds

DATA = Path(calipers.__file__).parent / "data" / "scene"
SEAT = {"id": 1, "label": "seat", "center": [1.0, 2.0, 0.5], "size": [1.0, 0.6, 1.0]}


def plain(folder):
    """The scene graphs of a folder as plain objects."""
    names = {"position": "center", "dimensions": "size", "orientation": "rotation"}
    scenes = {}
    for path in sorted((DATA / folder).glob("*.json")):
        items = json.loads(path.read_text(encoding="utf-8"))["objects"]
        scenes[path.stem] = [{names.get(key, key): value for key, value in item.items()} for item in items]
    return scenes


PRED = plain("pipeline")


def misread(change, scenes=PRED):
    """The scenes with boxes written in another way."""
    return {name: {"objects": [{**item, **change(item)} for item in items]} for name, items in scenes.items()}


def scaled(factor):
    return lambda item: {name: [value * factor for value in item[name]] for name in ("center", "size")}


def turned(matrix):
    def change(item):
        rotation = (matrix @ matrix_of(item["rotation"])).tolist()
        return {"center": (matrix @ np.array(item["center"])).tolist(), "rotation": rotation}

    return change


def by_corner(item):
    return {"center": (np.array(item["center"]) - matrix_of(item["rotation"]) @ np.array(item["size"]) / 2).tolist()}


def by_corners(item):
    pairs = list(zip(item["center"], item["size"], strict=True))
    return {"center": [c - s / 2 for c, s in pairs], "size": [c + s / 2 for c, s in pairs], "rotation": None}


def mirrored(*signs):
    """Every point at the other side of some planes; a box is what it was when one of its own axes is turned round."""
    flip = np.diag(signs)

    def change(item):
        axes = flip @ matrix_of(item["rotation"])
        if np.linalg.det(axes) < 0:
            axes[:, 0] *= -1
        return {"center": (flip @ np.array(item["center"])).tolist(), "rotation": axes.tolist()}

    return change


def swapped(vector):
    x, y, z = vector
    return [x, z, y]


def y_up_with_yaw(item):
    """Centre and size as x, up, depth; the rotation is an angle about the axis up."""
    axes = matrix_of(item["rotation"])
    yaw = math.atan2(axes[1, 0], axes[0, 0])
    return {"center": swapped(item["center"]), "size": swapped(item["size"]), "rotation": {"yaw": yaw}}


def rows_swapped(item):
    """Rows y and z of a matrix swapped, which makes one of the other hand of it."""
    x, y, z = matrix_of(item["rotation"]).tolist()
    return {"center": swapped(item["center"]), "rotation": [x, z, y]}


def one_after_the_other(*changes):
    def change(item):
        for each in changes:
            item = {**item, **each(item)}
        return item

    return change


def moved(*offset):
    return lambda item: {"center": [a + b for a, b in zip(item["center"], offset, strict=True)]}


UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # z up becomes y up
READINGS = {
    "millimetres -> metres": scaled(1000),
    "centimetres -> metres": scaled(100),
    "metres -> millimetres": scaled(0.001),
    "feet -> metres": scaled(1 / 0.3048),
    "quaternions as [w, x, y, z]": lambda item: {"rotation": [item["rotation"][3], *item["rotation"][:3]]},
    "y up -> z up": turned(UP),
    "z up -> y up": turned(UP.T),
    "the least corner for the centre": by_corner,
    "two corners for centre and size": by_corners,
    "half sizes for sizes": lambda item: {"size": [value / 2 for value in item["size"]]},
    "y and z swapped (y up -> z up)": rows_swapped,
    "y and z swapped (y up -> z up), rotations about up": y_up_with_yaw,
    "y and z swapped (y up -> z up), centres alone": lambda item: {"center": swapped(item["center"])},
    "x mirrored (a frame of the other hand)": mirrored(-1, 1, 1),
    "y mirrored (a frame of the other hand)": mirrored(1, -1, 1),
    "z mirrored (a frame of the other hand)": mirrored(1, 1, -1),
    "x and y mirrored (a half turn about z)": mirrored(-1, -1, 1),
    "millimetres -> metres, y up -> z up": one_after_the_other(turned(UP), scaled(1000)),
}


def likely(found):
    [sides] = found["comparisons"]
    return [reading["name"] for reading in sides["readings"] if reading["likely"]]


@pytest.mark.parametrize("name", READINGS)
def test_the_reading_is_found_and_would_score_as_the_right_data_do(name):
    found = check(gt=DATA / "gt", pred=misread(READINGS[name]))
    assert likely(found) == [name]
    right = check(gt=DATA / "gt", pred=misread(lambda item: {}))["comparisons"][0]
    reading = found["comparisons"][0]["readings"][0]
    assert reading["score"] == pytest.approx(right["score"], abs=0.01)


def boxes(places, **beside):
    """A room of boxes without rotation: label -> centre; no two sides of a box are of the same length."""
    return {"objects": [{"label": name, "center": at, "size": [1, 0.5, 2], **beside} for name, at in places.items()]}


PLACES = {"bed": [1.0, 2.0, 0.5], "desk": [4.0, -1.0, 0.5], "lamp": [-2.0, 3.0, 2.0], "door": [0.0, 6.0, 1.0]}


def test_y_up_boxes_are_found_exactly_with_their_sizes():
    there = {name: swapped(at) for name, at in PLACES.items()}
    found = check(gt=boxes(PLACES), pred=boxes(there, size=[1, 2, 0.5]), suite="scene")
    assert likely(found) == ["y and z swapped (y up -> z up)"]
    assert found["comparisons"][0]["readings"][0]["overlap"] == 1.0


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (moved(3, -1.5, 0.25), "every centre moved by -3.00, +1.50, -0.25 m"),
        (moved(0, 20, 0), "every centre moved by 0.00, -20.00, 0.00 m"),
        (
            one_after_the_other(lambda item: {"center": [-item["center"][0], *item["center"][1:]]}, moved(9, 0, 0)),
            "x mirrored (a frame of the other hand), every centre moved by +9.00, 0.00, 0.00 m",
        ),
        (
            one_after_the_other(moved(9, 0, 0), scaled(1000)),
            "millimetres -> metres, every centre moved by -9.00, 0.00, 0.00 m",
        ),
    ],
)
def test_a_constant_offset_is_found_with_its_amount(change, name):
    pred = [{**item, **change(item)} for item in boxes(PLACES)["objects"]]
    found = check(gt=boxes(PLACES), pred={"objects": pred}, suite="scene")
    assert likely(found) == [name]
    assert found["comparisons"][0]["readings"][0]["overlap"] == 1.0


def test_an_offset_needs_no_labels():
    pred = boxes({f"thing {k}": [x + 7, y, z] for k, (x, y, z) in enumerate(PLACES.values())})
    assert likely(check(gt=boxes(PLACES), pred=pred, suite="scene")) == ["every centre moved by -7.00, 0.00, 0.00 m"]


def test_two_boxes_agree_on_an_offset_by_chance():
    few = {name: PLACES[name] for name in ("bed", "desk")}
    pred = boxes({name: [x + 7, y, z] for name, (x, y, z) in few.items()})
    assert likely(check(gt=boxes(few), pred=pred, suite="scene")) == []


@pytest.mark.parametrize("seed", seeds(5))
def test_boxes_at_random_places_have_no_reading(seed):
    rng = np.random.default_rng(seed)
    scenes = {
        name: [{**item, "center": rng.uniform([0, 0, 0], [6, 5, 2]).tolist()} for item in items]
        for name, items in PRED.items()
    }
    assert likely(check(gt=DATA / "gt", pred=misread(lambda item: {}, scenes))) == []


def test_very_many_boxes_vote_for_their_offset_in_a_moment():
    rng = np.random.default_rng(0)
    centers = rng.uniform(0, 50, (2000, 3)).tolist()
    items = [{"label": f"kind {k % 4}", "center": at, "size": [1, 1, 1]} for k, at in enumerate(centers)]
    votes = CenterVotes(
        {"hall": items}, {"hall": [{**item, "center": [item["center"][0] - 5, *item["center"][1:]]} for item in items]}
    )
    assert votes.offset().by == pytest.approx((5, 0, 0))


@pytest.mark.parametrize("pred", ["gt", "pipeline", "clio"])
def test_right_data_raise_no_alarm(pred):
    found = check(gt=DATA / "gt", pred=DATA / pred)
    assert found["ok"]
    assert likely(found) == []


def figures(change):
    """The ground truth of the sample with the angles of its figures changed."""
    scenes = {}
    for path in sorted((DATA / "gt").glob("*.json")):
        tree = json.loads(path.read_text(encoding="utf-8"))
        for figure in tree["figures"]:
            rotation = figure["geometry"]["rotation"]
            figure["geometry"]["rotation"] = {axis: change(value) for axis, value in rotation.items()}
        scenes[path.stem] = tree
    return scenes


def test_degrees_of_supervisely_are_found(tmp_path):
    for name, tree in figures(math.degrees).items():
        (tmp_path / f"{name}.json").write_text(json.dumps(tree))
    found = check(gt=DATA / "gt", pred=tmp_path)
    assert likely(found) == ["angles in degrees -> radians"]
    assert found["comparisons"][0]["readings"][0]["overlap"] == pytest.approx(1, abs=1e-4)
    assert any("are they in degrees?" in warning for warning in found["files"][1]["warnings"])


def test_degrees_of_a_yaw_are_found():
    angles = (20, 65, 110, 155, 200)
    items = [{**SEAT, "id": k, "center": [3.0 * k, 0, 0], "size": [2, 0.4, 1]} for k, _ in enumerate(angles)]
    truth = [{**item, "rotation": {"yaw": math.radians(angle)}} for item, angle in zip(items, angles, strict=True)]
    pred = [{**item, "rotation": {"yaw": angle}} for item, angle in zip(items, angles, strict=True)]
    assert likely(check(gt={"objects": truth}, pred={"objects": pred})) == ["angles in degrees -> radians"]


# Files


def test_ground_truth_of_the_sample_is_perfect_against_itself():
    [file] = check(DATA / "gt")["files"]
    assert file["kind"] == "folder of scenes, Supervisely annotation"
    assert file["itself"] == {
        "figures": {"F1": 1.0, "mean IoU": 1.0, "strict accuracy": 1.0},
        "perfect": True,
        "apart": {"no label": 0},
        "imperfect": [],
    }


@pytest.mark.parametrize("scenes", [{"objects": []}, {"a": {"objects": []}, "b": {"objects": []}}])
def test_no_objects_are_never_perfect_against_themselves(scenes):
    found = check(gt=scenes, suite="scene")
    assert found["files"][0]["itself"] is None
    assert "perfect" not in str(found)


def test_a_box_too_far_away_to_overlap_itself_has_figures_that_are_undefined():
    [file] = check(gt={"objects": [{**SEAT, "center": [1e30, 0, 0]}]}, suite="scene")["files"]
    assert file["itself"]["imperfect"] == ["F1 is 0", "mean IoU is —", "strict accuracy is —"]


EMPTY, FULL = {"objects": []}, {"objects": [SEAT]}


@pytest.mark.parametrize(("gt", "pred"), [(EMPTY, EMPTY), (FULL, EMPTY), (EMPTY, FULL), (FULL, FULL)])
def test_the_verdict_is_that_of_the_run(gt, pred):
    found, report = check(gt=gt, pred=pred, suite="scene"), calipers.scene(gt, pred, bootstrap=0)
    if gt is EMPTY and pred is EMPTY:
        told = "nothing was evaluated: 0 of 1 scene: there is nothing to compare in them"
        assert why_nothing_evaluated(report) == f"{told} (calipers check tells more)"
        assert found["files"][1]["refused"] == {"n": 1, "first": [told]}
    else:
        assert why_nothing_evaluated(report) is None
    assert found.exit_code == (3 if gt is pred is EMPTY else 0)


def test_methods_are_evaluated_together(tmp_path):
    for name, scene in {"gt": EMPTY, "none": EMPTY, "nothing": EMPTY, "one": FULL}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(scene))
    gt, none, nothing, one = (tmp_path / f"{name}.json" for name in ("gt", "none", "nothing", "one"))
    assert check(gt=gt, pred=[none, one], suite="scene").exit_code == 0
    assert check(gt=gt, pred=[none, nothing], suite="scene").exit_code == 3


def test_labels_in_another_spelling_are_the_same_as_they_are_to_the_suite():
    pred = {"objects": [{**SEAT, "label": "Office_CHAIR"}, {**SEAT, "label": "chair"}]}
    found = check(gt={"objects": [{**SEAT, "label": "office chair"}]}, pred=pred, suite="scene")
    assert found["comparisons"][0]["labels"] == {
        "shared": 1,
        "gt_only": [],
        "pred_only": [{"label": "chair", "n": 1, "nearest": None}],
        "same": [{"label": "Office_CHAIR", "n": 1, "nearest": "office chair"}],
    }
    words = "labels differ in spelling alone, which counts as the same here: Office_CHAIR for office chair"
    assert str(found).splitlines()[-1].endswith(words)


def test_scene_graphs_and_clio_are_predictions_unless_it_is_said():
    found = check(DATA / "pipeline", DATA / "clio", DATA / "gt")
    assert [file["side"] for file in found["files"]] == ["pred", "pred", "gt"]
    assert len(found["comparisons"]) == 2
    assert found["files"][0]["invalid"]["n"] == 1  # a box without height


def test_every_bad_scene_is_told(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps({"objects": [{**SEAT, "size": [1, 1, 0]}]}))
    (tmp_path / "b.json").write_text(json.dumps({"objects": [SEAT]}))
    (tmp_path / "c.json").write_text("{oops")
    (tmp_path / "d.graphml").write_text("<graphml><!DOCTYPE")
    found = check(gt=tmp_path)
    assert found.exit_code == 3
    refused = found["files"][0]["refused"]
    assert refused["n"] == 3
    assert [Path(text.split(": ")[0]).name for text in refused["first"]] == ["a.json", "c.json", "d.graphml"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"size": [800, 450, 900]}, "are they in millimetres?"),
        ({"size": [0.0008, 0.0004, 0.0009]}, "are they in another unit?"),
        ({"rotation": [0, 0, 2, 2]}, "6 quaternions not of length 1"),
        ({"rotation": [0.92, 0.0, 0.0, 0.39]}, "is w written first, [w, x, y, z]?"),
        ({"rotation": {"yaw": 90}}, "angles reach 90, more than a full turn: are they in degrees?"),
        ({"score": 0.5}, "all scores are 0.5"),
        ({}, "every box has the same size, 1 x 0.6 x 1"),
        ({"label": ""}, "6 boxes without a label, of no class"),
    ],
)
def test_what_looks_wrong_is_said(change, words):
    items = [{**SEAT, "id": k, **change} for k in range(6)]
    [file] = check(pred={"objects": items}, suite="scene")["files"]
    assert any(words in warning for warning in file["warnings"]), file["warnings"]


def test_scores_on_the_side_of_the_ground_truth_are_strange():
    scored = {"objects": [{**SEAT, "score": 0.9}]}
    [sides] = check(gt=scored, pred={"objects": [SEAT]}, suite="scene")["comparisons"]
    assert "are the two sides swapped?" in sides["warnings"][0]
    [sides] = check(gt={"objects": [SEAT]}, pred=scored, suite="scene")["comparisons"]
    assert sides["warnings"] == []


def test_scenes_of_one_side_are_told():
    [sides] = check(gt=DATA / "gt", pred={"office": {"objects": [SEAT]}, "attic": {"objects": [SEAT]}}, suite="scene")[
        "comparisons"
    ]
    assert sides["warnings"] == [
        "1 scene predicted without ground truth: attic",
        "2 scenes without a prediction: kitchen, living_room",
    ]


def test_one_scene_against_one_is_compared_whatever_they_are_called(tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"objects": [SEAT]}))
    [sides] = check(gt=tmp_path / "a.json", pred=f"ours={tmp_path / 'b.json'}")["comparisons"]
    assert (sides["score"], sides["overlap"], sides["warnings"]) == (1.0, 1.0, [])
