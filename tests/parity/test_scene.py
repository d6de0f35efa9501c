"""The scene suite against others: a plain evaluator that goes object by object, and pycocotools for AP.

Overlaps of boxes that stand along the axes are worked out in fractions. Those of turned boxes come from the ruler under
test, which has tests of its own: here matching, counting and everything after it is looked at.
"""

import random
from contextlib import redirect_stdout
from io import StringIO
from math import dist, isfinite

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import calipers
from calipers.core import bootstrap

from ..profiles import combined, examples, seeds
from . import rooms
from . import scene_reference as reference
from .rooms import ALIASES, BROKEN, CLASSES, NAMED, Box, draw_extras, draw_options, draw_scene, draw_scenes
from .scene_reference import UNIT, Rules, Scene, Thing

RULERS = {"iou_0.25": 0.25, "iou_0.50": 0.5}
DISTANCES = {"distance_0.5": 0.5, "distance_1.0": 1.0, "distance_2.0": 2.0}


# What was drawn, as the reference needs it: scenes are {name: (truth, pred)}, lists of plain objects or None


def scenes_of(sides, options):
    mode = options.get("iou_mode", "obb")
    return {name: scene_of(truth or [], pred or [], mode, options) for name, (truth, pred) in sides.items()}


def scene_of(truth, pred, mode, options):
    scene = Scene(*([thing(*each, options) for each in enumerate(side)] for side in (truth, pred)))
    readable = [each for each in scene.everything if each.box is not None]
    table = overlaps([truth[each.index] for each in scene.truth], [pred[each.index] for each in readable], mode)
    for t, row in zip(scene.truth, table, strict=True):
        scene.overlap |= {(t.index, p.index): units for p, units in zip(readable, row, strict=True)}
    return scene


def overlaps(truth, pred, mode):
    if any(each.get("rotation") is not None for each in (*truth, *pred)):
        return np.rint(calipers.cuboid_iou(truth, pred, iou_mode=mode) * UNIT).astype(int).tolist()
    boxes = [[box_of(each) for each in side] for side in (truth, pred)]
    return [[rooms.bounds_overlap(a, b) for b in boxes[1]] for a in boxes[0]]


def thing(index, given, options):
    if not isinstance(given, dict):
        return Thing(index, None, None)
    return Thing(
        index,
        class_of(given.get("label")),
        None if is_broken(given) else box_of(given),
        by_class(given.get("similarity")),
        given.get("score"),
        is_ignored(given.get("label"), options),
    )


def class_of(label):
    return NAMED.get(label)


def box_of(given):
    return Box(given["center"], given["size"], given.get("rotation"))


def is_broken(given):
    center, size, rotation = given.get("center"), given.get("size"), given.get("rotation")
    return not (is_triple(center) and is_triple(size) and min(size) > 0) or rotation == [0.0, 0.0, 0.0, 0.0]


def is_triple(numbers):
    return numbers is not None and len(numbers) == 3 and all(map(isfinite, numbers))


def by_class(given):
    """Similarities to classes; of two names of one class the larger."""
    if given is None:
        return None
    found = {}
    for task, value in given.items():
        if class_of(task):
            found[class_of(task)] = max(value, found.get(class_of(task), value))
    return found


def is_ignored(label, options):
    text = (label or "").lower()
    return (
        text in options.get("ignore_raw_labels", ())
        or any(part in text for part in options.get("ignore_raw_contains", ()))
        or (class_of(label) or "no class") in options.get("ignore_canonical_labels", ())
    )


# Average precision, by pycocotools with overlaps that are given


class Given(COCOeval):
    """pycocotools with another ruler: `closeness[image][truth, pred]`."""

    closeness: dict

    def computeIoU(self, image, category):  # noqa: N802
        truth, pred = self._gts[image, category], self._dts[image, category]
        order = np.argsort([-each["score"] for each in pred], kind="mergesort")
        rows = [[self.closeness[image].get((t["index"], pred[k]["index"]), 0.0) for t in truth] for k in order]
        return np.array(rows) if truth and pred else []


