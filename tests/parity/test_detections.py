"""AP and precision at high recall against pycocotools, with every frame of every video as an image."""

import random
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import calipers

from ..profiles import examples, seeds

FIRST_HIGH_STEP = 90  # of the recall steps 0, 0.01, … 1
LABELS = ("barrel", "cone", "sign", "worker")
STATES = {"inside": [[0, 9]]}


# The two sides: videos are {name: (truth, pred)}, both lists of detections


def ours(videos):
    truth = {name: STATES | {"detections": boxes} for name, (boxes, _) in videos.items()}
    pred = {name: {"states": STATES, "detections": boxes} for name, (_, boxes) in videos.items()}
    return calipers.timeline(truth, pred, bootstrap=0)["pooled"]


def theirs(videos):
    """Precision at every recall step, by label; -1 for a class without ground truth."""
    images = {}
    for name in sorted(videos):
        for frame in sorted({box["frame"] for side in videos[name] for box in side}):
            images[name, frame] = len(images) + 1
    truth, pred = (
        [annotation(box, images[name, box["frame"]]) for name in sorted(videos) for box in videos[name][side]]
        for side in (0, 1)
    )
    with redirect_stdout(StringIO()):
        found = COCOeval(coco(truth, images), coco(pred, images), "bbox")
        found.params.iouThrs = np.array([0.5])
        found.params.maxDets = [100_000]
        found.params.areaRng, found.params.areaRngLbl = [[0, 1e10]], ["all"]
        found.evaluate()
        found.accumulate()
    return {label: found.eval["precision"][0, :, k, 0, 0] for k, label in enumerate(LABELS)}


def annotation(box, image):
    x1, y1, x2, y2 = box["box"]
    size = {"bbox": [x1, y1, x2 - x1, y2 - y1], "area": (x2 - x1) * (y2 - y1), "iscrowd": 0}
    return {"image_id": image, "category_id": LABELS.index(box["label"]), "score": box.get("score"), **size}


def coco(annotations, images):
    side = COCO()
    side.dataset = {
        "images": [{"id": image} for image in images.values()],
        "annotations": [{"id": place, **each} for place, each in enumerate(annotations, 1)],
        "categories": [{"id": k, "name": label} for k, label in enumerate(LABELS)],
    }
    side.createIndex()
    return side


def assert_alike(videos):
    found, curves = ours(videos), theirs(videos)
    curves = {label: curve for label, curve in curves.items() if curve[0] >= 0}
    scores = [box["score"] for _, pred in videos.values() for box in pred]
    if len(set(scores)) == 1 and curves and found["map_50"] is None:  # only where order matters
        assert len(scores) > 1
        assert (found["precision_at_recall"], found["precision_at_target"]) == (None, None)
        return
    high = slice(FIRST_HIGH_STEP, None)
    at = slice(FIRST_HIGH_STEP, FIRST_HIGH_STEP + 1)
    for metric, steps in (("map_50", slice(None)), ("precision_at_recall", high), ("precision_at_target", at)):
        expected = {label: curve[steps].mean() for label, curve in curves.items()}
        assert found[f"{metric}_by_class"] == pytest.approx(expected, abs=1e-12, rel=0)
        mean = np.mean(list(expected.values())) if expected else None
        assert found[metric] == (None if mean is None else pytest.approx(mean, abs=1e-12, rel=0))


# Boxes that are meant to meet: predictions are true boxes moved a little, and some that are not


def detection(frame, label, box, **score):
    return {"frame": frame, "label": label, "box": box, **score}


def lattice_box(rng):
    """On so small a lattice that many overlaps are equal, and many are exactly a half."""
    x, y = rng.randrange(3), rng.randrange(3)
    return [x, y, x + rng.randint(1, 3), y + rng.randint(1, 3)]


def strip(rng):
    """Neighbours overlap by 3/5, so that one between two others is equally close to both."""
    y = rng.randrange(8)
    return [0, y, 1, y + 4]


def free_box(rng):
    x, y = rng.uniform(0, 900), rng.uniform(0, 900)
    return [x, y, x + rng.uniform(5, 100), y + rng.uniform(5, 100)]


def moved(rng, box):
    x1, y1, x2, y2 = box
    dx, dy = rng.gauss(0, (x2 - x1) / 6), rng.gauss(0, (y2 - y1) / 6)
    return [x1 + dx, y1 + dy, x2 + dx, y2 + dy]


def random_video(rng, draw_box, draw_score, most):
    """A class of its own on either side, frames that only one side has, and a mix of hits, misses and doubles."""
    frames = rng.randint(1, 6)

    def some(labels):
        count = rng.randint(0, most)
        return [detection(rng.randrange(frames), rng.choice(labels), draw_box(rng)) for _ in range(count)]

    truth = some(LABELS[:3])
    again = [box for box in truth if box["label"] != "barrel" for _ in range(rng.choice((0, 1, 1, 2)))]
    near = [box | {"box": rng.choice((moved, kept))(rng, box["box"])} for box in again]
    pred = [box | {"score": draw_score(rng)} for box in near + some(LABELS[1:])]
    rng.shuffle(pred)
    return truth, pred


def kept(_, box):
    return list(box)


@pytest.mark.parametrize("seed", seeds(40))
def test_boxes_anywhere_with_scores_of_all_kinds(seed):
    rng = random.Random(seed)
    names = [f"{rng.random()}.mp4" for _ in range(rng.randint(1, 4))]
    assert_alike({name: random_video(rng, free_box, random.Random.random, 30) for name in names})


@pytest.mark.parametrize("draw_box", [lattice_box, strip])
@pytest.mark.parametrize("seed", seeds(60))
def test_equal_scores_and_equal_overlaps(seed, draw_box):
    rng = random.Random(seed)
    names = [f"{rng.random()}.mp4" for _ in range(rng.randint(1, 3))]
    few = [0.25, 0.5, 1, -2.0][: rng.randint(2, 4)]
    assert_alike({name: random_video(rng, draw_box, lambda rng: rng.choice(few), 12) for name in names})


def test_many_objects_meet_recall_steps_exactly():
    """100 objects, so that every recall is one of the steps, or misses it by the bit that pycocotools has there."""
    rng = random.Random(5)
    truth = [detection(frame, "cone", [0, 0, 10, 10]) for frame in range(100)]
    pred = [box | {"score": rng.random()} for box in truth]
    wrong = [detection(frame, "cone", [50, 50, 60, 60], score=rng.random()) for frame in range(80)]
    assert_alike({"a": (truth, pred + wrong)})


boxes = st.tuples(st.integers(0, 1), st.integers(0, 4), st.integers(1, 2), st.integers(1, 4)).map(
    lambda box: [box[0], box[1], box[0] + box[2], box[1] + box[3]]
)
placed = st.builds(detection, st.integers(0, 2), st.sampled_from(LABELS[:2]), boxes)
scored = st.builds(
    detection, st.integers(0, 2), st.sampled_from(LABELS[:2]), boxes, score=st.sampled_from([0.1, 0.5, 0.9])
)
sides = st.tuples(st.lists(placed, max_size=6), st.lists(scored, max_size=8))


@settings(derandomize=True, deadline=None, max_examples=examples(200))
@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), sides, min_size=1, max_size=3))
def test_any_few_boxes(videos):
    assert_alike(videos)