def average_precisions(scenes, closeness, least):
    """AP of each class with ground truth, and None for others."""
    with redirect_stdout(StringIO()):
        found = Given(coco(scenes, "truth"), coco(scenes, "pred"), "bbox")
        found.closeness = {image: closeness[name] for image, name in enumerate(sorted(scenes), 1)}
        found.params.iouThrs, found.params.maxDets = np.array([least]), [100_000]
        found.params.areaRng, found.params.areaRngLbl = [[0, 1e10]], ["all"]
        found.evaluate()
        found.accumulate()
    curves = {label: found.eval["precision"][0, :, k, 0, 0] for k, label in enumerate(CLASSES)}
    averages = {label: float(curve.mean()) if curve[0] >= 0 else None for label, curve in curves.items()}
    return averages, any(is_mixed(found, k) for k in range(len(CLASSES)))


def is_mixed(found, category):
    """Whether a class has predictions that are right and some that are wrong."""
    rows = [row["dtMatches"][0] for row in found.evalImgs if row and row["category_id"] == category]
    return len(set(np.concatenate([np.empty(0), *rows]) > 0)) > 1


def coco(scenes, name):
    side = COCO()
    things = [(image, each) for image, key in enumerate(sorted(scenes), 1) for each in getattr(scenes[key], name)]
    known = [(image, each) for image, each in things if each.label is not None and (name == "truth" or is_ranked(each))]
    side.dataset = {
        "images": [{"id": image} for image in range(1, len(scenes) + 1)],
        "annotations": [
            {"id": place, "image_id": image, "category_id": CLASSES.index(each.label), "index": each.index}
            | {"score": each.score, "area": 1, "iscrowd": 0, "bbox": [0, 0, 1, 1]}
            for place, (image, each) in enumerate(known, 1)
        ],
        "categories": [{"id": k, "name": label} for k, label in enumerate(CLASSES)],
    }
    side.createIndex()
    return side


def is_ranked(each):
    """A prediction without a score has no place in any order."""
    return each.score is not None


def expected_ap(scenes):
    preds, truths = ([each for scene in scenes.values() for each in getattr(scene, side)] for side in ("pred", "truth"))
    labelled = [each for each in preds if each.label is not None and is_ranked(each)]
    if preds and not any(map(is_ranked, preds)):
        return None
    if not labelled and all(each.label is None for each in truths):
        return None
    by_class, mixed = {}, False
    for name, least in (RULERS | DISTANCES).items():
        close = {key: {at: units / UNIT for at, units in scene.overlap.items()} for key, scene in scenes.items()}
        if name in DISTANCES:
            close, least = {key: near(scene, least) for key, scene in scenes.items()}, 0.5
        by_class[name], some = average_precisions(scenes, close, least)
        mixed |= some
    if mixed and len({each.score for each in labelled}) == 1:
        return None
    tied = sum((each.label, each.score) in [(o.label, o.score) for o in labelled if o is not each] for each in labelled)
    means = {name: reference.mean(classes.values()) for name, classes in by_class.items()}
    return means | {"by_class": by_class, "tied_score_share": tied / len(labelled) if labelled else None}


def near(scene, limit):
    """1 at the same place, down to a half at the limit."""
    found = {}
    for t in scene.truth:
        for p in scene.pred:
            away = limit * 2 if p.box is None else dist(t.box.center, p.box.center)
            found[t.index, p.index] = round((1 - away / (2 * limit)) * UNIT) / UNIT if away <= limit else 0.0
    return found


# Everything


def assert_alike(sides, **options):
    truth, pred = ({n: {"objects": each[k]} for n, each in sides.items() if each[k] is not None} for k in (0, 1))
    report = calipers.scene(truth, pred, labels=CLASSES, aliases=ALIASES, bootstrap=0, **options)
    method, scenes, rules = report["methods"]["pred"], scenes_of(sides, options), rules_of(options)
    expected = reference.evaluate(scenes, rules) | {"ap": expected_ap(scenes)}
    assert differences({name: without_intervals(method[name]) for name in expected}, expected) == []
    assert_laws(method, scenes, sides)


def rules_of(options):
    known = Rules.__dataclass_fields__.keys()
    return Rules(CLASSES, **{name: value for name, value in options.items() if name in known})


def without_intervals(tree):
    """A part of the artifact without its intervals, which there are none of, and without words on broken boxes."""
    if isinstance(tree, list):
        return [without_intervals(each) for each in tree]
    if not isinstance(tree, dict):
        return tree
    assert {value for name, value in tree.items() if name.endswith("_interval")} <= {None}
    return {
        name: without_intervals(value)
        for name, value in tree.items()
        if name != "reason" and not name.endswith("_interval")
    }


def differences(found, expected, where=""):
    """Places with another value: whole numbers, words and nulls are equal, fractions are as close as floats are."""
    if isinstance(expected, dict) and isinstance(found, dict):
        keys = sorted(found.keys() | expected.keys())
        return [
            line
            for key in keys
            for line in differences(found.get(key, "not there"), expected.get(key, "not there"), f"{where}/{key}")
        ]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(found, expected, strict=True))
        return [line for k, (a, b) in pairs for line in differences(a, b, f"{where}/{k}")]
    both_floats = type(found) is type(expected) is float
    if both_floats and abs(found - expected) <= 1e-12:
        return []
    same = type(found) is type(expected) and found == expected
    return [] if same else [f"{where}: found {found}, expected {expected}"]


def assert_laws(method, scenes, sides):
    counts = method["counts"]
    assert counts["tp"] + counts["fn"] == counts["gt"]
    assert counts["tp"] + counts["fp"] == counts["pred"]
    assert sum(method["fp_breakdown"].values()) == counts["fp"]
    broken = {(name, each.index) for name, scene in scenes.items() for each in scene.pred if each.box is None}
    assert {(row["scene"], row["index"]) for row in method["unmatched_pred"] if "reason" in row} == broken
    assert sum(method["label_resolution"].values()) == counts["gt"] + counts["pred"]
    assert method["scenes_without_predictions"] == sorted(name for name, each in sides.items() if each[1] is None)
    assert method["scenes_without_ground_truth"] == sorted(name for name, each in sides.items() if each[0] is None)


@pytest.mark.parametrize("seed", seeds(60))
def test_boxes_anywhere(seed):
    rng = random.Random(seed)
    assert_alike(draw_scenes(rng, rooms.free, 14), **draw_options(rng))


@pytest.mark.parametrize("draw_box", [rooms.lattice, rooms.row, rooms.turned_lattice])
@pytest.mark.parametrize("seed", seeds(60))
def test_equal_overlaps(seed, draw_box):
    rng = random.Random(seed)
    assert_alike(draw_scenes(rng, draw_box, 9), **draw_options(rng))


CHOICES = {
    "iou_mode": ("obb", "aabb"),
    "containment": ("obb", "aabb"),
    "require_label_match": (False, True),
    "iou_threshold": (0.1, 0.25, 0.5),
    "protocol": ("calipers", "clio"),
}


@pytest.mark.parametrize("chosen", combined(*CHOICES.values()), ids=lambda chosen: "-".join(map(str, chosen)))
def test_options_in_combination(chosen):
    for seed, draw_box in enumerate((rooms.turned_lattice, rooms.free)):
        rng = random.Random(seed)
        assert_alike(draw_scenes(rng, draw_box, 8), **dict(zip(CHOICES, chosen, strict=True)))


ONE = {"label": "seat", "center": [1.0, 0.0, 0.0], "size": [1.0, 1.0, 1.0], "score": 0.5}
FEW = {
    "nothing": {"a": ([], [])},
    "one missed": {"a": ([ONE], [])},
    "one spurious": {"a": ([], [ONE])},
    "one found": {"a": ([ONE], [ONE])},
    "in different scenes": {"a": ([ONE], None), "b": (None, [ONE])},
    "one broken": {"a": ([ONE], [ONE | BROKEN[0]])},
    "three times": {"a": ([ONE], [ONE, ONE, ONE])},
    "another class": {"a": ([ONE], [ONE | {"label": "lamp"}])},
    "no class": {"a": ([ONE | {"label": ""}], [ONE | {"label": "gizmo"}])},
}


@pytest.mark.parametrize("sides", FEW.values(), ids=FEW)
@pytest.mark.parametrize("require_label_match", [False, True])
@pytest.mark.parametrize("protocol", ["calipers", "clio"])
def test_few_or_no_objects(sides, require_label_match, protocol):
    assert_alike(sides, require_label_match=require_label_match, protocol=protocol)


places = st.tuples(st.integers(0, 3), st.integers(0, 1)).map(lambda at: [at[0] / 2, at[1] / 2, 0.0])
boxes = st.fixed_dictionaries(
    {"center": places, "size": st.sampled_from(([1.0, 1.0, 1.0], [2.0, 1.0, 1.0], [2.0, 2.0, 1.0]))},
    optional={"label": st.sampled_from(("seat", "table", "gizmo"))},
)
found_boxes = st.builds(
    lambda box, more: box | more,
    boxes,
    st.fixed_dictionaries(
        {"score": st.sampled_from((0.25, 0.5, 0.75))},
        optional={
            "similarity": st.dictionaries(
                st.sampled_from(("seat", "table")), st.sampled_from((0.0, 0.5, 0.9, 1.0)), max_size=2
            )
        },
    ),
)
sides_of_scenes = st.tuples(st.lists(boxes, max_size=5), st.lists(found_boxes, max_size=6))


@settings(derandomize=True, deadline=None, max_examples=examples(150))
@given(
    st.dictionaries(st.sampled_from("abc"), sides_of_scenes, min_size=1, max_size=3),
    st.fixed_dictionaries(
        {"require_label_match": st.booleans(), "protocol": st.sampled_from(("calipers", "clio"))},
        optional={"iou_threshold": st.sampled_from((0.25, 0.5, 1 / 3)), "os_similarity_threshold": st.just(0.5)},
    ),
)
def test_any_few_boxes(sides, options):
    assert_alike(sides, **options)


# Intervals: in each replicate a scene is there as often as its weight says


@pytest.mark.parametrize("seed", seeds(6))
def test_intervals_are_those_of_scenes_given_several_times(seed):
    rng = random.Random(seed)
    sides = {name: draw_scene(rng, rooms.free, 5, draw_extras(rng)) for name in "abcde"}
    truth, pred = ({name: {"objects": both[k]} for name, both in sides.items()} for k in (0, 1))
    report = calipers.scene(truth, pred, labels=CLASSES, aliases=ALIASES, bootstrap=50, seed=seed)
    drawn = list(
        replicates(scenes_of(sides, {}), bootstrap.resample(list(sides), np.eye(5), seed=seed, replicates=50).T)
    )
    shown = [report[part] for part in ("detection_metrics", "geometry_metrics", "benchmark_compat")]
    spans = {name: span for part in shown for name, span in part.items() if name.endswith("_interval")}
    assert len(spans) == 19
    for name, span in spans.items():
        values = sorted(each for each in (rates[name.removesuffix("_interval")] for rates in drawn) if each is not None)
        # 2.5 % at either end are left out: 1 of 50, and of 40 to 49 defined ones
        assert span == (pytest.approx([values[1], values[-2]], abs=1e-8) if len(values) >= 40 else None)


def replicates(scenes, weights):
    tasks = reference.tasks_of(scenes, Rules(CLASSES))
    for counts in weights.tolist():
        times = zip(scenes.items(), counts, strict=True)
        again = {f"{name} {k}": scene for (name, scene), count in times for k in range(count)}
        yield reference.evaluate(again, Rules(CLASSES, tasks=tasks))["benchmark_compat"]
